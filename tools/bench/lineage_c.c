// Tree A with optimizations: each object remembers its path (two bits per level) and its node, and is filed
// again only when the path changes; retrieve follows the parents' pointers and hands out the nodes' own lists
// instead of copies. It looks upward only: a pair whose bodies lie at different levels is found by the deeper
// of the two.
//
// Of the original's eight optimizations four are left out, for they lost pairs: skipping an object that was
// hit already (A-B hid B-C), looking at two or three levels only (it missed large bodies), and skipping the
// other half of an ancestor's list and inserting along the old path (both went by quadrants that were stale
// or partial).
#include "core/base/memory.h"
#include "tools/bench/lineage.h"

#include <string.h>

typedef struct node {
    double mid_x, mid_y, half;
    qdi_lineage_list objects;
    uint32_t parent;   ///< the root is its own
    uint32_t children; ///< the first of four that lie side by side; 0: none
    uint32_t level;
} node;

/// The node of an object that was dropped.
#define NOWHERE UINT32_MAX

/// What an object remembers.
typedef struct place {
    uint32_t path; ///< Mended: paths of different length could share a code, so each begins with a one.
    uint32_t node;
    uint32_t slot; ///< in the node's list
    bool hit;      ///< of those that are skipped then
} place;

typedef struct tree {
    qdi_lineage base;
    place *places; ///< by body
    node *nodes;   ///< QDI_LINEAGE_NODES of them; number 0 is the root
    uint32_t used;
} tree;

/// Published quadtree C: the quadrants that hold the box, from the root down, as far as a tree may go.
static uint32_t path_of(double half, qd_box box) {
    uint32_t path = 1;
    double mid_x = 0.0, mid_y = 0.0;
    for (int level = 0; level < QDI_LINEAGE_LEVELS; ++level) {
        int q = qdi_lineage_quadrant(box, mid_x, mid_y);
        if (q < 0) break;
        path = path << 2 | (uint32_t)q;
        mid_x = qdi_lineage_middle_x(mid_x, half, q);
        mid_y = qdi_lineage_middle_y(mid_y, half, q);
        half *= 0.5;
    }
    return path;
}

/// Published quadtree C: the quadrant that a path takes at a level; -1 where it has ended.
static int path_turn(uint32_t path, uint32_t level) {
    uint32_t length = 0;
    while (path >> (2 * length) > 1) ++length;
    return level < length ? (int)(path >> 2 * (length - 1 - level) & 3) : -1;
}

// Splits a node of the published quadtree C.
static void c_split(tree *t, uint32_t at) {
    node *parent = &t->nodes[at];
    parent->children = t->used;
    t->used += 4;
    for (int q = 0; q < 4; ++q) {
        node *child = &t->nodes[parent->children + (uint32_t)q];
        child->half = 0.5 * parent->half;
        child->mid_x = qdi_lineage_middle_x(parent->mid_x, parent->half, q);
        child->mid_y = qdi_lineage_middle_y(parent->mid_y, parent->half, q);
        child->parent = at;
        child->level = parent->level + 1;
    }
}

// Takes a body out of the published quadtree C.
static void c_remove(tree *t, uint32_t body) {
    place p = t->places[body];
    if (p.node == NOWHERE) return;
    qdi_lineage_list *objects = &t->nodes[p.node].objects;
    qdi_lineage_list_take(objects, p.slot);
    if (p.slot < objects->count) t->places[objects->items[p.slot]].slot = p.slot;
}

// Inserts a body into the published quadtree C.
static qd_status c_insert(tree *t, uint32_t at, uint32_t body) {
    node *n = &t->nodes[at];
    while (n->children != 0) {
        // Mended: an object on a middle line of a split node was dropped; it stays with the node.
        int q = path_turn(t->places[body].path, n->level);
        if (q < 0 && t->base.faults & QDI_C_DROPPED) {
            t->places[body].node = NOWHERE;
            return QD_OK;
        }
        if (q < 0) break;
        n = &t->nodes[n->children + (uint32_t)q];
    }
    at = (uint32_t)(n - t->nodes);
    t->places[body].node = at;
    t->places[body].slot = (uint32_t)n->objects.count;
    qd_status status = qdi_lineage_list_add(&n->objects, body);
    if (n->objects.count <= QDI_LINEAGE_OBJECTS || n->level == QDI_LINEAGE_LEVELS || n->children != 0)
        return status;
    c_split(t, at);
    for (size_t i = 0; status == QD_OK && i < n->objects.count;) {
        uint32_t object = n->objects.items[i];
        int q = path_turn(t->places[object].path, n->level);
        if (q < 0) {
            ++i;
            continue;
        }
        c_remove(t, object);
        status = c_insert(t, n->children + (uint32_t)q, object);
    }
    return status;
}

/// A path as published, without the one in front.
static uint32_t code_of(uint32_t path) {
    uint32_t one = 1;
    while (path >> 2 >= one) one <<= 2;
    return path - one;
}

// Brings the published quadtree C up to date.
static qd_status c_refresh(void *state) {
    tree *t = state;
    qd_status status = QD_OK;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) {
        uint32_t path = path_of(t->base.bodies.half, t->base.bodies.boxes[i]);
        if (path == t->places[i].path) continue;
        if (t->base.faults & QDI_C_SHARED_CODE && code_of(path) == code_of(t->places[i].path)) continue;
        c_remove(t, i);
        t->places[i].path = path;
        status = c_insert(t, 0, i);
    }
    return status;
}

/// Published quadtree C: the body's node and all above it, whose lists are what is asked for; returns their
/// number.
static size_t retrieve(const tree *t, uint32_t body, uint32_t nodes[QDI_LINEAGE_LEVELS + 1]) {
    size_t count = 0;
    uint32_t at = t->places[body].node;
    if (at == NOWHERE) return 0;
    for (; at != 0; at = t->nodes[at].parent) nodes[count++] = at;
    nodes[count++] = 0;
    return count;
}

/// As published: of a list above only what has its middle in the half (left or right) in which the body lies.
static qd_status keep_half(tree *t, uint32_t self, double mid_x, const qdi_lineage_list *from) {
    const qdi_lineage_bodies *bodies = &t->base.bodies;
    qd_status status = QD_OK;
    t->base.found.count = 0;
    for (size_t i = 0; status == QD_OK && i < from->count; ++i)
        if ((bodies->x[from->items[i]] < mid_x) == (bodies->x[self] < mid_x))
            status = qdi_lineage_list_add(&t->base.found, from->items[i]);
    return status;
}

/// Published quadtree C: the pairs of a body with those of its own node's list that come after it, and with
/// all of the nodes above, where nobody asks for anything below.
static qd_status pairs_of(tree *t, uint32_t self) {
    const unsigned faults = t->base.faults;
    uint32_t nodes[QDI_LINEAGE_LEVELS + 1];
    size_t count = retrieve(t, self, nodes);
    if (faults & QDI_C_TWO_LEVELS && count > 2) count = 2;
    qd_status status = QD_OK;
    for (size_t j = 0; status == QD_OK && j < count; ++j) {
        const node *n = &t->nodes[nodes[j]];
        const bool halved = faults & QDI_C_OTHER_HALF && j > 0;
        if (halved) status = keep_half(t, self, n->mid_x, &n->objects);
        if (status == QD_OK)
            status = qdi_lineage_test(&t->base, self, halved ? &t->base.found : &n->objects, j > 0);
    }
    return status;
}

// Finds all pairs with the published quadtree C.
static qd_status c_find_pairs(void *state) {
    tree *t = state;
    const qdi_lineage_pairs *pairs = &t->base.pairs;
    const bool skips = t->base.faults & QDI_C_SKIP_HIT;
    qd_status status = QD_OK;
    t->base.pairs.count = 0;
    for (uint32_t i = 0; i < t->base.bodies.count; ++i) t->places[i].hit = false;
    for (uint32_t i = 0; status == QD_OK && i < t->base.bodies.count; ++i) {
        size_t before = pairs->count;
        if (skips && t->places[i].hit) continue;
        status = pairs_of(t, i);
        for (; skips && before < pairs->count; ++before) t->places[pairs->items[before].b].hit = true;
    }
    return status;
}

// Bytes that the published quadtree C holds.
static size_t c_bytes(const void *state) {
    const tree *t = state;
    size_t bytes = QDI_LINEAGE_NODES * sizeof *t->nodes + t->base.bodies.count * sizeof *t->places;
    for (size_t i = 0; i < QDI_LINEAGE_NODES; ++i) bytes += t->nodes[i].objects.room * sizeof(uint32_t);
    return bytes;
}

// Frees the published quadtree C.
static void c_end(void *state) {
    tree *t = state;
    for (size_t i = 0; t->nodes && i < QDI_LINEAGE_NODES; ++i) qdi_lineage_list_free(&t->nodes[i].objects);
    qdi_release(qd_allocator_default(), t->nodes, QDI_LINEAGE_NODES, sizeof *t->nodes);
    qdi_release(qd_allocator_default(), t->places, t->base.bodies.count, sizeof *t->places);
}

// Allocates the published quadtree C.
static qd_status c_begin(void *state) {
    tree *t = state;
    t->nodes = qdi_allocate(qd_allocator_default(), QDI_LINEAGE_NODES, sizeof *t->nodes);
    if (!t->nodes) return QD_ERR_MEMORY;
    memset(t->nodes, 0, QDI_LINEAGE_NODES * sizeof *t->nodes);
    t->nodes[0].half = t->base.bodies.half;
    t->used = 1;
    size_t count = t->base.bodies.count;
    t->places = qdi_allocate(qd_allocator_default(), count, sizeof *t->places);
    qd_status status = t->places || count == 0 ? QD_OK : QD_ERR_MEMORY;
    for (uint32_t i = 0; status == QD_OK && i < count; ++i) {
        t->places[i].path = path_of(t->base.bodies.half, t->base.bodies.boxes[i]);
        status = c_insert(t, 0, i);
    }
    return status;
}

static const qdi_lineage_kind kind = {sizeof(tree), c_begin, c_refresh, c_find_pairs, c_bytes, c_end};

// Makes the method `lineage-c` of the bench.
static qd_status c_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state) {
    return qdi_lineage_create(&kind, options->faults, bodies, state);
}

const qdi_bench_method qdi_bench_lineage_c = {
    .name = "lineage-c",
    .about = "remembered paths, parent pointers, lists not copied",
    .parallel = false,
    .most_bodies = 100000, // with five levels the cost per body grows with their number
    .create = c_create,
    .step = qdi_lineage_step,
    .destroy = qdi_lineage_destroy,
};
