#ifndef QD_SIM_TALLY_H
#define QD_SIM_TALLY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/// Sums that do not depend on the order. Floating point addition does, and rows, joints and movers lie in orders that
/// mean nothing. So a first pass looks for the largest size, and a second one counts each value in two integers, in units
/// of 2^-30 and 2^-60 of the next power of two above that: exact additions, of values cut off at 2^-60 of the largest.
/// Fit for fewer than 2^32 values.
typedef struct qdi_tally {
    int64_t high, low;
} qdi_tally;

/// The larger of two sizes, as bits: sizes of doubles are in the order of their bits, and what is not finite comes last.
static inline uint64_t qdi_tally_see(uint64_t largest, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= UINT64_MAX >> 1;
    return bits > largest ? bits : largest;
}

/// What values are multiplied with, from the largest size; 0 where that is 0 or not finite.
static inline double qdi_tally_scale(uint64_t largest) {
    uint64_t exponent = largest >> 52; // the size is below 2^(exponent - 1022)
    if (largest == 0 || exponent == 2047) return 0;
    if (exponent < 100) exponent = 100;                  // so small that there is nothing to tell apart
    uint64_t bits = (1023 + 1022 + 30 - exponent) << 52; // of 2^(30 + 1022 - exponent)
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static inline void qdi_tally_add(qdi_tally *tally, double scale, double value) {
    double units = value * scale;
    int64_t high = (int64_t)units;
    tally->high += high;
    tally->low += (int64_t)((units - (double)high) * 0x1p30);
}

static inline void qdi_tally_merge(qdi_tally *tally, const qdi_tally *other) {
    tally->high += other->high;
    tally->low += other->low;
}

/// The sum; NaN where some value was not finite.
static inline double qdi_tally_sum(const qdi_tally *tally, double scale, uint64_t largest) {
    if (largest == 0) return 0;
    return scale > 0 ? ((double)tally->high + (double)tally->low * 0x1p-30) / scale : (double)NAN;
}

#endif
