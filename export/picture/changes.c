#include "export/picture/changes.h"

#include "core/base/memory.h"

#include <stdlib.h>

// Picture's changes: the order of two nodes' cells.
static int node_order(const void *left, const void *right) {
    const qdi_cell_of *a = left, *b = right;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return a->x == b->x ? 0 : (a->x < b->x ? -1 : 1);
}

// Picture's changes: keeps the cell of a node of the tree.
static bool keep_node_cell(void *context, const qd_tree_node_info *node) {
    qdi_changes *changes = context;
    if (node->leaf) return true;
    changes->status = qdi_reserve(changes->allocator, &changes->cells, &changes->room, changes->count,
                                  changes->count + 1, sizeof *changes->cells);
    if (changes->status != QD_OK) return false;
    changes->cells[changes->count++] = (qdi_cell_of){node->side, node->min_y, node->min_x};
    return true;
}

qd_status qdi_changes_note(qdi_changes *changes, const qd_tree *tree) {
    changes->count = 0;
    changes->status = QD_OK;
    qd_tree_visit_nodes(tree, keep_node_cell, changes);
    if (changes->count > 1) qsort(changes->cells, changes->count, sizeof *changes->cells, node_order);
    return changes->status;
}

// Picture's changes: releases the list of cells that changed.
void qdi_changes_release(qdi_changes *changes) {
    if (changes->allocator)
        qdi_release(changes->allocator, changes->cells, changes->room, sizeof *changes->cells);
    *changes = (qdi_changes){.allocator = changes->allocator};
}

void qdi_changes_compare(const qdi_changes *before, const qdi_changes *after, qdi_changes_visit visit,
                         void *context) {
    size_t i = 0, j = 0;
    while (i < before->count || j < after->count) {
        int order = i == before->count  ? 1
                    : j == after->count ? -1
                                        : node_order(&before->cells[i], &after->cells[j]);
        if (order < 0) visit(context, &before->cells[i], false);
        if (order > 0) visit(context, &after->cells[j], true);
        i += order <= 0;
        j += order >= 0;
    }
}
