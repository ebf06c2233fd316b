#pragma once

#include "sim/world/feature.h"
#include "sim/world/world_impl.h"

/// The world's size in time (quadrille/compression.h). A step is made in the size that it begins with; then
/// everything is scaled, and contacts are looked for in the size that it ends with.

/// True where the size changes at some time.
static inline bool qdi_compresses(const qd_world *world) {
    return world->def.compression.rate.x != 0 || world->def.compression.rate.y != 0;
}
/// True where it may change in the step after the one on its way.
static inline bool qdi_compress_goes_on(const qd_world *world) {
    return qdi_compresses(world) && !world->compress.done && !world->compress.ends;
}

/// Why a compression is refused, or QD_OK.
QD_MUST_USE qd_status qdi_compress_check(const qd_world_def *def, qd_error *error);
/// Puts axes and the tree's period where the scale has them; walls that move have not been moved.
QD_MUST_USE qd_status qdi_compress_put(qd_world *world);
/// Low and high of an axis, but for what moving walls do.
void qdi_compress_axis(const qd_world *world, int axis, double *low, double *high);
/// Scales `next`, sides and boxes in a step; QD_ERR_LIMIT: reported, some body is too long for a period. It
/// comes before the walls: those that move by themselves are put into the sides that it leaves.
extern const qdi_feature qdi_compress_feature;

/// Puts the axes where a scale that was loaded has them. False: it cannot be.
bool qdi_compress_restore(qd_world *world);
