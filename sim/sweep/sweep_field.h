#pragma once

#include "sim/sweep/sweep_result.h"
#include "sim/text/scene_text.h"

#include <quadrille/scene.h>
#include <quadrille/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Columns of a sweep's table that are means of recorded fields.

struct qdi_sweep;

/// Most columns of fields, and most rows that one is a mean of.
enum { QDI_SWEEP_FIELDS = 64, QDI_SWEEP_FIELD_ROWS = 10000 };

/// One of them: a quantity, of one cell or of all.
typedef struct qdi_sweep_field {
    size_t name;     ///< place in the sweep's texts
    size_t quantity; ///< a qd_field_quantity, or QD_FIELD_QUANTITIES: pressure
    bool one;        ///< only this cell
    uint64_t cell[2];
    uint64_t rows; ///< mean over so many recorded rows, the last ones
} qdi_sweep_field;

/// Sweep's columns of fields: name and kind of column `number` of the sweep's table beside its keys: those of
/// a result, then these; false past the last.
bool qdi_sweep_table_column(const struct qdi_sweep *sweep, size_t number, char name[QDI_SWEEP_NAME],
                            qdi_sweep_kind *kind);

/// Sweep's columns of fields: whether a run of this scene will have them all. Errors: QD_ERR_INVALID, with
/// the reason.
QD_MUST_USE qd_status qdi_sweep_fields_check(const struct qdi_sweep *sweep, const qd_scene *scene,
                                             qd_error *error);

/// Sweep's columns of fields: adds a text for each, with a zero after it, "" where there is no value. Errors:
/// those of reading the store, but of one that is damaged or not there.
QD_MUST_USE qd_status qdi_sweep_fields_read(const struct qdi_sweep *sweep, const char *directory,
                                            qdi_text *cells, qd_error *error);
