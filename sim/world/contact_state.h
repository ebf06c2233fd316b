#ifndef QD_SIM_CONTACT_STATE_H
#define QD_SIM_CONTACT_STATE_H

#include <quadrille/contact.h>
#include <quadrille/vec.h>

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
typedef struct qdi_spot {
    uint32_t contact;      ///< its number
    uint32_t row_a, row_b; ///< of its bodies; row_b QDI_NO_ROW: a wall
    uint32_t rank;         ///< in the order of (a, b) among all, whether they touch or are speculative
    uint32_t geometry;     ///< place of its geometry
    qd_image image;        ///< as in the contact
    uint8_t touches;       ///< the same; 0 for sensors
    uint8_t wall;          ///< which one, from QD_WALL_LEFT on, if it is one
} qdi_spot;

/// What the rigid solver needs of a contact: a line of the cache, in the order of the spots, which is the one
/// in which they are worked on.
typedef struct qdi_geometry {
    _Alignas(64) qd_vec2 normal;
    qd_vec2 point[2];
    double depth[2];
} qdi_geometry;

/// Contacts at a time, and the events that led to them. Behind the contacts lie the speculative ones, in
/// the same order of (a, b): pairs that do not touch, but whose gap is within the solver's reach
/// (qdi_speculative). Nobody outside of the solver sees them; their warm starts are state all the same.
typedef struct qdi_contact_state {
    qd_contact *contacts;
    qdi_spot *spots; ///< one for each, speculative ones too; those of walls come last
    size_t first_wall, spot_room;
    uint64_t pairs; ///< two states with the same number here have spots of the same pairs, place by place; 0:
                    ///< not known
    qdi_geometry *geometry; ///< in the order of the spots, with gaps
    size_t geometry_room;
    qdi_warm_start *warm_starts; ///< by contact
    qdi_contact_force *forces;   ///< by contact, with springs only
    size_t force_room;
    qd_vec2 wall_lost; ///< with springs: energy lost to walls in the step that led here, normal and friction
    qd_vec2
        wall_force[4]; ///< with springs: what each wall gives to the bodies in all, in the order of qd_wall
    size_t contact_count, contact_room, warm_start_room;
    size_t near_count; ///< speculative ones
    qd_event *events;
    size_t event_count, event_room;
    qd_contact *ended; ///< as they were, with their last impulses: the events point at them
    size_t ended_room;
    uint64_t begins, ends;
    qd_impact *impacts; ///< on the way to the state
    size_t impact_count, impact_room;
    uint64_t unfollowed; ///< bodies with too many impacts to follow on the way to the state
} qdi_contact_state;

/// World's contacts: what contacts are in order of: (a, b).
static inline uint64_t qdi_contact_order(const qd_contact *contact) {
    return (uint64_t)contact->a.index << 32 | contact->b.index;
}

/// World's contacts: the first contact of a part of a list that is not before (a, b): of [low, high).
static inline size_t qdi_contacts_find(const qdi_contact_state *list, size_t low, size_t high,
                                       uint64_t order) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (qdi_contact_order(&list->contacts[middle]) < order)
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

#endif
