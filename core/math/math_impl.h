#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/// What the files of quadrille/math.h share. A "double2" is an unevaluated sum hi + lo of two doubles with
/// about 106 significant bits; the sums and products that make one are Knuth's and Dekker's (Muller et al.,
/// "Handbook of Floating-Point Arithmetic", 2nd ed., chapter 4). They rely on strict IEEE-754 arithmetic:
/// contraction and -ffast-math would break them, and the build refuses both.
///
/// Tables hold values that were computed with 1600 bits and rounded once; the series are Taylor's, written
/// with their fractions, over intervals so small that nothing better fitted is needed.

typedef struct qdi_double2 {
    double hi, lo;
} qdi_double2;

/// Mathematics: the bits of a double.
static inline uint64_t qdi_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/// Mathematics: the double that has these bits.
static inline double qdi_double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// C has them as floats only. NaN is always this one: which NaN an operation gives depends on the processor.
#define QDI_INFINITY ((double)INFINITY)
#define QDI_NAN      ((double)NAN)

#define QDI_SIGN_BIT      (UINT64_C(1) << 63)
#define QDI_MANTISSA_BITS ((UINT64_C(1) << 52) - 1)

/// Mathematics: |x|, also of NaN and of -0.
static inline double qdi_magnitude(double x) {
    return qdi_double_of(qdi_bits_of(x) & ~QDI_SIGN_BIT);
}

/// Mathematics: true where the sign bit is set, also of NaN and of -0.
static inline int qdi_negative(double x) {
    return (int)(qdi_bits_of(x) >> 63);
}

/// Mathematics: `magnitude` (>= 0) with the sign of `sign`.
static inline double qdi_with_sign(double magnitude, double sign) {
    return qdi_double_of(qdi_bits_of(magnitude) | (qdi_bits_of(sign) & QDI_SIGN_BIT));
}

/// 2 to the power e, -1022 <= e <= 1023.
static inline double qdi_power_of_two(int e) {
    return qdi_double_of((uint64_t)(e + 1023) << 52);
}

/// Mathematics: the whole number nearest to x, |x| < 2^51; ties go to even. Adding 1.5 * 2^52 pushes the
/// fraction out.
static inline double qdi_nearest(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

/// Mathematics: splits a finite x > 0 into m * 2^e with 1 <= m < 2.
static inline double qdi_split_exponent(double x, int *e) {
    int scaled = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        scaled = 54;
    }
    const uint64_t bits = qdi_bits_of(x);
    *e = (int)(bits >> 52) - 1023 - scaled;
    return qdi_double_of((bits & QDI_MANTISSA_BITS) | (UINT64_C(1023) << 52));
}

/// Mathematics: x without its low 27 bits of mantissa: the product of two such numbers is exact.
static inline double qdi_upper_half(double x) {
    return qdi_double_of(qdi_bits_of(x) & ~((UINT64_C(1) << 27) - 1));
}

/// Mathematics: a + b exactly.
static inline qdi_double2 qdi_two_sum(double a, double b) {
    const double hi = a + b;
    const double b_part = hi - a;
    const double a_part = hi - b_part;
    return (qdi_double2){hi, (a - a_part) + (b - b_part)};
}

/// Mathematics: a + b exactly where |a| >= |b| or a = 0.
static inline qdi_double2 qdi_fast_two_sum(double a, double b) {
    const double hi = a + b;
    return (qdi_double2){hi, b - (hi - a)};
}

/// Mathematics: a * b exactly, while neither it nor its parts leave the normal range. Cutting a number off
/// after 26 bits leaves a rest of 27 bits; the product of two rests may lose its last bit, an error of 2^-106
/// relative to a
/// * b.
static inline qdi_double2 qdi_two_product(double a, double b) {
    const double hi = a * b;
    const double a_hi = qdi_upper_half(a), a_lo = a - a_hi;
    const double b_hi = qdi_upper_half(b), b_lo = b - b_hi;
    return (qdi_double2){hi, ((a_hi * b_hi - hi) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

/// log(x) for finite x > 0, the relative error is below 2^-67.
qdi_double2 qdi_log_double2(double x);

/// e to the power x.hi + x.lo for |x.hi| < 800, |x.lo| <= 2^-50 |x.hi|: within 0.52 ulp in the normal range;
/// beyond it rounds once more, to a subnormal, zero or infinity.
double qdi_exp_double2(qdi_double2 x);
