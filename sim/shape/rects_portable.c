// For every processor; and the choice between the instruction sets.
enum { WIDTH = 2 };
#include "sim/shape/hulls_kernel.h"

// Rectangles that touch: tests pairs of rectangles on any processor.
void qdi_rects_portable(qdi_rect_pairs *pairs, qdi_rect_meets *meets) {
    meet_rects(pairs, meets);
}

/// Polygons that touch: tests pairs of polygons, on any processor.
void qdi_hulls_portable(qdi_hull_pairs *pairs, qdi_rect_meets *meets) {
    meet_hulls(pairs, meets);
}

qdi_rects_function qdi_rects_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_AVX512) return qdi_rects_avx512;
    if (simd == QD_SIMD_AVX2) return qdi_rects_avx2;
#endif
    return qdi_rects_portable;
}

qdi_hulls_function qdi_hulls_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_AVX512) return qdi_hulls_avx512;
    if (simd == QD_SIMD_AVX2) return qdi_hulls_avx2;
#endif
    return qdi_hulls_portable;
}
