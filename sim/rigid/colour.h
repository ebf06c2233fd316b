#pragma once

#include <quadrille/world.h>

#include "sim/world/scratch.h"

/// Puts the `count` links of the scratch into colours whose links share no body that moves. `changed`: some
/// are others than the call before had, in bodies, rank or who moves.
QD_MUST_USE qd_status qdi_colour(qd_world *world, size_t count, bool changed, qdi_colours *colours);
