// Four lanes: every x86-64 has them.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include "core/tree/kernel_window.h"

#    include <emmintrin.h>
#    include <stdbool.h>
#    include <stdint.h>
#    include <string.h>

#    define WIDTH 4U

typedef __m128 vec;

// Tree's SSE2 kernel: loads a vector of consecutive box coordinates.
static inline vec v_load(const float *from) {
    return _mm_loadu_ps(from);
}
// Tree's SSE2 kernel: a vector with one coordinate in every lane.
static inline vec v_set(float value) {
    return _mm_set1_ps(value);
}
// Tree's SSE2 kernel: adds two vectors of box coordinates.
static inline vec v_add(vec a, vec b) {
    return _mm_add_ps(a, b);
}
// Tree's SSE2 kernel: subtracts vectors of box coordinates.
static inline vec v_sub(vec a, vec b) {
    return _mm_sub_ps(a, b);
}
// Tree's SSE2 kernel: multiplies two vectors of box coordinates.
static inline vec v_mul(vec a, vec b) {
    return _mm_mul_ps(a, b);
}
// Tree's SSE2 kernel: the lower coordinates of two vectors of boxes.
static inline vec v_min(vec a, vec b) {
    return _mm_min_ps(a, b);
}
// Tree's SSE2 kernel: the higher coordinates of two vectors of boxes.
static inline vec v_max(vec a, vec b) {
    return _mm_max_ps(a, b);
}
// Tree's SSE2 kernel: a bit for each box of a vector whose coordinate is at most the other's.
static inline unsigned v_le(vec a, vec b) {
    return (unsigned)_mm_movemask_ps(_mm_cmple_ps(a, b));
}
// Tree's SSE2 kernel: a bit for each box of a vector whose coordinate is below the other's.
static inline unsigned v_lt(vec a, vec b) {
    return (unsigned)_mm_movemask_ps(_mm_cmplt_ps(a, b));
}

// Tree's SSE2 kernel: of each lane the coordinate of `a` where the mask is set, else of `b`.
static inline vec v_pick(unsigned mask, vec a, vec b) {
    const __m128i bits = _mm_set_epi32(8, 4, 2, 1);
    __m128i chosen = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
    vec pick = _mm_castsi128_ps(chosen);
    return _mm_or_ps(_mm_and_ps(pick, a), _mm_andnot_ps(pick, b));
}

// Tree's SSE2 kernel: writes the boxes' coordinates of one vector.
static inline void v_store(float *to, unsigned mask, vec value) {
    (void)mask;
    _mm_storeu_ps(to, value);
}

// Tree's SSE2 kernel: stores the first `count` lanes of a vector.
static inline void v_store_first(float *to, size_t count, vec value) {
    if (count >= WIDTH) {
        _mm_storeu_ps(to, value);
        return;
    }
    float lanes[WIDTH];
    _mm_storeu_ps(lanes, value);
    memcpy(to, lanes, count * sizeof *to); // which may be whole numbers
}

// Loads the rows of a vector of slots; false where a slot has no row.
static inline bool v_rows(const uint32_t *row, size_t left, uint32_t rows[WIDTH]) {
    bool known = true;
    for (unsigned i = 0; i < WIDTH; ++i) {
        rows[i] = row[i < left ? i : 0];
        known &= rows[i] != UINT32_MAX;
    }
    return known;
}

// Tree's SSE2 kernel: loads the boxes of several rows, one column to a vector.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[WIDTH], vec out[4]) {
    for (unsigned i = 0; i < 4; ++i) out[i] = _mm_loadu_ps(&boxes[rows[i]].min_x);
    _MM_TRANSPOSE4_PS(out[0], out[1], out[2], out[3]);
}

// Tree's SSE2 kernel: the lowest coordinate of a vector of boxes.
static inline float v_lowest(vec a) {
    a = _mm_min_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_min_ss(a, _mm_shuffle_ps(a, a, 1)));
}

// Tree's SSE2 kernel: the highest coordinate of a vector of boxes.
static inline float v_highest(vec a) {
    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_shuffle_ps(a, a, 1)));
}

#    include "core/tree/kernel_update.h"

// Removes slots of a list, by bit, and moves the others together.
static void kernel_drop(const qdi_slots *slots, size_t begin, size_t end, uint64_t which) {
    qdi_drop_runs(slots, begin, end, which, kernel_shift);
}

typedef struct block {
    __m128 min_x[4], min_y[4], max_x[4], max_y[4];
    const qdi_slots *slots;
    size_t at;
} block;

// Loads a block of slots' boxes.
static inline block block_load(const qdi_slots *slots, size_t at) {
    block made;
    for (unsigned p = 0; p < 4; ++p) {
        made.min_x[p] = v_load(slots->min_x + at + p * WIDTH);
        made.min_y[p] = v_load(slots->min_y + at + p * WIDTH);
        made.max_x[p] = v_load(slots->max_x + at + p * WIDTH);
        made.max_y[p] = v_load(slots->max_y + at + p * WIDTH);
    }
    made.slots = slots;
    made.at = at;
    return made;
}

// Which boxes of a block of slots overlap a box, as bits.
static inline unsigned block_overlap(const block *these, qd_box box) {
    unsigned mask = 0;
    for (unsigned p = 0; p < 4; ++p) {
        const __m128 x = _mm_and_ps(_mm_cmple_ps(these->min_x[p], v_set(box.max_x)),
                                    _mm_cmpge_ps(these->max_x[p], v_set(box.min_x)));
        const __m128 y = _mm_and_ps(_mm_cmple_ps(these->min_y[p], v_set(box.max_y)),
                                    _mm_cmpge_ps(these->max_y[p], v_set(box.min_y)));
        mask |= (unsigned)_mm_movemask_ps(_mm_and_ps(x, y)) << (p * WIDTH);
    }
    return mask;
}

// Tree's SSE2 kernel: makes coarse coordinates of a column of boxes.
static inline __m128i coarse_column(__m128 value, float origin, float scale) {
    const __m128 moved = v_mul(v_sub(value, v_set(origin)), v_set(scale));
    return _mm_cvtps_epi32(v_max(v_min(moved, v_set(254.0F)), _mm_setzero_ps()));
}

// Tree's SSE2 kernel: makes coarse coordinates of a column of a window.
static inline void window_column(float *to, uint8_t *coarse, const __m128 from[4], float origin,
                                 float scale) {
    __m128i whole[4];
    for (unsigned p = 0; p < 4; ++p) {
        _mm_store_ps(to + p * WIDTH, from[p]);
        whole[p] = coarse_column(from[p], origin, scale);
    }
    const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(whole[0], whole[1]),
                                           _mm_packs_epi32(whole[2], whole[3]));
    _mm_store_si128((__m128i *)coarse, bytes);
}

// Puts a block of slots into a window, coarse boxes too.
static inline void window_put(qdi_window *window, unsigned to, const qdi_slots *slots, size_t at,
                              unsigned count) {
    const block here = block_load(slots, at);
    const size_t place = (size_t)to * QDI_PAIR_BLOCK;
    qdi_coarse *coarse = &window->coarse[to];
    window_column(window->min_x + place, coarse->column[0], here.min_x, window->origin_x, window->scale_x);
    window_column(window->min_y + place, coarse->column[1], here.min_y, window->origin_y, window->scale_y);
    window_column(window->max_x + place, coarse->column[2], here.max_x, window->origin_x, window->scale_x);
    window_column(window->max_y + place, coarse->column[3], here.max_y, window->origin_y, window->scale_y);
    memcpy(window->index + place, slots->index + at, QDI_PAIR_BLOCK * sizeof *window->index);
    const __m128i lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i none = _mm_cmpgt_epi8(lane, _mm_set1_epi8((char)((int)count - 1)));
    const __m128i min_x = _mm_load_si128((const __m128i *)coarse->column[0]);
    _mm_store_si128((__m128i *)coarse->column[0], _mm_or_si128(min_x, none));
}

// Tree's SSE2 kernel: the bytes of a column, each four times.
static inline void four_times(const uint8_t *from, __m128i out[4]) {
    const __m128i bytes = _mm_load_si128((const __m128i *)from);
    const __m128i low = _mm_unpacklo_epi8(bytes, bytes), high = _mm_unpackhi_epi8(bytes, bytes);
    out[0] = _mm_unpacklo_epi16(low, low);
    out[1] = _mm_unpackhi_epi16(low, low);
    out[2] = _mm_unpacklo_epi16(high, high);
    out[3] = _mm_unpackhi_epi16(high, high);
}

// Tree's SSE2 kernel: one row against all lanes; `row` has its four coordinates, in all bytes.
static inline uint64_t coarse_row(const __m128i lanes[4], __m128i min_x, __m128i min_y, __m128i max_x,
                                  __m128i max_y) {
    const __m128i x = _mm_or_si128(_mm_subs_epu8(lanes[0], max_x), _mm_subs_epu8(min_x, lanes[2]));
    const __m128i y = _mm_or_si128(_mm_subs_epu8(lanes[1], max_y), _mm_subs_epu8(min_y, lanes[3]));
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(x, y), _mm_setzero_si128()));
}

// Tree's SSE2 kernel: tests two blocks of a window for pairs, by coarse boxes.
static inline void window_test(qdi_window *window, unsigned row_block, unsigned lane_block,
                               const uint64_t among[4]) {
    const qdi_coarse *rows = &window->coarse[row_block], *lanes = &window->coarse[lane_block];
    const unsigned base = lane_block * 4096 + row_block * QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
    const __m128i lane[4] = {
        _mm_load_si128((const __m128i *)lanes->column[0]), _mm_load_si128((const __m128i *)lanes->column[1]),
        _mm_load_si128((const __m128i *)lanes->column[2]), _mm_load_si128((const __m128i *)lanes->column[3])};
    __m128i min_x[4], min_y[4], max_x[4], max_y[4];
    four_times(rows->column[0], min_x);
    four_times(rows->column[1], min_y);
    four_times(rows->column[2], max_x);
    four_times(rows->column[3], max_y);
#    define ROW(g, i)                                                                                        \
        (coarse_row(lane, _mm_shuffle_epi32(min_x[g], (i)*0x55), _mm_shuffle_epi32(min_y[g], (i)*0x55),      \
                    _mm_shuffle_epi32(max_x[g], (i)*0x55), _mm_shuffle_epi32(max_y[g], (i)*0x55))            \
         << (QDI_PAIR_BLOCK * (i)))
    for (unsigned g = 0; g < window->fours[row_block]; ++g) {
        const uint64_t hits = ROW(g, 0) | ROW(g, 1) | ROW(g, 2) | ROW(g, 3);
        qdi_window_note(window, hits & among[g], base + 64 * g);
    }
#    undef ROW
}

// Tree's SSE2 kernel: writes the pairs of a window whose boxes overlap.
static inline size_t window_pairs(const qdi_window *window, qd_pair *to) {
    return qdi_window_pairs(window, to);
}

// Copies the slots of a block that `hits` names.
static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    const qdi_slots *slots = here->slots;
    for (; hits != 0; hits &= hits - 1) {
        const size_t s = here->at + (unsigned)__builtin_ctz(hits);
        to->min_x[at] = slots->min_x[s];
        to->min_y[at] = slots->min_y[s];
        to->max_x[at] = slots->max_x[s];
        to->max_y[at] = slots->max_y[s];
        to->index[at] = slots->index[s];
        ++at;
    }
    return at;
}

#    include "core/tree/kernel_pairs.h"

const qdi_kernels qdi_kernels_sse2 = {kernel_box_list, kernel_list, kernel_pick,  kernel_hits,
                                      kernel_shift,    kernel_drop, kernel_update};
#endif
