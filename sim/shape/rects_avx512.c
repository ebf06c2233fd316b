// Compiled for AVX-512 (F, DQ) and called only where the processor has it.
#ifdef __x86_64__
#    include <immintrin.h>
#    include <stdint.h>

enum { WIDTH = 8 };
typedef __m512d vec;
typedef __mmask8 mask;

#    define BELOW(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
/// Rectangles that touch, AVX-512: of each lane the number of `a` where the mask is set, else of `b`.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return _mm512_mask_blend_pd(lanes, b, a);
}

#    include "sim/shape/hulls_kernel.h"

// Rectangles that touch, AVX-512: tests pairs of rectangles, with AVX-512.
void qdi_rects_avx512(qdi_rect_pairs *pairs, qdi_rect_meets *meets) {
    meet_rects(pairs, meets);
}

/// Polygons that touch: tests pairs of polygons, with AVX-512.
void qdi_hulls_avx512(qdi_hull_pairs *pairs, qdi_rect_meets *meets) {
    meet_hulls(pairs, meets);
}
#endif
