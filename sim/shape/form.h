#pragma once

#include <quadrille/shape.h>
#include <stdbool.h>

/// A shape as the narrow phase sees it: a convex core (a point, a segment, a rectangle, a hull) and a radius
/// of rounding. Forms are small values that are made where they are needed; what is large in them (the hull,
/// the neighbours of an edge) is owned elsewhere and only pointed at.

/// Where something is and how it is turned.
typedef struct qdi_pose {
    double x, y, c, s; ///< position, cosine and sine of the angle
} qdi_pose;

/// A polygon: counter-clockwise about the centroid; edge i goes from point i to the next one and has
/// normal[i], a unit vector outward.
typedef struct qdi_hull {
    int count;
    qd_vec2 point[QD_POLYGON_MAX], normal[QD_POLYGON_MAX];
} qdi_hull;

typedef struct qdi_form {
    qd_shape_kind kind;
    double radius;        ///< of the rounding: of disk and capsule; of others what they are rounded by
    qd_vec2 half;         ///< rect; capsule: half.x is half the length of its axis, along x
    const qdi_hull *hull; ///< polygon, else NULL
    /// Capsule: NULL, or where it is an edge of a polyline two vertices: next to its left (-half.x) and its
    /// right end, in its own axes. One that is the end itself means that the polyline ends there.
    const qd_vec2 *ghost;
} qdi_form;

/// The hull of a polygon in order (qd_shape_normalise); other kinds have none.
void qdi_hull_make(const qd_shape *shape, qdi_hull *hull);

/// The form of a shape in order. `hull` must be that of the shape where it is a polygon (else it may be
/// NULL). The form points at `hull` and, for an edge of a polyline, into `shape`.
qdi_form qdi_form_of(const qd_shape *shape, const qdi_hull *hull);

/// A disk.
static inline qdi_form qdi_form_disk(double radius) {
    return (qdi_form){.kind = QD_SHAPE_DISK, .radius = radius};
}

/// Half the width and height of the form's box about its position for a rotation; for polygons the box is not
/// symmetric, and low and high differ. Exact to rounding, not rounded outward.
void qdi_form_bounds(const qdi_form *form, double c, double s, qd_vec2 *low, qd_vec2 *high);

/// Largest distance of a point of the core (without the rounding) from the position: 0 for disks.
double qdi_form_core_reach(const qdi_form *form);

/// How a point lies to the core of a form.
typedef struct qdi_probe {
    double distance; ///< from the core, without the rounding; < 0: inside
    qd_vec2 normal;  ///< unit vector out of the core, towards the point where that is outside
    qd_vec2 foot;    ///< the nearest point of the core's border
    bool side;       ///< it is on a side; false: a corner, or a disk's centre
} qdi_probe;

/// Probes the core with a point; everything in the form's own axes. In the middle of a core the first of the
/// nearest sides counts: right, left, top, bottom; for a hull the first edge; above the axis of a capsule;
/// for a disk (1, 0).
void qdi_form_probe(const qdi_form *form, qd_vec2 point, qdi_probe *probe);

/// True where a point, given relative to the form's position and in world directions, is in the form or on
/// its border.
bool qdi_form_contains(const qdi_form *form, double c, double s, qd_vec2 point);

/// The core's corners in counter-clockwise order: 1 for a disk, 2 for a capsule, 4 for a rect.
typedef struct qdi_core {
    int count;
    qd_vec2 point[QD_POLYGON_MAX], normal[QD_POLYGON_MAX]; ///< a disk has no normal; a capsule two
} qdi_core;

/// The core of a form at a pose, its corners and normals in world directions.
void qdi_core_make(const qdi_form *form, const qdi_pose *pose, qdi_core *core);
