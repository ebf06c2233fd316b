#define _GNU_SOURCE // kill, usleep, symlink
#include "export/image/apng.h"
#include "export/video/video_impl.h"
#include "tests/support/harness.h"
#include "tests/support/runs.h"
#include "tests/support/videos.h"

#include <quadrille/video.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Videos of runs, and what can go wrong with the encoder, without one: tests/support/fake_ffmpeg stands for
// ffmpeg. A video of its is a file that says how many frames it has. What the real one makes is looked at by
// test_video_ffmpeg.c.

// ---- all is well ----

QD_TEST(test_a_video_of_a_run) {
    qd_program_outcome outcome = WITH("", "run", "small.yaml", "-o", "out", "--video", "small.mp4",
                                      "--threads", "1");
    ck_assert_msg(outcome.code == 0, "%s", outcome.err);
    ck_assert_ptr_nonnull(strstr(outcome.err, "/small.mp4: libx264, 60 frames a second, 0.4167 s"));
    ck_assert_ptr_nonnull(strstr(outcome.err, "/small.mp4, 25 frames in 0.4167 s, "));
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
    expect_complete("out");
    ck_assert(!qd_scratch_exists(at("out/video").text));
    json_t *result = qd_program_result(&program, "out"), *video = json_object_get(result, "video");
    ck_assert_str_eq(json_string_value(json_object_get(video, "file")), at("small.mp4").text);
    ck_assert_str_eq(json_string_value(json_object_get(video, "encoder")), "libx264");
    ck_assert_int_eq((int)json_integer_value(json_object_get(video, "frames")), FRAMES);
    json_decref(result);
    // It is refused to be lost; the run's directory decides first.
    expect_refusal(WITH("", RUN_SMALL, "--video", "small.mp4"), 4, "small.mp4 exists; --force replaces it");
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4", "--force", "--steps", "50"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), 11);
}

// Of the same scene, with and without: the same frames, rows and states.
QD_TEST(test_a_video_changes_nothing) {
    expect_code(WITH("", "run", "small.yaml", "-o", "plain", "-q", "--threads", "1"), 0);
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4"), 0);
    qd_own_memory char *with = qd_scratch_read(at("out/scene.yaml").text, NULL);
    char *second = strchr(with, '\n') + 1, *rest = strchr(second, '\n') + 1;
    ck_assert_int_eq(strncmp(second, "# Video: libx264 /", 18), 0);
    memmove(second, rest, strlen(rest) + 1);
    qd_scratch_write(at("out/scene.yaml").text, with);
    json_t *result = qd_program_result(&program, "out");
    json_object_del(result, "video");
    json_dump_file(result, at("out/result.json").text, 0);
    json_decref(result);
    qd_runs_expect_same(at("plain").text, at("out").text);
}

QD_TEST(test_inside_of_the_run) {
    expect_code(WITH("", RUN_SMALL, "--video", "out/small.mkv"), 0);
    ck_assert_int_eq(frames_in("out/small.mkv"), FRAMES);
    expect_complete("out");
    expect_refusal(WITH("", RUN_SMALL, "--video", "/dev/null/such/small.mkv", "--force"), 4, "/dev/null");
    expect_complete("out"); // which was left alone
}

// No frames wanted: the video has those that it needs, and nothing else is written of them.
QD_TEST(test_without_files) {
    qd_program_outcome outcome = WITH("", "run", "small.yaml", "-o", "out", "--video", "small.mp4",
                                      "--frames", "0", "--threads", "1");
    ck_assert_msg(outcome.code == 0, "%s", outcome.err);
    // 60 frames in a second of 50 steps: one for every step.
    ck_assert_ptr_nonnull(strstr(outcome.err, "a frame every 1 steps for the video, none as a file"));
    ck_assert_int_eq(frames_in("small.mp4"), 121);
    ck_assert(!qd_scratch_exists(at("out/frames").text));
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM frames"), 121);
    qd_program_succeed(&program, &(qd_program_start){.arguments = {"verify", "out", "-q"}});
    expect_code(
        WITH("", RUN_SMALL, "--video", "small.mp4", "--force", "--frames", "0", "--set", "video.fps=5"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), 13);
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4", "--force", "--set", "frames.files=false"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
    ck_assert(!qd_scratch_exists(at("out/frames").text));
}

QD_TEST(test_one_frame_and_odd_sizes) {
    expect_code(WITH("", RUN_SMALL, "--video", "one.mp4", "--steps", "0"), 0);
    ck_assert_int_eq(frames_in("one.mp4"), 1);
    qd_program_expect(WITH("", "run", "small.yaml", "-o", "out", "--force", "--video", "odd.mp4", "--set",
                           "view.size=[63,41]"),
                      0, "the video is 64 x 42: sizes must be even, and a border is added", NULL);
    ck_assert_int_eq(frames_in("odd.mp4"), FRAMES); // by bytes of 64 x 42
}

QD_TEST(test_counts_without_ffprobe) {
    make_bin(false);
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
    expect_refusal(WITH("fewjoin", RUN_SMALL, "--video", "small.mp4", "--force"), 1, "24 of 25 frames");
}

// It may say more than any pipe holds, before it reads its first frame.
QD_TEST(test_a_chatterbox) {
    expect_code(WITH("chatter", RUN_SMALL, "--video", "small.mp4"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
}

// ---- before step 1 ----

static void expect_nothing_made(void) {
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1); // the scene
}

QD_TEST(test_no_encoder) {
    static const char *const modes[] = {"broken", "nothing", "refuse"};
    static const char *const words[] = {"ffmpeg: ffmpeg: error while loading",
                                        "ffmpeg has no encoder for .mp4",
                                        "ffmpeg cannot start libx264: Error while opening encoder"};
    for (int i = 0; i < 3; ++i) {
        qd_program_outcome outcome = WITH(modes[i], RUN_SMALL, "--video", "small.mp4");
        expect_refusal(outcome, 1, words[i]);
        ck_assert_ptr_nonnull(strstr(outcome.err, "install ffmpeg"));
        ck_assert_ptr_nonnull(strstr(outcome.err, ".png"));
        expect_nothing_made();
    }
    expect_refusal(WITH("nothing", RUN_SMALL, "--video", "small.webm"), 1,
                   "no encoder for .webm (libvpx-vp9 libvpx)");
    expect_refusal(WITH("nothing", RUN_SMALL, "--video", "small.gif"), 1, "no encoder for .gif (gif)");
    snprintf(path_variable, sizeof path_variable, "PATH=/nowhere");
    qd_program_outcome outcome = WITH("", RUN_SMALL, "--video", "small.mp4");
    expect_refusal(outcome, 1, "cannot start ffmpeg: No such file or directory");
    ck_assert_ptr_nonnull(
        strstr(outcome.err, "install ffmpeg with libx264, or let the video's name end in .png"));
    expect_nothing_made();
    // The second way out.
    expect_code(WITH("", RUN_SMALL, "--video", "small.png"), 0);
    expect_complete("out");
}

QD_TEST(test_another_encoder) {
    qd_program_expect(WITH("no264", "run", "small.yaml", "-o", "out", "--video", "small.mp4"), 0,
                      "ffmpeg has no usable libx264: the video is encoded by mpeg4", NULL);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
}

// ---- in the middle ----

QD_TEST_LOOP(test_it_fails, 0, sizeof failures / sizeof failures[0]) {
    // Of a frame size that no pipe holds, so that failures are met while a frame is written, too.
    const char *size = _i % 2 ? "view.size=[640,400]" : "view.size=[64,40]";
    qd_program_outcome outcome = WITH(failures[_i].mode, RUN_SMALL, "--video", "small.mp4", "--set", size);
    expect_refusal(outcome, 1, failures[_i].named);
    ck_assert_ptr_nonnull(
        strstr(outcome.err, "the run itself is complete; `quadrille video out -o FILE` makes it"));
    expect_none("small.mp4");
    expect_complete("out");
    json_t *result = qd_program_result(&program, "out");
    ck_assert_ptr_null(json_object_get(result, "video"));
    json_decref(result);
    expect_code(WITH("", "video", "out", "-o", "small.mp4", "-q"), 0);
    if (_i % 2 == 0) ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
}

// Whoever goes on with such a run is told the same in the end.
QD_TEST(test_it_fails_and_the_run_is_gone_on_with) {
    qd_program_start start = {.arguments = {RUN_SMALL, "--video", "small.mp4"},
                              .environment = {path_variable, "FAKE_FFMPEG=die=5000"}};
    pid_t child = qd_program_launch(&program, &start);
    while (!qd_scratch_exists(at("out/video/failed.txt").text) && !qd_program_has_ended(child)) usleep(1000);
    kill(child, SIGKILL);
    qd_program_outcome outcome = qd_program_await(&program, child);
    if (outcome.code == 1) { // it was faster
        return;
    }
    expect_refusal(WITH("", "resume", "out", "-q", "--threads", "1"), 1, "Conversion failed!");
    expect_none("small.mp4");
    expect_complete("out");
}

// No frames as files: what there is of the video can still be joined.
QD_TEST(test_joining_fails) {
    expect_refusal(WITH("nojoin", RUN_SMALL, "--video", "small.mp4", "--frames", "0"), 1,
                   "`quadrille video out -o FILE` joins what there is of it");
    expect_none("small.mp4");
    expect_refusal(WITH("nojoin", "video", "out", "-q", "-o", "small.mp4"), 1, "Could not write header");
    expect_code(WITH("", "video", "out", "-q", "-o", "small.mp4"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), 121);
}

// A limit that is passed: the video shows how it came to that, and stays resumable.
QD_TEST(test_a_limit_is_passed) {
    expect_refusal(WITH("", RUN_SMALL, "--video", "small.mp4", "--frames", "1", "--set", "limits.speed=20",
                        "--set", "world.gravity=[0,-40]"),
                   5, "limits.speed");
    int frames = frames_in("small.mp4");
    ck_assert_int_eq((int)qd_runs_number(at("out").text, "SELECT count(*) FROM frames"), frames);
    ck_assert(frames > 1 && frames < 121);
}

// No room is no fault of the encoder's: the run stops, and goes on when there is some.
QD_TEST(test_no_room) {
    expect_refusal(WITH("full", RUN_SMALL, "--video", "small.mp4"), 4, "No space left on device");
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4", "--resume"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
    expect_complete("out");
}

// ---- what lies at the video's path ----

static void expect_mine(const char *name) {
    qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_str_eq(text, "mine");
}

// The path comes from the directory, and that may have come from anybody.
QD_TEST(test_going_on_replaces_nothing_foreign) {
    expect_code(WITH("full", RUN_SMALL, "--video", "small.mp4"), 4);
    qd_scratch_write(at("small.mp4").text, "mine");
    for (int i = 0; i < 2; ++i) {
        expect_refusal(WITH("", "resume", "out", "-q"), 4, "small.mp4 exists, and this run has not made it");
        expect_refusal(WITH("", RUN_SMALL, "--resume"), 4, "`quadrille resume out --force` replaces it");
        expect_mine("small.mp4");
        // A note of another video is of no use.
        qd_scratch_write(at("out/video/joined.txt").text, "25 0123456789abcdef\n");
    }
    expect_code(WITH("", "resume", "out", "-q", "--force"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
    expect_complete("out");
}

// It may be gone on with as if there had been none.
QD_TEST(test_force_takes_an_earlier_video_away_at_once) {
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4"), 0);
    expect_code(WITH("full", RUN_SMALL, "--video", "small.mp4", "--force"), 4);
    expect_none("small.mp4");
    expect_code(WITH("", "resume", "out", "-q"), 0);
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
}

QD_TEST(test_what_comes_meanwhile_stays) {
    expect_code(WITH("", RUN_SMALL), 0);
    const qd_scratch_path file = at("late.png"), segments = at("segments");
    qd_video_def def = qd_video_def_default();
    def.file = file.text;
    def.directory = segments.text;
    def.width = 64;
    def.height = 40;
    for (int i = 0; i < 2; ++i) {
        qd_video *video = NULL;
        qd_error error;
        def.replace = i > 0;
        ck_assert_msg(qd_video_create(&def, &video, &error) == QD_OK, "%s", error.text);
        ck_assert_int_eq(qd_video_add_file(video, at("out/frames/frame_000000.png").text, &error), QD_OK);
        if (i == 0) qd_scratch_write(file.text, "mine");
        ck_assert_int_eq(qd_video_finish(video, NULL, &error), i == 0 ? QD_ERR_EXISTS : QD_OK);
        qd_video_destroy(video);
        if (i == 0) expect_mine("late.png");
        ck_assert(!qd_scratch_exists(at("late.png.part").text));
    }
    // Who has joined it knows it again, until it is changed.
    uint64_t frames = 0;
    ck_assert(qdi_video_is_joined(segments.text, file.text, &frames) && frames == 1);
    qd_scratch_write(file.text, "mine");
    ck_assert(!qdi_video_is_joined(segments.text, file.text, &frames));
}

// As after a kill between the joining and the end.
QD_TEST(test_segments_of_a_joined_video_go) {
    expect_code(WITH("", RUN_SMALL, "--video", "small.png"), 0);
    const qd_scratch_path file = at("small.png"), segments = at("out/video");
    ck_assert_int_eq(unlink(file.text), 0);
    qd_video_def def = qd_video_def_default();
    def.file = file.text;
    def.directory = segments.text;
    def.width = 64;
    def.height = 40;
    qd_video *video = NULL;
    qd_error error;
    ck_assert_msg(qd_video_create(&def, &video, &error) == QD_OK, "%s", error.text);
    ck_assert_int_eq(qd_video_add_file(video, at("out/frames/frame_000000.png").text, &error), QD_OK);
    ck_assert_int_eq(qd_video_finish(video, NULL, &error), QD_OK);
    qd_video_destroy(video);
    ck_assert(qd_scratch_exists(segments.text));
    expect_code(WITH("", "resume", "out", "-q"), 0);
    ck_assert(!qd_scratch_exists(segments.text) && qd_scratch_exists(file.text));
}

// ---- killed and gone on with ----

static void go_on_until_done(const char *mode, const char *video, int kills) {
    char variable[64];
    snprintf(variable, sizeof variable, "FAKE_FFMPEG=%s", mode);
    for (int i = 0; i < kills; ++i) {
        qd_program_start start = {.arguments = {RUN_SMALL, "--video", video, "--resume"},
                                  .environment = {path_variable, variable}};
        (void)qd_program_disturb(&program, &start, 1e-3 * (20 + 37 * i % 400),
                                 i % 3 == 2 ? SIGTERM : SIGKILL);
    }
    expect_code(WITH("", RUN_SMALL, "--video", video, "--resume"), 0);
    expect_complete("out");
    ck_assert(!qd_scratch_exists(at("out/video").text));
}

QD_TEST(test_killed_again_and_again) {
    go_on_until_done("slow", "small.mp4", (int)qd_test_effort(20));
    ck_assert_int_eq(frames_in("small.mp4"), FRAMES);
}

QD_TEST(test_killed_again_and_again_without_ffmpeg) {
    go_on_until_done("", "small.png", (int)qd_test_effort(20));
    expect_code(WITH("", "run", "small.yaml", "-o", "good", "-q", "--threads", "1", "--video", "good.png"),
                0);
    // Only where a part begins differs: there a frame is whole again.
    ck_assert(qd_scratch_exists(at("small.png").text));
}

/// A run that was stopped after its first checkpoints.
static void make_stopped(void) {
    expect_code(WITH("", RUN_SMALL, "--video", "small.mp4"), 0);
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
    ck_assert_int_eq(unlink(at("small.mp4").text), 0);
}

// The segments are gone that the last checkpoints rely on: as with frames, an earlier one is gone back to, or
// none can be.
QD_TEST(test_segments_that_are_gone) {
    make_stopped();
    expect_refusal(WITH("", "resume", "out", "-q", "--threads", "1"), 4, "out/video lacks frame 0");
}

QD_TEST(test_goes_on_with_the_same_video_only) {
    expect_code(WITH("", RUN_SMALL), 0);
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
    expect_refusal(WITH("", RUN_SMALL, "--resume", "--video", "a.mp4"), 2, "out was begun without --video");
    expect_code(WITH("", "resume", "out", "-q"), 0);
    expect_code(WITH("", RUN_SMALL, "--force", "--video", "a.mp4"), 0);
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
    ck_assert_int_eq(unlink(at("a.mp4").text), 0);
    expect_refusal(WITH("", RUN_SMALL, "--resume", "--video", "b.mp4"), 2,
                   "/a.mp4; it goes on with that only");
    snprintf(path_variable, sizeof path_variable, "PATH=/nowhere");
    expect_refusal(WITH("", "resume", "out", "-q"), 1, "cannot start ffmpeg");
}

#ifdef QD_FAULTS

// ---- no room and no power, at any write ----

static qd_program_outcome run_faulty(const char *fault, const char *more) {
    const qd_program_start start = {.arguments = {RUN_SMALL, "--video", "small.png", "--resume"},
                                    .environment = {"LD_PRELOAD=" QD_FAULTS, fault, more}};
    return qd_program_run(&program, &start);
}

static long count_writes(void) {
    char report[600];
    long files = 0;
    snprintf(report, sizeof report, "QD_FAULT_REPORT=%s", qd_scratch_at(&program.capture, "report").text);
    expect_code(run_faulty("QD_FAULT_NONE=1", report), 0);
    qd_own_memory char *text = qd_scratch_read(qd_scratch_at(&program.capture, "report").text, NULL);
    ck_assert_int_eq(sscanf(text, "%ld", &files), 1);
    return files;
}

static void finish_faulty(const char *fault) {
    uint64_t frames = 0;
    qd_program_outcome outcome = WITH("", RUN_SMALL, "--video", "small.png", "--resume");
    ck_assert_msg(outcome.code == 0, "%s: %d: %s", fault, outcome.code, outcome.err);
    expect_complete("out");
    ck_assert_int_eq(qdi_apng_count(qd_allocator_default(), at("small.png").text, &frames, NULL), QD_OK);
    ck_assert_msg(frames == FRAMES, "%s: %d frames", fault, (int)frames);
    ck_assert_msg(!qd_scratch_exists(at("out/video").text), "%s: segments are left", fault);
    qd_scratch_remove_tree(at("out").text);
    ck_assert_int_eq(unlink(at("small.png").text), 0);
}

QD_TEST_LOOP(test_any_write, 0, 2) {
    long calls = count_writes(), step = calls / (long)qd_test_effort(30) + 1;
    ck_assert_int_gt(calls, 100);
    qd_scratch_remove_tree(at("out").text);
    ck_assert_int_eq(unlink(at("small.png").text), 0);
    for (long call = 1 + (long)qd_test_seed(0) % step; call <= calls; call += step) {
        char fault[64];
        snprintf(fault, sizeof fault, "QD_FAULT_%s=%ld", _i ? "FILE" : "KILL", call);
        qd_program_outcome outcome = run_faulty(fault, "QD_FAULT_STAY=1");
        bool fine = _i ? outcome.code == 4 || outcome.code == 0 : outcome.code == -SIGKILL;
        if (strstr(outcome.err, "OMP: Error")) fine = true; // a call of the compiler's own library
        ck_assert_msg(fine, "%s: %d: %s", fault, outcome.code, outcome.err);
        finish_faulty(fault);
    }
}

#endif

QD_TEST_MAIN("video", 600, setup, teardown)
