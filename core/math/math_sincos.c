#include <quadrille/math.h>

#include "core/math/sincos_series.h"

// An angle is brought to n pi/2 + r with |r| <= pi/4, r as a double2: below 2^20 by subtracting n times pi/2
// in four parts (W. J. Cody and W. Waite, "Software manual for the elementary functions", 1980, chapter 8),
// above it by multiplying with the bits of 2/pi that matter (M. H. Payne and R. N. Hanek, "Radian reduction
// for trigonometric functions", ACM SIGNUM Newsletter 18, 1983). Sine and cosine of r are then Taylor's
// series.

// pi/2 in parts; the first three have at most 33 bits, so that their product with n < 2^20 is exact.
#define HALF_PI_1   0x1.921fb544p+0
#define HALF_PI_2   0x1.0b4611a6p-34
#define HALF_PI_3   0x1.3198a2ep-69
#define HALF_PI_4   0x1.b839a252049c1p-104
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

static const qdi_double2 half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// The first 1280 bits of 2/pi after the point.
static const uint32_t two_over_pi_bits[40] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

// Sine and cosine: for 0 <= x < 2^20; returns n modulo 4.
static unsigned reduce_moderate(double x, qdi_double2 *r) {
    const double n = qdi_nearest(x * TWO_OVER_PI);
    const qdi_double2 first = qdi_two_sum(x - n * HALF_PI_1, -n * HALF_PI_2);
    const qdi_double2 second = qdi_two_sum(first.hi, -n * HALF_PI_3);
    *r = qdi_fast_two_sum(second.hi, (first.lo + second.lo) - n * HALF_PI_4);
    return (unsigned)(int)n & 3U;
}

// A fixed-point number of WIDE words of 32 bits, the most significant first.
#define WIDE 10

// Sine and cosine: shifts a number of 256 bits to the left.
static void shift_left_256(uint32_t words[WIDE], int bits) {
    const int skip = bits / 32, rest = bits % 32;
    for (int i = 0; i < WIDE; ++i) {
        const uint64_t high = i + skip < WIDE ? words[i + skip] : 0;
        const uint64_t low = i + skip + 1 < WIDE ? words[i + skip + 1] : 0;
        words[i] = (uint32_t)((high << 32 | low) << rest >> 32);
    }
}

// Sine and cosine: the two's complement of a number of 256 bits.
static void negate_256(uint32_t words[WIDE]) {
    uint64_t carry = 1;
    for (int i = WIDE - 1; i >= 0; --i) {
        carry += (uint32_t)~words[i];
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// Sine and cosine: for finite x >= 2^20; returns n modulo 4. x = mantissa 2^e is multiplied by 256 bits of
// 2/pi, beginning at most 33 bits after those that would only add multiples of 4. What is cut off behind them
// is below 2^-138, and no double comes closer than 2^-61 to a multiple of pi/2.
static unsigned reduce_large(double x, qdi_double2 *r) {
    const uint64_t bits = qdi_bits_of(x);
    const uint64_t mantissa = (bits & QDI_MANTISSA_BITS) | (QDI_MANTISSA_BITS + 1);
    const int e = (int)(bits >> 52) - 1075;
    const int start = e < 34 ? 0 : (e - 2) / 32;

    uint32_t product[WIDE] = {0};
    for (int half = 0; half < 2; ++half) {
        const uint64_t factor = half == 0 ? mantissa & UINT32_MAX : mantissa >> 32;
        uint64_t carry = 0;
        for (int i = 7; i >= 0; --i) {
            uint32_t *word = &product[i + 2 - half];
            carry += factor * two_over_pi_bits[start + i] + *word;
            *word = (uint32_t)carry;
            carry >>= 32;
        }
        product[1 - half] = (uint32_t)carry;
    }

    // The point lies 32 * (start + 8) - e bits before the end. Keep two bits before it, then only what
    // follows.
    const int fraction_bits = 32 * (start + 8) - e;
    shift_left_256(product, 32 * WIDE - fraction_bits - 2);
    unsigned n = product[0] >> 30;
    shift_left_256(product, 2);
    const int round_up = (int)(product[0] >> 31);
    if (round_up) {
        n += 1;
        negate_256(product);
    }

    qdi_double2 fraction = {0.0, 0.0};
    for (int i = 5; i >= 0; --i) {
        const qdi_double2 sum = qdi_two_sum(product[i] * qdi_power_of_two(-32 * (i + 1)), fraction.hi);
        fraction = (qdi_double2){sum.hi, fraction.lo + sum.lo};
    }
    const qdi_double2 main = qdi_two_product(fraction.hi, half_pi.hi);
    const double rest = main.lo + (fraction.hi * half_pi.lo + fraction.lo * half_pi.hi);
    const qdi_double2 reduced = qdi_fast_two_sum(main.hi, rest);
    *r = round_up ? (qdi_double2){-reduced.hi, -reduced.lo} : reduced;
    return n & 3U;
}

void qd_sincos(double angle, double *sine, double *cosine) {
    const double x = qdi_magnitude(angle);
    if (!(x < QDI_INFINITY)) {
        *sine = QDI_NAN;
        *cosine = QDI_NAN;
        return;
    }
    if (x < 0x1p-27) { // the next terms are below half a unit in the last place
        *sine = angle;
        *cosine = 1.0;
        return;
    }
    qdi_double2 r;
    const unsigned n = x < 0x1p20 ? reduce_moderate(x, &r) : reduce_large(x, &r);
    const double s = qdi_sine_of(r), c = qdi_cosine_of(r);
    const double sine_of_x = n & 1U ? c : s;
    const double cosine_of_x = n & 1U ? s : c;
    const int turned = (int)(n >> 1);
    *sine = turned != qdi_negative(angle) ? -sine_of_x : sine_of_x;
    *cosine = turned != (int)(n & 1U) ? -cosine_of_x : cosine_of_x;
}

double qd_sin(double angle) {
    double sine, cosine;
    qd_sincos(angle, &sine, &cosine);
    return sine;
}

double qd_cos(double angle) {
    double sine, cosine;
    qd_sincos(angle, &sine, &cosine);
    return cosine;
}
