#pragma once

#include "core/tree/pairs_impl.h"

#ifdef __SSE2__
#    include <immintrin.h>
#endif

/// What the pair kernels work in: the boxes that are tested against each other, gathered in one place, and
/// once more in a coarse form, of which one vector holds many. A coarse box has whole numbers of 0 to 254 for
/// coordinates, made by a function that never puts a larger number below a smaller one. So boxes that overlap
/// do so in the coarse form too, and of those that do, which are few, the boxes themselves are compared.

/// Boxes in a window, a whole number of blocks.
#define QDI_WINDOW        256U
#define QDI_WINDOW_BLOCKS (QDI_WINDOW / QDI_PAIR_BLOCK)

/// Pairs that may overlap and wait for that look: some for many blocks.
#define QDI_WINDOW_PAIRS 1024U

/// A block of boxes: columns min x, min y, max x and max y. One that is not there has a min x of 255, and
/// overlaps nothing.
typedef struct qdi_coarse {
    _Alignas(64) uint8_t column[4][QDI_PAIR_BLOCK];
} qdi_coarse;

typedef struct qdi_window {
    _Alignas(64) float min_x[QDI_WINDOW];
    float min_y[QDI_WINDOW], max_x[QDI_WINDOW], max_y[QDI_WINDOW];
    qd_body_index index[QDI_WINDOW];
    qdi_coarse coarse[QDI_WINDOW_BLOCKS];
    float origin_x, origin_y, scale_x, scale_y; ///< of coarse coordinates
    uint8_t fours[QDI_WINDOW_BLOCKS];           ///< of bodies in each block, the last one perhaps not full
    unsigned blocks;                            ///< in use
    unsigned used;                              ///< pairs
    /// Body l of block b and body r: 4096 b + 16 r + l. A few are written past the end.
    uint16_t pair[QDI_WINDOW_PAIRS + 64];
} qdi_window;

/// Of a block's rows with its own lanes, four rows at a time: the lanes after each row.
static const uint64_t qdi_later_rows[4] = {0xfff0fff8fffcfffe, 0xff00ff80ffc0ffe0, 0xf000f800fc00fe00,
                                           0x00008000c000e000};

/// Tree's kernel: how many of the slots that are left lie in a block.
static inline unsigned qdi_block_count(size_t slots) {
    return slots < QDI_PAIR_BLOCK ? (unsigned)slots : QDI_PAIR_BLOCK;
}

/// Tree's kernel: coarse coordinates that spread the bounds [low, high] over all numbers. Bounds too far
/// apart for float32 are not spread at all, and equal ones as good as.
static inline void qdi_window_axis(float low, float high, float *origin, float *scale) {
    const float width = high - low;
    const bool finite = width <= 3e38F;
    *origin = finite ? low : 0.0F;
    *scale = finite ? (width > 2.54e-28F ? 254.0F / width : 1e30F) : 0.0F;
}

/// Tree's kernel: appends those pairs of four rows and a block of lanes that `hits` names: bit 16 (r % 4) + l
/// is row r and lane l. `base`: the first pair's number.
static inline void qdi_window_note(qdi_window *window, uint64_t hits, unsigned base) {
    // How many there are is beyond guessing, but mostly no more than four.
    uint16_t *to = window->pair + window->used;
#if defined(__BMI__) && defined(__POPCNT__)
    window->used += (unsigned)__builtin_popcountll(hits);
    for (unsigned i = 0; i < 4; ++i, hits &= hits - 1) *to++ = (uint16_t)(base + (unsigned)_tzcnt_u64(hits));
    for (; hits != 0; hits &= hits - 1) *to++ = (uint16_t)(base + (unsigned)_tzcnt_u64(hits));
#else
    for (unsigned i = 0; i < 4; ++i, hits &= hits - (hits != 0)) {
        *to = (uint16_t)(base + (unsigned)__builtin_ctzll(hits | UINT64_C(1) << 63));
        to += hits != 0;
    }
    for (; hits != 0; hits &= hits - 1) *to++ = (uint16_t)(base + (unsigned)__builtin_ctzll(hits));
    window->used = (unsigned)(to - window->pair);
#endif
}

/// Tree's kernel: 1 where boxes a and b of the window overlap.
static inline unsigned qdi_window_overlap(const qdi_window *window, unsigned a, unsigned b) {
#ifdef __SSE2__
    const __m128 x = _mm_or_ps(_mm_cmpgt_ss(_mm_load_ss(window->min_x + a), _mm_load_ss(window->max_x + b)),
                               _mm_cmplt_ss(_mm_load_ss(window->max_x + a), _mm_load_ss(window->min_x + b)));
    const __m128 y = _mm_or_ps(_mm_cmpgt_ss(_mm_load_ss(window->min_y + a), _mm_load_ss(window->max_y + b)),
                               _mm_cmplt_ss(_mm_load_ss(window->max_y + a), _mm_load_ss(window->min_y + b)));
    return 1U + (unsigned)_mm_cvtsi128_si32(_mm_castps_si128(_mm_or_ps(x, y)));
#else
    return (unsigned)(window->min_x[a] <= window->max_x[b]) &
           (unsigned)(window->max_x[a] >= window->min_x[b]) &
           (unsigned)(window->min_y[a] <= window->max_y[b]) &
           (unsigned)(window->max_y[a] >= window->min_y[b]);
#endif
}

#ifdef __SSE2__
/// Tree's kernel: 1 where two boxes overlap, each at a multiple of 16 bytes.
static inline unsigned qdi_boxes_overlap(const qd_box *a, const qd_box *b) {
    const __m128 here = _mm_load_ps(&a->min_x), there = _mm_load_ps(&b->min_x);
    const __m128 within = _mm_cmple_ps(_mm_movelh_ps(here, there), _mm_shuffle_ps(there, here, 0xee));
    return ((unsigned)_mm_movemask_ps(within) + 1U) >> 4;
}
#endif

/// Tree's kernel: writes a pair of two bodies, the lower index first.
static inline void qdi_put_pair(qd_pair *to, qd_body_index one, qd_body_index other) {
    to->a = one < other ? one : other;
    to->b = one < other ? other : one;
    to->image = (qd_image){0, 0};
}

/// Tree's kernel: writes those of the window's pairs that overlap; returns how many did. Which do is beyond
/// guessing, so all are written, each over the last that did not.
static inline size_t qdi_window_pairs(const qdi_window *window, qd_pair *to) {
    qd_pair *const begin = to;
    for (unsigned i = 0; i < window->used; ++i) {
        const unsigned pair = window->pair[i], row = pair / QDI_PAIR_BLOCK % QDI_WINDOW;
        const unsigned lane = pair / 4096 * QDI_PAIR_BLOCK + pair % QDI_PAIR_BLOCK;
        qdi_put_pair(to, window->index[row], window->index[lane]);
        to += qdi_window_overlap(window, row, lane);
    }
    return (size_t)(to - begin);
}
