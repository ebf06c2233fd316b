// What became of contacts. Events are listed when somebody asks for them (world/contact_list.h); what must be
// kept of the moment before, contacts that are no longer there, is kept here. Ranges write their own slots.

#include "sim/contact/events.h"

#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

typedef struct event_job {
    const qdi_contact_state *before, *after;
    const qdi_outcome *outcomes; ///< by place in `before`, or NULL
    const uint8_t *goes_on;      ///< by contact of `before`
    bool springs;                ///< what ends gives nothing
    size_t *count;               ///< per range: contacts that ended, then those before it
} event_job;

// Counts the contacts that ended within each range.
static void count_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    size_t ended = 0;
    for (size_t i = begin; i < end; ++i) ended += !job->goes_on[i];
    job->count[begin / QDI_CONTACT_GRAIN] = ended;
}

// Keeps a contact that ended as it was, with what it gave last.
static void keep_ended(const event_job *job, size_t number, qd_contact *ended) {
    const qdi_contact_state *before = job->before;
    if (before->parts)
        qdi_contact_from_parts(before, number, ended);
    else
        *ended = before->contacts[number];
    if (!job->outcomes && !job->springs) return;
    const qdi_outcome *outcome = job->outcomes ? &job->outcomes[before->place[number]] : NULL;
    for (int k = 0; k < 2; ++k) {
        const bool gave = outcome && k < ended->count;
        ended->touch[k].impulse = gave ? outcome->impulse[k] : 0;
        ended->touch[k].friction = gave ? outcome->tangent_impulse[k] : 0;
    }
}

// Keeps the contacts of a range that ended.
static void keep_range(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    qd_contact *ended = job->after->ended + job->count[begin / QDI_CONTACT_GRAIN];
    for (size_t i = begin; i < end; ++i)
        if (!job->goes_on[i]) keep_ended(job, i, ended++);
}

qd_status qdi_events(qd_world *world, const qdi_outcome *outcomes) {
    const qdi_contact_state *before = &world->present;
    qdi_contact_state *after = &world->following;
    const size_t old = before->contact_count;
    event_job job = {.before = before,
                     .after = after,
                     .outcomes = outcomes,
                     .goes_on = world->scratch.goes_on,
                     .springs = qdi_springs(world),
                     .count = qdi_arena_take(&world->scratch.arena, qdi_range_count(old, QDI_CONTACT_GRAIN),
                                             sizeof *job.count)};
    if (!job.count) return QD_ERR_MEMORY;
    qdi_team_for(world->team, old, QDI_CONTACT_GRAIN, count_ended, &job);
    after->ends = qdi_exclusive_scan(job.count, qdi_range_count(old, QDI_CONTACT_GRAIN));
    qd_status status = qdi_reserve(world->allocator, &after->ended, &after->ended_room, 0, after->ends,
                                   sizeof *after->ended);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &after->events, &after->event_room, 0,
                             after->contact_count + after->ends, sizeof *after->events);
    if (status == QD_OK && after->ends > 0)
        qdi_team_for(world->team, old, QDI_CONTACT_GRAIN, keep_range, &job);
    return status;
}
