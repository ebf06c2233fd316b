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
    const qdi_outcome *outcomes; ///< by place in `before`, or NULL
    const uint8_t *goes_on;      ///< by contact of `before`, speculative ones too; NULL: all do
    bool placed;                 ///< which lie by place
    size_t *count;               ///< per range: contacts that ended, then those before it
    uint32_t *places;            ///< of those that ended
    uint8_t *stays;              ///< by place: it goes on
    uint32_t *rank;              ///< by place: where what ended comes in the order of (a, b), by numbers
    const qdi_keys *keys;        ///< of those that ended, where there are no numbers
    qd_impact *impacts;          ///< of speculative contacts
} event_job;

// Counts the contacts that ended within each range.
static void count_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    size_t ended = 0;
    for (size_t i = begin; i < end; ++i) ended += !job->goes_on[i];
    job->count[begin / QDI_CONTACT_GRAIN] = ended;
}

// Marks the contacts at a range of places as going on, before those that ended are marked.
static void mark_staying(void *context, size_t begin, size_t end) {
    memset(((const event_job *)context)->stays + begin, 1, end - begin);
}

// Ranks the contacts of a range that ended by their numbers.
static void rank_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    uint32_t rank = (uint32_t)job->count[begin / QDI_CONTACT_GRAIN];
    for (size_t i = begin; i < end; ++i) {
        if (job->goes_on[i]) continue;
        const size_t place = qdi_place_of(job->before, i);
        job->stays[place] = 0;
        job->rank[place] = rank++;
    }
}

// Counts the contacts at a range of places that ended.
static void count_gone(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    size_t gone = 0;
    for (size_t p = begin; p < end; ++p) gone += !job->stays[p];
    job->count[begin / QDI_CONTACT_GRAIN] = gone;
}

/// Notes where number `k` of the contacts that ended, by place, comes in the order of (a, b).
static inline void put_order(const event_job *job, size_t place, size_t k) {
    if (!job->placed) {
        job->after->ended_order[job->rank[place]] = (uint32_t)k;
        return;
    }
    job->keys->key[k] = qdi_contact_order_placed(job->world, job->before, place);
    job->keys->value[k] = (uint32_t)k;
}

// Keeps the contacts at a range of places that ended as they were, with what they gave last: each would wait
// for memory that is not read, and written, in its order.
static void keep_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    size_t at = job->count[begin / QDI_CONTACT_GRAIN];
    for (size_t place = begin; place < end; ++place) {
        if (job->stays[place]) continue;
        qd_contact *ended = &job->after->ended[at];
        job->places[at] = (uint32_t)place;
        put_order(job, place, at++);
        qdi_contact_at(job->world, job->before, place, ended);
        const qdi_outcome *outcome = job->outcomes ? &job->outcomes[place] : NULL;
        for (int k = 0; k < 2; ++k) {
            const bool gave = outcome && k < ended->count;
            ended->touch[k].impulse = gave ? outcome->impulse[k] : 0;
            ended->touch[k].friction = gave ? outcome->tangent_impulse[k] : 0;
        }
    }
}

// Lists a range of the contacts that ended in the order of their keys.
static void list_by_key(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    memcpy(job->after->ended_order + begin, job->keys->value + begin, (end - begin) * sizeof(uint32_t));
}

// Finds out which of the contacts that have numbers ended, by place.
static qd_status place_ended(qd_world *world, event_job *job, size_t all) {
    qdi_arena *arena = &world->scratch.arena;
    const size_t ranges = qdi_range_count(all, QDI_CONTACT_GRAIN);
    job->rank = qdi_arena_take(arena, all, sizeof *job->rank);
    job->stays = qdi_arena_take(arena, all, 1);
    if (!job->rank || !job->stays) return QD_ERR_MEMORY;
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, mark_staying, job);
    qdi_team_for(world->team, job->before->contact_count, QDI_CONTACT_GRAIN, rank_ended, job);
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, count_gone, job);
    (void)qdi_exclusive_scan(job->count, ranges);
    return QD_OK;
}

// Keeps contacts that ended, and lists them in order of (a, b).
static qd_status keep_all(qd_world *world, event_job *job) {
    const size_t ends = job->after->ends,
                 all = job->placed ? job->before->contact_count : qdi_constraint_count(job->before);
    qdi_keys keys = {.key = NULL};
    qd_status status = job->placed ? qdi_keys_take(&world->scratch.arena, ends, &keys)
                                   : place_ended(world, job, all);
    if (status != QD_OK) return status;
    job->keys = &keys;
    qdi_team_for(world->team, all, QDI_CONTACT_GRAIN, keep_ended, job);
    if (job->placed) {
        status = qdi_keys_sort(world->team, &keys, ends, 63);
        if (status == QD_OK) qdi_team_for(world->team, ends, QDI_CONTACT_GRAIN, list_by_key, job);
    }
    job->keys = NULL; // they are gone with this call
    return status;
}

// ---- impacts of speculative contacts ----

/// Number `i` of the speculative contacts gave something, and does not touch now: no event of a contact tells
/// of it.
static bool is_impact(const event_job *job, size_t i) {
    const size_t number = job->before->contact_count + i;
    if (job->goes_on[number]) return false;
    const qdi_outcome *outcome = &job->outcomes[qdi_place_of(job->before, number)];
    return outcome->impulse[0] != 0 || outcome->impulse[1] != 0 || outcome->tangent_impulse[0] != 0 ||
           outcome->tangent_impulse[1] != 0;
}

/// They lie here and there: they are asked for ahead.
enum { AHEAD = 16 };
/// Counts the impacts of a range of speculative contacts.
static void count_impacts(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const size_t first = job->before->contact_count;
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        if (i + AHEAD < end) __builtin_prefetch(&job->outcomes[qdi_place_of(job->before, first + i + AHEAD)]);
        count += is_impact(job, i);
    }
    job->count[begin / QDI_CONTACT_GRAIN] = count;
}

/// Lists the impacts of a range of speculative contacts.
static void put_impacts(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const qdi_contact_state *before = job->before;
    qd_impact *impact = job->impacts + job->count[begin / QDI_CONTACT_GRAIN];
    for (size_t i = begin; i < end; ++i) {
        if (!is_impact(job, i)) continue;
        const uint32_t place = (uint32_t)qdi_place_of(before, before->contact_count + i),
                       at = before->spots[place].geometry;
        const qdi_outcome *outcome = &job->outcomes[place];
        *impact++ = (qd_impact){.a = before->partners[place].a,
                                .b = before->partners[place].b,
                                .point = before->geometry[at].point[0],
                                .normal = before->geometry[at].normal,
                                .approach = before->found[at].approach,
                                .impulse = outcome->impulse[0] + outcome->impulse[1],
                                .friction = outcome->tangent_impulse[0] + outcome->tangent_impulse[1]};
    }
}

int qdi_impact_order(const void *p, const void *q) {
    const qd_impact *a = p, *b = q;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    if (a->a.index != b->a.index) return a->a.index < b->a.index ? -1 : 1;
    if (a->b.index != b->b.index) return a->b.index < b->b.index ? -1 : 1;
    return a->approach > b->approach ? -1 : a->approach < b->approach;
}

/// Lists what speculative contacts gave, and no event tells, as impacts at the step's beginning, with those
/// on the way through it.
static qd_status list_impacts(qd_world *world, event_job *job) {
    qdi_contact_state *after = &world->following;
    const size_t near = job->before->near_count, ranges = qdi_range_count(near, QDI_CONTACT_GRAIN),
                 others = after->impact_count;
    if (!job->outcomes || !job->goes_on || near == 0) return QD_OK;
    job->count = qdi_arena_take(&world->scratch.arena, ranges, sizeof *job->count);
    if (!job->count) return QD_ERR_MEMORY;
    qdi_team_for(world->team, near, QDI_CONTACT_GRAIN, count_impacts, job);
    const size_t count = qdi_exclusive_scan(job->count, ranges);
    if (count == 0) return QD_OK;
    qd_status status = qdi_reserve(world->allocator, &after->impacts, &after->impact_room, others,
                                   others + count, sizeof *after->impacts);
    if (status != QD_OK) return status;
    job->impacts = after->impacts + others;
    qdi_team_for(world->team, near, QDI_CONTACT_GRAIN, put_impacts, job);
    after->impact_count = others + count;
    qsort(after->impacts, after->impact_count, sizeof *after->impacts, qdi_impact_order);
    return QD_OK;
}

qd_status qdi_events(qd_world *world, const qdi_outcome *outcomes) {
    const qdi_contact_state *before = &world->present;
    qdi_contact_state *after = &world->following;
    qdi_arena *arena = &world->scratch.arena;
    const size_t old = before->contact_count;
    event_job job = {.world = world,
                     .before = before,
                     .after = after,
                     .outcomes = outcomes,
                     .goes_on = world->scratch.goes_on,
                     .placed = world->scratch.goes_on_placed,
                     .stays = world->scratch.goes_on_placed ? world->scratch.goes_on : NULL,
                     .count = qdi_arena_take(arena,
                                             qdi_range_count(qdi_constraint_count(before), QDI_CONTACT_GRAIN),
                                             sizeof *job.count)};
    if (!job.count) return QD_ERR_MEMORY;
    if (job.goes_on) qdi_team_for(world->team, old, QDI_CONTACT_GRAIN, count_ended, &job);
    after->ends = job.goes_on ? qdi_exclusive_scan(job.count, qdi_range_count(old, QDI_CONTACT_GRAIN)) : 0;
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
