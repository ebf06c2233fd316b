#pragma once

#include "export/raster/palette.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

/// A growing run of bytes.
typedef struct qdi_bytes {
    unsigned char *data;
    size_t size, room;
} qdi_bytes;

/// A line of text in the file: both are UTF-8; the key is 1..79 printable ASCII characters.
typedef struct qdi_png_text {
    const char *key, *value;
} qdi_png_text;

typedef struct qdi_png_image {
    int width, height;
    const uint8_t *pixels; ///< a palette index each, top row first, no gaps
    const qdi_palette *palette;
    const qdi_png_text *texts;
    size_t text_count;
} qdi_png_image;

/// Encodes an 8-bit indexed PNG into `bytes`, whose memory is kept for the next picture (release it with
/// qdi_bytes_release). The same image gives the same bytes, for one version of ISA-L and one
/// kind of processor; its pixels are the same for all.
/// Errors: QD_ERR_MEMORY, QD_ERR_INTERNAL (no such picture can be; the reason in `error`).
QD_MUST_USE qd_status qdi_png_encode(const qd_allocator *allocator, const qdi_png_image *image,
                                     qdi_bytes *bytes, qd_error *error);

void qdi_bytes_release(const qd_allocator *allocator, qdi_bytes *bytes);
