// Solves the contacts that neither bounce nor part: stacks, slides, rolling. The step is cut into sub-steps
// of h = dt / substeps (a projected Gauss-Seidel over the colours, after E. Catto, "Solver2D", 2024):
//
//   push     the first time, velocities get their part of what forces give, and every touch gives again what
//   held it in the step before;
//            later, what changed a velocity in the sub-step before does so again, which is push and warm
//            start at once, without a sweep
//   solve    the normal: no approach; an overlap is taken back softly, as far as the load of the touch
//   explains it, and the rest of it
//            by positions; then friction
//   move     positions and angles of the movers
//   relax    the normal again, without taking back, so that what parted the bodies leaves no speed behind;
//   then
//            friction, which so has the normal's last word to measure itself by
//
// A push-out that is limited by the load keeps piles quiet and gives no speed to what overlaps without one. A
// touch that is still apart (gap > 0) may close: it only has to keep an approach of gap / h. All lengths are
// relative to the smaller body and all times to the sub-step, so units do not matter.
//
// The smaller of the last and the mean impulse of a sub-step is what the next step starts from, where the
// contact persists (by its feature): so a blow in the last sub-step does not come again.
//
// This file selects the contacts and puts them into groups of eight (rigid/solver.h); the sweeps are in
// solver_kernel.h.
//
// A mover is a body that has such a contact and moves. Movers are numbered by row and constraints lie in
// order of colour; neither order decides anything, because constraints of a colour share no mover that they
// write (rigid/rigid.c). Mover 0 stands for walls and static bodies, and the last four for walls where these
// move; they and the kinematic ones are read by many and written by none. `slot` is written by all ranges
// that meet a body, with the same value, hence atomic.

#include "sim/rigid/solver.h"
#include "sim/rigid/constraint.h"
#include "sim/world/account.h"

#include <math.h>
#include <string.h>

typedef struct solver_job {
    qd_world *world;
    const qdi_link *links; ///< in order of colour
    size_t *count, *twos;  ///< per range: links with touches, and those with two
    size_t *bodies;        ///< per range of bodies: movers
    size_t serial;   ///< the first link of a serial colour: from there on all have two touches, as it were
    double dt;       ///< of the step
    double h, again; ///< sub-step; what a hold of the last step is worth in this one
    int substeps;
    bool bounced; ///< outcomes and accounts have something
    qdi_solver_rules rules;
    qdi_mover *movers;
    const qdi_push *pushes;
    qdi_push *began; ///< by mover: its velocities when the sub-step before began
    uint32_t *list;  ///< numbers of the links with touches, colour by colour
    const qdi_colours *colours;
    const qdi_solver_colours *resting;
    // Of the colour in work: its groups and their second touches, of which there are `twos_groups`; the
    // constraints with two touches in them, and with one; and who works on it.
    qdi_solver_group *groups;
    qdi_solver_point *second;
    size_t twos_groups;
    const uint32_t *inside[2];
    size_t inside_count[2];
    const qdi_solver_kernels *kernels;
} solver_job;

// ---- who rests ----

static void mark(const solver_job *job, uint32_t row) {
    if (row != QDI_NO_ROW && job->world->kind[row] != QD_BODY_STATIC)
        atomic_store_explicit(&job->world->scratch.slot[row], 1, memory_order_relaxed);
}

static bool counts_as_two(const solver_job *job, size_t i) {
    return job->links[i].touches > (i < job->serial ? 1 : 0);
}

static void find_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    size_t count = 0, twos = 0;
    for (size_t i = begin; i < end; ++i) {
        count += job->links[i].touches > 0;
        twos += counts_as_two(job, i);
    }
    job->count[begin / QDI_CONTACT_GRAIN] = count;
    job->twos[begin / QDI_CONTACT_GRAIN] = twos;
}

static void mark_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        if (!job->links[i].touches) continue;
        mark(job, job->links[i].row_a);
        mark(job, job->links[i].row_b);
    }
}

static void clear_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    for (size_t r = begin; r < end; ++r)
        atomic_store_explicit(&job->world->scratch.slot[r], 0, memory_order_relaxed);
}

static void count_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    size_t count = 0;
    for (size_t r = begin; r < end; ++r)
        count += atomic_load_explicit(&job->world->scratch.slot[r], memory_order_relaxed);
    job->bodies[begin / QDI_BODY_GRAIN] = count;
}

static void gather_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *m = &world->next;
    size_t slot = job->bodies[begin / QDI_BODY_GRAIN] + 1;
    for (size_t r = begin; r < end; ++r) {
        if (!atomic_load_explicit(&world->scratch.slot[r], memory_order_relaxed)) continue;
        atomic_store_explicit(&world->scratch.slot[r], (uint32_t)slot, memory_order_relaxed);
        double spin = world->turning ? m->spin[r] : 0;
        qdi_account_mover_begin(world, slot, (qdi_twist){m->vx[r], m->vy[r], spin});
        job->movers[slot++] = (qdi_mover){.vx = m->vx[r],
                                          .vy = m->vy[r],
                                          .spin = spin,
                                          .inverse = 1 / world->mass[r],
                                          .turn = 1 / world->inertia[r]};
    }
}

/// Numbers the movers and takes their velocities.
static qd_status gather(qd_world *world, solver_job *job, size_t *counts) {
    qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    job->bodies = counts;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, count_range, job);
    size_t bodies = qdi_exclusive_scan(counts, ranges) + 1;
    size_t count = bodies + (world->walls_move ? QDI_WALLS : 0);
    qd_status status = qdi_reserve(world->allocator, &scratch->movers, &scratch->mover_room, 0, count,
                                   sizeof *scratch->movers);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->pushes, &scratch->push_room, 0, count,
                             sizeof *scratch->pushes);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->began, &scratch->began_room, 0, count,
                             sizeof *scratch->began);
    if (status == QD_OK) status = qdi_account_movers(world, count);
    if (status != QD_OK) return status;
    job->movers = scratch->movers;
    job->movers[0] = (qdi_mover){0};
    qdi_account_mover_begin(world, 0, (qdi_twist){0, 0, 0});
    for (size_t k = bodies; k < count; ++k) {
        qd_vec2 speed = world->wall_mean[k - bodies];
        job->movers[k] = (qdi_mover){.vx = speed.x, .vy = speed.y};
        scratch->pushes[k] = (qdi_push){0, 0, 0, 0};
        qdi_account_mover_begin(world, k, (qdi_twist){speed.x, speed.y, 0});
    }
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_range, job);
    scratch->mover_count = count;
    return QD_OK;
}

// ---- constraints at rest ----

static uint32_t slot_of(const qd_world *world, uint32_t row) {
    return atomic_load_explicit(&world->scratch.slot[row], memory_order_relaxed);
}

/// The mover that stands for the wall of a contact.
static uint32_t slot_of_wall(const qd_world *world, const qd_contact *contact) {
    if (!world->walls_move) return 0;
    return (uint32_t)world->scratch.mover_count - QDI_WALLS + (contact->b.index - (uint32_t)QD_WALL_LEFT);
}

static void make_touch(const solver_job *job, const qd_contact *contact, const qdi_levers *levers, int k,
                       qdi_solver_point *touch, size_t lane) {
    const bool there = k < contact->count;
    const qdi_warm_start *hold = &job->world->present.holds[contact - job->world->present.contacts];
    touch->across_a[lane] = there ? levers->across_a[k] : 0;
    touch->along_a[lane] = there ? levers->along_a[k] : 0;
    touch->across_b[lane] = there ? levers->across_b[k] : -0.0;
    touch->along_b[lane] = there ? levers->along_b[k] : -0.0;
    touch->gap[lane] = there ? -contact->touch[k].depth : 0;
    touch->mass[lane] = there;
    touch->normal[lane] = there ? job->again * hold->normal[k] : 0;
    touch->tangent[lane] = there ? job->again * hold->tangent[k] : 0;
    touch->total[lane] = touch->total_tangent[lane] = 0;
}

/// What a group's bodies bring.
typedef struct inertias {
    qdi_lanes inverse, turn_a, turn_b; ///< 1 / mass of both, 1 / inertia
} inertias;

/// Effective masses of touches, whose `mass` so far says which are there.
static void make_masses(const inertias *of, qdi_solver_point *touch) {
    for (size_t lane = 0; lane < QDI_REST_LANES; ++lane) {
        double across_a = touch->across_a[lane], across_b = touch->across_b[lane];
        double along_a = touch->along_a[lane], along_b = touch->along_b[lane], there = touch->mass[lane];
        touch->mass[lane] = there / (of->inverse[lane] + across_a * across_a * of->turn_a[lane] +
                                     across_b * across_b * of->turn_b[lane]);
        touch->rub_mass[lane] = there / (of->inverse[lane] + along_a * along_a * of->turn_a[lane] +
                                         along_b * along_b * of->turn_b[lane]);
    }
}

static void make_lane(const solver_job *job, const qdi_link *link, qdi_solver_group *group,
                      qdi_solver_point *second, inertias *of, size_t lane) {
    const qd_world *world = job->world;
    const qd_contact *contact = &world->present.contacts[link->contact];
    const uint32_t a = link->row_a, b = link->row_b;
    const uint32_t slot_a = slot_of(world, a),
                   slot_b = b == QDI_NO_ROW ? slot_of_wall(world, contact) : slot_of(world, b);
    group->slot_a[lane] = slot_a;
    group->slot_b[lane] = slot_b;
    group->contact[lane] = link->contact;
    group->nx[lane] = contact->normal.x;
    group->ny[lane] = contact->normal.y;
    group->friction[lane] = qdi_constraint_friction(world, link);
    group->size[lane] = qdi_smaller_inner(world, a, b);
    group->moves_a |= (uint8_t)(link->moves_a << lane);
    group->moves_b |= (uint8_t)(link->moves_b << lane);
    group->rubs |= (uint8_t)((group->friction[lane] > 0) << lane);
    group->walls |= (uint8_t)((b == QDI_NO_ROW) << lane);
    of->inverse[lane] = job->movers[slot_a].inverse + job->movers[slot_b].inverse;
    of->turn_a[lane] = job->movers[slot_a].turn;
    of->turn_b[lane] = job->movers[slot_b].turn;
    qdi_levers levers;
    qdi_constraint_levers(world, link, contact, &levers);
    make_touch(job, contact, &levers, 0, &group->touch, lane);
    if (second) make_touch(job, contact, &levers, 1, second, lane);
}

/// The colour of a constraint.
static size_t colour_of(const qdi_colours *colours, size_t constraint) {
    size_t low = 0, high = colours->count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (colours->start[middle] <= constraint)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Puts the numbers of the constraints at rest where they belong: in each colour, those with two touches
/// first.
static void list_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    const size_t range = begin / QDI_CONTACT_GRAIN, *start = job->colours->start;
    size_t c = colour_of(job->colours, begin), held = job->count[range] - job->resting->start[c];
    size_t twos = job->twos[range] - job->resting->twos_before[c], ones = held - twos;
    for (size_t i = begin; i < end; ++i) {
        while (i >= start[c + 1]) ++c, twos = ones = 0;
        if (!job->links[i].touches) continue;
        size_t first = job->resting->start[c];
        if (counts_as_two(job, i))
            job->list[first + twos++] = (uint32_t)i;
        else
            job->list[first + job->resting->twos[c] + ones++] = (uint32_t)i;
    }
}

/// Contacts and holds lie in order of (a, b): those that are needed soon are asked for ahead.
enum { CONTACTS_AHEAD = 8 };

static inline void ask_for(const solver_job *job, const uint32_t *inside, size_t count) {
    if (CONTACTS_AHEAD >= count) return;
    const qdi_moment *moment = &job->world->present;
    const uint32_t contact = job->links[inside[CONTACTS_AHEAD]].contact;
    const char *first = (const char *)&moment->contacts[contact];
    for (size_t at = 0; at < sizeof *moment->contacts; at += 64) __builtin_prefetch(first + at);
    __builtin_prefetch(&moment->holds[contact]);
}

/// The constraints of a group (`numbers`), and how many they and those after them are.
static inline size_t constraints_from(const solver_job *job, size_t group, const uint32_t **numbers) {
    size_t one = group >= job->twos_groups, first = QDI_REST_LANES * (one ? group - job->twos_groups : group);
    *numbers = job->inside[one] + first;
    return job->inside_count[one] - first;
}

/// Groups are larger than what the processor can write at a time without having read it.
static inline void ask_to_write(const void *first, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)first + at, 1);
}

static void make_group(const solver_job *job, size_t number) {
    qdi_solver_group *group = &job->groups[number];
    qdi_solver_point *second = number < job->twos_groups ? &job->second[number] : NULL;
    const uint32_t *numbers = NULL;
    size_t left = constraints_from(job, number, &numbers);
    inertias of;
    ask_to_write(group + 1, sizeof *group);
    if (second) ask_to_write(second + 1, sizeof *second);
    if (left < QDI_REST_LANES) {
        memset(group, 0, sizeof *group);
        if (second) memset(second, 0, sizeof *second);
        for (size_t lane = 0; lane < QDI_REST_LANES; ++lane)
            of.inverse[lane] = 1, of.turn_a[lane] = of.turn_b[lane] = 0;
    }
    group->moves_a = group->moves_b = group->rubs = group->walls = 0;
    for (size_t lane = 0; lane < QDI_REST_LANES && lane < left; ++lane) {
        ask_for(job, numbers + lane, left - lane);
        make_lane(job, &job->links[numbers[lane]], group, second, &of, lane);
    }
    make_masses(&of, &group->touch);
    if (second) make_masses(&of, second);
}

static void make_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t g = begin; g < end; ++g) make_group(context, g);
}

static size_t groups_of(size_t constraints) {
    return (constraints + QDI_REST_LANES - 1) / QDI_REST_LANES;
}

/// Groups of all colours, and those with second touches.
static size_t count_groups(const qdi_solver_colours *resting, size_t *with_second) {
    size_t groups = 0, twos_groups = 0;
    for (size_t c = 0; c < resting->count; ++c) {
        size_t constraints = resting->start[c + 1] - resting->start[c];
        twos_groups += groups_of(resting->twos[c]);
        groups += groups_of(resting->twos[c]) + groups_of(constraints - resting->twos[c]);
    }
    *with_second = twos_groups;
    return groups;
}

/// Groups of a colour that are worth a second thread where each takes some 300 ns, and least ones for a
/// range. A sweep takes 80 ns for a group, and what one processor writes and another reads next costs some
/// microseconds in each of its loops: so sweeps are shared only where there are many contacts in all.
enum { SHARED_GROUPS = 32, FEW_GROUPS = 8, SHARED_SWEEPS = 8192 };

/// Does something to all groups, colour by colour; by several threads where a colour has `shared` of them.
static void over_colours(solver_job *job, const qdi_solver_colours *resting, qdi_range_function function,
                         size_t shared) {
    qd_world *world = job->world;
    job->groups = world->scratch.groups;
    job->second = world->scratch.second;
    job->kernels = qdi_solver_kernels_of(world->def.simd);
    for (size_t c = 0; c < resting->count; ++c) {
        job->inside_count[0] = resting->twos[c];
        job->inside_count[1] = resting->start[c + 1] - resting->start[c] - resting->twos[c];
        job->inside[0] = job->list + resting->start[c];
        job->inside[1] = job->inside[0] + resting->twos[c];
        job->twos_groups = groups_of(job->inside_count[0]);
        size_t groups = job->twos_groups + groups_of(job->inside_count[1]);
        if (c + 1 == resting->count && resting->last_is_serial) {
            job->kernels = &qdi_solver_portable;
            function(job, 0, groups, 0);
        } else {
            size_t grain = groups < shared ? groups
                                           : qdi_fine_grain(world->team, groups, FEW_GROUPS,
                                                            QDI_CONTACT_GRAIN / QDI_REST_LANES);
            qdi_team_for(world->team, groups, grain, function, job);
        }
        job->groups += groups;
        if (job->second) job->second += job->twos_groups;
    }
}

/// Where the constraints at rest of each colour begin, and how many have two touches, from the counts of the
/// ranges before each.
static void part_colours(const solver_job *job, const qdi_colours *all, size_t count, size_t twos,
                         qdi_solver_colours *resting) {
    resting->count = all->count;
    resting->last_is_serial = all->last_is_serial;
    for (size_t c = 0; c < all->count; ++c) {
        size_t range = all->start[c] / QDI_CONTACT_GRAIN;
        resting->start[c] = job->count[range];
        resting->twos_before[c] = job->twos[range];
        for (size_t i = range * QDI_CONTACT_GRAIN; i < all->start[c]; ++i) {
            resting->start[c] += job->links[i].touches > 0;
            resting->twos_before[c] += counts_as_two(job, i);
        }
        if (c > 0) resting->twos[c - 1] = resting->twos_before[c] - resting->twos_before[c - 1];
    }
    resting->start[all->count] = count;
    resting->twos[all->count - 1] = twos - resting->twos_before[all->count - 1];
}

static void release(const qd_allocator *allocator, qdi_scratch *scratch) {
    qdi_release(allocator, scratch->began, scratch->began_room, sizeof *scratch->began);
    qdi_release(allocator, scratch->groups, scratch->group_room, sizeof *scratch->groups);
    qdi_release(allocator, scratch->second, scratch->second_room, sizeof *scratch->second);
}

static qd_status reserve_groups(qd_world *world, const qdi_solver_colours *resting) {
    qdi_scratch *scratch = &world->scratch;
    size_t second = 0, groups = count_groups(resting, &second);
    scratch->release_solver = release;
    qd_status status = qdi_reserve(world->allocator, &scratch->slot, &scratch->slot_room, 0, world->count,
                                   sizeof *scratch->slot);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->groups, &scratch->group_room, 0, groups,
                             sizeof *scratch->groups);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->second, &scratch->second_room, 0, second,
                             sizeof *scratch->second);
    return status;
}

qd_status qdi_solver_prepare(qd_world *world, const qdi_colours *colours, double dt,
                             qdi_solver_colours *resting) {
    qdi_scratch *scratch = &world->scratch;
    size_t all = colours->start[colours->count], bodies = qdi_range_count(world->count, QDI_BODY_GRAIN);
    size_t ranges = qdi_range_count(all, QDI_CONTACT_GRAIN);
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0,
                                   2 * ranges + bodies, sizeof *scratch->range_count);
    if (status != QD_OK) return status;
    solver_job job = {.world = world,
                      .links = scratch->coloured,
                      .count = scratch->range_count,
                      .twos = scratch->range_count + ranges,
                      .serial = colours->start[colours->count - (colours->last_is_serial ? 1 : 0)],
                      .dt = dt,
                      .again = world->clock.dt > 0 ? dt / world->clock.dt : 1,
                      .list = scratch->pending[0],
                      .colours = colours,
                      .resting = resting};
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, find_range, &job);
    size_t count = qdi_exclusive_scan(job.count, ranges), twos = qdi_exclusive_scan(job.twos, ranges);
    part_colours(&job, colours, count, twos, resting);
    scratch->mover_count = 0;
    if (count == 0) return QD_OK;
    status = reserve_groups(world, resting);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_range, &job);
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, mark_range, &job);
    status = gather(world, &job, scratch->range_count + 2 * ranges);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, list_range, &job);
    over_colours(&job, resting, make_range, SHARED_GROUPS);
    return QD_OK;
}

// ---- sub-steps ----

static void push_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        job->began[i] = (qdi_push){mover->vx, mover->vy, mover->spin, 0};
        mover->vx += job->pushes[i].x;
        mover->vy += job->pushes[i].y;
        mover->spin += job->pushes[i].spin;
    }
}

/// What changed a mover's velocity in the sub-step before, forces and all that its touches hold it with, does
/// so again: that is push and warm start at once, without a sweep over the touches.
static void repeat_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        const qdi_push began = job->began[i];
        job->began[i] = (qdi_push){mover->vx, mover->vy, mover->spin, began.spin_change};
        mover->vx += mover->vx - began.x;
        mover->vy += mover->vy - began.y;
        mover->spin += mover->spin - began.spin;
    }
}

/// Most that what touches something turns in a sub-step: beyond it levers mean nothing.
#define MOST_TURN 0.78539816339744831

static void move_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_mover *mover = &job->movers[i];
        mover->dx += mover->vx * job->h;
        mover->dy += mover->vy * job->h;
        double turn = mover->spin * job->h;
        if (fabs(turn) > MOST_TURN) {
            turn = turn > 0 ? MOST_TURN : -MOST_TURN;
            const double change = turn / job->h - mover->spin;
            mover->spin += change;
            job->began[i].spin_change += change;
            job->began[i].spin += change; // not to be repeated
        }
        mover->angle += turn;
    }
}

/// A sweep over groups [begin, end) of the colour in work, of which the first ones have second touches.
static void sweep_groups(const solver_job *job, qdi_solver_sweep sweep, size_t begin, size_t end) {
    size_t both = end < job->twos_groups ? end : job->twos_groups;
    if (begin < both) sweep(job->movers, job->groups + begin, job->second + begin, both - begin, &job->rules);
    if (begin < both) begin = both;
    if (begin < end) sweep(job->movers, job->groups + begin, NULL, end - begin, &job->rules);
}

static void warm_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    sweep_groups(job, job->kernels->warm, begin, end);
}

static void solve_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    sweep_groups(job, job->kernels->solve, begin, end);
}

static void relax_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    sweep_groups(job, job->kernels->relax, begin, end);
}

// ---- into the step and out of it ----

static void open_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    const qd_world *world = job->world;
    qdi_push *pushes = world->scratch.pushes;
    double part = 1.0 / job->substeps;
    for (size_t r = begin; r < end; ++r) {
        uint32_t slot = slot_of(world, (uint32_t)r);
        if (!slot) continue;
        const qdi_mover *mover = &job->movers[slot];
        double spin = world->turning ? world->next.spin[r] : 0;
        pushes[slot] = (qdi_push){(world->next.vx[r] - mover->vx) * part,
                                  (world->next.vy[r] - mover->vy) * part, (spin - mover->spin) * part, 0};
    }
}

static void close_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
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

/// The next step starts from what a touch gave in the last sub-step, but no more than in the mean: a blow
/// must not come again.
static void report(const solver_job *job, const qdi_solver_point *touch, size_t lane, qdi_outcome *outcome,
                   int k) {
    double last = touch->normal[lane], mean = touch->total[lane] / job->substeps;
    outcome->impulse[k] += touch->total[lane];
    outcome->rub[k] += touch->total_tangent[lane];
    outcome->hold.normal[k] = last < mean ? last : mean;
    outcome->hold.tangent[k] = last > mean ? touch->tangent[lane] * (mean / last) : touch->tangent[lane];
}

/// What a touch took in the whole of the step, see account.h.
static void settle(const qdi_solver_group *group, const qdi_solver_point *touch, size_t lane,
                   const qdi_books *books, qdi_account *account) {
    const qdi_twist *a = &books->means[group->slot_a[lane]], *b = &books->means[group->slot_b[lane]];
    double x = a->x - b->x, y = a->y - b->y, nx = group->nx[lane], ny = group->ny[lane];
    account->lane[QDI_LOST_NORMAL] += touch->total[lane] *
                                      (x * nx + y * ny +
                                       (a->spin * touch->across_a[lane] - b->spin * touch->across_b[lane]));
    account->lane[QDI_LOST_FRICTION] += touch->total_tangent[lane] *
                                        (y * nx - x * ny +
                                         (a->spin * touch->along_a[lane] - b->spin * touch->along_b[lane]));
}

/// What the centres of a touch's bodies are apart along the normal, times the impulses on b, and across it.
static double virial(const qdi_solver_point *touch, size_t lane, const qdi_outcome *outcome, int k) {
    return outcome->impulse[k] * (touch->along_a[lane] - touch->along_b[lane]) -
           outcome->rub[k] * (touch->across_a[lane] - touch->across_b[lane]);
}

/// Work of the one body of a touch that does not move freely: `held` is its mover, `on_a`: it is a.
static double work(const qdi_solver_group *group, const qdi_solver_point *touch, size_t lane,
                   const qdi_mover *held, bool on_a, const qdi_outcome *outcome, int k) {
    double push = outcome->impulse[k], rub = outcome->rub[k], nx = group->nx[lane], ny = group->ny[lane];
    double across = on_a ? touch->across_a[lane] : touch->across_b[lane],
           along = on_a ? touch->along_a[lane] : touch->along_b[lane];
    double done = (push * nx - rub * ny) * held->vx + (push * ny + rub * nx) * held->vy +
                  held->spin * (across * push + along * rub);
    return on_a ? done : -done;
}

/// All that a constraint reports: its outcome, which has what bounces gave, and its account.
static void report_constraint(const solver_job *job, size_t group, size_t lane, bool two) {
    const qd_world *world = job->world;
    const qdi_books *books = &world->scratch.books;
    const qdi_solver_group *all = &job->groups[group];
    const uint32_t contact = all->contact[lane];
    qdi_outcome *outcome = &world->scratch.outcomes[contact];
    qdi_account *account = &books->accounts[contact];
    const qdi_solver_point *touch[2] = {&all->touch, two ? &job->second[group] : NULL};
    const bool moves_a = all->moves_a >> lane & 1, moves_b = all->moves_b >> lane & 1;
    const qdi_mover *held = &job->movers[moves_b ? all->slot_a[lane] : all->slot_b[lane]];
    double sum = 0;
    if (!job->bounced) {
        *outcome = (qdi_outcome){.hold = {{0, 0}, {0, 0}}};
        *account = (qdi_account){{0}};
    }
    for (int k = 0; k < (two ? 2 : 1); ++k) {
        report(job, touch[k], lane, outcome, k);
        settle(all, touch[k], lane, books, account);
        sum += moves_a && moves_b ? virial(touch[k], lane, outcome, k)
                                  : work(all, touch[k], lane, held, moves_b, outcome, k);
    }
    if (moves_a && moves_b)
        account->lane[QDI_VIRIAL] = sum;
    else if (!(all->walls >> lane & 1))
        account->lane[QDI_WORK] = sum;
}

enum { REPORTS_AHEAD = 8 };

/// What a constraint's report reads and writes.
static inline void ask_for_report(const solver_job *job, uint32_t number) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t contact = job->links[number].contact;
    __builtin_prefetch(&scratch->outcomes[contact], 1);
    __builtin_prefetch(&scratch->books.accounts[contact], 1);
}

static void report_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const solver_job *job = context;
    for (size_t g = begin; g < end; ++g) {
        const uint32_t *numbers = NULL;
        size_t left = constraints_from(job, g, &numbers);
        for (size_t lane = 0; lane < QDI_REST_LANES && lane < left; ++lane) {
            if (lane + REPORTS_AHEAD < left) ask_for_report(job, numbers[lane + REPORTS_AHEAD]);
            report_constraint(job, g, lane, job->second && job->links[numbers[lane]].touches > 1);
        }
    }
}

/// The spring of an overlap has an eighth of the sub-steps' frequency, and a quarter against what does not
/// move. Stiffer ones never come to rest under a high pile; this one lets it sink by the square of the
/// sub-step. A touch may push out as far as its load loses to softness in a sub-step, and little more: what
/// is left over loads two touches that push against each other (a body between two that do not move) until
/// their springs are full, and throws it when one of them lets go. Less than that lets piles sink.
static qdi_solver_spring spring_of(double h, double part) {
    const double ratio = 10, margin = 1.15, w = 2 * 3.14159265358979324 * part / h;
    double a = 2 * ratio + h * w, b = h * w * a;
    return (qdi_solver_spring){
        .rate = w / a, .per_rate = a / w, .mass = b / (1 + b), .impulse = 1 / (1 + b), .carried = margin / b};
}

static qdi_solver_rules rules_of(double dt, int substeps) {
    double h = dt / substeps;
    return (qdi_solver_rules){.per_h = substeps / dt,
                              .free = spring_of(h, 0.125),
                              .fixed = spring_of(h, 0.25),
                              .out = 0.1 / dt,
                              .shift = 0.1};
}

void qdi_solver_run(qd_world *world, const qdi_solver_colours *resting, double dt, bool bounced) {
    qdi_scratch *scratch = &world->scratch;
    size_t movers = scratch->mover_count;
    if (movers == 0) return;
    solver_job job = {.world = world,
                      .links = scratch->coloured,
                      .bounced = bounced,
                      .dt = dt,
                      .h = dt / world->def.substeps,
                      .rules = rules_of(dt, world->def.substeps),
                      .substeps = world->def.substeps,
                      .began = scratch->began,
                      .list = scratch->pending[0],
                      .movers = scratch->movers,
                      .pushes = scratch->pushes};
    const size_t sweep = resting->start[resting->count] < SHARED_SWEEPS ? SIZE_MAX : FEW_GROUPS;
    scratch->pushes[0] = (qdi_push){0, 0, 0, 0};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, open_range, &job);
    for (int k = 0; k < world->def.substeps && !qdi_stopping(world); ++k) {
        qdi_team_for(world->team, movers, QDI_BODY_GRAIN, k == 0 ? push_range : repeat_range, &job);
        if (k == 0) over_colours(&job, resting, warm_range, sweep);
        over_colours(&job, resting, solve_range, sweep);
        qdi_team_for(world->team, movers, QDI_BODY_GRAIN, move_range, &job);
        over_colours(&job, resting, relax_range, sweep);
    }
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, close_range, &job);
    over_colours(&job, resting, report_range, SHARED_GROUPS); // with the means that the movers have by now
}
