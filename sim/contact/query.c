// The tree finds whose boxes are met; here is what it is told of the shapes. Only reads, so any number of
// threads may be here at once. Shapes are looked at from where they are, so that a world far from zero loses
// no digits.
#include <quadrille/query.h>

#include "core/base/arithmetic.h"
#include "core/tree/search.h"
#include "core/tree/tree_nearest.h"
#include "sim/contact/margin.h"
#include "sim/shape/distance.h"
#include "sim/shape/ray.h"
#include "sim/world/bodies.h"
#include "sim/world/world_impl.h"
#include "sim/world/world_team.h"

#include <math.h>

typedef struct query {
    const qd_world *world;
    qd_vec2 period;
    qd_ray ray;    // of rays
    qd_vec2 point; // of the others; of a rectangle the middle
    qd_vec2 half;  // of its sides
    qd_query_accept accept;
    qd_world_hit_visit visit_hit;
    qd_world_near_visit visit_near;
    qd_world_in_rect_visit visit_in_rect;
    qd_world_rect_cost cost;
    void *context;
} query;

// The tree tells images of a body's box. A body that went round the world since its fat box was made is seen
// through another image than that.
static qd_image image_of(const query *job, uint32_t row, qd_image of_box) {
    const qd_image in_box = qdi_margin_image(job->world, row);
    return (qd_image){(int16_t)(of_box.x + in_box.x), (int16_t)(of_box.y + in_box.y)};
}

// World's query: a body's image, seen from a point.
static qdi_pose pose_from(const query *job, uint32_t row, qd_image of_box, qd_vec2 point) {
    const qdi_motion *now = &job->world->now;
    const qd_image image = image_of(job, row, of_box);
    return (qdi_pose){now->x[row] - point.x + image.x * job->period.x,
                      now->y[row] - point.y + image.y * job->period.y, now->c[row], now->s[row]};
}

// World's query: the id of a body that the tree found by its index.
static qd_id id_of(const query *job, qd_body_index body) {
    return (qd_id){body, job->world->generation[job->world->row_of_index[body]]};
}

// Whether the filter of the query lets this body through.
static bool accepted(const query *job, qd_body_index body) {
    return !job->accept || job->accept(job->context, id_of(job, body));
}

// Checks that the tree of the world is up to date, and starts a query.
static qd_status begin(query *job) {
    const qd_world *world = job->world;
    if (qdi_world_is_behind(world)) return QD_ERR_STATE;
    job->period.x = world->axis[0].boundary == QD_BOUNDARY_PERIODIC ? world->axis[0].length : 0.0;
    job->period.y = world->axis[1].boundary == QD_BOUNDARY_PERIODIC ? world->axis[1].length : 0.0;
    return QD_OK;
}

// World's query: a point of the world in the coordinates of its tree.
static qd_vec2 in_tree(qd_vec2 centre, qd_vec2 point) {
    return (qd_vec2){point.x - centre.x, point.y - centre.y};
}

// ---- rays

// World's query: where a ray meets the shape of a body, if it does.
static bool ray_meets(const query *job, qd_body_index body, qd_image image, double most, qdi_ray_hit *hit) {
    const uint32_t row = job->world->row_of_index[body];
    const qdi_form form = qdi_form_of_row(job->world, row);
    const qdi_pose pose = pose_from(job, row, image, job->ray.from);
    return qdi_ray_form(&form, &pose, (qd_vec2){0, 0}, job->ray.step, most, hit);
}

// World's query: called by the tree for each box that a ray meets: tests the shape in it.
static bool test_ray(void *context, qd_body_index body, qd_image image, double most, double *at) {
    const query *job = context;
    qdi_ray_hit hit;
    if (!accepted(job, body) || !ray_meets(job, body, image, most, &hit)) return false;
    *at = hit.fraction;
    return true;
}

// World's query: the hit of a ray as the world tells it, with point and normal.
static qd_world_hit hit_of(const query *job, const qd_ray_hit *hit) {
    qdi_ray_hit local = {0};
    (void)ray_meets(job, hit->body, hit->image, hit->at, &local); // once more, for the normal
    qd_world_hit found = {*hit, id_of(job, hit->body), qd_ray_point(&job->ray, hit->at), local.normal};
    found.hit.image = image_of(job, job->world->row_of_index[hit->body], hit->image);
    return found;
}

// World's query: hands a hit of a ray on to the caller.
static bool visit_ray(void *context, const qd_ray_hit *hit) {
    const query *job = context;
    const qd_world_hit found = hit_of(job, hit);
    return job->visit_hit(job->context, &found);
}

qd_status qd_world_ray(const qd_world *world, const qd_ray *ray, qd_query_accept accept, void *context,
                       qd_world_hit *hit) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !ray || !hit) return QD_ERR_ARGUMENT;
    *hit = (qd_world_hit){.hit.body = QD_NO_BODY};
    query job = {.world = world, .ray = *ray, .accept = accept, .context = context};
    qd_status status = begin(&job);
    if (status != QD_OK) return status;
    const qd_ray seen = {in_tree(world->centre, ray->from), ray->step, ray->most};
    qd_ray_hit first;
    status = qd_tree_ray(world->tree, &seen, test_ray, &job, &first);
    if (first.body != QD_NO_BODY) *hit = hit_of(&job, &first);
    return status;
}

qd_status qd_world_ray_all(const qd_world *world, const qd_ray *ray, qd_query_accept accept,
                           qd_world_hit_visit visit, void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !ray || !visit) return QD_ERR_ARGUMENT;
    query job = {.world = world, .ray = *ray, .accept = accept, .visit_hit = visit, .context = context};
    qd_status status = begin(&job);
    if (status != QD_OK) return status;
    const qd_ray seen = {in_tree(world->centre, ray->from), ray->step, ray->most};
    return qd_tree_ray_all(world->tree, &seen, test_ray, visit_ray, &job);
}

// ---- circles

// The point of a body's shape that is nearest to the query's point.
static qdi_nearest nearest_point(const query *job, qd_body_index body, qd_image image) {
    const uint32_t row = job->world->row_of_index[body];
    const qdi_form form = qdi_form_of_row(job->world, row), point = qdi_form_disk(0.0);
    const qdi_pose pose = pose_from(job, row, image, job->point), here = {0.0, 0.0, 1.0, 0.0};
    return qdi_distance(&point, &here, &form, &pose);
}

// World's query: called by the tree for each box near the point: distance to the shape in it.
static double test_distance(void *context, qd_body_index body, qd_image image, double most) {
    (void)most;
    const query *job = context;
    return accepted(job, body) ? nearest_point(job, body, image).distance : (double)INFINITY;
}

// World's query: adds point and normal to a body found near a point.
static void complete(const query *job, qd_world_near *found) {
    found->body = id_of(job, found->near.body);
    found->point = job->point;
    if (found->near.distance > 0.0) {
        const qd_vec2 on = nearest_point(job, found->near.body, found->near.image).on_b;
        found->point.x += on.x;
        found->point.y += on.y;
    }
    found->near.image = image_of(job, job->world->row_of_index[found->near.body], found->near.image);
}

// World's query: hands a body near a point on to the caller.
static bool visit_circle(void *context, const qd_near *near) {
    const query *job = context;
    qd_world_near found = {.near = *near};
    complete(job, &found);
    return job->visit_near(job->context, &found);
}

qd_status qd_world_circle(const qd_world *world, qd_vec2 point, double radius, qd_query_accept accept,
                          qd_world_near_visit visit, void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !visit) return QD_ERR_ARGUMENT;
    query job = {.world = world, .point = point, .accept = accept, .visit_near = visit, .context = context};
    qd_status status = begin(&job);
    if (status != QD_OK) return status;
    return qd_tree_circle(world->tree, in_tree(world->centre, point), radius, test_distance, visit_circle,
                          &job);
}

// ---- rectangles

// World's query: true where an image of a body has a point in the rectangle.
static bool is_in_rect(const query *job, uint32_t row, qd_image of_box) {
    const qdi_form form = qdi_form_of_row(job->world, row), rect = {.kind = QD_SHAPE_RECT, .half = job->half};
    const qdi_pose pose = pose_from(job, row, of_box, job->point), here = {0.0, 0.0, 1.0, 0.0};
    return qdi_distance(&rect, &here, &form, &pose).distance <= 0.0;
}

// World's query: the tree tells one image of a box. Where its shape misses the rectangle, that of another may
// not.
static bool look_at_images(const query *job, uint32_t row, qd_image *image) {
    static const int16_t order[3] = {0, -1, 1};
    const int copies_x = job->period.x > 0.0 ? 3 : 1, copies_y = job->period.y > 0.0 ? 3 : 1;
    for (int i = 0; i < copies_x * copies_y; ++i) {
        const qd_image at = {(int16_t)(image->x + order[i % copies_x]),
                             (int16_t)(image->y + order[i / copies_x])};
        if (!is_in_rect(job, row, at)) continue;
        *image = image_of(job, row, at);
        return true;
    }
    return false;
}

/// Shows a candidate of a rectangle search to the visitor, if it overlaps.
static bool visit_candidate(void *context, qd_body_index body, qd_image image) {
    query *job = context;
    job->cost.candidates += 1;
    if (!accepted(job, body) || !look_at_images(job, job->world->row_of_index[body], &image)) return true;
    return job->visit_in_rect(job->context, id_of(job, body), image);
}

qd_status qd_world_rect(const qd_world *world, qd_vec2 low, qd_vec2 high, qd_query_accept accept,
                        qd_world_in_rect_visit visit, void *context, qd_world_rect_cost *cost) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !visit) return QD_ERR_ARGUMENT;
    if (cost) *cost = (qd_world_rect_cost){0, 0};
    if (!(isfinite(low.x) && isfinite(low.y) && isfinite(high.x) && isfinite(high.y)) || low.x > high.x ||
        low.y > high.y)
        return QD_ERR_VALUE;
    query job = {.world = world, .accept = accept, .visit_in_rect = visit, .context = context};
    qd_status status = begin(&job);
    if (status != QD_OK) return status;
    job.point = (qd_vec2){0.5 * (low.x + high.x), 0.5 * (low.y + high.y)};
    job.half = (qd_vec2){0.5 * (high.x - low.x), 0.5 * (high.y - low.y)};
    const qd_vec2 from = in_tree(world->centre, low), to = in_tree(world->centre, high);
    const qd_box box = {qd_float_below(from.x), qd_float_below(from.y), qd_float_above(to.x),
                        qd_float_above(to.y)};
    status = qdi_tree_retrieve(world->tree, box, QD_NO_BODY, visit_candidate, &job, &job.cost.tests);
    if (cost) *cost = job.cost;
    return status;
}

// ---- the nearest

qd_status qd_world_nearest(const qd_world *world, qd_vec2 point, double within, qd_query_accept accept,
                           void *context, size_t most, qd_world_near *nearest, size_t *count) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !count || (most > 0 && !nearest)) return QD_ERR_ARGUMENT;
    *count = 0;
    query job = {.world = world, .point = point, .accept = accept, .context = context};
    qd_status status = begin(&job);
    if (status != QD_OK) return status;
    const qdi_near_places places = {nearest, sizeof *nearest, most};
    status = qdi_tree_nearest(world->tree, in_tree(world->centre, point), within, test_distance, &job, places,
                              count);
    for (size_t i = 0; i < *count; ++i) complete(&job, &nearest[i]);
    return status;
}
