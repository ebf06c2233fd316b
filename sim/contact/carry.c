// Contacts take over, in the order of their spots, what they had in the moment before. Where the pairs are
// those of the moment before, a contact has its place among the spots still; else a walk over both lists, in
// the order of (a, b), finds where it was. A range writes its own contacts; a mark on an old contact is
// written by the one that goes on from it.

#include "sim/contact/carry.h"

#include "core/base/lower_bound.h"
#include "core/base/memory.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"

#include <string.h>

typedef struct carry_job {
    const qd_world *world;
    const qdi_contact_state *before, *after;
    const qdi_given *given;            ///< what they gave in the step since, by place, or NULL
    const qdi_warm_start *warm_starts; ///< by place in `before`
    bool traded;                       ///< `after` has these already
    bool laid;                         ///< geometry has its place still
    bool same;                         ///< spots are of the same pairs, place by place
    bool springs;                      ///< only the shear is taken over, in whatever direction
    bool forceless;                    ///< contacts give nothing to each other, but those of a loaded world
    bool grains;                       ///< a second place of the warm start belongs to the only touch
    uint32_t *from;           ///< by place: that in `before`, or NOWHERE; not where they are the same
    uint8_t *goes_on;         ///< by place in `before`: it touches now
    size_t *touching, *begun; ///< per range
} carry_job;

#define NOWHERE UINT32_MAX

/// Cosine of the angle by which the normal of a contact may turn in a step without its being another one.
static const float SAME_WAY = 0.7F;

// Unmarks a range of old contacts, before those that go on are marked.
static void clear_range(void *context, size_t begin, size_t end) {
    memset(((const carry_job *)context)->goes_on + begin, 0, end - begin);
}

/// Carrying over: of two numbers of touches that of the one that goes on: `goes_on` says which, if any.
static inline double of_touch(const double of[2], const bool goes_on[2]) {
    const double first = goes_on[0] ? of[0] : 0;
    return goes_on[1] ? of[1] : first;
}

static const qdi_given nothing_given = {{0, 0}, {0, 0}};
static const qdi_warm_start nothing_held = {{0, 0}, {0, 0}};

/// Carrying over: true where one of two touches of a contact goes on in the other one.
static inline bool same_touch(const qdi_found_pair *had, int j, const qdi_found_pair *found, int k) {
    return j < had->count && k < found->count && had->feature[j] == found->feature[k];
}

/// Carrying over: what touches gave that are no more goes to one that is there instead: to the fresh one of
/// the same place, else to the other fresh one, else to the deeper one.
static void give_rest(const qdi_found_pair *had, const qdi_found_pair *found, const double impulse[2],
                      const double friction[2], qdi_given *given) {
    bool fresh[2];
    for (int k = 0; k < 2; ++k)
        fresh[k] = k < found->count && !same_touch(had, 0, found, k) && !same_touch(had, 1, found, k);
    for (int j = 0; j < 2; ++j) {
        if (j >= had->count || same_touch(had, j, found, 0) || same_touch(had, j, found, 1)) continue;
        const int to = fresh[j] ? j : fresh[1 - j] ? 1 - j : 0;
        given->impulse[to] += impulse[j];
        given->friction[to] += friction[j];
    }
}

/// Carrying over: what the contact at a place of `before` gave.
static inline const qdi_given *given_before(const carry_job *job, size_t old) {
    return job->given ? &job->given[old] : qdi_given_at(job->world, job->before, old);
}

/// What the contact at place `old` of `before` gave becomes, by feature, what that at `place` has; where that
/// does not touch, an end or an impact tells it (events.c). Which touch goes on is beyond guessing where two
/// are equally deep: hence choices and no branches.
static inline void take_over(const carry_job *job, size_t old, size_t place, bool touches) {
    const qdi_contact_state *before = job->before, *after = job->after;
    const uint32_t at = after->spots[place].geometry, old_at = job->laid ? at : before->spots[old].geometry;
    const qdi_found_pair *had = &before->found[old_at], *found = &after->found[at];
    qdi_given *given = &after->given[place];
    qdi_warm_start *warm_start = &after->warm_starts[place];
    // What held them in another direction is worth nothing in this one.
    const bool same = had->nx * found->nx + had->ny * found->ny >= SAME_WAY || job->springs;
    // Of what lies on each other nearly all goes on as it was.
    if (same && had->count == 2 && found->count == 2 && had->feature[0] == found->feature[0] &&
        had->feature[1] == found->feature[1] && (touches || job->traded)) {
        if (job->traded) return;
        memcpy(given, given_before(job, old), sizeof *given);
        memcpy(warm_start, &job->warm_starts[old], sizeof *warm_start);
        return;
    }
    const qdi_given gave = *given_before(job, old);
    const qdi_warm_start held = job->warm_starts[old];
    qdi_given next = nothing_given;
    int going = 0; // touches of before
    for (int k = 0; k < 2; ++k) {
        const bool goes_on[2] = {same_touch(had, 0, found, k), same_touch(had, 1, found, k)};
        const bool held_on[2] = {goes_on[0] && same, goes_on[1] && same};
        next.impulse[k] = of_touch(gave.impulse, goes_on);
        next.friction[k] = of_touch(gave.friction, goes_on);
        warm_start->normal[k] = of_touch(held.normal, held_on);
        warm_start->tangent[k] = of_touch(held.tangent, held_on);
        going += goes_on[0] + goes_on[1];
    }
    if (touches && going < had->count) give_rest(had, found, gave.impulse, gave.friction, &next);
    if (touches)
        *given = next;
    else if (!job->traded) // else events are still to be told of it
        qdi_put_rare(given, &nothing_given, sizeof nothing_given);
    if (job->grains && going > 0) *warm_start = held;
}

/// Carrying over: whether there is nothing to take over of an old contact, as of all without a contact model.
static inline bool gave_nothing(const carry_job *job, size_t old) {
    return job->forceless && qdi_same_bytes(&job->before->given[old], &nothing_given, sizeof nothing_given) &&
           qdi_same_bytes(&job->before->warm_starts[old], &nothing_held, sizeof nothing_held);
}

/// Carrying over: the first contact of a list, by rank, that is not before (a, b), for the next one of an
/// ordered walk that has come to `from`: most often a step or two from the last.
static size_t find_from(const qdi_contact_state *list, size_t from, uint64_t order) {
    const size_t count = qdi_constraint_count(list);
    for (int k = 0; k < 8; ++k, ++from)
        if (from == count || list->order[from] >= order) return from;
    return qdi_lower_bound_64(list->order, from, count, order);
}

/// Finds the places in `before` of a range of ranks.
static void trace_range(void *context, size_t begin, size_t end) {
    const carry_job *job = context;
    const qdi_contact_state *before = job->before, *after = job->after;
    const size_t count = qdi_constraint_count(before);
    size_t at = qdi_lower_bound_64(before->order, 0, count, after->order[begin]);
    for (size_t r = begin; r < end; ++r) {
        at = find_from(before, at, after->order[r]);
        job->from[after->ranked[r]] = at < count && before->order[at] == after->order[r] ? before->ranked[at]
                                                                                         : NOWHERE;
    }
}

// Whether two contacts of the same order are of the same bodies, not of a later one with an index.
static bool same_bodies(const qdi_partners *p, const qdi_partners *q) {
    return p->a.generation == q->a.generation && p->b.generation == q->b.generation;
}

/// What was found lies with gaps: it is asked for ahead.
enum { AHEAD = 16 };
/// Asks for what was found of a contact some places further on.
static inline void ask_for(const carry_job *job, size_t p, size_t end) {
    if (p + AHEAD >= end) return;
    __builtin_prefetch(&job->after->found[job->after->spots[p + AHEAD].geometry]);
    if (job->same)
        __builtin_prefetch(
            &job->before->found[(job->laid ? job->after : job->before)->spots[p + AHEAD].geometry]);
}

/// What a range of contacts, by place, takes over.
static void carry_range(void *context, size_t begin, size_t end) {
    const carry_job *job = context;
    const qdi_contact_state *before = job->before, *after = job->after;
    size_t touching = 0, begun = 0;
    for (size_t p = begin; p < end; ++p) {
        ask_for(job, p, end);
        const uint32_t old = job->same ? (uint32_t)p : job->from[p];
        const qdi_found_pair *found = &after->found[after->spots[p].geometry];
        const bool held = old != NOWHERE &&
                          (job->same || same_bodies(&before->partners[old], &after->partners[p]));
        const bool touches = !found->near;
        const qdi_warm_start *warm_start = &nothing_held;
        if (held && !gave_nothing(job, old)) {
            take_over(job, old, p, touches);
            warm_start = &after->warm_starts[p];
        } else {
            qdi_put_rare(&after->given[p], &nothing_given, sizeof nothing_given);
            qdi_put_rare(&after->warm_starts[p], &nothing_held, sizeof nothing_held);
        }
        after->marks[p] = qdi_marks_of(found, warm_start);
        const bool persists = held && touches && !qdi_near_at(before, old);
        after->persists[p] = persists;
        if (held) job->goes_on[old] = touches;
        touching += touches;
        begun += touches && !persists;
    }
    job->touching[begin / QDI_CONTACT_GRAIN] = touching;
    job->begun[begin / QDI_CONTACT_GRAIN] = begun;
}

qd_status qdi_carry(qd_world *world, size_t count, const qdi_outcomes *outcomes) {
    qdi_contact_state *before = &world->present, *after = &world->following;
    const bool springs = qdi_springs(world), same = qdi_same_pairs(before, after);
    qdi_arena *arena = &world->scratch.arena;
    const size_t old = qdi_constraint_count(before), ranges = qdi_range_count(count, QDI_CONTACT_GRAIN);
    carry_job job = {.world = world,
                     .before = before,
                     .after = after,
                     .given = outcomes->given,
                     .warm_starts = outcomes->given ? outcomes->warm_starts : before->warm_starts,
                     .same = same,
                     .traded = same && outcomes->given,
                     .laid = same && before->layout > 0 && before->layout == after->layout,
                     .springs = springs,
                     .forceless = world->def.contact == QD_CONTACT_NONE && !outcomes->given,
                     .grains = springs && qdi_spring_grains(&world->def.spring),
                     .from = qdi_arena_take(arena, same ? 0 : count, sizeof *job.from),
                     .goes_on = qdi_arena_take(arena, old, 1),
                     .touching = qdi_arena_take(arena, ranges, sizeof *job.touching),
                     .begun = qdi_arena_take(arena, ranges, sizeof *job.begun)};
    if (!job.from || !job.goes_on || !job.touching || !job.begun) return QD_ERR_MEMORY;
    world->scratch.goes_on = job.goes_on;
    if (job.traded) qdi_outcomes_trade(&world->scratch.outcomes, after);
    if (!same) {
        qdi_team_for(world->team, old, QDI_BODY_GRAIN, clear_range, &job);
        qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, trace_range, &job);
    }
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, carry_range, &job);
    after->contact_count = qdi_exclusive_scan(job.touching, ranges);
    after->near_count = count - after->contact_count;
    after->begins = qdi_exclusive_scan(job.begun, ranges);
    after->parts = true;
    after->whole = after->numbered = after->met = after->thin = false;
    return QD_OK;
}
