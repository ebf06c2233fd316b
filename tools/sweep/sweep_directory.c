// The directory of a sweep: who may work in it, and what is in it already.

#include "core/base/memory.h"
#include "sim/rundir/own_files.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/sweep/batch.h"

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

/// A store that a shard has left; with its journal where it was killed.
static bool is_shard_file(const char *name, const char *ending) {
    uint64_t shard = 0, shards = 0;
    return qdi_batch_is_shard_file(name, ending, &shard, &shards);
}

/// What a look into a directory says.
typedef struct contents {
    bool sweep;  ///< sweep.yaml is there
    bool others; ///< something that no sweep makes
} contents;

static bool look_at(void *context, const char *name) {
    contents *found = context;
    if (strcmp(name, "sweep.yaml") == 0)
        found->sweep = true;
    else if (strncmp(name, "sweep.", 6) != 0 && strcmp(name, "runs") != 0 && strcmp(name, "logs") != 0)
        found->others = true;
    return true;
}

static int make_directory(const char *path) {
    qd_error error = {""};
    qd_status status = qdi_os_make_directories(path, &error);
    if (status == QD_ERR_EXISTS && qdi_os_is_directory(path)) status = QD_OK;
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

static qdi_own_kind own_kind(const char *name) {
    if (strcmp(name, "runs") == 0 || strcmp(name, "logs") == 0) return QDI_OWN_DIRECTORY;
    return strncmp(name, "sweep.", 6) == 0 ? QDI_OWN_FILE : QDI_OWN_NONE;
}

/// The runs of a sweep are named after their scenes' hashes.
static qdi_own_kind run_kind(const char *name) {
    return strlen(name) == 16 && strspn(name, "0123456789abcdef") == 16 ? QDI_OWN_DIRECTORY : QDI_OWN_NONE;
}

qd_status qdi_batch_check_files(const char *directory, qd_error *error) {
    char runs[PATH_ROOM];
    qd_status status = qdi_own_files_check(directory, own_kind, error);
    if (status != QD_OK) return status;
    (void)snprintf(runs, sizeof runs, "%s/runs", directory);
    return qdi_own_files_check(runs, run_kind, error);
}

/// Makes it, or takes it as it is where it is a sweep's, or empty.
static int make_directories(const qdi_batch *batch) {
    char path[PATH_ROOM];
    qd_error error = {""};
    contents found = {false, false};
    int exit_code = make_directory(batch->directory);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qd_status status = qdi_os_list(batch->directory, look_at, &found, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (found.others && !found.sweep) {
        qdi_complain("%.300s is there and holds no sweep; -o DIR writes elsewhere", batch->directory);
        return QDI_EXIT_OUTPUT;
    }
    status = qdi_batch_check_files(batch->directory, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    (void)qdi_batch_path(batch, path, sizeof path, "runs");
    exit_code = make_directory(path);
    (void)qdi_batch_path(batch, path, sizeof path, "logs");
    return exit_code == QDI_EXIT_DONE ? make_directory(path) : exit_code;
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

static int refuse_lock(const qdi_batch *batch, qd_status status, qd_error *error) {
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
    if (status != QD_OK) return refuse_lock(batch, status, &error);
    batch->share_locked = batch->sharded;
    batch->locked = !batch->sharded;
    if (!batch->sharded) return QDI_EXIT_DONE;
    own_path(batch, ".lock", path, sizeof path);
    status = qdi_os_lock_take(path, &batch->lock, &error);
    batch->locked = status == QD_OK;
    return batch->locked ? QDI_EXIT_DONE : refuse_lock(batch, status, &error);
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

// ---- shards ----

/// Takes over what shards have left, while none of them works.
typedef struct merging {
    qdi_batch *batch;
    qd_status status;
    qd_error error;
} merging;

static bool merge_one(void *context, const char *name) {
    merging *job = context;
    char path[PATH_ROOM];
    qd_error note = {""};
    if (!is_shard_file(name, ".db")) return true;
    (void)qdi_batch_path(job->batch, path, sizeof path, "%s", name);
    job->status = qdi_sweep_store_merge(job->batch->store, path, &note, &job->error);
    if (note.text[0] && !job->batch->wishes.common.quiet) qdi_warn("%s", note.text);
    return job->status == QD_OK;
}

/// Deletes them, once their rows are in the one store.
static bool remove_one(void *context, const char *name) {
    merging *job = context;
    char path[PATH_ROOM];
    if (!is_shard_file(name, ".db") && !is_shard_file(name, ".csv") && !is_shard_file(name, ".db-journal") &&
        !is_shard_file(name, ".lock") && !is_shard_file(name, ".csv.part") &&
        !is_shard_file(name, ".yaml.part"))
        return true;
    (void)qdi_batch_path(job->batch, path, sizeof path, "%s", name);
    job->status = qdi_os_remove_file(path, &job->error);
    return job->status == QD_OK;
}

static int merge_shards(qdi_batch *batch) {
    merging job = {batch, QD_OK, {""}};
    qd_status status = qdi_os_list(batch->directory, merge_one, &job, &job.error);
    if (status == QD_OK) status = job.status;
    if (status == QD_OK) status = qdi_os_list(batch->directory, remove_one, &job, &job.error);
    if (status == QD_OK) status = job.status;
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &job.error, QDI_EXIT_OUTPUT);
}

int qdi_batch_open(qdi_batch *batch) {
    char path[PATH_ROOM];
    qd_error error = {""}, note = {""};
    int exit_code = make_directories(batch);
    if (exit_code == QDI_EXIT_DONE) exit_code = take_locks(batch);
    if (exit_code == QDI_EXIT_DONE) exit_code = keep_sweep(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    own_path(batch, ".db", path, sizeof path);
    qd_status status = qdi_sweep_store_open(path, &batch->store, &note, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (note.text[0] && !batch->wishes.common.quiet) qdi_warn("%s", note.text);
    return batch->sharded ? QDI_EXIT_DONE : merge_shards(batch);
}

void qdi_batch_close(qdi_batch *batch) {
    char path[PATH_ROOM];
    qdi_sweep_store_close(batch->store);
    batch->store = NULL;
    if (batch->sharded)
        own_path(batch, ".lock", path, sizeof path);
    else
        (void)qdi_batch_path(batch, path, sizeof path, "sweep.lock");
    if (batch->locked) qdi_os_lock_drop(path, batch->lock);
    if (batch->share_locked) qdi_os_lock_drop(NULL, batch->share_lock);
    batch->locked = batch->share_locked = false;
}

qd_status qdi_batch_write_csv(const qdi_batch *batch, qd_error *error) {
    char path[PATH_ROOM];
    own_path(batch, ".csv", path, sizeof path);
    return qdi_sweep_store_csv(batch->store, batch->sweep, path, error);
}

// ---- what there is ----

/// The step of the last row of metrics.
static uint64_t metrics_step(const qd_scene_run *run) {
    return run->record_metrics > 0 ? run->steps - run->steps % run->record_metrics : UINT64_MAX;
}

qd_status qdi_batch_take_result(qdi_batch *batch, size_t item, bool row, qd_error *error) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    char path[PATH_ROOM];
    qdi_sweep_result result;
    (void)qdi_batch_run_path(batch, item, path, sizeof path);
    qd_status status = qdi_sweep_result_read(path, row ? metrics_step(&point->run) : UINT64_MAX, &result,
                                             error);
    if (status != QD_OK) return status;
    if (result.scene_hash != point->id) {
        snprintf(error->text, sizeof error->text, "%.300s holds a run of another scene", path);
        return QD_ERR_INVALID;
    }
    if (row) status = qdi_sweep_store_put_done(batch->store, point->id, &result, error);
    if (status == QD_OK) qdi_batch_settle(batch, item, QDI_ITEM_DONE, 0, NULL);
    return status;
}

/// What the stores know of a point: its own, or that of all, which a share and a dry run only read.
typedef struct knowledge {
    qdi_sweep_store *own, *whole;
} knowledge;

/// A row that was found, and whether the store that is written to has it.
typedef struct memory {
    qdi_sweep_row row;
    bool found, own;
} memory;

static qd_status recall(const knowledge *known, uint64_t id, memory *what, qd_error *error) {
    qd_status status = known->own ? qdi_sweep_store_find(known->own, id, &what->row, error)
                                  : QD_ERR_NOT_FOUND;
    what->found = what->own = status == QD_OK;
    if (status != QD_ERR_NOT_FOUND) return status;
    // What is only read may be anything: it is of use, or it is not.
    what->found = known->whole && qdi_sweep_store_find(known->whole, id, &what->row, NULL) == QD_OK;
    return QD_OK;
}

/// A point that is no good scene has failed before it began.
static qd_status look_at_bad(qdi_batch *batch, size_t item, bool own, qd_error *error) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    qdi_batch_settle(batch, item, QDI_ITEM_FAILED, QDI_EXIT_SCENE, point->reason);
    batch->items[item].before = true;
    return batch->store && !own
               ? qdi_sweep_store_put_failed(batch->store, point->id, QDI_EXIT_SCENE, point->reason, error)
               : QD_OK;
}

/// It has failed before: once more, or not.
static qd_status look_at_failed(qdi_batch *batch, size_t item, const memory *what, qd_error *error) {
    bool again = batch->wishes.retry;
    const qdi_sweep_row *row = &what->row;
    qdi_batch_settle(batch, item, again ? QDI_ITEM_TO_DO : QDI_ITEM_FAILED, row->code, row->reason);
    batch->items[item].before = true;
    // A share needs a row of its own.
    return batch->store && !what->own ? qdi_sweep_store_put_failed(batch->store, batch->plan.points[item].id,
                                                                   row->code, row->reason, error)
                                      : QD_OK;
}

static qd_status look_at_point(qdi_batch *batch, const knowledge *known, size_t item, qd_error *error) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    memory what = {.found = false};
    qd_status status = recall(known, point->id, &what, error);
    if (status != QD_OK) return status;
    if (!point->valid) return look_at_bad(batch, item, what.own, error);
    status = qdi_batch_take_result(batch, item, batch->store && !(what.own && what.row.done), error);
    if (status == QD_OK) {
        batch->items[item].before = true;
        return QD_OK;
    }
    if (status != QD_ERR_NOT_FOUND && status != QD_ERR_INVALID) return status;
    if (what.found && !what.row.done) return look_at_failed(batch, item, &what, error);
    return batch->store && what.own ? qdi_sweep_store_forget(batch->store, point->id, error) : QD_OK;
}

int qdi_batch_look(qdi_batch *batch) {
    char path[PATH_ROOM];
    qd_error error = {""};
    knowledge known = {.own = batch->store};
    qd_status status = qdi_batch_check_files(batch->directory, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (!batch->store || batch->sharded) {
        (void)qdi_batch_path(batch, path, sizeof path, "sweep.db");
        qd_status ignored = qdi_sweep_store_open_to_read(path, &known.whole, NULL);
        (void)ignored; // there may be none yet
    }
    status = batch->store ? qdi_sweep_store_begin(batch->store, &error) : QD_OK;
    for (size_t i = 0; i < batch->plan.count && status == QD_OK; ++i)
        if (batch->items[i].state != QDI_ITEM_TWIN) status = look_at_point(batch, &known, i, &error);
    qdi_sweep_store_close(known.whole);
    if (status == QD_OK && batch->store) status = qdi_sweep_store_commit(batch->store, &error);
    if (status == QD_OK && batch->store)
        status = qdi_sweep_store_plan(batch->store, batch->sweep, &batch->plan, &error);
    if (status == QD_OK && batch->store) status = qdi_batch_write_csv(batch, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}
