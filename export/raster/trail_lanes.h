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
enum { LANES = QDI_TRAIL_LANES, PART_WIDEST = 12, PART_HIGHEST = 24 };

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
    int32_t half[PARTS], scale[PARTS];             // half the length; the level as pixels have it
    int32_t fade[PARTS];                           // what the scale changes with UNIT * 64 along it
    int32_t along[PARTS], across[PARTS];           // how far the first pixel is from the middle
    int32_t step_along[PARTS], step_across[PARTS]; // from a row's pixel to the next
    int32_t row_along[PARTS], row_across[PARTS];   // from a row to the next
} trail_parts;

// What draws a row of a part.
typedef struct trail_part {
    int16_t half, hue, scale, fade, step_along, step_across;
} trail_part;

// The numbers of a row's pixels.
static const int16_t lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The upper half of a product of numbers that are not negative, as processors have it.
static inline int16_t high_half(uint16_t a, uint16_t b) {
    return (int16_t)(((uint32_t)a * b) >> 16);
}

// The smaller of two numbers.
static inline int16_t least(int16_t a, int16_t b) {
    return a < b ? a : b;
}

// The larger of two numbers.
static inline int16_t most(int16_t a, int16_t b) {
    return a > b ? a : b;
}

// A number without its sign.
static inline int16_t size_of(int16_t a) {
    return most(a, (int16_t)-a);
}

// Draws LANES pixels of a row, the first of which is so far from the part's middle along it and across.
static inline void draw_lanes(int16_t *restrict cells, const trail_part *restrict part, int16_t along,
                              int16_t across) {
    for (int k = 0; k < LANES; ++k) {
        const int16_t place = (int16_t)(along + lane[k] * part->step_along), past = size_of(place),
                      aside = size_of((int16_t)(across + lane[k] * part->step_across));
        const uint16_t end = (uint16_t)(least(most((int16_t)(past - part->half), 0), FAR) << FAR_SHIFT);
        const uint16_t side = (uint16_t)(least(aside, FAR) << FAR_SHIFT);
        const int16_t left = (int16_t)(2 * SQUARE - high_half(end, end) - high_half(side, side));
        const uint16_t cover = (uint16_t)(least(most(left, 0), EDGE) << EDGE_SHIFT);
        const int16_t inside = least(most(place, (int16_t)-part->half), part->half);
        const int16_t here = (int16_t)(part->scale + (((int32_t)inside * part->fade) >> 16));
        const int16_t level = (int16_t)(high_half(cover, (uint16_t)here) + 128);
        cells[k] = most(cells[k], (int16_t)((level & 0x7f00) | part->hue));
    }
}

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

// Draws a part of a line, as far as it is in the tile.
static inline void draw_part(qdi_trail_tile *tile, const trail_parts *parts, int i) {
    const int x = parts->x[i], y0 = parts->y0[i], y1 = parts->y1[i];
    if (x <= -LANES || x >= QDI_TILE_SIDE || y0 >= y1) return;
    const trail_part part = {.half = (int16_t)parts->half[i],
                             .hue = parts->hue[i],
                             .scale = (int16_t)parts->scale[i],
                             .fade = (int16_t)parts->fade[i],
                             .step_along = (int16_t)parts->step_along[i],
                             .step_across = (int16_t)parts->step_across[i]};
    int along = parts->along[i], across = parts->across[i];
    const int row_along = parts->row_along[i], row_across = parts->row_across[i];
    int16_t *cells = tile->cells + y0 * QDI_TRAIL_STRIDE + LANES + x;
    for (int y = y0; y < y1; ++y, cells += QDI_TRAIL_STRIDE, along += row_along, across += row_across)
        draw_lanes(cells, &part, (int16_t)along, (int16_t)across);
}

// Draws what parts of lines there are, and leaves none.
static void draw_parts(qdi_trail_tile *tile, trail_parts *parts) {
    place_parts(parts, tile->area.max_y - tile->area.min_y);
    for (int i = 0; i < parts->count; ++i) draw_part(tile, parts, i);
    parts->count = 0;
}

void TRAIL_TILE_ADD(qdi_trail_tile *tile, const qdi_trail *pieces, size_t count) {
    trail_parts parts;
    parts.count = 0;
    const float left = (float)tile->area.min_x, top = (float)tile->area.min_y;
    for (size_t i = 0; i < count; ++i) {
        const float x = pieces[i].x0 - left, y = pieces[i].y0 - top;
        const float along_x = pieces[i].x1 - pieces[i].x0, along_y = pieces[i].y1 - pieces[i].y0;
        const bool one = fabsf(along_x) <= PART_WIDEST && fabsf(along_y) <= PART_HIGHEST;
        const int count_of_parts = one ? 1
                                       : qdi_ceil_int(qdi_larger_float(fabsf(along_x) / PART_WIDEST,
                                                                       fabsf(along_y) / PART_HIGHEST));
        const float inverse = one ? 0.5F : 0.5F / (float)count_of_parts;
        const float level = pieces[i].level, half_level = ((float)pieces[i].to_level - level) * inverse;
        const float half_x = along_x * inverse, half_y = along_y * inverse;
        for (int k = 0; k < count_of_parts; ++k) {
            const int at = parts.count++;
            parts.middle_x[at] = x + (float)(2 * k + 1) * half_x;
            parts.middle_y[at] = y + (float)(2 * k + 1) * half_y;
            parts.half_x[at] = half_x;
            parts.half_y[at] = half_y;
            parts.level[at] = level + (float)(2 * k + 1) * half_level;
            parts.half_level[at] = half_level;
            parts.hue[at] = pieces[i].hue;
            if (parts.count == PARTS) draw_parts(tile, &parts);
        }
    }
    draw_parts(tile, &parts);
}
