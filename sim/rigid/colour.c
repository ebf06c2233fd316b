// Colouring of the contacts, in parallel and the same for any team: contacts in order of a priority, hashed
// from the indices of their two bodies, each take the smallest colour that none of the two has yet. What
// nothing moves (a wall, a static or kinematic body) is nobody's partner: a floor under a thousand boxes
// makes no thousand colours. A body has QDI_COLOURS_MAX colours; contacts that find none free make a last
// one, in order of (a, b), whose contacts may share bodies.
//
// A few threads sort the contacts, and one goes through them. Many begin with rounds (after M. T. Jones and
// P. E. Plassmann, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14, 1993): what has the
// highest priority of those left at both of its bodies takes its colour, for everything before it in the
// order of the greedy has one; what has not raises its own at them for the next round. When rounds settle
// little, the rest is sorted. The greedy is one function of the set of contacts, so both give the same; and
// while the set stays the same, as it does for most steps of what lies still, its colours are kept.
//
// Each body has two highest priorities, by parity of the round: one is read while the other is written. A
// round's number is in the top bits, so nothing has to be cleared between rounds. A range of links keeps
// those that have no colour yet in its part of `pending`. In the end the links are counted by colour and
// range, and put together colour by colour:
//
//   coloured | colour 0 of range 0, colour 0 of range 1, ... | colour 1 of range 0, ...
//
// Shared between ranges: the priorities that are raised. Each is an atomic maximum, and a maximum does not
// depend on the order in which it was taken; relaxed order will do, because the team's barrier after the
// round publishes it. But links lie in the order of the tree, so most bodies have links of one range only,
// and these are spared the atomic maximum: every range writes its number at its bodies (any of several
// stays), then each that finds another's number says so. The colours of a body are written by the one contact
// that holds it in a round.

#include "sim/rigid/colour.h"

#include "core/parallel/atomic_extreme.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

enum { SERIAL = QDI_COLOURS_MAX, PRIORITY_BITS = 12, FEW = 1024 };

/// So many threads are faster than one: a contact takes twenty times as long in rounds as in the greedy.
enum { MANY_THREADS = 16 };

typedef struct colour_job {
    qdi_link *links;
    size_t link_count, ranges;
    qdi_claims *claims; ///< by row, where there are rounds
    uint64_t *used;     ///< by row: the colours that its links have, by bit
    uint8_t *colour;    ///< by link
    uint32_t *pending;  ///< links without a colour: each range from its own begin on
    size_t *left;       ///< pending links per range
    size_t *first;      ///< by colour and range: how many links, then where these begin in `coloured`
    uint32_t *order;    ///< links in order of colour
    qdi_link *coloured;
    qdi_keys *keys; ///< of the greedy
    uint64_t round;
    bool alone; ///< no other thread writes
} colour_job;

/// Colours of contacts: of a link among all; higher ones come first. No two are equal.
static inline uint64_t priority_of(const qdi_link *link) {
    return (uint64_t)(link->hash >> (32 - PRIORITY_BITS)) << 32 | link->rank;
}

/// A link's claim in a round of colouring: a higher one beats a lower one.
static inline uint64_t claim_of(const qdi_link *link, uint64_t round) {
    return round << (32 + PRIORITY_BITS) | priority_of(link);
}

/// In the place of a range's number: several ranges. Less than any claim of a round.
static const uint64_t several = UINT64_C(1) << 40;

/// Colours of contacts: raises a body's claim; `own`: no other thread does. Which of the two is higher is
/// beyond guessing: no branch where that can be.
static inline void raise(const colour_job *job, uint32_t row, bool own, uint64_t round, uint64_t claim) {
    _Atomic uint64_t *slot = &job->claims[row].highest[round % 2];
    if (own || job->alone) {
        const uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
        atomic_store_explicit(slot, seen < claim ? claim : seen, memory_order_relaxed);
        return;
    }
    qdi_atomic_max_u64(slot, claim);
}

/// Colours of contacts: true where nobody has raised a body's claim above this one.
static inline bool holds(const colour_job *job, uint32_t row, uint64_t claim) {
    return atomic_load_explicit(&job->claims[row].highest[job->round % 2], memory_order_relaxed) == claim;
}

/// Gives a link the smallest colour that is free at both of its bodies.
static inline void paint(const colour_job *job, uint32_t number) {
    const qdi_link *link = &job->links[number];
    uint64_t used = link->moves_a ? job->used[link->row_a] : 0;
    if (link->moves_b) used |= job->used[link->row_b];
    if (~used == 0) {
        job->colour[number] = SERIAL;
        return;
    }
    const uint64_t bit = ~used & (used + 1);
    job->colour[number] = (uint8_t)__builtin_ctzll(bit);
    if (link->moves_a) job->used[link->row_a] |= bit;
    if (link->moves_b) job->used[link->row_b] |= bit;
}

/// Colours of contacts: writes a range's number at a body, and takes its claims away.
static void clear(const colour_job *job, uint32_t row, size_t range) {
    atomic_store_explicit(&job->claims[row].highest[0], range, memory_order_relaxed);
    atomic_store_explicit(&job->claims[row].highest[1], 0, memory_order_relaxed);
}

/// Colours of contacts: writes the number of a range of links at their bodies.
static void clear_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (link->moves_a) clear(job, link->row_a, range);
        if (link->moves_b) clear(job, link->row_b, range);
    }
}

/// Colours of contacts: notes at a body that links of several ranges share it.
static void object(const colour_job *job, uint32_t row, size_t range) {
    _Atomic uint64_t *number = &job->claims[row].highest[0];
    if (atomic_load_explicit(number, memory_order_relaxed) != range)
        atomic_store_explicit(number, several, memory_order_relaxed);
}

/// Colours of contacts: notes at the bodies of a range of links whether other ranges share them.
static void object_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (link->moves_a) object(job, link->row_a, range);
        if (link->moves_b) object(job, link->row_b, range);
    }
}

/// Colours of contacts: true for a body whose links are all in one range.
static bool is_own(const colour_job *job, uint32_t row) {
    return atomic_load_explicit(&job->claims[row].highest[0], memory_order_relaxed) != several;
}

/// Begins the colouring of a range of links: all are pending, and raise their claims.
static void open_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_link *link = &job->links[i];
        uint64_t claim = claim_of(link, 1);
        job->pending[i] = (uint32_t)i;
        link->own_a = link->moves_a && is_own(job, link->row_a);
        link->own_b = link->moves_b && is_own(job, link->row_b);
        if (link->moves_a) raise(job, link->row_a, link->own_a, 1, claim);
        if (link->moves_b) raise(job, link->row_b, link->own_b, 1, claim);
    }
    job->left[begin / QDI_CONTACT_GRAIN] = end - begin;
}

/// Colours of contacts: a round of one range.
static void settle(const colour_job *job, size_t range) {
    uint32_t *pending = job->pending + range * QDI_CONTACT_GRAIN;
    size_t count = job->left[range], lost = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t number = pending[i];
        const qdi_link *link = &job->links[number];
        uint64_t claim = claim_of(link, job->round);
        unsigned holds_a = !link->moves_a || holds(job, link->row_a, claim);
        unsigned holds_b = !link->moves_b || holds(job, link->row_b, claim);
        bool wins = holds_a & holds_b;
        if (wins) paint(job, number);
        pending[lost] = number;
        lost += !wins;
        uint64_t next = wins ? 0 : claim_of(link, job->round + 1);
        if (link->moves_a) raise(job, link->row_a, link->own_a, job->round + 1, next);
        if (link->moves_b) raise(job, link->row_b, link->own_b, job->round + 1, next);
    }
    job->left[range] = lost;
}

/// Colours of contacts: a round of several ranges.
static void settle_ranges(void *context, size_t begin, size_t end) {
    for (size_t range = begin; range < end; ++range) settle(context, range);
}

/// Colours of contacts: rounds until few links are left; returns how many.
static size_t run_rounds(qd_world *world, colour_job *job) {
    size_t left = job->link_count;
    qdi_team_for(world->team, left, QDI_CONTACT_GRAIN, clear_range, job);
    qdi_team_for(world->team, left, QDI_CONTACT_GRAIN, object_range, job);
    qdi_team_for(world->team, left, QDI_CONTACT_GRAIN, open_range, job);
    size_t won = left;
    // A round that settles next to nothing is at a hub, where all contacts share one body: no use in going
    // on.
    for (job->round = 1; left > FEW && won * 64 >= left; ++job->round) {
        // Ranges become fewer and fewer links: as many of them go to a thread at once as are worth it.
        size_t grain = job->ranges * QDI_CONTACT_GRAIN / left, sum = 0;
        job->alone = grain >= job->ranges;
        qdi_team_for(world->team, job->ranges, grain, settle_ranges, job);
        for (size_t range = 0; range < job->ranges; ++range) sum += job->left[range];
        won = left - sum;
        left = sum;
    }
    return left;
}

/// Where no link has a colour, keys lie in order of (a, b).
static void key_range(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        job->keys->key[link->rank] = link->hash >> (32 - PRIORITY_BITS);
        job->keys->value[link->rank] = (uint32_t)i;
    }
}

/// Colours of contacts: keys of the links that are left; returns their bits.
static int key_left(const colour_job *job) {
    qdi_keys *keys = job->keys;
    int bits = 1;
    while (job->link_count >> bits) ++bits;
    size_t place = 0;
    for (size_t range = 0; range < job->ranges; ++range) {
        for (size_t i = 0; i < job->left[range]; ++i, ++place) {
            uint32_t number = job->pending[range * QDI_CONTACT_GRAIN + i];
            const qdi_link *link = &job->links[number];
            keys->key[place] = (uint64_t)(link->hash >> (32 - PRIORITY_BITS)) << bits | link->rank;
            keys->value[place] = number;
        }
    }
    return bits + PRIORITY_BITS;
}

/// Gives the `count` links that are left their colours, one after the other, by priority. The sort is stable:
/// links that lie in order of (a, b) need only be sorted by hash.
static qd_status paint_rest(qd_world *world, colour_job *job, size_t count) {
    qdi_keys keys;
    qd_status status = qdi_keys_take(&world->scratch.arena, count, &keys);
    if (status != QD_OK) return status;
    job->keys = &keys;
    int bits = PRIORITY_BITS;
    if (count == job->link_count)
        qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, key_range, job);
    else
        bits = key_left(job);
    status = qdi_keys_sort(world->team, &keys, count, bits);
    for (size_t i = count; status == QD_OK && i-- > 0;) paint(job, keys.value[i]);
    job->keys = NULL;
    return status;
}

// ---- by colour ----

/// Counts the links of each colour, range by range.
static void count_ranges(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN, counts[SERIAL + 1] = {0};
    for (size_t i = begin; i < end; ++i) ++counts[job->colour[i]];
    for (size_t c = 0; c <= SERIAL; ++c) job->first[c * job->ranges + range] = counts[c];
}

/// Works out where each range puts its links of a colour.
static void place_ranges(void *context, size_t begin, size_t end) {
    const colour_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN, next[SERIAL + 1];
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
    const bool rounds = count > FEW && qdi_team_used(world->team) >= MANY_THREADS;
    job->claims = qdi_arena_take(arena, rounds ? world->count : 0, sizeof *job->claims);
    job->used = qdi_arena_take(arena, world->count, sizeof *job->used);
    job->colour = qdi_arena_take(arena, count, sizeof *job->colour);
    job->pending = qdi_arena_take(arena, count, sizeof *job->pending);
    job->left = qdi_arena_take(arena, ranges, sizeof *job->left);
    job->first = qdi_arena_take(arena, (SERIAL + 1) * ranges + 1, sizeof *job->first);
    if (!job->claims || !job->used || !job->colour || !job->pending || !job->left || !job->first)
        return QD_ERR_MEMORY;
    colours->count = colours->start[0] = 0;
    qdi_team_zero(world->team, job->used, world->count * sizeof *job->used);
    qd_status status = paint_rest(world, job, rounds ? run_rounds(world, job) : count);
    if (status != QD_OK) return status;

    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, count_ranges, job);
    job->first[(SERIAL + 1) * ranges] = 0;
    (void)qdi_exclusive_scan(job->first, (SERIAL + 1) * ranges + 1);
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, place_ranges, job);
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
                      .ranges = qdi_range_count(count, QDI_CONTACT_GRAIN),
                      .order = scratch->colour_order,
                      .coloured = scratch->coloured};
    if (changed) status = colour_all(world, &job, &scratch->colours);
    if (status != QD_OK) return status;
    scratch->link_count = count;
    *colours = scratch->colours;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, put_range, &job);
    return QD_OK;
}
