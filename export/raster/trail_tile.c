#include "export/raster/trail_tile.h"

#define TRAIL_TILE_ADD qdi_trail_tile_add_portable
#include "export/raster/trail_lanes.h"

/// Trails: a cell that nothing covers, above which are all that something does.
enum { EMPTY = 255 };

void qdi_trail_tile_begin(qdi_trail_tile *tile, qdi_area area) {
    tile->area = area;
    for (size_t i = 0; i < sizeof tile->cells / sizeof *tile->cells; ++i) tile->cells[i] = EMPTY;
}

/// Writes a row of trails to the picture. What is there is background, or the outline of a node, in which a
/// faint edge would leave a dark hole.
static void put_trail_row(uint8_t *restrict row, const int16_t *restrict cells, int count) {
    for (int x = 0; x < count; ++x) {
        const uint8_t level = (uint8_t)(cells[x] >> 8), hue = (uint8_t)cells[x], old = row[x];
        const uint8_t ink = (uint8_t)(hue * QDI_LEVELS + QDI_INK_BODY - 1 + level);
        const bool faint = level <= QDI_LEVELS / 6 && old != QDI_INK_BACKGROUND;
        row[x] = level == 0 || faint ? old : ink;
    }
}

void qdi_trail_tile_end(const qdi_trail_tile *tile, qdi_raster *raster) {
    const qdi_area *area = &tile->area;
    for (int y = area->min_y; y < area->max_y; ++y)
        put_trail_row(raster->pixels + (size_t)y * (size_t)raster->width + area->min_x,
                      tile->cells + (y - area->min_y) * QDI_TRAIL_STRIDE + QDI_TRAIL_LANES,
                      area->max_x - area->min_x);
}
