#pragma once

#include <quadrille/status.h>
#include <stdint.h>

/// What a Matroska file with one track holds.
typedef struct qdi_matroska {
    uint64_t frames;
    uint64_t setup; ///< hash of what its decoder is set up with; 0: nothing. Files where it differs cannot be
                    ///< joined as they are
} qdi_matroska;

/// Inspects a file by walking over its elements (RFC 8794, RFC 9559): whatever program wrote it, this says
/// what is there. Reads a few bytes for each frame. Errors: QD_ERR_IO, QD_ERR_CORRUPT (no Matroska file, or
/// cut short), with the reason.
QD_MUST_USE qd_status qdi_matroska_inspect(const char *path, qdi_matroska *found, qd_error *error);
