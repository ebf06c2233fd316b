// Splitting and merging nodes, many at once.
//
// A split works in rounds: every node of the present list gets a family and moves its bodies down, then the
// children that still hold too many make the next list. A merge puts the lists below a node and its own, each
// of which is in order of index, into one. Shared while threads work: nothing but the slots and node_of. A
// node, what is or comes below it, its bodies' entries in node_of and its lists' rooms belong to the thread
// that has the node; one thread finds the rooms for all lists before.
#include "core/tree/tree_impl.h"

enum { GRAIN = 8 };

enum { STAY = 4, PARTS = 5 }; // of a list that is split: one for each child, and what stays

void qdi_node_measure(qd_tree *tree, qdi_node_index index) {
    qdi_node *node = &tree->nodes[index];
    float half = 0.5F * qdi_grid_side(&tree->grid, qdi_node_level(tree, index));
    node->own = qdi_box_empty();
    node->fit = 0;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        qd_box box = qdi_slot_box(&tree->slots, s);
        node->own = qdi_box_union(node->own, box);
        node->fit += qdi_longest(box) <= half && (index != QDI_ROOT || !qdi_outside(tree, box));
    }
}

typedef struct split_job {
    qd_tree *tree;
    const qdi_node_index *nodes;
    const qdi_family_index *families;
    uint32_t (*counts)[PARTS]; // per node: bodies for each part
    qdi_move (*moves)[PARTS];  // per node: rooms of the parts, then what became free
} split_job;

// Which part of `node` a body of its list goes to: a child, or STAY.
static unsigned split_part_of_box(const qd_tree *tree, qdi_node_index node, float middle_x, float middle_y,
                                  float half, qd_box box) {
    unsigned right = qdi_box_centre(box.min_x, box.max_x) >= middle_x;
    unsigned upper = qdi_box_centre(box.min_y, box.max_y) >= middle_y;
    unsigned stays = qdi_longest(box) > half || (node == QDI_ROOT && qdi_outside(tree, box));
    return stays ? STAY : right + 2 * upper;
}

// The border between the two halves of a cell along an axis.
static float cell_middle_border(const qd_tree *tree, uint64_t cell, int level) {
    return qdi_grid_border(&tree->grid, 2 * cell + 1, level + 1);
}

// Tree's split: the part that keeps the list's room while the others move, so that a crowd that goes down
// many levels together moves not once: the one with more than half of the bodies, PARTS where there is none.
static unsigned part_keeping_room(const uint32_t counts[PARTS]) {
    uint32_t all = 0;
    for (unsigned part = 0; part < PARTS; ++part) all += counts[part];
    for (unsigned part = 0; part < PARTS; ++part) {
        if (counts[part] > all / 2) return part;
    }
    return PARTS;
}

// Counts for nodes [begin, end) how many bodies go to each child.
static void count_split_parts_range(void *context, size_t begin, size_t end) {
    const split_job *job = context;
    const qd_tree *tree = job->tree;
    for (size_t i = begin; i < end; ++i) {
        const qdi_node *node = &tree->nodes[job->nodes[i]];
        qdi_cell cell = qdi_node_cell(tree, job->nodes[i]);
        const float middle_x = cell_middle_border(tree, cell.x, cell.level);
        const float middle_y = cell_middle_border(tree, cell.y, cell.level);
        const float half = 0.5F * qdi_grid_side(&tree->grid, cell.level);
        uint32_t counts[PARTS] = {0};
        for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
            counts[split_part_of_box(tree, job->nodes[i], middle_x, middle_y, half,
                                     qdi_slot_box(&tree->slots, s))] += 1;
        }
        const unsigned keeper = part_keeping_room(counts);
        for (unsigned part = 0; part < PARTS; ++part) {
            job->counts[i][part] = counts[part];
            job->moves[i][part].room = part == keeper ? 0 : qdi_room_for(counts[part]);
        }
    }
}

// Gives each part of a node's list its room. What the list had is left in the moves.
static void assign_part_rooms(const split_job *job, size_t i, qdi_node *const owners[PARTS]) {
    qdi_move *moves = job->moves[i];
    const qdi_node *node = owners[STAY];
    const uint32_t first = node->first, room = node->room;
    const unsigned keeper = part_keeping_room(job->counts[i]);
    uint32_t kept = 0;
    for (unsigned part = 0; part < PARTS; ++part) {
        qdi_node *owner = owners[part];
        owner->count = 0;
        if (part == keeper) {
            // A room too large for the free lists is cut to size.
            const uint32_t need = qdi_room_for(job->counts[i][part]);
            kept = qdi_room_is_kept(room) || need > room ? room : need;
            owner->first = first;
            owner->room = kept;
        } else {
            owner->first = moves[part].first;
            owner->room = moves[part].room;
        }
        moves[part].room = 0;
    }
    moves[0].first = first + kept;
    moves[0].room = room - kept;
}

// Splits a node: moves the bodies of its list down to its new children.
static void split_node(const split_job *job, size_t i) {
    qd_tree *tree = job->tree;
    qdi_slots *slots = &tree->slots;
    qdi_node_index index = job->nodes[i];
    qdi_node *node = &tree->nodes[index];
    qdi_family_index family = job->families[i];
    qdi_family_init(tree, family, index);
    const qdi_family_info *info = &tree->infos[family];
    float half = qdi_grid_side(&tree->grid, info->level);
    const size_t begin = node->first, end = begin + node->count;
    qdi_node *owners[PARTS] = {&tree->nodes[4 * family], &tree->nodes[4 * family + 1],
                               &tree->nodes[4 * family + 2], &tree->nodes[4 * family + 3], node};
    assign_part_rooms(job, i, owners);
    for (size_t s = begin; s < end; ++s) {
        unsigned part = split_part_of_box(tree, index, info->border_x[1], info->border_y[1], half,
                                          qdi_slot_box(slots, s));
        size_t to = (size_t)owners[part]->first + owners[part]->count++;
        tree->node_of[slots->index[s]] = part == STAY ? index : 4 * family + part;
        if (to != s) qdi_slot_move(slots, to, s);
    }
    node->children = family;
    qdi_node_measure(tree, index);
    for (unsigned q = 0; q < 4; ++q) {
        owners[q]->total = owners[q]->count;
        qdi_node_measure(tree, 4 * family + q);
        qdi_family_set(&tree->families[family], q, owners[q]->own);
    }
}

// Splits nodes [begin, end).
static void split_nodes_range(void *context, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) split_node(context, i);
}

// Splits all nodes of a list once. Leaves the nodes to split next in scratch.split_next.
static qd_status split_round(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                             size_t *next_count) {
    qdi_tree_scratch *scratch = &tree->scratch;
    split_job job = {.tree = tree, .nodes = nodes};
    qd_status status = qdi_families_reserve(tree, count);
    if (status == QD_OK) status = qdi_buffer_need(tree, &scratch->places, 0, count, sizeof *job.counts);
    if (status == QD_OK) status = qdi_buffer_need(tree, &scratch->moves, 0, count, sizeof *job.moves);
    if (status == QD_OK)
        status = qdi_buffer_need(tree, &scratch->split_next, 0, 5 * count, sizeof(qdi_node_index));
    if (status != QD_OK) return status;
    qdi_node_index *next = scratch->split_next.items;
    qdi_family_index *families = next + 4 * count;
    job.families = families;
    job.counts = scratch->places.items;
    job.moves = scratch->moves.items;
    qdi_team_for(team, count, GRAIN, count_split_parts_range, &job);
    status = qdi_slot_allocator_take(tree, job.moves[0], PARTS * count);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i) families[i] = qdi_family_claim(tree);
    qdi_team_for(team, count, GRAIN, split_nodes_range, &job);
    *next_count = 0;
    for (size_t i = 0; i < count; ++i) {
        for (unsigned q = 0; q < 4; ++q) {
            if (qdi_must_split(tree, 4 * families[i] + q)) next[(*next_count)++] = 4 * families[i] + q;
        }
    }
    qdi_slot_allocator_give_old(tree, job.moves[0], PARTS * count);
    return QD_OK;
}

qd_status qdi_split_nodes(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                          qd_tree_counts *counts) {
    while (count > 0) {
        size_t next_count = 0;
        qd_status status = split_round(tree, team, nodes, count, &next_count);
        if (status != QD_OK) return status;
        counts->splits += count;
        // What the round left becomes the list; the list's memory serves the next round.
        qdi_buffer list = tree->scratch.splits;
        tree->scratch.splits = tree->scratch.split_next;
        tree->scratch.split_next = list;
        nodes = tree->scratch.splits.items;
        count = next_count;
    }
    return QD_OK;
}

typedef struct merge_job {
    qd_tree *tree;
    const qdi_node_index *nodes;
    size_t *places; // per node: where its part of `keys` and `spare` begins
    uint64_t *keys, *spare;
    qdi_move *moves;
} merge_job;

/// A list in the making: (index, slot) of its bodies, in order.
typedef struct merged_list {
    uint64_t *keys, *spare;
    size_t count;
} merged_list;

// The sort key of a slot: body index, then slot.
static inline uint64_t index_slot_key(const qdi_slots *slots, size_t slot) {
    return (uint64_t)slots->index[slot] << 32 | slot;
}

// Merges a node's list into a list in the making.
// Which of two bodies comes first cannot be predicted, so nothing branches on it.
static void merge_list_into(const qdi_slots *slots, const qdi_node *node, merged_list *list) {
    if (node->count == 0) return;
    const uint64_t *keys = list->keys;
    uint64_t *out = list->spare;
    const size_t end = (size_t)node->first + node->count;
    size_t k = 0, s = node->first;
    while (k < list->count && s < end) {
        const uint64_t mine = keys[k], other = index_slot_key(slots, s);
        const bool later = other < mine;
        *out++ = later ? other : mine;
        k += !later;
        s += later;
    }
    for (; k < list->count; ++k) *out++ = keys[k];
    for (; s < end; ++s) *out++ = index_slot_key(slots, s);
    list->count += node->count;
    uint64_t *spare = list->keys;
    list->keys = list->spare;
    list->spare = spare;
}

// Merges the lists of a subtree into one.
static void merge_subtree_into(const qd_tree *tree, qdi_node_index index, merged_list *list) {
    const qdi_node *node = &tree->nodes[index];
    merge_list_into(&tree->slots, node, list);
    if (qdi_is_leaf(node)) return;
    for (unsigned q = 0; q < 4; ++q) merge_subtree_into(tree, 4 * node->children + q, list);
}

// Makes nodes [begin, end) leaves that hold the bodies of their subtrees.
static void merge_nodes_range(void *context, size_t begin, size_t end) {
    const merge_job *job = context;
    qd_tree *tree = job->tree;
    for (size_t i = begin; i < end; ++i) {
        const qdi_node_index index = job->nodes[i];
        merged_list list = {job->keys + job->places[i], job->spare + job->places[i], 0};
        merge_subtree_into(tree, index, &list);
        qdi_node *node = &tree->nodes[index];
        qdi_node_rehouse(node, &job->moves[i]);
        for (size_t b = 0; b < list.count; ++b) {
            const size_t from = list.keys[b] & UINT32_MAX;
            tree->node_of[list.keys[b] >> 32] = index;
            qdi_slot_move(&tree->slots, node->first + b, from);
        }
        // Bodies from below fit below; bounds are those of the subtree, which has not changed.
        node->fit += node->total - node->count;
        node->count = node->total;
        node->own = qdi_family_box(&tree->families[qdi_family_of(index)], qdi_sibling(index));
    }
}

size_t qdi_families_free_below(qd_tree *tree, qdi_node_index index) {
    qdi_node *node = &tree->nodes[index];
    if (qdi_is_leaf(node)) return 0;
    qdi_family_index family = node->children;
    size_t freed = 1;
    for (unsigned q = 0; q < 4; ++q) {
        qdi_slot_allocator_give(tree, tree->nodes[4 * family + q].first, tree->nodes[4 * family + q].room);
        freed += qdi_families_free_below(tree, 4 * family + q);
    }
    qdi_family_give(tree, family);
    node->children = QDI_NO_CHILD;
    return freed;
}

qd_status qdi_merge_nodes(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                          qd_tree_counts *counts) {
    if (count == 0) return QD_OK;
    qdi_tree_scratch *scratch = &tree->scratch;
    qd_status status = qdi_buffer_need(tree, &scratch->places, 0, count, sizeof(size_t));
    if (status == QD_OK) status = qdi_buffer_need(tree, &scratch->moves, 0, count, sizeof(qdi_move));
    if (status != QD_OK) return status;
    merge_job job = {
        .tree = tree, .nodes = nodes, .places = scratch->places.items, .moves = scratch->moves.items};
    for (size_t i = 0; i < count; ++i) {
        const uint32_t total = tree->nodes[nodes[i]].total;
        job.places[i] = total;
        job.moves[i] = (qdi_move){.room = qdi_room_for(total)};
    }
    const size_t bodies = qdi_exclusive_scan(job.places, count);
    status = qdi_buffer_need(tree, &scratch->keys, 0, bodies + 1, sizeof(uint64_t));
    if (status == QD_OK)
        status = qdi_buffer_need(tree, &scratch->keys_spare, 0, bodies + 1, sizeof(uint64_t));
    if (status == QD_OK) status = qdi_slot_allocator_take(tree, job.moves, count);
    if (status != QD_OK) return status;
    job.keys = scratch->keys.items;
    job.spare = scratch->keys_spare.items;
    qdi_team_for(team, count, GRAIN, merge_nodes_range, &job);
    for (size_t i = 0; i < count; ++i) counts->merges += qdi_families_free_below(tree, nodes[i]);
    qdi_slot_allocator_give_old(tree, job.moves, count);
    return QD_OK;
}
