// Eight lanes; compiled for AVX-512 (F, BW, DQ, VL) and called only where the processor has it.
#ifdef __x86_64__
#    include <immintrin.h>
#    include <stdbool.h>

enum { WIDTH = 8 };
typedef __m512d vec;
typedef __mmask8 mask;

#    define BELOW(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
/// Contact solver, AVX-512: those of a where the mask is set, of b elsewhere.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return _mm512_mask_blend_pd(lanes, b, a);
}

#    include "core/math/lanes.h"

/// Contact solver, AVX-512: the smaller ones of eight doubles.
static inline vec v_min(vec a, vec b) {
    return _mm512_min_pd(a, b);
}
/// Contact solver, AVX-512: the larger ones of eight doubles.
static inline vec v_max(vec a, vec b) {
    return _mm512_max_pd(a, b);
}
/// Contact solver, AVX-512: the square roots of eight doubles.
static inline vec v_sqrt(vec a) {
    return _mm512_sqrt_pd(a);
}
/// Contact solver, AVX-512: a mask of the lanes whose bits are set.
static inline mask v_lanes(unsigned bits) {
    return (mask)bits;
}
/// Contact solver, AVX-512: true where any lane of a mask is set.
static inline bool v_any(mask lanes) {
    return lanes != 0;
}

/// Contact solver, AVX-512: loads two rows into the halves of eight doubles.
static inline vec two_rows(const double *low, const double *high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}
/// Contact solver, AVX-512: loads four numbers of each of eight rows, turned to columns.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    vec row_02 = two_rows(rows[0], rows[2]), row_13 = two_rows(rows[1], rows[3]);
    vec row_46 = two_rows(rows[4], rows[6]), row_57 = two_rows(rows[5], rows[7]);
    vec low_0123 = _mm512_unpacklo_pd(row_02, row_13), high_0123 = _mm512_unpackhi_pd(row_02, row_13);
    vec low_4567 = _mm512_unpacklo_pd(row_46, row_57), high_4567 = _mm512_unpackhi_pd(row_46, row_57);
    out[0] = _mm512_shuffle_f64x2(low_0123, low_4567, 0x88);
    out[1] = _mm512_shuffle_f64x2(high_0123, high_4567, 0x88);
    out[2] = _mm512_shuffle_f64x2(low_0123, low_4567, 0xdd);
    out[3] = _mm512_shuffle_f64x2(high_0123, high_4567, 0xdd);
}

/// Contact solver, AVX-512: puts two halves into two rows, each where its bit is set.
static inline void put_halves(double *low, double *high, bool low_too, bool high_too, vec halves) {
    if (low_too) _mm256_storeu_pd(low, _mm512_castpd512_pd256(halves));
    if (high_too) _mm256_storeu_pd(high, _mm512_extractf64x4_pd(halves, 1));
}
/// Contact solver, AVX-512: puts columns of eight doubles into eight rows, each where its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    vec even_01 = _mm512_unpacklo_pd(in[0], in[1]), odd_01 = _mm512_unpackhi_pd(in[0], in[1]);
    vec even_23 = _mm512_unpacklo_pd(in[2], in[3]), odd_23 = _mm512_unpackhi_pd(in[2], in[3]);
    put_halves(rows[0], rows[2], bits & 1U, bits & 4U, _mm512_permutex2var_pd(even_01, front, even_23));
    put_halves(rows[1], rows[3], bits & 2U, bits & 8U, _mm512_permutex2var_pd(odd_01, front, odd_23));
    put_halves(rows[4], rows[6], bits & 16U, bits & 64U, _mm512_permutex2var_pd(even_01, back, even_23));
    put_halves(rows[5], rows[7], bits & 32U, bits & 128U, _mm512_permutex2var_pd(odd_01, back, odd_23));
}

#    include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_avx512 = {make, solve, relax, report};
#endif
