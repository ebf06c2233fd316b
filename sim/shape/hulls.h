#pragma once

#include "sim/shape/rects.h"

/// Two polygons that touch, several pairs at a time: the same as qdi_collide does, to the bit, with a pair in
/// each lane. What is rare is left to that: pairs whose corners are nearest (QDI_RECTS_CORNERS).

/// Most corners of a polygon that is tested so, and most pairs of a batch.
enum { QDI_HULLS_CORNERS = 8, QDI_HULLS_MOST = 16 };

/// Pairs of polygons: `pairs` has what qdi_rects_put puts, whose halves count for nothing.
typedef struct qdi_hull_pairs {
    qdi_rect_pairs pairs;
    const qdi_hull *a[QDI_HULLS_MOST], *b[QDI_HULLS_MOST];
} qdi_hull_pairs;

typedef void (*qdi_hulls_function)(qdi_hull_pairs *pairs, qdi_rect_meets *meets);

/// Polygons that touch: the one for an instruction set that is available; not AUTO.
qdi_hulls_function qdi_hulls_of(qd_simd simd);

void qdi_hulls_portable(qdi_hull_pairs *pairs, qdi_rect_meets *meets);
#ifdef __x86_64__
void qdi_hulls_avx2(qdi_hull_pairs *pairs, qdi_rect_meets *meets);
void qdi_hulls_avx512(qdi_hull_pairs *pairs, qdi_rect_meets *meets);
#endif

/// Polygons that touch: true for a form that can be in such a pair.
static inline bool qdi_is_small_hull(const qdi_form *form) {
    return form->kind == QD_SHAPE_POLYGON && form->hull->count <= QDI_HULLS_CORNERS;
}
