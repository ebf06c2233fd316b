#pragma once

#include <quadrille/world.h>

#include "sim/world/scratch.h"

/// Islands: dynamic bodies that contacts join, directly or through others. What happens in one says nothing
/// of another, as long as what cannot be moved by contacts moves evenly.

/// Finds the islands of all bodies from the world's first `count` links: `parent`, which has room for all
/// rows, is made a union-find over rows, in which every way ends at the first row of its island. In parallel,
/// and the same for any team.
void qdi_islands_join(const qd_world *world, const qdi_link *links, size_t count, _Atomic uint32_t *parent);

/// The first row of a body's island. Ways there are made shorter, which several threads may do at once.
uint32_t qdi_island_of(_Atomic uint32_t *parent, uint32_t row);
