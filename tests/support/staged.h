#pragma once

#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <quadrille/random.h>
#include <signal.h>

/// Runs of a scene that goes through stages, for the tests of one file.

/// Writes it as hopper.yaml, and runs it undisturbed into `ref`.
static inline void run_reference(const char *scene) {
    qd_scratch_write(at("hopper.yaml").text, scene);
    SUCCEED("run", "hopper.yaml", "-o", "ref", "-q");
}

/// A number of `ref`.
static inline int64_t number(const char *sql) {
    return qd_runs_number(at("ref").text, sql);
}

/// Kills a run after so long a time, again and again, and compares what is left at the end.
static inline void kill_and_resume(uint64_t seed, int kills) {
    qd_random random = qd_random_at(seed, 0, 0);
    char every[40], out[32];
    snprintf(out, sizeof out, "out%d", (int)seed);
    snprintf(every, sizeof every, "checkpoint.every=%d", 1 + (int)(40 * qd_random_uniform(&random)));
    SUCCEED("run", "hopper.yaml", "-o", "good", "-q", "--force", "--set", every);
    for (int i = 0; i < kills; ++i) {
        qd_program_start how = {.arguments = {"run", "hopper.yaml", "-o", out, "-q", "--resume", "--threads",
                                              i % 2 ? "2" : "1", "--set", every}};
        (void)qd_program_disturb(&program, &how, 1e-3 * (10 + 150 * qd_random_uniform(&random)), SIGKILL);
    }
    SUCCEED("run", "hopper.yaml", "-o", out, "-q", "--resume", "--set", every);
    qd_runs_expect_same(at("good").text, at(out).text);
    qd_program_expect_no_parts(at(out).text);
    SUCCEED("verify", out, "-q");
}

static inline void killed_again_and_again(const char *scene) {
    qd_scratch_write(at("hopper.yaml").text, scene);
    const size_t rounds = qd_test_replaying() ? 1 : qd_test_effort(2);
    for (size_t i = 0; i < rounds; ++i) kill_and_resume(qd_test_seed(1) + i, 5);
}
