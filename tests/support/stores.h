#pragma once

#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <quadrille/store.h>
#include <sqlite3.h>

/// Run stores for the tests of sim/. All fail the running test where something is refused.

/// A scratch directory, a run.db in it, and a world with disks, rects, sinks and labels of its own.
typedef struct qd_store_rig {
    qd_scratch scratch;
    qd_scratch_path path; ///< of run.db
    qd_scene *scene;
    qd_world *world; ///< at step 0
    qd_store *store; ///< open to write; NULL it is fine to have closed it
} qd_store_rig;

qd_store_rig qd_store_rig_make(void);
/// Closes the store if it is open, and deletes everything.
void qd_store_rig_end(qd_store_rig *rig);
QD_OWN_VALUE(qd_store_rig, qd_store_rig_end)

/// The world that a rig begins with, once more.
qd_world *qd_store_rig_world(const qd_store_rig *rig);

void qd_test_store_close(qd_store **store);
qd_store *qd_test_store_open(const char *path, qd_store_mode mode);
void qd_test_store_flush(qd_store *store);

/// Puts what a run would at the world's present step: metrics and hash at even steps, all events, a snapshot
/// at every eighth, a frame at every fourth, fields at steps 2, 6, 10, ...
void qd_test_store_record(qd_store *store, const qd_world *world);

/// A checkpoint whose session is the text "session STEP".
void qd_test_store_checkpoint(qd_store *store, const qd_world *world);

/// Steps the world and records until it is at `step`, checkpoints at every tenth step included.
void qd_test_store_run(qd_store *store, qd_world *world, uint64_t step);

/// What a query gives, a line for each row and `|` between columns: numbers so that they read back equal,
/// blobs as their length and hash, NULL as nothing. free() it.
char *qd_test_sql(const char *path, const char *query);
/// The same, compared with what is expected.
void qd_test_sql_is(const char *path, const char *query, const char *expected);
/// Runs statements on the file.
void qd_test_sql_run(const char *path, const char *statements);

/// All content of a store as text: every row of every table, but columns of the clock, the machine, and
/// checkpoints. free() it.
char *qd_test_store_content(const char *path);
