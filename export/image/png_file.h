#pragma once

#include "export/image/png_sink.h"
#include "export/picture/picture.h"
#include "sim/text/number.h"

#include <quadrille/frame.h>
#include <quadrille/status.h>
#include <stddef.h>

enum { QDI_LABELS_MAX = 7 };

/// The lines of text that say in a PNG file where the picture comes from. It points into itself: never copy
/// it.
typedef struct qdi_labels {
    char hash[24], seed[24], step[24], time[QDI_NUMBER_ROOM];
    qdi_png_text texts[QDI_LABELS_MAX];
    size_t count;
} qdi_labels;

/// PNG: fills them in; `comment` may be NULL. The provenance's name and the comment are kept by address.
void qdi_labels_fill(qdi_labels *labels, const qd_provenance *provenance, const qdi_facts *facts,
                     const char *comment);

/// Writes an encoded picture under another name and renames it: the file under its own name is always whole.
/// What failed is removed. It is not forced to the device: one by one that would cost more than drawing it.
/// Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_png_write(const qdi_bytes *bytes, const char *path, qd_error *error);
