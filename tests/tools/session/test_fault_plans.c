// Plans of faults, drawn from a seed: the power is cut, and any call of the system fails in any way. A run
// that is gone on with afterwards leaves what an undisturbed one leaves; and one that failed has said why.
#include "tests/support/harness.h"
#include "tests/support/power_cut.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

#include <errno.h>
#include <inttypes.h>
#include <quadrille/random.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static qd_program program;

static void setup(void) {
    qd_program_setup(&program, QD_PROGRAM);
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

/// Begins a run, or goes on with it, whatever its directory is like; with faults where `faults` has any.
static qd_program_outcome go(const char *const faults[2]) {
    qd_program_start start = {
        .arguments = {"run", "tiny.yaml", "-o", "run", "-q", "--threads", "1", "--resume"}};
    if (faults) {
        start.environment[0] = "LD_PRELOAD=" QD_FAULTS;
        start.environment[1] = faults[0];
        start.environment[2] = faults[1];
    }
    return qd_program_run(&program, &start);
}

/// Goes on without faults; it must end as the undisturbed run.
static void finish(const char *after) {
    qd_program_outcome outcome = go(NULL);
    ck_assert_msg(outcome.code == 0, "%s: going on ends with %d: %s", after, outcome.code, outcome.err);
    qd_program_forget(&outcome);
    printf("%s\n", after); // what comes next may fail without naming it
    qd_runs_expect_same(at("good").text, at("run").text);
    qd_program_expect_no_parts(at("run").text);
}

// ---- the power is cut ----

/// A whole run, or the rest of one, and what it did to files. `more` may be NULL.
static qd_power_log *log_run(const char *before, const char *more) {
    char how[600];
    (void)snprintf(how, sizeof how, "QD_FAULT_LOG=%s", at("log").text);
    qd_program_outcome outcome = go((const char *const[]){how, more});
    ck_assert_msg(outcome.code == 0, "%s", outcome.err);
    qd_program_forget(&outcome);
    return qd_power_log_read(at("log").text, "run", before);
}

typedef struct moment {
    size_t at, kept;
    uint64_t torn;
} moment;

/// When the power is cut, and what the disk has of what was not synced: all, nothing, or a part.
static moment draw_moment(uint64_t seed, uint32_t use, size_t count) {
    qd_random random = qd_random_at(seed, 0, use);
    moment drawn = {.at = 1 + qd_random_bits(&random) % count};
    uint64_t back = qd_random_bits(&random) % 4;
    drawn.kept = back == 0   ? drawn.at
                 : back == 1 ? qd_random_bits(&random) % drawn.at
                             : drawn.at - qd_random_bits(&random) % (drawn.at < 40 ? drawn.at : 40);
    drawn.torn = qd_random_bits(&random);
    return drawn;
}

START_TEST(the_power_is_cut) {
    remove_run();
    qd_power_log *log = log_run(NULL, NULL);
    size_t count = qd_power_log_count(log), cases = qd_test_replaying() ? 1 : qd_test_effort(400);
    ck_assert_uint_gt(count, 100);
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        char after[128];
        moment when = draw_moment(seed, 1, count);
        (void)snprintf(after, sizeof after, "seed %" PRIu64 ": cut before %zu, kept to %zu", seed, when.at,
                       when.kept);
        qd_power_cut(log, when.at, when.kept, when.torn, program.work.path);
        finish(after);
    }
    qd_power_log_free(log);
}
END_TEST

// It is cut once, and again while the run is gone on with.
START_TEST(the_power_is_cut_twice) {
    remove_run();
    qd_power_log *log = log_run(NULL, NULL);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(100);
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        char after[192];
        moment first = draw_moment(seed, 2, qd_power_log_count(log));
        qd_power_cut(log, first.at, first.kept, first.torn, program.work.path);
        qd_scratch_path before = at("before");
        if (qd_scratch_exists(before.text)) qd_scratch_remove_tree(before.text);
        qd_power_cut(log, first.at, first.kept, first.torn, before.text);
        qd_power_log *rest = log_run(before.text, NULL);
        moment second = draw_moment(seed, 3, qd_power_log_count(rest));
        (void)snprintf(after, sizeof after, "seed %" PRIu64 ": cut before %zu, kept to %zu; then %zu, %zu",
                       seed, first.at, first.kept, second.at, second.kept);
        qd_power_cut(rest, second.at, second.kept, second.torn, program.work.path);
        qd_power_log_free(rest);
        finish(after);
    }
    qd_power_log_free(log);
}
END_TEST

// What the program has said is done is on the disk, whatever it keeps of the rest.
START_TEST(what_is_done_stays_done) {
    remove_run();
    qd_power_log *log = log_run(NULL, NULL);
    size_t count = qd_power_log_count(log);
    for (size_t kept = 0; kept <= count; kept += count / 10) {
        qd_power_cut(log, count, kept, 0, program.work.path);
        qd_runs_expect_same(at("good").text, at("run").text);
    }
    qd_power_log_free(log);
}
END_TEST

/// Whether a command succeeds.
static bool succeeds(const qd_program_start *start) {
    qd_program_outcome outcome = qd_program_run(&program, start);
    int code = outcome.code;
    qd_program_forget(&outcome);
    return code == 0;
}

/// Whether a run is complete and as the good one, as far as the program says.
static bool is_as_good(void) {
    return qd_scratch_exists(at("run/result.json").text) &&
           succeeds(&(qd_program_start){.arguments = {"diff", "good", "run"}}) &&
           succeeds(&(qd_program_start){.arguments = {"verify", "run", "--threads", "1"}});
}

// A twin that leaves one sync out is found, where no later one covers it.
START_TEST(a_sync_that_is_left_out_is_noticed) {
    remove_run();
    qd_power_log *log = log_run(NULL, NULL);
    enum { ENOUGH = 3 };
    size_t found = 0;
    size_t number = qd_power_log_syncs(log);
    qd_power_log_free(log);
    for (; number > 0 && found < ENOUGH; --number) { // the last ones first
        char how[64];
        (void)snprintf(how, sizeof how, "QD_FAULT_UNSYNCED=%zu", number);
        remove_run();
        log = log_run(NULL, how);
        qd_power_cut(log, qd_power_log_count(log), 0, 0, program.work.path);
        found += !is_as_good();
        qd_power_log_free(log);
    }
    ck_assert_uint_eq(found, ENOUGH);
}
END_TEST

// ---- any call fails ----

/// One line that says why, or none where it was a signal that stopped it.
static void expect_told(const qd_program_outcome *outcome, const char *plan) {
    int code = outcome->code;
    bool stopped = code == 75 || code == 128 + SIGINT || code == 128 + SIGUSR1 || code == 128 + SIGTERM ||
                   code == -SIGINT || code == -SIGTERM || code == -SIGUSR1;
    const char *line = strchr(outcome->err, '\n');
    bool scene_unread = code == 3 && strstr(outcome->err, strerror(ENOMEM)); // fopen has memory of its own
    ck_assert_msg(code == 1 || code == 4 || stopped || scene_unread, "%s: exit code %d: %s", plan, code,
                  outcome->err);
    ck_assert_msg(stopped || (line && line[1] == '\0'), "%s: not one line: %s", plan, outcome->err);
}

START_TEST(calls_fail_at_random) {
    static const int rare[] = {15, 60, 250, 1000};
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(400), failed = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        char plan[64], how[64];
        (void)snprintf(plan, sizeof plan, "QD_FAULT_PLAN=%" PRIu64, seed);
        (void)snprintf(how, sizeof how, "QD_FAULT_RARE=%d", rare[seed % 4]);
        remove_run();
        for (int times = 0; times < 3; ++times) {
            qd_program_outcome outcome = go((const char *const[]){plan, how});
            bool done = outcome.code == 0;
            if (!done) expect_told(&outcome, plan);
            qd_program_forget(&outcome);
            failed += !done;
            if (done) break;
            (void)snprintf(plan, sizeof plan, "QD_FAULT_PLAN=%" PRIu64,
                           seed + 1000000U * (unsigned)(times + 1));
        }
        finish(plan);
    }
    ck_assert_uint_gt(2 * failed + 2, cases); // rare faults, too, strike
}
END_TEST

// ---- what is made of a run ----

/// Commands that make files of a run, and what they make.
static const struct {
    const char *arguments[8], *made, *removed;
} makers[] = {
    {{"video", "good", "-o", "film.png", "-q"}, "film.png", "film.png"},
    {{"report", "good", "-o", "page.html", "-q"}, "page.html", "page.html"},
    {{"export", "good", "--format", "vtp", "-o", "tables", "-q", "--force"}, "tables/bodies.pvd", "tables"},
    {{"export", "good", "--format", "csv", "-o", "tables", "-q", "--force"}, "tables/bodies.csv", "tables"}};

static qd_program_start start_maker(size_t number) {
    qd_program_start start = {.arguments = {NULL}};
    memcpy(start.arguments, makers[number].arguments, sizeof makers[number].arguments);
    return start;
}

/// Makes it under a plan, then without; that must be as `expected`.
static void make_under_plan(size_t number, uint64_t seed, const char *expected, size_t bytes) {
    char plan[64];
    (void)snprintf(plan, sizeof plan, "QD_FAULT_PLAN=%" PRIu64, seed);
    qd_program_start start = start_maker(number);
    start.environment[0] = "LD_PRELOAD=" QD_FAULTS;
    start.environment[1] = plan;
    start.environment[2] = seed % 2 ? "QD_FAULT_RARE=20" : "QD_FAULT_RARE=200";
    qd_program_outcome outcome = qd_program_run(&program, &start);
    bool done = outcome.code == 0;
    if (!done) expect_told(&outcome, plan);
    qd_program_forget(&outcome);
    if (!done) { // a file that is there whole came from it, or nothing did
        start = start_maker(number);
        if (number == 0 && qd_scratch_exists(at(makers[number].made).text)) start.arguments[5] = "--force";
        outcome = qd_program_run(&program, &start);
        ck_assert_msg(outcome.code == 0, "%s: afterwards %s ends with %d: %s", plan, start.arguments[0],
                      outcome.code, outcome.err);
        qd_program_forget(&outcome);
    }
    size_t size = 0;
    char *made = qd_scratch_read(at(makers[number].made).text, &size);
    ck_assert_msg(made && size == bytes && memcmp(made, expected, bytes) == 0, "%s: %s is another", plan,
                  makers[number].made);
    free(made);
    qd_scratch_remove_tree(at(makers[number].removed).text);
}

START_TEST(files_are_made_under_plans) {
    size_t number = (size_t)_i, bytes = 0;
    qd_program_start start = start_maker(number);
    qd_program_succeed(&program, &start);
    char *expected = qd_scratch_read(at(makers[number].made).text, &bytes);
    ck_assert_ptr_nonnull(expected);
    qd_scratch_remove_tree(at(makers[number].removed).text);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(50);
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed)
        make_under_plan(number, seed, expected, bytes);
    free(expected);
}
END_TEST

int main(void) {
    TCase *cases = qd_test_case("fault_plans", 3000, setup, teardown);
    tcase_add_test(cases, the_power_is_cut);
    tcase_add_test(cases, the_power_is_cut_twice);
    tcase_add_test(cases, what_is_done_stays_done);
    tcase_add_test(cases, a_sync_that_is_left_out_is_noticed);
    tcase_add_test(cases, calls_fail_at_random);
    tcase_add_loop_test(cases, files_are_made_under_plans, 0, sizeof makers / sizeof makers[0]);
    return qd_test_run_case("fault_plans", cases);
}

#else

int main(void) {
    return 77;
}

#endif
