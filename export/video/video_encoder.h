#pragma once

#include "export/image/manifest.h"

#include <quadrille/alloc.h>
#include <quadrille/frame.h>
#include <quadrille/status.h>
#include <quadrille/video_settings.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The formats that ffmpeg can make, its command lines, and whether the installed one can.

typedef enum qdi_video_kind {
    QDI_VIDEO_STREAM, ///< segments are of the video's own encoder, and are joined as they are
    QDI_VIDEO_GIF,    ///< segments are lossless
    QDI_VIDEO_APNG,   ///< ours
} qdi_video_kind;

typedef struct qdi_video_format {
    const char *ending; ///< of the file, with the dot
    const char *muxer;  ///< ffmpeg's word
    qdi_video_kind kind;
    const char *encoders; ///< that do, the best first, each followed by a blank
    const char *clear;    ///< likewise, with an alpha; NULL: none
    bool av1;             ///< it can hold AV1
    bool exact;           ///< its time can be counted in frames; Matroska's is in milliseconds
} qdi_video_format;

/// The format of a file, by its ending; NULL: unknown.
const qdi_video_format *qdi_video_format_of(const char *file);

/// Frames in a second, num / den.
typedef struct qdi_rate {
    uint32_t num, den;
} qdi_rate;

/// The nearest fraction of two numbers below 65536, which is the rate itself where that has few digits.
qdi_rate qdi_rate_of(double fps);

/// Arguments of a program, with the memory that they need.
typedef struct qdi_arguments {
    const char *items[96];
    size_t count;
    char text[4 * QDI_PATH_MAX];
    size_t used;
    bool full; ///< something did not fit
} qdi_arguments;

void qdi_arguments_add(qdi_arguments *arguments, const char *text);
void qdi_arguments_format(qdi_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// What is encoded, and how.
typedef struct qdi_encoding {
    const qdi_video_format *format;
    int width, height; ///< of what ffmpeg gets
    qdi_rate rate;
    qd_video_settings settings;
    bool av1, transparent; ///< as in qd_video_def
    const char *encoder;   ///< ffmpeg's name of it
} qdi_encoding;

/// The encoders that do, the best first, each followed by a blank.
const char *qdi_encoder_names(const qdi_encoding *encoding);

/// ffmpeg from raw pictures (indices with a palette, or with `rgb` red, green, blue) on its standard input to
/// a Matroska file; `path` NULL: to its standard output.
void qdi_encode_line(const qdi_encoding *encoding, bool rgb, const char *path, qdi_arguments *line);

/// ffmpeg from a list of segments (its concat demuxer) to the video. `palette`: the picture that
/// qdi_palette_line has made, or NULL.
void qdi_join_line(const qdi_encoding *encoding, const char *list, const char *palette,
                   const qd_provenance *provenance, const char *path, qdi_arguments *line);

/// ffmpeg from a list of segments to a picture of the colours that a GIF of them is best made with.
void qdi_palette_line(const char *list, const char *path, qdi_arguments *line);

/// Finds an encoder that does: `wanted`, or where that is NULL the best that there is, and tries it with a
/// black picture. `found` gets its name, `encoding->encoder` too. Errors: QD_ERR_NOT_FOUND, with a line that
/// names the ways out; QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_encoder_find(const qd_allocator *allocator, qdi_encoding *encoding,
                                       const char *wanted, char found[32], qd_error *error);

/// Counts the frames of a video: by ffprobe, or where that is missing by ffmpeg. Errors: QD_ERR_STATE, with
/// the reason.
QD_MUST_USE qd_status qdi_video_count(const char *path, uint64_t *frames, qd_error *error);
