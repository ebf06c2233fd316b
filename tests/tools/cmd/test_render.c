#define _GNU_SOURCE // kill, usleep

#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/recorder.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Fast at first and slower later: what the first frame fixes shows in all the others.
static const char scene[] = "name: small\n"
                            "world: {size: [20, 12], gravity: [0, -1], drag: {linear: 0.5}}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "contact: {restitution: 0.9}\n"
                            "bodies:\n"
                            "- disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 3}}\n"
                            "frames: {every: 5}\n"
                            "view: {size: [160, 120], colour: speed}\n"
                            "record: {snapshots: 5}\n"
                            "checkpoint: {every: 16, seconds: 0}\n";
enum { FRAMES = 9 };

static void make(void) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--threads", "2");
}

static qd_scratch_path frame(const char *directory, unsigned number) {
    char name[300];
    snprintf(name, sizeof name, "%s/frame_%06u.png", directory, number);
    return at(name);
}

/// The frames of `directory` are those of the run from number `from` on, byte for byte.
static void expect_frames(const char *directory, unsigned from, unsigned count) {
    ck_assert_uint_eq(qd_scratch_count(at(directory).text), count + 1);
    for (unsigned i = 0; i < count; ++i)
        ck_assert_msg(qd_scratch_same(frame(directory, i).text, frame("out/frames", from + i).text),
                      "frame %u of %s", i, directory);
}

QD_TEST_LOOP(snapshots_give_the_frames_of_the_run, 0, 4) {
    make();
    qd_own_memory char *before = qd_scratch_read(at("out/run.db").text, NULL);
    static const char *const threads[] = {"1", "2", "3", "8"};
    SUCCEED("render", "out", "-q", "--threads", threads[_i]);
    expect_frames("out/render", 0, FRAMES);
    expect_same_files("out/render/manifest.csv", "out/frames/manifest.csv");
    qd_own_memory char *after = qd_scratch_read(at("out/run.db").text, NULL);
    ck_assert_str_eq(before, after);
    SUCCEED("verify", "out", "-q", "--threads", "1");
}

// Frames that are made side by side are those that are made one after the other: all of them, some, and with
// what goes back to frames before.
QD_TEST_LOOP(several_at_a_time, 0, 5) {
    static const char *const jobs[] = {"1", "2", "5", "8", "64"};
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.trails=3", "--set", "view.colour=refiled",
            "--set", "view.fade=4", "--set", "stepper.capacity=1");
    SUCCEED("render", "out", "-q", "--jobs", jobs[_i], "--threads", "2");
    expect_frames("out/render", 0, FRAMES);
    expect_same_files("out/render/manifest.csv", "out/frames/manifest.csv");
    SUCCEED("render", "out", "-q", "-o", "some", "--jobs", jobs[_i], "--frames", "5:6");
    expect_frames("some", 5, 2);
    SUCCEED("render", "out", "-q", "-o", "early", "--jobs", jobs[_i], "--frames", ":2", "--threads", "5");
    expect_frames("early", 0, 3);
    SUCCEED("render", "out", "-q", "-o", "beyond", "--jobs", jobs[_i], "--frames", "8:100");
    expect_frames("beyond", 8, 1);
    SUCCEED("render", "out", "-q", "-o", "again", "--jobs", jobs[_i], "--every", "5");
    expect_frames("again", 0, FRAMES);
    expect_refusal(RUN("render", "out", "--jobs", jobs[_i], "-o", "none", "--frames", "9"), 2,
                   "out has no frame 9");
    ck_assert(!qd_scratch_exists(at("none").text));
}

// A signal ends it with a frame: those before are all there, whole and listed, and nothing else is.
QD_TEST(a_signal_between_jobs) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--steps", "2000", "--snapshots", "1", "--frames", "0",
            "--set", "view.size=[1280, 960]");
    const qd_program_start start = {.arguments = {"render", "out", "--jobs", "3", "-q"}};
    pid_t child = qd_program_launch(&program, &start);
    qd_scratch_await(frame("out/render", 5).text);
    ck_assert_int_eq(kill(child, SIGINT), 0);
    qd_program_outcome outcome = qd_program_await(&program, child);
    ck_assert_msg(outcome.code == 130, "%d: %s", outcome.code, outcome.err);
    unsigned frames = 0, listed = 0;
    ck_assert_int_eq(sscanf(outcome.err, "quadrille: stopped by SIGINT after %u frames", &frames), 1);
    ck_assert_uint_ge(frames, 6);
    ck_assert_uint_lt(frames, 2001);
    ck_assert_uint_eq(qd_scratch_count(at("out/render").text), frames + 1);
    ck_assert(qd_scratch_exists(frame("out/render", frames - 1).text));
    qd_own_memory char *list = qd_scratch_read(at("out/render/manifest.csv").text, NULL);
    for (const char *line = list; (line = strchr(line, '\n')) != NULL; ++line) ++listed;
    ck_assert_uint_eq(listed, frames + 1); // and what its columns are
}

// The colours of some frames are those that they have among all of them.
QD_TEST(some_of_the_frames) {
    make();
    SUCCEED("render", "out", "-q", "-o", "some", "--frames", "3:5");
    expect_frames("some", 3, 3);
    SUCCEED("render", "out", "-q", "-o", "last", "--frames", "7:");
    expect_frames("last", 7, 2);
    SUCCEED("render", "out", "-q", "-o", "first", "--frames", ":1");
    expect_frames("first", 0, 2);
    SUCCEED("render", "out", "-q", "-o", "one", "--frames", "4");
    expect_frames("one", 4, 1);
    SUCCEED("render", "out", "-q", "-o", "beyond", "--frames", "8:100");
    expect_frames("beyond", 8, 1);
}

QD_TEST(simulated_again) {
    make();
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5", "--threads", "3");
    expect_frames("again", 0, FRAMES);
    SUCCEED("render", "out", "-q", "-o", "some", "--every", "5", "--frames", "4:6");
    expect_frames("some", 4, 3);
    SUCCEED("render", "out", "-q", "-o", "odd", "--every", "7");
    qd_own_memory char *list = qd_scratch_read(at("odd/manifest.csv").text, NULL);
    ck_assert_ptr_nonnull(list);
    ck_assert_msg(strstr(list, "\n5,35,0.7") != NULL, "%s", list);
    ck_assert_ptr_null(strstr(list, "\n6,"));
    ck_assert(qd_scratch_same(frame("odd", 5).text, frame("out/frames", 7).text));
}

// Trails, and colours that fade, go back to the moments before the first frame that is drawn, and are those
// of a run that draws them.
QD_TEST(trails_go_back) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.trails=3", "--set", "view.colour=refiled",
            "--set", "view.fade=4", "--set", "stepper.capacity=1");
    SUCCEED("render", "out", "-q", "-o", "all");
    expect_frames("all", 0, FRAMES);
    SUCCEED("render", "out", "-q", "-o", "some", "--frames", "5:6", "--threads", "3");
    expect_frames("some", 5, 2);
    SUCCEED("render", "out", "-q", "-o", "early", "--frames", "2:4");
    expect_frames("early", 2, 3);
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5", "--frames", "6:");
    expect_frames("again", 6, 3);
    SUCCEED("render", "out", "-q", "-o", "without", "--set", "view.trails=0", "--frames", "6");
    ck_assert(!qd_scratch_same(frame("without", 0).text, frame("out/frames", 6).text));
    SUCCEED("render", "out", "-q", "-o", "faded", "--set", "view.trails=0", "--frames", "4");
    SUCCEED("render", "out", "-q", "-o", "quicker", "--set", "view.trails=0", "--set", "view.fade=1",
            "--frames", "4");
    ck_assert(!qd_scratch_same(frame("faded", 0).text, frame("quicker", 0).text));
    expect_refusal(RUN("render", "out", "-o", "beyond", "--frames", "9"), 2, "has no frame 9");
}

// A query is asked of each moment, so any moment shows it as the run did.
QD_TEST(a_query_goes_along) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.query.region=[1, 1, 6, 4]", "--set",
            "view.query.path=[[0, 5, 5, 1], [0.8, 15, 8, 2]]", "--set", "stepper.capacity=2");
    SUCCEED("render", "out", "-q", "-o", "kept");
    expect_frames("kept", 0, FRAMES);
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5", "--frames", "3:", "--threads", "2");
    expect_frames("again", 3, FRAMES - 3);
    SUCCEED("render", "out", "-q", "-o", "with", "--set", "view.query.follow=7", "--frames", "6");
    ck_assert(!qd_scratch_same(frame("with", 0).text, frame("out/frames", 6).text));
    expect_refusal(RUN("render", "out", "-o", "none", "--set", "view.query.region=auto"), 3,
                   "view.query.follow and view.query.path need the size that view.query.region has");
}

// What the last search cost is of the moment; how fast steps were is told by the run alone, of whose frames
// verify reads the files.
QD_TEST(text_of_searches_and_clocks) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.text=[step, candidates, tests]");
    SUCCEED("render", "out", "-q", "-o", "kept");
    expect_frames("kept", 0, FRAMES);
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5", "--frames", "2:");
    expect_frames("again", 2, FRAMES - 2);
    SUCCEED("run", "small.yaml", "-o", "paced", "-q", "--set", "view.text=[step, rate, cost]");
    SUCCEED("verify", "paced", "-q");
    SUCCEED("render", "paced", "-q", "-o", "one");
    SUCCEED("render", "paced", "-q", "-o", "other", "--every", "5");
    unsigned paced = 0;
    for (unsigned i = 0; i < FRAMES; ++i) {
        ck_assert(qd_scratch_same(frame("one", i).text, frame("other", i).text));
        paced += !qd_scratch_same(frame("one", i).text, frame("paced/frames", i).text);
    }
    ck_assert_uint_eq(paced, FRAMES - 1); // of the first there is nothing to tell
}

// Pictures of a run without the tree's searches are those of one with, nodes included.
QD_TEST(brute_force_is_drawn_alike) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "tree", "-q", "--set", "view.colour=refiled");
    SUCCEED("run", "small.yaml", "-o", "brute", "-q", "--set", "view.colour=refiled", "--set",
            "stepper.retrieve=brute");
    qd_own_memory char *tree = qd_scratch_read(at("tree/frames/manifest.csv").text, NULL),
                       *brute = qd_scratch_read(at("brute/frames/manifest.csv").text, NULL);
    ck_assert_str_eq(tree, brute);
}

// The nodes that a step changed are known where the step was made again, and only there.
QD_TEST(changed_nodes) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.nodes=changed", "--set",
            "stepper.capacity=1", "--set", "stepper.margin=0", "--set", "run.dt=0.1", "--set",
            "view.size=[640,480]");
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5");
    expect_frames("again", 0, FRAMES);
    SUCCEED("render", "out", "-q", "-o", "kept");
    unsigned differ = 0;
    for (unsigned i = 0; i < FRAMES; ++i)
        differ += !qd_scratch_same(frame("kept", i).text, frame("out/frames", i).text);
    ck_assert_uint_gt(differ, 0);
}

// What contacts gave in the step to a frame is known where the step was made again, also right behind a
// checkpoint, and only there.
QD_TEST(a_field_with_stress) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.field=pressure", "--set",
            "view.field_length=4", "--set", "checkpoint={every: 5, keep: 100, seconds: 0}", "--threads", "2");
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5", "--threads", "3");
    expect_frames("again", 0, FRAMES);
    for (unsigned i = 1; i < FRAMES; ++i) {
        char number[16], name[16];
        snprintf(number, sizeof number, "%u", i);
        snprintf(name, sizeof name, "one%u", i);
        SUCCEED("render", "out", "-q", "-o", name, "--every", "5", "--frames", number);
        expect_frames(name, i, 1);
    }
    qd_program_expect(RUN("render", "out", "-o", "kept", "--frames", "3"), 0,
                      "a snapshot does not tell what impulses its step gave", NULL);
    ck_assert(!qd_scratch_same(frame("kept", 0).text, frame("out/frames", 3).text));
    SUCCEED("render", "out", "-q", "-o", "speed", "--set", "view.field=velocity");
    SUCCEED("render", "out", "-q", "-o", "speed3", "--set", "view.field=velocity", "--every", "5",
            "--threads", "3");
    ck_assert(qd_scratch_same(frame("speed", 4).text, frame("speed3", 4).text));
}

QD_TEST(bodies_by_thread) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.colour=thread", "--threads", "1");
    SUCCEED("render", "out", "-q", "-o", "again", "--every", "5", "--threads", "1");
    expect_frames("again", 0, FRAMES);
    SUCCEED("verify", "out", "-q");
    qd_program_expect(RUN("render", "out", "-o", "kept", "--frames", "3"), 0,
                      "a snapshot does not tell which thread moved its bodies", NULL);
    ck_assert(!qd_scratch_same(frame("kept", 0).text, frame("out/frames", 3).text));
}

QD_TEST(another_view) {
    make();
    SUCCEED("render", "out", "-q", "-o", "near", "--set", "view.size=[320,240]", "--set", "view.nodes=none");
    SUCCEED("run", "small.yaml", "-o", "so", "-q", "--set", "view.size=[320,240]", "--set",
            "view.nodes=none");
    ck_assert_uint_eq(qd_scratch_count(at("near").text), FRAMES + 1);
    qd_own_memory char *list = qd_scratch_read(at("near/manifest.csv").text, NULL);
    qd_own_memory char *made = qd_scratch_read(at("so/frames/manifest.csv").text, NULL);
    ck_assert_str_eq(list, made); // the pixels are those of a run with this view
}

QD_TEST(a_run_that_is_not_over) {
    qd_recording how = {.scene = scene, .stop_at = 23};
    qd_recording_make(&how, at("out").text);
    json_t *json = qd_program_json(RUN("render", "out", "--json"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "frames")), 5);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "first_step")), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "last_step")), 20);
    json_decref(json);
}

QD_TEST(a_video_too) {
    make();
    SUCCEED("render", "out", "-q", "--video", "seen.png");
    ck_assert(qd_scratch_exists(at("seen.png").text));
    expect_frames("out/render", 0, FRAMES);
    expect_refusal(RUN("render", "out", "--video", "seen.png", "-o", "more"), 4, "seen.png exists; --force");
    expect_refusal(RUN("render", "out", "--video", "seen.avi", "-o", "more"), 2, "a video's name ends in");
    ck_assert(!qd_scratch_exists(at("more").text));
}

QD_TEST(what_is_refused) {
    make();
    static const char *const ranges[] = {"x", "3:2", "1:2:3", "-1", "1.5", "5:x", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
        expect_refusal(RUN("render", "out", "--frames", ranges[i]), 2, "is not a range of frames");
    expect_refusal(RUN("render", "out", "--frames", "9"), 2, "out has no frame 9");
    expect_refusal(RUN("render", "out", "--every", "20", "--frames", "3"), 2, "out has no frame 3");
    ck_assert(!qd_scratch_exists(at("out/render").text));
    expect_refusal(RUN("render", "out", "--set", "run.dt=1"), 2, "only keys of the view");
    expect_refusal(RUN("render", "out", "--set", "view.colour=spede"), 2, "view.colour");
    expect_refusal(RUN("render", "out", "--set", "view.colur=speed"), 2, "did you mean");
    expect_refusal(RUN("render"), 2, "DIR");
    expect_refusal(RUN("render", "out", "--every", "0"), 2, "--every");
    expect_refusal(RUN("render", "out", "--jobs", "0"), 2, "--jobs");
    expect_refusal(RUN("render", "out", "--jobs", "65"), 2, "--jobs");
    expect_refusal(RUN("render", "nowhere"), 3, "nowhere");
    expect_refusal(RUN("render", "out", "-o", "/dev/null/such/place"), 4, "/dev/null/such/place");
    expect_refusal(RUN("render", "out", "-o", "small.yaml"), 4, "small.yaml");
    expect_refusal(RUN("render", "out", "-o", "out"), 4, "out is a run directory");
    SUCCEED("run", "small.yaml", "-o", "bare", "-q", "--set", "record.snapshots=0");
    expect_refusal(RUN("render", "bare"), 3, "--every E");
    ck_assert(!qd_scratch_exists(at("bare/render").text));
}

QD_TEST(frames_that_are_there) {
    make();
    SUCCEED("render", "out", "-q");
    expect_refusal(RUN("render", "out", "--frames", "2"), 4, "--force");
    expect_frames("out/render", 0, FRAMES);
    qd_scratch_write(at("out/render/frame_000004.png.part").text, "half of it");
    SUCCEED("render", "out", "-q", "--frames", "2", "--force");
    expect_frames("out/render", 2, 1);
    // They belong to the run: another one in the same place leaves none of them.
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--force", "--steps", "3");
    ck_assert(!qd_scratch_exists(at("out/render").text));
    SUCCEED("render", "out", "-q");
    qd_scratch_write(at("out/render/notes.txt").text, "mine");
    expect_refusal(RUN("render", "out", "--force"), 4, "other things than frames");
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--force", "--steps", "3");
    qd_own_memory char *kept = qd_scratch_read(at("out/render/notes.txt").text, NULL);
    ck_assert_str_eq(kept, "mine");
}

QD_TEST(a_damaged_snapshot) {
    make();
    qd_recording_turn(at("out").text, "snapshots", "world", 15, 700, 2);
    expect_refusal(RUN("render", "out", "-q"), 4, "step 15");
    expect_frames("out/render", 0, 3); // those before it are whole, and listed
    expect_refusal(RUN("render", "out", "-q", "--force", "--jobs", "8"), 4, "step 15");
    expect_frames("out/render", 0, 3);
    SUCCEED("render", "out", "-q", "--force", "--jobs", "3", "--frames", "4:");
    expect_frames("out/render", 4, FRAMES - 4);
    SUCCEED("render", "out", "-q", "--every", "5", "--force");
    expect_frames("out/render", 0, FRAMES);
}

// Whichever job fails first, the complaint is that of the first frame that is missing.
QD_TEST_LOOP(no_room_for_the_pictures, 0, 3) {
    if (QD_TEST_THREAD_SANITIZER) return;
    static const char *const jobs[] = {"1", "2", "5"};
    make();
    expect_refusal(
        qd_program_run(&program, &(qd_program_start){.arguments = {"render", "out", "-q", "--jobs", jobs[_i]},
                                                     .file_limit = 400}),
        4, "out/render/frame_000000.png");
    qd_program_expect_no_parts(at("out/render").text);
    ck_assert(!qd_scratch_exists(frame("out/render", 0).text));
    ck_assert(!qd_scratch_exists(frame("out/render", 1).text));
}

QD_TEST_MAIN("render", 300, setup, teardown)
