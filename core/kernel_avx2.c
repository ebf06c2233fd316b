// Eight lanes; compiled for AVX2 and called only where the processor has it.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include <immintrin.h>
#    include <stdint.h>

#    define WIDTH 8U

typedef __m256 vec;

static inline vec v_load(const float *from) {
    return _mm256_loadu_ps(from);
}
static inline vec v_set(float value) {
    return _mm256_set1_ps(value);
}
static inline vec v_add(vec a, vec b) {
    return _mm256_add_ps(a, b);
}
static inline vec v_sub(vec a, vec b) {
    return _mm256_sub_ps(a, b);
}
static inline vec v_mul(vec a, vec b) {
    return _mm256_mul_ps(a, b);
}
static inline vec v_min(vec a, vec b) {
    return _mm256_min_ps(a, b);
}
static inline vec v_max(vec a, vec b) {
    return _mm256_max_ps(a, b);
}
static inline unsigned v_le(vec a, vec b) {
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
static inline unsigned v_lt(vec a, vec b) {
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline vec v_pick(unsigned mask, vec a, vec b) {
    const __m256i bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits), bits);
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(chosen));
}

static inline void v_store(float *to, unsigned mask, vec value) {
    (void)mask;
    _mm256_storeu_ps(to, value);
}

// Bodies i and i + 4 share a vector, one in each half; transposing the halves puts body j in lane j.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[WIDTH], vec out[4]) {
    __m256 body[4];
    for (unsigned i = 0; i < 4; ++i) {
        __m128 low = _mm_loadu_ps(&boxes[rows[i]].min_x);
        body[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), _mm_loadu_ps(&boxes[rows[i + 4]].min_x),
                                       1);
    }
    __m256 a = _mm256_unpacklo_ps(body[0], body[1]), b = _mm256_unpackhi_ps(body[0], body[1]);
    __m256 c = _mm256_unpacklo_ps(body[2], body[3]), d = _mm256_unpackhi_ps(body[2], body[3]);
    out[0] = _mm256_shuffle_ps(a, c, 0x44);
    out[1] = _mm256_shuffle_ps(a, c, 0xee);
    out[2] = _mm256_shuffle_ps(b, d, 0x44);
    out[3] = _mm256_shuffle_ps(b, d, 0xee);
}

static inline float v_lowest(vec a) {
    __m128 b = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_min_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_min_ss(b, _mm_shuffle_ps(b, b, 1)));
}

static inline float v_highest(vec a) {
    __m128 b = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_shuffle_ps(b, b, 1)));
}

#    include "core/kernel_vector.h"

const qdi_kernels qdi_kernels_avx2 = {kernel_box_list, kernel_list_self, kernel_list_list, kernel_update};
#endif
