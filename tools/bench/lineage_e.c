// The ball pool's point quadtree: four points per node, which keeps them when it is divided, built anew each
// step; every ball asks for the points in a rectangle around it.
#include "core/base/memory.h"
#include "tools/bench/lineage.h"

#include <math.h>

#define CAPACITY 4
#define LEVELS   32 // enough to part any two points that are not all but coincident

typedef struct point {
    double x, y;
    uint32_t body;
} point;

typedef struct node {
    double mid_x, mid_y, half;
    uint32_t count, level;
    uint32_t children; ///< the first of four that lie side by side; 0: none
    uint32_t more;     ///< the node that goes on with the points of this one, at the last level; 0: none
    point points[CAPACITY];
} node;

/// A rectangle to look into, in float64.
typedef struct range {
    double min_x, min_y, max_x, max_y;
} range;

typedef struct tree {
    qdi_lineage base;
    node *nodes; ///< number 0 is the root
    size_t used, room;
} tree;

/// Published quadtree E: adds `more` nodes; their indices begin at *first. Pointers to nodes are no longer
/// valid then.
static qd_status add_nodes(tree *t, uint32_t more, uint32_t *first) {
    qd_status status = qdi_reserve(qd_allocator_default(), &t->nodes, &t->room, t->used, t->used + more,
                                   sizeof *t->nodes);
    if (status != QD_OK) return status;
    *first = (uint32_t)t->used;
    t->used += more;
    return QD_OK;
}

// Starts a node of the published quadtree E.
static void e_start_node(node *n, double mid_x, double mid_y, double half, uint32_t level) {
    n->mid_x = mid_x;
    n->mid_y = mid_y;
    n->half = half;
    n->count = 0;
    n->level = level;
    n->children = 0;
    n->more = 0;
}

// Divides a node of the published quadtree E.
static qd_status e_divide(tree *t, uint32_t at) {
    uint32_t first = 0;
    qd_status status = add_nodes(t, 4, &first);
    if (status != QD_OK) return status;
    node *parent = &t->nodes[at];
    for (int q = 0; q < 4; ++q)
        e_start_node(&t->nodes[first + (uint32_t)q], qdi_lineage_middle_x(parent->mid_x, parent->half, q),
                     qdi_lineage_middle_y(parent->mid_y, parent->half, q), 0.5 * parent->half,
                     parent->level + 1);
    parent->children = first;
    return QD_OK;
}

/// Published quadtree E: mended: points that coincide divided nodes for ever. At the last level a node goes
/// on in another one.
static qd_status go_on(tree *t, uint32_t at) {
    uint32_t first = 0;
    qd_status status = add_nodes(t, 1, &first);
    if (status != QD_OK) return status;
    const node *n = &t->nodes[at];
    e_start_node(&t->nodes[first], n->mid_x, n->mid_y, n->half, n->level);
    // Next to the first of its line, so that a new point need not follow the whole line.
    t->nodes[first].more = n->more;
    t->nodes[at].more = first;
    return QD_OK;
}

/// Published quadtree E: mended: a point on a border went into several children; here the upper and the right
/// one have it. No cell is asked whether it contains the point, so one outside the world goes where its
/// direction lies.
static uint32_t child_of(const node *n, double x, double y) {
    bool right = x >= n->mid_x, upper = y >= n->mid_y;
    return n->children + (upper ? (right ? 0 : 1) : (right ? 3 : 2));
}

// Inserts a body into the published quadtree E.
static qd_status e_insert(tree *t, uint32_t body) {
    const double x = t->base.bodies.x[body], y = t->base.bodies.y[body];
    uint32_t at = 0;
    while (t->nodes[at].count == CAPACITY) {
        const node *n = &t->nodes[at];
        qd_status status = QD_OK;
        if (n->level < LEVELS) {
            if (n->children == 0) status = e_divide(t, at);
            if (status != QD_OK) return status;
            at = child_of(&t->nodes[at], x, y);
        } else {
            if (n->more == 0 || t->nodes[n->more].count == CAPACITY) status = go_on(t, at);
            if (status != QD_OK) return status;
            at = t->nodes[at].more;
        }
    }
    node *n = &t->nodes[at];
    n->points[n->count++] = (point){x, y, body};
    return QD_OK;
}

// Builds the published quadtree E.
static qd_status e_build(void *state) {
    tree *t = state;
    uint32_t root = 0;
    t->used = 0;
    qd_status status = add_nodes(t, 1, &root);
    if (status != QD_OK) return status;
    e_start_node(&t->nodes[0], 0.0, 0.0, t->base.bodies.half, 0);
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) status = e_insert(t, i);
    return status;
}

/// Published quadtree E: adds every point in the range to what was found.
static qd_status look(tree *t, uint32_t at, range r) {
    const node *n = &t->nodes[at];
    qd_status status = QD_OK;
    for (const node *line = n;; line = &t->nodes[line->more]) {
        t->base.tests += line->count;
        for (uint32_t i = 0; status == QD_OK && i < line->count; ++i) {
            point p = line->points[i];
            if (p.x >= r.min_x && p.x <= r.max_x && p.y >= r.min_y && p.y <= r.max_y)
                status = qdi_lineage_list_add(&t->base.found, p.body);
        }
        if (line->more == 0) break;
    }
    if (n->children == 0) return status;
    const bool left = r.min_x < n->mid_x, right = r.max_x >= n->mid_x;
    const bool lower = r.min_y < n->mid_y, upper = r.max_y >= n->mid_y;
    const bool reached[4] = {upper && right, upper && left, lower && left, lower && right};
    for (uint32_t i = 0; status == QD_OK && i < 4; ++i)
        if (reached[i]) status = look(t, n->children + i, r);
    return status;
}

/// Published quadtree E: how far the box of any body reaches from its centre, a little more for the rounding
/// of sums with it.
static double largest_reach(const qdi_lineage_bodies *bodies) {
    double reach = 0.0, far = 0.0;
    for (size_t i = 0; i < bodies->count; ++i) {
        const qd_box box = bodies->boxes[i];
        const double x = fmax(bodies->x[i] - (double)box.min_x, (double)box.max_x - bodies->x[i]);
        const double y = fmax(bodies->y[i] - (double)box.min_y, (double)box.max_y - bodies->y[i]);
        const double longer = fmax(x, y), farther = fmax(fabs(bodies->x[i]), fabs(bodies->y[i]));
        if (longer > reach) reach = longer; // gcc 12 for AArch64 fails on fmax in these two
        if (farther > far) far = farther;
    }
    return reach + (reach + far) * 0x1p-40;
}

/// Published quadtree E: mended: balls are points in the tree, so what overlaps a ball may have its point
/// outside the ball's rectangle. It is widened by the largest radius. A query outside the world finds an
/// empty list, not nothing at all.
static qd_status find_pairs(void *state) {
    tree *t = state;
    const double reach = t->base.faults & QDI_E_NOT_WIDENED ? 0.0 : largest_reach(&t->base.bodies);
    qd_status status = QD_OK;
    t->base.pairs.count = 0;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) {
        const qd_box box = t->base.bodies.boxes[i];
        const range r = {(double)box.min_x - reach, (double)box.min_y - reach, (double)box.max_x + reach,
                         (double)box.max_y + reach};
        t->base.found.count = 0;
        status = look(t, 0, r);
        if (status == QD_OK) status = qdi_lineage_test(&t->base, i, &t->base.found, false);
    }
    return status;
}

// Bytes that the published quadtree E holds.
static size_t e_bytes(const void *state) {
    const tree *t = state;
    return t->room * sizeof *t->nodes;
}

// Frees the published quadtree E.
static void e_end(void *state) {
    tree *t = state;
    qdi_release(qd_allocator_default(), t->nodes, t->room, sizeof *t->nodes);
}

// Allocates nothing yet: the published quadtree E grows as it is built.
static qd_status e_begin(void *state) {
    (void)state;
    return QD_OK;
}

static const qdi_lineage_kind kind = {sizeof(tree), e_begin, e_build, find_pairs, e_bytes, e_end};

// Makes the method `lineage-e` of the bench.
static qd_status e_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state) {
    return qdi_lineage_create(&kind, options->faults, bodies, state);
}

const qdi_bench_method qdi_bench_lineage_e = {
    .name = "lineage-e",
    .about = "a tree of points, 4 per node, built anew in each step",
    .parallel = false,
    .most_bodies = 1000000,
    .create = e_create,
    .step = qdi_lineage_step,
    .destroy = qdi_lineage_destroy,
};
