// Events from two ordered lists of contacts. Each contact of `after` is an event, and so is each of `before`
// that ended; all go where they belong in the order of (a, b) without looking at one another: an event's
// place is its place in its own list plus the number of events before it from the other. Ranges write their
// own slots only.

#include "sim/world_impl.h"

typedef struct event_job {
    const qdi_moment *before, *after;
    size_t first;                ///< of the part of `after` in work
    const qdi_outcome *outcomes; ///< by contact of `before`, or NULL
    bool springs;                ///< what persists has been taken over before
    uint32_t *end_rank; ///< by contact of `before`: ended ones before it; the last slot holds their number
    size_t *ended;      ///< per range of `before`
    size_t *begun;      ///< per range of `after`
    qd_event *events;
} event_job;

/// Cosine of the angle by which the normal of a contact may turn in a step without its being another one.
static const double SAME_WAY = 0.7;

static uint64_t order_of(const qd_contact *contact) {
    return (uint64_t)contact->a.index << 32 | contact->b.index;
}

static bool same_bodies(const qd_contact *p, const qd_contact *q) {
    return p->a.generation == q->a.generation && p->b.generation == q->b.generation;
}

/// The first contact of a part of a list that is not before (a, b): of [low, high).
static size_t find(const qdi_moment *list, size_t low, size_t high, uint64_t order) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order_of(&list->contacts[middle]) < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// find for the next contact of an ordered walk that has come to `from`: most often a step or two from the last.
static size_t find_from(const qdi_moment *list, size_t from, size_t high, uint64_t order) {
    for (int k = 0; k < 8; ++k, ++from)
        if (from == high || order_of(&list->contacts[from]) >= order) return from;
    return find(list, from, high, order);
}

/// True where list[at], of a part that ends at `high`, is the same contact.
static bool found(const qdi_moment *list, size_t at, size_t high, const qd_contact *contact) {
    return at < high && order_of(&list->contacts[at]) == order_of(contact) &&
           same_bodies(&list->contacts[at], contact);
}

static void count_ended(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    const qd_contact *contacts = job->before->contacts;
    uint32_t ended = 0;
    const size_t high = job->after->contact_count;
    size_t at = find(job->after, 0, high, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        at = find_from(job->after, at, high, order_of(&contacts[i]));
        job->end_rank[i] = ended;
        ended += !found(job->after, at, high, &contacts[i]);
    }
    job->ended[begin / QDI_TOUCH_GRAIN] = ended;
}

static void shift_ranks(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    uint32_t first = (uint32_t)job->ended[begin / QDI_TOUCH_GRAIN];
    for (size_t i = begin; i < end; ++i) job->end_rank[i] += first;
}

/// Puts into a contact and its event what contact `at` of `before` gave, by feature; its hold to `hold`. Both
/// are written, for a copy of what was written just now would have to wait for it.
static void take_over(const event_job *job, size_t at, qd_contact *contact, qd_contact *event,
                      qdi_warm_start *hold) {
    const qd_contact *old = &job->before->contacts[at];
    const qdi_outcome *outcome = job->outcomes ? &job->outcomes[at] : NULL;
    const qdi_warm_start *held = outcome ? &outcome->hold : &job->before->holds[at];
    // What held them in another direction is worth nothing in this one.
    bool same = old->normal.x * contact->normal.x + old->normal.y * contact->normal.y >= SAME_WAY ||
                job->springs;
    for (int k = 0; k < contact->count; ++k) {
        for (int j = 0; j < old->count; ++j) {
            if (old->touch[j].feature != contact->touch[k].feature) continue;
            double impulse = outcome ? outcome->impulse[j] : old->touch[j].impulse;
            double friction = outcome ? outcome->rub[j] : old->touch[j].friction;
            contact->touch[k].impulse = event->touch[k].impulse = impulse;
            contact->touch[k].friction = event->touch[k].friction = friction;
            hold->normal[k] = same ? held->normal[j] : 0;
            hold->tangent[k] = same ? held->tangent[j] : 0;
        }
    }
}

/// Where an ordered walk over contacts has come to in both parts of another list: contacts, and speculative ones.
typedef struct walk {
    size_t contact, near;
} walk;

static walk walk_begin(const qdi_moment *list, uint64_t order) {
    return (walk){find(list, 0, list->contact_count, order),
                  find(list, list->contact_count, qdi_constraint_count(list), order)};
}

/// The place of the same contact in either part, or SIZE_MAX.
static size_t walk_to(const qdi_moment *list, walk *at, const qd_contact *contact) {
    const size_t high = list->contact_count, end = qdi_constraint_count(list);
    at->contact = find_from(list, at->contact, high, order_of(contact));
    if (found(list, at->contact, high, contact)) return at->contact;
    at->near = find_from(list, at->near, end, order_of(contact));
    return found(list, at->near, end, contact) ? at->near : SIZE_MAX;
}

/// Constraints whose pair had one before take over what that holds and, where they touch, its impulses; the others begin with nothing.
static void take_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    qd_contact *contacts = job->after->contacts + job->first;
    qdi_warm_start *holds = job->after->holds + job->first;
    walk at = walk_begin(job->before, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        holds[i] = (qdi_warm_start){{0, 0}, {0, 0}};
        size_t place = walk_to(job->before, &at, &contacts[i]);
        if (place != SIZE_MAX) take_over(job, place, &contacts[i], &contacts[i], &holds[i]);
    }
}

static void write_ended(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    const qd_contact *contacts = job->before->contacts;
    const size_t high = job->after->contact_count;
    size_t at = find(job->after, 0, high, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        if (job->end_rank[i + 1] == job->end_rank[i]) continue;
        at = find_from(job->after, at, high, order_of(&contacts[i]));
        qd_event *event = &job->events[job->end_rank[i] + at];
        *event = (qd_event){QD_EVENT_END, contacts[i]};
        qdi_warm_start none;
        if (!job->springs) take_over(job, i, &event->contact, &event->contact, &none);
        for (int k = 0; k < 2 && job->springs; ++k)
            event->contact.touch[k].impulse = event->contact.touch[k].friction = 0;
    }
}

static void write_present(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    qd_contact *contacts = job->after->contacts;
    const size_t high = job->before->contact_count;
    size_t begun = 0, at = find(job->before, 0, high, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        at = find_from(job->before, at, high, order_of(&contacts[i]));
        bool persists = found(job->before, at, high, &contacts[i]);
        // Other bodies may have had these indices: their contact's end comes before this one's begin.
        bool replaces = !persists && at < high &&
                        order_of(&job->before->contacts[at]) == order_of(&contacts[i]);
        size_t ends = job->end_rank[at] + (replaces ? 1 : 0);
        qd_event *event = &job->events[i + ends];
        event->kind = persists ? QD_EVENT_PERSIST : QD_EVENT_BEGIN;
        event->contact = contacts[i];
        begun += !persists;
    }
    job->begun[begin / QDI_TOUCH_GRAIN] = begun;
}

static qd_status reserve_holds(qd_world *world, qdi_moment *after) {
    return qdi_reserve(world->allocator, &after->holds, &after->hold_room, 0, qdi_constraint_count(after),
                       sizeof *after->holds);
}

static void take_all(qd_world *world, event_job *job) {
    qdi_team_for(world->team, job->after->contact_count, QDI_TOUCH_GRAIN, take_range, job);
    job->first = job->after->contact_count;
    qdi_team_for(world->team, job->after->near_count, QDI_TOUCH_GRAIN, take_range, job);
}

qd_status qdi_events_take_over(qd_world *world, const qdi_moment *before, qdi_moment *after) {
    qd_status status = reserve_holds(world, after);
    if (status != QD_OK) return status;
    event_job job = {.before = before, .after = after};
    take_all(world, &job);
    return QD_OK;
}

qd_status qdi_events(qd_world *world, const qdi_moment *before, const qdi_outcome *outcomes,
                     qdi_moment *after) {
    qdi_scratch *scratch = &world->scratch;
    qd_team *team = world->team;
    size_t old = before->contact_count, new = after->contact_count;
    size_t old_ranges = qdi_range_count(old, QDI_TOUCH_GRAIN),
           new_ranges = qdi_range_count(new, QDI_TOUCH_GRAIN);
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0,
                                   old_ranges + new_ranges + 1, sizeof *scratch->range_count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->end_rank, &scratch->end_room, 0, old + 1,
                             sizeof *scratch->end_rank);
    if (status != QD_OK) return status;
    status = reserve_holds(world, after);
    if (status != QD_OK) return status;
    event_job job = {.before = before,
                     .after = after,
                     .outcomes = outcomes,
                     .springs = world->def.contact == QD_CONTACT_SPRING,
                     .end_rank = scratch->end_rank,
                     .ended = scratch->range_count,
                     .begun = scratch->range_count + old_ranges};
    if (!job.springs) take_all(world, &job);

    qdi_team_for(team, old, QDI_TOUCH_GRAIN, count_ended, &job);
    size_t ended = qdi_exclusive_scan(job.ended, old_ranges);
    qdi_team_for(team, old, QDI_TOUCH_GRAIN, shift_ranks, &job);
    job.end_rank[old] = (uint32_t)ended;
    status = qdi_reserve(world->allocator, &after->events, &after->event_room, 0, new + ended,
                         sizeof *after->events);
    if (status != QD_OK) return status;
    job.events = after->events;
    qdi_team_for(team, old, QDI_TOUCH_GRAIN, write_ended, &job);
    qdi_team_for(team, new, QDI_TOUCH_GRAIN, write_present, &job);
    after->event_count = new + ended;
    after->ends = ended;
    after->begins = qdi_exclusive_scan(job.begun, new_ranges);
    return QD_OK;
}
