#include "sim/step/boundary.h"

#include <math.h>

/// Mirrors the body's box at the walls, as often as it takes, by unfolding: the room for
/// the centre has width w, and a straight path through copies of it side by side is the reflected path. True
/// where the velocity turns round.
static bool mirror_box(const qdi_axis *axis, qdi_extent reach, double *x, double velocity) {
    double low = axis->low - reach.low, width = axis->length - (reach.high - reach.low);
    double way = *x - low;
    // A body put down across a wall, on its way in, is left to come in.
    if (way < 0 ? velocity >= 0 : velocity <= 0) return false;
    if (!(width > 0)) {
        *x = axis->low + 0.5 * axis->length;
        return false;
    }
    double hits = floor(way / width);
    double rest = way - hits * width;
    bool odd = hits - 2 * floor(0.5 * hits) != 0;
    if (odd) rest = width - rest;
    if (rest < 0) rest = 0;
    if (rest > width) rest = width;
    *x = low + rest;
    return odd;
}

/// The same where walls move: one after the other, in their own frames. In a step longer than anybody should
/// take the room between them may be crossed too often to follow; then the body stays at the wall.
static bool mirror_moving(const qdi_boundary *c, qdi_extent reach, double *x, double *velocity) {
    double low = c->axis->low - reach.low, high = c->axis->high - reach.high, before = *velocity;
    if (!(high > low)) {
        *x = c->axis->low + 0.5 * c->axis->length;
        return false;
    }
    for (int k = 0; k < 64; ++k) {
        double at = *x, speed = *velocity;
        bool left = at < low && speed < c->speed_low;
        bool right = at > high && speed > c->speed_high;
        if (!left && !right) return speed != before;
        *x = 2 * (left ? low : high) - at;
        *velocity = 2 * (left ? c->speed_low : c->speed_high) - speed;
    }
    *x = *x < low ? low : (*x > high ? high : *x);
    return *velocity != before;
}

bool qdi_boundary_cross(const qdi_boundary *c, qdi_extent reach, double *x, double *velocity) {
    if (c->axis->boundary == QD_BOUNDARY_PERIODIC) {
        *x = qdi_axis_wrap(c->axis, *x);
        return false;
    }
    if (c->moves) return mirror_moving(c, reach, x, velocity);
    if (!mirror_box(c->axis, reach, x, *velocity)) return false;
    *velocity = -*velocity;
    return true;
}

// What an axis does to bodies that move: low and high ends, whether they mirror.
static qdi_boundary boundary_of_axis(const qdi_axis *a, bool collides, bool walls_move,
                                     const double speed[2]) {
    bool mirrors = a->boundary == QD_BOUNDARY_REFLECT && !collides;
    qdi_boundary result = {.axis = a, .low = -HUGE_VAL, .high = HUGE_VAL};
    if (a->boundary != QD_BOUNDARY_PERIODIC && !mirrors) return result;
    result.low = a->low;
    result.high = a->high;
    result.inset = mirrors ? 1 : 0;
    result.moves = mirrors && walls_move;
    result.speed_low = speed[0];
    result.speed_high = speed[1];
    return result;
}

void qdi_boundary_both(const qd_world *world, qdi_boundary *x, qdi_boundary *y) {
    const bool collides = world->def.contact != QD_CONTACT_NONE;
    const qd_vec2 *speed = world->wall_mean;
    *x = boundary_of_axis(&world->axis[0], collides, world->walls_move, (double[]){speed[0].x, speed[1].x});
    *y = boundary_of_axis(&world->axis[1], collides, world->walls_move, (double[]){speed[2].y, speed[3].y});
}
