#pragma once

#include "tests/support/scratch.h"

/// For the tests of one file that all begin in an empty directory: their fixture, and a short name.

static qd_scratch scratch;

static inline void setup(void) {
    scratch = qd_scratch_make();
}

static inline void teardown(void) {
    qd_scratch_remove(&scratch);
}

/// A name in that directory.
static inline qd_scratch_path at(const char *name) {
    return qd_scratch_at(&scratch, name);
}
