#ifndef QUADRILLE_RAY_H
#define QUADRILLE_RAY_H

#include <quadrille/tree.h>

QD_BEGIN_DECLS

/// Rays through a tree: what a straight line meets first, or all that it meets.
///
/// Boxes are closed: a ray that only touches an edge or a corner meets the box, and where rounding cannot
/// tell, it does. A ray of no length is a point. Like all queries these change nothing, take no memory, and
/// may run on any number of threads between refreshes; the order of their calls back depends on the boxes and
/// indices alone.

/// The points from + t * step with 0 <= t <= most; `most` may be infinite. Numbers beyond the range of
/// float32 are refused, and so are rays that go further along a periodic axis than an image can say (some
/// 32000 periods, so also endless ones).
typedef struct qd_ray {
    qd_vec2 from, step;
    double most;
} qd_ray;

/// The ray from one point to another; t is the fraction of the way.
QD_API qd_ray qd_ray_between(qd_vec2 from, qd_vec2 to);

/// The ray from a point in a direction of any length but zero; t is the distance from the point.
QD_API qd_ray qd_ray_towards(qd_vec2 from, qd_vec2 direction, double length);

/// The point at t.
static inline qd_vec2 qd_ray_point(const qd_ray *ray, double t) {
    qd_vec2 point = {ray->from.x + t * ray->step.x, ray->from.y + t * ray->step.y};
    return point;
}

/// Where a ray meets a body.
typedef struct qd_ray_hit {
    double at; ///< t where the ray enters: 0 where it begins inside
    qd_body_index body;
    qd_image image; ///< to be added to the body's box
} qd_ray_hit;

/// Says whether the ray hits the body's real shape, `image` periods away, and where: `*at` is where the ray
/// enters the box when called, and is to be set to where it enters the shape. The shape must lie in the box.
/// Hits beyond `most` are of no use; `*at` outside [0, most] counts as a miss. The same body and image may be
/// asked for more than once.
typedef bool (*qd_ray_test)(void *context, qd_body_index body, qd_image image, double most, double *at);

/// Called for each hit; returns false to stop.
typedef bool (*qd_ray_visit)(void *context, const qd_ray_hit *hit);

/// The first body that a ray hits: the lowest t, of equal ones the lowest index. `test` NULL: the boxes
/// themselves are hit. `hit->body` is QD_NO_BODY where there is none. In a periodic world the ray
/// crosses as many copies as its length reaches, and hits the first image of each body along it.
/// Cost: the nodes that the ray crosses up to the hit, near ones first, in each copy.
/// Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (see qd_ray). Any thread.
QD_API QD_MUST_USE qd_status qd_tree_ray(const qd_tree *tree, const qd_ray *ray, qd_ray_test test,
                                         void *context, qd_ray_hit *hit);

/// Every body that a ray hits, each once, in no order of t. In a periodic world a body is reported with the
/// first of its images that the ray hits. `test` and `visit` get the same context. Cost: the nodes that the
/// ray crosses; over c copies of a periodic world c times that, and up to c box tests for each hit. Errors as
/// above. Any thread.
QD_API QD_MUST_USE qd_status qd_tree_ray_all(const qd_tree *tree, const qd_ray *ray, qd_ray_test test,
                                             qd_ray_visit visit, void *context);

QD_END_DECLS

#endif
