// Four lanes: every x86-64 has them.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include <emmintrin.h>
#    include <stdint.h>
#    include <string.h>

#    define WIDTH 4U

typedef __m128 vec;

static inline vec v_load(const float *from) {
    return _mm_loadu_ps(from);
}
static inline vec v_set(float value) {
    return _mm_set1_ps(value);
}
static inline vec v_add(vec a, vec b) {
    return _mm_add_ps(a, b);
}
static inline vec v_sub(vec a, vec b) {
    return _mm_sub_ps(a, b);
}
static inline vec v_mul(vec a, vec b) {
    return _mm_mul_ps(a, b);
}
static inline vec v_min(vec a, vec b) {
    return _mm_min_ps(a, b);
}
static inline vec v_max(vec a, vec b) {
    return _mm_max_ps(a, b);
}
static inline unsigned v_le(vec a, vec b) {
    return (unsigned)_mm_movemask_ps(_mm_cmple_ps(a, b));
}
static inline unsigned v_lt(vec a, vec b) {
    return (unsigned)_mm_movemask_ps(_mm_cmplt_ps(a, b));
}

static inline vec v_pick(unsigned mask, vec a, vec b) {
    const __m128i bits = _mm_set_epi32(8, 4, 2, 1);
    __m128i chosen = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits);
    vec pick = _mm_castsi128_ps(chosen);
    return _mm_or_ps(_mm_and_ps(pick, a), _mm_andnot_ps(pick, b));
}

static inline void v_store(float *to, unsigned mask, vec value) {
    (void)mask;
    _mm_storeu_ps(to, value);
}

static inline void v_store_first(float *to, size_t count, vec value) {
    if (count >= WIDTH) {
        _mm_storeu_ps(to, value);
        return;
    }
    float lanes[WIDTH];
    _mm_storeu_ps(lanes, value);
    memcpy(to, lanes, count * sizeof *to); // which may be whole numbers
}

static inline void v_boxes(const qd_box *boxes, const uint32_t rows[WIDTH], vec out[4]) {
    for (unsigned i = 0; i < 4; ++i) out[i] = _mm_loadu_ps(&boxes[rows[i]].min_x);
    _MM_TRANSPOSE4_PS(out[0], out[1], out[2], out[3]);
}

static inline float v_lowest(vec a) {
    a = _mm_min_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_min_ss(a, _mm_shuffle_ps(a, a, 1)));
}

static inline float v_highest(vec a) {
    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_shuffle_ps(a, a, 1)));
}

#    include "core/kernel_update.h"

typedef struct block {
    __m128 min_x[4], min_y[4], max_x[4], max_y[4];
    const qdi_slots *slots;
    size_t at;
} block;

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

#    include "core/kernel_direct.h"

#    include "core/kernel_pairs.h"

const qdi_kernels qdi_kernels_sse2 = {kernel_box_list, kernel_list,  kernel_pick,
                                      kernel_hits,     kernel_shift, kernel_update};
#endif
