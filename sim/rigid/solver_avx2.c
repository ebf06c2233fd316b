// Four lanes; compiled for AVX2 and called only where the processor has it.
#include "sim/rigid/solver.h"
#include "sim/world/scratch.h"

#ifdef __x86_64__
#    include <immintrin.h>

enum { WIDTH = 4 };
typedef __m256d vec;
typedef __m256d mask;

/// Contact solver, AVX2: loads four doubles.
static inline vec v_load(const double *from) {
    return _mm256_loadu_pd(from);
}
/// Contact solver, AVX2: stores four doubles.
static inline void v_store(double *to, vec value) {
    _mm256_storeu_pd(to, value);
}
/// Contact solver, AVX2: the same value in four doubles.
static inline vec v_set(double value) {
    return _mm256_set1_pd(value);
}
/// Contact solver, AVX2: the smaller ones of four doubles.
static inline vec v_min(vec a, vec b) {
    return _mm256_min_pd(a, b);
}
/// Contact solver, AVX2: the larger ones of four doubles.
static inline vec v_max(vec a, vec b) {
    return _mm256_max_pd(a, b);
}
/// Contact solver, AVX2: a mask of those of a that are above those of b.
static inline mask v_above(vec a, vec b) {
    return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
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
/// Contact solver, AVX2: those of a where the mask is set, of b elsewhere.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return _mm256_blendv_pd(b, a, lanes);
}

/// Contact solver, AVX2: rows become columns, and columns rows.
static inline void transpose(const vec in[4], vec out[4]) {
    vec low_01 = _mm256_unpacklo_pd(in[0], in[1]), high_01 = _mm256_unpackhi_pd(in[0], in[1]);
    vec low_23 = _mm256_unpacklo_pd(in[2], in[3]), high_23 = _mm256_unpackhi_pd(in[2], in[3]);
    out[0] = _mm256_permute2f128_pd(low_01, low_23, 0x20);
    out[1] = _mm256_permute2f128_pd(high_01, high_23, 0x20);
    out[2] = _mm256_permute2f128_pd(low_01, low_23, 0x31);
    out[3] = _mm256_permute2f128_pd(high_01, high_23, 0x31);
}
/// Contact solver, AVX2: loads four numbers of each of four rows, turned to columns.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    vec in[4];
    for (int k = 0; k < 4; ++k) in[k] = _mm256_loadu_pd(rows[k]);
    transpose(in, out);
}
/// Contact solver, AVX2: puts columns of four doubles into four rows, each where its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    vec out[4];
    transpose(in, out);
    for (int k = 0; k < 4; ++k)
        if (bits >> k & 1U) _mm256_storeu_pd(rows[k], out[k]);
}

#    include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_avx2 = {make, solve, relax, report};
#endif
