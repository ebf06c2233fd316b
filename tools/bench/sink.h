#pragma once

#include "tools/bench/method.h"

#include <quadrille/alloc.h>
#if defined __SSE2__
#    include <emmintrin.h>
#endif

/// Runs of boxes tested against one box, and the pairs that come out, for the methods that keep boxes in
/// plain columns.
///
/// Threads write pairs into a block of their own that stays in their cache and append it to the one array
/// when it is full; a shared counter says where. So pairs come in any order, which nobody looks at.

/// Boxes as structure of arrays. The columns have room for QDI_BENCH_LANES items more than there are boxes.
typedef struct qdi_bench_columns {
    float *min_x, *min_y, *max_x, *max_y;
    uint32_t *index;
} qdi_bench_columns;

enum { QDI_BENCH_LANES = 4, QDI_BENCH_SHORT = 16, QDI_BENCH_BLOCK = 2048, QDI_BENCH_PIECE = 1024 };

/// Where all pairs go. Pairs beyond `room` are counted and lost.
typedef struct qdi_bench_sink {
    const qd_allocator *allocator;
    qdi_bench_pair *pairs;
    size_t room;
    size_t count; ///< changed by all threads
} qdi_bench_sink;

/// A thread's block.
typedef struct qdi_bench_block {
    qdi_bench_sink *sink;
    size_t used;
    qdi_bench_pair pairs[QDI_BENCH_BLOCK + QDI_BENCH_LANES];
} qdi_bench_block;

/// Appends what is in the block and empties it.
void qdi_bench_flush(qdi_bench_block *block);

/// Makes room for `need` pairs and some more, forgetting those there are. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_bench_sink_reserve(qdi_bench_sink *sink, size_t need);
void qdi_bench_sink_free(qdi_bench_sink *sink);

#if defined __SSE2__
/// qdi_bench_test_piece, with a jump over four boxes that all miss, or without.
static inline size_t qdi_bench_test_lanes(const qdi_bench_columns *boxes, size_t i, size_t begin, size_t end,
                                          bool skip, qdi_bench_pair *to) {
    const __m128 min_x = _mm_set1_ps(boxes->min_x[i]), max_x = _mm_set1_ps(boxes->max_x[i]);
    const __m128 min_y = _mm_set1_ps(boxes->min_y[i]), max_y = _mm_set1_ps(boxes->max_y[i]);
    const uint32_t mine = boxes->index[i];
    size_t count = 0;
    for (size_t j = begin; j < end; j += QDI_BENCH_LANES) {
        __m128 x = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(boxes->min_x + j), max_x),
                              _mm_cmple_ps(min_x, _mm_loadu_ps(boxes->max_x + j)));
        __m128 y = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(boxes->min_y + j), max_y),
                              _mm_cmple_ps(min_y, _mm_loadu_ps(boxes->max_y + j)));
        unsigned hits = (unsigned)_mm_movemask_ps(_mm_and_ps(x, y));
        if (end - j < QDI_BENCH_LANES) hits &= (1U << (end - j)) - 1;
        if (skip && hits == 0) continue;
        for (unsigned lane = 0; lane < QDI_BENCH_LANES; ++lane) {
            to[count] = (qdi_bench_pair){mine, boxes->index[j + lane]};
            count += hits >> lane & 1;
        }
    }
    return count;
}

/// Box i against boxes [begin, end), at most QDI_BENCH_PIECE: pairs written at `to`; returns how many.
static inline size_t qdi_bench_test_piece(const qdi_bench_columns *boxes, size_t i, size_t begin, size_t end,
                                          qdi_bench_pair *to) {
    // In a short run any number may hit: writing all four and counting the hits costs less than guessing. In
    // a long one most miss.
    return end - begin > QDI_BENCH_SHORT ? qdi_bench_test_lanes(boxes, i, begin, end, true, to)
                                         : qdi_bench_test_lanes(boxes, i, begin, end, false, to);
}
#else
/// Box i against boxes [begin, end), at most QDI_BENCH_PIECE: pairs written at `to`; returns how many.
static inline size_t qdi_bench_test_piece(const qdi_bench_columns *boxes, size_t i, size_t begin, size_t end,
                                          qdi_bench_pair *to) {
    size_t count = 0;
    for (size_t j = begin; j < end; ++j) {
        to[count] = (qdi_bench_pair){boxes->index[i], boxes->index[j]};
        count += (size_t)((boxes->min_x[j] <= boxes->max_x[i]) & (boxes->min_x[i] <= boxes->max_x[j]) &
                          (boxes->min_y[j] <= boxes->max_y[i]) & (boxes->min_y[i] <= boxes->max_y[j]));
    }
    return count;
}
#endif

/// Box i against boxes [begin, end).
static inline void qdi_bench_test_run(qdi_bench_block *block, const qdi_bench_columns *boxes, size_t i,
                                      size_t begin, size_t end) {
    while (begin < end) {
        size_t stop = end - begin < QDI_BENCH_PIECE ? end : begin + QDI_BENCH_PIECE;
        if (block->used + (stop - begin) > QDI_BENCH_BLOCK) qdi_bench_flush(block);
        block->used += qdi_bench_test_piece(boxes, i, begin, stop, block->pairs + block->used);
        begin = stop;
    }
}
