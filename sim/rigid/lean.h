#pragma once

#include <quadrille/math.h>

#include "core/math/larger.h"
#include "sim/world/bounds.h"
#include "sim/world/contact_state.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// How far a body that rests has turned since it came to rest: its lean.
///
/// Touches are soft, so a column of boxes would give way under its own weight as a slender rod does
/// (A. G. Greenhill, 1881): from n boxes of mass m on, where n^3 is 7.84 k / (m g) and k the stiffness of two
/// touches against turning, which is about 16. Rigid ones stand: before one of them can turn, the load of its
/// joint has moved to an edge. So as long as a body rests, the levers of its flat contacts are those of the
/// angle at which it came to rest, and the weight above it has no lever that grows with what it leans.
///
/// A body rests while some contact holds it with two touches that do not slide, and it turns slowly: its
/// border's centripetal acceleration is a small part of gravity. Nothing rests without gravity: what
/// floats gets no angular momentum from its levers. What tips over an edge has one touch or is too fast, and
/// has its own.

/// Lean: whether two touches that have given this hold a contact.
static inline bool qdi_lean_rests(const qdi_warm_start *hold, double friction) {
    return fabs(hold->tangent[0] + hold->tangent[1]) < friction * (hold->normal[0] + hold->normal[1]);
}

/// The acceleration up to which a body rests, as a part of gravity.
static const double qdi_lean_still = 1.6e-3;

/// The lean of a body of this radius after a step in which it turned by `turn`, and was held or not.
static inline double qdi_lean_after(double lean, double turn, double dt, bool held, double radius,
                                    double gravity) {
    const double spin = turn / dt;
    if (!held || !(spin * spin * radius < qdi_lean_still * gravity)) return 0;
    return qdi_larger(qdi_smaller(lean + turn, QDI_LEAN_MOST), -QDI_LEAN_MOST);
}

/// Lean: the acceleration by gravity, whichever way it goes.
static inline double qdi_strength_of(qd_vec2 gravity) {
    return sqrt(gravity.x * gravity.x + gravity.y * gravity.y);
}

/// The lean in `next` of a body that did not turn as the solver left it, but was met or stopped on its way.
static inline void qdi_lean_amend(qd_world *world, uint32_t row, double dt) {
    const qdi_motion *now = &world->now, *next = &world->next;
    if (next->lean[row] == 0) return;
    const double across = now->c[row] * next->s[row] - now->s[row] * next->c[row],
                 along = now->c[row] * next->c[row] + now->s[row] * next->s[row];
    next->lean[row] = qdi_lean_after(now->lean[row], qd_atan2(across, along), dt, true, world->radius[row],
                                     qdi_strength_of(world->def.gravity));
}
