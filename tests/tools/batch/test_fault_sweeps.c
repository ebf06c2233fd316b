// Sweeps under plans of faults and with the power cut: gone on with, a sweep leaves the rows and runs that it
// would have left.
#include "tests/support/harness.h"
#include "tests/support/plans.h"
#include "tests/support/runs.h"
#include "tests/support/stores.h"
#include "tests/support/sweeps.h"

#include <stdio.h>
#include <string.h>

#ifdef QD_FAULTS // not with sanitizers, which put functions of their own in front

/// The second point is bad: there is no such restitution.
static const char sweep[] = "scene: tiny.yaml\n"
                            "set: {run.steps: 8, bodies.0.disks.count: 5}\n"
                            "axes:\n"
                            "  - {key: contact.restitution, list: [0.3, 1.5]}\n"
                            "  - {key: limits.speed, list: [1000]}\n"
                            "replicas: 1\n";

static qd_program program = {.path = QD_PROGRAM};
static qd_scratch_path done_run; ///< of the point that is done, in the good sweep

static qd_scratch_path at(const char *name) {
    return qd_scratch_at(&program.work, name);
}

/// Begins a sweep, or goes on with it, with what has failed too.
static qd_program_start go(const char *directory) {
    return qd_sweeps_start("s.yaml", directory, (const char *const[]){"--jobs", "1", "--retry", NULL});
}

static void setup(void) {
    qd_plans_setup(&program);
    qd_sweeps_write(&program, "s.yaml", 1, 8); // for the scene
    qd_scratch_write(at("s.yaml").text, sweep);
    qd_program_start start = go("good");
    qd_program_expect(qd_program_run(&program, &start), 1, NULL, NULL);
    qd_own_memory char *name = qd_test_sql(at("good/sweep.db").text,
                                           "SELECT directory FROM sweep WHERE status = 'done'");
    name[strcspn(name, "\n")] = '\0';
    (void)snprintf(done_run.text, sizeof done_run.text, "%s", name);
}

static void teardown(void) {
    qd_program_teardown(&program);
}

/// The run that is done, in a sweep.
static qd_scratch_path run_of(const char *directory) {
    char name[600];
    (void)snprintf(name, sizeof name, "%.16s/%.500s", directory, done_run.text);
    return at(name);
}

/// Goes on without faults; it must end as the undisturbed sweep.
static void finish(const char *after) {
    qd_program_start start = go("out");
    qd_program_outcome outcome = qd_program_run(&program, &start);
    ck_assert_msg(outcome.code == 1, "%s: going on ends with %d: %s", after, outcome.code, outcome.err);
    printf("%s\n", after); // what comes next may fail without naming it
    qd_sweeps_expect_same(&program, "good", "out");
    qd_runs_expect_same_records(run_of("good").text, run_of("out").text);
}

static void remove_out(void) {
    if (qd_scratch_exists(at("out").text)) qd_scratch_remove_tree(at("out").text);
}

QD_TEST(calls_fail_at_random) {
    static const int rare[] = {30, 100, 300, 1000};
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(150), disturbed = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        const qd_plan_name name = qd_plans_name(seed, NULL);
        remove_out();
        qd_program_outcome outcome = qd_plans_run(&program, go("out"), QD_FAULTS, seed, rare[seed % 4]);
        if (outcome.code != 0) qd_plans_expect_told(&outcome, name.text, 0);
        disturbed += outcome.code != 1 || !strstr(outcome.err, "1 of 2 points failed");
        finish(name.text);
    }
    ck_assert_uint_gt(4 * disturbed + 4, cases);
    qd_test_count(cases);
}

static qd_power_log *log_sweep(long unsynced) {
    remove_out();
    return qd_plans_log(&program, go("out"), QD_FAULTS, 1, "out", NULL, unsynced);
}

QD_TEST(the_power_is_cut) {
    qd_own(qd_power_log) log = log_sweep(-1);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(150);
    ck_assert_uint_gt(qd_power_log_count(log), 100);
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        const qd_power_moment when = qd_power_moment_draw(log, seed, 5);
        qd_power_cut(log, &when, program.work.path);
        finish(qd_plans_name(seed, &when).text);
    }
    // What is said to be done is on the disk.
    const qd_power_moment end = {.at = qd_power_log_count(log)};
    qd_power_cut(log, &end, program.work.path);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_runs_expect_same_records(run_of("good").text, run_of("out").text);
    qd_test_count(cases);
}

// Journals that SQLite has deleted may come back, and would be rolled back. The last third is the run's end.
QD_TEST(what_was_deleted_is_back) {
    qd_own(qd_power_log) log = log_sweep(-1);
    const size_t count = qd_power_log_count(log);
    for (size_t at = 2 * count / 3; at <= count; ++at) {
        const qd_power_moment when = {.at = at, .kept = at, .undeleted = true};
        qd_power_cut(log, &when, program.work.path);
        finish(qd_plans_name(at, &when).text);
    }
}

/// Whether the disk has the sweep's tables and the run that is done.
static bool is_as_good(void) {
    qd_program_start diff = {.arguments = {"diff", run_of("good").text, run_of("out").text}};
    if (!qd_scratch_exists(at("out/sweep.db").text) || !qd_scratch_exists(at("out/sweep.csv").text))
        return false;
    qd_own_memory char *csv = qd_scratch_read(at("out/sweep.csv").text, NULL);
    bool whole = strstr(csv, "\n2,") != NULL && csv[strlen(csv) - 1] == '\n';
    qd_program_outcome outcome = qd_program_run(&program, &diff);
    whole &= outcome.code == 0;
    char check[] = "PRAGMA integrity_check";
    if (whole) {
        qd_own_memory char *answer = qd_test_sql(at("out/sweep.db").text, check);
        whole = strcmp(answer, "ok\n") == 0;
    }
    return whole;
}

// A twin that leaves one sync of the sweep's or a run's out is found, where no later one covers it.
QD_TEST(a_sync_that_is_left_out_is_noticed) {
    qd_power_log *log = log_sweep(-1);
    long syncs = (long)qd_power_log_syncs(log), found = 0;
    qd_power_log_free(log);
    // Each process counts its own.
    for (long number = 1; number <= syncs && found < 2; ++number) {
        log = log_sweep(number);
        qd_power_cut(log, &(qd_power_moment){.at = qd_power_log_count(log)}, program.work.path);
        found += !is_as_good();
        qd_power_log_free(log);
    }
    ck_assert_int_ge(found, 2);
}

QD_TEST_MAIN("fault_sweeps", 3000, setup, teardown)

#else

int main(void) {
    return 77;
}

#endif
