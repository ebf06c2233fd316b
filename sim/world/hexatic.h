#pragma once

#include <quadrille/hexatic.h>

#include "sim/world/world_impl.h"

/// Hexatic order body by body, for whoever makes something of it at once.

typedef struct qdi_hexatic {
    const qd_world *world;
    qd_vec2 period;
    double reach, largest; ///< largest radius of those that count
    double beyond; ///< how far a neighbour's centre may be from the part of its box that is near, at most
} qdi_hexatic;

/// Hexatic order: what all bodies share. Cost: a look at each.
qdi_hexatic qdi_hexatic_begin(const qd_world *world, double reach);
/// Hexatic order: true for a body that has one.
bool qdi_hexatic_counts(const qd_world *world, uint32_t row);
/// Hexatic order: that of a body that has one; false where it has none that can be told.
bool qdi_hexatic_of_row(const qdi_hexatic *all, uint32_t row, qd_vec2 *psi6);
