// Every box against every other. What there is to hold the others against.
#include "core/base/memory.h"
#include "core/math/outward.h"
#include "core/parallel/parallel.h"
#include "tools/bench/bench_motion.h"
#include "tools/bench/sink.h"
#include "tools/host/pin.h"

#include <string.h>

enum { GRAIN = 64, COLUMNS = 5 };

typedef struct brute_state {
    const qd_allocator *allocator;
    qd_team *team;
    size_t count;
    double half;
    double *x, *y, *vx, *vy, *radius; ///< one block, x first
    float *floats;
    qdi_bench_columns boxes;
    qdi_bench_block *blocks; ///< by worker
    qdi_bench_sink sink;
} brute_state;

// Frees the method `brute` of the bench.
static void destroy_brute(void *given) {
    brute_state *state = given;
    if (!state) return;
    const qd_allocator *allocator = state->allocator;
    size_t threads = state->team ? (size_t)qd_team_threads(state->team) : 0;
    size_t padded = state->count + QDI_BENCH_LANES;
    qdi_release(allocator, state->x, COLUMNS * state->count, sizeof *state->x);
    qdi_release(allocator, state->floats, 4 * padded, sizeof *state->floats);
    qdi_release(allocator, state->boxes.index, padded, sizeof *state->boxes.index);
    qdi_release(allocator, state->blocks, threads, sizeof *state->blocks);
    qdi_bench_sink_free(&state->sink);
    qd_team_destroy(state->team);
    qdi_release(allocator, state, 1, sizeof *state);
}

// Allocates what the method `brute` of the bench works with.
static qd_status allocate_brute(brute_state *state, int threads, const qdi_pin *pin) {
    const qd_allocator *allocator = state->allocator;
    size_t n = state->count, padded = n + QDI_BENCH_LANES;
    qd_team_def def = qd_team_def_default();
    def.threads = threads;
    qd_status status = qd_team_create(&def, &state->team);
    if (status == QD_OK) status = qdi_pin_team(pin, state->team);
    if (status != QD_OK) return status;
    state->x = qdi_allocate(allocator, COLUMNS * n, sizeof *state->x);
    state->floats = qdi_allocate(allocator, 4 * padded, sizeof *state->floats);
    state->boxes.index = qdi_allocate(allocator, padded, sizeof *state->boxes.index);
    state->blocks = qdi_allocate(allocator, (size_t)threads, sizeof *state->blocks);
    if (!state->x || !state->floats || !state->boxes.index || !state->blocks) return QD_ERR_MEMORY;
    state->y = state->x + n;
    state->vx = state->y + n;
    state->vy = state->vx + n;
    state->radius = state->vy + n;
    state->boxes.min_x = state->floats;
    state->boxes.min_y = state->floats + padded;
    state->boxes.max_x = state->floats + 2 * padded;
    state->boxes.max_y = state->floats + 3 * padded;
    memset(state->floats, 0, 4 * padded * sizeof *state->floats);
    for (size_t i = 0; i < padded; ++i) state->boxes.index[i] = (uint32_t)i;
    for (int worker = 0; worker < threads; ++worker) {
        state->blocks[worker].sink = &state->sink;
        state->blocks[worker].used = 0;
    }
    return qdi_bench_sink_reserve(&state->sink, 2 * n);
}

// Makes the method `brute` of the bench.
static qd_status create_brute(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **made) {
    const qd_allocator *allocator = qd_allocator_default();
    *made = NULL;
    brute_state *state = qdi_allocate(allocator, 1, sizeof *state);
    if (!state) return QD_ERR_MEMORY;
    *state = (brute_state){.allocator = allocator, .count = bodies->count, .half = .5 * bodies->side};
    state->sink.allocator = allocator;
    qd_status status = allocate_brute(state, options->threads, options->pin);
    if (status != QD_OK) {
        destroy_brute(state);
        return status;
    }
    size_t bytes = bodies->count * sizeof *state->x;
    memcpy(state->x, bodies->x, bytes);
    memcpy(state->y, bodies->y, bytes);
    memcpy(state->vx, bodies->vx, bytes);
    memcpy(state->vy, bodies->vy, bytes);
    memcpy(state->radius, bodies->radius, bytes);
    *made = state;
    return QD_OK;
}

// Moves a range of bodies of the method `brute`.
static void move_brute(void *context, size_t begin, size_t end) {
    brute_state *state = context;
    qdi_bench_move(state->x + begin, state->vx + begin, end - begin, state->half);
    qdi_bench_move(state->y + begin, state->vy + begin, end - begin, state->half);
    for (size_t i = begin; i < end; ++i) {
        const qd_box box = qdi_outward_disk(state->x[i], state->y[i], state->radius[i]);
        state->boxes.min_x[i] = box.min_x;
        state->boxes.min_y[i] = box.min_y;
        state->boxes.max_x[i] = box.max_x;
        state->boxes.max_y[i] = box.max_y;
    }
}

// Bench: tests the boxes of a range of bodies against those that follow them.
static void search_brute(void *context, size_t begin, size_t end, int worker) {
    brute_state *state = context;
    qdi_bench_block *block = &state->blocks[worker];
    for (size_t i = begin; i < end; ++i) qdi_bench_test_run(block, &state->boxes, i, i + 1, state->count);
    qdi_bench_flush(block);
}

// One step of the method `brute`: move, then find pairs.
static qd_status step_brute(void *given, qdi_bench_step *step) {
    brute_state *state = given;
    uint64_t start = qdi_clock_ns();
    qdi_team_for(state->team, state->count, 4096, move_brute, state);
    uint64_t moved = qdi_clock_ns();
    state->sink.count = 0;
    qdi_team_for_workers(state->team, state->count, GRAIN, search_brute, state);
    if (state->sink.count > state->sink.room) { // now it is known how many there are
        qd_status status = qdi_bench_sink_reserve(&state->sink, state->sink.count);
        if (status != QD_OK) return status;
        state->sink.count = 0;
        qdi_team_for_workers(state->team, state->count, GRAIN, search_brute, state);
    }
    step->ns[QDI_BENCH_MOVE] = moved - start;
    step->ns[QDI_BENCH_STRUCTURE] = 0;
    step->ns[QDI_BENCH_PAIRS] = qdi_clock_ns() - moved;
    step->pairs = state->sink.pairs;
    step->pair_count = state->sink.count;
    step->pair_stride = sizeof *state->sink.pairs;
    step->tests = (uint64_t)state->count * (state->count - 1) / 2;
    step->bytes = state->count * (COLUMNS * sizeof(double) + 4 * sizeof(float) + sizeof(uint32_t)) +
                  state->sink.room * sizeof(qdi_bench_pair);
    return QD_OK;
}

const qdi_bench_method qdi_bench_brute = {
    .name = "brute",
    .about = "every box against every other",
    .parallel = true,
    .most_bodies = 20000,
    .create = create_brute,
    .step = step_brute,
    .destroy = destroy_brute,
};
