#include "export/raster/tile.h"
#include "export/raster/pixel_math.h"

#include "core/base/assert.h"

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
        float from_y = qdi_larger_float(top, (float)j),
              to_y = bottom < (float)(j + 1) ? bottom : (float)(j + 1);
        for (int i = column; (float)i < right; ++i) {
            float from_x = qdi_larger_float(left, (float)i),
                  to_x = right < (float)(i + 1) ? right : (float)(i + 1);
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
                            qdi_larger_float(splats->radius[k] * qdi_splat_side, 1e-3F), hue);
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

#define PUT_ROW qdi_tile_row_portable
#include "export/raster/tile_rows.h"

// Writes a row with the instructions that a tile may use.
static void put_row(const qdi_tile *tile, uint8_t *row, size_t first, const uint64_t *splats, int count) {
    const uint8_t *cover = tile->cover + first, *hue = tile->hue + first, *tone = tile->tone + first;
#ifdef __x86_64__
    if (tile->simd >= QD_SIMD_AVX2) {
        qdi_tile_row_avx2(row, cover, hue, tone, splats, count);
        return;
    }
#endif
    qdi_tile_row_portable(row, cover, hue, tone, splats, count);
}

void qdi_tile_end(const qdi_tile *tile, qdi_raster *raster) {
    const qdi_area *area = &tile->area;
    for (int y = 0; y < area->max_y - area->min_y; ++y) {
        uint8_t *row = raster->pixels + (size_t)(area->min_y + y) * (size_t)raster->width + area->min_x;
        put_row(tile, row, (size_t)y * QDI_TILE_SIDE,
                tile->has_splats ? &tile->splats[qdi_splat_cell(0, y)] : NULL, area->max_x - area->min_x);
    }
}
