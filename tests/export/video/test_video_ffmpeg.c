#define _GNU_SOURCE // kill, usleep, popen
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tools/host/os.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Videos by ffmpeg, taken apart by ffmpeg again and held against the PNG files of the same frames.

static const char scene[] = "name: small\n"
                            "world: {size: [20, 12], gravity: [0, -5]}\n"
                            "run: {steps: 120, dt: 0.02, seed: 3}\n"
                            "contact: {model: impulse, restitution: 0.5}\n"
                            "bodies:\n"
                            "  - disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 4}}\n"
                            "view: {size: [160, 96]}\n"
                            "frames: {every: 3}\n"
                            "checkpoint: {every: 30}\n";

enum { FRAMES = 41 };

static void setup_with_file(void) {
    setup();
    qd_scratch_write(at("small.yaml").text, scene);
}

#define RUN_SMALL "run", "small.yaml", "-o", "out", "-q", "--threads", "1"

/// What a command prints, both streams; free() it.
static char *answer_of(const char *command) {
    enum { ROOM = 1 << 20 };
    char *text = qd_test_zeros(ROOM, 1), whole[4096];
    snprintf(whole, sizeof whole, "cd '%s' && { %s; } 2>&1", program.work.path, command);
    FILE *from = popen(whole, "r"); // NOLINT(cert-env33-c): ours
    ck_assert_ptr_nonnull(from);
    size_t got = fread(text, 1, ROOM - 1, from);
    int status = pclose(from);
    ck_assert_msg(status == 0 && got > 0, "%s: %.500s", command, text);
    return text;
}

/// How many frames can be decoded, and when each is shown, in frames of its rate.
static void expect_frames(const char *video, int frames, double fps, double slack) {
    char command[1024];
    snprintf(command, sizeof command,
             "ffprobe -v error -select_streams v:0 -show_entries frame=pts_time -of csv=p=0 '%s'", video);
    qd_own_memory char *text = answer_of(command);
    int count = 0;
    double first = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), ++count) {
        double time = strtod(line, NULL);
        if (count == 0) first = time;
        ck_assert_msg(time - first > count / fps - slack && time - first < count / fps + slack,
                      "%s: frame %d is shown at %g", video, count, time);
    }
    ck_assert_msg(count == frames, "%s: %d frames, not %d", video, count, frames);
}

/// Hashes of all decoded frames.
static char *hashes_of(const char *input) {
    char command[1024];
    snprintf(command, sizeof command,
             "ffmpeg -v error %s -vsync passthrough -pix_fmt rgb24 -f framemd5 - | sed 's/.*, //; /^#/d'",
             input);
    return answer_of(command);
}

/// Every frame's pixels are those of its file.
static void expect_same_pixels(const char *video, const char *directory, int first) {
    char input[600];
    snprintf(input, sizeof input, "-start_number %d -i '%s/frames/frame_%%06d.png'", first, directory);
    qd_own_memory char *files = hashes_of(input);
    snprintf(input, sizeof input, "-i '%s'", video);
    qd_own_memory char *frames = hashes_of(input);
    ck_assert_msg(strcmp(files, frames) == 0, "%s: other pixels: %.300s, not %.300s", video, frames, files);
}

/// Frame by frame the picture is that of the file, but for what the encoder loses: the worst frame's peak
/// signal-to-noise ratio is above this. A video that is one frame late, or that mixes up its colours, is far
/// below.
static double worst_psnr(const char *video, const char *directory) {
    char command[1600];
    snprintf(command, sizeof command,
             "ffmpeg -v info -nostats -i '%s' -framerate 60 -i '%s/frames/frame_%%06d.png' -lavfi "
             "'[1:v]format=gbrp,settb=1/60,setpts=N[s];[0:v]format=gbrp,settb=1/60,setpts=N[d];[d][s]psnr' "
             "-f null - 2>&1 | "
             "grep -o 'min:[0-9.inf]*'",
             video, directory);
    qd_own_memory char *text = answer_of(command);
    return strstr(text, "inf") ? 99 : strtod(text + 4, NULL);
}

static const struct {
    const char *file;
    double fps, slack;
    bool exact;
} kinds[] = {
    {"a.mp4", 60, 1e-5, false}, {"a.mov", 60, 1e-5, false},  {"a.m4v", 60, 1e-5, false},
    {"a.mkv", 60, 1e-3, false}, {"a.webm", 60, 1e-3, false}, {"a.gif", 50, 1e-5, true},
    {"a.png", 60, 1e-3, true},  {"a.APNG", 60, 1e-3, true},
};

QD_TEST_LOOP(test_every_kind, 0, sizeof kinds / sizeof kinds[0]) {
    const char *file = kinds[_i].file;
    SUCCEED(RUN_SMALL, "--video", file);
    expect_frames(file, FRAMES, kinds[_i].fps, kinds[_i].slack);
    if (kinds[_i].exact) {
        expect_same_pixels(file, "out", 0);
    } else {
        double psnr = worst_psnr(file, "out");
        ck_assert_msg(psnr > 24, "%s: %g dB", file, psnr);
    }
    qd_program_expect_no_parts(program.work.path);
    // The same from the files.
    SUCCEED("video", "out", "-q", "-o", file, "--force", "--frames", "5:20");
    expect_frames(file, 16, kinds[_i].fps, kinds[_i].slack);
}

/// Two runs in one picture: each half has the pixels of its run's frames, and captions take no room where
/// they are empty.
QD_TEST_LOOP(test_side_by_side, 0, sizeof kinds / sizeof kinds[0]) {
    SUCCEED(RUN_SMALL);
    SUCCEED("run", "small.yaml", "-o", "other", "-q", "--threads", "1", "--set", "run.seed=4");
    const char *file = kinds[_i].file;
    SUCCEED("video", "out", "other", "--beside", "-q", "-o", file, "--title", "", "--title", "");
    expect_frames(file, FRAMES, kinds[_i].fps, kinds[_i].slack);
    for (int half = 0; half < 2 && kinds[_i].exact; ++half) {
        char input[600];
        snprintf(input, sizeof input, "-i '%s' -vf crop=160:96:%d:0", file, half * 164);
        qd_own_memory char *frames = hashes_of(input);
        snprintf(input, sizeof input, "-i '%s/frames/frame_%%06d.png'", half == 0 ? "out" : "other");
        qd_own_memory char *files = hashes_of(input);
        ck_assert_msg(strcmp(files, frames) == 0, "%s: other pixels: %.300s, not %.300s", file, frames,
                      files);
    }
}

/// To ffmpeg some characters of a name mean something: where a protocol ends, where a fragment begins, a
/// number of a picture.
QD_TEST(test_names_that_mean_something_to_ffmpeg) {
    static const char *const names[] = {"d#4", "d?4=1", "http:d", "d %d", "-d"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char file[64];
        snprintf(file, sizeof file, "%s/v.%s", names[i], i == 3 ? "gif" : "mkv");
        qd_program_outcome result = RUN("run", "small.yaml", "-o", names[i], "-q", "--video", file);
        ck_assert_msg(result.code == 0, "%s: exit %d: %s", names[i], result.code, result.err);
        ck_assert(qd_scratch_exists(at(file).text));
    }
}

QD_TEST(test_rates) {
    static const double rates[] = {1, 24, 25, 29.97, 50, 59.94, 120, 0.5};
    char fps[32];
    SUCCEED(RUN_SMALL);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        snprintf(fps, sizeof fps, "%.17g", rates[i]);
        SUCCEED("video", "out", "-q", "-o", "a.mp4", "--force", "--fps", fps);
        expect_frames("a.mp4", FRAMES, rates[i], 1e-3);
        SUCCEED("video", "out", "-q", "-o", "a.png", "--force", "--fps", fps);
        expect_frames("a.png", FRAMES, rates[i], 1e-5 * FRAMES);
        if (rates[i] > 50) continue;
        SUCCEED("video", "out", "-q", "-o", "a.gif", "--force", "--fps", fps);
        expect_frames("a.gif", FRAMES, rates[i], 0.0051);
    }
}

// The edge is continued by a pixel; all that was there is there.
QD_TEST_LOOP(test_odd_sizes, 0, 3) {
    static const char *const sizes[] = {"view.size=[161,97]", "view.size=[161,96]", "view.size=[160,97]"};
    SUCCEED(RUN_SMALL, "--video", "odd.mp4", "--set", sizes[_i]);
    expect_frames("odd.mp4", FRAMES, 60, 1e-5);
    qd_own_memory char *text = answer_of(
        "ffprobe -v error -show_entries stream=width,height,pix_fmt -of csv=p=0 odd.mp4");
    const char *wanted = _i == 1 ? "162,96,yuv420p\n" : _i == 2 ? "160,98,yuv420p\n" : "162,98,yuv420p\n";
    ck_assert_str_eq(text, wanted);
    free(text);
    text = answer_of(
        "ffmpeg -v info -nostats -i odd.mp4 -framerate 60 -i out/frames/frame_%06d.png -lavfi "
        "'[1:v]format=gbrp,settb=1/60,setpts=N[s];[0:v]format=gbrp,settb=1/60,setpts=N[d];"
        "[d]crop=160:96:0:0[e];[s]crop=160:96:0:0[t];[e][t]psnr' -f null - 2>&1 | grep -o 'min:[0-9.]*'");
    ck_assert_msg(strtod(text + 4, NULL) > 24, "%s", text);
}

QD_TEST(test_one_frame) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        SUCCEED(RUN_SMALL, "--force", "--steps", "0", "--video", kinds[i].file);
        expect_frames(kinds[i].file, 1, kinds[i].fps, 1);
    }
}

// Where it is played first is at the beginning, and who made it of what is said.
QD_TEST(test_what_the_file_says) {
    SUCCEED(RUN_SMALL, "--video", "a.mp4");
    size_t bytes = 0;
    qd_own_memory char *data = qd_scratch_read(at("a.mp4").text, &bytes);
    const char *index = memmem(data, bytes, "moov", 4), *frames = memmem(data, bytes, "mdat", 4);
    ck_assert(index && frames && index < frames);
    qd_own_memory char *text = answer_of(
        "ffprobe -v error -show_entries stream=codec_name,color_space,color_range,avg_frame_rate:"
        "format_tags=title,comment -of default=nw=1 a.mp4");
    static const char *const says[] = {"codec_name=h264",         "color_space=bt709",
                                       "color_range=tv",          "avg_frame_rate=60/1",
                                       "TAG:title=small",         ("comment=Quadrille " QD_VERSION),
                                       "scene small, scene hash", "seed 3"};
    for (size_t i = 0; i < sizeof says / sizeof says[0]; ++i)
        ck_assert_msg(strstr(text, says[i]) != NULL, "no %s: %s", says[i], text);
}

static void kill_often(const char *video, int kills) {
    for (int i = 0; i < kills; ++i) {
        qd_program_start start = {.arguments = {RUN_SMALL, "--video", video, "--resume"}};
        (void)qd_program_disturb(&program, &start, 1e-3 * (100 + 217 * i % 900),
                                 i % 3 == 2 ? SIGTERM : SIGKILL);
    }
    SUCCEED(RUN_SMALL, "--video", video, "--resume");
}

// Whatever was cut off, in the end every frame is there once, in its place.
QD_TEST(test_killed_again_and_again) {
    int kills = (int)qd_test_effort(12);
    kill_often("a.mp4", kills < 4 ? 4 : kills);
    expect_frames("a.mp4", FRAMES, 60, 1e-5);
    double psnr = worst_psnr("a.mp4", "out");
    ck_assert_msg(psnr > 24, "%g dB", psnr);
    SUCCEED("verify", "out", "-q");
    qd_program_expect_no_parts(program.work.path);
}

QD_TEST_LOOP(test_lossless_ones_killed_again_and_again, 0, 2) {
    const char *file = _i ? "a.png" : "a.gif";
    int kills = (int)qd_test_effort(8);
    kill_often(file, kills < 3 ? 3 : kills);
    expect_frames(file, FRAMES, _i ? 60 : 50, 1e-3);
    expect_same_pixels(file, "out", 0);
}

/// The encoder that a program has started; 0: none yet.
static pid_t child_of(pid_t parent) {
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *tasks = opendir(path);
    for (struct dirent *entry; tasks && child == 0 && (entry = readdir(tasks)) != NULL;) {
        char list[400];
        snprintf(list, sizeof list, "/proc/%d/task/%s/children", (int)parent, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(list, "r");
        if (file && fscanf(file, "%d", &child) != 1) child = 0;
        if (file) fclose(file);
    }
    if (tasks) closedir(tasks);
    return child;
}

QD_TEST(test_ffmpeg_is_killed) {
    qd_program_start start = {
        .arguments = {RUN_SMALL, "--video", "a.mp4", "--frames", "1", "--set", "run.steps=400"}};
    pid_t child = qd_program_launch(&program, &start), encoder = 0;
    qd_scratch_await(at("out/frames/frame_000030.png").text);
    for (int i = 0; i < 2000 && encoder == 0; ++i) {
        encoder = child_of(child);
        if (encoder == 0) usleep(100);
    }
    if (encoder != 0) kill(encoder, SIGKILL);
    qd_program_outcome outcome = qd_program_await(&program, child);
    if (encoder == 0 && outcome.code == 0) { // this system does not say whose child is whose
        printf("skipped: ffmpeg was not found among the program's children\n");
    } else {
        expect_refusal(outcome, 1, "it was killed by signal 9");
        ck_assert(!qd_scratch_exists(at("a.mp4").text));
        ck_assert(qd_scratch_exists(at("out/result.json").text));
        ck_assert_uint_eq(qd_scratch_count(at("out/frames").text), 402);
        SUCCEED("verify", "out", "-q");
    }
}

// What ffmpeg itself says where there is no room: the run stops and can be gone on with.
QD_TEST(test_no_room) {
    if (QD_TEST_THREAD_SANITIZER) return;
    qd_program_start start = {.arguments = {RUN_SMALL, "--video", "a.mkv", "--frames", "0", "--set",
                                            "view.size=[640,480]", "--set", "video.crf=0", "--set",
                                            "video.preset=ultrafast"},
                              .file_limit = 400000};
    qd_program_outcome outcome = qd_program_run(&program, &start);
    ck_assert_msg(outcome.code == 4, "exit %d: %s", outcome.code, outcome.err);
    ck_assert_msg(strchr(outcome.err, '\n')[1] == '\0', "not one line: %s", outcome.err);
    SUCCEED("resume", "out", "-q");
    expect_frames("a.mkv", 121, 60, 1e-3);
}

// A segment as another ffmpeg might have made it: joined, it would be noise to whoever plays the video.
QD_TEST(test_a_segment_of_another_ffmpeg) {
    SUCCEED(RUN_SMALL, "--video", "a.mp4");
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
    ck_assert_int_eq(unlink(at("a.mp4").text), 0);
    qd_scratch_write(
        at("make.sh").text,
        "mkdir -p out/video && ffmpeg -v error -y -framerate 60 -i out/frames/frame_%06d.png -frames:v 11 "
        "-c:v "
        "libx264 -pix_fmt yuv420p -refs 5 -preset slow -f matroska out/video/segment_000000_000010.mkv && "
        "ffmpeg -v error -y -framerate 60 -start_number 11 -i out/frames/frame_%06d.png -frames:v 20 -c:v "
        "libx264 -pix_fmt yuv420p -f matroska out/video/segment_000011_000030.mkv && echo made");
    free(answer_of("sh make.sh"));
    // The frames of its last two checkpoints are there, by number.
    expect_refusal(RUN("resume", "out", "-q"), 1, "its parts are of different ffmpegs");
    ck_assert(qd_scratch_exists(at("out/result.json").text));
}

/// All frames of a file as red, green, blue and alpha; free() them.
static uint8_t *colours_of(const char *input, size_t *bytes) {
    char command[1024];
    snprintf(command, sizeof command, "ffmpeg -v error -y %s -f rawvideo -pix_fmt rgba raw && echo made",
             input);
    free(answer_of(command));
    return (uint8_t *)qd_scratch_read(at("raw").text, bytes);
}

/// What a colour is over a ground.
static int over(const uint8_t *rgba, int channel, int ground) {
    return (rgba[channel] * rgba[3] + ground * (255 - rgba[3]) + 127) / 255;
}

/// Without its background: over that the pixels are those of the files, exactly where nothing is lost; and so
/// are the alphas, which go from none to full.
QD_TEST_LOOP(test_transparent, 0, 3) {
    static const char *const files[] = {"t.png", "t.mov", "t.webm"};
    const char *file = files[_i];
    SUCCEED(RUN_SMALL, "--set", "view.contacts=impulse");
    SUCCEED("video", "out", "-q", "--transparent", "--crf", "4", "-o", file);
    SUCCEED("video", "out", "-q", "--transparent", "-o", "exact.apng");
    char input[128];
    snprintf(input, sizeof input, "%s -i %s", _i == 2 ? "-c:v libvpx-vp9" : "", file);
    size_t bytes = 0, exact_bytes = 0, frame_bytes = 0;
    qd_own_memory uint8_t *got = colours_of(input, &bytes),
                          *exact = colours_of("-i exact.apng", &exact_bytes);
    qd_own_memory uint8_t *frames = colours_of("-i out/frames/frame_%06d.png", &frame_bytes);
    ck_assert_uint_eq(bytes, (size_t)160 * 96 * 4 * FRAMES);
    ck_assert_uint_eq(exact_bytes, bytes);
    ck_assert_uint_eq(frame_bytes, bytes);
    const uint8_t ground[3] = {13, 17, 23};
    size_t clear = 0, half = 0, full = 0;
    double alphas = 0, colours = 0;
    for (size_t k = 0; k < bytes; k += 4) {
        (exact[k + 3] == 0 ? &clear : exact[k + 3] == 255 ? &full : &half)[0] += 1;
        alphas += abs(got[k + 3] - exact[k + 3]);
        for (int c = 0; c < 3; ++c) {
            ck_assert_int_le(abs(over(&exact[k], c, ground[c]) - frames[k + (size_t)c]),
                             1); // both are rounded
            colours += abs(over(&got[k], c, ground[c]) - frames[k + (size_t)c]);
        }
    }
    const double pixels = (double)bytes / 4;
    ck_assert_uint_gt(clear, bytes / 16);
    ck_assert_uint_gt(full, bytes / 64);
    ck_assert_uint_gt(half, bytes / 400);
    ck_assert_msg(alphas <= (_i == 0 ? 0 : 4 * pixels), "%s: alphas are %g off", file, alphas / pixels);
    ck_assert_msg(colours <= 3 * (_i == 0 ? 1 : 8) * pixels, "%s: colours are %g off", file,
                  colours / pixels);
}

/// AV1, where ffmpeg has it.
QD_TEST_LOOP(test_av1, 0, 3) {
    static const char *const files[] = {"a.mp4", "a.mkv", "a.webm"};
    const char *file = files[_i];
    SUCCEED(RUN_SMALL);
    if (system("ffmpeg -v error -encoders | grep -qE 'libsvtav1|libaom-av1'") != 0) { // NOLINT(cert-env33-c)
        expect_refusal(RUN("video", "out", "-q", "--av1", "-o", file), 1, "ffmpeg has no encoder for AV1");
        return;
    }
    SUCCEED("video", "out", "-q", "--av1", "-o", file);
    expect_frames(file, FRAMES, 60, 1e-3);
    char command[256];
    snprintf(command, sizeof command, "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 %s",
             file);
    qd_own_memory char *name = answer_of(command);
    ck_assert_str_eq(name, "av1\n");
    const double psnr = worst_psnr(file, "out");
    ck_assert_msg(psnr > 24, "%s: %g dB", file, psnr);
}

enum { SKIPPED = 77 };

int main(void) {
    if (!qdi_host_has_program("ffmpeg") || !qdi_host_has_program("ffprobe") ||
        system("ffmpeg -v error -encoders | grep -q libx264") != 0) { // NOLINT(cert-env33-c): ours
        printf("skipped: there is no ffmpeg with libx264 here, or no ffprobe\n");
        return SKIPPED;
    }
    return qd_test_main("video_ffmpeg", 600, setup_with_file, teardown);
}
