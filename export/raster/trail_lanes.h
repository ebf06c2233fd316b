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

// A part of a line, or, but for its middle, all parts of one.
typedef struct trail_part {
    float middle_x, middle_y, half_x, half_y; // in pixels of the tile, and half the way from end to end
    float along_x, along_y;                   // a unit vector
    float level, half_level;                  // in its middle, and what it changes from there to the end
    int16_t half, hue;                        // half its length, and its hue
    int16_t fade;                             // what the scale changes with UNIT * 64 along it
    int16_t step_along, step_across;          // from a row's pixel to the next
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
static inline void draw_lanes(int16_t *restrict cells, const trail_part *restrict part, int16_t scale,
                              int16_t along, int16_t across) {
    for (int k = 0; k < LANES; ++k) {
        const int16_t place = (int16_t)(along + lane[k] * part->step_along), past = size_of(place),
                      aside = size_of((int16_t)(across + lane[k] * part->step_across));
        const uint16_t end = (uint16_t)(least(most((int16_t)(past - part->half), 0), FAR) << FAR_SHIFT);
        const uint16_t side = (uint16_t)(least(aside, FAR) << FAR_SHIFT);
        const int16_t left = (int16_t)(2 * SQUARE - high_half(end, end) - high_half(side, side));
        const uint16_t cover = (uint16_t)(least(most(left, 0), EDGE) << EDGE_SHIFT);
        const int16_t inside = least(most(place, (int16_t)-part->half), part->half);
        const int16_t here = (int16_t)(scale + (((int32_t)inside * part->fade) >> 16));
        const int16_t level = (int16_t)(high_half(cover, (uint16_t)here) + 128);
        cells[k] = most(cells[k], (int16_t)((level & 0x7f00) | part->hue));
    }
}

// Draws a part of a line, as far as it is in the tile.
static inline void draw_part(qdi_trail_tile *tile, const trail_part *part) {
    const float reach_x = fabsf(part->half_x) + QDI_TRAIL_REACH + 0.5F,
                reach_y = fabsf(part->half_y) + QDI_TRAIL_REACH + 0.5F;
    const int x = qdi_ceil_int(part->middle_x - reach_x);
    const int y0 = qdi_larger_int(qdi_ceil_int(part->middle_y - reach_y), 0);
    const int y1 = qdi_smaller_int(qdi_ceil_int(part->middle_y + reach_y) - 1,
                                   tile->area.max_y - tile->area.min_y);
    if (x <= -LANES || x >= QDI_TILE_SIDE || y0 >= y1) return;
    const float from_x = ((float)x + 0.5F - part->middle_x) * UNIT,
                from_y = ((float)y0 + 0.5F - part->middle_y) * UNIT;
    int along = (int)(from_x * part->along_x + from_y * part->along_y);
    int across = (int)(from_y * part->along_x - from_x * part->along_y);
    const int row_along = (int)(part->along_y * UNIT), row_across = (int)(part->along_x * UNIT);
    const int16_t scale = (int16_t)(part->level * level_scale);
    int16_t *cells = tile->cells + y0 * QDI_TRAIL_STRIDE + LANES + x;
    for (int y = y0; y < y1; ++y, cells += QDI_TRAIL_STRIDE, along += row_along, across += row_across)
        draw_lanes(cells, part, scale, (int16_t)along, (int16_t)across);
}

// Sets what all parts of a line have in common.
static inline trail_part part_of_line(const qdi_trail *piece, float half_x, float half_y, float half_level) {
    const float half = sqrtf(half_x * half_x + half_y * half_y), inverse = half > 1e-6F ? 1.0F / half : 0.0F;
    trail_part part = {
        .half_x = half_x,
        .half_y = half_y,
        .along_x = inverse > 0.0F ? half_x * inverse : 1.0F,
        .along_y = half_y * inverse,
        .half_level = half_level,
        .half = (int16_t)(half * UNIT),
        .fade = (int16_t)qdi_smaller_float(
            qdi_larger_float(half_level * level_scale * inverse * (65536 / UNIT), -INT16_MAX), INT16_MAX),
        .hue = piece->hue};
    part.step_along = (int16_t)(part.along_x * UNIT);
    part.step_across = (int16_t)(-part.along_y * UNIT);
    return part;
}

void TRAIL_TILE_ADD(qdi_trail_tile *tile, const qdi_trail *pieces, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const float x = pieces[i].x0 - (float)tile->area.min_x, y = pieces[i].y0 - (float)tile->area.min_y;
        const float along_x = pieces[i].x1 - pieces[i].x0, along_y = pieces[i].y1 - pieces[i].y0;
        const float most_parts = qdi_larger_float(fabsf(along_x) / PART_WIDEST,
                                                  fabsf(along_y) / PART_HIGHEST);
        const int parts = most_parts <= 1.0F ? 1 : qdi_ceil_int(most_parts);
        const float inverse = parts == 1 ? 0.5F : 0.5F / (float)parts;
        const float level = pieces[i].level, along_level = (float)pieces[i].to_level - level;
        trail_part part = part_of_line(&pieces[i], along_x * inverse, along_y * inverse,
                                       along_level * inverse);
        for (int k = 0; k < parts; ++k) {
            part.middle_x = x + (float)(2 * k + 1) * part.half_x;
            part.level = level + (float)(2 * k + 1) * part.half_level;
            part.middle_y = y + (float)(2 * k + 1) * part.half_y;
            draw_part(tile, &part);
        }
    }
}
