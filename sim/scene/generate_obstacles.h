#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>

#include "sim/scene/schema.h"
#include "sim/shape/shapes.h"

/// What a scene puts into its place by hand and is no disk: listed bodies of other shapes and edges of
/// polylines. Generators keep clear of them, exactly, not of disks around them: a floor leaves room above it.
/// Each question looks at all of them, so a scene should have thousands of these at most.

typedef struct qdi_obstacle {
    qdi_prepared_shape look;
    qdi_pose pose;
    double reach;
} qdi_obstacle;

typedef struct qdi_obstacles {
    const qd_allocator *allocator;
    qd_vec2 period; ///< 0 = none
    qdi_obstacle *obstacle;
    size_t count, room;
} qdi_obstacles;

/// Takes those of a complete scene; what has no valid shape is left to the world to refuse. Errors:
/// QD_ERR_MEMORY. Release in any case.
QD_MUST_USE qd_status qdi_obstacles_init(qdi_obstacles *obstacles, const qd_allocator *allocator,
                                         const qdi_settings *settings);
void qdi_obstacles_release(qdi_obstacles *obstacles);

/// True where a shape in order at a place is at least `gap` away from all of them; below 0: overlaps them by
/// no more.
bool qdi_obstacles_free(const qdi_obstacles *obstacles, const qd_shape *shape, qd_vec2 at, double angle,
                        double gap);
