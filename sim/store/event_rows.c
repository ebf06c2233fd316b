// An event that ends a contact may name a body that is gone, and with it its label. All such bodies touched
// something at the step before, when they were alive and an event named them. So labels are kept from when a
// body is first named; those that are index + 1, as most are, need no keeping.

#include "sim/store/event_rows.h"

#include "core/base/memory.h"
#include "sim/world/contact_list.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// Store's events: keeps the label of a body, which need not live any more.
static qd_status keep_label(qdi_event_names *names, const qd_body_view *view, uint32_t row) {
    size_t index = view->index[row];
    if (row < view->count && view->label[row] == (uint64_t)index + 1 && index >= names->count) return QD_OK;
    qd_status status = qdi_reserve(names->allocator, &names->labels, &names->room, names->count, index + 1,
                                   sizeof *names->labels);
    if (status != QD_OK) return status;
    while (names->count <= index) names->labels[names->count++] = (qdi_label){0};
    names->labels[index] = (qdi_label){view->label[row], view->generation[row]};
    return QD_OK;
}

qd_status qdi_event_names_take(qdi_event_names *names, const qd_world *world) {
    const qd_body_view view = qd_world_view(world);
    qd_status status = QD_OK;
    for (uint32_t row = 0; row < view.count && status == QD_OK; ++row) status = keep_label(names, &view, row);
    return status;
}

/// Store's events: those that live still; of the others it is kept already.
static qd_status keep_labels_of(qdi_event_names *names, const qd_body_view *view, const qd_contact *contact) {
    uint32_t a = qd_body_view_row(view, contact->a), b = qd_body_view_row(view, contact->b);
    qd_status status = a == UINT32_MAX ? QD_OK : keep_label(names, view, a);
    return status != QD_OK || b == UINT32_MAX ? status : keep_label(names, view, b);
}

// Store's events: whether the label of a removed body is still kept for its events.
static bool is_name_kept(const qdi_event_names *names, qd_id id) {
    return id.index < names->count && names->labels[id.index].generation == id.generation;
}

// Store's events: the label of a body in an event's row.
static uint64_t event_label(const qdi_event_names *names, const qd_body_view *view, qd_id id) {
    uint32_t row = qd_body_view_row(view, id);
    if (row != UINT32_MAX) return view->label[row];
    return is_name_kept(names, id) ? names->labels[id.index].label : (uint64_t)id.index + 1;
}

// Store's events: whether the label of a body in an event is known.
static bool is_name_known(const qdi_event_names *names, const qd_body_view *view, qd_id id) {
    return qd_id_is_wall(id) || qd_body_view_row(view, id) != UINT32_MAX || is_name_kept(names, id);
}

/// Store's events: all that touch or met something on their way can be named: they live, or are kept. Else
/// bodies were removed since, and others added.
static bool all_known(const qdi_event_names *names, const qd_world *world, const qd_body_view *view) {
    size_t events = 0, impacts = 0;
    const qd_event *event = qd_world_events(world, &events);
    const qd_impact *impact = qd_world_impacts(world, &impacts);
    bool known = true;
    for (size_t i = 0; i < events && known; ++i)
        known = event[i].kind == QD_EVENT_END || (is_name_known(names, view, event[i].contact->a) &&
                                                  is_name_known(names, view, event[i].contact->b));
    for (size_t i = 0; i < impacts && known; ++i)
        known = is_name_known(names, view, impact[i].a) && is_name_known(names, view, impact[i].b);
    return known;
}

/// Store's events: fills in who takes part.
static void name_both(const qdi_event_names *names, const qd_body_view *view, qd_id a, qd_id b,
                      qdi_event_row *row) {
    row->a = event_label(names, view, a);
    if (qd_id_is_wall(b))
        row->side = 1 + (b.index - (uint32_t)QD_WALL_LEFT);
    else
        row->b = event_label(names, view, b);
}

// The row of run.db for an event.
static qdi_event_row row_of_event(const qd_event *event) {
    const qd_contact *contact = event->contact;
    const qd_touch *touch = contact->touch;
    bool two = contact->count > 1;
    return (qdi_event_row){.kind = (uint32_t)event->kind,
                           .point = touch->point,
                           .normal = contact->normal,
                           .impulse = two ? touch[0].impulse + touch[1].impulse : touch->impulse,
                           .friction = two ? touch[0].friction + touch[1].friction : touch->friction,
                           .approach = contact->approach,
                           .rest = touch->depth};
}

// The row of run.db for an impact.
static qdi_event_row row_of_impact(const qd_impact *impact) {
    return (qdi_event_row){.kind = QDI_EVENT_IMPACT,
                           .point = impact->point,
                           .normal = impact->normal,
                           .impulse = impact->impulse,
                           .friction = impact->friction,
                           .approach = impact->approach,
                           .rest = impact->time};
}

qd_status qdi_event_rows_hold(qdi_event_names *names, const qd_world *world) {
    const qd_body_view view = qd_world_view(world);
    size_t events = 0, count = 0;
    const qd_event *event = qdi_changes_read(world, &events);
    qd_status status = qdi_reserve(names->allocator, &names->held, &names->held_room, 0, events,
                                   sizeof *names->held);
    if (status != QD_OK) return status;
    names->held_step = qd_world_steps(world) + 1;
    for (size_t i = 0; i < events; ++i) {
        if (event[i].kind == QD_EVENT_PERSIST) continue;
        qdi_event_row *row = &names->held[count];
        *row = row_of_event(&event[i]);
        row->impulse = row->friction = 0; // no time has passed
        row->step = names->held_step;
        row->number = count++;
        name_both(names, &view, event[i].contact->a, event[i].contact->b, row);
    }
    names->held_count = count;
    return qdi_event_names_take(names, world);
}

// Store's events: hands in the rows of a change before this step, and returns how many they were.
static uint64_t hand_in_held(qdi_event_names *names, uint64_t step, qdi_event_sink sink, void *context,
                             qd_status *status) {
    const size_t count = names->held_step == step ? names->held_count : 0;
    names->held_count = 0;
    for (size_t i = 0; i < count && *status == QD_OK; ++i) *status = sink(context, &names->held[i]);
    return count;
}

qd_status qdi_event_rows(qdi_event_names *names, const qd_world *world, bool persist, qdi_event_sink sink,
                         void *context) {
    const qd_body_view view = qd_world_view(world);
    uint64_t step = qd_world_steps(world);
    qd_status status = QD_OK;
    for (size_t i = 0; i < world->gone && status == QD_OK; ++i)
        status = keep_label(names, &view, (uint32_t)(world->count + i));
    if (status == QD_OK && world->changed && !all_known(names, world, &view)) status = QD_ERR_STALE;
    size_t events = 0, impacts = 0;
    const qd_event *event = persist ? qd_world_events(world, &events) : qdi_changes_read(world, &events);
    const qd_impact *impact = qd_world_impacts(world, &impacts);
    uint64_t number = hand_in_held(names, step, sink, context, &status);
    for (size_t i = 0; i < events && status == QD_OK; ++i) {
        if (event[i].kind == QD_EVENT_PERSIST && !persist) continue;
        qdi_event_row row = row_of_event(&event[i]);
        row.step = step;
        row.number = number++;
        name_both(names, &view, event[i].contact->a, event[i].contact->b, &row);
        status = sink(context, &row);
    }
    for (size_t i = 0; i < impacts && status == QD_OK; ++i) {
        qdi_event_row row = row_of_impact(&impact[i]);
        row.step = step;
        row.number = number++;
        name_both(names, &view, impact[i].a, impact[i].b, &row);
        status = sink(context, &row);
    }
    // Only now: ends of this step may still need what a new body of the same index would replace.
    for (size_t i = 0; i < events && status == QD_OK; ++i)
        if (event[i].kind == QD_EVENT_BEGIN) status = keep_labels_of(names, &view, event[i].contact);
    return status;
}

// Store's events: frees the labels that events of removed bodies need.
void qdi_event_names_free(qdi_event_names *names) {
    qdi_release(names->allocator, names->labels, names->room, sizeof *names->labels);
    qdi_release(names->allocator, names->held, names->held_room, sizeof *names->held);
    *names = (qdi_event_names){.allocator = names->allocator};
}

qd_store_event qdi_event_of_row(const qdi_event_row *row) {
    bool impact = row->kind == QDI_EVENT_IMPACT;
    return (qd_store_event){.step = row->step,
                            .number = row->number,
                            .kind = (qd_store_event_kind)row->kind,
                            .a = row->a,
                            .b = row->side ? 0 : row->b,
                            .wall = (int)row->side,
                            .point = row->point,
                            .normal = row->normal,
                            .impulse = row->impulse,
                            .friction = row->friction,
                            .approach = row->approach,
                            .depth = impact ? (double)NAN : row->rest,
                            .within = impact ? row->rest : (double)NAN};
}
