// Shapes as points. A rounded shape is its core with a disk rolled around it: each corner becomes an arc from
// the normal of the side before to that of the side behind it, and the arcs of all corners together are one
// turn.

#include "export/raster/figure.h"
#include "export/trajectory/trajectory_impl.h"

#include <quadrille/math.h>

/// Steps of the arcs: 24 for the whole turn.
static const double arc_step = 6.28318530717958647692 / 24;

/// Exported shape: the angle of the outward normal of the side from `a` to `b`.
static double side_normal_angle(qd_vec2 a, qd_vec2 b) {
    return qd_atan2(-(b.x - a.x), b.y - a.y);
}

size_t qdi_shape_outline(const qd_shape *shape, qd_vec2 points[QDI_OUTLINE_MAX]) {
    qd_vec2 corners[QD_POLYGON_MAX];
    size_t count = shape->kind == QD_SHAPE_DISK ? 0 : (size_t)qdi_figure_core(shape, corners);
    if (count == 0 || shape->radius <= 0) {
        for (size_t i = 0; i < count; ++i) points[i] = corners[i];
        return count;
    }
    const double turn = 24 * arc_step;
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        double from = side_normal_angle(corners[(i + count - 1) % count], corners[i]);
        double to = side_normal_angle(corners[i], corners[(i + 1) % count]);
        if (to < from - 1e-9) to += turn;
        for (double angle = from;; angle += arc_step) {
            bool last = angle > to - 1e-9;
            double sine, cosine;
            qd_sincos(last ? to : angle, &sine, &cosine);
            points[used++] = (qd_vec2){corners[i].x + shape->radius * cosine,
                                       corners[i].y + shape->radius * sine};
            if (last) break;
        }
    }
    return used;
}

/// Exported shape: writes a point of a shape.
static char *put_shape_point(char *at, qd_vec2 point, bool first) {
    if (!first) *at++ = '/';
    at = qdi_put_real(at, point.x);
    *at++ = ':';
    return qdi_put_real(at, point.y);
}

// Writes the core of a shape as exported files have it.
char *qdi_put_core(char *at, const qd_shape *shape) {
    if (!shape || shape->kind == QD_SHAPE_DISK) {
        *at++ = '-';
        return at;
    }
    if (shape->kind != QD_SHAPE_POLYGON) at = put_shape_point(at, shape->half, true);
    for (int i = 0; i < shape->count; ++i)
        at = put_shape_point(at, shape->points[i], shape->kind == QD_SHAPE_POLYGON && i == 0);
    return at;
}
