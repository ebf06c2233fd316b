// Compaction: lays the lists in tree order again, with fresh rooms, in the memory that they have. Families
// keep their numbers, so only the slots and the beginnings of lists are written.
//
// One column of the slots after the other is gathered in a spare one, in the new order, and copied back:
//
//   min_x:   B . A . C .   -->   spare:   A . B . C .   -->   min_x:   A . B . C .
//
// Shared while threads work: nothing; the thread that has a node copies its list, and ranges of slots are
// copied back.
#include "core/tree/tree_impl.h"

#include <string.h>

enum {
    GRAIN = 64,
    BLOCK = 32768,
    LITTLE = 4096,
    WORD = sizeof(uint32_t)
}; // the columns' numbers are all as long

typedef struct compact_job {
    qd_tree *tree;
    qdi_frontier frontier;
    size_t *parts;    // per item: slots its lists need; then where they begin
    uint32_t *places; // per node: where its list goes
    void *column;     // in hand
    uint32_t *spare;
} compact_job;

// How many slots the lists of a subtree need.
static size_t subtree_slots(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    size_t slots = qdi_room_for(node->count);
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q)
        slots += subtree_slots(tree, 4 * node->children + q);
    return slots;
}

// Counts the slots that the lists of subtrees [begin, end) need.
static void count_subtree_slots_range(void *context, size_t begin, size_t end) {
    const compact_job *job = context;
    for (size_t i = begin; i < end; ++i) job->parts[i] = subtree_slots(job->tree, job->frontier.items[i]);
}

// Says where the lists of a subtree go, from a slot on; returns the slot after them.
static size_t place_subtree_lists(const compact_job *job, qdi_node_index index, size_t slot) {
    const qdi_node *node = &job->tree->nodes[index];
    job->places[index] = (uint32_t)slot;
    slot += qdi_room_for(node->count);
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q)
        slot = place_subtree_lists(job, 4 * node->children + q, slot);
    return slot;
}

// Says where the lists of subtrees [begin, end) go.
static void place_subtree_lists_range(void *context, size_t begin, size_t end) {
    const compact_job *job = context;
    for (size_t i = begin; i < end; ++i)
        (void)place_subtree_lists(job, job->frontier.items[i], job->parts[i]);
}

// Tree's compaction: copies one column of the lists of families [begin, end) to the spare in their new order.
// Free families have no list.
static void gather_column_range(void *context, size_t begin, size_t end) {
    const compact_job *job = context;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        const qdi_node *node = &job->tree->nodes[n];
        if (node->count == 0) continue;
        memcpy(job->spare + job->places[n], (const char *)job->column + node->first * WORD,
               node->count * WORD);
    }
}

// Copies slots [begin, end) of a column back from the spare.
static void copy_column_back_range(void *context, size_t begin, size_t end) {
    const compact_job *job = context;
    memcpy((char *)job->column + begin * WORD, job->spare + begin, (end - begin) * WORD);
}

// Notes in the nodes of families [begin, end) where their lists are now.
static void set_list_places_range(void *context, size_t begin, size_t end) {
    const compact_job *job = context;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        qdi_node *node = &job->tree->nodes[n];
        node->room = qdi_room_for(node->count);
        node->first = node->room > 0 ? job->places[n] : 0;
    }
}

// Says where each list of the tree goes; `need` is how many slots all of them take.
static qd_status place_all_lists(compact_job *job, qd_team *team, size_t *need) {
    qd_tree *tree = job->tree;
    qd_status status = qdi_frontier_make(tree, qdi_task_grain(tree->count, team, 4096), &job->frontier);
    if (status != QD_OK) return status;
    const size_t items = job->frontier.item_count;
    status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, items, sizeof *job->parts);
    if (status == QD_OK)
        status = qdi_buffer_need(tree, &tree->scratch.places, 0, 4 * tree->family_used, WORD);
    if (status != QD_OK) return status;
    job->parts = tree->scratch.ranges.items;
    job->places = tree->scratch.places.items;
    qdi_team_for(team, items, 1, count_subtree_slots_range, job);
    size_t slot = 0;
    for (size_t t = 0; t < job->frontier.top_count; ++t) {
        const qdi_node_index top = job->frontier.tops[t];
        job->places[top] = (uint32_t)slot;
        slot += qdi_room_for(tree->nodes[top].count);
    }
    *need = slot + qdi_exclusive_scan(job->parts, items);
    for (size_t i = 0; i < items; ++i) job->parts[i] += slot;
    qdi_team_for(team, items, 1, place_subtree_lists_range, job);
    return QD_OK;
}

// Puts one column of the slots into the new order.
static void compact_column(compact_job *job, qd_team *team, void *column, size_t used) {
    job->column = column;
    qdi_team_for(team, job->tree->family_used, GRAIN, gather_column_range, job);
    qdi_team_for(team, used, BLOCK, copy_column_back_range, job);
}

qd_status qdi_tree_compact_reserve(qd_tree *tree, size_t families, size_t slots) {
    qd_status status = qdi_buffer_need(tree, &tree->scratch.spare, 0, slots + slots / 16, WORD);
    if (status != QD_OK) return status;
    return qdi_buffer_need(tree, &tree->scratch.places, 0, 4 * (families + families / 8), WORD);
}

qd_status qdi_tree_compact(qd_tree *tree, qd_team *team) {
    compact_job job = {.tree = tree};
    size_t need = 0;
    qd_status status = place_all_lists(&job, team, &need);
    if (status != QD_OK) return status;
    // Where most of the memory would be unused, it is freed.
    const size_t families = tree->family_used - tree->free_count;
    if (tree->slots.room > 2 * need + LITTLE || tree->family_used > 2 * families + LITTLE)
        return qdi_tree_pack(tree, team, NULL);
    status = qdi_slots_reserve(tree, need);
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.spare, 0, need, WORD);
    if (status != QD_OK) return status;
    job.spare = tree->scratch.spare.items;
    qdi_slots *slots = &tree->slots;
    void *const columns[] = {slots->min_x, slots->min_y, slots->max_x,
                             slots->max_y, slots->row,   slots->index};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        compact_column(&job, team, columns[c], need);
    qdi_team_for(team, tree->family_used, GRAIN, set_list_places_range, &job);
    slots->used = need;
    slots->idle = 0;
    qdi_slot_allocator_clear(&tree->slot_allocator);
    return QD_OK;
}
