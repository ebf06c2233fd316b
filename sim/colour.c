// Colouring of the contacts, in parallel and the same for any team (after M. T. Jones and P. E. Plassmann, "A
// parallel graph coloring heuristic", SIAM J. Sci. Comput. 14, 1993): every contact has a unique priority,
// hashed from the ids of its two bodies; in each round, the contacts that are the highest of those left at both
// of their bodies form a colour.
//
// A round is one pass: what has the highest priority at its bodies is settled, and what has not raises its own at them for
// the next round. So each body has two, by parity of the round: one is read while the other is written. A round's number
// is in the top bits, so nothing has to be cleared between rounds. A range of links keeps those that have no colour yet in
// its part of `pending`, and those that have in its part of `settled`, round after round; in the end these are put
// together colour by colour:
//
//   settled   | range 0: 1 1 1 2 2 3 3 | range 1: 1 1 2 2 2 3 | ...      (colours)
//   order     | 1 of range 0, 1 of range 1, ... | 2 of range 0, ...
//
// Shared between ranges: the priorities that are raised. Each is an atomic maximum, and a maximum does not depend on the
// order in which it was taken; relaxed order will do, because the team's barrier after the round publishes it. But links lie in
// the order of the tree, so most bodies have links of one range only, and these are spared the atomic maximum: every range
// writes its number at its bodies (any of several stays), then each that finds another's number says so. What nothing
// moves (a wall, a static or kinematic body) is nobody's partner: contacts with it conflict at one body only, and a floor
// under a thousand boxes makes no thousand colours.

#include "sim/world_impl.h"

#include <string.h>

typedef struct colour_job {
    qdi_link *links;
    size_t link_count, ranges;
    qdi_claims *claims;
    uint32_t *pending; ///< links without a colour, by their places: each range from its own begin on
    uint32_t *settled; ///< links with one, the same
    size_t *left;      ///< pending links per range
    size_t *won;       ///< settled ones per range, in this round
    uint32_t *order;
    size_t colours;
    const size_t *first; ///< by colour and range: where these begin in `order`
    uint64_t round;
    bool alone; ///< no other thread writes
} colour_job;

static inline uint64_t priority_of(const qdi_link *link, uint64_t round) {
    return round << 56 | (uint64_t)(link->hash >> 8) << 32 | link->contact;
}

/// In the place of a range's number: several ranges. Less than any priority.
static const uint64_t several = UINT64_C(1) << 40;

/// Raises a body's priority in a round; `own`: no other thread does. Which of the two is higher is beyond guessing: no branch where
/// that can be.
static inline void raise(const colour_job *job, uint32_t row, bool own, uint64_t round, uint64_t priority) {
    _Atomic uint64_t *slot = &job->claims[row].highest[round % 2];
    uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
    if (own || job->alone) {
        atomic_store_explicit(slot, seen < priority ? priority : seen, memory_order_relaxed);
        return;
    }
    while (seen < priority && !atomic_compare_exchange_weak_explicit(
                                  slot, &seen, priority, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/// True where nobody has raised a body's priority above this one.
static inline bool holds(const colour_job *job, uint32_t row, uint64_t priority) {
    return atomic_load_explicit(&job->claims[row].highest[job->round % 2], memory_order_relaxed) == priority;
}

static void clear(const colour_job *job, uint32_t row, size_t range) {
    atomic_store_explicit(&job->claims[row].highest[0], range, memory_order_relaxed);
    atomic_store_explicit(&job->claims[row].highest[1], 0, memory_order_relaxed);
}

static void clear_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (link->moves_a) clear(job, link->row_a, range);
        if (link->moves_b) clear(job, link->row_b, range);
    }
}

static void object(const colour_job *job, uint32_t row, size_t range) {
    _Atomic uint64_t *number = &job->claims[row].highest[0];
    if (atomic_load_explicit(number, memory_order_relaxed) != range)
        atomic_store_explicit(number, several, memory_order_relaxed);
}

static void object_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (link->moves_a) object(job, link->row_a, range);
        if (link->moves_b) object(job, link->row_b, range);
    }
}

static bool is_own(const colour_job *job, uint32_t row) {
    return atomic_load_explicit(&job->claims[row].highest[0], memory_order_relaxed) != several;
}

static void open_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_link *link = &job->links[i];
        uint64_t priority = priority_of(link, 1);
        job->pending[i] = (uint32_t)i;
        link->own_a = link->moves_a && is_own(job, link->row_a);
        link->own_b = link->moves_b && is_own(job, link->row_b);
        if (link->moves_a) raise(job, link->row_a, link->own_a, 1, priority);
        if (link->moves_b) raise(job, link->row_b, link->own_b, 1, priority);
    }
    job->left[begin / QDI_CONTACT_GRAIN] = end - begin;
}

static size_t links_of(const colour_job *job, size_t range) {
    size_t begin = range * QDI_CONTACT_GRAIN, left = job->link_count - begin;
    return left < QDI_CONTACT_GRAIN ? left : QDI_CONTACT_GRAIN;
}

/// A round of one range.
static void settle(const colour_job *job, size_t range) {
    size_t begin = range * QDI_CONTACT_GRAIN, count = job->left[range], lost = 0, won = 0;
    uint32_t *pending = job->pending + begin, *settled = job->settled + begin + links_of(job, range) - count;
    for (size_t i = 0; i < count; ++i) {
        uint32_t number = pending[i];
        const qdi_link *link = &job->links[number];
        uint64_t priority = priority_of(link, job->round);
        unsigned holds_a = !link->moves_a || holds(job, link->row_a, priority);
        unsigned holds_b = !link->moves_b || holds(job, link->row_b, priority);
        bool wins = holds_a & holds_b;
        settled[won] = number;
        pending[lost] = number;
        won += wins;
        lost += !wins;
        uint64_t next = wins ? 0 : priority_of(link, job->round + 1);
        if (link->moves_a) raise(job, link->row_a, link->own_a, job->round + 1, next);
        if (link->moves_b) raise(job, link->row_b, link->own_b, job->round + 1, next);
    }
    job->left[range] = lost;
    job->won[range] = won;
}

static void settle_ranges(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t range = begin; range < end; ++range) settle(context, range);
}

static void place_ranges(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const colour_job *job = context;
    for (size_t range = begin; range < end; ++range) {
        const uint32_t *settled = job->settled + range * QDI_CONTACT_GRAIN;
        size_t left = links_of(job, range) - job->left[range];
        for (size_t c = 0; left > 0; ++c) {
            // Until the next range's links of this colour, or the first range's of the next colour.
            const size_t *first = job->first + c * job->ranges + range;
            size_t count = first[1] - first[0];
            memcpy(job->order + first[0], settled, count * sizeof *settled);
            settled += count;
            left -= count;
        }
    }
}

static qd_status reserve(qd_world *world, size_t count) {
    qdi_scratch *scratch = &world->scratch;
    const qd_allocator *allocator = world->allocator;
    qd_status status = qdi_reserve(allocator, &scratch->order, &scratch->order_room, 0, count,
                                   sizeof(uint32_t));
    for (int k = 0; k < 2 && status == QD_OK; ++k)
        status = qdi_reserve(allocator, &scratch->pending[k], &scratch->pending_room[k], 0, count,
                             sizeof(uint32_t));
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->claims, &scratch->claim_room, 0, world->count,
                             sizeof *scratch->claims);
    return status;
}

/// Room for what the ranges left, and won in each of some rounds, and one more; what is there stays.
static qd_status reserve_rounds(qd_world *world, colour_job *job, size_t rounds) {
    qdi_scratch *scratch = &world->scratch;
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room,
                                   rounds * job->ranges, (rounds + 1) * job->ranges + 1,
                                   sizeof *scratch->range_count);
    job->left = scratch->range_count;
    job->won = scratch->range_count + rounds * job->ranges;
    return status;
}

/// Puts the links that have no colour in order of (a, b).
static qd_status order_rest(qd_world *world, const colour_job *job, size_t count, uint32_t *order) {
    qdi_keys *keys = &world->scratch.keys;
    qd_status status = qdi_keys_reserve(world->allocator, keys, count);
    if (status != QD_OK) return status;
    size_t place = 0;
    for (size_t range = 0; range < job->ranges; ++range) {
        for (size_t i = 0; i < job->left[range]; ++i, ++place) {
            uint32_t number = job->pending[range * QDI_CONTACT_GRAIN + i];
            keys->key[place] = job->links[number].contact;
            keys->value[place] = number;
        }
    }
    status = qdi_team_sort(world->team, keys->key, keys->value, keys->key_spare, keys->value_spare, count,
                           32);
    for (size_t i = 0; i < count; ++i) order[i] = keys->value[i];
    return status;
}

/// A round; returns how many links it settled, of `left`.
static size_t run_round(qd_world *world, colour_job *job, size_t left) {
    // Ranges become fewer and fewer links: as many of them go to a thread at once as are worth it.
    size_t grain = job->ranges * QDI_CONTACT_GRAIN / left, sum = 0;
    job->alone = grain >= job->ranges || qdi_team_used(world->team) == 1;
    qdi_team_for(world->team, job->ranges, grain, settle_ranges, job);
    for (size_t range = 0; range < job->ranges; ++range) sum += job->won[range];
    return sum;
}

qd_status qdi_colour(qd_world *world, size_t count, qdi_colours *colours) {
    colours->count = colours->start[0] = 0;
    colours->last_is_serial = false;
    if (count == 0) return QD_OK;
    qd_status status = reserve(world, count);
    qdi_scratch *scratch = &world->scratch;
    colour_job job = {.links = scratch->links,
                      .link_count = count,
                      .ranges = qdi_range_count(count, QDI_CONTACT_GRAIN),
                      .claims = scratch->claims,
                      .pending = scratch->pending[0],
                      .settled = scratch->pending[1],
                      .order = scratch->order};
    job.alone = job.ranges == 1 || qdi_team_used(world->team) == 1;
    if (status == QD_OK) status = reserve_rounds(world, &job, 0);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, clear_range, &job);
    if (!job.alone) qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, object_range, &job);
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, open_range, &job);

    size_t done = 0, won = count;
    // A round that settles next to nothing is at a hub, where all contacts share one body: no use in going on.
    while (done < count && colours->count < QDI_COLOURS_MAX && won * 256 >= count - done) {
        job.round = colours->count + 1;
        status = reserve_rounds(world, &job, job.round);
        if (status != QD_OK) return status;
        won = run_round(world, &job, count - done);
        colours->start[colours->count++] = done;
        done += won;
    }
    job.first = job.left + job.ranges;
    job.left[(colours->count + 1) * job.ranges] = 0;
    (void)qdi_exclusive_scan(job.left + job.ranges, colours->count * job.ranges + 1);
    qdi_team_for(world->team, job.ranges, 4, place_ranges, &job);
    colours->last_is_serial = done < count;
    if (colours->last_is_serial) {
        status = order_rest(world, &job, count - done, scratch->order + done);
        colours->start[colours->count++] = done;
    }
    colours->start[colours->count] = count;
    return status;
}
