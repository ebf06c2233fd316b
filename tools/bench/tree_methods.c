// The quadtree of this library in three ways: refreshed and joined, refreshed and asked body by body, and
// built anew in each step.
//
// Bodies lie in rows, in the tree's order as of the last time that rows were put in order; that is done again
// when as many bodies have changed their node as there are, as worlds do it too.
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tools/bench/bench_motion.h"
#include "tools/bench/fat.h"
#include "tools/host/pin.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

// Frees a method of the bench that is our tree.
static void destroy_tree_method(void *given) {
    qdi_bench_tree *state = given;
    if (!state) return;
    const qd_allocator *allocator = state->allocator;
    qdi_bench_fat_destroy(state->fat);
    qd_tree_destroy(state->tree);
    qd_pairs_destroy(state->pairs);
    qd_team_destroy(state->team);
    qdi_release(allocator, state->wide, QDI_BENCH_TREE_COLUMNS * state->count, sizeof *state->wide);
    qdi_release(allocator, state->narrow, 3 * state->count, sizeof *state->narrow);
    qdi_release(allocator, state->boxes, state->count, sizeof *state->boxes);
    qdi_release(allocator, state, 1, sizeof *state);
}

// Allocates what our tree in the bench works with.
static qd_status allocate_tree_method(qdi_bench_tree *state, int threads, const qdi_pin *pin) {
    const qd_allocator *allocator = state->allocator;
    size_t n = state->count;
    qd_team_def def = qd_team_def_default();
    def.threads = threads;
    qd_status status = qd_team_create(&def, &state->team);
    if (status == QD_OK) status = qdi_pin_team(pin, state->team);
    if (status == QD_OK) status = qd_pairs_create(SIZE_MAX / sizeof(qd_pair), allocator, &state->pairs);
    if (status == QD_OK && state->way != QDI_BENCH_REBUILD)
        status = qd_tree_create(&state->def, &state->tree);
    if (status != QD_OK) return status;
    state->wide = qdi_allocate(allocator, QDI_BENCH_TREE_COLUMNS * n, sizeof *state->wide);
    state->narrow = qdi_allocate(allocator, 3 * n, sizeof *state->narrow);
    state->boxes = qdi_allocate(allocator, n, sizeof *state->boxes);
    return state->wide && state->narrow && state->boxes ? QD_OK : QD_ERR_MEMORY;
}

// Divides a block of memory into the columns of bodies.
static void lay_out_tree_method(qdi_bench_tree *state, const qdi_bench_bodies *bodies) {
    size_t n = state->count, bytes = n * sizeof(double);
    double **columns[QDI_BENCH_TREE_COLUMNS] = {&state->x,  &state->y,      &state->vx,
                                                &state->vy, &state->radius, &state->spare};
    for (size_t i = 0; i < QDI_BENCH_TREE_COLUMNS; ++i) *columns[i] = state->wide + i * n;
    memcpy(state->x, bodies->x, bytes);
    memcpy(state->y, bodies->y, bytes);
    memcpy(state->vx, bodies->vx, bytes);
    memcpy(state->vy, bodies->vy, bytes);
    memcpy(state->radius, bodies->radius, bytes);
    state->index = state->narrow;
    state->spare_index = state->narrow + n;
    state->places = state->narrow + 2 * n;
    for (size_t i = 0; i < n; ++i) state->index[i] = (uint32_t)i;
    state->changed = n; // the first step puts the rows in order
}

// Makes a method of the bench that is our tree.
static qd_status create_tree_method(qdi_bench_tree_way way, const qdi_bench_bodies *bodies,
                                    const qdi_bench_options *options, void **made) {
    const qd_allocator *allocator = qd_allocator_default();
    *made = NULL;
    qdi_bench_tree *state = qdi_allocate(allocator, 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (qdi_bench_tree){.allocator = allocator,
                              .way = way,
                              .def = qd_tree_def_default(),
                              .count = bodies->count,
                              .half = .5 * bodies->side};
    state->def.size = (qd_vec2){bodies->side, bodies->side};
    state->def.simd = (qd_simd)options->simd;
    qd_status status = allocate_tree_method(state, options->threads, options->pin);
    if (status != QD_OK) {
        destroy_tree_method(state);
        return status;
    }
    lay_out_tree_method(state, bodies);
    if (way == QDI_BENCH_JOIN && options->margin != 0)
        status = qdi_bench_fat_create(state, options, &state->fat);
    if (status == QD_OK)
        *made = state;
    else
        destroy_tree_method(state);
    return status;
}

// Makes the method `tree` of the bench: joined retrieval.
static qd_status create_join(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **made) {
    return create_tree_method(QDI_BENCH_JOIN, bodies, options, made);
}

// Bench of trees: makes our tree with fat boxes.
static qd_status create_margin(const qdi_bench_bodies *bodies, const qdi_bench_options *options,
                               void **made) {
    qdi_bench_options own = *options;
    if (own.margin == 0) own.margin = (double)NAN;
    return create_tree_method(QDI_BENCH_JOIN, bodies, &own, made);
}

// Bench of trees: makes our tree with a retrieval for each body.
static qd_status create_each(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **made) {
    return create_tree_method(QDI_BENCH_EACH, bodies, options, made);
}

// Bench of trees: makes our tree built anew in each step.
static qd_status create_rebuild(const qdi_bench_bodies *bodies, const qdi_bench_options *options,
                                void **made) {
    return create_tree_method(QDI_BENCH_REBUILD, bodies, options, made);
}

// Moves a range of bodies of our tree in the bench.
static void move_tree_rows(void *context, size_t begin, size_t end) {
    qdi_bench_tree *state = context;
    qdi_bench_move_disks(state->x + begin, state->y + begin, state->vx + begin, state->vy + begin,
                         state->radius + begin, state->boxes + begin, end - begin, state->half);
}

void qdi_bench_tree_move(qdi_bench_tree *state) {
    qdi_team_for(state->team, state->count, GRAIN, move_tree_rows, state);
}

// Bench of trees: puts a column of bodies into the tree's order.
static void order_tree_column(void *context, size_t begin, size_t end) {
    const qdi_bench_tree *state = context;
    for (size_t r = begin; r < end; ++r) state->to[r] = state->from[state->places[r]];
}

// Bench of trees: puts the indices of bodies into the tree's order.
static void order_tree_indices(void *context, size_t begin, size_t end) {
    const qdi_bench_tree *state = context;
    for (size_t r = begin; r < end; ++r) state->spare_index[r] = state->index[state->places[r]];
}

/// Bench of trees: puts the rows in the tree's order.
static qd_status order_rows(qdi_bench_tree *state) {
    qd_status status = qd_tree_order(state->tree, state->team, state->places);
    if (status != QD_OK) return status;
    double **columns[] = {&state->x, &state->y, &state->vx, &state->vy, &state->radius};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        state->from = *columns[i];
        state->to = state->spare;
        qdi_team_for(state->team, state->count, GRAIN, order_tree_column, state);
        state->spare = *columns[i];
        *columns[i] = state->to;
    }
    qdi_team_for(state->team, state->count, GRAIN, order_tree_indices, state);
    uint32_t *index = state->index;
    state->index = state->spare_index;
    state->spare_index = index;
    state->ordered = true;
    state->changed = 0;
    state->orders += 1;
    return QD_OK;
}

qd_status qdi_bench_tree_refresh(qdi_bench_tree *state) {
    qd_status status = QD_OK;
    if (state->way == QDI_BENCH_REBUILD) {
        qd_tree_destroy(state->tree);
        state->tree = NULL;
        status = qd_tree_create(&state->def, &state->tree);
        if (status != QD_OK) return status;
    }
    qd_tree_counts counts;
    status = qd_tree_refresh(state->tree, state->team, state->boxes, state->ordered ? state->index : NULL,
                             state->count, &counts, NULL);
    if (status != QD_OK) return status;
    state->refiled = counts.refiled;
    state->changed += counts.refiled;
    // A tree that is built anew does not say who changed its node; the order of the first step serves it long
    // enough.
    return state->changed >= state->count ? order_rows(state) : QD_OK;
}

// Bench of trees: one step of our tree without fat boxes.
static qd_status step_plain_tree(qdi_bench_tree *state, qdi_bench_step *step) {
    uint64_t start = qdi_clock_ns();
    qdi_bench_tree_move(state);
    uint64_t moved = qdi_clock_ns();
    qd_status status = qdi_bench_tree_refresh(state);
    if (status != QD_OK) return status;
    uint64_t refreshed = qdi_clock_ns();
    status = state->way == QDI_BENCH_EACH ? qd_tree_pairs_each(state->tree, state->team, state->pairs)
                                          : qd_tree_pairs(state->tree, state->team, state->pairs);
    step->ns[QDI_BENCH_MOVE] = moved - start;
    step->ns[QDI_BENCH_STRUCTURE] = refreshed - moved;
    step->ns[QDI_BENCH_PAIRS] = qdi_clock_ns() - refreshed;
    step->tests = qd_pairs_tests(state->pairs);
    step->refiled_known = state->way != QDI_BENCH_REBUILD;
    step->refiled = state->refiled;
    step->pairs = qd_pairs_data(state->pairs, &step->pair_count);
    step->pair_stride = sizeof(qd_pair);
    step->bytes = state->count *
                      (QDI_BENCH_TREE_COLUMNS * sizeof(double) + 3 * sizeof(uint32_t) + sizeof(qd_box)) +
                  qd_tree_statistics(state->tree).bytes + qd_pairs_bytes(state->pairs);
    return status;
}

// One step of our tree in the bench.
static qd_status step_tree_method(void *given, qdi_bench_step *step) {
    qdi_bench_tree *state = given;
    return state->fat && qdi_bench_fat_pays(state) ? qdi_bench_fat_step(state, step)
                                                   : step_plain_tree(state, step);
}

const qdi_bench_method qdi_bench_quadtree = {
    .name = "quadtree",
    .about = "our quadtree, refreshed, then joined with itself",
    .parallel = true,
    .create = create_join,
    .step = step_tree_method,
    .destroy = destroy_tree_method,
};

const qdi_bench_method qdi_bench_margin = {
    .name = "margin",
    .about = "quadtree with larger boxes (--margin, else auto), refreshed now and then",
    .parallel = true,
    .create = create_margin,
    .step = step_tree_method,
    .destroy = destroy_tree_method,
};

const qdi_bench_method qdi_bench_each = {
    .name = "each",
    .about = "our quadtree, refreshed; then one retrieve per body",
    .parallel = true,
    .create = create_each,
    .step = step_tree_method,
    .destroy = destroy_tree_method,
};

const qdi_bench_method qdi_bench_rebuild = {
    .name = "rebuild",
    .about = "our quadtree, built anew in each step and joined with itself",
    .parallel = true,
    .create = create_rebuild,
    .step = step_tree_method,
    .destroy = destroy_tree_method,
};
