#include <quadrille/shape.h>

#include "core/base/arithmetic.h"
#include "core/math/vec.h"
#include "sim/shape/form.h"
#include "sim/shape/shape_mass.h"
#include "sim/text/reason.h"

/// Sizes and coordinates stay within these, so that their squares and fourth powers are finite and not zero.
#define SMALLEST 1e-30
#define LARGEST  1e30
/// Relative to its extent, how far a polygon's point may be off a side and still be on it.
#define ON_A_SIDE 1e-9
/// Relative to its extent, rounding included, how far the centroid of a polygon in order may be from the
/// origin.
#define CENTRED 1e-13

qd_shape qd_shape_disk(double radius) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return (qd_shape){.kind = QD_SHAPE_DISK, .radius = radius};
}

qd_shape qd_shape_rect(double width, double height) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return (qd_shape){.kind = QD_SHAPE_RECT, .half = {0.5 * width, 0.5 * height}};
}

qd_shape qd_shape_capsule(double length, double radius) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return (qd_shape){.kind = QD_SHAPE_CAPSULE, .radius = radius, .half = {0.5 * length, 0}};
}

// ---- polygons ----

/// Shape: the longer side of the points' bounding box.
static double points_extent(const qd_vec2 *points, int count) {
    qd_vec2 low = points[0], high = points[0];
    for (int i = 1; i < count; ++i) {
        if (points[i].x < low.x) low.x = points[i].x;
        if (points[i].y < low.y) low.y = points[i].y;
        if (points[i].x > high.x) high.x = points[i].x;
        if (points[i].y > high.y) high.y = points[i].y;
    }
    double width = high.x - low.x, height = high.y - low.y;
    return width > height ? width : height;
}

/// How far a point is to the left of the line from one point to another, which differ.
static double distance_left_of_line(qd_vec2 from, qd_vec2 to, qd_vec2 point) {
    qd_vec2 way = qdi_minus(to, from);
    return qdi_cross(way, qdi_minus(point, from)) / qdi_length(way);
}

// Shape: true where a point is left of another, or below it at the same x.
static bool point_before(qd_vec2 a, qd_vec2 b) {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

/// Shape: sorts points from left to right (of two above each other, the lower first).
static void sort_points(qd_vec2 *points, int count) {
    for (int i = 1; i < count; ++i) {
        qd_vec2 point = points[i];
        int at = i;
        for (; at > 0 && point_before(point, points[at - 1]); --at) points[at] = points[at - 1];
        points[at] = point;
    }
}

// Shape: true where three points turn to the left.
static bool turns_left(qd_vec2 a, qd_vec2 b, qd_vec2 c) {
    return qdi_cross(qdi_minus(b, a), qdi_minus(c, b)) > 0;
}

/// Corners of the hull of sorted points, counter-clockwise from the leftmost (Andrew's monotone chain). Room
/// for count + 1 corners.
static int find_convex_hull(const qd_vec2 *points, int count, qd_vec2 *corner) {
    int found = 0;
    for (int i = 0; i < count; ++i) {
        while (found >= 2 && !turns_left(corner[found - 2], corner[found - 1], points[i])) --found;
        corner[found++] = points[i];
    }
    for (int i = count - 2, lower = found + 1; i >= 0; --i) {
        while (found >= lower && !turns_left(corner[found - 2], corner[found - 1], points[i])) --found;
        corner[found++] = points[i];
    }
    return found - 1; // the last is the first again
}

/// Shape: removes corners that are within `near` of another corner or of the line between their neighbours.
static int drop_blunt_corners(qd_vec2 *corner, int count, double near) {
    for (int i = 0; i < count && count >= 3;) {
        qd_vec2 before = corner[i > 0 ? i - 1 : count - 1], after = corner[i + 1 < count ? i + 1 : 0];
        qd_vec2 across = qdi_minus(after, before), to_before = qdi_minus(corner[i], before);
        bool blunt = qdi_length(to_before) <= near || qdi_length(across) <= near ||
                     -distance_left_of_line(before, after, corner[i]) <= near;
        if (!blunt) {
            ++i;
            continue;
        }
        for (int k = i; k + 1 < count; ++k) corner[k] = corner[k + 1];
        --count;
        i = 0; // its neighbours may be blunt now
    }
    return count;
}

/// Shape: true where a point is further inside than `near` of every side.
static bool point_deep_inside(const qd_vec2 *corner, int count, qd_vec2 point, double near) {
    for (int i = 0; i < count; ++i)
        if (distance_left_of_line(corner[i], corner[i + 1 < count ? i + 1 : 0], point) <= near) return false;
    return true;
}

/// The centroid of a polygon whose corners are counter-clockwise, rounding included.
static qd_vec2 polygon_centroid(const qd_shape *polygon) {
    qd_vec2 origin = polygon->points[0];
    qd_shape near = *polygon; // about one of its corners, where no digits are lost
    for (int i = 0; i < near.count; ++i) near.points[i] = qdi_minus(near.points[i], origin);
    qdi_hull hull;
    qdi_core core;
    qdi_hull_make(&near, &hull);
    qdi_form form = qdi_form_of(&near, &hull);
    qdi_core_make(&form, &(qdi_pose){0, 0, 1, 0}, &core);
    qdi_area_moments moments = qdi_core_moments(&core, near.radius);
    return qdi_along(origin, moments.first, 1 / moments.area);
}

/// True where a polygon with finite points is convex, counter-clockwise and about its centroid already.
static bool polygon_is_normalized(const qd_shape *polygon, double extent) {
    const qd_vec2 *p = polygon->points;
    double near = ON_A_SIDE * extent;
    int count = polygon->count;
    for (int i = 0; i < count; ++i) {
        int next = i + 1 < count ? i + 1 : 0;
        if (!(qdi_length(qdi_minus(p[next], p[i])) > near)) return false;
        for (int k = 0; k < count; ++k)
            if (k != i && k != next && !(distance_left_of_line(p[i], p[next], p[k]) > 0)) return false;
        qd_vec2 before = p[i > 0 ? i - 1 : count - 1];
        if (!(qdi_length(qdi_minus(p[next], before)) > near &&
              -distance_left_of_line(before, p[next], p[i]) > near))
            return false;
    }
    qd_vec2 centroid = polygon_centroid(polygon);
    double off = CENTRED * (extent + 2 * polygon->radius);
    return fabs(centroid.x) <= off && fabs(centroid.y) <= off;
}

// Checks a polygon and makes it convex, counter-clockwise and about its centroid.
static qd_status normalize_polygon(qd_shape *shape, qd_vec2 *moved, qd_error *error) {
    int count = shape->count;
    if (count < 3 || count > QD_POLYGON_MAX)
        return qdi_reason(error, QD_ERR_VALUE, "a polygon has 3 to %d points, not %d", QD_POLYGON_MAX, count);
    for (int i = 0; i < count; ++i)
        if (!(fabs(shape->points[i].x) <= LARGEST && fabs(shape->points[i].y) <= LARGEST))
            return qdi_reason(error, QD_ERR_VALUE, "point %d of a polygon is not finite or above %g", i + 1,
                              LARGEST);
    double extent = points_extent(shape->points, count), near = ON_A_SIDE * extent;
    if (extent < SMALLEST) return qdi_reason(error, QD_ERR_VALUE, "a polygon's points are all in one place");

    qd_shape settled = {.kind = QD_SHAPE_POLYGON, .radius = shape->radius};
    qd_vec2 sorted[QD_POLYGON_MAX], corner[2 * QD_POLYGON_MAX];
    for (int i = 0; i < count; ++i) sorted[i] = shape->points[i];
    sort_points(sorted, count);
    settled.count = drop_blunt_corners(corner, find_convex_hull(sorted, count, corner), near);
    if (settled.count < 3) return qdi_reason(error, QD_ERR_VALUE, "a polygon's points are all on a line");
    for (int i = 0; i < count; ++i)
        if (point_deep_inside(corner, settled.count, shape->points[i], near))
            return qdi_reason(error, QD_ERR_VALUE,
                              "a polygon must be convex: point %d is inside the others' hull", i + 1);

    bool keep = polygon_is_normalized(shape, extent);
    const qd_vec2 *points = keep ? shape->points : corner;
    if (keep) settled.count = count;
    for (int i = 0; i < settled.count; ++i) settled.points[i] = points[i];
    if (!keep) {
        *moved = polygon_centroid(&settled);
        for (int i = 0; i < settled.count; ++i) settled.points[i] = qdi_minus(settled.points[i], *moved);
    }
    *shape = settled;
    return QD_OK;
}

// ---- all kinds ----

// Refuses a length of a shape that is out of range.
static qd_status check_shape_size(const char *what, double size, bool zero_fits, qd_error *error) {
    if ((size >= SMALLEST && size <= LARGEST) || (zero_fits && size == 0)) return QD_OK;
    if (size > 0 && size < SMALLEST)
        return qdi_reason(error, QD_ERR_VALUE, "%s must be %sat least %g, not %.15g", what,
                          zero_fits ? "0 or " : "", SMALLEST, size);
    return qdi_reason(error, QD_ERR_VALUE, "%s must be %s and at most %g, not %.15g", what,
                      zero_fits ? "0 or above" : "above 0", LARGEST, size);
}

// Shape: checks a rect and clears what it does not use.
static qd_status normalize_rect(qd_shape *shape, qd_error *error) {
    qd_status status = check_shape_size("half the width of a rect", shape->half.x, false, error);
    if (status == QD_OK) status = check_shape_size("half the height of a rect", shape->half.y, false, error);
    if (status == QD_OK)
        *shape = (qd_shape){.kind = QD_SHAPE_RECT, .radius = shape->radius, .half = shape->half};
    return status;
}

// Checks a capsule and clears what it does not use.
static qd_status normalize_capsule(qd_shape *shape, qd_error *error) {
    qd_status status = check_shape_size("half the length of a capsule", shape->half.x, false, error);
    if (status != QD_OK) return status;
    qd_shape settled = qd_shape_capsule(2 * shape->half.x, shape->radius);
    if (shape->count == 2) {
        for (int i = 0; i < 2; ++i) {
            if (!(fabs(shape->points[i].x) <= LARGEST && fabs(shape->points[i].y) <= LARGEST))
                return qdi_reason(error, QD_ERR_VALUE, "a neighbour in a polyline is not finite or above %g",
                                  LARGEST);
            settled.points[i] = shape->points[i];
        }
        settled.count = 2;
    } else if (shape->count != 0) {
        return qdi_reason(error, QD_ERR_VALUE, "a capsule has no points, or the 2 next to it in a polyline");
    }
    *shape = settled;
    return QD_OK;
}

qd_status qd_shape_normalise(qd_shape *shape, qd_vec2 *moved, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!shape) return qdi_reason(error, QD_ERR_ARGUMENT, "no shape");
    qd_vec2 centroid = {0, 0};
    qd_status status = check_shape_size("a radius", shape->radius, shape->kind != QD_SHAPE_DISK, error);
    if (status != QD_OK) return status;
    switch (shape->kind) {
    case QD_SHAPE_DISK: *shape = qd_shape_disk(shape->radius); break;
    case QD_SHAPE_RECT: status = normalize_rect(shape, error); break;
    case QD_SHAPE_CAPSULE: status = normalize_capsule(shape, error); break;
    case QD_SHAPE_POLYGON: status = normalize_polygon(shape, &centroid, error); break;
    default: return qdi_reason(error, QD_ERR_VALUE, "unknown kind of shape %d", (int)shape->kind);
    }
    if (status == QD_OK && moved) *moved = centroid;
    return status;
}

qd_status qd_shape_polygon(const qd_vec2 *points, size_t count, qd_shape *shape, qd_vec2 *centroid,
                           qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!points || !shape) return qdi_reason(error, QD_ERR_ARGUMENT, "no points or no shape");
    qd_shape polygon = {.kind = QD_SHAPE_POLYGON};
    if (count < 3 || count > QD_POLYGON_MAX)
        return qdi_reason(error, QD_ERR_VALUE, "a polygon has 3 to %d points, not %zu", QD_POLYGON_MAX,
                          count);
    polygon.count = (int)count;
    for (size_t i = 0; i < count; ++i) polygon.points[i] = points[i];
    qd_status status = qd_shape_normalise(&polygon, centroid, error);
    if (status == QD_OK) *shape = polygon;
    return status;
}

// The distance from a shape's centre to its furthest point.
static double shape_reach(const qd_shape *shape) {
    qdi_hull hull;
    if (shape->kind == QD_SHAPE_POLYGON) qdi_hull_make(shape, &hull);
    qdi_form form = qdi_form_of(shape, &hull);
    return qdi_form_core_reach(&form) + shape->radius;
}

double qd_shape_reach(const qd_shape *shape) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = shape_reach(shape);
    QDI_SETTLE(result);
    return result;
}

void qd_shape_bounds(const qd_shape *shape, qd_vec2 position, qd_vec2 turn, qd_vec2 *low, qd_vec2 *high) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qdi_hull hull;
    if (shape->kind == QD_SHAPE_POLYGON) qdi_hull_make(shape, &hull);
    qdi_form form = qdi_form_of(shape, &hull);
    qdi_form_bounds(&form, turn.x, turn.y, low, high);
    *low = qdi_plus(position, *low);
    *high = qdi_plus(position, *high);
}

bool qd_shape_contains(const qd_shape *shape, qd_vec2 position, qd_vec2 turn, qd_vec2 point) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qdi_hull hull;
    if (shape->kind == QD_SHAPE_POLYGON) qdi_hull_make(shape, &hull);
    qdi_form form = qdi_form_of(shape, &hull);
    return qdi_form_contains(&form, turn.x, turn.y, qdi_minus(point, position));
}
