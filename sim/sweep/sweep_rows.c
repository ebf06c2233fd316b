// Rows of a sweep's store: points, and what became of their runs.

#include "core/base/memory.h"
#include "sim/base/number.h"
#include "sim/base/reason.h"
#include "sim/store/store_impl.h"
#include "sim/sweep/sweep_store_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// "..." around a name, for SQL. Keys of scenes have no quotes.
static void add_name(qdi_text *sql, const char *name) {
    qdi_text_add(sql, "\"");
    qdi_text_add(sql, name);
    qdi_text_add(sql, "\"");
}

void qdi_sweep_add_select(const qdi_sweep *sweep, qdi_text *sql) {
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind = QDI_SWEEP_NOTHING;
    qdi_text_add(sql, "SELECT points.point");
    for (size_t i = 0; qdi_sweep_key(sweep, i); ++i) {
        qdi_text_add(sql, ", points.");
        add_name(sql, qdi_sweep_key(sweep, i));
    }
    qdi_text_add(sql, ", points.replica, points.seed, coalesce(runs.status, 'to do') AS status");
    for (size_t i = 0; qdi_sweep_result_column(i, name, &kind); ++i) {
        qdi_text_add(sql, ", runs.");
        qdi_text_add(sql, name);
    }
    qdi_text_add(sql, ", points.directory, runs.code, runs.reason, points.id" QDI_SWEEP_JOIN);
}

/// The table `points` and the view that joins it with `runs`.
static int make_points(qdi_sweep_store *store, const qdi_sweep *sweep) {
    qdi_text sql = {.allocator = store->allocator};
    qdi_text_add(&sql, "DROP VIEW IF EXISTS sweep; DROP TABLE IF EXISTS points;" QDI_SWEEP_POINTS_HEAD);
    for (size_t i = 0; qdi_sweep_key(sweep, i); ++i) {
        qdi_text_add(&sql, ", ");
        add_name(&sql, qdi_sweep_key(sweep, i));
    }
    qdi_text_add(&sql, QDI_SWEEP_POINTS_TAIL "; CREATE VIEW sweep AS ");
    qdi_sweep_add_select(sweep, &sql);
    int code = qdi_sweep_sql_run(store, &sql);
    qdi_text_release(&sql);
    return code;
}

/// A number is bound as one, so that programs can compute with it.
static int bind_value(sqlite3_stmt *statement, int at, const char *text) {
    double real = 0;
    uint64_t whole = 0;
    size_t bytes = strlen(text);
    if (qdi_integer_read(text, bytes, &whole) && whole <= INT64_MAX)
        return qdi_sql_bind_step(statement, at, whole);
    if (qdi_number_read(text, bytes, &real)) return sqlite3_bind_double(statement, at, real);
    return sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static int put_point(sqlite3_stmt *statement, const qdi_sweep *sweep, const qdi_sweep_point *point) {
    char directory[32];
    int at = 1, code = qdi_sql_bind_step(statement, at++, point->number);
    for (size_t i = 0; qdi_sweep_key(sweep, i) && code == SQLITE_OK; ++i)
        code = bind_value(statement, at++, qdi_sweep_value(sweep, point->number - 1, i));
    (void)snprintf(directory, sizeof directory, "runs/%016" PRIx64, point->id);
    if (code == SQLITE_OK) code = qdi_sql_bind_step(statement, at++, point->replica);
    // SQLite's whole numbers end at 2^63; a seed beyond is kept as text.
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, point->run.seed);
    if (code == SQLITE_OK)
        code = !point->valid                  ? sqlite3_bind_null(statement, at)
               : point->run.seed <= INT64_MAX ? qdi_sql_bind_step(statement, at, point->run.seed)
                                              : sqlite3_bind_text(statement, at, seed, -1, SQLITE_TRANSIENT);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, at + 1, point->valid ? directory : "", -1, SQLITE_TRANSIENT);
    if (code == SQLITE_OK) code = qdi_sql_bind_hash(statement, at + 2, point->id);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    (void)sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_points(qdi_sweep_store *store, const qdi_sweep *sweep, const qdi_sweep_plan *plan) {
    qdi_text sql = {.allocator = store->allocator};
    qdi_text_add(&sql, "INSERT INTO points VALUES (?,?,?,?,?");
    for (size_t i = 0; qdi_sweep_key(sweep, i); ++i) qdi_text_add(&sql, ",?");
    qdi_text_add(&sql, ")");
    sqlite3_stmt *statement = NULL;
    int code = sql.status == QD_OK ? sqlite3_prepare_v2(store->db, sql.chars, -1, &statement, NULL)
                                   : SQLITE_NOMEM;
    for (size_t i = 0; i < plan->count && code == SQLITE_OK; ++i)
        if (plan->points[i].twin == 0) code = put_point(statement, sweep, &plan->points[i]);
    (void)sqlite3_finalize(statement);
    qdi_text_release(&sql);
    return code;
}

static int put_about(qdi_sweep_store *store, const qdi_sweep *sweep) {
    sqlite3_stmt *statement = NULL;
    size_t bytes = 0;
    const char *text = qdi_sweep_text(sweep, &bytes);
    int code = sqlite3_prepare_v2(store->db,
                                  "INSERT INTO about VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 1, QD_VERSION, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 2, qdi_sweep_name(sweep), -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 3, text, (int)bytes, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

qd_status qdi_sweep_store_plan(qdi_sweep_store *store, const qdi_sweep *sweep, const qdi_sweep_plan *plan,
                               qd_error *error) {
    int code = qdi_sql_run(store->db, "BEGIN IMMEDIATE; DELETE FROM about");
    if (code == SQLITE_OK) code = make_points(store, sweep);
    if (code == SQLITE_OK) code = put_points(store, sweep, plan);
    if (code == SQLITE_OK) code = put_about(store, sweep);
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "COMMIT");
    if (code == SQLITE_OK) return QD_OK;
    qd_status status = qdi_sweep_sql_fail(store, "write", code, error);
    if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK");
    return status;
}

// ---- runs ----

qd_status qdi_sweep_store_begin(qdi_sweep_store *store, qd_error *error) {
    int code = qdi_sql_run(store->db, "BEGIN IMMEDIATE");
    return code == SQLITE_OK ? QD_OK : qdi_sweep_sql_fail(store, "write", code, error);
}

qd_status qdi_sweep_store_commit(qdi_sweep_store *store, qd_error *error) {
    int code = qdi_sql_run(store->db, "COMMIT");
    return code == SQLITE_OK ? QD_OK : qdi_sweep_sql_fail(store, "write", code, error);
}

static int bind_cell(sqlite3_stmt *statement, int at, const qdi_sweep_cell *cell) {
    switch (cell->kind) {
    case QDI_SWEEP_REAL: return sqlite3_bind_double(statement, at, cell->real);
    case QDI_SWEEP_WHOLE:
        return cell->whole <= INT64_MAX ? qdi_sql_bind_step(statement, at, cell->whole)
                                        : sqlite3_bind_null(statement, at);
    case QDI_SWEEP_TEXT: return sqlite3_bind_text(statement, at, cell->text, -1, SQLITE_TRANSIENT);
    default: return sqlite3_bind_null(statement, at);
    }
}

/// The row's statement: five columns that every run has, then the cells.
static int prepare_run(qdi_sweep_store *store, sqlite3_stmt **statement) {
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind = QDI_SWEEP_NOTHING;
    qdi_text sql = {.allocator = store->allocator}, marks = sql;
    qdi_text_add(&sql, "INSERT OR REPLACE INTO runs (id, status, code, reason, ended_wall");
    for (size_t i = 0; qdi_sweep_result_column(i, name, &kind); ++i) {
        qdi_text_add(&sql, ", ");
        qdi_text_add(&sql, name);
        qdi_text_add(&marks, ",?");
    }
    qdi_text_add(&sql, ") VALUES (?,?,?,?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')");
    if (marks.status == QD_OK) qdi_text_add(&sql, marks.chars);
    qdi_text_add(&sql, ")");
    int code = SQLITE_NOMEM;
    if (sql.status == QD_OK && marks.status == QD_OK)
        code = sqlite3_prepare_v2(store->db, sql.chars, -1, statement, NULL);
    qdi_text_release(&sql);
    qdi_text_release(&marks);
    return code;
}

/// `result` NULL: failed.
static qd_status put_run(qdi_sweep_store *store, uint64_t id, int exit_code, const char *reason,
                         const qdi_sweep_result *result, qd_error *error) {
    sqlite3_stmt *statement = NULL;
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind = QDI_SWEEP_NOTHING;
    int code = prepare_run(store, &statement);
    if (code == SQLITE_OK) code = qdi_sql_bind_hash(statement, 1, id);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 2, result ? "done" : "failed", -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_int(statement, 3, exit_code);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 4, reason, -1, SQLITE_TRANSIENT);
    for (size_t i = 0; code == SQLITE_OK && result && qdi_sweep_result_column(i, name, &kind); ++i)
        code = bind_cell(statement, (int)i + 5, &result->cells[i]);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_DONE) code = SQLITE_OK;
    qd_status status = code == SQLITE_OK ? QD_OK : qdi_sweep_sql_fail(store, "write", code, error);
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qdi_sweep_store_put_done(qdi_sweep_store *store, uint64_t id, const qdi_sweep_result *result,
                                   qd_error *error) {
    return put_run(store, id, 0, "", result, error);
}

qd_status qdi_sweep_store_put_failed(qdi_sweep_store *store, uint64_t id, int code, const char *reason,
                                     qd_error *error) {
    return put_run(store, id, code, reason, NULL, error);
}

qd_status qdi_sweep_store_forget(qdi_sweep_store *store, uint64_t id, qd_error *error) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, "DELETE FROM runs WHERE id = ?", -1, &statement, NULL);
    if (code == SQLITE_OK) code = qdi_sql_bind_hash(statement, 1, id);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    qd_status status = code == SQLITE_DONE ? QD_OK : qdi_sweep_sql_fail(store, "write", code, error);
    (void)sqlite3_finalize(statement);
    return status;
}

qd_status qdi_sweep_store_find(qdi_sweep_store *store, uint64_t id, qdi_sweep_row *row, qd_error *error) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db,
                                  "SELECT status = 'done', code, reason, wall_seconds FROM runs WHERE id = ?",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) code = qdi_sql_bind_hash(statement, 1, id);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    qd_status status = QD_OK;
    if (code == SQLITE_ROW) {
        const char *reason = (const char *)sqlite3_column_text(statement, 2);
        *row = (qdi_sweep_row){.done = sqlite3_column_int(statement, 0) != 0,
                               .code = sqlite3_column_int(statement, 1),
                               .wall_seconds = sqlite3_column_double(statement, 3)};
        (void)snprintf(row->reason, sizeof row->reason, "%s", reason ? reason : "");
    } else {
        status = code == SQLITE_DONE ? QD_ERR_NOT_FOUND : qdi_sweep_sql_fail(store, "read", code, error);
    }
    (void)sqlite3_finalize(statement);
    return status;
}
