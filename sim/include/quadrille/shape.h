#ifndef QUADRILLE_SHAPE_H
#define QUADRILLE_SHAPE_H

#include <quadrille/api.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stddef.h>

QD_BEGIN_DECLS

/// Most vertices of a polygon.
#define QD_POLYGON_MAX 16

/// What a body looks like. Every kind is a convex core (a point, a segment, a rectangle, a polygon) with a
/// rounding of `radius` all around it.
typedef enum qd_shape_kind {
    QD_SHAPE_DISK,    ///< all points within `radius` of the centre
    QD_SHAPE_RECT,    ///< a rectangle about the centre
    QD_SHAPE_CAPSULE, ///< all points within `radius` of a segment along the local x axis
    QD_SHAPE_POLYGON, ///< a convex polygon of 3 to QD_POLYGON_MAX vertices
} qd_shape_kind;

/// A shape: a plain value, in its own axes, about its centroid (which is where the body's position is). The
/// constructors below fill it; whoever fills one by hand zeroes the rest and passes it through
/// qd_shape_normalise.
typedef struct qd_shape {
    qd_shape_kind kind;
    /// Of a disk or capsule; of a rect or polygon what it is rounded by, on top of its sides (default 0:
    /// sharp corners).
    double radius;
    qd_vec2 half; ///< rect: half the width and height; capsule: half.x is half the length of its axis; else 0
    /// Polygon: vertices. Capsule: 2 where it is an edge of a polyline (see qd_shape_chain), else 0.
    int count;
    /// Polygon: the vertices, counter-clockwise about the centroid. Edge of a polyline: the vertices next to
    /// its left (-half.x) and right (+half.x) end, or that end itself where the polyline ends there.
    qd_vec2 points[QD_POLYGON_MAX];
} qd_shape;

/// A disk, a rectangle of a width and a height, a capsule whose axis has a length > 0 (from end to end it is
/// length + 2 radius long; radius 0 is a segment, which has no mass and only fits static bodies). Numbers are
/// not checked here but where the shape is used (qd_shape_normalise). Any thread.
QD_API qd_shape qd_shape_disk(double radius);
QD_API qd_shape qd_shape_rect(double width, double height);
QD_API qd_shape qd_shape_capsule(double length, double radius);

/// A convex polygon from 3 to QD_POLYGON_MAX points in any order and place; copies and points on a side are
/// left out. The shape's vertices are relative to the centroid; `centroid` (may be NULL) tells where that
/// was. To round it, set its `radius` and settle it again. Errors: QD_ERR_ARGUMENT (no points or no shape),
/// QD_ERR_VALUE with the reason in `error` (may be NULL): too few or too many points, one not finite or above
/// 1e30, all on a line, or one inside the others' hull (not convex). Nothing changes then. Any thread.
QD_API QD_MUST_USE qd_status qd_shape_polygon(const qd_vec2 *points, size_t count, qd_shape *shape,
                                              qd_vec2 *centroid, qd_error *error);

/// Edge number `edge` of a polyline as a shape of its own, for a static body: a segment (or, with `radius` >
/// 0, a capsule) from points[edge] to points[edge + 1] that knows its neighbours, so that what slides along
/// the polyline meets only its sides and its true corners, never the seams. Both sides are solid. `closed`:
/// the last point is joined to the first, and there are `count` edges, else count - 1. The body belongs at
/// `position`, turned by `angle`. All edges of a polyline must be made, and made in one direction. Errors:
/// QD_ERR_ARGUMENT (a null pointer), QD_ERR_VALUE with the reason: fewer than 2 points (closed: 3), no such
/// edge, an edge without length, a number not finite. Any thread.
QD_API QD_MUST_USE qd_status qd_shape_chain(const qd_vec2 *points, size_t count, bool closed, size_t edge,
                                            double radius, qd_shape *shape, qd_vec2 *position, double *angle,
                                            qd_error *error);

/// Checks a shape and puts it in order: a polygon's vertices become the corners of their hull,
/// counter-clockwise, about the centroid of the (rounded) shape. `moved` (may be NULL) gets where that
/// centroid was, in the shape's old axes; zero for all other kinds. A shape that is in order already stays as
/// it is, bit for bit. Errors: QD_ERR_ARGUMENT (NULL); QD_ERR_VALUE with the reason in `error` (may be NULL):
/// an unknown kind, a size that is not above 0 (the radius of a capsule, rect or polygon may be 0) or not
/// finite or out of the range 1e-30 to 1e30, or as qd_shape_polygon; unchanged then. Any thread.
QD_API QD_MUST_USE qd_status qd_shape_normalise(qd_shape *shape, qd_vec2 *moved, qd_error *error);

// The following take a shape that is in order.

/// Area, rounding included; 0 for a segment.
QD_API double qd_shape_area(const qd_shape *shape);

/// Moment of inertia about the centroid, divided by the mass, at constant density; for a segment that of a
/// thin rod.
QD_API double qd_shape_inertia(const qd_shape *shape);

/// The largest distance of a point of the shape from its centroid.
QD_API double qd_shape_reach(const qd_shape *shape);

/// The smallest axis-aligned box of a shape whose centroid is at `position` and which is turned by `turn` =
/// (cos, sin) of an angle. Not rounded outward.
QD_API void qd_shape_bounds(const qd_shape *shape, qd_vec2 position, qd_vec2 turn, qd_vec2 *low,
                            qd_vec2 *high);

/// True where a point is in such a shape or on its border.
QD_API bool qd_shape_contains(const qd_shape *shape, qd_vec2 position, qd_vec2 turn, qd_vec2 point);

QD_END_DECLS

#endif
