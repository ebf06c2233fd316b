#ifndef QD_SIM_SWEEP_STORE_IMPL_H
#define QD_SIM_SWEEP_STORE_IMPL_H

#include "sim/base/scene_text.h"
#include "sim/sweep/sweep_store.h"

#include <sqlite3.h>

/// What the files of the sweep's store share: sweep_store.c opens, closes and merges, sweep_rows.c writes and
/// reads rows, sweep_view.c reads all of them, sweep_csv.c writes the CSV file.

struct qdi_sweep_store {
    const qd_allocator *allocator;
    sqlite3 *db;
    char *path;
    size_t path_bytes;
};

/// Puts "cannot VERB PATH: what SQLite says" into `error` and returns the status of `code`.
qd_status qdi_sweep_sql_fail(const qdi_sweep_store *store, const char *verb, int code, qd_error *error);

/// Runs statements that were put together. Returns SQLite's code.
int qdi_sweep_sql_run(const qdi_sweep_store *store, qdi_text *sql);

/// The table `points`, but for the columns of the sweep's keys between the two, and how `runs` belongs to it.
#define QDI_SWEEP_POINTS_HEAD "CREATE TABLE points (point INTEGER PRIMARY KEY"
#define QDI_SWEEP_POINTS_TAIL ", replica INTEGER, seed INTEGER, directory TEXT, id TEXT NOT NULL)"
#define QDI_SWEEP_JOIN        " FROM points LEFT JOIN runs USING (id)"

/// The statement of the view `sweep`. The view is for people; this program asks by the statement itself,
/// since in a database that came from elsewhere the view may be any.
void qdi_sweep_add_select(const qdi_sweep *sweep, qdi_text *sql);

#endif
