// Cutting a tree for parallel work.
#include "core/tree/tree_impl.h"

typedef struct cut_state {
    const qd_tree *tree;
    size_t grain;
    qdi_node_index *tops, *items; // NULL while only counting
    size_t top_count, item_count;
} cut_state;

// Cuts a subtree into pieces for parallel work, or counts them.
static void cut_subtree(cut_state *cutter, qdi_node_index index) {
    const qdi_node *node = &cutter->tree->nodes[index];
    if (qdi_is_leaf(node) || node->total <= cutter->grain) {
        if (cutter->items) cutter->items[cutter->item_count] = index;
        cutter->item_count += 1;
        return;
    }
    if (cutter->tops) cutter->tops[cutter->top_count] = index;
    cutter->top_count += 1;
    for (unsigned q = 0; q < 4; ++q) cut_subtree(cutter, 4 * node->children + q);
}

qd_status qdi_frontier_make(qd_tree *tree, size_t grain, qdi_frontier *frontier) {
    cut_state cutter = {.tree = tree, .grain = grain};
    cut_subtree(&cutter, QDI_ROOT);
    *frontier = (qdi_frontier){.top_count = cutter.top_count, .item_count = cutter.item_count};
    size_t need = cutter.top_count + cutter.item_count;
    qd_status status = qdi_buffer_need(tree, &tree->scratch.frontier, 0, need, sizeof(qdi_node_index));
    if (status != QD_OK) return status;
    cutter.tops = tree->scratch.frontier.items;
    cutter.items = cutter.tops + cutter.top_count;
    cutter.top_count = cutter.item_count = 0;
    cut_subtree(&cutter, QDI_ROOT);
    frontier->tops = cutter.tops;
    frontier->items = cutter.items;
    return QD_OK;
}
