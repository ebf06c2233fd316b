#include "tools/bench/lineage.h"
#include "core/math/outward.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tools/bench/bench_motion.h"

#include <stdlib.h>
#include <string.h>

// Copies a column of bodies for a published quadtree.
static double *copy_column(const double *from, size_t count) {
    double *to = qdi_allocate(qd_allocator_default(), count, sizeof *to);
    if (to) memcpy(to, from, count * sizeof *to);
    return to;
}

qd_status qdi_lineage_bodies_init(qdi_lineage_bodies *bodies, const qdi_bench_bodies *from) {
    *bodies = (qdi_lineage_bodies){.count = from->count, .half = 0.5 * from->side};
    if (from->count == 0) return QD_OK;
    bodies->x = copy_column(from->x, from->count);
    bodies->y = copy_column(from->y, from->count);
    bodies->vx = copy_column(from->vx, from->count);
    bodies->vy = copy_column(from->vy, from->count);
    bodies->radius = copy_column(from->radius, from->count);
    bodies->boxes = qdi_allocate(qd_allocator_default(), from->count, sizeof *bodies->boxes);
    if (!bodies->x || !bodies->y || !bodies->vx || !bodies->vy || !bodies->radius || !bodies->boxes)
        return QD_ERR_MEMORY;
    for (size_t i = 0; i < from->count; ++i)
        bodies->boxes[i] = qdi_outward_disk(from->x[i], from->y[i], from->radius[i]);
    return QD_OK;
}

void qdi_lineage_bodies_free(qdi_lineage_bodies *bodies) {
    const qd_allocator *allocator = qd_allocator_default();
    qdi_release(allocator, bodies->x, bodies->count, sizeof *bodies->x);
    qdi_release(allocator, bodies->y, bodies->count, sizeof *bodies->y);
    qdi_release(allocator, bodies->vx, bodies->count, sizeof *bodies->vx);
    qdi_release(allocator, bodies->vy, bodies->count, sizeof *bodies->vy);
    qdi_release(allocator, bodies->radius, bodies->count, sizeof *bodies->radius);
    qdi_release(allocator, bodies->boxes, bodies->count, sizeof *bodies->boxes);
    *bodies = (qdi_lineage_bodies){0};
}

void qdi_lineage_bodies_move(qdi_lineage_bodies *bodies) {
    qdi_bench_move_disks(bodies->x, bodies->y, bodies->vx, bodies->vy, bodies->radius, bodies->boxes,
                         bodies->count, bodies->half);
}

size_t qdi_lineage_bodies_bytes(const qdi_lineage_bodies *bodies) {
    return bodies->count * (5 * sizeof(double) + sizeof(qd_box));
}

qd_status qdi_lineage_list_grow(qdi_lineage_list *list, size_t more) {
    return qdi_reserve(qd_allocator_default(), &list->items, &list->room, list->count, list->count + more,
                       sizeof *list->items);
}

void qdi_lineage_list_free(qdi_lineage_list *list) {
    qdi_release(qd_allocator_default(), list->items, list->room, sizeof *list->items);
    *list = (qdi_lineage_list){0};
}

qd_status qdi_lineage_pairs_grow(qdi_lineage_pairs *pairs) {
    return qdi_reserve(qd_allocator_default(), &pairs->items, &pairs->room, pairs->count, pairs->count + 1,
                       sizeof *pairs->items);
}

void qdi_lineage_pairs_free(qdi_lineage_pairs *pairs) {
    qdi_release(qd_allocator_default(), pairs->items, pairs->room, sizeof *pairs->items);
    *pairs = (qdi_lineage_pairs){0};
}

qd_status qdi_lineage_test(qdi_lineage *tree, uint32_t self, const qdi_lineage_list *candidates, bool all) {
    const qd_box *boxes = tree->bodies.boxes, box = boxes[self];
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < candidates->count; ++i) {
        uint32_t other = candidates->items[i];
        if (!all && other <= self) continue;
        tree->tests += 1;
        if (qd_box_overlap(box, boxes[other]) && other != self)
            status = qdi_lineage_pairs_add(&tree->pairs, self, other);
    }
    return status;
}

// Published quadtree: order of two pairs by their bodies.
static int compare_pairs(const void *a, const void *b) {
    const qdi_bench_pair *left = a, *right = b;
    if (left->a != right->a) return left->a < right->a ? -1 : 1;
    return left->b < right->b ? -1 : left->b > right->b;
}

/// Published quadtree: each pair once, the lower index first: a tree with faults finds some of them twice.
static void drop_duplicates(qdi_lineage_pairs *pairs) {
    for (size_t i = 0; i < pairs->count; ++i) {
        const qdi_bench_pair pair = pairs->items[i];
        if (pair.a > pair.b) pairs->items[i] = (qdi_bench_pair){pair.b, pair.a};
    }
    if (pairs->count == 0) return;
    qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
    size_t kept = 1;
    for (size_t i = 1; i < pairs->count; ++i)
        if (compare_pairs(&pairs->items[i], &pairs->items[kept - 1]) != 0)
            pairs->items[kept++] = pairs->items[i];
    pairs->count = kept;
}

void qdi_lineage_report(qdi_bench_step *step, const qdi_lineage_pairs *pairs, size_t bytes) {
    step->pairs = pairs->items;
    step->pair_count = pairs->count;
    step->pair_stride = sizeof *pairs->items;
    step->bytes = bytes == 0 ? 0 : bytes + pairs->room * sizeof *pairs->items;
}

uint64_t qdi_lineage_lap(uint64_t *since) {
    uint64_t now = qdi_clock_ns(), passed = now - *since;
    *since = now;
    return passed;
}

void qdi_lineage_destroy(void *state) {
    qdi_lineage *tree = state;
    if (!tree) return;
    const size_t bytes = tree->kind->bytes;
    tree->kind->end(tree);
    qdi_lineage_list_free(&tree->found);
    qdi_lineage_pairs_free(&tree->pairs);
    qdi_lineage_bodies_free(&tree->bodies);
    qdi_release(qd_allocator_default(), tree, 1, bytes);
}

qd_status qdi_lineage_create(const qdi_lineage_kind *kind, unsigned faults, const qdi_bench_bodies *bodies,
                             void **state) {
    *state = NULL;
    qdi_lineage *tree = qdi_allocate(qd_allocator_default(), 1, kind->bytes);
    if (!tree) return QD_ERR_MEMORY;
    memset(tree, 0, kind->bytes);
    tree->kind = kind;
    tree->faults = faults;
    qd_status status = qdi_lineage_bodies_init(&tree->bodies, bodies);
    if (status == QD_OK) status = kind->begin(tree);
    if (status == QD_OK)
        *state = tree;
    else
        qdi_lineage_destroy(tree);
    return status;
}

qd_status qdi_lineage_step(void *state, qdi_bench_step *step) {
    qdi_lineage *tree = state;
    uint64_t clock = 0;
    (void)qdi_lineage_lap(&clock);
    qdi_lineage_bodies_move(&tree->bodies);
    step->ns[QDI_BENCH_MOVE] = qdi_lineage_lap(&clock);
    qd_status status = tree->kind->refresh(tree);
    step->ns[QDI_BENCH_STRUCTURE] = qdi_lineage_lap(&clock);
    tree->tests = 0;
    if (status == QD_OK) status = tree->kind->pair(tree);
    step->ns[QDI_BENCH_PAIRS] = qdi_lineage_lap(&clock);
    step->tests = tree->tests;
    if (tree->faults) drop_duplicates(&tree->pairs);
    qdi_lineage_report(step, &tree->pairs,
                       tree->kind->bytes + qdi_lineage_bodies_bytes(&tree->bodies) +
                           tree->found.room * sizeof *tree->found.items + tree->kind->held(tree));
    return status;
}
