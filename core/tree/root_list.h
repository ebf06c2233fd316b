#ifndef QD_CORE_OUTER_H
#define QD_CORE_OUTER_H

#include "core/tree/tree_impl.h"

/// The root's list holds what no cell can: bodies outside the root and bodies longer than it, as many as
/// there may be. So that they do not make searches quadratic, a list of more than QDI_OUTER_MIN is put in a
/// tree of bounding boxes: the list, ordered by repeated halving at the median of the longer axis of the
/// centres, and a complete binary tree of bounds over it.

enum { QDI_OUTER_MIN = 64, QDI_OUTER_LEAF = 8 };

/// True where the root's list is to be searched through this order, not slot by slot.
static inline bool qdi_outer_used(const qd_tree *tree) {
    return tree->outer.count > 0;
}

/// A bounding node: outer->bounds[at] bounds places [begin, end) of the order.
typedef struct qdi_outer_node {
    size_t at, begin, end;
} qdi_outer_node;

/// The node of all places.
static inline qdi_outer_node qdi_outer_all(const qdi_outer *outer) {
    return (qdi_outer_node){0, 0, outer->count};
}

static inline bool qdi_outer_is_leaf(qdi_outer_node node) {
    return node.end - node.begin <= QDI_OUTER_LEAF;
}

/// One of the two nodes (0, 1) below a node that is no leaf.
static inline qdi_outer_node qdi_outer_half(qdi_outer_node node, unsigned half) {
    const size_t middle = node.begin + (node.end - node.begin) / 2;
    return half == 0 ? (qdi_outer_node){2 * node.at + 1, node.begin, middle}
                     : (qdi_outer_node){2 * node.at + 2, middle, node.end};
}

void qdi_outer_release(qdi_outer *outer, const qd_allocator *allocator);
size_t qdi_outer_bytes(const qdi_outer *outer);

/// Orders the root's list. Cost m log m for m bodies.
QD_MUST_USE qd_status qdi_outer_build(qd_tree *tree);

/// Called with places p in outer->order; returns false to stop.
typedef bool (*qdi_outer_visit)(void *context, size_t place);

/// Every place >= `from` of the order whose box, moved by `shift` (whole periods, see qdi_shift_overlap),
/// overlaps `box`. Returns false when the visit stopped.
bool qdi_outer_search(const qdi_outer *outer, qd_box box, qd_vec2 shift, size_t from, qdi_outer_visit visit,
                      void *context);

#endif
