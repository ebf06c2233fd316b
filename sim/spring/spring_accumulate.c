// Adds the forces of contacts up to accelerations of bodies, and applies the two half kicks. Forces on a body
// add in the order of its contacts' numbers, which is that of its partners: contacts are in order of (a, b),
// so those with lower partners come first, in their order, then those with higher ones, then walls.
//
// A first pass hangs both ends of each contact into the chains of their bodies (chain.h); the second one,
// over bodies, puts each chain in order and adds it up. Ends and forces lie by spot here, so what bodies side
// by side need lies side by side. Where the ends of candidates are listed in order (meet_ends.h) only walls
// hang in chains.
//
// A range of bodies writes the accelerations of its own bodies.

#include "sim/spring/spring.h"

#include "sim/spring/chain.h"
#include "sim/spring/meet_ends.h"
#include "sim/spring/soft.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/part.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <string.h>

typedef struct accumulate_job {
    qd_world *world;
    const qdi_contact_state *state;
    bool alone;                      ///< one thread hangs up all ends
    bool listed;                     ///< ends of pairs are in lists
    size_t first;                    ///< contact from which on ends hang in chains
    size_t thin;                     ///< contacts before this one are thin
    const qdi_contact_force *forces; ///< by spot
    const qdi_soft_kernels *kernels;
    double half; ///< of the step; 0: no kick
    double fastest;
    uint32_t *lowest_bad; ///< per range
} accumulate_job;

// ---- chains ----

// Springs' forces: hangs the contacts of a range into the chains of forces on their bodies.
static void chain_contacts(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    const qd_world *world = job->world;
    const qdi_scratch *scratch = &world->scratch;
    const bool all_move = world->fixed == 0, met = job->state->met;
    for (size_t s = job->first + begin; s < job->first + end; ++s) {
        const qdi_meeting rows = qdi_rows_at(job->state, s);
        const uint32_t a = rows.a, b = rows.b, end_a = 2 * (uint32_t)s + 1;
        uint32_t key_a, key_b = 0;
        if (met) {
            key_a = b == QDI_NO_ROW ? (uint32_t)QD_WALL_LEFT + job->state->spots[s].wall : world->index[b];
            key_b = world->index[a];
        } else {
            key_a = key_b = job->state->number[s];
        }
        if (all_move || world->kind[a] == QD_BODY_DYNAMIC)
            qdi_chain_end(scratch, job->alone, a, end_a, key_a);
        if (b != QDI_NO_ROW && (all_move || world->kind[b] == QD_BODY_DYNAMIC))
            qdi_chain_end(scratch, job->alone, b, end_a + 1, key_b);
    }
}

// Springs' forces: forces that lie by number, as the spots do.
static void gather_forces(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    for (size_t s = begin; s < end; ++s)
        job->world->scratch.spot_forces[s] = job->state->forces[job->state->number[s]];
}

/// Springs' forces: 1 for the first body of a contact, -1 for the second. Which of them an end is at is
/// beyond guessing: hence no branch.
static inline double sign_of_end(uint32_t end) {
    static const double signs[2] = {-1, 1};
    return signs[end % 2];
}

/// Springs' forces: force and torque of a thin contact added to those of a body of some radius.
static inline void add_thin(const qdi_thin_force *force, double sign, double radius, qdi_twist *sum) {
    sum->x += sign * force->x;
    sum->y += sign * force->y;
    sum->spin += force->friction * radius; // never -0, as no sum is that begins with 0
}

/// Springs' forces: force and torque of one end added to those of a body.
static inline void add_end(const accumulate_job *job, uint32_t end, double radius, qdi_twist *sum) {
    const size_t place = (end - 1) / 2;
    const double sign = sign_of_end(end);
    if (place < job->thin) {
        add_thin(&job->state->thin_forces[place], sign, radius, sum);
        return;
    }
    const qdi_contact_force *force = &job->forces[place];
    const double turns[2] = {force->turn_b, force->turn_a};
    sum->x += sign * force->x;
    sum->y += sign * force->y;
    sum->spin += turns[end % 2];
}

/// Springs' forces: puts two in order.
static inline void sort_two(uint64_t *p, uint64_t *q) {
    const uint64_t low = *p < *q ? *p : *q, high = *p < *q ? *q : *p;
    *p = low;
    *q = high;
}

/// Springs' forces: puts four in order, whose order is beyond guessing.
static inline void sort_four(uint64_t *of) {
    sort_two(&of[0], &of[1]);
    sort_two(&of[2], &of[3]);
    sort_two(&of[0], &of[2]);
    sort_two(&of[1], &of[3]);
    sort_two(&of[1], &of[2]);
}

/// Springs' forces: the same of eight.
static inline void sort_eight(uint64_t *of) {
    sort_four(of);
    sort_four(of + 4);
    for (int k = 0; k < 4; ++k) sort_two(&of[k], &of[k + 4]);
    sort_two(&of[2], &of[4]);
    sort_two(&of[3], &of[5]);
    for (int k = 1; k < 7; k += 2) sort_two(&of[k], &of[k + 1]);
}

/// Ends that are put in order side by side: more hang on a body that is larger than those around it.
enum { ENDS = 8 };

/// Springs' forces: adds the force and torque of a chain to those on a body.
static void add_chain(const accumulate_job *job, uint32_t head, double radius, qdi_twist *sum) {
    qdi_chain_link *links = job->world->scratch.chain;
    uint64_t ends[ENDS]; // key, end
    uint32_t end = head;
    size_t count = 0;
    for (; end && count < ENDS; end = links[end].next, ++count)
        ends[count] = (uint64_t)links[end].key << 32 | end;
    if (end) {
        for (end = qdi_chain_sort(links, head); end; end = links[end].next) add_end(job, end, radius, sum);
        return;
    }
    if (count == 2) sort_two(&ends[0], &ends[1]);
    if (count > 2) {
        for (size_t k = count; k < ENDS; ++k) ends[k] = UINT64_MAX;
        if (count > 4)
            sort_eight(ends);
        else
            sort_four(ends);
    }
    for (size_t k = 0; k < count; ++k) add_end(job, (uint32_t)ends[k], radius, sum);
}

/// Springs' forces: adds those of the listed ends of a body that belong to contacts; true where there are
/// any.
static inline bool add_listed(const accumulate_job *job, size_t row, double radius, qdi_twist *sum) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t *ends = scratch->end_list, *places = scratch->slot_place;
    const uint32_t *stop = ends + scratch->end_first[row + 1];
    uint32_t least = QDI_MEET_NONE; // the lowest place
    for (const uint32_t *at = ends + scratch->end_first[row]; at < stop; ++at) {
        const uint32_t place = places[(*at - 1) / 2];
        least = place < least ? place : least;
        if (place != QDI_MEET_NONE) add_end(job, 2 * place + 2 - *at % 2, radius, sum);
    }
    return least != QDI_MEET_NONE;
}

/// Springs' forces: the same where contacts are thin, and lists the ends that belong to contacts. Which
/// candidates do is beyond guessing too, so what does not touch has the force of the last place, which is
/// none.
static inline bool add_listed_thin(const accumulate_job *job, size_t row, double radius, uint32_t **touching,
                                   qdi_twist *sum) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t *ends = scratch->end_list, *places = scratch->slot_place;
    const uint32_t *stop = ends + scratch->end_first[row + 1], none = (uint32_t)job->thin;
    const qdi_thin_force *forces = job->state->thin_forces;
    qdi_twist all = {0, 0, 0}; // nobody else adds to it meanwhile
    uint32_t *const first = *touching, *list = first + 2, count[2] = {0, 0};
    for (const uint32_t *at = ends + scratch->end_first[row]; at < stop; ++at) {
        const uint32_t slot = (*at - 1) / 2, held = places[slot], place = held < none ? held : none;
        *list = place - scratch->slot_shift[slot / QDI_CANDIDATE_GRAIN];
        list += place < none;
        count[*at % 2] += place < none;
        add_thin(&forces[place], sign_of_end(*at), radius, &all);
    }
    first[0] = count[0];
    first[1] = count[1];
    *sum = all;
    *touching = list;
    return list > first + 2;
}

/// Forces and torques on the bodies of a range, which of them have any, and how many.
typedef struct range_forces {
    double x[QDI_BODY_GRAIN], y[QDI_BODY_GRAIN], spin[QDI_BODY_GRAIN];
    bool any[QDI_BODY_GRAIN];
    size_t some;
} range_forces;

// ---- kicks ----

/// Accelerations of a range of bodies, by place in the list of those touched, from its begin on.
typedef struct range_twists {
    double *x, *y, *spin;
} range_twists;

/// Springs' forces: where the accelerations of a range of bodies are.
static inline range_twists accelerations_of(const qdi_scratch *scratch, size_t begin) {
    double *first = scratch->accelerations[begin];
    return (range_twists){first, first + QDI_BODY_GRAIN, first + 2 * (size_t)QDI_BODY_GRAIN};
}

// Gives a body its acceleration from springs, which is at some number in its range, over half a step.
static inline void kick_row(const qdi_motion *next, bool turning, range_twists by, size_t number, double half,
                            uint32_t row) {
    next->vx[row] += by.x[number] * half;
    next->vy[row] += by.y[number] * half;
    if (turning) next->spin[row] += by.spin[number] * half;
}

// Whether springs left a body within the limit of speed.
static bool row_within_limits(const accumulate_job *job, uint32_t row) {
    const qdi_motion *next = &job->world->next;
    double vx = next->vx[row], vy = next->vy[row], spin = job->world->turning ? next->spin[row] : 0;
    return vx * vx + vy * vy <= job->fastest && qdi_is_sane(spin);
}

// Springs' forces: the first contact in the chain of forces on a body.
static inline uint32_t chain_head(const _Atomic uint32_t *heads, size_t row) {
    return atomic_load_explicit(&heads[row], memory_order_relaxed);
}

/// Springs' forces: true where eight bodies touch nobody.
static inline bool none_of_eight(const _Atomic uint32_t *at) {
    uint32_t low = chain_head(at, 0) | chain_head(at, 1) | chain_head(at, 2) | chain_head(at, 3);
    uint32_t high = chain_head(at, 4) | chain_head(at, 5) | chain_head(at, 6) | chain_head(at, 7);
    return (low | high) == 0;
}

/// Springs' forces: lists the rows of a range that have contacts; returns where the list ends.
static size_t list_touched(const qdi_scratch *scratch, size_t begin, size_t end) {
    size_t place = begin;
    for (size_t r = begin; r < end; r += 8) {
        if (r + 8 <= end && none_of_eight(&scratch->heads[r])) continue;
        for (size_t k = r; k < r + 8 && k < end; ++k) {
            scratch->touched[place] = (uint32_t)k;
            place += chain_head(scratch->heads, k) != 0;
        }
    }
    return place;
}

/// Of bodies that touch nobody many lie in between: what is needed soon is asked for ahead.
enum { AHEAD = 8 };
// Springs' forces: prefetches the forces in the chain of a body that comes later.
static inline void prefetch_forces(const accumulate_job *job, uint32_t row) {
    const qd_world *world = job->world;
    uint32_t head = chain_head(world->scratch.heads, row);
    __builtin_prefetch(&world->scratch.chain[head], 1);
    const size_t place = (head - 1) / 2;
    __builtin_prefetch(place < job->thin ? (const void *)&job->state->thin_forces[place]
                                         : &job->forces[place]);
    __builtin_prefetch(&world->mass[row]);
    __builtin_prefetch(&world->inertia[row]);
    __builtin_prefetch(&world->next.vx[row], 1);
    __builtin_prefetch(&world->next.vy[row], 1);
    __builtin_prefetch(&world->next.spin[row], 1);
}

/// Springs' forces: finds those of a range's listed bodies that break limits.
static void find_bad(const accumulate_job *job, size_t begin, size_t end, uint32_t *bad) {
    const qd_world *world = job->world;
    for (size_t place = begin; place < end; ++place) {
        const uint32_t row = world->scratch.touched[place];
        if (!row_within_limits(job, row) && world->index[row] < *bad && !qdi_is_ghost(world, row))
            *bad = world->index[row];
    }
}

/// Springs' forces: the acceleration of a body; where there is a kick, also that, and which limit it breaks.
static inline void accelerate(const accumulate_job *job, size_t place, uint32_t row, qdi_twist force,
                              uint32_t *bad) {
    const qd_world *world = job->world;
    const qdi_scratch *scratch = &world->scratch;
    const double mass = world->mass[row];
    const size_t number = place % QDI_BODY_GRAIN;
    const range_twists to = accelerations_of(scratch, place - number);
    scratch->touched[place] = row;
    to.x[number] = force.x / mass;
    to.y[number] = force.y / mass;
    to.spin[number] = force.spin / world->inertia[row];
    if (job->half == 0) return;
    kick_row(&world->next, world->turning, to, number, job->half, row);
    if (!row_within_limits(job, row)) find_bad(job, place, place + 1, bad);
}

/// Springs' forces: accelerations of a range of bodies that have chains; returns where their places end.
static size_t accumulate_chains(const accumulate_job *job, size_t begin, size_t end, uint32_t *bad) {
    const qdi_scratch *scratch = &job->world->scratch;
    const size_t stop = list_touched(scratch, begin, end);
    for (size_t place = begin; place < stop; ++place) {
        const uint32_t row = scratch->touched[place];
        if (place + AHEAD < stop) prefetch_forces(job, scratch->touched[place + AHEAD]);
        qdi_twist force = {0, 0, 0};
        add_chain(job, qdi_chain_take(scratch, row), job->world->radius[row], &force);
        accelerate(job, place, row, force, bad);
    }
    return stop;
}

/// Springs' forces: the same of a range of bodies that all have forces.
static void accelerate_all(const accumulate_job *job, size_t begin, size_t end, const range_forces *forces,
                           uint32_t *bad) {
    const qd_world *world = job->world;
    const range_twists to = accelerations_of(&world->scratch, begin);
    const qdi_motion *next = &world->next;
    const qdi_soft_kick kick = {.x = forces->x,
                                .y = forces->y,
                                .spin = forces->spin,
                                .mass = world->mass + begin,
                                .inertia = world->inertia + begin,
                                .to_x = to.x,
                                .to_y = to.y,
                                .to_spin = to.spin,
                                .vx = next->vx + begin,
                                .vy = next->vy + begin,
                                .turn = world->turning ? next->spin + begin : NULL,
                                .half = job->half,
                                .speed_squared = job->fastest,
                                .most = QDI_FURTHEST};
    for (size_t row = begin; row < end; ++row) world->scratch.touched[row] = (uint32_t)row;
    if (job->kernels->kick(&kick, end - begin)) find_bad(job, begin, end, bad);
}

/// Springs' forces: adds up those of listed ends.
static void add_lists(const accumulate_job *job, size_t begin, size_t end, range_forces *to) {
    const qdi_scratch *scratch = &job->world->scratch;
    const double *radius = job->world->radius;
    _Atomic uint8_t *stale = &scratch->touch_stale[begin / QDI_BODY_GRAIN];
    uint32_t *list = scratch->touch_list + scratch->end_first[begin] + 2 * begin;
    if (job->thin > 0 && !atomic_load_explicit(stale, memory_order_relaxed)) {
        const qdi_soft_ends ends = {list, scratch->slot_shift, job->state->thin_forces};
        to->some = job->kernels->sum(&ends, radius + begin, to->x, to->y, to->spin, to->any, end - begin);
        return;
    }
    to->some = 0;
    for (size_t row = begin, k = 0; row < end; ++row, ++k) {
        qdi_twist force = {0, 0, 0};
        to->any[k] = job->thin > 0 ? add_listed_thin(job, row, radius[row], &list, &force)
                                   : add_listed(job, row, radius[row], &force);
        to->some += to->any[k];
        to->x[k] = force.x;
        to->y[k] = force.y;
        to->spin[k] = force.spin;
    }
    atomic_store_explicit(stale, job->thin > 0 ? 0 : 1, memory_order_relaxed);
}

/// Springs' forces: adds those of contacts with walls, whose ends hang in chains.
static void add_walls(const accumulate_job *job, size_t begin, size_t end, range_forces *to) {
    const qdi_scratch *scratch = &job->world->scratch;
    for (size_t row = begin, k = 0; row < end; ++row, ++k) {
        if (k % 8 == 0 && row + 8 <= end && none_of_eight(&scratch->heads[row])) {
            row += 7;
            k += 7;
            continue;
        }
        const uint32_t head = qdi_chain_take(scratch, row);
        if (!head) continue;
        qdi_twist force = {to->x[k], to->y[k], to->spin[k]};
        add_chain(job, head, job->world->radius[row], &force);
        to->x[k] = force.x;
        to->y[k] = force.y;
        to->spin[k] = force.spin;
        to->some += !to->any[k];
        to->any[k] = true;
    }
}

/// Springs' forces: the same where the ends of pairs are listed.
static size_t accumulate_lists(const accumulate_job *job, size_t begin, size_t end, uint32_t *bad) {
    range_forces forces;
    memset(forces.any, 0, sizeof forces.any);
    add_lists(job, begin, end, &forces);
    add_walls(job, begin, end, &forces);
    if (forces.some == end - begin && job->half > 0) {
        accelerate_all(job, begin, end, &forces, bad);
        return end;
    }
    size_t place = begin;
    for (size_t k = 0; k < end - begin; ++k)
        if (forces.any[k])
            accelerate(job, place++, (uint32_t)(begin + k),
                       (qdi_twist){forces.x[k], forces.y[k], forces.spin[k]}, bad);
    return place;
}

// Springs' forces: accelerations of a range of bodies.
static void accumulate_range(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    uint32_t bad = QD_NO_BODY;
    const size_t stop = job->listed ? accumulate_lists(job, begin, end, &bad)
                                    : accumulate_chains(job, begin, end, &bad);
    job->world->scratch.touched_count[begin / QDI_BODY_GRAIN] = stop - begin;
    if (job->half > 0) job->lowest_bad[begin / QDI_BODY_GRAIN] = bad;
}

// Makes room for spring forces and for accelerations.
static qd_status reserve_forces(const qd_allocator *allocator, qdi_scratch *scratch, size_t rows,
                                size_t contacts, bool placed) {
    qd_status status = qdi_chain_reserve(allocator, scratch, rows, 2 * contacts);
    if (status == QD_OK && !placed)
        status = qdi_reserve(allocator, &scratch->spot_forces, &scratch->spot_force_room, 0, contacts,
                             sizeof *scratch->spot_forces);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->accelerations, &scratch->acceleration_room, 0,
                             qdi_range_count(rows, QDI_BODY_GRAIN) * QDI_BODY_GRAIN,
                             sizeof *scratch->accelerations);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->touched, &scratch->touched_room, 0, rows,
                             sizeof *scratch->touched);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->touched_count, &scratch->touched_count_room, 0,
                             qdi_range_count(rows, QDI_BODY_GRAIN), sizeof *scratch->touched_count);
    return status;
}

// Adds up the spring forces on each body.
static void accumulate_forces(accumulate_job *job) {
    qd_world *world = job->world;
    const qdi_contact_state *state = job->state;
    job->kernels = qdi_soft_kernels_of(world->def.simd);
    job->forces = state->met ? state->forces : world->scratch.spot_forces;
    job->alone = qdi_team_used(world->team) == 1;
    job->first = job->listed ? state->first_wall : 0;
    job->thin = state->thin ? state->first_wall : 0;
    qdi_team_for(world->team, qdi_constraint_count(state) - job->first, QDI_CONTACT_GRAIN, chain_contacts,
                 job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, accumulate_range, job);
}

/// Velocities of `next` as they are in the middle of the step, but for what other forces do.
void qdi_spring_start_rows(const qd_world *world, double dt, size_t begin, size_t end) {
    const qdi_motion *now = &world->now, *next = &world->next;
    const qdi_scratch *scratch = &world->scratch;
    const range_twists by = accelerations_of(scratch, begin);
    const size_t count = scratch->touched_count[begin / QDI_BODY_GRAIN], rows = end - begin;
    const double half = 0.5 * dt;
    if (count == rows) {
        const qdi_soft_kernels *kernels = qdi_soft_kernels_of(world->def.simd);
        kernels->gain(now->vx + begin, by.x, half, next->vx + begin, rows);
        kernels->gain(now->vy + begin, by.y, half, next->vy + begin, rows);
        if (world->turning) kernels->gain(now->spin + begin, by.spin, half, next->spin + begin, rows);
        return;
    }
    memcpy(next->vx + begin, now->vx + begin, rows * sizeof(double));
    memcpy(next->vy + begin, now->vy + begin, rows * sizeof(double));
    if (world->turning) memcpy(next->spin + begin, now->spin + begin, rows * sizeof(double));
    for (size_t k = 0; k < count; ++k)
        kick_row(next, world->turning, by, k, half, scratch->touched[begin + k]);
}

// Starts a range of bodies into the step with accelerations of springs.
static void start_rows(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    qdi_spring_start_rows(job->world, 2 * job->half, begin, end);
}

bool qdi_spring_plain(const qd_world *world) {
    return qdi_springs(world) && qdi_all_are_disks(world) && !qdi_forces_vary(world) &&
           !qdi_forces_settle(world) && qdi_adhesive_range(world) == 0;
}

qd_status qdi_spring_start(qd_world *world, double dt) {
    accumulate_job job = {.world = world, .state = &world->present};
    if (!world->scratch.accelerations_present) {
        qd_status status = reserve_forces(world->allocator, &world->scratch, world->count,
                                          qdi_constraint_count(&world->present), world->present.met);
        if (status != QD_OK) return status;
        if (!world->present.met)
            qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, gather_forces,
                         &job);
        accumulate_forces(&job);
        world->scratch.accelerations_present = true;
    }
    world->scratch.flown = false;
    if (qdi_spring_plain(world)) return QD_OK;
    job.half = 0.5 * dt;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, start_rows, &job);
    return qdi_forces_kick(world, dt);
}

qd_status qdi_spring_finish(qd_world *world, double dt) {
    qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qd_status status = reserve_forces(world->allocator, scratch, world->count,
                                      qdi_constraint_count(&world->following), true);
    uint32_t *lowest_bad = qdi_arena_take(&scratch->arena, ranges, sizeof *lowest_bad);
    if (status != QD_OK || !lowest_bad) return QD_ERR_MEMORY;
    accumulate_job job = {.world = world,
                          .state = &world->following,
                          .listed = world->following.met && scratch->ends_listed,
                          .half = 0.5 * dt,
                          .fastest = qdi_limit_speed_squared(&world->def.limits),
                          .lowest_bad = lowest_bad};
    scratch->accelerations_present = false; // until the step succeeds
    accumulate_forces(&job);
    uint32_t bad = QD_NO_BODY;
    for (size_t k = 0; k < ranges; ++k)
        if (job.lowest_bad[k] < bad) bad = job.lowest_bad[k];
    if (bad == QD_NO_BODY) return QD_OK;
    qdi_limit_report_body(world, world->row_of_index[bad]);
    return QD_ERR_LIMIT;
}
