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

#    include "core/kernel_vector.h"

const qdi_kernels qdi_kernels_avx512 = {kernel_box_list, kernel_list_self, kernel_list_list, kernel_update};
#endif
