#ifndef QUADRILLE_CONTACT_H
#define QUADRILLE_CONTACT_H

#include <quadrille/body.h>
#include <quadrille/vec.h>
#include <stdint.h>

/// The walls of a reflecting world take part in contacts as bodies with these indices and generation 0. They sort
/// after all bodies.
typedef enum qd_wall {
    QD_WALL_LEFT = 0x7ffffff0,
    QD_WALL_RIGHT,
    QD_WALL_BOTTOM,
    QD_WALL_TOP,
} qd_wall;

/// True for an id that is a wall's.
static inline bool qd_id_is_wall(qd_id id) {
    return id.index >= (uint32_t)QD_WALL_LEFT && id.index <= (uint32_t)QD_WALL_TOP;
}

/// Two bodies that touch (gap <= 0), or a body and a wall. a.index < b.index.
typedef struct qd_contact {
    qd_id a, b;
    qd_vec2 point;  ///< midway between the two surfaces, beside a (b may take part through a periodic image)
    qd_vec2 normal; ///< unit, from a to b; (1, 0) where two centres coincide
    double depth;   ///< >= 0: minus the gap
    qd_image image; ///< of b
} qd_contact;

typedef enum qd_event_kind {
    QD_EVENT_BEGIN,   ///< touches now, did not a step before
    QD_EVENT_PERSIST, ///< touches now and did
    QD_EVENT_END,     ///< touched a step before, does not now (or one of the two was removed)
} qd_event_kind;

/// What became of a contact from one moment to the next. Point, normal and depth are of the contact now, for
/// QD_EVENT_END of the contact as it was.
typedef struct qd_event {
    qd_event_kind kind;
    qd_contact contact;
} qd_event;

#endif
