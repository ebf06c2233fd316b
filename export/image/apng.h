#pragma once

#include "export/image/manifest.h"
#include "export/image/png_sink.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Animated PNG (the PNG specification's third edition: acTL, fcTL, fdAT): a PNG file that every viewer
/// shows, and that plays in viewers that know the extension. Frame 0 is whole; of each other only the
/// rectangle is written that differs from the one before.

/// What all frames share.
typedef struct qdi_apng_format {
    int width, height;
    int colours; ///< 1..256: pixels are indices of `rgb`; 0: pixels are red, green, blue
    uint8_t rgb[256][3];
    bool transparent; ///< colours have an alpha
    uint8_t alpha[256];
    uint16_t delay_num, delay_den; ///< a frame is shown for delay_num / delay_den seconds
    const qdi_png_text *texts;     ///< in ASCII
    size_t text_count;
} qdi_apng_format;

typedef struct qdi_apng qdi_apng;

/// Makes or empties a file and begins with it; format and path are copied, the texts are used only here.
/// Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_apng_create(const qd_allocator *allocator, const char *path,
                                      const qdi_apng_format *format, qdi_apng **apng, qd_error *error);
/// Adds a frame: width x height pixels, top row first, no gaps. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_apng_add(qdi_apng *apng, const uint8_t *pixels, qd_error *error);
/// Ends the file, syncs it and frees, in any case; NULL is fine. It has at least one frame. Errors:
/// QD_ERR_IO.
QD_MUST_USE qd_status qdi_apng_finish(qdi_apng *apng, qd_error *error);
/// Closes and frees without ending the file, which stays as it is. NULL is fine.
void qdi_apng_discard(qdi_apng *apng);

/// Most frames of a file: all but the first have two numbers of one sequence, which ends at 2^31 - 1.
#define QDI_APNG_FRAMES ((uint64_t)1 << 30)

/// Several files of one format become one.
typedef struct qdi_apng_joint {
    const qd_allocator *allocator;
    char path[QDI_PATH_MAX];
    qdi_file file;
    uint32_t frames;   ///< that there are to be
    uint32_t sequence; ///< of the next chunk that has a number
    uint32_t copied;   ///< frames so far
    qdi_bytes head;    ///< IHDR and PLTE of the first
    qdi_bytes chunk;
} qdi_apng_joint;

/// Makes or empties the file for so many frames in all. Errors: QD_ERR_VALUE (more than QDI_APNG_FRAMES),
/// QD_ERR_IO.
QD_MUST_USE qd_status qdi_apng_join_begin(const qd_allocator *allocator, const char *path, uint64_t frames,
                                          qdi_apng_joint *joint, qd_error *error);
/// Appends all frames of a file of this program. Every checksum is checked. Errors:
/// QD_ERR_IO, QD_ERR_CORRUPT, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_apng_join_add(qdi_apng_joint *joint, const char *part, qd_error *error);
/// Ends the file, syncs it and frees, in any case. Errors: QD_ERR_IO, QD_ERR_CORRUPT (they were not so many
/// frames).
QD_MUST_USE qd_status qdi_apng_join_end(qdi_apng_joint *joint, qd_error *error);
/// Closes and frees without ending the file, which stays as it is.
void qdi_apng_join_discard(qdi_apng_joint *joint);

/// How many frames a file of this program has, by its chunks and their checksums. Errors: QD_ERR_IO,
/// QD_ERR_CORRUPT, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_apng_count(const qd_allocator *allocator, const char *path, uint64_t *frames,
                                     qd_error *error);
