// Sweeps through GNU parallel: the list of commands that `--emit parallel` prints, as it is. Where that
// program is not, it is skipped.
#define _POSIX_C_SOURCE 200809L // popen
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/sweeps.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 60, SKIPPED = 77 };

/// Sweeps and gives the exit code.
static int sweep(const char *directory, const char *more, const char *value) {
    qd_program_start start = qd_sweeps_start("s.yaml", directory, (const char *const[]){more, value, NULL});
    return qd_program_run(&program, &start).code;
}

/// Large effort: some 200 points.
static unsigned choose_replicas(void) {
    size_t replicas = qd_test_effort(4);
    return replicas > 34 ? 34 : replicas < 2 ? 2 : (unsigned)replicas;
}

QD_TEST(gnu_parallel_makes_the_same_rows) {
    unsigned replicas = choose_replicas();
    qd_sweeps_write(&program, "s.yaml", replicas, STEPS);
    ck_assert_int_eq(sweep("good", "--jobs", "2"), 1);
    qd_program_outcome outcome = SUCCEED("sweep", "s.yaml", "-o", "out", "--emit", "parallel", "-q");
    ck_assert_str_eq(outcome.err, "");
    qd_scratch_write(qd_scratch_at(&program.work, "commands").text, outcome.out);
    // Its exit code is the number of jobs that have failed, up to 101: those that pass a limit. What is no
    // scene is not in the list.
    char command[160];
    snprintf(command, sizeof command, "parallel --will-cite -j2 --joblog log <commands; test $? -eq %u",
             2 * replicas);
    ck_assert_int_eq(qd_program_shell(&program, command), 0);
    for (int code = 0; code < 2; ++code) {
        snprintf(command, sizeof command, "test $(awk 'NR > 1 && $7 == %d' log | wc -l) -eq %u", code,
                 2 * replicas);
        ck_assert_int_eq(qd_program_shell(&program, command), 0);
    }
    ck_assert_int_eq(sweep("out", "--merge", NULL), 1);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(replicas));
    outcome = RUN("sweep", "s.yaml", "-o", "out", "--emit", "parallel", "-q"); // nothing is left
    ck_assert_str_eq(outcome.out, "");
}

int main(void) {
    // Some systems have another program of this name.
    FILE *version = popen("parallel --version 2>/dev/null", "r"); // NOLINT(cert-env33-c): no user's words
    char line[64] = "";
    bool there = version && fgets(line, sizeof line, version) && strstr(line, "GNU parallel");
    if (version) (void)pclose(version);
    if (there) return qd_test_main("sweep_parallel", 300, setup, teardown);
    printf("skipped: there is no GNU parallel here\n");
    return SKIPPED;
}
