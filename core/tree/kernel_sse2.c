// Four lanes: every x86-64 has them.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include <emmintrin.h>
#    include <stdint.h>

typedef __m128 vec;
typedef __m128 chosen;
typedef __m128i wholes;
typedef __m128i octets;

// Tree's SSE2 kernel: loads a vector of consecutive box coordinates.
static inline vec v_load(const float *from) {
    return _mm_loadu_ps(from);
}
// Tree's SSE2 kernel: stores a vector of box coordinates.
static inline void v_store_all(float *to, vec value) {
    _mm_storeu_ps(to, value);
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
// Tree's SSE2 kernel: a mask of the boxes of a vector whose coordinate is at most the other's.
static inline chosen m_le(vec a, vec b) {
    return _mm_cmple_ps(a, b);
}
// Tree's SSE2 kernel: the boxes that two masks have.
static inline chosen m_and(chosen a, chosen b) {
    return _mm_and_ps(a, b);
}
// Tree's SSE2 kernel: a bit for each box of a mask.
static inline unsigned m_bits(chosen boxes) {
    return (unsigned)_mm_movemask_ps(boxes);
}
// Tree's SSE2 kernel: a mask of the boxes of a vector whose coordinate is below the other's.
static inline chosen m_lt(vec a, vec b) {
    return _mm_cmplt_ps(a, b);
}
// Tree's SSE2 kernel: the boxes of a mask that another one does not have.
static inline chosen m_and_not(chosen a, chosen b) {
    return _mm_andnot_ps(b, a);
}

// Tree's SSE2 kernel: of each lane the coordinate of `a` where it is chosen, else of `b`.
static inline vec v_pick(chosen set, vec a, vec b) {
    return _mm_or_ps(_mm_and_ps(set, a), _mm_andnot_ps(set, b));
}

// Tree's SSE2 kernel: loads the boxes of several rows, one column to a vector.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[4], vec out[4]) {
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

// Tree's SSE2 kernel: the nearest whole numbers.
static inline wholes v_round(vec a) {
    return _mm_cvtps_epi32(a);
}
// Tree's SSE2 kernel: sixteen whole numbers of 0 to 255 as bytes.
static inline octets b_pack(const wholes from[4]) {
    return _mm_packus_epi16(_mm_packs_epi32(from[0], from[1]), _mm_packs_epi32(from[2], from[3]));
}
// Tree's SSE2 kernel: loads sixteen bytes, coarse coordinates.
static inline octets b_load(const uint8_t *from) {
    return _mm_loadu_si128((const __m128i *)from);
}
// Tree's SSE2 kernel: stores sixteen bytes, coarse coordinates.
static inline void b_store(uint8_t *to, octets value) {
    _mm_storeu_si128((__m128i *)to, value);
}
// Tree's SSE2 kernel: the bits of both.
static inline octets b_or(octets a, octets b) {
    return _mm_or_si128(a, b);
}

#    include "core/tree/kernel_four.h"

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

#    include "core/tree/kernel_pairs.h"

const qdi_kernels qdi_kernels_sse2 = {kernel_box_list, kernel_list,   kernel_pick,
                                      kernel_hits,     kernel_shift,  kernel_drop,
                                      kernel_insert,   kernel_update, NULL};
#endif
