#include <quadrille/math.h>
#include <quadrille/shape.h>

#include "core/base/arithmetic.h"
#include "core/math/vec.h"
#include "sim/text/reason.h"

#include <math.h>

// Chain of edges: true where both coordinates of a polyline's point are finite.
static bool point_is_finite(qd_vec2 p) {
    return isfinite(p.x) && isfinite(p.y);
}

// Chain of edges: true where two points of a polyline are equal.
static bool points_equal(qd_vec2 a, qd_vec2 b) {
    return a.x == b.x && a.y == b.y;
}

qd_status qd_shape_chain(const qd_vec2 *points, size_t count, bool closed, size_t edge, double radius,
                         qd_shape *shape, qd_vec2 *position, double *angle, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!points || !shape || !position || !angle)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no points, or nowhere to put the shape");
    if (count < (closed ? 3U : 2U))
        return qdi_reason(error, QD_ERR_VALUE, "a %s polyline has at least %d points, not %zu",
                          closed ? "closed" : "open", closed ? 3 : 2, count);
    size_t edges = closed ? count : count - 1;
    if (edge >= edges)
        return qdi_reason(error, QD_ERR_VALUE, "a polyline of %zu edges has no edge %zu", edges, edge);

    qd_vec2 from = points[edge], to = points[edge + 1 < count ? edge + 1 : 0];
    bool starts = edge == 0 && !closed, ends = edge + 1 == edges && !closed;
    qd_vec2 before = starts ? from : points[edge > 0 ? edge - 1 : count - 1];
    qd_vec2 after = ends ? to : points[(edge + 2) % count];
    if (!point_is_finite(from) || !point_is_finite(to) || !point_is_finite(before) || !point_is_finite(after))
        return qdi_reason(error, QD_ERR_VALUE, "a point next to edge %zu of a polyline is not finite", edge);
    if (closed && points_equal(points[0], points[count - 1]))
        return qdi_reason(error, QD_ERR_VALUE,
                          "the last point of a closed polyline is its first one again: leave it out");
    if (points_equal(from, to) || (!starts && points_equal(before, from)) ||
        (!ends && points_equal(to, after)))
        return qdi_reason(error, QD_ERR_VALUE, "edge %zu of a polyline, or one next to it, has no length",
                          edge);

    qd_vec2 way = qdi_minus(to, from), middle = qdi_along(from, way, 0.5);
    double turned = qd_atan2(way.y, way.x), c, s;
    qd_sincos(turned, &s, &c);
    qd_shape made = qd_shape_capsule(qdi_length(way), radius);
    made.count = 2;
    made.points[0] = starts ? (qd_vec2){-made.half.x, 0} : qdi_unturn(c, s, qdi_minus(before, middle));
    made.points[1] = ends ? (qd_vec2){made.half.x, 0} : qdi_unturn(c, s, qdi_minus(after, middle));
    qd_status status = qd_shape_normalise(&made, NULL, error);
    if (status != QD_OK) return status;
    *shape = made;
    *position = middle;
    *angle = turned;
    return QD_OK;
}
