#define _GNU_SOURCE // kill, usleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <signal.h>
#include <string.h>

// A world that is compressed, as the program's users meet it: what is wrong is said in one line; a run that
// was killed goes on with the sides where they were; verify goes over it; and metrics say how far it is.

#define THREE         "\nbodies:\n  - disks: {count: 3, place: grid}\n"
#define COMPRESS(how) "world: {compress: {" how "}}" THREE

/// Scenes that are wrong, and what the answer names.
static const struct {
    const char *text, *named;
} wrong[] = {
    {"world: {boundary: open, compress: {rate: [0.1, 0]}}" THREE, "the open sides in x cannot be compressed"},
    {"world: {boundary: {x: reflect, y: open}, compress: {rate: [0.1, 0.1]}}" THREE, "the open sides in y"},
    {"world: {compress: {rate: [0.1, 0.1]}, walls: {left: {velocity: 1}}}" THREE,
     "walls that are compressed in x cannot move"},
    {"world: {boundary: periodic, compress: {rate: [0.1, 0]}}\nbodies:\n  - list: [{at: [5, 5], static: "
     "true}]\n",
     "bodies.0.list.0: in a periodic world that is compressed all bodies must be dynamic"},
    {"world: {compress: 3}" THREE, "my.yaml:1: world.compress: must be a mapping"},
    {COMPRESS("rate: 0.1"), "my.yaml:1: world.compress.rate: must be two numbers"},
    {COMPRESS("rate: [.nan, 0]"), "world.compress.rate"},
    {COMPRESS("rate: [0, .inf]"), "world.compress.rate"},
    {COMPRESS("rate: [0.1, fast]"), "world.compress.rate"},
    {COMPRESS("rates: [0.1, 0.1]"), "did you mean \"rate\"?"},
    {COMPRESS("rate: [0.1, 0.1], until: 0.8"), "world.compress.until: must be a mapping"},
    {COMPRESS("rate: [0.1, 0.1], until: {presure: 1}"), "did you mean \"pressure\"?"},
    {COMPRESS("rate: [0.1, 0.1], until: {fraction: 0}"),
     "world.compress.until.fraction: must be a number > 0, not \"0\""},
    {COMPRESS("rate: [0.1, 0.1], until: {fraction: -0.5}"), "not \"-0.5\""},
    {COMPRESS("rate: [0.1, 0.1], until: {pressure: 0}"),
     "world.compress.until.pressure: must be a number > 0, not \"0\""},
    {COMPRESS("rate: [0.1, 0.1], until: {pressure: .nan}"), "not \".nan\""},
    {COMPRESS("rate: [0.1, -0.1], until: {fraction: 0.8}"), "ends at no fraction or pressure"},
};

QD_TEST_LOOP(test_wrong_scenes, 0, (int)(sizeof wrong / sizeof wrong[0])) {
    qd_scratch_write(at("my.yaml").text, wrong[_i].text);
    expect_refusal(RUN("run", "my.yaml"), 3, wrong[_i].named);
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1);
}

QD_TEST(test_wrong_settings) {
    expect_refusal(RUN("run", "compress", "-o", "out", "--set", "world.compress.until.fraction=none"), 2,
                   "world.compress.until.fraction: must be a number > 0");
    expect_refusal(RUN("run", "compress", "-o", "out", "--set", "world.boundary=open"), 3, "open sides in x");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
}

/// Both axes, by other rates; it is through after half of the steps.
static const char scene[] =
    "name: pressed\n"
    "world: {size: [30, 24], boundary: {x: periodic, y: reflect}, drag: {linear: 1},\n"
    "        compress: {rate: [0.15, 0.1], until: {fraction: 0.8}}}\n"
    "run: {steps: 600, dt: 0.01}\n"
    "contact: {model: spring, restitution: 0.5, friction: 0.3, spring: {kn: 300}}\n"
    "bodies:\n"
    "  - disks: {count: 340, radius: {uniform: [0.4, 0.6]}, velocity: {normal: 1}}\n"
    "view: {size: [160, 128], colour: contact}\n"
    "frames: {every: 15}\n"
    "record: {metrics: 5, hashes: 5, events: persist, snapshots: 100}\n"
    "checkpoint: {every: 40}\n";

/// Runs the scene undisturbed into `ref`.
static void make_reference(void) {
    qd_scratch_write(at("pressed.yaml").text, scene);
    SUCCEED("run", "pressed.yaml", "-o", "ref", "-q", "--threads", "1");
}

/// While sides move, and after they have come to rest.
QD_TEST_LOOP(test_killed_and_gone_on_with, 0, 2) {
    static const char *const frames[] = {"out/frames/frame_000007.png", "out/frames/frame_000037.png"};
    make_reference();
    qd_program_start how = {
        .arguments = {"run", "pressed.yaml", "-o", "out", "-q", "--threads", "1", "--force"}};
    qd_program_outcome result = qd_program_stop_at(&program, &how, frames[_i], _i ? SIGTERM : SIGKILL);
    ck_assert_msg(result.code == (_i ? 75 : -SIGKILL), "exit %d: %s", result.code, result.err);
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    SUCCEED("resume", "out", "-q", "--threads", "2");
    qd_runs_expect_same(at("ref").text, at("out").text);
    qd_program_expect_no_parts(at("out").text);
}

QD_TEST(test_verify) {
    make_reference();
    SUCCEED("verify", "ref", "--threads", "1,2,3");
    // A side that was somewhere else is noticed.
    qd_runs_change(at("ref").text, "UPDATE metrics SET area = area * 1.0000001 WHERE step = 200");
    qd_program_outcome result = RUN("verify", "ref", "--threads", "1");
    ck_assert_msg(result.code == 5 && strstr(result.out, "step 200") && strstr(result.out, "area"),
                  "exit %d: %s", result.code, result.out);
}

static void expect_none(const char *what, const char *sql) {
    ck_assert_msg(qd_runs_number(at("ref").text, sql) == 0, "%s", what);
}

QD_TEST(test_metrics) {
    make_reference();
    const qd_scratch_path ref = at("ref");
    ck_assert_int_eq(qd_runs_number(ref.text, "SELECT count(*) FROM metrics"), 121);
    ck_assert_double_eq_tol(qd_runs_real(ref.text, "SELECT area FROM metrics WHERE step = 0"), 720, 1e-9);
    // exp(-0.25 t), as long as it goes on.
    ck_assert_double_eq_tol(qd_runs_real(ref.text, "SELECT area FROM metrics WHERE step = 100"),
                            720 * 0.77880078307140486825, 1e-8);
    expect_none(
        "area and fraction say two things",
        "SELECT count(*) FROM metrics WHERE abs(area * fraction - (SELECT area * fraction FROM metrics "
        "WHERE step = 0)) > 1e-9");
    ck_assert_double_eq_tol(qd_runs_real(ref.text, "SELECT fraction FROM metrics WHERE step = 600"), 0.8,
                            1e-12);
    expect_none(
        "the area does not shrink, or does not stop",
        "SELECT count(*) FROM (SELECT area, fraction, lag(area) OVER (ORDER BY step) AS before, "
        "lag(fraction) "
        "OVER (ORDER BY step) AS was FROM metrics) WHERE before IS NOT NULL AND (CASE WHEN was < 0.8 - 1e-12 "
        "THEN area >= before ELSE area <> before END)");
    expect_none("there is work before anything is pressed",
                "SELECT count(*) FROM metrics WHERE step = 0 AND compression_work <> 0");
    ck_assert_double_gt(qd_runs_real(ref.text, "SELECT compression_work FROM metrics WHERE step = 600"), 0);
    expect_none("work is done when nothing is compressed any more",
                "SELECT count(DISTINCT compression_work) - 1 FROM metrics WHERE fraction > 0.8 - 1e-12");
    ck_assert_double_gt(qd_runs_real(ref.text, "SELECT max(pressure) FROM metrics"), 0);
}

QD_TEST_MAIN("compress_program", 300, setup, teardown)
