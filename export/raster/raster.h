#pragma once

#include "export/raster/palette.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdint.h>

/// Pixels in whole numbers; x right, y down, max_x and max_y are one past the last.
typedef struct qdi_area {
    int min_x, min_y, max_x, max_y;
} qdi_area;

/// A byte per pixel (an ink of the palette), row 0 at the top, no gaps between rows. Pixel (i, j) is the unit
/// square from (i, j) to (i + 1, j + 1): its centre is at (i + 0.5, j + 0.5). Nothing is ever drawn outside
/// of `clip`.
///
/// Bodies cover pixels in part (tile.h): a level is the covered part of a pixel in QDI_LEVELS steps. Only + -
/// * / and sqrt are used, so pixels are the same everywhere.
typedef struct qdi_raster {
    const qd_allocator *allocator;
    uint8_t *pixels;
    int width, height;
    qdi_area clip;
    uint8_t level_of[256]; ///< of an ink: the level where it is a body's, else 0
} qdi_raster;

/// Width and height are 1..16384. The clip is the whole. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_raster_create(const qd_allocator *allocator, int width, int height,
                                        qdi_raster *raster);

/// Frees the pixels; a raster that is all zero is fine.
void qdi_raster_destroy(qdi_raster *raster);

/// Limits drawing to `area`, or what of it lies in the picture.
void qdi_raster_set_clip(qdi_raster *raster, qdi_area area);

/// Fills an area with one ink.
void qdi_raster_fill(qdi_raster *raster, qdi_area area, uint8_t ink);

/// A corner of a figure, in pixels.
typedef struct qdi_corner {
    float x, y;
} qdi_corner;

/// Most corners of a figure: those of a polygon, and those of a border that it is cut off at.
#define QDI_CORNERS_MAX 20

/// A mark in the colour of contacts: a line from (x0, y0) to (x1, y1) with round ends, `width` pixels wide; a
/// point where both are the same. Costs its bounding box.
void qdi_raster_mark(qdi_raster *raster, float x0, float y0, float x1, float y1, float width);
