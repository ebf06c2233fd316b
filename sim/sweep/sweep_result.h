#pragma once

#include "sim/text/scene_text.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a complete run has to tell, as one row: most of its result.json, and the last row of its metrics.

typedef enum qdi_sweep_kind {
    QDI_SWEEP_REAL,
    QDI_SWEEP_WHOLE,
    QDI_SWEEP_TEXT,
} qdi_sweep_kind;

/// Room for a column's name.
#define QDI_SWEEP_NAME 64

/// Name and kind of column `number`; false past the last. Those of the metrics begin with "last_".
bool qdi_sweep_result_column(size_t number, char name[QDI_SWEEP_NAME], qdi_sweep_kind *kind);

/// Reads the result of the run in `directory`, which must be one of the scene `scene_hash`. `cells` (NULL:
/// not wanted) gets a text for each column, with a zero after each, "" where the run does not tell.
/// `metrics_every`: how often metrics were recorded, 0: never; a last row that cannot be read
/// leaves its cells empty. Errors: QD_ERR_NOT_FOUND (no result.json: not complete), QD_ERR_INVALID (it is not
/// as a run writes it, or of another scene), QD_ERR_IO, QD_ERR_MEMORY; the reason is in `error`.
QD_MUST_USE qd_status qdi_sweep_result_read(const char *directory, uint64_t scene_hash,
                                            uint64_t metrics_every, qdi_text *cells, qd_error *error);
