#include "export/raster/tile.h"
#include "export/raster/pixel_math.h"

#include "core/base/assert.h"

#include <math.h>
#include <string.h>

void qdi_tile_begin(qdi_tile *tile, qdi_area area) {
    QD_ASSERT(area.max_x - area.min_x <= QDI_TILE_SIDE && area.max_y - area.min_y <= QDI_TILE_SIDE);
    tile->area = area;
    memset(tile->rank, 0, sizeof tile->rank);
    memset(tile->cover, 0, sizeof tile->cover);
    tile->has_splats = false;
}

// ---- splats ----

// sqrt(pi): side of the square with the area of a disk of radius 1.
static const float square_side = 1.77245385F;

// The sums of a pixel's splats, cover and hue, in one number.
static uint64_t splat_value(uint32_t cover, uint32_t hue) {
    return cover | (uint64_t)(cover * hue) << 32;
}

/// Adds part of a splat to a pixel.
static void add_splat_to_pixel(qdi_tile *tile, int x, int y, float part, uint32_t hue) {
    const qdi_area *area = &tile->area;
    if (x < area->min_x || x >= area->max_x || y < area->min_y || y >= area->max_y) return;
    tile->splats[qdi_splat_cell(x - area->min_x, y - area->min_y)] += splat_value(
        (uint32_t)(part * QDI_SPLAT_UNIT + 0.5F), hue);
}

// Any splat: three columns and rows at most, for it is no wider than 1.33 pixels.
static void add_large_splat(qdi_tile *tile, float x, float y, float side, uint32_t hue) {
    float left = x - 0.5F * side, top = y - 0.5F * side, right = left + side, bottom = top + side;
    int column = qdi_floor_int(left), row = qdi_floor_int(top);
    for (int j = row; (float)j < bottom; ++j) {
        float from_y = qdi_larger(top, (float)j), to_y = bottom < (float)(j + 1) ? bottom : (float)(j + 1);
        for (int i = column; (float)i < right; ++i) {
            float from_x = qdi_larger(left, (float)i), to_x = right < (float)(i + 1) ? right : (float)(i + 1);
            add_splat_to_pixel(tile, i, j, (to_x - from_x) * (to_y - from_y), hue);
        }
    }
}

// What splats add to the pixel of their corner, the one to the right, the one below, and the one below that.
typedef struct splat_parts {
    int32_t place[QDI_SPLAT_BATCH], first[QDI_SPLAT_BATCH], right[QDI_SPLAT_BATCH], below[QDI_SPLAT_BATCH],
        both[QDI_SPLAT_BATCH];
    int32_t usual[QDI_SPLAT_BATCH]; // two columns and two rows, in the tile or a pixel before it
} splat_parts;

// Tile of pixels: without branches, so that compilers make vector code of it. The whole is rounded once, and
// the parts are cut from it, so that nothing is lost.
static void split_splats(const qdi_splats *restrict splats, float corner_x, float corner_y,
                         splat_parts *restrict parts) {
    const float end = QDI_TILE_SIDE + 0.999F; // below the last place that has one to its right
    float sides[QDI_SPLAT_BATCH], lefts[QDI_SPLAT_BATCH], tops[QDI_SPLAT_BATCH];
    for (int k = 0; k < QDI_SPLAT_BATCH; ++k) {
        float side = qdi_larger(splats->radius[k] * square_side, 1e-3F);
        float left = splats->x[k] - corner_x - 0.5F * side, top = splats->y[k] - corner_y - 0.5F * side;
        // How far out of the usual something is: above 0 where it is.
        float out = qdi_larger(qdi_larger(side - 1.0F, -left), qdi_larger(-top, qdi_larger(left, top) - end));
        parts->usual[k] = out <= 0.0F ? 1 : 0;
        sides[k] = side;
        lefts[k] = qdi_smaller(qdi_larger(left, 0.0F), end);
        tops[k] = qdi_smaller(qdi_larger(top, 0.0F), end);
    }
    for (int k = 0; k < QDI_SPLAT_BATCH; ++k) {
        float side = sides[k], left = lefts[k], top = tops[k];
        int32_t column = (int32_t)left, row = (int32_t)top;
        float over = 1.0F / side, whole = qdi_larger(side * side * QDI_SPLAT_UNIT + 0.5F, 1.0F);
        float wide = qdi_larger(left - (float)column + side - 1.0F, 0.0F) * over;
        float high = qdi_larger(top - (float)row + side - 1.0F, 0.0F) * over;
        int32_t all = (int32_t)whole;
        int32_t right = qdi_smaller_int((int32_t)(whole * wide), all);
        int32_t below = qdi_smaller_int((int32_t)(whole * high), all);
        int32_t both = qdi_smaller_int((int32_t)(whole * wide * high), qdi_smaller_int(right, below));
        int32_t first = all - right - below + both;
        parts->place[k] = row * QDI_SPLAT_SIDE + column;
        parts->first[k] = first > 0 ? first : 0;
        parts->right[k] = right - both;
        parts->below[k] = below - both;
        parts->both[k] = both;
    }
}

void qdi_tile_splats(qdi_tile *tile, const qdi_splats *splats) {
    if (splats->count == 0) return;
    if (!tile->has_splats) memset(tile->splats, 0, sizeof tile->splats);
    tile->has_splats = true;
    splat_parts parts;
    // From the corner of the pixel before the tile's first.
    split_splats(splats, (float)(tile->area.min_x - 1), (float)(tile->area.min_y - 1), &parts);
    for (int k = 0; k < splats->count; ++k) {
        const uint32_t hue = splats->hue[k];
        if (!parts.usual[k]) {
            add_large_splat(tile, splats->x[k], splats->y[k],
                            qdi_larger(splats->radius[k] * square_side, 1e-3F), hue);
            continue;
        }
        uint64_t *cell = &tile->splats[parts.place[k]];
        cell[0] += splat_value((uint32_t)parts.first[k], hue);
        cell[1] += splat_value((uint32_t)parts.right[k], hue);
        cell[QDI_SPLAT_SIDE] += splat_value((uint32_t)parts.below[k], hue);
        cell[QDI_SPLAT_SIDE + 1] += splat_value((uint32_t)parts.both[k], hue);
    }
}

// ---- to pixels ----

/// The level of ink of splats alone: the square root of what they cover, at least 1.
static int splat_ink_level(uint32_t cover) {
    if (cover >= QDI_SPLAT_UNIT) return QDI_LEVELS;
    int level = (int)(sqrtf((float)cover / QDI_SPLAT_UNIT) * QDI_LEVELS + 0.5F);
    return level > 0 ? level : 1;
}

// Writes a row of a tile to the picture.
// Bodies alone, a row of pixels. What is there is background or the outline of a node, in which a faint edge
// would leave a dark hole. Without branches, first what is multiplied, in 16 bits, then what is chosen, in
// bytes: so compilers make vector code of both.
static void put_tile_row(uint8_t *restrict row, const uint8_t *restrict cover, const uint8_t *restrict hue,
                         const uint8_t *restrict tone, int count) {
    uint16_t toned[QDI_TILE_SIDE], first[QDI_TILE_SIDE];
    for (int x = 0; x < count; ++x) {
        uint8_t whole = cover[x] < QDI_LEVELS ? cover[x] : QDI_LEVELS;
        toned[x] = (uint16_t)((uint16_t)(whole * tone[x] + QDI_TONE_FULL / 2) / QDI_TONE_FULL);
        first[x] = (uint16_t)(hue[x] * QDI_LEVELS + QDI_INK_BODY - 1);
    }
    for (int x = 0; x < count; ++x) {
        uint8_t level = (uint8_t)toned[x], old = row[x];
        level = level > 0 ? level : 1;
        uint8_t ink = (uint8_t)((uint8_t)first[x] + level);
        uint8_t faint = level <= QDI_LEVELS / 6 ? 0xff : 0, drawn = old != QDI_INK_BACKGROUND ? 0xff : 0;
        uint8_t keep = (uint8_t)((cover[x] == 0 ? 0xff : 0) | (faint & drawn));
        row[x] = (uint8_t)((old & keep) | (ink & (uint8_t)~keep));
    }
}

/// Writes a pixel of a hue and a level.
static void put_ink(uint8_t *pixel, unsigned hue, int level) {
    if (*pixel == QDI_INK_BACKGROUND || level > QDI_LEVELS / 6)
        *pixel = (uint8_t)((int)qdi_ink_of_hue(hue) - QDI_LEVELS + level);
}

// Writes a pixel of splats.
// Splats over what was there: with bodies, the larger part gives the colour, and both cover.
static void put_splat_pixel(uint64_t splats, uint8_t bodies, uint8_t *pixel) {
    uint32_t cover = (uint32_t)splats, hues = (uint32_t)(splats >> 32);
    uint32_t body = (uint32_t)bodies * QDI_SPLAT_UNIT / QDI_LEVELS;
    if (body >= cover) return; // the body's pixel stays
    unsigned mean = (unsigned)(((uint64_t)hues + cover / 2) / cover);
    int level = splat_ink_level(cover) + bodies;
    put_ink(pixel, mean < QDI_HUES ? mean : QDI_HUES - 1, level < QDI_LEVELS ? level : QDI_LEVELS);
}

void qdi_tile_end(const qdi_tile *tile, qdi_raster *raster) {
    const qdi_area *area = &tile->area;
    const int count = area->max_x - area->min_x;
    for (int y = area->min_y; y < area->max_y; ++y) {
        uint8_t *row = raster->pixels + (size_t)y * (size_t)raster->width + area->min_x;
        const size_t first = (size_t)(y - area->min_y) * QDI_TILE_SIDE;
        put_tile_row(row, tile->cover + first, tile->hue + first, tile->tone + first, count);
        const uint64_t *splats = &tile->splats[qdi_splat_cell(0, y - area->min_y)];
        for (int x = 0; tile->has_splats && x < count; ++x)
            if (splats[x] != 0) put_splat_pixel(splats[x], tile->cover[first + (size_t)x], row + x);
    }
}
