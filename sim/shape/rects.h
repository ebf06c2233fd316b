#ifndef QD_SIM_RECTS_H
#define QD_SIM_RECTS_H

#include "sim/shape/collide.h"

#include <quadrille/simd.h>
#include <stddef.h>

/// Two rects touch in most contacts of a pile, so pairs of them are tested many at a time: one loop without
/// branches over arrays, for what every processor has, and (the same lines, so the same bits) for AVX2. All
/// of it happens in axes of the reference side: n along its normal, t along the side, both from the middle of
/// its rect. There the other rect is its centre and one direction, that of its first axis; no corner is made
/// but the two that end up in the manifold.

/// Most pairs of a batch.
#define QDI_RECTS_MOST 128

typedef double qdi_rects_lane[QDI_RECTS_MOST];

typedef struct qdi_rect_pairs {
    size_t count;
    qdi_rects_lane ca, sa, cb, sb;         ///< cosine and sine of both
    qdi_rects_lane dx, dy;                 ///< from the centre of a to that of b
    qdi_rects_lane ha_x, ha_y, hb_x, hb_y; ///< half widths and heights
    qdi_rects_lane radius_a, radius_b;     ///< of their rounding
    qdi_rects_lane reach;
} qdi_rect_pairs;

/// How a pair lies.
enum {
    QDI_RECTS_APART,   ///< further than the reach
    QDI_RECTS_FACE,    ///< a side faces a side: the rest is set
    QDI_RECTS_CORNERS, ///< two corners are nearest, or one is as thin as a line beside the other:
                       ///< qdi_separate knows
};

typedef struct qdi_rect_meets {
    qdi_rects_lane how;
    qdi_rects_lane flipped, side,
        other; ///< 1: the reference is b; the number of its side, and of the one that faces it
    qdi_rects_lane single, low;        ///< 1: one point only; it is that of the side's low end
    qdi_rects_lane nx, ny;             ///< from a to b
    qdi_rects_lane gap[2], x[2], y[2]; ///< at the side's low and high end
} qdi_rect_meets;

typedef void (*qdi_rects_function)(qdi_rect_pairs *pairs, qdi_rect_meets *meets);

/// Rectangles that touch: the one for an instruction set that is available.
qdi_rects_function qdi_rects_of(qd_simd simd);

void qdi_rects_portable(qdi_rect_pairs *pairs, qdi_rect_meets *meets);
#ifdef __x86_64__
void qdi_rects_avx2(qdi_rect_pairs *pairs, qdi_rect_meets *meets);
#endif

/// Puts a pair that is not apart into the arrays, or takes the manifold of one that faces out of them;
/// returns its points.
void qdi_rects_put(qdi_rect_pairs *pairs, size_t i, const qdi_form *a, const qdi_pose *pa, const qdi_form *b,
                   const qdi_pose *pb, double reach);
int qdi_rects_take(const qdi_rect_meets *meets, size_t i, double reach, qdi_manifold *manifold);

#endif
