#pragma once

#include "export/raster/raster.h"
#include "export/raster/tile.h"

#include <stddef.h>
#include <stdint.h>

/// The trails in a tile of a picture, drawn on their own before they become pixels. Of lines that share a
/// pixel the strongest is seen, of equals the one with the highest hue: a maximum, for which lines may come
/// in any order, and which needs no look at what lies below.

/// A piece of a body's trail: a line two pixels wide with round ends, in pixels; its ends lie within 1e6.
typedef struct qdi_trail {
    float x0, y0, x1, y1;
    uint8_t hue, level, to_level; ///< the body's, and how much of it is left at both ends
} qdi_trail;

/// A level of QDI_LEVELS, in a piece.
enum { QDI_TRAIL_LEVEL = 16 };

/// How far from a piece pixels' centres may be covered: the root of 2, and what is rounded.
#define QDI_TRAIL_REACH 1.4375F

/// Pixels of a row that are drawn at a time, and cells of a row: so many more on each side may be written.
enum { QDI_TRAIL_LANES = 16, QDI_TRAIL_STRIDE = QDI_TILE_SIDE + 2 * QDI_TRAIL_LANES };

/// By pixel: the level times 256, plus the hue; below 256 it is an empty one.
typedef struct qdi_trail_tile {
    qdi_area area; ///< of the picture, at most QDI_TILE_SIDE wide and high
    int16_t cells[(QDI_TILE_SIDE + 1) * QDI_TRAIL_STRIDE]; ///< and a row that may be written
} qdi_trail_tile;

/// Empties it for a part of the picture.
void qdi_trail_tile_begin(qdi_trail_tile *tile, qdi_area area);

/// Adds runs of pieces, as far as they are in the tile; for each set of instructions, which change no pixel.
void qdi_trail_tile_add_portable(qdi_trail_tile *tile, const qdi_trail *pieces, const qdi_tile_run *runs,
                                 size_t count);
void qdi_trail_tile_add_avx2(qdi_trail_tile *tile, const qdi_trail *pieces, const qdi_tile_run *runs,
                             size_t count);

/// Draws what was added over a picture's nodes and background: what is there is covered, but for levels that
/// would leave a dark hole in it.
void qdi_trail_tile_end(const qdi_trail_tile *tile, qdi_raster *raster);
