#define _GNU_SOURCE // open_memstream
#include "tests/rundirs.h"

#include "tests/scratch.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <quadrille/hash.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool of_the_clock(const char *name) {
    return strstr(name, "wall") || strstr(name, "_ns") || strncmp(name, "ns_", 3) == 0 ||
           strcmp(name, "phases") == 0 || strcmp(name, "peak_rss_bytes") == 0;
}

static void add_file(FILE *to, const char *directory, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    size_t bytes = 0;
    char *data = qd_scratch_read(path, &bytes);
    ck_assert_msg(data != NULL, "%s is missing", path);
    fprintf(to, "file %s %zu %016" PRIx64 "\n", name, bytes, qd_hash_bytes(data, bytes));
    free(data);
}

static int is_name(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void add_frames(FILE *to, const char *directory) {
    char path[1024];
    snprintf(path, sizeof path, "%s/frames", directory);
    struct dirent **entries;
    int count = scandir(path, &entries, is_name, alphasort);
    for (int i = 0; i < count; ++i) {
        char name[512];
        snprintf(name, sizeof name, "frames/%s", entries[i]->d_name);
        add_file(to, directory, name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static void add_result(FILE *to, const char *directory) {
    char path[1024];
    snprintf(path, sizeof path, "%s/result.json", directory);
    json_error_t error;
    json_t *result = json_load_file(path, 0, &error);
    ck_assert_msg(result != NULL, "%s: %s", path, error.text);
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(result, next, key, value) {
        if (of_the_clock(key)) json_object_del(result, key);
    }
    char *text = json_dumps(result, JSON_SORT_KEYS | JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fprintf(to, "%s\n", text);
    free(text);
    json_decref(result);
}

static void add_value(FILE *to, sqlite3_stmt *row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER: fprintf(to, " %lld", (long long)sqlite3_column_int64(row, column)); break;
    case SQLITE_FLOAT: fprintf(to, " %.17g", sqlite3_column_double(row, column)); break;
    case SQLITE_NULL: fprintf(to, " -"); break;
    default: {
        const void *data = sqlite3_column_blob(row, column);
        int bytes = sqlite3_column_bytes(row, column);
        if (bytes <= 32)
            fprintf(to, " %.*s", bytes, (const char *)data);
        else
            fprintf(to, " %d:%016" PRIx64, bytes, qd_hash_bytes(data, (size_t)bytes));
    }
    }
}

static void add_table(FILE *to, sqlite3 *db, const char *table, const char *which) {
    char query[256];
    snprintf(query, sizeof query, "SELECT * FROM %s %s", table, which);
    sqlite3_stmt *rows;
    ck_assert_msg(sqlite3_prepare_v2(db, query, -1, &rows, NULL) == SQLITE_OK, "%s: %s", query,
                  sqlite3_errmsg(db));
    while (sqlite3_step(rows) == SQLITE_ROW) {
        fprintf(to, "%s", table);
        for (int column = 0; column < sqlite3_column_count(rows); ++column)
            if (!of_the_clock(sqlite3_column_name(rows, column))) add_value(to, rows, column);
        fprintf(to, "\n");
    }
    ck_assert_int_eq(sqlite3_finalize(rows), SQLITE_OK);
}

static void add_database(FILE *to, const char *directory) {
    char path[1024];
    snprintf(path, sizeof path, "%s/run.db", directory);
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    add_table(to, db, "run", "");
    add_table(to, db, "metrics", "ORDER BY step");
    add_table(to, db, "hashes", "ORDER BY step");
    add_table(to, db, "events", "ORDER BY step, number");
    add_table(to, db, "snapshots", "ORDER BY step");
    add_table(to, db, "parts", "WHERE owner LIKE 'snapshot%' ORDER BY step, part");
    add_table(to, db, "frames", "ORDER BY number");
    add_table(to, db, "failures", "ORDER BY step");
    sqlite3_close(db);
}

char *qd_rundir_content(const char *directory) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    ck_assert_ptr_nonnull(to);
    add_file(to, directory, "scene.yaml");
    add_frames(to, directory);
    add_result(to, directory);
    add_database(to, directory);
    ck_assert_int_eq(fclose(to), 0);
    return text;
}

void qd_rundir_expect_same(const char *expected, const char *found, const char *after) {
    const char *a = expected, *b = found;
    while (*a && *a == *b) ++a, ++b;
    if (*a == *b) return;
    while (a > expected && a[-1] != '\n') --a, --b;
    ck_abort_msg("%s: expected \"%.*s\", found \"%.*s\"", after, (int)strcspn(a, "\n"), a,
                 (int)strcspn(b, "\n"), b);
}
