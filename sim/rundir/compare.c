#include <quadrille/compare.h>

#include "core/base/arithmetic.h"
#include "sim/rundir/compare_fields.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/fields.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// A comparison under way. What it is at has been named in `now`.
typedef struct comparing {
    const qd_world *first, *second;
    qd_difference_visit visit;
    void *context;
    qd_comparison found;
    qd_difference now;
    bool counted; ///< as one more body or contact
    char subject[96];
} comparing;

/// Compared runs: counts a difference, and tells it.
static bool field_differs(void *context, const char *name, const char *first, const char *second, bool work) {
    comparing *job = context;
    uint64_t *whole = job->now.of == QD_DIFFERENCE_BODY      ? &job->found.bodies
                      : job->now.of == QD_DIFFERENCE_CONTACT ? &job->found.contacts
                                                             : NULL;
    if (work) {
        job->found.work += 1;
    } else {
        job->found.fields += 1;
        if (whole && !job->counted) *whole += 1;
        job->counted = true;
    }
    if (!job->visit) return true;
    qd_difference difference = job->now;
    difference.subject = job->subject;
    difference.work = work;
    difference.field = name;
    difference.first = first;
    difference.second = second;
    return job->visit(job->context, &difference);
}

// Says which part of two worlds is compared now.
static void set_difference_subject(comparing *job, qd_difference_of of, uint64_t label) {
    job->now = (qd_difference){.of = of, .label = label};
    job->counted = false;
}

/// Compared runs: it is in one world and not in the other.
static bool whole_differs(comparing *job, bool in_first) {
    return field_differs(job, "", in_first ? "there" : "none", in_first ? "none" : "there", false);
}

// ---- bodies ----

// The row of a body index in a compared world.
static uint32_t row_at_index(const qd_world *world, size_t index) {
    return index < world->index_count ? world->row_of_index[index] : QDI_NO_ROW;
}

// The generation of a body index in a compared world.
static uint32_t generation_at_index(const qd_world *world, size_t index) {
    return index < world->index_count ? world->generation_of_index[index] : 0;
}

/// An index that nobody has, in either world: its generation is what the next body's follows.
static bool compare_free(comparing *job, size_t index) {
    uint32_t first = generation_at_index(job->first, index), second = generation_at_index(job->second, index);
    if (first == second) return true;
    set_difference_subject(job, QD_DIFFERENCE_BODY, 0);
    snprintf(job->subject, sizeof job->subject, "free index %zu", index);
    char one[16], two[16];
    snprintf(one, sizeof one, "%" PRIu32, first);
    snprintf(two, sizeof two, "%" PRIu32, second);
    return field_differs(job, "generation", one, two, false);
}

// Compares the body of one index in two worlds.
static bool compare_world_body(comparing *job, size_t index) {
    uint32_t p = row_at_index(job->first, index), q = row_at_index(job->second, index);
    if (p == QDI_NO_ROW && q == QDI_NO_ROW) return compare_free(job, index);
    uint64_t label = p != QDI_NO_ROW ? job->first->label[p] : job->second->label[q];
    set_difference_subject(job, QD_DIFFERENCE_BODY, label);
    snprintf(job->subject, sizeof job->subject, "body %" PRIu64, label);
    if (p == QDI_NO_ROW || q == QDI_NO_ROW) return whole_differs(job, p != QDI_NO_ROW);
    const qd_body_state one = qdi_body_state_of_row(job->first, p),
                        two = qdi_body_state_of_row(job->second, q);
    if (!qdi_fields_compare(&qdi_fields_body, &one, &two, field_differs, job)) return false;
    bool fat = job->first->margin.held && job->second->margin.held;
    return !fat ||
           qdi_fields_compare(&qdi_fields_fat, &job->first->fat[p], &job->second->fat[q], field_differs, job);
}

// Compares the bodies of two worlds.
static bool compare_world_bodies(comparing *job) {
    size_t first = job->first->index_count, second = job->second->index_count;
    for (size_t i = 0; i < (first > second ? first : second); ++i)
        if (!compare_world_body(job, i)) return false;
    return true;
}

// ---- contacts ----

/// Compared runs: "body 3", "wall left", or of one that is gone "index 2".
static void name_partner(const qd_world *world, qd_id id, char *text, size_t room, uint64_t *label) {
    static const char *const walls[QDI_WALLS] = {"left", "right", "bottom", "top"};
    uint32_t row = qd_id_is_wall(id) ? QDI_NO_ROW : qdi_body_row(world, id);
    *label = row == QDI_NO_ROW ? 0 : world->label[row];
    if (qd_id_is_wall(id))
        snprintf(text, room, "wall %s", walls[id.index - QD_WALL_LEFT]);
    else if (row == QDI_NO_ROW)
        snprintf(text, room, "index %" PRIu32, id.index);
    else
        snprintf(text, room, "body %" PRIu64, *label);
}

// Names a compared contact by its two bodies.
static void name_compared_contact(comparing *job, const qd_world *world, const qd_contact *contact) {
    char a[32], b[32];
    uint64_t label, other;
    name_partner(world, contact->a, a, sizeof a, &label);
    name_partner(world, contact->b, b, sizeof b, &other);
    set_difference_subject(job, QD_DIFFERENCE_CONTACT, label);
    snprintf(job->subject, sizeof job->subject, "contact of %s and %s", a, b);
}

/// Compared runs: < 0: the first comes before the second.
static int contact_order(const qd_contact *first, const qd_contact *second) {
    if (first->a.index != second->a.index) return first->a.index < second->a.index ? -1 : 1;
    if (first->b.index != second->b.index) return first->b.index < second->b.index ? -1 : 1;
    return 0;
}

// The spring force of a compared contact.
static qdi_contact_force force_of_contact(const qd_world *world, size_t contact) {
    return qdi_springs(world) ? *qdi_force_of(&world->present, contact) : (qdi_contact_force){0, 0, 0, 0};
}

/// Contact i of the first and k of the second world are between the same bodies.
static bool compare_contact(comparing *job, size_t i, size_t k) {
    const qdi_contact_state *p = &job->first->present, *q = &job->second->present;
    const qdi_held_contact one = {p->contacts[i], p->warm_starts[qdi_place_of(p, i)],
                                  force_of_contact(job->first, i)};
    const qdi_held_contact two = {q->contacts[k], q->warm_starts[qdi_place_of(q, k)],
                                  force_of_contact(job->second, k)};
    name_compared_contact(job, job->first, &one.contact);
    return qdi_fields_compare(&qdi_fields_contact, &one, &two, field_differs, job);
}

/// A part of each of the two lists, until `p_end` and `q_end`.
static bool compare_part(comparing *job, size_t i, size_t p_end, size_t k, size_t q_end) {
    const qdi_contact_state *p = &job->first->present, *q = &job->second->present;
    bool more = true;
    while (more && (i < p_end || k < q_end)) {
        int order = i == p_end ? 1 : k == q_end ? -1 : contact_order(&p->contacts[i], &q->contacts[k]);
        if (order < 0) name_compared_contact(job, job->first, &p->contacts[i]);
        if (order > 0) name_compared_contact(job, job->second, &q->contacts[k]);
        more = order == 0 ? compare_contact(job, i, k) : whole_differs(job, order < 0);
        i += order <= 0;
        k += order >= 0;
    }
    return more;
}

// Compares the contacts of two worlds.
static bool compare_world_contacts(comparing *job) {
    const qdi_contact_state *p = &job->first->present, *q = &job->second->present;
    size_t count;
    (void)qdi_contacts_read(job->first, &count);
    (void)qdi_contacts_read(job->second, &count);
    return compare_part(job, 0, p->contact_count, 0, q->contact_count) &&
           compare_part(job, p->contact_count, qdi_constraint_count(p), q->contact_count,
                        qdi_constraint_count(q));
}

// ---- materials ----

// Compares what two worlds say of one pair of materials.
static bool compare_world_pair(comparing *job, uint32_t a, uint32_t b) {
    qd_material p, q;
    if (qd_world_material_pair(job->first, a, b, &p) != QD_OK ||
        qd_world_material_pair(job->second, a, b, &q) != QD_OK)
        return true; // told by the materials themselves
    set_difference_subject(job, QD_DIFFERENCE_WORLD, 0);
    snprintf(job->subject, sizeof job->subject, "the pair of materials %u and %u", a, b);
    return qdi_fields_compare(&qdi_fields_material, &p, &q, field_differs, job);
}

// Compares the materials of two worlds, and their pairs.
static bool compare_world_materials(comparing *job) {
    const qdi_materials *p = &job->first->traits.materials, *q = &job->second->traits.materials;
    bool more = true;
    for (uint32_t i = 0; more && (i < p->count || i < q->count); ++i) {
        set_difference_subject(job, QD_DIFFERENCE_WORLD, 0);
        snprintf(job->subject, sizeof job->subject, "material %u", i + 1);
        if (i >= p->count || i >= q->count)
            more = whole_differs(job, i < p->count);
        else if (strcmp(p->list[i].name, q->list[i].name) != 0)
            more = field_differs(job, "name", p->list[i].name, q->list[i].name, false);
        else
            more = qdi_fields_compare(&qdi_fields_material, &p->list[i].surface, &q->list[i].surface,
                                      field_differs, job);
    }
    for (uint32_t a = 1; more && (p->pairs || q->pairs) && a <= p->count; ++a)
        for (uint32_t b = a; more && b <= p->count; ++b) more = compare_world_pair(job, a, b);
    return more;
}

// ---- emitters and sinks ----

// Compares the emitters of two worlds.
static bool compare_world_emitters(comparing *job, const qdi_population *p, const qdi_population *q) {
    size_t first = p ? p->emitter_count : 0, second = q ? q->emitter_count : 0;
    for (size_t i = 0; i < first || i < second; ++i) {
        set_difference_subject(job, QD_DIFFERENCE_EMITTER, 0);
        snprintf(job->subject, sizeof job->subject, "emitter %zu", i);
        bool more = i < first && i < second ? qdi_fields_compare(&qdi_fields_emitter, &p->emitters[i],
                                                                 &q->emitters[i], field_differs, job)
                                            : whole_differs(job, i < first);
        if (!more) return false;
    }
    return true;
}

// Compares the sinks of two worlds.
static bool compare_world_sinks(comparing *job, const qdi_population *p, const qdi_population *q) {
    size_t first = p ? p->sink_count : 0, second = q ? q->sink_count : 0;
    for (size_t i = 0; i < first || i < second; ++i) {
        set_difference_subject(job, QD_DIFFERENCE_SINK, 0);
        snprintf(job->subject, sizeof job->subject, "sink %zu", i);
        bool more = i < first && i < second
                        ? qdi_fields_compare(&qdi_fields_sink, &p->sinks[i], &q->sinks[i], field_differs, job)
                        : whole_differs(job, i < first);
        if (!more) return false;
    }
    return true;
}

// Compares all parts of two worlds.
static void compare_worlds(comparing *job) {
    const qd_world *first = job->first, *second = job->second;
    set_difference_subject(job, QD_DIFFERENCE_WORLD, 0);
    snprintf(job->subject, sizeof job->subject, "the world");
    if (qdi_fields_compare(&qdi_fields_world, first, second, field_differs, job) &&
        compare_world_materials(job) && compare_world_bodies(job) && compare_world_contacts(job) &&
        compare_world_emitters(job, first->population, second->population))
        (void)compare_world_sinks(job, first->population, second->population);
}

qd_status qd_world_compare(const qd_world *first, const qd_world *second, qd_difference_visit visit,
                           void *context, qd_comparison *comparison) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!first || !second) return QD_ERR_ARGUMENT;
    comparing job = {.first = first, .second = second, .visit = visit, .context = context};
    compare_worlds(&job);
    if (comparison) *comparison = job.found;
    return QD_OK;
}
