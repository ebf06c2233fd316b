// Two lanes: every x86-64 has them.
#include "sim/rigid/solver.h"
#include "sim/world/scratch.h"

#ifdef __x86_64__
#    include <emmintrin.h>

enum { WIDTH = 2 };
typedef __m128d vec;
typedef __m128d mask;

/// Contact solver, SSE2: loads two doubles.
static inline vec v_load(const double *from) {
    return _mm_loadu_pd(from);
}
/// Contact solver, SSE2: stores two doubles.
static inline void v_store(double *to, vec value) {
    _mm_storeu_pd(to, value);
}
/// Contact solver, SSE2: the same value in two doubles.
static inline vec v_set(double value) {
    return _mm_set1_pd(value);
}
/// Contact solver, SSE2: the smaller ones of two doubles.
static inline vec v_min(vec a, vec b) {
    return _mm_min_pd(a, b);
}
/// Contact solver, SSE2: the larger ones of two doubles.
static inline vec v_max(vec a, vec b) {
    return _mm_max_pd(a, b);
}
/// Contact solver, SSE2: a mask of those of a that are above those of b.
static inline mask v_above(vec a, vec b) {
    return _mm_cmpgt_pd(a, b);
}
/// Contact solver, SSE2: a mask of the lanes whose bits are set.
static inline mask v_lanes(unsigned bits) {
    const __m128i bit = _mm_set_epi32(2, 2, 1, 1);
    return _mm_castsi128_pd(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), bit), bit));
}
/// Contact solver, SSE2: true where any lane of a mask is set.
static inline bool v_any(mask lanes) {
    return _mm_movemask_pd(lanes) != 0;
}
/// Contact solver, SSE2: those of a where the mask is set, of b elsewhere.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return _mm_or_pd(_mm_and_pd(lanes, a), _mm_andnot_pd(lanes, b));
}
/// Contact solver, SSE2: loads four numbers of each of two rows, turned to columns.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    for (unsigned k = 0; k < 2; ++k) {
        vec here = _mm_loadu_pd(rows[0] + 2 * k), there = _mm_loadu_pd(rows[1] + 2 * k);
        out[2 * k] = _mm_unpacklo_pd(here, there);
        out[2 * k + 1] = _mm_unpackhi_pd(here, there);
    }
}
/// Contact solver, SSE2: puts columns of two doubles into two rows, each where its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    for (unsigned k = 0; k < 2; ++k) {
        if (bits & 1U) _mm_storeu_pd(rows[0] + 2 * k, _mm_unpacklo_pd(in[2 * k], in[2 * k + 1]));
        if (bits & 2U) _mm_storeu_pd(rows[1] + 2 * k, _mm_unpackhi_pd(in[2 * k], in[2 * k + 1]));
    }
}

#    include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_sse2 = {make, solve, relax, report};
#endif
