#pragma once

#include <quadrille/world.h>

#include "sim/world/feature.h"
#include "sim/world/scratch.h"

/// The rigid contact model in a step; and what follows fast bodies in it, where there are any.
extern const qdi_feature qdi_impulse_feature, qdi_ccd_feature;

/// From the velocities of `now` to those of `next`: contacts that bounce, forces, contacts at rest. Leaves
/// what each present contact gave in the outcomes, and the ways of bodies at rest in the movers. `walls` is
/// what the walls gave.
QD_MUST_USE qd_status qdi_impulse(qd_world *world, double dt, qdi_wall_gain *walls);

/// Part of the distance from its centroid to its border that a body may move in a step without being
/// followed.
double qdi_ccd_part(const qd_world *world);
