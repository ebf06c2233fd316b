#include "export/raster/pixel_math.h"
#include "export/raster/tile.h"

#include "core/base/assert.h"

#include <math.h>

// A figure made ready: its sides as half-planes, normal . p <= offset inside. A line has two sides, a point
// none.
typedef struct outline {
    int count;
    qdi_corner corner[QDI_CORNERS_MAX];
    float normal_x[QDI_CORNERS_MAX], normal_y[QDI_CORNERS_MAX], offset[QDI_CORNERS_MAX];
    float radius;
} outline;

// Figure on a tile of pixels: a value between two limits.
static int clamp_to_limits(float value, int low, int high) {
    if (!(value > (float)low)) return low;
    return value < (float)high ? (int)value : high;
}

// Figure on a tile of pixels: twice the area of a figure, with its sign.
static float twice_signed_area(const qdi_corner *corner, int count) {
    float sum = 0.0F;
    for (int i = 0; i < count; ++i) {
        const qdi_corner *p = &corner[i], *q = &corner[i + 1 < count ? i + 1 : 0];
        sum += (p->x - corner[0].x) * (q->y - corner[0].y) - (q->x - corner[0].x) * (p->y - corner[0].y);
    }
    return sum;
}

// Figure on a tile of pixels: the sides of a figure.
static outline figure_outline(const qdi_corner *corners, int count, float radius) {
    outline made = {.radius = radius};
    float side = twice_signed_area(corners, count) < 0.0F ? -1.0F : 1.0F;
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

// Figure on a tile of pixels: the distance of a point from the border of a figure's core; below 0 inside.
static float distance_from_core(const outline *figure, float x, float y) {
    float most = -1e30F;
    for (int i = 0; i < figure->count; ++i)
        most = qdi_larger_float(most, figure->normal_x[i] * x + figure->normal_y[i] * y - figure->offset[i]);
    if (most <= 0.0F && figure->count > 2) return most;
    float nearest = 1e30F;
    for (int i = 0; i < figure->count; ++i) {
        const qdi_corner *p = &figure->corner[i], *q = &figure->corner[i + 1 < figure->count ? i + 1 : 0];
        float along_x = q->x - p->x, along_y = q->y - p->y, from_x = x - p->x, from_y = y - p->y;
        float length = qdi_larger_float(along_x * along_x + along_y * along_y, 1e-12F);
        float part = qdi_smaller_float(qdi_larger_float((from_x * along_x + from_y * along_y) / length, 0.0F),
                                       1.0F);
        float dx = from_x - part * along_x, dy = from_y - part * along_y;
        nearest = qdi_smaller_float(nearest, dx * dx + dy * dy);
    }
    return sqrtf(nearest);
}

// The pixels of a row inside a figure.
// Where a row of pixels is inside of all sides moved out by `out`: the centres from *from to *to.
static void figure_row_span(const outline *figure, float y, float out, float *from, float *to) {
    for (int i = 0; i < figure->count; ++i) {
        float room = figure->offset[i] + out - figure->normal_y[i] * y, n = figure->normal_x[i];
        if (n > 1e-6F)
            *to = qdi_smaller_float(*to, room / n);
        else if (n < -1e-6F)
            *from = qdi_larger_float(*from, room / n);
        else if (room < 0.0F)
            *to = -1e30F;
    }
}

// Width of a rim in pixels, and how thick a figure is at least that has one.
static const float rim_width = 1.5F, thinnest_rimmed = 5.0F;

// A figure being drawn.
typedef struct figure_job {
    qdi_tile *tile;
    outline figure;
    bool rimmed;
    qdi_brush brush;
} figure_job;

// The tone of a pixel of a figure. `depth`: how far inside of the border its centre is.
static uint8_t figure_tone_at(const figure_job *job, float depth) {
    if (!job->rimmed) return QDI_TONE_FULL;
    float part = qdi_smaller_float(qdi_larger_float(depth - rim_width + 0.5F, 0.0F), 1.0F);
    return (uint8_t)((float)QDI_TONE_RIM + part * (float)(QDI_TONE_FULL - QDI_TONE_RIM) + 0.5F);
}

// Draws the pixels on a figure's edge.
static void draw_figure_edge(const figure_job *job, int row, int from, int to) {
    for (int i = from; i < to; ++i) {
        float depth = job->figure.radius -
                      distance_from_core(&job->figure, (float)i + 0.5F, (float)row + 0.5F);
        int level = (int)(qdi_smaller_float(qdi_larger_float(depth + 0.5F, 0.0F), 1.0F) * QDI_LEVELS + 0.5F);
        if (level > 0) qdi_tile_add(job->tile, i, row, job->brush, level, figure_tone_at(job, depth));
    }
}

// Draws a row of a figure's pixels.
static void draw_figure_row(const figure_job *job, int row, float left, float right) {
    const qdi_area *area = &job->tile->area;
    const outline *figure = &job->figure;
    float radius = figure->radius, y = (float)row + 0.5F, from = left, to = right, full_from = left,
          full_to = right;
    figure_row_span(figure, y, radius + 0.8F, &from, &to);
    if (to < from) return;
    // Inside by 0.8 pixels a pixel is covered wholly, and by a rim's width more it shows none. Round ends
    // count as edges.
    float inside = 0.8F + (job->rimmed ? rim_width : 0.0F);
    figure_row_span(figure, y, figure->count > 2 ? qdi_smaller_float(radius, 0.0F) - inside : -1e30F,
                    &full_from, &full_to);
    int begin = clamp_to_limits(from - 0.5F, area->min_x, area->max_x);
    int end = clamp_to_limits(to + 1.5F, area->min_x, area->max_x);
    int full_begin = clamp_to_limits(full_from + 0.5F, begin, end),
        full_end = clamp_to_limits(full_to + 0.5F, begin, end);
    if (full_to - full_from < 2.0F || full_end <= full_begin) full_begin = full_end = end;
    draw_figure_edge(job, row, begin, full_begin);
    for (int i = full_begin; i < full_end; ++i)
        qdi_tile_add(job->tile, i, row, job->brush, QDI_LEVELS, QDI_TONE_FULL);
    draw_figure_edge(job, row, full_end, end);
}

void qdi_tile_figure(qdi_tile *tile, const qdi_corner *corners, int count, float radius, qdi_brush brush) {
    QD_ASSERT(brush.hue < QDI_HUES && count > 0 && count <= QDI_CORNERS_MAX);
    float low = corners[0].y, high = low, left = corners[0].x, right = left;
    for (int i = 1; i < count; ++i) {
        low = qdi_smaller_float(low, corners[i].y);
        high = qdi_larger_float(high, corners[i].y);
        left = qdi_smaller_float(left, corners[i].x);
        right = qdi_larger_float(right, corners[i].x);
    }
    float reach = radius + 1.0F, size = qdi_larger_float(qdi_larger_float(high - low, right - left), 1e-3F);
    float area_twice = twice_signed_area(corners, count),
          thick = fabsf(area_twice) * 0.5F / size + 2.0F * radius;
    const bool rimmed = size + 2.0F * radius >= 2.0F * QDI_RIM_FROM && thick >= thinnest_rimmed;
    const figure_job job = {tile, figure_outline(corners, count, radius), rimmed, brush};
    const qdi_area *area = &tile->area;
    int first = clamp_to_limits(low - reach, area->min_y, area->max_y);
    int last = clamp_to_limits(high + reach + 1.0F, area->min_y, area->max_y);
    for (int j = first; j < last; ++j) draw_figure_row(&job, j, left - reach, right + reach);
}
