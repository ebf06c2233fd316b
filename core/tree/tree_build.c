// Building from nothing.
//
// Each body gets a key: the path of its centre from the root, two bits per level, down to the level its size
// allows (the rest zero), and below it that level:
//
//   | path: level 1 | level 2 | ... | level T | cap (6 bits) |
//
// Sorted by key, every node's bodies are one run, those that go no deeper first. So nodes are found by binary
// search, level by level, all nodes of a level at once. Beyond T levels, where only crowded places go, and
// for bodies in their final order, the ordinary splits and packing do the rest.
#include "core/tree/tree_impl.h"

#include "core/base/lower_bound.h"
#include "core/parallel/sort.h"

#include <string.h>

enum { GRAIN = 4096, CAP_BITS = 6, DEEPER = 63, MAX_LEVELS = 28, NODE_GRAIN = 16 };

typedef struct build_job {
    qd_tree *tree;
    const qd_box *boxes;
    size_t (*rings)[QDI_RINGS]; // per range
    uint64_t *keys;
    uint32_t *order;
    size_t count;
    int levels;                  // T
    const qdi_node_index *nodes; // of the present round
    const qdi_family_index *families;
} build_job;

// Tree's build: counts the bodies [begin, end) by the ring of their centre.
static void count_rings_range(void *context, size_t begin, size_t end) {
    const build_job *job = context;
    size_t *rings = job->rings[begin / GRAIN];
    memset(rings, 0, sizeof *job->rings);
    for (size_t i = begin; i < end; ++i) rings[qdi_grid_ring_of_box(&job->tree->grid, job->boxes[i])] += 1;
}

// Chooses the root's cell for the bodies that the tree is built of.
static qd_status choose_root_cell(build_job *job, qd_team *team) {
    qd_tree *tree = job->tree;
    size_t ranges = qdi_range_count(job->count, GRAIN);
    qd_status status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, ranges, sizeof *job->rings);
    if (status != QD_OK) return status;
    job->rings = tree->scratch.ranges.items;
    qdi_team_for(team, job->count, GRAIN, count_rings_range, job);
    memset(tree->rings, 0, sizeof tree->rings);
    for (size_t r = 0; r < ranges; ++r) {
        for (int k = 0; k < QDI_RINGS; ++k) tree->rings[k] += job->rings[r][k];
    }
    qdi_root_cell_set(tree, qdi_root_choose(tree, job->count));
    return QD_OK;
}

// Tree's build: puts a zero bit before each bit of a number.
static uint64_t interleave_zero_bits(uint64_t value) {
    value &= (UINT64_C(1) << MAX_LEVELS) - 1;
    value = (value | value << 16) & UINT64_C(0x0000ffff0000ffff);
    value = (value | value << 8) & UINT64_C(0x00ff00ff00ff00ff);
    value = (value | value << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    value = (value | value << 2) & UINT64_C(0x3333333333333333);
    return (value | value << 1) & UINT64_C(0x5555555555555555);
}

// The key of a body: the path of its box's centre from the root, and its level.
static uint64_t path_key_of_box(const build_job *job, qd_box box) {
    const qd_tree *tree = job->tree;
    qdi_grid_point place;
    if (qdi_outside(tree, box) || !qdi_grid_point_of(&tree->grid, box, &place)) return 0;
    int root = qdi_node_level(tree, QDI_ROOT);
    float longest = qdi_longest(box);
    int cap = 0; // deepest level below the root whose cells are large enough
    while (cap <= job->levels && root + cap < QD_TREE_MAX_LEVEL &&
           longest <= qdi_grid_side(&tree->grid, root + cap + 1)) {
        ++cap;
    }
    int kept = cap < job->levels ? cap : job->levels;
    int shift = QDI_CELL_BITS - (root + job->levels);
    uint64_t below = (UINT64_C(1) << job->levels) - 1;
    uint64_t path = interleave_zero_bits(place.x >> shift & below) |
                    interleave_zero_bits(place.y >> shift & below) << 1;
    int drop = 2 * (job->levels - kept);
    path = path >> drop << drop;
    return path << CAP_BITS | (uint64_t)(cap > job->levels ? DEEPER : cap);
}

// Tree's build: makes the keys of bodies [begin, end).
static void path_keys_range(void *context, size_t begin, size_t end) {
    const build_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->keys[i] = path_key_of_box(job, job->boxes[i]);
        job->order[i] = (uint32_t)i;
    }
}

// The path of a cell from the root, two bits for each level.
static uint64_t cell_path_below_root(const build_job *job, qdi_cell cell) {
    int depth = cell.level - qdi_node_level(job->tree, QDI_ROOT);
    uint64_t mask = (UINT64_C(1) << depth) - 1;
    return interleave_zero_bits(cell.x & mask) | interleave_zero_bits(cell.y & mask) << 1;
}

// Where in a node's run of sorted keys the bodies begin that go deeper; the others come first.
static size_t deeper_bodies_begin(const build_job *job, qdi_node_index index) {
    const qdi_node *node = &job->tree->nodes[index];
    qdi_cell cell = qdi_node_cell(job->tree, index);
    int depth = cell.level - qdi_node_level(job->tree, QDI_ROOT);
    uint64_t path = cell_path_below_root(job, cell) << 2 * (job->levels - depth);
    return qdi_lower_bound_64(job->keys, node->first, (size_t)node->first + node->total,
                              path << CAP_BITS | (uint64_t)(depth + 1));
}

// Counts for nodes [begin, end) the bodies that go deeper.
static void count_deeper_range(void *context, size_t begin, size_t end) {
    const build_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_node *node = &job->tree->nodes[job->nodes[i]];
        node->fit = node->first + node->total - (uint32_t)deeper_bodies_begin(job, job->nodes[i]);
    }
}

// Gives a node's children their runs; the node keeps those that go no deeper.
static void divide_nodes_range(void *context, size_t begin, size_t end) {
    const build_job *job = context;
    qd_tree *tree = job->tree;
    for (size_t i = begin; i < end; ++i) {
        qdi_node *node = &tree->nodes[job->nodes[i]];
        qdi_family_index family = job->families[i];
        qdi_family_init(tree, family, job->nodes[i]);
        node->children = family;
        size_t run_end = (size_t)node->first + node->total;
        size_t at = run_end - node->fit;
        int depth = tree->infos[family].level - qdi_node_level(tree, QDI_ROOT);
        for (unsigned q = 0; q < 4; ++q) {
            qdi_node *child = &tree->nodes[4 * family + q];
            uint64_t next = cell_path_below_root(job, qdi_node_cell(tree, 4 * family + q)) + 1;
            size_t end_of_child = q == 3 ? run_end
                                         : qdi_lower_bound_64(job->keys, at, run_end,
                                                              next << (2 * (job->levels - depth) + CAP_BITS));
            child->first = (uint32_t)at;
            child->count = child->total = (uint32_t)(end_of_child - at);
            at = end_of_child;
        }
        node->count = node->total - node->fit;
        node->fit = 0;
    }
}

// Splits the nodes of a new tree level by level, down to level T.
static qd_status divide_levels(build_job *job, qd_team *team) {
    qd_tree *tree = job->tree;
    qdi_tree_scratch *scratch = &tree->scratch;
    int root = qdi_node_level(tree, QDI_ROOT);
    qd_status status = qdi_buffer_need(tree, &scratch->splits, 0, 1, sizeof(qdi_node_index));
    if (status != QD_OK) return status;
    qdi_node_index *nodes = scratch->splits.items;
    nodes[0] = QDI_ROOT;
    size_t count = 1;
    for (int depth = 0; count > 0 && depth < job->levels && root + depth < QD_TREE_MAX_LEVEL; ++depth) {
        job->nodes = nodes;
        qdi_team_for(team, count, NODE_GRAIN, count_deeper_range, job);
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i) {
            if (tree->nodes[nodes[i]].fit > tree->capacity) nodes[kept++] = nodes[i];
        }
        status = qdi_families_reserve(tree, kept);
        if (status == QD_OK)
            status = qdi_buffer_need(tree, &scratch->split_next, 0, 4 * kept, sizeof(qdi_node_index));
        if (status == QD_OK)
            status = qdi_buffer_need(tree, &scratch->merges, 0, kept, sizeof(qdi_family_index));
        if (status != QD_OK) return status;
        qdi_family_index *families = scratch->merges.items;
        qdi_node_index *next = scratch->split_next.items;
        for (size_t i = 0; i < kept; ++i) {
            families[i] = qdi_family_claim(tree);
            for (unsigned q = 0; q < 4; ++q) next[4 * i + q] = 4 * families[i] + q;
        }
        job->families = families;
        qdi_team_for(team, kept, NODE_GRAIN, divide_nodes_range, job);
        qdi_buffer spare = scratch->splits;
        scratch->splits = scratch->split_next;
        scratch->split_next = spare;
        nodes = scratch->splits.items;
        count = 4 * kept;
    }
    return QD_OK;
}

// How many levels the keys of a tree of n bodies have.
static int key_levels_for(const qd_tree *tree, size_t n) {
    int levels = 3;
    for (size_t cells = tree->capacity; cells < n; cells *= 4) ++levels;
    int most = QD_TREE_MAX_LEVEL - qdi_node_level(tree, QDI_ROOT);
    if (levels > MAX_LEVELS) levels = MAX_LEVELS;
    return levels < most ? levels : most;
}

qd_status qdi_tree_build(qd_tree *tree, qd_team *team, const qd_box *boxes, const qd_body_index *indices,
                         size_t n) {
    qdi_tree_clear(tree);
    build_job job = {.tree = tree, .boxes = boxes, .count = n};
    qd_status status = choose_root_cell(&job, team);
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.keys, 0, n, sizeof(uint64_t));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.keys_spare, 0, n, sizeof(uint64_t));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.order, 0, n, sizeof(uint32_t));
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.order_spare, 0, n, sizeof(uint32_t));
    if (status != QD_OK) return status;
    job.levels = key_levels_for(tree, n);
    job.keys = tree->scratch.keys.items;
    job.order = tree->scratch.order.items;
    qdi_team_for(team, n, GRAIN, path_keys_range, &job);
    status = qdi_team_sort(team, job.keys, job.order, tree->scratch.keys_spare.items,
                           tree->scratch.order_spare.items, n, 2 * job.levels + CAP_BITS);
    if (status != QD_OK) return status;
    tree->nodes[QDI_ROOT].first = 0;
    tree->nodes[QDI_ROOT].count = tree->nodes[QDI_ROOT].total = (uint32_t)n;
    tree->count = n;
    status = divide_levels(&job, team);
    // A refresh sorts only those that leave their nodes: what it needs is a small part of this.
    qdi_buffer_free(tree, &tree->scratch.keys);
    qdi_buffer_free(tree, &tree->scratch.keys_spare);
    qdi_buffer_free(tree, &tree->scratch.order_spare);
    qdi_pack_source source = {job.order, boxes, indices};
    if (status == QD_OK) status = qdi_tree_pack(tree, team, &source);
    qdi_buffer_free(tree, &tree->scratch.order);
    return status == QD_OK ? qdi_buffers_ready(tree) : status;
}
