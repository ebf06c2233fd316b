#pragma once

#include <quadrille/scene.h>

#include "sim/ranks/fleet.h"

#include <stdbool.h>

/// Scenes whose bodies can be made by several ranks, each some of them, without one that has all in its
/// world: those of generators, polylines, and listed ones. Where those of one generator lie that puts them
/// into a grid or into cells depends on their numbers alone; else each rank places all, of which there may be
/// 10^7, and adds its own.

/// Whether a scene is one.
bool qdi_scene_can_be_apart(const qd_scene *scene);

/// Gives an empty world what such a scene has besides bodies. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_scene_begin_apart(const qd_scene *scene, qd_world *world);

/// Makes a rank's bodies of such a scene; what was said is its text (qd_scene_text). Errors: QD_ERR_INVALID:
/// they cannot be placed, or perhaps not: who makes all bodies can tell, and why. QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_scene_make_apart(qdi_ranks *ranks, const void *said, size_t bytes, qd_world *world,
                                           uint64_t *first);
