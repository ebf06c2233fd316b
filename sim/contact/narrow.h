#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/world_impl.h"

/// From here on (until qdi_team_use gives the whole team back) loops are over so many contacts, and what is
/// made of them.
static inline void qdi_contacts_share(const qd_world *world, size_t count) {
    bool few = world->def.contact == QD_CONTACT_IMPULSE && count < QDI_FEW && world->count < QDI_FEW;
    qdi_team_use(world->team, few ? 1 : 0);
}

/// True where neither of two bodies is dynamic: they never touch.
static inline bool qdi_neither_moves(const qd_world *world, uint32_t row_a, uint32_t row_b) {
    return world->kind[row_a] != QD_BODY_DYNAMIC && world->kind[row_b] != QD_BODY_DYNAMIC;
}
/// True where two bodies may touch at all.
bool qdi_may_touch(const qd_world *world, uint32_t row_a, uint32_t row_b);

/// Exact tests of the candidates and of the walls at the positions of `motion`; contacts in order to
/// `following`, in parts. Those that were there in the present state take over what it has of them, or where
/// `outcomes` know it what its contacts gave in the step since.
QD_MUST_USE qd_status qdi_narrow(qd_world *world, const qdi_motion *motion, const qdi_outcomes *outcomes);
