#pragma once

#include "export/image/png_sink.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Chunks of PNG files: length, four letters, data, checksum; all numbers with the high byte first.

enum {
    QDI_PNG_SIGNATURE = 8,
    QDI_PNG_CHUNK_HEAD = 8,   ///< before the data
    QDI_PNG_CHUNK_FRAME = 12, ///< around the data
};

/// What every PNG file begins with.
static const unsigned char qdi_png_signature[QDI_PNG_SIGNATURE] = {0x89, 'P',  'N',  'G',
                                                                   '\r', '\n', 0x1a, '\n'};

/// Writes 32 bits, big-endian.
static inline void qdi_png_put32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/// Reads 32 bits, big-endian.
static inline uint32_t qdi_png_get32(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/// True where a chunk is of the type of these letters.
static inline bool qdi_png_is(const unsigned char *chunk, const char *letters) {
    return memcmp(chunk + 4, letters, 4) == 0;
}

/// PNG: room for `more` bytes behind those that are there. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_bytes_reserve(const qd_allocator *allocator, qdi_bytes *bytes, size_t more);

/// Appends a whole chunk. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_png_chunk_put(const qd_allocator *allocator, qdi_bytes *bytes, const char *letters,
                                        const void *data, size_t size);

/// Fills in length and checksum of a chunk that starts at `chunk`, with `size` bytes of data and the letters
/// in place.
void qdi_png_chunk_seal(unsigned char *chunk, size_t size);

/// Reads the next chunk, whole, into `chunk`; `size` gets that of its data. Errors: QD_ERR_CORRUPT (cut
/// short, a wrong checksum; no reason is given), QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_png_chunk_read(const qd_allocator *allocator, FILE *file, qdi_bytes *chunk,
                                         size_t *size);
