#include "export/raster/figure.h"

#include <stdbool.h>

int qdi_figure_core(const qd_shape *shape, qd_vec2 core[QD_POLYGON_MAX]) {
    double x = shape->half.x, y = shape->half.y;
    switch (shape->kind) {
    case QD_SHAPE_DISK: core[0] = (qd_vec2){0, 0}; return 1;
    case QD_SHAPE_CAPSULE:
        core[0] = (qd_vec2){-x, 0};
        core[1] = (qd_vec2){x, 0};
        return 2;
    case QD_SHAPE_RECT:
        core[0] = (qd_vec2){-x, -y};
        core[1] = (qd_vec2){x, -y};
        core[2] = (qd_vec2){x, y};
        core[3] = (qd_vec2){-x, y};
        return 4;
    case QD_SHAPE_POLYGON: break;
    }
    for (int i = 0; i < shape->count; ++i) core[i] = shape->points[i];
    return shape->count;
}

// Rasterized figure: how far a point is beyond a limit along x or y.
static double distance_beyond_limit(qd_vec2 p, bool along_x, double sign, double limit) {
    return sign * ((along_x ? p.x : p.y) - limit);
}

// Rasterized figure: the point at a part of the way from one point to another.
static qd_vec2 point_between(qd_vec2 p, qd_vec2 q, double part) {
    return (qd_vec2){p.x + part * (q.x - p.x), p.y + part * (q.y - p.y)};
}

// Rasterized figure: cuts off the part of a line beyond a limit.
static int clip_line(qd_vec2 *corner, double over_p, double over_q) {
    if (over_p > 0 && over_q > 0) return 0;
    qd_vec2 cut = over_p == over_q ? corner[0]
                                   : point_between(corner[0], corner[1], over_p / (over_p - over_q));
    if (over_p > 0) corner[0] = cut;
    if (over_q > 0) corner[1] = cut;
    return 2;
}

// Rasterized figure: cuts what lies beyond `limit` (before it for `sign` -1) off a line or a convex figure,
// along x or y.
static int clip_figure(qd_vec2 *corner, int count, bool along_x, double sign, double limit) {
    qd_vec2 kept[QDI_CORNERS_MAX + 1];
    int made = 0;
    if (count == 2)
        return clip_line(corner, distance_beyond_limit(corner[0], along_x, sign, limit),
                         distance_beyond_limit(corner[1], along_x, sign, limit));
    for (int i = 0; i < count; ++i) {
        qd_vec2 p = corner[i], q = corner[(i + 1) % count];
        double over_p = distance_beyond_limit(p, along_x, sign, limit),
               over_q = distance_beyond_limit(q, along_x, sign, limit);
        if (over_p <= 0) kept[made++] = p;
        if ((over_p <= 0) == (over_q <= 0) || made > QDI_CORNERS_MAX - 1) continue;
        kept[made++] = point_between(p, q, over_p / (over_p - over_q));
    }
    for (int i = 0; i < made; ++i) corner[i] = kept[i];
    return made;
}

int qdi_figure_corners(const qd_shape *shape) {
    qd_vec2 core[QD_POLYGON_MAX];
    return qdi_figure_core(shape, core);
}

int qdi_figure_make(const qd_shape *shape, qd_vec2 place, qd_vec2 turn, double scale, qdi_area clip,
                    double room, qdi_corner corners[QDI_CORNERS_MAX]) {
    qd_vec2 corner[QDI_CORNERS_MAX + 1];
    int count = qdi_figure_core(shape, corner);
    for (int i = 0; i < count; ++i)
        corner[i] = (qd_vec2){place.x + scale * (turn.x * corner[i].x - turn.y * corner[i].y),
                              place.y - scale * (turn.y * corner[i].x + turn.x * corner[i].y)};
    if (count > 1) {
        count = clip_figure(corner, count, true, -1, clip.min_x - room);
        count = clip_figure(corner, count, true, 1, clip.max_x + room);
        count = clip_figure(corner, count, false, -1, clip.min_y - room);
        count = clip_figure(corner, count, false, 1, clip.max_y + room);
    }
    for (int i = 0; i < count; ++i) corners[i] = (qdi_corner){(float)corner[i].x, (float)corner[i].y};
    return count;
}
