#define _GNU_SOURCE // kill, unlink
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Runs of which no rank ever has the whole world: ranks make the bodies, each some of them, and checkpoints
// are saved piece by piece. Beside the run of the same scene without ranks.

#define RECORDED                                                                                             \
    "run: {steps: 120, dt: 0.005}\nrecord: {metrics: 1, hashes: 1}\ncheckpoint: {every: 25, keep: 9}\n"      \
    "frames: {every: 0}\n"

/// A gas; disks of many sizes beside a giant and over a polyline on a floor that shakes; polygons among a
/// fixed rectangle and a wheel that turns; capsules in a grid; generators of several kinds side by side, and
/// at random. Some have materials.
static const char *const scenes[] = {
    "name: gas\nworld: {size: [60, 40], boundary: periodic}\ncontact: {model: none}\n"
    "bodies:\n  - disks: {count: 600, radius: {uniform: [0.2, 0.5]}, place: cells, velocity: {normal: 8}}\n",

    "name: floor\nworld: {size: [60, 40], boundary: {x: periodic, y: reflect}, gravity: [0, -10], "
    "walls: {bottom: {amplitude: 0.3, frequency: 4}}}\n"
    "contact: {model: spring, restitution: 0.6, friction: 0.3, spring: {contact_time: 0.1}}\n"
    "stepper: {margin: 0}\n"
    "materials: {steel: {restitution: 0.9, density: 3}, rubber: {friction: 0.8}}\n"
    "bodies:\n"
    "  - list:\n"
    "    - {shape: disk, radius: 5, at: [30, 34]}\n"
    "    - {shape: disk, radius: 0.4, at: [5, 35], material: steel}\n"
    "  - disks: {count: 900, radius: {power: {min: 0.05, max: 0.4, exponent: 2.5}}, place: cells, "
    "region: [0, 3, 60, 24], material: rubber, velocity: {normal: 3}}\n"
    "  - polyline: {points: [[5, 2], [20, 1], [40, 2.5], [55, 1]]}\n",

    "name: wheel\nworld: {size: [60, 40], boundary: reflect}\n"
    "contact: {model: spring, restitution: 0.5, friction: 0.5, spring: {contact_time: 0.1}}\n"
    "bodies:\n"
    "  - polygons: {count: 300, radius: {uniform: [0.3, 0.5]}, place: cells, "
    "region: [1, 1, 58, 20], velocity: {normal: 5}}\n"
    "  - list:\n"
    "    - {shape: rect, size: [4, 1], at: [20, 30], static: true}\n"
    "    - {shape: rect, size: [12, 0.5], at: [40, 30], kinematic: true, spin: 2, pivot: [41, 30]}\n",

    "name: capsules\nworld: {size: [60, 40], boundary: periodic}\ncontact: {model: spring, restitution: 0.7, "
    "spring: {contact_time: 0.1}}\n"
    "bodies:\n  - capsules: {count: 400, length: 0.6, radius: 0.2, place: grid, angle: 0.3, spin: {normal: "
    "2}, "
    "velocity: {normal: 6}}\n",

    "name: several\nworld: {size: [60, 40], boundary: periodic}\n"
    "contact: {model: spring, restitution: 0.5, friction: 0.4, spring: {contact_time: 0.1}}\n"
    "materials: {steel: {restitution: 0.9}}\n"
    "bodies:\n"
    "  - disks: {count: 300, radius: {uniform: [0.2, 0.5]}, place: random, velocity: {normal: 6}}\n"
    "  - polyline: {points: [[5, 2], [18, 1], [30, 2.5]]}\n"
    "  - rects: {count: 60, size: [1.2, 0.6], place: grid, region: [0, 25, 60, 14], spin: {normal: 1}}\n"
    "  - list: [{shape: disk, radius: 4, at: [30, 14], material: steel}]\n"
    "  - polygons: {count: 100, radius: 0.5, place: random, material: steel, velocity: {normal: 4}}\n"};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static void write_scene(int number) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", scenes[number], RECORDED);
    qd_scratch_write(at("scene.yaml").text, text);
}

static void make_reference(int number) {
    write_scene(number);
    SUCCEED("run", "scene.yaml", "-o", "ref", "-q", "--threads", "1");
}

/// How often rank 0 had the whole world, as result.json says.
static json_int_t gathers(void) {
    json_t *all = json_load_file(at("out/result.json").text, 0, NULL);
    ck_assert_ptr_nonnull(all);
    const json_int_t count = json_integer_value(
        json_object_get(json_array_get(json_object_get(all, "ranks"), 0), "gathers"));
    json_decref(all);
    return count;
}

/// What the replay by one process says of all that was recorded, each checkpoint's world among it.
static void expect_as_reference(void) {
    SUCCEED("verify", "out", "-q", "--threads", "1");
    SUCCEED("diff", "ref", "out", "-q");
    static const char *const same[] = {"SELECT count(*) FROM hashes", "SELECT count(kinetic) FROM metrics",
                                       "SELECT sum(step) FROM checkpoints",
                                       "SELECT sum(contacts) + sum(begins) FROM metrics"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i)
        ck_assert_int_eq(qd_runs_number(at("ref").text, same[i]), qd_runs_number(at("out").text, same[i]));
    ck_assert_str_eq(qd_program_result_text(&program, "out", "state_hash").text,
                     qd_program_result_text(&program, "ref", "state_hash").text);
    ck_assert_int_eq(gathers(), 0);
}

QD_TEST_LOOP(nobody_has_the_world, 0, 3 * SCENES) {
    static const char *const ranks[] = {"1", "3", "8"};
    make_reference(_i / 3);
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--threads", _i % 2 ? "2" : "1", "--ranks",
            ranks[_i % 3]);
    expect_as_reference();
    if (_i / 3 != 1) return; // its boxes are not fat: so checkpoints have as many bytes
    static const char bytes[] = "SELECT sum(bytes) FROM checkpoints";
    ck_assert_int_eq(qd_runs_number(at("ref").text, bytes), qd_runs_number(at("out").text, bytes));
}

// A run goes on where it ended, by one process.
QD_TEST(goes_on) {
    make_reference(1);
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--threads", "1", "--ranks", "4", "--steps", "60");
    SUCCEED("run", "scene.yaml", "-o", "half", "-q", "--threads", "1", "--steps", "60");
    SUCCEED("resume", "half", "-q", "--threads", "1", "--steps", "120");
    SUCCEED("resume", "out", "-q", "--threads", "1", "--steps", "120");
    SUCCEED("verify", "out", "-q", "--threads", "1");
    SUCCEED("diff", "ref", "out", "-q");
    SUCCEED("diff", "half", "out", "-q");
}

/// Takes the run in `out` back to step 50: it was not brought to its end.
static void cut_short(void) {
    qd_runs_change(at("out").text, "DELETE FROM checkpoints WHERE step > 50");
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
}

// A run goes on by ranks of which each reads a part of the checkpoint, whoever has begun it.
QD_TEST_LOOP(goes_on_in_parts, 0, 3 * SCENES) {
    static const char *const ranks[] = {"1", "3", "8"};
    make_reference(_i / 3);
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--threads", "1", _i % 2 ? "--ranks" : NULL, "4");
    cut_short();
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--threads", "1", "--ranks", ranks[_i % 3],
            _i / 3 == 2 ? "--scatter" : "--resume", "--resume");
    expect_as_reference();
}

// A checkpoint that is damaged is passed over, as by one process.
QD_TEST(passes_over_a_damaged_checkpoint) {
    make_reference(1);
    SUCCEED("run", "scene.yaml", "-o", "out", "-q", "--threads", "1", "--ranks", "4");
    cut_short();
    qd_runs_change(at("out").text,
                   "UPDATE parts SET data = substr(data, 1, 900) || x'aa' || substr(data, 902) "
                   "WHERE owner = 'checkpoint' AND step = 50");
    qd_program_outcome told = RUN("run", "scene.yaml", "-o", "out", "--no-progress", "--threads", "1",
                                  "--ranks", "3", "--resume");
    ck_assert_msg(told.code == 0 && strstr(told.err, "step 50 is damaged: its checksum differs") &&
                      strstr(told.err, "going on from step 25"),
                  "%s", told.err);
    expect_as_reference();
}

// A run that is stopped leaves a checkpoint of its last step.
QD_TEST(stops_with_a_checkpoint) {
    write_scene(2);
    const qd_program_start how = {.arguments = {"run", "scene.yaml", "-o", "out", "-q", "--threads", "1",
                                                "--ranks", "3", "--steps", "1000000"}};
    qd_program_expect(qd_program_stop_at(&program, &how, "out/run.db-wal", SIGTERM), 75, NULL, NULL);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT max(step) FROM checkpoints"),
                     qd_runs_number(at("out").text, "SELECT max(step) FROM hashes"));
    SUCCEED("verify", "out", "-q", "--threads", "1");
}

// What cannot be placed is refused with the words that there are without ranks.
QD_TEST_LOOP(refused_as_without_ranks, 0, 3) {
    static const char *const cases[] = {
        "name: tight\nworld: {size: [10, 10]}\ncontact: {model: none}\nframes: {every: 0}\n"
        "bodies:\n  - disks: {count: 100, radius: 0.6, place: cells}\n",
        "name: overlap\nworld: {size: [10, 10]}\ncontact: {model: none}\nframes: {every: 0}\n"
        "bodies:\n  - disks: {count: 25, radius: 0.5, place: grid}\n"
        "  - list: [{shape: disk, radius: 1, at: [5, 5]}]\n",
        "name: fast\nworld: {size: [10, 10]}\ncontact: {model: none}\nlimits: {speed: 5}\nframes: {every: "
        "0}\n"
        "bodies:\n  - disks: {count: 25, radius: 0.5, place: grid, velocity: {normal: 9}}\n"};
    qd_scratch_write(at("scene.yaml").text, cases[_i]);
    qd_program_outcome plain = RUN("run", "scene.yaml", "-o", "ref", "-q"),
                       ranks = RUN("run", "scene.yaml", "-o", "out", "-q", "--ranks", "3");
    ck_assert_int_ne(plain.code, 0);
    ck_assert_int_eq(plain.code, ranks.code);
    ck_assert_str_eq(plain.err, ranks.err);
    ck_assert(!qd_scratch_exists(at("out").text));
}

// A limit that is broken on the way: the same words, but there is no picture of it.
QD_TEST(limits_name_the_same_body) {
    static const char text[] = "name: fall\nworld: {size: [40, 40], gravity: [0, -100]}\n"
                               "contact: {model: none}\nlimits: {speed: 20}\n"
                               "bodies:\n  - disks: {count: 100, radius: 0.5, place: cells, velocity: "
                               "{normal: 1}}\n" RECORDED;
    qd_scratch_write(at("scene.yaml").text, text);
    qd_program_outcome plain = RUN("run", "scene.yaml", "-o", "ref", "-q"),
                       ranks = RUN("run", "scene.yaml", "-o", "out", "-q", "--ranks", "3");
    ck_assert_int_eq(plain.code, 5);
    ck_assert_int_eq(ranks.code, 5);
    const char *end = strstr(plain.err, "; see ");
    ck_assert_ptr_nonnull(end);
    ck_assert_msg(strncmp(plain.err, ranks.err, (size_t)(end - plain.err)) == 0, "%s%s", plain.err,
                  ranks.err);
    ck_assert_msg(strstr(ranks.err, "no picture of it") != NULL, "%s", ranks.err);
    SUCCEED("diff", "ref", "out", "-q");
}

QD_TEST_MAIN("ranks_apart", 200, setup, teardown)
