#include "tests/support/runs.h"

#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <check.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

typedef struct path {
    char text[600];
} path;

static path join(const char *directory, const char *name) {
    path made;
    snprintf(made.text, sizeof made.text, "%s/%s", directory, name);
    return made;
}

static void expect_same_file(const char *a, const char *b, const char *name) {
    size_t a_bytes = 0, b_bytes = 0;
    qd_own_memory char *a_data = qd_scratch_read(join(a, name).text, &a_bytes);
    qd_own_memory char *b_data = qd_scratch_read(join(b, name).text, &b_bytes);
    ck_assert_msg(a_data && b_data, "%s is missing", name);
    size_t at = 0;
    while (at < a_bytes && at < b_bytes && a_data[at] == b_data[at]) ++at;
    ck_assert_msg(at == a_bytes && at == b_bytes, "%s differs from byte %zu on, of %zu and %zu", name, at,
                  a_bytes, b_bytes);
}

static void expect_same_frames(const char *a, const char *b) {
    path list = join(a, "frames");
    if (!qd_scratch_exists(list.text)) {
        ck_assert(!qd_scratch_exists(join(b, "frames").text));
        return;
    }
    size_t files = qd_scratch_count(list.text);
    ck_assert_uint_eq(qd_scratch_count(join(b, "frames").text), files);
    expect_same_file(a, b, "frames/manifest.csv");
    for (size_t i = 0; i + 1 < files; ++i) {
        char name[64];
        snprintf(name, sizeof name, "frames/frame_%06zu.png", i);
        expect_same_file(a, b, name);
    }
}

static json_t *result_of(const char *directory) {
    static const char *const others[] = {"wall_seconds", "ns_per_body_step", "phases", "threads",
                                         "simd",         "peak_rss_bytes",   "ranks",  "threads_used"};
    json_error_t error;
    json_t *root = json_load_file(join(directory, "result.json").text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s/result.json: %s", directory, error.text);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) json_object_del(root, others[i]);
    return root;
}

static sqlite3 *open_database(const char *directory, int flags) {
    sqlite3 *database = NULL;
    int code = sqlite3_open_v2(join(directory, "run.db").text, &database, flags, NULL);
    ck_assert_msg(code == SQLITE_OK, "%s/run.db: %s", directory, sqlite3_errmsg(database));
    return database;
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *query = NULL;
    ck_assert_msg(sqlite3_prepare_v2(database, sql, -1, &query, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(database));
    return query;
}

/// SELECT of all columns of a table that are no matter of the clock, in order. Which checkpoints there are is
/// a matter of when a run was stopped.
static char *query_of(sqlite3 *database, const char *table) {
    char *sql = sqlite3_mprintf(
        "SELECT group_concat(name) FROM pragma_table_info(%Q) WHERE name NOT LIKE '%%\\_ns' "
        "ESCAPE '\\' AND name NOT LIKE '%%\\_wall' ESCAPE '\\'",
        table);
    sqlite3_stmt *query = prepare(database, sql);
    sqlite3_free(sql);
    ck_assert_int_eq(sqlite3_step(query), SQLITE_ROW);
    sql = sqlite3_mprintf("SELECT %s FROM %s%s ORDER BY 1, 2", sqlite3_column_text(query, 0), table,
                          strcmp(table, "parts") == 0 ? " WHERE owner = 'snapshot'" : "");
    sqlite3_finalize(query);
    return sql;
}

static void expect_same_row(const char *table, int row, sqlite3_stmt *a, sqlite3_stmt *b) {
    ck_assert_int_eq(sqlite3_column_count(a), sqlite3_column_count(b));
    for (int i = 0; i < sqlite3_column_count(a); ++i) {
        bool same = sqlite3_column_type(a, i) == sqlite3_column_type(b, i);
        if (same && sqlite3_column_type(a, i) == SQLITE_FLOAT) {
            double x = sqlite3_column_double(a, i), y = sqlite3_column_double(b, i);
            same = memcmp(&x, &y, sizeof x) == 0;
        } else if (same) {
            const void *x = sqlite3_column_blob(a, i), *y = sqlite3_column_blob(b, i);
            int bytes = sqlite3_column_bytes(a, i);
            same = sqlite3_column_bytes(b, i) == bytes && (bytes == 0 || memcmp(x, y, (size_t)bytes) == 0);
        }
        ck_assert_msg(same, "%s: column %s of row %d differs", table, sqlite3_column_name(a, i), row);
    }
}

static void expect_same_table(sqlite3 *a, sqlite3 *b, const char *table) {
    char *sql = query_of(a, table);
    sqlite3_stmt *of_a = prepare(a, sql), *of_b = prepare(b, sql);
    sqlite3_free(sql);
    for (int row = 0;; ++row) {
        int more = sqlite3_step(of_a), too = sqlite3_step(of_b);
        ck_assert_msg(more == too, "%s: one has more than %d rows", table, row);
        if (more != SQLITE_ROW) break;
        expect_same_row(table, row, of_a, of_b);
    }
    sqlite3_finalize(of_a);
    sqlite3_finalize(of_b);
}

void qd_runs_expect_same_records(const char *a, const char *b) {
    static const char *const tables[] = {"metrics", "hashes", "events",   "snapshots",
                                         "parts",   "frames", "failures", "stages"};
    expect_same_file(a, b, "scene.yaml");
    json_t *result_a = result_of(a), *result_b = result_of(b);
    if (!json_equal(result_a, result_b)) {
        char *text_a = json_dumps(result_a, JSON_SORT_KEYS), *text_b = json_dumps(result_b, JSON_SORT_KEYS);
        ck_abort_msg("results differ: %s and %s", text_a, text_b);
    }
    json_decref(result_a);
    json_decref(result_b);
    sqlite3 *store_a = open_database(a, SQLITE_OPEN_READWRITE);
    sqlite3 *store_b = open_database(b, SQLITE_OPEN_READWRITE);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i)
        expect_same_table(store_a, store_b, tables[i]);
    sqlite3_close(store_a);
    sqlite3_close(store_b);
}

void qd_runs_expect_same(const char *a, const char *b) {
    expect_same_frames(a, b);
    qd_runs_expect_same_records(a, b);
}

int64_t qd_runs_number(const char *directory, const char *sql) {
    sqlite3 *database = open_database(directory, SQLITE_OPEN_READWRITE);
    sqlite3_stmt *query = prepare(database, sql);
    int64_t value = sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_int64(query, 0) : -1;
    sqlite3_finalize(query);
    sqlite3_close(database);
    return value;
}

double qd_runs_real(const char *directory, const char *sql) {
    sqlite3 *database = open_database(directory, SQLITE_OPEN_READWRITE);
    sqlite3_stmt *query = prepare(database, sql);
    double value = sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_double(query, 0) : (double)NAN;
    sqlite3_finalize(query);
    sqlite3_close(database);
    return value;
}

void qd_runs_change(const char *directory, const char *sql) {
    sqlite3 *database = open_database(directory, SQLITE_OPEN_READWRITE);
    char *reason = NULL;
    ck_assert_msg(sqlite3_exec(database, sql, NULL, NULL, &reason) == SQLITE_OK, "%s: %s", sql, reason);
    sqlite3_close(database);
}
