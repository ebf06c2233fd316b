// Splitting and merging nodes, many at once.
//
// A split works in rounds: every node of the present list gets a family and hands its bodies down, then the children that still
// hold too many make the next list. A node and its new children belong to the thread that has the node; room for the
// lists that move is counted first and handed out by a prefix sum. A merge takes the bodies below a node out and files them again,
// now that the node is a leaf.
#include "core/tree_impl.h"

enum { GRAIN = 8 };

bool qdi_must_split(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    return qdi_is_leaf(node) && node->fit > tree->capacity && qdi_node_level(tree, index) < QD_TREE_MAX_LEVEL;
}

bool qdi_must_merge(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    return !qdi_is_leaf(node) && node->total - node->count <= tree->capacity;
}

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
    size_t *places; // per node: room that its new lists take; then where it begins
} split_job;

enum { STAY = 4 };

// Which child of `node` a body of its list goes to, STAY where it stays.
static unsigned child_for(const qd_tree *tree, qdi_node_index node, float middle_x, float middle_y,
                          float half, qd_box box) {
    if (qdi_longest(box) > half || (node == QDI_ROOT && qdi_outside(tree, box))) return STAY;
    unsigned right = qdi_box_centre(box.min_x, box.max_x) >= middle_x;
    unsigned upper = qdi_box_centre(box.min_y, box.max_y) >= middle_y;
    return right + 2 * upper;
}

static float middle_border(const qd_tree *tree, uint64_t cell, int level) {
    return qdi_grid_border(&tree->grid, 2 * cell + 1, level + 1);
}

// Into how many bodies for each child, and how many that stay, a list divides; returns which of these parts is the
// largest. That one keeps the list's slots and the others move, so a crowd that goes down many levels together moves not once.
static unsigned divide_list(const qd_tree *tree, qdi_node_index index, float middle_x, float middle_y,
                            float half, uint32_t counts[5]) {
    const qdi_node *node = &tree->nodes[index];
    for (unsigned part = 0; part < 5; ++part) counts[part] = 0;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        counts[child_for(tree, index, middle_x, middle_y, half, qdi_slot_box(&tree->slots, s))] += 1;
    }
    unsigned keeper = STAY;
    for (unsigned q = 0; q < 4; ++q) {
        if (counts[q] > counts[keeper]) keeper = q;
    }
    return keeper;
}

static void count_children(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const split_job *job = context;
    const qd_tree *tree = job->tree;
    for (size_t i = begin; i < end; ++i) {
        qdi_cell cell = qdi_node_cell(tree, job->nodes[i]);
        uint32_t counts[5];
        unsigned keeper = divide_list(tree, job->nodes[i], middle_border(tree, cell.x, cell.level),
                                      middle_border(tree, cell.y, cell.level),
                                      0.5F * qdi_grid_side(&tree->grid, cell.level), counts);
        job->places[i] = 0;
        for (unsigned part = 0; part < 5; ++part) {
            if (part != keeper) job->places[i] += qdi_room_for(counts[part]);
        }
    }
}

// Gives each part of a node's list its slots; those of the keeper are the first of the list as it was.
static void give_slots(const split_job *job, size_t i, unsigned keeper, const uint32_t counts[5]) {
    qd_tree *tree = job->tree;
    qdi_node *node = &tree->nodes[job->nodes[i]];
    uint32_t first = node->first;
    uint32_t most = node->room; // the list's spare room may be less than we would give it now
    size_t place = job->places[i];
    for (unsigned part = 0; part < 5; ++part) {
        qdi_node *owner = part == STAY ? node : &tree->nodes[4 * job->families[i] + part];
        uint32_t room = qdi_room_for(counts[part]);
        owner->count = 0;
        if (part == keeper) {
            owner->first = first;
            owner->room = room < most ? room : most;
        } else {
            owner->first = (uint32_t)place;
            owner->room = room;
            place += room;
        }
    }
}

// Hands the bodies of one list down. Counts again: cheaper than to remember.
static void split_one(const split_job *job, size_t i) {
    qd_tree *tree = job->tree;
    qdi_slots *slots = &tree->slots;
    qdi_node_index index = job->nodes[i];
    qdi_node *node = &tree->nodes[index];
    qdi_family_index family = job->families[i];
    qdi_family_init(tree, family, index);
    const qdi_family_info *info = &tree->infos[family];
    float half = qdi_grid_side(&tree->grid, info->level);
    uint32_t counts[5];
    unsigned keeper = divide_list(tree, index, info->border_x[1], info->border_y[1], half, counts);
    size_t begin = node->first;
    size_t end = begin + node->count;
    give_slots(job, i, keeper, counts);
    for (size_t s = begin; s < end; ++s) {
        unsigned part = child_for(tree, index, info->border_x[1], info->border_y[1], half,
                                  qdi_slot_box(slots, s));
        qdi_node_index owner = part == STAY ? index : 4 * family + part;
        size_t to = (size_t)tree->nodes[owner].first + tree->nodes[owner].count++;
        tree->node_of[slots->index[s]] = owner;
        if (to != s) qdi_slot_move(slots, to, s);
    }
    node->children = family;
    qdi_node_measure(tree, index);
    for (unsigned q = 0; q < 4; ++q) {
        qdi_node *child = &tree->nodes[4 * family + q];
        child->total = child->count;
        qdi_node_measure(tree, 4 * family + q);
        qdi_family_set(&tree->families[family], q, child->own);
    }
}

static void split_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; ++i) split_one(context, i);
}

// One round. Leaves the nodes of the next round in scratch.split_next.
static qd_status split_round(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                             size_t *next_count) {
    qd_status status = qdi_families_reserve(tree, count);
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.places, 0, count, sizeof(size_t));
    if (status == QD_OK)
        status = qdi_buffer_need(tree, &tree->scratch.split_next, 0, 5 * count, sizeof(qdi_node_index));
    if (status != QD_OK) return status;
    qdi_node_index *next = tree->scratch.split_next.items;
    qdi_family_index *families = next + 4 * count;
    split_job job = {tree, nodes, families, tree->scratch.places.items};
    qdi_team_for(team, count, GRAIN, count_children, &job);
    size_t room = qdi_exclusive_scan(job.places, count);
    status = qdi_slots_reserve(tree, tree->slots.used + room);
    if (status != QD_OK) return status;
    size_t had = room; // slots of the lists before, and the new ones
    for (size_t i = 0; i < count; ++i) {
        job.places[i] += tree->slots.used;
        families[i] = qdi_family_claim(tree);
        had += tree->nodes[nodes[i]].room;
    }
    tree->slots.used += room;
    qdi_team_for(team, count, GRAIN, split_range, &job);
    *next_count = 0;
    for (size_t i = 0; i < count; ++i) {
        had -= tree->nodes[nodes[i]].room;
        for (unsigned q = 0; q < 4; ++q) had -= tree->nodes[4 * families[i] + q].room;
    }
    tree->slots.idle += had;
    for (size_t i = 0; i < count; ++i) {
        for (unsigned q = 0; q < 4; ++q) {
            if (qdi_must_split(tree, 4 * families[i] + q)) next[(*next_count)++] = 4 * families[i] + q;
        }
    }
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
    size_t *places;
    qdi_mover *movers;
} merge_job;

static size_t take_bodies(const merge_job *job, qdi_node_index index, qdi_node_index target, size_t place) {
    const qdi_node *node = &job->tree->nodes[index];
    const qdi_slots *slots = &job->tree->slots;
    if (index != target) {
        for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
            job->movers[place++] = (qdi_mover){qdi_slot_box(slots, s), slots->row[s], slots->index[s], target,
                                               0};
        }
    }
    if (qdi_is_leaf(node)) return place;
    for (unsigned q = 0; q < 4; ++q) place = take_bodies(job, 4 * node->children + q, target, place);
    return place;
}

static void take_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const merge_job *job = context;
    for (size_t i = begin; i < end; ++i) (void)take_bodies(job, job->nodes[i], job->nodes[i], job->places[i]);
}

size_t qdi_families_free_below(qd_tree *tree, qdi_node_index index) {
    qdi_node *node = &tree->nodes[index];
    if (qdi_is_leaf(node)) return 0;
    qdi_family_index family = node->children;
    size_t freed = 1;
    for (unsigned q = 0; q < 4; ++q) {
        tree->slots.idle += tree->nodes[4 * family + q].room;
        freed += qdi_families_free_below(tree, 4 * family + q);
    }
    qdi_family_give(tree, family);
    node->children = QDI_NO_CHILD;
    return freed;
}

qd_status qdi_merge_nodes(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                          qd_tree_counts *counts) {
    if (count == 0) return QD_OK;
    qd_status status = qdi_buffer_need(tree, &tree->scratch.places, 0, count, sizeof(size_t));
    if (status != QD_OK) return status;
    merge_job job = {tree, nodes, tree->scratch.places.items, NULL};
    for (size_t i = 0; i < count; ++i)
        job.places[i] = tree->nodes[nodes[i]].total - tree->nodes[nodes[i]].count;
    size_t bodies = qdi_exclusive_scan(job.places, count);
    status = qdi_buffer_need(tree, &tree->scratch.merged, 0, bodies, sizeof(qdi_mover));
    if (status != QD_OK) return status;
    job.movers = tree->scratch.merged.items;
    qdi_team_for(team, count, GRAIN, take_range, &job);
    for (size_t i = 0; i < count; ++i) counts->merges += qdi_families_free_below(tree, nodes[i]);
    return qdi_file_movers(tree, team, job.movers, bodies);
}
