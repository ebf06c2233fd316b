#ifndef QUADRILLE_BOX_H
#define QUADRILLE_BOX_H

#include <quadrille/api.h>
#include <stdbool.h>
#include <stddef.h>

QD_BEGIN_DECLS

/// An axis-aligned box in float32, closed on every side: touching counts as overlapping. Coordinates are
/// relative to the world's centre. A box that stands for a body is rounded outward, so that it always
/// contains the body.
typedef struct qd_box {
    float min_x, min_y, max_x, max_y;
} qd_box;

/// The float next above `value` rounded up to float32: strictly above it by at least one unit in the last
/// place, also where `value` is a float itself, so that a box made with it has room for rounding in later
/// float64 arithmetic. FLT_MAX and beyond give infinity, below -FLT_MAX gives -FLT_MAX, NaN gives NaN. Any
/// thread.
QD_API float qd_float_above(double value);

/// The mirror image of qd_float_above.
QD_API float qd_float_below(double value);

/// The box of a disk, rounded outward by at least one unit in the last place.
QD_API qd_box qd_box_of_disk(double x, double y, double radius);

/// The boxes of `count` disks, boxes[i] of x[i], y[i] and radius[i], several at once and at a tenth of the
/// cost. Each contains its disk, but is rounded outward in a simpler way: a side lies beyond the disk's by
/// half a unit in the last place to three, and 1.2e-38 more. That of a disk which is not within all float32
/// numbers is not valid (qd_box_valid). `boxes` must not overlap the other arrays. Any thread; several may
/// work on parts of the arrays.
QD_API void qd_boxes_of_disks(const double *x, const double *y, const double *radius, size_t count,
                              qd_box *boxes);

/// True where min <= max on both axes and all four are finite.
static inline bool qd_box_valid(qd_box box) {
    const float big = 3.402823466e38F;
    return box.min_x >= -big && box.min_y >= -big && box.max_x <= big && box.max_y <= big &&
           box.min_x <= box.max_x && box.min_y <= box.max_y;
}

/// True where two boxes share a point.
static inline bool qd_box_overlap(qd_box a, qd_box b) {
    return a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y;
}

QD_END_DECLS

#endif
