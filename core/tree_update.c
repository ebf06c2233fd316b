// The pass over all bodies of a refresh.
//
// It goes over the nodes in memory order, which after packing is tree order, so it streams through the slots; the new boxes are
// gathered by row. A range of families belongs to one thread, with its nodes and slots. The root's list, which may be long, is cut
// into pieces of its own. First every body gets its new box and those that leave are only counted: then their places among
// the movers are known, and a second pass over the few lists that lose someone takes them out.
#include "core/tree_update.h"

#include "core/kernel.h"

enum { GRAIN = 32, PIECE = 4096 };

typedef struct update_job {
    qd_tree *tree;
    const qd_box *boxes;
    qdi_update_tally *tallies;
    qdi_mover *movers;
} update_job;

static qdi_node_test test_of(const qd_tree *tree, qdi_node_index index) {
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

static void update_root_piece(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const update_job *job = context;
    const qdi_node *root = &job->tree->nodes[QDI_ROOT];
    qdi_node_test test = test_of(job->tree, QDI_ROOT);
    qdi_update_tally *tally = &job->tallies[begin / PIECE];
    job->tree->kernels->update(&job->tree->slots, job->boxes, &test, root->first + begin, root->first + end,
                               tally);
}

static void update_families(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const update_job *job = context;
    const qdi_kernels *kernels = job->tree->kernels;
    qdi_update_tally *all = &job->tallies[begin / GRAIN];
    for (size_t n = begin == 0 ? 4 : 4 * begin; n < 4 * end; ++n) {
        qdi_node *node = &job->tree->nodes[n];
        node->leaving = 0;
        if (node->count == 0) continue;
        qdi_node_test test = test_of(job->tree, (qdi_node_index)n);
        qdi_update_tally one = {.bad = all->bad, .own = qdi_box_empty()};
        kernels->update(&job->tree->slots, job->boxes, &test, node->first, (size_t)node->first + node->count,
                        &one);
        node->own = one.own;
        node->fit = one.fit;
        node->leaving = one.gone;
        all->leaving += one.leaving;
        all->removed += one.removed;
        all->bad = one.bad;
    }
}

// Takes out of one list what leaves it; returns where the next mover goes.
static size_t extract(const update_job *job, qdi_node_index index, size_t place) {
    qd_tree *tree = job->tree;
    qdi_slots *slots = &tree->slots;
    qdi_node *node = &tree->nodes[index];
    qdi_node_test test = test_of(tree, index);
    size_t end = (size_t)node->first + node->count;
    size_t to = node->first;
    for (size_t s = node->first; s < end; ++s) {
        qd_box box = qdi_slot_box(slots, s);
        bool fit = false;
        if (slots->row[s] == QDI_NONE) {
            tree->node_of[slots->index[s]] = QDI_NONE;
        } else if (qdi_node_keeps(&test, box, &fit)) {
            if (to != s) qdi_slot_move(slots, to, s);
            ++to;
        } else {
            job->movers[place++] = (qdi_mover){box, slots->row[s], slots->index[s], index, 0};
        }
    }
    node->count = (uint32_t)(to - node->first);
    node->leaving = 0;
    return place;
}

static void extract_families(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const update_job *job = context;
    size_t place = job->tallies[begin / GRAIN].leaving;
    for (size_t n = 4 * begin; n < 4 * end; ++n) {
        if (job->tree->nodes[n].leaving > 0) place = extract(job, (qdi_node_index)n, place);
    }
}

// The root's list, in pieces; its sums go to the root and to `all`.
static qd_status update_root(update_job *job, qd_team *team, qdi_update_tally *all) {
    qd_tree *tree = job->tree;
    qdi_node *root = &tree->nodes[QDI_ROOT];
    size_t pieces = qdi_range_count(root->count, PIECE);
    qd_status status = qdi_buffer_need(tree, &tree->scratch.tally, 0, pieces, sizeof(qdi_update_tally));
    if (status != QD_OK) return status;
    job->tallies = tree->scratch.tally.items;
    for (size_t p = 0; p < pieces; ++p)
        job->tallies[p] = (qdi_update_tally){.bad = SIZE_MAX, .own = qdi_box_empty()};
    qdi_team_for(team, root->count, PIECE, update_root_piece, job);
    root->own = qdi_box_empty();
    root->fit = root->leaving = 0;
    for (size_t p = 0; p < pieces; ++p) {
        const qdi_update_tally *piece = &job->tallies[p];
        root->own = qdi_box_union(root->own, piece->own);
        root->fit += piece->fit;
        root->leaving += piece->gone;
        all->leaving += piece->leaving;
        all->removed += piece->removed;
        if (piece->bad < all->bad) all->bad = piece->bad;
    }
    return QD_OK;
}

qd_status qdi_tree_update(qd_tree *tree, qd_team *team, qdi_update *update) {
    update_job job = {.tree = tree, .boxes = update->boxes};
    qdi_update_tally all = {.bad = SIZE_MAX};
    qd_status status = update_root(&job, team, &all);
    if (status != QD_OK) return status;

    // The families, whose free ones have empty nodes.
    size_t ranges = qdi_range_count(tree->family_used, GRAIN);
    status = qdi_buffer_need(tree, &tree->scratch.tally, 0, ranges, sizeof(qdi_update_tally));
    if (status != QD_OK) return status;
    job.tallies = tree->scratch.tally.items;
    for (size_t r = 0; r < ranges; ++r) job.tallies[r] = (qdi_update_tally){.bad = SIZE_MAX};
    qdi_team_for(team, tree->family_used, GRAIN, update_families, &job);
    for (size_t r = 0; r < ranges; ++r) {
        size_t leaving = job.tallies[r].leaving;
        job.tallies[r].leaving = all.leaving; // where the range's movers begin
        all.leaving += leaving;
        all.removed += job.tallies[r].removed;
        if (job.tallies[r].bad < all.bad) all.bad = job.tallies[r].bad;
    }
    update->bad = all.bad;
    update->movers = all.leaving;
    update->removed = all.removed;
    if (all.leaving + all.removed == 0) return QD_OK;
    status = qdi_buffer_need(tree, &tree->scratch.movers, 0, all.leaving, sizeof(qdi_mover));
    if (status != QD_OK) return status;
    job.movers = tree->scratch.movers.items;
    job.tallies[0].leaving = 0; // range 0 begins with the root, whose movers come first
    qdi_team_for(team, tree->family_used, GRAIN, extract_families, &job);
    return QD_OK;
}

typedef struct rings_job {
    const qd_tree *tree;
    const qdi_mover *movers;
    size_t (*sums)[QDI_RINGS]; // per range
} rings_job;

static void rings_of_list(const rings_job *job, const qdi_node *node, size_t *sums) {
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        sums[qdi_grid_ring_of_box(&job->tree->grid, qdi_slot_box(&job->tree->slots, s))] += 1;
    }
}

// A cell that no R0 lies in is all in one ring, as is R0's own.
static void rings_of_families(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rings_job *job = context;
    const qdi_grid *grid = &job->tree->grid;
    size_t *sums = job->sums[begin / GRAIN];
    for (size_t n = begin == 0 ? 4 : 4 * begin; n < 4 * end; ++n) {
        const qdi_node *node = &job->tree->nodes[n];
        if (node->count == 0) continue;
        qdi_cell cell = qdi_node_cell(job->tree, (qdi_node_index)n);
        if (cell.level < 0 && qdi_cell_equal(cell, qdi_grid_root(grid, -cell.level))) {
            rings_of_list(job, node, sums);
        } else {
            int shift = QDI_CELL_BITS - cell.level;
            sums[qdi_grid_ring(grid, (qdi_place){cell.x << shift, cell.y << shift})] += node->count;
        }
    }
}

static void rings_of_movers(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const rings_job *job = context;
    size_t *sums = job->sums[begin / PIECE];
    for (size_t m = begin; m < end; ++m)
        sums[qdi_grid_ring_of_box(&job->tree->grid, job->movers[m].box)] += 1;
}

static qd_status add_rings(qd_tree *tree, qd_team *team, rings_job *job, size_t count, size_t grain,
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

qd_status qdi_tree_count_rings(qd_tree *tree, qd_team *team, size_t mover_count) {
    rings_job job = {.tree = tree, .movers = tree->scratch.movers.items};
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    size_t rings[QDI_RINGS] = {0};
    rings_of_list(&job, root, rings);
    for (int k = 0; k < QDI_RINGS; ++k) tree->rings[k] = rings[k];
    qd_status status = add_rings(tree, team, &job, mover_count, PIECE, rings_of_movers);
    if (status != QD_OK) return status;
    if (qdi_node_level(tree, QDI_ROOT) == 0) {
        // Whoever is below R0 is inside it: no need to look.
        tree->rings[0] += tree->count - mover_count - root->count;
        return QD_OK;
    }
    return add_rings(tree, team, &job, tree->family_used, GRAIN, rings_of_families);
}
