#define _GNU_SOURCE // kill, usleep
#include "tests/support/staged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Runs whose stages have frames at other distances, and show something else in them.

/// The first stage ends by its rule at step 70, between frames; the last one begins with a frame, before
/// which the tree changes.
static const char hopper[] =
    "name: hopper\n"
    "world: {size: [10, 14], boundary: {x: reflect, y: open}, removal: 1, gravity: [0, -10]}\n"
    "run: {dt: 0.005}\n"
    "contact: {restitution: 0.2, friction: 0.4}\n"
    "bodies:\n"
    "  - polyline: {points: [[0, 6], [4, 3]]}\n"
    "  - polyline: {points: [[10, 6], [6, 3]]}\n"
    "  - list: [{name: gate, shape: rect, at: [5, 2.7], size: [3, 0.4], static: true}]\n"
    "stepper: {capacity: 1}\n"
    "view: {size: [160, 120]}\n"
    "frames: {every: 25}\n"
    "record: {metrics: 10, hashes: 7, events: true, snapshots: 6}\n"
    "checkpoint: {every: 20}\n"
    "stages:\n"
    "  - name: fill\n"
    "    emitters: [{region: [2, 8, 6, 2], rate: 200, total: 40, radius: 0.3}]\n"
    "    until: [{above: {metric: bodies, value: 42}}]\n"
    "    at_most: 300\n"
    "  - name: settle\n"
    "    emitters: []\n"
    "    view: {colour: psi6, trails: 4, map: magma}\n"
    "    frames: {every: 6}\n"
    "    steps: 41\n"
    "  - name: dark\n"
    "    frames: {every: 0}\n"
    "    steps: 20\n"
    "  - name: empty\n"
    "    remove: [{item: gate}]\n"
    "    frames: {every: 3}\n"
    "    view: {theme: light, trails: 2, field: pressure, nodes: changed, camera: {region: [2, 0, 6, 6]}}\n"
    "    steps: 96\n"
    "  - name: last\n"
    "    remove: [{region: [0, 0, 5, 14]}]\n"
    "    frames: {every: 8}\n"
    "    view: {colour: refiled, trails: 0, field: none, title: true}\n"
    "    steps: 60\n";

static char *read_list(const char *name) {
    char *list = qd_scratch_read(at(name).text, NULL);
    ck_assert_msg(list != NULL, "%s", name);
    return list;
}

QD_TEST(test_frames_are_those_of_their_stage) {
    run_reference(hopper);
    ck_assert_int_eq(number("SELECT count(*) FROM stages"), 5);
    ck_assert_int_ne(number("SELECT step % 25 FROM stages WHERE number = 1"), 0);
    ck_assert_int_eq(number("SELECT (step + 1) % 24 FROM stages WHERE number = 4"), 0);
    static const int every[] = {25, 6, 0, 3, 8};
    const int64_t last = number("SELECT max(step) FROM hashes");
    int64_t frames = 0;
    char *list = read_list("ref/frames/manifest.csv"), *line = list;
    for (int64_t step = 0; step <= last; ++step) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT max(number) FROM stages WHERE step < %d OR number = 0", (int)step);
        const int64_t stage = number(sql);
        if (every[stage] == 0 || step % every[stage] != 0) continue;
        snprintf(sql, sizeof sql, "SELECT step FROM frames WHERE number = %d", (int)frames++);
        ck_assert_int_eq(number(sql), step);
        // The list of frames has the stage's name in its last column.
        static const char *const names[] = {"fill", "settle", "dark", "empty", "last"};
        line = strchr(line, '\n') + 1;
        char *end = strchr(line, '\n');
        snprintf(sql, sizeof sql, ",%s", names[stage]);
        ck_assert_msg(strncmp(end - strlen(sql), sql, strlen(sql)) == 0, "%.60s", line);
    }
    ck_assert_int_eq(strncmp(list, "index,step,time,pixels,stage\n", 29), 0);
    free(list);
    ck_assert_int_eq(number("SELECT count(*) FROM frames"), frames);
    ck_assert_int_eq(qd_program_result_whole(&program, "ref", "frames"), frames);
    SUCCEED("verify", "ref", "-q");
    // What is written resolved is read as the same scene.
    SUCCEED("run", "ref/scene.yaml", "-o", "again", "-q", "--threads", "2");
    qd_runs_expect_same(at("ref").text, at("again").text);
}

// A stage that is not the table's is found; a list without stages, as it was once, is fine.
QD_TEST(test_lists_are_verified) {
    run_reference(hopper);
    char *list = read_list("ref/frames/manifest.csv"), *name = strstr(list, ",settle\n");
    char *cut = read_list("ref/frames/manifest.csv"), *to = cut;
    name[2] = 'o';
    qd_scratch_write(at("ref/frames/manifest.csv").text, list);
    qd_program_expect(RUN("verify", "ref"), 5, NULL, "sottle, the table");
    for (const char *line = cut; *line; line = strchr(line, '\n') + 1) {
        const char *comma = strchr(line, '\n');
        while (*comma != ',') --comma;
        const size_t bytes = (size_t)(comma - line);
        const char *next = strchr(line, '\n');
        memmove(to, line, bytes);
        to += bytes;
        *to++ = '\n';
        line = next;
    }
    *to = '\0';
    qd_scratch_write(at("ref/frames/manifest.csv").text, cut);
    SUCCEED("verify", "ref", "-q");
    SUCCEED("video", "ref", "-o", "old.png", "-q");
    free(list);
    free(cut);
}

/// The first line of one list of frames that has this step in it; "" where there is none. Without its number.
static void line_of_step(const char *list, int step, char line[200]) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, ",%d,", step);
    line[0] = '\0';
    for (const char *at_line = strchr(list, '\n') + 1; *at_line; at_line = strchr(at_line, '\n') + 1) {
        const char *comma = strchr(at_line, ',');
        if (strncmp(comma, wanted, strlen(wanted)) == 0)
            snprintf(line, 200, "%.*s", (int)strcspn(comma, "\n"), comma);
    }
}

// Ends the test unless all frames of a directory are those of `ref` at the same steps, and some are.
static void expect_same_pixels(const char *directory, int from) {
    char *ref = read_list("ref/frames/manifest.csv"), name[80];
    snprintf(name, sizeof name, "%s/manifest.csv", directory);
    qd_own_memory char *list = read_list(name);
    int same = 0;
    for (int step = from; step < 400; ++step) {
        char one[200], two[200];
        line_of_step(ref, step, one);
        line_of_step(list, step, two);
        if (!one[0] || !two[0]) continue;
        ck_assert_msg(strcmp(one, two) == 0, "%s: %s, not %s", directory, two, one);
        ++same;
    }
    ck_assert_int_gt(same, 0);
    free(ref);
}

// Frames that are drawn again, from steps or from snapshots, are those of the run, in each stage; where those
// before are not drawn, too.
QD_TEST(test_rendered_again) {
    qd_scratch_write(at("hopper.yaml").text, hopper);
    // Trails and fading colours go back by frames, which lie elsewhere here.
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--set", "stages.settle.view.trails=0", "--set",
            "stages.empty.view.trails=0", "--set", "stages.last.view.colour=depth");
    const int64_t open = number("SELECT step FROM stages WHERE number = 3");
    const int64_t last = number("SELECT max(step) FROM hashes");
    SUCCEED("render", "ref", "-o", "sixes", "-q", "--every", "6", "--threads", "2");
    SUCCEED("render", "ref", "-o", "eights", "-q", "--every", "8");
    SUCCEED("render", "ref", "-o", "kept", "-q", "--set", "stages.empty.view.field=none", "--set",
            "stages.empty.view.nodes=depth");
    // What is `auto` in a stage is fixed by its first frame: those of the others may be earlier ones.
    expect_same_pixels("sixes", 0);
    expect_same_pixels("eights", (int)number("SELECT step FROM stages WHERE number = 4") + 1);
    char one[200], two[200];
    // Any of them alone is as among all.
    char range[40];
    for (int64_t first = open / 6 - 8; 6 * (first + 3) <= last; first += 7) {
        snprintf(range, sizeof range, "%d:%d", (int)first, (int)first + 3);
        SUCCEED("render", "ref", "-o", "some", "-q", "--every", "6", "--frames", range, "--force");
        expect_same_pixels("some", (int)first * 6);
        SUCCEED("render", "ref", "-o", "some", "-q", "--frames", range, "--force", "--set",
                "stages.empty.view.field=none", "--set", "stages.empty.view.nodes=depth");
        qd_own_memory char *some = read_list("some/manifest.csv"), *all = read_list("kept/manifest.csv");
        for (int step = 0; step < 400; ++step) {
            line_of_step(some, step, one);
            line_of_step(all, step, two);
            if (one[0]) ck_assert_str_eq(one, two);
        }
    }
}

// What --set says of frames and view holds for all stages; a stage's own key for that one.
QD_TEST(test_set_for_all_stages) {
    run_reference(hopper);
    SUCCEED("run", "hopper.yaml", "-o", "none", "-q", "--frames", "0");
    ck_assert_int_eq(qd_program_result_whole(&program, "none", "frames"), 0);
    ck_assert(!qd_scratch_exists(at("none/frames").text));
    SUCCEED("run", "hopper.yaml", "-o", "few", "-q", "--set", "frames.every=50", "--set",
            "stages.dark.frames.every=9");
    ck_assert_int_gt(qd_runs_number(at("few").text, "SELECT count(*) FROM frames WHERE step % 50 <> 0"), 0);
    ck_assert_int_eq(qd_runs_number(at("few").text,
                                    "SELECT count(*) FROM frames f WHERE step % 50 <> 0 AND step % 9 <> 0"),
                     0);
    static const char *const view[] = {
        "view.colour=id", "view.theme=dark",  "view.nodes=none",  "view.field=none",
        "view.trails=0",  "view.title=false", "view.map=viridis", "view.camera.region=[0, 0, 10, 14]"};
    SUCCEED("render", "ref", "-o", "same", "-q", "--set", view[0], "--set", view[1], "--set", view[2],
            "--set", view[3], "--set", view[4], "--set", view[5], "--set", view[6], "--set", view[7]);
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--force", "--frames", "6", "--set", view[0], "--set",
            view[1], "--set", view[2], "--set", view[3], "--set", view[4], "--set", view[5], "--set", view[6],
            "--set", view[7]);
    expect_same_pixels("same", 0);
    expect_refusal(RUN("render", "ref", "-o", "no", "--set", "stages.last.contact.friction=1"), 2,
                   "only keys of the view can be changed once a run is over");
}

// A run that goes on from any stage draws what one does that never stopped: `auto`, trails and what fades.
QD_TEST(test_resumed_in_each_stage) {
    run_reference(hopper);
    char steps[32];
    snprintf(steps, sizeof steps, "%d", (int)number("SELECT steps FROM run"));
    for (int step = 90; step < 270; step += 22) {
        char part[32];
        snprintf(part, sizeof part, "%d", step);
        SUCCEED("run", "hopper.yaml", "-o", "part", "-q", "--force", "--steps", part);
        SUCCEED("resume", "part", "-q", "--steps", steps);
        qd_own_memory char *ref = read_list("ref/frames/manifest.csv"),
                           *list = read_list("part/frames/manifest.csv");
        ck_assert_msg(strcmp(ref, list) == 0, "gone on with from step %d", step);
    }
}

QD_TEST(test_killed_again_and_again) {
    killed_again_and_again(hopper);
}

// Where a frame is gone the run goes back to before it, whatever the distances of frames were up to there.
QD_TEST(test_a_frame_that_is_missing) {
    run_reference(hopper);
    const int64_t frames = number("SELECT count(*) FROM frames WHERE step <= 200");
    for (int64_t gone = 1; gone < frames; gone += 6) {
        char name[80], words[200];
        SUCCEED("run", "hopper.yaml", "-o", "part", "-q", "--force", "--steps", "200", "--set",
                "checkpoint.keep=100");
        snprintf(name, sizeof name, "part/frames/frame_%06d.png", (int)gone);
        ck_assert_int_eq(unlink(at(name).text), 0);
        qd_program_outcome result = SUCCEED("resume", "part", "--steps", "210");
        snprintf(
            words, sizeof words,
            "SELECT max((f.step - 1) / 20 * 20, (SELECT max(s.step) FROM stages s WHERE s.step < f.step))"
            " FROM frames f WHERE number = %d",
            (int)gone); // there is a checkpoint at the end of each stage, too
        const int64_t step = number(words);
        snprintf(words, sizeof words, "going on from step %d", (int)step);
        ck_assert_msg(strstr(result.err, words) != NULL, "frame %d: not \"%s\" in: %s", (int)gone, words,
                      result.err);
        SUCCEED("verify", "part", "-q");
    }
}

// One palette for all frames, or several: an animated PNG is made of both, and has all frames.
QD_TEST(test_video) {
    qd_scratch_write(at("hopper.yaml").text, hopper);
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q", "--video", "all.png");
    SUCCEED("video", "ref", "-o", "again.png", "-q");
    size_t one = 0, two = 0;
    qd_own_memory char *made = qd_scratch_read(at("all.png").text, &one),
                       *again = qd_scratch_read(at("again.png").text, &two);
    ck_assert(made && again && one > 1000 && two > 1000);
    ck_assert_int_eq(memcmp(made + 24, again + 24, 2), 0); // depth and kind of colours
}

/// Stages that are refused, and what is said.
static const struct {
    const char *stages, *said;
} refused[] = {
    {"{name: a, steps: 1, view: {size: [100, 100]}}",
     "stages.0.view.size cannot change in a stage: all frames of a run have one size, and so has its video"},
    {"{name: a, steps: 1}, {name: b, steps: 1, frames: {files: false}}",
     "stages.1.frames.files cannot change in a stage: all frames of a run are files, or none"},
    {"{name: a, steps: 1}, {name: b, steps: 1, view: {field: velocity, colour: refiled}}",
     "stages.1.view.field and view.colour: refiled cannot be seen together"},
    {"{name: a, steps: 1}, {name: b, steps: 1, view: {query: {follow: mass}}}",
     "stages.1.view.query.follow and view.query.path need the size that view.query.region has"},
    {"{name: a, steps: 1}, {name: b, steps: 1, view: {field: velocity, field_length: 1e-3}}",
     "stages.1.view.field has "},
};

QD_TEST_LOOP(test_refused, 0, sizeof refused / sizeof refused[0]) {
    char text[1024];
    snprintf(text, sizeof text, "name: bad\nstages: [%s]\n", refused[_i].stages);
    qd_scratch_write(at("bad.yaml").text, text);
    expect_refusal(RUN("run", "bad.yaml", "-o", "out", "-q"), 3, refused[_i].said);
}

QD_TEST_MAIN("stage_frames", 300, setup, teardown)
