// Whatever happens to a run: gone on with, it leaves what it would have left.
#define _GNU_SOURCE // nanosleep
#include "tests/support/harness.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"
#include "tests/support/worlds.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <quadrille/random.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Disks, rects and capsules that fall, bounce and come to rest, some through an open side; all that can be
// recorded is.
static const char scene[] = "name: tiny\n"
                            "world: {size: [20, 12], gravity: [0, -5]}\n"
                            "run: {steps: 120, dt: 0.02, seed: 3}\n"
                            "contact: {model: impulse, restitution: 0.5, friction: 0.3}\n"
                            "bodies:\n"
                            "  - disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 4}}\n"
                            "  - rects: {count: 10, size: [1, 0.6], velocity: {normal: 4}}\n"
                            "view: {size: [160, 120]}\n"
                            "frames: {every: 10}\n"
                            "record: {metrics: 5, hashes: 1, events: true, snapshots: 20}\n"
                            "checkpoint: {every: 15}\n";

static qd_program program;
static double expected_seconds; ///< that a run takes which nobody disturbs

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void expect_as_undisturbed(const char *directory) {
    qd_scratch_path good = qd_scratch_at(&program.work, "good"),
                    other = qd_scratch_at(&program.work, directory);
    qd_runs_expect_same(good.text, other.text);
    qd_program_expect_no_parts(other.text);
}

static void setup(void) {
    qd_program_setup(&program, QD_PROGRAM);
    qd_scratch_write(qd_scratch_at(&program.work, "tiny.yaml").text, scene);
    double before = now();
    qd_program_succeed(&program, &(qd_program_start){.arguments = {"run", "tiny.yaml", "-o", "good", "-q",
                                                                   "--threads", "1"}});
    expected_seconds = now() - before;
}

static void teardown(void) {
    qd_program_teardown(&program);
}

/// How to begin, or to go on, whatever state the directory is in.
static qd_program_start start_run(const char *directory) {
    return (qd_program_start){
        .arguments = {"run", "tiny.yaml", "-o", directory, "-q", "--threads", "1", "--resume"}};
}

static void finish(const char *directory, const char *after) {
    qd_program_start start = start_run(directory);
    qd_program_outcome outcome = qd_program_run(&program, &start);
    ck_assert_msg(outcome.code == 0, "%s: going on ends with %d: %s", after, outcome.code, outcome.err);
    expect_as_undisturbed(directory);
}

static void remove_run(const char *directory) {
    qd_scratch_path run = qd_scratch_at(&program.work, directory);
    if (qd_scratch_exists(run.text)) qd_scratch_remove_tree(run.text); // it may not have come so far
}

// ---- killed, told to stop ----

/// Sends a signal after some time; returns how the run ended.
static int disturb(const char *directory, int number, double seconds) {
    qd_program_start start = start_run(directory);
    pid_t child = qd_program_launch(&program, &start);
    struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)nanosleep(&wait, NULL);
    (void)kill(child, number);
    qd_program_outcome outcome = qd_program_await(&program, child);
    int code = outcome.code;
    bool fine = code == -number || code == 0 || (number == SIGTERM && (code == 75 || code == 143));
    ck_assert_msg(fine, "a run that got signal %d ends with %d: %s", number, code, outcome.err);
    return code;
}

/// The same run is disturbed again and again until it is done, and then another, until all is enough.
static void disturb_often(int number, size_t times) {
    uint64_t seed = qd_test_seed(1);
    qd_random random = qd_random_at(seed, (uint64_t)number, 0);
    size_t disturbed = 0;
    char after[64];
    for (size_t tries = 0; disturbed < times; ++tries) {
        ck_assert_uint_lt(tries, 20 * times + 100);
        double wait = qd_test_between(&random, 0, 1.1 * expected_seconds);
        if (disturb("run", number, wait) != 0) {
            ++disturbed;
            continue;
        }
        expect_as_undisturbed("run");
        remove_run("run");
    }
    snprintf(after, sizeof after, "after %zu signals %d, seed %" PRIu64, disturbed, number, seed);
    finish("run", after);
}

QD_TEST(killed_at_any_moment) {
    disturb_often(SIGKILL, qd_test_effort(20));
}

QD_TEST(stopped_at_any_moment) {
    disturb_often(SIGTERM, qd_test_effort(20));
}

/// One line that says why, and this exit code.
static void expect_one_line(const qd_program_outcome *outcome, const char *fault, bool code_is_fine) {
    const char *line = strchr(outcome->err, '\n');
    ck_assert_msg(code_is_fine, "%s: exit code %d: %s", fault, outcome->code, outcome->err);
    ck_assert_msg(line && line[1] == '\0', "%s: not one line: %s", fault, outcome->err);
}

// ---- faults: not with sanitizers, which put functions of their own in front ----

#ifdef QD_FAULTS

/// Starts a run with faults (see faults.c).
static qd_program_outcome run_with(const char *directory, const char *fault, const char *more) {
    qd_program_start start = start_run(directory);
    start.environment[0] = "LD_PRELOAD=" QD_FAULTS;
    start.environment[1] = fault;
    start.environment[2] = more;
    return qd_program_run(&program, &start);
}

typedef struct counts {
    long files, allocations, live;
} counts;

static counts count(const char *directory, const char *fault) {
    char report[600];
    snprintf(report, sizeof report, "QD_FAULT_REPORT=%s", qd_scratch_at(&program.work, "report").text);
    (void)run_with(directory, fault ? fault : "QD_FAULT_NONE=1", report);
    counts found = {0, 0, 0};
    qd_own_memory char *text = qd_scratch_read(qd_scratch_at(&program.work, "report").text, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(sscanf(text, "%ld %ld %ld", &found.files, &found.allocations, &found.live), 3);
    return found;
}

/// From one call to the next, so that some `times` of them are looked at, beginning with another one for each
/// seed.
static long stride(long calls, size_t times) {
    long step = calls / (long)times;
    return step > 0 ? step : 1;
}

QD_TEST(killed_before_any_write) {
    long calls = count("counted", NULL).files, step = stride(calls, qd_test_effort(40));
    ck_assert_int_gt(calls, 100);
    for (long call = 1 + (long)qd_test_seed(0) % step; call <= calls; call += step) {
        char fault[64];
        snprintf(fault, sizeof fault, "QD_FAULT_KILL=%ld", call);
        qd_program_outcome outcome = run_with("run", fault, NULL);
        ck_assert_msg(outcome.code == -SIGKILL, "%s: %d", fault, outcome.code);
        finish("run", fault);
        remove_run("run");
    }
}

// A file system without flock may have other locks, which keep runs apart just so; where it has none, that is
// said, and nothing is left.
QD_TEST(without_flock) {
    char fault[32];
    snprintf(fault, sizeof fault, "QD_FAULT_FLOCK=%d", ENOSYS);
    qd_program_expect(run_with("run", fault, NULL), 0, NULL, NULL);
    expect_as_undisturbed("run");
    remove_run("run");
    ck_assert_int_eq(mkdir(qd_scratch_at(&program.work, "run").text, 0777), 0);
    int other = open(qd_scratch_at(&program.work, "run/lock").text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    ck_assert_int_eq(fcntl(other, F_OFD_SETLK, &whole), 0);
    qd_program_outcome outcome = run_with("run", fault, NULL);
    expect_one_line(&outcome, fault, outcome.code == 4 && strstr(outcome.err, "is in use by another run"));
    close(other);
    remove_run("run");
    outcome = run_with("run", fault, "QD_FAULT_LOCKS=1");
    expect_one_line(&outcome, fault, outcome.code == 4 && strstr(outcome.err, "another file system"));
    ck_assert(access(qd_scratch_at(&program.work, "run").text, F_OK) != 0);
}

// What lies in shared memory is not on the disk.
QD_TEST(shared_memory_does_not_count) {
    static const char truncate[] = "/usr/bin/truncate";
    if (access(truncate, X_OK) != 0 || access("/dev/shm", W_OK) != 0) return;
    qd_program other;
    qd_program_setup(&other, truncate);
    char name[64];
    (void)snprintf(name, sizeof name, "/dev/shm/qd-test-%ld", (long)getpid());
    const char *files[] = {name, "on-disk"};
    for (int k = 0; k < 2; ++k) {
        qd_program_start how = {
            .arguments = {"-s", "10", files[k]},
            .environment = {"LD_PRELOAD=" QD_FAULTS, "QD_FAULT_FILE=1", "QD_FAULT_STAY=1"}};
        qd_program_outcome outcome = qd_program_run(&other, &how);
        ck_assert_msg((outcome.code == 0) == (k == 0), "%s: exit %d: %s", files[k], outcome.code,
                      outcome.err);
    }
    (void)unlink(name);
    qd_program_teardown(&other);
}

static void fail_writes(int error, bool stay, size_t times) {
    long calls = count("counted", NULL).files, step = stride(calls, times);
    for (long call = 1 + (long)qd_test_seed(0) % step; call <= calls; call += step) {
        char fault[64], how[64];
        snprintf(fault, sizeof fault, "QD_FAULT_FILE=%ld", call);
        snprintf(how, sizeof how, "QD_FAULT_%s=%d", stay ? "STAY" : "ERROR", stay ? 1 : error);
        qd_program_outcome outcome = run_with("run", fault, how);
        if (outcome.code == 0) // what failed was not needed
            expect_as_undisturbed("run");
        else
            expect_one_line(&outcome, fault, outcome.code == 4);
        finish("run", fault);
        remove_run("run");
    }
}

QD_TEST(any_write_fails) {
    fail_writes(EIO, false, qd_test_effort(40));
}

QD_TEST(the_disk_fills_up) {
    fail_writes(ENOSPC, true, qd_test_effort(40));
}

QD_TEST(any_allocation_fails) {
    counts good = count("counted", NULL);
    ck_assert_int_gt(good.allocations, 1000);
    ck_assert_int_eq(good.live, 0);
    long step = stride(good.allocations, qd_test_effort(60));
    for (long call = 1 + (long)qd_test_seed(0) % step; call <= good.allocations; call += step) {
        char fault[64];
        snprintf(fault, sizeof fault, "QD_FAULT_MEMORY=%ld", call);
        ck_assert_msg(count("run", fault).live == 0, "%s: something was not freed", fault);
        remove_run("run");
        qd_program_outcome outcome = run_with("run", fault, NULL);
        if (outcome.code != 0) expect_one_line(&outcome, fault, outcome.code == 1 || outcome.code == 4);
        finish("run", fault);
        remove_run("run");
    }
}

#endif

// ---- a disk that is really full ----

QD_TEST(a_small_disk_is_full_and_freed) {
    qd_scratch disk;
    if (!qd_scratch_make_small(&disk, "4m")) return;
    qd_scratch_path filler = qd_scratch_at(&disk, "filler"), run = qd_scratch_at(&disk, "run");
    size_t stopped = 0;
    // What else lies there becomes less and less.
    for (int kilobytes = 4000; kilobytes >= 0; kilobytes -= 50) {
        qd_scratch_fill(filler.text, kilobytes);
        qd_program_start start = start_run(run.text);
        qd_program_outcome outcome = qd_program_run(&program, &start);
        if (outcome.code == 0) {
            break;
        }
        expect_one_line(&outcome, "a full disk", outcome.code == 4);
        ++stopped;
    }
    ck_assert_uint_gt(stopped, 2);
    qd_runs_expect_same(qd_scratch_at(&program.work, "good").text, run.text);
    qd_scratch_remove_small(&disk);
}

// ---- looking on ----

// What is recorded changes nothing about what happens.
QD_TEST(recording_changes_no_state) {
    static const char *const without[] = {"frames.every=0",      "record.metrics=0",   "record.hashes=0",
                                          "record.events=false", "record.snapshots=0", "checkpoint.every=0"};
    json_t *result = qd_program_result(&program, "good");
    const char *hash = json_string_value(json_object_get(result, "state_hash"));
    for (size_t i = 0; i < sizeof without / sizeof without[0]; ++i) {
        qd_program_succeed(
            &program, &(qd_program_start){.arguments = {"run", "tiny.yaml", "-o", "other", "-q", "--force",
                                                        "--threads", "1", "--set", without[i]}});
        ck_assert_msg(strcmp(qd_program_result_text(&program, "other", "state_hash").text, hash) == 0, "%s",
                      without[i]);
    }
    json_decref(result);
}

QD_TEST_MAIN("survival", 3000, setup, teardown)
