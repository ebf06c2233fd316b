#define _GNU_SOURCE // kill, usleep, symlink
#include "tests/support/harness.h"
#include "tests/support/videos.h"

#include <signal.h>

// The command `quadrille video`.

QD_TEST(test_the_command) {
    expect_code(WITH("", RUN_SMALL), 0);
    qd_program_outcome outcome = WITH("", "video", "out", "--fps", "12.5", "--crf", "0", "--preset", "slow");
    ck_assert_msg(outcome.code == 0, "%s", outcome.err);
    ck_assert_str_eq(strrchr(strtok(outcome.err, "\n"), ':') ? outcome.err : "",
                     "out/small.mp4: 25 frames in 2 s, libx264, 3 B");
    ck_assert_int_eq(frames_in("out/small.mp4"), FRAMES);
    expect_refusal(WITH("", "video", "out", "-q"), 4, "out/small.mp4 exists; --force replaces it");
    expect_code(WITH("", "video", "out", "-q", "--force", "--frames", "3:12"), 0);
    ck_assert_int_eq(frames_in("out/small.mp4"), 10);
    expect_code(WITH("", "video", "out/frames", "-q", "--frames", "20:"), 0);
    ck_assert_int_eq(frames_in("out/frames/video.mp4"), 5);
    expect_code(WITH("", "video", "out", "-q", "-o", "x.apng", "--frames", "0"), 0);
    expect_refusal(WITH("", "video", "out", "-q", "-o", "y.mp4", "--frames", "25:"), 4,
                   "holds none of these frames");
    expect_refusal(WITH("", "video", "nowhere", "-q"), 3, "there is no directory nowhere");
    expect_refusal(WITH("", "video", ".", "-q"), 4, "holds no frames");
    expect_refusal(WITH("", "video", "out", "--fps", "fast"), 2, "--fps fast: must be a number");
    expect_refusal(WITH("", "video", "out", "--preset", "best"), 2, "--preset best: must be one of x264's");
    expect_none("y.mp4");
    expect_refusal(WITH("", "video", "out", "-o", "y.mov", "--av1"), 2, "AV1 goes into .mp4, .mkv or .webm");
    expect_refusal(WITH("", "video", "out", "-o", "y.mp4", "--transparent"), 2,
                   "a transparent background goes into .webm, .mov, .png or .apng");
    expect_refusal(WITH("", "video", "out", "--av1", "--transparent"), 2,
                   "AV1 has no transparent background");
    expect_refusal(WITH("", "video", "out", "out", "--beside", "--transparent"), 2,
                   "--transparent takes one DIR, not --beside");
    expect_refusal(WITH("", "video", "out", "-o", "y.mp4", "--av1"), 1,
                   "ffmpeg has no encoder for AV1 in .mp4 (libsvtav1 libaom-av1)");
    expect_refusal(WITH("", "video", "out", "-o", "y.webm", "--transparent"), 1,
                   "ffmpeg has no encoder for transparent .webm (libvpx-vp9 libvpx)");
    expect_none("y.mp4");
}

QD_TEST(test_the_command_needs_whole_frames) {
    expect_code(WITH("", RUN_SMALL), 0);
    ck_assert_int_eq(rename(at("out/frames/frame_000007.png").text, at("kept.png").text), 0);
    expect_refusal(WITH("", "video", "out", "-q", "-o", "x.mp4"), 4, "frame_000007.png is not there");
    ck_assert_int_eq(unlink(at("out/frames/manifest.csv").text), 0);
    expect_refusal(WITH("", "video", "out", "-q", "-o", "x.mp4"), 4, "lacks frame_000007.png");
    qd_scratch_write(at("out/frames/frame_000007.png").text, "no picture");
    expect_refusal(WITH("", "video", "out", "-q", "-o", "x.mp4"), 4,
                   "frame_000007.png is damaged or cut short");
    size_t bytes = 0;
    qd_own_memory char *data = qd_scratch_read(at("kept.png").text, &bytes);
    data[bytes / 2] ^= 1; // inside of it; both ends are fine
    FILE *file = fopen(at("out/frames/frame_000007.png").text, "wb");
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
    expect_refusal(WITH("", "video", "out", "-q", "-o", "x.mp4"), 4, "frame_000007.png");
    expect_none("x.mp4");
    ck_assert(!qd_scratch_exists(at("x.mp4.segments").text));
    expect_code(WITH("", "video", "out", "-q", "-o", "x.mp4", "--frames", ":6"), 0);
    ck_assert_int_eq(frames_in("x.mp4"), 7);
}

/// Frames with one palette are joined as they are, others tried again in true colour: a stop is no reason to
/// try again.
QD_TEST(test_the_command_stops_once) {
    expect_code(WITH("", "run", "pool", "--bodies", "30", "--steps", "400", "--frames", "1", "-o", "many"),
                0);
    const qd_program_start start = {.arguments = {"video", "many", "-o", "many.png"}};
    qd_program_outcome outcome = qd_program_stop_at(&program, &start, "many.png.segments", SIGINT);
    ck_assert_int_eq(outcome.code, 130);
    ck_assert_str_eq(outcome.err, "quadrille: stopped by SIGINT: no video was made\n");
    ck_assert(!qd_scratch_exists(at("many.png").text));
}

QD_TEST(test_the_command_fails) {
    expect_code(WITH("", RUN_SMALL), 0);
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; ++i) {
        expect_refusal(WITH(failures[i].mode, "video", "out", "-q", "-o", "x.mp4"), 1, "the video");
        expect_none("x.mp4");
        ck_assert(!qd_scratch_exists(at("x.mp4.segments").text));
    }
    expect_refusal(WITH("full", "video", "out", "-q", "-o", "x.mp4"), 4, "No space left on device");
    expect_refusal(WITH("nothing", "video", "out", "-q", "-o", "x.mp4"), 1, "install ffmpeg");
    expect_refusal(WITH("", "video", "out", "-q", "-o", "/dev/null/x.mp4"), 4, "/dev/null");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 2);
}

QD_TEST_MAIN("video_command", 600, setup, teardown)
