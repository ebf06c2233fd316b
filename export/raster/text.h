#pragma once

#include "export/raster/raster.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

/// First and last character of a font; others are drawn as '?'.
#define QDI_GLYPH_FIRST ' '
#define QDI_GLYPH_LAST  '~'

/// A character as levels of coverage.
typedef struct qdi_glyph {
    int advance;   ///< pixels to the next character
    int left, top; ///< of the bitmap, from the pen and up from the baseline
    int width, height;
    size_t first; ///< of its levels, row by row
} qdi_glyph;

/// The embedded font at one size, ready to be copied into pictures. It is drawn without hinting, so a
/// character looks the same wherever it is made. All digits are equally wide. Read-only once made: any
/// thread.
typedef struct qdi_font {
    const qd_allocator *allocator;
    int size;            ///< pixels per em
    int ascent, descent; ///< of the tallest characters, from the baseline, both >= 0
    qdi_glyph glyphs[QDI_GLYPH_LAST - QDI_GLYPH_FIRST + 1];
    uint8_t *levels;
    size_t levels_room;
} qdi_font;

/// Makes the font at `size` 4..256 pixels. Errors: QD_ERR_MEMORY, QD_ERR_INTERNAL (the embedded font is
/// broken).
QD_MUST_USE qd_status qdi_font_create(const qd_allocator *allocator, int size, qdi_font *font);

/// Frees it; one that is all zero is fine.
void qdi_font_destroy(qdi_font *font);

/// Width of a text in pixels.
int qdi_font_width(const qdi_font *font, const char *text);

/// Draws a text with its baseline just above row `baseline`, in the ramp that starts at `ink`; returns the x
/// behind it.
int qdi_font_draw(const qdi_font *font, qdi_raster *raster, int x, int baseline, const char *text,
                  uint8_t ink);
