// Reflecting sides that move. Where they are is a function of the time; the world's axes say where that is
// now.

#include "sim/world/walls.h"

#include "core/base/arithmetic.h"
#include "sim/world/compress.h"
#include "sim/world/feature.h"
#include "sim/world/limits.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <string.h>

static const double two_pi = 6.28318530717958648;

// Whether a wall has a motion of its own.
static bool wall_moves(const qd_wall_motion *motion) {
    return motion->velocity != 0 || motion->amplitude != 0 || motion->slide != 0;
}

// Whether there is a wall at this side.
static bool wall_reflects(const qd_world_def *def, int wall) {
    return (wall / 2 == 0 ? def->boundary_x : def->boundary_y) == QD_BOUNDARY_REFLECT;
}

qd_status qdi_walls_check(const qd_world_def *def, qd_error *error) {
    static const char *const names[QDI_WALLS] = {"left", "right", "bottom", "top"};
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        const qd_wall_motion *motion = &def->wall_motion[wall];
        if (!qdi_is_sane(motion->velocity) || !qdi_is_sane(motion->amplitude) ||
            !qdi_is_sane(motion->phase) || !qdi_is_sane(motion->slide) || !qdi_is_sane(motion->frequency))
            return qdi_reason(error, QD_ERR_VALUE, "the motion of the %s wall must be finite and within 1e30",
                              names[wall]);
        if (motion->frequency < 0)
            return qdi_reason(error, QD_ERR_VALUE, "the frequency of the %s wall must not be below 0",
                              names[wall]);
        if (wall_moves(motion) && !wall_reflects(def, wall))
            return qdi_reason(error, QD_ERR_VALUE, "the %s side moves, but does not reflect", names[wall]);
    }
    return QD_OK;
}

// How far a moving wall has gone at this time.
static double wall_offset(const qd_wall_motion *motion, double time) {
    double along = motion->velocity * time;
    if (motion->amplitude == 0) return along;
    double angle = two_pi * motion->frequency * time + motion->phase;
    return along + motion->amplitude * (qd_sin(angle) - qd_sin(motion->phase));
}

// Velocity of a moving wall at this time.
static double wall_speed_at(const qd_wall_motion *motion, double time) {
    if (motion->amplitude == 0) return motion->velocity;
    double rate = two_pi * motion->frequency;
    return motion->velocity + motion->amplitude * rate * qd_cos(rate * time + motion->phase);
}

/// A velocity across wall number `wall` and one along it.
static qd_vec2 across_and_along(int wall, double across, double along) {
    return wall / 2 == 0 ? (qd_vec2){across, along} : (qd_vec2){along, across};
}

// How far a side is from where the world's size has it.
static double wall_place(const qd_world *world, int wall, double time) {
    const qdi_wall_begun *begun = &world->wall_begun[wall];
    return begun->at + wall_offset(&world->def.wall_motion[wall], time - begun->time);
}

void qdi_walls_note(qd_world *world) {
    world->walls_move = false;
    for (int wall = 0; wall < QDI_WALLS; ++wall)
        if (wall_moves(&world->def.wall_motion[wall]) || world->wall_begun[wall].at != 0)
            world->walls_move = true;
}

// Whether two motions of a side are the same.
static bool same_motion(const qd_wall_motion *one, const qd_wall_motion *other) {
    return one->velocity == other->velocity && one->amplitude == other->amplitude &&
           one->frequency == other->frequency && one->phase == other->phase && one->slide == other->slide;
}

void qdi_walls_change(qd_world *world, const qd_wall_motion motion[QDI_WALLS]) {
    const double now = qd_world_time(world);
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        if (same_motion(&world->def.wall_motion[wall], &motion[wall])) continue;
        world->wall_begun[wall] = (qdi_wall_begun){wall_place(world, wall, now), now};
        world->def.wall_motion[wall] = motion[wall];
    }
    qdi_walls_note(world);
    memset(world->wall_speed, 0, sizeof world->wall_speed);
    memset(world->wall_mean, 0, sizeof world->wall_mean);
    (void)qdi_walls_put(world, now); // they stay where they are
}

bool qdi_walls_put(qd_world *world, double time) {
    if (!world->walls_move) return true;
    const qd_world_def *def = &world->def;
    qdi_axis axis[2] = {world->axis[0], world->axis[1]};
    for (int k = 0; k < 2; ++k) {
        if (axis[k].boundary != QD_BOUNDARY_REFLECT) continue;
        double low, high, far = qdi_limit_distance(&world->def.limits);
        qdi_compress_axis(world, k, &low, &high);
        double middle = k == 0 ? world->centre.x : world->centre.y;
        axis[k].low = low + wall_place(world, 2 * k, time);
        axis[k].high = high + wall_place(world, 2 * k + 1, time);
        axis[k].length = axis[k].high - axis[k].low;
        if (!(axis[k].length > 0 && middle - axis[k].low <= far && axis[k].high - middle <= far))
            return false;
    }
    world->axis[0] = axis[0];
    world->axis[1] = axis[1];
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        const qd_wall_motion *motion = &def->wall_motion[wall];
        const double since = time - world->wall_begun[wall].time;
        world->wall_speed[wall] = across_and_along(wall, wall_speed_at(motion, since), motion->slide);
    }
    return true;
}

/// Works out their mean velocities in a step.
static qd_status find_wall_means(qd_world *world, qdi_step_context *step) {
    if (!world->walls_move) return QD_OK;
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        const qd_wall_motion *motion = &world->def.wall_motion[wall];
        double across = motion->velocity;
        const double begun = world->wall_begun[wall].time;
        if (motion->amplitude != 0)
            across = (wall_offset(motion, step->end - begun) - wall_offset(motion, step->start - begun)) /
                     (step->end - step->start);
        world->wall_mean[wall] = across_and_along(wall, across, motion->slide);
    }
    return QD_OK;
}

// Hook of the step: puts moving walls where they are at its end.
static qd_status walls_place(qd_world *world, qdi_step_context *step) {
    if (qdi_walls_put(world, step->end)) return QD_OK;
    qdi_limit_report_walls(&world->report, world->clock.step + 1, &world->def.limits);
    return QD_ERR_LIMIT;
}

// Hook of a step that failed: moving walls are where they were.
static void walls_revert(qd_world *world, const qdi_step_context *step) {
    (void)qdi_walls_put(world, step->start); // they have been there
}

const qdi_feature qdi_walls_feature = {
    .at = {[QDI_STAGE_BEGIN] = find_wall_means, [QDI_STAGE_PLACE] = walls_place}, .revert = walls_revert};

void qd_world_sides(const qd_world *world, qd_vec2 *low, qd_vec2 *high) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    *low = (qd_vec2){world->axis[0].low, world->axis[1].low};
    *high = (qd_vec2){world->axis[0].high, world->axis[1].high};
}
