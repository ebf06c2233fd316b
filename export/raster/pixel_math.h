#pragma once

/// The small arithmetic of drawing, in forms that compilers make vector code of.

/// Pixels: the smaller of two numbers.
static inline float qdi_smaller_float(float a, float b) {
    return a < b ? a : b;
}

/// Pixels: the larger of two numbers.
static inline float qdi_larger_float(float a, float b) {
    return a > b ? a : b;
}

/// The smaller of two pixel coordinates.
static inline int qdi_smaller_int(int a, int b) {
    return a < b ? a : b;
}

/// The larger of two pixel coordinates.
static inline int qdi_larger_int(int a, int b) {
    return a > b ? a : b;
}

/// Pixels: the next whole number below, or above. The values are to be far inside int's range. On plain
/// x86-64, floorf is a call; this is two instructions.
static inline int qdi_floor_int(float value) {
    int whole = (int)value;
    return whole - (value < (float)whole);
}

/// A pixel coordinate rounded up.
static inline int qdi_ceil_int(float value) {
    int whole = (int)value;
    return whole + (value > (float)whole);
}
