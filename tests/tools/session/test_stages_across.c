#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// diff, export, render, verify and resume across stages that begin between frames and snapshots, last for one
// step, and end by a rule.

static const char scene[] =
    "name: brief\n"
    "world: {size: [10, 14], boundary: {x: reflect, y: open}, removal: 1, gravity: [0, -10]}\n"
    "run: {dt: 0.005, until_every: 7}\n"
    "contact: {restitution: 0.2, friction: 0.4}\n"
    "bodies:\n"
    "  - polyline: {points: [[0, 6], [4, 3]]}\n"
    "  - polyline: {points: [[10, 6], [6, 3]]}\n"
    "  - list: [{name: gate, shape: rect, at: [5, 2.7], size: [3, 0.4], static: true}]\n"
    "view: {size: [160, 120]}\n"
    "frames: {every: 10}\n"
    "record: {metrics: 1, hashes: 1, events: true, snapshots: 5}\n"
    "stages:\n"
    "  - name: fill\n"
    "    emitters: [{region: [2, 8, 6, 2], rate: 200, total: 20, radius: 0.3}]\n"
    "    until: [{above: {metric: bodies, value: 22}}]\n"
    "    at_most: 300\n"
    "  - name: blink\n"
    "    steps: 1\n"
    "    emitters: []\n"
    "    add: [{list: [{at: [5, 12], radius: 0.5, name: late}]}]\n"
    "  - name: again\n"
    "    steps: 1\n"
    "    change: [{item: late, velocity: [3, 0]}]\n"
    "  - name: empty\n"
    "    remove: [{item: gate}]\n"
    "    frames: {every: 7}\n"
    "    until: [{below: {metric: dynamic, value: 15}}]\n"
    "    at_most: 500\n";

// The run in `ref`, and in `bare` one that keeps nothing to begin from but steps 0 and the last.
static void run_both(void) {
    qd_scratch_write(at("brief.yaml").text, scene);
    SUCCEED("run", "brief.yaml", "-o", "ref", "-q");
    SUCCEED("run", "brief.yaml", "-o", "bare", "-q", "--threads", "2", "--frames", "0", "--set",
            "record.snapshots=0", "--set", "checkpoint.seconds=0", "--set", "checkpoint.keep=1");
    ck_assert_int_eq(qd_runs_number(at("ref").text, "SELECT step FROM stages WHERE number = 1"), 21);
    ck_assert_int_eq(qd_runs_number(at("ref").text, "SELECT step FROM stages WHERE number = 3"), 23);
}

static void expect_same_file(const char *a, const char *b, const char *name) {
    char one[80], two[80];
    size_t a_bytes = 0, b_bytes = 0;
    snprintf(one, sizeof one, "%s/%s", a, name);
    snprintf(two, sizeof two, "%s/%s", b, name);
    qd_own_memory char *first = qd_scratch_read(at(one).text, &a_bytes),
                       *second = qd_scratch_read(at(two).text, &b_bytes);
    ck_assert_msg(first && second, "%s", name);
    ck_assert_msg(a_bytes == b_bytes && memcmp(first, second, a_bytes) == 0, "%s differs", name);
}

// What a stage has otherwise shows from the first step of that stage on, between hashes too.
QD_TEST(test_diff) {
    run_both();
    qd_program_expect(RUN("diff", "ref", "bare"), 0, NULL, "state: equal at all 388 steps");
    static const struct {
        const char *hashes, *said;
    } cases[] = {{"record.hashes=1", "equal at step 22, differ at step 23: body 24: position.x is "},
                 {"record.hashes=50", "differ at step 50; at step 23 body 24: position.x is "}};
    for (int i = 0; i < 2; ++i) {
        SUCCEED("run", "brief.yaml", "-o", "a", "-q", "--force", "--set", cases[i].hashes);
        SUCCEED("run", "brief.yaml", "-o", "b", "-q", "--force", "--set", cases[i].hashes, "--set",
                "stages.again.change.0.velocity=[3.5, 0]");
        qd_program_outcome found = RUN("diff", "a", "b");
        ck_assert_int_eq(found.code, 5);
        ck_assert_msg(strstr(found.out, "scene: stages.2.change.0.velocity.0: 3 in a, 3.5 in b") != NULL &&
                          strstr(found.out, cases[i].said) != NULL,
                      "%s", found.out);
    }
}

// Tables and bodies, from snapshots and from steps that are made again; and how many bodies there are.
QD_TEST(test_export) {
    static const char *const formats[] = {"csv", "extxyz", "vtp"};
    run_both();
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        SUCCEED("export", "ref", "--format", formats[i], "-o", "kept", "-q", "--force");
        SUCCEED("export", "bare", "--format", formats[i], "-o", "made", "-q", "--force", "--every", "5");
        if (i > 0) continue;
        static const char *const files[] = {"bodies.csv", "contacts.csv", "nodes.csv", "metrics.csv",
                                            "events.csv"};
        for (size_t k = 0; k < sizeof files / sizeof files[0]; ++k)
            expect_same_file("kept", "made", files[k]);
    }
    SUCCEED("export", "bare", "--format", "csv", "-o", "each", "-q", "--every", "1");
    char *bodies = qd_scratch_read(at("each/bodies.csv").text, NULL), *line = strchr(bodies, '\n') + 1;
    for (int step = 0; step < 388; ++step) {
        char sql[80];
        int count = 0;
        for (; *line && atoi(line) == step; line = strchr(line, '\n') + 1) ++count;
        snprintf(sql, sizeof sql, "SELECT bodies FROM metrics WHERE step = %d", step);
        ck_assert_int_eq(count, qd_runs_number(at("ref").text, sql));
    }
    ck_assert_int_eq(*line, '\0');
    free(bodies);
}

QD_TEST(test_render_and_verify) {
    run_both();
    SUCCEED("verify", "ref", "-q");
    SUCCEED("verify", "bare", "-q");
    SUCCEED("render", "ref", "-o", "kept", "-q");
    SUCCEED("render", "bare", "-o", "made", "-q", "--every", "5", "--threads", "3");
    expect_same_file("kept", "made", "manifest.csv");
    SUCCEED("render", "bare", "-o", "some", "-q", "--every", "1", "--frames", "21:24");
    qd_own_memory char *some = qd_scratch_read(at("some/manifest.csv").text, NULL);
    const char *const stages[] = {",fill\n", ",blink\n", ",again\n", ",empty\n"}, *after = some;
    for (int i = 0; i < 4; ++i) ck_assert_ptr_nonnull(after = strstr(after, stages[i]));
}

// Gone on with from each step about the short stages, and from the last of each.
QD_TEST(test_resume) {
    run_both();
    for (int step = 20; step <= 25; ++step) {
        char steps[16];
        snprintf(steps, sizeof steps, "%d", step);
        SUCCEED("run", "brief.yaml", "-o", "part", "-q", "--force", "--steps", steps);
        SUCCEED("resume", "part", "-q", "--steps", "802");
        SUCCEED("verify", "part", "-q");
        qd_runs_expect_same_records(at("ref").text, at("part").text);
        expect_same_file("ref/frames", "part/frames", "manifest.csv");
    }
}

QD_TEST_MAIN("stages_across", 300, setup, teardown)
