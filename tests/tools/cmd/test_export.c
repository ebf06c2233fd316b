#include "sim/scene/scene_impl.h"
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/recorder.h"
#include "tests/support/runs.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The command `export`, and scenes that take bodies from what it wrote, or from the run itself.

/// Disks of many radii and masses that bounce and spin, in a world with a corner that is not the origin.
static const char scene[] = "name: small\n"
                            "world: {size: [20, 12], origin: [-3, 5], boundary: {x: periodic, y: reflect}, "
                            "gravity: [0, -1]}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "contact: {restitution: 0.9, friction: 0.3}\n"
                            "bodies:\n"
                            "- disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 3}, "
                            "spin: {normal: 1}}\n"
                            "frames: {every: 0}\n"
                            "record: {snapshots: 5, metrics: 10, events: true}\n"
                            "checkpoint: {every: 16, seconds: 0}\n";
enum { MOMENTS = 9 };

/// All shapes and kinds.
static const char shapes[] =
    "name: shapes\n"
    "world: {size: [40, 30], gravity: [0, -5]}\n"
    "run: {steps: 20, dt: 0.02}\n"
    "contact: {friction: 0.4, restitution: 0.2}\n"
    "bodies:\n"
    "- rects: {count: 10, size: [1.5, 1], angle: auto, velocity: {normal: 1}, friction: 0.9}\n"
    "- capsules: {count: 8, angle: auto}\n"
    "- polygons: {count: 8, radius: 0.8, spin: {normal: 2}, filter: {category: 3, group: 7}}\n"
    "- disks: {count: 9, radius: 0.4, density: 3}\n"
    "- polyline: {points: [[2, 3], [20, 1.5], [38, 3]], radius: 0.2}\n"
    "- polyline: {points: [[18, 20], [22, 20], [22, 22]], closed: true, spin: 1}\n"
    "- list:\n"
    "  - {shape: rect, size: [3, 1], at: [10, 20], angle: 0.4, kinematic: true, velocity: [0.1, 0]}\n"
    "  - {at: [30, 25], radius: 1, sensor: true, bullet: true, inertia: .inf, restitution: 0.7}\n"
    "record: {snapshots: 10}\n"
    "frames: {every: 0}\n";

static void make(const char *text, const char *directory) {
    qd_scratch_write(at("made.yaml").text, text);
    SUCCEED("run", "made.yaml", "-o", directory, "-q", "--threads", "2");
}

static size_t count_in(const char *name, const char *what) {
    qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_msg(text != NULL, "%s", name);
    size_t count = 0;
    for (const char *found = text; (found = strstr(found, what)) != NULL; found += strlen(what)) ++count;
    return count;
}

static const char *const formats[] = {"lammps", "extxyz", "vtp", "csv"};
static const char *const first_files[] = {"bodies.lammpstrj", "bodies.xyz", "bodies_000008.vtp",
                                          "bodies.csv"};
static const size_t file_counts[] = {1, 1, 4 * MOMENTS + 4, 5};

static qd_scratch_path file_of(const char *directory, int format) {
    qd_scratch_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", directory, first_files[format]);
    return path;
}

// ---- export ----

QD_TEST_LOOP(every_snapshot_and_the_same_simulated_again, 0, 4) {
    make(scene, "out");
    qd_own_memory char *before = qd_scratch_read(at("out/run.db").text, NULL);
    SUCCEED("export", "out", "--format", formats[_i], "-q");
    char directory[64];
    snprintf(directory, sizeof directory, "out/export/%s", formats[_i]);
    ck_assert_uint_eq(qd_scratch_count(at(directory).text), file_counts[_i]);
    SUCCEED("export", "out", "--format", formats[_i], "-q", "-o", "again", "--every", "5", "--threads", "3");
    expect_same_files(file_of(directory, _i).text, file_of("again", _i).text);
    ck_assert_uint_eq(qd_scratch_count(at("again").text), file_counts[_i]);
    qd_own_memory char *after = qd_scratch_read(at("out/run.db").text, NULL);
    ck_assert_str_eq(before, after);
}

QD_TEST(some_of_the_moments) {
    make(scene, "out");
    SUCCEED("export", "out", "--format", "lammps", "-q", "-o", "some", "--frames", "3:5");
    ck_assert_uint_eq(count_in("some/bodies.lammpstrj", "ITEM: TIMESTEP\n"), 3);
    ck_assert_uint_eq(count_in("some/bodies.lammpstrj", "ITEM: TIMESTEP\n15\n"), 1);
    ck_assert_uint_eq(count_in("some/bodies.lammpstrj", "ITEM: TIMESTEP\n25\n"), 1);
    SUCCEED("export", "out", "--format", "lammps", "-q", "-o", "odd", "--frames", "2:", "--every", "7");
    ck_assert_uint_eq(count_in("odd/bodies.lammpstrj", "ITEM: TIMESTEP\n"), 4);
    ck_assert_uint_eq(count_in("odd/bodies.lammpstrj", "ITEM: TIMESTEP\n35\n"), 1);
    json_t *json = qd_program_json(RUN("export", "out", "--format", "vtp", "--frames", "8:", "--json"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(json, "directory")), "out/export/vtp");
    ck_assert_str_eq(json_string_value(json_object_get(json, "format")), "vtp");
    ck_assert_int_eq(json_integer_value(json_object_get(json, "frames")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "first_step")), 40);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "last_step")), 40);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "files")), 8);
    json_decref(json);
}

/// Lines of a table whose first column is between two steps.
static size_t rows_between(const char *name, long from, long to) {
    qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_msg(text != NULL, "%s", name);
    size_t count = 0;
    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        long step = strtol(line, NULL, 10);
        count += step >= from && step <= to;
    }
    return count;
}

QD_TEST(tables_have_the_rows_of_the_store) {
    make(scene, "out");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "all");
    int64_t events = qd_runs_number(at("out").text, "SELECT count(*) FROM events");
    ck_assert_int_gt(events, 20);
    ck_assert_uint_eq(rows_between("all/events.csv", 0, 1000), (size_t)events);
    ck_assert_uint_eq(
        count_in("all/events.csv", ",begin,"),
        (size_t)qd_runs_number(at("out").text, "SELECT count(*) FROM events WHERE kind='begin'"));
    ck_assert_uint_eq(
        count_in("all/events.csv", ",,bottom,"),
        (size_t)qd_runs_number(at("out").text, "SELECT count(*) FROM events WHERE side='bottom'"));
    ck_assert_uint_eq(rows_between("all/metrics.csv", 0, 1000), 5);
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "some", "--frames", "2:4");
    ck_assert_uint_eq(rows_between("some/events.csv", 0, 1000), rows_between("all/events.csv", 10, 20));
    ck_assert_uint_eq(rows_between("some/metrics.csv", 10, 20), 2);
    ck_assert_uint_eq(rows_between("some/metrics.csv", 0, 1000), 2);
    ck_assert_uint_eq(rows_between("some/bodies.csv", 10, 20), 3 * 30);
}

/// A line for each cell of each recorded step, and no table where none was recorded.
QD_TEST(fields_are_a_table) {
    qd_scratch_write(at("made.yaml").text, scene);
    SUCCEED("run", "made.yaml", "-o", "out", "-q", "--set", "record.fields={every: 5, cells: [3, 2]}");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "all");
    ck_assert_uint_eq(rows_between("all/fields.csv", 0, 0), 6);
    ck_assert_uint_eq(rows_between("all/fields.csv", 0, 1000), MOMENTS * 6);
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "some", "--frames", "2:4");
    ck_assert_uint_eq(rows_between("some/fields.csv", 10, 20), 3 * 6);
    ck_assert_uint_eq(rows_between("some/fields.csv", 0, 1000), 3 * 6);
    ck_assert(!qd_scratch_exists(at("all/fields.csv.part").text));
}

/// A line for each bin of each recorded distribution; beside fields, and without.
QD_TEST(distributions_are_a_table) {
    static const char every[] = "record.distributions={every: 5, bins: 7}";
    qd_scratch_write(at("made.yaml").text, scene);
    SUCCEED("run", "made.yaml", "-o", "out", "-q", "--set", every);
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "all");
    ck_assert_uint_eq(rows_between("all/distributions.csv", 0, 0), 4 * 7);
    ck_assert_uint_eq(rows_between("all/distributions.csv", 0, 1000), MOMENTS * 4 * 7);
    ck_assert(!qd_scratch_exists(at("all/fields.csv").text));
    SUCCEED("run", "made.yaml", "-o", "both", "-q", "--set", every, "--set",
            "record.fields={every: 5, cells: [3, 2]}");
    SUCCEED("export", "both", "--format", "csv", "-q", "-o", "some", "--frames", "2:4");
    ck_assert_uint_eq(rows_between("some/distributions.csv", 10, 20), 3 * 4 * 7);
    ck_assert_uint_eq(rows_between("some/distributions.csv", 0, 1000), 3 * 4 * 7);
    ck_assert_uint_eq(rows_between("some/fields.csv", 0, 1000), 3 * 6);
}

/// A file of image data for each recorded step, those of the chosen frames, and none that stays behind.
QD_TEST(fields_are_images) {
    qd_scratch_write(at("made.yaml").text, scene);
    SUCCEED("run", "made.yaml", "-o", "out", "-q", "--set", "record.fields={every: 5, cells: [3, 2]}");
    SUCCEED("export", "out", "--format", "vtp", "-q", "-o", "all");
    ck_assert_uint_eq(count_in("all/fields.pvd", "<DataSet"), MOMENTS);
    ck_assert(qd_scratch_exists(at("all/fields_000000.vti").text));
    SUCCEED("export", "out", "--format", "vtp", "-q", "-o", "all", "--force", "--frames", "2:4");
    ck_assert_uint_eq(count_in("all/fields.pvd", "<DataSet"), 3);
    ck_assert(qd_scratch_exists(at("all/fields_000002.vti").text));
    ck_assert(!qd_scratch_exists(at("all/fields_000003.vti").text));
    SUCCEED("run", "made.yaml", "-o", "bare", "-q");
    SUCCEED("export", "bare", "--format", "vtp", "-q", "-o", "all", "--force");
    ck_assert(!qd_scratch_exists(at("all/fields.pvd").text));
}

QD_TEST(tables_without_snapshots) {
    qd_scratch_write(at("made.yaml").text, scene);
    SUCCEED("run", "made.yaml", "-o", "bare", "-q", "--set", "record.snapshots=0");
    qd_program_outcome result = SUCCEED("export", "bare", "--format", "csv");
    ck_assert_ptr_nonnull(strstr(result.err, "has no snapshots"));
    ck_assert_ptr_nonnull(strstr(result.err, "events and metrics only"));
    ck_assert_uint_eq(rows_between("bare/export/csv/metrics.csv", 0, 1000), 5);
    ck_assert_uint_eq(rows_between("bare/export/csv/bodies.csv", 0, 1000), 0);
    expect_refusal(RUN("export", "bare", "--format", "lammps"), 3, "--every E");
    ck_assert(!qd_scratch_exists(at("bare/export/lammps").text));
    SUCCEED("export", "bare", "--format", "lammps", "-q", "--every", "20");
    ck_assert_uint_eq(count_in("bare/export/lammps/bodies.lammpstrj", "ITEM: TIMESTEP\n"), 3);
}

QD_TEST(what_is_refused) {
    make(scene, "out");
    expect_refusal(RUN("export", "out"), 2, "--format FORMAT");
    expect_refusal(RUN("export", "out", "--format", "xyz"), 2, "lammps, extxyz, vtp, csv");
    expect_refusal(RUN("export", "--format", "csv"), 2, "DIR");
    expect_refusal(RUN("export", "out", "--format", "csv", "--frames", "5:3"), 2, "is not a range");
    expect_refusal(RUN("export", "out", "--format", "csv", "--frames", "9"), 2, "out has no frame 9");
    expect_refusal(RUN("export", "out", "--format", "vtp", "--every", "50", "--frames", "1"), 2,
                   "no frame 1");
    expect_refusal(RUN("export", "out", "--format", "csv", "--every", "0"), 2, "--every");
    ck_assert(!qd_scratch_exists(at("out/export").text));
    expect_refusal(RUN("export", "nowhere", "--format", "csv"), 3, "nowhere");
    expect_refusal(RUN("export", "out", "--format", "csv", "-o", "/dev/null/such/place"), 4,
                   "/dev/null/such/place");
    expect_refusal(RUN("export", "out", "--format", "csv", "-o", "made.yaml"), 4, "made.yaml");
    expect_refusal(RUN("export", "out", "--format", "csv", "-o", "out"), 4, "out is a run directory");
}

QD_TEST(files_that_are_there) {
    make(scene, "out");
    SUCCEED("export", "out", "--format", "vtp", "-q");
    expect_refusal(RUN("export", "out", "--format", "vtp", "--frames", "2"), 4, "--force");
    ck_assert_uint_eq(qd_scratch_count(at("out/export/vtp").text), 4 * MOMENTS + 4);
    qd_scratch_write(at("out/export/vtp/nodes_000123.vtp.part").text, "half of it");
    SUCCEED("export", "out", "--format", "vtp", "-q", "--frames", "2", "--force");
    ck_assert_uint_eq(qd_scratch_count(at("out/export/vtp").text), 8);
    // They belong to the run: another one in the same place leaves none of them.
    SUCCEED("export", "out", "--format", "csv", "-q");
    qd_scratch_write(at("out/export/csv/notes.txt").text, "mine");
    SUCCEED("run", "made.yaml", "-o", "out", "-q", "--force", "--steps", "3");
    ck_assert(!qd_scratch_exists(at("out/export/vtp").text));
    ck_assert_uint_eq(qd_scratch_count(at("out/export/csv").text), 1);
    expect_refusal(RUN("export", "out", "--format", "csv"), 4, "other things than exported files");
}

QD_TEST_LOOP(a_damaged_snapshot, 0, 4) {
    make(scene, "out");
    qd_recording_turn(at("out").text, "snapshots", "world", 15, 700, 2);
    expect_refusal(RUN("export", "out", "--format", formats[_i], "-q"), 4, "step 15");
    ck_assert(!qd_scratch_exists(at("out/export").text)); // whole or not at all
}

QD_TEST_LOOP(no_room, 0, 4) {
    if (QD_TEST_THREAD_SANITIZER) return;
    make(scene, "out");
    static const char *const names[] = {"bodies.lammpstrj.part", "bodies.xyz.part", "bodies_000000.vtp.part",
                                        "bodies.csv.part"};
    expect_refusal(qd_program_run(&program, &(qd_program_start){.arguments = {"export", "out", "--format",
                                                                              formats[_i], "-q"},
                                                                .file_limit = 3000}),
                   4, names[_i]);
    ck_assert(!qd_scratch_exists(at("out/export").text));
}

QD_TEST_LOOP(stopped_by_a_signal, 0, 4) {
    // Simulated again it is so long that it cannot be over first.
    qd_recording how = {.scene = scene, .sets = {"run.steps=100000000"}, .stop_at = 2};
    qd_recording_make(&how, at("long").text);
    qd_scratch_write(at("long/result.json").text, "{}"); // of one that is not complete it would be two steps
    qd_program_start start = {.arguments = {"export", "long", "--format", formats[_i], "--every", "1", "-q"}};
    pid_t child = qd_program_launch(&program, &start);
    char directory[64];
    snprintf(directory, sizeof directory, "long/export/%s", formats[_i]);
    qd_scratch_await(at(directory).text);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    kill(child, SIGTERM);
    expect_refusal(qd_program_await(&program, child), 128 + SIGTERM, "nothing was exported");
    ck_assert(!qd_scratch_exists(at("long/export").text));
}

// ---- and back ----

/// What the rows of bodies of two exported tables have in their first `columns` columns, from number `skip`
/// on.
static void expect_same_bodies(const char *first, const char *second, size_t skip, size_t columns) {
    qd_own_memory char *a = qd_scratch_read(at(first).text, NULL),
                       *b = qd_scratch_read(at(second).text, NULL);
    ck_assert(a && b);
    char *one = strchr(a, '\n') + 1, *two = strchr(b, '\n') + 1;
    size_t rows = 0;
    for (; *one && *two; ++rows) {
        for (size_t k = 0; k < columns; ++k) {
            size_t left = strcspn(one, ",\n"), right = strcspn(two, ",\n");
            ck_assert_msg(k < skip || (left == right && memcmp(one, two, left) == 0),
                          "row %zu, column %zu: %.60s, %.60s", rows, k, one, two);
            one += left + (k + 1 < columns);
            two += right + (k + 1 < columns);
        }
        one = strchr(one, '\n') + 1;
        two = strchr(two, '\n') + 1;
    }
    ck_assert(!*one && !*two && rows > 10);
}

/// The same angles, but for rounding.
static void expect_near_angles(const char *first, const char *second) {
    enum { ANGLE = 7 };
    qd_own_memory char *a = qd_scratch_read(at(first).text, NULL),
                       *b = qd_scratch_read(at(second).text, NULL);
    const char *one = strchr(a, '\n') + 1, *two = strchr(b, '\n') + 1;
    for (; *one && *two; one = strchr(one, '\n') + 1, two = strchr(two, '\n') + 1) {
        for (int k = 0; k < ANGLE; ++k) {
            one = strchr(one, ',') + 1;
            two = strchr(two, ',') + 1;
        }
        ck_assert_msg(fabs(atof(one) - atof(two)) < 1e-14, "%.30s, %.30s", one, two);
    }
}

/// Begins a run in a world ("": what the bodies bring) with the bodies that a scene names and exports what it
/// has at step 0.
static void begin_in(const char *world, const char *bodies, const char *directory, const char *output) {
    char text[600];
    snprintf(
        text, sizeof text,
        "name: again\n%srun: {steps: 0, dt: 0.02}\nrecord: {snapshots: 1}\nframes: {every: 0}\nbodies:\n- "
        "%s\n",
        world, bodies);
    qd_scratch_write(at("again.yaml").text, text);
    SUCCEED("run", "again.yaml", "-o", directory, "-q");
    SUCCEED("export", directory, "--format", "csv", "-q", "-o", output);
}

static void begin_with(const char *bodies, const char *directory, const char *output) {
    const char *world = strstr(bodies, ".csv")
                            ? "world: {size: [20, 12], origin: [-3, 5], boundary: {x: periodic}}\n"
                            : "";
    begin_in(world, bodies, directory, output);
}

QD_TEST_LOOP(disks_come_back_from_files, 0, 5) {
    static const char *const bodies[] = {"file: {path: there/bodies.lammpstrj, frame: 4}",
                                         "file: {path: there/bodies.xyz, frame: {timestep: 20}}",
                                         "file: {path: there/bodies.lammpstrj, frame: {timestep: 20}}",
                                         "file: {path: there/bodies.xyz, frame: 4}",
                                         "file: {path: table/bodies.csv}"};
    static const char *const from[] = {"lammps", "extxyz", "lammps", "extxyz", "csv"};
    make(scene, "out");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "table", "--frames", "4");
    if (_i < 4) SUCCEED("export", "out", "--format", from[_i], "-q", "-o", "there");
    begin_with(bodies[_i], "back", "compared");
    // Position, velocity, spin, radius and mass, but for the angle, which these formats do not set. A table
    // has no box.
    static const size_t columns[][2] = {{2, 7}, {8, 13}};
    for (size_t k = 0; k < 2; ++k)
        expect_same_bodies("table/bodies.csv", "compared/bodies.csv", columns[k][0], columns[k][1]);
    if (_i == 4) return;
    qd_own_memory char *resolved = qd_scratch_read(at("back/scene.yaml").text, NULL);
    ck_assert_ptr_nonnull(strstr(resolved, "size: [20, 12]"));
    ck_assert_ptr_nonnull(strstr(resolved, "origin: [-3, 5]"));
    ck_assert_ptr_nonnull(strstr(resolved, "x: periodic\n    y: reflect"));
}

/// All shapes and kinds; an angle is that of the turn it makes, but for rounding.
QD_TEST_LOOP(shapes_come_back_from_files, 0, 2) {
    static const char *const bodies[] = {"file: {path: table/bodies.csv}",
                                         "file: {path: there/bodies.xyz, frame: 1}"};
    make(shapes, "out");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "table", "--frames", "1");
    SUCCEED("export", "out", "--format", "extxyz", "-q", "-o", "there");
    begin_in("world: {size: [40, 30]}\n", bodies[_i], "back", "compared");
    static const size_t columns[][2] = {{2, 7}, {8, 15}, {16, 18}};
    for (size_t k = 0; k < 3; ++k)
        expect_same_bodies("table/bodies.csv", "compared/bodies.csv", columns[k][0], columns[k][1]);
    expect_near_angles("table/bodies.csv", "compared/bodies.csv");
    // The copy in the run directory says the same.
    SUCCEED("run", "back/scene.yaml", "-o", "copy", "-q");
    SUCCEED("diff", "back", "copy");
}

QD_TEST(everything_comes_back_from_a_run) {
    make(shapes, "out");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "table", "--frames", "1");
    begin_with("run: {path: out, step: 10}", "back", "compared");
    expect_same_bodies("table/bodies.csv", "compared/bodies.csv", 2, 15);
    // The same from the copy, when the run itself is gone, and from the file alone.
    SUCCEED("run", "back/scene.yaml", "-o", "copy", "-q");
    SUCCEED("diff", "back", "copy");
    begin_with("run: {path: back/bodies_0.qdworld}", "third", "again");
    expect_same_files("compared/bodies.csv", "again/bodies.csv");
    expect_same_files("back/bodies_0.qdworld", "third/bodies_0.qdworld");
    SUCCEED("verify", "back", "-q");
}

QD_TEST(generated_bodies_keep_clear_of_a_run) {
    make(shapes, "out");
    qd_scratch_write(
        at("more.yaml").text,
        "name: more\nrun: {steps: 0, dt: 0.02}\nframes: {every: 0}\nrecord: {metrics: 1}\nbodies:\n"
        "- run: {path: out, step: 0}\n- disks: {count: 200, radius: 0.4}\n");
    SUCCEED("run", "more.yaml", "-o", "more", "-q");
    ck_assert_int_eq(qd_runs_number(at("more").text, "SELECT bodies FROM metrics"),
                     200 + qd_runs_number(at("out").text, "SELECT bodies FROM metrics"));
    ck_assert_int_eq(qd_runs_number(at("more").text, "SELECT contacts FROM metrics"),
                     qd_runs_number(at("out").text, "SELECT contacts FROM metrics"));
}

static void expect_scene_refused(const char *bodies, const char *named) {
    char text[400];
    snprintf(text, sizeof text, "run: {steps: 1, dt: 0.1}\nbodies:\n- %s\n", bodies);
    qd_scratch_write(at("bad.yaml").text, text);
    expect_refusal(RUN("run", "bad.yaml", "-o", "bad"), 3, named);
    ck_assert(!qd_scratch_exists(at("bad").text));
}

QD_TEST(runs_that_cannot_be_taken) {
    make(scene, "out");
    expect_scene_refused("run: {path: out, step: 17}", "bad.yaml:3: bodies.0.run: ");
    expect_scene_refused("run: {path: out, step: 17}", "of step 17; the nearest are of steps 15 and 20");
    expect_scene_refused("run: {path: out, step: 41}", "the nearest is of step 40");
    expect_scene_refused("run: {path: nowhere}", "nowhere: cannot be opened");
    expect_scene_refused("run: {path: out/scene.yaml}", "not a saved world");
    expect_scene_refused("run: {step: 3}", "\"path\" is missing");
    expect_scene_refused("run: {path: out, step: 5, hash: \"0123456789abcdef\"}", "the run has changed");
    expect_scene_refused("file: {path: out/run.db, format: xyz}", "out/run.db");
    qd_recording_turn(at("out").text, "snapshots", "world", 15, 700, 2);
    expect_scene_refused("run: {path: out, step: 15}", "step 15 is damaged");
    // A wall where there was a seam: a body that is not within it.
    qd_scratch_write(at("bad.yaml").text, "world: {size: [2, 2]}\nbodies:\n- run: {path: out}\n");
    expect_refusal(RUN("run", "bad.yaml", "-o", "bad"), 3, "bodies.0.run: body ");
    expect_refusal(RUN("run", "bad.yaml", "-o", "bad", "--bodies", "10"), 2, "is no generator");
    // A copy that was changed afterwards.
    begin_with("run: {path: out, step: 20}", "back", "table");
    FILE *copy = fopen(at("back/bodies_0.qdworld").text, "r+b");
    ck_assert(copy && fseek(copy, 300, SEEK_SET) == 0 && fputc('x', copy) == 'x' && fclose(copy) == 0);
    expect_refusal(RUN("run", "back/scene.yaml", "-o", "bad"), 3, "bodies_0.qdworld");
}

QD_TEST(the_last_state_is_named) {
    make(scene, "out");
    qd_scratch_write(at("last.yaml").text, "run: {steps: 0, dt: 0.1}\nbodies:\n- run: {path: out}\n");
    qd_program_expect(RUN("run", "last.yaml", "-o", "last"), 0,
                      "out: its bodies at step 40, the last that is kept", NULL);
    qd_own_memory char *resolved = qd_scratch_read(at("last/scene.yaml").text, NULL);
    ck_assert_ptr_nonnull(strstr(resolved, "path: bodies_0.qdworld\n      step: 40\n      hash: \""));
}

QD_TEST(a_run_without_memory) {
    make(scene, "out");
    static const char text[] = "run: {steps: 0, dt: 0.1}\nbodies:\n- run: {path: out, step: 20}\n";
    qd_status status = QD_ERR_MEMORY;
    size_t fail_at = 0;
    while (status != QD_OK) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, ++fail_at);
        qd_scene *made = NULL;
        qd_error error = {""};
        status = qdi_scene_parse_with(&allocator.allocator, text, strlen(text), at("x.yaml").text, NULL,
                                      &made, &error);
        ck_assert_msg(status == QD_OK || status == QD_ERR_MEMORY, "allocation %zu: %s", fail_at, error.text);
        if (status == QD_OK) ck_assert_uint_eq(qd_scene_bodies(made), 30);
        qd_scene_destroy(made);
        ck_assert_msg(allocator.live == 0, "allocation %zu", fail_at);
    }
    ck_assert_uint_gt(fail_at, 20);
}

QD_TEST_MAIN("export", 300, setup, teardown)
