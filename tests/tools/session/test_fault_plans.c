// Plans of faults, drawn from a seed: the power is cut, and any call of the system fails in any way. A run
// that is gone on with afterwards leaves what an undisturbed one leaves; and one that failed has said why.
#include "tests/support/harness.h"
#include "tests/support/plans.h"
#include "tests/support/runs.h"

#include <stdio.h>

#ifdef QD_FAULTS // not with sanitizers, which put functions of their own in front

static const char scene[] = "name: tiny\n"
                            "world: {size: [20, 12], gravity: [0, -5]}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "contact: {model: impulse, restitution: 0.5, friction: 0.3}\n"
                            "bodies:\n"
                            "  - disks: {count: 20, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 4}}\n"
                            "  - rects: {count: 6, size: [1, 0.6], velocity: {normal: 4}}\n"
                            "view: {size: [64, 48]}\n"
                            "frames: {every: 5}\n"
                            "record: {metrics: 5, hashes: 1, events: true, snapshots: 10}\n"
                            "checkpoint: {every: 8}\n";

static qd_program program = {.path = QD_PROGRAM};

static void setup(void) {
    qd_plans_setup(&program);
    qd_scratch_write(qd_scratch_at(&program.work, "tiny.yaml").text, scene);
    qd_program_succeed(&program, &(qd_program_start){.arguments = {"run", "tiny.yaml", "-o", "good", "-q",
                                                                   "--threads", "1"}});
}

static void teardown(void) {
    qd_program_teardown(&program);
}

static qd_scratch_path at(const char *name) {
    return qd_scratch_at(&program.work, name);
}

static void remove_run(void) {
    if (qd_scratch_exists(at("run").text)) qd_scratch_remove_tree(at("run").text);
}

/// Begins a run, or goes on with it, whatever its directory is like.
static const qd_program_start go = {
    .arguments = {"run", "tiny.yaml", "-o", "run", "-q", "--threads", "1", "--resume"}};

/// Goes on without faults; it must end as the undisturbed run.
static void finish(const char *after) {
    qd_program_outcome outcome = qd_program_run(&program, &go);
    ck_assert_msg(outcome.code == 0, "%s: going on ends with %d: %s", after, outcome.code, outcome.err);
    printf("%s\n", after); // what comes next may fail without naming it
    qd_runs_expect_same(at("good").text, at("run").text);
    qd_program_expect_no_parts(at("run").text);
}

// ---- the power is cut ----

/// A whole run, or the rest of one, and what it did to files; -1: with all its syncs.
static qd_power_log *log_run(const char *before, long unsynced) {
    return qd_plans_log(&program, go, QD_FAULTS, 0, "run", before, unsynced);
}

QD_TEST(the_power_is_cut) {
    remove_run();
    qd_own(qd_power_log) log = log_run(NULL, -1);
    size_t count = qd_power_log_count(log), cases = qd_test_replaying() ? 1 : qd_test_effort(400);
    ck_assert_uint_gt(count, 100);
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        qd_power_moment when = qd_power_moment_draw(log, seed, 1);
        qd_power_cut(log, &when, program.work.path);
        finish(qd_plans_name(seed, &when).text);
    }
    qd_test_count(cases);
}

// It is cut once, and again while the run is gone on with.
QD_TEST(the_power_is_cut_twice) {
    remove_run();
    qd_own(qd_power_log) log = log_run(NULL, -1);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(100);
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        qd_power_moment first = qd_power_moment_draw(log, seed, 2);
        qd_power_cut(log, &first, program.work.path);
        qd_scratch_path before = at("before");
        if (qd_scratch_exists(before.text)) qd_scratch_remove_tree(before.text);
        qd_power_cut(log, &first, before.text);
        qd_own(qd_power_log) rest = log_run(before.text, -1);
        qd_power_moment second = qd_power_moment_draw(rest, seed, 3);
        qd_power_cut(rest, &second, program.work.path);
        finish(qd_plans_name(seed, &second).text);
    }
    qd_test_count(cases);
}

// What the program has said is done is on the disk, whatever it keeps of the rest.
QD_TEST(what_is_done_stays_done) {
    remove_run();
    qd_own(qd_power_log) log = log_run(NULL, -1);
    size_t count = qd_power_log_count(log);
    for (size_t kept = 0; kept <= count; kept += count / 10) {
        qd_power_cut(log, &(qd_power_moment){.at = count, .kept = kept}, program.work.path);
        qd_runs_expect_same(at("good").text, at("run").text);
    }
}

/// Whether a command succeeds.
static bool succeeds(const qd_program_start *start) {
    return qd_program_run(&program, start).code == 0;
}

/// Whether a run is complete and as the good one, as far as the program says.
static bool is_as_good(void) {
    return qd_scratch_exists(at("run/result.json").text) &&
           succeeds(&(qd_program_start){.arguments = {"diff", "good", "run"}}) &&
           succeeds(&(qd_program_start){.arguments = {"verify", "run", "--threads", "1"}});
}

// A twin that leaves one sync out is found, where no later one covers it.
QD_TEST(a_sync_that_is_left_out_is_noticed) {
    remove_run();
    qd_power_log *log = log_run(NULL, -1);
    enum { ENOUGH = 3 };
    size_t found = 0;
    size_t number = qd_power_log_syncs(log);
    qd_power_log_free(log);
    for (; number > 0 && found < ENOUGH; --number) { // the last ones first
        remove_run();
        log = log_run(NULL, (long)number);
        qd_power_cut(log, &(qd_power_moment){.at = qd_power_log_count(log)}, program.work.path);
        found += !is_as_good();
        qd_power_log_free(log);
    }
    ck_assert_uint_eq(found, ENOUGH);
}

// ---- any call fails ----

QD_TEST(calls_fail_at_random) {
    static const int rare[] = {15, 60, 250, 1000};
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(400), failed = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        const qd_plan_name name = qd_plans_name(seed, NULL);
        remove_run();
        bool done = false;
        for (uint64_t times = 0; times < 3 && !done; ++times) {
            qd_program_outcome outcome = qd_plans_run(&program, go, QD_FAULTS, seed + 1000000U * times,
                                                      rare[seed % 4]);
            done = outcome.code == 0;
            if (!done) qd_plans_expect_told(&outcome, name.text, 1);
            failed += !done;
        }
        finish(name.text);
    }
    ck_assert_uint_gt(2 * failed + 2, cases); // rare faults, too, strike
    qd_test_count(cases);
}

QD_TEST_MAIN("fault_plans", 3000, setup, teardown)

#else

int main(void) {
    return 77;
}

#endif
