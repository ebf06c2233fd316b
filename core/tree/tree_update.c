// The pass over all bodies of a refresh.
//
// It goes over the nodes in memory order, which after packing is tree order, so it streams through the slots;
// the new boxes are gathered by row. A range of families belongs to one thread, with its nodes and slots. The
// root's list, which may be long, is cut into pieces of its own. What leaves a list is taken out of it at
// once, while it is in the cache, and kept in the worker's list of leavers. After every few families those of
// them whose new node is in the same range are inserted, most of them into lists that are in the cache too;
// the others go to a piece of the arena, and the insertions are put together in order of ranges. A body may
// come into a list whose bodies get their new boxes later: its own is given to it once more.
//
// Shared while threads work: the arena, which one of them at a time takes a piece of, or holds while it calls
// the allocator because its leavers must grow (in a steady state that does not happen), and the note that
// there was no more memory.
#include "core/tree/tree_update.h"

#include "core/base/memory.h"
#include "core/tree/kernel.h"

#include <string.h>

enum { AHEAD = 6, LEAST = 16, GRAIN = 64, BATCH = 32, PIECE = 4096, LINE = 16, HAND = 512 };

/// What became of a range of families.
typedef struct range_tally {
    const qdi_insertion *insertions; // in the arena
    size_t count;                    // of them
    size_t place;                    // of the first of them among all
    size_t filed;                    // put in another list of the range
    size_t removed;
    size_t bad;
} range_tally;

typedef struct update_job {
    qd_tree *tree;
    const qd_box *boxes;
    qdi_update_tally *pieces; // of the root's list
    range_tally *ranges;
    size_t grain;     // families in a range
    size_t root_gone; // first slot of the root's list whose body leaves
    int failed;
} update_job;

// What decides whether a body belongs to a node's list.
static qdi_node_test node_test_of(const qd_tree *tree, qdi_node_index index) {
    const qdi_family_info *info = &tree->infos[qdi_family_of(index)];
    unsigned q = qdi_sibling(index);
    float side = qdi_grid_side(&tree->grid, info->level);
    return (qdi_node_test){.low_x = info->border_x[q & 1U],
                           .high_x = info->border_x[(q & 1U) + 1],
                           .low_y = info->border_y[q >> 1],
                           .high_y = info->border_y[(q >> 1) + 1],
                           .side = side,
                           .half = 0.5F * side,
                           .leaf = qdi_is_leaf(&tree->nodes[index]),
                           .root = index == QDI_ROOT,
                           .period = tree->period};
}

// Gives bodies [begin, end) of the root's list their new boxes.
static void update_root_list_range(void *context, size_t begin, size_t end) {
    const update_job *job = context;
    const qdi_node *root = &job->tree->nodes[QDI_ROOT];
    qdi_node_test test = node_test_of(job->tree, QDI_ROOT);
    qdi_update_tally *tally = &job->pieces[begin / PIECE];
    job->tree->kernels->update(&job->tree->slots, job->boxes, &test, root->first + begin, root->first + end,
                               tally);
}

// Tree's update: makes room for `more` bodies in a worker's list of leavers.
static bool leavers_reserve(update_job *job, qdi_leavers *leavers, size_t more) {
    if ((leavers->count + more) * sizeof(qdi_insertion) <= leavers->insertions.bytes) return true;
    qdi_shared_arena_lock(&job->tree->arena);
    qd_status status = qdi_buffer_need(job->tree, &leavers->insertions, leavers->count, leavers->count + more,
                                       sizeof(qdi_insertion));
    qdi_shared_arena_unlock(&job->tree->arena);
    if (status != QD_OK) __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
    return status == QD_OK;
}

// True where the body in a slot stays in its node's list.
static inline bool body_stays_in_list(const qdi_slots *slots, const qdi_node_test *test, size_t slot) {
    bool fit = false;
    return slots->row[slot] != QDI_NONE && qdi_node_keeps(test, qdi_slot_box(slots, slot), &fit);
}

// Takes the body in a slot into the leavers, where there is room; the slot is dropped later.
static inline void take_leaver(const update_job *job, qdi_leavers *leavers, qdi_node_index index, size_t at) {
    const qdi_slots *slots = &job->tree->slots;
    qdi_insertion *insertions = leavers->insertions.items;
    if (slots->row[at] == QDI_NONE) {
        job->tree->node_of[slots->index[at]] = QDI_NONE;
    } else {
        insertions[leavers->count++] = (qdi_insertion){qdi_slot_box(slots, at), slots->row[at],
                                                       slots->index[at], index, 0};
    }
}

// Takes out of a list of at most 64 what leaves it.
static void extract_few_leavers(update_job *job, qdi_leavers *leavers, qdi_node_index index,
                                const qdi_update_tally *tally) {
    qdi_node *node = &job->tree->nodes[index];
    if (!leavers_reserve(job, leavers, tally->gone)) return;
    for (uint64_t which = tally->which; which != 0; which &= which - 1)
        take_leaver(job, leavers, index, node->first + (unsigned)__builtin_ctzll(which));
    job->tree->kernels->drop(&job->tree->slots, node->first, (size_t)node->first + node->count, tally->which);
    node->count -= tally->gone;
}

// Takes out of a list what leaves it, `gone` bodies of which slot `at` has the first.
static void extract_leavers(update_job *job, qdi_leavers *leavers, qdi_node_index index, size_t at,
                            size_t gone) {
    qd_tree *tree = job->tree;
    const qdi_slots *slots = &tree->slots;
    qdi_node *node = &tree->nodes[index];
    if (!leavers_reserve(job, leavers, gone)) return;
    const qdi_node_test test = node_test_of(tree, index);
    const size_t end = (size_t)node->first + node->count;
    size_t to = at;
    while (gone > 0) {
        take_leaver(job, leavers, index, at);
        gone -= 1;
        size_t next = ++at;
        while (next < end && (gone == 0 || body_stays_in_list(slots, &test, next)))
            next = gone == 0 ? end : next + 1;
        tree->kernels->shift(slots, to, at, next - at);
        to += next - at;
        at = next;
    }
    node->count = (uint32_t)(to - node->first);
}

// Prefetches the rows of a node's list.
// Lists that moved to another room since the tree was packed lie anywhere.
static inline void prefetch_rows(const update_job *job, const qdi_node *node) {
    for (uint32_t i = 0; i < node->count; i += LINE)
        __builtin_prefetch(job->tree->slots.row + node->first + i);
}

// Prefetches the new boxes of a node's list, and what an update of it, or a body that leaves or comes, needs.
// Bodies that changed their node since the rows were last in tree order have their boxes elsewhere.
static inline void prefetch_boxes(const update_job *job, const qdi_node *node) {
    const qdi_slots *slots = &job->tree->slots;
    const uint32_t *row = slots->row + node->first;
    for (uint32_t i = 0; i < node->count; i += LINE) {
        __builtin_prefetch(slots->min_x + node->first + i, 1);
        __builtin_prefetch(slots->min_y + node->first + i, 1);
        __builtin_prefetch(slots->max_x + node->first + i, 1);
        __builtin_prefetch(slots->max_y + node->first + i, 1);
        __builtin_prefetch(slots->index + node->first + i, 1);
    }
    // Where a row is QDI_NONE an address that nobody has does no harm; but no pointer may go there.
    const uintptr_t boxes = (uintptr_t)job->boxes;
    for (uint32_t i = 0; i < node->count; ++i)
        __builtin_prefetch((const void *)(boxes + (uintptr_t)row[i] * sizeof *job->boxes));
}

// Gives the bodies of a node's list their new boxes and takes out those that leave it.
static void update_node_boxes(update_job *job, qdi_node_index index, range_tally *range,
                              qdi_leavers *leavers) {
    qd_tree *tree = job->tree;
    qdi_node *node = &tree->nodes[index];
    if (node->count == 0) return;
    const qdi_node_test test = node_test_of(tree, index);
    qdi_update_tally one = {.bad = range->bad, .base = node->first, .own = qdi_box_empty()};
    tree->kernels->update(&tree->slots, job->boxes, &test, node->first, (size_t)node->first + node->count,
                          &one);
    node->own = one.own;
    node->fit = one.fit;
    range->removed += one.removed;
    range->bad = one.bad;
    if (one.gone == 0) return;
    if (node->count <= 64) {
        extract_few_leavers(job, leavers, index, &one);
    } else {
        extract_leavers(job, leavers, index, one.first_gone, one.gone);
    }
}

// Inserts those of the leavers from number `left` on whose new node is in the same range of families, where
// there is room; returns how many leavers are left. All targets are found before any list is touched: what
// the insertions read and write, which lies anywhere, is on its way meanwhile.
static size_t insert_leavers_nearby(qd_tree *tree, size_t begin, size_t end, qdi_leavers *leavers,
                                    size_t left) {
    qdi_insertion *insertions = leavers->insertions.items;
    for (size_t m = left; m < leavers->count; ++m) {
        qdi_insertion *insertion = &insertions[m];
        insertion->target = qdi_tree_find_from(tree, insertion->target, insertion->box);
        __builtin_prefetch(&tree->nodes[insertion->target], 1);
        __builtin_prefetch(&tree->node_of[insertion->index], 1);
    }
    for (size_t m = left; m < leavers->count; ++m) {
        const qdi_insertion insertion = insertions[m];
        const qdi_family_index family = qdi_family_of(insertion.target);
        const bool near = insertion.target != QDI_ROOT && family >= begin && family < end;
        if (!near || !qdi_insert_in_place(tree, &insertion)) insertions[left++] = insertion;
    }
    return left;
}

// Tree's update: stores the leavers of a range in the arena, as its insertions.
static void store_leavers(update_job *job, const qdi_leavers *leavers, range_tally *range) {
    qd_tree *tree = job->tree;
    range->count = leavers->count;
    if (leavers->count == 0) return;
    qdi_insertion *insertions = qdi_shared_arena_take(&tree->arena, tree->allocator,
                                                      leavers->count * sizeof *insertions);
    if (insertions) {
        memcpy(insertions, leavers->insertions.items, leavers->count * sizeof *insertions);
    } else {
        __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
    }
    range->insertions = insertions;
}

// Tree's update: gives the bodies of families [begin, end) their new boxes.
static void update_families_range(void *context, size_t begin, size_t end, int worker) {
    update_job *job = context;
    qd_tree *tree = job->tree;
    qdi_leavers *leavers = &tree->leavers[worker];
    range_tally *range = &job->ranges[begin / job->grain];
    *range = (range_tally){.bad = SIZE_MAX};
    leavers->count = 0;
    if (begin == 0 && tree->nodes[QDI_ROOT].leaving > 0)
        extract_leavers(job, leavers, QDI_ROOT, job->root_gone, tree->nodes[QDI_ROOT].leaving);
    const size_t ahead = qdi_tree_is_near(tree) ? 0 : 4 * end; // where prefetching ends
    size_t left = 0;
    for (size_t n = 4 * begin, stop; n < 4 * end; n = stop) {
        stop = n + 4 * BATCH < 4 * end ? n + 4 * BATCH : 4 * end;
        for (size_t at = n < 4 ? 4 : n; at < stop; ++at) {
            if (at + 2 * AHEAD < ahead) prefetch_rows(job, &tree->nodes[at + 2 * AHEAD]);
            if (at + AHEAD < ahead) prefetch_boxes(job, &tree->nodes[at + AHEAD]);
            update_node_boxes(job, (qdi_node_index)at, range, leavers);
        }
        left = insert_leavers_nearby(tree, begin, end, leavers, left);
        range->filed += leavers->count - left;
        leavers->count = left;
    }
    store_leavers(job, leavers, range);
}

// Gives the bodies of the root's list their new boxes, in pieces; the sums go to the root and to `all`.
static qd_status update_root_list(update_job *job, qd_team *team, qdi_update_tally *all) {
    qd_tree *tree = job->tree;
    qdi_node *root = &tree->nodes[QDI_ROOT];
    size_t pieces = qdi_range_count(root->count, PIECE);
    qd_status status = qdi_buffer_need(tree, &tree->scratch.tally, 0, pieces, sizeof(qdi_update_tally));
    if (status != QD_OK) return status;
    job->pieces = tree->scratch.tally.items;
    for (size_t p = 0; p < pieces; ++p)
        job->pieces[p] = (qdi_update_tally){.bad = SIZE_MAX, .own = qdi_box_empty()};
    qdi_team_for(team, root->count, PIECE, update_root_list_range, job);
    root->own = qdi_box_empty();
    root->fit = root->leaving = 0;
    for (size_t p = pieces; p-- > 0;) {
        const qdi_update_tally *piece = &job->pieces[p];
        root->own = qdi_box_union(root->own, piece->own);
        root->fit += piece->fit;
        root->leaving += piece->gone;
        if (piece->gone > 0) job->root_gone = piece->first_gone;
        all->removed += piece->removed;
        if (piece->bad < all->bad) all->bad = piece->bad;
    }
    return QD_OK;
}

// Tree's update: makes a list of leavers for each worker, and the arena empty.
static qd_status leavers_begin(qd_tree *tree, size_t workers) {
    if (workers > tree->leavers_count) {
        qdi_leavers *leavers = qdi_allocate(tree->allocator, workers, sizeof *leavers);
        if (!leavers) return QD_ERR_MEMORY;
        memset(leavers, 0, workers * sizeof *leavers);
        if (tree->leavers_count > 0) memcpy(leavers, tree->leavers, tree->leavers_count * sizeof *leavers);
        qdi_release(tree->allocator, tree->leavers, tree->leavers_count, sizeof *leavers);
        tree->leavers = leavers;
        tree->leavers_count = workers;
    }
    // Any worker may get the range that most bodies leave, so all get as much room as the one with most.
    size_t most = HAND * sizeof(qdi_insertion);
    for (size_t w = 0; w < tree->leavers_count; ++w) {
        if (tree->leavers[w].insertions.bytes > most) most = tree->leavers[w].insertions.bytes;
    }
    for (size_t w = 0; w < workers; ++w) {
        qdi_buffer *insertions = &tree->leavers[w].insertions;
        if (insertions->bytes == most) continue;
        qdi_buffer_free(tree, insertions);
        insertions->items = qdi_allocate(tree->allocator, most, 1);
        if (!insertions->items) return QD_ERR_MEMORY;
        insertions->bytes = most;
    }
    return qdi_shared_arena_reset(&tree->arena, tree->allocator, tree->arena.taken);
}

// Tree's update: copies the insertions of ranges [begin, end) to their places in scratch.insertions.
static void copy_insertions_range(void *context, size_t begin, size_t end) {
    const update_job *job = context;
    qdi_insertion *all = job->tree->scratch.insertions.items;
    for (size_t r = begin; r < end; ++r) {
        const range_tally *range = &job->ranges[r];
        if (range->count > 0) memcpy(all + range->place, range->insertions, range->count * sizeof *all);
    }
}

// Tree's update: puts the insertions together in scratch.insertions, in order of ranges.
static qd_status gather_insertions(update_job *job, qd_team *team, size_t ranges, size_t insertions) {
    qd_tree *tree = job->tree;
    qd_status status = qdi_buffer_need(tree, &tree->scratch.insertions, 0, insertions, sizeof(qdi_insertion));
    if (status == QD_OK) qdi_team_for(team, ranges, 64, copy_insertions_range, job);
    return status;
}

qd_status qdi_tree_update(qd_tree *tree, qd_team *team, qdi_update *update) {
    update_job job = {.tree = tree, .boxes = update->boxes};
    qdi_update_tally all = {.bad = SIZE_MAX};
    // One thread can insert all leavers on its way.
    job.grain = qdi_team_used(team) == 1 ? tree->family_used
                                         : qdi_fine_grain(team, tree->family_used, LEAST, GRAIN);
    size_t ranges = qdi_range_count(tree->family_used, job.grain);
    qd_status status = update_root_list(&job, team, &all);
    if (status == QD_OK) status = leavers_begin(tree, (size_t)qd_team_threads(team));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.tally, 0, ranges, sizeof(range_tally));
    if (status != QD_OK) return status;
    job.ranges = tree->scratch.tally.items;
    // The families, whose free ones have empty nodes.
    qdi_team_for_workers(team, tree->family_used, job.grain, update_families_range, &job);
    if (job.failed) return QD_ERR_MEMORY;
    size_t insertions = 0, filed = 0;
    for (size_t r = 0; r < ranges; ++r) {
        range_tally *range = &job.ranges[r];
        range->place = insertions;
        insertions += range->count;
        filed += range->filed;
        all.removed += range->removed;
        if (range->bad < all.bad) all.bad = range->bad;
    }
    update->bad = all.bad;
    update->insertions = insertions;
    update->filed = filed;
    update->removed = all.removed;
    return gather_insertions(&job, team, ranges, insertions);
}

typedef struct rings_job {
    const qd_tree *tree;
    const qdi_insertion *insertions;
    size_t (*sums)[QDI_RINGS]; // per range
} rings_job;

// Tree's update: counts the bodies of a list by the ring of their centre.
static void count_list_rings(const rings_job *job, const qdi_node *node, size_t *sums) {
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        sums[qdi_grid_ring_of_box(&job->tree->grid, qdi_slot_box(&job->tree->slots, s))] += 1;
    }
}

// Tree's update: counts the bodies of families [begin, end) by ring.
// A cell that no R0 lies in is all in one ring, as is R0's own.
static void count_family_rings_range(void *context, size_t begin, size_t end) {
    const rings_job *job = context;
    const qdi_grid *grid = &job->tree->grid;
    size_t *sums = job->sums[begin / GRAIN];
    for (size_t n = begin == 0 ? 4 : 4 * begin; n < 4 * end; ++n) {
        const qdi_node *node = &job->tree->nodes[n];
        if (node->count == 0) continue;
        qdi_cell cell = qdi_node_cell(job->tree, (qdi_node_index)n);
        if (cell.level < 0 && qdi_cell_equal(cell, qdi_grid_root(grid, -cell.level))) {
            count_list_rings(job, node, sums);
        } else {
            int shift = QDI_CELL_BITS - cell.level;
            sums[qdi_grid_ring(grid, (qdi_grid_point){cell.x << shift, cell.y << shift})] += node->count;
        }
    }
}

// Tree's update: counts the insertions [begin, end) by the ring of their centre.
static void count_insertion_rings_range(void *context, size_t begin, size_t end) {
    const rings_job *job = context;
    size_t *sums = job->sums[begin / PIECE];
    for (size_t m = begin; m < end; ++m)
        sums[qdi_grid_ring_of_box(&job->tree->grid, job->insertions[m].box)] += 1;
}

// Runs a count of rings in ranges and adds the sums to the tree's rings.
static qd_status add_ring_counts(qd_tree *tree, qd_team *team, rings_job *job, size_t count, size_t grain,
                                 qdi_range_function function) {
    size_t ranges = qdi_range_count(count, grain);
    qd_status status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, ranges, sizeof *job->sums);
    if (status != QD_OK) return status;
    job->sums = tree->scratch.ranges.items;
    for (size_t r = 0; r < ranges; ++r) {
        for (int k = 0; k < QDI_RINGS; ++k) job->sums[r][k] = 0;
    }
    qdi_team_for(team, count, grain, function, job);
    for (size_t r = 0; r < ranges; ++r) {
        for (int k = 0; k < QDI_RINGS; ++k) tree->rings[k] += job->sums[r][k];
    }
    return QD_OK;
}

qd_status qdi_tree_count_rings(qd_tree *tree, qd_team *team, size_t insertion_count) {
    rings_job job = {.tree = tree, .insertions = tree->scratch.insertions.items};
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    size_t rings[QDI_RINGS] = {0};
    count_list_rings(&job, root, rings);
    for (int k = 0; k < QDI_RINGS; ++k) tree->rings[k] = rings[k];
    qd_status status = add_ring_counts(tree, team, &job, insertion_count, PIECE, count_insertion_rings_range);
    if (status != QD_OK) return status;
    if (qdi_node_level(tree, QDI_ROOT) == 0) {
        // All bodies below R0 are inside it.
        tree->rings[0] += tree->count - insertion_count - root->count;
        return QD_OK;
    }
    return add_ring_counts(tree, team, &job, tree->family_used, GRAIN, count_family_rings_range);
}
