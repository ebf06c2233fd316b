#ifndef QD_SIM_RIGID_CONSTRAINT_H
#define QD_SIM_RIGID_CONSTRAINT_H

#include "sim/world_impl.h"

/// From a contact to a contact constraint: what the solver needs of it and of its bodies.

/// What is the same for all constraints of a step.
typedef struct qdi_constraint_rules {
    double dt;
    double threshold; ///< qdi_impulse_threshold
} qdi_constraint_rules;

/// Makes the constraint of a link's contact, which has given nothing so far.
void qdi_constraint_make(const qd_world *world, const qdi_constraint_rules *rules, const qdi_link *link,
                         qdi_constraint *constraint);

/// True where the surfaces of a link's contact give something back.
bool qdi_constraint_bouncy(const qd_world *world, const qdi_link *link, const qd_contact *contact);

/// True for a constraint that bounces now, unless another one hinders it.
bool qdi_constraint_fast(const qd_world *world, const qdi_constraint *constraint);

/// True for constraints that the sub-steps work on: all that cannot bounce. Of the others, those stay out that part faster than the
/// threshold, unless they overlap and will not have parted by the end of the step; and those that are to bounce, but have not met yet:
/// they fly on, and bounce when they have. What has carried a load in the step before goes on.
bool qdi_constraint_taken(const qd_world *world, const qdi_constraint *constraint, double dt);

/// The mean velocity of the wall of a contact in this step.
static inline qd_vec2 qdi_wall_velocity(const qd_world *world, const qd_contact *contact) {
    return world->wall_mean[contact->b.index - (uint32_t)QD_WALL_LEFT];
}

#endif
