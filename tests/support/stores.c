#define _GNU_SOURCE // open_memstream
#include "tests/support/stores.h"

#include "tests/support/worlds.h"

#include <inttypes.h>
#include <quadrille/hash.h>
#include <stdio.h>
#include <string.h>

static const char scene_text[] = "name: store\n"
                                 "world: {size: [24, 16], gravity: [0, -5]}\n"
                                 "run: {steps: 60, dt: 0.02, seed: 5}\n"
                                 "contact: {restitution: 0.5, friction: 0.3}\n";

qd_world *qd_store_rig_world(const qd_store_rig *rig) {
    const qd_world_def def = qd_scene_world(rig->scene);
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(3, 0, 0);
    for (uint64_t i = 0; i < 70; ++i) {
        qd_body_def body = qd_test_body_at(i % 3 == 0 ? qd_shape_rect(0.8, 0.5) : qd_shape_disk(0.4),
                                           1 + 2 * (double)(i % 11), 1 + 2 * (double)(i / 11));
        body.velocity = (qd_vec2){qd_test_between(&random, -4, 4), qd_test_between(&random, -4, 4)};
        body.label = i % 2 == 0 ? 1000 + 7 * i : 0;
        (void)qd_test_add(world, &body);
    }
    qd_test_sink(world, 0, 0, 4, 2, UINT64_MAX);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

qd_store_rig qd_store_rig_make(void) {
    qd_error error = {""};
    qd_store_rig rig = {.scratch = qd_scratch_make()};
    rig.path = qd_scratch_at(&rig.scratch, "run.db");
    ck_assert_int_eq(
        qd_scene_parse(scene_text, sizeof scene_text - 1, "store.yaml", NULL, &rig.scene, &error), QD_OK);
    rig.world = qd_store_rig_world(&rig);
    qd_store_def def = qd_store_def_default();
    def.scene = rig.scene;
    def.bodies = qd_world_count(rig.world);
    def.cpu = "a processor";
    qd_status status = qd_store_create(rig.path.text, &def, &rig.store, &error);
    ck_assert_msg(status == QD_OK, "create: %s", error.text);
    return rig;
}

void qd_store_rig_end(qd_store_rig *rig) {
    qd_test_store_close(&rig->store);
    qd_world_destroy(rig->world);
    qd_scene_destroy(rig->scene);
    qd_scratch_remove(&rig->scratch);
}

void qd_test_store_close(qd_store **store) {
    qd_error error = {""};
    qd_status status = qd_store_close(*store, &error);
    *store = NULL;
    ck_assert_msg(status == QD_OK, "close: %s", error.text);
}

qd_store *qd_test_store_open(const char *path, qd_store_mode mode) {
    qd_error error = {""};
    qd_store *store = NULL;
    qd_status status = qd_store_open(path, mode, NULL, &store, &error);
    ck_assert_msg(status == QD_OK, "open: %s", error.text);
    return store;
}

void qd_test_store_flush(qd_store *store) {
    qd_error error = {""};
    qd_status status = qd_store_flush(store, &error);
    ck_assert_msg(status == QD_OK, "flush: %s", error.text);
}

// Puts the fields of the world's present step, on a grid of 3 by 2 cells.
static qd_status record_test_fields(qd_store *store, const qd_world *world) {
    qd_field *field = NULL;
    qd_status status = qd_field_create(3, 2, NULL, &field);
    if (status == QD_OK) status = qd_field_measure(field, world);
    if (status == QD_OK) status = qd_store_put_field(store, field);
    qd_field_destroy(field);
    return status;
}

void qd_test_store_record(qd_store *store, const qd_world *world) {
    uint64_t step = qd_world_steps(world);
    qd_status status = QD_OK;
    if (step % 2 == 0) {
        const uint64_t phases[QD_PHASE_COUNT] = {1, 2, 3, 4, 5, 6};
        qd_metrics metrics = qd_test_measure(world);
        status = qd_store_put_metrics(store, &metrics, phases);
        if (status == QD_OK) status = qd_store_put_hash(store, step, qd_world_hash(world));
    }
    if (status == QD_OK) status = qd_store_put_events(store, world, step % 3 == 0);
    if (status == QD_OK && step % 4 == 2) status = record_test_fields(store, world);
    if (status == QD_OK && step % 8 == 0) status = qd_store_put_snapshot(store, world);
    const qd_store_frame frame = {step / 4, step, qd_world_time(world), qd_hash_mix(step, 1)};
    if (status == QD_OK && step % 4 == 0) status = qd_store_put_frame(store, &frame);
    ck_assert_int_eq(status, QD_OK);
}

void qd_test_store_checkpoint(qd_store *store, const qd_world *world) {
    char session[64];
    int length = snprintf(session, sizeof session, "session %" PRIu64, qd_world_steps(world));
    ck_assert_int_eq(qd_store_put_checkpoint(store, world, session, (size_t)length, 2), QD_OK);
}

void qd_test_store_run(qd_store *store, qd_world *world, uint64_t step) {
    for (;;) {
        if (qd_world_steps(world) == step) break;
        qd_test_step(world, 0.02, 1);
        qd_test_store_record(store, world);
        if (qd_world_steps(world) % 10 == 0) qd_test_store_checkpoint(store, world);
    }
}

static void add_value(FILE *text, sqlite3_stmt *statement, int column) {
    const void *blob = NULL;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: fprintf(text, "%lld", (long long)sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: fprintf(text, "%.17g", sqlite3_column_double(statement, column)); break;
    case SQLITE_TEXT: fprintf(text, "%s", (const char *)sqlite3_column_text(statement, column)); break;
    case SQLITE_BLOB:
        blob = sqlite3_column_blob(statement, column);
        fprintf(text, "%d:%016" PRIx64, sqlite3_column_bytes(statement, column),
                qd_hash_bytes(blob, (size_t)sqlite3_column_bytes(statement, column)));
        break;
    default: break;
    }
}

static sqlite3 *open_database(const char *path, int flags) {
    sqlite3 *db = NULL;
    ck_assert_msg(sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK, "%s cannot be opened", path);
    return db;
}

static void add_rows(sqlite3 *db, const char *query, FILE *text) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, query, -1, &statement, NULL);
    ck_assert_msg(code == SQLITE_OK, "%s: %s", query, sqlite3_errmsg(db));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
            if (i > 0) fputc('|', text);
            add_value(text, statement, i);
        }
        fputc('\n', text);
    }
    ck_assert_msg(code == SQLITE_DONE, "%s: %s", query, sqlite3_errmsg(db));
    sqlite3_finalize(statement);
}

char *qd_test_sql(const char *path, const char *query) {
    char *result = NULL;
    size_t bytes = 0;
    FILE *text = open_memstream(&result, &bytes);
    ck_assert_ptr_nonnull(text);
    sqlite3 *db = open_database(path, SQLITE_OPEN_READONLY);
    add_rows(db, query, text);
    sqlite3_close(db);
    fclose(text);
    return result;
}

void qd_test_sql_is(const char *path, const char *query, const char *expected) {
    qd_own_memory char *result = qd_test_sql(path, query);
    ck_assert_msg(strcmp(result, expected) == 0, "%s gives\n%sinstead of\n%s", query, result, expected);
}

void qd_test_sql_run(const char *path, const char *statements) {
    sqlite3 *db = open_database(path, SQLITE_OPEN_READWRITE);
    int code = sqlite3_exec(db, statements, NULL, NULL, NULL);
    ck_assert_msg(code == SQLITE_OK, "%s: %s", statements, sqlite3_errmsg(db));
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/// The columns of a table that are content, with commas between them.
static void add_columns(sqlite3 *db, const char *table, char columns[2048]) {
    static const char names[] = "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('%s')"
                                " WHERE name NOT GLOB '*_wall' AND name NOT GLOB '*_ns'"
                                " AND name NOT IN ('threads', 'simd', 'compiler', 'flags', 'cpu', 'source')"
                                " ORDER BY cid)";
    char query[512];
    snprintf(query, sizeof query, names, table);
    sqlite3_stmt *statement = NULL;
    ck_assert_int_eq(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    snprintf(columns, 2048, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

char *qd_test_store_content(const char *path) {
    static const char *const tables[] = {"run",       "metrics", "hashes",   "events",
                                         "snapshots", "frames",  "failures", "fields"};
    char *result = NULL, columns[2048], query[2200];
    size_t bytes = 0;
    FILE *text = open_memstream(&result, &bytes);
    ck_assert_ptr_nonnull(text);
    sqlite3 *db = open_database(path, SQLITE_OPEN_READONLY);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
        add_columns(db, tables[i], columns);
        fprintf(text, "%s: %s\n", tables[i], columns);
        snprintf(query, sizeof query, "SELECT %s FROM %s ORDER BY 1, 2", columns, tables[i]);
        add_rows(db, query, text);
    }
    add_rows(db, "SELECT step, part, data FROM parts WHERE owner = 'snapshot' ORDER BY step, part", text);
    sqlite3_close(db);
    fclose(text);
    return result;
}
