// How the store speaks with SQLite: codes, reasons, and the few calls that every file of it needs.

#include "sim/files/os.h"
#include "sim/store/store_impl.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

qd_status qdi_sql_status(int code) {
    if (code == SQLITE_IOERR_NOMEM) return QD_ERR_MEMORY;
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return QD_OK;
    case SQLITE_NOMEM: return QD_ERR_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return QD_ERR_STATE;
    case SQLITE_ERROR: // our statements are right where the tables are ours
    case SQLITE_MISMATCH:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return QD_ERR_CORRUPT;
    case SQLITE_CONSTRAINT: return QD_ERR_EXISTS;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_TOOBIG:
    case SQLITE_PROTOCOL: return QD_ERR_IO;
    default: return QD_ERR_INTERNAL;
    }
}

int qdi_sql_cause(sqlite3 *db, int code) {
    int number = 0;
    if ((code & 0xff) != SQLITE_CORRUPT || !db ||
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK)
        return code;
    return number == EIO || number == ENXIO ? SQLITE_IOERR_READ : code;
}

qd_status qdi_sql_fail_at(sqlite3 *db, const char *path, const char *verb, int code, qd_error *error) {
    code = qdi_sql_cause(db, code);
    qd_status status = qdi_sql_status(code);
    if (status == QD_ERR_STATE) return qdi_reason(error, status, "%.300s is in use by another process", path);
    // The connection knows more than the code does, unless there is none or it speaks of something else.
    const char *why = db && (sqlite3_errcode(db) & 0xff) == (code & 0xff) ? sqlite3_errmsg(db)
                                                                          : sqlite3_errstr(code);
    return qdi_reason(error, status, "cannot %s %.300s: %.150s", verb, path, why);
}

qd_status qdi_sql_fail(const qd_store *store, const char *verb, int code, qd_error *error) {
    return qdi_sql_fail_at(store->db, store->path, verb, code, error);
}

int qdi_sql_guard(sqlite3 *db) {
    static const struct {
        int option, value;
    } switches[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0] && code == SQLITE_OK; ++i)
        code = sqlite3_db_config(db, switches[i].option, switches[i].value, (int *)NULL);
    return code;
}

/// SQL: past ", name TYPE", a column that computes nothing and refuses nothing; NULL where anything else is
/// at `at`.
static const char *past_column(const char *at) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    static const char *const types[] = {" INTEGER", " REAL", " TEXT"};
    if (strncmp(at, ", ", 2) != 0) return NULL;
    at += 2;
    size_t length = strspn(at, letters);
    if (*at == '"') length = strcspn(at + 1, "\"") + 2;
    if (length == 0 || length > strlen(at)) return NULL;
    at += length;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (strncmp(at, types[i], strlen(types[i])) == 0) return at + strlen(types[i]);
    return at;
}

/// True for the statement `head`, any number of plain columns, `tail`.
static bool is_statement(const char *sql, const char *head, const char *tail) {
    if (strncmp(sql, head, strlen(head)) != 0) return false;
    const char *at = sql + strlen(head);
    while (at && strcmp(at, tail) != 0) at = past_column(at);
    return at != NULL;
}

qd_status qdi_sql_check_table(sqlite3 *db, const char *path, const char *head, const char *tail,
                              qd_error *error) {
    static const char start[] = "CREATE TABLE ";
    const char *name = head + sizeof start - 1;
    sqlite3_stmt *statement = NULL;
    bool found = false;
    int code = sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", -1, &statement,
                                  NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    for (; code == SQLITE_ROW && !found; code = found ? SQLITE_DONE : sqlite3_step(statement)) {
        const char *sql = (const char *)sqlite3_column_text(statement, 0);
        if (!sql) break; // it is none, so there was no memory to show it
        found = is_statement(sql, head, tail);
    }
    if (code == SQLITE_ROW) code = SQLITE_NOMEM;
    (void)sqlite3_finalize(statement);
    if (code != SQLITE_DONE) return qdi_sql_fail_at(db, path, "read", code, error);
    if (found) return QD_OK;
    return qdi_reason(error, QD_ERR_CORRUPT, "%.300s has no table %.*s as Quadrille makes it", path,
                      (int)strcspn(name, " "), name);
}

void qdi_sql_path(const char *path, qdi_text *text) {
    if (path[0] != '/') qdi_text_add(text, "./"); // else "file:x" would be a URI, and ":memory:" no file
    qdi_text_add(text, path);
}

/// Looks at the file and what may lie beside it. SQLite follows a link in place of a database, and waits at a
/// pipe in place of a journal.
static qd_status check_files(const char *path, qd_error *error) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    qd_status status = QD_OK;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && status == QD_OK; ++i) {
        qdi_text name = {.allocator = qd_allocator_default()};
        qdi_text_add(&name, path);
        qdi_text_add(&name, endings[i]);
        status = name.status == QD_OK ? qdi_os_check(name.chars, QDI_OS_FILE, error)
                                      : qdi_reason(error, name.status, "%s", qd_status_text(name.status));
        qdi_text_release(&name);
    }
    return status;
}

/// Why a database could not be opened.
static qd_status open_failed(sqlite3 *db, const char *path, int code, qd_error *error) {
    const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    size_t bytes = qdi_os_full_length(path), most = vfs ? (size_t)vfs->mxPathname : SIZE_MAX;
    most -= strlen("-journal"); // the longest of the endings that it puts behind a name
    if ((code & 0xff) != SQLITE_CANTOPEN || bytes <= most)
        return qdi_sql_fail_at(db, path, "open", code, error);
    return qdi_reason(error, QD_ERR_IO,
                      "cannot open %.300s: its full name is %zu bytes long, and SQLite takes %zu", path,
                      bytes, most);
}

qd_status qdi_sql_open(const char *path, int flags, sqlite3 **db, qd_error *error) {
    *db = NULL;
    qd_status status = check_files(path, error);
    if (status != QD_OK) return status;
    qdi_text name = {.allocator = qd_allocator_default()};
    qdi_sql_path(path, &name);
    int code = SQLITE_NOMEM;
    if (name.status == QD_OK)
        code = sqlite3_open_v2(name.chars, db, flags | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX, NULL);
    qdi_text_release(&name);
    if (code == SQLITE_OK) return QD_OK;
    status = open_failed(*db, path, code, error);
    (void)sqlite3_close(*db);
    *db = NULL;
    return status;
}

int qdi_sql_run(sqlite3 *db, const char *sql) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

int qdi_sql_number(sqlite3 *db, const char *sql, int64_t *number) {
    sqlite3_stmt *statement = NULL;
    *number = 0;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int qdi_sql_bind_step(sqlite3_stmt *statement, int at, uint64_t step) {
    return sqlite3_bind_int64(statement, at, (sqlite3_int64)step);
}

// Binds values to the columns of an SQL statement by their kinds.
static int bind_columns(sqlite3_stmt *statement, int at, const char *kinds, va_list *values) {
    char hash[17];
    const char *text;
    int code = SQLITE_OK;
    for (; *kinds && code == SQLITE_OK; ++kinds, ++at) {
        switch (*kinds) {
        case 'u': code = qdi_sql_bind_step(statement, at, va_arg(*values, uint64_t)); break;
        case 'd': code = sqlite3_bind_double(statement, at, va_arg(*values, double)); break;
        case 's':
            text = va_arg(*values, const char *);
            code = sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_STATIC);
            break;
        case 'h':
            (void)snprintf(hash, sizeof hash, "%016" PRIx64, va_arg(*values, uint64_t));
            code = sqlite3_bind_text(statement, at, hash, 16, SQLITE_TRANSIENT);
            break;
        default: code = sqlite3_bind_null(statement, at); break;
        }
    }
    return code;
}

int qdi_sql_bind(sqlite3_stmt *statement, int at, const char *kinds, ...) {
    va_list values;
    va_start(values, kinds);
    int code = bind_columns(statement, at, kinds, &values);
    va_end(values);
    return code;
}

int qdi_sql_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **statement, const char *kinds, ...) {
    va_list values;
    int code = sqlite3_prepare_v2(db, sql, -1, statement, NULL);
    va_start(values, kinds);
    if (code == SQLITE_OK) code = bind_columns(*statement, 1, kinds, &values);
    va_end(values);
    return code;
}

int qdi_sql_do(sqlite3 *db, const char *sql, const char *kinds, ...) {
    sqlite3_stmt *statement = NULL;
    va_list values;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    va_start(values, kinds);
    if (code == SQLITE_OK) code = bind_columns(statement, 1, kinds, &values);
    va_end(values);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

qd_status qdi_sql_check_step(const qd_store *store, sqlite3_stmt *statement, const char *table,
                             uint64_t least, uint64_t most, qd_error *error) {
    int64_t step = sqlite3_column_int64(statement, 0);
    if (sqlite3_column_type(statement, 0) == SQLITE_INTEGER && step >= 0 && (uint64_t)step >= least &&
        (uint64_t)step <= most)
        return QD_OK;
    return qdi_reason(error, QD_ERR_CORRUPT, "%.300s: table %s: row %" PRId64 " is out of order", store->path,
                      table, step);
}

qdi_sql_chars qdi_sql_text(sqlite3_stmt *statement, int column) {
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT) return (qdi_sql_chars){NULL, 0};
    const char *at = sqlite3_column_blob(statement, column);
    return (qdi_sql_chars){at ? at : "", (size_t)sqlite3_column_bytes(statement, column)};
}

bool qdi_sql_hash(sqlite3_stmt *statement, int column, uint64_t *hash) {
    const qdi_sql_chars text = qdi_sql_text(statement, column);
    return text.at && qdi_hash_read(text.at, text.bytes, hash);
}

qd_status qdi_sql_commit(qd_store *store, int code, qd_error *error) {
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "COMMIT");
    if (code == SQLITE_OK) return QD_OK;
    qd_status status = qdi_sql_fail(store, "write", code, error);
    if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK");
    return status;
}
