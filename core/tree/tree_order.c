// The order of the bodies in the tree, for callers that keep their own arrays in it.
#include "core/base/arithmetic.h"
#include "core/tree/tree_impl.h"

typedef struct order_job {
    const qd_tree *tree;
    qdi_frontier frontier;
    const size_t *begin; // per item
    uint32_t *places;
} order_job;

// Writes the rows of a node's list in tree order.
static uint32_t *order_list(const qd_tree *tree, qdi_node_index index, uint32_t *to) {
    const qdi_node *node = &tree->nodes[index];
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) *to++ = tree->slots.row[s];
    return to;
}

// Writes the rows of a subtree's bodies in tree order.
static uint32_t *order_subtree(const qd_tree *tree, qdi_node_index index, uint32_t *to) {
    to = order_list(tree, index, to);
    const qdi_node *node = &tree->nodes[index];
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q)
        to = order_subtree(tree, 4 * node->children + q, to);
    return to;
}

// Writes the rows of subtrees [begin, end) in tree order.
static void order_subtrees_range(void *context, size_t begin, size_t end) {
    const order_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        (void)order_subtree(job->tree, job->frontier.items[i], job->places + job->begin[i]);
    }
}

qd_status qd_tree_order(qd_tree *tree, qd_team *team, uint32_t *places) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !team || (!places && tree->count > 0)) return QD_ERR_ARGUMENT;
    if (tree->count == 0) return QD_OK;
    if (!tree->rows_known) return QD_ERR_STATE;
    order_job job = {.tree = tree, .places = places};
    qd_status status = qdi_frontier_make(tree, qdi_task_grain(tree->count, team, 4096), &job.frontier);
    if (status != QD_OK) return status;
    size_t items = job.frontier.item_count;
    status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, items, sizeof(size_t));
    if (status != QD_OK) return status;
    size_t *begin = tree->scratch.ranges.items;
    for (size_t i = 0; i < items; ++i) begin[i] = tree->nodes[job.frontier.items[i]].total;
    (void)qdi_exclusive_scan(begin, items);
    // The few nodes above the items come first.
    uint32_t *to = places;
    for (size_t t = 0; t < job.frontier.top_count; ++t) to = order_list(tree, job.frontier.tops[t], to);
    job.places = to;
    job.begin = begin;
    qdi_team_for(team, items, 1, order_subtrees_range, &job);
    return QD_OK;
}
