#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

/// A picture of a file. Rows come top first, without gaps; a pixel is an index of `rgb`, or where there are
/// no colours three bytes: red, green, blue.
typedef struct qdi_png_loaded {
    int width, height;
    int colours; ///< of the palette; 0: true colour
    uint8_t rgb[256][3];
    uint8_t *pixels;
    size_t bytes; ///< of the pixels
} qdi_png_loaded;

/// Reads a PNG file of 8 bits, indexed or in true colour. Free it with qdi_png_unload. Errors:
/// QD_ERR_NOT_FOUND, QD_ERR_CORRUPT (damaged, or of another kind), with the reason; QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_png_load(const char *path, const qd_allocator *allocator, qdi_png_loaded *loaded,
                                   qd_error *error);
void qdi_png_unload(const qd_allocator *allocator, qdi_png_loaded *loaded);

/// PNG: what a picture shows, as one number: a hash of the palette's `colours` colours (3 bytes each) over
/// that of the `count` pixels.
uint64_t qdi_pixels_hash(const uint8_t *pixels, size_t count, const uint8_t *rgb, size_t colours);
