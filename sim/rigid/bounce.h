#pragma once

#include "sim/world/energy_balance_state.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// Bounces one constraint, if some touch of it approaches faster than the threshold; what it lost goes to
/// `contact_balance`.
bool qdi_constraint_bounce(qdi_constraint *constraint, const qdi_motion *motion, double threshold,
                           qdi_contact_balance *contact_balance);
/// Notes that a constraint's bodies need a look by visit `visit` of their constraints (rigid/bounce.c).
static inline void qdi_bounce_mark(const qd_world *world, const qdi_constraint *constraint, uint32_t visit) {
    _Atomic uint32_t *dirty = world->scratch.dirty;
    if (constraint->moves_a) atomic_store_explicit(&dirty[constraint->row_a], visit, memory_order_relaxed);
    if (constraint->moves_b) atomic_store_explicit(&dirty[constraint->row_b], visit, memory_order_relaxed);
}
/// True where a bounce has changed a body's velocity in visit `since` or later, or it approaches something
/// fast (1).
static inline bool qdi_is_dirty(const qd_world *world, uint32_t row, uint32_t since) {
    if (row == QDI_NO_ROW) return false;
    return atomic_load_explicit(&world->scratch.dirty[row], memory_order_relaxed) >= since;
}
/// Bounces: all constraints, colour by colour, until none approaches faster than its threshold.
QD_MUST_USE qd_status qdi_bounce(qd_world *world, const qdi_colours *colours);
