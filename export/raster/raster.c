#include "export/raster/raster.h"
#include "export/raster/pixel_math.h"

#include "core/base/assert.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdbool.h>
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
    qdi_area area = {qdi_floor_int(qdi_smaller(x0, x1) - reach), qdi_floor_int(qdi_smaller(y0, y1) - reach),
                     qdi_ceil_int(qdi_larger(x0, x1) + reach), qdi_ceil_int(qdi_larger(y0, y1) + reach)};
    area = intersect_areas(area, raster->clip);
    float along_x = x1 - x0, along_y = y1 - y0;
    float length_squared = qdi_larger(along_x * along_x + along_y * along_y, 1e-12F);
    for (int j = area.min_y; j < area.max_y; ++j) {
        uint8_t *row = raster_row(raster, j);
        for (int i = area.min_x; i < area.max_x; ++i) {
            float px = (float)i + 0.5F - x0, py = (float)j + 0.5F - y0;
            float part = (px * along_x + py * along_y) / length_squared;
            part = qdi_smaller(qdi_larger(part, 0.0F), 1.0F);
            float dx = px - part * along_x, dy = py - part * along_y;
            float cover = qdi_smaller(reach - sqrtf(dx * dx + dy * dy), 1.0F);
            int level = cover > 0.0F ? (int)(cover * QDI_MARK_LEVELS + 0.5F) : 0;
            if (level > 0) mark_pixel(raster, row + i, level);
        }
    }
}

// Draws a pixel of a trail.
static void trail_pixel(const qdi_raster *raster, uint8_t *pixel, unsigned hue, int level) {
    int there = raster->level_of[*pixel];
    bool keep = there > 0 ? level <= there : *pixel != QDI_INK_BACKGROUND && level <= QDI_LEVELS / 6;
    if (!keep) *pixel = (uint8_t)(qdi_ink_of_hue(hue) - QDI_LEVELS + level);
}

void qdi_raster_trail(qdi_raster *raster, qdi_corner from, qdi_corner to, float width, unsigned hue,
                      int level) {
    QD_ASSERT(hue < QDI_HUES && level > 0 && level <= QDI_LEVELS);
    const float reach = 0.5F * width + 0.5F, along_x = to.x - from.x, along_y = to.y - from.y;
    const float length_squared = qdi_larger(along_x * along_x + along_y * along_y, 1e-12F);
    qdi_area area = {raster->clip.min_x, qdi_floor_int(qdi_smaller(from.y, to.y) - reach), raster->clip.max_x,
                     qdi_ceil_int(qdi_larger(from.y, to.y) + reach)};
    area = intersect_areas(area, raster->clip);
    for (int j = area.min_y; j < area.max_y; ++j) {
        uint8_t *row = raster_row(raster, j);
        const float py = (float)j + 0.5F - from.y;
        // The part of the line that comes near the row.
        float first = 0.0F, last = 1.0F;
        if (along_y > 1e-3F || along_y < -1e-3F) {
            float up = (py - reach) / along_y, down = (py + reach) / along_y;
            first = qdi_smaller(qdi_larger(qdi_smaller(up, down), 0.0F), 1.0F);
            last = qdi_smaller(qdi_larger(qdi_larger(up, down), 0.0F), 1.0F);
        }
        const float a = from.x + first * along_x, b = from.x + last * along_x;
        int begin = qdi_larger_int(qdi_floor_int(qdi_smaller(a, b) - reach), area.min_x);
        int end = qdi_smaller_int(qdi_ceil_int(qdi_larger(a, b) + reach), area.max_x);
        for (int i = begin; i < end; ++i) {
            float px = (float)i + 0.5F - from.x, part = (px * along_x + py * along_y) / length_squared;
            part = qdi_smaller(qdi_larger(part, 0.0F), 1.0F);
            float dx = px - part * along_x, dy = py - part * along_y;
            float cover = qdi_smaller(reach - sqrtf(dx * dx + dy * dy), 1.0F);
            int seen = cover > 0.0F ? (int)(cover * (float)level + 0.5F) : 0;
            if (seen > 0) trail_pixel(raster, row + i, hue, seen);
        }
    }
}
