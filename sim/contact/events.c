// Events from two ordered lists of contacts. Each contact of `after` is an event, and so is each of `before`
// that ended; all go where they belong in the order of (a, b) without looking at one another: an event's
// place is its place in its own list plus the number of events before it from the other. Where a contact of
// `after` is in `before` is found once, by a walk over both. Ranges write their own slots only; a mark on a
// contact of `before` is written by the one contact that goes on from it.

#include "sim/contact/events.h"

#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/scratch.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <string.h>

typedef struct event_job {
    const qdi_contact_state *before, *after;
    size_t first;                ///< of the part of `after` in work
    bool near;                   ///< which is that of speculative ones
    const qdi_outcome *outcomes; ///< by contact of `before`, or NULL
    bool springs;                ///< only the shear is taken over: forces are already those of `after`
    const uint32_t
        *place;         ///< by contact of `after`: its spot; NULL where spots of `before` are of other pairs
    bool grains;        ///< a second place of the warm start belongs to the only touch
    qdi_match *match;   ///< by contact of `after`
    uint32_t *end_rank; ///< by contact of `before`: 1 where it goes on; then ended ones before it; the last
                        ///< slot holds their number
    size_t *count;      ///< per range: contacts that ended, that begin
    qd_contact *ended;
    qd_event *events;
} event_job;

/// Cosine of the angle by which the normal of a contact may turn in a step without its being another one.
static const double SAME_WAY = 0.7;

// Whether two contacts with the same key are of the same bodies, not of a later body with the index.
static bool same_bodies(const qd_contact *p, const qd_contact *q) {
    return p->a.generation == q->a.generation && p->b.generation == q->b.generation;
}

/// qdi_contacts_find for the next contact of an ordered walk that has come to `from`: most often a step or
/// two from the last.
static size_t find_from(const qdi_contact_state *list, size_t from, size_t high, uint64_t order) {
    for (int k = 0; k < 8; ++k, ++from)
        if (from == high || qdi_contact_order(&list->contacts[from]) >= order) return from;
    return qdi_contacts_find(list, from, high, order);
}

/// True where list[at], of a part that ends at `high`, is the same contact.
static bool is_same_contact(const qdi_contact_state *list, size_t at, size_t high,
                            const qd_contact *contact) {
    return at < high && qdi_contact_order(&list->contacts[at]) == qdi_contact_order(contact) &&
           same_bodies(&list->contacts[at], contact);
}

// Numbers the contacts that ended within each range.
static void rank_ended(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    uint32_t ended = 0;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t ends = !job->end_rank[i];
        job->end_rank[i] = ended;
        ended += ends;
    }
    job->count[begin / QDI_TOUCH_GRAIN] = ended;
}

// Adds the ended contacts of the ranges before.
static void shift_ranks(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    uint32_t first = (uint32_t)job->count[begin / QDI_TOUCH_GRAIN];
    for (size_t i = begin; i < end; ++i) job->end_rank[i] += first;
}

/// Events: of two numbers of touches that of the one that goes on: `goes_on` says which, if any.
static inline double of_touch(const double of[2], const bool goes_on[2]) {
    const double first = goes_on[0] ? of[0] : 0;
    return goes_on[1] ? of[1] : first;
}

/// Puts into a contact what contact `at` of `before` gave, by feature; its warm start to `warm_start`. Which
/// touch goes on is beyond guessing where two are equally deep: hence choices and no branches.
static inline void take_over(const event_job *job, size_t at, qd_contact *contact,
                             qdi_warm_start *warm_start) {
    const qd_contact *old = &job->before->contacts[at];
    const qdi_outcome *outcome = job->outcomes ? &job->outcomes[at] : NULL;
    const qdi_warm_start *held = outcome ? &outcome->warm_start : &job->before->warm_starts[at];
    const double given[2] = {old->touch[0].impulse, old->touch[1].impulse},
                 rubbed[2] = {old->touch[0].friction, old->touch[1].friction};
    const double *impulse = outcome ? outcome->impulse : given,
                 *friction = outcome ? outcome->tangent_impulse : rubbed;
    // What held them in another direction is worth nothing in this one.
    bool same = old->normal.x * contact->normal.x + old->normal.y * contact->normal.y >= SAME_WAY ||
                job->springs;
    for (int k = 0; k < contact->count; ++k) {
        const uint32_t feature = contact->touch[k].feature;
        const bool goes_on[2] = {old->touch[0].feature == feature,
                                 old->count > 1 && old->touch[1].feature == feature};
        const bool held_on[2] = {goes_on[0] && same, goes_on[1] && same};
        contact->touch[k].impulse = of_touch(impulse, goes_on);
        contact->touch[k].friction = of_touch(friction, goes_on);
        warm_start->normal[k] = of_touch(held->normal, held_on);
        warm_start->tangent[k] = of_touch(held->tangent, held_on);
        if (job->grains && (goes_on[0] || goes_on[1])) *warm_start = *held;
    }
}

/// Where an ordered walk over contacts has come to in both parts of another list: contacts, and speculative
/// ones.
typedef struct walk {
    size_t contact, near;
} walk;

// Where two lists of contacts that are walked side by side start at this key.
static walk walk_begin(const qdi_contact_state *list, uint64_t order) {
    return (walk){qdi_contacts_find(list, 0, list->contact_count, order),
                  qdi_contacts_find(list, list->contact_count, qdi_constraint_count(list), order)};
}

/// Where spots are of the same pairs, the one of the same place is the same contact, or SIZE_MAX: that of
/// later bodies with the same indices.
static size_t step_to(const event_job *job, walk *at, size_t number) {
    const qdi_contact_state *list = job->before;
    const qd_contact *contact = &job->after->contacts[number];
    const size_t place = list->spots[job->place[number]].contact;
    if (place < list->contact_count)
        at->contact = place;
    else if (!job->near)
        at->contact = find_from(list, at->contact, list->contact_count, qdi_contact_order(contact));
    return same_bodies(&list->contacts[place], contact) ? place : SIZE_MAX;
}

/// The place of the same contact in either part, or SIZE_MAX.
static size_t walk_to(const qdi_contact_state *list, walk *at, const qd_contact *contact) {
    const size_t high = list->contact_count, end = qdi_constraint_count(list);
    at->contact = find_from(list, at->contact, high, qdi_contact_order(contact));
    if (is_same_contact(list, at->contact, high, contact)) return at->contact;
    at->near = find_from(list, at->near, end, qdi_contact_order(contact));
    return is_same_contact(list, at->near, end, contact) ? at->near : SIZE_MAX;
}

/// Contacts lie in the order of (a, b), their spots in any: what is read soon is asked for ahead.
enum { SPOTS_AHEAD = 16 };
/// Events: asks for the spot of a contact some places further on.
static inline void ask_for_spot(const event_job *job, size_t i, size_t end) {
    if (job->place && i + SPOTS_AHEAD < end)
        __builtin_prefetch(&job->before->spots[job->place[job->first + i + SPOTS_AHEAD]]);
}

/// Constraints whose pair had one before take over its warm start and, where they touch, its impulses; the
/// others begin with nothing. Those that touch note their match, and mark it.
static void take_range(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    qd_contact *contacts = job->after->contacts + job->first;
    qdi_warm_start *warm_starts = job->after->warm_starts + job->first;
    walk at = walk_begin(job->before, qdi_contact_order(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        ask_for_spot(job, i, end);
        warm_starts[i] = (qdi_warm_start){{0, 0}, {0, 0}};
        const size_t place = job->place ? step_to(job, &at, job->first + i)
                                        : walk_to(job->before, &at, &contacts[i]);
        if (place != SIZE_MAX) take_over(job, place, &contacts[i], &warm_starts[i]);
        if (job->near) continue;
        const bool persists = place < job->before->contact_count;
        job->match[i] = (qdi_match){(uint32_t)at.contact, persists};
        if (persists) job->end_rank[place] = 1;
    }
}

// Writes the end events of contacts that are no longer there.
static void write_end_events(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const qd_contact *contacts = job->before->contacts;
    const size_t high = job->after->contact_count;
    size_t at = qdi_contacts_find(job->after, 0, high, qdi_contact_order(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        const uint32_t rank = job->end_rank[i];
        if (job->end_rank[i + 1] == rank) continue;
        at = find_from(job->after, at, high, qdi_contact_order(&contacts[i]));
        qd_contact *ended = &job->ended[rank];
        *ended = contacts[i];
        qdi_warm_start none;
        if (!job->springs) take_over(job, i, ended, &none);
        for (int k = 0; k < 2 && job->springs; ++k) ended->touch[k].impulse = ended->touch[k].friction = 0;
        job->events[rank + at] = (qd_event){QD_EVENT_END, ended};
    }
}

// Writes the begin and persist events of contacts that are there.
static void write_present_events(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    const qd_contact *contacts = job->after->contacts;
    const size_t high = job->before->contact_count;
    size_t begun = 0;
    for (size_t i = begin; i < end; ++i) {
        const qdi_match match = job->match[i];
        // Other bodies may have had these indices: their contact's end comes before this one's begin.
        bool replaces = !match.persists && match.at < high &&
                        qdi_contact_order(&job->before->contacts[match.at]) ==
                            qdi_contact_order(&contacts[i]);
        size_t ends = job->end_rank[match.at] + (replaces ? 1 : 0);
        job->events[i + ends] = (qd_event){match.persists ? QD_EVENT_PERSIST : QD_EVENT_BEGIN, &contacts[i]};
        begun += !match.persists;
    }
    job->count[begin / QDI_TOUCH_GRAIN] = begun;
}

// Makes room for events and for what contacts hand on.
static qd_status reserve_events(const qd_allocator *allocator, qdi_scratch *scratch,
                                const qdi_contact_state *before, qdi_contact_state *after) {
    size_t old = before->contact_count, new = after->contact_count;
    qd_status status = qdi_reserve(allocator, &after->warm_starts, &after->warm_start_room, 0,
                                   qdi_constraint_count(after), sizeof *after->warm_starts);
    scratch->match = qdi_arena_take(&scratch->arena, new, sizeof *scratch->match);
    scratch->end_rank = qdi_arena_take(&scratch->arena, old + 1, sizeof *scratch->end_rank);
    return scratch->match && scratch->end_rank ? status : QD_ERR_MEMORY;
}

// The parts that compare contacts before and after a step.
static event_job event_job_of(const qd_world_def *def, const qdi_scratch *scratch,
                              const qdi_contact_state *before, qdi_contact_state *after) {
    const bool springs = def->contact == QD_CONTACT_SPRING;
    return (event_job){.before = before,
                       .after = after,
                       .springs = springs,
                       .grains = springs && qdi_spring_grains(&def->spring),
                       .place = before->pairs > 0 && before->pairs == after->pairs ? scratch->place : NULL,
                       .match = scratch->match,
                       .end_rank = scratch->end_rank};
}

// Unmarks contacts, before those that go on are marked.
static void clear_end_marks(void *context, size_t begin, size_t end) {
    const event_job *job = context;
    memset(job->end_rank + begin, 0, (end - begin) * sizeof *job->end_rank);
}

// Hands warm-start impulses from contacts of the last step to those that go on.
static void carry_warm_starts(qd_team *team, event_job *job) {
    qdi_team_for(team, job->before->contact_count, QDI_TOUCH_GRAIN, clear_end_marks, job);
    job->first = 0;
    job->near = false;
    qdi_team_for(team, job->after->contact_count, QDI_TOUCH_GRAIN, take_range, job);
    job->first = job->after->contact_count;
    job->near = true;
    qdi_team_for(team, job->after->near_count, QDI_TOUCH_GRAIN, take_range, job);
}

qd_status qdi_events_take_over(qd_world *world, const qdi_contact_state *before, qdi_contact_state *after) {
    qd_status status = reserve_events(world->allocator, &world->scratch, before, after);
    if (status != QD_OK) return status;
    event_job job = event_job_of(&world->def, &world->scratch, before, after);
    carry_warm_starts(world->team, &job);
    return QD_OK;
}

qd_status qdi_events(qd_world *world, const qdi_contact_state *before, const qdi_outcome *outcomes,
                     qdi_contact_state *after) {
    qd_team *team = world->team;
    size_t old = before->contact_count, new = after->contact_count;
    const bool matched = world->def.contact == QD_CONTACT_SPRING; // by qdi_events_take_over
    qd_status status = matched ? QD_OK : reserve_events(world->allocator, &world->scratch, before, after);
    if (status != QD_OK) return status;
    event_job job = event_job_of(&world->def, &world->scratch, before, after);
    job.outcomes = outcomes;
    job.count = qdi_arena_take(&world->scratch.arena, qdi_range_count(old > new ? old : new, QDI_TOUCH_GRAIN),
                               sizeof *job.count);
    if (!job.count) return QD_ERR_MEMORY;
    if (!matched) carry_warm_starts(team, &job);

    qdi_team_for(team, old, QDI_TOUCH_GRAIN, rank_ended, &job);
    size_t ended = qdi_exclusive_scan(job.count, qdi_range_count(old, QDI_TOUCH_GRAIN));
    qdi_team_for(team, old, QDI_TOUCH_GRAIN, shift_ranks, &job);
    job.end_rank[old] = (uint32_t)ended;
    status = qdi_reserve(world->allocator, &after->events, &after->event_room, 0, new + ended,
                         sizeof *after->events);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &after->ended, &after->ended_room, 0, ended,
                             sizeof *after->ended);
    if (status != QD_OK) return status;
    job.events = after->events;
    job.ended = after->ended;
    qdi_team_for(team, old, QDI_TOUCH_GRAIN, write_end_events, &job);
    qdi_team_for(team, new, QDI_TOUCH_GRAIN, write_present_events, &job);
    after->event_count = new + ended;
    after->ends = ended;
    after->begins = qdi_exclusive_scan(job.count, qdi_range_count(new, QDI_TOUCH_GRAIN));
    return QD_OK;
}
