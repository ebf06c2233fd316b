// Tidying: the lists are laid in tree order again, with fresh rooms, in the memory that they have. Families
// keep their numbers, so nothing is written but slots and where lists begin.
//
// One column of the slots after the other is gathered in a spare one, in the new order, and copied back:
//
//   min_x:   B . A . C .   -->   spare:   A . B . C .   -->   min_x:   A . B . C .
//
// Shared while threads work: nothing; whoever has a node copies its list, and copies back go by ranges of
// slots.
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

static size_t slots_below(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    size_t slots = qdi_room_for(node->count);
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) slots += slots_below(tree, 4 * node->children + q);
    return slots;
}

static void count_items(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const compact_job *job = context;
    for (size_t i = begin; i < end; ++i) job->parts[i] = slots_below(job->tree, job->frontier.items[i]);
}

static size_t place_below(const compact_job *job, qdi_node_index index, size_t slot) {
    const qdi_node *node = &job->tree->nodes[index];
    job->places[index] = (uint32_t)slot;
    slot += qdi_room_for(node->count);
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q)
        slot = place_below(job, 4 * node->children + q, slot);
    return slot;
}

static void place_items(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const compact_job *job = context;
    for (size_t i = begin; i < end; ++i) (void)place_below(job, job->frontier.items[i], job->parts[i]);
}

// Nodes of free families have no list.
static void gather_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const compact_job *job = context;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        const qdi_node *node = &job->tree->nodes[n];
        if (node->count == 0) continue;
        memcpy(job->spare + job->places[n], (const char *)job->column + node->first * WORD,
               node->count * WORD);
    }
}

static void return_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const compact_job *job = context;
    memcpy((char *)job->column + begin * WORD, job->spare + begin, (end - begin) * WORD);
}

static void house_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const compact_job *job = context;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        qdi_node *node = &job->tree->nodes[n];
        node->room = qdi_room_for(node->count);
        node->first = node->room > 0 ? job->places[n] : 0;
    }
}

// Finds out where each list goes; returns how many slots all of them need.
static qd_status place_lists(compact_job *job, qd_team *team, size_t *need) {
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
    qdi_team_for(team, items, 1, count_items, job);
    size_t slot = 0;
    for (size_t t = 0; t < job->frontier.top_count; ++t) {
        const qdi_node_index top = job->frontier.tops[t];
        job->places[top] = (uint32_t)slot;
        slot += qdi_room_for(tree->nodes[top].count);
    }
    *need = slot + qdi_exclusive_scan(job->parts, items);
    for (size_t i = 0; i < items; ++i) job->parts[i] += slot;
    qdi_team_for(team, items, 1, place_items, job);
    return QD_OK;
}

static void copy_column(compact_job *job, qd_team *team, void *column, size_t used) {
    job->column = column;
    qdi_team_for(team, job->tree->family_used, GRAIN, gather_range, job);
    qdi_team_for(team, used, BLOCK, return_range, job);
}

qd_status qdi_tree_compact_reserve(qd_tree *tree, size_t families, size_t slots) {
    qd_status status = qdi_buffer_need(tree, &tree->scratch.spare, 0, slots + slots / 16, WORD);
    if (status != QD_OK) return status;
    return qdi_buffer_need(tree, &tree->scratch.places, 0, 4 * (families + families / 8), WORD);
}

qd_status qdi_tree_compact(qd_tree *tree, qd_team *team) {
    compact_job job = {.tree = tree};
    size_t need = 0;
    qd_status status = place_lists(&job, team, &need);
    if (status != QD_OK) return status;
    // Where most of the memory would be left idle, it is given back.
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
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c) copy_column(&job, team, columns[c], need);
    qdi_team_for(team, tree->family_used, GRAIN, house_range, &job);
    slots->used = need;
    slots->idle = 0;
    qdi_slot_allocator_clear(&tree->slot_allocator);
    return QD_OK;
}
