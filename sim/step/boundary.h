#pragma once

#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

/// What holds for every body of a step along one axis: where a boundary does something, and what.
typedef struct qdi_boundary {
    const qdi_axis *axis;
    double low, high;             ///< where something happens: an infinity where nothing does
    double inset;                 ///< 1 where the body's side counts, 0 where its centre does
    bool moves;                   ///< the walls do
    double speed_low, speed_high; ///< and so fast
} qdi_boundary;

/// The boundaries of a step along x and y.
void qdi_boundary_both(const qd_world *world, qdi_boundary *x, qdi_boundary *y);

/// The boundary's work for a body that went past `low` or `high`: wraps or mirrors its place, and turns its
/// velocity round at a wall. True where it did that.
bool qdi_boundary_cross(const qdi_boundary *boundary, qdi_extent reach, double *x, double *velocity);

/// Whether a body at x reaches beyond the walls of an axis.
static inline bool qdi_boundary_beyond(const qdi_boundary *c, double x, qdi_extent reach) {
    return x + c->inset * reach.low < c->low || x + c->inset * reach.high >= c->high;
}
