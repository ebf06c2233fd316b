#define _GNU_SOURCE // memmem
#include "tests/support/harness.h"
#include "tests/support/stores.h"
#include "tests/support/worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// A closed store of a run of 50 steps, with checkpoints at 0, 40 and 50 and snapshots at 0, 8, ...
static qd_store_rig make(void) {
    qd_store_rig rig = qd_store_rig_make();
    qd_test_store_record(rig.store, rig.world);
    qd_test_store_checkpoint(rig.store, rig.world);
    qd_test_store_run(rig.store, rig.world, 50);
    qd_test_store_close(&rig.store);
    return rig;
}

/// Turns one bit of byte `at` of a blob over.
static void flip(const char *path, const char *table, const char *column, const char *where, int at) {
    sqlite3 *db = NULL;
    sqlite3_stmt *find = NULL;
    sqlite3_blob *blob = NULL;
    char query[256];
    unsigned char byte = 0;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    snprintf(query, sizeof query, "SELECT rowid FROM %s WHERE %s", table, where);
    ck_assert_int_eq(sqlite3_prepare_v2(db, query, -1, &find, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(find), SQLITE_ROW);
    sqlite3_int64 row = sqlite3_column_int64(find, 0);
    sqlite3_finalize(find);
    ck_assert_int_eq(sqlite3_blob_open(db, "main", table, column, row, 1, &blob), SQLITE_OK);
    ck_assert_int_eq(sqlite3_blob_read(blob, &byte, 1, at), SQLITE_OK);
    byte ^= 4;
    ck_assert_int_eq(sqlite3_blob_write(blob, &byte, 1, at), SQLITE_OK);
    ck_assert_int_eq(sqlite3_blob_close(blob), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/// The last sound checkpoint is that of `step`, and the line about others is `named`; NOT_FOUND where `step`
/// is UINT64_MAX.
static void check_last(const qd_store_rig *rig, uint64_t step, const char *named) {
    qd_store *store = qd_test_store_open(rig->path.text, QD_STORE_GO_ON);
    qd_store_state moment;
    qd_error skipped = {"?"};
    qd_status status = qd_store_last_checkpoint(store, UINT64_MAX, &moment, &skipped);
    ck_assert_msg(status == (step == UINT64_MAX ? QD_ERR_CORRUPT : QD_OK), "%s", skipped.text);
    if (status == QD_OK) {
        ck_assert_uint_eq(moment.step, step);
        qd_own(qd_world) world = NULL;
        ck_assert_int_eq(qd_world_load(moment.world, moment.world_bytes, 1, NULL, &world, NULL), QD_OK);
        ck_assert_uint_eq(qd_world_steps(world), step);
    }
    const char *place = strstr(skipped.text, rig->path.text);
    if (named[0]) {
        ck_assert_msg(place && strcmp(place + strlen(rig->path.text), named) == 0, "%s", skipped.text);
    } else {
        ck_assert_str_eq(skipped.text, "");
    }
    qd_store_state_free(store, &moment);
    qd_test_store_close(&store);
}

QD_TEST(takes_the_checkpoint_before_a_damaged_one) {
    qd_own(qd_store_rig) rig = make();
    check_last(&rig, 50, "");
    flip(rig.path.text, "parts", "data", "owner = 'checkpoint' AND step = 50", 600);
    check_last(&rig, 40, ": the checkpoint of step 50 is damaged: its checksum differs");
    flip(rig.path.text, "checkpoints", "session", "step = 40", 3);
    check_last(&rig, 0,
               ": the checkpoint of step 50 is damaged: its checksum differs; so is that of step 40");
    qd_test_sql_run(rig.path.text, "DELETE FROM parts WHERE owner = 'checkpoint' AND step = 0");
    check_last(&rig, UINT64_MAX, ": the checkpoint of step 0 is damaged: its checksum differs");
}

QD_TEST(notices_every_way_to_damage_a_checkpoint) {
    static const char *const ways[] = {
        "UPDATE checkpoints SET checksum = replace(checksum, substr(checksum, 1, 1), 'x') WHERE step = 50",
        "UPDATE checkpoints SET checksum = '0123456789abcdef' WHERE step = 50",
        "UPDATE checkpoints SET checksum = 5 WHERE step = 50",
        "UPDATE checkpoints SET bytes = bytes + 1 WHERE step = 50",
        "UPDATE checkpoints SET session = NULL WHERE step = 50",
        "UPDATE checkpoints SET session = 'session 51' WHERE step = 50",
        "UPDATE parts SET data = CAST(data || x'00' AS BLOB) WHERE owner = 'checkpoint' AND step = 50",
        "UPDATE parts SET data = substr(data, 2) WHERE owner = 'checkpoint' AND step = 50",
        "UPDATE parts SET step = 51 WHERE owner = 'checkpoint' AND step = 50",
        "INSERT INTO parts VALUES ('checkpoint', 50, 9, x'00')",
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        qd_own(qd_store_rig) rig = make();
        qd_test_sql_run(rig.path.text, ways[i]);
        check_last(&rig, 40, ": the checkpoint of step 50 is damaged: its checksum differs");
    }
}

QD_TEST(names_the_checkpoint_that_is_no_blob) {
    qd_own(qd_store_rig) rig = make();
    qd_test_sql_run(rig.path.text,
                    "UPDATE parts SET data = 'text' || data WHERE owner = 'checkpoint' AND step = 50");
    check_last(&rig, 40, ": the checkpoint of step 50 is damaged: database disk image is malformed");
}

QD_TEST(names_what_else_is_damaged) {
    qd_own(qd_store_rig) rig = make();
    flip(rig.path.text, "parts", "data", "owner = 'snapshot' AND step = 16", 100);
    qd_test_sql_run(rig.path.text, "UPDATE hashes SET hash = 'no hash' WHERE step = 6;"
                                   "UPDATE frames SET pixels = x'00' WHERE number = 2;"
                                   "UPDATE run SET scene_hash = NULL");
    qd_store *store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    qd_store_state moment;
    qd_store_frame frame;
    qd_store_run run;
    qd_error error = {""};
    uint64_t step = 0, hash = 0;
    ck_assert_int_eq(qd_store_next_snapshot(store, 9, &moment, &error), QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "run.db: the snapshot of step 16 is damaged"), "%s", error.text);
    ck_assert(moment.step == 16 && !moment.world);
    ck_assert_int_eq(qd_store_next_snapshot(store, 17, &moment, &error), QD_OK);
    ck_assert_uint_eq(moment.step, 24);
    qd_store_state_free(store, &moment);
    ck_assert_int_eq(qd_store_next_hash(store, 5, &step, &hash, &error), QD_ERR_CORRUPT);
    ck_assert_uint_eq(step, 6);
    ck_assert_msg(strstr(error.text, "table hashes: that of step 6 is no hash"), "%s", error.text);
    ck_assert_int_eq(qd_store_next_frame(store, 2, &frame, &error), QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "table frames: the hash of frame 2 is none"), "%s", error.text);
    ck_assert_uint_eq(frame.number, 2);
    ck_assert_int_eq(qd_store_read_run(store, &run, &error), QD_ERR_CORRUPT);
    ck_assert(!run.scene && !run.cpu);
    ck_assert_int_eq(qd_store_check(store, &error), QD_OK); // as a database it is sound
    qd_test_store_close(&store);
}

/// Opening fails in both modes with this status and a reason that says `named`.
static void check_refused(const char *path, qd_status expected, const char *named) {
    for (int mode = QD_STORE_READ; mode <= QD_STORE_GO_ON; ++mode) {
        qd_store *store = NULL;
        qd_error error = {""};
        qd_status status = qd_store_open(path, (qd_store_mode)mode, NULL, &store, &error);
        ck_assert_msg(status == expected, "%s: %s", qd_status_text(status), error.text);
        ck_assert_msg(strstr(error.text, named) && strstr(error.text, path), "%s", error.text);
        ck_assert(!store && !strchr(error.text, '\n'));
    }
}

QD_TEST(refuses_what_is_no_run_store) {
    qd_scratch scratch = qd_scratch_make();
    qd_scratch_path path = qd_scratch_at(&scratch, "some.db");
    check_refused(path.text, QD_ERR_NOT_FOUND, "there is no");
    check_refused(scratch.path, QD_ERR_NOT_FOUND, "there is no");
    qd_scratch_write(path.text,
                     "name: pool\nbodies: []\n# long enough to be taken for a database ....................."
                     "...............................................................................");
    check_refused(path.text, QD_ERR_CORRUPT, "file is not a database");
    qd_scratch_write(path.text, "");
    check_refused(path.text, QD_ERR_INVALID, "no run store");
    qd_test_sql_run(path.text, "CREATE TABLE run (x); INSERT INTO run VALUES (1)");
    check_refused(path.text, QD_ERR_INVALID, "no run store");
    qd_scratch_remove(&scratch);
}

/// SQLite takes names of half a kilobyte; a run directory may lie deeper.
QD_TEST(says_that_a_name_is_too_long_for_sqlite) {
    qd_scratch scratch = qd_scratch_make();
    char path[2048];
    size_t used = (size_t)snprintf(path, sizeof path, "%s", scratch.path);
    for (int fit = 1; fit >= 0; --fit) {
        while (used < (fit ? 300 : 600)) {
            used += (size_t)snprintf(path + used, sizeof path - used, "/%060d", 0);
            ck_assert_int_eq(mkdir(path, 0700), 0);
        }
        snprintf(path + used, sizeof path - used, "/run.db");
        qd_scratch_write(path, "");
        qd_store *store = NULL;
        qd_error error = {""};
        qd_status status = qd_store_open(path, QD_STORE_READ, NULL, &store, &error);
        ck_assert_int_eq(status, fit ? QD_ERR_INVALID : QD_ERR_IO);
        ck_assert_msg(strstr(error.text, fit ? "no run store" : " bytes long, and SQLite takes 504"), "%s",
                      error.text);
        path[used] = 0;
    }
    qd_scratch_remove(&scratch);
}

QD_TEST(refuses_a_newer_schema) {
    qd_own(qd_store_rig) rig = make();
    qd_test_sql_run(rig.path.text, "PRAGMA user_version=99");
    check_refused(rig.path.text, QD_ERR_INVALID, "has schema 99, of a newer Quadrille");
    qd_test_sql_run(rig.path.text, "PRAGMA user_version=-1");
    check_refused(rig.path.text, QD_ERR_CORRUPT, "schema -1");
}

/// Tables that a store of this schema must have are gone.
QD_TEST(refuses_a_store_without_its_tables) {
    qd_own(qd_store_rig) rig = make();
    qd_test_sql_run(rig.path.text, "DROP TABLE hashes");
    qd_store *store = NULL;
    qd_error error = {""};
    ck_assert_int_eq(qd_store_open(rig.path.text, QD_STORE_GO_ON, NULL, &store, &error), QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "has no table hashes as Quadrille makes it"), "%s", error.text);
}

/// Tables of the right names that another program made: rows without end, or in no order.
QD_TEST(refuses_tables_of_others) {
    static const struct {
        const char *table, *change;
    } ways[] = {
        {"hashes", "ALTER TABLE hashes RENAME TO old; CREATE TABLE hashes (step, hash TEXT NOT NULL);"
                   "INSERT INTO hashes SELECT step || ' ', hash FROM old"},
        {"hashes", "CREATE TABLE other (step INTEGER, hash TEXT NOT NULL, PRIMARY KEY (step)) WITHOUT ROWID;"
                   "DROP TABLE hashes; ALTER TABLE other RENAME TO hashes"},
        {"metrics", "ALTER TABLE metrics RENAME TO old; CREATE TABLE metrics AS SELECT * FROM old;"
                    "UPDATE metrics SET step = step || ' '"},
        {"frames", "DROP TABLE frames; CREATE VIEW frames AS WITH RECURSIVE n(number) AS (SELECT 0 UNION ALL"
                   " SELECT number + 1 FROM n) SELECT number, 0 AS step, 0.0 AS time,"
                   " '0123456789abcdef' AS pixels FROM n"},
        {"events", "DROP TABLE events; CREATE TABLE events (step INTEGER NOT NULL, number INTEGER NOT NULL,"
                   " kind TEXT GENERATED ALWAYS AS (printf('%.*c', number, 'x')))"},
        {"snapshots", "DROP TABLE snapshots; CREATE VIRTUAL TABLE snapshots USING fts4(step, time)"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        qd_own(qd_store_rig) rig = make();
        qd_test_sql_run(rig.path.text, ways[i].change);
        char named[64];
        snprintf(named, sizeof named, "has no table %s as Quadrille makes it", ways[i].table);
        check_refused(rig.path.text, QD_ERR_CORRUPT, named);
    }
}

/// What people have added for themselves stays, and is not run.
QD_TEST(runs_no_view_and_no_trigger) {
    qd_own(qd_store_rig) rig = make();
    qd_test_sql_run(rig.path.text,
                    "CREATE VIEW mine AS SELECT step FROM hashes; ALTER TABLE hashes ADD COLUMN note TEXT;"
                    "CREATE TABLE notes (text); INSERT INTO notes VALUES ('kept');"
                    "CREATE TRIGGER added AFTER INSERT ON hashes BEGIN DELETE FROM notes; END");
    rig.store = qd_test_store_open(rig.path.text, QD_STORE_GO_ON);
    ck_assert_int_eq(qd_store_put_hash(rig.store, 51, 7), QD_OK);
    qd_test_store_close(&rig.store);
    qd_test_sql_is(rig.path.text, "SELECT hash FROM hashes WHERE step = 51", "0000000000000007\n");
    qd_test_sql_is(rig.path.text, "SELECT * FROM notes", "kept\n");
}

static void write_bytes(const char *path, const char *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

/// Where a row of `hashes` has its 16 digits in the file; they are those of `step`.
static char *find_hash(char *data, size_t bytes, uint64_t step) {
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)step);
    char *at = memmem(data, bytes, digits, 16);
    ck_assert_ptr_nonnull(at);
    return at;
}

/// The last row of a page and the first of the next say that they are of step 1: who asks for the row that
/// should be there gets that, and would begin again.
QD_TEST(notices_rows_out_of_order) {
    qd_own(qd_store_rig) rig = make();
    qd_test_sql_run(rig.path.text,
                    "PRAGMA journal_mode=DELETE; DELETE FROM hashes; WITH RECURSIVE n(step) AS (SELECT 200"
                    " UNION ALL SELECT step + 1 FROM n WHERE step < 3000)"
                    " INSERT INTO hashes (step, hash) SELECT step, printf('%016x', step) FROM n; VACUUM");
    size_t bytes = 0;
    char *data = qd_scratch_read(rig.path.text, &bytes), *before = find_hash(data, bytes, 200), *at = before;
    uint64_t row = 200;
    while (at <= before) { // rows of a page lie from its end on downwards
        before = at;
        at = find_hash(data, bytes, ++row);
    }
    before[-5] = at[-5] = (char)0x80; // the row's number, in two bytes before the three of its head
    before[-4] = at[-4] = 1;
    write_bytes(rig.path.text, data, bytes);
    free(data);
    qd_store *store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    qd_error error = {""};
    uint64_t step = 0, hash = 0, count = 0;
    qd_status status = QD_OK;
    for (uint64_t next = 0; status == QD_OK && count < 5000; next = step + 1, ++count)
        status = qd_store_next_hash(store, next, &step, &hash, &error);
    ck_assert_int_eq(status, QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "table hashes: row 1 is out of order"), "%s", error.text);
    qd_test_store_close(&store);
}

static bool count_event(void *context, const qd_store_event *event) {
    (void)event;
    ++*(size_t *)context;
    return true;
}

/// The file says that its rows are in order, and they are not: each row of events is to be later than the one
/// before.
QD_TEST(notices_events_out_of_order) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *ours = qd_test_sql(rig.path.text,
                                           "SELECT sql FROM sqlite_schema WHERE name = 'events'");
    ours[strcspn(ours, "\n")] = '\0';
    char change[2048];
    snprintf(change, sizeof change,
             "CREATE TABLE other (step INTEGER NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,"
             " a INTEGER NOT NULL, b INTEGER, side TEXT, x REAL, y REAL, normal_x REAL, normal_y REAL,"
             " impulse REAL, friction REAL, approach REAL, depth REAL, within REAL,"
             " PRIMARY KEY (step DESC, number)) WITHOUT ROWID;"
             "INSERT INTO other SELECT * FROM events; DROP TABLE events; ALTER TABLE other RENAME TO events;"
             "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = '%s' WHERE name = 'events'",
             ours);
    qd_test_sql_run(rig.path.text, change);
    qd_store *store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    qd_error error = {""};
    size_t count = 0;
    ck_assert_int_eq(qd_store_visit_events(store, 0, UINT64_MAX, count_event, &count, &error),
                     QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "table events"), "%s", error.text);
    ck_assert_uint_gt(count, 0);
    qd_test_store_close(&store);
}

/// A program that knew fewer metrics made it: what it has stays, and what it lacks is added.
QD_TEST(brings_older_metrics_up_to_date) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *before = qd_test_sql(rig.path.text,
                                             "SELECT step, kinetic, move_ns FROM metrics ORDER BY step");
    qd_test_sql_run(rig.path.text, "ALTER TABLE metrics DROP COLUMN fastest; ALTER TABLE metrics DROP COLUMN"
                                   " tree_nodes; ALTER TABLE metrics DROP COLUMN export_ns");
    rig.store = qd_test_store_open(rig.path.text, QD_STORE_GO_ON);
    qd_metrics metrics;
    qd_test_step(rig.world, 0.02, 1);
    qd_world_measure(rig.world, &metrics);
    ck_assert_int_eq(qd_store_put_metrics(rig.store, &metrics, NULL), QD_OK);
    qd_test_store_close(&rig.store);
    qd_test_sql_is(rig.path.text, "SELECT fastest, tree_nodes, export_ns FROM metrics WHERE step = 10",
                   "||\n");
    qd_test_sql_is(rig.path.text,
                   "SELECT fastest > 0, tree_nodes > 0, export_ns, move_ns FROM metrics WHERE step = 51",
                   "1|1||\n");
    qd_test_sql_is(rig.path.text, "SELECT step, kinetic, move_ns FROM metrics WHERE step <= 50 ORDER BY step",
                   before);
}

/// Version 0 has no tables yet: both modes go through every change of the schema.
QD_TEST(goes_through_all_changes_of_the_schema) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *schema = qd_test_sql(rig.path.text,
                                             "SELECT name, sql FROM sqlite_schema ORDER BY name");
    for (int mode = QD_STORE_READ; mode <= QD_STORE_GO_ON; ++mode) {
        qd_scratch_path path = qd_scratch_at(&rig.scratch, mode == QD_STORE_READ ? "read.db" : "go_on.db");
        qd_scratch_write(path.text, "");
        qd_test_sql_run(path.text, "PRAGMA application_id=0x5144726e");
        qd_store *store = qd_test_store_open(path.text, (qd_store_mode)mode);
        uint64_t step = 0, hash = 0;
        ck_assert_int_eq(qd_store_next_hash(store, 0, &step, &hash, NULL), QD_ERR_NOT_FOUND);
        qd_test_store_close(&store);
        qd_test_sql_is(path.text, "SELECT name, sql FROM sqlite_schema ORDER BY name", schema);
    }
}

/// Reads everything there is to read; whatever comes back, comes back.
static void read_all(const char *path, qd_store_mode mode) {
    qd_store *store = NULL;
    qd_error error = {""};
    if (qd_store_open(path, mode, NULL, &store, &error) != QD_OK) {
        ck_assert_msg(strlen(error.text) > 5 && !strchr(error.text, '\n'), "%s", error.text);
        return;
    }
    qd_store_run run;
    qd_store_state moment;
    qd_store_frame frame;
    uint64_t step = 0, hash = 0;
    if (qd_store_read_run(store, &run, &error) == QD_OK) qd_store_run_free(store, &run);
    if (qd_store_last_checkpoint(store, UINT64_MAX, &moment, &error) == QD_OK)
        qd_store_state_free(store, &moment);
    for (uint64_t from = 0; from < 50; from += 10) {
        qd_status statuses[] = {qd_store_next_hash(store, from, &step, &hash, &error),
                                qd_store_next_frame(store, from / 10, &frame, &error),
                                qd_store_next_snapshot(store, from, &moment, &error)};
        if (statuses[2] == QD_OK) qd_store_state_free(store, &moment);
        for (int i = 0; i < 3; ++i) ck_assert_int_ne(statuses[i], QD_ERR_INTERNAL);
    }
    qd_status status = qd_store_check(store, &error);
    ck_assert(status == QD_OK || status == QD_ERR_CORRUPT || status == QD_ERR_IO);
    status = qd_store_close(store, &error);
    ck_assert_int_ne(status, QD_ERR_INTERNAL);
}

/// Whatever happens to the file, reading it says so and does no harm.
QD_TEST(survives_any_damage) {
    qd_own(qd_store_rig) rig = make();
    size_t bytes = 0, cases = qd_test_replaying() ? 1 : qd_test_effort(150);
    qd_own_memory char *whole = qd_scratch_read(rig.path.text, &bytes);
    uint64_t first = qd_test_seed(1);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        qd_random random = qd_random_at(seed, 0, 1);
        qd_own_memory char *data = qd_test_memory(bytes);
        memcpy(data, whole, bytes);
        size_t left = seed % 5 == 0 ? qd_random_bits(&random) % bytes : bytes;
        for (int k = 0; k < 8 && left > 0; ++k) {
            // Half of the damage near the heads of pages, where structure is.
            size_t at = qd_random_bits(&random) % left;
            if (k % 2) at = at / 4096 * 4096 + at % 64;
            if (at < left) data[at] = (char)qd_random_bits(&random);
        }
        write_bytes(rig.path.text, data, left);
        read_all(rig.path.text, seed % 2 ? QD_STORE_READ : QD_STORE_GO_ON);
    }
}

QD_TEST_MAIN("store_damage", 240, NULL, NULL)
