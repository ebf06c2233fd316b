#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/spring_terms.h"
#include "sim/world/tally.h"

#include <quadrille/simd.h>
#include <stdbool.h>
#include <stddef.h>

/// Pairs of disks that are worked on side by side, in vectors; the same source is compiled for several
/// instruction sets (meet_lanes_kernel.h), and every one gives the same bits.

enum { QDI_MEET_LANES = 128 };

/// Where pairs of disks that touch are read from and written to; nothing that is written may be thought to
/// change what is read.
typedef struct qdi_meet_rows {
    const double *x, *y, *vx, *vy, *spin; ///< by row; spin NULL: nobody turns
    const double *radius, *mass;          ///< by row; NULL: all are alike
    double radius_of_all;
    const qdi_meeting *pairs;          ///< by place
    const qdi_warm_start *warm_starts; ///< of the moment before, where they are not thin
    const qd_vec2 *before;             ///< the same, where they are
    qd_vec2 *shears;                   ///< of this moment; NULL where contacts are not thin
    qdi_thin_force *forces;            ///< likewise
    qd_vec2 half, period;
    bool periodic;
} qdi_meet_rows;

/// Springs that meet: what is made of some pairs, lane by lane.
typedef struct qdi_meet_lanes {
    // Beside shears and forces. Losses, virial and work are lanes of the balance.
    double approach[QDI_MEET_LANES];
    double balance[QDI_TALLY_LANES][QDI_MEET_LANES]; ///< as a qdi_contact_balance has it
} qdi_meet_lanes;

/// Some pairs, at most QDI_MEET_LANES: the place that each had in the moment before, or QDI_MEET_NONE; or
/// that of the first, where the others lay behind it. And the place of the first from now on, behind which
/// the others lie.
typedef struct qdi_meet_some {
    const uint32_t *from; ///< NULL: from `first` on
    size_t first, place, count;
} qdi_meet_some;

/// What the balances of pairs add up to, the same in whatever order (tally.h): the sums are right where `cut`
/// is the one for the largest of all.
typedef struct qdi_meet_tally {
    qdi_tally_cut cut;
    qdi_tally_most most;
    qdi_tally sum;
} qdi_meet_tally;

/// What all pairs of a step have in common.
typedef struct qdi_meet_law {
    qdi_spring_rule rule;
    qd_spring_terms terms_of_all; ///< where they are alike, damping times the reduced mass
    double mu, dt, kick_x, kick_y, slide;
    bool limit_damping;
} qdi_meet_law;

/// Works out some pairs, and adds their balances.
typedef void (*qdi_meet_kernel)(const qdi_meet_rows *rows, const qdi_meet_some *some, const qdi_meet_law *law,
                                qdi_meet_lanes *lanes, qdi_meet_tally *tally);

void qdi_meet_lanes_portable(const qdi_meet_rows *rows, const qdi_meet_some *some, const qdi_meet_law *law,
                             qdi_meet_lanes *lanes, qdi_meet_tally *tally);
void qdi_meet_lanes_avx2(const qdi_meet_rows *rows, const qdi_meet_some *some, const qdi_meet_law *law,
                         qdi_meet_lanes *lanes, qdi_meet_tally *tally);

qdi_meet_kernel qdi_meet_kernel_of(qd_simd simd);
