#include "export/raster.h"

#include "core/assert.h"
#include "core/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Coverage is counted in parts of a level while an edge is walked.
enum { PARTS = 256, BLOCK = 8 };

// Disks below this radius are drawn as squares of the same area: the rounded formula assumes that a pixel
// sees only one side of the disk.
static const float square_below = 0.75F;
// sqrt(pi): side of the square with the area of a disk of radius 1.
static const float square_side = 1.77245385F;
// The smallest square drawn: even where it lies on four pixels, each gets a level.
static const float smallest_side = 0.6F;
// Beyond this distance from the circle a pixel is fully inside or outside (half a diagonal, and room for
// rounding).
static const float edge_reach = 0.75F;

static float smaller(float a, float b) {
    return a < b ? a : b;
}
static float larger(float a, float b) {
    return a > b ? a : b;
}
static int smaller_int(int a, int b) {
    return a < b ? a : b;
}
static int larger_int(int a, int b) {
    return a > b ? a : b;
}

// The values here are far inside int's range. On plain x86-64, floorf is a call; this is two instructions.
static int floor_int(float value) {
    int whole = (int)value;
    return whole - (value < (float)whole);
}

static int ceil_int(float value) {
    int whole = (int)value;
    return whole + (value > (float)whole);
}

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

static qdi_area intersect(qdi_area a, qdi_area b) {
    return (qdi_area){larger_int(a.min_x, b.min_x), larger_int(a.min_y, b.min_y),
                      smaller_int(a.max_x, b.max_x), smaller_int(a.max_y, b.max_y)};
}

void qdi_raster_set_clip(qdi_raster *raster, qdi_area area) {
    raster->clip = intersect(area, (qdi_area){0, 0, raster->width, raster->height});
}

static uint8_t *row_of(const qdi_raster *raster, int y) {
    return raster->pixels + (size_t)y * (size_t)raster->width;
}

void qdi_raster_fill(qdi_raster *raster, qdi_area area, uint8_t ink) {
    area = intersect(area, raster->clip);
    if (area.max_x <= area.min_x) return;
    for (int y = area.min_y; y < area.max_y; ++y) {
        memset(row_of(raster, y) + area.min_x, ink, (size_t)(area.max_x - area.min_x));
    }
}

// Adds a body's coverage to one pixel. `base` is the ink below the hue's first level.
static void add_level(const qdi_raster *raster, uint8_t *pixel, int base, int level) {
    int old = *pixel;
    int before = raster->level_of[old];
    if (before > 0) {
        int sum = smaller_int(before + level, QDI_LEVELS);
        bool wins = level >= before || 2 * level > QDI_LEVELS;
        *pixel = (uint8_t)((wins ? base : old - before) + sum);
    } else if (old == QDI_INK_BACKGROUND || level > QDI_LEVELS / 6) {
        // A faint edge would punch a dark hole into a node's outline.
        *pixel = (uint8_t)(base + level);
    }
}

void qdi_raster_cover(const qdi_raster *raster, int x, int y, unsigned hue, int level) {
    add_level(raster, row_of(raster, y) + x, (int)qdi_ink_of_hue(hue) - QDI_LEVELS, level);
}

static void draw_square(qdi_raster *raster, float x, float y, float side, int base) {
    float min_x = x - 0.5F * side, max_x = x + 0.5F * side;
    float min_y = y - 0.5F * side, max_y = y + 0.5F * side;
    qdi_area area = {floor_int(min_x), floor_int(min_y), ceil_int(max_x), ceil_int(max_y)};
    area = intersect(area, raster->clip);
    for (int j = area.min_y; j < area.max_y; ++j) {
        float tall = smaller(max_y, (float)(j + 1)) - larger(min_y, (float)j);
        uint8_t *row = row_of(raster, j);
        for (int i = area.min_x; i < area.max_x; ++i) {
            float wide = smaller(max_x, (float)(i + 1)) - larger(min_x, (float)i);
            int level = (int)(tall * wide * QDI_LEVELS + 0.5F);
            if (level > 0) add_level(raster, row + i, base, level);
        }
    }
}

// Coverage, in PARTS of a level, of BLOCK pixels whose centres are at (dx, dy), (dx + 1, dy), ... from the
// disk's centre. The circle is taken as straight within a pixel: the exact area of a unit square on one side
// of a line with the circle's normal. With A >= B the parts of the normal times the distance d, and S the
// signed distance of the line times d, the area is 1/2 + S / A up to |S| = (A - B) / 2, from there less and
// less steep (`bend`), and full at (A + B) / 2. Written without branches, so that compilers make vector code
// of it.
static void cover_block(float dx, float dy, float radius, int32_t parts[BLOCK]) {
    const float high = fabsf(dy);
    for (int k = 0; k < BLOCK; ++k) {
        float wide = fabsf(dx + (float)k);
        float a = larger(larger(wide, high), 2e-3F);
        float b = larger(smaller(wide, high), 1e-3F);
        float d = sqrtf(a * a + b * b);
        float end = 0.5F * (a + b), flat = 0.5F * (a - b);
        float s = larger(smaller((radius - d) * d, end), -end);
        float above = larger(s - flat, 0.0F), under = larger(-s - flat, 0.0F);
        float bend = above * above - under * under;
        float cover = 0.5F + (2.0F * b * s - bend) / (2.0F * a * b);
        parts[k] = (int32_t)(cover * (float)(QDI_LEVELS * PARTS));
    }
}

// A disk that is at most BLOCK pixels wide and high, with its first pixel at (from, first), none of them
// clipped. Every pixel is rounded for itself.
static void draw_small(qdi_raster *raster, float x, float y, float drawn, int from, int first, int last,
                       int base) {
    for (int j = first; j < last; ++j) {
        int32_t parts[BLOCK];
        cover_block((float)from + 0.5F - x, (float)j + 0.5F - y, drawn, parts);
        uint8_t *row = row_of(raster, j) + from;
        for (int k = 0; k < BLOCK; ++k) {
            int level = (parts[k] + PARTS / 2) / PARTS;
            if (level > 0) add_level(raster, row + k, base, level);
        }
    }
}

// A disk being drawn. What rounding to levels takes from a pixel goes to the next one on the same side (left
// or right of the centre), so that sum and centre of the levels stay those of the disk.
typedef struct disk_brush {
    float x, y;
    float radius; // of the circle whose straight pieces have the right area
    int base;
    int carry[2];
} disk_brush;

static void draw_edge(const qdi_raster *raster, disk_brush *brush, int side, int row, int from, int to) {
    uint8_t *pixels = row_of(raster, row);
    from = larger_int(from, raster->clip.min_x);
    to = smaller_int(to, raster->clip.max_x);
    float dy = (float)row + 0.5F - brush->y;
    int carry = brush->carry[side];
    for (int i = from; i < to; i += BLOCK) {
        int32_t parts[BLOCK];
        cover_block((float)i + 0.5F - brush->x, dy, brush->radius, parts);
        int count = smaller_int(to - i, BLOCK);
        for (int k = 0; k < count; ++k) {
            int sum = parts[k] + carry;
            carry = sum % PARTS;
            if (sum >= PARTS) add_level(raster, pixels + i + k, brush->base, sum / PARTS);
        }
    }
    brush->carry[side] = carry;
}

static void draw_round(qdi_raster *raster, float x, float y, float radius, int base) {
    // Straight pieces lie outside of the circle: together they add pi / 12 to the area, whatever the radius.
    float drawn = sqrtf(radius * radius - 1.0F / 12.0F);
    float outer = drawn + edge_reach;
    float inner = larger(drawn - edge_reach, 0.0F);
    const qdi_area *clip = &raster->clip;
    int first = floor_int(y - outer), last = ceil_int(y + outer), left = floor_int(x - outer);
    if (2.0F * outer + 1.0F <= (float)BLOCK && left >= clip->min_x && left + BLOCK <= clip->max_x &&
        first >= clip->min_y && last <= clip->max_y) {
        draw_small(raster, x, y, drawn, left, first, last, base);
        return;
    }
    first = larger_int(first, clip->min_y);
    last = smaller_int(last, clip->max_y);
    disk_brush brush = {x, y, drawn, base, {PARTS / 2, PARTS / 2}};
    int middle = floor_int(x + 0.5F);
    for (int j = first; j < last; ++j) {
        float dy = (float)j + 0.5F - y;
        float outer_squared = outer * outer - dy * dy;
        if (outer_squared <= 0.0F) continue;
        float reach = sqrtf(outer_squared);
        int from = floor_int(x - reach), to = ceil_int(x + reach);
        float inner_squared = inner * inner - dy * dy;
        int full_from = middle, full_to = middle;
        if (inner_squared > 0.0F) {
            float full = sqrtf(inner_squared);
            full_from = smaller_int(ceil_int(x - full - 0.5F), middle);
            full_to = larger_int(floor_int(x + full + 0.5F), middle);
        }
        draw_edge(raster, &brush, 0, j, from, full_from);
        qdi_raster_fill(raster, (qdi_area){full_from, j, full_to, j + 1}, (uint8_t)(base + QDI_LEVELS));
        draw_edge(raster, &brush, 1, j, full_to, to);
    }
}

void qdi_raster_disk(qdi_raster *raster, float x, float y, float radius, unsigned hue) {
    QD_ASSERT(hue < QDI_HUES);
    int base = (int)qdi_ink_of_hue(hue) - QDI_LEVELS;
    if (radius < square_below)
        draw_square(raster, x, y, larger(radius * square_side, smallest_side), base);
    else
        draw_round(raster, x, y, radius, base);
}

static void mark_pixel(const qdi_raster *raster, uint8_t *pixel, int level) {
    int old = *pixel;
    int first = raster->level_of[old] > QDI_LEVELS / 2 ? QDI_INK_MARK_ON_BODY : QDI_INK_MARK;
    if (old >= QDI_INK_MARK && old < QDI_INK_MARK_ON_BODY + QDI_MARK_LEVELS) {
        first = old < QDI_INK_MARK_ON_BODY ? QDI_INK_MARK : QDI_INK_MARK_ON_BODY;
        level = larger_int(level, old - first + 1);
    }
    *pixel = (uint8_t)(first + level - 1);
}

void qdi_raster_mark(qdi_raster *raster, float x0, float y0, float x1, float y1, float width) {
    // Coverage falls from 1 to 0 over the pixel about the line's edge.
    float reach = 0.5F * width + 0.5F;
    qdi_area area = {floor_int(smaller(x0, x1) - reach), floor_int(smaller(y0, y1) - reach),
                     ceil_int(larger(x0, x1) + reach), ceil_int(larger(y0, y1) + reach)};
    area = intersect(area, raster->clip);
    float along_x = x1 - x0, along_y = y1 - y0;
    float length_squared = larger(along_x * along_x + along_y * along_y, 1e-12F);
    for (int j = area.min_y; j < area.max_y; ++j) {
        uint8_t *row = row_of(raster, j);
        for (int i = area.min_x; i < area.max_x; ++i) {
            float px = (float)i + 0.5F - x0, py = (float)j + 0.5F - y0;
            float part = (px * along_x + py * along_y) / length_squared;
            part = smaller(larger(part, 0.0F), 1.0F);
            float dx = px - part * along_x, dy = py - part * along_y;
            float cover = smaller(reach - sqrtf(dx * dx + dy * dy), 1.0F);
            int level = cover > 0.0F ? (int)(cover * QDI_MARK_LEVELS + 0.5F) : 0;
            if (level > 0) mark_pixel(raster, row + i, level);
        }
    }
}
