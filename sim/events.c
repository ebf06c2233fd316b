// Events from two ordered lists of contacts. Each contact of `after` is an event, and so is each of `before`
// that ended; all go where they belong in the order of (a, b) without looking at one another: an event's
// place is its place in its own list plus the number of events before it from the other. Ranges write their
// own slots only.

#include "sim/world_impl.h"

typedef struct event_job {
    const qdi_moment *before, *after;
    const qdi_joint *joints; ///< or NULL
    bool springs;            ///< what persists has been taken over before
    const uint32_t *place;   ///< in the joints, by contact of `before`
    uint32_t *end_rank; ///< by contact of `before`: ended ones before it; the last slot holds their number
    size_t *ended;      ///< per range of `before`
    size_t *begun;      ///< per range of `after`
    qd_event *events;
} event_job;

enum { AHEAD = 8 };

static uint64_t order_of(const qd_contact *contact) {
    return (uint64_t)contact->a.index << 32 | contact->b.index;
}

static bool same_bodies(const qd_contact *p, const qd_contact *q) {
    return p->a.generation == q->a.generation && p->b.generation == q->b.generation;
}

/// The first contact of a list that is not before (a, b).
static size_t find(const qdi_moment *list, uint64_t order) {
    size_t low = 0, high = list->contact_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order_of(&list->contacts[middle]) < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// find for the next contact of an ordered walk: most often a step or two from the last.
static size_t find_from(const qdi_moment *list, size_t from, uint64_t order) {
    for (int k = 0; k < 8; ++k, ++from)
        if (from == list->contact_count || order_of(&list->contacts[from]) >= order) return from;
    return find(list, order);
}

/// True where list[at] is the same contact.
static bool found(const qdi_moment *list, size_t at, const qd_contact *contact) {
    return at < list->contact_count && order_of(&list->contacts[at]) == order_of(contact) &&
           same_bodies(&list->contacts[at], contact);
}

static void count_ended(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    const qd_contact *contacts = job->before->contacts;
    uint32_t ended = 0;
    size_t at = find(job->after, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        at = find_from(job->after, at, order_of(&contacts[i]));
        job->end_rank[i] = ended;
        ended += !found(job->after, at, &contacts[i]);
    }
    job->ended[begin / QDI_TOUCH_GRAIN] = ended;
}

static void shift_ranks(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    uint32_t first = (uint32_t)job->ended[begin / QDI_TOUCH_GRAIN];
    for (size_t i = begin; i < end; ++i) job->end_rank[i] += first;
}

/// Puts into a contact and its event what the joint of contact `at` of `before` gave, by feature; its hold to `hold`. Both
/// are written, for a copy of what was written just now would have to wait for it.
static void take_over(const event_job *job, size_t at, qd_contact *contact, qd_contact *event,
                      qdi_hold *hold) {
    const qd_contact *old = &job->before->contacts[at];
    const qdi_joint *joint = job->joints ? &job->joints[job->place[at]] : NULL;
    const qdi_hold *held = joint ? &joint->hold : &job->before->holds[at];
    for (int k = 0; k < contact->count; ++k) {
        for (int j = 0; j < old->count; ++j) {
            if (old->touch[j].feature != contact->touch[k].feature) continue;
            double impulse = joint ? joint->impulse[j] : old->touch[j].impulse;
            double friction = joint ? joint->rub[j] : old->touch[j].friction;
            contact->touch[k].impulse = event->touch[k].impulse = impulse;
            contact->touch[k].friction = event->touch[k].friction = friction;
            hold->normal[k] = held->normal[j];
            hold->tangent[k] = held->tangent[j];
        }
    }
}

/// What persists takes over; the others begin with nothing.
static void take_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    qd_contact *contacts = job->after->contacts;
    size_t at = find(job->before, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        at = find_from(job->before, at, order_of(&contacts[i]));
        job->after->holds[i] = (qdi_hold){{0, 0}, {0, 0}};
        if (found(job->before, at, &contacts[i]))
            take_over(job, at, &contacts[i], &contacts[i], &job->after->holds[i]);
    }
}

/// Joints lie in another order than contacts: one that is needed soon is asked for ahead.
static inline void ask_for(const event_job *job, size_t at) {
    if (!job->joints || at >= job->before->contact_count) return;
    const qdi_joint *joint = &job->joints[job->place[at]];
    __builtin_prefetch(&joint->impulse);
    __builtin_prefetch((const char *)(joint + 1) - 1);
}

static void write_ended(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    const qd_contact *contacts = job->before->contacts;
    size_t at = find(job->after, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        if (i + AHEAD < end && job->end_rank[i + AHEAD + 1] != job->end_rank[i + AHEAD])
            ask_for(job, i + AHEAD);
        if (job->end_rank[i + 1] == job->end_rank[i]) continue;
        at = find_from(job->after, at, order_of(&contacts[i]));
        qd_event *event = &job->events[job->end_rank[i] + at];
        *event = (qd_event){QD_EVENT_END, contacts[i]};
        qdi_hold none;
        if (!job->springs) take_over(job, i, &event->contact, &event->contact, &none);
        for (int k = 0; k < 2 && job->springs; ++k)
            event->contact.touch[k].impulse = event->contact.touch[k].friction = 0;
    }
}

static void write_present(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const event_job *job = context;
    qd_contact *contacts = job->after->contacts;
    size_t begun = 0, at = find(job->before, order_of(&contacts[begin]));
    for (size_t i = begin; i < end; ++i) {
        at = find_from(job->before, at, order_of(&contacts[i]));
        ask_for(job, at + AHEAD);
        bool persists = found(job->before, at, &contacts[i]);
        // Other bodies may have had these indices: their contact's end comes before this one's begin.
        bool replaces = !persists && at < job->before->contact_count &&
                        order_of(&job->before->contacts[at]) == order_of(&contacts[i]);
        size_t ends = job->end_rank[at] + (replaces ? 1 : 0);
        qd_event *event = &job->events[i + ends];
        event->kind = persists ? QD_EVENT_PERSIST : QD_EVENT_BEGIN;
        event->contact = contacts[i];
        if (!job->springs) job->after->holds[i] = (qdi_hold){{0, 0}, {0, 0}};
        if (persists && !job->springs)
            take_over(job, at, &contacts[i], &event->contact, &job->after->holds[i]);
        begun += !persists;
    }
    job->begun[begin / QDI_TOUCH_GRAIN] = begun;
}

static qd_status reserve_holds(qd_world *world, qdi_moment *after) {
    return qdi_reserve(world->allocator, &after->holds, &after->hold_room, 0, after->contact_count,
                       sizeof *after->holds);
}

qd_status qdi_events_take_over(qd_world *world, const qdi_moment *before, qdi_moment *after) {
    qd_status status = reserve_holds(world, after);
    if (status != QD_OK) return status;
    event_job job = {.before = before, .after = after};
    qdi_team_for(world->team, after->contact_count, QDI_TOUCH_GRAIN, take_range, &job);
    return QD_OK;
}

qd_status qdi_events(qd_world *world, const qdi_moment *before, const qdi_joint *joints, qdi_moment *after) {
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
    event_job job = {before,
                     after,
                     joints,
                     world->def.contact == QD_CONTACT_SPRING,
                     scratch->place,
                     scratch->end_rank,
                     scratch->range_count,
                     scratch->range_count + old_ranges,
                     NULL};

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
