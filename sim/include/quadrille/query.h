#ifndef QUADRILLE_QUERY_H
#define QUADRILLE_QUERY_H

#include <quadrille/near.h>
#include <quadrille/ray.h>
#include <quadrille/world.h>

QD_BEGIN_DECLS

/// Questions about a world's bodies, by their exact shapes: what a ray hits, what a circle or a rectangle
/// touches, what is nearest to a point. Positions are the world's. Walls are not bodies, and no ray hits
/// them.
///
/// A query sees the bodies as the last step or qd_world_detect left them; where bodies were added, removed or
/// placed since, it returns QD_ERR_STATE. It changes nothing and takes no memory: any number of threads may
/// ask between changes. Which rays and points are refused (QD_ERR_VALUE), what happens in a periodic world,
/// and what it costs is described in ray.h and near.h.

/// Says whether a query may find a body; it may be asked for the same one several times.
typedef bool (*qd_query_accept)(void *context, qd_id body);

/// What a ray hits.
typedef struct qd_world_hit {
    qd_ray_hit hit; ///< `hit.body` is the body's index, `hit.image` is to be added to its position
    qd_id body;     ///< zero where nothing is hit
    qd_vec2 point;  ///< on the ray, where it enters the shape
    qd_vec2 normal; ///< of the shape there, a unit vector; (0, 0) where the ray begins inside
} qd_world_hit;

/// What is near a point.
typedef struct qd_world_near {
    qd_near near; ///< `near.body` is the body's index, `near.image` is to be added to its position
    qd_id body;
    qd_vec2
        point; ///< of the shape's image, the one that is nearest; where the shape holds the point, the point
} qd_world_near;

/// Called for each body found; returns false to stop.
typedef bool (*qd_world_hit_visit)(void *context, const qd_world_hit *hit);
typedef bool (*qd_world_near_visit)(void *context, const qd_world_near *near);

/// The first body that a ray hits, of equally far ones that with the lowest index. `accept` NULL: any body.
/// `hit->hit.body` is QD_NO_BODY where there is none. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE, QD_ERR_STATE.
QD_API QD_MUST_USE qd_status qd_world_ray(const qd_world *world, const qd_ray *ray, qd_query_accept accept,
                                          void *context, qd_world_hit *hit);

/// Every body that a ray hits, each once, in no order. `accept` (may be NULL) and `visit` get the same
/// context. Errors as above.
QD_API QD_MUST_USE qd_status qd_world_ray_all(const qd_world *world, const qd_ray *ray,
                                              qd_query_accept accept, qd_world_hit_visit visit,
                                              void *context);

/// Every body with a point at most `radius` from `point`, each once, in no order. With radius 0: every body
/// that holds the point. Errors as above.
QD_API QD_MUST_USE qd_status qd_world_circle(const qd_world *world, qd_vec2 point, double radius,
                                             qd_query_accept accept, qd_world_near_visit visit,
                                             void *context);

/// What a query of a rectangle finds: a body's shape has a point in it. `image` is to be added to the body's
/// position.
typedef bool (*qd_world_in_rect_visit)(void *context, qd_id body, qd_image image);

/// What such a query looks at.
typedef struct qd_world_rect_cost {
    uint64_t tests;      ///< boxes of bodies that were compared with the rectangle
    uint64_t candidates; ///< of these, that overlap it
} qd_world_rect_cost;

/// Every body with a point in the rectangle between the corners `low` and `high`, its border included, each
/// once, in no order; `visit` returns false to stop. `accept` is asked once for each body whose box in the
/// tree overlaps, before its shape is looked at. In a periodic world the rectangle may reach over a border,
/// and images of bodies count. `cost` gets what was looked at; NULL is fine. Errors as above; QD_ERR_VALUE:
/// corners that are not finite or in the wrong order.
QD_API QD_MUST_USE qd_status qd_world_rect(const qd_world *world, qd_vec2 low, qd_vec2 high,
                                           qd_query_accept accept, qd_world_in_rect_visit visit,
                                           void *context, qd_world_rect_cost *cost);

/// The `most` bodies nearest to a point, and at most `within` from it, in order of distance and then of
/// index, to nearest[0, *count), which has room for `most`. Errors as above; *count is then 0.
QD_API QD_MUST_USE qd_status qd_world_nearest(const qd_world *world, qd_vec2 point, double within,
                                              qd_query_accept accept, void *context, size_t most,
                                              qd_world_near *nearest, size_t *count);

QD_END_DECLS

#endif
