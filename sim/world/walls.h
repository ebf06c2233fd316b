#pragma once

#include "core/math/larger.h"
#include "sim/world/feature.h"
#include "sim/world/world_impl.h"

/// Why motions of walls are refused, or QD_OK.
QD_MUST_USE qd_status qdi_walls_check(const qd_world_def *def, qd_error *error);
/// Works out whether some side moves or has been moved.
void qdi_walls_note(qd_world *world);
/// Gives the sides other motions: one that differs begins now, from where its side is.
void qdi_walls_change(qd_world *world, const qd_wall_motion motion[QDI_WALLS]);
/// Puts the walls where they are at a time. False where two have met, or one is nowhere: then they are as
/// before.
bool qdi_walls_put(qd_world *world, double time);
/// The mean velocity of a wall in the step on its way, to the right or up.
static inline double qdi_wall_speed(const qd_world *world, int wall) {
    return wall / 2 == 0 ? world->wall_mean[wall].x : world->wall_mean[wall].y;
}
/// Walls: the sides that reflect, a bit each.
static inline unsigned qdi_wall_bits(const qd_world *world) {
    return (world->axis[0].boundary == QD_BOUNDARY_REFLECT ? 3U : 0U) |
           (world->axis[1].boundary == QD_BOUNDARY_REFLECT ? 12U : 0U);
}
/// Walls: whether some side reflects.
static inline bool qdi_has_walls(const qd_world *world) {
    return qdi_wall_bits(world) != 0;
}
/// Walls: the room in which none is near at any time of a step, relative to the world's centre.
typedef struct qdi_wall_sides {
    qd_vec2 low, high;
} qdi_wall_sides;
/// Where each wall was at the step's start counts, if that was further in.
static inline qdi_wall_sides qdi_wall_sides_of(const qd_world *world, double dt) {
    const qdi_axis *x = &world->axis[0], *y = &world->axis[1];
    const qd_vec2 centre = world->centre;
    double came[QDI_WALLS];
    for (int wall = 0; wall < QDI_WALLS; ++wall) came[wall] = qdi_wall_speed(world, wall) * dt;
    return (qdi_wall_sides){
        {x->low + qdi_larger(-came[0], 0) - centre.x, y->low + qdi_larger(-came[2], 0) - centre.y},
        {x->high - qdi_larger(came[1], 0) - centre.x, y->high - qdi_larger(came[3], 0) - centre.y}};
}
/// Walls: those, a bit each, that what lies between two corners may reach, if they reflect.
static inline unsigned qdi_walls_near(const qdi_wall_sides *sides, qd_vec2 low, qd_vec2 high) {
    return (low.x <= sides->low.x ? 1U : 0U) | (high.x >= sides->high.x ? 2U : 0U) |
           (low.y <= sides->low.y ? 4U : 0U) | (high.y >= sides->high.y ? 8U : 0U);
}
/// From a body straight into a wall.
static inline qd_vec2 qdi_wall_normal(int wall) {
    const double sign = wall % 2 == 0 ? -1 : 1;
    return wall / 2 == 0 ? (qd_vec2){sign, 0} : (qd_vec2){0, sign};
}
/// Moves them in a step, and their mean velocities before it. QD_ERR_LIMIT: reported, two have met.
extern const qdi_feature qdi_walls_feature;
