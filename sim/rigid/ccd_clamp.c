// Fast bodies where not every impact is to be exact: a body that would pass through something stops where it
// meets it, and what the two do to each other is the next step's business. No chain follows from that: what a
// body costs is one time of impact for each of its candidates.
//
// What counts is the motion of the two relative to each other in the step, also after one of them was
// stopped, beyond what contacts can deal with at the step's end: half of the body's size, or of both sizes
// where both move, less what they overlap by at the start. What touches already, and two movers whose motion
// is less than their sizes, are stopped with their cores alone, disks of half their size: sliding, resting
// and the impacts in a dense spray are the solver's.
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
#include "sim/rigid/ccd.h"
#include "sim/world/energy_balance.h"
#include "sim/world/grain.h"
#include "sim/world/lap.h"
#include "sim/world/ledger.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

/// Parts of a body's size: relative motion that is followed against what cannot move, and the radius of a
/// core.
static const double followed_part = 0.5, unseen_part = 0.1, core_part = 0.5;
enum { ROUNDS = 64 };

static uint64_t bits_of(double time) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

static double stop_of(const qdi_ccd *ccd, uint32_t row) {
    uint64_t bits = atomic_load_explicit(&ccd->stops[row], memory_order_relaxed);
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

static void lower(const qdi_ccd *ccd, uint32_t row, double time) {
    const uint64_t bits = bits_of(time);
    uint64_t seen = atomic_load_explicit(&ccd->stops[row], memory_order_relaxed);
    while (bits < seen && !atomic_compare_exchange_weak_explicit(
                              &ccd->stops[row], &seen, bits, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/// A body's path, segment by segment, and its stand at the end where it was stopped in a round before.
typedef struct walk {
    qdi_path_segment segment;
    double end, stop;
} walk;

static walk walk_begin(const qdi_step *step, uint32_t row) {
    walk w = {.segment = qdi_path_begin(step, row),
              .stop = step->ccd->stops_hold ? step->ccd->stopped[row] : step->dt};
    w.end = qdi_segment_end(step, &w.segment);
    if (w.end > w.stop) w.end = w.stop;
    return w;
}

static bool walk_on(const qdi_step *step, walk *w) {
    if (w->end >= step->dt) return false;
    if (w->end >= w->stop) {
        const qdi_pose pose = qdi_segment_pose(&w->segment, w->stop);
        w->segment = (qdi_path_segment){
            .start = w->stop, .x = pose.x, .y = pose.y, .c = pose.c, .s = pose.s, .next = QDI_NONE_YET};
        w->stop = w->end = step->dt;
        return true;
    }
    if (!qdi_path_next(step, &w->segment)) return false;
    w->end = qdi_segment_end(step, &w->segment);
    if (w->end > w->stop) w->end = w->stop;
    return true;
}

/// How long somebody is on the path, and a wall or what nothing stops the whole step.
static double time_of(const qdi_step *step, uint32_t row) {
    return row != QDI_NO_ROW && step->ccd->stops_hold ? step->ccd->stopped[row] : step->dt;
}

static double turn_of(const qdi_party *party, double time) {
    return party->form.kind == QD_SHAPE_DISK ? 0 : fabs(party->segment.spin) * party->reach * time;
}

/// How far a point of one of two moves in the step, seen from the other: also when that has been stopped.
static double relative_way(const qdi_step *step, uint32_t row_a, const qdi_party *a, uint32_t row_b,
                           const qdi_party *b) {
    const double time_a = time_of(step, row_a), time_b = time_of(step, row_b);
    const double vx = b ? b->segment.vx : 0, vy = b ? b->segment.vy : 0, x = a->segment.vx - vx,
                 y = a->segment.vy - vy;
    double way = sqrt(x * x + y * y) * (time_a < time_b ? time_a : time_b);
    if (time_a < time_b) way += sqrt(vx * vx + vy * vy) * (time_b - time_a);
    if (time_b < time_a)
        way += sqrt(a->segment.vx * a->segment.vx + a->segment.vy * a->segment.vy) * (time_a - time_b);
    return way + turn_of(a, time_a) + (b ? turn_of(b, time_b) : 0);
}

/// The gap of two at the step's start, or more than `reach`.
static double gap_at_start(const qdi_party *a, const qdi_party *b, qd_vec2 shift, double reach) {
    const qdi_path_segment *p = &a->segment, *q = &b->segment;
    const qdi_pose pose_a = {0, 0, p->c, p->s},
                   pose_b = {q->x + shift.x - p->x, q->y + shift.y - p->y, q->c, q->s};
    qdi_manifold manifold;
    if (qdi_collide(&a->form, &pose_a, &b->form, &pose_b, reach, &manifold) == 0) return (double)INFINITY;
    double gap = manifold.at[0].gap;
    return manifold.count == 2 && manifold.at[1].gap < gap ? manifold.at[1].gap : gap;
}

/// No more than the distance of a point, `d` away from the form's position at the step's start, from the
/// form.
static double side_distance(const qdi_party *party, qd_vec2 d) {
    const qdi_form *form = &party->form;
    const double c = party->segment.c, s = party->segment.s;
    if (form->kind != QD_SHAPE_RECT && form->kind != QD_SHAPE_CAPSULE)
        return sqrt(d.x * d.x + d.y * d.y) - party->reach;
    const double x = fabs(c * d.x + s * d.y) - form->half.x,
                 y = fabs(c * d.y - s * d.x) - (form->kind == QD_SHAPE_RECT ? form->half.y : 0);
    return (x > y ? x : y) - form->radius;
}

/// No more than the gap at the step's start, for much less work.
static double least_gap(const qdi_party *a, const qdi_party *b, qd_vec2 shift) {
    const qdi_path_segment *p = &a->segment, *q = &b->segment;
    const qd_vec2 d = {q->x + shift.x - p->x, q->y + shift.y - p->y};
    const double from_a = side_distance(a, d) - b->reach,
                 from_b = side_distance(b, (qd_vec2){-d.x, -d.y}) - a->reach;
    return from_a > from_b ? from_a : from_b;
}

static qdi_party core_of(const qdi_party *party) {
    qdi_party core = *party;
    core.inner = core.reach = core_part * party->inner;
    core.form = qdi_form_disk(core.inner);
    return core;
}

/// The first time at which two meet on their paths, or infinity.
static double meeting_of(const qdi_step *step, uint32_t row_a, qdi_party *a, uint32_t row_b, qdi_party *b,
                         qd_vec2 shift) {
    walk p = walk_begin(step, row_a), q = walk_begin(step, row_b);
    for (;;) {
        a->segment = p.segment;
        b->segment = q.segment;
        const double from = p.segment.start > q.segment.start ? p.segment.start : q.segment.start;
        const double end_p = p.end, end_q = q.end, until = end_p < end_q ? end_p : end_q;
        qdi_encounter meeting;
        if (from <= until && qdi_segments_meet(step, a, b, shift, from, until, &meeting)) return meeting.time;
        const bool more_p = end_p <= end_q && walk_on(step, &p), more_q = end_q <= end_p && walk_on(step, &q);
        if (!more_p && !more_q) return (double)INFINITY;
    }
}

/// True for a body that may be stopped: any, or where impacts are followed, one whose cluster was given up.
static bool may_stop(const qdi_step *step, uint32_t row) {
    const qdi_ccd *ccd = step->ccd;
    if (step->world->kind[row] != QD_BODY_DYNAMIC) return false;
    if (!step->following) return true;
    return ccd->trajectory_of[row] != QDI_NONE_YET && ccd->trajectories[ccd->trajectory_of[row]].given_up;
}

/// A kinematic body hit something: it may have to carry it.
static void note_carrier(const qdi_step *step, uint32_t row, uint32_t carrier, double time, int worker) {
    qdi_meets *meets = &step->ccd->meets[worker];
    qd_status status = qdi_reserve(step->world->allocator, &meets->hits, &meets->hit_room, meets->hit_count,
                                   meets->hit_count + 1, sizeof *meets->hits);
    if (status == QD_OK)
        meets->hits[meets->hit_count++] = (qdi_hit){time, row, carrier};
    else
        meets->status = status;
}

static void stop_pair(const qdi_step *step, uint32_t a, uint32_t b, qd_image image, int worker) {
    const qd_world *world = step->world;
    const bool stop_a = may_stop(step, a), stop_b = may_stop(step, b);
    if (!stop_a && !stop_b) return;
    const qdi_path_segment segment_a = qdi_path_begin(step, a), segment_b = qdi_path_begin(step, b);
    qdi_party one = qdi_party_of(step, a, &segment_a), two = qdi_party_of(step, b, &segment_b);
    const bool moves_a = world->kind[a] == QD_BODY_DYNAMIC, moves_b = world->kind[b] == QD_BODY_DYNAMIC;
    const bool both = moves_a && moves_b, bullet = qdi_is_bullet(world, a) || qdi_is_bullet(world, b);
    const qdi_party *mover = moves_a ? &one : &two;
    const double size = both ? one.inner + two.inner : mover->inner,
                 way = relative_way(step, a, &one, b, &two);
    if (!bullet && !(way > unseen_part * size)) return;
    const qd_vec2 shift = {image.x != 0 ? image.x * world->axis[0].length : 0,
                           image.y != 0 ? image.y * world->axis[1].length : 0};
    const double least = least_gap(&one, &two, shift), rounding = 1e-9 * (way + mover->reach);
    if ((!step->following && least > way + rounding) ||
        (!bullet && !(way + rounding > followed_part * size + (both && least < 0 ? least : 0))))
        return;
    const double gap = gap_at_start(&one, &two, shift, 0.05 * mover->inner);
    // An overlap is part of the path that is left to contacts.
    if (!bullet && !(way > followed_part * size + (gap < 0 ? gap : 0))) return;
    if (gap <= 0 || (both && !bullet && !(way > size))) {
        if (moves_a) one = core_of(&one);
        if (moves_b) two = core_of(&two);
    }
    const double time = meeting_of(step, a, &one, b, &two, shift);
    if (!(time < step->dt)) return;
    const uint8_t *flags = step->ccd->flags;
    if (stop_a && (!both || flags[a] & QDI_FOLLOWED)) lower(step->ccd, a, time);
    if (stop_b && (!both || flags[b] & QDI_FOLLOWED)) lower(step->ccd, b, time);
    if (!both && world->kind[moves_a ? b : a] == QD_BODY_KINEMATIC)
        note_carrier(step, moves_a ? a : b, moves_a ? b : a, time, worker);
}

/// The gap between a wall and a body at the step's start.
static double gap_to_wall(const qdi_step *step, const qdi_party *party, int wall) {
    const qdi_axis *axis = &step->world->axis[wall / 2];
    const double came = qdi_wall_speed(step->world, wall) * step->dt; // the axis is that of the step's end
    const double at = wall / 2 == 0 ? party->segment.x : party->segment.y;
    qd_vec2 low, high;
    qdi_form_bounds(&party->form, party->segment.c, party->segment.s, &low, &high);
    const double out[QDI_WALLS] = {-low.x, high.x, -low.y, high.y};
    return (wall % 2 == 0 ? at - (axis->low - came) : axis->high - came - at) - out[wall];
}

static void stop_at_wall(const qdi_step *step, uint32_t row, int wall, int worker) {
    (void)worker;
    const qd_world *world = step->world;
    if (!may_stop(step, row)) return;
    walk w = walk_begin(step, row);
    qdi_party party = qdi_party_of(step, row, &w.segment);
    const double way = relative_way(step, row, &party, QDI_NO_ROW, NULL) +
                       fabs(qdi_wall_speed(world, wall)) * step->dt;
    const double gap = gap_to_wall(step, &party, wall);
    if (!qdi_is_bullet(world, row) && !(way > followed_part * party.inner + (gap < 0 ? gap : 0))) return;
    if (gap <= 0) party = core_of(&party);
    do {
        qdi_encounter meeting;
        party.segment = w.segment;
        if (!qdi_segment_meets_wall(step, &party, wall, w.segment.start, w.end, &meeting)) continue;
        if (meeting.time < step->dt) lower(step->ccd, row, meeting.time);
        return;
    } while (walk_on(step, &w));
}

/// The first time at which a body's core meets a wall, or infinity.
static double core_to_wall(const qdi_step *step, uint32_t row, int wall) {
    for (qdi_path_segment segment = qdi_path_begin(step, row);;) {
        const qdi_party whole = qdi_party_of(step, row, &segment), core = core_of(&whole);
        const double end = qdi_segment_end(step, &segment);
        qdi_encounter meeting;
        if (qdi_segment_meets_wall(step, &core, wall, segment.start, end, &meeting)) return meeting.time;
        if (!qdi_path_next(step, &segment)) return (double)INFINITY;
    }
}

bool qdi_ccd_core_passes(const qdi_step *step, uint32_t row_a, uint32_t row_b, int wall, qd_image image) {
    const qd_world *world = step->world;
    const qdi_path_segment segment_a = qdi_path_begin(step, row_a);
    qdi_party a = qdi_party_of(step, row_a, &segment_a);
    if (row_b == QDI_NO_ROW) {
        if (a.form.kind == QD_SHAPE_DISK) return false;
        return core_to_wall(step, row_a, wall) < step->dt;
    }
    const bool moves_a = world->kind[row_a] == QD_BODY_DYNAMIC,
               moves_b = world->kind[row_b] == QD_BODY_DYNAMIC;
    if (moves_a == moves_b) return false;
    const qdi_path_segment segment_b = qdi_path_begin(step, row_b);
    qdi_party b = qdi_party_of(step, row_b, &segment_b), *mover = moves_a ? &a : &b;
    const qd_vec2 shift = {image.x != 0 ? image.x * world->axis[0].length : 0,
                           image.y != 0 ? image.y * world->axis[1].length : 0};
    if (!(relative_way(step, row_a, &a, row_b, &b) > followed_part * mover->inner)) return false;
    *mover = core_of(mover);
    return meeting_of(step, row_a, &a, row_b, &b, shift) < step->dt;
}

// ---- rounds ----

static void clear_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const uint64_t never = bits_of(step->dt);
    for (size_t r = begin; r < end; ++r) {
        atomic_store_explicit(&step->ccd->stops[r], never, memory_order_relaxed);
        step->ccd->stopped[r] = step->dt;
        step->ccd->carrier[r] = QDI_NO_ROW;
        step->ccd->carried[r] = step->dt;
    }
}

/// Takes over the times of a round. Those that are followed and were stopped have a new path; what a
/// kinematic body stops else moves so little that nothing else comes of it.
static void settle_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    qdi_ccd *ccd = step->ccd;
    size_t fresh = 0;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        const double stop = stop_of(ccd, r);
        if (stop < ccd->stopped[r]) { // whoever stops it now has been seen in this round
            ccd->carrier[r] = QDI_NO_ROW;
            ccd->carried[r] = step->dt;
        }
        const bool earlier = stop < ccd->stopped[r] && (ccd->flags[r] & QDI_FOLLOWED);
        ccd->flags[r] = (uint8_t)((ccd->flags[r] & ~QDI_FRESH) | (earlier ? QDI_FRESH : 0));
        ccd->stopped[r] = stop;
        fresh += earlier;
    }
    ccd->followed[begin / QDI_BODY_GRAIN] = fresh;
}

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
    return status;
}

/// Who carries whom: of those that come to a body where it is stopped, or where it stands since, the first
/// one; of several, that of least index. What was found about a path that is no longer so does not count; the
/// next round looks again.
static void choose_carriers(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const qd_body_index *index = step->world->index;
    const size_t workers = (size_t)qd_team_threads(step->world->team);
    for (size_t w = 0; w < workers; ++w) {
        for (size_t i = 0; i < ccd->meets[w].hit_count; ++i) {
            const qdi_hit hit = ccd->meets[w].hits[i];
            uint32_t *carrier = &ccd->carrier[hit.row];
            const double stop = ccd->stopped[hit.row], since = ccd->carried[hit.row];
            if (hit.time != stop && (!(hit.time > stop) || ccd->flags[hit.row] & QDI_FRESH)) continue;
            const bool first = *carrier == QDI_NO_ROW || hit.time < since;
            if (!first && !(hit.time == since && index[hit.carrier] < index[*carrier])) continue;
            *carrier = hit.carrier;
            ccd->carried[hit.row] = hit.time;
        }
    }
}

// ---- where they end ----

typedef struct stop_job {
    const qdi_step *step;
    double *drift;
    uint32_t *lowest_bad;
} stop_job;

/// A pose that a kinematic body carries from a time to the end of the step.
static void carry(const qdi_step *step, uint32_t carrier, double from, qdi_pose *pose) {
    const qdi_path_segment segment = qdi_segment_at(step, carrier, from),
                           last = qdi_segment_at(step, carrier, step->dt);
    const qd_world *world = step->world;
    const qdi_pose then = qdi_segment_pose(&segment, from), end = qdi_segment_pose(&last, step->dt);
    qd_vec2 arm = qdi_pivot_arm(world, (qd_vec2){then.x, then.y}, pose->x, pose->y);
    const double c = then.c * end.c + then.s * end.s, s = then.c * end.s - then.s * end.c;
    const double x = end.x - then.x - arm.x + arm.x * c - arm.y * s,
                 y = end.y - then.y - arm.y + arm.x * s + arm.y * c;
    pose->x += x;
    pose->y += y;
}

/// Puts a body where it stops, with the velocity that it has then; returns what that does to its energy.
static double arrive(const qdi_step *step, uint32_t row) {
    qd_world *world = step->world;
    const qdi_motion *next = &world->next;
    const double stop = step->ccd->stopped[row], missing = 1 - stop / step->dt;
    const qdi_path_segment segment = qdi_segment_of_row(step, row);
    const double before = qdi_ccd_energy(world, row, (qd_vec2){segment.vx * step->dt, segment.vy * step->dt});
    qdi_pose pose = qdi_segment_pose(&segment, stop);
    if (step->ccd->carrier[row] != QDI_NO_ROW)
        carry(step, step->ccd->carrier[row], step->ccd->carried[row], &pose);
    const qdi_twist forces = qdi_ccd_forces(step, row);
    next->x[row] = qdi_axis_wrap(&world->axis[0], pose.x);
    next->y[row] = qdi_axis_wrap(&world->axis[1], pose.y);
    next->vx[row] -= forces.x * missing;
    next->vy[row] -= forces.y * missing;
    if (world->turning) {
        const double length = sqrt(pose.c * pose.c + pose.s * pose.s);
        next->c[row] = pose.c / length;
        next->s[row] = pose.s / length;
        next->spin[row] -= forces.spin * missing;
    }
    const qd_vec2 gone = {pose.x - segment.x, pose.y - segment.y};
    return qdi_ccd_energy(world, row, gone) - before - qdi_ccd_wrap_error(world, row, gone, step->dt);
}

static void arrive_range(void *context, size_t begin, size_t end) {
    const stop_job *job = context;
    const qdi_step *step = job->step;
    qd_world *world = step->world;
    const qd_vec2 period = qdi_world_period(world);
    const bool held = world->margin.held;
    uint32_t bad = QD_NO_BODY;
    for (uint32_t r = (uint32_t)begin; r < end; ++r) {
        job->drift[r] = 0;
        if (!(step->ccd->stopped[r] < step->dt)) continue;
        const bool before = held && qdi_margin_left(world, r, period);
        job->drift[r] = arrive(step, r);
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
    qd_status status = qdi_balance_rows(world, &job.drift);
    if (status != QD_OK || !job.lowest_bad) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, arrive_range, &job);
    world->margin.left = 0;
    uint32_t bad = QD_NO_BODY;
    for (size_t k = 0; k < ranges; ++k) {
        if (world->margin.held) world->margin.left += world->scratch.left[k];
        if (job.lowest_bad[k] < bad) bad = job.lowest_bad[k];
    }
    if (bad == QD_NO_BODY)
        return qdi_balance_array(world, job.drift, world->count, &world->scratch.balance.ledger.drift);
    qdi_limit_report_body(world, world->row_of_index[bad]);
    return QD_ERR_LIMIT;
}

/// Stops who would pass through something, and those behind whoever stands.
static qd_status take_rounds(qdi_step *step) {
    qd_world *world = step->world;
    const qdi_ccd_visitor visitor = {stop_pair, stop_at_wall};
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    size_t fresh = 1;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, step);
    step->ccd->stops_hold = true;
    for (int round = 0; fresh > 0 && round < ROUNDS; ++round) {
        step->first = round == 0;
        qd_status status = qdi_ccd_visit(step, &visitor);
        if (status != QD_OK) return status;
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, settle_range, step);
        choose_carriers(step);
        fresh = 0;
        for (size_t k = 0; k < ranges; ++k) fresh += step->ccd->followed[k];
    }
    return QD_OK;
}

qd_status qdi_ccd_stop(qdi_step *step, qdi_lap *lap) {
    qd_status status = reserve(step);
    if (status == QD_OK) status = qdi_ccd_list(step);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    if (status == QD_OK) status = qdi_ccd_file(step, lap);
    if (status == QD_OK) status = take_rounds(step);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    if (status == QD_OK) status = qdi_ccd_stopped(step);
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
