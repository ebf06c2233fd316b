#pragma once

#include <quadrille/displacement.h>

#include "core/base/bytes.h"
#include "sim/world/feature.h"
#include "sim/world/world_impl.h"

/// Where bodies come from: by index, as seen from the image that a body is in now. Nothing where the world
/// does not follow them.

/// Displacement: room for so many indices. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_homes_reserve(qd_world *world, size_t indices);
/// Displacement: a body begins where it is; there is room.
void qdi_home_begin(qd_world *world, uint32_t row);
/// Displacement: frees.
void qdi_homes_release(qd_world *world);

/// Displacement: the way of the body in a row of a world that follows it.
static inline qd_vec2 qdi_displacement_of_row(const qd_world *world, uint32_t row) {
    const qd_vec2 home = world->home[world->index[row]];
    return (qd_vec2){world->now.x[row] - home.x, world->now.y[row] - home.y};
}

/// Displacement: bytes of a body of a saved world that follows it; writes those of an index.
enum { QDI_HOME_BYTES = 16 };
void qdi_home_put(const qd_world *world, size_t index, unsigned char **at);
/// Displacement: reads those of all bodies, in order of index; false for what no body can have come from.
QD_MUST_USE bool qdi_homes_get(const unsigned char **at, qd_world *world);

/// Turns round the world that bodies make in a step.
extern const qdi_feature qdi_displacement_feature;
