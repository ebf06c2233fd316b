#pragma once

#include "sim/shape/collide.h"
#include "sim/shape/separate.h"

/// What the files of the contact geometry share.

/// How two facing sides become contact points.
typedef struct qdi_facing_use {
    const qdi_facing *facing;
    bool flipped; ///< the reference is b's
    double radius_ref, radius_other, reach;
    double merge; ///< a shared range no longer than this is one point
    qdi_manifold *manifold;
} qdi_facing_use;

/// Fills points and count, not the normal; returns the count.
int qdi_manifold_of_facing(const qdi_facing_use *use);

/// Puts two points in order of their features.
void qdi_manifold_order(qdi_manifold *manifold);

/// The manifold of a separation that is within reach of the two rounded cores.
int qdi_manifold_of(const qdi_separation *separation, const qdi_core *core_a, double radius_a,
                    double radius_b, double reach, qdi_manifold *manifold);

/// Shapes' collisions: of forms that lie along each other, two corners at one end are nearest where both end
/// there, if only by a hair: adds the point at the other end of the two sides to that of the corners. Returns
/// how many there are.
int qdi_manifold_add_far_end(const qdi_separation *separation, double radius_a, double radius_b, double reach,
                             qdi_manifold *m);

/// qdi_collide for two rects whose sides face each other, or that are apart; false where they meet in another
/// way.
bool qdi_collide_rects(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb,
                       double reach, qdi_manifold *manifold);

/// qdi_collide for an edge of a polyline, which is at the origin, against any form but such an edge.
int qdi_collide_edge(const qdi_form *edge, const qdi_pose *edge_pose, const qdi_form *form,
                     const qdi_pose *pose, double reach, qdi_manifold *manifold);
