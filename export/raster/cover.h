#pragma once

#include "export/raster/palette.h"
#include "export/raster/pixel_math.h"

#include <math.h>
#include <stdint.h>

enum { QDI_COVER_PARTS = 256, QDI_COVER_BLOCK = 8 };

/// Coverage, in QDI_COVER_PARTS of a level, of a pixel whose centre is so far to a side and up or down, from
/// the centre of a disk whose straight pieces have the radius `radius`: sqrt(r^2 - 1 / 12) for a disk of
/// radius r, since straight pieces lie outside of the circle and together add pi / 12 to the area.
///
/// The circle is taken as straight within a pixel: the exact area of a unit square on one side
/// of a line with the circle's normal. With A >= B the parts of the normal times the distance d, and S the
/// signed distance of the line times d, the area is 1/2 + S / A up to |S| = (A - B) / 2, from there less and
/// less steep (`bend`), and full at (A + B) / 2. Written without branches, so that compilers make vector code
/// of it.
static inline int32_t qdi_cover(float wide, float high, float radius) {
    float a = qdi_larger_float(qdi_larger_float(wide, high), 2e-3F);
    float b = qdi_larger_float(qdi_smaller_float(wide, high), 1e-3F);
    float d = sqrtf(a * a + b * b);
    float end = 0.5F * (a + b), flat = 0.5F * (a - b);
    float s = qdi_larger_float(qdi_smaller_float((radius - d) * d, end), -end);
    float above = qdi_larger_float(s - flat, 0.0F), under = qdi_larger_float(-s - flat, 0.0F);
    float bend = above * above - under * under;
    float cover = 0.5F + (2.0F * b * s - bend) / (2.0F * a * b);
    return (int32_t)(cover * (float)(QDI_LEVELS * QDI_COVER_PARTS));
}

/// The same of QDI_COVER_BLOCK pixels, whose centres are at (dx, dy), (dx + 1, dy), ...
static inline void qdi_cover_block(float dx, float dy, float radius, int32_t parts[QDI_COVER_BLOCK]) {
    for (int k = 0; k < QDI_COVER_BLOCK; ++k) parts[k] = qdi_cover(fabsf(dx + (float)k), fabsf(dy), radius);
}
