#pragma once

#include "sim/shape/form.h"

#include <quadrille/random.h>

/// Shapes and places for the tests of the narrow phase, and slow answers to compare with.

/// A shape with all that a form points at.
typedef struct qd_test_form {
    qd_shape shape;
    qdi_hull hull;
} qd_test_form;

/// Settles the shape (the running test fails where it is refused).
void qd_test_form_make(const qd_shape *shape, qd_test_form *made);
static inline qdi_form qd_test_form_of(const qd_test_form *made) {
    return qdi_form_of(&made->shape, &made->hull);
}

/// A disk, rect, capsule or polygon of 3 to 16 corners, about 0.2 to 1.5 large, of which some are rounded or
/// segments.
void qd_test_form_random(qd_random *random, qd_test_form *made);

/// A random regular or irregular polygon of up to `most` corners, all within 1 of the origin.
qd_shape qd_test_polygon_random(qd_random *random, int most);

qdi_pose qd_test_pose(double x, double y, double degrees);
/// A random angle, at a random place up to `spread` from the origin on each axis. Now and then the angle is a
/// multiple of 45 degrees and the place on a grid, so that ties happen.
qdi_pose qd_test_pose_random(qd_random *random, double spread);

/// The pose `pose` seen from a frame that is turned by `turn` (c, s) and then moved by its x and y.
qdi_pose qd_test_pose_moved(const qdi_pose *pose, const qdi_pose *by);

/// How far the form reaches along a unit vector from the frame's origin (its support function), by all its
/// corners.
double qd_test_support(const qdi_form *form, const qdi_pose *pose, qd_vec2 along);

/// How far two forms are apart along a unit vector: never more than their signed distance.
double qd_test_apart_along(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb,
                           qd_vec2 along);

/// Signed distance as the largest separation over all directions, sampled and refined: never more than it is,
/// and rarely less by much.
double qd_test_distance(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb);
