#pragma once

#include "core/math/outward.h"
#include "sim/world/reach.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// Where bodies are: places in periodic worlds, arms about pivots, turns, and how far a body in a pose
/// reaches.

/// Period per axis, 0 where there is none.
qd_vec2 qdi_world_period(const qd_world *world);
/// How far boxes of a world are fattened by the solver's reach.
qdi_reach qdi_world_reach(const qd_world *world);
/// From a pivot (its nearest image in a periodic world) to a position.
qd_vec2 qdi_pivot_arm(const qdi_axis axis[2], qd_vec2 pivot, double x, double y);
/// Body's pose in a world: brings a coordinate on a periodic axis into [low, high).
double qdi_axis_wrap(const qdi_axis *axis, double x);
/// Body's pose in a world: how often a body has left through the upper of two periodic sides, less how often
/// through the lower, that would have come `expected` further if there were none; 0 along other axes.
double qdi_axis_wraps(const qdi_axis *axis, double from, double to, double expected);
/// A difference of coordinates, to the nearest image; `period` 0: there is one only.
static inline double qdi_nearest_difference(double d, double period) {
    if (period > 0 && fabs(d) > 0.5 * period) return d < 0 ? d + period : d - period;
    return d;
}

/// Body's pose in a world: which image of b, `d` away from a along one axis, is the nearest: two bodies, each
/// no longer than half a period, touch through no other. Candidates do not say, for a body may have gone
/// round since they were found.
static inline int16_t qdi_nearest_image(double d, double half) {
    return (int16_t)((d < -half) - (d > half));
}

/// The box of a row at its place in `next`.
void qdi_motion_box(qd_world *world, uint32_t row);
/// Body's pose in a world: boxes of the positions of `motion`.
void qdi_motion_boxes(qd_world *world, const qdi_motion *motion);
/// Body's pose in a world: (c, s) turned by an angle.
qd_vec2 qdi_motion_turned(double c, double s, double angle);
/// Body's pose in a world: what the contact solver moves a body by in the step on its way; NULL: it does not.
static inline const qdi_mover *qdi_mover_of_row(const qd_world *world, size_t row) {
    const qdi_scratch *scratch = &world->scratch;
    const uint32_t slot = scratch->mover_count > 0 ? scratch->slot[row] : 0;
    return slot ? &scratch->movers[slot] : NULL;
}
/// Body's pose in a world: the angle that a body turns by in the step on its way.
static inline double qdi_motion_turn(const qd_world *world, size_t row, double dt) {
    if (!world->turning) return 0;
    if (world->kind[row] != QD_BODY_DYNAMIC) return world->next.spin[row] * dt;
    const qdi_mover *mover = qdi_mover_of_row(world, row);
    if (mover) return mover->angle;
    return world->scratch.flown ? world->scratch.flights[row].angle : world->next.spin[row] * dt;
}
/// Body's pose in a world: how far a body in a pose reaches from its centroid.
void qdi_motion_extents(const qd_world *world, size_t row, double c, double s, qd_vec2 *low, qd_vec2 *high);

/// How far a body reaches from its centroid along an axis: `low` <= 0 <= `high`.
typedef struct qdi_extent {
    double low, high;
} qdi_extent;

/// Along a periodic axis the tree wants boxes whose middle is in the world, as the centroid is.
static inline qdi_extent qdi_extent_even(const qdi_axis *axis, qdi_extent reach) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC) return reach;
    double most = reach.high > -reach.low ? reach.high : -reach.low;
    return (qdi_extent){-most, most};
}

/// Body's pose in a world: how far a body reaches, the solver's reach with it, and a little more: its corners
/// are rounded.
static inline void qdi_extents_of(const qd_world *world, size_t row, double c, double s, qdi_extent *x,
                                  qdi_extent *y) {
    const qdi_reach reach = qdi_world_reach(world);
    bool moves = world->kind[row] == QD_BODY_DYNAMIC;
    double radius = world->radius[row], far = moves ? qdi_reach_of_row(world, &reach, (uint32_t)row) : 0;
    uint32_t shape = world->shape[row];
    if (shape == 0) {
        *x = *y = (qdi_extent){-(radius + far), radius + far};
        return;
    }
    double more = far + 2e-15 * radius;
    qd_vec2 low, high;
    qdi_form_bounds(&world->shapes.form[shape], c, s, &low, &high);
    *x = qdi_extent_even(&world->axis[0], (qdi_extent){low.x - more, high.x + more});
    *y = qdi_extent_even(&world->axis[1], (qdi_extent){low.y - more, high.y + more});
}

/// The box of a body at x, y (relative to the world's centre) with these extents, rounded outward.
static inline qd_box qdi_box_of(double x, double y, qdi_extent wide, qdi_extent high) {
    return (qd_box){qdi_outward(x + wide.low, -1.0F), qdi_outward(y + high.low, -1.0F),
                    qdi_outward(x + wide.high, 1.0F), qdi_outward(y + high.high, 1.0F)};
}
