// Reading a store. Every call is one query of its own that ends with the call, so nothing stays open between calls and rows may
// be put in between.

#include <quadrille/hash.h>

#include "core/memory.h"
#include "sim/reason.h"
#include "sim/store_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Waits for what was put, and begins a query with one number, `from`, that is at most QDI_STORE_STEP_MAX. QD_ERR_NOT_FOUND
/// where it gives no row. The caller finalizes the statement in any case.
static qd_status query(qd_store *store, const char *sql, uint64_t from, sqlite3_stmt **statement,
                       qd_error *error) {
    *statement = NULL;
    if (from > QDI_STORE_STEP_MAX) return QD_ERR_NOT_FOUND;
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    int code = sqlite3_prepare_v2(store->db, sql, -1, statement, NULL);
    if (code == SQLITE_OK && sqlite3_bind_parameter_count(*statement) > 0)
        code = qdi_sql_bind_step(*statement, 1, from);
    if (code == SQLITE_OK) code = sqlite3_step(*statement);
    if (code == SQLITE_ROW) return QD_OK;
    return code == SQLITE_DONE ? QD_ERR_NOT_FOUND : qdi_sql_fail(store, "read", code, error);
}

static uint64_t column_step(sqlite3_stmt *statement, int column) {
    return (uint64_t)sqlite3_column_int64(statement, column);
}

// ---- the run ----

static void free_text(qd_store *store, char **text) {
    if (*text) qdi_release(store->allocator, *text, strlen(*text) + 1, 1);
    *text = NULL;
}

enum { RUN_TEXTS = 9 };

static void texts_of(qd_store_run *run, char **texts[RUN_TEXTS]) {
    char **all[RUN_TEXTS] = {&run->version,  &run->scene, &run->scene_text, &run->simd,   &run->source,
                             &run->compiler, &run->flags, &run->cpu,        &run->created};
    memcpy(texts, all, sizeof all);
}

void qd_store_run_free(qd_store *store, qd_store_run *run) {
    if (!store || !run) return;
    char **texts[RUN_TEXTS];
    texts_of(run, texts);
    for (int i = 0; i < RUN_TEXTS; ++i) free_text(store, texts[i]);
}

static qd_status copy_text(qd_store *store, sqlite3_stmt *statement, int column, char **text) {
    const unsigned char *from = sqlite3_column_text(statement, column);
    const char *chars = from ? (const char *)from : "";
    size_t bytes = strlen(chars) + 1;
    *text = qdi_allocate(store->allocator, bytes, 1);
    if (!*text) return QD_ERR_MEMORY;
    memcpy(*text, chars, bytes);
    return QD_OK;
}

static qd_status copy_run(qd_store *store, sqlite3_stmt *statement, qd_store_run *run, qd_error *error) {
    char **texts[RUN_TEXTS];
    texts_of(run, texts);
    qd_status status = QD_OK;
    for (int i = 0; i < RUN_TEXTS && status == QD_OK; ++i) status = copy_text(store, statement, i, texts[i]);
    if (status != QD_OK) return qdi_reason(error, status, "%s", qd_status_text(status));
    run->seed = column_step(statement, RUN_TEXTS);
    run->steps = column_step(statement, RUN_TEXTS + 1);
    run->bodies = column_step(statement, RUN_TEXTS + 2);
    run->threads = sqlite3_column_int(statement, RUN_TEXTS + 3);
    run->dt = sqlite3_column_double(statement, RUN_TEXTS + 4);
    if (!qdi_sql_hash(statement, RUN_TEXTS + 5, &run->scene_hash))
        return qdi_reason(error, QD_ERR_CORRUPT, "%.300s: table run: scene_hash is no hash", store->path);
    return QD_OK;
}

qd_status qd_store_read_run(qd_store *store, qd_store_run *run, qd_error *error) {
    if (!store || !run) return qdi_reason(error, QD_ERR_ARGUMENT, "no store, or nowhere to put the run");
    *run = (qd_store_run){0};
    sqlite3_stmt *statement = NULL;
    qd_status status = query(store,
                             "SELECT version, scene, scene_text, simd, source, compiler, flags, cpu,"
                             " created_wall, seed, steps, bodies, threads, dt, scene_hash FROM run",
                             0, &statement, error);
    if (status == QD_ERR_NOT_FOUND)
        status = qdi_reason(error, QD_ERR_CORRUPT, "%.300s: table run is empty", store->path);
    if (status == QD_OK) status = copy_run(store, statement, run, error);
    (void)sqlite3_finalize(statement);
    if (status != QD_OK) qd_store_run_free(store, run);
    return status;
}

// ---- hashes and frames ----

qd_status qd_store_next_hash(qd_store *store, uint64_t from, uint64_t *step, uint64_t *hash,
                             qd_error *error) {
    if (!store || !step || !hash) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the hash");
    sqlite3_stmt *statement = NULL;
    qd_status status = query(store, "SELECT step, hash FROM hashes WHERE step >= ? ORDER BY step LIMIT 1",
                             from, &statement, error);
    if (status == QD_OK) {
        *step = column_step(statement, 0);
        if (!qdi_sql_hash(statement, 1, hash))
            status = qdi_reason(error, QD_ERR_CORRUPT,
                                "%.300s: table hashes: that of step %" PRIu64 " is no hash", store->path,
                                *step);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_next_frame(qd_store *store, uint64_t from, qd_store_frame *frame, qd_error *error) {
    if (!store || !frame) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the frame");
    sqlite3_stmt *statement = NULL;
    qd_status status = query(
        store, "SELECT number, step, time, pixels FROM frames WHERE number >= ? ORDER BY number LIMIT 1",
        from, &statement, error);
    if (status == QD_OK) {
        *frame = (qd_store_frame){.number = column_step(statement, 0),
                                  .step = column_step(statement, 1),
                                  .time = sqlite3_column_double(statement, 2)};
        if (!qdi_sql_hash(statement, 3, &frame->pixels))
            status = qdi_reason(error, QD_ERR_CORRUPT,
                                "%.300s: table frames: the hash of frame %" PRIu64 " is none", store->path,
                                frame->number);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

// ---- stored worlds ----

void qd_store_moment_free(qd_store *store, qd_store_moment *moment) {
    if (!store || !moment) return;
    qdi_release(store->allocator, moment->world, moment->world_bytes, 1);
    qdi_release(store->allocator, moment->session, moment->session_bytes, 1);
    moment->world = moment->session = NULL;
    moment->world_bytes = moment->session_bytes = 0;
}

static qd_status copy_blob(qd_store *store, sqlite3_stmt *statement, int column, unsigned char **data,
                           size_t *bytes) {
    const void *blob = sqlite3_column_blob(statement, column);
    *bytes = (size_t)sqlite3_column_bytes(statement, column);
    *data = NULL;
    if (!blob || *bytes == 0) { // NULL also where SQLite has no memory
        *bytes = 0;
        return sqlite3_errcode(store->db) == SQLITE_NOMEM ? QD_ERR_MEMORY : QD_OK;
    }
    *data = qdi_allocate(store->allocator, *bytes, 1);
    if (!*data) {
        *bytes = 0;
        return QD_ERR_MEMORY;
    }
    memcpy(*data, blob, *bytes);
    return QD_OK;
}

/// A row of step, checksum, world and, in `checkpoints`, session.
static qd_status copy_moment(qd_store *store, sqlite3_stmt *statement, const char *table,
                             qd_store_moment *moment, qd_error *error) {
    moment->step = column_step(statement, 0);
    uint64_t said = 0;
    bool more = sqlite3_column_count(statement) > 3, sound = qdi_sql_hash(statement, 1, &said);
    qd_status status = copy_blob(store, statement, 2, &moment->world, &moment->world_bytes);
    if (status == QD_OK && more)
        status = copy_blob(store, statement, 3, &moment->session, &moment->session_bytes);
    if (status != QD_OK) return qdi_reason(error, status, "%s", qd_status_text(status));
    uint64_t checksum = qd_hash_bytes(moment->world, moment->world_bytes);
    if (more) checksum = qd_hash_seeded(moment->session, moment->session_bytes, checksum);
    if (sound && checksum == said) return QD_OK;
    return qdi_reason(error, QD_ERR_CORRUPT,
                      "%.300s: table %s: that of step %" PRIu64 " is damaged: its checksum differs",
                      store->path, table, moment->step);
}

static qd_status get_moment(qd_store *store, const char *table, const char *sql, uint64_t from,
                            qd_store_moment *moment, qd_error *error) {
    *moment = (qd_store_moment){0};
    sqlite3_stmt *statement = NULL;
    qd_status status = query(store, sql, from, &statement, error);
    if (status == QD_OK) status = copy_moment(store, statement, table, moment, error);
    (void)sqlite3_finalize(statement);
    if (status != QD_OK) qd_store_moment_free(store, moment);
    return status;
}

qd_status qd_store_next_snapshot(qd_store *store, uint64_t from, qd_store_moment *moment, qd_error *error) {
    if (!store || !moment) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the snapshot");
    return get_moment(store, "snapshots",
                      "SELECT step, checksum, world FROM snapshots WHERE step >= ? ORDER BY step LIMIT 1",
                      from, moment, error);
}

qd_status qd_store_next_checkpoint(qd_store *store, uint64_t from, qd_store_moment *moment, qd_error *error) {
    if (!store || !moment) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the checkpoint");
    return get_moment(
        store, "checkpoints",
        "SELECT step, checksum, world, session FROM checkpoints WHERE step >= ? ORDER BY step LIMIT 1", from,
        moment, error);
}

qd_status qd_store_last_checkpoint(qd_store *store, uint64_t most, qd_store_moment *moment,
                                   qd_error *skipped) {
    if (!store || !moment) return qdi_reason(skipped, QD_ERR_ARGUMENT, "nowhere to put the checkpoint");
    if (skipped) skipped->text[0] = 0;
    if (most > QDI_STORE_STEP_MAX) most = QDI_STORE_STEP_MAX;
    for (;;) {
        qd_error error = {""};
        qd_status status = get_moment(store, "checkpoints",
                                      "SELECT step, checksum, world, session FROM checkpoints WHERE step <= ?"
                                      " ORDER BY step DESC LIMIT 1",
                                      most, moment, &error);
        if (skipped && error.text[0]) *skipped = error;
        if (status != QD_ERR_CORRUPT || moment->step == 0) return status;
        most = moment->step - 1;
    }
}

qd_status qd_store_check(qd_store *store, qd_error *error) {
    if (!store) return qdi_reason(error, QD_ERR_ARGUMENT, "no store");
    sqlite3_stmt *statement = NULL;
    qd_status status = query(store, "PRAGMA integrity_check(1)", 0, &statement, error);
    const unsigned char *text = status == QD_OK ? sqlite3_column_text(statement, 0) : NULL;
    if (status == QD_OK && (!text || strcmp((const char *)text, "ok") != 0))
        status = qdi_reason(error, QD_ERR_CORRUPT, "%.300s: %.150s", store->path,
                            text ? (const char *)text : "damaged");
    (void)sqlite3_finalize(statement);
    return status;
}
