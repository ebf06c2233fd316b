#pragma once

#include "tests/support/program.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// For the tests of one file that all start the program anew in an empty directory: their fixture, and short
/// names.

static qd_program program;

static inline void setup(void) {
    qd_program_setup(&program, QD_PROGRAM);
}

static inline void teardown(void) {
    qd_program_teardown(&program);
}

/// A name in that directory.
static inline qd_scratch_path at(const char *name) {
    return qd_scratch_at(&program.work, name);
}

/// Run it with these arguments; SUCCEED: it must exit with 0; both return the outcome.
#define RUN(...)     qd_program_run(&program, &(qd_program_start){.arguments = {__VA_ARGS__}})
#define SUCCEED(...) qd_program_succeed(&program, &(qd_program_start){.arguments = {__VA_ARGS__}})

/// Ends the test unless two files there are the same.
static inline void expect_same_files(const char *one, const char *other) {
    ck_assert_msg(qd_scratch_same(at(one).text, at(other).text), "%s and %s differ", one, other);
}

/// The same of the frames of two runs, from 0 to `last`.
static inline void expect_same_frames(const char *one, const char *other, int last) {
    for (int frame = 0; frame <= last; ++frame) {
        char here[256], there[256];
        snprintf(here, sizeof here, "%s/frames/frame_%06d.png", one, frame);
        snprintf(there, sizeof there, "%s/frames/frame_%06d.png", other, frame);
        expect_same_files(here, there);
    }
}
