// Refresh: brings the tree up to date with all boxes at once. tree_update.c has the pass over the bodies,
// tree_insert.c and tree_split_merge.c what follows; here is the order of these, and how rows are matched to
// bodies when they are not the same as last time.
#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "core/base/memory.h"
#include "core/tree/root_list.h"
#include "core/tree/tree_update.h"

#include <string.h>

enum { GRAIN = 2048, FAMILY_GRAIN = 32 };

typedef struct range_sum {
    size_t highest, bad, fresh;
    bool different;
} range_sum;

typedef struct refresh_job {
    qd_tree *tree;
    const qd_box *boxes;
    const qd_body_index *indices;
    size_t n;
    range_sum *sums;
    uint32_t *row_of; // by index, while rows are matched to bodies
    qdi_insertion *insertions;
} refresh_job;

// Tree's refresh: the body that a row of the caller's boxes belongs to.
static qd_body_index body_of_row(const refresh_job *job, size_t row) {
    return job->indices ? job->indices[row] : (qd_body_index)row;
}

// Tree's refresh: makes room for a sum per range of rows, all empty.
static qd_status range_sums_reserve(refresh_job *job, size_t count, size_t grain) {
    size_t ranges = qdi_range_count(count, grain);
    qd_status status = qdi_buffer_need(job->tree, &job->tree->scratch.tally, 0, ranges, sizeof(range_sum));
    if (status != QD_OK) return status;
    job->sums = job->tree->scratch.tally.items;
    for (size_t r = 0; r < ranges; ++r) job->sums[r] = (range_sum){.bad = SIZE_MAX};
    return QD_OK;
}

// Tree's refresh: compares rows [begin, end) with those of the last refresh.
static void compare_rows_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    job->sums[begin / GRAIN].different = memcmp(job->indices + begin, job->tree->row_index + begin,
                                                (end - begin) * sizeof *job->indices) != 0;
}

// True where the rows are those of the last refresh, so that every slot's row still holds.
static bool rows_are_unchanged(refresh_job *job, qd_team *team) {
    const qd_tree *tree = job->tree;
    if (!tree->rows_known || job->n != tree->row_count || (job->indices == NULL) != tree->rows_plain)
        return false;
    if (!job->indices) return true;
    qdi_team_for(team, job->n, GRAIN, compare_rows_range, job);
    for (size_t r = 0; r < qdi_range_count(job->n, GRAIN); ++r) {
        if (job->sums[r].different) return false;
    }
    return true;
}

// Tree's refresh: finds the highest body index of rows [begin, end).
static void highest_index_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    size_t highest = 0;
    for (size_t i = begin; i < end; ++i) {
        if (body_of_row(job, i) > highest) highest = body_of_row(job, i);
    }
    job->sums[begin / GRAIN].highest = highest;
}

// Tree's refresh: forgets the rows of bodies [begin, end).
static void forget_rows_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    for (size_t i = begin; i < end; ++i) job->row_of[i] = QDI_NONE;
}

// Tree's refresh: notes the rows [begin, end) of the bodies.
// Two rows with one index write the same place: the last one stays, and the check that follows finds the
// other.
static void note_rows_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        __atomic_store_n(&job->row_of[body_of_row(job, i)], (uint32_t)i, __ATOMIC_RELAXED);
    }
}

// Finds rows [begin, end) that share a body with another row, and bodies that are new to the tree.
static void check_rows_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    range_sum *sum = &job->sums[begin / GRAIN];
    for (size_t i = begin; i < end; ++i) {
        qd_body_index index = body_of_row(job, i);
        sum->different |= job->row_of[index] != i;
        sum->fresh += job->tree->node_of[index] == QDI_NONE;
    }
}

// Gives the slots of families [begin, end) the new rows of their bodies.
static void renumber_slots_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    qdi_slots *slots = &job->tree->slots;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        const qdi_node *node = &job->tree->nodes[n];
        for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
            slots->row[s] = job->row_of[slots->index[s]];
        }
    }
}

// Gives every slot the row of its body, QDI_NONE where that is gone. `fresh` is the number of bodies that the
// tree does not have yet.
static qd_status match_rows_to_slots(refresh_job *job, qd_team *team, size_t *fresh) {
    qd_tree *tree = job->tree;
    size_t ranges = qdi_range_count(job->n, GRAIN);
    qdi_team_for(team, job->n, GRAIN, highest_index_range, job);
    size_t indices = 0;
    for (size_t r = 0; r < ranges; ++r) {
        if (job->sums[r].highest + 1 > indices) indices = job->sums[r].highest + 1;
    }
    if (indices > QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    qd_status status = qdi_node_of_reserve(tree, indices);
    if (status == QD_OK) {
        status = qdi_buffer_need(tree, &tree->scratch.spare, 0, tree->node_of_room, sizeof(uint32_t));
    }
    if (status == QD_OK && job->indices) {
        // What is there is kept: should two rows have one index, it still says what the last refresh had.
        status = qdi_reserve(tree->allocator, &tree->row_index, &tree->row_room,
                             tree->rows_plain ? 0 : tree->row_count, job->n, sizeof *tree->row_index);
    }
    if (status != QD_OK) return status;
    job->row_of = tree->scratch.spare.items;
    qdi_team_for(team, tree->node_of_room, GRAIN, forget_rows_range, job);
    qdi_team_for(team, job->n, GRAIN, note_rows_range, job);
    for (size_t r = 0; r < ranges; ++r) job->sums[r] = (range_sum){.bad = SIZE_MAX};
    qdi_team_for(team, job->n, GRAIN, check_rows_range, job);
    *fresh = 0;
    for (size_t r = 0; r < ranges; ++r) {
        if (job->sums[r].different) return QD_ERR_EXISTS;
        *fresh += job->sums[r].fresh;
    }
    qdi_team_for(team, tree->family_used, FAMILY_GRAIN, renumber_slots_range, job);
    if (job->indices && job->n > 0) memcpy(tree->row_index, job->indices, job->n * sizeof *job->indices);
    tree->rows_plain = job->indices == NULL;
    tree->row_count = job->n;
    tree->rows_known = true;
    return QD_OK;
}

// Tree's refresh: finds the lowest of rows [begin, end) with a bad box.
static void check_boxes_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    range_sum *sum = &job->sums[begin / GRAIN];
    for (size_t i = end; i-- > begin;) {
        if (!qdi_box_acceptable(job->boxes[i], job->tree->period)) sum->bad = i;
    }
}

// Tree's refresh: the lowest row with a bad box, SIZE_MAX where all are good.
static qd_status lowest_bad_row(refresh_job *job, qd_team *team, size_t *bad) {
    *bad = SIZE_MAX;
    qd_status status = range_sums_reserve(job, job->n, GRAIN);
    if (status != QD_OK) return status;
    qdi_team_for(team, job->n, GRAIN, check_boxes_range, job);
    for (size_t r = 0; r < qdi_range_count(job->n, GRAIN) && *bad == SIZE_MAX; ++r) *bad = job->sums[r].bad;
    return QD_OK;
}

// Tree's refresh: marks bodies of families [begin, end) to be removed whose old and new boxes do not fit the
// period.
static void drop_unfit_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    const qd_tree *tree = job->tree;
    const qdi_slots *slots = &tree->slots;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        const qdi_node *node = &tree->nodes[n];
        for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
            const uint32_t row = slots->row[s];
            if (row == QDI_NONE || qdi_box_acceptable(job->boxes[row], tree->period)) continue;
            if (!qdi_box_acceptable(qdi_slot_box(slots, s), tree->period)) slots->row[s] = QDI_NONE;
        }
    }
}

// Tree's refresh: removes bodies with bad boxes that would keep their old box, where that does not fit the
// new period.
static qd_status remove_unfit_bodies(refresh_job *job, qd_team *team, size_t *bad) {
    qd_tree *tree = job->tree;
    qd_status status = lowest_bad_row(job, team, bad);
    if (status != QD_OK || *bad == SIZE_MAX) return status;
    qdi_team_for(team, tree->family_used, FAMILY_GRAIN, drop_unfit_range, job);
    tree->rows_known = false; // the next refresh has to look for them
    return QD_OK;
}

// True for a body that is new to the tree and whose box is good.
static bool is_fresh_with_good_box(const refresh_job *job, size_t row, qd_body_index index) {
    return job->tree->node_of[index] == QDI_NONE && qdi_box_acceptable(job->boxes[row], job->tree->period);
}

// Counts the bodies of rows [begin, end) that are new to the tree.
static void count_fresh_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    range_sum *sum = &job->sums[begin / GRAIN];
    for (size_t i = end; i-- > begin;) {
        qd_body_index index = body_of_row(job, i);
        if (job->tree->node_of[index] != QDI_NONE) continue;
        if (is_fresh_with_good_box(job, i, index)) {
            sum->fresh += 1;
        } else {
            sum->bad = i;
        }
    }
}

// Appends the bodies of rows [begin, end) that are new to the tree to the insertions.
static void append_fresh_range(void *context, size_t begin, size_t end) {
    const refresh_job *job = context;
    size_t place = job->sums[begin / GRAIN].fresh;
    for (size_t i = begin; i < end; ++i) {
        qd_body_index index = body_of_row(job, i);
        if (!is_fresh_with_good_box(job, i, index)) continue;
        job->insertions[place++] = (qdi_insertion){job->boxes[i], (uint32_t)i, index, QDI_ROOT, 1};
    }
}

// Appends the bodies that the tree does not have yet to the insertions.
static qd_status append_fresh_bodies(refresh_job *job, qd_team *team, size_t *insertion_count, size_t *added,
                                     size_t *bad) {
    qd_tree *tree = job->tree;
    qd_status status = range_sums_reserve(job, job->n, GRAIN);
    if (status != QD_OK) return status;
    qdi_team_for(team, job->n, GRAIN, count_fresh_range, job);
    size_t place = *insertion_count;
    for (size_t r = 0; r < qdi_range_count(job->n, GRAIN); ++r) {
        size_t here = job->sums[r].fresh;
        job->sums[r].fresh = place;
        place += here;
        if (job->sums[r].bad < *bad) *bad = job->sums[r].bad;
    }
    status = qdi_buffer_need(tree, &tree->scratch.insertions, *insertion_count, place, sizeof(qdi_insertion));
    if (status != QD_OK) return status;
    job->insertions = tree->scratch.insertions.items;
    qdi_team_for(team, job->n, GRAIN, append_fresh_range, job);
    *added = place - *insertion_count;
    *insertion_count = place;
    return QD_OK;
}

qd_status qdi_tree_finish(qd_tree *tree, qd_team *team, size_t insertion_count, qd_tree_counts *counts) {
    size_t taken = insertion_count;
    qd_status status = qdi_root_set(tree, qdi_root_choose(tree, tree->count), &taken);
    if (status == QD_OK) status = qdi_insert_bodies(tree, team, tree->scratch.insertions.items, taken);
    if (status == QD_OK) status = qdi_tree_split_merge(tree, team, counts);
    if (status != QD_OK) return status;
    counts->refiled += taken - insertion_count;
    // Lists that lie apart cost more to read: where an eighth of them do, as much in some steps as compacting
    // costs. So many idle slots are rare, since rooms are used again, but a tree that changes for good leaves
    // rooms of sizes that no list needs.
    const size_t used = tree->slots.used;
    if (used > 1024 && (tree->slot_allocator.taken > used / 8 || tree->slots.idle > used / 4)) {
        status = qdi_tree_compact(tree, team);
        if (status != QD_OK) return status;
    }
    status = qdi_root_list_build(tree);
    if (status == QD_OK) tree->revision += 1;
    return status;
}

// Builds the tree anew, when it is empty.
static qd_status build_all(refresh_job *job, qd_team *team, qd_tree_counts *counts) {
    qd_tree *tree = job->tree;
    bool plain = tree->rows_plain;
    qd_status status = qdi_tree_build(tree, team, job->boxes, job->indices, job->n);
    if (status != QD_OK) return status;
    tree->rows_plain = plain;
    tree->row_count = job->n;
    tree->rows_known = true;
    counts->built = true;
    counts->added = job->n;
    return qdi_tree_finish(tree, team, 0, counts);
}

// Brings the tree up to date with all boxes.
static qd_status refresh_tree(refresh_job *job, qd_team *team, qd_tree_counts *counts, size_t *bad) {
    qd_tree *tree = job->tree;
    qd_status status = range_sums_reserve(job, job->n, GRAIN);
    if (status != QD_OK) return status;
    size_t fresh = 0;
    if (!rows_are_unchanged(job, team)) {
        status = match_rows_to_slots(job, team, &fresh);
        if (status != QD_OK) return status;
    }
    if (tree->count == 0) {
        status = lowest_bad_row(job, team, bad);
        if (status != QD_OK) return status;
        if (*bad == SIZE_MAX) return build_all(job, team, counts);
    }
    if (tree->period_new) status = remove_unfit_bodies(job, team, bad);
    if (status != QD_OK) return status;
    qdi_update update = {.boxes = job->boxes};
    status = qdi_tree_update(tree, team, &update);
    if (status != QD_OK) return status;
    if (update.bad < *bad) *bad = update.bad;
    size_t insertions = update.insertions;
    size_t added = 0;
    if (fresh > 0) {
        status = append_fresh_bodies(job, team, &insertions, &added, bad);
        if (status != QD_OK) return status;
        if (added < fresh)
            tree->rows_known = false; // the next refresh has to look for the bodies that were left out
    }
    counts->refiled = update.insertions + update.filed;
    counts->added = added;
    counts->removed = update.removed;
    tree->count += added - update.removed;
    status = qdi_tree_count_rings(tree, team, insertions);
    if (status != QD_OK) return status;
    status = qdi_tree_finish(tree, team, insertions, counts);
    counts->in_place = tree->count - counts->refiled - added;
    return status;
}

qd_status qd_tree_refresh(qd_tree *tree, qd_team *team, const qd_box *boxes, const qd_body_index *indices,
                          size_t n, qd_tree_counts *counts, size_t *bad) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (bad) *bad = SIZE_MAX;
    if (counts) *counts = (qd_tree_counts){0};
    if (!tree || !team || (n > 0 && !boxes)) return QD_ERR_ARGUMENT;
    if (n > QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    refresh_job job = {.tree = tree, .boxes = boxes, .indices = indices, .n = n};
    qd_tree_counts here = {0};
    size_t lowest = SIZE_MAX;
    qd_status status = refresh_tree(&job, team, &here, &lowest);
    if (counts) *counts = here;
    if (status == QD_ERR_MEMORY) {
        qdi_tree_clear(tree);
        tree->revision += 1;
    }
    if (status != QD_OK) return status;
    tree->period_new = false;
    QD_ASSERT_FULL(qd_tree_validate(tree, NULL) == QD_OK);
    if (bad) *bad = lowest;
    return lowest == SIZE_MAX ? QD_OK : QD_ERR_VALUE;
}
