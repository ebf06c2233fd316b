#ifndef QUADRILLE_BODY_H
#define QUADRILLE_BODY_H

#include <quadrille/pairs.h>
#include <quadrille/shape.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Names a body for as long as it lives: its index in the world's table, and how often that place was used
/// before. All zero names nobody; a living body's generation is never zero.
typedef struct qd_id {
    uint32_t index;
    uint32_t generation;
} qd_id;

/// Who decides how a body moves.
typedef enum qd_body_kind {
    QD_BODY_DYNAMIC,   ///< forces and contacts
    QD_BODY_STATIC,    ///< nobody: it stays where it is, and may be outside of the world or longer than it
    QD_BODY_KINEMATIC, ///< its velocity and spin, which nothing changes; no contact pushes it
} qd_body_kind;

/// What a surface does in a contact. NaN: as its named material's, and where that has none or there is none,
/// as the world's (qd_world_def). Of two surfaces that touch the contact gets the larger restitution, the
/// larger tangential restitution, and the root of the product of the frictions; but the values of their pair,
/// where both have named materials and these have such (qd_world_pair_materials).
typedef struct qd_material {
    double restitution; ///< 0..1: part of the approach speed that a bounce gives back
    double friction;    ///< >= 0, infinity too: most tangential impulse per normal impulse (Coulomb)
    double tangential;  ///< 0..1: part of the tangential speed that a bounce which sticks turns round
    uint32_t of; ///< number of a named material (qd_world_add_material); 0 (the default): none. Of materials
                 ///< themselves and of pairs it is not looked at
} qd_material;

/// Most materials by name that a world has, and room for a name.
#define QD_MATERIALS_MAX 64
#define QD_MATERIAL_NAME 32

/// A material by name.
typedef struct qd_named_material {
    char name[QD_MATERIAL_NAME]; ///< letters, digits, _ and -; the rest is 0
    qd_material surface;         ///< NaN: the world's
} qd_named_material;

/// Whom a body can touch. Two bodies of the same group touch if it is > 0 and do not if it is < 0; all others
/// touch if each one's category has a bit of the other's mask.
typedef struct qd_filter {
    uint32_t category; ///< default 1
    uint32_t mask;     ///< default all ones
    int32_t group;     ///< default 0: none
} qd_filter;

/// A body to be added.
typedef struct qd_body_def {
    uint32_t cookie;   ///< set by qd_body_def_default; a def without it is refused
    qd_body_kind kind; ///< default dynamic
    qd_shape shape;    ///< default: a disk of radius 0.5; it is put in order (qd_shape_normalise)
    qd_vec2 position; ///< of the shape's origin; where putting it in order moves that, the body's moves along
    double angle;     ///< that it is turned by, in radians, counter-clockwise; default 0
    qd_vec2 velocity; ///< not looked at where `pivot` is given, or for static bodies
    double spin;      ///< angular velocity, counter-clockwise; default 0; not looked at for static bodies
    qd_vec2 pivot;    ///< kinematic only: the point that it turns about with its spin; NaN (default): itself
    /// Speed at which the surface runs round the body, counter-clockwise, as that of a belt: what touches it
    /// is rubbed as by a surface of that speed. 0 (the default) for dynamic bodies; at most limits.speed.
    double slide;
    double density; ///< mass per area, > 0; default 1; not looked at where `mass` is given
    double mass;    ///< > 0, or NaN (the default): from density and shape. Dynamic bodies only
    double inertia; ///< about the centroid, > 0; infinity: it never turns; NaN (the default): from mass and
                    ///< shape
    qd_material material; ///< default NaN: the world's
    qd_filter filter;
    bool sensor; ///< its contacts are found and reported, but have no effect; default false
    /// Its way is followed in every step in which it moves (qd_continuous); default false: where the world
    /// says so. With `auto` what counts is the motion of two bodies relative to each other in a step: more
    /// than half of the distance from centroid to border against what cannot be moved, more than both such
    /// distances together between two that can.
    bool bullet;
    /// The id that files show; 0 (the default): one above the highest that the world has had so far, so that
    /// of a world in which all have the default, the number of bodies that were added up to it.
    uint64_t label;
    uint32_t source; ///< where it comes from, as the caller numbers that, at most 65535; default 0. No effect
} qd_body_def;

/// A body as it is now.
typedef struct qd_body_state {
    qd_id id;
    uint64_t label;
    qd_body_kind kind;
    qd_shape shape;   ///< in order
    qd_vec2 position; ///< of the centroid
    qd_vec2 turn;     ///< cosine and sine of the angle it is turned by
    qd_vec2 velocity;
    double spin;
    double lean; ///< of `impulse`: radians that it has turned by since it came to rest on others, within
                 ///< 0.03; 0: it does not rest
    double mass, inertia; ///< infinite for bodies that are not dynamic
    qd_vec2 pivot;        ///< NaN: none
    double slide;         ///< of its surface
    qd_material material; ///< NaN: the world's
    qd_filter filter;
    bool sensor, bullet;
    uint32_t source;
} qd_body_state;

/// `count` bodies as rows of arrays; row r is body index[r].
typedef struct qd_body_view {
    size_t count;
    const qd_body_index *index;
    const uint32_t *generation; ///< by row
    const uint64_t *label;
    const double *x, *y, *vx, *vy;
    const double *turn_c, *turn_s; ///< cosine and sine of the angle
    const double *spin;
    const double *radius;         ///< of a disk; of others the largest distance of a point from the centroid
    const double *mass, *inertia; ///< infinite for bodies that are not dynamic
    const uint8_t *kind;          ///< a qd_body_kind
    const uint8_t *touching;      ///< by row: 1 where the body has a contact now
    const uint32_t *row_of_index; ///< row of each index below index_count, UINT32_MAX where free
    size_t index_count;
    const uint32_t *shape; ///< 0 for disks; else a number below shape_count. Bodies of one shape share it
    const qd_shape *const *shapes; ///< by number; NULL for 0 and for numbers that nobody uses
    size_t shape_count;
} qd_body_view;

/// The row of the body that an id names, UINT32_MAX where it names none: the body was removed, its index may
/// be another's now. Contacts, events and impacts may name such bodies (qd_world_remove).
static inline uint32_t qd_body_view_row(const qd_body_view *view, qd_id id) {
    if (id.index >= view->index_count) return UINT32_MAX;
    uint32_t row = view->row_of_index[id.index];
    return row != UINT32_MAX && view->generation[row] == id.generation ? row : UINT32_MAX;
}

/// A dynamic disk of radius 0.5 and density 1 at rest in (0, 0).
QD_API qd_body_def qd_body_def_default(void);

QD_END_DECLS

#endif
