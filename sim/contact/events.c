// What became of contacts. Events are listed when somebody asks for them (world/contact_list.h); what must be
// kept of the moment before, contacts that are no longer there, is kept here, and so are the impacts of
// speculative ones. Ranges write their own slots.

#include "sim/contact/events.h"

#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/world_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct event_job {
    const qd_world *world;
    const qdi_contact_state *before, *after;
    const qdi_given *given; ///< by place in `before`, or NULL
    const uint8_t *goes_on; ///< by place in `before`; NULL: all do
    size_t *count;          ///< per range: contacts that ended, then those before it; the same of impacts
    uint32_t *gone, *apart; ///< places of those that ended, and of speculative ones that do not touch now,
                            ///< each range's from its own begin on
    size_t *near_count;     ///< per range: how many of the latter
    uint32_t *places;       ///< of those that ended
    const qdi_keys *keys;   ///< theirs
    qd_impact *impacts;     ///< of speculative contacts
    size_t impact_count;
} event_job;

// Lists what does not touch now at a range of places. Which of them do is beyond guessing: hence no branches.
static void find_gone(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    uint32_t *gone = job->gone + begin, *apart = job->apart + begin;
    size_t ended = 0, near = 0;
    for (size_t p = begin; p < end; ++p) {
        const unsigned is_gone = !job->goes_on[p], was_near = qdi_near_at(job->before, p);
        gone[ended] = apart[near] = (uint32_t)p;
        ended += is_gone & ~was_near;
        near += is_gone & was_near;
    }
    job->count[begin / QDI_CONTACT_GRAIN] = ended;
    job->near_count[begin / QDI_CONTACT_GRAIN] = near;
}

/// Events: what a range of places has in a list that has been counted.
static inline size_t count_of(const event_job *job, size_t begin, size_t end, size_t all) {
    const size_t range = begin / QDI_CONTACT_GRAIN;
    return (end < qdi_constraint_count(job->before) ? job->count[range + 1] : all) - job->count[range];
}

// Keeps the contacts at a range of places that ended as they were, with what they gave last: each would wait
// for memory that is not read, and written, in its order.
static void keep_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const size_t first = job->count[begin / QDI_CONTACT_GRAIN],
                 count = count_of(job, begin, end, (size_t)job->after->ends);
    for (size_t at = first; at < first + count; ++at) {
        const uint32_t place = job->gone[begin + at - first];
        qd_contact *ended = &job->after->ended[at];
        job->places[at] = place;
        job->keys->key[at] = qdi_contact_order_placed(job->world, job->before, place);
        job->keys->value[at] = (uint32_t)at;
        qdi_contact_at(job->world, job->before, place, ended);
        for (int k = 0; k < 2; ++k) {
            const bool gave = job->given && k < ended->count;
            ended->touch[k].impulse = gave ? job->given[place].impulse[k] : 0;
            ended->touch[k].friction = gave ? job->given[place].friction[k] : 0;
        }
    }
}

// Lists a range of the contacts that ended in the order of their keys.
static void list_by_key(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    memcpy(job->after->ended_order + begin, job->keys->value + begin, (end - begin) * sizeof(uint32_t));
}

// Keeps contacts that ended, and lists them in order of (a, b).
static qd_status keep_all(qd_world *world, event_job *job) {
    const size_t ends = job->after->ends;
    qdi_keys keys;
    qd_status status = qdi_keys_take(&world->scratch.arena, ends, &keys);
    if (status != QD_OK) return status;
    job->keys = &keys;
    qdi_team_for(world->team, qdi_constraint_count(job->before), QDI_CONTACT_GRAIN, keep_ended, job);
    status = qdi_keys_sort(world->team, &keys, ends, 63);
    if (status == QD_OK) qdi_team_for(world->team, ends, QDI_CONTACT_GRAIN, list_by_key, job);
    job->keys = NULL; // they are gone with this call
    return status;
}

// ---- impacts of speculative contacts ----

/// Events: whether a contact gave anything.
static inline bool gave_something(const qdi_given *given) {
    return (given->impulse[0] != 0) | (given->impulse[1] != 0) | (given->friction[0] != 0) |
           (given->friction[1] != 0);
}

/// They lie here and there: they are asked for ahead.
enum { AHEAD = 16 };

/// Finds the impacts among the speculative contacts at a range of places that do not touch now.
static void find_impacts(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const size_t range = begin / QDI_CONTACT_GRAIN, near = job->near_count[range];
    uint32_t *list = job->apart + begin;
    size_t count = 0;
    (void)end;
    for (size_t k = 0; k < near; ++k) {
        if (k + AHEAD < near) __builtin_prefetch(&job->given[list[k + AHEAD]]);
        list[count] = list[k];
        count += gave_something(&job->given[list[k]]);
    }
    job->count[range] = count;
}

/// Lists the impacts of speculative contacts that were found at a range of places.
static void put_impacts(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const qdi_contact_state *before = job->before;
    const size_t first = job->count[begin / QDI_CONTACT_GRAIN],
                 count = count_of(job, begin, end, job->impact_count);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t place = job->apart[begin + k], at = before->spots[place].geometry;
        const qdi_given *given = &job->given[place];
        job->impacts[first + k] = (qd_impact){.a = before->partners[place].a,
                                              .b = before->partners[place].b,
                                              .point = before->geometry[at].point[0],
                                              .normal = before->geometry[at].normal,
                                              .approach = before->found[at].approach,
                                              .impulse = given->impulse[0] + given->impulse[1],
                                              .friction = given->friction[0] + given->friction[1]};
    }
}

int qdi_impact_order(const void *p, const void *q) {
    const qd_impact *a = p, *b = q;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    if (a->a.index != b->a.index) return a->a.index < b->a.index ? -1 : 1;
    if (a->b.index != b->b.index) return a->b.index < b->b.index ? -1 : 1;
    return a->approach > b->approach ? -1 : a->approach < b->approach;
}

/// Lists what speculative contacts gave that do not touch now, and no event tells, as impacts at the step's
/// beginning, with those on the way through it.
static qd_status list_impacts(qd_world *world, event_job *job) {
    qdi_contact_state *after = &world->following;
    const size_t all = qdi_constraint_count(job->before), others = after->impact_count;
    if (!job->given || !job->goes_on || job->before->near_count == 0) return QD_OK;
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, find_impacts, job);
    const size_t count = qdi_exclusive_scan(job->count, qdi_range_count(all, QDI_CONTACT_GRAIN));
    job->impact_count = count;
    if (count == 0) return QD_OK;
    qd_status status = qdi_reserve(world->allocator, &after->impacts, &after->impact_room, others,
                                   others + count, sizeof *after->impacts);
    if (status != QD_OK) return status;
    job->impacts = after->impacts + others;
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, put_impacts, job);
    after->impact_count = others + count;
    qsort(after->impacts, after->impact_count, sizeof *after->impacts, qdi_impact_order);
    return QD_OK;
}

qd_status qdi_events(qd_world *world, const qdi_given *given) {
    const qdi_contact_state *before = &world->present;
    qdi_contact_state *after = &world->following;
    qdi_arena *arena = &world->scratch.arena;
    const size_t old = qdi_constraint_count(before), ranges = qdi_range_count(old, QDI_CONTACT_GRAIN),
                 some = world->scratch.goes_on ? old : 0;
    event_job job = {.world = world,
                     .before = before,
                     .after = after,
                     .given = given,
                     .goes_on = world->scratch.goes_on,
                     .count = qdi_arena_take(arena, ranges, sizeof *job.count),
                     .near_count = qdi_arena_take(arena, ranges, sizeof *job.near_count),
                     .gone = qdi_arena_take(arena, some, sizeof *job.gone),
                     .apart = qdi_arena_take(arena, some, sizeof *job.apart)};
    if (!job.count || !job.near_count || !job.gone || !job.apart) return QD_ERR_MEMORY;
    qdi_team_for(world->team, some, QDI_CONTACT_GRAIN, find_gone, &job);
    after->ends = job.goes_on ? qdi_exclusive_scan(job.count, ranges) : 0;
    world->scratch.ended = job.places = qdi_arena_take(arena, after->ends, sizeof *job.places);
    if (!job.places) return QD_ERR_MEMORY;
    qd_status status = qdi_reserve(world->allocator, &after->ended, &after->ended_room, 0,
                                   after->ends + after->begins, sizeof *after->ended);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &after->ended_order, &after->ended_order_room, 0, after->ends,
                             sizeof *after->ended_order);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &after->events, &after->event_room, 0,
                             after->contact_count + after->ends, sizeof *after->events);
    if (status == QD_OK && after->ends > 0) status = keep_all(world, &job);
    return status == QD_OK ? list_impacts(world, &job) : status;
}
