// What became of contacts. Events are listed when somebody asks for them (world/contact_list.h); what must be
// kept of the moment before, contacts that are no longer there, is kept here. Ranges write their own slots.

#include "sim/contact/events.h"

#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

typedef struct event_job {
    const qd_world *world;
    const qdi_contact_state *before, *after;
    const qdi_outcome *outcomes; ///< by place in `before`, or NULL
    const uint8_t *goes_on;      ///< by contact of `before`; NULL: all do
    bool placed;                 ///< which lie by place
    bool springs;                ///< what ends gives nothing
    size_t *count;               ///< per range: contacts that ended, then those before it
    uint32_t *places;            ///< of those that ended
    const qdi_keys *keys;        ///< theirs, where they lie by place
} event_job;

// Counts the contacts that ended within each range.
static void count_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    size_t ended = 0;
    for (size_t i = begin; i < end; ++i) ended += !job->goes_on[i];
    job->count[begin / QDI_CONTACT_GRAIN] = ended;
}

// Lists the contacts of a range that ended.
static void list_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const qdi_contact_state *before = job->before;
    size_t k = job->count[begin / QDI_CONTACT_GRAIN];
    for (size_t i = begin; i < end; ++i) {
        if (job->goes_on[i]) continue;
        if (job->placed) {
            job->keys->key[k] = qdi_contact_order_placed(job->world, before, i);
            job->keys->value[k++] = (uint32_t)i;
        } else {
            job->places[k++] = (uint32_t)qdi_place_of(before, i);
        }
    }
}

/// What ended lies here and there: it is asked for ahead.
enum { AHEAD = 16 };
/// Asks for the contact some places further on, and where that of one yet further on lies.
static inline void ask_for(const event_job *job, size_t i, size_t end) {
    const qdi_contact_state *before = job->before;
    if (job->placed || i + 2 * AHEAD >= end) return;
    __builtin_prefetch(&before->spots[job->places[i + 2 * AHEAD]]);
    const uint32_t place = job->places[i + AHEAD], at = before->spots[place].geometry;
    __builtin_prefetch(&before->geometry[at]);
    __builtin_prefetch(&before->found[at]);
    __builtin_prefetch(&before->partners[place]);
    __builtin_prefetch(&before->given[place]);
    if (job->outcomes) __builtin_prefetch(&job->outcomes[place]);
}

// Keeps some contacts that ended as they were, with what they gave last.
static void keep_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        ask_for(job, i, end);
        if (job->placed) job->places[i] = job->keys->value[i];
        const uint32_t place = job->places[i];
        qd_contact *ended = &job->after->ended[i];
        qdi_contact_at(job->world, job->before, place, ended);
        if (!job->outcomes && !job->springs) continue;
        const qdi_outcome *outcome = job->outcomes ? &job->outcomes[place] : NULL;
        for (int k = 0; k < 2; ++k) {
            const bool gave = outcome && k < ended->count;
            ended->touch[k].impulse = gave ? outcome->impulse[k] : 0;
            ended->touch[k].friction = gave ? outcome->tangent_impulse[k] : 0;
        }
    }
}

// Lists contacts that ended in order of (a, b), and keeps them.
static qd_status keep_all(qd_world *world, event_job *job) {
    const size_t old = job->before->contact_count, ends = job->after->ends;
    qdi_keys keys = {.key = NULL};
    qd_status status = job->placed ? qdi_keys_take(&world->scratch.arena, ends, &keys) : QD_OK;
    if (status != QD_OK) return status;
    job->keys = &keys;
    qdi_team_for(world->team, old, QDI_CONTACT_GRAIN, list_ended, job);
    if (job->placed) status = qdi_keys_sort(world->team, &keys, ends, 63);
    if (status == QD_OK) qdi_team_for(world->team, ends, QDI_CONTACT_GRAIN, keep_ended, job);
    job->keys = NULL; // they are gone with this call
    return status;
}

qd_status qdi_events(qd_world *world, const qdi_outcome *outcomes) {
    const qdi_contact_state *before = &world->present;
    qdi_contact_state *after = &world->following;
    qdi_arena *arena = &world->scratch.arena;
    const size_t old = before->contact_count;
    event_job job = {
        .world = world,
        .before = before,
        .after = after,
        .outcomes = outcomes,
        .goes_on = world->scratch.goes_on,
        .placed = world->scratch.goes_on_placed,
        .springs = qdi_springs(world),
        .count = qdi_arena_take(arena, qdi_range_count(old, QDI_CONTACT_GRAIN), sizeof *job.count)};
    if (!job.count) return QD_ERR_MEMORY;
    if (job.goes_on) qdi_team_for(world->team, old, QDI_CONTACT_GRAIN, count_ended, &job);
    after->ends = job.goes_on ? qdi_exclusive_scan(job.count, qdi_range_count(old, QDI_CONTACT_GRAIN)) : 0;
    world->scratch.ended = job.places = qdi_arena_take(arena, after->ends, sizeof *job.places);
    if (!job.places) return QD_ERR_MEMORY;
    qd_status status = qdi_reserve(world->allocator, &after->ended, &after->ended_room, 0,
                                   after->ends + after->begins, sizeof *after->ended);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &after->events, &after->event_room, 0,
                             after->contact_count + after->ends, sizeof *after->events);
    return status == QD_OK && after->ends > 0 ? keep_all(world, &job) : status;
}
