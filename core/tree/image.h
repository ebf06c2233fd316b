#pragma once

#include <quadrille/box.h>
#include <quadrille/pairs.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stdint.h>

/// What overlapping means in a periodic world, in one place: the tree and the brute-force index must agree on
/// it to the last bit.
///
/// Box b shifted by s periods P overlaps box a along one axis where
///     a.min - b.max <= s * P  and  a.max - b.min >= s * P,
/// the differences taken in float64. The rule is symmetric: (a, b, s) holds where (b, a, -s) does. Without a
/// period (P = 0) only s = 0 counts and the rule is the plain comparison of floats.
///
/// Two boxes may overlap through several images, but they are one pair, reported with the nearest: the two
/// axes are independent, and on each the first of base, base - 1, base + 1 that overlaps is taken. Boxes that
/// the tree accepts (qdi_box_acceptable) have base 0. A query box may lie anywhere; its
/// base is the copy of the cell that its centre is in (qdi_image_base).

/// Room for rounding on either side of half a period: a body that sits on the cell's border, or is just as
/// long as half a period, is accepted although its float32 box may stick out by a few units in the last
/// place.
#define QDI_IMAGE_SLACK 1.000001

/// The centre of a box along one axis, by which the tree finds its cell.
static inline float qdi_box_centre(float min, float max) {
    return 0.5F * min + 0.5F * max;
}

/// Periodic image in the tree: true where the box may live in a world with this period along one axis (0: any
/// valid box).
static inline bool qdi_image_axis_fits(float min, float max, double period) {
    if (period == 0.0) return true;
    const double half = 0.5 * period * QDI_IMAGE_SLACK;
    const double centre = (double)qdi_box_centre(min, max);
    return (double)max - (double)min <= half && centre <= half && centre >= -half;
}

/// True for a box that the tree accepts: valid and, along each periodic axis, not longer than half a period
/// and with its centre inside the cell.
static inline bool qdi_box_acceptable(qd_box box, qd_vec2 period) {
    return qd_box_valid(box) && qdi_image_axis_fits(box.min_x, box.max_x, period.x) &&
           qdi_image_axis_fits(box.min_y, box.max_y, period.y);
}

/// Along one axis: which copy of the cell holds the middle of a valid box. False where that is further away
/// than an image can say.
static inline bool qdi_image_axis_base(float min, float max, double period, int *base) {
    *base = 0;
    if (period == 0.0) return true;
    const double centre = (double)qdi_box_centre(min, max);
    const double half = 0.5 * period * QDI_IMAGE_SLACK;
    if (centre <= half && centre >= -half) return true;
    const double copies = centre / period + 0.5;
    if (!(copies > -(double)INT16_MAX + 1.0 && copies < (double)INT16_MAX - 1.0)) return false;
    const int towards_zero = (int)copies;
    *base = (double)towards_zero > copies ? towards_zero - 1 : towards_zero;
    return true;
}

/// The copy of the cell that holds the centre of a valid box, (0, 0) for a box that qdi_box_acceptable
/// accepts. False where it is too far away for a qd_image: the caller reports QD_ERR_VALUE.
static inline bool qdi_image_base(qd_box box, qd_vec2 period, qd_image *base) {
    int x = 0, y = 0;
    const bool near = qdi_image_axis_base(box.min_x, box.max_x, period.x, &x) &&
                      qdi_image_axis_base(box.min_y, box.max_y, period.y, &y);
    *base = near ? (qd_image){(int16_t)x, (int16_t)y} : (qd_image){0, 0};
    return near;
}

/// Periodic image in the tree: along one axis: true where some image of b overlaps a, and which (see above).
static inline bool qdi_image_axis(float a_min, float a_max, float b_min, float b_max, double period, int base,
                                  int *image) {
    *image = 0;
    if (period == 0.0) return a_min <= b_max && b_min <= a_max;
    const double least = (double)a_min - (double)b_max;
    const double most = (double)a_max - (double)b_min;
    for (int k = 0; k < 3; ++k) {
        const int shift = k == 0 ? base : k == 1 ? base - 1 : base + 1;
        if (least <= shift * period && most >= shift * period) {
            *image = shift;
            return true;
        }
    }
    return false;
}

/// Periodic image in the tree: true where some image of b overlaps a; `image` is to be added to b. `base` is
/// (0, 0) for two boxes of the tree, qdi_image_base(a) for a query box a.
static inline bool qdi_image_overlap(qd_box a, qd_box b, qd_vec2 period, qd_image base, qd_image *image) {
    int x = 0, y = 0;
    if (!qdi_image_axis(a.min_x, a.max_x, b.min_x, b.max_x, period.x, base.x, &x)) return false;
    if (!qdi_image_axis(a.min_y, a.max_y, b.min_y, b.max_y, period.y, base.y, &y)) return false;
    *image = (qd_image){(int16_t)x, (int16_t)y};
    return true;
}

/// Periodic image in the tree: the same for one image only: `shift` is a whole number of periods on each
/// axis, added to b. Holds for bounds wherever it holds for a box inside them.
static inline bool qdi_shift_overlap(qd_box a, qd_box b, qd_vec2 shift) {
    return (double)a.min_x - (double)b.max_x <= shift.x && (double)a.max_x - (double)b.min_x >= shift.x &&
           (double)a.min_y - (double)b.max_y <= shift.y && (double)a.max_y - (double)b.min_y >= shift.y;
}
