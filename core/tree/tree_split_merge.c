// The pass of splits and merges. After bodies were inserted it updates totals and subtree bounds from the
// bottom up, then merges and splits the nodes that must, which keeps the tree canonical.
//
// A node's merge or split changes neither its total nor the bounds of its subtree, so one pass up is enough.
// The tree is cut into subtrees; each belongs to one thread at a time, and the few nodes above them are
// updated afterwards. Nodes to merge, to split, and to be given a smaller room are chained through `link`, a
// chain of each kind per subtree; no node is in two.
#include "core/tree/tree_impl.h"

typedef struct node_chain {
    qdi_node_index head;
    uint32_t count;
} node_chain;

typedef enum node_kind { MERGE, SPLIT, SHRINK, KINDS } node_kind;

typedef struct node_chains {
    node_chain of[KINDS];
} node_chains;

typedef struct split_merge_job {
    qd_tree *tree;
    qdi_frontier frontier;
    node_chains *chains; // per item, and one for the nodes above
    size_t *places;      // per chain: where its nodes go in `list`
    qdi_node_index *list;
    node_kind kind; // that is being listed
} split_merge_job;

// Puts a node in one of the chains of nodes to merge, split or shrink.
static void chain_node(qd_tree *tree, node_chains *chains, node_kind kind, qdi_node_index node) {
    node_chain *chain = &chains->of[kind];
    tree->nodes[node].link = chain->head;
    chain->head = node;
    chain->count += 1;
}

// Chains a node that stays as it is, but for its room.
static void chain_node_to_shrink(qd_tree *tree, qdi_node_index index, node_chains *chains) {
    const qdi_node *node = &tree->nodes[index];
    if (qdi_room_too_large(node->room, node->count) && !qdi_must_split(tree, index))
        chain_node(tree, chains, SHRINK, index);
}

// Chains those of four siblings that must merge, or be given a smaller room.
static void chain_family(qd_tree *tree, qdi_family_index family, node_chains *chains) {
    for (qdi_node_index child = 4 * family; child < 4 * family + 4; ++child) {
        if (qdi_must_merge(tree, child)) {
            chain_node(tree, chains, MERGE, child);
        } else {
            chain_node_to_shrink(tree, child, chains);
        }
    }
}

// Updates a node's total and bounds; its children are up to date. Of nodes that must merge only the topmost
// are chained: a node chains those of its children that must merge, unless it must merge itself, which its
// parent finds out.
static void update_node_totals(qd_tree *tree, qdi_node_index index, node_chains *chains) {
    qdi_node *node = &tree->nodes[index];
    qd_box bounds = node->own;
    uint32_t total = node->count;
    if (!qdi_is_leaf(node)) {
        const qdi_node *children = &tree->nodes[4 * node->children];
        for (unsigned q = 0; q < 4; ++q) {
            total += children[q].total;
            bounds = qdi_box_union(bounds, qdi_family_box(&tree->families[node->children], q));
        }
    }
    node->total = total;
    qdi_family_set(&tree->families[qdi_family_of(index)], qdi_sibling(index), bounds);
    if (qdi_must_split(tree, index)) chain_node(tree, chains, SPLIT, index);
    if (!qdi_is_leaf(node) && !qdi_must_merge(tree, index)) chain_family(tree, node->children, chains);
}

// Updates totals and bounds of a subtree from the bottom up.
static void update_subtree_totals(qd_tree *tree, qdi_node_index index, node_chains *chains) {
    const qdi_family_index children = tree->nodes[index].children;
    for (unsigned q = 0; children != QDI_NO_CHILD && q < 4; ++q)
        update_subtree_totals(tree, 4 * children + q, chains);
    update_node_totals(tree, index, chains);
}

// Updates totals and bounds of subtrees [begin, end).
static void update_subtrees_range(void *context, size_t begin, size_t end) {
    const split_merge_job *job = context;
    for (size_t i = begin; i < end; ++i)
        update_subtree_totals(job->tree, job->frontier.items[i], &job->chains[i]);
}

// Writes the nodes of chains [begin, end) into the list of their kind.
static void list_chains_range(void *context, size_t begin, size_t end) {
    const split_merge_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const node_chain *chain = &job->chains[i].of[job->kind];
        size_t place = job->places[i];
        for (qdi_node_index node = chain->head; node != QDI_NONE; node = job->tree->nodes[node].link) {
            job->list[place++] = node;
        }
    }
}

// Puts the nodes of all chains of one kind into a buffer.
static qd_status list_chained_nodes(split_merge_job *job, qd_team *team, node_kind kind, qdi_buffer *buffer,
                                    size_t *count) {
    size_t parts = job->frontier.item_count + 1;
    job->kind = kind;
    for (size_t i = 0; i < parts; ++i) job->places[i] = job->chains[i].of[kind].count;
    *count = qdi_exclusive_scan(job->places, parts);
    qd_status status = qdi_buffer_need(job->tree, buffer, 0, *count, sizeof(qdi_node_index));
    if (status != QD_OK) return status;
    job->list = buffer->items;
    qdi_team_for(team, parts, 8, list_chains_range, job);
    return QD_OK;
}

qd_status qdi_tree_split_merge(qd_tree *tree, qd_team *team, qd_tree_counts *counts) {
    size_t grain = qdi_task_grain(tree->count, team, 16384);
    split_merge_job job = {.tree = tree};
    qd_status status = qdi_frontier_make(tree, grain, &job.frontier);
    if (status != QD_OK) return status;
    size_t parts = job.frontier.item_count + 1;
    status = qdi_buffer_need(tree, &tree->scratch.chains, 0, parts, sizeof(node_chains));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, parts, sizeof(size_t));
    if (status != QD_OK) return status;
    job.chains = tree->scratch.chains.items;
    job.places = tree->scratch.ranges.items;
    for (size_t i = 0; i < parts; ++i)
        job.chains[i] = (node_chains){{{QDI_NONE, 0}, {QDI_NONE, 0}, {QDI_NONE, 0}}};
    qdi_team_for(team, job.frontier.item_count, 1, update_subtrees_range, &job);
    node_chains *above = &job.chains[parts - 1];
    for (size_t t = job.frontier.top_count; t-- > 0;) update_node_totals(tree, job.frontier.tops[t], above);
    if (qdi_must_merge(tree, QDI_ROOT)) {
        chain_node(tree, above, MERGE, QDI_ROOT);
    } else {
        chain_node_to_shrink(tree, QDI_ROOT, above);
    }

    // All lists are taken before anything changes; merging makes no node that must split.
    qdi_tree_scratch *scratch = &tree->scratch;
    size_t splits = 0, merges = 0, shrinks = 0;
    status = list_chained_nodes(&job, team, SPLIT, &scratch->splits, &splits);
    if (status == QD_OK) status = list_chained_nodes(&job, team, MERGE, &scratch->merges, &merges);
    if (status == QD_OK) status = list_chained_nodes(&job, team, SHRINK, &scratch->shrinks, &shrinks);
    if (status == QD_OK) status = qdi_slot_allocator_shrink(tree, team, scratch->shrinks.items, shrinks);
    if (status == QD_OK) status = qdi_merge_nodes(tree, team, scratch->merges.items, merges, counts);
    if (status != QD_OK) return status;
    return qdi_split_nodes(tree, team, scratch->splits.items, splits, counts);
}
