#pragma once

#include <quadrille/near.h>

#include "core/tree/tree_impl.h"

#include <float.h>
#include <math.h>

/// A point that distances are taken from, as seen from each copy of the world that may be the nearest: copy k
/// of `copies`. Along an axis the nearest image of a body is in the copy that holds the point or one beside
/// it, for a body's centre is in the cell. Axes are independent, and of images that are equally near the one
/// in the earlier copy counts.

/// Two distances that are equal but for rounding differ by less than this factor.
#define QDI_NEAR_POINT_NEARER (1.0 - 0x1p-50)

typedef struct qdi_near_point {
    double at[2][3]; // by axis
    int image[2][3]; // that makes it so
    int count[2];    // 3 on a periodic axis, else 1
    unsigned copies; // count[0] * count[1]; copy k is number k % count[0] along x and k / count[0] along y
    qd_distance_test distance;
    void *context;
} qdi_near_point;

/// Tree near a point: finds the periodic images of a point along one axis, for a search of the nearest; false
/// if out of range.
static inline bool qdi_near_point_axis(qdi_near_point *origin, int axis, double at, double period) {
    if (!(fabs(at) <= (double)FLT_MAX)) return false;
    int base = 0;
    if (period > 0.0) {
        if (fabs(at) > (INT16_MAX - 2) * period) return false;
        base = (int)floor(at / period + 0.5);
    }
    origin->count[axis] = period > 0.0 ? 3 : 1;
    for (int k = 0; k < 3; ++k) {
        origin->image[axis][k] = base + (k == 1 ? -1 : k == 2 ? 1 : 0);
        origin->at[axis][k] = at - origin->image[axis][k] * period;
    }
    return true;
}

/// Tree near a point: false for a point that is refused.
static inline bool qdi_near_point_init(qdi_near_point *origin, const qd_tree *tree, qd_vec2 point,
                                       qd_distance_test distance, void *context) {
    origin->distance = distance;
    origin->context = context;
    if (!qdi_near_point_axis(origin, 0, point.x, tree->period.x) ||
        !qdi_near_point_axis(origin, 1, point.y, tree->period.y))
        return false;
    origin->copies = (unsigned)(origin->count[0] * origin->count[1]);
    return true;
}

/// Tree near a point: distance along one axis from a point to a box; 0 inside.
static inline double qdi_near_point_gap(double at, float min, float max) {
    return at < (double)min ? (double)min - at : at > (double)max ? at - (double)max : 0.0;
}

/// Tree near a point: the distance of a box as seen from copy k. Never less than that of bounds around it, in
/// rounded numbers too.
static inline double qdi_near_point_to_box(const qdi_near_point *origin, unsigned k, qd_box box) {
    double x = qdi_near_point_gap(origin->at[0][k % (unsigned)origin->count[0]], box.min_x, box.max_x);
    double y = qdi_near_point_gap(origin->at[1][k / (unsigned)origin->count[0]], box.min_y, box.max_y);
    double longer = x > y ? x : y;
    double far = sqrt(x * x + y * y);
    return far > longer ? far : longer; // squares of the smallest numbers vanish
}

/// Tree near a point: periodic image number k of the point.
static inline qd_image qdi_near_point_image(const qdi_near_point *origin, unsigned k) {
    return (qd_image){(int16_t)origin->image[0][k % (unsigned)origin->count[0]],
                      (int16_t)origin->image[1][k / (unsigned)origin->count[0]]};
}

/// Tree near a point: along one axis: the copy that the nearest image of [min, max] is in.
static inline unsigned qdi_near_point_nearest(const qdi_near_point *origin, int axis, float min, float max) {
    unsigned nearest = 0;
    for (unsigned k = 1; k < (unsigned)origin->count[axis]; ++k) {
        if (qdi_near_point_gap(origin->at[axis][k], min, max) <
            qdi_near_point_gap(origin->at[axis][nearest], min, max))
            nearest = k;
    }
    return nearest;
}

/// Tree near a point: measures a body that a search of copy k found: true, and the body with its distance,
/// where that is at most `most`. So that a body is reported once, this is done in the copy that holds the
/// nearest image of its box alone. Which image of its real shape is the nearest may differ, hence all that
/// may be are measured.
bool qdi_near_point_measure(const qdi_near_point *origin, unsigned k, qd_box box, qd_body_index body,
                            double most, qd_near *near);
