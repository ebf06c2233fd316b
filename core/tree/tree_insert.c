// Insertion: puts many bodies at a time into the lists of their nodes.
//
// Movers are sorted by (target, index), so that each target's arrivals are one run, and a list is merged with
// its arrivals in one go. Shared while threads work: a run belongs to the thread whose range it begins in,
// and with it the target node and the node_of entries of its insertions; lists that outgrow their room are
// counted and noted per range, and one thread takes rooms for all of them before any list is moved.
#include "core/parallel/sort.h"
#include "core/tree/kernel.h"

enum { GRAIN = 128, INDEX_BITS = 28 };

qdi_node_index qdi_tree_find(const qd_tree *tree, qd_box box) {
    if (qdi_outside(tree, box)) return QDI_ROOT;
    qdi_grid_point place;
    if (!qdi_grid_point_of(&tree->grid, box, &place)) return QDI_ROOT;
    float longest = qdi_longest(box);
    qdi_node_index at = QDI_ROOT;
    int level = qdi_node_level(tree, at) + 1;
    while (!qdi_is_leaf(&tree->nodes[at]) && longest <= qdi_grid_side(&tree->grid, level)) {
        at = 4 * tree->nodes[at].children + qdi_quadrant(place, level);
        level += 1;
    }
    return at;
}

qdi_node_index qdi_tree_find_from(const qd_tree *tree, qdi_node_index at, qd_box box) {
    float longest = qdi_longest(box);
    while (at != QDI_ROOT) {
        const bool longer = longest > qdi_grid_side(&tree->grid, qdi_node_level(tree, at)),
                   outside = !qdi_node_holds(tree, at, box);
        if (!(longer | outside)) break;
        at = tree->infos[qdi_family_of(at)].parent;
    }
    if (at == QDI_ROOT) return qdi_tree_find(tree, box);
    while (!qdi_is_leaf(&tree->nodes[at])) {
        qdi_family_index family = tree->nodes[at].children;
        const qdi_family_info *info = &tree->infos[family];
        if (longest > qdi_grid_side(&tree->grid, info->level)) break;
        unsigned right = qdi_box_centre(box.min_x, box.max_x) >= info->border_x[1];
        unsigned upper = qdi_box_centre(box.min_y, box.max_y) >= info->border_y[1];
        at = 4 * family + right + 2 * upper;
    }
    return at;
}

// Updates the node that a body is inserted into: bounds, `fit`, and the body's entry in node_of.
static void update_list_owner(qd_tree *tree, qdi_node_index target, const qdi_insertion *insertion) {
    qdi_node *node = &tree->nodes[target];
    const float half = 0.5F * qdi_grid_side(&tree->grid, qdi_node_level(tree, target));
    node->own = qdi_box_union(node->own, insertion->box);
    node->fit += qdi_longest(insertion->box) <= half &&
                 (target != QDI_ROOT || !qdi_outside(tree, insertion->box));
    tree->node_of[insertion->index] = target;
}

typedef struct insert_job {
    qd_tree *tree;
    qdi_insertion *insertions;
    uint64_t *keys;
    uint32_t *order; // insertions by (target, index)
    size_t count;
    size_t *places;  // per range: how many of its lists outgrow their room; then where their moves begin
    qdi_move *moves; // of those lists, in order of ranges
} insert_job;

// Finds the nodes that bodies [begin, end) are to be inserted into, and their sort keys.
static void find_targets_range(void *context, size_t begin, size_t end) {
    const insert_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_insertion *insertion = &job->insertions[i];
        insertion->target = qdi_tree_find_from(job->tree, insertion->target, insertion->box);
        job->keys[i] = (uint64_t)insertion->target << INDEX_BITS | insertion->index;
        job->order[i] = (uint32_t)i;
    }
}

// The node that a sort key names.
static inline qdi_node_index target_of_key(uint64_t key) {
    return (qdi_node_index)(key >> INDEX_BITS);
}

// The first run of bodies for one node that begins in [at, end), or `end`.
static size_t run_begin(const insert_job *job, size_t at, size_t end) {
    while (at > 0 && at < end && target_of_key(job->keys[at]) == target_of_key(job->keys[at - 1])) ++at;
    return at;
}

// Where the run of bodies for one node ends that begins at `begin`.
static size_t run_end(const insert_job *job, size_t begin) {
    size_t end = begin + 1;
    while (end < job->count && target_of_key(job->keys[end]) == target_of_key(job->keys[begin])) ++end;
    return end;
}

// Tree's insertion: counts the lists that outgrow their room, and notes them where there is a place for that.
static size_t find_outgrown_lists(const insert_job *job, size_t begin, size_t end, qdi_move *moves) {
    size_t found = 0;
    for (size_t run = run_begin(job, begin, end); run < end;) {
        size_t next = run_end(job, run);
        const qdi_node *node = &job->tree->nodes[target_of_key(job->keys[run])];
        uint32_t count = node->count + (uint32_t)(next - run);
        if (count > node->room) {
            if (moves) moves[found] = (qdi_move){.room = qdi_room_for(count)};
            found += 1;
        }
        run = next;
    }
    return found;
}

// Tree's insertion: counts the lists of a range that outgrow their room.
static void count_outgrown_range(void *context, size_t begin, size_t end) {
    const insert_job *job = context;
    job->places[begin / GRAIN] = find_outgrown_lists(job, begin, end, NULL);
}

// Tree's insertion: notes the lists of a range that outgrow their room, to be moved.
static void note_outgrown_range(void *context, size_t begin, size_t end) {
    const insert_job *job = context;
    (void)find_outgrown_lists(job, begin, end, job->moves + job->places[begin / GRAIN]);
}

// Tree's insertion: merges a list with its arrivals, from the back, so that it works in place and to a new
// place, `first`, alike.
static void merge_run_into_list(const insert_job *job, qdi_node *node, uint32_t first, size_t begin,
                                size_t end) {
    const qdi_slots *slots = &job->tree->slots;
    size_t stop = (size_t)node->first + node->count; // of what is still to be moved
    for (size_t run = end; run-- > begin;) {
        const qdi_insertion *insertion = &job->insertions[job->order[run]];
        size_t from = node->first + qdi_lower_indices(slots, node->first, stop, insertion->index);
        size_t to = first + (from - node->first) + (run - begin);
        job->tree->kernels->shift(slots, to + 1, from, stop - from);
        qdi_slot_set(slots, to, insertion->box, insertion->row, insertion->index);
        stop = from;
    }
    // What is left comes before all arrivals: in its old place it already is where it belongs.
    if (first != node->first) job->tree->kernels->shift(slots, first, node->first, stop - node->first);
    node->count += (uint32_t)(end - begin);
}

bool qdi_insert_in_place(qd_tree *tree, const qdi_insertion *insertion) {
    qdi_node *node = &tree->nodes[insertion->target];
    if (node->count == node->room) return false;
    tree->kernels->insert(&tree->slots, node->first, (size_t)node->first + node->count, insertion);
    node->count += 1;
    update_list_owner(tree, insertion->target, insertion);
    return true;
}

// Tree's insertion: inserts the bodies [begin, end) of the sorted order into their lists.
static void insert_runs_range(void *context, size_t begin, size_t end) {
    const insert_job *job = context;
    qd_tree *tree = job->tree;
    qdi_move *move = job->moves + job->places[begin / GRAIN];
    for (size_t run = run_begin(job, begin, end); run < end;) {
        size_t next = run_end(job, run);
        qdi_node_index target = target_of_key(job->keys[run]);
        qdi_node *node = &tree->nodes[target];
        uint32_t count = node->count + (uint32_t)(next - run);
        if (count > node->room) {
            merge_run_into_list(job, node, move->first, run, next);
            qdi_node_rehouse(node, move++);
        } else {
            merge_run_into_list(job, node, node->first, run, next);
        }
        for (size_t i = run; i < next; ++i) update_list_owner(tree, target, &job->insertions[job->order[i]]);
        run = next;
    }
}

qd_status qdi_insert_bodies(qd_tree *tree, qd_team *team, qdi_insertion *insertions, size_t count) {
    if (count == 0) return QD_OK;
    size_t ranges = qdi_range_count(count, GRAIN);
    qd_status status = qdi_buffer_need(tree, &tree->scratch.keys, 0, count, sizeof(uint64_t));
    if (status == QD_OK)
        status = qdi_buffer_need(tree, &tree->scratch.keys_spare, 0, count, sizeof(uint64_t));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.order, 0, count, sizeof(uint32_t));
    if (status == QD_OK)
        status = qdi_buffer_need(tree, &tree->scratch.order_spare, 0, count, sizeof(uint32_t));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, ranges, sizeof(size_t));
    if (status != QD_OK) return status;
    insert_job job = {.tree = tree,
                      .insertions = insertions,
                      .keys = tree->scratch.keys.items,
                      .order = tree->scratch.order.items,
                      .count = count,
                      .places = tree->scratch.ranges.items};
    qdi_team_for(team, count, GRAIN, find_targets_range, &job);
    int bits = INDEX_BITS;
    while (bits < 60 && tree->family_used * 4 > (uint64_t)1 << (bits - INDEX_BITS)) ++bits;
    status = qdi_team_sort(team, job.keys, job.order, tree->scratch.keys_spare.items,
                           tree->scratch.order_spare.items, count, bits);
    if (status != QD_OK) return status;
    qdi_team_for(team, count, GRAIN, count_outgrown_range, &job);
    const size_t outgrown = qdi_exclusive_scan(job.places, ranges);
    status = qdi_buffer_need(tree, &tree->scratch.moves, 0, outgrown + 1, sizeof(qdi_move));
    if (status != QD_OK) return status;
    job.moves = tree->scratch.moves.items;
    qdi_team_for(team, outgrown == 0 ? 0 : count, GRAIN, note_outgrown_range, &job);
    status = qdi_slot_allocator_take(tree, job.moves, outgrown);
    if (status != QD_OK) return status;
    qdi_team_for(team, count, GRAIN, insert_runs_range, &job);
    qdi_slot_allocator_give_old(tree, job.moves, outgrown);
    return QD_OK;
}
