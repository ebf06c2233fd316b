// Drift, boundaries and boxes. A range writes the rows that it was given and its own slots; nothing is
// shared.
//
// Velocities come in with what forces gave in the whole of the step; a body moves with the mean of before and
// after, x + (v - g dt / 2) dt. So under gravity alone it is on its parabola at every step, to rounding.
// Bodies at rest on others have been moved in sub-steps (rigid/solver.c), and only end up here. Angles are
// kept as cosine and sine, turned by spin * dt exactly and brought back to length 1.

#include "sim/step/motion.h"

#include "core/base/memory.h"
#include "sim/contact/margin.h"
#include "sim/rigid/rigid_step.h"
#include "sim/spring/spring.h"
#include "sim/step/boundary.h"
#include "sim/step/disks.h"
#include "sim/step/mirrored.h"
#include "sim/step/turns.h"
#include "sim/world/energy_balance.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/thread_notes.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>
#include <string.h>

typedef struct move_job {
    qd_world *world;
    double dt;
    qd_vec2 half_kick; ///< half of what forces gave to every dynamic body
    qdi_boundary x, y;
    double distance, speed_squared; ///< limits
    bool watches;                   ///< speeds, see qdi_part
    double watched_squared; ///< where one is faster, all are looked at; the limit, where nobody watches
    qdi_reach reach;
    qdi_turns turns;
    uint32_t *lowest_bad; ///< per range: lowest index that breaks a limit, or QD_NO_BODY
    uint8_t *mask;        ///< by row: axes mirrored; NULL where no wall mirrors
    size_t *mirrored;     ///< per range: bodies mirrored; NULL where no wall mirrors
    double fast_part;     ///< see qdi_ccd_part
    size_t few;           ///< bodies out of their fat boxes that are worth being counted
    size_t *fast;         ///< per range: bodies that move further; NULL where walls mirror
    size_t *left;         ///< per range: bodies that left their fat boxes; NULL where there are none
    double *fastest;      ///< per range: the square of the highest speed; NULL where not all are soft disks
    qd_vec2 period;
    qdi_wall_gain *gains; ///< by row: what moving walls gave; NULL where none does
} move_job;

/// What the ranges of a pass find.
typedef struct findings {
    uint32_t bad; ///< lowest index that breaks a limit
    size_t mirrored, fast, left;
    bool swift;     ///< some may be faster than is watched for
    double fastest; ///< of soft disks: the square of the highest speed
} findings;

/// Motion of a step: whether a box that was just made is outside of the fat one.
static inline size_t left_fat_box(const move_job *job, size_t row) {
    return job->left && qdi_margin_left(job->world, row, job->period);
}

// Whether position and velocity of a moved body are within limits.
static inline bool move_within_limits(const move_job *job, double from_x, double from_y, double vx,
                                      double vy) {
    return fabs(from_x) <= job->distance && fabs(from_y) <= job->distance && // false for NaN
           vx * vx + vy * vy <= job->speed_squared;
}

/// Motion of a step: the boundaries' work for a body that comes to (x, y); returns the axes along which it
/// was mirrored. Mirrors are for dynamic bodies, periods for all; what a ghost gave its owner knows.
static inline unsigned cross_sides(const move_job *job, size_t row, qdi_extent wide, qdi_extent high,
                                   double *x, double *y) {
    const qdi_motion *next = &job->world->next;
    const bool dynamic = job->world->kind[row] == QD_BODY_DYNAMIC;
    unsigned mirrored = 0;
    if ((dynamic || job->x.inset == 0) && qdi_boundary_beyond(&job->x, *x, wide) &&
        qdi_boundary_cross(&job->x, wide, x, &next->vx[row]))
        mirrored |= QDI_MIRRORED_X;
    if ((dynamic || job->y.inset == 0) && qdi_boundary_beyond(&job->y, *y, high) &&
        qdi_boundary_cross(&job->y, high, y, &next->vy[row]))
        mirrored |= QDI_MIRRORED_Y;
    return mirrored && qdi_is_ghost(job->world, row) ? 0 : mirrored;
}

/// Free disks that never turn, and some of which are at a side.
static findings move_disks_at_sides(const move_job *job, size_t begin, size_t end) {
    const qd_world *world = job->world;
    const qdi_motion now = world->now, next = world->next;
    const double *radius = world->radius;
    uint8_t *mask = job->mask;
    findings result = {.bad = QD_NO_BODY};
    double fast_squared = job->fast_part * job->fast_part;
    for (size_t r = begin; r < end; ++r) {
        double way_x = (next.vx[r] - job->half_kick.x) * job->dt;
        double way_y = (next.vy[r] - job->half_kick.y) * job->dt;
        result.fast += way_x * way_x + way_y * way_y > fast_squared * (radius[r] * radius[r]);
        double x = now.x[r] + way_x, y = now.y[r] + way_y;
        qdi_extent reach = {-radius[r], radius[r]};
        const unsigned turned = cross_sides(job, r, reach, reach, &x, &y);
        if (mask) mask[r] = (uint8_t)turned;
        result.mirrored += turned != 0;
        next.x[r] = x;
        next.y[r] = y;
        double from_x = x - world->centre.x, from_y = y - world->centre.y;
        world->boxes[r] = qdi_outward_disk(from_x, from_y,
                                           radius[r] + qdi_reach_of(&job->reach, radius[r], radius[r]));
        result.left += left_fat_box(job, r);
        bool fine = move_within_limits(job, from_x, from_y, next.vx[r], next.vy[r]);
        if (!fine && world->index[r] < result.bad && !qdi_is_ghost(world, r)) result.bad = world->index[r];
    }
    return result;
}

// The columns of a world whose bodies are plain disks, for the kernel that moves them.
static qdi_disks disks_of_world(const move_job *job) {
    const qd_world *world = job->world;
    return (qdi_disks){.x = world->now.x,
                       .y = world->now.y,
                       .vx = world->next.vx,
                       .vy = world->next.vy,
                       .radius = world->radius,
                       .to_x = world->next.x,
                       .to_y = world->next.y,
                       .boxes = world->boxes,
                       .fat = job->left ? world->fat : NULL,
                       .kick = job->half_kick,
                       .dt = job->dt,
                       .centre = world->centre,
                       .low = {job->x.low, job->y.low},
                       .high = {job->x.high, job->y.high},
                       .inset = {job->x.inset, job->y.inset},
                       .reach = job->reach,
                       .fast_squared = job->fast_part * job->fast_part,
                       .distance = job->distance,
                       .speed_squared = job->watched_squared};
}

/// Motion of a step: what was found among disks that met no side, in full.
static findings findings_of(const move_job *job, size_t begin, size_t end, const qdi_disks_found *found) {
    const qd_world *world = job->world;
    const qdi_motion *next = &world->next;
    findings result = {.bad = QD_NO_BODY, .fast = found->fast};
    for (size_t r = begin; found->out && r < end; ++r) result.left += left_fat_box(job, r);
    for (size_t r = begin; found->bad && r < end; ++r)
        if (!move_within_limits(job, next->x[r] - world->centre.x, next->y[r] - world->centre.y, next->vx[r],
                                next->vy[r]) &&
            world->index[r] < result.bad && !qdi_is_ghost(world, r))
            result.bad = world->index[r];
    return result;
}

// ---- bodies of every kind ----

/// Motion of a step: where a body goes that boundaries do not stop; a kinematic one about a pivot gets its
/// new velocity.
static qd_vec2 drift_row(const move_job *job, size_t row) {
    const qd_world *world = job->world;
    const qdi_motion *now = &world->now, *next = &world->next;
    double x = now->x[row], y = now->y[row];
    if (world->kind[row] == QD_BODY_STATIC) return (qd_vec2){x, y};
    if (world->kind[row] == QD_BODY_KINEMATIC) {
        qd_vec2 pivot = world->traits.trait[world->trait[row]].pivot;
        if (isnan(pivot.x)) return (qd_vec2){x + next->vx[row] * job->dt, y + next->vy[row] * job->dt};
        qd_vec2 arm = qdi_pivot_arm(world->axis, pivot, x, y);
        double sine, cosine, spin = world->turning ? next->spin[row] : 0;
        qd_sincos(spin * job->dt, &sine, &cosine);
        qd_vec2 to = {arm.x * cosine - arm.y * sine, arm.x * sine + arm.y * cosine};
        next->vx[row] = -spin * to.y;
        next->vy[row] = spin * to.x;
        return (qd_vec2){x - arm.x + to.x, y - arm.y + to.y};
    }
    const qdi_mover *mover = qdi_mover_of_row(world, row);
    if (mover) return (qd_vec2){x + mover->dx, y + mover->dy};
    if (world->scratch.flown)
        return (qd_vec2){x + world->scratch.flights[row].dx, y + world->scratch.flights[row].dy};
    return (qd_vec2){x + (next->vx[row] - job->half_kick.x) * job->dt,
                     y + (next->vy[row] - job->half_kick.y) * job->dt};
}

/// Motion of a step: what moving walls gave to a body: to one that was in their frame as fast before as
/// after, force times way is this.
static void note_gain(const move_job *job, size_t row, qd_vec2 before) {
    const qd_world *world = job->world;
    qd_vec2 after = {world->next.vx[row], world->next.vy[row]};
    double mass = world->mass[row];
    job->gains[row] = (qdi_wall_gain){
        .impulse = {mass * (after.x - before.x), mass * (after.y - before.y)},
        .work = 0.5 * mass *
                ((after.x - before.x) * (after.x + before.x) + (after.y - before.y) * (after.y + before.y))};
}

/// True where a body's way is to be followed.
static bool moves_far(const move_job *job, size_t row, qd_vec2 to, double angle) {
    const qd_world *world = job->world;
    const bool driven = world->kind[row] == QD_BODY_KINEMATIC; // it may come back to where it was
    const double x = driven ? world->next.vx[row] * job->dt : to.x - world->now.x[row],
                 y = driven ? world->next.vy[row] * job->dt : to.y - world->now.y[row];
    double most = job->fast_part * qdi_inner_of_row(world, (uint32_t)row);
    if (world->shape[row] != 0 && angle != 0) most -= fabs(angle) * world->radius[row];
    return most < 0 || x * x + y * y > most * most;
}

enum { TURNS = 64 };
/// Motion of a step: how far a few bodies turn, and how they lie then.
typedef struct turned_rows {
    double angle[TURNS], c[TURNS], s[TURNS];
} turned_rows;

/// Motion of a step: what nothing touches does not rest on anything.
static void end_leans(const qd_world *world, size_t begin, size_t end) {
    static const double none = 0;
    for (size_t r = begin; r < end; ++r)
        if (world->kind[r] != QD_BODY_DYNAMIC || !qdi_mover_of_row(world, r))
            qdi_put_rare(&world->next.lean[r], &none, sizeof none);
}

/// Motion of a step: turns some bodies.
static void turn_rows(const move_job *job, size_t begin, size_t end, turned_rows *turned) {
    const qd_world *world = job->world;
    const double *c = world->now.c + begin, *s = world->now.s + begin;
    const size_t count = end - begin;
    if (!world->turning) {
        memset(turned->angle, 0, count * sizeof *turned->angle);
        memcpy(turned->c, c, count * sizeof *c);
        memcpy(turned->s, s, count * sizeof *s);
        return;
    }
    for (size_t k = 0; k < count; ++k) turned->angle[k] = qdi_motion_turn(world, begin + k, job->dt);
    if (world->def.contact == QD_CONTACT_IMPULSE) end_leans(world, begin, end);
    if (job->turns(c, s, turned->angle, turned->c, turned->s, count) == 0) return;
    for (size_t k = 0; k < count; ++k) {
        if (!qdi_turns_beyond(turned->angle[k])) continue;
        const qd_vec2 turn = qdi_motion_turned(c[k], s[k], turned->angle[k]);
        turned->c[k] = turn.x;
        turned->s[k] = turn.y;
    }
}

// Moves and turns bodies of any shape, and makes their boxes.
static findings move_shaped_rows(const move_job *job, size_t begin, size_t end) {
    const qd_world *world = job->world;
    const qdi_motion next = world->next;
    uint8_t *mask = job->mask;
    findings result = {.bad = QD_NO_BODY};
    turned_rows turned;
    for (size_t r = begin; r < end; ++r) {
        const size_t k = (r - begin) % TURNS;
        if (k == 0) turn_rows(job, r, end - r < TURNS ? end : r + TURNS, &turned);
        qd_vec2 at = drift_row(job, r), turn = {turned.c[k], turned.s[k]};
        double spin = world->turning ? next.spin[r] : 0, angle = turned.angle[k];
        result.fast += moves_far(job, r, at, angle);
        qdi_extent wide, high;
        qdi_extents_of(world, r, turn.x, turn.y, &wide, &high);
        qd_vec2 before = {next.vx[r], next.vy[r]};
        const unsigned mirrored = cross_sides(job, r, wide, high, &at.x, &at.y);
        if (mask) mask[r] = (uint8_t)mirrored;
        if (mirrored && job->gains) note_gain(job, r, before);
        result.mirrored += mirrored != 0;
        next.x[r] = at.x;
        next.y[r] = at.y;
        if (world->turning) {
            next.c[r] = turn.x;
            next.s[r] = turn.y;
        }
        double from_x = at.x - world->centre.x, from_y = at.y - world->centre.y;
        world->boxes[r] = qdi_box_of(from_x, from_y, wide, high);
        result.left += left_fat_box(job, r);
        bool fine = move_within_limits(job, from_x, from_y, next.vx[r], next.vy[r]) && qdi_is_sane(spin) &&
                    isfinite(turn.x) && isfinite(turn.y);
        if (!fine && world->index[r] < result.bad && !qdi_is_ghost(world, r)) result.bad = world->index[r];
    }
    return result;
}

/// Motion of a step: adds what a part of a range found to what those before it did.
static void add_findings(findings *sum, const findings *found) {
    if (found->bad < sum->bad) sum->bad = found->bad;
    sum->mirrored += found->mirrored;
    sum->fast += found->fast;
    sum->left += found->left;
    sum->swift |= found->swift;
}

/// Motion of a step: the end of the rows from `begin` on that the contact solver moves, or that it does not.
static size_t end_of_alike(const qd_world *world, size_t begin, size_t end) {
    if (world->scratch.mover_count == 0) return end;
    const bool moved = world->scratch.slot[begin] != 0;
    size_t r = begin + 1;
    while (r < end && (world->scratch.slot[r] != 0) == moved) ++r;
    return r;
}

/// Motion of a step: a piece of disks that the contact solver does not move. Only where one is at a side is
/// each looked at.
static findings move_free_disks(const move_job *job, const qdi_disks *disks, size_t begin, size_t end,
                                bool look) {
    const bool open = job->x.low == -HUGE_VAL && job->y.low == -HUGE_VAL; // see boundary.c
    qdi_disks_found moved = qdi_disks_move_of(job->world->def.simd)(disks, begin, end);
    moved.out = moved.out && look;
    const bool met = moved.side && !open;
    if (!met && job->mask) memset(job->mask + begin, 0, end - begin);
    findings found = met ? move_disks_at_sides(job, begin, end) : findings_of(job, begin, end, &moved);
    found.swift = moved.bad != 0;
    return found;
}

/// Disks that never turn, piece by piece. In tree order few pieces are at a side, and a piece is in the cache
/// the second time. Where the contact solver moves some, it moves few that lie here and there in rows.
static findings move_disks(const move_job *job, size_t begin, size_t end) {
    enum { PIECE = 64 };
    const qd_world *world = job->world;
    const qdi_disks disks = disks_of_world(job);
    findings sum = {.bad = QD_NO_BODY};
    for (size_t at = begin, stop; at < end; at = stop) {
        stop = end_of_alike(world, at, end - at < PIECE ? end : at + PIECE);
        const bool moved = world->scratch.mover_count > 0 && world->scratch.slot[at] != 0;
        const findings found = moved ? move_shaped_rows(job, at, stop)
                                     : move_free_disks(job, &disks, at, stop, sum.left <= job->few);
        add_findings(&sum, &found);
    }
    if (sum.left > job->few) sum.left = QDI_MARGIN_MANY;
    return sum;
}

/// Motion of a step: true where a piece of soft disks that all stay in their fat boxes needs no boxes of its
/// own. Boxes of all are asked for where bodies have traits, which the narrow phase then looks at one by one.
static bool spares_boxes(const qd_world *world) {
    return world->margin.held && world->margin.near && qdi_spring_plain(world) &&
           world->traits.numbers.live == 0;
}

/// Soft disks that never turn.
static findings move_soft_disks(const move_job *job, size_t begin, size_t end) {
    const qdi_spring_way way = {.dt = job->dt,
                                .half_kick = job->half_kick,
                                .distance = job->distance,
                                .speed_squared = job->speed_squared,
                                .period = job->period,
                                .held = job->left != NULL,
                                .near = spares_boxes(job->world)};
    findings result = {.bad = QD_NO_BODY};
    result.fastest = qdi_spring_move(job->world, &way, begin, end, &result.bad, &result.left);
    result.swift = result.fastest > job->watched_squared;
    return result;
}

// Motion of a step: whether all are disks that nothing but their velocity and the contact solver moves.
static bool all_plain(const move_job *job) {
    const qd_world *world = job->world;
    return !world->turning && world->fixed == 0 && world->shaped == 0 && !world->scratch.flown && !job->gains;
}

// Moves a range of bodies, by the quickest of the ways that do here.
static void move_rows(void *context, size_t begin, size_t end, int worker) {
    const move_job *job = context;
    const qd_world *world = job->world;
    qdi_threads_note(world, begin, end, worker);
    findings found = qdi_spring_plain(world) ? move_soft_disks(job, begin, end)
                     : all_plain(job)        ? move_disks(job, begin, end)
                                             : move_shaped_rows(job, begin, end);
    if (job->watches && found.swift) __atomic_store_n(&world->part->swift, true, __ATOMIC_RELAXED);
    job->lowest_bad[begin / QDI_BODY_GRAIN] = found.bad;
    if (job->mirrored) job->mirrored[begin / QDI_BODY_GRAIN] = found.mirrored;
    if (job->fast) job->fast[begin / QDI_BODY_GRAIN] = found.fast;
    if (job->left) job->left[begin / QDI_BODY_GRAIN] = found.left;
    if (job->fastest) job->fastest[begin / QDI_BODY_GRAIN] = found.fastest;
}

// Reports the moved body of lowest index that is beyond limits, if there is one.
static bool check_motion_limits(qd_world *world, const uint32_t *lowest_bad, size_t ranges) {
    uint32_t bad = QD_NO_BODY;
    for (size_t k = 0; k < ranges; ++k)
        if (lowest_bad[k] < bad) bad = lowest_bad[k];
    if (bad != QD_NO_BODY) qdi_limit_report_body(world, world->row_of_index[bad]);
    return bad == QD_NO_BODY;
}

/// All that a move needs; `ranges` of bodies.
static qd_status prepare_move(qd_world *world, double dt, size_t ranges, move_job *job) {
    qdi_scratch *scratch = &world->scratch;
    const bool held = world->margin.held;
    qdi_boundary x, y;
    qdi_boundary_both(world, &x, &y);
    *job = (move_job){.world = world,
                      .dt = dt,
                      .half_kick = {0.5 * world->def.gravity.x * dt, 0.5 * world->def.gravity.y * dt},
                      .x = x,
                      .y = y,
                      .distance = qdi_limit_distance(&world->def.limits),
                      .speed_squared = qdi_limit_speed_squared(&world->def.limits),
                      .watched_squared = qdi_limit_speed_squared(&world->def.limits),
                      .reach = qdi_world_reach(world),
                      .turns = qdi_turns_of(world->def.simd),
                      .fast_part = qdi_ccd_part(world),
                      .period = qdi_world_period(world)};
    job->lowest_bad = qdi_arena_take(&scratch->arena, ranges, sizeof *job->lowest_bad);
    size_t *count = qdi_arena_take(&scratch->arena, ranges, sizeof *count);
    qd_status status = job->lowest_bad && count ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK && held)
        status = qdi_reserve(world->allocator, &scratch->left, &scratch->left_room, 0, ranges,
                             sizeof *scratch->left);
    job->left = held && !qdi_margin_gone(world) ? scratch->left : NULL;
    job->few = qdi_margin_few(world);
    if (x.inset > 0 || y.inset > 0) {
        job->mask = qdi_arena_take(&scratch->arena, world->count, sizeof *job->mask);
        job->mirrored = count;
        if (!job->mask) return QD_ERR_MEMORY;
    } else {
        job->fast = count;
    }
    if (qdi_spring_plain(world)) {
        if (status == QD_OK)
            status = qdi_reserve(world->allocator, &scratch->range_fastest, &scratch->range_fastest_room, 0,
                                 ranges, sizeof *scratch->range_fastest);
        job->fastest = scratch->range_fastest;
    }
    if (!x.moves && !y.moves) return status;
    job->gains = qdi_arena_take(&scratch->arena, world->count, sizeof *job->gains);
    return job->gains ? status : QD_ERR_MEMORY;
}

// Motion of a step: watches, in a part of a world, for bodies that are faster than expected. Ways that the
// contact solver gives do not follow from speeds.
static void watch_speed(move_job *job) {
    qdi_part *part = job->world->part;
    if (!part) return;
    part->swift = false;
    job->watches = part->speed > 0 &&
                   (qdi_spring_plain(job->world) || (all_plain(job) && job->world->scratch.mover_count == 0));
    if (job->watches && part->speed * part->speed < job->speed_squared)
        job->watched_squared = part->speed * part->speed;
}

// Motion of a step: how far bodies have come at most that are no faster than expected.
static void tell_stride(const move_job *job) {
    qdi_part *part = job->world->part;
    if (!part) return;
    const double kick = fabs(job->half_kick.x) + fabs(job->half_kick.y);
    const bool known = job->watches && !part->swift;
    part->stride = known ? (part->speed + kick) * job->dt * (1 + 1e-9) : HUGE_VAL;
}

qd_status qdi_motion_move(qd_world *world, double dt, qdi_wall_gain *mirrored) {
    const qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    move_job job;
    qd_status status = prepare_move(world, dt, ranges, &job);
    if (status != QD_OK) return status;
    watch_speed(&job);
    qdi_team_for_workers(world->team, world->count, QDI_BODY_GRAIN, move_rows, &job);
    tell_stride(&job);
    world->scratch.fastest = job.fastest ? 0 : HUGE_VAL;
    for (size_t k = 0; k < ranges && job.fastest; ++k)
        if (job.fastest[k] > world->scratch.fastest) world->scratch.fastest = job.fastest[k];
    world->margin.behind = spares_boxes(world);
    world->margin.near = false; // until the step succeeds
    if (scratch->flown && qdi_forces_vary(world)) qdi_forces_finish(world, dt, job.lowest_bad);
    if (scratch->flown) status = qdi_balance_flights(world);
    if (status != QD_OK) return status;
    *mirrored = (qdi_wall_gain){{0, 0}, 0};
    world->margin.left = qdi_margin_gone(world) ? QDI_MARGIN_MANY : 0;
    for (size_t k = 0; k < ranges && job.left; ++k) world->margin.left += job.left[k];
    if (!check_motion_limits(world, job.lowest_bad, ranges)) return QD_ERR_LIMIT;
    if (job.mirrored) {
        const qdi_mirrored step = {job.mask, job.mirrored, job.gains, job.half_kick, dt};
        return qdi_mirrored_sum(world, &step, mirrored);
    }
    world->fast = qdi_exclusive_scan(job.fast, ranges);
    if (world->def.contact == QD_CONTACT_IMPULSE) world->fast += world->bullets;
    return QD_OK;
}
