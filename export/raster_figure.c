#include "export/raster.h"

#include "core/assert.h"

#include <math.h>

// A figure made ready: its sides as half-planes, normal . p <= offset inside. A line has two sides, a point none.
typedef struct outline {
    int count;
    qdi_corner corner[QDI_CORNERS_MAX];
    float normal_x[QDI_CORNERS_MAX], normal_y[QDI_CORNERS_MAX], offset[QDI_CORNERS_MAX];
    float radius;
} outline;

static float smaller(float a, float b) {
    return a < b ? a : b;
}
static float larger(float a, float b) {
    return a > b ? a : b;
}

static int clamp_to(float value, int low, int high) {
    if (!(value > (float)low)) return low;
    return value < (float)high ? (int)value : high;
}

// Twice the area, with its sign.
static float turning(const qdi_corner *corner, int count) {
    float sum = 0.0F;
    for (int i = 0; i < count; ++i) {
        const qdi_corner *p = &corner[i], *q = &corner[i + 1 < count ? i + 1 : 0];
        sum += (p->x - corner[0].x) * (q->y - corner[0].y) - (q->x - corner[0].x) * (p->y - corner[0].y);
    }
    return sum;
}

static outline outline_of(const qdi_corner *corners, int count, float radius) {
    outline made = {.radius = radius};
    float side = turning(corners, count) < 0.0F ? -1.0F : 1.0F;
    for (int i = 0; i < count; ++i) {
        const qdi_corner *p = &corners[i], *q = &corners[i + 1 < count ? i + 1 : 0];
        float x = q->x - p->x, y = q->y - p->y, length = sqrtf(x * x + y * y);
        if (!(length > 0.0F) && count > 1) continue; // corners in one place
        int k = made.count++;
        made.corner[k] = *p;
        made.normal_x[k] = length > 0.0F ? side * y / length : 0.0F;
        made.normal_y[k] = length > 0.0F ? -side * x / length : 0.0F;
        made.offset[k] = made.normal_x[k] * p->x + made.normal_y[k] * p->y;
    }
    if (made.count == 0) {
        made.corner[0] = corners[0];
        made.count = 1;
    }
    return made;
}

// Distance of a point from the border of the core; below 0 inside.
static float distance_of(const outline *figure, float x, float y) {
    float most = -1e30F;
    for (int i = 0; i < figure->count; ++i)
        most = larger(most, figure->normal_x[i] * x + figure->normal_y[i] * y - figure->offset[i]);
    if (most <= 0.0F && figure->count > 2) return most;
    float nearest = 1e30F;
    for (int i = 0; i < figure->count; ++i) {
        const qdi_corner *p = &figure->corner[i], *q = &figure->corner[i + 1 < figure->count ? i + 1 : 0];
        float along_x = q->x - p->x, along_y = q->y - p->y, from_x = x - p->x, from_y = y - p->y;
        float length = larger(along_x * along_x + along_y * along_y, 1e-12F);
        float part = smaller(larger((from_x * along_x + from_y * along_y) / length, 0.0F), 1.0F);
        float dx = from_x - part * along_x, dy = from_y - part * along_y;
        nearest = smaller(nearest, dx * dx + dy * dy);
    }
    return sqrtf(nearest);
}

// Where a row of pixels is inside of all sides moved out by `out`: the centres from *from to *to.
static void span_of(const outline *figure, float y, float out, float *from, float *to) {
    for (int i = 0; i < figure->count; ++i) {
        float room = figure->offset[i] + out - figure->normal_y[i] * y, n = figure->normal_x[i];
        if (n > 1e-6F)
            *to = smaller(*to, room / n);
        else if (n < -1e-6F)
            *from = larger(*from, room / n);
        else if (room < 0.0F)
            *to = -1e30F;
    }
}

static void draw_edge(const qdi_raster *raster, const outline *figure, int row, int from, int to,
                      unsigned hue) {
    for (int i = from; i < to; ++i) {
        float cover = figure->radius + 0.5F - distance_of(figure, (float)i + 0.5F, (float)row + 0.5F);
        int level = (int)(smaller(larger(cover, 0.0F), 1.0F) * QDI_LEVELS + 0.5F);
        if (level > 0) qdi_raster_cover(raster, i, row, hue, level);
    }
}

void qdi_raster_figure(qdi_raster *raster, const qdi_corner *corners, int count, float radius, unsigned hue) {
    QD_ASSERT(hue < QDI_HUES && count > 0 && count <= QDI_CORNERS_MAX);
    const qdi_area *clip = &raster->clip;
    const outline figure = outline_of(corners, count, radius);
    float low = corners[0].y, high = low, left = corners[0].x, right = left;
    for (int i = 1; i < count; ++i) {
        low = smaller(low, corners[i].y);
        high = larger(high, corners[i].y);
        left = smaller(left, corners[i].x);
        right = larger(right, corners[i].x);
    }
    float reach = radius + 1.0F;
    int first = clamp_to(low - reach, clip->min_y, clip->max_y);
    int last = clamp_to(high + reach + 1.0F, clip->min_y, clip->max_y);
    for (int j = first; j < last; ++j) {
        float y = (float)j + 0.5F, from = left - reach, to = right + reach, full_from = from, full_to = to;
        span_of(&figure, y, radius + 0.8F, &from, &to);
        if (to < from) continue;
        // Inside by 0.8 pixels a pixel is covered wholly. Round ends count as edges.
        span_of(&figure, y, figure.count > 2 ? smaller(radius, 0.0F) - 0.8F : -1e30F, &full_from, &full_to);
        int begin = clamp_to(from - 0.5F, clip->min_x, clip->max_x);
        int end = clamp_to(to + 1.5F, clip->min_x, clip->max_x);
        int full_begin = clamp_to(full_from + 0.5F, begin, end),
            full_end = clamp_to(full_to + 0.5F, begin, end);
        if (full_to - full_from < 2.0F || full_end <= full_begin) full_begin = full_end = end;
        draw_edge(raster, &figure, j, begin, full_begin, hue);
        qdi_raster_fill(raster, (qdi_area){full_begin, j, full_end, j + 1}, qdi_ink_of_hue(hue));
        draw_edge(raster, &figure, j, full_end, end, hue);
    }
}
