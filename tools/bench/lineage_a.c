// The clear-and-insert tree of the best known tutorial: every step it is cleared, all bodies are inserted one
// by one, and each body retrieves a list of candidates. An object that fits no quadrant stays with the
// parent.
#include "core/base/memory.h"
#include "tools/bench/lineage.h"

#include <math.h>
#include <string.h>

typedef struct node {
    double mid_x, mid_y, half;
    qdi_lineage_list objects;
    uint32_t children; ///< the first of four that lie side by side; 0: none
    uint32_t level;
} node;

typedef struct tree {
    qdi_lineage base;
    node *nodes; ///< QDI_LINEAGE_NODES of them; number 0 is the root
    uint32_t used;
    uint32_t spare; ///< first of four that were dropped; its `children` is the next such, 0 the end
} tree;

// Empties the published quadtree A.
static void a_clear(tree *t) {
    for (uint32_t i = 0; i < t->used; ++i) {
        t->nodes[i].objects.count = 0;
        t->nodes[i].children = 0;
    }
    t->used = 1;
    t->spare = 0;
}

/// Published quadtree A: four children and all below them, with what they hold.
static void drop(tree *t, uint32_t first) {
    for (uint32_t i = first; i < first + 4; ++i) {
        if (t->nodes[i].children != 0) drop(t, t->nodes[i].children);
        t->nodes[i].objects.count = 0;
        t->nodes[i].children = 0;
    }
    t->nodes[first].children = t->spare;
    t->spare = first;
}

/// As published: whole numbers, counted from the cell's lower left corner.
static void cut_to_whole(const node *parent, int quadrant, node *child) {
    const double half = floor(parent->half);
    child->half = 0.5 * half;
    child->mid_x = trunc(parent->mid_x - parent->half) + (quadrant == 0 || quadrant == 3 ? half : 0.0) +
                   child->half;
    child->mid_y = trunc(parent->mid_y - parent->half) + (quadrant < 2 ? half : 0.0) + child->half;
}

// Splits a node of the published quadtree A.
static void a_split(tree *t, uint32_t at) {
    node *parent = &t->nodes[at];
    if (parent->children != 0) drop(t, parent->children);
    if (t->spare != 0) {
        parent->children = t->spare;
        t->spare = t->nodes[t->spare].children;
        t->nodes[parent->children].children = 0;
    } else {
        parent->children = t->used;
        t->used += 4;
    }
    for (int q = 0; q < 4; ++q) {
        node *child = &t->nodes[parent->children + (uint32_t)q];
        // Mended: half sizes were cut to whole numbers, which left gaps.
        child->half = 0.5 * parent->half;
        child->mid_x = qdi_lineage_middle_x(parent->mid_x, parent->half, q);
        child->mid_y = qdi_lineage_middle_y(parent->mid_y, parent->half, q);
        if (t->base.faults & QDI_A_WHOLE_HALVES) cut_to_whole(parent, q, child);
        child->level = parent->level + 1;
    }
}

// Inserts a body into the published quadtree A.
static qd_status a_insert(tree *t, uint32_t at, uint32_t body) {
    const qd_box *boxes = t->base.bodies.boxes;
    node *n = &t->nodes[at];
    while (n->children != 0) {
        int q = qdi_lineage_quadrant(boxes[body], n->mid_x, n->mid_y);
        if (q < 0) break;
        n = &t->nodes[n->children + (uint32_t)q];
    }
    qd_status status = qdi_lineage_list_add(&n->objects, body);
    // Mended: a node that was split already was split again by what it had to keep, and lost its children.
    const bool splits = n->children == 0 || t->base.faults & QDI_A_SPLIT_AGAIN;
    if (n->objects.count <= QDI_LINEAGE_OBJECTS || n->level == QDI_LINEAGE_LEVELS || !splits) return status;
    a_split(t, (uint32_t)(n - t->nodes));
    for (size_t i = 0; status == QD_OK && i < n->objects.count;) {
        uint32_t object = n->objects.items[i];
        int q = qdi_lineage_quadrant(boxes[object], n->mid_x, n->mid_y);
        if (q < 0) {
            ++i;
            continue;
        }
        qdi_lineage_list_take(&n->objects, i);
        status = a_insert(t, n->children + (uint32_t)q, object);
    }
    return status;
}

/// Published quadtree A: copies the lists of every node that may hold something that overlaps the box.
static qd_status retrieve(tree *t, uint32_t at, qd_box box) {
    const node *n = &t->nodes[at];
    qd_status status = qdi_lineage_list_grow(&t->base.found, n->objects.count);
    if (status != QD_OK) return status;
    if (n->objects.count > 0)
        memcpy(t->base.found.items + t->base.found.count, n->objects.items,
               n->objects.count * sizeof *n->objects.items);
    t->base.found.count += n->objects.count;
    if (n->children == 0) return QD_OK;
    int q = qdi_lineage_quadrant(box, n->mid_x, n->mid_y);
    if (q >= 0) return retrieve(t, n->children + (uint32_t)q, box);
    if (t->base.faults & QDI_A_ONE_QUADRANT) return QD_OK;
    // Mended: a query that fits no quadrant saw nothing further down; it goes into each one that it reaches.
    const bool left = (double)box.min_x<n->mid_x, right = (double)box.max_x> n->mid_x;
    const bool lower = (double)box.min_y<n->mid_y, upper = (double)box.max_y> n->mid_y;
    const bool reached[4] = {upper && right, upper && left, lower && left, lower && right};
    for (uint32_t i = 0; status == QD_OK && i < 4; ++i)
        if (reached[i]) status = retrieve(t, n->children + i, box);
    return status;
}

// Finds all pairs with the published quadtree A.
static qd_status a_find_pairs(void *state) {
    tree *t = state;
    qd_status status = QD_OK;
    t->base.pairs.count = 0;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) {
        t->base.found.count = 0;
        status = retrieve(t, 0, t->base.bodies.boxes[i]);
        // Mended: an object was its own candidate; the test leaves it out.
        if (status == QD_OK)
            status = qdi_lineage_test(&t->base, i, &t->base.found, t->base.faults & QDI_A_SELF);
    }
    return status;
}

// Builds the published quadtree A anew.
static qd_status a_rebuild(void *state) {
    tree *t = state;
    a_clear(t);
    qd_status status = QD_OK;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) status = a_insert(t, 0, i);
    return status;
}

// Bytes that the published quadtree A holds.
static size_t a_bytes(const void *state) {
    const tree *t = state;
    size_t bytes = QDI_LINEAGE_NODES * sizeof *t->nodes;
    for (size_t i = 0; i < QDI_LINEAGE_NODES; ++i) bytes += t->nodes[i].objects.room * sizeof(uint32_t);
    return bytes;
}

// Frees the published quadtree A.
static void a_end(void *state) {
    tree *t = state;
    for (size_t i = 0; t->nodes && i < QDI_LINEAGE_NODES; ++i) qdi_lineage_list_free(&t->nodes[i].objects);
    qdi_release(qd_allocator_default(), t->nodes, QDI_LINEAGE_NODES, sizeof *t->nodes);
}

// Allocates the published quadtree A.
static qd_status a_begin(void *state) {
    tree *t = state;
    t->nodes = qdi_allocate(qd_allocator_default(), QDI_LINEAGE_NODES, sizeof *t->nodes);
    if (!t->nodes) return QD_ERR_MEMORY;
    memset(t->nodes, 0, QDI_LINEAGE_NODES * sizeof *t->nodes);
    t->nodes[0].half = t->base.bodies.half;
    t->used = 1;
    return QD_OK;
}

static const qdi_lineage_kind kind = {sizeof(tree), a_begin, a_rebuild, a_find_pairs, a_bytes, a_end};

// Makes the method `lineage-a` of the bench.
static qd_status a_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state) {
    return qdi_lineage_create(&kind, options->faults, bodies, state);
}

// Makes the published quadtree A with all its faults.
static qd_status a_published_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options,
                                    void **state) {
    (void)options;
    return qdi_lineage_create(&kind, QDI_A_FAULTS, bodies, state);
}

const qdi_bench_method qdi_bench_published = {
    .name = "published-a",
    .about = "lineage-a with the faults that were published",
    .parallel = false,
    .published = true,
    .most_bodies = 100000,
    .create = a_published_create,
    .step = qdi_lineage_step,
    .destroy = qdi_lineage_destroy,
};

const qdi_bench_method qdi_bench_lineage_a = {
    .name = "lineage-a",
    .about = "clear and insert: 10 objects per node, 5 levels; one retrieve per body",
    .parallel = false,
    .most_bodies = 100000, // with five levels the cost per body grows with their number
    .create = a_create,
    .step = qdi_lineage_step,
    .destroy = qdi_lineage_destroy,
};
