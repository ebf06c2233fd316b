// Rays through the tree. They only read, so any number of threads may be here at once.
//
// In a periodic world a ray crosses copies of the cell. Copies are walked column by column, in the ray's
// direction, and each is searched with the ray moved back by its shift. A box is shorter than a period on
// each axis, so a ray meets the images of one box in the order of that walk.
#include <quadrille/ray.h>

#include "core/base/arithmetic.h"
#include "core/tree/ray_box.h"
#include "core/tree/root_list.h"
#include "core/tree/tree_impl.h"

#include <float.h>
#include <math.h>

/// The copies of the world that a ray may reach, so that an image can say which.
enum { FURTHEST_COPY = INT16_MAX - 7 };

typedef struct cast {
    const qd_tree *tree;
    qdi_ray_line
        whole; // `most` is that of the ray; while the first hit is sought, where the nearest is so far
    qdi_ray_line here; // as seen from the copy that is searched now
    qd_image image;
    qd_ray_test test;
    qd_ray_visit visit; // NULL: only the first hit is sought
    void *context;
    qd_ray_hit first;
} cast;

// Ray through the tree: the ray from one point to another.
static qd_ray ray_from_to(qd_vec2 from, qd_vec2 to) {
    return (qd_ray){from, {to.x - from.x, to.y - from.y}, 1.0};
}

qd_ray qd_ray_between(qd_vec2 from, qd_vec2 to) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_ray result = ray_from_to(from, to);
    QDI_SETTLE(result);
    return result;
}

// Ray through the tree: the ray from a point in a direction.
static qd_ray ray_in_direction(qd_vec2 from, qd_vec2 direction, double length) {
    double scale = fabs(direction.x) > fabs(direction.y) ? fabs(direction.x) : fabs(direction.y);
    if (scale == 0) return (qd_ray){from, {(double)NAN, (double)NAN}, length}; // no direction; refused later
    double x = direction.x / scale, y = direction.y / scale; // so that no square overflows or vanishes
    double norm = sqrt(x * x + y * y);
    return (qd_ray){from, {x / norm, y / norm}, length};
}

qd_ray qd_ray_towards(qd_vec2 from, qd_vec2 direction, double length) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_ray result = ray_in_direction(from, direction, length);
    QDI_SETTLE(result);
    return result;
}

// ---- the copies of a box that a ray meets

typedef bool (*image_visit)(void *context, qd_image image);

// Ray through the tree: the ray as seen from a periodic copy of the world.
static qdi_ray_line ray_seen_from_copy(const cast *job, qd_image image) {
    qdi_ray_line seen = job->whole;
    seen.from.x -= image.x * job->tree->period.x;
    seen.from.y -= image.y * job->tree->period.y;
    return seen;
}

typedef struct range {
    int first, last;
} range;

// Ray through the tree: the images of [min, max] that from + t * step may meet for t in `part`, in the
// direction of the step, and one more on either side.
static range images_along(double from, double step, qdi_ray_span part, double min, double max,
                          double period) {
    if (period == 0.0) return (range){0, 0};
    double begin = from + part.near * step, end = from + part.far * step;
    double low = begin < end ? begin : end, high = begin < end ? end : begin;
    int least = (int)floor((low - max) / period), most = (int)ceil((high - min) / period);
    return step < 0.0 ? (range){most, least} : (range){least, most};
}

// Ray through the tree: a value limited to a range.
static double clamp_to_range(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

// Ray through the tree: the columns of images of a box that the ray may meet.
static range ray_image_columns(const cast *job, qd_box box) {
    const qdi_ray_line *ray = &job->whole;
    return images_along(ray->from.x, ray->step.x, (qdi_ray_span){0.0, ray->most}, (double)box.min_x,
                        (double)box.max_x, job->tree->period.x);
}

// Ray through the tree: the rows of a column of images of a box that the ray may meet; false where there are
// none.
static bool ray_image_rows(const cast *job, qd_box box, int column, range *rows) {
    const qdi_ray_line *ray = &job->whole;
    const qd_vec2 period = job->tree->period;
    qdi_ray_span part = qdi_ray_span_between(ray->from.x - column * period.x, ray->step.x, (double)box.min_x,
                                             (double)box.max_x);
    if (!(part.near > 0.0)) part.near = 0.0;
    if (!qdi_ray_span_met(part, ray->most)) return false;
    part = (qdi_ray_span){clamp_to_range(part.near, 0.0, ray->most),
                          clamp_to_range(part.far, 0.0, ray->most)};
    *rows = images_along(ray->from.y, ray->step.y, part, (double)box.min_y, (double)box.max_y, period.y);
    return true;
}

// Ray through the tree: walks the images of a box that a ray meets.
// Every image of a box that the ray meets, in the order in which it does. Returns false when the visit
// stopped. The visit may shorten the ray.
static bool ray_walk_images(const cast *job, qd_box box, image_visit visit, void *context) {
    const range columns = ray_image_columns(job, box);
    const int right = columns.first <= columns.last ? 1 : -1;
    for (int i = columns.first; i != columns.last + right; i += right) {
        range rows;
        if (!ray_image_rows(job, box, i, &rows)) continue;
        const int up = rows.first <= rows.last ? 1 : -1;
        for (int j = rows.first; j != rows.last + up; j += up) {
            const qd_image image = {(int16_t)i, (int16_t)j};
            const qdi_ray_line seen = ray_seen_from_copy(job, image);
            double at;
            if (qdi_ray_meets_box(&seen, box, &at) && !visit(context, image)) return false;
        }
    }
    return true;
}

// Ray through the tree: true where the ray meets an image of a box before that in the copy which is searched.
// The walk goes back from there: to the image before, if there is one, so that all walks of a box are no
// longer than the ray.
static bool ray_met_earlier_image(const cast *job, qd_box box) {
    const range columns = ray_image_columns(job, box);
    const int right = columns.first <= columns.last ? 1 : -1;
    for (int c = (job->image.x - columns.first) * right; c >= 0; --c) {
        const int i = columns.first + c * right;
        range rows;
        if (!ray_image_rows(job, box, i, &rows)) continue;
        const int up = rows.first <= rows.last ? 1 : -1;
        int r = ((i == job->image.x ? job->image.y - up : rows.last) - rows.first) * up;
        for (; r >= 0; --r) {
            const qdi_ray_line seen = ray_seen_from_copy(
                job, (qd_image){(int16_t)i, (int16_t)(rows.first + r * up)});
            double at;
            if (qdi_ray_meets_box(&seen, box, &at)) return true;
        }
    }
    return false;
}

// ---- hits

// Ray through the tree: true where a body whose box is entered at `*at` is hit.
static bool ray_is_hit(const cast *job, qd_body_index body, qd_image image, double *at) {
    if (!job->test) return true;
    return job->test(job->context, body, image, job->whole.most, at) && *at >= 0.0 && *at <= job->whole.most;
}

// Ray through the tree: keeps a hit where it is the first along the ray so far.
static void ray_keep_first(cast *job, qd_body_index body, double at) {
    if (!ray_is_hit(job, body, job->image, &at)) return;
    if (at > job->first.at || (at == job->first.at && body >= job->first.body)) return;
    job->first = (qd_ray_hit){at, body, job->image};
    job->whole.most = job->here.most = at;
}

typedef struct telling {
    cast *job;
    qd_box box;
    qd_body_index body;
    bool begun, going;
} telling;

// Ray through the tree: visits the image of a body that a ray hits.
static bool ray_visit_image(void *context, qd_image image) {
    telling *body = context;
    cast *job = body->job;
    // The images are visited where the walk over them begins; in the other copies there is nothing to do.
    if (!body->begun && (image.x != job->image.x || image.y != job->image.y)) return false;
    body->begun = true;
    const qdi_ray_line seen = ray_seen_from_copy(job, image);
    qd_ray_hit hit = {.body = body->body, .image = image};
    (void)qdi_ray_meets_box(&seen, body->box, &hit.at);
    if (!ray_is_hit(job, hit.body, image, &hit.at)) return true;
    body->going = job->visit(job->context, &hit);
    return false;
}

// Ray through the tree: visits the images of a body whose box the ray meets in the copy that is searched.
static bool ray_visit_body(cast *job, qd_box box, qd_body_index body) {
    if (ray_met_earlier_image(job, box)) return true;
    telling once = {job, box, body, false, true};
    (void)ray_walk_images(job, box, ray_visit_image, &once);
    return once.going;
}

// ---- the search of one copy

// Tests the body in a slot against the ray.
static bool ray_test_body(cast *job, qd_box box, size_t slot) {
    double at;
    if (!qdi_ray_meets_box(&job->here, box, &at)) return true;
    const qd_body_index body = job->tree->slots.index[slot];
    if (job->visit) return ray_visit_body(job, box, body);
    ray_keep_first(job, body, at);
    return true;
}

// Tests a node's list against the ray.
static bool ray_search_list(cast *job, const qdi_node *node) {
    double at;
    if (!qdi_ray_meets_box(&job->here, node->own, &at)) return true;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        if (!ray_test_body(job, qdi_slot_box(&job->tree->slots, s), s)) return false;
    }
    return true;
}

// Searches the subtrees of a family that the ray meets, in the order in which it does.
static bool ray_search_children(cast *job, qdi_family_index index) {
    const qdi_family *family = &job->tree->families[index];
    unsigned order[4];
    double at[4];
    unsigned count = 0;
    for (unsigned q = 0; q < 4; ++q) {
        double near;
        if (!qdi_ray_meets_box(&job->here, qdi_family_box(family, q), &near)) continue;
        unsigned place = count++;
        for (; place > 0 && at[place - 1] > near; --place) {
            at[place] = at[place - 1];
            order[place] = order[place - 1];
        }
        at[place] = near;
        order[place] = q;
    }
    for (unsigned i = 0; i < count && at[i] * QDI_RAY_NEARER <= job->here.most; ++i) {
        const qdi_node *node = &job->tree->nodes[4 * index + order[i]];
        if (!ray_search_list(job, node)) return false;
        if (!qdi_is_leaf(node) && !ray_search_children(job, node->children)) return false;
    }
    return true;
}

// Searches the tree over the root's list along the ray.
static bool ray_search_root_list(cast *job, qdi_root_list_node at) {
    const qdi_root_list *root_list = &job->tree->root_list;
    if (qdi_root_list_is_leaf(at)) {
        for (size_t i = at.begin; i < at.end; ++i) {
            if (!ray_test_body(job, root_list->box[i], root_list->order[i])) return false;
        }
        return true;
    }
    const qdi_root_list_node half[2] = {qdi_root_list_half(at, 0), qdi_root_list_half(at, 1)};
    double near[2];
    bool met[2];
    for (int h = 0; h < 2; ++h)
        met[h] = qdi_ray_meets_box(&job->here, root_list->bounds[half[h].at], &near[h]);
    const int first = met[0] && met[1] && near[1] < near[0];
    for (int h = 0; h < 2; ++h) {
        const int side = h ^ first;
        if (met[side] && near[side] * QDI_RAY_NEARER <= job->here.most &&
            !ray_search_root_list(job, half[side]))
            return false;
    }
    return true;
}

// Searches one periodic copy of the tree along the ray.
static bool ray_search_copy(void *context, qd_image image) {
    cast *job = context;
    const qd_tree *tree = job->tree;
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    job->image = image;
    job->here = ray_seen_from_copy(job, image);
    if (!(qdi_root_list_used(tree) ? ray_search_root_list(job, qdi_root_list_all(&tree->root_list))
                                   : ray_search_list(job, root)))
        return false;
    return qdi_is_leaf(root) || ray_search_children(job, root->children);
}

// ---- the calls

// Ray through the tree: true where a ray's numbers along an axis are usable.
static bool ray_axis_valid(double from, double step, double most, double period) {
    const double big = (double)FLT_MAX;
    if (!(fabs(from) <= big && fabs(step) <= big)) return false;
    const double furthest = FURTHEST_COPY * period;
    return period == 0.0 || (fabs(from) <= furthest && fabs(from + most * step) <= furthest);
}

/// Casts a ray through the tree.
static qd_status cast_ray(cast *job, const qd_ray *ray) {
    if (!(ray->most >= 0.0)) return QD_ERR_VALUE;
    const double most = ray->most < DBL_MAX ? ray->most : DBL_MAX;
    const qd_tree *tree = job->tree;
    if (!ray_axis_valid(ray->from.x, ray->step.x, most, tree->period.x) ||
        !ray_axis_valid(ray->from.y, ray->step.y, most, tree->period.y)) {
        return QD_ERR_VALUE;
    }
    job->whole = (qdi_ray_line){ray->from, ray->step, most};
    job->first = (qd_ray_hit){.at = most, .body = QD_NO_BODY};
    if (tree->count > 0)
        (void)ray_walk_images(job, qdi_family_box(&tree->families[0], 0), ray_search_copy, job);
    return QD_OK;
}

qd_status qd_tree_ray(const qd_tree *tree, const qd_ray *ray, qd_ray_test test, void *context,
                      qd_ray_hit *hit) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !ray || !hit) return QD_ERR_ARGUMENT;
    cast job = {.tree = tree, .test = test, .context = context};
    qd_status status = cast_ray(&job, ray);
    *hit = status == QD_OK && job.first.body != QD_NO_BODY ? job.first : (qd_ray_hit){.body = QD_NO_BODY};
    return status;
}

qd_status qd_tree_ray_all(const qd_tree *tree, const qd_ray *ray, qd_ray_test test, qd_ray_visit visit,
                          void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !ray || !visit) return QD_ERR_ARGUMENT;
    cast job = {.tree = tree, .test = test, .visit = visit, .context = context};
    return cast_ray(&job, ray);
}
