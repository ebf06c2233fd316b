// Chooses which square is the root, and changes it. Only levels on top are added or removed; the subtree
// below stays as it is.
#include "core/tree/tree_impl.h"

int qdi_root_choose(const qd_tree *tree, size_t bodies) {
    uint64_t most = bodies / 256 + tree->capacity;
    uint64_t outside = bodies - tree->rings[0];
    int k = 0;
    while (outside > most && k < QD_TREE_MAX_GROWTH) outside -= tree->rings[++k];
    return k;
}

// Appends the bodies of one list to the insertions and leaves the list empty.
static qd_status move_list_to_insertions(qd_tree *tree, qdi_node_index index, size_t *count) {
    qdi_node *node = &tree->nodes[index];
    qd_status status = qdi_buffer_need(tree, &tree->scratch.insertions, *count, *count + node->count,
                                       sizeof(qdi_insertion));
    if (status != QD_OK) return status;
    qdi_insertion *insertions = tree->scratch.insertions.items;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        insertions[(*count)++] = (qdi_insertion){qdi_slot_box(&tree->slots, s), tree->slots.row[s],
                                                 tree->slots.index[s], QDI_ROOT, 0};
    }
    node->count = node->fit = 0;
    node->own = qdi_box_empty();
    return QD_OK;
}

// Appends the bodies of a subtree to the insertions and leaves its lists empty.
static qd_status move_subtree_to_insertions(qd_tree *tree, qdi_node_index index, size_t *count) {
    qd_status status = move_list_to_insertions(tree, index, count);
    qdi_family_index children = tree->nodes[index].children;
    for (unsigned q = 0; q < 4 && status == QD_OK && children != QDI_NO_CHILD; ++q) {
        status = move_subtree_to_insertions(tree, 4 * children + q, count);
    }
    return status;
}

// Moves a node with its list to another number.
static void move_node(qd_tree *tree, qdi_node_index to, qdi_node_index from) {
    tree->nodes[to] = tree->nodes[from];
    qdi_node *node = &tree->nodes[to];
    if (!qdi_is_leaf(node)) tree->infos[node->children].parent = to;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        tree->node_of[tree->slots.index[s]] = to;
    }
    tree->nodes[from] = (qdi_node){.own = qdi_box_empty()};
}

// Puts levels on top of the root until it is R`to`.
static qd_status grow_root(qd_tree *tree, int from, int to) {
    qd_status status = qdi_families_reserve(tree, (size_t)(to - from));
    if (status != QD_OK) return status;
    for (int k = from + 1; k <= to; ++k) {
        qdi_family_index family = qdi_family_claim(tree);
        qdi_root_cell_set(tree, k);
        qdi_family_init(tree, family, QDI_ROOT);
        qdi_node_index below = 4 * family + qdi_grid_root_quadrant(&tree->grid, k - 1);
        move_node(tree, below, QDI_ROOT);
        tree->nodes[QDI_ROOT].children = family;
        tree->nodes[QDI_ROOT].total = tree->nodes[below].total;
    }
    return QD_OK;
}

// Frees the room of a node's list.
static void free_node_room(qd_tree *tree, qdi_node_index index) {
    qdi_slot_allocator_give(tree, tree->nodes[index].first, tree->nodes[index].room);
}

// Takes levels off the top of the root until it is R`to`; bodies of the nodes beside it become insertions.
static qd_status shrink_root(qd_tree *tree, int from, int to, size_t *count) {
    qdi_family_index passed[QD_TREE_MAX_GROWTH];
    int passed_count = 0;
    qdi_node_index at = QDI_ROOT;
    for (int k = from; k > to && !qdi_is_leaf(&tree->nodes[at]); --k) {
        qdi_family_index family = tree->nodes[at].children;
        unsigned inner = qdi_grid_root_quadrant(&tree->grid, k - 1);
        for (unsigned q = 0; q < 4; ++q) {
            if (q == inner) continue;
            qd_status status = move_subtree_to_insertions(tree, 4 * family + q, count);
            if (status != QD_OK) return status;
            (void)qdi_families_free_below(tree, 4 * family + q);
            free_node_room(tree, 4 * family + q);
        }
        passed[passed_count++] = family;
        at = 4 * family + inner;
        if (k - 1 > to || qdi_is_leaf(&tree->nodes[at])) {
            qd_status status = move_list_to_insertions(tree, at, count);
            if (status != QD_OK) return status;
        }
        if (k - 1 > to && !qdi_is_leaf(&tree->nodes[at])) free_node_room(tree, at);
    }
    qdi_root_cell_set(tree, to);
    if (at != QDI_ROOT) {
        free_node_room(tree, QDI_ROOT);
        move_node(tree, QDI_ROOT, at);
        for (int p = 0; p < passed_count; ++p) qdi_family_give(tree, passed[p]);
    }
    return QD_OK;
}

qd_status qdi_root_set(qd_tree *tree, int k, size_t *count) {
    int from = -qdi_node_level(tree, QDI_ROOT);
    if (from == k) return QD_OK;
    qd_status status = move_list_to_insertions(tree, QDI_ROOT, count);
    if (status == QD_OK) status = k > from ? grow_root(tree, from, k) : shrink_root(tree, from, k, count);
    if (status != QD_OK) return status;
    qdi_node_measure(tree, QDI_ROOT);
    qdi_insertion *insertions = tree->scratch.insertions.items;
    for (size_t m = 0; m < *count; ++m) insertions[m].target = QDI_ROOT;
    return QD_OK;
}
