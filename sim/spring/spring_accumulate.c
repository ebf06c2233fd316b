// Adds the forces of contacts up to accelerations of bodies, and applies the two half kicks. Forces on a body
// add in the order of its contacts' numbers, which is that of its partners: contacts are in order of (a, b),
// so those with lower partners come first, in their order, then those with higher ones, then walls.
//
// Every contact has two ends, one at each body. A first pass hangs each end on its body: an atomic exchange
// makes it the head of the body's chain, whatever head there was comes next. In which order ends come to hang
// there is chance; so the second pass, over bodies, puts each chain in order before it adds it up. Heads are
// 0 (no end) outside of these passes:
//
//   head by row   | 0 | 5 | 0 | 2 |        end 2 s + 1: body a of the contact at spot s; 2 s + 2: body b
//   next by end   |   ...  5 -> 3 -> 8 -> 0
//
// Ends and forces lie by spot here, so what bodies side by side need lies side by side.
//
// A range of bodies writes the accelerations of its own bodies.

#include "sim/spring/spring.h"
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

#include <math.h>
#include <string.h>

typedef struct accumulate_job {
    qd_world *world;
    const qdi_contact_state *state;
    bool alone;                      ///< one thread hangs up all ends
    const qdi_contact_force *forces; ///< by spot
    double half;                     ///< of the step; 0: no kick
    double fastest;
    uint32_t *lowest_bad; ///< per range
} accumulate_job;

// ---- chains ----

// Springs' forces: hangs one end of a contact into the chain of forces on its body.
static inline void chain_end(const accumulate_job *job, uint32_t row, uint32_t end, uint32_t key) {
    const qdi_scratch *scratch = &job->world->scratch;
    uint32_t next;
    if (job->alone) {
        next = atomic_load_explicit(&scratch->heads[row], memory_order_relaxed);
        atomic_store_explicit(&scratch->heads[row], end, memory_order_relaxed);
    } else {
        next = atomic_exchange_explicit(&scratch->heads[row], end, memory_order_relaxed);
    }
    scratch->chain[end] = (qdi_chain_link){next, key};
}

// Springs' forces: hangs the contacts of a range into the chains of forces on their bodies.
static void chain_contacts(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    const qd_world *world = job->world;
    const bool all_move = world->fixed == 0, met = job->state->met;
    for (size_t s = begin; s < end; ++s) {
        const qdi_spot *spot = &job->state->spots[s];
        const uint32_t a = spot->row_a, b = spot->row_b, end_a = 2 * (uint32_t)s + 1;
        uint32_t key_a = spot->contact, key_b = key_a;
        if (met) {
            key_a = b == QDI_NO_ROW ? (uint32_t)QD_WALL_LEFT + spot->wall : world->index[b];
            key_b = world->index[a];
        }
        if (all_move || world->kind[a] == QD_BODY_DYNAMIC) chain_end(job, a, end_a, key_a);
        if (b != QDI_NO_ROW && (all_move || world->kind[b] == QD_BODY_DYNAMIC))
            chain_end(job, b, end_a + 1, key_b);
    }
}

// Springs' forces: forces that lie by number, as the spots do.
static void gather_forces(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    for (size_t s = begin; s < end; ++s)
        job->world->scratch.spot_forces[s] = job->state->forces[job->state->spots[s].contact];
}

/// Springs' forces: two chains in order become one.
static uint32_t merge_chains(qdi_chain_link *links, uint32_t p, uint32_t q) {
    uint32_t first = 0, *tail = &first;
    while (p && q) {
        uint32_t *least = links[p].key < links[q].key ? &p : &q;
        *tail = *least;
        tail = &links[*least].next;
        *least = links[*least].next;
    }
    *tail = p ? p : q;
    return first;
}

/// Springs' forces: puts a chain in order: piece k holds 2^k ends in order, or none.
static uint32_t sort_chain(qdi_chain_link *links, uint32_t head) {
    enum { PIECES = 32 };
    uint32_t piece[PIECES] = {0};
    while (head) {
        uint32_t chain = head;
        head = links[head].next;
        links[chain].next = 0;
        int k = 0;
        for (; piece[k]; ++k) {
            chain = merge_chains(links, piece[k], chain);
            piece[k] = 0;
        }
        piece[k] = chain;
    }
    uint32_t all = 0;
    for (int k = 0; k < PIECES; ++k) all = merge_chains(links, piece[k], all);
    return all;
}

/// Springs' forces: force and torque of one end added to those of a body. Which of its two bodies that is is
/// beyond guessing: hence no branch.
static inline void add_end(const qdi_contact_force *forces, uint32_t end, qdi_twist *sum) {
    const qdi_contact_force *force = &forces[(end - 1) / 2];
    const double sign = (double)(int32_t)(end % 2 * 2) - 1, turns[2] = {force->turn_b, force->turn_a};
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

/// Springs' forces: force and torque on a body.
static qdi_twist add_up(const accumulate_job *job, uint32_t head) {
    qdi_chain_link *links = job->world->scratch.chain;
    const qdi_contact_force *forces = job->forces;
    qdi_twist sum = {0, 0, 0};
    uint64_t ends[ENDS]; // key, end
    uint32_t end = head;
    size_t count = 0;
    for (; end && count < ENDS; end = links[end].next, ++count)
        ends[count] = (uint64_t)links[end].key << 32 | end;
    if (end) {
        for (end = sort_chain(links, head); end; end = links[end].next) add_end(forces, end, &sum);
        return sum;
    }
    if (count == 2) sort_two(&ends[0], &ends[1]);
    if (count > 2) {
        for (size_t k = count; k < ENDS; ++k) ends[k] = UINT64_MAX;
        if (count > 4)
            sort_eight(ends);
        else
            sort_four(ends);
    }
    for (size_t k = 0; k < count; ++k) add_end(forces, (uint32_t)ends[k], &sum);
    return sum;
}

// ---- kicks ----

// Gives a body its acceleration from springs over half a step.
static inline void kick_row(const qdi_motion *next, bool turning, const qdi_scratch *scratch, double half,
                            size_t place) {
    const qdi_twist *acceleration = &scratch->accelerations[place];
    uint32_t row = scratch->touched[place];
    next->vx[row] += acceleration->x * half;
    next->vy[row] += acceleration->y * half;
    if (turning) next->spin[row] += acceleration->spin * half;
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
    __builtin_prefetch(&job->forces[(head - 1) / 2]);
    __builtin_prefetch(&world->mass[row]);
    __builtin_prefetch(&world->inertia[row]);
    __builtin_prefetch(&world->next.vx[row], 1);
    __builtin_prefetch(&world->next.vy[row], 1);
    __builtin_prefetch(&world->next.spin[row], 1);
}

/// Springs' forces: accelerations of bodies; where there is a kick, also that, and which limit it breaks.
static void accumulate_range(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    const qd_world *world = job->world;
    const qdi_scratch *scratch = &world->scratch;
    uint32_t bad = QD_NO_BODY;
    size_t stop = list_touched(scratch, begin, end);
    for (size_t place = begin; place < stop; ++place) {
        uint32_t row = scratch->touched[place];
        if (place + AHEAD < stop) prefetch_forces(job, scratch->touched[place + AHEAD]);
        uint32_t head = chain_head(scratch->heads, row);
        atomic_store_explicit(&scratch->heads[row], 0, memory_order_relaxed);
        qdi_twist force = add_up(job, head);
        double mass = world->mass[row];
        scratch->accelerations[place] = (qdi_twist){force.x / mass, force.y / mass,
                                                    force.spin / world->inertia[row]};
        if (job->half == 0) continue;
        kick_row(&world->next, world->turning, scratch, job->half, place);
        if (!row_within_limits(job, row) && world->index[row] < bad && !qdi_is_ghost(world, row))
            bad = world->index[row];
    }
    scratch->touched_count[begin / QDI_BODY_GRAIN] = stop - begin;
    if (job->half > 0) job->lowest_bad[begin / QDI_BODY_GRAIN] = bad;
}

// Makes room for spring forces and for accelerations.
static qd_status reserve_forces(const qd_allocator *allocator, qdi_scratch *scratch, size_t rows,
                                size_t contacts, bool placed) {
    const size_t ends = 2 * contacts + 1;
    qd_status status = qdi_reserve(allocator, &scratch->chain, &scratch->chain_room, 0, ends,
                                   sizeof *scratch->chain);
    if (status == QD_OK && !placed)
        status = qdi_reserve(allocator, &scratch->spot_forces, &scratch->spot_force_room, 0, contacts,
                             sizeof *scratch->spot_forces);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->accelerations, &scratch->acceleration_room, 0, rows,
                             sizeof *scratch->accelerations);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->touched, &scratch->touched_room, 0, rows,
                             sizeof *scratch->touched);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->touched_count, &scratch->touched_count_room, 0,
                             qdi_range_count(rows, QDI_BODY_GRAIN), sizeof *scratch->touched_count);
    size_t room = scratch->head_room;
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->heads, &scratch->head_room, 0, rows,
                             sizeof *scratch->heads);
    if (status == QD_OK && scratch->head_room > room)
        for (size_t r = 0; r < scratch->head_room; ++r) atomic_init(&scratch->heads[r], 0);
    return status;
}

// Adds up the spring forces on each body.
static void accumulate_forces(accumulate_job *job) {
    qd_world *world = job->world;
    const qdi_contact_state *state = job->state;
    job->forces = state->met ? state->forces : world->scratch.spot_forces;
    job->alone = qdi_team_used(world->team) == 1;
    qdi_team_for(world->team, qdi_constraint_count(job->state), QDI_TOUCH_GRAIN, chain_contacts, job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, accumulate_range, job);
}

/// Velocities of `next` as they are in the middle of the step, but for what other forces do.
void qdi_spring_start_rows(const qd_world *world, double dt, size_t begin, size_t end) {
    const qdi_motion *now = &world->now, *next = &world->next;
    size_t bytes = (end - begin) * sizeof(double);
    memcpy(next->vx + begin, now->vx + begin, bytes);
    memcpy(next->vy + begin, now->vy + begin, bytes);
    if (world->turning) memcpy(next->spin + begin, now->spin + begin, bytes);
    size_t count = world->scratch.touched_count[begin / QDI_BODY_GRAIN];
    for (size_t k = 0; k < count; ++k) kick_row(next, world->turning, &world->scratch, 0.5 * dt, begin + k);
}

// Starts a range of bodies into the step with accelerations of springs.
static void start_rows(void *context, size_t begin, size_t end) {
    const accumulate_job *job = context;
    qdi_spring_start_rows(job->world, 2 * job->half, begin, end);
}

bool qdi_spring_plain(const qd_world *world) {
    return qdi_springs(world) && world->shaped == 0 && world->fixed == 0 && !qdi_forces_vary(world) &&
           !qdi_forces_settle(world) && qdi_adhesive_range(world) == 0;
}

qd_status qdi_spring_start(qd_world *world, double dt) {
    accumulate_job job = {.world = world, .state = &world->present};
    if (!world->scratch.accelerations_present) {
        qd_status status = reserve_forces(world->allocator, &world->scratch, world->count,
                                          qdi_constraint_count(&world->present), world->present.met);
        if (status != QD_OK) return status;
        if (!world->present.met)
            qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_TOUCH_GRAIN, gather_forces,
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
