// The loops that turn what was added to a row of a tile into pixels, compiled once for each set of
// instructions: a source of its own defines PUT_ROW, the function's name, and includes this.
#include "export/raster/pixel_math.h"
#include "export/raster/tile.h"

#include <math.h>

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

// The mean hues of a row of splats, rounded: quotients of whole numbers below 2^33, which a double is exact
// enough for to have the right whole part.
static void mean_hues(const uint64_t *restrict splats, int32_t *restrict means, int count) {
    for (int x = 0; x < count; ++x) {
        const uint32_t cover = (uint32_t)splats[x], hues = (uint32_t)(splats[x] >> 32);
        const double over = (double)(cover > 0 ? cover : 1);
        const double mean = ((double)hues + (double)(cover / 2)) / over;
        means[x] = (int32_t)(mean < QDI_HUES - 1 ? mean : QDI_HUES - 1);
    }
}

enum { FEW = 1 << 20 }; // units that splats cover of a pixel, 1024 whole pixels

// The same where no pixel is covered by FEW or more: then all numbers are whole ones below 2^24, and a
// quotient below 16 is further from the next whole number than a float can be wrong.
static void mean_hues_of_few(const uint64_t *restrict splats, int32_t *restrict means, int count) {
    for (int x = 0; x < count; ++x) {
        const int32_t cover = (int32_t)(uint32_t)splats[x], hues = (int32_t)(splats[x] >> 32);
        const float mean = (float)(hues + cover / 2) / (float)(cover > 0 ? cover : 1);
        means[x] = (int32_t)qdi_smaller_float(mean, QDI_HUES - 1);
    }
}

// Writes a row of splats to the picture, over what was there: with bodies, the larger part gives the colour,
// and both cover. Of splats alone the level is the square root of what they cover, at least 1. In loops
// without branches, as above.
static void put_splat_row(uint8_t *restrict row, const uint64_t *restrict splats,
                          const uint8_t *restrict bodies, int count) {
    int32_t levels[QDI_TILE_SIDE], means[QDI_TILE_SIDE];
    uint32_t all = 0;
    for (int x = 0; x < count; ++x) all |= (uint32_t)splats[x];
    if (all == 0) return;
    if (all < FEW)
        mean_hues_of_few(splats, means, count);
    else
        mean_hues(splats, means, count);
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

// Writes a row of a tile to the picture.
void PUT_ROW(uint8_t *row, const uint8_t *cover, const uint8_t *hue, const uint8_t *tone,
             const uint64_t *splats, int count) {
    put_tile_row(row, cover, hue, tone, count);
    if (splats) put_splat_row(row, splats, cover, count);
}
