#pragma once

#include "export/raster/raster.h"

#include <quadrille/shape.h>
#include <quadrille/vec.h>

/// A shape as it lies in a picture.

/// Most corners that a shape of so many corners can have once it is cut off at the four sides of a picture.
#define QDI_FIGURE_CUTS 4

/// Corners of a shape's core in its own axes, counter-clockwise: 1 for a disk, 2 for a capsule or an edge,
/// ... Returns how many.
int qdi_figure_core(const qd_shape *shape, qd_vec2 core[QD_POLYGON_MAX]);
/// Rasterized figure: how many these are.
int qdi_figure_corners(const qd_shape *shape);

/// Corners of a shape's core in pixels: its place (x, y), its turn (cosine and sine) and its scale. What lies
/// further than `room` outside of `clip` is cut off, so that numbers stay small. Returns how many corners
/// there are, 0 where nothing is left.
int qdi_figure_make(const qd_shape *shape, qd_vec2 place, qd_vec2 turn, double scale, qdi_area clip,
                    double room, qdi_corner corners[QDI_CORNERS_MAX]);
