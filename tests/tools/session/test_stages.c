#define _GNU_SOURCE // kill, usleep
#include "tests/support/staged.h"

#include <quadrille/random.h>
#include <quadrille/scene.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Runs that go through stages: where they begin, what changes, and that a run that was killed leaves the
// same.

/// A hopper: it is filled, comes to rest, opens, and runs empty against a wind.
static const char hopper[] =
    "name: hopper\n"
    "world: {size: [10, 14], boundary: {x: reflect, y: open}, removal: 1, gravity: [0, -10]}\n"
    "run: {dt: 0.005}\n"
    "contact: {restitution: 0.2, friction: 0.4}\n"
    "bodies:\n"
    "  - polyline: {points: [[0, 6], [4, 3]]}\n"
    "  - polyline: {points: [[10, 6], [6, 3]]}\n"
    "  - list:\n"
    "      - {name: gate, shape: rect, at: [5, 2.7], size: [3, 0.4], static: true}\n"
    "      - {name: lid, shape: rect, at: [5, 13], size: [1, 0.3], static: true}\n"
    "view: {size: [160, 120]}\n"
    "frames: {every: 25}\n"
    "record: {metrics: 1, hashes: 7, events: true, snapshots: 100}\n"
    "checkpoint: {every: 20}\n"
    "stages:\n"
    "  - name: fill\n"
    "    emitters: [{region: [2, 11, 6, 1], rate: 200, total: 40, radius: 0.3}]\n"
    "    until: [{above: {metric: bodies, value: 43}}]\n"
    "    at_most: 300\n"
    "  - name: settle\n"
    "    emitters: []\n"
    "    time: 0.7\n"
    "  - name: empty\n"
    "    world: {drag: {linear: 0.5, medium: [1, 0]}}\n"
    "    record: {hashes: 11}\n"
    "    remove: [{item: gate}]\n"
    "    change: [{item: lid, kind: dynamic, density: 3, velocity: [0, -2]}]\n"
    "    add: [{disks: {count: 5, radius: 0.2, region: [1, 10, 8, 3]}}]\n"
    "    until: [{below: {metric: dynamic, value: 1}}]\n"
    "    at_most: 1500\n";

QD_TEST(test_goes_through_its_stages) {
    run_reference(hopper);
    ck_assert_int_eq(number("SELECT count(*) FROM stages"), 3);
    const int64_t filled = number("SELECT step FROM stages WHERE name = 'settle'");
    const int64_t open = number("SELECT step FROM stages WHERE name = 'empty'");
    // The first look at which 44 bodies are there; then 0.7 by steps of 0.005.
    ck_assert_int_eq(filled, number("SELECT min(step) FROM metrics WHERE bodies > 43 AND step % 10 = 0"));
    ck_assert_int_eq(open, filled + 140);
    ck_assert_int_eq(number("SELECT before = 'until.0' FROM stages WHERE number = 1"), 1);
    ck_assert_int_eq(number("SELECT before = 'steps' FROM stages WHERE number = 2"), 1);
    // The step with which a stage ends is still its own: the gate goes, five disks come and the lid falls
    // with the one after it.
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT stage FROM metrics WHERE step = %d", (int)open);
    ck_assert_int_eq(number(sql), 1);
    snprintf(sql, sizeof sql, "SELECT stage FROM metrics WHERE step = %d", (int)open + 1);
    ck_assert_int_eq(number(sql), 2);
    snprintf(sql, sizeof sql,
             "SELECT b.bodies - a.bodies FROM metrics a, metrics b WHERE a.step = %d AND b.step = a.step + 1",
             (int)open);
    ck_assert_int_eq(number(sql), 5 - 1);
    snprintf(
        sql, sizeof sql,
        "SELECT b.dynamic - a.dynamic FROM metrics a, metrics b WHERE a.step = %d AND b.step = a.step + 1",
        (int)open);
    ck_assert_int_eq(number(sql), 5 + 1);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM hashes WHERE step > %d AND step %% 11 <> 0", (int)open);
    ck_assert_int_le(number(sql), 1); // the last one
    // What changed by hand is booked.
    ck_assert_int_eq(number("SELECT count(*) FROM metrics WHERE balance_error > 0.02"), 0);
    ck_assert_str_eq(qd_program_result_text(&program, "ref", "ended_by").text, "stages.2.until.0");
    SUCCEED("verify", "ref", "-q");
    SUCCEED("render", "ref", "-o", "again", "-q", "--every", "25");
}

// Contacts that only a stage ends are events, too: the first of its first step.
QD_TEST(test_events_of_a_change) {
    run_reference(hopper);
    // The hopper's gate is body 3: two polylines have ids 1 and 2.
    const int64_t open = number("SELECT step FROM stages WHERE name = 'empty'");
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM events WHERE step = %d AND kind = 'end' AND %s",
             (int)open + 1, "3 IN (a, b) AND impulse = 0 AND friction = 0");
    const int64_t ended = number(sql);
    ck_assert_int_gt(ended, 0);
    snprintf(sql, sizeof sql,
             "SELECT max(number) FROM events WHERE step = %d AND kind = 'end' AND 3 IN (a, b)",
             (int)open + 1);
    ck_assert_int_ge(number(sql), ended - 1);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM events WHERE step > %d AND 3 IN (a, b)", (int)open + 1);
    ck_assert_int_eq(number(sql), 0);
    ck_assert_int_eq(number("SELECT ends FROM metrics ORDER BY step DESC LIMIT 1"),
                     number("SELECT count(*) FROM events WHERE kind = 'end'"));
    ck_assert_int_eq(number("SELECT begins FROM metrics ORDER BY step DESC LIMIT 1"),
                     number("SELECT count(*) FROM events WHERE kind = 'begin' AND step > 0"));
    // One that is missing is missed, and so is one of a stage that records nothing.
    snprintf(sql, sizeof sql, "DELETE FROM events WHERE step = %d AND number = 0", (int)open + 1);
    qd_runs_change(at("ref").text, sql);
    qd_program_expect(RUN("verify", "ref", "-q"), 5, NULL, "it is number 1, 0 in the replay");
}

// Stages may record events or not; bodies that others replaced meanwhile keep their names.
QD_TEST(test_events_of_some_stages) {
    qd_scratch_write(at("hopper.yaml").text, hopper);
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--set", "record.events=false", "--set",
            "stages.settle.record.events=persist", "--set", "stages.empty.record.events=true");
    const int64_t filled = number("SELECT step FROM stages WHERE number = 1");
    ck_assert_int_gt(number("SELECT min(step) FROM events"), filled);
    ck_assert_int_gt(number("SELECT count(*) FROM events WHERE kind = 'persist'"), 0);
    SUCCEED("verify", "ref", "-q");
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--force", "--set", "stages.settle.record.events=false",
            "--set", "stages.empty.record.events=true");
    SUCCEED("verify", "ref", "-q");
    ck_assert_int_eq(number("SELECT count(DISTINCT stage) FROM metrics m JOIN events e USING (step)"), 2);
    qd_runs_change(at("ref").text,
                   "UPDATE events SET impulse = 77 WHERE step = (SELECT max(step) FROM events)");
    qd_program_expect(RUN("verify", "ref", "-q"), 5, NULL, NULL);
}

// A limit that the first step of a stage passes: what is kept is the state before what the stage changes.
QD_TEST(test_buried_with_the_first_step) {
    qd_scratch_write(at("fast.yaml").text,
                     "name: fast\nworld: {size: [9, 9]}\nframes: {every: 0}\nlimits: {speed: 50}\n"
                     "record: {events: true, hashes: 1, metrics: 1}\n"
                     "bodies: [{list: [{name: one, at: [3, 5]}, {at: [4.9, 5]}]}]\n"
                     "stages:\n  - {name: slow, steps: 5}\n"
                     "  - {name: fast, steps: 5, remove: [{id: 2}], world: {gravity: [9e4, 0]}}\n");
    for (int i = 0; i < 2; ++i) {
        qd_program_expect(RUN("run", "fast.yaml", "-o", "ref", "-q", "--resume"), 5,
                          "step 6: body 1: ", NULL);
        ck_assert_int_eq(number("SELECT max(step) FROM events"), 0); // it makes no step
        ck_assert_int_eq(number("SELECT count(*) FROM failures"), 1);
        ck_assert_int_eq(number("SELECT max(step) FROM checkpoints"), 5);
        SUCCEED("verify", "ref", "-q");
    }
}

// What is written resolved is read as the same scene, and --set reaches into a stage by number.
QD_TEST(test_resolved_scene_is_the_same) {
    run_reference(hopper);
    SUCCEED("run", "ref/scene.yaml", "-o", "again", "-q");
    qd_runs_expect_same(at("ref").text, at("again").text);
    SUCCEED("run", "hopper.yaml", "-o", "short", "-q", "--set", "stages.1.time=0.1", "--set",
            "stages.fill.until.0.above.value=20", "--set", "stages.empty.contact.restitution=0.9", "--steps",
            "200");
    ck_assert_int_eq(qd_program_result_whole(&program, "short", "steps"), 200);
    SUCCEED("verify", "short", "-q");
}

// Axes of a sweep go by the names of stages.
QD_TEST(test_swept) {
    qd_scratch_write(at("hopper.yaml").text, hopper);
    qd_scratch_write(at("sweep.yaml").text, "scene: hopper.yaml\nset: {run.steps: 250}\naxes:\n"
                                            "  - {key: stages.settle.time, list: [0.05, 0.1]}\n"
                                            "  - {key: stages.empty.until.0.below.value, list: [5, 6]}\n"
                                            "  - {key: stages.2.world.gravity, list: [[0, -10]]}\n");
    SUCCEED("sweep", "sweep.yaml", "-o", "swept", "-q");
    ck_assert(qd_scratch_exists(at("swept/sweep.csv").text));
    expect_refusal(RUN("scale", "hopper.yaml", "-o", "scaled", "--threads", "1"), 3, "the scene has stages");
    expect_refusal(RUN("run", "hopper.yaml", "-o", "bad", "--set", "stages.setle.time=1"), 2,
                   "there is no stage of this name or number");
}

QD_TEST(test_killed_again_and_again) {
    killed_again_and_again(hopper);
}

// A checkpoint at each step around the ends of stages: a run that goes on from any of them is the same.
QD_TEST(test_resumes_at_each_step_about_a_boundary) {
    run_reference(hopper);
    const int64_t filled = number("SELECT step FROM stages WHERE number = 1");
    for (int64_t step = filled - 1; step <= filled + 1; ++step) {
        char steps[32], set[64];
        snprintf(steps, sizeof steps, "%d", (int)step);
        SUCCEED("run", "hopper.yaml", "-o", "part", "-q", "--force", "--steps", steps);
        snprintf(set, sizeof set, "%d", (int)number("SELECT steps FROM run"));
        SUCCEED("resume", "part", "-q", "--steps", set);
        qd_runs_expect_same_records(at("ref").text, at("part").text); // pictures name the scene's hash
    }
}

// More steps take a run past the end of its last stage, in which it stays.
QD_TEST(test_more_steps) {
    run_reference(hopper);
    const int64_t steps = number("SELECT max(step) FROM metrics");
    ck_assert_int_lt(steps, number("SELECT steps FROM run"));
    SUCCEED("run", "hopper.yaml", "-o", "long", "-q", "--steps", "2500", "--set", "run.at_least=2500");
    SUCCEED("resume", "ref", "-q", "--steps", "2500");
    qd_runs_expect_same_records(at("long").text, at("ref").text);
    ck_assert_int_eq(number("SELECT max(stage) FROM metrics"), 2);
    SUCCEED("verify", "ref", "-q");
}

// The scene of docs/stages.md is the built-in one.
QD_TEST(test_scene_of_the_document) {
    size_t bytes = 0;
    qd_own_memory char *page = qd_scratch_read(QD_SOURCE_DIR "/docs/stages.md", &bytes);
    ck_assert_ptr_nonnull(page);
    char *yaml = strstr(page, "```yaml\n");
    ck_assert_ptr_nonnull(yaml);
    yaml += strlen("```yaml\n");
    char *end = strstr(yaml, "```");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    ck_assert_str_eq(yaml, qd_scene_builtin_text("gate"));
}

/// What the runs of the built-in scene have beside their directory.
#define GATE(out)                                                                                            \
    "run", "gate", "-o", out, "-q", "--resume", "--set", "view.size=[120,180]", "--set",                     \
        "record.events=true", "--set", "checkpoint.every=150"

// Starts or resumes the built-in scene, kills it after so long; whether it was complete before that.
static bool gate_is_complete(double seconds, const char *threads) {
    qd_program_start how = {.arguments = {GATE("out"), "--threads", threads}};
    return qd_program_disturb(&program, &how, seconds, SIGKILL) == 0;
}

// The built-in scene, killed at random, 50 times in the long form: it fills, settles, opens and runs empty,
// and every file and row is that of a run that nobody stopped.
QD_TEST(test_gate_killed_again_and_again) {
    qd_random random = qd_random_at(qd_test_seed(1), 0, 0);
    SUCCEED(GATE("ref"));
    ck_assert_int_eq(number("SELECT count(*) FROM stages"), 4);
    // As golden_hashes of scenes_builtin, but across its stages.
    ck_assert_int_eq(number("SELECT count(*) FROM hashes WHERE (step = 2000 AND hash = '30b535b075f11bd2') OR"
                            " (step = 3000 AND hash = '293e3f235ea1b588')"),
                     2);
    ck_assert_int_eq(number("SELECT max(bodies) FROM metrics"), 403);
    ck_assert_int_eq(number("SELECT dynamic FROM metrics ORDER BY step DESC LIMIT 1"), 0);
    ck_assert_int_eq(number("SELECT count(*) FROM metrics WHERE balance_error > 0.01"), 0);
    const size_t kills = qd_test_replaying() ? 5 : qd_test_effort(5);
    for (size_t i = 0; i < kills; ++i) {
        if (!gate_is_complete(0.02 + 0.4 * qd_random_uniform(&random), i % 2 ? "2" : "1")) continue;
        qd_runs_expect_same(at("ref").text, at("out").text); // and once more
        qd_scratch_remove_tree(at("out").text);
    }
    SUCCEED(GATE("out"));
    qd_runs_expect_same(at("ref").text, at("out").text);
    SUCCEED("verify", "out", "-q");
}

// Bodies that a stage adds are none of an emitter's, and move no id of theirs.
QD_TEST(test_added_bodies_are_not_emitted) {
    qd_scratch_write(
        at("hopper.yaml").text,
        "name: hopper\nworld: {size: [10, 10], boundary: {x: reflect, y: open}, removal: 1,"
        " gravity: [0, -10]}\nrun: {dt: 0.01}\nframes: {every: 0}\nrecord: {metrics: 1}\n"
        "bodies: [{list: [{at: [8, 2], static: true}]}]\n"
        "emitters: [{region: [1, 7, 3, 1], rate: 50, total: 3}]\n"
        "stages:\n  - {name: drip, steps: 20}\n"
        "  - name: fall\n    add: [{list: [{at: [8, 4], static: true}, {at: [8, 6], static: true},"
        " {at: [8, 8], static: true}]}]\n"
        "    until: [{gone: {first: emitted, last: 4}}]\n    at_most: 900\n");
    // What is printed is true of all steps, not of the last one alone: 4 bodies are left.
    qd_program_expect(RUN("run", "hopper.yaml", "-o", "ref", "--no-progress"), 0,
                      " bodies on average (4 at the end) in ", NULL);
    ck_assert_int_eq(number("SELECT max(bodies) FROM metrics"), 1 + 3 + 3);
    // Looks are 10 steps apart.
    ck_assert_int_eq(
        number("SELECT max(step) FROM metrics"),
        number("SELECT 10 * ((min(step) + 9) / 10) FROM metrics WHERE bodies = 4 AND step > 30"));
}

/// Two emitters on either side of a wall; what falls out is gone, and its index is given to the next.
static const char two_sides[] =
    "name: sides\nworld: {size: [10, 10], boundary: {x: reflect, y: open}, removal: 1, gravity: [0, -10]}\n"
    "run: {dt: 0.01, steps: 2000}\nframes: {every: 0}\nrecord: {metrics: 1, hashes: 1}\n"
    "bodies: [{list: [{shape: rect, at: [5, 5], size: [0.2, 10], static: true}]}]\n"
    "emitters:\n"
    "  - {name: left, region: [1, 8, 3, 1], rate: 40, total: 30, radius: 0.2}\n"
    "  - {name: right, region: [6, 8, 3, 1], rate: 40, radius: 0.2}\n";

// How many bodies of a run are to the left of the wall at a step, and to its right.
static void count_sides(int64_t step, int sides[2]) {
    char every[32];
    snprintf(every, sizeof every, "%d", (int)step);
    SUCCEED("export", "ref", "--format", "csv", "--every", every, "--frames", "1:1", "-o", "at", "-q",
            "--force");
    qd_own_memory char *bodies = qd_scratch_read(at("at/bodies.csv").text, NULL);
    sides[0] = sides[1] = 0;
    for (char *line = strchr(bodies, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        const char *x = line;
        for (int comma = 0; comma < 5; ++comma) x = strchr(x, ',') + 1;
        if (strtod(x, NULL) != 5) sides[strtod(x, NULL) > 5] += 1;
    }
}

// The bodies of one emitter are gone, while another one goes on; ids and indices of both are mixed.
QD_TEST(test_gone_of_one_emitter) {
    int sides[2];
    qd_scratch_write(at("hopper.yaml").text, two_sides);
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--set", "run.until=[{gone: {emitter: left}}]");
    const int64_t last = number("SELECT max(step) FROM metrics");
    ck_assert_str_eq(qd_program_result_text(&program, "ref", "ended_words").text,
                     "all bodies of emitter left gone");
    count_sides(last, sides);
    ck_assert(sides[0] == 0 && sides[1] > 10);
    count_sides(last - 10, sides);
    ck_assert_int_gt(sides[0], 0);
    SUCCEED("verify", "ref", "-q");
    // Saved, loaded and gone on with.
    char steps[32];
    for (int64_t step = 35; step < last; step += 40) {
        snprintf(steps, sizeof steps, "%d", (int)step);
        SUCCEED("run", "hopper.yaml", "-o", "part", "-q", "--force", "--steps", steps, "--set",
                "run.until=[{gone: {emitter: left}}]");
        SUCCEED("resume", "part", "-q", "--steps", "2000");
        qd_runs_expect_same_records(at("ref").text, at("part").text);
    }
    // In a stage that has no emitters, of those that were there.
    static const char stages[] = "stages=[{name: pour, steps: 100}, {name: drain, emitters: [], at_most: 900,"
                                 " add: [{list: [{at: [2, 5], static: true}]}],"
                                 " until: [{gone: {emitter: left}}]}]";
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--force", "--set", stages);
    const int64_t drained = number("SELECT max(step) FROM metrics");
    ck_assert_int_lt(drained, 1000);
    count_sides(drained, sides);
    ck_assert_int_eq(sides[0], 1); // that was added
    expect_refusal(RUN("run", "hopper.yaml", "-o", "no", "--set", "run.until=[{gone: {emitter: lift}}]"), 3,
                   "gone: no emitter is called \"lift\"");
}

/// Stages that are refused, and what is said.
static const struct {
    const char *stages, *said;
} refused[] = {
    {"{name: a, steps: 1, world: {size: [1, 1]}}",
     "stages.0.world.size cannot change in a stage: a world keeps"},
    {"{name: a, steps: 1, contact: {model: none}}", "stages.0.contact.model cannot change in a stage"},
    {"{name: a, steps: 1, run: {dt: 1}}", "stages.0.run cannot change in a stage: it is the run's"},
    {"{name: a, steps: 1, record: {distributions: {every: 1, bins: 7}}}",
     "stages.0.record.distributions.bins cannot change in a stage: all distributions of a run have the same"},
    {"{name: a, steps: 1, bodies: []}", "stages.0.bodies cannot change in a stage: `add` adds bodies"},
    {"{name: a, steps: 1, bodys: []}", "unknown key \"bodys\" in stages.0"},
    {"{steps: 1}", "stages.0: \"name\" is missing"},
    {"{name: a, steps: 1}, {name: a, steps: 1}", "stages.1.name: stage 0 is called \"a\", too"},
    {"{name: a}, {name: b, steps: 1}", "stages.0: needs an end: steps, time or until"},
    {"{name: a, steps: 1, time: 2}", "stages.0: one of steps, time and until ends it, not several"},
    {"{name: a, until: [{rest: {speed: 1}}]}, {name: b, steps: 1}", "stages.0.at_most: is missing"},
    {"{name: a, steps: 1}, {name: b}", "stages.1: the last one needs an end, or the run needs run.steps"},
    {"{name: a, steps: 1, at_most: 2}", "stages.0.at_most: goes with until"},
    {"{name: a, steps: 1, remove: [{id: 1}]}",
     "stages.0.remove: the first stage begins with what `bodies` says"},
    {"{name: a, steps: 1}, {name: b, steps: 1, remove: [{}]}",
     "stages.1.remove.0: needs one of item, id, ids"},
    {"{name: a, steps: 1}, {name: b, steps: 1, remove: [{item: gat}]}",
     "stages.1.remove.0.item: no item is called \"gat\"; did you mean \"gate\"?"},
    {"{name: a, steps: 1}, {name: b, steps: 1, add: [{file: {path: x}}]}",
     "stages.1.add.0.file cannot change in a stage: files are read before the run begins"},
    {"{name: a, steps: 1}, {name: b, steps: 1, contact: {restitution: 2}}",
     "stages.1.contact.restitution: must be a number from 0 to 1"},
    {"{name: a, steps: 1}, {name: b, steps: 1, add: [{disks: {count: 1, place: grid, round: true}}]}",
     "stages.1.add.0.disks.round: rows are not round"},
    {"{name: a, steps: 1}, {name: b, steps: 1, add: [{list: [{at: [5, 5], static: true, kinematic: true}]}]}",
     "stages.1.add.0.list.0: static or kinematic, not both"},
};

QD_TEST_LOOP(test_refused, 0, sizeof refused / sizeof refused[0]) {
    char text[1024];
    snprintf(text, sizeof text, "name: bad\nbodies: [{list: [{name: gate, at: [5, 5]}]}]\nstages: [%s]\n",
             refused[_i].stages);
    qd_scratch_write(at("bad.yaml").text, text);
    expect_refusal(RUN("run", "bad.yaml", "-o", "out", "-q"), 3, refused[_i].said);
}

// What cannot be done when a stage begins ends the run with one line, and it can be resumed no further.
QD_TEST(test_a_stage_that_cannot_begin) {
    qd_scratch_write(at("bad.yaml").text,
                     "name: bad\nworld: {size: [9, 9]}\nframes: {every: 0}\n"
                     "bodies: [{list: [{at: [5, 5], radius: 3}]}]\n"
                     "stages:\n  - {name: first, steps: 5}\n"
                     "  - {name: second, steps: 5, add: [{disks: {count: 9, radius: 2}}]}\n");
    qd_program_outcome result = RUN("run", "bad.yaml", "-o", "out", "-q");
    ck_assert_int_eq(result.code, 1);
    ck_assert_ptr_nonnull(strstr(result.err, "stages.second: add.0: "));
    ck_assert_ptr_nonnull(strstr(result.err, "; the run is kept up to step 5\n"));
    ck_assert_ptr_null(strstr(result.err, "goes on from"));
    // Nor does a resume promise more.
    result = RUN("resume", "out", "-q");
    ck_assert_ptr_nonnull(strstr(result.err, "; the run is kept up to step 5\n"));
    ck_assert_ptr_null(strstr(result.err, "goes on from"));
    expect_refusal(RUN("run", "bad.yaml", "-o", "many", "--bodies", "9"), 2, "the scene has stages");
}

// Bodies that walls do not stop can be changed where they are; what walls stop, only where they could be.
QD_TEST(test_changes_what_has_left_the_walls) {
    static const char text[] = "name: far\nworld: {size: [9, 9]}\nrun: {dt: 0.1}\nframes: {every: 0}\n"
                               "record: {hashes: 1}\n"
                               "bodies: [{list: [{at: [5, 5], kinematic: true, velocity: [9, 0]}]}]\n"
                               "stages: [{name: a, steps: 20}, {name: b, steps: 5, change: [{id: 1, %s}]}]\n";
    char scene[512];
    snprintf(scene, sizeof scene, text, "velocity: [-9, 0]");
    qd_scratch_write(at("far.yaml").text, scene);
    SUCCEED("run", "far.yaml", "-o", "out", "-q");
    SUCCEED("verify", "out", "-q");
    snprintf(scene, sizeof scene, text, "kind: dynamic");
    qd_scratch_write(at("far.yaml").text, scene);
    expect_refusal(RUN("run", "far.yaml", "-o", "no", "-q"), 1,
                   "stages.b: change.0: x 23 is outside the walls");
}

/// What a stage adds does not find place: by each of the messages the list is named as in the scene.
static const struct {
    const char *add, *said;
} crowded[] = {
    {"disks: {count: 400, radius: 0.2}", "stages.b: add.0: placed "},
    {"disks: {count: 900, radius: 0.2}", "stages.b: add.0: the disks have "},
    {"disks: {count: 1, radius: 9}", "stages.b: add.0: a disk of diameter 18 does not fit into the region"},
    {"disks: {count: 100, radius: 0.48, place: grid}", "stages.b: add.0: rows of 100 disks leave "},
    {"rects: {count: 90, size: [0.9, 0.9], angle: 0.7, place: grid}",
     "stages.b: add.0: rows of 90 bodies leave "},
    {"disks: {count: 9, radius: 0.2, place: grid, spacing: [5, 5]}", "stages.b: add.0: 1 columns and 9 rows"},
    {"disks: {count: 81, radius: 0.3, place: grid}",
     "stages.b: add.0: its rows overlap the bodies of another item"},
    {"list: [{at: [5, 50]}]", "stages.b: add.0.list.0: y 50 is outside the walls"},
    {"polyline: {points: [[5, 5], [90, 5]], spin: 1}", "stages.b: add.0.polyline: a diameter of 85 is above"},
};

QD_TEST_LOOP(test_names_what_it_adds, 0, sizeof crowded / sizeof crowded[0]) {
    char text[512];
    snprintf(text, sizeof text,
             "name: bad\nworld: {size: [9, 9]}\nframes: {every: 0}\n"
             "bodies: [{list: [{at: [5, 5], radius: 0.5, static: true}]}]\n"
             "stages: [{name: a, steps: 2}, {name: b, steps: 2, add: [{%s}]}]\n",
             crowded[_i].add);
    qd_scratch_write(at("bad.yaml").text, text);
    expect_refusal(RUN("run", "bad.yaml", "-o", "out", "-q"), 1, crowded[_i].said);
}

/// In a periodic world that is compressed all bodies are dynamic: stages that say otherwise are no scene.
static const struct {
    const char *stage, *said;
} compressed[] = {
    {"change: [{id: 1, kind: static}]", "stages.1.change.0.kind: in a periodic world that is compressed"},
    {"change: [{id: 1, spin: 1}, {id: 1, kind: kinematic}]", "stages.1.change.1.kind: in a periodic world"},
    {"add: [{list: [{at: [1, 1]}, {at: [5, 1], static: true}]}]",
     "stages.1.add.0.list.1: in a periodic world"},
    {"add: [{polyline: {points: [[1, 1], [2, 1]]}}]", "stages.1.add.0.polyline: in a periodic world"},
};

QD_TEST_LOOP(test_all_is_dynamic_where_seams_are_compressed, 0, sizeof compressed / sizeof compressed[0]) {
    char text[512], calm[512];
    snprintf(text, sizeof text,
             "name: bad\nworld: {size: [9, 9], boundary: periodic, compress: {rate: [0.01, 0]}}\n"
             "frames: {every: 0}\nbodies: [{list: [{at: [5, 5]}]}]\n"
             "stages: [{name: a, steps: 2}, {name: b, steps: 2, %s}]\n",
             compressed[_i].stage);
    qd_scratch_write(at("bad.yaml").text, text);
    expect_refusal(RUN("run", "bad.yaml", "-o", "out", "-q"), 3, compressed[_i].said);
    // Where the stage ends the compression, it may.
    snprintf(calm, sizeof calm, "stages.b.world={compress: {rate: [0, 0]}}");
    SUCCEED("run", "bad.yaml", "-o", "out", "-q", "--set", calm);
}

QD_TEST_MAIN("stages", 300, setup, teardown)
