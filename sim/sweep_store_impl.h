#ifndef QD_SIM_SWEEP_STORE_IMPL_H
#define QD_SIM_SWEEP_STORE_IMPL_H

#include "sim/scene_text.h"
#include "sim/sweep_store.h"

#include <sqlite3.h>

/// What the files of the sweep's store share: sweep_store.c opens, closes and merges, sweep_rows.c writes and reads rows,
/// sweep_view.c reads all of them, sweep_csv.c writes the CSV file.

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

#endif
