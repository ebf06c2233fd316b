// Four lanes; compiled for AVX2 and called only where the processor has it.
#ifdef __x86_64__
#    include <immintrin.h>
#    include <stdbool.h>

enum { WIDTH = 4 };
typedef __m256d vec;
typedef __m256d mask;

#    define BELOW(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
/// Contact solver, AVX2: those of a where the mask is set, of b elsewhere.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return _mm256_blendv_pd(b, a, lanes);
}

#    include "core/math/lanes.h"

/// Contact solver, AVX2: the smaller ones of four doubles.
static inline vec v_min(vec a, vec b) {
    return _mm256_min_pd(a, b);
}
/// Contact solver, AVX2: the larger ones of four doubles.
static inline vec v_max(vec a, vec b) {
    return _mm256_max_pd(a, b);
}
/// Contact solver, AVX2: the square roots of four doubles.
static inline vec v_sqrt(vec a) {
    return _mm256_sqrt_pd(a);
}
/// Contact solver, AVX2: a mask of the lanes whose bits are set.
static inline mask v_lanes(unsigned bits) {
    const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), bit), bit));
}
/// Contact solver, AVX2: true where any lane of a mask is set.
static inline bool v_any(mask lanes) {
    return _mm256_movemask_pd(lanes) != 0;
}

/// Contact solver, AVX2: loads four numbers of each of four rows, turned to columns: halves of rows side by
/// side, as lanes cross the middle of a register slowly.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    for (int k = 0; k < 4; k += 2) {
        const vec even = _mm256_loadu2_m128d(rows[2] + k, rows[0] + k),
                  odd = _mm256_loadu2_m128d(rows[3] + k, rows[1] + k);
        out[k] = _mm256_unpacklo_pd(even, odd);
        out[k + 1] = _mm256_unpackhi_pd(even, odd);
    }
}
/// Contact solver, AVX2: puts columns of four doubles into four rows, each where its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    for (int k = 0; k < 4; k += 2) {
        const vec even = _mm256_unpacklo_pd(in[k], in[k + 1]), odd = _mm256_unpackhi_pd(in[k], in[k + 1]);
        if (bits & 1U) _mm_storeu_pd(rows[0] + k, _mm256_castpd256_pd128(even));
        if (bits & 2U) _mm_storeu_pd(rows[1] + k, _mm256_castpd256_pd128(odd));
        if (bits & 4U) _mm_storeu_pd(rows[2] + k, _mm256_extractf128_pd(even, 1));
        if (bits & 8U) _mm_storeu_pd(rows[3] + k, _mm256_extractf128_pd(odd, 1));
    }
}

#    include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_avx2 = {make, solve, relax, report};
#endif
