#include "export/raster/trail_plane.h"
#include "export/raster/pixel_math.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LANES = QDI_TRAIL_LANES };

// Draws LANES pixels of a row, the first one's centre being at (left, y).
// False, and nothing drawn, where a level is open. Without branches, so that compilers make vector code of
// it; trail_plane_avx2.c does the same.
static inline bool draw_trail_lanes(uint16_t *restrict cells, float left, float y,
                                    const qdi_trail_line *line) {
    const qdi_trail_line of = *line;
    uint16_t drawn[LANES];
    const float py = y - of.y0;
    int open = 0;
    for (int k = 0; k < LANES; ++k) {
        float px = left + (float)k - of.x0, part = (px * of.along_x + py * of.along_y) / of.square;
        part = qdi_smaller(qdi_larger(part, 0.0F), 1.0F);
        float dx = px - part * of.along_x, dy = py - part * of.along_y;
        float cover = qdi_larger(qdi_smaller(of.reach - sqrtf(dx * dx + dy * dy), 1.0F), 0.0F);
        cover = cover * of.level + 0.5F;
        int seen = (int)(cover - of.slack) * 256, most = (int)(cover + of.slack) * 256, old = cells[k];
        open |= (most != seen) & (most > old);
        drawn[k] = (uint16_t)(seen > old ? seen + of.hue : old);
    }
    if (open) return false;
    memcpy(cells, drawn, sizeof drawn);
    return true;
}

#define TRAIL_PIECES qdi_trail_pieces_portable
#include "export/raster/trail_pieces.h"

// Frees the plane of the trails.
void qdi_trail_plane_destroy(const qd_allocator *allocator, qdi_trail_plane *plane) {
    qdi_release(allocator, plane->cells, plane->room, sizeof *plane->cells);
    *plane = (qdi_trail_plane){0};
}

// Writes a row of trails to the picture. What is there is background, or the outline of a node, in which a
// faint edge would leave a dark hole.
static void put_trail_row(uint8_t *restrict row, const uint16_t *restrict cells, int count) {
    for (int x = 0; x < count; ++x) {
        const uint8_t level = (uint8_t)(cells[x] >> 8), hue = (uint8_t)cells[x], old = row[x];
        const uint8_t ink = (uint8_t)(hue * QDI_LEVELS + QDI_INK_BODY - 1 + level);
        const bool faint = level <= QDI_LEVELS / 6 && old != QDI_INK_BACKGROUND;
        row[x] = level == 0 || faint ? old : ink;
    }
}

qd_status qdi_trail_plane_draw(qdi_trail_plane *plane, const qdi_trail *trails, size_t count, float width,
                               qd_simd simd, qdi_raster *raster) {
    const qdi_area *area = &raster->clip;
    const int wide = area->max_x - area->min_x, high = area->max_y - area->min_y;
    if (count == 0 || wide <= 0 || high <= 0) return QD_OK;
    plane->area = *area;
    plane->stride = (size_t)wide + LANES;
    const size_t cells = plane->stride * (size_t)high;
    qd_status status = qdi_reserve(raster->allocator, &plane->cells, &plane->room, 0, cells,
                                   sizeof *plane->cells);
    if (status != QD_OK) return status;
    memset(plane->cells, 0, cells * sizeof *plane->cells);
#ifdef __x86_64__
    if (simd >= QD_SIMD_AVX2)
        qdi_trail_pieces_avx2(plane, trails, count, width);
    else
        qdi_trail_pieces_portable(plane, trails, count, width);
#else
    (void)simd;
    qdi_trail_pieces_portable(plane, trails, count, width);
#endif
    for (int y = 0; y < high; ++y)
        put_trail_row(raster->pixels + (size_t)(area->min_y + y) * (size_t)raster->width + area->min_x,
                      plane->cells + (size_t)y * plane->stride, wide);
    return QD_OK;
}
