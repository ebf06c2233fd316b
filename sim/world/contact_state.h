#pragma once

#include <quadrille/alloc.h>
#include <quadrille/contact.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>

#include "core/base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What keeps a contact at rest: the impulses of the last sub-step, by touch. Zero where it does not rest.
/// They are what the next step starts from, so they are part of the state. With springs it is the shear, as a
/// vector: x in `normal`, y in `tangent`.
typedef struct qdi_warm_start {
    double normal[2], tangent[2];
} qdi_warm_start;

/// What a contact of springs does: the force on a, whose opposite is on b, and the torques on
/// both.
typedef struct qdi_contact_force {
    double x, y, turn_a, turn_b;
} qdi_contact_force;

/// A contact by its place in the order in which the tree told the candidates, where neighbours in the world
/// are neighbours in memory. No result may depend on that order.
/// All of it stays as it is while the pairs within reach are the same and found among the same candidates.
typedef struct qdi_spot {
    uint32_t row_a, row_b; ///< of its bodies; row_b QDI_NO_ROW: a wall
    uint32_t rank;         ///< in the order of (a, b) among all, whether they touch or are speculative
    uint32_t geometry;     ///< place of its geometry
    uint32_t wall;         ///< which one, from QD_WALL_LEFT on, if it is one
} qdi_spot;

/// What is said of a contact in a step by bits: how many touches the solver works on (0 of sensors), whether
/// it is a speculative one, and whether it gave something along the normal in the last sub-step.
enum { QDI_MARK_TOUCHES = 3, QDI_MARK_NEAR = 4, QDI_MARK_LOADED = 8 };

/// What the rigid solver needs of a contact: a line of the cache, in the order of the spots, which is the one
/// in which they are worked on.
typedef struct qdi_geometry {
    _Alignas(64) qd_vec2 normal;
    qd_vec2 point[2];
    double depth[2];
} qdi_geometry;

/// What else there is of a pair within reach, beside its geometry.
typedef struct qdi_found_pair {
    double approach;
    float nx, ny; ///< the normal once more: who looks only for what goes on needs no geometry
    uint32_t feature[2];
    qd_image image;
    uint8_t count;
    bool sensor;
    bool near; ///< it does not touch
} qdi_found_pair;

/// Who takes part in a contact.
typedef struct qdi_partners {
    qd_id a, b;
} qdi_partners;

/// What a contact gave in the step that led to the moment, by touch: along the normal, along the tangent.
typedef struct qdi_given {
    double impulse[2], friction[2];
} qdi_given;

/// What contacts gave in a step, by place: all in all, and in the last sub-step. `given` NULL: nothing is
/// known.
typedef struct qdi_outcomes {
    qdi_given *given;
    qdi_warm_start *warm_starts;
    size_t room[2];
} qdi_outcomes;

/// Two bodies that touch or may, by row; that of the lower index comes first.
typedef struct qdi_meeting {
    uint32_t a, b;
} qdi_meeting;

/// A contact of springs that meet: what does not follow from where its disks are.
typedef struct qdi_disk_contact {
    double approach, impulse, friction;
} qdi_disk_contact;

/// The same of one that is thin, with its shear and the force on a: which follows from the push along the
/// normal and the friction, whose torque is that times the radius.
typedef struct qdi_thin_force {
    double x, y, push, friction;
} qdi_thin_force;

/// Where such a disk is in a wall, which may move on.
typedef struct qdi_wall_touch {
    qd_vec2 point;
    double depth;
} qdi_wall_touch;

/// How many of its events a state has listed.
typedef enum qdi_events_told {
    QDI_TELLS_NOTHING,
    QDI_TELLS_CHANGES, ///< contacts that begin and end
    QDI_TELLS_ALL
} qdi_events_told;

/// Arrays that grow together: one item for each contact, one for each geometry.
enum { QDI_CONTACT_COLUMNS = 11, QDI_GEOMETRY_COLUMNS = 2 };

/// Contacts at a time, and the events that led to them. Behind the contacts lie the speculative ones, in
/// the same order of (a, b): pairs that do not touch, but whose gap is within the solver's reach
/// (qdi_speculative). Nobody outside of the solver sees them; their warm starts are state all the same.
///
/// A step works with their parts: spots, geometry, what was found, partners, what was given. The contacts
/// that callers see, and the events, are made of these when somebody asks (contact_list.h). Springs that meet
/// keep a qdi_disk_contact instead of parts, of two disks neither spot nor geometry, and not even numbers:
/// nothing in a step needs them. So their contacts are made before bodies get other places by hand, or other
/// rows in a step. Most are thin, of simple springs: what a step writes of a contact is most of what it takes
/// time for. Loaded worlds have parts and contacts.
///
/// The number of a contact is its place in this order, its rank the one that it has among all, touching or
/// not. Parts lie as their spots do, so that a step goes through memory in one direction; contacts without
/// parts lie by number, and so do their warm starts. A step with parts knows ranks, which are the same as
/// long as the pairs are; numbers are made of them when somebody asks (contact_numbers.h).
typedef struct qdi_contact_state {
    bool parts, whole; ///< there are parts; there are contacts
    bool numbered;     ///< contacts have numbers where parts or springs that meet leave them out
    bool met;  ///< there are contacts of springs that meet; as long as not `whole`, without numbers and spots
    bool thin; ///< and those of two disks are thin: as long as not `whole`, without `disks`, `warm_starts`
               ///< and `forces`
    // By place: one item for each contact, those of walls come last.
    qdi_spot *spots;
    // Of springs that meet only:
    qdi_meeting *pairs_met; ///< of two disks
    qdi_disk_contact *disks;
    qdi_wall_touch *walls; ///< from `first_wall` on
    double *approaches;    ///< of thin ones; and so are the next two
    qd_vec2 *shears;
    qdi_thin_force *thin_forces; ///< and behind them a force of nothing
    size_t pair_met_room, disk_room, wall_room, approach_room, shear_room, thin_force_room;
    qd_vec2 period; ///< of the world, as it was then
    double dt;      ///< of the step that made them
    qdi_partners *partners;
    qdi_given *given;            ///< see qdi_given_at
    qdi_warm_start *warm_starts; ///< without parts by number
    uint8_t *persists;           ///< it touches, and did in the moment before; without parts by number
    uint8_t *marks;              ///< QDI_MARK_TOUCHES and so on; with parts
    // By rank, with parts:
    uint32_t *ranked; ///< places
    uint64_t *order;  ///< qdi_contact_order; of springs that meet, which all touch, once they have numbers
    // Numbers, where `numbered`:
    uint32_t *number;     ///< by place
    uint32_t *place;      ///< by number
    qd_contact *contacts; ///< by number
    size_t room[QDI_CONTACT_COLUMNS];
    size_t first_wall; ///< spot
    uint64_t pairs;    ///< two states with the same number here have spots of the same pairs, place by place;
                       ///< 0: not known
    uint64_t layout;   ///< the same where all of the spots is the same
    // In the order of the spots, with gaps:
    qdi_geometry *geometry;
    qdi_found_pair *found;
    size_t geometry_room[QDI_GEOMETRY_COLUMNS];
    qdi_contact_force *forces; ///< with springs only: by number, those of springs that meet by place
    size_t force_room;
    qd_vec2 wall_lost; ///< with springs: energy lost to walls in the step that led here, normal and friction
    qd_vec2
        wall_force[4]; ///< with springs: what each wall gives to the bodies in all, in the order of qd_wall
    size_t contact_count;
    size_t near_count; ///< speculative ones
    qdi_events_told listed;
    qd_event *events;
    size_t event_count, event_room;
    qd_contact *ended;     ///< as they were, with their last impulses, by place: the events point at them
    uint32_t *ended_order; ///< those in order of (a, b)
    size_t ended_room, ended_order_room;
    uint64_t begins, ends;
    qd_impact *impacts; ///< on the way to the state
    size_t impact_count, impact_room;
    uint64_t unfollowed; ///< bodies that were not followed on the way to the state, see qd_world_totals
} qdi_contact_state;

/// World's contacts: what contacts are in order of: (a, b).
static inline uint64_t qdi_contact_order(qd_id a, qd_id b) {
    return (uint64_t)a.index << 32 | b.index;
}

/// World's contacts: number `k` in order of (a, b) of those that ended.
static inline const qd_contact *qdi_ended_at(const qdi_contact_state *state, size_t k) {
    return &state->ended[state->ended_order[k]];
}

/// World's contacts: whether two states have spots of the same pairs, place by place.
static inline bool qdi_same_pairs(const qdi_contact_state *one, const qdi_contact_state *other) {
    return one->pairs > 0 && one->pairs == other->pairs;
}

/// World's contacts: what is said of one by bits.
static inline uint8_t qdi_marks_of(const qdi_found_pair *found, const qdi_warm_start *held) {
    return (uint8_t)((found->sensor ? 0 : found->count) | (found->near ? QDI_MARK_NEAR : 0) |
                     (held->normal[0] + held->normal[1] > 0 ? QDI_MARK_LOADED : 0));
}

/// World's contacts: true where warm starts and what else lies by place does so.
static inline bool qdi_contacts_placed(const qdi_contact_state *state) {
    return state->parts || state->met;
}

/// World's contacts: whether the contact at a place has no spot, but one of `pairs_met`.
static inline bool qdi_met_at(const qdi_contact_state *state, size_t place) {
    return state->met && !state->whole && place < state->first_wall;
}

/// World's contacts: the rows of its bodies; b QDI_NO_ROW: a wall.
static inline qdi_meeting qdi_rows_at(const qdi_contact_state *state, size_t place) {
    if (qdi_met_at(state, place)) return state->pairs_met[place];
    return (qdi_meeting){state->spots[place].row_a, state->spots[place].row_b};
}

/// World's contacts: whether the one at a place of a state with parts, or of springs that meet, is a
/// speculative one.
static inline bool qdi_near_at(const qdi_contact_state *state, size_t place) {
    return state->near_count > 0 && (state->marks[place] & QDI_MARK_NEAR) != 0;
}

/// World's contacts: where what lies by place has the item of a contact.
static inline size_t qdi_place_of(const qdi_contact_state *state, size_t number) {
    QD_ASSERT(!qdi_contacts_placed(state) || state->numbered);
    return qdi_contacts_placed(state) ? state->place[number] : number;
}

/// World's contacts: their place in the order.
static inline uint64_t qdi_contact_order_at(const qdi_contact_state *state, size_t number) {
    const size_t place = qdi_place_of(state, number);
    if (state->parts) return qdi_contact_order(state->partners[place].a, state->partners[place].b);
    if (state->met) return state->order[number];
    return qdi_contact_order(state->contacts[number].a, state->contacts[number].b);
}

/// World's contacts: the shear of one of springs that meet, at a place, as a warm start.
static inline qdi_warm_start qdi_shear_met(const qdi_contact_state *state, size_t place) {
    if (!state->thin || place >= state->first_wall) return state->warm_starts[place];
    return (qdi_warm_start){{state->shears[place].x, 0}, {state->shears[place].y, 0}};
}

/// World's contacts: the force of a contact, with springs, once contacts are made.
static inline const qdi_contact_force *qdi_force_of(const qdi_contact_state *state, size_t number) {
    return &state->forces[state->met ? state->place[number] : number];
}

/// World's contacts: the first contact of a part of a list that is not before (a, b): of [low, high).
static inline size_t qdi_contacts_find(const qdi_contact_state *list, size_t low, size_t high,
                                       uint64_t order) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (qdi_contact_order_at(list, middle) < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// World's contacts: contacts and speculative ones.
static inline size_t qdi_constraint_count(const qdi_contact_state *state) {
    return state->contact_count + state->near_count;
}

/// World's contacts: room for `count` contacts, and for `count` geometries of which the first `kept` stay.
QD_MUST_USE qd_status qdi_contacts_reserve(const qd_allocator *allocator, qdi_contact_state *state,
                                           size_t count);
QD_MUST_USE qd_status qdi_geometry_reserve(const qd_allocator *allocator, qdi_contact_state *state,
                                           size_t kept, size_t count);
/// World's contacts: room for springs that meet: so many pairs of disks, and disks in walls.
QD_MUST_USE qd_status qdi_meetings_reserve(const qd_allocator *allocator, qdi_contact_state *state, bool thin,
                                           size_t pairs, size_t walls);
/// World's contacts: two states of which nobody sees contacts now trade the memory of these and of their
/// numbers, if there is room in it for `count` of the first one.
void qdi_contacts_trade(qdi_contact_state *state, qdi_contact_state *other, size_t count);
/// World's contacts: room for what `count` contacts give.
QD_MUST_USE qd_status qdi_outcomes_reserve(const qd_allocator *allocator, qdi_outcomes *outcomes,
                                           size_t count);
/// World's contacts: what contacts gave becomes what those of a state have, and the other way round.
void qdi_outcomes_trade(qdi_outcomes *outcomes, qdi_contact_state *state);
/// World's contacts: frees all that a state holds.
void qdi_contacts_release(const qd_allocator *allocator, qdi_contact_state *state);
