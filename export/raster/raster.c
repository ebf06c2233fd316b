#include "export/raster/raster.h"
#include "export/raster/pixel_math.h"

#include "core/base/assert.h"
#include "core/base/memory.h"

#include <math.h>
#include <string.h>

qd_status qdi_raster_create(const qd_allocator *allocator, int width, int height, qdi_raster *raster) {
    QD_ASSERT(width > 0 && height > 0);
    *raster = (qdi_raster){.allocator = allocator, .width = width, .height = height};
    raster->clip = (qdi_area){0, 0, width, height};
    for (int i = 0; i < QDI_HUES * QDI_LEVELS; ++i) {
        raster->level_of[QDI_INK_BODY + i] = (uint8_t)(i % QDI_LEVELS + 1);
    }
    raster->pixels = qdi_allocate(allocator, (size_t)width * (size_t)height, 1);
    if (!raster->pixels) return QD_ERR_MEMORY;
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)width * (size_t)height);
    return QD_OK;
}

void qdi_raster_destroy(qdi_raster *raster) {
    if (raster->pixels) {
        qdi_release(raster->allocator, raster->pixels, (size_t)raster->width * (size_t)raster->height, 1);
    }
    raster->pixels = NULL;
}

// Raster: the part that two areas share.
static qdi_area intersect_areas(qdi_area a, qdi_area b) {
    return (qdi_area){qdi_larger_int(a.min_x, b.min_x), qdi_larger_int(a.min_y, b.min_y),
                      qdi_smaller_int(a.max_x, b.max_x), qdi_smaller_int(a.max_y, b.max_y)};
}

void qdi_raster_set_clip(qdi_raster *raster, qdi_area area) {
    raster->clip = intersect_areas(area, (qdi_area){0, 0, raster->width, raster->height});
}

// The pixels of a row.
static uint8_t *raster_row(const qdi_raster *raster, int y) {
    return raster->pixels + (size_t)y * (size_t)raster->width;
}

void qdi_raster_fill(qdi_raster *raster, qdi_area area, uint8_t ink) {
    area = intersect_areas(area, raster->clip);
    if (area.max_x <= area.min_x) return;
    for (int y = area.min_y; y < area.max_y; ++y) {
        memset(raster_row(raster, y) + area.min_x, ink, (size_t)(area.max_x - area.min_x));
    }
}

// Draws a pixel of a mark.
static void mark_pixel(const qdi_raster *raster, uint8_t *pixel, int level) {
    int old = *pixel;
    int first = raster->level_of[old] > QDI_LEVELS / 2 ? QDI_INK_MARK_ON_BODY : QDI_INK_MARK;
    if (old >= QDI_INK_MARK && old < QDI_INK_MARK_ON_BODY + QDI_MARK_LEVELS) {
        first = old < QDI_INK_MARK_ON_BODY ? QDI_INK_MARK : QDI_INK_MARK_ON_BODY;
        level = qdi_larger_int(level, old - first + 1);
    }
    *pixel = (uint8_t)(first + level - 1);
}

void qdi_raster_mark(qdi_raster *raster, float x0, float y0, float x1, float y1, float width) {
    // Coverage falls from 1 to 0 over the pixel about the line's edge.
    float reach = 0.5F * width + 0.5F;
    qdi_area area = {
        qdi_floor_int(qdi_smaller_float(x0, x1) - reach), qdi_floor_int(qdi_smaller_float(y0, y1) - reach),
        qdi_ceil_int(qdi_larger_float(x0, x1) + reach), qdi_ceil_int(qdi_larger_float(y0, y1) + reach)};
    area = intersect_areas(area, raster->clip);
    float along_x = x1 - x0, along_y = y1 - y0;
    float length_squared = qdi_larger_float(along_x * along_x + along_y * along_y, 1e-12F);
    for (int j = area.min_y; j < area.max_y; ++j) {
        uint8_t *row = raster_row(raster, j);
        for (int i = area.min_x; i < area.max_x; ++i) {
            float px = (float)i + 0.5F - x0, py = (float)j + 0.5F - y0;
            float part = (px * along_x + py * along_y) / length_squared;
            part = qdi_smaller_float(qdi_larger_float(part, 0.0F), 1.0F);
            float dx = px - part * along_x, dy = py - part * along_y;
            float cover = qdi_smaller_float(reach - sqrtf(dx * dx + dy * dy), 1.0F);
            int level = cover > 0.0F ? (int)(cover * QDI_MARK_LEVELS + 0.5F) : 0;
            if (level > 0) mark_pixel(raster, row + i, level);
        }
    }
}
