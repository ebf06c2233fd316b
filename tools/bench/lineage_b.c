// Tree A refreshed instead of rebuilt: a walk over all nodes takes out what left its node and inserts it
// again from the root, and pushes down what now fits a child. A query that spans quadrants is carved along
// the middle lines.
#include "core/base/memory.h"
#include "tools/bench/lineage.h"

#include <math.h>
#include <string.h>

/// In float64, for pieces end on middle lines.
typedef struct area {
    double min_x, min_y, max_x, max_y;
} area;

typedef struct node {
    double mid_x, mid_y, half;
    area bounds; ///< without end where the world ends, so that a body outside belongs somewhere, too
    qdi_lineage_list objects;
    uint32_t children; ///< the first of four that lie side by side; 0: none
    uint32_t level;
} node;

typedef struct tree {
    qdi_lineage base;
    node *nodes;    ///< QDI_LINEAGE_NODES of them; number 0 is the root
    uint32_t used;  ///< taken from the array so far
    uint32_t spare; ///< first of four that were given back; its `children` is the next such, 0 the end
    qdi_lineage_list leavers;
} tree;

/// Published quadtree B: the part of an area that lies in a quadrant of node n; false where there is none.
static bool carve(const node *n, area from, int quadrant, area *piece) {
    *piece = from;
    if (quadrant == 0 || quadrant == 3)
        piece->min_x = from.min_x > n->mid_x ? from.min_x : n->mid_x;
    else
        piece->max_x = from.max_x < n->mid_x ? from.max_x : n->mid_x;
    if (quadrant < 2)
        piece->min_y = from.min_y > n->mid_y ? from.min_y : n->mid_y;
    else
        piece->max_y = from.max_y < n->mid_y ? from.max_y : n->mid_y;
    return piece->min_x <= piece->max_x && piece->min_y <= piece->max_y;
}

// Splits a node of the published quadtree B.
static void b_split(tree *t, node *parent) {
    if (t->spare != 0) {
        parent->children = t->spare;
        t->spare = t->nodes[t->spare].children;
    } else {
        parent->children = t->used;
        t->used += 4;
    }
    for (int q = 0; q < 4; ++q) {
        node *child = &t->nodes[parent->children + (uint32_t)q];
        child->half = 0.5 * parent->half;
        child->mid_x = qdi_lineage_middle_x(parent->mid_x, parent->half, q);
        child->mid_y = qdi_lineage_middle_y(parent->mid_y, parent->half, q);
        (void)carve(parent, parent->bounds, q, &child->bounds);
        child->children = 0;
        child->level = parent->level + 1;
    }
}

// Inserts a body into the published quadtree B.
static qd_status b_insert(tree *t, uint32_t at, uint32_t body) {
    const qd_box *boxes = t->base.bodies.boxes;
    node *n = &t->nodes[at];
    while (n->children != 0) {
        int q = qdi_lineage_quadrant(boxes[body], n->mid_x, n->mid_y);
        if (q < 0) break;
        n = &t->nodes[n->children + (uint32_t)q];
    }
    qd_status status = qdi_lineage_list_add(&n->objects, body);
    if (n->objects.count <= QDI_LINEAGE_OBJECTS || n->level == QDI_LINEAGE_LEVELS || n->children != 0)
        return status;
    b_split(t, n);
    for (size_t i = 0; status == QD_OK && i < n->objects.count;) {
        uint32_t object = n->objects.items[i];
        int q = qdi_lineage_quadrant(boxes[object], n->mid_x, n->mid_y);
        if (q < 0) {
            ++i;
            continue;
        }
        qdi_lineage_list_take(&n->objects, i);
        status = b_insert(t, n->children + (uint32_t)q, object);
    }
    return status;
}

/// Published quadtree B: true while a box keeps clear of the lines around its node, as it did when it was
/// filed there.
static bool holds(const node *n, qd_box box) {
    return (double)box.min_x > n->bounds.min_x && (double)box.max_x < n->bounds.max_x &&
           (double)box.min_y > n->bounds.min_y && (double)box.max_y < n->bounds.max_y;
}

/// Published quadtree B: mended: nodes that ran empty stayed for ever. Four empty children without children
/// go back.
static void merge(tree *t, node *n) {
    for (uint32_t i = 0; i < 4; ++i) {
        const node *child = &t->nodes[n->children + i];
        if (child->children != 0 || child->objects.count > 0) return;
    }
    t->nodes[n->children].children = t->spare;
    t->spare = n->children;
    n->children = 0;
}

// Takes bodies that left their nodes out of the published quadtree B.
static qd_status b_walk(tree *t, uint32_t at) {
    node *n = &t->nodes[at];
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < n->objects.count;) {
        uint32_t body = n->objects.items[i];
        const qd_box box = t->base.bodies.boxes[body];
        if (!holds(n, box)) {
            qdi_lineage_list_take(&n->objects, i);
            // Inserted after the walk: what is inserted during it may be met twice.
            status = qdi_lineage_list_add(&t->leavers, body);
            continue;
        }
        int q = n->children == 0 ? -1 : qdi_lineage_quadrant(box, n->mid_x, n->mid_y);
        if (q < 0) { // Mended: -1 was taken for the number of a child.
            ++i;
            continue;
        }
        qdi_lineage_list_take(&n->objects, i);
        status = b_insert(t, n->children + (uint32_t)q, body);
    }
    if (n->children == 0) return status;
    for (uint32_t i = 0; status == QD_OK && i < 4; ++i) status = b_walk(t, n->children + i);
    if (status == QD_OK) merge(t, n);
    return status;
}

// Brings the published quadtree B up to date.
static qd_status b_refresh(void *state) {
    tree *t = state;
    t->leavers.count = 0;
    qd_status status = b_walk(t, 0);
    for (size_t i = 0; status == QD_OK && i < t->leavers.count; ++i)
        status = b_insert(t, 0, t->leavers.items[i]);
    return status;
}

/// Published quadtree B: mended: the pieces were computed, but the whole query went on, which also made
/// duplicates; and what was found was lost in a misspelt variable. A piece goes into its own quadrant alone,
/// so that no node is met twice.
static qd_status retrieve(tree *t, uint32_t at, area query) {
    const node *n = &t->nodes[at];
    qd_status status = qdi_lineage_list_grow(&t->base.found, n->objects.count);
    if (status != QD_OK) return status;
    if (n->objects.count > 0)
        memcpy(t->base.found.items + t->base.found.count, n->objects.items,
               n->objects.count * sizeof *n->objects.items);
    t->base.found.count += n->objects.count;
    if (t->base.faults & QDI_B_LOST_BELOW) return status;
    for (int q = 0; n->children != 0 && status == QD_OK && q < 4; ++q) {
        area piece;
        if (carve(n, query, q, &piece)) status = retrieve(t, n->children + (uint32_t)q, piece);
    }
    return status;
}

// Finds all pairs with the published quadtree B.
static qd_status b_find_pairs(void *state) {
    tree *t = state;
    qd_status status = QD_OK;
    t->base.pairs.count = 0;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) {
        const qd_box box = t->base.bodies.boxes[i];
        const area query = {(double)box.min_x, (double)box.min_y, (double)box.max_x, (double)box.max_y};
        t->base.found.count = 0;
        status = retrieve(t, 0, query);
        if (status == QD_OK) status = qdi_lineage_test(&t->base, i, &t->base.found, false);
    }
    return status;
}

// Bytes that the published quadtree B holds.
static size_t b_bytes(const void *state) {
    const tree *t = state;
    size_t bytes = QDI_LINEAGE_NODES * sizeof *t->nodes + t->leavers.room * sizeof(uint32_t);
    for (size_t i = 0; i < QDI_LINEAGE_NODES; ++i) bytes += t->nodes[i].objects.room * sizeof(uint32_t);
    return bytes;
}

// Frees the published quadtree B.
static void b_end(void *state) {
    tree *t = state;
    for (size_t i = 0; t->nodes && i < QDI_LINEAGE_NODES; ++i) qdi_lineage_list_free(&t->nodes[i].objects);
    qdi_release(qd_allocator_default(), t->nodes, QDI_LINEAGE_NODES, sizeof *t->nodes);
    qdi_lineage_list_free(&t->leavers);
}

// Allocates the published quadtree B.
static qd_status b_begin(void *state) {
    tree *t = state;
    t->nodes = qdi_allocate(qd_allocator_default(), QDI_LINEAGE_NODES, sizeof *t->nodes);
    if (!t->nodes) return QD_ERR_MEMORY;
    memset(t->nodes, 0, QDI_LINEAGE_NODES * sizeof *t->nodes);
    t->nodes[0].half = t->base.bodies.half;
    t->used = 1;
    t->nodes[0].bounds = (area){-(double)INFINITY, -(double)INFINITY, (double)INFINITY, (double)INFINITY};
    qd_status status = QD_OK;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) status = b_insert(t, 0, i);
    return status;
}

static const qdi_lineage_kind kind = {sizeof(tree), b_begin, b_refresh, b_find_pairs, b_bytes, b_end};

// Makes the method `lineage-b` of the bench.
static qd_status b_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state) {
    return qdi_lineage_create(&kind, options->faults, bodies, state);
}

const qdi_bench_method qdi_bench_lineage_b = {
    .name = "lineage-b",
    .about = "refresh instead of rebuild; queries carved along the middle lines",
    .parallel = false,
    .most_bodies = 100000, // with five levels the cost per body grows with their number
    .create = b_create,
    .step = qdi_lineage_step,
    .destroy = qdi_lineage_destroy,
};
