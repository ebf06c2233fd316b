#pragma once

/// The larger and the smaller of two numbers, as the processor has them: `b` where they are equal or no
/// numbers. The C library's fmax and fmin tell +0 from -0 or do not, as they like.

/// The larger of two numbers.
static inline double qdi_larger(double a, double b) {
    return a > b ? a : b;
}

/// The smaller of two numbers.
static inline double qdi_smaller(double a, double b) {
    return a < b ? a : b;
}
