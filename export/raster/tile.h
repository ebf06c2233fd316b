#pragma once

#include "export/raster/raster.h"
#include "export/raster/stencil.h"

#include <quadrille/simd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A square of a picture in which the bodies' coverage is summed before it becomes pixels. The result does
/// not depend on the order of the bodies: coverages are whole numbers that are added, and of the bodies that
/// share a pixel the one that covers most of it gives the colour, of equals the one with the higher index,
/// which so lies on top. So tiles can be drawn by any thread, and the bodies of a tile in any order.
///
/// Bodies far below a pixel are drawn as subpixel splats, which are kept apart: there many share each pixel,
/// and its colour is the mean of theirs. What they cover shows through a tone curve, the square root, under
/// which a lone one is still seen and a full pixel is full.

/// Pixels along each side. A tile fits into a processor's first cache.
#define QDI_TILE_SIDE 64

/// Parts of a pixel's area in which splats are counted.
#define QDI_SPLAT_UNIT 1024

/// Pixels of a tile, and some more that vectors may reach into.
enum { QDI_TILE_CELLS = QDI_TILE_SIDE * QDI_TILE_SIDE, QDI_TILE_ROOM = QDI_TILE_CELLS + 16 };

/// Splats have a pixel more on each side, so that those on the border of a tile need no test.
enum { QDI_SPLAT_SIDE = QDI_TILE_SIDE + 2 };

/// Where the splats of a pixel are, by its place in the tile.
static inline size_t qdi_splat_cell(int x, int y) {
    return (size_t)(y + 1) * QDI_SPLAT_SIDE + (size_t)(x + 1);
}

/// What of a list of the picture is in a tile, [begin, end): pieces of trails, or disks that are not wide. Of
/// disks, where both are the same: that one alone, which is wide.
typedef struct qdi_tile_run {
    uint32_t tile, begin, end;
} qdi_tile_run;

/// What was added, by pixel.
typedef struct qdi_tile {
    qdi_area area; ///< of the picture, at most QDI_TILE_SIDE wide and high: what is drawn outside is left out
    bool has_splats; ///< there are splats
    qdi_stencils *stencils;
    qd_simd simd;                 ///< the instructions that it may use, which change no pixel; not AUTO
    uint32_t rank[QDI_TILE_ROOM]; ///< level << 28 | index, plus 1, of the body that gives the colour; 0: none
    uint8_t cover[QDI_TILE_ROOM]; ///< sum of all levels, QDI_LEVELS being a whole pixel; it stops at 255
    uint8_t hue[QDI_TILE_ROOM], tone[QDI_TILE_ROOM]; ///< of that body; meaningless where nothing covers
    /// What splats cover of a pixel, in units, and, in the high half, the same times their hues. Valid where
    /// `has_splats`. More than a quarter of a million bodies in one pixel are too many for a right mean.
    uint64_t splats[QDI_SPLAT_SIDE * QDI_SPLAT_SIDE];
} qdi_tile;

/// What a body is drawn with.
typedef struct qdi_brush {
    uint32_t index; ///< of the body, below 2^28 - 1
    uint8_t hue;
} qdi_brush;

/// Tones: how much of its hue's full colour a pixel gets, in sixteenths. Rims and marks on bodies are darker
/// than they are.
enum { QDI_TONE_FULL = 16, QDI_TONE_RIM = 10, QDI_TONE_LINE = 6 };

/// Bodies with at least this radius, in pixels, have a rim; from the next on a disk that has turned shows it
/// by a line.
#define QDI_RIM_FROM  6.0F
#define QDI_LINE_FROM 7.0F

/// Empties it for a part of the picture.
void qdi_tile_begin(qdi_tile *tile, qdi_area area);

/// Adds a disk about (x, y) with `radius` > 0, in pixels; |x|, |y| and radius below 1e6. Its levels add up to
/// its area, within 1 % from a radius of 3 pixels on. One of less than 0.75 pixels is a splat. `turn` is a
/// unit vector along which a line is drawn from the centre; 0, 0: none.
void qdi_tile_disk(qdi_tile *tile, float x, float y, float radius, qdi_corner turn, qdi_brush brush);

/// Disks of less than QDI_SPLAT_BELOW pixels, to be added together.
#define QDI_SPLAT_BELOW QDI_STENCIL_LEAST
enum { QDI_SPLAT_BATCH = 64 };
typedef struct qdi_splats {
    float x[QDI_SPLAT_BATCH], y[QDI_SPLAT_BATCH], radius[QDI_SPLAT_BATCH];
    uint32_t hue[QDI_SPLAT_BATCH];
    int count;
} qdi_splats;

/// How far from its corners a figure may touch pixels.
static inline float qdi_figure_reach(float radius) {
    return (radius > 0.0F ? radius : 0.0F) + 1.5F;
}

/// How far from its centre a disk may touch pixels: a splat no further than its square, and what is rounded.
static inline float qdi_tile_reach(float radius) {
    return radius + (radius < QDI_SPLAT_BELOW ? 0.0625F : 1.5F);
}

/// Adds, for each, a square of the area of a disk of that radius; it may be of any size, and every body
/// counts.
void qdi_tile_splats(qdi_tile *tile, const qdi_splats *splats);

/// Adds a convex figure: all points within `radius` of a polygon, or, where that is below 0 and the polygon
/// has an area, those that are so far inside of it (1 to QDI_CORNERS_MAX corners in either order round; two
/// make a line).
void qdi_tile_figure(qdi_tile *tile, const qdi_corner *corners, int count, float radius, qdi_brush brush);

/// sqrt(pi): side of the square with the area of a disk of radius 1.
static const float qdi_splat_side = 1.77245385F;

/// What splats add to the pixel of their corner, the one to the right, the one below, and the one below that.
typedef struct qdi_splat_parts {
    int32_t place[QDI_SPLAT_BATCH], first[QDI_SPLAT_BATCH], right[QDI_SPLAT_BATCH], below[QDI_SPLAT_BATCH],
        both[QDI_SPLAT_BATCH];
    int32_t usual[QDI_SPLAT_BATCH]; ///< two columns and two rows, in the tile or a pixel before it
} qdi_splat_parts;

/// Splits splats into what they add to each pixel, from a corner of the picture on; for each set of
/// instructions.
void qdi_split_splats_portable(const qdi_splats *splats, float corner_x, float corner_y,
                               qdi_splat_parts *parts);
void qdi_split_splats_avx2(const qdi_splats *splats, float corner_x, float corner_y, qdi_splat_parts *parts);

/// Writes `count` pixels of a row from what was added there, bodies and splats (NULL: there are none), over
/// what was drawn before; for each set of instructions.
void qdi_tile_row_portable(uint8_t *row, const uint8_t *cover, const uint8_t *hue, const uint8_t *tone,
                           const uint64_t *splats, int count);
void qdi_tile_row_avx2(uint8_t *row, const uint8_t *cover, const uint8_t *hue, const uint8_t *tone,
                       const uint64_t *splats, int count);

/// Draws what was added over the pixels of the picture.
void qdi_tile_end(const qdi_tile *tile, qdi_raster *raster);

/// Adds a level (1..QDI_LEVELS) to a pixel, given by its place in the picture, which lies in the tile.
static inline void qdi_tile_add(qdi_tile *tile, int x, int y, qdi_brush brush, int level, uint8_t tone) {
    const int cell = (y - tile->area.min_y) * QDI_TILE_SIDE + (x - tile->area.min_x);
    const uint32_t rank = ((uint32_t)level << 28 | brush.index) + 1U;
    const int cover = tile->cover[cell] + level;
    tile->cover[cell] = (uint8_t)(cover < UINT8_MAX ? cover : UINT8_MAX);
    if (rank <= tile->rank[cell]) return;
    tile->rank[cell] = rank;
    tile->hue[cell] = brush.hue;
    tile->tone[cell] = tone;
}

/// The pixels of a row of a disk: [full_from, full_to) are wholly inside, those before and after are on its
/// edge, of its left and its right half.
typedef struct qdi_disk_span {
    int y, from, full_from, full_to, to;
} qdi_disk_span;

/// Rows that are found together; a disk without a rim has no more, and no row of it more pixels.
enum { QDI_DISK_ROWS = 16 };

#ifdef __x86_64__
/// Adds rows [low, high) of a stencil, whose whole width is in the tile's rows; `cell` is that of its corner,
/// which may lie above the tile.
void qdi_tile_stencil_avx2(qdi_tile *tile, const qdi_stencil *stencil, int cell, int low, int high,
                           qdi_brush brush);

/// Adds rows of a disk without a rim about (x, y), whose straight pieces have the radius `radius`.
void qdi_tile_disk_rows_avx2(qdi_tile *tile, float x, float y, float radius, const qdi_disk_span *rows,
                             int count, qdi_brush brush);
#endif
