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

#define SPLIT_SPLATS qdi_split_splats_portable
#include "export/raster/split_splats.h"

/// Splits splats with the instructions that a tile may use.
static void split_splats(const qdi_tile *tile, const qdi_splats *splats, qdi_splat_parts *parts) {
    // From the corner of the pixel before the tile's first.
    const float x = (float)(tile->area.min_x - 1), y = (float)(tile->area.min_y - 1);
#ifdef __x86_64__
    if (tile->simd >= QD_SIMD_AVX2) {
        qdi_split_splats_avx2(splats, x, y, parts);
        return;
    }
#endif
    qdi_split_splats_portable(splats, x, y, parts);
}

void qdi_tile_splats(qdi_tile *tile, const qdi_splats *splats) {
    if (splats->count == 0) return;
    if (!tile->has_splats) memset(tile->splats, 0, sizeof tile->splats);
    tile->has_splats = true;
    qdi_splat_parts parts;
    split_splats(tile, splats, &parts);
    for (int k = 0; k < splats->count; ++k) {
        const uint32_t hue = splats->hue[k];
        if (!parts.usual[k]) {
            add_large_splat(tile, splats->x[k], splats->y[k],
                            qdi_larger(splats->radius[k] * qdi_splat_side, 1e-3F), hue);
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

// Writes a row of splats to the picture, over what was there: with bodies, the larger part gives the colour,
// and both cover. Of splats alone the level is the square root of what they cover, at least 1. In loops
// without branches, as above; the quotient of two whole numbers below 2^33 is exact enough in a double for
// its whole part to be right.
static void put_splat_row(uint8_t *restrict row, const uint64_t *restrict splats,
                          const uint8_t *restrict bodies, int count) {
    int32_t levels[QDI_TILE_SIDE], means[QDI_TILE_SIDE];
    for (int x = 0; x < count; ++x) {
        const uint32_t cover = (uint32_t)splats[x], hues = (uint32_t)(splats[x] >> 32);
        const double over = (double)(cover > 0 ? cover : 1);
        const double mean = ((double)hues + (double)(cover / 2)) / over;
        means[x] = (int32_t)(mean < QDI_HUES - 1 ? mean : QDI_HUES - 1);
    }
    for (int x = 0; x < count; ++x) {
        const uint32_t cover = (uint32_t)splats[x];
        const float part = (float)(int32_t)(cover < QDI_SPLAT_UNIT ? cover : QDI_SPLAT_UNIT) / QDI_SPLAT_UNIT;
        const int32_t level = qdi_larger_int((int32_t)(sqrtf(part) * QDI_LEVELS + 0.5F), 1);
        levels[x] = qdi_smaller_int(level + bodies[x], QDI_LEVELS);
    }
    for (int x = 0; x < count; ++x) {
        const uint32_t cover = (uint32_t)splats[x],
                       body = bodies[x] * (uint32_t)(QDI_SPLAT_UNIT / QDI_LEVELS);
        const bool seen = body < cover && (row[x] == QDI_INK_BACKGROUND || levels[x] > QDI_LEVELS / 6);
        const uint8_t ink = (uint8_t)(means[x] * QDI_LEVELS + QDI_INK_BODY - 1 + levels[x]);
        row[x] = seen ? ink : row[x];
    }
}

void qdi_tile_end(const qdi_tile *tile, qdi_raster *raster) {
    const qdi_area *area = &tile->area;
    const int count = area->max_x - area->min_x;
    for (int y = area->min_y; y < area->max_y; ++y) {
        uint8_t *row = raster->pixels + (size_t)y * (size_t)raster->width + area->min_x;
        const size_t first = (size_t)(y - area->min_y) * QDI_TILE_SIDE;
        put_tile_row(row, tile->cover + first, tile->hue + first, tile->tone + first, count);
        if (tile->has_splats)
            put_splat_row(row, &tile->splats[qdi_splat_cell(0, y - area->min_y)], tile->cover + first, count);
    }
}
