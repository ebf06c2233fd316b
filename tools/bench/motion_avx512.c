// Compiled for AVX-512 and called only where the processor has it. All by hand: the flags allow FMA, which
// compilers are not to find a use for on their own.
#ifdef __x86_64__
#    include "tools/bench/bench_motion.h"

#    include <immintrin.h>

/// So few that they are still in the nearest cache when their boxes are made; a multiple of LANES.
enum { PIECE = 256, LANES = 8 };

// Bench's motion: one coordinate, a multiple of LANES bodies.
static void move_axis(double *x, double *v, size_t count, double half) {
    __m512i signs = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i += LANES) {
        const __m512d moved = _mm512_add_pd(_mm512_loadu_pd(x + i), _mm512_loadu_pd(v + i));
        const __m512d inside = _mm512_sub_pd(_mm512_set1_pd(half), _mm512_abs_pd(moved));
        _mm512_storeu_pd(x + i, moved);
        signs = _mm512_or_si512(signs, _mm512_castpd_si512(inside));
    }
    if (_mm512_movepi64_mask(signs) != 0) qdi_bench_mirror(x, v, count, half);
}

// Bench's motion: how far qdi_outward moves a number.
static inline __m256 away(__m256 nearest) {
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), nearest);
    return _mm256_add_ps(_mm256_mul_ps(size, _mm256_set1_ps(1.1920928955078125e-7F)),
                         _mm256_set1_ps(1.17549435e-38F));
}

// The lower sides of eight boxes of the bench, rounded outward.
static inline __m256 lower_sides(__m512d middle, __m512d reach) {
    const __m256 nearest = _mm512_cvtpd_ps(_mm512_sub_pd(middle, reach));
    return _mm256_sub_ps(nearest, away(nearest));
}

// The upper sides of eight boxes of the bench, rounded outward.
static inline __m256 upper_sides(__m512d middle, __m512d reach) {
    const __m256 nearest = _mm512_cvtpd_ps(_mm512_add_pd(middle, reach));
    return _mm256_add_ps(nearest, away(nearest));
}

// Bench's motion: the boxes of eight disks, as qdi_outward_disk makes them.
static inline void make_boxes(const double *x, const double *y, const double *radius, qd_box *boxes) {
    const __m512d at_x = _mm512_loadu_pd(x), at_y = _mm512_loadu_pd(y), reach = _mm512_loadu_pd(radius);
    const __m256 min_x = lower_sides(at_x, reach), min_y = lower_sides(at_y, reach);
    const __m256 max_x = upper_sides(at_x, reach), max_y = upper_sides(at_y, reach);
    const __m256 low = _mm256_unpacklo_ps(min_x, min_y), low_next = _mm256_unpackhi_ps(min_x, min_y);
    const __m256 high = _mm256_unpacklo_ps(max_x, max_y), high_next = _mm256_unpackhi_ps(max_x, max_y);
    // Bodies i and i + 4 share a vector.
    const __m256 box[4] = {_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xee),
                           _mm256_shuffle_ps(low_next, high_next, 0x44),
                           _mm256_shuffle_ps(low_next, high_next, 0xee)};
    for (unsigned i = 0; i < 4; ++i) {
        _mm_storeu_ps(&boxes[i].min_x, _mm256_castps256_ps128(box[i]));
        _mm_storeu_ps(&boxes[i + 4].min_x, _mm256_extractf128_ps(box[i], 1));
    }
}

void qdi_bench_move_disks_avx512(double *x, double *y, double *vx, double *vy, const double *radius,
                                 qd_box *boxes, size_t count, double half) {
    const size_t whole = count / LANES * LANES;
    for (size_t at = 0; at < whole; at += PIECE) {
        const size_t piece = whole - at < PIECE ? whole - at : PIECE;
        move_axis(x + at, vx + at, piece, half);
        move_axis(y + at, vy + at, piece, half);
        for (size_t i = at; i < at + piece; i += LANES) make_boxes(x + i, y + i, radius + i, boxes + i);
    }
    if (count > whole) // there may be no rows at all
        qdi_bench_move_disks_avx2(x + whole, y + whole, vx + whole, vy + whole, radius + whole, boxes + whole,
                                  count - whole, half);
}
#endif
