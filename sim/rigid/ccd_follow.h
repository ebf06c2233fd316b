#pragma once

#include <quadrille/world.h>

#include "sim/world/feature.h"
#include "sim/world/lap.h"
#include "sim/world/scratch.h"

/// Follows fast bodies in a step, where there are any.
extern const qdi_feature qdi_ccd_feature;

/// Part of the distance from its centroid to its border that a body may move in a step without being
/// followed.
double qdi_ccd_part(const qd_world *world);
/// Follows the ways of bodies through the step on its way, from `now` to `next`, and puts into `next` where
/// they really go, their boxes with them. The world's tree must still be that of `now`; it may be brought up
/// to date for `next`, which `found` tells. `walls` gets added what walls gave. Impacts go to `following`.
QD_MUST_USE qd_status qdi_ccd_follow(qd_world *world, double dt, qdi_wall_gain *walls,
                                     struct qdi_found *found, qdi_lap *lap);
