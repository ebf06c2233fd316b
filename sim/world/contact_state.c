// Memory of contacts.

#include "sim/world/contact_state.h"

#include "core/base/memory.h"

#include <string.h>

/// Contacts: an array of a state.
typedef struct column {
    void *array; ///< address of its pointer
    size_t size; ///< of an item
    bool rare;   ///< without forces all are zero: no memory goes where they are (qdi_clear)
} column;

// Contacts: lists the arrays that have an item for each contact.
static void contact_columns(qdi_contact_state *state, column columns[QDI_CONTACT_COLUMNS]) {
    size_t n = 0;
    columns[n++] = (column){&state->spots, sizeof *state->spots, false};
    columns[n++] = (column){&state->partners, sizeof *state->partners, false};
    columns[n++] = (column){&state->given, sizeof *state->given, true};
    columns[n++] = (column){&state->warm_starts, sizeof *state->warm_starts, true};
    columns[n++] = (column){&state->persists, sizeof *state->persists, false};
    columns[n++] = (column){&state->marks, sizeof *state->marks, false};
    columns[n++] = (column){&state->ranked, sizeof *state->ranked, false};
    columns[n++] = (column){&state->order, sizeof *state->order, false};
    columns[n++] = (column){&state->number, sizeof *state->number, false};
    columns[n++] = (column){&state->place, sizeof *state->place, false};
    columns[n++] = (column){&state->contacts, sizeof *state->contacts, false};
}

// Contacts: lists the arrays that have an item for each geometry.
static void geometry_columns(qdi_contact_state *state, column columns[QDI_GEOMETRY_COLUMNS]) {
    columns[0] = (column){&state->geometry, sizeof *state->geometry, false};
    columns[1] = (column){&state->found, sizeof *state->found, false};
}

// Contacts: makes room in arrays, of which the first `kept` items stay.
static qd_status reserve(const qd_allocator *allocator, const column *columns, size_t *room, size_t count,
                         size_t kept, size_t need) {
    qd_status status = QD_OK;
    for (size_t k = 0; k < count && status == QD_OK; ++k) {
        const size_t before = room[k];
        status = qdi_reserve(allocator, columns[k].array, &room[k], kept, need, columns[k].size);
        if (!columns[k].rare || room[k] == before) continue;
        void *array = NULL;
        memcpy(&array, columns[k].array, sizeof array); // pointers to all object types look alike
        qdi_clear(allocator, array, room[k] * columns[k].size);
    }
    return status;
}

qd_status qdi_contacts_reserve(const qd_allocator *allocator, qdi_contact_state *state, size_t count) {
    column columns[QDI_CONTACT_COLUMNS];
    contact_columns(state, columns);
    return reserve(allocator, columns, state->room, QDI_CONTACT_COLUMNS, 0, count);
}

qd_status qdi_outcomes_reserve(const qd_allocator *allocator, qdi_outcomes *outcomes, size_t count) {
    const column columns[] = {{&outcomes->given, sizeof *outcomes->given, true},
                              {&outcomes->warm_starts, sizeof *outcomes->warm_starts, true}};
    return reserve(allocator, columns, outcomes->room, 2, 0, count);
}

void qdi_outcomes_trade(qdi_outcomes *outcomes, qdi_contact_state *state) {
    enum { GIVEN = 2, WARM_STARTS = 3 };
    const qdi_outcomes had = {
        state->given, state->warm_starts, {state->room[GIVEN], state->room[WARM_STARTS]}};
    state->given = outcomes->given;
    state->warm_starts = outcomes->warm_starts;
    state->room[GIVEN] = outcomes->room[0];
    state->room[WARM_STARTS] = outcomes->room[1];
    *outcomes = had;
}

qd_status qdi_geometry_reserve(const qd_allocator *allocator, qdi_contact_state *state, size_t kept,
                               size_t count) {
    column columns[QDI_GEOMETRY_COLUMNS];
    geometry_columns(state, columns);
    return reserve(allocator, columns, state->geometry_room, QDI_GEOMETRY_COLUMNS, kept, count);
}

// Contacts: frees arrays.
static void release(const qd_allocator *allocator, const column *columns, const size_t *room, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        void *array = NULL;
        memcpy(&array, columns[k].array, sizeof array); // pointers to all object types look alike
        qdi_release(allocator, array, room[k], columns[k].size);
    }
}

qd_status qdi_meetings_reserve(const qd_allocator *allocator, qdi_contact_state *state, bool thin,
                               size_t pairs, size_t walls) {
    const size_t count = thin ? pairs + 1 : 0; // one more stands for what does not touch
    qd_status status = qdi_reserve(allocator, &state->pairs_met, &state->pair_met_room, 0, pairs,
                                   sizeof *state->pairs_met);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &state->approaches, &state->approach_room, 0, count,
                             sizeof *state->approaches);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &state->shears, &state->shear_room, 0, count, sizeof *state->shears);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &state->thin_forces, &state->thin_force_room, 0, count,
                             sizeof *state->thin_forces);
    if (status == QD_OK) // of thin ones nothing is written
        status = qdi_reserve(allocator, &state->disks, &state->disk_room, 0, pairs + walls,
                             sizeof *state->disks);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &state->walls, &state->wall_room, 0, walls, sizeof *state->walls);
    return status;
}

void qdi_contacts_trade(qdi_contact_state *state, qdi_contact_state *other, size_t count) {
    enum { FIRST = 7 }; // order, number, place, contacts
    for (size_t k = FIRST; k < QDI_CONTACT_COLUMNS; ++k)
        if (other->room[k] < count) return;
    for (size_t k = FIRST; k < QDI_CONTACT_COLUMNS; ++k) {
        const size_t room = state->room[k];
        state->room[k] = other->room[k];
        other->room[k] = room;
    }
    uint32_t *const place = state->place, *const number = state->number;
    uint64_t *const order = state->order;
    qd_contact *const contacts = state->contacts;
    state->place = other->place;
    state->order = other->order;
    state->number = other->number;
    state->contacts = other->contacts;
    other->place = place;
    other->order = order;
    other->number = number;
    other->contacts = contacts;
}

void qdi_contacts_release(const qd_allocator *allocator, qdi_contact_state *state) {
    column by_contact[QDI_CONTACT_COLUMNS], by_geometry[QDI_GEOMETRY_COLUMNS];
    contact_columns(state, by_contact);
    geometry_columns(state, by_geometry);
    release(allocator, by_contact, state->room, QDI_CONTACT_COLUMNS);
    release(allocator, by_geometry, state->geometry_room, QDI_GEOMETRY_COLUMNS);
    qdi_release(allocator, state->disks, state->disk_room, sizeof *state->disks);
    qdi_release(allocator, state->walls, state->wall_room, sizeof *state->walls);
    qdi_release(allocator, state->pairs_met, state->pair_met_room, sizeof *state->pairs_met);
    qdi_release(allocator, state->approaches, state->approach_room, sizeof *state->approaches);
    qdi_release(allocator, state->shears, state->shear_room, sizeof *state->shears);
    qdi_release(allocator, state->thin_forces, state->thin_force_room, sizeof *state->thin_forces);
    qdi_release(allocator, state->forces, state->force_room, sizeof *state->forces);
    qdi_release(allocator, state->impacts, state->impact_room, sizeof *state->impacts);
    qdi_release(allocator, state->events, state->event_room, sizeof *state->events);
    qdi_release(allocator, state->ended, state->ended_room, sizeof *state->ended);
    qdi_release(allocator, state->ended_order, state->ended_order_room, sizeof *state->ended_order);
}
