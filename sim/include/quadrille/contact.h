#ifndef QUADRILLE_CONTACT_H
#define QUADRILLE_CONTACT_H

#include <quadrille/body.h>
#include <quadrille/vec.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// The walls of a reflecting world take part in contacts as bodies with these indices and generation 0. They
/// sort after all bodies.
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

/// One point of a contact.
typedef struct qd_touch {
    qd_vec2 point;   ///< midway between the two surfaces, beside a (b may take part through a periodic image)
    double depth;    ///< minus the gap along the normal; of one of two points it may be below 0 by a little
    double impulse;  ///< that b got along the normal in the step that led to this moment; a got the opposite
    double friction; ///< the same along the tangent, the normal turned by +90 degrees
    uint32_t feature; ///< which corners meet: it stays the same while the same sides face each other
} qd_touch;

/// Two bodies that touch (gap <= 0), or a body and a wall. a.index < b.index. At least one is dynamic.
/// Impulses are along the normal as it was when the step began: of a contact that ends, the one that it has;
/// else that of the moment before. One that has just begun mostly has none: only what slowed the two down
/// before they touched. Of a touch that is no more another one of the contact has them. With springs they are
/// the force of the moment times the step, also where the contact has just begun, and nothing where it ends.
typedef struct qd_contact {
    qd_id a, b;
    qd_vec2 normal;    ///< unit, from a to b; (1, 0) where the centres of two disks coincide
    qd_touch touch[2]; ///< the deeper one first
    double approach; ///< speed at which the two approach at touch[0], along the normal; < 0: they part. With
                     ///< springs the one in the middle of the step that led to the moment
    qd_image image;  ///< of b
    uint8_t count;   ///< of touches: 1 or 2
    bool sensor;     ///< one of the two is a sensor: nothing comes of it
} qd_contact;

/// Between a and b (a.index < b.index, or b is a wall): a bounce on the way through a step (qd_continuous);
/// or what the two, a little apart when the step began, gave each other in it without touching at its end:
/// time 0.
typedef struct qd_impact {
    qd_id a, b;
    double time;     ///< since the step began
    qd_vec2 point;   ///< beside a, where it was then (it may be past the edge of a periodic world)
    qd_vec2 normal;  ///< unit, from a to b
    double approach; ///< speed at which the two came together, along the normal
    double impulse;  ///< that b got along the normal; a got the opposite
    double friction; ///< the same along the tangent, the normal turned by +90 degrees
    qd_vec2 between; ///< from the centre of a to that of b, as they were then; 0 where one is not dynamic,
                     ///< and for a bounce at the step's beginning
} qd_impact;

/// What became of a contact.
typedef enum qd_event_kind {
    QD_EVENT_BEGIN,   ///< touches now, did not a step before
    QD_EVENT_PERSIST, ///< touches now and did
    QD_EVENT_END,     ///< touched a step before, does not now (or one of the two was removed)
} qd_event_kind;

/// What became of a contact from one moment to the next. The contact is as it is now, for QD_EVENT_END as it
/// was but for the impulses, which are those of the step in between: so each impulse of a step is in exactly
/// one event or impact, and together they are what contacts gave to every body. Where no step lies in between
/// (qd_world_detect), contacts that begin or end have none, and one that persists has those of the last step
/// still.
typedef struct qd_event {
    qd_event_kind kind;
    const qd_contact *contact; ///< lives as long as the event
} qd_event;

QD_END_DECLS

#endif
