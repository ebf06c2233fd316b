// The directory of a sweep: who may work in it, and what is in it already.
#include "sim/rundir/own_files.h"
#include "sim/sweep/sweep_field.h"
#include "tools/batch/batch.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = QDI_BATCH_PATH + 128 };

// ---- whose directory it is ----

bool qdi_batch_is_shard_file(const char *name, const char *ending, uint64_t *shard, uint64_t *shards) {
    int used = 0;
    return sscanf(name, "sweep.%" SCNu64 "-of-%" SCNu64 "%n", shard, shards, &used) == 2 && used > 0 &&
           strcmp(name + used, ending) == 0;
}

/// A file that a shard has left.
static bool is_shard_file(const char *name, const char *ending) {
    uint64_t shard = 0, shards = 0;
    return qdi_batch_is_shard_file(name, ending, &shard, &shards);
}

/// What a look into a directory says.
typedef struct contents {
    bool sweep;  ///< sweep.yaml is there
    bool others; ///< something that no sweep makes
} contents;

// Notes what lies in the directory of a sweep.
static bool note_sweep_entry(void *context, const char *name) {
    contents *found = context;
    if (strcmp(name, "sweep.yaml") == 0)
        found->sweep = true;
    else if (strncmp(name, "sweep.", 6) != 0 && strcmp(name, "runs") != 0 && strcmp(name, "logs") != 0)
        found->others = true;
    return true;
}

// Makes a directory of a sweep.
static int make_sweep_directory(const char *path) {
    qd_error error = {""};
    qd_status status = qdi_os_make_directories(path, &error);
    if (status == QD_ERR_EXISTS && qdi_os_is_directory(path)) status = QD_OK;
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

// Whether a name in the directory of a sweep is one of ours.
static qdi_own_kind sweep_own_kind(const char *name) {
    if (strcmp(name, "runs") == 0 || strcmp(name, "logs") == 0) return QDI_OWN_DIRECTORY;
    return strncmp(name, "sweep.", 6) == 0 ? QDI_OWN_FILE : QDI_OWN_NONE;
}

/// The runs of a sweep are named after their scenes' hashes.
static qdi_own_kind run_kind(const char *name) {
    return strlen(name) == 16 && strspn(name, "0123456789abcdef") == 16 ? QDI_OWN_DIRECTORY : QDI_OWN_NONE;
}

qd_status qdi_batch_check_files(const char *directory, qd_error *error) {
    char runs[PATH_ROOM];
    qd_status status = qdi_own_files_check(directory, sweep_own_kind, error);
    if (status != QD_OK) return status;
    (void)snprintf(runs, sizeof runs, "%s/runs", directory);
    return qdi_own_files_check(runs, run_kind, error);
}

/// Makes it, or takes it as it is where it is a sweep's, or empty.
static int make_directories(const qdi_batch *batch) {
    char path[PATH_ROOM];
    qd_error error = {""};
    contents found = {false, false};
    int exit_code = make_sweep_directory(batch->directory);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qd_status status = qdi_os_list(batch->directory, note_sweep_entry, &found, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (found.others && !found.sweep) {
        qdi_complain("%.300s is there and holds no sweep; -o DIR writes elsewhere", batch->directory);
        return QDI_EXIT_OUTPUT;
    }
    status = qdi_batch_check_files(batch->directory, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    (void)qdi_batch_path(batch, path, sizeof path, "runs");
    exit_code = make_sweep_directory(path);
    (void)qdi_batch_path(batch, path, sizeof path, "logs");
    return exit_code == QDI_EXIT_DONE ? make_sweep_directory(path) : exit_code;
}

// ---- names ----

/// "sweep.db", or "sweep.3-of-8.db" of a share.
static void own_path(const qdi_batch *batch, const char *ending, char *path, size_t bytes) {
    if (batch->sharded)
        (void)qdi_batch_path(batch, path, bytes, "sweep.%" PRIu64 "-of-%" PRIu64 "%s", batch->shard,
                             batch->shards, ending);
    else
        (void)qdi_batch_path(batch, path, bytes, "sweep%s", ending);
}

// Tells that another process uses the sweep.
static int refuse_sweep_lock(const qdi_batch *batch, qd_status status, qd_error *error) {
    if (status == QD_ERR_STATE)
        snprintf(error->text, sizeof error->text, "%.300s is in use by another sweep", batch->directory);
    return qdi_fail(status, error, QDI_EXIT_OUTPUT);
}

/// All of a sweep keeps everybody else out; a share keeps out those that work on all, and on the same share.
static int take_locks(qdi_batch *batch) {
    char path[PATH_ROOM];
    qd_error error = {""};
    (void)qdi_batch_path(batch, path, sizeof path, "sweep.lock");
    qd_status status = batch->sharded ? qdi_os_lock_share(path, &batch->share_lock, &error)
                                      : qdi_os_lock_take(path, &batch->lock, &error);
    if (status != QD_OK) return refuse_sweep_lock(batch, status, &error);
    batch->share_locked = batch->sharded;
    batch->locked = !batch->sharded;
    if (!batch->sharded) return QDI_EXIT_DONE;
    own_path(batch, ".lock", path, sizeof path);
    status = qdi_os_lock_take(path, &batch->lock, &error);
    batch->locked = status == QD_OK;
    return batch->locked ? QDI_EXIT_DONE : refuse_sweep_lock(batch, status, &error);
}

/// The sweep's file as it was when it was run last.
static int keep_sweep(const qdi_batch *batch) {
    char path[PATH_ROOM], part[PATH_ROOM];
    qd_error error = {""};
    size_t bytes = 0;
    const char *text = qdi_sweep_text(batch->sweep, &bytes);
    (void)qdi_batch_path(batch, path, sizeof path, "sweep.yaml");
    own_path(batch, ".yaml.part", part, sizeof part);
    qd_status status = qdi_os_write_file(part, path, text, bytes, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

int qdi_batch_open(qdi_batch *batch) {
    char path[PATH_ROOM];
    qd_error error = {""}, note = {""};
    int exit_code = make_directories(batch);
    if (exit_code == QDI_EXIT_DONE) exit_code = take_locks(batch);
    if (exit_code == QDI_EXIT_DONE) exit_code = keep_sweep(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    own_path(batch, ".db", path, sizeof path);
    qd_status status = qdi_sweep_table_judge(path, &note, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (note.text[0] && !batch->wishes.common.quiet) qdi_warn("%s", note.text);
    batch->writes = true;
    return QDI_EXIT_DONE;
}

void qdi_batch_close(qdi_batch *batch) {
    char path[PATH_ROOM];
    batch->writes = false;
    if (batch->sharded)
        own_path(batch, ".lock", path, sizeof path);
    else
        (void)qdi_batch_path(batch, path, sizeof path, "sweep.lock");
    if (batch->locked) qdi_os_lock_drop(path, batch->lock);
    if (batch->share_locked) qdi_os_lock_drop(NULL, batch->share_lock);
    batch->locked = batch->share_locked = false;
}

// ---- tables ----

// The row of sweep.db for a point.
static qdi_sweep_row sweep_row_of(const void *context, size_t item) {
    const qdi_batch_item *here = &((const qdi_batch *)context)->items[item];
    qdi_sweep_row row = {.state = QDI_SWEEP_TO_DO};
    if (here->state == QDI_ITEM_FAILED)
        row = (qdi_sweep_row){QDI_SWEEP_FAILED, here->code, here->reason, NULL};
    if (here->state == QDI_ITEM_DONE) row = (qdi_sweep_row){QDI_SWEEP_DONE, 0, NULL, here->cells.chars};
    return row;
}

qd_status qdi_batch_write_table(const qdi_batch *batch, qd_error *error) {
    char path[PATH_ROOM];
    const qdi_sweep_table table = {batch->sweep, &batch->plan, sweep_row_of, batch};
    own_path(batch, "", path, sizeof path);
    return qdi_sweep_table_write(&table, path, error);
}

/// Deletes what shards have left, while none of them works: the one table has their rows.
typedef struct clearing {
    const qdi_batch *batch;
    qd_status status;
    qd_error error;
} clearing;

// Removes a file that a shard of the sweep left.
static bool remove_shard_file(void *context, const char *name) {
    static const char *const endings[] = {".db",      ".csv",      ".db-journal", ".lock",
                                          ".db.part", ".csv.part", ".yaml.part"};
    clearing *job = context;
    char path[PATH_ROOM];
    bool ours = false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
        ours = ours || is_shard_file(name, endings[i]);
    if (!ours) return true;
    (void)qdi_batch_path(job->batch, path, sizeof path, "%s", name);
    job->status = qdi_os_remove_file(path, &job->error);
    return job->status == QD_OK;
}

// Removes the files of shards from the directory of a sweep.
static qd_status remove_shard_files(const qdi_batch *batch, qd_error *error) {
    clearing job = {batch, QD_OK, {""}};
    qd_status status = qdi_os_list(batch->directory, remove_shard_file, &job, error);
    if (status != QD_OK || job.status == QD_OK) return status;
    *error = job.error;
    return job.status;
}

// ---- failures ----

enum { FAILURE_ROOM = 512 };

qd_status qdi_batch_keep_failure(qdi_batch *batch, size_t item, int code, const char *reason,
                                 qd_error *error) {
    char path[PATH_ROOM], part[PATH_ROOM + 8], text[FAILURE_ROOM];
    (void)qdi_batch_failure_path(batch, item, path, sizeof path);
    (void)snprintf(part, sizeof part, "%s.part", path);
    (void)snprintf(text, sizeof text, "exit %d: %.400s\n", code, reason);
    qdi_batch_settle(batch, item, QDI_ITEM_FAILED, code, reason); // `reason` may be the item's
    return qdi_os_write_file(part, path, text, strlen(text), error);
}

/// True where it has failed before, and why; what is not as qdi_batch_keep_failure writes it tells nothing.
static bool read_failure(const qdi_batch *batch, size_t item, int *code, char reason[FAILURE_ROOM]) {
    char path[PATH_ROOM], text[FAILURE_ROOM];
    FILE *file = NULL;
    int used = 0;
    (void)qdi_batch_failure_path(batch, item, path, sizeof path);
    if (qdi_os_open(path, QDI_OS_OWN, &file, NULL) != QD_OK) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    if (sscanf(text, "exit %d: %n", code, &used) != 1 || used == 0 || *code == 0) return false;
    (void)snprintf(reason, FAILURE_ROOM, "%.*s", (int)strcspn(text + used, "\n"), text + used);
    return true;
}

// ---- what there is ----

qd_status qdi_batch_take_result(qdi_batch *batch, size_t item, qd_error *error) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    char path[PATH_ROOM];
    qdi_text *cells = &batch->items[item].cells;
    (void)qdi_batch_run_path(batch, item, path, sizeof path);
    cells->used = 0;
    qd_status status = qdi_sweep_result_read(path, point->id, point->run.record_metrics,
                                             batch->writes ? cells : NULL, error);
    if (status == QD_OK && batch->writes) status = qdi_sweep_fields_read(batch->sweep, path, cells, error);
    if (status != QD_OK) return status;
    (void)qdi_batch_failure_path(batch, item, path, sizeof path);
    if (batch->writes) status = qdi_os_remove_file(path, error); // what has failed before is done now
    if (status == QD_OK) qdi_batch_settle(batch, item, QDI_ITEM_DONE, 0, NULL);
    return status;
}

// Finds out whether a point of a sweep is done, failed, or to do.
static qd_status find_point_state(qdi_batch *batch, size_t item, qd_error *error) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    qdi_batch_item *here = &batch->items[item];
    char reason[FAILURE_ROOM];
    int code = 0;
    if (!point->valid) { // it has failed before it began
        qdi_batch_settle(batch, item, QDI_ITEM_FAILED, QDI_EXIT_SCENE, point->reason);
        here->before = true;
        return QD_OK;
    }
    qd_status status = qdi_batch_take_result(batch, item, error);
    here->before = status == QD_OK;
    if (status != QD_ERR_NOT_FOUND && status != QD_ERR_INVALID) return status;
    if (!read_failure(batch, item, &code, reason)) return QD_OK;
    qdi_batch_settle(batch, item, batch->wishes.retry ? QDI_ITEM_TO_DO : QDI_ITEM_FAILED, code, reason);
    here->before = true;
    return QD_OK;
}

int qdi_batch_look(qdi_batch *batch) {
    qd_error error = {""};
    qd_status status = qdi_batch_check_files(batch->directory, &error);
    for (size_t i = 0; i < batch->plan.count && status == QD_OK; ++i)
        if (batch->items[i].state != QDI_ITEM_TWIN) status = find_point_state(batch, i, &error);
    if (status == QD_OK && batch->writes) status = qdi_batch_write_table(batch, &error);
    if (status == QD_OK && batch->writes && !batch->sharded) status = remove_shard_files(batch, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}
