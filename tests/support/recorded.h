#pragma once

#include "tests/support/one_program.h"
#include "tests/support/recorder.h"

#include <string.h>

/// Run directories in the folder of one_program.h, and what `verify` and `diff` say of them.

/// A run of thirty disks that bounce in a box, as YAML; EXTRA: more lines.
#define QD_TEST_SMALL_RUN(EXTRA)                                                                             \
    "name: small\n"                                                                                          \
    "world: {size: [20, 12], gravity: [0, -1]}\n"                                                            \
    "run: {steps: 40, dt: 0.02, seed: 3}\n"                                                                  \
    "contact: {restitution: 0.9}\n"                                                                          \
    "bodies:\n"                                                                                              \
    "- disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 3}}\n" EXTRA                     \
    "record: {hashes: 5, snapshots: 10, metrics: 10}\n"                                                      \
    "checkpoint: {every: 20, keep: 4, seconds: 0}\n"

/// Makes a run directory; `usual`: its scene where `how` has none.
static inline void make_run(const char *name, const char *usual, const qd_recording *how) {
    qd_recording recording = *how;
    if (!recording.scene) recording.scene = usual;
    qd_recording_make(&recording, at(name).text);
}

/// Exit 5; each of the texts is on stdout, the first one on stderr too, in one line.
static inline void expect_found(qd_program_outcome outcome, const char *const *texts) {
    ck_assert_msg(outcome.code == 5, "exit %d: %s %s", outcome.code, outcome.out, outcome.err);
    for (size_t i = 0; texts[i]; ++i)
        ck_assert_msg(strstr(outcome.out, texts[i]), "'%s' is not in '%s'", texts[i], outcome.out);
    ck_assert_msg(strstr(outcome.err, texts[0]), "'%s' is not in '%s'", texts[0], outcome.err);
    const char *line = strchr(outcome.err, '\n');
    ck_assert(line && line[1] == '\0');
}
#define EXPECT_FOUND(outcome, ...) expect_found(outcome, (const char *const[]){__VA_ARGS__, NULL})
