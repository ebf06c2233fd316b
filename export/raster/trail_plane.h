#ifndef QD_EXPORT_TRAIL_PLANE_H
#define QD_EXPORT_TRAIL_PLANE_H

#include "export/raster/raster.h"

#include <quadrille/alloc.h>
#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

/// The trails of a picture, drawn on a plane of their own before they become pixels. Of lines that share a
/// pixel the stronger one is seen, of equals the earlier one: a maximum, which needs no look at what lies
/// below.

/// A piece of a body's trail: a line with round ends, in pixels; its ends lie within 1e6.
typedef struct qdi_trail {
    float x0, y0, x1, y1;
    uint8_t hue, level; ///< the body's, and how much of it is left: 1..QDI_LEVELS
} qdi_trail;

/// Pixels that are drawn at a time.
enum { QDI_TRAIL_LANES = 8 };

/// A piece of a trail, or a line that stands for several, as its pixels need it.
typedef struct qdi_trail_line {
    float x0, y0, along_x, along_y, square; ///< its start, the way to its end, and the square of that
    float reach, level;                     ///< pixels whose centres are nearer are covered, so much at most
    float slack;                            ///< how much of a level more or less that may be; 0 for a piece
    int hue;
} qdi_trail_line;

/// By pixel: the level times 256, plus the hue. All zero is an empty one.
typedef struct qdi_trail_plane {
    uint16_t *cells;
    size_t room;
    qdi_area area; ///< of the picture
    size_t stride; ///< cells from row to row: some more than the area is wide, which whole vectors may write
} qdi_trail_plane;

void qdi_trail_plane_destroy(const qd_allocator *allocator, qdi_trail_plane *plane);

/// Draws trails `width` pixels wide over a picture's nodes and background, within its clip: what is there is
/// covered, but for levels that would leave a dark hole in it. `simd` chooses the instructions, is not AUTO,
/// and changes no pixel. Costs their area, and a pass over the picture. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_trail_plane_draw(qdi_trail_plane *plane, const qdi_trail *trails, size_t count,
                                           float width, qd_simd simd, qdi_raster *raster);

/// Draws on an empty plane; for each set of instructions.
void qdi_trail_pieces_portable(const qdi_trail_plane *plane, const qdi_trail *trails, size_t count,
                               float width);
void qdi_trail_pieces_avx2(const qdi_trail_plane *plane, const qdi_trail *trails, size_t count, float width);

#endif
