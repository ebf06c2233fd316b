#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// From a contact to a contact constraint: what the solver needs of it and of its bodies.

/// What is the same for all constraints of a step.
typedef struct qdi_constraint_rules {
    double dt;
    double threshold; ///< qdi_impulse_threshold
} qdi_constraint_rules;

/// The speed that tells what bounces from what rests, where nothing but gravity acts.
double qdi_impulse_threshold(const qd_world *world, double dt);

/// A gap up to which a constraint bounces: what was stopped on its way ends this near.
static inline double qdi_bounce_gap(const qdi_constraint *constraint) {
    return 3e-6 * constraint->size;
}
/// The speed at which a touch of a constraint approaches.
static inline double qdi_constraint_approach(const qdi_constraint *constraint, const qdi_motion *m,
                                             int touch) {
    uint32_t a = constraint->row_a, b = constraint->row_b;
    bool wall = b == QDI_NO_ROW;
    double ux = m->vx[a] - (wall ? constraint->rest->wx : m->vx[b]),
           uy = m->vy[a] - (wall ? constraint->rest->wy : m->vy[b]);
    double approach = ux * constraint->nx + uy * constraint->ny;
    if (constraint->plain) return approach;
    approach += m->spin[a] * constraint->rest->across_a[touch];
    return wall ? approach : approach - m->spin[b] * constraint->rest->across_b[touch];
}

/// Makes the constraint of a link's contact, which has given nothing so far; its `rest` is there.
void qdi_constraint_make(const qd_world *world, const qdi_constraint_rules *rules, const qdi_link *link,
                         qdi_constraint *constraint);

/// True where a link's a may touch an image of its b: some side is periodic.
static inline bool qdi_constraints_shift(const qd_world *world) {
    return world->axis[0].boundary == QD_BOUNDARY_PERIODIC || world->axis[1].boundary == QD_BOUNDARY_PERIODIC;
}

/// The way from a link's b, which is no wall, to the image of it that a touches.
static inline qd_vec2 qdi_constraint_shift(const qd_world *world, const qdi_link *link) {
    const qd_image image = qdi_constraints_shift(world) ? world->present.found[link->geometry].image
                                                        : (qd_image){0, 0};
    const bool px = world->axis[0].boundary == QD_BOUNDARY_PERIODIC,
               py = world->axis[1].boundary == QD_BOUNDARY_PERIODIC;
    return (qd_vec2){px ? image.x * world->axis[0].length : 0, py ? image.y * world->axis[1].length : 0};
}

/// Sets the levers of a touch, from the centroids of a and b: `across` is arm x normal (0 for what does not
/// turn), `along` is arm . normal. Where one of the two cannot move, the other is pushed at its own surface;
/// else both at the point midway, so that they get no angular momentum from nowhere.
static inline void qdi_constraint_levers(const qdi_constraint *constraint, int touch, bool turns_a,
                                         bool turns_b, qd_vec2 a, qd_vec2 b, qd_vec2 point, double depth) {
    qdi_constraint_rest *rest = constraint->rest;
    const double half = 0.5 * depth, nx = constraint->nx, ny = constraint->ny;
    const double shift = !constraint->moves_b ? half : (!constraint->moves_a ? -half : 0);
    const double x = point.x + shift * nx, y = point.y + shift * ny;
    rest->across_a[touch] = turns_a ? (x - a.x) * ny - (y - a.y) * nx : 0;
    rest->along_a[touch] = (x - a.x) * nx + (y - a.y) * ny;
    rest->across_b[touch] = turns_b ? (x - b.x) * ny - (y - b.y) * nx : 0;
    rest->along_b[touch] = constraint->row_b == QDI_NO_ROW ? 0 : (x - b.x) * nx + (y - b.y) * ny;
}

/// The friction of a link's contact whose two surfaces are not of one kind.
double qdi_constraint_friction_of_two(const qd_world *world, const qdi_link *link);

/// The friction of a link's contact: most often all bodies have one surface, and between two of them friction
/// is that of each.
static inline double qdi_constraint_friction(const qd_world *world, const qdi_link *link) {
    const uint32_t a = world->trait[link->row_a];
    if (world->traits.materials.pairs || link->row_b == QDI_NO_ROW || world->trait[link->row_b] != a)
        return qdi_constraint_friction_of_two(world, link);
    return world->traits.trait[a].surface.friction;
}

/// True where the surfaces of a link's contact give something back.
bool qdi_constraint_bouncy(const qd_world *world, const qdi_link *link);

/// True for a constraint that bounces now, unless another one hinders it.
bool qdi_constraint_fast(const qd_world *world, const qdi_constraint *constraint);

/// The touches of a constraint that the sub-steps work on: all that cannot bounce. Of the others, those stay
/// out that part faster than the threshold, unless they overlap and will not have parted by the end of the
/// step; and those that are to bounce, but have not met yet: they fly on, and bounce when they have, one
/// touch without the other if need be. What has carried a load in the step before goes on.
uint8_t qdi_constraint_touches(const qd_world *world, const qdi_constraint *constraint, double dt);
