#include "tools/bench/fat.h"

#include "core/base/memory.h"
#include "core/math/outward.h"
#include "core/parallel/parallel.h"
#include "core/tree/fat_box.h"
#include "tools/bench/bench_motion.h"
#include "tools/bench/sink.h"

#include <math.h>
#include <string.h>

// Rows lie in tree order, so most pairs are of rows near by. Rows are worked on in blocks; the candidates of
// two rows of the same block are tested right after the block has moved. So a step goes through memory once,
// and the boxes of a step never get there: they live in a worker's own room, and for the few pairs of rows of
// two blocks they are made once more.
//
// Boxes are compared by differences of all four sides at once: a difference of two floats has the sign of the
// exact one.

enum {
    BLOCK = 8192,
    PIECE = 512,
    CHOOSE_AGAIN = 8,
    NEAR_PIECE = 1024, // BLOCK doubles in lines
    AHEAD = 8,
    FAR_GRAIN = 1024,
    LINE = 64,
};

static const double unit =
    1 << 20; ///< see sim/contact/margin.c: sums of whole numbers are the same in any order

/// Two rows of one block.
typedef struct near_pair {
    uint16_t a, b;
} near_pair;

typedef struct far_pair {
    uint32_t a, b;
} far_pair;

/// What a worker has for itself.
typedef struct bench_worker {
    qdi_bench_block out;
    qd_box own[BLOCK]; ///< boxes of a block's rows
} bench_worker;

struct qdi_bench_fat {
    const qd_allocator *allocator;
    double margin; ///< NaN: automatic
    size_t count, blocks, workers;
    uint32_t *row;        ///< by index
    uint64_t rows_of;     ///< qdi_bench_tree.orders that `row` is for
    size_t *sums, *start; ///< per block: sums, or whether bodies left; first near pair
    bench_worker *worker;
    far_pair *met; ///< candidates as the tree told them, then those of two blocks
    size_t met_room, far_count;
    near_pair *near; ///< by block
    size_t near_room;
    qdi_bench_sink sink;
    bool held;        ///< there are fat boxes
    uint32_t horizon; ///< steps that they are made for
    uint32_t age;     ///< since they were, or since it was found that they would not pay
    double growth, pairs;
    bool moves; ///< what a pass is to do
};

void qdi_bench_fat_destroy(qdi_bench_fat *fat) {
    if (!fat) return;
    const qd_allocator *allocator = fat->allocator;
    qdi_release(allocator, fat->row, fat->count, sizeof *fat->row);
    qdi_release(allocator, fat->sums, fat->blocks, sizeof *fat->sums);
    qdi_release(allocator, fat->start, fat->blocks + 1, sizeof *fat->start);
    qdi_release(allocator, fat->worker, fat->workers, sizeof *fat->worker);
    qdi_release(allocator, fat->met, fat->met_room, sizeof *fat->met);
    qdi_release(allocator, fat->near, fat->near_room, sizeof *fat->near);
    qdi_bench_sink_free(&fat->sink);
    qdi_release(allocator, fat, 1, sizeof *fat);
}

qd_status qdi_bench_fat_create(const qdi_bench_tree *state, const qdi_bench_options *options,
                               qdi_bench_fat **made) {
    const qd_allocator *allocator = state->allocator;
    size_t n = state->count, workers = (size_t)qd_team_threads(state->team);
    qdi_bench_fat *fat = *made = qdi_allocate(allocator, 1, sizeof *fat);
    if (!fat) return QD_ERR_MEMORY;
    *fat = (qdi_bench_fat){.allocator = allocator,
                           .margin = options->margin,
                           .count = n,
                           .blocks = qdi_range_count(n, BLOCK),
                           .workers = workers,
                           .sink = {.allocator = allocator},
                           .horizon = 1,
                           .pairs = 1};
    fat->row = qdi_allocate(allocator, n, sizeof *fat->row);
    fat->sums = qdi_allocate(allocator, fat->blocks, sizeof *fat->sums);
    fat->start = qdi_allocate(allocator, fat->blocks + 1, sizeof *fat->start);
    fat->worker = qdi_allocate(allocator, workers, sizeof *fat->worker);
    if (!fat->row || !fat->sums || !fat->start || !fat->worker) {
        qdi_bench_fat_destroy(fat);
        *made = NULL;
        return QD_ERR_MEMORY;
    }
    for (size_t w = 0; w < workers; ++w) {
        fat->worker[w].out.sink = &fat->sink;
        fat->worker[w].out.used = 0;
    }
    for (size_t i = 0; i < n; ++i) fat->row[i] = (uint32_t)i;
    return QD_OK;
}

// ---- boxes ----

/// The sides of a box, in its order, as one vector of the compiler's own (GNU C).
typedef float sides __attribute__((vector_size(4 * sizeof(float))));
typedef int32_t side_bits __attribute__((vector_size(4 * sizeof(int32_t))));
_Static_assert(sizeof(sides) == sizeof(qd_box), "four sides in a box");

/// Bench of fat boxes: whether any of some boxes is outside of its fat one.
static bool any_outside(const qd_box *own, const qd_box *fat, size_t count) {
    const sides inward = {1, 1, -1, -1};
    side_bits outside = {0};
    for (size_t i = 0; i < count; ++i) {
        sides box, around;
        memcpy(&box, own + i, sizeof box);
        memcpy(&around, fat + i, sizeof around);
        outside |= (side_bits)((box - around) * inward < 0);
    }
    return (outside[0] | outside[1] | outside[2] | outside[3]) != 0;
}

// The box of a body of the bench.
static inline qd_box disk_box(const qdi_bench_tree *state, size_t row) {
    return qdi_outward_disk(state->x[row], state->y[row], state->radius[row]);
}

// How far a body of the bench moves in a step, in its diameters.
static double fat_stride(const qdi_bench_tree *state, size_t row) {
    return sqrt(state->vx[row] * state->vx[row] + state->vy[row] * state->vy[row]) / (2 * state->radius[row]);
}

// Bench of fat boxes: adds up how far a range of bodies moves in a step.
static void sum_fat_strides(void *context, size_t begin, size_t end) {
    const qdi_bench_tree *state = context;
    size_t sum = 0;
    for (size_t r = begin; r < end; ++r) sum += (size_t)(unit * fat_stride(state, r));
    state->fat->sums[begin / BLOCK] = sum;
}

// Makes the fat boxes of a range of bodies of the bench.
static void fatten_rows(void *context, size_t begin, size_t end) {
    const qdi_bench_tree *state = context;
    const qdi_bench_fat *fat = state->fat;
    const qd_vec2 none = {0, 0};
    size_t sum = 0;
    for (size_t r = begin; r < end; ++r) {
        double side = 2 * state->radius[r], more = fat->margin;
        if (isnan(more)) more = (QDI_MARGIN_LEAST + fat->horizon * fat_stride(state, r)) * side;
        state->boxes[r] = qdi_margin_fatten(disk_box(state, r), more, none);
        sum += (size_t)(unit * more / side);
    }
    fat->sums[begin / BLOCK] = sum;
}

// The mean of a quantity over the bodies of the bench.
static double mean_over_bodies(qdi_bench_tree *state, qdi_range_function pass) {
    const qdi_bench_fat *fat = state->fat;
    qdi_team_for(state->team, state->count, BLOCK, pass, state);
    size_t sum = 0;
    for (size_t k = 0; k < fat->blocks; ++k) sum += fat->sums[k];
    return (double)sum / (unit * (double)state->count);
}

bool qdi_bench_fat_pays(qdi_bench_tree *state) {
    qdi_bench_fat *fat = state->fat;
    if (!isnan(fat->margin)) return true;
    fat->age += 1;
    if (fat->held && fat->age <= fat->horizon) return true;
    if (!fat->held && fat->horizon == 0 && fat->age < CHOOSE_AGAIN) return false;
    // In the bench nothing changes a body's course but walls, so there is no reason why boxes should not
    // last.
    fat->horizon = (uint32_t)qdi_margin_horizon(2 * mean_over_bodies(state, sum_fat_strides), fat->pairs,
                                                QDI_MARGIN_LONGEST, QDI_MARGIN_LONGEST);
    fat->held = false;
    fat->age = 0;
    return fat->horizon > 0;
}

// ---- pairs ----

#if defined __SSE2__
// Whether two boxes of the bench's fat method overlap.
static inline bool fat_overlap(const qd_box *a, const qd_box *b) {
    const __m128 other = _mm_loadu_ps(&b->min_x), upper = _mm_setr_ps(0.0F, 0.0F, -0.0F, -0.0F);
    const __m128 apart = _mm_sub_ps(_mm_loadu_ps(&a->min_x),
                                    _mm_shuffle_ps(other, other, _MM_SHUFFLE(1, 0, 3, 2)));
    return _mm_movemask_ps(_mm_cmpgt_ps(_mm_xor_ps(apart, upper), _mm_setzero_ps())) == 0;
}
#else
// Whether two boxes of the bench's fat method overlap.
static inline bool fat_overlap(const qd_box *a, const qd_box *b) {
    return (a->min_x <= b->max_x) & (a->min_y <= b->max_y) & (b->min_x <= a->max_x) & (b->min_y <= a->max_y);
}
#endif

/// Bench of fat boxes: a column of the rows from `row` on. Tests wait for nothing, so meanwhile the rows that
/// come next are asked for: by each piece of tests a column, by each test a line of it, which makes about as
/// many lines as there are.
static uintptr_t next_column(const qdi_bench_tree *state, size_t row, size_t piece) {
    if (row >= state->count) row = 0;
    const size_t half = row + BLOCK / 2 < state->count ? row + BLOCK / 2 : row;
    const void *const columns[] = {state->x + row,      state->vx + row,     state->y + row,
                                   state->vy + row,     state->radius + row, state->boxes + row,
                                   state->boxes + half, state->index + row};
    const size_t count = sizeof columns / sizeof columns[0];
    return (uintptr_t)columns[piece < count ? piece : count - 1];
}

/// Bench of fat boxes: tests the near pairs of a block. Whether two overlap is anybody's guess: so pairs are
/// written whether or not.
static void test_near(const qdi_bench_tree *state, size_t block, bench_worker *worker) {
    const qdi_bench_fat *fat = state->fat;
    const uint32_t *index = state->index + block * BLOCK;
    const qd_box *own = worker->own;
    size_t piece = 0;
    if (fat->start[block] == fat->start[block + 1]) return; // there may be no pairs at all
    const near_pair *at = fat->near + fat->start[block], *end = fat->near + fat->start[block + 1];
    while (at < end) {
        const near_pair *stop = end - at > NEAR_PIECE ? at + NEAR_PIECE : end;
        if (worker->out.used + (size_t)(stop - at) > QDI_BENCH_BLOCK) qdi_bench_flush(&worker->out);
        qdi_bench_pair *to = worker->out.pairs + worker->out.used;
        uintptr_t line = next_column(state, (block + 1) * BLOCK, piece++);
        for (; at < stop; ++at, line += LINE) {
            __builtin_prefetch((const void *)line);
            *to = (qdi_bench_pair){index[at->a], index[at->b]};
            to += fat_overlap(own + at->a, own + at->b);
        }
        worker->out.used = (size_t)(to - worker->out.pairs);
    }
}

// Bench of fat boxes: moves a block of bodies and tests its candidate pairs.
static void test_fat_block(void *context, size_t begin, size_t end, int number) {
    const qdi_bench_tree *state = context;
    const qdi_bench_fat *fat = state->fat;
    bench_worker *worker = &fat->worker[number];
    size_t outside = 0;
    for (size_t at = begin; at < end; at += PIECE) {
        size_t count = end - at < PIECE ? end - at : PIECE;
        qd_box *own = worker->own + (at - begin);
        if (fat->moves)
            qdi_bench_move_disks(state->x + at, state->y + at, state->vx + at, state->vy + at,
                                 state->radius + at, own, count, state->half);
        else
            for (size_t i = 0; i < count; ++i) own[i] = disk_box(state, at + i);
        outside += any_outside(own, state->boxes + at, count);
    }
    fat->sums[begin / BLOCK] = outside;
    if (!outside) test_near(state, begin / BLOCK, worker);
}

/// Bench of fat boxes: asks for what a far pair needs, some time ahead.
static inline void ask_for(const qdi_bench_tree *state, far_pair rows) {
    const uint32_t row[2] = {rows.a, rows.b};
    for (int k = 0; k < 2; ++k) {
        __builtin_prefetch(&state->x[row[k]]);
        __builtin_prefetch(&state->y[row[k]]);
        __builtin_prefetch(&state->radius[row[k]]);
    }
}

// Bench of fat boxes: tests the candidate pairs whose bodies lie in different blocks.
static void test_far_pairs(void *context, size_t begin, size_t end, int number) {
    const qdi_bench_tree *state = context;
    const qdi_bench_fat *fat = state->fat;
    qdi_bench_block *out = &fat->worker[number].out;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t a = fat->met[i].a, b = fat->met[i].b;
        if (i + AHEAD < end) ask_for(state, fat->met[i + AHEAD]);
        const qd_box boxes[2] = {disk_box(state, a), disk_box(state, b)};
        if (!fat_overlap(&boxes[0], &boxes[1])) continue;
        if (out->used == QDI_BENCH_BLOCK) qdi_bench_flush(out);
        out->pairs[out->used++] = (qdi_bench_pair){state->index[a], state->index[b]};
    }
}

/// Bench of fat boxes: goes over all blocks; true where all bodies are in their fat boxes and all near pairs
/// were found.
static bool do_blocks(qdi_bench_tree *state, bool moves) {
    qdi_bench_fat *fat = state->fat;
    fat->moves = moves;
    fat->sink.count = 0;
    for (size_t w = 0; w < fat->workers; ++w) fat->worker[w].out.used = 0;
    qdi_team_for_workers(state->team, state->count, BLOCK, test_fat_block, state);
    size_t left = 0;
    for (size_t k = 0; k < fat->blocks; ++k) left += fat->sums[k];
    return left == 0;
}

// ---- all anew ----

// Finds the row of each body index of the bench.
static void find_fat_rows(void *context, size_t begin, size_t end) {
    const qdi_bench_tree *state = context;
    for (size_t r = begin; r < end; ++r) state->fat->row[state->index[r]] = (uint32_t)r;
}

/// Bench of fat boxes: sorts the candidates into near ones, by block, and far ones.
static qd_status sort_candidates(qdi_bench_tree *state) {
    qdi_bench_fat *fat = state->fat;
    size_t count;
    const qd_pair *pairs = qd_pairs_data(state->pairs, &count);
    qd_status status = qdi_reserve(fat->allocator, &fat->met, &fat->met_room, 0, count, sizeof *fat->met);
    if (status == QD_OK)
        status = qdi_reserve(fat->allocator, &fat->near, &fat->near_room, 0, count, sizeof *fat->near);
    if (status == QD_OK) status = qdi_bench_sink_reserve(&fat->sink, count);
    if (status != QD_OK) return status;
    memset(fat->start, 0, (fat->blocks + 1) * sizeof *fat->start);
    for (size_t i = 0; i < count; ++i) {
        const far_pair rows = {fat->row[pairs[i].a], fat->row[pairs[i].b]};
        fat->met[i] = rows;
        fat->start[rows.a / BLOCK] += rows.a / BLOCK == rows.b / BLOCK;
    }
    (void)qdi_exclusive_scan(fat->start, fat->blocks + 1);
    fat->far_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const far_pair rows = fat->met[i];
        if (rows.a / BLOCK == rows.b / BLOCK)
            fat->near[fat->start[rows.a / BLOCK]++] = (near_pair){rows.a % BLOCK, rows.b % BLOCK};
        else
            fat->met[fat->far_count++] = rows;
    }
    for (size_t k = fat->blocks; k > 0; --k) fat->start[k] = fat->start[k - 1];
    fat->start[0] = 0;
    double side = 1 + 2 * fat->growth;
    fat->pairs = (double)count / ((double)state->count * side * side);
    return QD_OK;
}

// Bench of fat boxes: makes fat boxes and candidate pairs anew.
static qd_status make_fat_candidates(qdi_bench_tree *state) {
    qdi_bench_fat *fat = state->fat;
    uint64_t orders = state->orders;
    fat->growth = mean_over_bodies(state, fatten_rows);
    qd_status status = qdi_bench_tree_refresh(state);
    if (status == QD_OK && state->orders != orders) { // the boxes are still in the old order
        fat->growth = mean_over_bodies(state, fatten_rows);
        status = qdi_bench_tree_refresh(state);
    }
    if (status == QD_OK) status = qd_tree_pairs(state->tree, state->team, state->pairs);
    if (status != QD_OK) return status;
    if (state->orders != fat->rows_of) qdi_team_for(state->team, state->count, BLOCK, find_fat_rows, state);
    fat->rows_of = state->orders;
    fat->held = true;
    fat->age = 0;
    return sort_candidates(state);
}

// Bytes that the bench's fat method reads in a step.
static size_t fat_bytes(const qdi_bench_tree *state) {
    const qdi_bench_fat *fat = state->fat;
    size_t per_body = QDI_BENCH_TREE_COLUMNS * sizeof(double) + 4 * sizeof(uint32_t) + sizeof(qd_box);
    return state->count * per_body + qd_tree_statistics(state->tree).bytes + qd_pairs_bytes(state->pairs) +
           fat->met_room * sizeof *fat->met + fat->near_room * sizeof *fat->near +
           fat->sink.room * sizeof *fat->sink.pairs + fat->workers * sizeof *fat->worker;
}

qd_status qdi_bench_fat_step(qdi_bench_tree *state, qdi_bench_step *step) {
    qdi_bench_fat *fat = state->fat;
    uint64_t start = qdi_clock_ns(), moved, built;
    qd_status status = QD_OK;
    if (fat->held && do_blocks(state, true)) {
        built = moved = qdi_clock_ns();
    } else {
        if (!fat->held) qdi_bench_tree_move(state);
        moved = qdi_clock_ns();
        status = make_fat_candidates(state);
        if (status != QD_OK) return status;
        built = qdi_clock_ns();
        step->tests = qd_pairs_tests(state->pairs);
        (void)do_blocks(state, false);
    }
    qdi_team_for_workers(state->team, fat->far_count, FAR_GRAIN, test_far_pairs, state);
    for (size_t w = 0; w < fat->workers; ++w) qdi_bench_flush(&fat->worker[w].out);
    step->ns[QDI_BENCH_MOVE] = moved - start;
    step->ns[QDI_BENCH_STRUCTURE] = built - moved;
    step->ns[QDI_BENCH_PAIRS] = qdi_clock_ns() - built;
    step->tests += fat->start[fat->blocks] + fat->far_count;
    step->pairs = fat->sink.pairs;
    step->pair_count = fat->sink.count;
    step->pair_stride = sizeof *fat->sink.pairs;
    step->bytes = fat_bytes(state);
    return status;
}
