#ifndef QUADRILLE_BODY_H
#define QUADRILLE_BODY_H

#include <quadrille/pairs.h>
#include <quadrille/shape.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stdint.h>

/// Names a body for as long as it lives: its index in the world's table, and how often that place was used before.
/// All zero names nobody; a living body's generation is never zero.
typedef struct qd_id {
    uint32_t index;
    uint32_t generation;
} qd_id;

typedef struct qd_body_def {
    uint32_t cookie; ///< set by qd_body_def_default; a def without it is refused
    qd_shape shape;  ///< default: a disk of radius 0.5
    qd_vec2 position;
    qd_vec2 velocity;
    double density; ///< mass per area, > 0; default 1; not looked at where `mass` is given
    double mass;    ///< > 0, or NaN (the default): from density and shape
    uint64_t label; ///< the id that files show; 0 (the default): index + 1
} qd_body_def;

/// A body as it is now.
typedef struct qd_body_state {
    qd_id id;
    uint64_t label;
    qd_shape shape;
    qd_vec2 position, velocity;
    double mass;
} qd_body_state;

/// `count` bodies as rows of arrays; row r is body index[r].
typedef struct qd_body_view {
    size_t count;
    const qd_body_index *index;
    const uint32_t *generation; ///< by row
    const uint64_t *label;
    const double *x, *y, *vx, *vy;
    const double *radius, *mass;
    const uint8_t *touching;      ///< by row: 1 where the body has a contact now
    const uint32_t *row_of_index; ///< row of each index below index_count, UINT32_MAX where free
    size_t index_count;
} qd_body_view;

QD_API qd_body_def qd_body_def_default(void);

#endif
