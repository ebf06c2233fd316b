#pragma once

#include "sim/files/os.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_table.h"
#include "tools/host/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A sweep while this process works on it: what its directory holds, which points are to be done, and the
/// runs that do them.
///
/// Each run is a child process: this program as `run`, in a directory of its own, so that one that crashes or
/// fails leaves the others alone. A run directory with a result.json of the right scene is what makes a point
/// done, and logs/HASH.failed, with the exit code and the reason, what makes one failed. sweep.db and
/// sweep.csv follow from these.
///
/// Calls that return an exit code have said why where it is not 0.

enum { QDI_BATCH_PATH = 4096 };

typedef enum qdi_item_state {
    QDI_ITEM_TO_DO,
    QDI_ITEM_RUNNING,
    QDI_ITEM_DONE,
    QDI_ITEM_FAILED,
    QDI_ITEM_TWIN, ///< the same run as an earlier point's
} qdi_item_state;

/// What becomes of a point; by its place in the plan.
typedef struct qdi_batch_item {
    qdi_item_state state;
    bool before;   ///< it was done, or had failed, before this process
    bool put_off;  ///< not now: another process works on it
    bool stopped;  ///< not any more: its process was told to stop, by us or by others
    int code;      ///< exit code; also of an earlier failure that is to be tried again
    uint64_t disk; ///< bytes that its run is going to need, about
    char *reason;  ///< of a failure, NULL: none
    /// What its run has to tell (qdi_sweep_result_read), where it is done and a table is written.
    qdi_text cells;
} qdi_batch_item;

/// A place for one child at a time.
typedef struct qdi_batch_job {
    int64_t child; ///< 0: none
    size_t item;
    uint64_t start_ns;
    uint64_t log_start; ///< bytes of its log that were there before
    const int *processors;
    size_t processor_count; ///< 0: any
} qdi_batch_job;

/// What the command line says.
typedef struct qdi_batch_wishes {
    qdi_common common;
    const char *sweep, *directory, *shard, *emit;
    qdi_option_number jobs, threads, most;
    bool dry_run, retry, merge, json;
} qdi_batch_wishes;

typedef struct qdi_batch {
    qdi_batch_wishes wishes;
    qdi_sweep *sweep;
    uint64_t shard, shards; ///< this is share `shard` (from 1) of `shards`; 1 of 1: all
    bool sharded;           ///< files of its own
    qdi_sweep_plan plan;
    qdi_batch_item *items; ///< as many as the plan has points
    char directory[QDI_BATCH_PATH];
    bool writes; ///< the directory is open, and its tables are kept up to date
    bool locked, share_locked;
    qdi_os_lock lock, share_lock;
    int allowed; ///< processors
    char allowed_reason[128];
    int threads; ///< of each run
    int job_count;
    qdi_batch_job *jobs;
    int *processors; ///< that jobs have parts of
    size_t processor_room;
    bool pinned;
    char broken[512]; ///< why it cannot go on; "" while it can
} qdi_batch;

/// Numbers of points by state; twins are left out of all.
typedef struct qdi_batch_counts {
    size_t points, to_do, running, done, failed;
    size_t done_before, failed_before;
    uint64_t disk; ///< bytes that what is to do is going to need
} qdi_batch_counts;

qdi_batch_counts qdi_batch_count(const qdi_batch *batch);

/// "DIRECTORY/name" with the parts of a printf format; false where that is too long.
bool qdi_batch_path(const qdi_batch *batch, char *path, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// The directory of a point's run, and the file that has what it said.
bool qdi_batch_run_path(const qdi_batch *batch, size_t item, char *path, size_t bytes);
bool qdi_batch_log_path(const qdi_batch *batch, size_t item, char *path, size_t bytes);
/// The file that says why it failed.
bool qdi_batch_failure_path(const qdi_batch *batch, size_t item, char *path, size_t bytes);

/// Whether a point's run has a result.json, good or bad.
bool qdi_batch_has_result(const qdi_batch *batch, size_t item);

/// Sets a state with its reason (copied; NULL: none).
void qdi_batch_settle(qdi_batch *batch, size_t item, qdi_item_state state, int code, const char *reason);

// ---- sweep_plan.c ----

/// Reads the sweep, finds out which share of it is meant, and looks at its points.
int qdi_batch_plan(qdi_batch *batch);
/// Shares the processors out. To be called when it is known what is to do.
int qdi_batch_share_out(qdi_batch *batch);
void qdi_batch_free(qdi_batch *batch);

// ---- sweep_directory.c ----

/// Whether a name is that of a file that a share keeps, such as "sweep.3-of-8.db"; which share of how many is
/// in the other two.
bool qdi_batch_is_shard_file(const char *name, const char *ending, uint64_t *shard, uint64_t *shards);

/// Looks whether what a sweep has in its directory are regular files and real directories: the directory
/// itself may be reached through a link, but nothing in it may be one. Errors: QD_ERR_IO, QD_ERR_VALUE (the
/// path is too long).
QD_MUST_USE qd_status qdi_batch_check_files(const char *directory, qd_error *error);
/// Makes and locks the directory.
int qdi_batch_open(qdi_batch *batch);
/// Finds out what is done and what has failed. One that is open gets its tables, and those of shares go.
int qdi_batch_look(qdi_batch *batch);
/// Reads a complete run; the state is settled by what is found.
qd_status qdi_batch_take_result(qdi_batch *batch, size_t item, qd_error *error);
/// Settles a failure and keeps it.
QD_MUST_USE qd_status qdi_batch_keep_failure(qdi_batch *batch, size_t item, int code, const char *reason,
                                             qd_error *error);
/// Writes sweep.csv and sweep.db, or those of a share.
QD_MUST_USE qd_status qdi_batch_write_table(const qdi_batch *batch, qd_error *error);
/// Closes and unlocks.
void qdi_batch_close(qdi_batch *batch);

// ---- sweep_run.c ----

/// Runs all that is to do. Returns an exit code, and says why where it is neither 0 nor a matter of single
/// points.
int qdi_batch_run(qdi_batch *batch);

// ---- sweep_child.c ----

/// Starts the run of a point. False where that cannot be; the point has failed then.
bool qdi_batch_start(qdi_batch *batch, qdi_batch_job *job, size_t item);
/// Why a child failed, from its log: its last complaint.
void qdi_batch_child_reason(const qdi_batch *batch, const qdi_batch_job *job, int code, char *text,
                            size_t bytes);
/// How far a child is, from its log; "" where it has not said.
void qdi_batch_child_progress(const qdi_batch *batch, const qdi_batch_job *job, char *text, size_t bytes);

// ---- sweep_show.c ----

typedef struct qdi_batch_show {
    bool table, lines, colour;
    int drawn; ///< lines of a table on the screen
    uint64_t start_ns, shown_ns;
    size_t done_before; ///< points that needed no run, when it began
} qdi_batch_show;

/// What is about to happen.
void qdi_batch_header(const qdi_batch *batch);
qdi_batch_show qdi_batch_show_start(const qdi_batch *batch);
/// Shows how far it is, where it is time to.
void qdi_batch_show_now(const qdi_batch *batch, qdi_batch_show *show);
/// Takes the table off the screen, so that something else can be said.
void qdi_batch_show_clear(qdi_batch_show *show);
/// "45 of 200 done, 2 failed, 2 running, 0:45 left".
void qdi_batch_words(const qdi_batch *batch, const qdi_batch_show *show, double seconds, char *text,
                     size_t bytes);

// ---- sweep_report.c ----

/// The table of points, on the standard output; as JSON where that was asked for.
int qdi_batch_list(const qdi_batch *batch);
/// How it ended: words on stderr, JSON on the standard output. Returns the exit code that the points make.
int qdi_batch_report(const qdi_batch *batch, bool stopped);

// ---- sweep_emit.c ----

/// Prints a job script or a list of commands.
int qdi_batch_emit(const qdi_batch *batch);
