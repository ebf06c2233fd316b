#include "sim/sweep/sweep_store.h"

#include "core/base/memory.h"
#include "sim/base/os.h"
#include "sim/base/reason.h"
#include "sim/store/store_impl.h"
#include "sim/sweep/sweep_store_impl.h"

#include <stdio.h>
#include <string.h>

/// "QDsw", in the header of every sweep.db.
#define SWEEP_APPLICATION 0x51447377
#define SWEEP_SCHEMA      1

/// Milliseconds to wait for somebody else who writes.
enum { PATIENCE = 20000 };

qd_status qdi_sweep_sql_fail(const qdi_sweep_store *store, const char *verb, int code, qd_error *error) {
    return qdi_sql_fail_at(store->db, store->path, verb, code, error);
}

int qdi_sweep_sql_run(const qdi_sweep_store *store, qdi_text *sql) {
    return sql->status == QD_OK ? qdi_sql_run(store->db, sql->chars) : SQLITE_NOMEM;
}

/// A store without a database; NULL where there is no memory.
static qdi_sweep_store *make(const char *path, qd_error *error) {
    const qd_allocator *allocator = qd_allocator_default();
    qdi_sweep_store *made = qdi_allocate(allocator, 1, sizeof *made);
    size_t bytes = strlen(path) + 1;
    char *copy = made ? qdi_allocate(allocator, bytes, 1) : NULL;
    if (!copy) {
        qdi_release(allocator, made, 1, sizeof *made);
        (void)qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
        return NULL;
    }
    memcpy(copy, path, bytes);
    *made = (qdi_sweep_store){.allocator = allocator, .path = copy, .path_bytes = bytes};
    return made;
}

static void disconnect(qdi_sweep_store *store) {
    (void)sqlite3_close(store->db);
    store->db = NULL;
}

void qdi_sweep_store_close(qdi_sweep_store *store) {
    if (!store) return;
    disconnect(store);
    qdi_release(store->allocator, store->path, store->path_bytes, 1);
    qdi_release(store->allocator, store, 1, sizeof *store);
}

/// Gives the table `runs` the columns that it lacks.
static int add_columns(qdi_sweep_store *store) {
    static const char *const types[] = {"", "REAL", "INTEGER", "TEXT"};
    char name[QDI_SWEEP_NAME], sql[256];
    qdi_sweep_kind kind = QDI_SWEEP_NOTHING;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && qdi_sweep_result_column(i, name, &kind); ++i) {
        int64_t there = 0;
        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('runs') WHERE name = '%s'",
                       name);
        code = qdi_sql_number(store->db, sql, &there);
        if (code != SQLITE_OK || there > 0) continue;
        (void)snprintf(sql, sizeof sql, "ALTER TABLE runs ADD COLUMN %s %s", name, types[kind]);
        code = qdi_sql_run(store->db, sql);
    }
    return code;
}

#define ABOUT "CREATE TABLE about (version TEXT, name TEXT, text TEXT, planned_wall TEXT"
#define RUNS                                                                                                 \
    "CREATE TABLE runs (id TEXT PRIMARY KEY, status TEXT NOT NULL, code INTEGER NOT NULL,"                   \
    " reason TEXT NOT NULL, ended_wall TEXT NOT NULL"

static int make_tables(qdi_sweep_store *store, bool fresh) {
    char mark[96];
    (void)snprintf(mark, sizeof mark, "PRAGMA application_id=%d; PRAGMA user_version=%d", SWEEP_APPLICATION,
                   SWEEP_SCHEMA);
    int code = qdi_sql_run(store->db, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK && fresh) code = qdi_sql_run(store->db, ABOUT ");" RUNS ")");
    if (code == SQLITE_OK) code = add_columns(store);
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, mark);
    if (code == SQLITE_OK) return qdi_sql_run(store->db, "COMMIT");
    if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK");
    return code;
}

/// Looks at the whole database. QD_ERR_CORRUPT where it is damaged, or its tables are not ours.
static qd_status check(qdi_sweep_store *store, bool *fresh, qd_error *error) {
    int64_t application = 0, version = 0, objects = 0, sound = 0;
    int code = qdi_sql_number(store->db, "PRAGMA application_id", &application);
    if (code == SQLITE_OK) code = qdi_sql_number(store->db, "PRAGMA user_version", &version);
    if (code == SQLITE_OK) code = qdi_sql_number(store->db, "SELECT count(*) FROM sqlite_schema", &objects);
    if (code != SQLITE_OK) return qdi_sweep_sql_fail(store, "read", code, error);
    *fresh = application == 0 && objects == 0;
    if (*fresh) return QD_OK;
    if (application != SWEEP_APPLICATION)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s is no sweep's database", store->path);
    if (version > SWEEP_SCHEMA)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s has schema %lld, of a newer Quadrille", store->path,
                          (long long)version);
    code = qdi_sql_number(store->db, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)", &sound);
    if (code != SQLITE_OK) return qdi_sweep_sql_fail(store, "read", code, error);
    if (!sound) return qdi_reason(error, QD_ERR_CORRUPT, "%.300s is damaged", store->path);
    qd_status status = qdi_sql_check_table(store->db, store->path, ABOUT, ")", error);
    return status == QD_OK ? qdi_sql_check_table(store->db, store->path, RUNS, ")", error) : status;
}

static qd_status connect_and_check(qdi_sweep_store *store, bool write, qd_error *error) {
    int flags = SQLITE_OPEN_READWRITE | (write ? SQLITE_OPEN_CREATE : 0);
    qd_status status = qdi_sql_open(store->path, flags, &store->db, error);
    if (status != QD_OK) return status;
    int code = sqlite3_busy_timeout(store->db, PATIENCE);
    if (code == SQLITE_OK) code = qdi_sql_guard(store->db);
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "PRAGMA synchronous=NORMAL");
    bool fresh = false;
    status = code == SQLITE_OK ? check(store, &fresh, error) : qdi_sweep_sql_fail(store, "open", code, error);
    if (status != QD_OK || !write) return status;
    code = make_tables(store, fresh);
    return code == SQLITE_OK ? QD_OK : qdi_sweep_sql_fail(store, "write", code, error);
}

/// PATH to PATH.damaged, with what belongs to it out of the way.
static qd_status put_aside(const qdi_sweep_store *store, qd_error *note, qd_error *error) {
    qdi_text aside = {.allocator = store->allocator}, journal = aside;
    qdi_text_add(&aside, store->path);
    qdi_text_add(&aside, ".damaged");
    qdi_text_add(&journal, store->path);
    qdi_text_add(&journal, "-journal");
    qd_status status = aside.status == QD_OK ? journal.status : aside.status;
    if (status == QD_OK) status = qdi_os_remove_file(aside.chars, error);
    if (status == QD_OK) status = qdi_os_remove_file(journal.chars, error);
    if (status == QD_OK) status = qdi_os_rename_new(store->path, aside.chars, error);
    if (status == QD_OK)
        (void)qdi_reason(
            note, QD_OK,
            "%.200s was damaged and is now %.200s; what is done is read from the run directories, and what "
            "failed before runs again",
            store->path, aside.chars);
    qdi_text_release(&aside);
    qdi_text_release(&journal);
    return status;
}

qd_status qdi_sweep_store_open(const char *path, qdi_sweep_store **store, qd_error *note, qd_error *error) {
    *store = NULL;
    if (note) note->text[0] = '\0';
    qdi_sweep_store *made = make(path, error);
    if (!made) return QD_ERR_MEMORY;
    qd_status status = connect_and_check(made, true, error);
    if (status == QD_ERR_CORRUPT) {
        disconnect(made);
        status = put_aside(made, note, error);
        if (status == QD_OK) status = connect_and_check(made, true, error);
    }
    if (status == QD_OK)
        *store = made;
    else
        qdi_sweep_store_close(made);
    return status;
}

qd_status qdi_sweep_store_open_to_read(const char *path, qdi_sweep_store **store, qd_error *error) {
    *store = NULL;
    if (!qdi_os_is_file(path)) return qdi_reason(error, QD_ERR_NOT_FOUND, "there is no %.300s", path);
    qdi_sweep_store *made = make(path, error);
    if (!made) return QD_ERR_MEMORY;
    qd_status status = connect_and_check(made, false, error);
    if (status == QD_OK)
        *store = made;
    else
        qdi_sweep_store_close(made);
    return status;
}

/// All columns of `runs`, with a comma between.
static void add_names(qdi_text *sql) {
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind = QDI_SWEEP_NOTHING;
    qdi_text_add(sql, "id, status, code, reason, ended_wall");
    for (size_t i = 0; qdi_sweep_result_column(i, name, &kind); ++i) {
        qdi_text_add(sql, ", ");
        qdi_text_add(sql, name);
    }
}

static int attach(qdi_sweep_store *store, const char *path) {
    sqlite3_stmt *statement = NULL;
    qdi_text name = {.allocator = store->allocator};
    qdi_sql_path(path, &name);
    int code = name.status == QD_OK ? sqlite3_prepare_v2(store->db, "ATTACH ? AS other", -1, &statement, NULL)
                                    : SQLITE_NOMEM;
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 1, name.chars, -1, SQLITE_TRANSIENT);
    qdi_text_release(&name);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

qd_status qdi_sweep_store_merge(qdi_sweep_store *store, const char *path, qd_error *note, qd_error *error) {
    qdi_sweep_store *other = NULL; // opening looks at it, and gives it all columns
    qd_status status = qdi_sweep_store_open(path, &other, note, error);
    qdi_sweep_store_close(other);
    if (status != QD_OK) return status;
    qdi_text sql = {.allocator = store->allocator};
    qdi_text_add(&sql, "DELETE FROM runs WHERE EXISTS (SELECT 1 FROM other.runs AS o WHERE o.id = runs.id "
                       "AND (o.status = 'done'"
                       " OR (runs.status = 'failed' AND o.ended_wall >= runs.ended_wall)));"
                       "INSERT OR IGNORE INTO runs (");
    add_names(&sql);
    qdi_text_add(&sql, ") SELECT ");
    add_names(&sql);
    qdi_text_add(&sql, " FROM other.runs");
    int code = attach(store, path);
    bool attached = code == SQLITE_OK;
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK) code = qdi_sweep_sql_run(store, &sql);
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "COMMIT");
    if (code != SQLITE_OK) {
        status = qdi_sweep_sql_fail(store, "write", code, error);
        if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK");
    }
    if (attached) (void)qdi_sql_run(store->db, "DETACH other");
    qdi_text_release(&sql);
    return status;
}
