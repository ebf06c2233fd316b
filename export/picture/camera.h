#pragma once

#include "export/raster/raster.h"

#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stdbool.h>

/// From world to pixels: (left + (x - x0) scale, bottom - (y - y0) scale). One scale for both axes.
typedef struct qdi_camera {
    double x0, y0, scale, left, bottom;
} qdi_camera;

/// The camera that shows all of a part of this size and with this lower left corner in the middle of `area`,
/// with a small margin.
qdi_camera qdi_camera_fit(qd_vec2 size, qd_vec2 origin, qdi_area area);

/// The pixel column of a world coordinate.
static inline double qdi_camera_x(const qdi_camera *camera, double x) {
    return camera->left + (x - camera->x0) * camera->scale;
}

/// The pixel row of a world coordinate; rows go down.
static inline double qdi_camera_y(const qdi_camera *camera, double y) {
    return camera->bottom - (y - camera->y0) * camera->scale;
}

/// The part of the world that is to be seen whole.
typedef struct qdi_camera_part {
    qd_vec2 size, origin;
    bool whole; ///< it is the world: its border is the picture's, and no images are seen beyond it
} qdi_camera_part;

/// The part of the world that a camera shows now: a function of the two. Cost: nothing where it follows
/// no body, else one pass over the bodies.
qdi_camera_part qdi_camera_part_of(const qd_view_camera *camera, const qd_world *world);

/// The key between those of a path: the cubics of F. Fritsch and R. Carlson (SIAM J. Numer. Anal. 17, 1980,
/// 238), which rise and fall only where the keys do; of zooms the logarithm goes that way. There must be one
/// key at least.
qd_view_key qdi_camera_between(const qd_view_camera *camera, double time);
