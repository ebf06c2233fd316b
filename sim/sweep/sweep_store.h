#ifndef QD_SIM_SWEEP_STORE_H
#define QD_SIM_SWEEP_STORE_H

#include "sim/base/scene_text.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_result.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stdint.h>

/// sweep.db: what became of each run of a sweep, one row for each, committed as the run ends. Tables `about`,
/// `points` (the sweep as it is now), `runs` (all that were ever made), and the view `sweep`, which joins
/// them; docs/sweep.md describes them. What is done could be told from the run directories alone; why others
/// failed is only here.
///
/// Others may read it while a sweep works. Paths are UTF-8 as they come. One thread.
typedef struct qdi_sweep_store qdi_sweep_store;

/// Opens it to write, and makes it where it is not there. A damaged one is renamed to PATH.damaged and a new
/// one made: `note` gets a line then, "" else. Errors: QD_ERR_INVALID (some other database, or one of a newer
/// Quadrille), QD_ERR_STATE (somebody else writes to it), QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_sweep_store_open(const char *path, qdi_sweep_store **store, qd_error *note,
                                           qd_error *error);
/// Opens it for qdi_sweep_store_find alone. Errors: also QD_ERR_NOT_FOUND, QD_ERR_CORRUPT.
QD_MUST_USE qd_status qdi_sweep_store_open_to_read(const char *path, qdi_sweep_store **store,
                                                   qd_error *error);
/// Closes; NULL is fine.
void qdi_sweep_store_close(qdi_sweep_store *store);

/// Makes `points` what the plan says; points that are the same run as an earlier one are left out.
QD_MUST_USE qd_status qdi_sweep_store_plan(qdi_sweep_store *store, const qdi_sweep *sweep,
                                           const qdi_sweep_plan *plan, qd_error *error);

/// Between the two, rows are put together, and are there all at once: for many at a time.
QD_MUST_USE qd_status qdi_sweep_store_begin(qdi_sweep_store *store, qd_error *error);
QD_MUST_USE qd_status qdi_sweep_store_commit(qdi_sweep_store *store, qd_error *error);

/// A run is done, or failed with an exit code and a reason. It takes the place of what was there of the same
/// run.
QD_MUST_USE qd_status qdi_sweep_store_put_done(qdi_sweep_store *store, uint64_t id,
                                               const qdi_sweep_result *result, qd_error *error);
QD_MUST_USE qd_status qdi_sweep_store_put_failed(qdi_sweep_store *store, uint64_t id, int code,
                                                 const char *reason, qd_error *error);
/// Forgets a run; one that is not there is fine.
QD_MUST_USE qd_status qdi_sweep_store_forget(qdi_sweep_store *store, uint64_t id, qd_error *error);

/// What is known of a run.
typedef struct qdi_sweep_row {
    bool done;        ///< else failed
    int code;         ///< exit code
    char reason[512]; ///< "" where it is done
    double wall_seconds;
} qdi_sweep_row;

/// Errors: QD_ERR_NOT_FOUND (`error` stays as it is), and those of SQLite.
QD_MUST_USE qd_status qdi_sweep_store_find(qdi_sweep_store *store, uint64_t id, qdi_sweep_row *row,
                                           qd_error *error);

/// A line as in the view `sweep`: a point of the sweep as it is now, and what became of its run.
typedef struct qdi_sweep_line {
    uint64_t point;     ///< its number, from 1
    const char *status; ///< "done", "failed" or "to do"
    const char *seed;   ///< as text; "" where the point is no valid scene
    const char
        *directory; ///< "runs/HASH", also where it is not there yet; "" where the point is no valid scene
    int code;
    const char *reason;
    const qdi_sweep_cell *cells; ///< by the number of their column
} qdi_sweep_line;

/// Returns QD_OK to go on.
typedef qd_status (*qdi_sweep_visit)(void *context, const qdi_sweep_line *line);

/// Calls `visit` for each line in the order of the points. `text` gets the text of the sweep before the first
/// call; it stays empty, and there are no lines, where no sweep was put into the store yet. All is of one
/// moment, whoever writes meanwhile. Errors: those of SQLite, QD_ERR_MEMORY, those of `visit`.
QD_MUST_USE qd_status qdi_sweep_store_visit(qdi_sweep_store *store, qdi_text *text, qdi_sweep_visit visit,
                                            void *context, qd_error *error);

/// Takes the runs of another store over: what is done before what failed, what failed later before what
/// failed earlier. The other one stays as it is. Errors: as qdi_sweep_store_open, for either.
QD_MUST_USE qd_status qdi_sweep_store_merge(qdi_sweep_store *store, const char *path, qd_error *note,
                                            qd_error *error);

/// Writes all points that are done or failed to a CSV file (RFC 4180, a line of names first), in the order of
/// their numbers; the file is replaced in one move. `sweep` is the one that was planned. Errors: QD_ERR_IO,
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_sweep_store_csv(qdi_sweep_store *store, const qdi_sweep *sweep, const char *path,
                                          qd_error *error);

#endif
