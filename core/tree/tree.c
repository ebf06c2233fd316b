// The tree's life and memory, and the small things one asks of it. tree_impl.h shows how it lies in memory.
#include "core/base/arithmetic.h"
#include "core/tree/tree_impl.h"

#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/tree/kernel.h"
#include "core/tree/root_list.h"

#include <string.h>

qd_tree_def qd_tree_def_default(void) {
    return (qd_tree_def){.cookie = QDI_COOKIE, .size = {1.0, 1.0}, .capacity = 128};
}

// True for a period along an axis that a tree can be made with.
static bool tree_period_valid(double period, double size) {
    return period == 0.0 || period == size;
}

qd_status qd_tree_create(const qd_tree_def *def, qd_tree **tree) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!def || !tree || def->cookie != QDI_COOKIE) return QD_ERR_ARGUMENT;
    *tree = NULL;
    if (def->capacity < 1 || def->capacity > 65535) return QD_ERR_VALUE;
    if (!tree_period_valid(def->period.x, def->size.x) || !tree_period_valid(def->period.y, def->size.y))
        return QD_ERR_VALUE;
    if (!qd_simd_available(def->simd)) return QD_ERR_VALUE;
    qdi_grid grid;
    if (!qdi_grid_init(&grid, def->size)) return QD_ERR_VALUE;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_tree *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    made->grid = grid;
    made->size = def->size;
    made->period = def->period;
    made->capacity = def->capacity;
    made->kernels = qdi_kernels_of(def->simd);
    qd_team_def alone = qd_team_def_default();
    alone.allocator = allocator;
    if (qdi_families_reserve(made, 1) != QD_OK || qd_team_create(&alone, &made->alone) != QD_OK) {
        qd_tree_destroy(made);
        return QD_ERR_MEMORY;
    }
    qdi_tree_clear(made);
    *tree = made;
    return QD_OK;
}

// True where a new period along an axis is periodic just as the one before.
static bool tree_period_like(double period, double before) {
    return before == 0.0 ? period == 0.0 : period > 0.0 && period - period == 0.0;
}

qd_status qd_tree_set_period(qd_tree *tree, qd_vec2 period) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree_period_like(period.x, tree->period.x) || !tree_period_like(period.y, tree->period.y))
        return QD_ERR_VALUE;
    tree->period = period;
    tree->period_new = true;
    return QD_OK;
}

enum { BUFFERS = 16, BUFFER_MIN = 4096, BUFFER_SPARE = 65536, LARGE = 65536 };

// Lists all scratch buffers of a tree.
static void scratch_buffers_of(qdi_tree_scratch *s, qdi_buffer *all[BUFFERS]) {
    qdi_buffer *list[BUFFERS] = {&s->insertions, &s->moves,    &s->keys,        &s->keys_spare,
                                 &s->shrinks,    &s->order,    &s->order_spare, &s->ranges,
                                 &s->places,     &s->splits,   &s->split_next,  &s->merges,
                                 &s->chains,     &s->frontier, &s->spare,       &s->tally};
    memcpy(all, list, sizeof list);
}

// Frees the arrays of a tree's slots.
static void slots_release(const qd_allocator *allocator, qdi_slots *slots) {
    qdi_release(allocator, slots->min_x, slots->room, sizeof(float));
    qdi_release(allocator, slots->min_y, slots->room, sizeof(float));
    qdi_release(allocator, slots->max_x, slots->room, sizeof(float));
    qdi_release(allocator, slots->max_y, slots->room, sizeof(float));
    qdi_release(allocator, slots->row, slots->room, sizeof(uint32_t));
    qdi_release(allocator, slots->index, slots->room, sizeof(uint32_t));
}

void qdi_memory_release(qd_tree *tree) {
    const qd_allocator *allocator = tree->allocator;
    qdi_release(allocator, tree->families, tree->family_room, sizeof *tree->families);
    qdi_release(allocator, tree->infos, tree->family_room, sizeof *tree->infos);
    qdi_release(allocator, tree->nodes, tree->family_room * 4, sizeof *tree->nodes);
    slots_release(allocator, &tree->slots);
}

void qdi_memory_swap(qd_tree *a, qd_tree *b) {
    qd_tree old = *a;
    a->families = b->families;
    a->infos = b->infos;
    a->nodes = b->nodes;
    a->family_room = b->family_room;
    a->slots = b->slots;
    b->families = old.families;
    b->infos = old.infos;
    b->nodes = old.nodes;
    b->family_room = old.family_room;
    b->slots = old.slots;
}

qd_status qd_tree_set_simd(qd_tree *tree, qd_simd simd) {
    if (!tree) return QD_ERR_ARGUMENT;
    if (!qd_simd_available(simd)) return QD_ERR_VALUE;
    tree->kernels = qdi_kernels_of(simd);
    return QD_OK;
}

void qd_tree_destroy(qd_tree *tree) {
    if (!tree) return;
    const qd_allocator *allocator = tree->allocator;
    qdi_memory_release(tree);
    qdi_release(allocator, tree->node_of, tree->node_of_room, sizeof *tree->node_of);
    qdi_release(allocator, tree->row_index, tree->row_room, sizeof *tree->row_index);
    qdi_root_list_release(&tree->root_list, allocator);
    qdi_buffer *buffers[BUFFERS];
    scratch_buffers_of(&tree->scratch, buffers);
    for (int b = 0; b < BUFFERS; ++b) qdi_release(allocator, buffers[b]->items, buffers[b]->bytes, 1);
    for (size_t w = 0; w < tree->leavers_count; ++w)
        qdi_release(allocator, tree->leavers[w].insertions.items, tree->leavers[w].insertions.bytes, 1);
    qdi_release(allocator, tree->leavers, tree->leavers_count, sizeof *tree->leavers);
    qdi_shared_arena_release(&tree->arena, allocator);
    qd_team_destroy(tree->alone);
    qdi_release(allocator, tree, 1, sizeof *tree);
}

qd_status qdi_buffer_need(const qd_tree *tree, qdi_buffer *buffer, size_t used, size_t need, size_t size) {
    size_t bytes = need * size;
    if (bytes <= buffer->bytes) return QD_OK;
    // What now and then is a little more than ever shall not be allocated anew for that.
    bytes += bytes < BUFFER_SPARE ? bytes : BUFFER_SPARE;
    if (bytes < BUFFER_MIN) bytes = BUFFER_MIN;
    return qdi_reserve(tree->allocator, &buffer->items, &buffer->bytes, used * size, bytes, 1);
}

qd_status qdi_buffers_ready(qd_tree *tree) {
    qdi_buffer *buffers[BUFFERS];
    scratch_buffers_of(&tree->scratch, buffers);
    qd_status status = QD_OK;
    for (int b = 0; b < BUFFERS && status == QD_OK; ++b) status = qdi_buffer_need(tree, buffers[b], 0, 1, 1);
    return status;
}

void qdi_buffer_free(const qd_tree *tree, qdi_buffer *buffer) {
    qdi_release(tree->allocator, buffer->items, buffer->bytes, 1);
    *buffer = (qdi_buffer){NULL, 0};
}

// Tree: several arrays grow as one: either all of them do, or none.
static void *grown_copy(const qd_allocator *allocator, const void *old, size_t used, size_t room,
                        size_t size) {
    void *memory = qdi_allocate(allocator, room, size);
    if (memory && used > 0) memcpy(memory, old, used * size);
    return memory;
}

qd_status qdi_slots_reserve(qd_tree *tree, size_t need) {
    qdi_slots *old = &tree->slots;
    need += QDI_SLOT_SLACK;
    if (need <= old->room) return QD_OK;
    if (need >= UINT32_MAX) return QD_ERR_MEMORY; // more than can be numbered
    size_t room = need + 64 + (need < LARGE ? need / 8 : need / 16 + LARGE / 16);
    const qd_allocator *allocator = tree->allocator;
    qdi_slots new = *old;
    new.room = room;
    new.min_x = grown_copy(allocator, old->min_x, old->used, room, sizeof(float));
    new.min_y = grown_copy(allocator, old->min_y, old->used, room, sizeof(float));
    new.max_x = grown_copy(allocator, old->max_x, old->used, room, sizeof(float));
    new.max_y = grown_copy(allocator, old->max_y, old->used, room, sizeof(float));
    new.row = grown_copy(allocator, old->row, old->used, room, sizeof(uint32_t));
    new.index = grown_copy(allocator, old->index, old->used, room, sizeof(uint32_t));
    if (!new.min_x || !new.min_y || !new.max_x || !new.max_y || !new.row || !new.index) {
        slots_release(allocator, &new);
        return QD_ERR_MEMORY;
    }
    slots_release(allocator, old);
    *old = new;
    return QD_OK;
}

qd_status qdi_families_reserve(qd_tree *tree, size_t more) {
    size_t need = tree->family_used + (more > tree->free_count ? more - tree->free_count : 0);
    if (need <= tree->family_room) return QD_OK;
    size_t room = need + need / 8 + 16;
    if (room > UINT32_MAX / 4 - 1) return QD_ERR_MEMORY; // more than can be numbered
    const qd_allocator *allocator = tree->allocator;
    qdi_family *families = grown_copy(allocator, tree->families, tree->family_used, room, sizeof *families);
    qdi_family_info *infos = grown_copy(allocator, tree->infos, tree->family_used, room, sizeof *infos);
    qdi_node *nodes = grown_copy(allocator, tree->nodes, tree->family_used * 4, room * 4, sizeof *nodes);
    if (!families || !infos || !nodes) {
        qdi_release(allocator, families, room, sizeof *families);
        qdi_release(allocator, infos, room, sizeof *infos);
        qdi_release(allocator, nodes, room * 4, sizeof *nodes);
        return QD_ERR_MEMORY;
    }
    qdi_release(allocator, tree->families, tree->family_room, sizeof *families);
    qdi_release(allocator, tree->infos, tree->family_room, sizeof *infos);
    qdi_release(allocator, tree->nodes, tree->family_room * 4, sizeof *nodes);
    tree->families = families;
    tree->infos = infos;
    tree->nodes = nodes;
    tree->family_room = room;
    return QD_OK;
}

// How many entries node_of gets for `indices` of them: as many as fill the last of its large pages, where
// that is at most an eighth more. It is the one array of which a refresh needs places all over.
static size_t node_of_entries(size_t indices) {
    const size_t page = QDI_LARGE_PAGE / sizeof(uint32_t), whole = (indices + page - 1) / page * page;
    return whole - indices <= indices / 8 ? whole : indices;
}

qd_status qdi_node_of_reserve(qd_tree *tree, size_t indices) {
    size_t before = tree->node_of_room;
    if (indices <= before) return QD_OK;
    qd_status status = qdi_reserve(tree->allocator, &tree->node_of, &tree->node_of_room, before,
                                   node_of_entries(indices), sizeof *tree->node_of);
    if (status != QD_OK) return status;
    memset(tree->node_of + before, 0xff, (tree->node_of_room - before) * sizeof *tree->node_of);
    return QD_OK;
}

// Makes a family of nodes four empty leaves.
static void family_empty(qd_tree *tree, qdi_family_index family) {
    for (unsigned q = 0; q < 4; ++q) {
        qdi_family_set(&tree->families[family], q, qdi_box_empty());
        tree->nodes[4 * family + q] = (qdi_node){.own = qdi_box_empty()};
    }
}

// Sets the cells of a family's four nodes.
static void family_set_cells(qd_tree *tree, qdi_family_index family, uint64_t x, uint64_t y, int level) {
    qdi_family_info *info = &tree->infos[family];
    info->x = x;
    info->y = y;
    info->level = level;
    for (unsigned i = 0; i < 3; ++i) {
        info->border_x[i] = qdi_grid_border(&tree->grid, x + i, level);
        info->border_y[i] = qdi_grid_border(&tree->grid, y + i, level);
    }
}

qdi_family_index qdi_family_claim(qd_tree *tree) {
    qdi_family_index family = tree->free_family;
    if (family == QDI_NO_CHILD) return (qdi_family_index)tree->family_used++;
    tree->free_family = tree->infos[family].parent;
    tree->free_count -= 1;
    return family;
}

void qdi_family_init(qd_tree *tree, qdi_family_index family, qdi_node_index parent) {
    family_empty(tree, family);
    qdi_cell cell = qdi_node_cell(tree, parent);
    family_set_cells(tree, family, cell.x << 1, cell.y << 1, cell.level + 1);
    tree->infos[family].parent = parent;
}

void qdi_family_give(qd_tree *tree, qdi_family_index family) {
    family_empty(tree, family); // passes over all families find nothing there
    tree->infos[family].parent = tree->free_family;
    tree->free_family = family;
    tree->free_count += 1;
}

void qdi_root_cell_set(qd_tree *tree, int k) {
    qdi_cell cell = qdi_grid_root(&tree->grid, k);
    family_set_cells(tree, 0, cell.x, cell.y, cell.level);
    tree->infos[0].parent = QDI_NONE;
}

void qdi_tree_clear(qd_tree *tree) {
    tree->family_used = 1;
    tree->free_family = QDI_NO_CHILD;
    tree->free_count = 0;
    family_empty(tree, 0);
    qdi_root_cell_set(tree, 0);
    tree->slots.used = tree->slots.idle = 0;
    qdi_slot_allocator_clear(&tree->slot_allocator);
    if (tree->node_of_room > 0) memset(tree->node_of, 0xff, tree->node_of_room * sizeof *tree->node_of);
    tree->count = 0;
    tree->row_count = 0;
    tree->rows_known = false;
    memset(tree->rings, 0, sizeof tree->rings);
    tree->root_list.count = 0;
}

size_t qd_tree_count(const qd_tree *tree) {
    return tree->count;
}

uint64_t qd_tree_revision(const qd_tree *tree) {
    return tree->revision;
}

// Bytes that a tree holds.
static size_t tree_memory_held(const qd_tree *tree) {
    qdi_tree_scratch scratch = tree->scratch;
    qdi_buffer *all[BUFFERS];
    scratch_buffers_of(&scratch, all);
    size_t buffers = 0;
    for (int b = 0; b < BUFFERS; ++b) buffers += all[b]->bytes;
    for (size_t w = 0; w < tree->leavers_count; ++w) buffers += tree->leavers[w].insertions.bytes;
    return sizeof *tree + buffers + tree->leavers_count * sizeof *tree->leavers +
           qdi_shared_arena_bytes(&tree->arena) +
           tree->family_room * (sizeof *tree->families + sizeof *tree->infos + 4 * sizeof *tree->nodes) +
           tree->slots.room * (4 * sizeof(float) + 2 * sizeof(uint32_t)) +
           tree->node_of_room * sizeof *tree->node_of + tree->row_room * sizeof *tree->row_index +
           qdi_root_list_bytes(&tree->root_list);
}

// Adds the nodes of a subtree to a tree's statistics.
static void add_subtree_to_stats(const qd_tree *tree, qdi_node_index index, qd_tree_stats *stats) {
    const qdi_node *node = &tree->nodes[index];
    int level = qdi_node_level(tree, index);
    stats->nodes += 1;
    if (node->count > stats->largest_list) stats->largest_list = node->count;
    if (level > stats->deepest_level) stats->deepest_level = level;
    if (qdi_is_leaf(node)) {
        stats->leaves += 1;
        return;
    }
    for (unsigned q = 0; q < 4; ++q) add_subtree_to_stats(tree, 4 * node->children + q, stats);
}

qd_tree_stats qd_tree_statistics(const qd_tree *tree) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    int root_level = qdi_node_level(tree, QDI_ROOT);
    qd_tree_stats stats = {.bodies = tree->count,
                           .root_level = root_level,
                           .deepest_level = root_level,
                           .bytes = tree_memory_held(tree)};
    add_subtree_to_stats(tree, QDI_ROOT, &stats);
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    for (size_t s = root->first; s < (size_t)root->first + root->count; ++s) {
        stats.outside += qdi_outside(tree, qdi_slot_box(&tree->slots, s));
    }
    return stats;
}

qd_status qdi_tree_slot(const qd_tree *tree, qd_body_index body, size_t *slot) {
    if (body >= tree->node_of_room || tree->node_of[body] == QDI_NONE) return QD_ERR_STALE;
    const qdi_node *node = &tree->nodes[tree->node_of[body]];
    size_t low = node->first;
    size_t high = (size_t)node->first + node->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->slots.index[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *slot = low;
    return QD_OK;
}

qd_status qd_tree_box(const qd_tree *tree, qd_body_index body, qd_box *box) {
    size_t slot = 0;
    qd_status status = qdi_tree_slot(tree, body, &slot);
    if (status == QD_OK) *box = qdi_slot_box(&tree->slots, slot);
    return status;
}

qd_status qd_tree_depth(const qd_tree *tree, qd_body_index body, int *depth) {
    if (body >= tree->node_of_room || tree->node_of[body] == QDI_NONE) return QD_ERR_STALE;
    *depth = qdi_node_level(tree, tree->node_of[body]) - qdi_node_level(tree, QDI_ROOT);
    return QD_OK;
}
