#pragma once

#include "export/image/manifest.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

/// The pieces that a video is made of: segment_FIRST_LAST.mkv, or .png for an animated PNG, with the numbers
/// of their first and last frame. In the making: segment_FIRST.part.

typedef struct qdi_segment {
    uint64_t first, last;
} qdi_segment;

typedef struct qdi_segments {
    const qd_allocator *allocator;
    qdi_segment *items; ///< in order of their first frame
    size_t count, room;
} qdi_segments;

/// A segment's name, without folder; `ending` is "mkv" or "png".
typedef struct qdi_segment_name {
    char text[64];
} qdi_segment_name;
qdi_segment_name qdi_segment_name_of(qdi_segment segment, const char *ending);

/// Finds all of a directory, of both kinds; a directory that is not there has none. Free them with
/// qdi_segments_free. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_segments_find(const qd_allocator *allocator, const char *directory,
                                        qdi_segments *segments, qd_error *error);
void qdi_segments_free(qdi_segments *segments);
