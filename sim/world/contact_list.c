// Contacts and events from the parts of a state. Whoever comes first makes them, and locks the others out
// meanwhile.

#include "sim/world/contact_list.h"

#include "core/base/os.h"
#include "sim/world/contact_numbers.h"
#include "sim/world/grain.h"

// ---- contacts ----

// Contacts that are read: one from its parts.
static void contact_from_parts(const qdi_contact_state *state, size_t place, qd_contact *contact) {
    const uint32_t at = state->spots[place].geometry;
    const qdi_geometry *geometry = &state->geometry[at];
    const qdi_found_pair *found = &state->found[at];
    const qdi_given *given = &state->given[place];
    contact->a = state->partners[place].a;
    contact->b = state->partners[place].b;
    contact->normal = geometry->normal;
    for (int k = 0; k < 2; ++k)
        contact->touch[k] = (qd_touch){.point = geometry->point[k],
                                       .depth = geometry->depth[k],
                                       .impulse = given->impulse[k],
                                       .friction = given->friction[k],
                                       .feature = found->feature[k]};
    contact->approach = found->approach;
    contact->image = found->image;
    contact->count = found->count;
    contact->sensor = found->sensor;
}

void qdi_contact_at(const qdi_contact_state *state, size_t place, qd_contact *contact) {
    if (state->parts) {
        contact_from_parts(state, place, contact);
        return;
    }
    const qdi_disk_contact *disks = &state->disks[place];
    *contact = (qd_contact){.a = disks->a,
                            .b = disks->b,
                            .normal = disks->normal,
                            .touch = {{.point = disks->point,
                                       .depth = disks->depth,
                                       .impulse = disks->impulse,
                                       .friction = disks->friction}},
                            .approach = disks->approach,
                            .image = state->spots[place].image,
                            .count = 1};
}

// Makes a range of contacts.
static void fill_range(void *context, size_t begin, size_t end) {
    const qdi_contact_state *state = context;
    for (size_t i = begin; i < end; ++i) qdi_contact_at(state, state->place[i], &state->contacts[i]);
}

void qdi_contacts_fill(qd_world *world, qdi_contact_state *state) {
    if (state->whole) return;
    if (!state->parts) qdi_contacts_number(state);
    qdi_team_for(world->team, qdi_constraint_count(state), QDI_CONTACT_GRAIN, fill_range, state);
    state->whole = true;
}

/// Contacts that are read: the present state, to which a reader adds what it holds already in other words.
static qdi_contact_state *open_present(const qd_world *world) {
    qdi_monitor_enter(world->reading);
    return &((qd_world *)(uintptr_t)world)->present;
}

void qdi_contacts_need(const qd_world *world) {
    qdi_contact_state *state = open_present(world);
    qdi_contacts_fill((qd_world *)(uintptr_t)world, state);
    qdi_monitor_leave(world->reading);
}

// Makes contacts on the calling thread.
static void fill_alone(qdi_contact_state *state) {
    if (state->whole) return;
    if (!state->parts) qdi_contacts_number(state);
    fill_range(state, 0, qdi_constraint_count(state));
    state->whole = true;
}

const qd_contact *qdi_contacts_read(const qd_world *world, size_t *count) {
    qdi_contact_state *state = open_present(world);
    fill_alone(state);
    qdi_monitor_leave(world->reading);
    *count = state->contact_count;
    return state->contacts;
}

// ---- events ----

/// Contacts that are read: lists events in order: `all`, or only those that begin and end. Where other bodies
/// have taken the indices of those of a contact that ends, its end comes before the other's begin.
static void list_events(qdi_contact_state *state, bool all) {
    size_t ended = 0, count = 0;
    for (size_t i = 0; i < state->contact_count; ++i) {
        const bool persists = state->persists[qdi_place_of(state, i)];
        if (!all && persists) continue;
        const uint64_t order = qdi_contact_order_at(state, i);
        for (; ended < state->ends; ++ended) {
            const qd_contact *contact = &state->ended[ended];
            if (qdi_contact_order(contact->a, contact->b) > order) break;
            state->events[count++] = (qd_event){QD_EVENT_END, contact};
        }
        if (!state->whole) qdi_contact_at(state, state->place[i], &state->contacts[i]);
        state->events[count++] = (qd_event){persists ? QD_EVENT_PERSIST : QD_EVENT_BEGIN,
                                            &state->contacts[i]};
    }
    for (; ended < state->ends; ++ended)
        state->events[count++] = (qd_event){QD_EVENT_END, &state->ended[ended]};
    state->event_count = count;
    state->listed = all ? QDI_TELLS_ALL : QDI_TELLS_CHANGES;
}

/// Contacts that are read: lists events of contacts without numbers that begin and end. Those that begin are
/// made behind those that have ended.
static void list_changes(qdi_contact_state *state) {
    qd_contact *begun = state->ended + state->ends;
    size_t count = 0, ended = 0;
    for (size_t p = 0; p < state->contact_count; ++p) {
        if (state->persists[p]) continue;
        state->order[count] = qdi_contact_order(state->disks[p].a, state->disks[p].b);
        state->place[count++] = (uint32_t)p;
    }
    qdi_orders_sort(state->order, state->place, count, state->contacts);
    qd_event *event = state->events;
    for (size_t k = 0; k < count; ++k) {
        qdi_contact_at(state, state->place[k], &begun[k]);
        for (; ended < state->ends; ++ended) {
            const qd_contact *contact = &state->ended[ended];
            if (qdi_contact_order(contact->a, contact->b) > state->order[k]) break;
            *event++ = (qd_event){QD_EVENT_END, contact};
        }
        *event++ = (qd_event){QD_EVENT_BEGIN, &begun[k]};
    }
    for (; ended < state->ends; ++ended) *event++ = (qd_event){QD_EVENT_END, &state->ended[ended]};
    state->event_count = (size_t)(event - state->events);
    state->listed = QDI_TELLS_CHANGES;
}

const qd_event *qdi_events_read(const qd_world *world, size_t *count) {
    qdi_contact_state *state = open_present(world);
    fill_alone(state);
    if (state->listed != QDI_TELLS_ALL) list_events(state, true);
    qdi_monitor_leave(world->reading);
    *count = state->event_count;
    return state->events;
}

const qd_event *qdi_changes_read(const qd_world *world, size_t *count) {
    qdi_contact_state *state = open_present(world);
    const bool numbered = state->parts || state->whole;
    if (state->listed == QDI_TELLS_NOTHING && numbered) list_events(state, false);
    if (state->listed == QDI_TELLS_NOTHING) list_changes(state);
    qdi_monitor_leave(world->reading);
    *count = state->event_count;
    return state->events;
}
