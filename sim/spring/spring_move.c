// The drift of disks on springs that nothing else acts on, in short stretches that stay in the cache:
// velocities in the middle of the step, places, boxes, angles, each in a loop of its own that vectorizes
// (soft.h). What such a loop cannot do, the few bodies that cross a periodic side, break a limit, leave their
// fat box or turn far, is looked for where it says that there is some. Where every box of a stretch would be
// in its fat one, nobody needs it, and it stays what it was: a box of a step before, which is in the fat one
// too.

#include "sim/contact/margin.h"
#include "sim/spring/soft.h"
#include "sim/spring/spring.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <math.h>

enum { STRETCH = 512 };

// Springs' moves: adds the gain of velocity by gravity.
static void add_gain(double *v, double gain, size_t count) {
    for (size_t i = 0; i < count && gain != 0; ++i) v[i] += gain;
}

// Springs' moves: wraps positions of bodies along a periodic axis.
static void wrap_rows(const qdi_axis *axis, double *x, size_t count) {
    for (size_t i = 0; i < count; ++i) x[i] = qdi_axis_wrap(axis, x[i]);
}

// Finds bodies that springs threw beyond limits, the lowest index first.
static void find_beyond_limits(const qd_world *world, const qdi_spring_way *way, size_t begin, size_t end,
                               uint32_t *bad) {
    const qdi_motion *next = &world->next;
    const qd_vec2 centre = world->centre;
    for (size_t r = begin; r < end; ++r) {
        double vx = next->vx[r], vy = next->vy[r];
        bool fine = fabs(next->x[r] - centre.x) <= way->distance &&
                    fabs(next->y[r] - centre.y) <= way->distance && vx * vx + vy * vy <= way->speed_squared;
        if (!fine && world->index[r] < *bad && !qdi_is_ghost(world, r)) *bad = world->index[r];
    }
}

// Springs' moves: turns bodies by more than small angles.
static void turn_rows_far(const qd_world *world, double dt, size_t begin, size_t end, uint32_t *bad) {
    const qdi_motion *now = &world->now, *next = &world->next;
    for (size_t r = begin; r < end; ++r) {
        double angle = next->spin[r] * dt;
        if (fabs(angle) <= QDI_SMALL_ANGLE) continue;
        qd_vec2 turn = qdi_motion_turned(now->c[r], now->s[r], angle);
        next->c[r] = turn.x;
        next->s[r] = turn.y;
        if (!(isfinite(turn.x) && isfinite(turn.y)) && world->index[r] < *bad && !qdi_is_ghost(world, r))
            *bad = world->index[r];
    }
}

// Moves a stretch of spring disks: drift, limits, boxes. Returns the square of the highest speed.
static double move_rows(const qd_world *world, const qdi_spring_way *way, const qdi_soft_kernels *kernels,
                        size_t r, size_t count, uint32_t *bad, size_t *left) {
    const qdi_motion *now = &world->now, *next = &world->next;
    const qdi_axis *axis = world->axis;
    double dt = way->dt, low[2] = {-HUGE_VAL, -HUGE_VAL}, high[2] = {HUGE_VAL, HUGE_VAL};
    for (int k = 0; k < 2; ++k) {
        if (axis[k].boundary != QD_BOUNDARY_PERIODIC) continue;
        low[k] = axis[k].low;
        high[k] = axis[k].high;
    }
    if (kernels->drift(now->x + r, next->vx + r, way->half_kick.x, dt, low[0], high[0], next->x + r, count))
        wrap_rows(&axis[0], next->x + r, count);
    if (kernels->drift(now->y + r, next->vy + r, way->half_kick.y, dt, low[1], high[1], next->y + r, count))
        wrap_rows(&axis[1], next->y + r, count);
    const double fastest = kernels->fastest(next->x + r, next->y + r, next->vx + r, next->vy + r,
                                            world->centre, way->distance, count);
    if (fastest > way->speed_squared) find_beyond_limits(world, way, r, r + count, bad);
    bool all_fit = way->near && !kernels->outgrown(next->x + r, next->y + r, world->radius + r, world->centre,
                                                   world->fat + r, count);
    if (!all_fit)
        kernels->box(next->x + r, next->y + r, world->radius + r, world->centre, world->boxes + r, count);
    for (size_t i = r; i < r + count && way->held && !all_fit; ++i)
        *left += qdi_margin_left(world, i, way->period);
    if (world->turning &&
        kernels->turn(now->c + r, now->s + r, next->spin + r, dt, next->c + r, next->s + r, count))
        turn_rows_far(world, dt, r, r + count, bad);
    return fastest;
}

double qdi_spring_move(const qd_world *world, const qdi_spring_way *way, size_t begin, size_t end,
                       uint32_t *bad, size_t *left) {
    const qdi_soft_kernels *kernels = qdi_soft_kernels_of(world->def.simd);
    const qd_vec2 gravity = world->def.gravity;
    double most = 0;
    qdi_spring_start_rows(world, way->dt, begin, end);
    for (size_t r = begin; r < end; r += STRETCH) {
        size_t count = end - r < STRETCH ? end - r : STRETCH;
        add_gain(world->next.vx + r, gravity.x * way->dt, count);
        add_gain(world->next.vy + r, gravity.y * way->dt, count);
        const double fastest = move_rows(world, way, kernels, r, count, bad, left);
        most = most > fastest ? most : fastest;
    }
    return most;
}
