// Sixteen lanes; compiled for AVX-512 (F, BW, DQ, VL) and called only where the processor has it.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include <immintrin.h>
#    include <stdint.h>

#    define WIDTH 16U

typedef __m512 vec;

static inline vec v_load(const float *from) {
    return _mm512_loadu_ps(from);
}
static inline vec v_set(float value) {
    return _mm512_set1_ps(value);
}
static inline vec v_add(vec a, vec b) {
    return _mm512_add_ps(a, b);
}
static inline vec v_sub(vec a, vec b) {
    return _mm512_sub_ps(a, b);
}
static inline vec v_mul(vec a, vec b) {
    return _mm512_mul_ps(a, b);
}
static inline vec v_min(vec a, vec b) {
    return _mm512_min_ps(a, b);
}
static inline vec v_max(vec a, vec b) {
    return _mm512_max_ps(a, b);
}
static inline unsigned v_le(vec a, vec b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
static inline unsigned v_lt(vec a, vec b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline vec v_pick(unsigned mask, vec a, vec b) {
    return _mm512_mask_blend_ps((__mmask16)mask, b, a);
}
static inline void v_store(float *to, unsigned mask, vec value) {
    _mm512_mask_storeu_ps(to, (__mmask16)mask, value);
}

static inline void v_store_first(float *to, size_t count, vec value) {
    const __mmask16 lanes = (__mmask16)(count >= WIDTH ? 0xffffU : (1U << count) - 1U);
    _mm512_mask_storeu_ps(to, lanes, value);
}

// Bodies i, i + 4, i + 8 and i + 12 share a vector, one in each quarter; transposing the quarters puts body j in lane j.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[WIDTH], vec out[4]) {
    __m512 body[4];
    for (unsigned i = 0; i < 4; ++i) {
        body[i] = _mm512_castps128_ps512(_mm_loadu_ps(&boxes[rows[i]].min_x));
        body[i] = _mm512_insertf32x4(body[i], _mm_loadu_ps(&boxes[rows[i + 4]].min_x), 1);
        body[i] = _mm512_insertf32x4(body[i], _mm_loadu_ps(&boxes[rows[i + 8]].min_x), 2);
        body[i] = _mm512_insertf32x4(body[i], _mm_loadu_ps(&boxes[rows[i + 12]].min_x), 3);
    }
    __m512 a = _mm512_unpacklo_ps(body[0], body[1]), b = _mm512_unpackhi_ps(body[0], body[1]);
    __m512 c = _mm512_unpacklo_ps(body[2], body[3]), d = _mm512_unpackhi_ps(body[2], body[3]);
    out[0] = _mm512_shuffle_ps(a, c, 0x44);
    out[1] = _mm512_shuffle_ps(a, c, 0xee);
    out[2] = _mm512_shuffle_ps(b, d, 0x44);
    out[3] = _mm512_shuffle_ps(b, d, 0xee);
}

static inline float v_lowest(vec a) {
    return _mm512_reduce_min_ps(a);
}
static inline float v_highest(vec a) {
    return _mm512_reduce_max_ps(a);
}

#    include "core/kernel_update.h"

typedef struct block {
    __m512 min_x, min_y, max_x, max_y;
    __m512i index;
} block;

static inline block block_load(const qdi_slots *slots, size_t at) {
    return (block){_mm512_loadu_ps(slots->min_x + at), _mm512_loadu_ps(slots->min_y + at),
                   _mm512_loadu_ps(slots->max_x + at), _mm512_loadu_ps(slots->max_y + at),
                   _mm512_loadu_si512(slots->index + at)};
}

static inline unsigned block_overlap(const block *these, qd_box box) {
    __mmask16 hits = _mm512_cmp_ps_mask(these->min_x, _mm512_set1_ps(box.max_x), _CMP_LE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, these->max_x, _mm512_set1_ps(box.min_x), _CMP_GE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, these->min_y, _mm512_set1_ps(box.max_y), _CMP_LE_OQ);
    return _mm512_mask_cmp_ps_mask(hits, these->max_y, _mm512_set1_ps(box.min_y), _CMP_GE_OQ);
}

enum { FLUSH_LANES = 16 };

static inline unsigned stage_put(uint32_t *a, uint32_t *b, const block *here, qd_body_index row,
                                 unsigned hits) {
    _mm512_storeu_si512(a, _mm512_set1_epi32((int)row));
    _mm512_storeu_si512(b, _mm512_maskz_compress_epi32((__mmask16)hits, here->index));
    return (unsigned)__builtin_popcount(hits);
}

// Pair i is the words 3 i to 3 i + 2: lower index, higher index, no image. Sixteen of each make three vectors.
static inline void stage_write(qd_pair *to, const uint32_t *a, const uint32_t *b) {
    _Static_assert(sizeof(qd_pair) == 3 * sizeof(uint32_t), "a pair is three words");
    const __m512i one = _mm512_loadu_si512(a), other = _mm512_loadu_si512(b);
    const __m512i low = _mm512_min_epu32(one, other), high = _mm512_max_epu32(one, other);
    const __m512i first = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i second = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i third = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    uint32_t *words = &to->a;
    _mm512_storeu_si512(words, _mm512_maskz_permutex2var_epi32(0xb6db, low, first, high));
    _mm512_storeu_si512(words + 16, _mm512_maskz_permutex2var_epi32(0xdb6d, low, second, high));
    _mm512_storeu_si512(words + 32, _mm512_maskz_permutex2var_epi32(0x6db6, low, third, high));
}

static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    const __mmask16 chosen = (__mmask16)hits;
    _mm512_storeu_ps(to->min_x + at, _mm512_maskz_compress_ps(chosen, here->min_x));
    _mm512_storeu_ps(to->min_y + at, _mm512_maskz_compress_ps(chosen, here->min_y));
    _mm512_storeu_ps(to->max_x + at, _mm512_maskz_compress_ps(chosen, here->max_x));
    _mm512_storeu_ps(to->max_y + at, _mm512_maskz_compress_ps(chosen, here->max_y));
    _mm512_storeu_si512(to->index + at, _mm512_maskz_compress_epi32(chosen, here->index));
    return at + (unsigned)__builtin_popcount(hits);
}

#    include "core/kernel_staged.h"

#    include "core/kernel_pairs.h"

const qdi_kernels qdi_kernels_avx512 = {kernel_box_list, kernel_list,  kernel_pick,
                                        kernel_hits,     kernel_shift, kernel_update};
#endif
