#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/world_impl.h"

/// Forces of springs, contact by contact: what spring.c and spring_meet.c share.

typedef struct qdi_spring_job {
    const qd_world *world;
    const qdi_motion *m;
    qdi_contact_state *state;
    double dt;                   ///< 0: nothing moves
    bool grains;                 ///< as qdi_spring_grains says
    qd_vec2 half_kick;           ///< what gravity has given to dynamic bodies beyond the middle of the step
    qdi_contact_balance *shares; ///< by contact, of those that meet by place; NULL where dt is 0
} qdi_spring_job;

/// Makes room for the forces of `count` contacts of `state`.
QD_MUST_USE qd_status qdi_spring_prepare(qd_world *world, const qdi_motion *m, double dt,
                                         qdi_contact_state *state, size_t count, qdi_spring_job *job);
/// True where qdi_meet_lanes will do.
bool qdi_spring_simple(const qd_world *world);
/// Makes the force of a contact of springs that meet, at a place, from its shear in the warm starts; and what
/// is kept of it.
void qdi_spring_force_met(const qdi_spring_job *job, size_t place, qd_contact *contact);
