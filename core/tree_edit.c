// One body more, or less, between refreshes: the steps of a refresh for a single mover, on one thread. Totals and bounds are
// brought up to date along one path only.
#include "core/kernel.h"
#include "core/margin.h"
#include "core/memory.h"
#include "core/outer.h"
#include "core/tree_impl.h"

bool qdi_tree_edits_are_slow(const qd_tree *tree) {
    return qdi_outer_used(tree);
}

// Brings totals and subtree bounds up to date from a node to the root; `top` gets the topmost node that must merge, or QDI_NONE.
static void settle_path(qd_tree *tree, qdi_node_index at, qdi_node_index *top) {
    *top = QDI_NONE;
    for (; at != QDI_NONE; at = tree->infos[qdi_family_of(at)].parent) {
        qdi_node *node = &tree->nodes[at];
        qd_box bounds = node->own;
        node->total = node->count;
        for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) {
            node->total += tree->nodes[4 * node->children + q].total;
            bounds = qdi_box_union(bounds, qdi_family_box(&tree->families[node->children], q));
        }
        qdi_family_set(&tree->families[qdi_family_of(at)], qdi_sibling(at), bounds);
        if (qdi_must_merge(tree, at)) *top = at;
    }
}

// After one list changed: makes the structure canonical again.
static qd_status settle_one(qd_tree *tree, qdi_node_index changed) {
    qd_tree_counts counts = {0};
    if (qdi_root_choose(tree, tree->count) != -qdi_node_level(tree, QDI_ROOT)) {
        return qdi_tree_finish(tree, tree->alone, 0, &counts);
    }
    qdi_node_index top = QDI_NONE;
    settle_path(tree, changed, &top);
    qd_status status = QD_OK;
    if (top != QDI_NONE) {
        status = qdi_merge_nodes(tree, tree->alone, &top, 1, &counts);
    } else if (qdi_must_split(tree, changed)) {
        status = qdi_split_nodes(tree, tree->alone, &changed, 1, &counts);
    }
    if (status != QD_OK) return status;
    if (tree->slots.idle > tree->slots.used / 2 && tree->slots.used > 1024) {
        status = qdi_tree_tidy(tree, tree->alone);
        if (status != QD_OK) return status;
    }
    // The root's list may have moved to other slots in any of the above.
    status = qdi_outer_build(tree);
    if (status == QD_OK) tree->revision += 1;
    return status;
}

static qd_status settled(qd_tree *tree, qd_status status) {
    if (status == QD_ERR_MEMORY) {
        qdi_tree_clear(tree);
        tree->revision += 1;
    }
    return status;
}

qd_status qd_tree_add(qd_tree *tree, qd_body_index body, qd_box box) {
    if (!tree) return QD_ERR_ARGUMENT;
    if (body >= QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    if (!qdi_box_acceptable(box, tree->period)) return QD_ERR_VALUE;
    if (body < tree->node_of_room && tree->node_of[body] != QDI_NONE) return QD_ERR_EXISTS;
    qd_status status = qdi_node_of_reserve(tree, (size_t)body + 1);
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.movers, 0, 1, sizeof(qdi_mover));
    if (status != QD_OK) return settled(tree, status);
    qdi_mover *mover = tree->scratch.movers.items;
    *mover = (qdi_mover){box, QDI_NONE, body, QDI_ROOT, 1};
    status = qdi_file_movers(tree, tree->alone, mover, 1);
    if (status != QD_OK) return settled(tree, status);
    tree->count += 1;
    tree->rings[qdi_grid_ring_of_box(&tree->grid, box)] += 1;
    tree->rows_known = false;
    return settled(tree, settle_one(tree, tree->node_of[body]));
}

qd_status qd_tree_remove(qd_tree *tree, qd_body_index body) {
    if (!tree) return QD_ERR_ARGUMENT;
    qd_box box;
    qd_status status = qd_tree_box(tree, body, &box);
    if (status != QD_OK) return status;
    qdi_node_index at = tree->node_of[body];
    qdi_node *node = &tree->nodes[at];
    size_t end = (size_t)node->first + node->count;
    size_t slot = node->first;
    while (tree->slots.index[slot] != body) ++slot;
    tree->kernels->shift(&tree->slots, slot, slot + 1, end - slot - 1);
    node->count -= 1;
    qdi_node_measure(tree, at);
    tree->node_of[body] = QDI_NONE;
    tree->count -= 1;
    tree->rings[qdi_grid_ring_of_box(&tree->grid, box)] -= 1;
    tree->rows_known = false;
    return settled(tree, settle_one(tree, at));
}
