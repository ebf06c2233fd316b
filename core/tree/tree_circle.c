// Finds the bodies in a circle. Only reads, so any number of threads may call it at once.
#include "core/base/arithmetic.h"
#include "core/tree/near_point.h"
#include "core/tree/root_list.h"

typedef struct circle {
    const qd_tree *tree;
    qdi_near_point origin;
    double radius;
    unsigned copy; // that is searched
    qd_near_visit visit;
    void *context;
} circle;

// Tree's query by circle: true where bounds cannot be passed over: a body in them may be as near as the
// radius.
static bool circle_reaches_bounds(const circle *job, qd_box bounds) {
    return qdi_near_point_to_box(&job->origin, job->copy, bounds) * QDI_NEAR_POINT_NEARER <= job->radius;
}

// Tree's query by circle: visits a body where it is within the radius.
static bool circle_test_body(const circle *job, qd_box box, size_t slot) {
    if (!circle_reaches_bounds(job, box)) return true;
    qd_near near;
    if (!qdi_near_point_measure(&job->origin, job->copy, box, job->tree->slots.index[slot], job->radius,
                                &near))
        return true;
    return job->visit(job->context, &near);
}

// Searches a node's list for bodies in the circle.
static bool circle_search_list(const circle *job, const qdi_node *node) {
    if (!circle_reaches_bounds(job, node->own)) return true;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        if (!circle_test_body(job, qdi_slot_box(&job->tree->slots, s), s)) return false;
    }
    return true;
}

// Searches the subtrees of a family for bodies in the circle.
static bool circle_search_children(const circle *job, qdi_family_index index) {
    const qdi_family *family = &job->tree->families[index];
    for (unsigned q = 0; q < 4; ++q) {
        if (!circle_reaches_bounds(job, qdi_family_box(family, q))) continue;
        const qdi_node *node = &job->tree->nodes[4 * index + q];
        if (!circle_search_list(job, node)) return false;
        if (!qdi_is_leaf(node) && !circle_search_children(job, node->children)) return false;
    }
    return true;
}

// Searches the tree over the root's list for bodies in the circle.
static bool circle_search_root_list(const circle *job, qdi_root_list_node at) {
    const qdi_root_list *root_list = &job->tree->root_list;
    if (!circle_reaches_bounds(job, root_list->bounds[at.at])) return true;
    if (!qdi_root_list_is_leaf(at))
        return circle_search_root_list(job, qdi_root_list_half(at, 0)) &&
               circle_search_root_list(job, qdi_root_list_half(at, 1));
    for (size_t i = at.begin; i < at.end; ++i) {
        if (!circle_test_body(job, root_list->box[i], root_list->order[i])) return false;
    }
    return true;
}

// Searches one periodic copy of the tree for bodies in the circle.
static bool circle_search_copy(const circle *job) {
    const qd_tree *tree = job->tree;
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    if (!circle_reaches_bounds(job, qdi_family_box(&tree->families[0], 0))) return true;
    if (!(qdi_root_list_used(tree) ? circle_search_root_list(job, qdi_root_list_all(&tree->root_list))
                                   : circle_search_list(job, root)))
        return false;
    return qdi_is_leaf(root) || circle_search_children(job, root->children);
}

qd_status qd_tree_circle(const qd_tree *tree, qd_vec2 point, double radius, qd_distance_test distance,
                         qd_near_visit visit, void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !visit) return QD_ERR_ARGUMENT;
    circle job = {.tree = tree, .visit = visit, .context = context};
    if (!(radius >= 0.0) || !qdi_near_point_init(&job.origin, tree, point, distance, context))
        return QD_ERR_VALUE;
    job.radius = radius < DBL_MAX ? radius : DBL_MAX; // bounds of nothing are infinitely far
    for (job.copy = 0; job.copy < job.origin.copies; ++job.copy) {
        if (!circle_search_copy(&job)) return QD_OK;
    }
    return QD_OK;
}
