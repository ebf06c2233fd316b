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

#include "core/parallel/atomic_extreme.h"
#include "sim/contact/margin.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/rigid/lean.h"
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

/// Rounds, and how many of those that are stopped a thread takes at once, at least and at most.
enum { ROUNDS = 64, HALTED_LEAST = 8, HALTED_GRAIN = 64 };
/// Where one in so many is followed, or fewer, the others need no boxes of their ways.
enum { FEW = 4 };

// ---- rounds ----

/// Stops of ccd: does something for so many of those that are stopped.
static void for_halted(const qdi_step *step, size_t count, qdi_range_function function, void *context) {
    qd_team *team = step->world->team;
    qdi_team_for(team, count, qdi_fine_grain(team, count, HALTED_LEAST, HALTED_GRAIN), function, context);
}

/// Stops of ccd: lets a body go on to the step's end.
static void release(const qdi_step *step, uint32_t row) {
    const qdi_ccd *ccd = step->ccd;
    atomic_store_explicit(&ccd->stops[row], qdi_time_bits(step->dt), memory_order_relaxed);
    ccd->stopped[row] = ccd->carried[row] = step->dt;
    ccd->carrier[row] = QDI_NO_ROW;
}

/// Stops of ccd: the same for a range of bodies, from those that were never stopped on.
static void release_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t r = begin; r < end; ++r) release(step, (uint32_t)(step->ccd->never_count + r));
}

/// Stops of ccd: the same for a range of those that were stopped.
static void release_halted(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t i = begin; i < end; ++i) release(step, step->ccd->halted[i]);
}

/// Stops of ccd: lets all go on to the step's end: those that were stopped the last time, all others only if
/// that is another time now, or there is new room for it.
static void release_all(qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const size_t count = step->world->count;
    if (ccd->never != step->dt) ccd->never_count = 0;
    ccd->never = step->dt;
    if (ccd->never_count > 0)
        qdi_team_for(step->world->team, ccd->halted_count, QDI_BODY_GRAIN, release_halted, step);
    ccd->halted_count = 0;
    if (ccd->never_count >= count) return;
    qdi_team_for(step->world->team, count - ccd->never_count, QDI_BODY_GRAIN, release_range, step);
    ccd->never_count = count;
}

/// Stops of ccd: lists who was stopped in a round, and of these to all that are, who was for the first time.
/// There is room for those on whose carriers there may be news, too.
static qd_status list_news(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const qd_allocator *allocator = step->world->allocator;
    const size_t workers = (size_t)qd_team_threads(step->world->team);
    size_t count = 0, hits = 0;
    for (size_t w = 0; w < workers; ++w) {
        count += ccd->meets[w].lowered_count;
        hits += ccd->meets[w].hit_count;
    }
    ccd->news_count = 0;
    qd_status status = qdi_reserve(allocator, &ccd->news, &ccd->news_room, 0, count + hits,
                                   sizeof *ccd->news);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->halted, &ccd->halted_room, ccd->halted_count,
                             ccd->halted_count + count, sizeof *ccd->halted);
    for (size_t w = 0; w < workers && status == QD_OK; ++w)
        for (size_t i = 0; i < ccd->meets[w].lowered_count; ++i) {
            const uint32_t row = ccd->meets[w].lowered[i];
            ccd->news[ccd->news_count++] = row;
            if (ccd->stopped[row] == step->dt) ccd->halted[ccd->halted_count++] = row;
        }
    return status;
}

/// Stops of ccd: notes that there is news of a body that has been stopped.
static void note_news(qdi_ccd *ccd, uint32_t row) {
    if (!isnan(ccd->along[row].x)) ccd->news[ccd->news_count++] = row;
    ccd->along[row].x = (double)NAN;
}

/// Stops of ccd: a range of those of which there was news in the round before have no new paths any more.
static void forget_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t i = begin; i < end; ++i) step->ccd->flags[step->ccd->news[i]] &= (uint8_t)~QDI_FRESH;
}

/// Stops of ccd: works out the segment of a body that was stopped, once: it is asked for often from now on.
static void keep_way(const qdi_step *step, uint32_t row) {
    if (step->world->shape[row] == 0 || step->ccd->glances[row].known) return;
    step->ccd->free[row] = qdi_segment_make(step, row);
    step->ccd->glances[row].known = true;
}

typedef struct settle_job {
    const qdi_step *step;
    atomic_size_t fresh; ///< bodies with new paths
} settle_job;

/// Stops of ccd: takes over the times of a round. Those that are followed and were stopped have a new path;
/// what a kinematic body stops else moves so little that nothing else comes of it. Another mover may stop
/// that in a later round, and before: then it has lost its carrier, and must be met anew by what would carry
/// it.
static void settle_range(void *context, size_t begin, size_t end) {
    settle_job *job = context;
    const qdi_step *step = job->step;
    qdi_ccd *ccd = step->ccd;
    const bool lost = !step->first && (ccd->carriers || step->world->walls_move);
    size_t fresh = 0;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t r = ccd->news[i];
        const double stop = qdi_ccd_stop_of(ccd, r);
        keep_way(step, r);
        const bool fresh_now = ccd->flags[r] & QDI_FOLLOWED || lost, may = !(ccd->flags[r] & QDI_GROUNDLESS);
        if (fresh_now) ccd->flags[r] |= QDI_FRESH;
        fresh += fresh_now;
        // Whoever stops it now has been seen in this round.
        ccd->carrier[r] = may ? qdi_ccd_ground_of(step, r, stop) : QDI_NO_ROW;
        ccd->carried[r] = ccd->carrier[r] == QDI_NO_ROW ? step->dt : stop;
        if (ccd->carrier[r] != QDI_NO_ROW) ccd->flags[r] |= QDI_GROUNDED;
        ccd->along[r].x = (double)NAN;
        ccd->stopped[r] = stop;
    }
    atomic_fetch_add_explicit(&job->fresh, fresh, memory_order_relaxed);
}

/// Stops of ccd: makes room for an array by row. Room that is new says nothing yet.
static qd_status reserve_rows(const qdi_step *step, void *rows, size_t *room, size_t each) {
    const size_t before = *room;
    qd_status status = qdi_reserve(step->world->allocator, rows, room, 0, step->world->count, each);
    if (*room != before) step->ccd->never_count = 0;
    return status;
}

/// Stops of ccd: makes room for the times of stops.
static qd_status reserve(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    qd_status status = reserve_rows(step, &ccd->stops, &ccd->stops_room, sizeof *ccd->stops);
    if (status == QD_OK) status = reserve_rows(step, &ccd->stopped, &ccd->stopped_room, sizeof *ccd->stopped);
    if (status == QD_OK) status = reserve_rows(step, &ccd->ploughs, &ccd->ploughs_room, sizeof *ccd->ploughs);
    if (status == QD_OK) status = reserve_rows(step, &ccd->carrier, &ccd->carrier_room, sizeof *ccd->carrier);
    if (status == QD_OK) status = reserve_rows(step, &ccd->carried, &ccd->carried_room, sizeof *ccd->carried);
    if (status == QD_OK) status = reserve_rows(step, &ccd->along, &ccd->along_room, sizeof *ccd->along);
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
    if (hit->carrier == QDI_NO_ROW || hit->carrier == QDI_PASSED) return;
    if (hit->time != stop && (!(hit->time > stop) || *flags & (QDI_FRESH | QDI_GROUNDED))) return;
    const bool first = carrier == QDI_NO_ROW || hit->time < since || *flags & QDI_GROUNDED;
    if (!first && !(hit->time == since &&
                    qdi_ccd_name_of_carrier(step, hit->carrier) < qdi_ccd_name_of_carrier(step, carrier)))
        return;
    *flags &= (uint8_t)~QDI_GROUNDED;
    ccd->carrier[hit->row] = hit->carrier;
    ccd->carried[hit->row] = hit->time;
    note_news(ccd, hit->row);
}

/// Stops of ccd: takes the ground from a body that it would carry into something: it stands then. True where
/// it did.
static bool take_ground(const qdi_step *step, const qdi_hit *hit) {
    qdi_ccd *ccd = step->ccd;
    uint8_t *flags = &ccd->flags[hit->row];
    const double stop = ccd->stopped[hit->row];
    if (!(*flags & QDI_GROUNDED) || hit->carrier == QDI_PASSED || hit->time < stop ||
        (hit->time > stop && *flags & QDI_FRESH))
        return false;
    *flags = (uint8_t)((*flags & ~QDI_GROUNDED) | QDI_GROUNDLESS | QDI_FRESH);
    ccd->carrier[hit->row] = QDI_NO_ROW;
    ccd->carried[hit->row] = step->dt;
    note_news(ccd, hit->row);
    return true;
}

/// Stops of ccd: takes note of whom ploughs have passed in a round.
static void note_passed(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const size_t workers = (size_t)qd_team_threads(step->world->team);
    for (size_t w = 0; w < workers; ++w)
        for (size_t i = 0; i < ccd->meets[w].hit_count; ++i) {
            if (ccd->meets[w].hits[i].carrier != QDI_PASSED) continue;
            ccd->flags[ccd->meets[w].hits[i].row] |= QDI_MISSED;
            atomic_store_explicit(&ccd->misses, true, memory_order_relaxed);
        }
}

/// Stops of ccd: takes over what was hit in a round, in any order; returns how many have a new path.
static size_t settle_hits(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const size_t workers = (size_t)qd_team_threads(step->world->team);
    size_t fresh = 0;
    for (size_t w = 0; w < workers; ++w)
        for (size_t i = 0; i < ccd->meets[w].hit_count; ++i) choose_carrier(step, &ccd->meets[w].hits[i]);
    for (size_t w = 0; w < workers && !step->carrying; ++w)
        for (size_t i = 0; i < ccd->meets[w].hit_count; ++i)
            fresh += take_ground(step, &ccd->meets[w].hits[i]);
    return fresh;
}

/// Stops of ccd: how fast a range of those of which there is news is carried along.
static void carry_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qdi_ccd *ccd = step->ccd;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t r = ccd->news[i];
        ccd->along[r] = (qdi_twist){0, 0, 0};
        if (!(ccd->carried[r] < step->dt)) continue;
        const qdi_path_segment path = qdi_path_begin(step, r);
        const qdi_pose pose = qdi_segment_pose(&path, ccd->stopped[r]);
        ccd->along[r] = qdi_ccd_carried(step, r, &pose);
    }
}

// ---- where they end ----

typedef struct stop_job {
    const qdi_step *step;
    double *drift;      ///< of each on the list
    double *carried[2]; ///< energy that kinematic bodies and walls gave to what they carry; NULL: none does
    _Atomic uint32_t lowest_bad;
} stop_job;

/// Stops of ccd: carries a stopped body along, and turns it: what was stopped where it met something would
/// be in it then, or away from it, and in the next step as well; so nothing would come of their meeting.
/// Returns what that does to its energy.
static double carry(const qdi_step *step, uint32_t row, qdi_pose *pose) {
    const qdi_ccd *ccd = step->ccd;
    if (ccd->carrier[row] == QDI_NO_ROW) return 0;
    const qdi_twist by = qdi_ccd_carry(step, ccd->carrier[row], ccd->carried[row], pose);
    const qd_vec2 way = {by.x, by.y};
    const qdi_path_segment along = {
        .x = pose->x, .y = pose->y, .c = pose->c, .s = pose->s, .vx = by.x, .vy = by.y, .spin = by.spin};
    *pose = qdi_segment_pose(&along, 1);
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
        qdi_lean_amend(world, row, step->dt);
    }
    const qd_vec2 gone = {pose.x - segment.x, pose.y - segment.y};
    return qdi_ccd_energy(world, row, gone) - *given - before -
           qdi_ccd_wrap_error(world, row, gone, step->dt);
}

/// Stops of ccd: makes the box of a body that was stopped, and counts it among those that left their fat
/// boxes. Where impacts are followed, all bodies' ways were in these, and only who was hit has been counted
/// since: the box of who was given up is that of its first way, which may be out of a fat box that was made
/// for its last one.
static void box_stopped(const qdi_step *step, uint32_t row) {
    const uint32_t number = step->ccd->trajectory_of[row];
    if (!step->following || (number != QDI_NONE_YET && step->ccd->trajectories[number].hit))
        qdi_margin_box_again(step->world, row);
    else
        qdi_margin_box_moved(step->world, row, false);
}

/// Stops of ccd: puts a range of those that are stopped where they stop.
static void arrive_range(void *context, size_t begin, size_t end) {
    stop_job *job = context;
    const qdi_step *step = job->step;
    qd_world *world = step->world;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t r = step->ccd->halted[i];
        double given = 0;
        for (int k = 0; k < 2; ++k)
            if (job->carried[k]) job->carried[k][i] = 0;
        job->drift[i] = arrive(step, r, &given);
        double *carried = job->carried[qdi_carrier_is_wall(step->ccd->carrier[r])];
        if (carried) carried[i] = given;
        box_stopped(step, r);
        if (!qdi_within_limits(world, r)) qdi_atomic_min_u32(&job->lowest_bad, world->index[r]);
    }
}

/// Stops of ccd: adds what those that are stopped give to a sum over all bodies.
static qd_status add_up(const qdi_step *step, double *values, double *sum) {
    return qdi_sum_few(step->world->team, &step->world->scratch.arena, values, step->ccd->halted_count,
                       step->world->count, sum);
}

qd_status qdi_ccd_stopped(const qdi_step *step) {
    qd_world *world = step->world;
    qdi_arena *arena = &world->scratch.arena;
    const size_t count = step->ccd->halted_count;
    stop_job job = {.step = step, .lowest_bad = QD_NO_BODY};
    qd_status status = qdi_balance_rows(arena, count, &job.drift);
    if (status == QD_OK && step->ccd->carriers) status = qdi_balance_rows(arena, count, &job.carried[0]);
    if (status == QD_OK && world->walls_move) status = qdi_balance_rows(arena, count, &job.carried[1]);
    if (status != QD_OK) return status;
    for_halted(step, count, arrive_range, &job);
    if (job.lowest_bad != QD_NO_BODY) {
        qdi_limit_report_body(world, world->row_of_index[job.lowest_bad]);
        return QD_ERR_LIMIT;
    }
    qdi_energy_balance *balance = &world->scratch.balance.sums;
    if (job.carried[0]) status = add_up(step, job.carried[0], &balance->kinematic);
    if (status == QD_OK && job.carried[1]) status = add_up(step, job.carried[1], &step->walls->work);
    return status == QD_OK ? add_up(step, job.drift, &balance->drift) : status;
}

/// Stops of ccd: after a round: who has a new path, and who is carried.
static qd_status settle(qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    settle_job job = {.step = step};
    qdi_team_for(step->world->team, ccd->news_count, QDI_BODY_GRAIN, forget_range, step);
    qd_status status = list_news(step);
    step->fresh = 0;
    ccd->looks += ccd->news_count;
    note_passed(step);
    if (ccd->halted_count == 0) return status;
    if (status == QD_OK && step->round == 0) status = qdi_ccd_find_grounds(step);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) // none of a round of impacts has one
        ccd->flags[ccd->trajectories[i].row] &= (uint8_t)~QDI_FRESH;
    for_halted(step, ccd->news_count, settle_range, &job);
    step->fresh = settle_hits(step);
    if (ccd->carriers || step->world->walls_move) for_halted(step, ccd->news_count, carry_range, step);
    step->fresh += job.fresh;
    return QD_OK;
}

/// Stops of ccd: a round: all that is due is looked at, and what that brings taken over.
static qd_status take_round(qdi_step *step) {
    const qdi_ccd_visitor visitor = {qdi_ccd_stop_pair, qdi_ccd_stop_at_wall};
    const qd_status status = qdi_ccd_visit(step, &visitor);
    return status == QD_OK ? settle(step) : status;
}

/// Stops of ccd: one round more after the last, where some were stopped in that: they have lost what carried
/// them, and nobody but that may meet them.
static qd_status find_carriers(qdi_step *step) {
    if (step->fresh == 0 || (!step->ccd->carriers && !step->world->walls_move)) return QD_OK;
    step->carrying = true;
    const qd_status status = take_round(step);
    step->carrying = false;
    return status;
}

/// Stops of ccd: stops who would pass through something, and those behind whoever stands. `more`: those that
/// were stopped before in this step stay so, and only who has a new path is looked at.
static qd_status take_rounds(qdi_step *step, bool more) {
    qd_status status = QD_OK;
    if (!more) {
        release_all(step);
        qdi_ccd_forget_ploughs(step);
    }
    step->ccd->stops_hold = true;
    step->ccd->news_count = 0;
    step->fresh = SIZE_MAX;
    for (step->round = 0; status == QD_OK && step->fresh > 0 && step->round < ROUNDS; ++step->round) {
        step->first = step->round == 0 && !more;
        status = take_round(step);
    }
    if (status == QD_OK) status = find_carriers(step);
    step->fresh = SIZE_MAX;
    if (status != QD_OK) step->ccd->never_count = 0; // somebody may be stopped and not on the list
    return status;
}

qd_status qdi_ccd_begin(qdi_step *step, size_t *count) {
    qdi_ways ways;
    qd_status status = qdi_ccd_survey(step, &ways);
    if (status == QD_OK) status = qdi_ccd_rest(step, &ways);
    if (status != QD_OK) return status;
    *count = ways.followed;
    step->slow = sqrt(ways.slow) * (1 + 1e-6); // more than boxes are rounded by
    step->least = ways.least;
    step->few = !step->periodic && *count * FEW <= step->world->count && step->slow <= ways.least;
    if (qdi_stopping(step->world)) return QD_ERR_STOPPED;
    return step->following ? QD_OK : qdi_ccd_mark_driven(step, sqrt(ways.drive) * (1 + 1e-9), ways.least);
}

qd_status qdi_ccd_stop(qdi_step *step, qdi_lap *lap) {
    size_t count = 0;
    qd_status status = reserve(step);
    if (status == QD_OK) status = qdi_ccd_begin(step, &count);
    if (status != QD_OK || count == 0) return status;
    qdi_lap_end(lap, QD_PHASE_MOVE);
    status = qdi_ccd_sweep(step, lap);
    if (status == QD_OK) status = take_rounds(step, false);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    return status == QD_OK && step->ccd->halted_count > 0 ? qdi_ccd_stopped(step) : status;
}

qd_status qdi_ccd_stop_given_up(qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        qdi_trajectory *trajectory = &ccd->trajectories[i];
        uint8_t *flags = &ccd->flags[trajectory->row];
        *flags &= (uint8_t)~QDI_FRESH;
        if (!trajectory->given_up) continue;
        if (!trajectory->seen_to) *flags |= QDI_FRESH;
        trajectory->seen_to = true;
        ccd->segments[trajectory->first].next = QDI_NONE_YET; // until now they stood where they were stopped
    }
    qd_status status = reserve(step);
    if (status == QD_OK) status = take_rounds(step, ccd->stops_hold);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        qdi_trajectory *trajectory = &ccd->trajectories[i];
        const double stop = ccd->stopped[trajectory->row];
        uint8_t *flags = &ccd->flags[trajectory->row];
        *flags &= (uint8_t)~QDI_FRESH;
        if (!trajectory->given_up) continue;
        const bool stood = trajectory->last != trajectory->first;
        if (stop != (stood ? ccd->segments[trajectory->last].start : step->dt)) *flags |= QDI_FRESH;
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
