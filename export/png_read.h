#ifndef QD_EXPORT_PNG_READ_H
#define QD_EXPORT_PNG_READ_H

#include <stddef.h>
#include <stdint.h>

/// What a picture shows, as one number: a hash of the palette's `colours` colours (3 bytes each) over that of the `count` pixels.
uint64_t qdi_pixels_hash(const uint8_t *pixels, size_t count, const uint8_t *rgb, size_t colours);

#endif
