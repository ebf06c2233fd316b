#include "sim/rigid/ccd.h"

#include "sim/contact/events.h"
#include "sim/contact/margin.h"
#include "sim/rigid/constraint.h"
#include "sim/rigid/lean.h"
#include "sim/rigid/rigid_step.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/grain.h"
#include "sim/world/lap.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// ccd: frees the working memory of fast bodies.
static void release(const qd_allocator *allocator, qdi_scratch *scratch) {
    qdi_ccd *ccd = scratch->ccd;
    qdi_release(allocator, ccd->trajectory_of, ccd->trajectory_of_room, sizeof *ccd->trajectory_of);
    qdi_release(allocator, ccd->free, ccd->free_room, sizeof *ccd->free);
    qdi_release(allocator, ccd->glances, ccd->glance_room, sizeof *ccd->glances);
    qdi_release(allocator, ccd->flags, ccd->flag_room, 1);
    qdi_release(allocator, ccd->ways, ccd->ways_room, sizeof *ccd->ways);
    qdi_release(allocator, ccd->followed_rows, ccd->followed_rows_room, sizeof *ccd->followed_rows);
    for (size_t w = 0; w < ccd->meets_room; ++w) {
        qdi_release(allocator, ccd->meets[w].at, ccd->meets[w].room, sizeof *ccd->meets[w].at);
        qdi_release(allocator, ccd->meets[w].hits, ccd->meets[w].hit_room, sizeof *ccd->meets[w].hits);
        qdi_release(allocator, ccd->meets[w].lowered, ccd->meets[w].lowered_room,
                    sizeof *ccd->meets[w].lowered);
    }
    qdi_release(allocator, ccd->meets, ccd->meets_room, sizeof *ccd->meets);
    qdi_release(allocator, ccd->edges, ccd->edge_room, sizeof *ccd->edges);
    qdi_release(allocator, ccd->trajectories, ccd->trajectory_room, sizeof *ccd->trajectories);
    qdi_release(allocator, ccd->segments, ccd->segment_room, sizeof *ccd->segments);
    qdi_release(allocator, ccd->impacts, ccd->impact_room, sizeof *ccd->impacts);
    qdi_release(allocator, ccd->old_segments, ccd->old_segment_room, sizeof *ccd->old_segments);
    qdi_release(allocator, ccd->old_impacts, ccd->old_impact_room, sizeof *ccd->old_impacts);
    qdi_release(allocator, ccd->halted, ccd->halted_room, sizeof *ccd->halted);
    qdi_release(allocator, ccd->news, ccd->news_room, sizeof *ccd->news);
    qdi_release(allocator, ccd->stops, ccd->stops_room, sizeof *ccd->stops);
    qdi_release(allocator, ccd->stopped, ccd->stopped_room, sizeof *ccd->stopped);
    qdi_release(allocator, ccd->ploughs, ccd->ploughs_room, sizeof *ccd->ploughs);
    qdi_release(allocator, ccd->carried, ccd->carried_room, sizeof *ccd->carried);
    qdi_release(allocator, ccd->along, ccd->along_room, sizeof *ccd->along);
    qdi_release(allocator, ccd->carrier, ccd->carrier_room, sizeof *ccd->carrier);
    qdi_release(allocator, ccd, 1, sizeof *ccd);
}

/// ccd: gets the working memory of fast bodies ready for a step.
static qd_status prepare(qd_world *world) {
    qdi_scratch *scratch = &world->scratch;
    if (!scratch->ccd) {
        scratch->ccd = qdi_allocate(world->allocator, 1, sizeof *scratch->ccd);
        if (!scratch->ccd) return QD_ERR_MEMORY;
        memset(scratch->ccd, 0, sizeof *scratch->ccd);
        scratch->release_ccd = release;
    }
    qdi_ccd *ccd = scratch->ccd;
    for (size_t i = 0; i < ccd->trajectory_count; ++i)
        ccd->trajectory_of[ccd->trajectories[i].row] = QDI_NONE_YET;
    ccd->stopping = ccd->stops_hold = false;
    ccd->heap = NULL; // the arena has been cleared since
    ccd->looks = 0;
    atomic_store_explicit(&ccd->misses, false, memory_order_relaxed);
    ccd->edge_count = ccd->trajectory_count = ccd->segment_count = 0;
    return QD_OK;
}

/// Ccd: puts the end of a new path into `next`. Returns what its energy has over what its impacts explain:
/// forces act on the path as if nothing had been met.
static double arrive(const qdi_step *step, const qdi_trajectory *trajectory) {
    qd_world *world = step->world;
    const qdi_motion *next = &world->next;
    uint32_t row = trajectory->row;
    const qdi_path_segment *first = &step->ccd->segments[trajectory->first],
                           free = qdi_segment_of_row(step, row);
    const double before = qdi_ccd_energy(world, row, (qd_vec2){free.vx * step->dt, free.vy * step->dt});
    qdi_pose end = qdi_segment_pose(&step->ccd->segments[trajectory->last], step->dt);
    next->x[row] = qdi_axis_wrap(&world->axis[0], end.x);
    next->y[row] = qdi_axis_wrap(&world->axis[1], end.y);
    const double gone = step->dt - step->ccd->segments[trajectory->last].start;
    next->vx[row] = trajectory->velocity.x + trajectory->gain.x * gone;
    next->vy[row] = trajectory->velocity.y + trajectory->gain.y * gone;
    if (world->turning) {
        double length = sqrt(end.c * end.c + end.s * end.s);
        next->c[row] = end.c / length;
        next->s[row] = end.s / length;
        next->spin[row] = trajectory->velocity.spin + trajectory->gain.spin * gone;
        qdi_lean_amend(world, row, step->dt);
    }
    const qd_vec2 way = {end.x - first->x, end.y - first->y};
    return qdi_ccd_energy(world, row, way) - before - trajectory->given -
           qdi_ccd_wrap_error(world, row, way, step->dt);
}

/// ccd: serial: new paths are few.
static qd_status finish(const qdi_step *step, qdi_wall_gain *walls) {
    qd_world *world = step->world;
    qdi_ccd *ccd = step->ccd;
    uint32_t bad = QDI_NO_ROW;
    uint64_t unfollowed = 0;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        const qdi_trajectory *trajectory = &ccd->trajectories[i];
        if (trajectory->given_up) ++unfollowed;
        if (!trajectory->hit) continue;
        world->scratch.balance.sums.drift += arrive(step, trajectory);
        qdi_margin_box_moved(world, trajectory->row, false); // its box in the tree holds its path
        walls->impulse.x += trajectory->walls.impulse.x;
        walls->impulse.y += trajectory->walls.impulse.y;
        walls->work += trajectory->walls.work;
        qdi_energy_balance_add(&world->scratch.balance.sums, &trajectory->balance);
        uint32_t row = trajectory->row;
        if (!qdi_within_limits(world, row) && (bad == QDI_NO_ROW || world->index[row] < world->index[bad]))
            bad = row;
    }
    if (bad == QDI_NO_ROW) {
        world->following.unfollowed = unfollowed;
        return unfollowed > 0 ? qdi_ccd_stopped(step) : QD_OK;
    }
    qdi_limit_report_body(world, bad);
    return QD_ERR_LIMIT;
}

/// Ccd: puts the impacts in order into `following`.
static qd_status list_impacts(const qdi_step *step) {
    const qdi_ccd *ccd = step->ccd;
    qdi_contact_state *state = &step->world->following;
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) { // count, then copy
        count = 0;
        for (size_t i = 0; i < ccd->trajectory_count; ++i)
            for (uint32_t segment = ccd->trajectories[i].first; segment != QDI_NONE_YET;
                 segment = ccd->segments[segment].next) {
                if (!ccd->segments[segment].impact) continue;
                if (pass == 1) state->impacts[count] = ccd->impacts[segment];
                ++count;
            }
        if (pass == 1) continue;
        qd_status status = qdi_reserve(step->world->allocator, &state->impacts, &state->impact_room, 0, count,
                                       sizeof *state->impacts);
        if (status != QD_OK) return status;
    }
    state->impact_count = count;
    if (count > 0) qsort(state->impacts, count, sizeof *state->impacts, qdi_impact_order);
    return QD_OK;
}

/// ccd: new edges; where there are none, those that were given up are stopped, and may stand in somebody's
/// way.
static qd_status find_edges(qdi_step *step, int round, size_t *added) {
    qd_status status = QD_OK;
    *added = 0;
    step->first = round == 0;
    if (round < QDI_ROUNDS) status = qdi_ccd_find(step, added);
    if (status != QD_OK || *added > 0 || !step->ccd->stopping) return status;
    status = qdi_ccd_stop_given_up(step);
    step->ccd->stopping = step->first = false;
    return status == QD_OK && round < QDI_ROUNDS ? qdi_ccd_find(step, added) : status;
}

/// ccd: one round: candidates, edges, new paths. `done`: there were no new edges.
static qd_status take_round(qdi_step *step, int round, bool *outside, bool *done, qdi_lap *lap) {
    qd_status status = *outside ? qdi_ccd_sweep(step, lap) : QD_OK;
    size_t added = 0;
    if (status == QD_OK) status = find_edges(step, round, &added);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    *done = added == 0;
    if (status != QD_OK || *done) return status;
    status = qdi_ccd_solve(step, outside);
    qdi_lap_end(lap, QD_PHASE_NARROW);
    return status;
}

typedef struct lost_job {
    const uint8_t *flags;
    atomic_size_t count;
} lost_job;

/// ccd: counts those of a range of bodies that are missed.
static void count_lost_range(void *context, size_t begin, size_t end) {
    lost_job *job = context;
    size_t count = 0;
    for (size_t row = begin; row < end; ++row) count += (job->flags[row] & QDI_MISSED) != 0;
    atomic_fetch_add_explicit(&job->count, count, memory_order_relaxed);
}

/// ccd: counts those that were to be followed in the step, and had a path too long for that, or that a plough
/// passed.
static void count_lost(const qdi_step *step) {
    qd_world *world = step->world;
    if (!atomic_load_explicit(&step->ccd->misses, memory_order_relaxed)) return;
    lost_job job = {.flags = step->ccd->flags};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, count_lost_range, &job);
    world->following.unfollowed += job.count;
}

/// ccd: follows every impact.
static qd_status follow_impacts(qdi_step *step, qdi_lap *lap) {
    size_t count = 0;
    qd_status status = qdi_ccd_begin(step, &count);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    bool outside = true, done = count == 0;
    for (int round = 0; status == QD_OK && !done; ++round)
        status = take_round(step, round, &outside, &done, lap);
    if (status == QD_OK) status = finish(step, step->walls);
    if (status != QD_OK) return status;
    count_lost(step);
    return list_impacts(step);
}

/// Follows the ways of bodies through the step on its way, from `now` to `next`, and puts into `next` where
/// they really go, their boxes with them. The world's tree must still be that of `now`; it may be brought up
/// to date for `next`, which `found` tells. What walls gave is added to the gains; impacts go to `following`.
static qd_status follow(qd_world *world, qdi_step_context *context) {
    if (world->fast == 0 && world->scratch.pressed == 0) return QD_OK;
    qd_status status = prepare(world);
    if (status != QD_OK) return status;
    const qd_vec2 period = qdi_world_period(world);
    qdi_step step = {.world = world,
                     .ccd = world->scratch.ccd,
                     .dt = context->dt,
                     .part = qdi_ccd_part(world),
                     .threshold = qdi_impulse_threshold(world, context->dt),
                     .reach = qdi_speculative(world),
                     .following = world->def.continuous == QD_CONTINUOUS_ON,
                     .fresh = SIZE_MAX,
                     .periodic = period.x > 0 || period.y > 0,
                     .walls = &context->gains[0],
                     .found = context->found};
    if (step.following) return follow_impacts(&step, context->lap);
    status = qdi_ccd_stop(&step, context->lap);
    if (status == QD_OK) count_lost(&step);
    return status;
}

const qdi_feature qdi_ccd_feature = {.at = {[QDI_STAGE_FOLLOW] = follow}};
