// The tables of a run store, and how older ones are brought up to date.
//
// The schema is a list of changes; version n is what the first n of them make. A new store goes through all
// of them, an older one through those that it has not seen: so there is one description, and what a migration
// makes is what a new store has.

#include "sim/store/store_impl.h"
#include "sim/text/reason.h"

#include <stdio.h>
#include <string.h>

static const char version_1[] =
    "CREATE TABLE run (version TEXT, scene TEXT, scene_hash TEXT, scene_text TEXT, seed INTEGER, dt REAL,"
    " steps INTEGER, bodies INTEGER, threads INTEGER, simd TEXT, source TEXT, compiler TEXT, flags TEXT,"
    " cpu TEXT, created_wall TEXT);"
    "CREATE TABLE metrics (step INTEGER PRIMARY KEY);" // its columns: store_metrics.c
    "CREATE TABLE hashes (step INTEGER PRIMARY KEY, hash TEXT NOT NULL);"
    "CREATE TABLE events (step INTEGER NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,"
    " a INTEGER NOT NULL, b INTEGER, side TEXT, x REAL, y REAL, normal_x REAL, normal_y REAL, impulse REAL,"
    " friction REAL, approach REAL, depth REAL, within REAL, PRIMARY KEY (step, number)) WITHOUT ROWID;"
    "CREATE TABLE snapshots (step INTEGER PRIMARY KEY, time REAL, bytes INTEGER, checksum TEXT NOT NULL);"
    "CREATE TABLE checkpoints (step INTEGER PRIMARY KEY, time REAL, bytes INTEGER, checksum TEXT NOT NULL,"
    " session BLOB, created_wall TEXT);"
    "CREATE TABLE parts (owner TEXT NOT NULL, step INTEGER NOT NULL, part INTEGER NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY (owner, step, part));"
    "CREATE TABLE frames (number INTEGER PRIMARY KEY, step INTEGER NOT NULL, time REAL, pixels TEXT NOT "
    "NULL);"
    "CREATE TABLE failures (step INTEGER NOT NULL, reason TEXT NOT NULL, label INTEGER, x REAL, y REAL,"
    " vx REAL, vy REAL);";

static const char version_2[] =
    "CREATE TABLE fields (step INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, time REAL,"
    " x REAL, y REAL, width REAL, height REAL, nx INTEGER, ny INTEGER, data BLOB NOT NULL,"
    " PRIMARY KEY (step, number));";

static const char version_3[] =
    "CREATE TABLE stages (number INTEGER PRIMARY KEY, step INTEGER NOT NULL, time REAL, name TEXT NOT NULL,"
    " first_id INTEGER NOT NULL, before TEXT, bodies INTEGER, contacts INTEGER, begins INTEGER,"
    " impacts INTEGER, emitted INTEGER, removed INTEGER, kinetic REAL, potential REAL);"
    "CREATE TABLE distributions (step INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,"
    " time REAL, first REAL, width REAL, bins INTEGER, data BLOB NOT NULL, PRIMARY KEY (step, number));";

static const char version_4[] = "CREATE TABLE forms (name TEXT PRIMARY KEY, form INTEGER NOT NULL);";

/// Change n brings a store of version n to version n + 1.
static const char *const changes[] = {version_1, version_2, version_3, version_4};

enum { VERSION = sizeof changes / sizeof changes[0] };

int64_t qdi_tables_version(void) {
    return VERSION;
}

const char *qdi_tables_stepped(size_t number) {
    static const char *const tables[] = {"metrics",     "hashes", "events",       "snapshots",
                                         "checkpoints", "parts",  "frames",       "failures",
                                         "fields",      "stages", "distributions"};
    return number < sizeof tables / sizeof tables[0] ? tables[number] : NULL;
}

/// Whether each table is the one that its statement in `made` makes, with columns behind: those of
/// `metrics`, and what people have added. A later change of the schema that rewrites one of these tables has
/// its say here too.
static qd_status check_tables(const qd_store *store, const char *made, qd_error *error) {
    qd_status status = QD_OK;
    for (const char *at = made; *at && status == QD_OK; at += strcspn(at, ";") + 1) {
        char statement[512];
        size_t length = strcspn(at, ";");
        bool open = at[length - 1] == ')'; // else "WITHOUT ROWID", and nothing comes behind
        (void)snprintf(statement, sizeof statement, "%.*s", (int)(length - (open ? 1 : 0)), at);
        status = qdi_sql_check_table(store->db, store->path, statement, open ? ")" : "", error);
    }
    return status;
}

qd_status qdi_tables_check(qd_store *store, int64_t *version, qd_error *error) {
    int64_t application = 0;
    int code = qdi_sql_number(store->db, "PRAGMA application_id", &application);
    if (code == SQLITE_OK) code = qdi_sql_number(store->db, "PRAGMA user_version", version);
    if (code != SQLITE_OK) return qdi_sql_fail(store, "read", code, error);
    if (application != QDI_STORE_APPLICATION)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s is no run store of Quadrille's", store->path);
    if (*version > VERSION)
        return qdi_reason(error, QD_ERR_INVALID,
                          "%.300s has schema %lld, of a newer Quadrille; this one knows up to %d",
                          store->path, (long long)*version, VERSION);
    if (*version < 0)
        return qdi_reason(error, QD_ERR_CORRUPT, "%.300s has schema %lld, which there never was", store->path,
                          (long long)*version);
    qd_status status = QD_OK;
    for (size_t i = 0; *version == VERSION && i < VERSION && status == QD_OK; ++i)
        status = check_tables(store, changes[i], error);
    return status;
}

// Brings the tables of an older run.db up to date.
static int update_tables(qd_store *store, int64_t version) {
    sqlite3 *db = store->db;
    char mark[96];
    int code = SQLITE_OK;
    for (int64_t next = version; next < VERSION && code == SQLITE_OK; ++next)
        code = qdi_sql_run(db, changes[next]);
    if (code == SQLITE_OK) code = qdi_metrics_columns(store);
    (void)snprintf(mark, sizeof mark, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                   QDI_STORE_APPLICATION, VERSION);
    return code == SQLITE_OK ? qdi_sql_run(db, mark) : code;
}

qd_status qdi_tables_forms(qd_store *store, qd_error *error) {
    int64_t form = 1; // of runs that were begun before there were others
    int code = qdi_sql_number(store->db, "SELECT coalesce(max(form), 1) FROM forms WHERE name = 'hash'",
                              &form);
    if (code != SQLITE_OK) return qdi_sql_fail(store, "read", code, error);
    if (form < 1)
        return qdi_reason(error, QD_ERR_CORRUPT, "%.300s: table forms: hash is %lld, which there never was",
                          store->path, (long long)form);
    if (form > QD_HASH_FORM)
        return qdi_reason(error, QD_ERR_INVALID,
                          "%.300s has hashes of form %lld, of a newer Quadrille; this one knows up to %d",
                          store->path, (long long)form, QD_HASH_FORM);
    store->hash_form = (int)form;
    return QD_OK;
}

qd_status qdi_tables_update(qd_store *store, int64_t version, qd_error *error) {
    int code = qdi_sql_run(store->db, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK) code = update_tables(store, version);
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "COMMIT");
    if (code == SQLITE_OK) return QD_OK;
    qd_status status = qdi_sql_fail(store, "bring up to date", code, error);
    (void)qdi_sql_run(store->db, "ROLLBACK");
    return status;
}
