// Fast bodies where not every impact is to be exact: a body that would pass through something stops where it
// meets it, and what the two do to each other is the next step's business (rigid/ccd_stop.c). No chain
// follows from that: what a body costs is one time of impact for each of its candidates.
//
// A body stops at the least time over its candidates, which does not depend on their order; the next round
// looks for what others, behind it, meet now that it stands. What a kinematic body hits, or finds standing,
// is carried along for the rest of the step.
//
// Where impacts are followed exactly, only those are stopped that were given up (rigid/ccd_solve.c).
//
// Shared between ranges: the times, each an atomic minimum (of positive numbers, whose bits are in their
// order).

#include "sim/contact/margin.h"
#include "sim/rigid/ccd_ground.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/lap.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/sum.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 64 };

// ---- rounds ----

/// Stops of ccd: sets a range of bodies to go on to the step's end.
static void clear_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const uint64_t never = qdi_time_bits(step->dt);
    for (size_t r = begin; r < end; ++r) {
        atomic_store_explicit(&step->ccd->stops[r], never, memory_order_relaxed);
        step->ccd->stopped[r] = step->dt;
        step->ccd->carrier[r] = QDI_NO_ROW;
        step->ccd->carried[r] = step->dt;
    }
}

/// Stops of ccd: takes over the times of a round. Those that are followed and were stopped have a new path;
/// what a kinematic body stops else moves so little that nothing else comes of it.
static void settle_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    qdi_ccd *ccd = step->ccd;
    size_t fresh = 0;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        const double stop = qdi_ccd_stop_of(ccd, r);
        const bool earlier = stop < ccd->stopped[r], fresh_now = earlier && ccd->flags[r] & QDI_FOLLOWED;
        ccd->flags[r] &= (uint8_t)~QDI_FRESH;
        if (fresh_now) ccd->flags[r] |= QDI_FRESH;
        fresh += fresh_now;
        if (earlier) { // whoever stops it now has been seen in this round
            const bool may = !(ccd->flags[r] & QDI_GROUNDLESS);
            ccd->carrier[r] = may ? qdi_ccd_ground_of(step, r, stop) : QDI_NO_ROW;
            ccd->carried[r] = ccd->carrier[r] == QDI_NO_ROW ? step->dt : stop;
            if (ccd->carrier[r] != QDI_NO_ROW) ccd->flags[r] |= QDI_GROUNDED;
        }
        ccd->stopped[r] = stop;
    }
    ccd->followed[begin / QDI_BODY_GRAIN] = fresh;
}

/// Stops of ccd: makes room for the times of stops.
static qd_status reserve(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const qd_allocator *allocator = step->world->allocator;
    const size_t count = step->world->count;
    qd_status status = qdi_reserve(allocator, &ccd->stops, &ccd->stops_room, 0, count, sizeof *ccd->stops);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->stopped, &ccd->stopped_room, 0, count, sizeof *ccd->stopped);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->carrier, &ccd->carrier_room, 0, count, sizeof *ccd->carrier);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->carried, &ccd->carried_room, 0, count, sizeof *ccd->carried);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->along, &ccd->along_room, 0, count, sizeof *ccd->along);
    return status;
}

/// Who carries whom: of those that come to a body where it is stopped, or where it stands since, the first
/// one; of several, the first by name. What was found about a path that is no longer so does not count; the
/// next round looks again.
static void choose_carrier(const qdi_step *step, const qdi_hit *hit) {
    qdi_ccd *ccd = step->ccd;
    uint8_t *flags = &ccd->flags[hit->row];
    const double stop = ccd->stopped[hit->row], since = ccd->carried[hit->row];
    const uint32_t carrier = ccd->carrier[hit->row];
    if (hit->carrier == QDI_NO_ROW) return;
    if (hit->time != stop && (!(hit->time > stop) || *flags & (QDI_FRESH | QDI_GROUNDED))) return;
    const bool first = carrier == QDI_NO_ROW || hit->time < since || *flags & QDI_GROUNDED;
    if (!first && !(hit->time == since &&
                    qdi_ccd_name_of_carrier(step, hit->carrier) < qdi_ccd_name_of_carrier(step, carrier)))
        return;
    *flags &= (uint8_t)~QDI_GROUNDED;
    ccd->carrier[hit->row] = hit->carrier;
    ccd->carried[hit->row] = hit->time;
}

/// Stops of ccd: takes the ground from a body that it would carry into something: it stands then. True where
/// it did.
static bool take_ground(const qdi_step *step, const qdi_hit *hit) {
    qdi_ccd *ccd = step->ccd;
    uint8_t *flags = &ccd->flags[hit->row];
    const double stop = ccd->stopped[hit->row];
    if (!(*flags & QDI_GROUNDED) || hit->time < stop || (hit->time > stop && *flags & QDI_FRESH))
        return false;
    *flags = (uint8_t)((*flags & ~QDI_GROUNDED) | QDI_GROUNDLESS | QDI_FRESH);
    ccd->carrier[hit->row] = QDI_NO_ROW;
    ccd->carried[hit->row] = step->dt;
    return true;
}

/// Stops of ccd: takes over what was hit in a round, in any order; returns how many have a new path.
static size_t settle_hits(const qdi_step *step) {
    const qdi_ccd *ccd = step->ccd;
    const size_t workers = (size_t)qd_team_threads(step->world->team);
    size_t fresh = 0;
    for (size_t w = 0; w < workers; ++w)
        for (size_t i = 0; i < ccd->meets[w].hit_count; ++i) choose_carrier(step, &ccd->meets[w].hits[i]);
    for (size_t w = 0; w < workers; ++w)
        for (size_t i = 0; i < ccd->meets[w].hit_count; ++i)
            fresh += take_ground(step, &ccd->meets[w].hits[i]);
    return fresh;
}

/// Stops of ccd: how fast a range of bodies is carried along.
static void carry_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qdi_ccd *ccd = step->ccd;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        if (!(ccd->carried[r] < step->dt)) continue;
        const qdi_path_segment path = qdi_path_begin(step, r);
        const qdi_pose pose = qdi_segment_pose(&path, ccd->stopped[r]);
        ccd->along[r] = qdi_ccd_carried(step, r, &pose);
    }
}

// ---- where they end ----

typedef struct stop_job {
    const qdi_step *step;
    double *drift;
    double *carried[2]; ///< energy that kinematic bodies and walls gave to what they carry; NULL: none does
    uint32_t *lowest_bad;
} stop_job;

/// Stops of ccd: carries a stopped body along; returns what that does to its energy.
static double carry(const qdi_step *step, uint32_t row, qdi_pose *pose) {
    const qdi_ccd *ccd = step->ccd;
    if (ccd->carrier[row] == QDI_NO_ROW) return 0;
    const qd_vec2 way = qdi_ccd_carry(step, ccd->carrier[row], ccd->carried[row], pose);
    pose->x += way.x;
    pose->y += way.y;
    return qdi_ccd_energy(step->world, row, way) - qdi_ccd_energy(step->world, row, (qd_vec2){0, 0});
}

/// Stops of ccd: puts a body where it stops, with the velocity that it has then; returns what that does to
/// its energy, but for what it gets from what carries it. What is stopped at once turns all the same: what
/// lies aslant with its core on something would never lie down.
static double arrive(const qdi_step *step, uint32_t row, double *given) {
    qd_world *world = step->world;
    const qdi_motion *next = &world->next;
    const double stop = step->ccd->stopped[row], missing = 1 - stop / step->dt;
    const qdi_path_segment segment = qdi_segment_of_row(step, row);
    const double before = qdi_ccd_energy(world, row, (qd_vec2){segment.vx * step->dt, segment.vy * step->dt});
    qdi_pose pose = qdi_segment_pose(&segment, stop);
    *given = carry(step, row, &pose);
    const qdi_twist forces = qdi_ccd_forces(step, row);
    next->x[row] = qdi_axis_wrap(&world->axis[0], pose.x);
    next->y[row] = qdi_axis_wrap(&world->axis[1], pose.y);
    next->vx[row] -= forces.x * missing;
    next->vy[row] -= forces.y * missing;
    if (world->turning && stop > 0) {
        const double length = sqrt(pose.c * pose.c + pose.s * pose.s);
        next->c[row] = pose.c / length;
        next->s[row] = pose.s / length;
        next->spin[row] -= forces.spin * missing;
    }
    const qd_vec2 gone = {pose.x - segment.x, pose.y - segment.y};
    return qdi_ccd_energy(world, row, gone) - *given - before -
           qdi_ccd_wrap_error(world, row, gone, step->dt);
}

/// Stops of ccd: puts a range of bodies where they stop.
static void arrive_range(void *context, size_t begin, size_t end) {
    const stop_job *job = context;
    const qdi_step *step = job->step;
    qd_world *world = step->world;
    const qd_vec2 period = qdi_world_period(world);
    const bool held = world->margin.held;
    uint32_t bad = QD_NO_BODY;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        double given = 0;
        job->drift[r] = 0;
        for (int k = 0; k < 2; ++k)
            if (job->carried[k]) job->carried[k][r] = 0;
        if (!(step->ccd->stopped[r] < step->dt)) continue;
        const bool before = held && qdi_margin_left(world, r, period);
        job->drift[r] = arrive(step, r, &given);
        double *carried = job->carried[qdi_carrier_is_wall(step->ccd->carrier[r])];
        if (carried) carried[r] = given;
        qdi_motion_box(world, r);
        const bool after = held && qdi_margin_left(world, r, period);
        if (held) world->scratch.left[begin / QDI_BODY_GRAIN] += (size_t)after - (size_t)before;
        if (!qdi_within_limits(world, r) && world->index[r] < bad) bad = world->index[r];
    }
    job->lowest_bad[begin / QDI_BODY_GRAIN] = bad;
}

qd_status qdi_ccd_stopped(const qdi_step *step) {
    qd_world *world = step->world;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    stop_job job = {.step = step};
    job.lowest_bad = qdi_arena_take(&world->scratch.arena, ranges, sizeof *job.lowest_bad);
    qd_status status = qdi_balance_rows(&world->scratch.arena, world->count, &job.drift);
    if (status == QD_OK && step->ccd->carriers)
        status = qdi_balance_rows(&world->scratch.arena, world->count, &job.carried[0]);
    if (status == QD_OK && world->walls_move)
        status = qdi_balance_rows(&world->scratch.arena, world->count, &job.carried[1]);
    if (status != QD_OK || !job.lowest_bad) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, arrive_range, &job);
    world->margin.left = 0;
    uint32_t bad = QD_NO_BODY;
    for (size_t k = 0; k < ranges; ++k) {
        if (world->margin.held) world->margin.left += world->scratch.left[k];
        if (job.lowest_bad[k] < bad) bad = job.lowest_bad[k];
    }
    if (bad != QD_NO_BODY) {
        qdi_limit_report_body(world, world->row_of_index[bad]);
        return QD_ERR_LIMIT;
    }
    qdi_energy_balance *balance = &world->scratch.balance.sums;
    if (job.carried[0])
        status = qdi_sum_values(world->team, &world->scratch.arena, job.carried[0], world->count,
                                &balance->kinematic);
    if (status == QD_OK && job.carried[1])
        status = qdi_sum_values(world->team, &world->scratch.arena, job.carried[1], world->count,
                                &step->walls->work);
    return status == QD_OK
               ? qdi_sum_values(world->team, &world->scratch.arena, job.drift, world->count, &balance->drift)
               : status;
}

/// Stops of ccd: stops who would pass through something, and those behind whoever stands.
static qd_status take_rounds(qdi_step *step) {
    qd_world *world = step->world;
    const qdi_ccd_visitor visitor = {qdi_ccd_stop_pair, qdi_ccd_stop_at_wall, !step->following};
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    size_t fresh = 1;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, step);
    step->ccd->stops_hold = true;
    atomic_store_explicit(&step->ccd->stops_any, false, memory_order_relaxed);
    for (int round = 0; fresh > 0 && round < ROUNDS; ++round) {
        step->first = round == 0;
        step->round = round;
        step->fresh = fresh;
        qd_status status = qdi_ccd_visit(step, &visitor);
        const bool any = atomic_load_explicit(&step->ccd->stops_any, memory_order_relaxed);
        if (status != QD_OK || !any) return status;
        if (round == 0) status = qdi_ccd_find_grounds(step);
        if (status != QD_OK) return status;
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, settle_range, step);
        fresh = settle_hits(step);
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, carry_range, step);
        for (size_t k = 0; k < ranges; ++k) fresh += step->ccd->followed[k];
    }
    return QD_OK;
}

qd_status qdi_ccd_stop(qdi_step *step, qdi_lap *lap) {
    qd_status status = reserve(step);
    if (status == QD_OK) status = qdi_ccd_list(step);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    if (status == QD_OK && step->ccd->listed_count > 0) status = qdi_ccd_file(step, lap);
    if (status == QD_OK) status = take_rounds(step);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    if (status == QD_OK && atomic_load_explicit(&step->ccd->stops_any, memory_order_relaxed))
        status = qdi_ccd_stopped(step);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    return status;
}

qd_status qdi_ccd_stop_given_up(qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) // until now they stood where they were stopped before
        if (ccd->trajectories[i].given_up) ccd->segments[ccd->trajectories[i].first].next = QDI_NONE_YET;
    qd_status status = reserve(step);
    if (status == QD_OK) status = take_rounds(step);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        qdi_trajectory *trajectory = &ccd->trajectories[i];
        const double stop = ccd->stopped[trajectory->row];
        if (!trajectory->given_up) continue;
        trajectory->last = trajectory->first;
        if (!(stop < step->dt)) continue;
        const qdi_pose pose = qdi_segment_pose(&ccd->segments[trajectory->first], stop);
        trajectory->last = trajectory->first + 1; // each has room for two
        ccd->segments[trajectory->first].next = trajectory->last;
        ccd->segments[trajectory->last] = (qdi_path_segment){
            .start = stop, .x = pose.x, .y = pose.y, .c = pose.c, .s = pose.s, .next = QDI_NONE_YET};
    }
    return QD_OK;
}
