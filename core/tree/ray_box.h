#pragma once

#include <quadrille/box.h>
#include <quadrille/vec.h>

#include <float.h>
#include <stdbool.h>

/// A ray and a box of the tree: where it enters, and leaves.

/// A border's t is a difference and a quotient, each rounded once. With this much on either side, whatever a
/// ray meets in exact arithmetic is met (Ize, "Robust BVH ray traversal", 2013); and what is met in a box is
/// met in its bounds, for all steps are monotonic.
#define QDI_RAY_NEARER  (1.0 - 0x1p-51)
#define QDI_RAY_FURTHER (1.0 + 0x1p-51)

/// The points from + t step, t of 0 to `most`.
typedef struct qdi_ray_line {
    qd_vec2 from, step;
    double most;
} qdi_ray_line;

/// Values of t.
typedef struct qdi_ray_span {
    double near, far;
} qdi_ray_span;

/// Ray and a box of the tree: the t between which a ray is between two borders across one axis.
static inline qdi_ray_span qdi_ray_span_between(double from, double step, double min, double max) {
    if (step > 0.0) return (qdi_ray_span){(min - from) / step, (max - from) / step};
    if (step < 0.0) return (qdi_ray_span){(max - from) / step, (min - from) / step};
    return from >= min && from <= max ? (qdi_ray_span){0.0, DBL_MAX} : (qdi_ray_span){DBL_MAX, -DBL_MAX};
}

/// Ray and a box of the tree: true where a ray is between the borders of both axes at once, and early enough.
static inline bool qdi_ray_span_met(qdi_ray_span s, double most) {
    return s.near * QDI_RAY_NEARER <= s.far * QDI_RAY_FURTHER && s.near * QDI_RAY_NEARER <= most;
}

/// Ray and a box of the tree: true where a line meets a box; `at` is where it enters.
static inline bool qdi_ray_meets_box(const qdi_ray_line *ray, qd_box box, double *at) {
    qdi_ray_span x = qdi_ray_span_between(ray->from.x, ray->step.x, (double)box.min_x, (double)box.max_x);
    qdi_ray_span y = qdi_ray_span_between(ray->from.y, ray->step.y, (double)box.min_y, (double)box.max_y);
    qdi_ray_span both = {x.near > y.near ? x.near : y.near, x.far < y.far ? x.far : y.far};
    if (!(both.near > 0.0)) both.near = 0.0;
    *at = both.near < ray->most ? both.near : ray->most;
    return qdi_ray_span_met(both, ray->most);
}
