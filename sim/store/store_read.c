// Reading a store. Every call is one query of its own that ends with the call, so nothing stays open between
// calls and rows may be put in between.

#include <quadrille/hash.h>

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/store/store_impl.h"
#include "sim/store/store_ranges.h"
#include "sim/text/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Waits for what was put, and begins a query with one number, `from`, that is at most QDI_STORE_STEP_MAX.
/// QD_ERR_NOT_FOUND where it gives no row. The caller finalizes the statement in any case.
static qd_status begin_query(qd_store *store, const char *sql, uint64_t from, sqlite3_stmt **statement,
                             qd_error *error) {
    *statement = NULL;
    if (from > QDI_STORE_STEP_MAX) return QD_ERR_NOT_FOUND;
    qd_status status = qdi_store_settle(store, error);
    if (status != QD_OK) return status;
    int code = qdi_sql_prepare(store->db, sql, statement, strchr(sql, '?') ? "u" : "", from);
    if (code == SQLITE_OK) code = sqlite3_step(*statement);
    if (code == SQLITE_ROW) return QD_OK;
    return code == SQLITE_DONE ? QD_ERR_NOT_FOUND : qdi_sql_fail(store, "read", code, error);
}

// A step from a column of run.db.
static uint64_t column_step(sqlite3_stmt *statement, int column) {
    return (uint64_t)sqlite3_column_int64(statement, column);
}

// ---- the run ----

// Frees a text that was read from run.db.
static void free_column_text(qd_store *store, char **text) {
    if (*text) qdi_release(store->allocator, *text, strlen(*text) + 1, 1);
    *text = NULL;
}

enum { RUN_TEXTS = 9 };

// The texts in the row of a run in run.db.
static void texts_of_run(qd_store_run *run, char **texts[RUN_TEXTS]) {
    char **all[RUN_TEXTS] = {&run->version,  &run->scene, &run->scene_text, &run->simd,   &run->source,
                             &run->compiler, &run->flags, &run->cpu,        &run->created};
    memcpy(texts, all, sizeof all);
}

void qd_store_run_free(qd_store *store, qd_store_run *run) {
    if (!store || !run) return;
    char **texts[RUN_TEXTS];
    texts_of_run(run, texts);
    for (int i = 0; i < RUN_TEXTS; ++i) free_column_text(store, texts[i]);
}

// Copies a text from a column of run.db.
static qd_status copy_column_text(qd_store *store, sqlite3_stmt *statement, int column, char **text) {
    const qdi_sql_chars from = qdi_sql_text(statement, column);
    const char *end = from.bytes > 0 ? memchr(from.at, 0, from.bytes) : NULL;
    const size_t bytes = end ? (size_t)(end - from.at) : from.bytes;
    *text = qdi_allocate(store->allocator, bytes + 1, 1);
    if (!*text) return QD_ERR_MEMORY;
    if (bytes > 0) memcpy(*text, from.at, bytes);
    (*text)[bytes] = 0;
    return QD_OK;
}

// A text of a row, cut to its room.
static void take_text(sqlite3_stmt *statement, int column, char *text, size_t room) {
    const qdi_sql_chars stored = qdi_sql_text(statement, column);
    const int bytes = (int)(stored.bytes < room ? stored.bytes : room);
    (void)snprintf(text, room, "%.*s", bytes, stored.at ? stored.at : "");
}

// Copies the row of a run in run.db.
static qd_status copy_run_row(qd_store *store, sqlite3_stmt *statement, qd_store_run *run, qd_error *error) {
    char **texts[RUN_TEXTS];
    texts_of_run(run, texts);
    qd_status status = QD_OK;
    for (int i = 0; i < RUN_TEXTS && status == QD_OK; ++i)
        status = copy_column_text(store, statement, i, texts[i]);
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
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !run) return qdi_reason(error, QD_ERR_ARGUMENT, "no store, or nowhere to put the run");
    *run = (qd_store_run){0};
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store,
                                   "SELECT version, scene, scene_text, simd, source, compiler, flags, cpu,"
                                   " created_wall, seed, steps, bodies, threads, dt, scene_hash FROM run",
                                   0, &statement, error);
    if (status == QD_ERR_NOT_FOUND)
        status = qdi_reason(error, QD_ERR_CORRUPT, "%.300s: table run is empty", store->path);
    if (status == QD_OK) status = copy_run_row(store, statement, run, error);
    (void)sqlite3_finalize(statement);
    if (status != QD_OK) qd_store_run_free(store, run);
    return status;
}

qd_status qd_store_last_step(qd_store *store, uint64_t *step, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !step) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the step");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store,
                                   "SELECT max(coalesce((SELECT max(step) FROM metrics), 0),"
                                   " coalesce((SELECT max(step) FROM hashes), 0),"
                                   " coalesce((SELECT max(step) FROM events), 0),"
                                   " coalesce((SELECT max(step) FROM snapshots), 0),"
                                   " coalesce((SELECT max(step) FROM checkpoints), 0),"
                                   " coalesce((SELECT max(step) FROM frames), 0))",
                                   0, &statement, error);
    if (status == QD_OK) *step = column_step(statement, 0);
    if (status == QD_OK)
        status = qdi_sql_check_step(store, statement, "of steps", 0, QDI_STORE_STEP_MAX, error);
    (void)sqlite3_finalize(statement);
    return status;
}

// ---- hashes and frames ----

qd_status qd_store_next_hash(qd_store *store, uint64_t from, uint64_t *step, uint64_t *hash,
                             qd_error *error) {
    if (!store || !step || !hash) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the hash");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store,
                                   "SELECT step, hash FROM hashes WHERE step >= ? ORDER BY step LIMIT 1",
                                   from, &statement, error);
    if (status == QD_OK) {
        *step = column_step(statement, 0);
        status = qdi_sql_check_step(store, statement, "hashes", from, QDI_STORE_STEP_MAX, error);
        if (status == QD_OK && !qdi_sql_hash(statement, 1, hash))
            status = qdi_reason(error, QD_ERR_CORRUPT,
                                "%.300s: table hashes: that of step %" PRIu64 " is no hash", store->path,
                                *step);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_next_frame(qd_store *store, uint64_t from, qd_store_frame *frame, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !frame) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the frame");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(
        store, "SELECT number, step, time, pixels FROM frames WHERE number >= ? ORDER BY number LIMIT 1",
        from, &statement, error);
    if (status == QD_OK) {
        *frame = (qd_store_frame){.number = column_step(statement, 0),
                                  .step = column_step(statement, 1),
                                  .time = sqlite3_column_double(statement, 2)};
        status = qdi_sql_check_step(store, statement, "frames", from, QDI_STORE_STEP_MAX, error);
        if (status == QD_OK && !qdi_sql_hash(statement, 3, &frame->pixels))
            status = qdi_reason(error, QD_ERR_CORRUPT,
                                "%.300s: table frames: the hash of frame %" PRIu64 " is none", store->path,
                                frame->number);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_next_failure(qd_store *store, uint64_t from, qd_limit_report *report, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !report) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the failure");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store,
                                   "SELECT step, reason, label, x, y, vx, vy FROM failures WHERE step >= ?"
                                   " ORDER BY step LIMIT 1",
                                   from, &statement, error);
    if (status == QD_OK) {
        *report = (qd_limit_report){.step = column_step(statement, 0),
                                    .has_body = sqlite3_column_type(statement, 2) != SQLITE_NULL,
                                    .label = column_step(statement, 2)};
        take_text(statement, 1, report->reason, sizeof report->reason);
        report->body.label = report->label;
        report->body.position = (qd_vec2){sqlite3_column_double(statement, 3),
                                          sqlite3_column_double(statement, 4)};
        report->body.velocity = (qd_vec2){sqlite3_column_double(statement, 5),
                                          sqlite3_column_double(statement, 6)};
        status = qdi_sql_check_step(store, statement, "failures", from, QDI_STORE_STEP_MAX, error);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_next_stage(qd_store *store, uint64_t from, qd_store_stage *stage, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !stage) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the stage");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store,
                                   "SELECT number, step, time, first_id, name, before, bodies, contacts,"
                                   " begins, impacts, emitted, removed, kinetic, potential FROM stages"
                                   " WHERE number >= ? ORDER BY number LIMIT 1",
                                   from, &statement, error);
    if (status == QD_OK) {
        *stage = (qd_store_stage){.number = column_step(statement, 0),
                                  .step = column_step(statement, 1),
                                  .time = sqlite3_column_double(statement, 2),
                                  .first_id = column_step(statement, 3)};
        uint64_t *const counts[] = {&stage->bodies,  &stage->contacts, &stage->begins,
                                    &stage->impacts, &stage->emitted,  &stage->removed};
        for (int k = 0; k < 6; ++k) *counts[k] = column_step(statement, 6 + k);
        stage->kinetic = sqlite3_column_double(statement, 12);
        stage->potential = sqlite3_column_double(statement, 13);
        take_text(statement, 4, stage->name, sizeof stage->name);
        take_text(statement, 5, stage->before, sizeof stage->before);
        status = qdi_sql_check_step(store, statement, "stages", from, QDI_STORE_STEP_MAX, error);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

// ---- stored worlds ----

void qd_store_state_free(qd_store *store, qd_store_state *state) {
    if (!store || !state) return;
    qdi_release(store->allocator, state->world, state->world_bytes, 1);
    qdi_release(store->allocator, state->session, state->session_bytes, 1);
    state->world = state->session = NULL;
    state->world_bytes = state->session_bytes = 0;
}

// Tells that memory ran out while run.db was read.
static qd_status report_no_memory(qd_error *error) {
    return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
}

// Copies the session's part of a checkpoint in run.db.
static qd_status copy_session_blob(qd_store *store, sqlite3_stmt *statement, int column,
                                   qd_store_state *state, qd_error *error) {
    const void *blob = sqlite3_column_blob(statement, column);
    size_t bytes = (size_t)sqlite3_column_bytes(statement, column);
    if (!blob && sqlite3_errcode(store->db) == SQLITE_NOMEM) return report_no_memory(error);
    if (!blob || bytes == 0) return QD_OK;
    state->session = qdi_allocate(store->allocator, bytes, 1);
    if (!state->session) return report_no_memory(error);
    state->session_bytes = bytes;
    memcpy(state->session, blob, bytes);
    return QD_OK;
}

/// Store's reader: bytes that the parts of a world have in all; `owner` is "snapshot" or "checkpoint".
static int count_parts(qd_store *store, const char *owner, uint64_t step, size_t *bytes) {
    sqlite3_stmt *statement = NULL;
    int code = qdi_sql_prepare(store->db, "SELECT sum(length(data)) FROM parts WHERE owner = ? AND step = ?",
                               &statement, "su", owner, step);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *bytes = code == SQLITE_ROW ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/// Store's reader: joins the parts of a world, of `world_bytes` bytes in all.
static int join_parts(qd_store *store, const char *owner, qd_store_state *state) {
    sqlite3_stmt *statement = NULL;
    size_t at = 0;
    int code = qdi_sql_prepare(store->db, "SELECT data FROM parts WHERE owner = ? AND step = ? ORDER BY part",
                               &statement, "su", owner, state->step);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        const void *blob = sqlite3_column_blob(statement, 0);
        size_t bytes = (size_t)sqlite3_column_bytes(statement, 0);
        if (!blob || bytes > state->world_bytes - at) break; // no memory, or other bytes than were counted
        memcpy(state->world + at, blob, bytes);
        at += bytes;
    }
    if (code == SQLITE_ROW) code = sqlite3_errcode(store->db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_CORRUPT;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

// Puts together a saved world from its parts in run.db.
static qd_status copy_world_parts(qd_store *store, const char *owner, qd_store_state *state,
                                  qd_error *error) {
    size_t bytes = 0;
    int code = count_parts(store, owner, state->step, &bytes);
    if (code == SQLITE_OK && bytes > 0) {
        state->world = qdi_allocate(store->allocator, bytes, 1);
        if (!state->world) return report_no_memory(error);
        state->world_bytes = bytes;
        code = join_parts(store, owner, state);
    }
    if (qdi_sql_status(qdi_sql_cause(store->db, code)) == QD_ERR_CORRUPT)
        return qdi_reason(error, QD_ERR_CORRUPT, "%.300s: the %s of step %" PRIu64 " is damaged: %s",
                          store->path, owner, state->step, sqlite3_errstr(code));
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(store, "read", code, error);
}

// Store's reader: the world of a row, or where `ranges` is given a way to it; its bytes and their hash.
static qd_status reach_world(qd_store *store, const char *owner, qd_store_state *state,
                             qdi_store_ranges **ranges, uint64_t *bytes, uint64_t *hash, qd_error *error) {
    qd_status status;
    if (!ranges) {
        status = copy_world_parts(store, owner, state, error);
        *bytes = state->world_bytes;
        *hash = status == QD_OK ? qd_hash_bytes(state->world, state->world_bytes) : 0;
        return status;
    }
    status = qdi_ranges_open(store, owner, state->step, ranges, error);
    if (status != QD_OK) return status;
    *bytes = qdi_ranges_bytes(*ranges);
    return qdi_ranges_hash(*ranges, hash, error);
}

/// Store's reader: a row of step, checksum, bytes and, of a checkpoint, session.
static qd_status copy_state_row(qd_store *store, sqlite3_stmt *statement, const char *owner,
                                qd_store_state *state, qdi_store_ranges **ranges, qd_error *error) {
    uint64_t said = 0, bytes = column_step(statement, 2), found = 0, checksum = 0;
    bool more = sqlite3_column_count(statement) > 3, sound = qdi_sql_hash(statement, 1, &said);
    qd_status status = more ? copy_session_blob(store, statement, 3, state, error) : QD_OK;
    if (status == QD_OK) status = reach_world(store, owner, state, ranges, &found, &checksum, error);
    if (status != QD_OK) return status;
    if (more) checksum = qd_hash_seeded(state->session, state->session_bytes, checksum);
    if (sound && checksum == said && bytes == found) return QD_OK;
    return qdi_reason(error, QD_ERR_CORRUPT,
                      "%.300s: the %s of step %" PRIu64 " is damaged: its checksum differs", store->path,
                      owner, state->step);
}

/// Store's reader: the state of a query with one number: the least step, or with `down` the most.
static qd_status get_moment(qd_store *store, const char *owner, const char *sql, uint64_t number, bool down,
                            qd_store_state *state, qdi_store_ranges **ranges, qd_error *error) {
    *state = (qd_store_state){0};
    if (ranges) *ranges = NULL;
    sqlite3_stmt *statement = NULL;
    char table[16];
    (void)snprintf(table, sizeof table, "%ss", owner);
    qd_status status = begin_query(store, sql, number, &statement, error);
    if (status == QD_OK) {
        state->step = column_step(statement, 0);
        status = qdi_sql_check_step(store, statement, table, down ? 0 : number,
                                    down ? number : QDI_STORE_STEP_MAX, error);
    }
    if (status == QD_OK) status = copy_state_row(store, statement, owner, state, ranges, error);
    (void)sqlite3_finalize(statement);
    if (status != QD_OK) qd_store_state_free(store, state);
    if (status != QD_OK && ranges) {
        qdi_ranges_close(*ranges);
        *ranges = NULL;
    }
    return status;
}

qd_status qd_store_next_snapshot(qd_store *store, uint64_t from, qd_store_state *state, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !state) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the snapshot");
    return get_moment(store, "snapshot",
                      "SELECT step, checksum, bytes FROM snapshots WHERE step >= ? ORDER BY step LIMIT 1",
                      from, false, state, NULL, error);
}

qd_status qd_store_snapshot_step(qd_store *store, uint64_t from, uint64_t *step, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !step) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the step");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store, "SELECT step FROM snapshots WHERE step >= ? ORDER BY step LIMIT 1",
                                   from, &statement, error);
    if (status == QD_OK) *step = column_step(statement, 0);
    if (status == QD_OK)
        status = qdi_sql_check_step(store, statement, "snapshots", from, QDI_STORE_STEP_MAX, error);
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_largest_snapshot(qd_store *store, uint64_t *bytes, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !bytes) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the size");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store, "SELECT max(bytes) FROM snapshots WHERE step >= ?", 0, &statement,
                                   error);
    const int64_t most = status == QD_OK ? sqlite3_column_int64(statement, 0) : 0;
    *bytes = most > 0 ? (uint64_t)most : 0;
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qd_store_next_checkpoint(qd_store *store, uint64_t from, qd_store_state *state, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !state) return qdi_reason(error, QD_ERR_ARGUMENT, "nowhere to put the checkpoint");
    return get_moment(
        store, "checkpoint",
        "SELECT step, checksum, bytes, session FROM checkpoints WHERE step >= ? ORDER BY step LIMIT 1", from,
        false, state, NULL, error);
}

/// Store's reader: adds one more damaged checkpoint to the line about them.
static void add_skipped(qd_error *skipped, const qd_error *error, uint64_t step) {
    if (!skipped) return;
    size_t used = strlen(skipped->text);
    if (used == 0)
        *skipped = *error;
    else
        (void)snprintf(skipped->text + used, sizeof skipped->text - used, "; so is that of step %" PRIu64,
                       step);
}

// Store's reader: the last checkpoint that is sound.
static qd_status last_checkpoint(qd_store *store, uint64_t most, qd_store_state *state,
                                 qdi_store_ranges **ranges, qd_error *skipped) {
    if (skipped) skipped->text[0] = 0;
    if (most > QDI_STORE_STEP_MAX) most = QDI_STORE_STEP_MAX;
    for (;;) {
        qd_error error = {""};
        qd_status status = get_moment(
            store, "checkpoint",
            "SELECT step, checksum, bytes, session FROM checkpoints WHERE step BETWEEN 0 AND ?"
            " ORDER BY step DESC LIMIT 1",
            most, true, state, ranges, &error);
        if (status == QD_ERR_CORRUPT) add_skipped(skipped, &error, state->step);
        if (status == QD_ERR_CORRUPT && state->step > 0 && state->step <= most) {
            most = state->step - 1;
            continue;
        }
        if (status != QD_OK && error.text[0] && skipped) *skipped = error;
        return status;
    }
}

qd_status qd_store_last_checkpoint(qd_store *store, uint64_t most, qd_store_state *state, qd_error *skipped) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !state) return qdi_reason(skipped, QD_ERR_ARGUMENT, "nowhere to put the checkpoint");
    return last_checkpoint(store, most, state, NULL, skipped);
}

qd_status qdi_ranges_last(qd_store *store, uint64_t most, qd_store_state *state, qdi_store_ranges **ranges,
                          qd_error *skipped) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return last_checkpoint(store, most, state, ranges, skipped);
}

qd_status qd_store_check(qd_store *store, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store) return qdi_reason(error, QD_ERR_ARGUMENT, "no store");
    sqlite3_stmt *statement = NULL;
    qd_status status = begin_query(store, "PRAGMA integrity_check(1)", 0, &statement, error);
    char text[151] = "";
    if (status == QD_OK) take_text(statement, 0, text, sizeof text);
    if (status == QD_OK && strcmp(text, "ok") != 0)
        status = qdi_reason(error, QD_ERR_CORRUPT, "%.300s: %s", store->path, text[0] ? text : "damaged");
    (void)sqlite3_finalize(statement);
    return status;
}
