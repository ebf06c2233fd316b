#pragma once

#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a contact or impact between two dynamic bodies gave in a step, and along which line: from the centre
/// of a to that of b (the branch vector), as they were when it was given.
typedef struct qdi_branch {
    qd_vec2 from, along; ///< centre of a; from there to b
    qd_vec2 impulse;     ///< on b; 0: not between two dynamic bodies
} qdi_branch;

/// The branches of one step, in the order of contacts, then of impacts.
typedef struct qdi_branches {
    qdi_branch *at;
    size_t count, room;
    uint64_t step; ///< that they led to
    bool asked;    ///< the next step collects them
    bool held;     ///< `step` has been made with them
} qdi_branches;

/// Collects the branches of rigid contacts and impacts of a step, where somebody asked. Errors:
/// QD_ERR_MEMORY.
extern const struct qdi_feature qdi_branches_feature;

/// Whether a contact is between two dynamic bodies and no sensor's, and then their rows.
bool qdi_branch_rows(const qd_world *world, qd_id a, qd_id b, uint32_t row[2]);
