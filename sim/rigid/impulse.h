#pragma once

#include <quadrille/world.h>

#include "sim/world/feature.h"
#include "sim/world/scratch.h"

/// The rigid contact model in a step.
extern const qdi_feature qdi_impulse_feature;

/// From the velocities of `now` to those of `next`: contacts that bounce, forces, contacts at rest. Leaves
/// what each present contact gave in the outcomes, and the ways of bodies at rest in the movers. `walls` is
/// what the walls gave.
QD_MUST_USE qd_status qdi_impulse(qd_world *world, double dt, qdi_wall_gain *walls);
