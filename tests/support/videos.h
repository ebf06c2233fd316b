#pragma once

#include "tests/support/harness.h"
#include "tests/support/program.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// For the tests of one file that make videos without an encoder: tests/support/fake_ffmpeg stands for
/// ffmpeg. A video of its is a file that says how many frames it has. The file that includes this needs
/// _GNU_SOURCE.

static qd_program program;
static char path_variable[600];

static inline qd_scratch_path at(const char *name) {
    return qd_scratch_at(&program.work, name);
}

static const char scene[] = "name: small\n"
                            "world: {size: [20, 12], gravity: [0, -5]}\n"
                            "run: {steps: 120, dt: 0.02, seed: 3}\n"
                            "contact: {model: impulse, restitution: 0.5}\n"
                            "bodies:\n"
                            "  - disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 4}}\n"
                            "view: {size: [64, 40]}\n"
                            "frames: {every: 5}\n"
                            "checkpoint: {every: 30}\n";

enum { FRAMES = 25, FRAME_BYTES = 64 * 40 + 1024 };

/// A directory with the fake and the programs that it needs, and nothing else.
static inline void make_bin(bool probe) {
    static const char *const tools[] = {"cat", "wc", "head", "sleep"};
    qd_scratch_path bin = qd_scratch_at(&program.capture, "bin");
    char command[4096];
    snprintf(
        command, sizeof command,
        "rm -rf '%s'; mkdir '%s' && cp '%s/tests/support/fake_ffmpeg' '%s/ffmpeg' && chmod +x '%s/ffmpeg'",
        bin.text, bin.text, QD_SOURCE_DIR, bin.text, bin.text);
    ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): ours
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; ++i) {
        snprintf(command, sizeof command, "ln -s \"$(command -v %s)\" '%s/%s'", tools[i], bin.text, tools[i]);
        ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): ours
    }
    snprintf(command, sizeof command, "%s/ffprobe", bin.text);
    if (probe) ck_assert_int_eq(symlink("ffmpeg", command), 0);
    snprintf(path_variable, sizeof path_variable, "PATH=%s", bin.text);
}

static inline void setup(void) {
    qd_program_setup(&program, QD_PROGRAM);
    make_bin(true);
    qd_scratch_write(at("small.yaml").text, scene);
}

static inline void teardown(void) {
    qd_program_teardown(&program);
}

/// Runs the program with the fake in some mode.
static inline qd_program_outcome run_with(const char *mode, const char *const *arguments) {
    char variable[64];
    snprintf(variable, sizeof variable, "FAKE_FFMPEG=%s", mode);
    qd_program_start start = {.environment = {path_variable, variable}};
    for (size_t i = 0; arguments[i]; ++i) start.arguments[i] = arguments[i];
    return qd_program_run(&program, &start);
}

#define WITH(mode, ...) run_with(mode, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_SMALL       "run", "small.yaml", "-o", "out", "-q", "--threads", "1"

static inline void expect_code(qd_program_outcome outcome, int code) {
    ck_assert_msg(outcome.code == code, "exit %d, not %d: %s", outcome.code, code, outcome.err);
}

static inline int frames_in(const char *name) {
    qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_msg(text != NULL, "%s is not there", name);
    return atoi(text);
}

static inline void expect_none(const char *name) {
    char part[300];
    snprintf(part, sizeof part, "%s.part", name);
    ck_assert_msg(!qd_scratch_exists(at(name).text), "%s is there", name);
    ck_assert_msg(!qd_scratch_exists(at(part).text), "%s is there", part);
}

/// The run itself is complete: every frame, every row, and steps that can be repeated.
static inline void expect_complete(const char *directory) {
    char name[300];
    snprintf(name, sizeof name, "%s/result.json", directory);
    ck_assert_msg(qd_scratch_exists(at(name).text), "no %s", name);
    qd_program_succeed(&program, &(qd_program_start){.arguments = {"verify", directory, "-q"}});
    ck_assert_int_eq((int)qd_program_result_whole(&program, directory, "frames"), FRAMES);
    qd_program_expect_no_parts(at(directory).text);
}

/// How the fake can fail, and what is said then.
static const struct {
    const char *mode, *named;
} failures[] = {
    {"die=0", "ffmpeg: Conversion failed!"},
    {"die=20000", "ffmpeg: Conversion failed!"},
    {"kill=10000", "it was killed by signal 9"},
    {"close=9000", "the video failed"},
    {"close=0", "the video failed"},
    {"few", "ffmpeg wrote 0 of 1 frames"},
    {"empty", "the video failed: cannot read"},
    {"nojoin", "the video could not be joined: ffmpeg: Could not write header"},
    {"fewjoin", "the video would have 24 of 25 frames"},
};
