#pragma once

#include "sim/shape/collide.h"

#include <quadrille/simd.h>
#include <stddef.h>

/// Two rects touch in most contacts of a pile, so pairs of them are tested many at a time: one loop without
/// branches over arrays, for what every processor has, and (the same lines, so the same bits) for AVX2 and
/// AVX-512. All of it happens in axes of the reference side: n along its normal, t along the side, both from
/// the middle of its rect. There the other rect is its centre and one direction, that of its first axis; no
/// corner is made but the two that end up in the manifold.

/// Most pairs of a batch.
#define QDI_RECTS_MOST 64

typedef double qdi_rects_lane[QDI_RECTS_MOST];

/// Numbers of a pair: cosine and sine of both; where the centre of a is, and from there to that of b; half
/// widths and heights; radii of their rounding; velocities; how far apart points may be.
enum {
    QDI_RECTS_CA,
    QDI_RECTS_SA,
    QDI_RECTS_CB,
    QDI_RECTS_SB,
    QDI_RECTS_X,
    QDI_RECTS_Y,
    QDI_RECTS_DX,
    QDI_RECTS_DY,
    QDI_RECTS_HA_X,
    QDI_RECTS_HA_Y,
    QDI_RECTS_HB_X,
    QDI_RECTS_HB_Y,
    QDI_RECTS_RADIUS_A,
    QDI_RECTS_RADIUS_B,
    QDI_RECTS_VA_X,
    QDI_RECTS_VA_Y,
    QDI_RECTS_SPIN_A,
    QDI_RECTS_VB_X,
    QDI_RECTS_VB_Y,
    QDI_RECTS_SPIN_B,
    QDI_RECTS_REACH,
    QDI_RECTS_INPUTS
};

typedef struct qdi_rect_pairs {
    size_t count;
    qdi_rects_lane in[QDI_RECTS_INPUTS];
} qdi_rect_pairs;

/// How a pair lies.
enum {
    QDI_RECTS_APART,   ///< further than the reach
    QDI_RECTS_FACE,    ///< a side faces a side: the rest is set
    QDI_RECTS_CORNERS, ///< two corners are nearest, or one is as thin as a line beside the other:
                       ///< qdi_separate knows
};

/// Points lie at the side's ends where they are within reach, the deeper one first; of two that are equally
/// deep that of the lower feature. What there is not is 0.
typedef struct qdi_rect_meets {
    qdi_rects_lane how;
    qdi_rects_lane count;  ///< points
    qdi_rects_lane least;  ///< gap of these, infinite where there is none
    qdi_rects_lane nx, ny; ///< from a to b
    qdi_rects_lane x[2], y[2], depth[2], feature[2];
    qdi_rects_lane approach; ///< of the first point, along the normal
} qdi_rect_meets;

typedef void (*qdi_rects_function)(qdi_rect_pairs *pairs, qdi_rect_meets *meets);

/// Rectangles that touch: the one for an instruction set that is available; not AUTO.
qdi_rects_function qdi_rects_of(qd_simd simd);

void qdi_rects_portable(qdi_rect_pairs *pairs, qdi_rect_meets *meets);
#ifdef __x86_64__
void qdi_rects_avx2(qdi_rect_pairs *pairs, qdi_rect_meets *meets);
void qdi_rects_avx512(qdi_rect_pairs *pairs, qdi_rect_meets *meets);
#endif

/// A body's share in a pair.
typedef struct qdi_rect_body {
    double c, s;      ///< cosine and sine
    qd_vec2 half;     ///< half width and height
    double radius;    ///< of its rounding
    qd_vec2 velocity; ///< of its centre
    double spin;
} qdi_rect_body;

/// Puts a pair that is not apart into the arrays: the centre of a, and from there to that of b; or takes the
/// manifold of one that faces out of them, about the same origin, and returns its points.
static inline void qdi_rects_put(qdi_rect_pairs *pairs, size_t i, const qdi_rect_body *a,
                                 const qdi_rect_body *b, qd_vec2 at, qd_vec2 d, double reach) {
    qdi_rects_lane *in = pairs->in;
    in[QDI_RECTS_CA][i] = a->c;
    in[QDI_RECTS_SA][i] = a->s;
    in[QDI_RECTS_CB][i] = b->c;
    in[QDI_RECTS_SB][i] = b->s;
    in[QDI_RECTS_X][i] = at.x;
    in[QDI_RECTS_Y][i] = at.y;
    in[QDI_RECTS_DX][i] = d.x;
    in[QDI_RECTS_DY][i] = d.y;
    in[QDI_RECTS_HA_X][i] = a->half.x;
    in[QDI_RECTS_HA_Y][i] = a->half.y;
    in[QDI_RECTS_HB_X][i] = b->half.x;
    in[QDI_RECTS_HB_Y][i] = b->half.y;
    in[QDI_RECTS_RADIUS_A][i] = a->radius;
    in[QDI_RECTS_RADIUS_B][i] = b->radius;
    in[QDI_RECTS_VA_X][i] = a->velocity.x;
    in[QDI_RECTS_VA_Y][i] = a->velocity.y;
    in[QDI_RECTS_SPIN_A][i] = a->spin;
    in[QDI_RECTS_VB_X][i] = b->velocity.x;
    in[QDI_RECTS_VB_Y][i] = b->velocity.y;
    in[QDI_RECTS_SPIN_B][i] = b->spin;
    in[QDI_RECTS_REACH][i] = reach;
}
int qdi_rects_take(const qdi_rect_meets *meets, size_t i, qdi_manifold *manifold);
