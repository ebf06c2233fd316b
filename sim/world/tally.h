#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Sums that do not depend on the order, of QDI_TALLY_LANES numbers side by side. Floating point addition
/// depends on it, and the order of rows, constraints and solver bodies has no meaning. So a first pass finds
/// the largest size; a second one cuts each value in two, the first half a multiple of a unit, the second one
/// of a smaller unit, so that all sums of halves are exact. What is left over is below 2^-100 n^2 of the
/// largest value (after J. Demmel and H. D. Nguyen, "Fast reproducible floating-point summation", 2013).
enum { QDI_TALLY_LANES = 4 };

/// The largest sizes; NaN is passed over.
typedef struct qdi_tally_most {
    double lane[QDI_TALLY_LANES];
} qdi_tally_most;

/// What cuts: adding and subtracting it rounds to the unit.
typedef struct qdi_tally_cut {
    double first[QDI_TALLY_LANES], second[QDI_TALLY_LANES];
} qdi_tally_cut;

/// Sums of both halves.
typedef struct qdi_tally {
    double first[QDI_TALLY_LANES], second[QDI_TALLY_LANES];
} qdi_tally;

/// Sums of a world: first pass of an exact sum: notes how large the terms are.
static inline void qdi_tally_see(qdi_tally_most *most, const double *values) {
    for (int k = 0; k < QDI_TALLY_LANES; ++k) {
        double size = fabs(values[k]);
        most->lane[k] = size > most->lane[k] ? size : most->lane[k];
    }
}

/// Sums of a world: 1.5 times a power of two, given as the exponent's bits.
static inline double qdi_tally_magic(int64_t exponent) {
    if (exponent < 1) exponent = 1;
    if (exponent > 2046) return (double)NAN; // nothing this large can be added up
    uint64_t bits = (uint64_t)exponent << 52 | UINT64_C(1) << 51;
    double magic;
    memcpy(&magic, &bits, sizeof magic);
    return magic;
}

/// Sums of a world: how to cut `count` values of at most these sizes.
static inline qdi_tally_cut qdi_tally_cut_for(const qdi_tally_most *most, size_t count) {
    qdi_tally_cut cut;
    int64_t room = 1; // bits that the sum is longer than a value
    while (((uint64_t)1 << room) < count) ++room;
    for (int k = 0; k < QDI_TALLY_LANES; ++k) {
        uint64_t bits;
        memcpy(&bits, &most->lane[k], sizeof bits);
        int64_t exponent = (int64_t)(bits >> 52) + 1; // of a power of two above the value
        cut.first[k] = qdi_tally_magic(exponent + room);
        cut.second[k] = qdi_tally_magic(exponent + 2 * room - 52);
    }
    return cut;
}

/// Sums of a world: second pass of an exact sum: adds the terms, cut into parts that add without rounding.
static inline void qdi_tally_add(qdi_tally *tally, const qdi_tally_cut *cut, const double *values) {
    for (int k = 0; k < QDI_TALLY_LANES; ++k) {
        double first = (values[k] + cut->first[k]) - cut->first[k];
        tally->first[k] += first;
        tally->second[k] += ((values[k] - first) + cut->second[k]) - cut->second[k];
    }
}

/// Sums of a world: adds the sums of another range.
static inline void qdi_tally_merge(qdi_tally *tally, const qdi_tally *other) {
    for (int k = 0; k < QDI_TALLY_LANES; ++k) {
        tally->first[k] += other->first[k];
        tally->second[k] += other->second[k];
    }
}
