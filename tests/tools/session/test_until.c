#define _GNU_SOURCE // kill, usleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

// Runs that a rule ends: at the step that the rows of a run without rules say, and at the same one however
// often they were killed.

/// A gas that a medium slows down; each step is recorded.
static const char scene[] =
    "name: slowed\n"
    "world: {size: [40, 30], drag: {linear: 0.5}}\n"
    "run: {steps: 1200, dt: 0.01}\n"
    "contact: {restitution: 0.8, friction: 0.3}\n"
    "bodies:\n"
    "  - disks: {count: 60, radius: {uniform: [0.3, 0.6]}, place: random, velocity: {normal: 4}}\n"
    "  - rects: {count: 20, size: [1.2, 0.6], place: random, velocity: {normal: 4}}\n"
    "view: {size: [160, 120], colour: speed}\n"
    "frames: {every: 30}\n"
    "record: {metrics: 1, hashes: 7, events: true}\n"
    "checkpoint: {every: 40}\n";

/// What a rule says, and the step at which the undisturbed run first fulfils it, as a query over its rows.
typedef struct case_of_rule {
    const char *rule, *step, *words;
} case_of_rule;

#define EVERY_TENTH "step > 0 AND step % 10 = 0"

static const case_of_rule cases[] = {
    {"{below: {metric: kinetic, value: 150}}",
     "SELECT min(step) FROM metrics WHERE kinetic < 150 AND " EVERY_TENTH, "kinetic below 150"},
    {"{above: {metric: begins, value: 20}}",
     "SELECT min(step) FROM metrics WHERE begins > 20 AND " EVERY_TENTH, "begins above 20"},
    {"{steady: {metric: kinetic, within: 0.64, window: 100}}",
     "WITH w AS (SELECT (step - 10) / 100 AS k, avg(kinetic) AS mean FROM metrics WHERE " EVERY_TENTH
     " GROUP BY k) SELECT 100 * (min(b.k) + 1) FROM w a JOIN w b ON b.k = a.k + 1"
     " WHERE abs(b.mean - a.mean) <= 0.64 * max(a.mean, b.mean)",
     "kinetic steady within 0.64 over 100 steps"},
    {"{below: {metric: kinetic, value: 1}}, {above: {metric: begins, value: 20}}",
     "SELECT min(step) FROM metrics WHERE begins > 20 AND " EVERY_TENTH, "begins above 20"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

// Runs the scene with a rule into a directory.
static void run_with(const char *rules, const char *directory) {
    char set[256];
    snprintf(set, sizeof set, "run.until=[%s]", rules);
    SUCCEED("run", "slowed.yaml", "-o", directory, "-q", "--set", set);
}

QD_TEST_LOOP(test_ends_where_rows_say, 0, CASES) {
    const case_of_rule *one = &cases[_i];
    qd_scratch_write(at("slowed.yaml").text, scene);
    SUCCEED("run", "slowed.yaml", "-o", "ref", "-q");
    const int64_t step = qd_runs_number(at("ref").text, one->step);
    ck_assert_int_gt(step, 0);
    ck_assert_int_lt(step, 1200);
    run_with(one->rule, "out");
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "steps"), step);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "ended_words").text, one->words);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "ended_by").text,
                     strstr(one->rule, "}}, {") ? "until.1" : "until.0");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT max(step) FROM hashes"), step);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT max(step) FROM metrics"), step);
    SUCCEED("verify", "out", "-q");
    SUCCEED("render", "out", "-o", "again", "-q", "--every", "30");
}

// Nobody knows before how many frames there will be.
QD_TEST(test_announced_as_the_most) {
    qd_scratch_write(at("slowed.yaml").text, scene);
    qd_program_outcome result = SUCCEED("run", "slowed.yaml", "-o", "out", "--set",
                                        "run.until=[{above: {metric: begins, value: 20}}]");
    ck_assert_ptr_nonnull(strstr(result.err, "bodies, at most 1200 steps"));
    ck_assert_ptr_nonnull(strstr(result.err, "every 30 steps, at most 41 in all"));
}

// With a bound that nothing reaches the run has all of its steps.
QD_TEST(test_no_rule_holds) {
    qd_scratch_write(at("slowed.yaml").text, scene);
    run_with("{above: {metric: kinetic, value: 1e9}}", "out");
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "steps"), 1200);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "ended_by").text, "steps");
    SUCCEED("verify", "out", "-q");
}

/// A disk flies at another one, misses a third, and a source drips into a sink.
static const char bodies[] = "name: three\n"
                             "world: {size: [40, 30]}\n"
                             "run: {steps: 3000, dt: 0.01}\n"
                             "bodies:\n"
                             "  - list:\n"
                             "      - {at: [5, 5], velocity: [7, 0]}\n"
                             "      - {at: [15, 5]}\n"
                             "      - {at: [15, 9]}\n"
                             "contact: {restitution: 0}\n"
                             "frames: {every: 0}\n"
                             "record: {metrics: 1, events: true}\n";
static const char source[] = "emitters: [{region: [20, 20, 1, 1], rate: 5, total: 4, velocity: [8, 0]}]\n"
                             "sinks: [{region: [30, 15, 9, 14]}]\n";

// Runs the three bodies, with a source or without, up to a rule; returns the step at which it ended.
static int64_t end_of(const char *rule, bool with_source, const char *ended_by) {
    char text[sizeof bodies + sizeof source], set[128];
    snprintf(text, sizeof text, "%s%s", bodies, with_source ? source : "");
    qd_scratch_write(at("three.yaml").text, text);
    snprintf(set, sizeof set, "run.until=[%s]", rule);
    SUCCEED("run", "three.yaml", "-o", "out", "-q", "--force", "--set", set);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "ended_by").text, ended_by);
    SUCCEED("verify", "out", "-q");
    return qd_program_result_whole(&program, "out", "steps");
}

QD_TEST(test_two_bodies_meet) {
    const int64_t step = end_of("{contact: {of: 2, with: 1}}", false, "until.0");
    // Nine lengths at seven per time, a hundredth each step.
    ck_assert_int_ge(step, 128);
    ck_assert_int_le(step, 130);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT min(step) FROM metrics WHERE begins > 0"), step);
    ck_assert_int_eq(end_of("{contact: {of: 1, with: 3}}", false, "steps"), 3000);
}

QD_TEST(test_bodies_of_an_emitter_are_gone) {
    const int64_t step = end_of("{gone: {first: emitted}}", true, "until.0");
    // The last of four comes at 0.8 and has some ten lengths to go at eight per time.
    ck_assert_int_ge(step, 80 + 105);
    ck_assert_int_le(step, 80 + 140);
    ck_assert_int_eq(step, qd_runs_number(at("out").text, "SELECT 10 * ((min(step) + 9) / 10) FROM metrics"
                                                          " WHERE bodies = 3 AND step > 80"));
    ck_assert_int_eq(end_of("{gone: {first: 2}}", true, "steps"), 3000);
}

// What flies stops at a wall. Three that nothing moves are at rest for the first window; one that turns is
// not.
QD_TEST(test_at_rest) {
    const int64_t step = end_of("{rest: {speed: 0.01, window: 50}}", false, "until.0");
    ck_assert_int_eq(step, qd_runs_number(at("out").text, "SELECT max(step) + 60 FROM metrics"
                                                          " WHERE step % 10 = 0 AND fastest >= 0.01"));
    SUCCEED("run", "three.yaml", "-o", "still", "-q", "--set", "bodies.0.list.0.velocity=[0, 0]", "--set",
            "run.until=[{rest: {speed: 0.01, window: 50}}]");
    ck_assert_int_eq(qd_program_result_whole(&program, "still", "steps"), 60);
    SUCCEED("run", "three.yaml", "-o", "turning", "-q", "--set", "bodies.0.list.0.velocity=[0, 0]", "--set",
            "bodies.0.list.2.spin=0.5", "--set", "run.until=[{rest: {speed: 0.01, window: 50}}]");
    ck_assert_int_eq(qd_program_result_whole(&program, "turning", "steps"), 3000);
}

// Killed at any moment and gone on with, a run with rules ends at the same step and leaves the same.
QD_TEST(test_killed_again_and_again) {
    qd_scratch_write(at("slowed.yaml").text, scene);
    const char set[] =
        "run.until=[{rest: {speed: 1e-9}}, {steady: {metric: kinetic, within: 0.64, window: 300}}]";
    SUCCEED("run", "slowed.yaml", "-o", "ref", "-q", "--set", set);
    ck_assert_str_eq(qd_program_result_text(&program, "ref", "ended_by").text, "until.1");
    const int kills = (int)qd_test_effort(12);
    for (int i = 0; i < kills; ++i) {
        qd_program_start how = {.arguments = {"run", "slowed.yaml", "-o", "out", "-q", "--resume",
                                              "--threads", i % 2 ? "2" : "1", "--set", set}};
        (void)qd_program_disturb(&program, &how, 1e-3 * (15 + 23 * i % 140), SIGKILL);
    }
    SUCCEED("run", "slowed.yaml", "-o", "out", "-q", "--resume", "--set", set);
    qd_runs_expect_same(at("ref").text, at("out").text);
    qd_program_expect_no_parts(at("out").text);
    SUCCEED("verify", "out", "-q");
}

// More steps take a run past the rule that has ended it, as one would go that no rule may end before.
QD_TEST(test_more_steps) {
    const char rule[] = "{below: {metric: kinetic, value: 150}}";
    qd_scratch_write(at("slowed.yaml").text, scene);
    SUCCEED("run", "slowed.yaml", "-o", "ref", "-q", "--steps", "1300", "--set",
            "run.until=[{below: {metric: kinetic, value: 150}}]", "--set", "run.at_least=1300");
    run_with(rule, "out");
    const int64_t ended = qd_program_result_whole(&program, "out", "steps");
    ck_assert_int_lt(ended, 1200);
    ck_assert_int_ne(ended % 7, 0); // its last hash is there only because it was the last
    expect_refusal(RUN("resume", "out", "-q", "--steps", "1100"), 2, "has 1200 steps already");
    qd_program_outcome result = SUCCEED("resume", "out", "--steps", "1300");
    char said[100];
    snprintf(said, sizeof said,
             "out was ended at step %d by a rule or its last stage; it goes on to step 1300", (int)ended);
    ck_assert_ptr_nonnull(strstr(result.err, said));
    qd_runs_expect_same_records(at("ref").text, at("out").text);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "steps"), 1300);
    SUCCEED("verify", "out", "-q");
    // One that had come to its last step first goes on to where the rule holds.
    run_with(rule, "whole");
    SUCCEED("run", "slowed.yaml", "-o", "short", "-q", "--steps", "25", "--set",
            "run.until=[{below: {metric: kinetic, value: 150}}]");
    ck_assert_str_eq(qd_program_result_text(&program, "short", "ended_by").text, "steps");
    SUCCEED("resume", "short", "-q", "--steps", "1200");
    qd_runs_expect_same_records(at("whole").text, at("short").text);
}

/// Rules that are refused, and what is said.
static const struct {
    const char *rule, *said;
} refused[] = {
    {"[{below: {metric: kinetc, value: 1}}]", "there is no metric \"kinetc\"; did you mean \"kinetic\"?"},
    {"[{below: {metric: [1], value: 1}}]", "run.until.0.below.metric: must be the name of a metric"},
    {"[{below: {metric: kinetic}}]", "run.until.0.below: \"value\" is missing"},
    {"[{rest: {speed: 1}, gone: {first: 1}}]",
     "must be exactly one of below, above, steady, rest, contact, gone"},
    {"[{rests: {speed: 1}}]", "unknown key \"rests\" in run.until.0; did you mean \"rest\"?"},
    {"[{steady: {metric: kinetic, within: 0.1, window: 9}}]",
     "run.until.0.steady.window: must be 10 (run.until_every) or more"},
    {"[{contact: {of: 2, with: 2}}]", "run.until.0.contact: no body touches itself"},
    {"[{contact: {of: 2, with: 999}}]", "run.until.0.contact: there is no body with the id 999"},
    {"[{gone: {first: 7, last: 3}}]", "run.until.0.gone: first must not be above last"},
    {"[{gone: {first: emitted}}]", "run.until.0.gone: there is no body with such an id"},
    {"[{rest: {speed: 1}}, {rest: {speed: 0}}]", "run.until.1.rest.speed: must be a number > 0"},
};

QD_TEST_LOOP(test_refused, 0, sizeof refused / sizeof refused[0]) {
    char text[sizeof scene + 256];
    const char *rest = strstr(scene, "contact: {");
    snprintf(text, sizeof text, "name: bad\nworld: {size: [40, 30]}\nrun: {steps: 9, until: %s}\n%s",
             refused[_i].rule, rest);
    qd_scratch_write(at("bad.yaml").text, text);
    expect_refusal(RUN("run", "bad.yaml", "-o", "out", "-q"), 3, refused[_i].said);
}

QD_TEST_MAIN("until", 300, setup, teardown)
