// Colouring of the contacts, in parallel and the same for any team: contacts in order of a priority, hashed
// from the names of their two bodies, each take the smallest colour that none of the two has yet. What
// nothing moves (a wall, a static or kinematic body) is nobody's partner: a floor under a thousand boxes
// makes no thousand colours. A body has QDI_COLOURS_MAX colours; contacts that find none free make a last
// one, in order of (a, b), whose contacts may share bodies.
//
// Links lie in the order of the tree, so most bodies have links of one range only. Each range goes through
// its links by priority. One with a body that another range has too must wait, and so must those after it at
// its bodies; every other link comes after all that are before it at its bodies, as in one list of all, and
// takes its colour. What waits goes through the same once more, several ranges together, then several of
// those, until there is one. So each colour is what the one list gives, whatever the ranges: what is left to
// one thread are links along the borders of the largest parts.
//
//   ranges       | 3 1 7 4 | 6 2 8 5 | ...      links by priority; 7 and 6 share a body, 7 and 4 another
//   wait         | 7 4     | 6       | ...      the others have their colours
//   together     | 7 6 4             | ...
//
// While the set of contacts stays the same, as it does for most steps of what lies still, its colours are
// kept. In the end the links are counted by colour and range, and put together colour by colour:
//
//   coloured | colour 0 of range 0, colour 0 of range 1, ... | colour 1 of range 0, ...
//
// Shared between ranges: the least and the largest number of the ranges that a body has links of, which do
// not depend on the order in which they are taken; they are there before the first link is painted. What else
// is written of a body, the one group of ranges writes that has all of its links that are left.

#include "sim/rigid/colour.h"

#include "core/parallel/atomic_extreme.h"
#include "core/parallel/sort.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

enum { SERIAL = QDI_COLOURS_MAX, PRIORITY_BITS = 12, RANK_BITS = 32 };

/// So many parts go together into one: 2^4.
enum { JOIN_BITS = 4 };

/// What is known of a body while its links are coloured: its colours by bit, and the ranges of its links; in
/// `low`, above a range's number, the round in which links of it began to wait.
typedef struct painted {
    _Atomic uint64_t used;
    _Atomic uint32_t low, high;
} painted;

enum { RANGE_BITS = 26 };

typedef struct colour_job {
    const qdi_link *links;
    size_t link_count, ranges;
    painted *bodies;   ///< by row
    uint8_t *colour;   ///< by link
    uint32_t *waiting; ///< links without a colour: each part from its first range's begin on
    size_t *left;      ///< how many these are, by the first range of a part
    size_t *first;     ///< by colour and range: how many links, then where these begin in `coloured`
    uint32_t *order;   ///< links in order of colour
    qdi_link *coloured;
    qdi_keys keys;
    unsigned round; ///< from 0 on; a part has 2^(JOIN_BITS * round) ranges
} colour_job;

// ---- bodies ----

/// Colours of contacts: a body without colours, of a range.
static void open_body(const colour_job *job, uint32_t row, uint32_t range) {
    painted *body = &job->bodies[row];
    atomic_store_explicit(&body->used, 0, memory_order_relaxed);
    atomic_store_explicit(&body->low, range, memory_order_relaxed);
    atomic_store_explicit(&body->high, range, memory_order_relaxed);
}

/// Colours of contacts: notes that a body has links of a range.
static void span_body(const colour_job *job, uint32_t row, uint32_t range) {
    qdi_atomic_min_u32(&job->bodies[row].low, range);
    qdi_atomic_max_u32(&job->bodies[row].high, range);
}

/// Colours of contacts: true for a body all of whose links that are left are in one part.
static bool is_own(const colour_job *job, uint32_t row) {
    const painted *body = &job->bodies[row];
    const uint32_t low = atomic_load_explicit(&body->low, memory_order_relaxed) & ((1U << RANGE_BITS) - 1),
                   high = atomic_load_explicit(&body->high, memory_order_relaxed);
    return (low ^ high) >> (JOIN_BITS * job->round) == 0;
}

/// Colours of contacts: true where the links of a body have to wait.
static bool waits(const colour_job *job, uint32_t row) {
    const uint32_t low = atomic_load_explicit(&job->bodies[row].low, memory_order_relaxed);
    return low >> RANGE_BITS == job->round + 1 || !is_own(job, row);
}

/// Colours of contacts: from now on links of a body wait. Those of several parts do anyway.
static void make_wait(const colour_job *job, uint32_t row) {
    if (!is_own(job, row)) return;
    _Atomic uint32_t *low = &job->bodies[row].low;
    const uint32_t range = atomic_load_explicit(low, memory_order_relaxed) & ((1U << RANGE_BITS) - 1);
    atomic_store_explicit(low, (job->round + 1) << RANGE_BITS | range, memory_order_relaxed);
}

/// Colours of contacts: the colours of a body, by bit.
static uint64_t used_at(const colour_job *job, uint32_t row) {
    return atomic_load_explicit(&job->bodies[row].used, memory_order_relaxed);
}

/// Colours of contacts: gives a body a colour more.
static void use(const colour_job *job, uint32_t row, uint64_t used) {
    atomic_store_explicit(&job->bodies[row].used, used_at(job, row) | used, memory_order_relaxed);
}

// ---- links ----

/// Colours of contacts: the bodies of a range of links.
static void open_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    const uint32_t range = (uint32_t)(begin / QDI_CANDIDATE_GRAIN);
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        job->waiting[i] = (uint32_t)i;
        if (link->moves_a) open_body(job, link->row_a, range);
        if (link->moves_b) open_body(job, link->row_b, range);
    }
    job->left[range] = end - begin;
}

/// Colours of contacts: notes of which ranges the bodies of a range of links are.
static void span_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    const uint32_t range = (uint32_t)(begin / QDI_CANDIDATE_GRAIN);
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (link->moves_a) span_body(job, link->row_a, range);
        if (link->moves_b) span_body(job, link->row_b, range);
    }
}

/// Gives a link the smallest colour that is free at both of its bodies.
static inline void paint(const colour_job *job, uint32_t number) {
    const qdi_link *link = &job->links[number];
    uint64_t used = link->moves_a ? used_at(job, link->row_a) : 0;
    if (link->moves_b) used |= used_at(job, link->row_b);
    if (~used == 0) {
        job->colour[number] = SERIAL;
        return;
    }
    const uint64_t bit = ~used & (used + 1);
    job->colour[number] = (uint8_t)__builtin_ctzll(bit);
    if (link->moves_a) use(job, link->row_a, bit);
    if (link->moves_b) use(job, link->row_b, bit);
}

/// Up to so many links of a part next to none have the same bits of the hash.
enum { MANY_ALIKE = 16 << PRIORITY_BITS };

/// Colours of contacts: the bits of a link's hash that count.
static inline uint64_t hash_of(const qdi_link *link) {
    return link->hash >> (32 - PRIORITY_BITS);
}

/// Colours of contacts: puts the links of a part that are left in order; returns how many. The last one is
/// the first by priority: by the bits of the hash, then by rank. No two are equal.
static size_t sort_part(const colour_job *job, size_t first, size_t last) {
    const size_t begin = first * QDI_CANDIDATE_GRAIN,
                 step = job->round > 0 ? (size_t)1 << (JOIN_BITS * (job->round - 1)) : 1;
    uint64_t *keys = job->keys.key + begin;
    uint32_t *values = job->keys.value + begin;
    size_t count = 0;
    for (size_t range = first; range < last; range += step) {
        const uint32_t *waiting = job->waiting + range * QDI_CANDIDATE_GRAIN;
        for (size_t i = 0; i < job->left[range]; ++i, ++count) {
            const qdi_link *link = &job->links[waiting[i]];
            keys[count] = hash_of(link) << RANK_BITS | link->rank;
            values[count] = waiting[i];
        }
    }
    const bool many = count > MANY_ALIKE;
    qdi_sort(keys, values, job->keys.key_spare + begin, job->keys.value_spare + begin, count,
             many ? 0 : RANK_BITS);
    if (!many) qdi_sort_near(keys, values, count); // by rank, those that are alike
    return count;
}

/// Colours of contacts: goes through the links that are left, part by part.
static void paint_parts(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    const size_t size = (size_t)1 << (JOIN_BITS * job->round);
    for (size_t part = begin; part < end; ++part) {
        const size_t first = part * size, last = first + size < job->ranges ? first + size : job->ranges;
        const uint32_t *values = job->keys.value + first * QDI_CANDIDATE_GRAIN;
        uint32_t *waiting = job->waiting + first * QDI_CANDIDATE_GRAIN;
        size_t left = 0;
        for (size_t i = sort_part(job, first, last); i-- > 0;) {
            const qdi_link *link = &job->links[values[i]];
            if ((link->moves_a && waits(job, link->row_a)) || (link->moves_b && waits(job, link->row_b))) {
                if (link->moves_a) make_wait(job, link->row_a);
                if (link->moves_b) make_wait(job, link->row_b);
                waiting[left++] = values[i];
            } else {
                paint(job, values[i]);
            }
        }
        job->left[first] = left;
    }
}

/// Colours of contacts: one thread gives each link its colour. As keys lie in order of rank at first, the
/// sort has them by hash, then by rank.
static void paint_alone(const colour_job *job) {
    const qdi_keys *keys = &job->keys;
    for (size_t i = 0; i < job->link_count; ++i) {
        const qdi_link *link = &job->links[i];
        keys->key[link->rank] = hash_of(link);
        keys->value[link->rank] = (uint32_t)i;
    }
    qdi_sort(keys->key, keys->value, keys->key_spare, keys->value_spare, job->link_count, 0);
    for (size_t i = job->link_count; i-- > 0;) paint(job, keys->value[i]);
}

/// Colours of contacts: the threads of a team give each link its colour.
static void paint_together(qd_team *team, colour_job *job) {
    qdi_team_for(team, job->link_count, QDI_CANDIDATE_GRAIN, open_range, job);
    qdi_team_for(team, job->link_count, QDI_CANDIDATE_GRAIN, span_range, job);
    for (size_t parts = job->ranges;; parts = qdi_range_count(parts, (size_t)1 << JOIN_BITS), ++job->round) {
        qdi_team_for(team, parts, 1, paint_parts, job);
        if (parts == 1) return;
    }
}

// ---- by colour ----

/// Counts the links of each colour, range by range.
static void count_ranges(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    size_t range = begin / QDI_CANDIDATE_GRAIN, counts[SERIAL + 1] = {0};
    for (size_t i = begin; i < end; ++i) ++counts[job->colour[i]];
    for (size_t c = 0; c <= SERIAL; ++c) job->first[c * job->ranges + range] = counts[c];
}

/// Works out where each range puts its links of a colour.
static void place_ranges(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    size_t range = begin / QDI_CANDIDATE_GRAIN, next[SERIAL + 1];
    for (size_t c = 0; c <= SERIAL; ++c) next[c] = job->first[c * job->ranges + range];
    for (size_t i = begin; i < end; ++i) job->order[next[job->colour[i]]++] = (uint32_t)i;
}

/// Puts the links of the last colour in order of (a, b).
static qd_status order_serial(qd_world *world, const colour_job *job, size_t first) {
    qdi_keys keys;
    const size_t count = job->link_count - first;
    qd_status status = qdi_keys_take(&world->scratch.arena, count, &keys);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i) {
        keys.value[i] = job->order[first + i];
        keys.key[i] = job->links[keys.value[i]].rank;
    }
    status = qdi_keys_sort(world->team, &keys, count, 32);
    for (size_t i = 0; i < count && status == QD_OK; ++i) job->order[first + i] = keys.value[i];
    return status;
}

/// Puts a range of links in order of colour.
static void put_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    for (size_t i = begin; i < end; ++i) job->coloured[i] = job->links[job->order[i]];
}

/// Makes room for the colours of links.
static qd_status reserve(qd_world *world, size_t count) {
    qdi_scratch *scratch = &world->scratch;
    scratch->coloured = qdi_arena_take(&scratch->arena, count, sizeof *scratch->coloured);
    if (!scratch->coloured) return QD_ERR_MEMORY;
    return qdi_reserve(world->allocator, &scratch->colour_order, &scratch->colour_order_room, 0, count,
                       sizeof *scratch->colour_order);
}

/// Colours all links; on failure the scratch has no colours.
static qd_status colour_all(qd_world *world, colour_job *job, qdi_colours *colours) {
    const size_t count = job->link_count, ranges = job->ranges;
    qdi_arena *arena = &world->scratch.arena;
    job->bodies = qdi_arena_take(arena, world->count, sizeof *job->bodies);
    job->colour = qdi_arena_take(arena, count, sizeof *job->colour);
    job->waiting = qdi_arena_take(arena, count, sizeof *job->waiting);
    job->left = qdi_arena_take(arena, ranges, sizeof *job->left);
    job->first = qdi_arena_take(arena, (SERIAL + 1) * ranges + 1, sizeof *job->first);
    if (!job->bodies || !job->colour || !job->waiting || !job->left || !job->first) return QD_ERR_MEMORY;
    const qd_status status = qdi_keys_take(arena, count, &job->keys);
    if (status != QD_OK) return status;
    colours->count = colours->start[0] = 0;
    if (ranges == 1 || qdi_team_used(world->team) == 1) {
        qdi_team_zero(world->team, job->bodies, world->count * sizeof *job->bodies);
        paint_alone(job);
    } else {
        paint_together(world->team, job);
    }

    qdi_team_for(world->team, count, QDI_CANDIDATE_GRAIN, count_ranges, job);
    job->first[(SERIAL + 1) * ranges] = 0;
    (void)qdi_exclusive_scan(job->first, (SERIAL + 1) * ranges + 1);
    qdi_team_for(world->team, count, QDI_CANDIDATE_GRAIN, place_ranges, job);
    const size_t serial = job->first[SERIAL * ranges];
    for (size_t c = 0; c <= SERIAL && job->first[c * ranges] < count;
         ++c) // a colour is taken only where those before it are
        colours->start[colours->count++] = job->first[c * ranges];
    colours->start[colours->count] = count;
    colours->last_is_serial = serial < count;
    return serial < count ? order_serial(world, job, serial) : QD_OK;
}

qd_status qdi_colour(qd_world *world, size_t count, bool changed, qdi_colours *colours) {
    *colours = (qdi_colours){.count = 0};
    if (count == 0) return QD_OK;
    qdi_scratch *scratch = &world->scratch;
    changed = changed || scratch->link_count != count;
    if (changed) scratch->link_count = 0;
    qd_status status = reserve(world, count);
    if (status != QD_OK) return status;
    colour_job job = {.links = scratch->links,
                      .link_count = count,
                      .ranges = qdi_range_count(count, QDI_CANDIDATE_GRAIN),
                      .order = scratch->colour_order,
                      .coloured = scratch->coloured};
    if (changed) status = colour_all(world, &job, &scratch->colours);
    if (status != QD_OK) return status;
    scratch->link_count = count;
    *colours = scratch->colours;
    qdi_team_for(world->team, count, QDI_CANDIDATE_GRAIN, put_range, &job);
    return QD_OK;
}
