#include "export/raster/cover.h"
#include "export/raster/pixel_math.h"
#include "export/raster/tile.h"

#include "core/base/assert.h"

#include <math.h>

enum { PARTS = QDI_COVER_PARTS, BLOCK = QDI_COVER_BLOCK };

// Beyond this distance from the circle a pixel is fully inside or outside (half a diagonal, and room for
// rounding).
static const float edge_reach = 0.75F;
// Width of a rim and of the line that shows the turn, in parts of the radius, and the narrowest and widest in
// pixels.
static const float rim_part = 0.10F, line_part = 0.16F, narrowest = 1.0F, widest = 2.5F;
// The line goes from the centre so far towards the rim.
static const float line_length = 0.72F;

// A disk being drawn. What rounding to levels takes from a pixel goes to the next one on the same side (left
// or right of the centre), so that sum and centre of the levels stay those of the disk.
typedef struct round_job {
    qdi_tile *tile;
    float x, y;
    float radius; // of the circle whose straight pieces have the right area
    float inside; // radius without the rim; < 0: no rim
    qdi_brush brush;
    int carry[2];
} round_job;

// The tone of a pixel of a disk at a distance from its centre: full inside, less at the rim.
static uint8_t disk_tone_at(const round_job *job, float dx, float dy) {
    if (job->inside < 0.0F) return QDI_TONE_FULL;
    float part = qdi_smaller_float(qdi_larger_float(job->inside + 0.5F - sqrtf(dx * dx + dy * dy), 0.0F),
                                   1.0F);
    return (uint8_t)((float)QDI_TONE_RIM + part * (float)(QDI_TONE_FULL - QDI_TONE_RIM) + 0.5F);
}

// Draws a small disk, from its stencil.
static void draw_small_disk(qdi_tile *tile, float x, float y, float radius, qdi_brush brush) {
    const qdi_area *area = &tile->area;
    int from, first;
    const qdi_stencil *stencil = qdi_stencil_of(tile->stencils, x, y, radius, &from, &first);
    int low = qdi_larger_int(stencil->first, area->min_y - first),
        high = qdi_smaller_int(stencil->last, area->max_y - first);
#ifdef __x86_64__
    const int column = from - area->min_x;
    if (tile->simd >= QD_SIMD_AVX2 && column >= 0 && column <= QDI_TILE_SIDE - QDI_STENCIL_SIDE) {
        qdi_tile_stencil_avx2(tile, stencil, (first - area->min_y) * QDI_TILE_SIDE + column, low, high,
                              brush);
        return;
    }
#endif
    int left = qdi_larger_int(stencil->left, area->min_x - from),
        right = qdi_smaller_int(stencil->right, area->max_x - from);
    for (int j = low; j < high; ++j)
        for (int k = left; k < right; ++k)
            if (stencil->level[j][k] > 0)
                qdi_tile_add(tile, from + k, first + j, brush, stencil->level[j][k], QDI_TONE_FULL);
}

// Draws the pixels on a disk's edge.
static void draw_disk_edge(round_job *job, int side, int row, int from, int to) {
    float dy = (float)row + 0.5F - job->y;
    int carry = job->carry[side];
    for (int i = from; i < to; i += BLOCK) {
        int32_t parts[BLOCK];
        float dx = (float)i + 0.5F - job->x;
        qdi_cover_block(dx, dy, job->radius, parts);
        int count = qdi_smaller_int(to - i, BLOCK);
        for (int k = 0; k < count; ++k) {
            int sum = parts[k] + carry;
            carry = sum % PARTS;
            if (sum >= PARTS)
                qdi_tile_add(job->tile, i + k, row, job->brush, sum / PARTS,
                             disk_tone_at(job, dx + (float)k, dy));
        }
    }
    job->carry[side] = carry;
}

// Draws pixels that are wholly inside a disk.
static void draw_full_pixels(const round_job *job, int row, int from, int to) {
    float dy = (float)row + 0.5F - job->y;
    for (int i = from; i < to; ++i)
        qdi_tile_add(job->tile, i, row, job->brush, QDI_LEVELS,
                     disk_tone_at(job, (float)i + 0.5F - job->x, dy));
}

// Finds the pixels of rows of a disk in the tile, at most QDI_DISK_ROWS from `first` on, and returns how many
// have some. The halves of a row end at `middle`. Without branches, so that compilers make vector code of it.
static int find_disk_rows(const round_job *job, int first, int last, qdi_disk_span *rows) {
    enum { PACK = 4 }; // rows of a vector
    int from[QDI_DISK_ROWS] = {0}, full_from[QDI_DISK_ROWS], full_to[QDI_DISK_ROWS], to[QDI_DISK_ROWS] = {0};
    const int count = qdi_smaller_int(last - first, QDI_DISK_ROWS), middle = qdi_floor_int(job->x + 0.5F);
    const int min_x = job->tile->area.min_x, max_x = job->tile->area.max_x;
    const float x = job->x, outer = job->radius + edge_reach,
                inner = qdi_larger_float(job->radius - edge_reach, 0.0F);
    for (int j = 0; j < (count + PACK - 1) / PACK * PACK; ++j) {
        const float dy = (float)(first + j) + 0.5F - job->y;
        const float outer_squared = outer * outer - dy * dy, inner_squared = inner * inner - dy * dy;
        const float reach = sqrtf(qdi_larger_float(outer_squared, 0.0F)),
                    full = sqrtf(qdi_larger_float(inner_squared, 0.0F));
        const int left = qdi_smaller_int(qdi_ceil_int(x - full - 0.5F), middle),
                  right = qdi_larger_int(qdi_floor_int(x + full + 0.5F), middle);
        const int begin = qdi_larger_int(qdi_floor_int(x - reach), min_x),
                  end = qdi_smaller_int(qdi_ceil_int(x + reach), max_x);
        from[j] = begin;
        full_from[j] = qdi_smaller_int(qdi_larger_int(inner_squared > 0.0F ? left : middle, begin), end);
        full_to[j] = qdi_smaller_int(qdi_larger_int(inner_squared > 0.0F ? right : middle, begin), end);
        to[j] = outer_squared > 0.0F ? end : begin;
    }
    int found = 0;
    for (int j = 0; j < count; ++j) {
        rows[found] = (qdi_disk_span){first + j, from[j], full_from[j], full_to[j], to[j]};
        found += from[j] < to[j];
    }
    return found;
}

// Draws a disk row by row.
static void draw_round_disk(round_job *job, int first, int last) {
    qdi_disk_span rows[QDI_DISK_ROWS];
    for (int y = first; y < last; y += QDI_DISK_ROWS) {
        const int count = find_disk_rows(job, y, last, rows);
        for (int j = 0; j < count; ++j) {
            const qdi_disk_span *row = &rows[j];
            draw_disk_edge(job, 0, row->y, row->from, row->full_from);
            draw_full_pixels(job, row->y, row->full_from, row->full_to);
            draw_disk_edge(job, 1, row->y, row->full_to, row->to);
        }
    }
}

#ifdef __x86_64__
// The same for a disk without a rim, whose rows all fit into two vectors.
static void draw_plain_disk_avx2(round_job *job, int first, int last) {
    qdi_disk_span rows[QDI_DISK_ROWS];
    const int count = find_disk_rows(job, first, last, rows);
    qdi_tile_disk_rows_avx2(job->tile, job->x, job->y, job->radius, rows, count, job->brush);
}
#endif

// Draws the line from a disk's centre that shows how it is turned, on the pixels that show this disk.
static void draw_turn_line(qdi_tile *tile, float x, float y, float radius, qdi_corner turn, qdi_brush brush) {
    float half = 0.5F * qdi_larger_float(qdi_smaller_float(line_part * radius, 2.0F * widest), narrowest),
          length = line_length * radius;
    float end_x = x + length * turn.x, end_y = y + length * turn.y, reach = half + 0.5F;
    const qdi_area *area = &tile->area;
    int from = qdi_larger_int(qdi_floor_int(qdi_smaller_float(x, end_x) - reach), area->min_x);
    int to = qdi_smaller_int(qdi_ceil_int(qdi_larger_float(x, end_x) + reach), area->max_x);
    int first = qdi_larger_int(qdi_floor_int(qdi_smaller_float(y, end_y) - reach), area->min_y);
    int last = qdi_smaller_int(qdi_ceil_int(qdi_larger_float(y, end_y) + reach), area->max_y);
    for (int j = first; j < last; ++j) {
        for (int i = from; i < to; ++i) {
            const int cell = (j - area->min_y) * QDI_TILE_SIDE + (i - area->min_x);
            if (tile->rank[cell] == 0 || ((tile->rank[cell] - 1U) & 0xfffffffU) != brush.index) continue;
            float px = (float)i + 0.5F - x, py = (float)j + 0.5F - y;
            float along = qdi_smaller_float(qdi_larger_float(px * turn.x + py * turn.y, 0.0F), length);
            float dx = px - along * turn.x, dy = py - along * turn.y;
            float part = qdi_smaller_float(qdi_larger_float(reach - sqrtf(dx * dx + dy * dy), 0.0F), 1.0F);
            int tone = QDI_TONE_FULL - (int)(part * (float)(QDI_TONE_FULL - QDI_TONE_LINE) + 0.5F);
            if (tone < tile->tone[cell]) tile->tone[cell] = (uint8_t)tone;
        }
    }
}

void qdi_tile_disk(qdi_tile *tile, float x, float y, float radius, qdi_corner turn, qdi_brush brush) {
    QD_ASSERT(brush.hue < QDI_HUES);
    if (radius < QDI_SPLAT_BELOW) {
        const qdi_splats one = {.x = {x}, .y = {y}, .radius = {radius}, .hue = {brush.hue}, .count = 1};
        qdi_tile_splats(tile, &one);
        return;
    }
    if (radius < QDI_STENCIL_MOST) {
        draw_small_disk(tile, x, y, radius, brush);
        return;
    }
    // Straight pieces lie outside of the circle: together they add pi / 12 to the area, whatever the radius.
    float drawn = sqrtf(radius * radius - 1.0F / 12.0F), outer = drawn + edge_reach;
    float rim = radius >= QDI_RIM_FROM
                    ? qdi_larger_float(qdi_smaller_float(rim_part * radius, widest), narrowest)
                    : 0.0F;
    round_job job = {tile, x, y, drawn, rim > 0.0F ? radius - rim : -1.0F, brush, {PARTS / 2, PARTS / 2}};
    const qdi_area *area = &tile->area;
    int first = qdi_larger_int(qdi_floor_int(y - outer), area->min_y),
        last = qdi_smaller_int(qdi_ceil_int(y + outer), area->max_y);
#ifdef __x86_64__
    if (radius < QDI_RIM_FROM && tile->simd >= QD_SIMD_AVX2) {
        draw_plain_disk_avx2(&job, first, last);
        return;
    }
#endif
    draw_round_disk(&job, first, last);
    if (radius >= QDI_LINE_FROM && (turn.x != 0.0F || turn.y != 0.0F))
        draw_turn_line(tile, x, y, radius, turn, brush);
}
