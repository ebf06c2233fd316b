// A uniform grid with a counting sort in each step: the rival, in its best case.
//
// Bodies lie in rows, in the order of their cells as of the last time that rows were sorted; that is done
// again when as many bodies have changed their cell as there are. A step moves the rows and finds their
// cells, counts the bodies of each cell, sums the counts up to the cells' first places, and puts boxes and
// indices, 24 bytes a body, in the order of the cells. Then every body is tested against the rest of its cell
// and the next one, which lie side by side, and against the three cells above, which do too. Empty cells are
// never looked at: the loop goes over bodies.
//
// With several threads, bodies are counted by atomic additions: their order within a cell is a matter of
// chance, and so is that of the pairs.
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tools/bench/bench_motion.h"
#include "tools/bench/grid_side.h"
#include "tools/bench/sink.h"
#include "tools/host/pin.h"

#include <string.h>

enum { BODY_GRAIN = 4096, CELL_GRAIN = 16384, WIDE = 6, NARROW = 4, LINE = 8 };

typedef struct grid_state {
    const qd_allocator *allocator;
    qd_team *team;
    size_t count;
    qdi_bench_cells cells;
    double *wide; ///< the block of the six columns below
    double *x, *y, *vx, *vy, *radius, *spare;
    uint32_t *narrow;               ///< the block of the next four columns, padded
    uint32_t *index, *cell, *place; ///< by row; place: within the cell, then among all
    uint32_t *sorted_cell;          ///< in the order of cells, like `boxes`
    qd_box *row_boxes;
    float *floats; ///< the block of the boxes' columns
    qdi_bench_columns boxes;
    uint32_t *starts; ///< per cell: how many bodies, then the place of its first
    size_t *sums;     ///< per range of cells
    size_t *changed;  ///< per worker, LINE apart: bodies that changed their cell since rows were sorted
    qdi_bench_block *blocks; ///< by worker
    qdi_bench_sink sink;
    const double *from; ///< column that is being sorted
    double *to;
} grid_state;

// Bodies of the bench's grid, with room for the last vector.
static size_t padded_count(const grid_state *state) {
    return state->count + QDI_BENCH_LANES;
}

// Ranges of cells that the bench's grid is worked on in.
static size_t grid_cell_ranges(const grid_state *state) {
    return qdi_range_count(state->cells.count, CELL_GRAIN);
}

// Frees the method `grid` of the bench.
static void destroy_grid(void *given) {
    grid_state *state = given;
    if (!state) return;
    const qd_allocator *allocator = state->allocator;
    size_t threads = state->team ? (size_t)qd_team_threads(state->team) : 0;
    size_t padded = padded_count(state);
    qdi_release(allocator, state->wide, WIDE * state->count, sizeof *state->wide);
    qdi_release(allocator, state->narrow, NARROW * padded, sizeof *state->narrow);
    qdi_release(allocator, state->row_boxes, state->count, sizeof *state->row_boxes);
    qdi_release(allocator, state->floats, 4 * padded, sizeof *state->floats);
    qdi_release(allocator, state->boxes.index, padded, sizeof *state->boxes.index);
    qdi_release(allocator, state->starts, state->cells.count, sizeof *state->starts);
    qdi_release(allocator, state->sums, grid_cell_ranges(state), sizeof *state->sums);
    qdi_release(allocator, state->changed, threads * LINE, sizeof *state->changed);
    qdi_release(allocator, state->blocks, threads, sizeof *state->blocks);
    qdi_bench_sink_free(&state->sink);
    qd_team_destroy(state->team);
    qdi_release(allocator, state, 1, sizeof *state);
}

// Allocates what the method `grid` of the bench works with.
static qd_status allocate_grid(grid_state *state, int team_threads, const qdi_pin *pin) {
    const qd_allocator *allocator = state->allocator;
    size_t n = state->count, padded = padded_count(state), threads = (size_t)team_threads;
    qd_team_def def = qd_team_def_default();
    def.threads = team_threads;
    qd_status status = qd_team_create(&def, &state->team);
    if (status == QD_OK) status = qdi_pin_team(pin, state->team);
    if (status != QD_OK) return status;
    state->wide = qdi_allocate(allocator, WIDE * n, sizeof *state->wide);
    state->narrow = qdi_allocate(allocator, NARROW * padded, sizeof *state->narrow);
    state->row_boxes = qdi_allocate(allocator, n, sizeof *state->row_boxes);
    state->floats = qdi_allocate(allocator, 4 * padded, sizeof *state->floats);
    state->boxes.index = qdi_allocate(allocator, padded, sizeof *state->boxes.index);
    state->starts = qdi_allocate(allocator, state->cells.count, sizeof *state->starts);
    state->sums = qdi_allocate(allocator, grid_cell_ranges(state), sizeof *state->sums);
    state->changed = qdi_allocate(allocator, threads * LINE, sizeof *state->changed);
    state->blocks = qdi_allocate(allocator, threads, sizeof *state->blocks);
    bool all = state->wide && state->narrow && state->row_boxes && state->floats && state->boxes.index &&
               state->starts && state->sums && state->changed && state->blocks;
    return all ? qdi_bench_sink_reserve(&state->sink, 2 * n) : QD_ERR_MEMORY;
}

// Divides a block of memory into the columns of the method `grid`.
static void lay_out_grid(grid_state *state, const qdi_bench_bodies *bodies) {
    size_t n = state->count, padded = padded_count(state), bytes = n * sizeof(double);
    double **columns[WIDE] = {&state->x, &state->y, &state->vx, &state->vy, &state->radius, &state->spare};
    for (size_t i = 0; i < WIDE; ++i) *columns[i] = state->wide + i * n;
    memcpy(state->x, bodies->x, bytes);
    memcpy(state->y, bodies->y, bytes);
    memcpy(state->vx, bodies->vx, bytes);
    memcpy(state->vy, bodies->vy, bytes);
    memcpy(state->radius, bodies->radius, bytes);
    uint32_t **narrow[NARROW] = {&state->index, &state->cell, &state->place, &state->sorted_cell};
    for (size_t i = 0; i < NARROW; ++i) *narrow[i] = state->narrow + i * padded;
    memset(state->narrow, 0, NARROW * padded * sizeof *state->narrow);
    for (size_t i = 0; i < n; ++i) state->index[i] = (uint32_t)i;
    memset(state->floats, 0, 4 * padded * sizeof *state->floats);
    memset(state->boxes.index, 0, padded * sizeof *state->boxes.index);
    state->boxes.min_x = state->floats;
    state->boxes.min_y = state->floats + padded;
    state->boxes.max_x = state->floats + 2 * padded;
    state->boxes.max_y = state->floats + 3 * padded;
    for (int worker = 0; worker < qd_team_threads(state->team); ++worker) {
        state->changed[worker * LINE] = n; // the first step sorts
        state->blocks[worker].sink = &state->sink;
        state->blocks[worker].used = 0;
    }
}

// Makes the method `grid` of the bench.
static qd_status create_grid(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **made) {
    const qd_allocator *allocator = qd_allocator_default();
    *made = NULL;
    grid_state *state = qdi_allocate(allocator, 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (grid_state){.allocator = allocator, .count = bodies->count, .sink = {.allocator = allocator}};
    qd_status status = qdi_bench_cells_choose(bodies, allocator, &state->cells);
    if (status == QD_OK) status = allocate_grid(state, options->threads, options->pin);
    if (status != QD_OK) {
        destroy_grid(state);
        return status;
    }
    lay_out_grid(state, bodies);
    *made = state;
    return QD_OK;
}

// Bench's grid: moves a range of bodies of the grid and finds their cells.
static void move_grid_rows(void *context, size_t begin, size_t end, int worker) {
    grid_state *state = context;
    const double *restrict x = state->x, *restrict y = state->y;
    uint32_t *restrict cell = state->cell;
    const double half = state->cells.half, inverse = state->cells.inverse;
    const uint32_t stride = state->cells.stride;
    uint32_t changed = 0;
    qdi_bench_move_disks(state->x + begin, state->y + begin, state->vx + begin, state->vy + begin,
                         state->radius + begin, state->row_boxes + begin, end - begin, half);
    for (size_t i = begin; i < end; ++i) {
        uint32_t now = qdi_bench_cell_of(x[i], y[i], half, inverse, stride);
        changed += now != cell[i];
        cell[i] = now;
    }
    state->changed[worker * LINE] += changed;
}

// Bench's grid: empties the counts of a range of cells.
static void clear_grid_cells(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    memset(state->starts + begin, 0, (end - begin) * sizeof *state->starts);
}

// Bench's grid: counts the bodies in cells on one thread.
static void count_cells_alone(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    for (size_t i = begin; i < end; ++i) state->place[i] = state->starts[state->cell[i]]++;
}

// Bench's grid: counts the bodies in cells on several threads.
static void count_cells_together(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    for (size_t i = begin; i < end; ++i)
        state->place[i] = __atomic_fetch_add(&state->starts[state->cell[i]], 1, __ATOMIC_RELAXED);
}

// Bench's grid: adds up the counts of a range of cells.
static void sum_cell_counts(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    uint32_t sum = 0;
    for (size_t c = begin; c < end; ++c) sum += state->starts[c];
    state->sums[begin / CELL_GRAIN] = sum;
}

// Bench's grid: finds where the bodies of each cell begin.
static void find_cell_starts(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    uint32_t sum = (uint32_t)state->sums[begin / CELL_GRAIN];
    for (size_t c = begin; c < end; ++c) {
        uint32_t bodies = state->starts[c];
        state->starts[c] = sum;
        sum += bodies;
    }
}

// Bench's grid: puts boxes into the order of their cells.
static void sort_grid_boxes(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    for (size_t i = begin; i < end; ++i) {
        uint32_t cell = state->cell[i], to = state->starts[cell] + state->place[i];
        qd_box box = state->row_boxes[i];
        state->boxes.min_x[to] = box.min_x;
        state->boxes.min_y[to] = box.min_y;
        state->boxes.max_x[to] = box.max_x;
        state->boxes.max_y[to] = box.max_y;
        state->boxes.index[to] = state->index[i];
        state->sorted_cell[to] = cell;
        state->place[i] = to;
    }
}

// Bench's grid: puts a column of bodies into the order of their cells.
static void sort_grid_column(void *context, size_t begin, size_t end) {
    grid_state *state = context;
    for (size_t i = begin; i < end; ++i) state->to[state->place[i]] = state->from[i];
}

/// Bench's grid: puts the rows themselves in the order of the cells when too many bodies have changed theirs.
static void sort_rows(grid_state *state) {
    size_t changed = 0;
    int threads = qd_team_threads(state->team);
    for (int worker = 0; worker < threads; ++worker) changed += state->changed[worker * LINE];
    if (changed < state->count) return;
    for (int worker = 0; worker < threads; ++worker) state->changed[worker * LINE] = 0;
    double **columns[] = {&state->x, &state->y, &state->vx, &state->vy, &state->radius};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        state->from = *columns[i];
        state->to = state->spare;
        qdi_team_for(state->team, state->count, BODY_GRAIN, sort_grid_column, state);
        state->spare = *columns[i];
        *columns[i] = state->to;
    }
    memcpy(state->index, state->boxes.index, state->count * sizeof *state->index);
    memcpy(state->cell, state->sorted_cell, state->count * sizeof *state->cell);
}

// Bench's grid: sorts the bodies of the grid by cell.
static void sort_grid(grid_state *state) {
    qd_team *team = state->team;
    size_t cells = state->cells.count;
    bool alone = qd_team_threads(team) == 1;
    qdi_team_for(team, cells, CELL_GRAIN, clear_grid_cells, state);
    qdi_team_for(team, state->count, BODY_GRAIN, alone ? count_cells_alone : count_cells_together, state);
    qdi_team_for(team, cells, CELL_GRAIN, sum_cell_counts, state);
    (void)qdi_exclusive_scan(state->sums, grid_cell_ranges(state));
    qdi_team_for(team, cells, CELL_GRAIN, find_cell_starts, state);
    qdi_team_for(team, state->count, BODY_GRAIN, sort_grid_boxes, state);
    sort_rows(state);
}

// Bench's grid: finds the pairs of a range of bodies in the cells about them.
static void search_grid(void *context, size_t begin, size_t end, int worker) {
    grid_state *state = context;
    qdi_bench_block *block = &state->blocks[worker];
    const qdi_bench_columns boxes = state->boxes;
    const uint32_t *starts = state->starts;
    for (size_t i = begin; i < end; ++i) {
        uint32_t cell = state->sorted_cell[i], above = cell + state->cells.stride;
        qdi_bench_test_run(block, &boxes, i, i + 1, starts[cell + 2]);
        qdi_bench_test_run(block, &boxes, i, starts[above - 1], starts[above + 2]);
    }
    qdi_bench_flush(block);
}

// Bench's grid: finds all pairs of the grid, with more room where they do not fit.
static qd_status find_grid_pairs(grid_state *state) {
    state->sink.count = 0;
    qdi_team_for_workers(state->team, state->count, BODY_GRAIN, search_grid, state);
    if (state->sink.count <= state->sink.room) return QD_OK;
    qd_status status = qdi_bench_sink_reserve(&state->sink, state->sink.count); // now the number is known
    if (status != QD_OK) return status;
    state->sink.count = 0;
    qdi_team_for_workers(state->team, state->count, BODY_GRAIN, search_grid, state);
    return QD_OK;
}

// One step of the method `grid`: move, sort, find pairs.
static qd_status step_grid(void *given, qdi_bench_step *step) {
    grid_state *state = given;
    uint64_t start = qdi_clock_ns();
    qdi_team_for_workers(state->team, state->count, BODY_GRAIN, move_grid_rows, state);
    uint64_t moved = qdi_clock_ns();
    sort_grid(state);
    uint64_t sorted = qdi_clock_ns();
    qd_status status = find_grid_pairs(state);
    step->ns[QDI_BENCH_MOVE] = moved - start;
    step->ns[QDI_BENCH_STRUCTURE] = sorted - moved;
    step->ns[QDI_BENCH_PAIRS] = qdi_clock_ns() - sorted;
    step->pairs = state->sink.pairs;
    step->pair_count = state->sink.count;
    step->pair_stride = sizeof *state->sink.pairs;
    step->bytes = state->count *
                      (WIDE * sizeof(double) + (NARROW + 1) * sizeof(uint32_t) + 2 * sizeof(qd_box)) +
                  state->cells.count * sizeof *state->starts + state->sink.room * sizeof(qdi_bench_pair);
    return status;
}

const qdi_bench_method qdi_bench_grid = {
    .name = "grid",
    .about = "uniform grid, counting sort in each step",
    .parallel = true,
    .create = create_grid,
    .step = step_grid,
    .destroy = destroy_grid,
};
