#pragma once

#include "sim/shape/form.h"

/// How two cores of two or more corners lie to each other: what collide.h and distance.h are made of.

/// Two sides that face each other: a side of the reference, and what of the other core's facing side is above
/// it.
typedef struct qdi_facing {
    qd_vec2 origin, way;      ///< where the reference's side starts, and its direction (a unit vector)
    double low, high;         ///< range along the side that both share; low > high: none
    double gap_low, gap_high; ///< distance of the cores there, along the reference's normal
    int ref_low, ref_high, other_low, other_high; ///< corners at the ends of the two sides
} qdi_facing;

typedef struct qdi_separation {
    double distance; ///< of the cores; < 0: minus the shortest way that parts them
    qd_vec2 normal;  ///< unit vector from a to b
    bool corners;    ///< two corners are nearest: corner_a and corner_b
    int corner_a, corner_b;
    bool flipped;      ///< without `corners`: the reference is a side of b, not of a
    qdi_facing facing; ///< without `corners`
} qdi_separation;

/// Finds the distance of two cores; false (and only that) where it is above `limit`. Exact to rounding:
/// apart, it is that of a corner to a side, which is then the side with the largest separation of all
/// (separating axes), or else that of the nearest corners; overlapping, the least depth of all sides. Ties as
/// qdi_collide has them.
bool qdi_separate(const qdi_core *a, const qdi_core *b, double limit, qdi_separation *separation);

/// The side number `side` of `ref`, and what faces it of `other`.
qdi_facing qdi_face(const qdi_core *ref, int side, const qdi_core *other);
