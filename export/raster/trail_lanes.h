// The loops that draw trails, compiled once for each set of instructions: a source defines TRAIL_TILE_ADD,
// the function's name, and includes this. All that decides about pixels is in whole numbers of 16 bits, of
// which compilers put many into a vector: places along a line and across it in UNITS of a pixel.
//
// A pixel is covered as far as the square of its distance from the line is below 2: all of it from 1/4 down,
// nothing from 2 up, and evenly between. That is within 7 % of an edge a pixel wide round a line two pixels
// wide, and needs no root.
#include "export/raster/pixel_math.h"
#include "export/raster/trail_tile.h"

#include <math.h>

// Lines are drawn in parts which are no wider and higher than this, so that LANES pixels of a row are enough,
// and all places are within 32 pixels.
enum { LANES = QDI_TRAIL_LANES, PART_WIDEST = 12, PART_HIGHEST = 24, NARROWEST = 5 };

// Parts of a pixel; of the square of two pixels, after a product's lower half is dropped; and how many of
// those lie between a pixel that is covered and one that is not.
enum { UNIT = 1024, FAR = 2 * UNIT - 1, FAR_SHIFT = 4, SQUARE = 4096, EDGE = 7 * SQUARE / 4, EDGE_SHIFT = 2 };

// What makes a level, times 256, of a cover whose product is halved by 16 bits; by a piece's level.
static const float level_scale = 65536.0F / 4 * 256 / EDGE / QDI_TRAIL_LEVEL;

// Parts of lines, side by side.
enum { PARTS = 64 };
typedef struct trail_parts {
    int count;
    float middle_x[PARTS], middle_y[PARTS], half_x[PARTS], half_y[PARTS]; // and half the way from end to end
    float level[PARTS], half_level[PARTS]; // in the middle, and what it changes from there to the end
    int16_t hue[PARTS];
    // What is made of that:
    int32_t x[PARTS], y0[PARTS], y1[PARTS];        // the first pixel of a row, and rows, in the tile
    int32_t narrow[PARTS];                         // half of LANES are enough
    int32_t half[PARTS], scale[PARTS];             // half the length; the level as pixels have it
    int32_t fade[PARTS];                           // what the scale changes with UNIT * 64 along it
    int32_t along[PARTS], across[PARTS];           // how far the first pixel is from the middle
    int32_t step_along[PARTS], step_across[PARTS]; // from a row's pixel to the next
    int32_t row_along[PARTS], row_across[PARTS];   // from a row to the next
} trail_parts;

#ifdef __AVX2__
#    include "export/raster/trail_rows_avx2.h"
#else
#    include "export/raster/trail_rows.h"
#endif

// Works out how parts of lines are drawn in a tile that is so high.
static inline void place_parts(trail_parts *restrict parts, int high) {
    for (int i = 0; i < parts->count; ++i) {
        const float half_x = parts->half_x[i], half_y = parts->half_y[i], middle_x = parts->middle_x[i],
                    middle_y = parts->middle_y[i];
        const float half = sqrtf(half_x * half_x + half_y * half_y);
        const float inverse = half > 1e-6F ? 1.0F / half : 0.0F;
        const float along_x = inverse > 0.0F ? half_x * inverse : 1.0F, along_y = half_y * inverse;
        const float reach_x = fabsf(half_x) + QDI_TRAIL_REACH + 0.5F,
                    reach_y = fabsf(half_y) + QDI_TRAIL_REACH + 0.5F;
        const int x = qdi_ceil_int(middle_x - reach_x);
        const int y0 = qdi_larger_int(qdi_ceil_int(middle_y - reach_y), 0);
        const float from_x = ((float)x + 0.5F - middle_x) * UNIT,
                    from_y = ((float)y0 + 0.5F - middle_y) * UNIT;
        parts->x[i] = x;
        parts->y0[i] = y0;
        parts->y1[i] = qdi_smaller_int(qdi_ceil_int(middle_y + reach_y) - 1, high);
        parts->narrow[i] = fabsf(half_x) <= 0.5F * NARROWEST;
        parts->half[i] = (int)(half * UNIT);
        parts->scale[i] = (int)(parts->level[i] * level_scale);
        parts->fade[i] = (int)qdi_smaller_float(
            qdi_larger_float(parts->half_level[i] * level_scale * inverse * (65536 / UNIT), -INT16_MAX),
            INT16_MAX);
        parts->along[i] = (int)(from_x * along_x + from_y * along_y);
        parts->across[i] = (int)(from_y * along_x - from_x * along_y);
        parts->row_along[i] = (int)(along_y * UNIT);
        parts->row_across[i] = (int)(along_x * UNIT);
        parts->step_along[i] = (int)(along_x * UNIT);
        parts->step_across[i] = (int)(-along_y * UNIT);
    }
}

// Draws what parts of lines there are, as far as they are in the tile, and leaves none. Those with as many
// rows follow each other, which a processor foresees.
static void draw_parts(qdi_trail_tile *tile, trail_parts *parts) {
    place_parts(parts, tile->area.max_y - tile->area.min_y);
    for (int i = 0; i < parts->count; ++i) {
        const int rows = parts->y1[i] - parts->y0[i];
        if (parts->x[i] <= -LANES || parts->x[i] >= QDI_TILE_SIDE || rows <= 0) continue;
        draw_rows(tile->cells + parts->y0[i] * QDI_TRAIL_STRIDE + LANES + parts->x[i], parts, i,
                  parts->narrow[i] ? (rows + 1) / 2 : rows, parts->narrow[i]);
    }
    parts->count = 0;
}

// Adds a piece to the parts, which are drawn where they are enough.
static inline void add_piece(qdi_trail_tile *tile, trail_parts *parts, const qdi_trail *piece) {
    const float x = piece->x0 - (float)tile->area.min_x, y = piece->y0 - (float)tile->area.min_y;
    const float along_x = piece->x1 - piece->x0, along_y = piece->y1 - piece->y0;
    const bool one = fabsf(along_x) <= PART_WIDEST && fabsf(along_y) <= PART_HIGHEST;
    const int count =
        one ? 1 : qdi_ceil_int(qdi_larger_float(fabsf(along_x) / PART_WIDEST, fabsf(along_y) / PART_HIGHEST));
    const float inverse = one ? 0.5F : 0.5F / (float)count;
    const float level = piece->level, half_level = ((float)piece->to_level - level) * inverse;
    const float half_x = along_x * inverse, half_y = along_y * inverse;
    for (int k = 0; k < count; ++k) {
        const int at = parts->count++;
        parts->middle_x[at] = x + (float)(2 * k + 1) * half_x;
        parts->middle_y[at] = y + (float)(2 * k + 1) * half_y;
        parts->half_x[at] = half_x;
        parts->half_y[at] = half_y;
        parts->level[at] = level + (float)(2 * k + 1) * half_level;
        parts->half_level[at] = half_level;
        parts->hue[at] = piece->hue;
        if (parts->count == PARTS) draw_parts(tile, parts);
    }
}

void TRAIL_TILE_ADD(qdi_trail_tile *tile, const qdi_trail *pieces, const qdi_tile_run *runs, size_t count) {
    enum { AHEAD = 4 }; // runs before they are needed their pieces are asked for
    trail_parts parts;
    parts.count = 0;
    for (size_t k = 0; k < count; ++k) {
        if (k + AHEAD < count) {
            __builtin_prefetch(pieces + runs[k + AHEAD].begin);
            __builtin_prefetch(pieces + runs[k + AHEAD].end - 1);
        }
        for (size_t i = runs[k].begin; i < runs[k].end; ++i) add_piece(tile, &parts, pieces + i);
    }
    draw_parts(tile, &parts);
}
