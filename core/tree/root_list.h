#pragma once

#include "core/tree/tree_impl.h"

/// The root's list holds the bodies that fit no cell: those outside the root and those longer than it. So
/// that many of them do not make searches quadratic, a list of more than QDI_ROOT_LIST_MIN gets a tree of
/// bounding boxes: the list, ordered by repeated halving at the median of the longer axis of the centres, and
/// a complete binary tree of bounds over it.

enum { QDI_ROOT_LIST_MIN = 64, QDI_ROOT_LIST_LEAF = 8 };

/// True where the root's list is to be searched through this order, not slot by slot.
static inline bool qdi_root_list_used(const qd_tree *tree) {
    return tree->root_list.count > 0;
}

/// A bounding node: root_list->bounds[at] bounds places [begin, end) of the order.
typedef struct qdi_root_list_node {
    size_t at, begin, end;
} qdi_root_list_node;

/// The node of all places.
static inline qdi_root_list_node qdi_root_list_all(const qdi_root_list *root_list) {
    return (qdi_root_list_node){0, 0, root_list->count};
}

/// Whether a node of the root list's tree is a leaf.
static inline bool qdi_root_list_is_leaf(qdi_root_list_node node) {
    return node.end - node.begin <= QDI_ROOT_LIST_LEAF;
}

/// One of the two nodes (0, 1) below a node that is no leaf.
static inline qdi_root_list_node qdi_root_list_half(qdi_root_list_node node, unsigned half) {
    const size_t middle = node.begin + (node.end - node.begin) / 2;
    return half == 0 ? (qdi_root_list_node){2 * node.at + 1, node.begin, middle}
                     : (qdi_root_list_node){2 * node.at + 2, middle, node.end};
}

void qdi_root_list_release(qdi_root_list *root_list, const qd_allocator *allocator);
size_t qdi_root_list_bytes(const qdi_root_list *root_list);

/// Orders the root's list. Cost m log m for m bodies.
QD_MUST_USE qd_status qdi_root_list_build(qd_tree *tree);

/// Called with places p in root_list->order; returns false to stop.
typedef bool (*qdi_root_list_visit)(void *context, size_t place);

/// Every place >= `from` of the order whose box, moved by `shift` (whole periods, see qdi_shift_overlap),
/// overlaps `box`. Returns false when the visit stopped. `tests` grows by the bodies whose boxes were
/// compared.
bool qdi_root_list_search(const qdi_root_list *root_list, qd_box box, qd_vec2 shift, size_t from,
                          qdi_root_list_visit visit, void *context, uint64_t *tests);
