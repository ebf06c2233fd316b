// Adds, removes or moves one body between refreshes: the steps of a refresh for a single body, on one
// thread. Totals and bounds are brought up to date along one path only.
#include "core/base/arithmetic.h"
#include "core/tree/fat_box.h"
#include "core/tree/kernel.h"
#include "core/tree/root_list.h"
#include "core/tree/tree_impl.h"

bool qdi_tree_edits_are_slow(const qd_tree *tree) {
    return qdi_root_list_used(tree);
}

// Brings totals and subtree bounds up to date from a node to the root; `top` gets the topmost node that must
// merge, or QDI_NONE.
static void split_merge_path(qd_tree *tree, qdi_node_index at, qdi_node_index *top) {
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

// Tree's edits: after one list changed: makes the structure canonical again.
static qd_status split_merge_up_from(qd_tree *tree, qdi_node_index changed) {
    qd_tree_counts counts = {0};
    if (qdi_root_choose(tree, tree->count) != -qdi_node_level(tree, QDI_ROOT)) {
        return qdi_tree_finish(tree, tree->alone, 0, &counts);
    }
    qdi_node_index top = QDI_NONE;
    split_merge_path(tree, changed, &top);
    qd_status status = QD_OK;
    if (top != QDI_NONE) {
        status = qdi_merge_nodes(tree, tree->alone, &top, 1, &counts);
    } else if (qdi_must_split(tree, changed)) {
        status = qdi_split_nodes(tree, tree->alone, &changed, 1, &counts);
    }
    if (status != QD_OK) return status;
    if (tree->slots.idle > tree->slots.used / 2 && tree->slots.used > 1024) {
        status = qdi_tree_compact(tree, tree->alone);
        if (status != QD_OK) return status;
    }
    // The root's list may have moved to other slots in any of the above.
    status = qdi_root_list_build(tree);
    if (status == QD_OK) tree->revision += 1;
    return status;
}

// Clears the tree where an edit ran out of memory; returns the edit's status.
static qd_status clear_tree_without_memory(qd_tree *tree, qd_status status) {
    if (status == QD_ERR_MEMORY) {
        qdi_tree_clear(tree);
        tree->revision += 1;
    }
    return status;
}

/// Inserts a body into its list and makes the tree canonical.
static qd_status insert_one_body(qd_tree *tree, qdi_insertion insertion) {
    qd_status status = qdi_buffer_need(tree, &tree->scratch.insertions, 0, 1, sizeof insertion);
    if (status != QD_OK) return status;
    *(qdi_insertion *)tree->scratch.insertions.items = insertion;
    status = qdi_insert_bodies(tree, tree->alone, tree->scratch.insertions.items, 1);
    if (status != QD_OK) return status;
    tree->count += 1;
    tree->rings[qdi_grid_ring_of_box(&tree->grid, insertion.box)] += 1;
    return split_merge_up_from(tree, tree->node_of[insertion.index]);
}

/// Removes the body in a slot from its list and makes the tree canonical.
static qd_status remove_one_body(qd_tree *tree, qdi_node_index at, size_t slot) {
    qdi_node *node = &tree->nodes[at];
    size_t end = (size_t)node->first + node->count;
    tree->node_of[tree->slots.index[slot]] = QDI_NONE;
    tree->count -= 1;
    tree->rings[qdi_grid_ring_of_box(&tree->grid, qdi_slot_box(&tree->slots, slot))] -= 1;
    tree->kernels->shift(&tree->slots, slot, slot + 1, end - slot - 1);
    node->count -= 1;
    qdi_node_measure(tree, at);
    return split_merge_up_from(tree, at);
}

qd_status qd_tree_add(qd_tree *tree, qd_body_index body, qd_box box) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree) return QD_ERR_ARGUMENT;
    if (body >= QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    if (!qdi_box_acceptable(box, tree->period)) return QD_ERR_VALUE;
    if (body < tree->node_of_room && tree->node_of[body] != QDI_NONE) return QD_ERR_EXISTS;
    tree->rows_known = false;
    qd_status status = qdi_node_of_reserve(tree, (size_t)body + 1);
    if (status == QD_OK) status = insert_one_body(tree, (qdi_insertion){box, QDI_NONE, body, QDI_ROOT, 1});
    return clear_tree_without_memory(tree, status);
}

qd_status qd_tree_remove(qd_tree *tree, qd_body_index body) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree) return QD_ERR_ARGUMENT;
    size_t slot = 0;
    qd_status status = qdi_tree_slot(tree, body, &slot);
    if (status != QD_OK) return status;
    tree->rows_known = false;
    return clear_tree_without_memory(tree, remove_one_body(tree, tree->node_of[body], slot));
}

// ---- move ----

/// Updates the subtree bounds from a node up, as far as they change, after a box changed in its list.
static void update_bounds_up_from(qd_tree *tree, qdi_node_index at) {
    for (; at != QDI_NONE; at = tree->infos[qdi_family_of(at)].parent) {
        const qdi_node *node = &tree->nodes[at];
        qdi_family *family = &tree->families[qdi_family_of(at)];
        qd_box bounds = node->own, before = qdi_family_box(family, qdi_sibling(at));
        for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q)
            bounds = qdi_box_union(bounds, qdi_family_box(&tree->families[node->children], q));
        if (bounds.min_x == before.min_x && bounds.min_y == before.min_y && bounds.max_x == before.max_x &&
            bounds.max_y == before.max_y)
            return;
        qdi_family_set(family, qdi_sibling(at), bounds);
    }
}

/// Tree's edits: gives a body that stays in its list another box; false, with nothing done, where it would
/// leave the list.
static bool move_body_in_its_list(qd_tree *tree, qdi_node_index at, size_t slot, qd_box box) {
    const qd_box before = qdi_slot_box(&tree->slots, slot);
    if (at == QDI_ROOT && qdi_root_list_used(tree)) return false;
    if (qdi_grid_ring_of_box(&tree->grid, before) != qdi_grid_ring_of_box(&tree->grid, box)) return false;
    if (qdi_tree_find_from(tree, at, box) != at) return false;
    qdi_slot_box_set(&tree->slots, slot, box);
    qdi_node_measure(tree, at);
    if (qdi_must_split(tree, at)) {
        qdi_slot_box_set(&tree->slots, slot, before);
        qdi_node_measure(tree, at);
        return false;
    }
    update_bounds_up_from(tree, at);
    tree->revision += 1;
    return true;
}

qd_status qd_tree_move(qd_tree *tree, qd_body_index body, qd_box box) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree) return QD_ERR_ARGUMENT;
    size_t slot = 0;
    qd_status status = qdi_tree_slot(tree, body, &slot);
    if (status != QD_OK) return status;
    if (!qdi_box_acceptable(box, tree->period)) return QD_ERR_VALUE;
    const qdi_node_index at = tree->node_of[body];
    if (move_body_in_its_list(tree, at, slot, box)) return QD_OK;
    // The body keeps its row, so whether rows are known stays as it is.
    const qdi_insertion insertion = {box, tree->slots.row[slot], body, QDI_ROOT, 0};
    const uint64_t revision = tree->revision;
    status = remove_one_body(tree, at, slot);
    if (status == QD_OK) status = insert_one_body(tree, insertion);
    status = clear_tree_without_memory(tree, status);
    tree->revision = revision + 1; // it was one change
    return status;
}
