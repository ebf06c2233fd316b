// Compiled for AVX2 and called only where the processor has it.
enum { WIDTH = 4 };
#include "sim/shape/hulls_kernel.h"

#ifdef __x86_64__
// Rectangles that touch, AVX2: tests pairs of rectangles, with AVX2.
void qdi_rects_avx2(qdi_rect_pairs *pairs, qdi_rect_meets *meets) {
    meet_rects(pairs, meets);
}

/// Polygons that touch: tests pairs of polygons, with AVX2.
void qdi_hulls_avx2(qdi_hull_pairs *pairs, qdi_rect_meets *meets) {
    meet_hulls(pairs, meets);
}
#endif
