#pragma once

#include "sim/sweep/sweep.h"
#include "sim/text/scene_text.h"
#include "tools/report/page_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The points of a sweep's directory as its page shows them, from sweep.yaml and from the tables of the sweep
/// and of its shares: these are only read, and put together here.

typedef enum qdi_page_state {
    QDI_PAGE_UNKNOWN, ///< no table has the point
    QDI_PAGE_TO_DO,
    QDI_PAGE_FAILED,
    QDI_PAGE_DONE,
} qdi_page_state;

typedef struct qdi_page_point {
    qdi_page_state state;
    bool planned;       ///< a table has the sweep that it is of: unknown there, it is the same run as another
    char directory[24]; ///< "runs/HASH"; "" where it has none
    size_t cells;       ///< where its cells are in `texts`
    uint64_t frames;    ///< that its run has made, if it is done
} qdi_page_point;

typedef struct qdi_page_points {
    const qd_allocator *allocator;
    qdi_sweep *sweep;
    qdi_page_point *points; ///< by number - 1
    size_t count;
    size_t twins, done, failed, to_do; ///< numbers of points
    qdi_text texts;                    ///< of each point: its cells as JSON, from `seed` on; a zero ends them
    qdi_json scratch;
} qdi_page_points;

/// Reads them; `job` gets notes. Zero it before, free it in any case. Errors: those of qdi_sweep_read_kept
/// and of reading tables.
QD_MUST_USE qd_status qdi_page_points_read(qdi_page_job *job, qdi_page_points *points, qd_error *error);
void qdi_page_points_free(qdi_page_points *points);

/// Whether the page has a row for point `i`.
bool qdi_page_points_shown(const qdi_page_points *points, size_t i);

/// Adds the names of the columns to an open array, and the values of point `i`: those of sweep.csv.
void qdi_page_points_names(const qdi_page_points *points, qdi_json *json);
void qdi_page_points_row(const qdi_page_points *points, size_t i, qdi_json *json);
