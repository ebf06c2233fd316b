#include "sim/store/store_impl.h"
#include "tests/support/harness.h"
#include "tests/support/stores.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <quadrille/hash.h>
#include <stdio.h>
#include <string.h>

/// The rig's world at step 0, recorded, with its checkpoint.
static qd_store_rig begin(void) {
    qd_store_rig rig = qd_store_rig_make();
    qd_test_store_record(rig.store, rig.world);
    qd_test_store_checkpoint(rig.store, rig.world);
    return rig;
}

QD_TEST(tells_where_the_run_came_from) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    ck_assert_str_eq(qd_store_note(rig.store), "");
    for (int again = 0; again < 2; ++again) {
        qd_store_run run;
        qd_error error = {""};
        ck_assert_int_eq(qd_store_read_run(rig.store, &run, &error), QD_OK);
        ck_assert_str_eq(run.version, QD_VERSION);
        ck_assert_str_eq(run.scene, "store");
        ck_assert_str_eq(run.scene_text, qd_scene_text(rig.scene));
        ck_assert(run.scene_hash == qd_scene_hash(rig.scene) && run.seed == 5 && run.steps == 60);
        ck_assert(run.bodies == 70 && run.dt == 0.02 && run.threads == 1);
        ck_assert_str_eq(run.simd, "auto");
        ck_assert_str_eq(run.cpu, "a processor");
        ck_assert_str_eq(run.source, "");
        ck_assert_uint_eq(strlen(run.created), strlen("2000-01-01T00:00:00Z"));
        qd_store_run_free(rig.store, &run);
        ck_assert_ptr_null(run.scene_text);
        qd_test_store_close(&rig.store);
        rig.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    }
    ck_assert_uint_eq(qd_scratch_count(rig.scratch.path), 1); // run.db alone
}

QD_TEST(keeps_every_metric_as_it_was) {
    qd_own(qd_store_rig) rig = begin();
    qd_test_store_run(rig.store, rig.world, 20);
    qd_test_store_close(&rig.store);
    qd_metrics metrics;
    qd_world_measure(rig.world, &metrics);
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        char query[128], expected[64];
        const char *place = (const char *)&metrics + fields[i].offset;
        double real;
        uint64_t whole;
        memcpy(&real, place, sizeof real);
        memcpy(&whole, place, sizeof whole);
        snprintf(query, sizeof query, "SELECT %s FROM metrics WHERE step = 20", fields[i].name);
        if (fields[i].kind == QD_METRIC_REAL)
            snprintf(expected, sizeof expected, "%.17g\n", real);
        else
            snprintf(expected, sizeof expected, "%" PRIu64 "\n", whole);
        qd_test_sql_is(rig.path.text, query, expected);
    }
    qd_test_sql_is(rig.path.text,
                   "SELECT resolve_ns, move_ns, refresh_ns, retrieve_ns, narrow_ns, export_ns FROM metrics"
                   " WHERE step = 4",
                   "1|2|3|4|5|6\n");
    qd_test_sql_is(rig.path.text, "SELECT count(*), min(step), max(step) FROM metrics", "11|0|20\n");
}

QD_TEST(gives_hashes_and_frames_in_order) {
    qd_own(qd_store_rig) rig = begin();
    ck_assert_int_eq(qd_store_put_hash(rig.store, INT64_MAX, UINT64_MAX), QD_OK);
    qd_test_store_run(rig.store, rig.world, 10);
    uint64_t step = 7, hash = 0;
    ck_assert_int_eq(qd_store_next_hash(rig.store, 10, &step, &hash, NULL), QD_OK); // waits for the writer
    ck_assert(step == 10 && hash == qd_world_hash(rig.world));
    ck_assert_int_eq(qd_store_next_hash(rig.store, 0, &step, &hash, NULL), QD_OK);
    ck_assert_uint_eq(step, 0);
    ck_assert_int_eq(qd_store_next_hash(rig.store, 1, &step, &hash, NULL), QD_OK);
    ck_assert_uint_eq(step, 2);
    ck_assert_int_eq(qd_store_next_hash(rig.store, 11, &step, &hash, NULL), QD_OK);
    ck_assert(step == INT64_MAX && hash == UINT64_MAX);
    ck_assert_int_eq(qd_store_next_hash(rig.store, step + 1, &step, &hash, NULL), QD_ERR_NOT_FOUND);
    qd_store_frame frame;
    ck_assert_int_eq(qd_store_next_frame(rig.store, 1, &frame, NULL), QD_OK);
    ck_assert(frame.number == 1 && frame.step == 4 && frame.time == 4 * 0.02);
    ck_assert_int_eq(qd_store_next_frame(rig.store, 3, &frame, NULL), QD_ERR_NOT_FOUND);
}

static void check_world(const qd_store_state *moment, const qd_world *world) {
    unsigned char *data = NULL;
    size_t bytes = 0;
    ck_assert_uint_eq(moment->step, qd_world_steps(world));
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    ck_assert_uint_eq(moment->world_bytes, bytes);
    ck_assert(memcmp(moment->world, data, bytes) == 0);
    qd_world_save_free(world, data, bytes);
}

/// `part`: most bytes of a part; 0: as usual.
static void check_worlds(size_t part) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    if (part) rig.store->part_bytes = part;
    qd_test_store_run(rig.store, rig.world, 16);
    qd_own(qd_world) then = qd_store_rig_world(&rig);
    qd_test_step(then, 0.02, 10);
    qd_store_state moment;
    for (int again = 0; again < 2; ++again) {
        ck_assert_int_eq(qd_store_next_snapshot(rig.store, 9, &moment, NULL), QD_OK);
        check_world(&moment, rig.world);
        const size_t bytes = moment.world_bytes;
        ck_assert(!moment.session && moment.session_bytes == 0);
        qd_store_state_free(rig.store, &moment);
        ck_assert_int_eq(qd_store_next_snapshot(rig.store, 17, &moment, NULL), QD_ERR_NOT_FOUND);
        uint64_t step = 0, largest = 0;
        ck_assert_int_eq(qd_store_snapshot_step(rig.store, 9, &step, NULL), QD_OK);
        ck_assert_uint_eq(step, 16);
        ck_assert_int_eq(qd_store_snapshot_step(rig.store, 17, &step, NULL), QD_ERR_NOT_FOUND);
        ck_assert_int_eq(qd_store_largest_snapshot(rig.store, &largest, NULL), QD_OK);
        ck_assert_uint_eq(largest, bytes);
        ck_assert_int_eq(qd_store_next_checkpoint(rig.store, 0, &moment, NULL), QD_OK);
        check_world(&moment, then);
        ck_assert(moment.session_bytes == 10 && memcmp(moment.session, "session 10", 10) == 0);
        qd_store_state_free(rig.store, &moment);
        qd_test_store_close(&rig.store);
        rig.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    }
    qd_test_sql_is(rig.path.text,
                   "SELECT count(*) > 1, max(length(data)) <= 1000 FROM parts WHERE owner = 'checkpoint'",
                   part ? "1|1\n" : "0|0\n");
}

QD_TEST(keeps_worlds_bit_by_bit) {
    check_worlds(0);
}

QD_TEST(keeps_large_worlds_in_parts) {
    check_worlds(1000);
}

QD_TEST(keeps_the_last_checkpoints_and_the_first) {
    qd_own(qd_store_rig) rig = begin();
    qd_test_store_run(rig.store, rig.world, 50);
    ck_assert_int_eq(qd_store_put_checkpoint(rig.store, rig.world, "again", 5, 2), QD_OK); // replaces
    ck_assert_int_eq(qd_store_put_checkpoint(rig.store, rig.world, NULL, 0, 0), QD_ERR_VALUE);
    qd_store_state moment;
    qd_error skipped = {"?"};
    ck_assert_int_eq(qd_store_last_checkpoint(rig.store, UINT64_MAX, &moment, &skipped), QD_OK);
    ck_assert(moment.step == 50 && moment.session_bytes == 5);
    ck_assert_str_eq(skipped.text, "");
    qd_store_state_free(rig.store, &moment);
    ck_assert_int_eq(qd_store_last_checkpoint(rig.store, 39, &moment, NULL), QD_OK);
    ck_assert_uint_eq(moment.step, 0);
    qd_store_state_free(rig.store, &moment);
    qd_test_store_close(&rig.store);
    qd_test_sql_is(rig.path.text, "SELECT step FROM checkpoints ORDER BY step", "0\n40\n50\n");
    qd_test_sql_is(rig.path.text, "SELECT step FROM parts WHERE owner = 'checkpoint' ORDER BY step",
                   "0\n40\n50\n");
}

QD_TEST(keeps_why_a_run_failed) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    qd_limit_report report = {
        .reason = "faster than limits.speed (10)", .step = 12, .has_body = true, .label = 7};
    report.body.position = (qd_vec2){1, 2};
    report.body.velocity = (qd_vec2){3, 0.1};
    ck_assert_int_eq(qd_store_put_failure(rig.store, &report), QD_OK);
    report.has_body = false;
    ck_assert_int_eq(qd_store_put_failure(rig.store, &report), QD_OK);
    qd_test_store_close(&rig.store);
    qd_test_sql_is(rig.path.text, "SELECT * FROM failures",
                   "12|faster than limits.speed (10)|7|1|2|3|0.10000000000000001\n"
                   "12|faster than limits.speed (10)|||||\n");
}

/// A run that goes on from its checkpoint, in another process's place, leaves what one leaves that was never
/// interrupted.
QD_TEST(goes_on_as_if_nothing_had_happened) {
    qd_store_rig whole = begin(), broken;
    qd_test_store_run(whole.store, whole.world, 60);
    qd_test_store_close(&whole.store);
    qd_own_memory char *expected = qd_test_store_content(whole.path.text);
    for (uint64_t stop = 0; stop <= 55; stop += 5) {
        broken = begin();
        qd_test_store_run(broken.store, broken.world, stop);
        qd_test_store_close(&broken.store);
        broken.store = qd_test_store_open(broken.path.text, QD_STORE_GO_ON);
        qd_store_state moment;
        qd_own(qd_world) world = NULL;
        ck_assert_int_eq(qd_store_last_checkpoint(broken.store, UINT64_MAX, &moment, NULL), QD_OK);
        ck_assert_uint_eq(moment.step, stop / 10 * 10);
        ck_assert_int_eq(qd_world_load(moment.world, moment.world_bytes, 1, NULL, &world, NULL), QD_OK);
        qd_store_state_free(broken.store, &moment);
        ck_assert_int_eq(qd_store_rewind(broken.store, world, NULL), QD_OK);
        qd_test_store_run(broken.store, world, 60);
        qd_test_store_close(&broken.store);
        qd_own_memory char *content = qd_test_store_content(broken.path.text);
        ck_assert_msg(strcmp(content, expected) == 0, "stopped at %d: other rows", (int)stop);
        qd_store_rig_end(&broken);
    }
    ck_assert_ptr_nonnull(strstr(expected, "|end|")); // there was something to compare
    ck_assert_ptr_nonnull(strstr(expected, "|impact|"));
    qd_store_rig_end(&whole);
}

QD_TEST(rewinds_every_table) {
    qd_own(qd_store_rig) rig = begin();
    qd_test_store_run(rig.store, rig.world, 40);
    const qd_limit_report report = {.reason = "some", .step = 41};
    ck_assert_int_eq(qd_store_put_failure(rig.store, &report), QD_OK);
    qd_own(qd_world) world = qd_store_rig_world(&rig);
    qd_test_step(world, 0.02, 16);
    ck_assert_int_eq(qd_store_rewind(rig.store, world, NULL), QD_OK);
    ck_assert_int_eq(qd_store_rewind(rig.store, NULL, NULL), QD_ERR_ARGUMENT);
    qd_test_store_close(&rig.store);
    qd_test_sql_is(rig.path.text,
                   "SELECT (SELECT max(step) FROM metrics), (SELECT max(step) FROM hashes),"
                   " (SELECT max(step) FROM events), (SELECT max(step) FROM snapshots),"
                   " (SELECT max(step) FROM frames), (SELECT max(step) FROM checkpoints),"
                   " (SELECT max(step) FROM parts), (SELECT count(*) FROM failures),"
                   " (SELECT max(step) FROM fields)",
                   "16|16|16|16|16|0|16|0|14\n");
}

/// Fields are read back as they were measured, step by step.
QD_TEST(fields_are_read_back) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    qd_field *field = NULL;
    ck_assert_int_eq(qd_field_create(5, 4, NULL, &field), QD_OK);
    for (uint64_t step = 1; step <= 3; ++step) {
        ck_assert_int_eq(qd_world_watch_stress(rig.world), QD_OK);
        qd_test_step(rig.world, 0.02, 1);
        ck_assert_int_eq(qd_field_measure(field, rig.world), QD_OK);
        ck_assert_int_eq(qd_store_put_field(rig.store, field), QD_OK);
    }
    ck_assert_int_eq(qd_store_put_field(rig.store, NULL), QD_ERR_ARGUMENT);
    qd_store_fields fields;
    ck_assert_int_eq(qd_store_next_fields(rig.store, 0, &fields, NULL), QD_OK);
    ck_assert_uint_eq(fields.step, 1);
    qd_store_fields_free(rig.store, &fields);
    ck_assert_int_eq(qd_store_next_fields(rig.store, 3, &fields, NULL), QD_OK);
    const qd_field_grid grid = qd_field_grid_of(field);
    ck_assert(fields.step == 3 && fields.time == qd_field_time(field));
    ck_assert_mem_eq(&fields.grid, &grid, sizeof grid);
    ck_assert_mem_eq(fields.values, qd_field_values(field, QD_FIELD_NUMBER_DENSITY),
                     sizeof(double) * 20 * QD_FIELD_QUANTITIES);
    qd_store_fields_free(rig.store, &fields);
    ck_assert_int_eq(qd_store_next_fields(rig.store, 4, &fields, NULL), QD_ERR_NOT_FOUND);
    qd_test_store_close(&rig.store);
    qd_test_sql_run(rig.path.text, "UPDATE fields SET nx = 6 WHERE step = 2");
    rig.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    qd_error error = {""};
    ck_assert_int_eq(qd_store_next_fields(rig.store, 2, &fields, &error), QD_ERR_CORRUPT);
    ck_assert_msg(strstr(error.text, "table fields: step 2"), "%s", error.text);
    qd_field_destroy(field);
}

/// More rows than all batches hold: the caller has to wait, and nothing is lost or out of order.
QD_TEST(blocks_and_never_drops) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    uint64_t rows = 3 * QDI_BATCHES * QDI_BATCH_BYTES / sizeof(qdi_hash_row);
    for (uint64_t step = 0; step < rows; ++step)
        ck_assert_int_eq(qd_store_put_hash(rig.store, step, qd_hash_mix(step, 2)), QD_OK);
    qd_test_store_flush(rig.store);
    for (uint64_t from = 0; from < rows; from += 997) {
        uint64_t step = 0, hash = 0;
        ck_assert_int_eq(qd_store_next_hash(rig.store, from, &step, &hash, NULL), QD_OK);
        ck_assert(step == from && hash == qd_hash_mix(step, 2));
    }
    qd_test_store_close(&rig.store);
    char expected[32];
    snprintf(expected, sizeof expected, "%" PRIu64 "\n", rows);
    qd_test_sql_is(rig.path.text, "SELECT count(*) FROM hashes", expected);
}

QD_TEST(refuses_what_makes_no_sense) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    qd_error error = {""};
    qd_store *store = NULL;
    qd_store_def def = qd_store_def_default();
    ck_assert_int_eq(qd_store_create(rig.path.text, &def, &store, &error), QD_ERR_ARGUMENT); // no scene
    def.scene = rig.scene;
    ck_assert_int_eq(qd_store_create(rig.path.text, &def, &store, &error), QD_ERR_EXISTS);
    ck_assert_msg(strstr(error.text, "is there already"), "%s", error.text);
    def.cookie = 0;
    ck_assert_int_eq(qd_store_create("x", &def, &store, &error), QD_ERR_ARGUMENT);
    def = qd_store_def_default();
    def.scene = rig.scene;
    qd_scratch_path gone = qd_scratch_at(&rig.scratch, "no/run.db");
    ck_assert_int_eq(qd_store_create(gone.text, &def, &store, &error), QD_ERR_IO);
    ck_assert_msg(strstr(error.text, "no/run.db"), "%s", error.text);
    ck_assert_int_eq(qd_store_open(gone.text, QD_STORE_READ, NULL, &store, &error), QD_ERR_NOT_FOUND);
    ck_assert_ptr_null(store);
    ck_assert_int_eq(qd_store_put_hash(rig.store, UINT64_MAX, 0), QD_ERR_VALUE);
    ck_assert_int_eq(qd_store_put_hash(NULL, 0, 0), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_store_put_checkpoint(rig.store, rig.world, NULL, 3, 1), QD_ERR_ARGUMENT);
    qd_test_store_close(&rig.store);
    rig.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    ck_assert_int_eq(qd_store_put_hash(rig.store, 0, 0), QD_ERR_STATE);
    ck_assert_int_eq(qd_store_put_snapshot(rig.store, rig.world), QD_ERR_STATE);
    ck_assert_int_eq(qd_store_put_events(rig.store, rig.world, true), QD_ERR_STATE);
    ck_assert_int_eq(qd_store_rewind(rig.store, rig.world, &error), QD_ERR_STATE);
    ck_assert_int_eq(qd_store_extend(rig.store, rig.scene, &error), QD_ERR_STATE);
    ck_assert_int_eq(qd_store_extend(rig.store, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_store_close(NULL, NULL), QD_OK);
}

QD_TEST(tells_a_row_that_is_there_already) {
    qd_own(qd_store_rig) rig = qd_store_rig_make();
    qd_error error = {""};
    ck_assert_int_eq(qd_store_put_hash(rig.store, 3, 1), QD_OK);
    qd_test_store_flush(rig.store);
    ck_assert_int_eq(qd_store_put_hash(rig.store, 4, 1), QD_OK);
    ck_assert_int_eq(qd_store_put_hash(rig.store, 3, 2), QD_OK);
    ck_assert_int_eq(qd_store_flush(rig.store, &error), QD_ERR_EXISTS);
    ck_assert_msg(strstr(error.text, "UNIQUE constraint failed: hashes.step"), "%s", error.text);
    ck_assert_int_eq(qd_store_put_hash(rig.store, 5, 1), QD_ERR_EXISTS); // it sticks
    error.text[0] = 0;
    ck_assert_int_eq(qd_store_close(rig.store, &error), QD_ERR_EXISTS);
    ck_assert_msg(strstr(error.text, "UNIQUE"), "%s", error.text);
    rig.store = NULL;
    qd_test_sql_is(rig.path.text, "SELECT step FROM hashes", "3\n"); // its whole batch is not there
}

QD_TEST_MAIN("store", 120, NULL, NULL)
