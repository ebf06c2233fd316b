#pragma once

#include "sim/contact/margin.h"

#include <quadrille/brute.h>

/// For the files of margin.h: what fat boxes are made from at the end of a step.
typedef struct qdi_fatten_job {
    qd_world *world;
    const qdi_motion *motion;
    double dt;
    qd_vec2 period;
    const qdi_sweep *sweep; ///< see qdi_found
    bool bare;              ///< no margin
    size_t *sums;           ///< per range; NULL: there is no room for them
} qdi_fatten_job;

// ---- contact/margin.c ----

/// Makes the fat box of a body; returns how much it was widened, in sides, at most 1.
double qdi_fatten(const qdi_fatten_job *job, size_t row);
/// Margin: for QD_RETRIEVE_BRUTE: the boxes that the tree holds, without a tree.
QD_MUST_USE qd_status qdi_margin_brute(const qd_world *world, const qd_box *boxes, qd_brute **brute);

// ---- contact/margin_leavers.c ----

/// New fat boxes for those that left theirs, which the tree is told of one by one.
QD_MUST_USE qd_status qdi_leavers_refresh(qdi_fatten_job *fat, qdi_found *found);
/// Then their candidates. QD_ERR_LIMIT: more pairs than limits.pairs allows.
QD_MUST_USE qd_status qdi_leavers_retrieve(qd_world *world, qdi_found *found);
