#include "tests/support/harness.h"
#include "tests/support/recorded.h"

#include <quadrille/distribution.h>
#include <quadrille/field.h>
#include <quadrille/metrics.h>
#include <quadrille/random.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] = QD_TEST_SMALL_RUN("frames: {every: 10}\n"
                                              "view: {size: [64, 48]}\n");

static void make(const char *name, const qd_recording *how) {
    make_run(name, scene, how);
}

static void make_sound(const char *name) {
    make(name, &(qd_recording){.scene = NULL});
}

static void put_file(const char *name, const char *data, size_t bytes) {
    FILE *file = fopen(at(name).text, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

QD_TEST(a_sound_run) {
    make_sound("out");
    qd_program_outcome result = SUCCEED("verify", "out", "--threads", "1,2,3");
    ck_assert_str_eq(
        result.out,
        "out: all as recorded, replayed with 1, 2 and 3 threads: 9 hashes, 5 rows of metrics, 5 snapshots, "
        "3 checkpoints, 5 frames, 0 events, 0 failures\n");
    result = SUCCEED("verify", "out", "-q");
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(result.err, "");
    json_t *json = qd_program_json(RUN("verify", "out", "--json", "--threads", "2"), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "findings")), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "hashes")), 9);
    json_decref(json);
}

// Every built-in scene, as short and small as it goes.
static int scene_count(void) {
    int count = 0;
    while (qd_scene_builtin_name((size_t)count)) ++count;
    return count;
}

QD_TEST_LOOP(built_in_scenes, 0, scene_count()) {
    const char *name = qd_scene_builtin_name((size_t)_i);
    const qd_recording how = {.scene = name,
                              .sets = {"run.steps=6", "record.hashes=2", "record.snapshots=3",
                                       "record.metrics=5", "checkpoint.every=4", "frames.every=0",
                                       "record.events=persist"},
                              .threads = 2};
    make("out", &how);
    qd_program_outcome result = RUN("verify", "out", "--threads", "1,2,3");
    ck_assert_msg(result.code == 0, "%s: %s%s", name, result.out, result.err);
    ck_assert_ptr_nonnull(
        strstr(result.out, "4 hashes, 2 rows of metrics, 3 snapshots, 2 checkpoints, 0 frames"));
}

// Runs that were begun when state hashes had another form: they verify, go on in that form, and are not
// compared with others.
QD_TEST(runs_of_earlier_versions) {
    make("old", &(qd_recording){.earlier = true});
    qd_program_expect(RUN("verify", "old", "--threads", "1,3"), 0, NULL, " 9 hashes, ");
    // Sums were made in another order: what that can do is let pass, and no more.
    qd_recording_sql(at("old").text, "UPDATE metrics SET kinetic = kinetic * (1 + 1e-12) WHERE step = 20");
    SUCCEED("verify", "old", "--threads", "1", "-q");
    qd_recording_sql(at("old").text, "UPDATE metrics SET kinetic = kinetic * (1 + 1e-6) WHERE step = 20");
    EXPECT_FOUND(RUN("verify", "old", "--threads", "1"), "metrics: step 20: kinetic is ");
    make_sound("new");
    qd_program_expect(RUN("diff", "old", "new"), 1, "old has state hashes of form 1, new of form 2", NULL);
    qd_recording_sql(at("new").text, "UPDATE forms SET form = 1"); // what it says is not what it has
    EXPECT_FOUND(RUN("verify", "new", "--threads", "1"), "hashes: step 0: ");
    qd_recording_sql(at("new").text, "UPDATE forms SET form = 3");
    qd_program_expect(RUN("verify", "new"), 4, "has hashes of form 3, of a newer Quadrille", NULL);
    qd_recording_sql(at("new").text, "UPDATE forms SET form = 0");
    qd_program_expect(RUN("verify", "new"), 4, "table forms: hash is 0, which there never was", NULL);
}

QD_TEST(any_bit_of_a_hash) {
    make_sound("out");
    size_t step = qd_test_effort(10) < 10 ? 3 : 1;
    for (long byte = 0; byte < 16; byte += (long)step) {
        int bit = (int)(byte % 8);
        uint64_t row = byte % 2 ? 15 : 40; // one in the middle, and the last one
        qd_recording_turn(at("out").text, "hashes", "hash", row, byte, bit);
        qd_program_outcome result = RUN("verify", "out", "--threads", "1");
        const char *named = row == 15 ? "hashes: step 15: " : "hashes: step 40: ";
        ck_assert_msg(!strstr(result.out, "state: "), "%s", result.out);
        EXPECT_FOUND(result, named);
        qd_recording_turn(at("out").text, "hashes", "hash", row, byte, bit);
    }
    qd_recording_sql(at("out").text, "UPDATE hashes SET hash = '0123456789abcdef' WHERE step IN (10, 15)");
    qd_program_outcome result = RUN("verify", "out", "--threads", "2,1");
    ck_assert_ptr_nonnull(
        strstr(result.err, "out is not as it was recorded: 2 findings, the first: hashes: "));
    EXPECT_FOUND(result, "hashes: step 10: 0123456789abcdef is stored, the replay has ",
                 "other rows of this step agree, so this one is damaged",
                 "hashes: step 15: 0123456789abcdef is stored, the replay has ",
                 "step 20 agrees again, so the row is damaged");
}

// One byte of a stored world, wherever it is: the row is named, and nothing else.
QD_TEST_LOOP(any_byte_of_a_stored_world, 0, 2) {
    make_sound("out");
    const char *const table = _i == 0 ? "snapshots" : "checkpoints";
    long stride = qd_test_effort(10) < 10 ? 997 : 211;
    for (long byte = 0; byte < 3000; byte += stride) {
        qd_recording_turn(at("out").text, table, "world", 20, byte, (int)(byte % 8));
        qd_program_outcome result = RUN("verify", "out", "--threads", "1");
        char named[64];
        snprintf(named, sizeof named, "%s: step 20: ", table);
        ck_assert_ptr_nonnull(strstr(result.err, named));
        ck_assert_ptr_null(strstr(result.err, "findings"));
        EXPECT_FOUND(result, "checksum differs");
        qd_recording_turn(at("out").text, table, "world", 20, byte, (int)(byte % 8));
    }
    qd_recording_turn(at("out").text, table, "checksum", 40, 3, 0);
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "step 40: ");
    if (_i == 0) return;
    qd_recording_turn(at("out").text, table, "checksum", 40, 3, 0);
    qd_recording_turn(at("out").text, table, "session", 20, -1, 0);
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "checkpoints: step 20: ");
}

QD_TEST(steps_that_never_were) {
    make_sound("out");
    qd_recording_sql(at("out").text, "UPDATE hashes SET step = 9000000000000 WHERE step = 40");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"),
                 "hashes: step 9000000000000: the run has only 40 steps");
    qd_recording_sql(at("out").text, "UPDATE snapshots SET step = 41 WHERE step = 40");
    qd_recording_sql(at("out").text, "UPDATE parts SET step = 41 WHERE step = 40 AND owner = 'snapshot'");
    qd_recording_sql(at("out").text, "UPDATE metrics SET step = -1 WHERE step = 30");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "snapshots: step 41: the run has only 40 steps",
                 "hashes: step 9000000000000: ");
}

QD_TEST(any_number_of_the_metrics) {
    make_sound("out");
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 1; i < count; i += qd_test_effort(10) < 10 ? 9 : 1) { // but for the step
        char change[160], back[160], named[160];
        snprintf(change, sizeof change, "UPDATE metrics SET %s = %s + 1 WHERE step = 20", fields[i].name,
                 fields[i].name);
        snprintf(back, sizeof back, "UPDATE metrics SET %s = (SELECT kept FROM kept) WHERE step = 20",
                 fields[i].name);
        snprintf(named, sizeof named, "metrics: step 20: %s is ", fields[i].name);
        char keep[160];
        snprintf(keep, sizeof keep, "CREATE TABLE kept AS SELECT %s AS kept FROM metrics WHERE step = 20",
                 fields[i].name);
        qd_recording_sql(at("out").text, keep);
        qd_recording_sql(at("out").text, change);
        EXPECT_FOUND(RUN("verify", "out", "--threads", "2"), named, " in the replay (1 number differs)");
        qd_recording_sql(at("out").text, back);
        qd_recording_sql(at("out").text, "DROP TABLE kept");
    }
}

// Any byte of the file: never a crash, and what is said is one line.
static const char *const fields_of_run = "record.fields={every: 10, cells: [4, 3]}";

// Fields are measured again; one value of one cell, whichever quantity it is of, is named.
QD_TEST(any_quantity_of_the_fields) {
    put_file("scene.yaml", scene, sizeof scene - 1);
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--set", fields_of_run);
    qd_program_expect(RUN("verify", "out", "--threads", "1,2"), 0, NULL, ", 5 steps of fields\n");
    qd_recording_sql(at("out").text, "CREATE TABLE kept AS SELECT number, data FROM fields WHERE step = 20");
    for (int q = 0; q < QD_FIELD_QUANTITIES; ++q) {
        char change[256], back[160], named[96];
        snprintf(
            change, sizeof change,
            "UPDATE fields SET data = CAST(substr(data, 1, 40) || x'182d4454fb210940' || substr(data, 49) "
            "AS BLOB) WHERE step = 20 AND number = %d",
            q);
        snprintf(back, sizeof back,
                 "UPDATE fields SET data = (SELECT data FROM kept WHERE number = %d) WHERE step = 20 AND "
                 "number = %d",
                 q, q);
        snprintf(named, sizeof named, "fields: step 20: %s of cell (1, 1) is 3.14159265",
                 qd_field_name((qd_field_quantity)q));
        qd_recording_sql(at("out").text, change);
        qd_program_outcome result = RUN("verify", "out", "--threads", "1");
        ck_assert_ptr_null(strstr(result.err, "findings"));
        EXPECT_FOUND(result, named);
        qd_recording_sql(at("out").text, back);
    }
    qd_recording_sql(at("out").text, "UPDATE fields SET width = width * 2 WHERE step = 30");
    qd_recording_sql(at("out").text, "UPDATE fields SET step = 41 WHERE step = 40");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"),
                 "fields: step 30: the cells or the time are not those of the replay",
                 "fields: step 41: the run has only 40 steps");
}

// Distributions are counted again, those that are means, too.
QD_TEST_LOOP(any_of_the_distributions, 0, 2) {
    static const char *const means[] = {"record.distributions={every: 10, bins: 9}",
                                        "record.distributions={every: 10, sample: 2, bins: 9}"};
    put_file("scene.yaml", scene, sizeof scene - 1);
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--set", means[_i], "--set", "record.structure=true");
    qd_program_expect(RUN("verify", "out", "--threads", "1,2"), 0, NULL, ", 5 steps of distributions\n");
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        char change[256], named[96];
        snprintf(change, sizeof change,
                 "UPDATE distributions SET data = CAST(substr(data, 1, 40) || x'182d4454fb210940' ||"
                 " substr(data, 49) AS BLOB) WHERE step = 20 AND number = %d",
                 kind);
        qd_recording_sql(at("out").text, "CREATE TABLE kept AS SELECT * FROM distributions");
        qd_recording_sql(at("out").text, change);
        snprintf(named, sizeof named, "distributions: step 20: bin 5 of %s is 3.14159265",
                 qd_distribution_name((qd_distribution)kind));
        qd_program_outcome result = RUN("verify", "out", "--threads", "1");
        ck_assert_ptr_null(strstr(result.err, "findings"));
        EXPECT_FOUND(result, named);
        qd_recording_sql(at("out").text, "DELETE FROM distributions");
        qd_recording_sql(at("out").text, "INSERT INTO distributions SELECT * FROM kept");
        qd_recording_sql(at("out").text, "DROP TABLE kept");
    }
    qd_recording_sql(at("out").text, "UPDATE distributions SET width = width * 2 WHERE step = 30");
    qd_recording_sql(at("out").text, "UPDATE distributions SET step = 41 WHERE step = 40");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"),
                 "distributions: step 30: the bins of g or the time are not those of the replay",
                 "distributions: step 41: the run has only 40 steps");
    // One that is no distribution any more, and one that comes twice.
    qd_recording_sql(at("out").text, "DELETE FROM distributions WHERE step > 20");
    qd_recording_sql(at("out").text, "UPDATE distributions SET bins = 8 WHERE step = 20 AND number = 2");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "table distributions: step 20: ");
    qd_recording_sql(at("out").text, "UPDATE distributions SET name = 'g' WHERE step = 10 AND number = 2");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "table distributions: step 10: ");
}

QD_TEST(any_byte_of_the_file) {
    make("out", &(qd_recording){.bodies = 500}); // most of the file is worlds
    size_t bytes = 0;
    qd_own_memory char *data = qd_scratch_read(at("out/run.db").text, &bytes);
    ck_assert_ptr_nonnull(data);
    size_t cases = qd_test_effort(60), found = 0;
    uint64_t seed = qd_test_seed(900);
    for (uint64_t k = seed; k < seed + (qd_test_replaying() ? 1 : cases); ++k) {
        qd_random random = qd_random_at(k, 0, 0);
        size_t place = qd_random_bits(&random) % bytes;
        char kept = data[place];
        data[place] = (char)(kept ^ (1 << qd_random_bits(&random) % 8));
        put_file("out/run.db", data, bytes);
        data[place] = kept;
        qd_program_outcome result = RUN("verify", "out", "--threads", "1", "-q");
        ck_assert_msg(result.code == 0 || result.code == 4 || result.code == 5, "seed %llu: exit %d: %s",
                      (unsigned long long)k, result.code, result.err);
        const char *line = strchr(result.err, '\n');
        ck_assert(result.code == 0 ? !line : line && line[1] == '\0');
        found += result.code != 0;
    }
    ck_assert_msg(qd_test_replaying() || found * 4 > cases, "%zu of %zu, %zu bytes", found, cases,
                  bytes); // the others are in what nobody reads
}

static const qd_plant plant = {true, 18, 7, 0};

// A state that really changed, by one bit, between two records.
QD_TEST(a_planted_bit) {
    make("out", &(qd_recording){.plant = plant});
    qd_program_outcome result = RUN("verify", "out", "--threads", "2");
    ck_assert_ptr_null(strstr(result.err, "findings"));
    EXPECT_FOUND(result,
                 "state: step 20: differs from here on, equal at step 15 (2 threads): body 7: velocity.x is ",
                 " in the snapshot of step 20, ", " in the replay");
    // Without snapshots and checkpoints there is no more to say than when.
    qd_recording_sql(at("out").text, "DELETE FROM snapshots WHERE step > 10");
    qd_recording_sql(at("out").text, "DELETE FROM checkpoints WHERE step > 10");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"),
                 "state: step 20: differs from here on, equal at step 15 (1 thread): ",
                 "body and field cannot be told");
    // Recorded at the very step: one body, one field, and both values differ in the last bit.
    make("each", &(qd_recording){.sets = {"record.snapshots=1", "record.hashes=1", "frames.every=0"},
                                 .plant = plant});
    json_t *json = qd_program_json(RUN("verify", "each", "--threads", "1", "--json"), 5);
    const json_t *found = json_array_get(json_object_get(json, "findings"), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "findings")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(found, "step")), 18);
    ck_assert_int_eq(json_integer_value(json_object_get(found, "body")), 7);
    ck_assert_int_eq(json_integer_value(json_object_get(found, "fields")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(found, "field")), "velocity.x");
    double one = strtod(json_string_value(json_object_get(found, "first")), NULL);
    double two = strtod(json_string_value(json_object_get(found, "second")), NULL);
    uint64_t p, q;
    memcpy(&p, &one, sizeof p);
    memcpy(&q, &two, sizeof q);
    ck_assert_uint_eq(p ^ q, 1);
    json_decref(json);
}

// One snapshot says something else than the run, and its checksum is right.
QD_TEST(a_snapshot_of_another_run) {
    make_sound("out");
    make("other", &(qd_recording){.plant = {true, 10, 3, 50}});
    char sql[1600];
    snprintf(sql, sizeof sql,
             "ATTACH '%s/run.db' AS other;"
             "UPDATE snapshots SET (bytes, checksum) = (SELECT bytes, checksum FROM other.snapshots WHERE "
             "step = 10)"
             " WHERE step = 10;"
             "DELETE FROM parts WHERE owner = 'snapshot' AND step = 10;"
             "INSERT INTO parts SELECT * FROM other.parts WHERE owner = 'snapshot' AND step = 10",
             at("other").text);
    qd_recording_sql(at("out").text, sql);
    qd_program_outcome result = RUN("verify", "out", "--threads", "1", "-v");
    ck_assert_ptr_nonnull(strstr(result.out, "  body 3: velocity.x: "));
    EXPECT_FOUND(result, "snapshots: step 10: body 3: velocity.x is ", " in the snapshot of step 10, ");
}

static void expect_frame(const char *named) {
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), named);
}

QD_TEST(pictures) {
    make_sound("out");
    const char *const picture = "out/frames/frame_000002.png";
    size_t bytes = 0, others = 0;
    qd_own_memory char *data = qd_scratch_read(at(picture).text, &bytes);
    qd_own_memory char *other = qd_scratch_read(at("out/frames/frame_000003.png").text, &others);
    ck_assert_int_eq(remove(at(picture).text), 0);
    expect_frame("frames: frame 2: frames/frame_000002.png is not there");
    put_file(picture, other, others);
    expect_frame("frames: frame 2: frames/frame_000002.png has pixels ");
    put_file(picture, data, bytes / 2);
    expect_frame("frames: frame 2: frames/frame_000002.png is damaged: ");
    data[bytes / 2] ^= 1;
    put_file(picture, data, bytes);
    expect_frame("frames: frame 2: frames/frame_000002.png is damaged: ");
}

QD_TEST(frames_and_their_lists) {
    make_sound("out");
    const char *const list = "out/frames/manifest.csv";
    qd_own_memory char *manifest = qd_scratch_read(at(list).text, NULL);
    ck_assert_ptr_nonnull(manifest);
    char *digit = strrchr(manifest, '\n') - 1, kept = *digit; // of the last row's hash
    *digit = *digit == '0' ? '1' : '0';
    qd_scratch_write(at(list).text, manifest);
    expect_frame("frames: frame 4: manifest.csv has 4,40,0.8,");
    *digit = kept;
    digit[-16] = '\0';
    qd_scratch_write(at(list).text, manifest);
    expect_frame("frames: frame 4: manifest.csv has 4,40,0.8");
    *strrchr(manifest, '\n') = '\0';
    strrchr(manifest, '\n')[1] = '\0';
    qd_scratch_write(at(list).text, manifest);
    expect_frame("frames: frame 3: manifest.csv ends here, and the table goes on");
    ck_assert_int_eq(remove(at(list).text), 0);
    expect_frame("frames: frame 0: there is no manifest.csv");
}

QD_TEST(frames_of_the_table) {
    make_sound("out");
    qd_scratch_write(at("out/frames/frame_000005.png").text, "picture");
    expect_frame("frames: frame 5: frames/frame_000005.png is in no row of the table");
    ck_assert_int_eq(remove(at("out/frames/frame_000005.png").text), 0);
    qd_recording_turn(at("out").text, "frames", "pixels", 1, 15, 0);
    expect_frame("frames: frame 1: frames/frame_000001.png has pixels ");
    qd_recording_turn(at("out").text, "frames", "pixels", 1, 15, 0);
    qd_recording_sql(at("out").text, "DELETE FROM frames WHERE number = 4");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "frames: frame 4: ");
    qd_recording_sql(at("out").text, "UPDATE frames SET pixels = 'x' WHERE number = 3");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"),
                 "frames: frame 3: the table has no hash of the pixels");
}

QD_TEST(the_scene_and_the_result) {
    make_sound("out");
    qd_own_memory char *result = qd_scratch_read(at("out/result.json").text, NULL);
    char *hash = strstr(result, "state_hash\": \"") + 14, kept = *hash;
    *hash = *hash == '0' ? '1' : '0';
    qd_scratch_write(at("out/result.json").text, result);
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "result.json: step 40: state_hash is ");
    *hash = kept;
    hash[8] = '\0';
    qd_scratch_write(at("out/result.json").text, result);
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "result.json: it does not say ");
    hash[8] = kept;
    make_sound("two");
    char *yaml = qd_scratch_read(at("two/scene.yaml").text, NULL), *seed = strstr(yaml, "seed: 3");
    ck_assert_ptr_nonnull(seed);
    seed[6] = '4';
    qd_scratch_write(at("two/scene.yaml").text, yaml);
    free(yaml);
    EXPECT_FOUND(RUN("verify", "two", "--threads", "1"), "scene hash: run.db has ",
                 "state: step 0: differs from here on (1 thread): body 1: ");
}

// A run that broke off, and one whose world broke a limit in the replay only.
QD_TEST(runs_that_are_not_complete) {
    make("out", &(qd_recording){.sets = {"world.gravity.1=-50"}, .stop_at = 23});
    qd_program_outcome result = SUCCEED("verify", "out", "--threads", "1");
    ck_assert_ptr_nonnull(
        strstr(result.out, "5 hashes, 3 rows of metrics, 3 snapshots, 2 checkpoints, 3 frames"));
    ck_assert_ptr_nonnull(strstr(result.out, "out: all as recorded up to step 20 of "));
    ck_assert_ptr_nonnull(strstr(result.out, ", where the run is not complete, replayed with 1 thread: "));
    result = RUN("verify", "out", "--threads", "1", "--json");
    ck_assert_ptr_nonnull(strstr(result.out, "\"complete\": false"));
    ck_assert_ptr_nonnull(strstr(result.out, "\"last_step\": 20"));
    char *yaml = qd_scratch_read(at("out/scene.yaml").text, NULL), *speed = strstr(yaml, "speed: .inf");
    ck_assert_ptr_nonnull(speed);
    static const char other[] = "speed: 12. ";
    for (size_t i = 0; other[i]; ++i) speed[i] = other[i];
    qd_scratch_write(at("out/scene.yaml").text, yaml);
    free(yaml);
    result = RUN("verify", "out", "--threads", "1");
    EXPECT_FOUND(
        result,
        "scene hash: ", "snapshots: step 0: the world: limits.speed is .inf in the snapshot of step 0, 12 ",
        "state: step ", ": the replay stops, step ", "faster than limits.speed (12); the run went on");
}

QD_TEST(what_is_no_run) {
    expect_refusal(RUN("verify", "nowhere"), 3, "there is no run directory nowhere");
    expect_refusal(RUN("verify"), 2, "verify needs a DIR");
    make_sound("out");
    expect_refusal(RUN("verify", "out", "--threads", "1,0"), 2, "--threads: '1,0' is not a list");
    expect_refusal(RUN("verify", "out", "--threads", "1,"), 2, "--threads: '1,' is not a list");
    qd_own_memory char *yaml = qd_scratch_read(at("out/scene.yaml").text, NULL);
    qd_scratch_write(at("out/scene.yaml").text, "world: {size: [0, 1]}\n");
    expect_refusal(RUN("verify", "out"), 3, "world.size");
    ck_assert_int_eq(remove(at("out/scene.yaml").text), 0);
    expect_refusal(RUN("verify", "out"), 3, "scene.yaml");
    qd_scratch_write(at("out/scene.yaml").text, "bodies: [list: [{shape: disk, at: [-5, 5]}]]\n");
    qd_program_expect(RUN("verify", "out"), 3, NULL, NULL);
    qd_scratch_write(at("out/scene.yaml").text, yaml);
    qd_scratch_write(at("out/run.db").text,
                     "no database, but long enough to be taken for the head of one, or not");
    expect_refusal(RUN("verify", "out"), 4, "run.db");
    ck_assert_int_eq(remove(at("out/run.db").text), 0);
    expect_refusal(RUN("verify", "out"), 4, "run.db");
}

QD_TEST_MAIN("verify", 240, setup, teardown)
