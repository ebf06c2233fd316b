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

static inline void v_store_first(float *to, size_t count, vec value) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const int most = count < WIDTH ? (int)count : (int)WIDTH;
    _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(most), lane), value);
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

#    include "core/kernel_update.h"

typedef struct block {
    __m256 min_x[2], min_y[2], max_x[2], max_y[2];
    __m256i index[2];
} block;

static inline block block_load(const qdi_slots *slots, size_t at) {
    block made;
    for (unsigned p = 0; p < 2; ++p) {
        made.min_x[p] = v_load(slots->min_x + at + p * WIDTH);
        made.min_y[p] = v_load(slots->min_y + at + p * WIDTH);
        made.max_x[p] = v_load(slots->max_x + at + p * WIDTH);
        made.max_y[p] = v_load(slots->max_y + at + p * WIDTH);
        made.index[p] = _mm256_loadu_si256((const __m256i *)(slots->index + at + p * WIDTH));
    }
    return made;
}

static inline unsigned block_overlap(const block *these, qd_box box) {
    unsigned mask = 0;
    for (unsigned p = 0; p < 2; ++p) {
        const __m256 left = _mm256_cmp_ps(these->min_x[p], v_set(box.max_x), _CMP_LE_OQ);
        const __m256 right = _mm256_cmp_ps(these->max_x[p], v_set(box.min_x), _CMP_GE_OQ);
        const __m256 below = _mm256_cmp_ps(these->min_y[p], v_set(box.max_y), _CMP_LE_OQ);
        const __m256 above = _mm256_cmp_ps(these->max_y[p], v_set(box.min_y), _CMP_GE_OQ);
        const __m256 hits = _mm256_and_ps(_mm256_and_ps(left, right), _mm256_and_ps(below, above));
        mask |= (unsigned)_mm256_movemask_ps(hits) << (p * WIDTH);
    }
    return mask;
}

// For each of the 256 sets of eight lanes, the lanes in it, lowest first, a byte each.
#    define HAS(set, i)        ((UINT64_C(0) + (set)) >> (i)&1U)
#    define LANE(set, i, rest) ((rest) * (1U + 255U * HAS(set, i)) + (i)*HAS(set, i))
#    define LANES_HIGH(set)    LANE(set, 4, LANE(set, 5, LANE(set, 6, LANE(set, 7, UINT64_C(0)))))
#    define LANES(set)         LANE(set, 0, LANE(set, 1, LANE(set, 2, LANE(set, 3, LANES_HIGH(set)))))
#    define LANES4(set)        LANES(set), LANES((set) + 1), LANES((set) + 2), LANES((set) + 3)
#    define LANES16(set)       LANES4(set), LANES4((set) + 4), LANES4((set) + 8), LANES4((set) + 12)
#    define LANES64(set)       LANES16(set), LANES16((set) + 16), LANES16((set) + 32), LANES16((set) + 48)
static const uint64_t lanes_of[256] = {LANES64(0), LANES64(64), LANES64(128), LANES64(192)};

// The lanes of a set moved together; what follows them is of no use.
static inline __m256i together(__m256i value, unsigned set) {
    return _mm256_permutevar8x32_epi32(value,
                                       _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of[set])));
}

enum { FLUSH_LANES = 8 };

static inline unsigned stage_put(uint32_t *a, uint32_t *b, const block *here, qd_body_index row,
                                 unsigned hits) {
    const __m256i rows = _mm256_set1_epi32((int)row);
    const unsigned first = (unsigned)__builtin_popcount(hits & 0xffU);
    _mm256_storeu_si256((__m256i *)a, rows);
    _mm256_storeu_si256((__m256i *)b, together(here->index[0], hits & 0xffU));
    _mm256_storeu_si256((__m256i *)(a + first), rows);
    _mm256_storeu_si256((__m256i *)(b + first), together(here->index[1], hits >> 8));
    return (unsigned)__builtin_popcount(hits);
}

// Pair i is the words 3 i to 3 i + 2: lower index, higher index, no image. Eight of each make three vectors.
static inline void stage_write(qd_pair *to, const uint32_t *a, const uint32_t *b) {
    _Static_assert(sizeof(qd_pair) == 3 * sizeof(uint32_t), "a pair is three words");
    const __m256i one = _mm256_loadu_si256((const __m256i *)a),
                  other = _mm256_loadu_si256((const __m256i *)b);
    const __m256i low = _mm256_min_epu32(one, other), high = _mm256_max_epu32(one, other);
    const __m256i zero = _mm256_setzero_si256();
    // Word i of a vector is the lower index of pair at_low[i], or the higher one of at_high[i], or zero.
    const __m256i low_at[3] = {_mm256_setr_epi32(0, 0, 0, 1, 0, 0, 2, 0),
                               _mm256_setr_epi32(0, 3, 0, 0, 4, 0, 0, 5),
                               _mm256_setr_epi32(0, 0, 6, 0, 0, 7, 0, 0)};
    const __m256i high_at[3] = {_mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 2),
                                _mm256_setr_epi32(0, 0, 3, 0, 0, 4, 0, 0),
                                _mm256_setr_epi32(5, 0, 0, 6, 0, 0, 7, 0)};
    uint32_t *words = &to->a;
    __m256i out[3];
    for (unsigned v = 0; v < 3; ++v) out[v] = _mm256_permutevar8x32_epi32(low, low_at[v]);
    out[0] = _mm256_blend_epi32(out[0], _mm256_permutevar8x32_epi32(high, high_at[0]), 0x92);
    out[1] = _mm256_blend_epi32(out[1], _mm256_permutevar8x32_epi32(high, high_at[1]), 0x24);
    out[2] = _mm256_blend_epi32(out[2], _mm256_permutevar8x32_epi32(high, high_at[2]), 0x49);
    _mm256_storeu_si256((__m256i *)words, _mm256_blend_epi32(out[0], zero, 0x24));
    _mm256_storeu_si256((__m256i *)(words + 8), _mm256_blend_epi32(out[1], zero, 0x49));
    _mm256_storeu_si256((__m256i *)(words + 16), _mm256_blend_epi32(out[2], zero, 0x92));
}

static inline void pick_column(float *to, unsigned first, const __m256 from[2], unsigned hits) {
    _mm256_storeu_si256((__m256i *)to, together(_mm256_castps_si256(from[0]), hits & 0xffU));
    _mm256_storeu_si256((__m256i *)(to + first), together(_mm256_castps_si256(from[1]), hits >> 8));
}

static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    const unsigned first = (unsigned)__builtin_popcount(hits & 0xffU);
    pick_column(to->min_x + at, first, here->min_x, hits);
    pick_column(to->min_y + at, first, here->min_y, hits);
    pick_column(to->max_x + at, first, here->max_x, hits);
    pick_column(to->max_y + at, first, here->max_y, hits);
    _mm256_storeu_si256((__m256i *)(to->index + at), together(here->index[0], hits & 0xffU));
    _mm256_storeu_si256((__m256i *)(to->index + at + first), together(here->index[1], hits >> 8));
    return at + (unsigned)__builtin_popcount(hits);
}

#    include "core/kernel_staged.h"

#    include "core/kernel_pairs.h"

const qdi_kernels qdi_kernels_avx2 = {kernel_box_list, kernel_list,  kernel_pick,
                                      kernel_hits,     kernel_shift, kernel_update};
#endif
