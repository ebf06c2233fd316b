// Contacts and events from the parts of a state. Whoever comes first makes them, and locks the others out
// meanwhile.

#include "sim/world/contact_list.h"

#include "core/base/os.h"
#include "sim/shape/collide.h"
#include "sim/world/contact_numbers.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/walls.h"

#include <math.h>

// ---- contacts ----

// Contacts that are read: one from its parts.
static void contact_from_parts(const qd_world *world, const qdi_contact_state *state, size_t place,
                               qd_contact *contact) {
    const uint32_t at = state->spots[place].geometry;
    const qdi_geometry *geometry = &state->geometry[at];
    const qdi_found_pair *found = &state->found[at];
    const qdi_given *given = qdi_given_at(world, state, place);
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

qdi_partners qdi_partners_at(const qd_world *world, const qdi_contact_state *state, size_t place) {
    if (state->parts) return state->partners[place];
    if (state->whole) {
        const qd_contact *contact = &state->contacts[state->number[place]];
        return (qdi_partners){contact->a, contact->b};
    }
    const qdi_meeting rows = qdi_rows_at(state, place);
    qdi_partners with = {.a = {world->index[rows.a], world->generation[rows.a]}};
    with.b = rows.b == QDI_NO_ROW ? (qd_id){(uint32_t)QD_WALL_LEFT + state->spots[place].wall, 0}
                                  : (qd_id){world->index[rows.b], world->generation[rows.b]};
    return with;
}

/// Contacts that are read: where two disks that meet touch.
static void put_touch_of_disks(const qd_world *world, const qdi_contact_state *state, size_t place,
                               qd_contact *contact) {
    const qdi_motion *m = state == &world->present ? &world->now : &world->next;
    const qdi_meeting rows = state->pairs_met[place];
    const qd_vec2 half = {state->period.x > 0 ? 0.5 * state->period.x : HUGE_VAL,
                          state->period.y > 0 ? 0.5 * state->period.y : HUGE_VAL};
    const double x = m->x[rows.a], y = m->y[rows.a], dx = m->x[rows.b] - x, dy = m->y[rows.b] - y;
    const qd_image image = {qdi_nearest_image(dx, half.x), qdi_nearest_image(dy, half.y)};
    const qd_vec2 d = {dx + image.x * state->period.x, dy + image.y * state->period.y};
    qdi_manifold manifold = {.count = 0};
    (void)qdi_collide_disks(world->radius[rows.a], world->radius[rows.b], d, HUGE_VAL, &manifold);
    const qdi_touch *touch = &manifold.at[0];
    contact->image = image;
    contact->normal = manifold.normal;
    contact->touch[0].point = (qd_vec2){x + touch->point.x, y + touch->point.y};
    contact->touch[0].depth = 0 - touch->gap; // never -0
}

/// Contacts that are read: one of two disks that meet.
static void contact_of_disks(const qd_world *world, const qdi_contact_state *state, size_t place,
                             qd_contact *contact) {
    put_touch_of_disks(world, state, place, contact);
    qd_touch *touch = &contact->touch[0];
    if (!state->thin) {
        contact->approach = state->disks[place].approach;
        touch->impulse = state->disks[place].impulse;
        touch->friction = state->disks[place].friction;
        return;
    }
    contact->approach = state->approaches[place];
    if (!(touch->depth > 0)) return;
    touch->impulse = state->thin_forces[place].push * state->dt;
    touch->friction = -state->thin_forces[place].friction * state->dt;
}

/// Contacts that are read: one of springs that meet.
static void contact_that_meets(const qd_world *world, const qdi_contact_state *state, size_t place,
                               qd_contact *contact) {
    const qdi_partners with = qdi_partners_at(world, state, place);
    *contact = (qd_contact){.a = with.a, .b = with.b, .count = 1};
    if (place < state->first_wall) {
        contact_of_disks(world, state, place, contact);
        return;
    }
    const qdi_wall_touch *touch = &state->walls[place - state->first_wall];
    contact->normal = qdi_wall_normal((int)state->spots[place].wall);
    contact->touch[0] = (qd_touch){.point = touch->point,
                                   .depth = touch->depth,
                                   .impulse = state->disks[place].impulse,
                                   .friction = state->disks[place].friction};
    contact->approach = state->disks[place].approach;
}

void qdi_contact_at(const qd_world *world, const qdi_contact_state *state, size_t place,
                    qd_contact *contact) {
    if (state->parts)
        contact_from_parts(world, state, place, contact);
    else if (state->whole)
        *contact = state->contacts[state->number[place]]; // as parts do not tell
    else
        contact_that_meets(world, state, place, contact);
}

/// Contacts that are read, of a state.
typedef struct fill_job {
    const qd_world *world;
    qdi_contact_state *state;
} fill_job;

qdi_contact_force qdi_force_met(const qd_world *world, const qdi_contact_state *state, size_t place) {
    if (!state->thin || place >= state->first_wall) return state->forces[place];
    const qdi_meeting rows = state->pairs_met[place];
    const qdi_thin_force *force = &state->thin_forces[place];
    return (qdi_contact_force){force->x, force->y, 0 + force->friction * world->radius[rows.a],
                               0 + force->friction * world->radius[rows.b]};
}

/// Contacts that are read: what else there is of one, from a thin one.
static void thicken(const qd_world *world, const qdi_contact_state *state, size_t place) {
    state->warm_starts[place] = qdi_shear_met(state, place);
    state->forces[place] = qdi_force_met(world, state, place);
}

// Makes a range of contacts, by place: neighbours are read, and contacts written here and there.
static void fill_range(void *context, size_t begin, size_t end) {
    const fill_job *job = context;
    const qdi_contact_state *state = job->state;
    for (size_t p = begin; p < end; ++p) {
        qdi_contact_at(job->world, state, p, &state->contacts[state->number[p]]);
        if (state->thin && p < state->first_wall) thicken(job->world, state, p);
    }
}

void qdi_contacts_fill(qd_world *world, qdi_contact_state *state) {
    if (state->whole) return;
    qdi_contacts_number(world, state, world->team);
    fill_job job = {world, state};
    qdi_team_for(world->team, qdi_constraint_count(state), QDI_CONTACT_GRAIN, fill_range, &job);
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

void qdi_contacts_need_numbers(const qd_world *world) {
    qdi_contacts_number(world, open_present(world), NULL);
    qdi_monitor_leave(world->reading);
}

// Makes contacts on the calling thread.
static void fill_alone(const qd_world *world, qdi_contact_state *state) {
    if (state->whole) return;
    qdi_contacts_number(world, state, NULL);
    fill_job job = {world, state};
    fill_range(&job, 0, qdi_constraint_count(state));
    state->whole = true;
}

const qd_contact *qdi_contacts_read(const qd_world *world, size_t *count) {
    qdi_contact_state *state = open_present(world);
    fill_alone(world, state);
    qdi_monitor_leave(world->reading);
    *count = state->contact_count;
    return state->contacts;
}

// ---- events ----

/// Contacts that are read: lists events in order: `all`, or only those that begin and end. Where other bodies
/// have taken the indices of those of a contact that ends, its end comes before the other's begin.
static void list_events(const qd_world *world, qdi_contact_state *state, bool all) {
    size_t ended = 0, count = 0;
    qdi_contacts_number(world, state, NULL);
    for (size_t i = 0; i < state->contact_count; ++i) {
        const bool persists = state->persists[qdi_place_of(state, i)];
        if (!all && persists) continue;
        const uint64_t order = qdi_contact_order_at(state, i);
        for (; ended < state->ends; ++ended) {
            const qd_contact *contact = qdi_ended_at(state, ended);
            if (qdi_contact_order(contact->a, contact->b) > order) break;
            state->events[count++] = (qd_event){QD_EVENT_END, contact};
        }
        if (!state->whole) qdi_contact_at(world, state, state->place[i], &state->contacts[i]);
        state->events[count++] = (qd_event){persists ? QD_EVENT_PERSIST : QD_EVENT_BEGIN,
                                            &state->contacts[i]};
    }
    for (; ended < state->ends; ++ended)
        state->events[count++] = (qd_event){QD_EVENT_END, qdi_ended_at(state, ended)};
    state->event_count = count;
    state->listed = all ? QDI_TELLS_ALL : QDI_TELLS_CHANGES;
}

/// Contacts that are read: lists events of contacts without numbers that begin and end. Those that begin are
/// made behind those that have ended.
static void list_changes(const qd_world *world, qdi_contact_state *state) {
    qd_contact *begun = state->ended + state->ends;
    size_t count = 0, ended = 0;
    for (size_t p = 0; p < state->contact_count; ++p) {
        if (state->persists[p]) continue;
        state->order[count] = qdi_contact_order_placed(world, state, p);
        state->place[count++] = (uint32_t)p;
    }
    qdi_orders_sort(state->order, state->place, count, state->contacts);
    qd_event *event = state->events;
    for (size_t k = 0; k < count; ++k) {
        qdi_contact_at(world, state, state->place[k], &begun[k]);
        for (; ended < state->ends; ++ended) {
            const qd_contact *contact = qdi_ended_at(state, ended);
            if (qdi_contact_order(contact->a, contact->b) > state->order[k]) break;
            *event++ = (qd_event){QD_EVENT_END, contact};
        }
        *event++ = (qd_event){QD_EVENT_BEGIN, &begun[k]};
    }
    for (; ended < state->ends; ++ended) *event++ = (qd_event){QD_EVENT_END, qdi_ended_at(state, ended)};
    state->event_count = (size_t)(event - state->events);
    state->listed = QDI_TELLS_CHANGES;
}

const qd_event *qdi_events_read(const qd_world *world, size_t *count) {
    qdi_contact_state *state = open_present(world);
    fill_alone(world, state);
    if (state->listed != QDI_TELLS_ALL) list_events(world, state, true);
    qdi_monitor_leave(world->reading);
    *count = state->event_count;
    return state->events;
}

const qd_event *qdi_changes_read(const qd_world *world, size_t *count) {
    qdi_contact_state *state = open_present(world);
    const bool numbered = state->parts || state->whole;
    if (state->listed == QDI_TELLS_NOTHING && numbered) list_events(world, state, false);
    if (state->listed == QDI_TELLS_NOTHING) list_changes(world, state);
    qdi_monitor_leave(world->reading);
    *count = state->event_count;
    return state->events;
}
