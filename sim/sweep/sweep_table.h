#pragma once

#include "sim/sweep/sweep.h"
#include "sim/text/scene_text.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stdint.h>

/// What became of each point of a sweep, as a table for people and for other programs: a CSV file (RFC 4180,
/// a line of names first) of the points that are done or failed, and an SQLite database with all of them
/// (tables `sweep` and `about`; docs/sweep.md describes them). Both are made from what the run directories
/// and the logs hold, and nothing is kept in them alone.
///
/// Others may read them while a sweep works. Paths are UTF-8 as they come. Any thread.

typedef enum qdi_sweep_state { QDI_SWEEP_TO_DO, QDI_SWEEP_FAILED, QDI_SWEEP_DONE } qdi_sweep_state;

/// What became of a point.
typedef struct qdi_sweep_row {
    qdi_sweep_state state;
    int code;           ///< exit code
    const char *reason; ///< of a failure, NULL: none
    const char *cells;  ///< of qdi_sweep_result_read where it is done
} qdi_sweep_row;

typedef struct qdi_sweep_table {
    const qdi_sweep *sweep;
    const qdi_sweep_plan *plan;
    /// What became of the point at a place of the plan.
    qdi_sweep_row (*row)(const void *context, size_t place);
    const void *context;
} qdi_sweep_table;

/// Writes PATH.csv and PATH.db, in the order of the points; points that are the same run as an earlier one
/// are left out. Each file is replaced in one move. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_sweep_table_write(const qdi_sweep_table *table, const char *path, qd_error *error);

/// Looks at the database PATH before it is replaced. What is no database at all is renamed to PATH.damaged:
/// `note` gets a line then, "" else. Errors: QD_ERR_INVALID (some other database, or one of a newer
/// Quadrille), QD_ERR_IO.
QD_MUST_USE qd_status qdi_sweep_table_judge(const char *path, qd_error *note, qd_error *error);

/// A point of a database.
typedef struct qdi_sweep_line {
    uint64_t point; ///< its number, from 1
    qdi_sweep_state state;
    const char *seed;      ///< "" where the point is no valid scene
    const char *directory; ///< "runs/HASH", also where it is not there yet; "" where the point is no valid
                           ///< scene
    const char *code;      ///< "" where it has not run
    const char *reason;
    const char *cells; ///< as those of a row
} qdi_sweep_line;

/// Returns QD_OK to go on.
typedef qd_status (*qdi_sweep_visit)(void *context, const qdi_sweep_line *line);

/// Calls `visit` for each point of the database PATH in their order; for none, with `*other` true, where it
/// is of a sweep with another text than `sweep`. Errors: QD_ERR_NOT_FOUND, QD_ERR_INVALID (of a newer or
/// older Quadrille), QD_ERR_CORRUPT, QD_ERR_IO, QD_ERR_MEMORY, those of `visit`.
QD_MUST_USE qd_status qdi_sweep_table_read(const char *path, const qdi_sweep *sweep, bool *other,
                                           qdi_sweep_visit visit, void *context, qd_error *error);
