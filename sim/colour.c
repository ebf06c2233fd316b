// Colouring of the contacts, in parallel and the same for any team (after M. T. Jones and P. E. Plassmann, "A
// parallel graph coloring heuristic", SIAM J. Sci. Comput. 14, 1993): every contact has a unique priority,
// hashed from the ids of its two bodies; in each round, the contacts that are the highest of those left at both
// of their bodies form a colour.
//
// Shared between ranges: `priority` of each body, the highest of its contacts in this round. It is an atomic
// maximum, and a maximum does not depend on the order in which it was taken; relaxed order will do, because
// the team's barrier between the two passes of a round publishes it. A round's number is in the top bits, so
// that nothing has to be cleared between rounds. What nothing moves (a wall, a static or kinematic body) is nobody's
// partner: contacts with it conflict at one body only, and a floor under a thousand boxes makes no thousand colours.

#include "sim/world_impl.h"

typedef struct colour_job {
    const qdi_link *links;
    _Atomic uint64_t *priority;
    const uint32_t *pending; ///< contacts without a colour, by their places
    uint32_t *left;          ///< those that stay so
    uint8_t *won;
    uint32_t *order;   ///< where this round's colour begins
    size_t *won_count; ///< per range
    uint64_t round;
    bool alone; ///< one range only: no other thread writes
} colour_job;

static uint64_t priority_of(const colour_job *job, uint32_t number) {
    const qdi_link *link = &job->links[number];
    return job->round << 56 | (uint64_t)(link->hash >> 8) << 32 | link->contact;
}

static void raise(const colour_job *job, uint32_t row, uint64_t priority) {
    _Atomic uint64_t *slot = &job->priority[row];
    uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
    if (job->alone) {
        if (seen < priority) atomic_store_explicit(slot, priority, memory_order_relaxed);
        return;
    }
    while (seen < priority && !atomic_compare_exchange_weak_explicit(
                                  slot, &seen, priority, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void clear_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (link->moves_a) atomic_store_explicit(&job->priority[link->row_a], 0, memory_order_relaxed);
        if (link->moves_b) atomic_store_explicit(&job->priority[link->row_b], 0, memory_order_relaxed);
    }
}

static void raise_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[job->pending[i]];
        uint64_t priority = priority_of(job, job->pending[i]);
        if (link->moves_a) raise(job, link->row_a, priority);
        if (link->moves_b) raise(job, link->row_b, priority);
    }
}

/// True where nobody has raised a body's priority above this one.
static bool holds(const colour_job *job, uint32_t row, uint64_t priority) {
    return atomic_load_explicit(&job->priority[row], memory_order_relaxed) == priority;
}

static void judge_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[job->pending[i]];
        uint64_t priority = priority_of(job, job->pending[i]);
        bool won = (!link->moves_a || holds(job, link->row_a, priority)) &&
                   (!link->moves_b || holds(job, link->row_b, priority));
        job->won[i] = won;
        count += won;
    }
    job->won_count[begin / QDI_CONTACT_GRAIN] = count;
}

static void part_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    size_t won = job->won_count[begin / QDI_CONTACT_GRAIN], left = begin - won;
    for (size_t i = begin; i < end; ++i) {
        if (job->won[i])
            job->order[won++] = job->pending[i];
        else
            job->left[left++] = job->pending[i];
    }
}

static void number_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    uint32_t *pending = context;
    for (size_t i = begin; i < end; ++i) pending[i] = (uint32_t)i;
}

static qd_status reserve(qd_world *world, size_t count) {
    qdi_scratch *scratch = &world->scratch;
    const qd_allocator *allocator = world->allocator;
    qd_status status = qdi_reserve(allocator, &scratch->order, &scratch->order_room, 0, count,
                                   sizeof(uint32_t));
    for (int k = 0; k < 2 && status == QD_OK; ++k)
        status = qdi_reserve(allocator, &scratch->pending[k], &scratch->pending_room[k], 0, count,
                             sizeof(uint32_t));
    if (status == QD_OK) status = qdi_reserve(allocator, &scratch->won, &scratch->won_room, 0, count, 1);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->range_count, &scratch->range_room, 0,
                             qdi_range_count(count, QDI_CONTACT_GRAIN), sizeof *scratch->range_count);
    return status;
}

/// Puts the links that have no colour in order of (a, b).
static qd_status order_rest(qd_world *world, const uint32_t *left, size_t count, uint32_t *order) {
    qdi_keys *keys = &world->scratch.keys;
    qd_status status = qdi_keys_reserve(world->allocator, keys, count);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i) {
        keys->key[i] = world->scratch.links[left[i]].contact;
        keys->value[i] = left[i];
    }
    status = qdi_team_sort(world->team, keys->key, keys->value, keys->key_spare, keys->value_spare, count,
                           32);
    for (size_t i = 0; i < count; ++i) order[i] = keys->value[i];
    return status;
}

qd_status qdi_colour(qd_world *world, size_t count, qdi_colours *colours) {
    qd_status status = reserve(world, count);
    if (status != QD_OK) return status;
    qdi_scratch *scratch = &world->scratch;
    qd_team *team = world->team;
    colour_job job = {.links = scratch->links,
                      .priority = world->priority,
                      .won = scratch->won,
                      .won_count = scratch->range_count};
    qdi_team_for(team, count, QDI_CONTACT_GRAIN, clear_range, &job);
    qdi_team_for(team, count, QDI_CONTACT_GRAIN, number_range, scratch->pending[0]);

    size_t done = 0, won = count;
    colours->count = 0;
    // A round that settles next to nothing is at a hub, where all contacts share one body: no use in going on.
    while (done < count && colours->count < QDI_COLOURS_MAX && won * 256 >= count - done) {
        size_t left = count - done;
        job.pending = scratch->pending[colours->count % 2];
        job.left = scratch->pending[1 - colours->count % 2];
        job.order = scratch->order + done;
        job.round = colours->count + 1;
        job.alone = left <= QDI_CONTACT_GRAIN || qd_team_threads(team) == 1;
        qdi_team_for(team, left, QDI_CONTACT_GRAIN, raise_range, &job);
        qdi_team_for(team, left, QDI_CONTACT_GRAIN, judge_range, &job);
        won = qdi_exclusive_scan(job.won_count, qdi_range_count(left, QDI_CONTACT_GRAIN));
        qdi_team_for(team, left, QDI_CONTACT_GRAIN, part_range, &job);
        colours->start[colours->count++] = done;
        done += won;
    }
    colours->last_is_serial = done < count;
    if (colours->last_is_serial) {
        status = order_rest(world, scratch->pending[colours->count % 2], count - done, scratch->order + done);
        colours->start[colours->count++] = done;
    }
    colours->start[colours->count] = count;
    return status;
}
