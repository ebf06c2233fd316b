#pragma once

#include <math.h>
#include <quadrille/vec.h>

/// Arithmetic of vectors, for the files of the narrow phase.

/// The part of a vector along one axis: 0 is x, 1 is y.
static inline double qdi_axis_part(const qd_vec2 *v, int axis) {
    return axis == 0 ? v->x : v->y;
}

/// Sum of two vectors.
static inline qd_vec2 qdi_plus(qd_vec2 a, qd_vec2 b) {
    return (qd_vec2){a.x + b.x, a.y + b.y};
}

/// Difference of two vectors.
static inline qd_vec2 qdi_minus(qd_vec2 a, qd_vec2 b) {
    return (qd_vec2){a.x - b.x, a.y - b.y};
}

/// A vector times a number.
static inline qd_vec2 qdi_times(qd_vec2 a, double factor) {
    return (qd_vec2){a.x * factor, a.y * factor};
}

/// Vector: a + b * factor.
static inline qd_vec2 qdi_along(qd_vec2 a, qd_vec2 b, double factor) {
    return (qd_vec2){a.x + b.x * factor, a.y + b.y * factor};
}

/// Dot product of two vectors.
static inline double qdi_dot(qd_vec2 a, qd_vec2 b) {
    return a.x * b.x + a.y * b.y;
}

/// Cross product of two vectors in the plane.
static inline double qdi_cross(qd_vec2 a, qd_vec2 b) {
    return a.x * b.y - a.y * b.x;
}

/// Length of a vector.
static inline double qdi_length(qd_vec2 a) {
    return sqrt(a.x * a.x + a.y * a.y);
}

/// Vector: turned by +90 degrees.
static inline qd_vec2 qdi_left(qd_vec2 a) {
    return (qd_vec2){-a.y, a.x};
}

/// From local to world directions, by the cosine and sine of an angle.
static inline qd_vec2 qdi_turn(double c, double s, qd_vec2 a) {
    return (qd_vec2){c * a.x - s * a.y, s * a.x + c * a.y};
}

/// From world to local directions.
static inline qd_vec2 qdi_unturn(double c, double s, qd_vec2 a) {
    return (qd_vec2){c * a.x + s * a.y, c * a.y - s * a.x};
}
