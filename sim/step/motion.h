#pragma once

#include <quadrille/world.h>

#include "sim/world/scratch.h"

/// Next positions, boundaries, boxes (see motion.c). QD_ERR_LIMIT: reported. `mirrored` is what mirroring
/// walls gave to the bodies. The walls are where they are at the end of the step.
QD_MUST_USE qd_status qdi_motion_move(qd_world *world, double dt, qdi_wall_gain *mirrored);
