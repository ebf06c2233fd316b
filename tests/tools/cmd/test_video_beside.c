#define _GNU_SOURCE
#include "export/image/apng.h"
#include "export/image/png_read.h"
#include "tests/support/harness.h"
#include "tests/support/videos.h"

#include <signal.h>
#include <sys/stat.h>

// `quadrille video A B --beside`: the pictures are read back and compared with the frames of the runs.

enum { WIDTH = 64, HEIGHT = 40, GAP = 4 };

/// A run of the small scene as `name`, with keys of its own.
static void make_run(const char *name, const char *key, const char *other) {
    qd_program_start start = {
        .arguments = {"run", "small.yaml", "-o", name, "-q", "--threads", "1", "--set", key, "--set", other}};
    qd_program_succeed(&program, &start);
}

static void make_runs(void) {
    make_run("a", "stepper.capacity=2", "frames.every=5");
    make_run("b", "stepper.capacity=64", "frames.every=5");
}

static qdi_png_loaded load(const char *name) {
    qdi_png_loaded loaded;
    qd_error error = {""};
    ck_assert_msg(qdi_png_load(at(name).text, qd_allocator_default(), &loaded, &error) == QD_OK, "%s",
                  error.text);
    return loaded;
}

static const uint8_t *colour_at(const qdi_png_loaded *picture, int x, int y) {
    size_t place = (size_t)y * (size_t)picture->width + (size_t)x;
    return picture->colours > 0 ? picture->rgb[picture->pixels[place]] : picture->pixels + 3 * place;
}

/// The picture has the frame of a file with its lower left corner `left` and `up` pixels from its own.
static void expect_frame(const qdi_png_loaded *picture, const char *frame, int left, int up) {
    qdi_png_loaded wanted = load(frame);
    int top = picture->height - up - wanted.height;
    ck_assert_int_ge(top, 0);
    ck_assert_int_le(left + wanted.width, picture->width);
    for (int y = 0; y < wanted.height; ++y)
        for (int x = 0; x < wanted.width; ++x)
            ck_assert_msg(memcmp(colour_at(picture, left + x, top + y), colour_at(&wanted, x, y), 3) == 0,
                          "%s differs at %d, %d", frame, x, y);
    qdi_png_unload(qd_allocator_default(), &wanted);
}

/// Picture `number` of a and b side by side has these frames.
static void expect_pair(const char *number, const char *first, const char *second) {
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "--force", "-o", "x.png", "--frames", number),
                0);
    qdi_png_loaded picture = load("x.png");
    ck_assert_int_eq(picture.width, 2 * WIDTH + GAP);
    expect_frame(&picture, first, 0, 0);
    expect_frame(&picture, second, WIDTH + GAP, 0);
    qdi_png_unload(qd_allocator_default(), &picture);
}

static int film_frames(const char *name) {
    uint64_t frames = 0;
    ck_assert_int_eq(qdi_apng_count(qd_allocator_default(), at(name).text, &frames, NULL), QD_OK);
    return (int)frames;
}

static bool same_bytes(const char *one, const char *two) {
    size_t bytes[2];
    char *data[2] = {qd_scratch_read(at(one).text, &bytes[0]), qd_scratch_read(at(two).text, &bytes[1])};
    ck_assert(data[0] && data[1]);
    bool same = bytes[0] == bytes[1] && memcmp(data[0], data[1], bytes[0]) == 0;
    free(data[0]);
    free(data[1]);
    return same;
}

QD_TEST(test_side_by_side_and_above) {
    make_runs();
    expect_pair("0", "a/frames/frame_000000.png", "b/frames/frame_000000.png");
    expect_pair("17", "a/frames/frame_000017.png", "b/frames/frame_000017.png");
    expect_code(WITH("", "video", "a", "b", "a", "--above", "-q", "-o", "y.png", "--frames", "9", "--title",
                     "", "--title", "", "--title", ""),
                0);
    qdi_png_loaded picture = load("y.png");
    ck_assert_int_eq(picture.width, WIDTH);
    ck_assert_int_eq(picture.height, 3 * HEIGHT + 2 * GAP);
    expect_frame(&picture, "a/frames/frame_000009.png", 0, 0);
    expect_frame(&picture, "b/frames/frame_000009.png", 0, HEIGHT + GAP);
    expect_frame(&picture, "a/frames/frame_000009.png", 0, 2 * (HEIGHT + GAP));
    qdi_png_unload(qd_allocator_default(), &picture);
}

QD_TEST(test_every_format_has_all_frames) {
    make_runs();
    qd_program_outcome outcome = WITH("", "video", "a", "b", "--beside");
    ck_assert_msg(outcome.code == 0, "%s", outcome.err);
    ck_assert_str_eq(outcome.err, "a/beside.mp4: 25 frames in 0.4167 s, libx264, 3 B\n");
    expect_code(WITH("", "video", "a", "b", "--above", "-q"), 0);
    ck_assert_int_eq(frames_in("a/above.mp4"), FRAMES);
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.mkv"), 0);
    ck_assert_int_eq(frames_in("x.mkv"), FRAMES);
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.mov", "--frames", "3:12"), 0);
    ck_assert_int_eq(frames_in("x.mov"), 10);
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.png"), 0);
    ck_assert_int_eq(film_frames("x.png"), FRAMES);
    expect_refusal(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.png"), 4,
                   "x.png exists; --force replaces it");
}

/// The same bytes again, by more threads, and of runs made by more threads.
QD_TEST(test_bytes_repeat) {
    make_runs();
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.png"), 0);
    qd_program_succeed(&program,
                       &(qd_program_start){.arguments = {"video", "a", "b", "--beside", "-q", "-o", "y.png"},
                                           .environment = {path_variable, "OMP_NUM_THREADS=3"}});
    ck_assert(same_bytes("x.png", "y.png"));
}

/// What the scenes differ in is the caption; where that is nothing, the name; where names are alike, the
/// path.
QD_TEST(test_captions) {
    make_runs();
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.png"), 0);
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "y.png", "--title", "stepper.capacity: 2",
                     "--title", "stepper.capacity: 64"),
                0);
    ck_assert(same_bytes("x.png", "y.png"));
    expect_code(WITH("", "video", "a/", "./a", "--beside", "-q", "--force", "-o", "x.png"), 0);
    expect_code(WITH("", "video", "a", "a", "--beside", "-q", "--force", "-o", "y.png", "--title", "a/",
                     "--title", "./a"),
                0);
    ck_assert(same_bytes("x.png", "y.png"));
    ck_assert_int_eq(symlink("a", at("same").text), 0);
    expect_code(WITH("", "video", "a/", "same", "--beside", "-q", "--force", "-o", "x.png"), 0);
    expect_code(WITH("", "video", "a", "a", "--beside", "-q", "--force", "-o", "y.png", "--title", "a",
                     "--title=same"),
                0);
    ck_assert(same_bytes("x.png", "y.png"));
}

/// Frames of one time go together, whatever their numbers are; a run that ends stays with its last frame.
QD_TEST(test_other_strides_steps_and_ends) {
    make_run("a", "run.dt=0.01", "run.steps=60");
    make_run("b", "frames.every=10", "run.steps=60");
    qd_program_expect(WITH("", "video", "a", "b", "--beside", "-o", "x.png"), 0,
                      "note: a ends earlier than others: its last frame stays\n", NULL);
    ck_assert_int_eq(film_frames("x.png"), 25); // 1.2 s, one every 0.05 s
    expect_pair("7", "a/frames/frame_000007.png", "b/frames/frame_000001.png");
    expect_pair("8", "a/frames/frame_000008.png", "b/frames/frame_000002.png");
    expect_pair("24", "a/frames/frame_000012.png", "b/frames/frame_000006.png");
}

/// A run that is not complete has no list of its frames: its scene tells their times. Frames alone have none.
QD_TEST(test_runs_without_a_list) {
    make_run("a", "run.dt=0.02", "run.steps=120");
    make_run("b", "frames.every=10", "run.steps=60");
    ck_assert_int_eq(unlink(at("b/frames/manifest.csv").text), 0);
    ck_assert_int_eq(unlink(at("b/result.json").text), 0);
    expect_pair("5", "a/frames/frame_000005.png", "b/frames/frame_000002.png");
    ck_assert_int_eq(rename(at("b/frames").text, at("frames").text), 0);
    expect_code(WITH("", "video", "a", "frames", "--beside", "-q", "-o", "y.png", "--frames", "5"), 0);
    qdi_png_loaded picture = load("y.png");
    expect_frame(&picture, "frames/frame_000005.png", WIDTH + GAP, 0);
    qdi_png_unload(qd_allocator_default(), &picture);
    expect_refusal(WITH("", "video", "a", "b", "--beside", "-q", "-o", "z.png"), 4, "b holds no frames");
}

QD_TEST(test_other_colours_and_sizes) {
    make_run("a", "view.colour=speed", "frames.every=5");
    make_run("b", "view.colour=contact", "view.theme=light");
    expect_pair("11", "a/frames/frame_000011.png", "b/frames/frame_000011.png");
    qdi_png_loaded picture = load("x.png");
    ck_assert_int_eq(picture.colours, 0);
    qdi_png_unload(qd_allocator_default(), &picture);
    make_run("c", "view.colour=contact", "view.size=[40, 20]");
    expect_code(WITH("", "video", "a", "c", "--beside", "-q", "-o", "y.png"), 0);
    ck_assert_int_eq(film_frames("y.png"), FRAMES);
    qd_program_succeed(&program, &(qd_program_start){.arguments = {"video", "a", "c", "--beside", "-q", "-o",
                                                                   "z.png", "--frames", "4"}});
    picture = load("z.png");
    ck_assert_int_eq(picture.width, WIDTH + GAP + 40);
    expect_frame(&picture, "c/frames/frame_000004.png", WIDTH + GAP, 10);
    qdi_png_unload(qd_allocator_default(), &picture);
    ck_assert_int_eq(rename(at("c/frames/frame_000004.png").text, at("a/frames/frame_000004.png").text), 0);
    expect_refusal(WITH("", "video", "a", "b", "--beside", "-q", "-o", "w.png"), 4,
                   "a/frames/frame_000004.png has another size than the frames before");
    expect_none("w.png");
    ck_assert(!qd_scratch_exists(at("w.png.segments").text));
}

/// Frames whose palette changes on the way make the whole video one in true colour.
QD_TEST(test_colours_that_change) {
    make_runs();
    make_run("light", "view.theme=light", "frames.every=5");
    ck_assert_int_eq(rename(at("light/frames/frame_000004.png").text, at("b/frames/frame_000004.png").text),
                     0);
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "film.png"), 0);
    ck_assert_int_eq(film_frames("film.png"), FRAMES);
    qdi_png_loaded first = load("film.png");
    ck_assert_int_eq(first.colours, 0);
    expect_frame(&first, "b/frames/frame_000000.png", WIDTH + GAP, 0);
    qdi_png_unload(qd_allocator_default(), &first);
    expect_code(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.mp4"), 0);
    ck_assert_int_eq(frames_in("x.mp4"), FRAMES);
    expect_pair("4", "a/frames/frame_000004.png", "b/frames/frame_000004.png");
}

QD_TEST(test_a_signal_stops_it) {
    make_run("a", "frames.every=1", "run.steps=1500");
    const qd_program_start start = {.arguments = {"video", "a", "a", "--beside", "-o", "many.png"}};
    qd_program_outcome outcome = qd_program_stop_at(&program, &start, "many.png.segments", SIGINT);
    ck_assert_int_eq(outcome.code, 130);
    ck_assert_str_eq(outcome.err, "quadrille: stopped by SIGINT: no video was made\n");
    expect_none("many.png");
    ck_assert(!qd_scratch_exists(at("many.png.segments").text));
}

/// Only frames that are wanted have to be there.
QD_TEST(test_missing_frames) {
    make_runs();
    ck_assert_int_eq(unlink(at("b/frames/frame_000007.png").text), 0);
    expect_refusal(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.png"), 4,
                   "b/frames/frame_000007.png is not there");
    ck_assert_int_eq(unlink(at("b/frames/manifest.csv").text), 0);
    expect_refusal(WITH("", "video", "a", "b", "--beside", "-q", "-o", "x.png"), 4, "lacks frame_000007.png");
    expect_none("x.png");
    expect_pair("6", "a/frames/frame_000006.png", "b/frames/frame_000006.png");
    expect_pair("8", "a/frames/frame_000008.png", "b/frames/frame_000008.png");
}

static const struct {
    const char *arguments[9];
    int code;
    const char *named;
} wrong[] = {
    {{"a", "b"}, 2, "several with --beside or --above: 'a' and 'b' are two"},
    {{"a", "--beside"}, 2, "--beside takes 2 to 16 DIRs, not 1"},
    {{"a", "b", "--beside", "--above"}, 2, "--beside and --above: one of them"},
    {{"a", "--title", "x"}, 2, "--title needs --beside or --above"},
    {{"a", "b", "--above", "--title", "x"}, 2, "--title is given once for each DIR: there are 1 of 2"},
    {{"a", "b", "--beside", "-o", "x.jpg"}, 2, "a video's name ends in"},
    {{"a", "b", "--beside", "--frames", "25:"}, 4, "--frames: there are 25 pictures, and none of these"},
    {{"a", "nowhere", "--beside"}, 3, "there is no directory nowhere"},
    {{"a", "bin", "--beside"}, 4, "bin holds no frames"},
};

QD_TEST(test_wrong_lines) {
    make_runs();
    ck_assert_int_eq(mkdir(at("bin").text, 0777), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const char *arguments[16] = {"video", "-q"};
        for (size_t k = 0; wrong[i].arguments[k]; ++k) arguments[k + 2] = wrong[i].arguments[k];
        expect_refusal(run_with("", arguments), wrong[i].code, wrong[i].named);
    }
    const char *many[20] = {"video", "--beside"};
    for (size_t i = 2; i < 19; ++i) many[i] = "a";
    expect_refusal(run_with("", many), 2, "--beside takes 2 to 16 DIRs, not 17");
}

QD_TEST_MAIN("video_beside", 600, setup, teardown)
