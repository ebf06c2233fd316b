// Packing: families and lists are copied to new memory in tree order, lists with fresh room.
//
// The tree is cut into subtrees. First each subtree's families and slots are counted, so that each knows
// where its part of the new memory begins; then each is copied, parents before children, lists in the same
// order. The few nodes above the subtrees go first. Nothing is shared but node_of, whose entry for a body is
// written by the thread that has the body's list.
#include "core/tree/tree_impl.h"

#include <string.h>

typedef struct part_size {
    size_t families, slots; // how many; then where they begin
} part_size;

typedef struct pack_job {
    qd_tree *tree; // families and nodes as they were
    const qdi_pack_source *source;
    qdi_frontier frontier;
    qdi_family *families; // the new memory
    qdi_family_info *infos;
    qdi_node *nodes;
    qdi_slots slots;
    part_size *parts; // per item
} pack_job;

// Counts the families and slots of a subtree.
static void pack_count_subtree(const qd_tree *tree, qdi_node_index index, part_size *part) {
    const qdi_node *node = &tree->nodes[index];
    part->slots += qdi_room_for(node->count);
    if (qdi_is_leaf(node)) return;
    part->families += 1;
    for (unsigned q = 0; q < 4; ++q) pack_count_subtree(tree, 4 * node->children + q, part);
}

// Counts the families and slots of subtrees [begin, end).
static void pack_count_range(void *context, size_t begin, size_t end) {
    const pack_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->parts[i] = (part_size){0, 0};
        pack_count_subtree(job->tree, job->frontier.items[i], &job->parts[i]);
    }
}

// Lets a slot sink in the heap of slots [first, first + count), for sorting them by index without memory.
static void sift_slots(qdi_slots *slots, size_t first, size_t at, size_t count) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && slots->index[first + child + 1] > slots->index[first + child]) ++child;
        if (slots->index[first + child] <= slots->index[first + at]) return;
        uint32_t index = slots->index[first + at];
        uint32_t row = slots->row[first + at];
        slots->index[first + at] = slots->index[first + child];
        slots->row[first + at] = slots->row[first + child];
        slots->index[first + child] = index;
        slots->row[first + child] = row;
        at = child;
    }
}

// Sorts slots by body index (heap sort).
static void sort_slots_by_index(qdi_slots *slots, size_t first, size_t count) {
    bool sorted = true;
    for (size_t s = 1; s < count && sorted; ++s)
        sorted = slots->index[first + s - 1] < slots->index[first + s];
    if (sorted) return;
    for (size_t at = count / 2; at-- > 0;) sift_slots(slots, first, at, count);
    for (size_t left = count - 1; left > 0; --left) {
        uint32_t index = slots->index[first];
        uint32_t row = slots->row[first];
        slots->index[first] = slots->index[first + left];
        slots->row[first] = slots->row[first + left];
        slots->index[first + left] = index;
        slots->row[first + left] = row;
        sift_slots(slots, first, 0, left);
    }
}

// Tree's packing: fills a list of the new memory from the caller's boxes.
static void pack_list_from_source(pack_job *job, const qdi_node *old, size_t first) {
    qdi_slots *slots = &job->slots;
    const qdi_pack_source *source = job->source;
    for (size_t i = 0; i < old->count; ++i) {
        uint32_t row = source->order[old->first + i];
        slots->row[first + i] = row;
        slots->index[first + i] = source->indices ? source->indices[row] : row;
    }
    sort_slots_by_index(slots, first, old->count);
    for (size_t s = first; s < first + old->count; ++s) {
        qdi_slot_set(slots, s, source->boxes[slots->row[s]], slots->row[s], slots->index[s]);
    }
}

// Copies a list from the old slots to the new ones.
static void pack_list_from_slots(pack_job *job, const qdi_node *old, size_t first) {
    const qdi_slots *from = &job->tree->slots;
    qdi_slots *to = &job->slots;
    memcpy(to->min_x + first, from->min_x + old->first, old->count * sizeof(float));
    memcpy(to->min_y + first, from->min_y + old->first, old->count * sizeof(float));
    memcpy(to->max_x + first, from->max_x + old->first, old->count * sizeof(float));
    memcpy(to->max_y + first, from->max_y + old->first, old->count * sizeof(float));
    memcpy(to->row + first, from->row + old->first, old->count * sizeof(uint32_t));
    memcpy(to->index + first, from->index + old->first, old->count * sizeof(uint32_t));
}

// Copies one node and its list from `old` to `new`, but for its children.
static void pack_node(pack_job *job, qdi_node_index old, qdi_node_index new, size_t *slot) {
    const qdi_node *from = &job->tree->nodes[old];
    qdi_node *to = &job->nodes[new];
    *to = *from;
    to->children = QDI_NO_CHILD;
    to->first = (uint32_t)*slot;
    to->room = qdi_room_for(from->count);
    *slot += to->room;
    if (from->count == 0) return;
    if (job->source) {
        pack_list_from_source(job, from, to->first);
    } else {
        pack_list_from_slots(job, from, to->first);
    }
    for (size_t s = to->first; s < (size_t)to->first + to->count; ++s) {
        job->tree->node_of[job->slots.index[s]] = new;
    }
}

// Makes family number `new` out of the children of `old`, whose node is now `parent`.
static void pack_family(pack_job *job, qdi_family_index old, qdi_family_index new, qdi_node_index parent) {
    job->families[new] = job->tree->families[old];
    job->infos[new] = job->tree->infos[old];
    job->infos[new].parent = parent;
    job->nodes[parent].children = new;
}

// Copies a subtree to the new memory in tree order.
static void pack_subtree(pack_job *job, qdi_node_index old, qdi_node_index new, part_size *at) {
    pack_node(job, old, new, &at->slots);
    qdi_family_index children = job->tree->nodes[old].children;
    if (children == QDI_NO_CHILD) return;
    qdi_family_index family = (qdi_family_index)at->families++;
    pack_family(job, children, family, new);
    for (unsigned q = 0; q < 4; ++q) pack_subtree(job, 4 * children + q, 4 * family + q, at);
}

// The number of a node in the new memory, by the link that pack_tops put in its family's first node.
static qdi_node_index packed_node_number(const qd_tree *tree, qdi_node_index old) {
    return 4 * tree->nodes[4 * qdi_family_of(old)].link + qdi_sibling(old);
}

// Copies subtrees [begin, end) to the new memory.
static void pack_subtrees_range(void *context, size_t begin, size_t end) {
    pack_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_node_index old = job->frontier.items[i];
        pack_subtree(job, old, packed_node_number(job->tree, old), &job->parts[i]);
    }
}

// Copies the nodes above the subtrees; family t + 1 is that of top t's children.
static void pack_tops(pack_job *job) {
    qd_tree *tree = job->tree;
    size_t slot = 0;
    job->families[0] = tree->families[0];
    job->infos[0] = tree->infos[0];
    for (unsigned q = 0; q < 4; ++q) job->nodes[q] = tree->nodes[q];
    tree->nodes[0].link = 0;
    for (size_t t = 0; t < job->frontier.top_count; ++t) {
        qdi_node_index old = job->frontier.tops[t];
        qdi_node_index new = packed_node_number(tree, old);
        pack_node(job, old, new, &slot);
        pack_family(job, tree->nodes[old].children, (qdi_family_index)(t + 1), new);
        tree->nodes[4 * tree->nodes[old].children].link = (uint32_t)(t + 1);
    }
}

// How many slots the lists above the subtrees need.
static size_t tops_slots(const pack_job *job) {
    size_t slots = 0;
    for (size_t t = 0; t < job->frontier.top_count; ++t) {
        slots += qdi_room_for(job->tree->nodes[job->frontier.tops[t]].count);
    }
    return slots;
}

// Recomputes the own bounds of nodes [begin, end).
static void measure_nodes_range(void *context, size_t begin, size_t end) {
    qd_tree *tree = context;
    for (size_t node = begin; node < end; ++node) qdi_node_measure(tree, (qdi_node_index)node);
}

qd_status qdi_tree_pack(qd_tree *tree, qd_team *team, const qdi_pack_source *source) {
    size_t grain = qdi_task_grain(tree->count, team, 4096);
    pack_job job = {.tree = tree, .source = source};
    qd_status status = qdi_frontier_make(tree, grain, &job.frontier);
    if (status != QD_OK) return status;
    size_t items = job.frontier.item_count;
    status = qdi_buffer_need(tree, &tree->scratch.tally, 0, items, sizeof(part_size));
    if (status != QD_OK) return status;
    job.parts = tree->scratch.tally.items;
    qdi_team_for(team, items, 1, pack_count_range, &job);
    part_size at = {1 + job.frontier.top_count, tops_slots(&job)};
    for (size_t i = 0; i < items; ++i) {
        part_size here = job.parts[i];
        job.parts[i] = at;
        at.families += here.families;
        at.slots += here.slots;
    }

    // New memory of its own size: the tree as it is now, with a fresh start.
    qd_tree fresh = {.allocator = tree->allocator};
    status = qdi_families_reserve(&fresh, at.families);
    if (status == QD_OK) status = qdi_slots_reserve(&fresh, at.slots);
    if (status == QD_OK) status = qdi_tree_compact_reserve(tree, at.families, at.slots);
    if (status != QD_OK) {
        qdi_memory_release(&fresh);
        return status;
    }
    job.families = fresh.families;
    job.infos = fresh.infos;
    job.nodes = fresh.nodes;
    job.slots = fresh.slots;
    pack_tops(&job);
    qdi_team_for(team, items, 1, pack_subtrees_range, &job);

    qdi_memory_swap(tree, &fresh);
    qdi_memory_release(&fresh);
    tree->family_used = at.families;
    tree->free_family = QDI_NO_CHILD;
    tree->free_count = 0;
    tree->slots.used = at.slots;
    tree->slots.idle = 0;
    qdi_slot_allocator_clear(&tree->slot_allocator);
    if (source) qdi_team_for(team, tree->family_used * 4, 64, measure_nodes_range, tree);
    return QD_OK;
}
