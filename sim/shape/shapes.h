#pragma once

#include <quadrille/body.h>

#include "core/base/intern.h"
#include "sim/shape/form.h"
#include "sim/shape/materials.h"

/// What bodies share, by number: their shapes (but disks, of which a body needs only the radius;
/// their number is 0), and their traits: kind, material, filter, sensor, pivot. Equal ones share a
/// number, so a row of a body holds two small integers, and a hundred thousand equal boxes one hull.

/// A shape ready for use. It stays where it is as long as it is used.
typedef struct qdi_prepared_shape {
    qd_shape shape;
    qdi_hull hull; ///< of a polygon
    qdi_form form; ///< points at this hull and this shape
} qdi_prepared_shape;

typedef struct qdi_shapes {
    qdi_intern numbers;            ///< a shape's number is one more than its number there
    qdi_prepared_shape **prepared; ///< by shape number; NULL for 0 and for free ones
    const qd_shape **shape;
    // By shape number too, side by side: what is read all the time.
    qdi_form *form;
    double *inner; ///< distance from the centroid to the nearest point of the border
    size_t room[4];
    size_t count; ///< shape numbers are below this
} qdi_shapes;

typedef struct qdi_trait {
    qd_body_kind kind;
    bool sensor, bullet;
    qd_material material; ///< as it was given: NaN for the world's
    qd_material surface;  ///< as it is used
    qd_filter filter;
    qd_vec2 pivot;   ///< NaN: none
    double slide;    ///< of the surface, counter-clockwise round the body
    uint32_t source; ///< 0..0xffff
} qdi_trait;

typedef struct qdi_traits {
    qdi_intern numbers; ///< a trait's number is one more than its number there
    qdi_trait *trait;   ///< by trait number; 0 is the default
    size_t room;
    qdi_materials materials;
} qdi_traits;

/// Takes the number of a shape that is in order; a disk's is 0. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_shapes_take(qdi_shapes *shapes, const qd_shape *shape, uint32_t *number);
void qdi_shapes_drop(qdi_shapes *shapes, uint32_t number);
void qdi_shapes_release(qdi_shapes *shapes);

/// Makes trait 0, with `surface` the world's own. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_traits_init(qdi_traits *traits, const qd_allocator *allocator, qd_material surface);
/// Takes the number of a trait; `surface` is worked out from `material`. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_traits_take(qdi_traits *traits, const qdi_trait *trait, uint32_t *number);
void qdi_traits_drop(qdi_traits *traits, uint32_t number);
void qdi_traits_release(qdi_traits *traits);

/// The trait of a body for which nothing was given.
qdi_trait qdi_trait_default(void);

/// A hash of all fields of a shape or trait; the same on every machine.
uint64_t qdi_shape_hash(const qd_shape *shape);
uint64_t qdi_trait_hash(const qdi_trait *trait);

/// Room for what follows, in bytes.
#define QDI_SHAPE_BYTES (8 + 24 + QD_POLYGON_MAX * 16)
#define QDI_TRAIT_BYTES (8 + 24 + 12 + 16 + 8)
/// Writes a shape or trait as bytes, or reads it; `at` moves on. A read one is not checked, but for `count`
/// of a shape, which is at most QD_POLYGON_MAX or -1. Any NaN is read as the same one.
void qdi_shape_put(const qd_shape *shape, unsigned char **at);
void qdi_shape_get(const unsigned char **at, qd_shape *shape);
void qdi_trait_put(const qdi_trait *trait, unsigned char **at);
void qdi_trait_get(const unsigned char **at, qdi_trait *trait);
