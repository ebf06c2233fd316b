// Two lanes: SSE2, which every x86-64 has, or NEON, which every arm64 has; arm processors whose bytes lie
// highest first go without.
#if defined __x86_64__ || defined __AARCH64EL__
enum { WIDTH = 2 };
#    include "core/math/lanes.h"

#    ifdef __x86_64__
#        include <emmintrin.h>
#        define v_min(a, b)         _mm_min_pd(a, b)
#        define v_max(a, b)         _mm_max_pd(a, b)
#        define v_sqrt(a)           _mm_sqrt_pd(a)
#        define v_any(lanes)        (_mm_movemask_pd((vec)(lanes)) != 0)
#        define FIRST_OF_BOTH(a, b) _mm_unpacklo_pd(a, b)
#        define LAST_OF_BOTH(a, b)  _mm_unpackhi_pd(a, b)
#    else
#        include <arm_neon.h>
#        define v_min(a, b)         v_pick(BELOW(a, b), a, b)
#        define v_max(a, b)         v_pick(BELOW(b, a), a, b)
#        define v_sqrt(a)           ((vec)vsqrtq_f64((float64x2_t)(a)))
#        define v_any(lanes)        (vmaxvq_u32((uint32x4_t)(lanes)) != 0)
#        define FIRST_OF_BOTH(a, b) ((vec)vzip1q_f64((float64x2_t)(a), (float64x2_t)(b)))
#        define LAST_OF_BOTH(a, b)  ((vec)vzip2q_f64((float64x2_t)(a), (float64x2_t)(b)))
#    endif

/// Contact solver, two lanes: a mask of the lanes whose bits are set; in halves, which SSE2 can compare.
static inline mask v_lanes(unsigned bits) {
    typedef int32_t halves __attribute__((vector_size(2 * sizeof(double))));
    const halves bit = {1, 1, 2, 2};
    return (mask)(((int32_t)bits & bit) == bit);
}
/// Contact solver, two lanes: loads four numbers of each of two rows, turned to columns.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    for (unsigned k = 0; k < 4; k += 2) {
        const vec here = v_load(rows[0] + k), there = v_load(rows[1] + k);
        out[k] = FIRST_OF_BOTH(here, there);
        out[k + 1] = LAST_OF_BOTH(here, there);
    }
}
/// Contact solver, two lanes: puts columns of two doubles into two rows, each where its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    for (unsigned k = 0; k < 4; k += 2) {
        if (bits & 1U) v_store(rows[0] + k, FIRST_OF_BOTH(in[k], in[k + 1]));
        if (bits & 2U) v_store(rows[1] + k, LAST_OF_BOTH(in[k], in[k + 1]));
    }
}

#    include "sim/rigid/solver_kernel.h"

#    ifdef __x86_64__
const qdi_solver_kernels qdi_solver_sse2 = {make, solve, relax, report};
#    else
const qdi_solver_kernels qdi_solver_neon = {make, solve, relax, report};
#    endif
#endif
