// How far bodies have gone, see displacement.h. A body that leaves through a periodic side comes back one
// period away, and so does the place that it comes from: the difference of the two stays the way.
#include "sim/world/displacement.h"

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/world/bodies.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"

qd_status qdi_homes_reserve(qd_world *world, size_t indices) {
    if (!world->follows) return QD_OK;
    qd_status status = qdi_reserve(world->allocator, &world->home, &world->home_room, world->home_room,
                                   indices, sizeof *world->home);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &world->home_next, &world->home_next_room,
                             world->home_next_room, indices, sizeof *world->home_next);
    return status;
}

void qdi_home_begin(qd_world *world, uint32_t row) {
    if (!world->follows) return;
    const qd_vec2 here = {world->now.x[row], world->now.y[row]};
    world->home[world->index[row]] = world->home_next[world->index[row]] = here;
}

void qdi_homes_release(qd_world *world) {
    qdi_release(world->allocator, world->home, world->home_room, sizeof *world->home);
    qdi_release(world->allocator, world->home_next, world->home_next_room, sizeof *world->home_next);
    world->home = world->home_next = NULL;
    world->home_room = world->home_next_room = 0;
    world->follows = false;
}

qd_status qd_world_follow(qd_world *world, bool on) {
    if (!world) return QD_ERR_ARGUMENT;
    if (on == world->follows) return QD_OK;
    if (!on) {
        qdi_homes_release(world);
        return QD_OK;
    }
    world->follows = true;
    const qd_status status = qdi_homes_reserve(world, world->index_room);
    if (status != QD_OK) qdi_homes_release(world);
    for (uint32_t r = 0; status == QD_OK && r < world->count; ++r) qdi_home_begin(world, r);
    return status;
}

bool qd_world_follows(const qd_world *world) {
    return world && world->follows;
}

qd_status qd_world_displacement(const qd_world *world, qd_id body, qd_vec2 *way) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !way) return QD_ERR_ARGUMENT;
    if (!world->follows) return QD_ERR_STATE;
    const uint32_t row = qdi_body_row(world, body);
    if (row == QDI_NO_ROW) return QD_ERR_STALE;
    *way = qdi_displacement_of_row(world, row);
    return QD_OK;
}

// ---- in a step ----

typedef struct turns_job {
    const qd_world *world;
    double dt;
} turns_job;

/// Displacement: the length by which a coordinate was set back on its way through a periodic side.
static double turned(const qdi_axis *axis, double from, double to, double speed, double after, double dt) {
    return qdi_axis_wraps(axis, from, to, 0.5 * (speed + after) * dt) * axis->length;
}

// Displacement: moves the homes of a range of bodies along with turns round the world.
static void turn_range(void *context, size_t begin, size_t end) {
    const turns_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *now = &world->now, *next = &world->next;
    for (size_t r = begin; r < end; ++r) {
        const qd_vec2 home = world->home[world->index[r]];
        const double x = turned(&world->axis[0], now->x[r], next->x[r], now->vx[r], next->vx[r], job->dt),
                     y = turned(&world->axis[1], now->y[r], next->y[r], now->vy[r], next->vy[r], job->dt);
        world->home_next[world->index[r]] = (qd_vec2){home.x - x, home.y - y};
    }
}

/// Displacement: true where bodies of a world can come round it.
static bool goes_round(const qd_world *world) {
    return world->follows && (world->axis[0].boundary == QD_BOUNDARY_PERIODIC ||
                              world->axis[1].boundary == QD_BOUNDARY_PERIODIC);
}

// Hook of the step: works out the homes as they are behind it.
static qd_status turn_homes(qd_world *world, qdi_step_context *step) {
    turns_job job = {.world = world, .dt = step->dt};
    if (goes_round(world)) qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, turn_range, &job);
    return QD_OK;
}

// Hook of a step that is done: they are those now.
static void commit_homes(qd_world *world, const qdi_step_context *step) {
    (void)step;
    if (!goes_round(world)) return;
    qd_vec2 *homes = world->home;
    const size_t room = world->home_room;
    world->home = world->home_next;
    world->home_room = world->home_next_room;
    world->home_next = homes;
    world->home_next_room = room;
}

const qdi_feature qdi_displacement_feature = {.at = {[QDI_STAGE_CHANGE] = turn_homes},
                                              .commit = commit_homes};

// ---- saved ----

void qdi_home_put(const qd_world *world, size_t index, unsigned char **at) {
    qdi_put_f64(at, world->home[index].x);
    qdi_put_f64(at, world->home[index].y);
}

bool qdi_homes_get(const unsigned char **at, qd_world *world) {
    bool fine = true;
    for (size_t i = 0; world->follows && i < world->index_count; ++i) {
        if (world->row_of_index[i] == QDI_NO_ROW) continue;
        qd_vec2 home;
        home.x = qdi_get_f64(at);
        home.y = qdi_get_f64(at);
        world->home[i] = world->home_next[i] = home;
        fine = fine && qdi_is_sane_sum(home.x) && qdi_is_sane_sum(home.y);
    }
    return fine;
}
