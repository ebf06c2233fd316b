// What neither bounced nor parts is held: stacks, slides, rolling. The step is cut into sub-steps of h = dt / substeps,
// and each of them goes like this (a projected Gauss-Seidel over the colours, after E. Catto, "Solver2D", 2024):
//
//   push     velocities of the movers get their part of what forces give
//   warm     every touch gives again what held it in the sub-step before
//   solve    friction, then the normal: no approach; where bodies overlap, a little of that is taken back
//   move     positions and angles of the movers
//   relax    the normal again, without taking back, so that what parted the bodies leaves no speed behind; then
//            friction, which so has the normal's last word to measure itself by
//
// The impulses that a touch has given at the end of a sub-step (its hold) are what the next one starts from, and the
// next step too, where the contact persists (by its feature): that is why a pile stands with one sweep per sub-step.
//
// A touch that is still apart (gap > 0) may close: it only has to keep an approach of gap / h. Overlap up to `slop` is
// left alone, so that contacts at rest do not flicker; beyond it a part of it is taken back per sub-step, at
// most `fastest_out`. All of these are relative to the sub-step and to the smaller body, so units do not matter.
//
// A mover is a body that has such a contact and moves. Movers are numbered by row and joints lie in order of colour;
// neither order decides anything, because joints of a colour share no mover that they write (impulse.c). Mover 0 stands
// for walls and static bodies, and the last four for walls where these move; they and the kinematic ones are read by
// many and written by none. `slot` is written by all ranges that meet a body, with the same value, hence atomic.

#include "sim/account.h"

#include <math.h>

/// Overlap that is left alone, and most that is taken back in a sub-step, as parts of the smaller body's radius.
static const double slop_part = 3e-4, fastest_out = 1e-2;
/// The spring of an overlap: its angle per sub-step (a quarter turn), and its damping ratio. Stiffer ones never come to
/// rest under a high pile, softer ones let it sink and sway.
static const double spring_angle = 1.5707963267948966, damping = 1.5;

/// One touch of a contact at rest.
typedef struct rest_touch {
    double across_a, along_a, across_b, along_b; ///< levers at the start of the step, see qdi_joint
    double gap;                                  ///< then
    double mass, rub_mass;
    double normal, tangent;      ///< given in this sub-step
    double total, total_tangent; ///< given in the sub-steps before
} rest_touch;

struct qdi_rest {
    uint32_t slot_a, slot_b, joint;
    uint8_t count;
    bool moves_a, moves_b;
    double nx, ny;
    double inverse_a, inverse_b, turn_a, turn_b;
    double friction;
    double size; ///< of the smaller body: its radius
    rest_touch touch[2];
};

typedef struct rest_job {
    qd_world *world;
    const qdi_joint *joints;
    uint8_t *held;          ///< by joint: 1 where at rest
    size_t *count;          ///< per range
    double still;           ///< per radius: a speed that is none
    double dt;              ///< of the step
    double h, per_h, again; ///< sub-step; 1 over it; what a hold of the last step is worth in this one
    int substeps;
    qdi_rest *rests;
    qdi_mover *movers;
    const qdi_push *pushes;
    size_t first; ///< of the colour in work
} rest_job;

// ---- who rests ----

/// A joint rests unless all of it parts faster than the threshold; with gravity, even then where some of it will not have
/// parted by the end of the step: what lies on the two would press them further into each other meanwhile. Where the
/// sweeps of the bounces did not suffice, what still approaches is stopped here; but not if the two are to lose nothing,
/// and there is nothing to rest on.
static bool rests(const rest_job *job, const qdi_joint *joint) {
    const qd_world *world = job->world;
    const qdi_motion *m = &world->next;
    if (joint->count == 0) return false;
    double approach = -HUGE_VAL;
    bool stays = false;
    for (int k = 0; k < joint->count; ++k) {
        if (joint->depth[k] < 0) continue;
        double here = qdi_joint_approach(joint, m, k);
        if (here > approach) approach = here;
        stays = stays || joint->depth[k] + here * job->dt > 0;
    }
    uint32_t a = joint->row_a, b = joint->row_b;
    double speed = fabs(m->vx[a]) + fabs(m->vy[a]);
    speed += b != QDI_NO_ROW ? fabs(m->vx[b]) + fabs(m->vy[b]) : fabs(joint->wx) + fabs(joint->wy);
    double rounding = 1e-12 * speed + job->still * world->radius[a];
    if (approach > rounding && joint->threshold == 0 && joint->restitution == 1) return false;
    return approach >= -(joint->threshold + rounding) || (stays && joint->threshold > 0);
}

static void mark(const rest_job *job, uint32_t row) {
    if (row != QDI_NO_ROW && job->world->kind[row] != QD_BODY_STATIC)
        atomic_store_explicit(&job->world->scratch.slot[row], 1, memory_order_relaxed);
}

static void find_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        job->held[i] = rests(job, &job->joints[i]);
        count += job->held[i];
    }
    job->count[begin / QDI_CONTACT_GRAIN] = count;
}

static void mark_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        if (!job->held[i]) continue;
        const qdi_joint *joint = &job->joints[i];
        mark(job, joint->row_a);
        mark(job, joint->row_b);
    }
}

static void clear_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t r = begin; r < end; ++r)
        atomic_store_explicit(&job->world->scratch.slot[r], 0, memory_order_relaxed);
}

static void count_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    size_t count = 0;
    for (size_t r = begin; r < end; ++r)
        count += atomic_load_explicit(&job->world->scratch.slot[r], memory_order_relaxed);
    job->count[begin / QDI_BODY_GRAIN] = count;
}

static void gather_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *m = &world->next;
    size_t slot = job->count[begin / QDI_BODY_GRAIN] + 1;
    for (size_t r = begin; r < end; ++r) {
        if (!atomic_load_explicit(&world->scratch.slot[r], memory_order_relaxed)) continue;
        atomic_store_explicit(&world->scratch.slot[r], (uint32_t)slot, memory_order_relaxed);
        double spin = world->turning ? m->spin[r] : 0;
        job->movers[slot++] = (qdi_mover){.vx = m->vx[r], .vy = m->vy[r], .spin = spin, .c = 1};
    }
}

/// Numbers the movers and takes their velocities.
static qd_status gather(qd_world *world, rest_job *job) {
    qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, count_range, job);
    size_t bodies = qdi_exclusive_scan(job->count, ranges) + 1;
    size_t count = bodies + (world->walls_move ? QDI_WALLS : 0);
    qd_status status = qdi_reserve(world->allocator, &scratch->movers, &scratch->mover_room, 0, count,
                                   sizeof *scratch->movers);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->pushes, &scratch->push_room, 0, count,
                             sizeof *scratch->pushes);
    if (status != QD_OK) return status;
    job->movers = scratch->movers;
    job->movers[0] = (qdi_mover){.c = 1};
    for (size_t k = bodies; k < count; ++k) {
        qd_vec2 speed = world->wall_mean[k - bodies];
        job->movers[k] = (qdi_mover){.vx = speed.x, .vy = speed.y, .c = 1};
        scratch->pushes[k] = (qdi_push){0, 0, 0};
    }
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_range, job);
    scratch->mover_count = count;
    return qdi_account_movers(world);
}

// ---- joints at rest ----

static uint32_t slot_of(const qd_world *world, uint32_t row) {
    return atomic_load_explicit(&world->scratch.slot[row], memory_order_relaxed);
}

/// The mover that stands for the wall of a joint.
static uint32_t slot_of_wall(const qd_world *world, const qdi_joint *joint) {
    if (!world->walls_move) return 0;
    uint32_t axis = joint->nx == 0, high = joint->nx + joint->ny > 0;
    return (uint32_t)world->scratch.mover_count - QDI_WALLS + 2 * axis + high;
}

static void make_touch(const rest_job *job, const qdi_joint *joint, const qdi_hold *hold, int k,
                       rest_touch *touch) {
    double inverse = joint->inverse_a + joint->inverse_b;
    touch->across_a = joint->across_a[k];
    touch->along_a = joint->along_a[k];
    touch->across_b = joint->across_b[k];
    touch->along_b = joint->along_b[k];
    touch->gap = -joint->depth[k];
    touch->mass = 1 / (inverse + joint->across_a[k] * joint->across_a[k] * joint->turn_a +
                       joint->across_b[k] * joint->across_b[k] * joint->turn_b);
    touch->rub_mass = 1 / (inverse + joint->along_a[k] * joint->along_a[k] * joint->turn_a +
                           joint->along_b[k] * joint->along_b[k] * joint->turn_b);
    touch->normal = job->again * hold->normal[k];
    touch->tangent = job->again * hold->tangent[k];
    touch->total = touch->total_tangent = 0;
}

static void make_rest(const rest_job *job, uint32_t number, qdi_rest *rest) {
    const qd_world *world = job->world;
    const qdi_joint *joint = &job->joints[number];
    uint32_t a = joint->row_a, b = joint->row_b;
    *rest = (qdi_rest){.slot_a = slot_of(world, a),
                       .slot_b = b == QDI_NO_ROW ? slot_of_wall(world, joint) : slot_of(world, b),
                       .joint = number,
                       .count = joint->count,
                       .moves_a = joint->moves_a,
                       .moves_b = joint->moves_b,
                       .nx = joint->nx,
                       .ny = joint->ny,
                       .inverse_a = joint->inverse_a,
                       .inverse_b = joint->inverse_b,
                       .turn_a = joint->turn_a,
                       .turn_b = joint->turn_b,
                       .friction = joint->friction};
    double size = joint->moves_a ? world->radius[a] : world->radius[b];
    if (joint->moves_a && joint->moves_b && world->radius[b] < size) size = world->radius[b];
    rest->size = size;
    for (int k = 0; k < rest->count; ++k)
        make_touch(job, joint, &world->present.holds[joint->contact], k, &rest->touch[k]);
}

enum { AHEAD = 6 }; ///< joints whose holds, which lie in order of (a, b), are asked for

static void make_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    size_t place = job->count[begin / QDI_CONTACT_GRAIN];
    for (size_t i = begin; i < end; ++i) {
        if (i + AHEAD < end) __builtin_prefetch(&job->world->present.holds[job->joints[i + AHEAD].contact]);
        if (job->held[i]) make_rest(job, (uint32_t)i, &job->rests[place++]);
    }
}

/// Where the joints at rest of each colour begin, from the counts of the ranges before each.
static void part_colours(const rest_job *job, const qdi_colours *all, size_t count, qdi_colours *at_rest) {
    at_rest->count = all->count;
    at_rest->last_is_serial = all->last_is_serial;
    for (size_t c = 0; c < all->count; ++c) {
        size_t range = all->start[c] / QDI_CONTACT_GRAIN, before = job->count[range];
        for (size_t i = range * QDI_CONTACT_GRAIN; i < all->start[c]; ++i) before += job->held[i];
        at_rest->start[c] = before;
    }
    at_rest->start[all->count] = count;
}

qd_status qdi_rest_find(qd_world *world, const qdi_colours *colours, double dt, qdi_colours *at_rest) {
    qdi_scratch *scratch = &world->scratch;
    size_t all = colours->start[colours->count], bodies = qdi_range_count(world->count, QDI_BODY_GRAIN);
    size_t ranges = qdi_range_count(all, QDI_CONTACT_GRAIN);
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0,
                                   ranges + bodies, sizeof *scratch->range_count);
    if (status != QD_OK) return status;
    rest_job job = {.world = world,
                    .joints = scratch->joints,
                    .held = scratch->won,
                    .count = scratch->range_count,
                    .still = 1e-9 / dt,
                    .dt = dt,
                    .again = world->clock.dt > 0 ? dt / world->clock.dt : 1};
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, find_range, &job);
    size_t count = qdi_exclusive_scan(job.count, ranges);
    part_colours(&job, colours, count, at_rest);
    scratch->mover_count = 0;
    if (count == 0) return QD_OK;
    status = qdi_reserve(world->allocator, &scratch->slot, &scratch->slot_room, 0, world->count,
                         sizeof *scratch->slot);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->rests, &scratch->rest_room, 0, count,
                             sizeof *scratch->rests);
    if (status != QD_OK) return status;
    job.rests = scratch->rests;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, &job);
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, mark_range, &job);
    job.count = scratch->range_count + ranges;
    status = gather(world, &job);
    if (status != QD_OK) return status;
    job.count = scratch->range_count;
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, make_range, &job);
    return QD_OK;
}

void qdi_rest_release(const qd_allocator *allocator, qdi_scratch *scratch) {
    qdi_release(allocator, scratch->rests, scratch->rest_room, sizeof *scratch->rests);
}

// ---- sub-steps ----

static void push_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->movers[i].vx += job->pushes[i].x;
        job->movers[i].vy += job->pushes[i].y;
        job->movers[i].spin += job->pushes[i].spin;
    }
}

/// Cosine and sine of an angle that is small most of the time, exactly of length 1: by the tangent of its half, of which
/// the series' first terms do. Only gaps within the step depend on it.
static void small_turn(qdi_mover *mover) {
    double half = 0.5 * mover->angle, square = half * half;
    double t = half * (1 + square * (1.0 / 3 + square * (2.0 / 15)));
    double scale = 1 / (1 + t * t);
    mover->c = (1 - t * t) * scale;
    mover->s = 2 * t * scale;
}

static void move_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        mover->dx += mover->vx * job->h;
        mover->dy += mover->vy * job->h;
        if (mover->spin == 0) continue;
        mover->angle += mover->spin * job->h;
        small_turn(mover);
    }
}

/// What a joint sees of its two bodies' velocities, while it is worked on: that of a as seen from b, along the normal and
/// the tangent, and the two spins; and what the joint has given them since.
typedef struct speeds {
    double normal, tangent, spin_a, spin_b;
    double push, rub;
} speeds;

static inline speeds take(const qdi_rest *rest, const qdi_mover *a, const qdi_mover *b) {
    double x = a->vx - b->vx, y = a->vy - b->vy;
    return (speeds){x * rest->nx + y * rest->ny, y * rest->nx - x * rest->ny, a->spin, b->spin, 0, 0};
}

/// a loses what the joint gave, b gets it.
static inline void put(const qdi_rest *rest, const speeds *v, qdi_mover *a, qdi_mover *b) {
    double x = v->push * rest->nx - v->rub * rest->ny, y = v->push * rest->ny + v->rub * rest->nx;
    if (rest->moves_a) {
        a->vx -= x * rest->inverse_a;
        a->vy -= y * rest->inverse_a;
        a->spin = v->spin_a;
    }
    if (rest->moves_b) {
        b->vx += x * rest->inverse_b;
        b->vy += y * rest->inverse_b;
        b->spin = v->spin_b;
    }
}

static void warm(const rest_job *job, const qdi_rest *rest) {
    qdi_mover *a = &job->movers[rest->slot_a], *b = &job->movers[rest->slot_b];
    speeds v = {0, 0, a->spin, b->spin, 0, 0};
    for (int k = 0; k < rest->count; ++k) {
        const rest_touch *touch = &rest->touch[k];
        v.push += touch->normal;
        v.rub += touch->tangent;
        v.spin_a -= (touch->across_a * touch->normal + touch->along_a * touch->tangent) * rest->turn_a;
        v.spin_b += (touch->across_b * touch->normal + touch->along_b * touch->tangent) * rest->turn_b;
    }
    put(rest, &v, a, b);
}

/// The gap of a touch now; `way`: that of b away from a, along the normal. A lever (along, across) that is turned has
/// along * c + across * s along the normal.
static inline double gap_now(const rest_touch *touch, double way, const qdi_mover *a, const qdi_mover *b) {
    double moved_a = touch->along_a * (a->c - 1) + touch->across_a * a->s;
    double moved_b = touch->along_b * (b->c - 1) + touch->across_b * b->s;
    return touch->gap + way + moved_b - moved_a;
}

static inline void rub(const qdi_rest *rest, rest_touch *touch, speeds *v) {
    double slip = v->tangent + (v->spin_a * touch->along_a - v->spin_b * touch->along_b);
    double most = touch->normal > 0 ? rest->friction * touch->normal : 0; // the friction may be infinite
    double given = touch->tangent + touch->rub_mass * slip;
    given = given > most ? most : given;
    given = given < -most ? -most : given;
    double t = given - touch->tangent;
    touch->tangent = given;
    v->rub += t;
    v->tangent -= t * (rest->inverse_a + rest->inverse_b);
    v->spin_a -= touch->along_a * (t * rest->turn_a);
    v->spin_b += touch->along_b * (t * rest->turn_b);
}

/// The approach that a gap allows; < 0: asked to part. Where overlap is taken back, that is soft.
typedef struct aim {
    double allowed, mass_scale, impulse_scale;
} aim;

static inline aim aim_back(const rest_job *job, const qdi_rest *rest, double gap) {
    const double soft = 2 * damping + spring_angle, stiff = spring_angle * soft, rate = spring_angle / soft;
    double over = gap + slop_part * rest->size, least = -fastest_out * rest->size;
    double way = rate * over; // over > 0: may settle
    way = way < least ? least : way;
    way = gap > 0 ? gap : way;
    bool hard = over >= 0;
    return (aim){way * job->per_h, hard ? 1 : stiff / (1 + stiff), hard ? 0 : 1 / (1 + stiff)};
}

static inline void press(const qdi_rest *rest, rest_touch *touch, aim to, speeds *v) {
    double approach = v->normal + (v->spin_a * touch->across_a - v->spin_b * touch->across_b);
    double given = touch->normal + touch->mass * to.mass_scale * (approach - to.allowed) -
                   to.impulse_scale * touch->normal;
    given = given < 0 ? 0 : given;
    double p = given - touch->normal;
    touch->normal = given;
    v->push += p;
    v->normal -= p * (rest->inverse_a + rest->inverse_b);
    v->spin_a -= touch->across_a * (p * rest->turn_a);
    v->spin_b += touch->across_b * (p * rest->turn_b);
}

static void solve(const rest_job *job, qdi_rest *rest) {
    qdi_mover *a = &job->movers[rest->slot_a], *b = &job->movers[rest->slot_b];
    const int touches = rest->count > 1 ? 2 : 1;
    speeds v = take(rest, a, b);
    if (rest->friction > 0)
        for (int k = 0; k < touches; ++k) rub(rest, &rest->touch[k], &v);
    double way = (b->dx - a->dx) * rest->nx + (b->dy - a->dy) * rest->ny;
    for (int k = 0; k < touches; ++k) {
        rest_touch *touch = &rest->touch[k];
        press(rest, touch, aim_back(job, rest, gap_now(touch, way, a, b)), &v);
    }
    put(rest, &v, a, b);
}

static void relax(const rest_job *job, qdi_rest *rest) {
    qdi_mover *a = &job->movers[rest->slot_a], *b = &job->movers[rest->slot_b];
    const int touches = rest->count > 1 ? 2 : 1;
    speeds v = take(rest, a, b);
    double way = (b->dx - a->dx) * rest->nx + (b->dy - a->dy) * rest->ny;
    for (int k = 0; k < touches; ++k) {
        rest_touch *touch = &rest->touch[k];
        double gap = gap_now(touch, way, a, b);
        press(rest, touch, (aim){gap > 0 ? gap * job->per_h : 0, 1, 0}, &v);
    }
    if (rest->friction > 0)
        for (int k = 0; k < touches; ++k) rub(rest, &rest->touch[k], &v);
    put(rest, &v, a, b);
    for (int k = 0; k < touches; ++k) {
        rest->touch[k].total += rest->touch[k].normal;
        rest->touch[k].total_tangent += rest->touch[k].tangent;
    }
}

static void warm_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) warm(job, &job->rests[job->first + i]);
}

static void solve_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) solve(job, &job->rests[job->first + i]);
}

static void relax_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) relax(job, &job->rests[job->first + i]);
}

/// Does something to all joints at rest, colour by colour.
static void over_colours(rest_job *job, const qdi_colours *at_rest, qdi_range_function function) {
    for (size_t c = 0; c < at_rest->count; ++c) {
        size_t count = at_rest->start[c + 1] - at_rest->start[c];
        job->first = at_rest->start[c];
        if (c + 1 == at_rest->count && at_rest->last_is_serial)
            function(job, 0, count, 0);
        else
            qdi_team_for(job->world->team, count, QDI_CONTACT_GRAIN, function, job);
    }
}

// ---- into the step and out of it ----

static void open_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    const qd_world *world = job->world;
    qdi_push *pushes = world->scratch.pushes;
    double part = 1.0 / job->substeps;
    for (size_t r = begin; r < end; ++r) {
        uint32_t slot = slot_of(world, (uint32_t)r);
        if (!slot) continue;
        const qdi_mover *mover = &job->movers[slot];
        double spin = world->turning ? world->next.spin[r] : 0;
        pushes[slot] = (qdi_push){(world->next.vx[r] - mover->vx) * part,
                                  (world->next.vy[r] - mover->vy) * part, (spin - mover->spin) * part};
    }
}

static void close_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    const qd_world *world = job->world;
    for (size_t r = begin; r < end; ++r) {
        uint32_t slot = slot_of(world, (uint32_t)r);
        if (!slot || world->kind[r] != QD_BODY_DYNAMIC) continue;
        const qdi_mover *mover = &job->movers[slot];
        const qdi_push *push = &job->pushes[slot];
        qdi_twist change = {push->x * job->substeps, push->y * job->substeps, push->spin * job->substeps};
        qdi_account_mover(world, (uint32_t)r, slot, change, job->dt);
        world->next.vx[r] = mover->vx;
        world->next.vy[r] = mover->vy;
        if (world->turning) world->next.spin[r] = mover->spin;
    }
}

static void report_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rest_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_rest *rest = &job->rests[i];
        qdi_joint *joint = &job->world->scratch.joints[rest->joint];
        const qdi_books *books = &job->world->scratch.books;
        qdi_account *account = &books->accounts[rest->joint];
        for (int k = 0; k < rest->count; ++k) {
            qdi_account_rest(joint, k, rest->touch[k].total, rest->touch[k].total_tangent,
                             &books->means[rest->slot_a], &books->means[rest->slot_b], account);
            joint->impulse[k] += rest->touch[k].total;
            joint->rub[k] += rest->touch[k].total_tangent;
            joint->hold.normal[k] = rest->touch[k].normal;
            joint->hold.tangent[k] = rest->touch[k].tangent;
        }
        qdi_account_other(job->world, joint, account);
    }
}

void qdi_rest_solve(qd_world *world, const qdi_colours *at_rest, double dt) {
    qdi_scratch *scratch = &world->scratch;
    size_t movers = scratch->mover_count, rests = at_rest->start[at_rest->count];
    if (movers == 0) return;
    rest_job job = {.world = world,
                    .dt = dt,
                    .h = dt / world->def.substeps,
                    .per_h = world->def.substeps / dt,
                    .substeps = world->def.substeps,
                    .rests = scratch->rests,
                    .movers = scratch->movers,
                    .pushes = scratch->pushes};
    scratch->pushes[0] = (qdi_push){0, 0, 0};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, open_range, &job);
    for (int k = 0; k < world->def.substeps; ++k) {
        qdi_team_for(world->team, movers, QDI_BODY_GRAIN, push_range, &job);
        over_colours(&job, at_rest, warm_range);
        over_colours(&job, at_rest, solve_range);
        qdi_team_for(world->team, movers, QDI_BODY_GRAIN, move_range, &job);
        over_colours(&job, at_rest, relax_range);
    }
    qdi_account_means(world);
    qdi_team_for(world->team, rests, QDI_CONTACT_GRAIN, report_range, &job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, close_range, &job);
}
