// Whatever happens to a sweep: gone on with, it leaves the rows that it would have left, and every point
// once.
#define _GNU_SOURCE // nanosleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/stores.h"
#include "tests/support/sweeps.h"

#include <inttypes.h>
#include <quadrille/random.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPLICAS = 2, STEPS = 60, LONG_STEPS = 12000 };

static void make_good(unsigned replicas, unsigned steps) {
    qd_sweeps_write(&program, "s.yaml", replicas, steps);
    qd_program_start start = qd_sweeps_start("s.yaml", "good", (const char *const[]){"--jobs", "2", NULL});
    qd_program_expect(qd_program_run(&program, &start), 1, NULL, NULL);
}

/// Goes on with a sweep, or begins it, with more arguments; returns how it ends.
static qd_program_outcome go_on(const char *directory, const char *const *more) {
    qd_program_start start = qd_sweeps_start("s.yaml", directory, more);
    return qd_program_run(&program, &start);
}

static void expect_end(const char *directory, const char *const *more, int code, const char *said) {
    qd_program_expect(go_on(directory, more), code, said, NULL);
}

static void wait_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)nanosleep(&time, NULL);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Path of the run directory of a point of `good` (they are the same everywhere) in another sweep.
static qd_scratch_path run_of(const char *directory, int point) {
    char query[96], path[128];
    snprintf(query, sizeof query, "SELECT directory FROM sweep WHERE point = %d", point);
    qd_own_memory char *name = qd_test_sql(at("good/sweep.db").text, query);
    snprintf(path, sizeof path, "%s/%.*s", directory, (int)strcspn(name, "\n"), name);
    return at(path);
}

static qd_scratch_path beside(qd_scratch_path path, const char *name) {
    qd_scratch_path made;
    snprintf(made.text, sizeof made.text, "%.400s/%s", path.text, name);
    return made;
}

// ---- killed ----

/// Kills a sweep of many small runs twice, and goes on with it. Large effort: of 200, the half of them bad.
QD_TEST(killed_twice_every_point_is_there_once) {
    unsigned replicas = (unsigned)qd_test_effort(4);
    if (replicas > 34) replicas = 34; // 204 points
    if (replicas < 2) replicas = 2;
    double before = now();
    make_good(replicas, 1500);
    double seconds = now() - before;
    uint64_t seed = qd_test_seed(1);
    qd_random random = qd_random_at(seed, 0, 0);
    for (int kill_number = 0; kill_number < 2; ++kill_number) {
        qd_program_start start = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--jobs", "2", NULL});
        pid_t child = qd_program_launch(&program, &start);
        wait_for((0.15 + 0.2 * qd_random_uniform(&random)) * seconds);
        (void)kill(child, SIGKILL);
        qd_program_outcome outcome = qd_program_await(&program, child);
        ck_assert_msg(outcome.code == -SIGKILL || outcome.code == 1, "seed %" PRIu64 ": exit %d", seed,
                      outcome.code);
    }
    expect_end("out", (const char *const[]){"--jobs", "2", NULL}, 1, " points failed: ");
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(replicas));
    char expected[64];
    snprintf(expected, sizeof expected, "done|%u\nfailed|%u\n", qd_sweeps_done(replicas),
             qd_sweeps_failed(replicas));
    qd_test_sql_is(at("out/sweep.db").text, "SELECT status, count(*) FROM sweep GROUP BY status", expected);
}

/// Starts a sweep and sends a signal to the first of its runs that it sees.
static qd_program_outcome disturb_first_run(int number) {
    qd_program_start start = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--jobs", "1", NULL});
    pid_t parent = qd_program_launch(&program, &start), child = 0;
    if (qd_sweeps_wait_for_children(parent, &child, 1)) (void)kill(child, number);
    return qd_program_await(&program, parent);
}

QD_TEST(one_run_that_is_killed_leaves_the_others_alone) {
    make_good(1, LONG_STEPS);
    int killed = 0;
    for (int i = 0; i < 10 && !killed; ++i) { // where the run was faster: once more
        if (i > 0) qd_scratch_remove_tree(at("out").text);
        qd_program_expect(disturb_first_run(SIGKILL), 1, NULL, NULL);
        char *rows = qd_test_sql(at("out/sweep.db").text,
                                 "SELECT count(*) FROM sweep WHERE point = 1 AND code = 137");
        killed = atoi(rows);
        free(rows);
    }
    qd_test_sql_is(at("out/sweep.db").text,
                   "SELECT point, code, reason FROM sweep WHERE status = 'failed' AND code > 5",
                   "1|137|killed by signal 9, by somebody or for want of memory\n");
    qd_test_sql_is(at("out/sweep.db").text, "SELECT count(*) FROM sweep WHERE status = 'done'", "1\n");
    expect_end("out", (const char *const[]){"--retry", NULL}, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
}

QD_TEST(one_run_that_is_stopped_stays_to_do) {
    make_good(1, LONG_STEPS);
    qd_program_outcome outcome = disturb_first_run(SIGTERM);
    int code = outcome.code;
    // Before it watches for signals it dies of one.
    ck_assert_msg(code == 75 || code == 1, "exit %d: %s", code, outcome.err);
    ck_assert(code == 1 || strstr(outcome.err, "stopped by others with 1 point to do"));
    expect_end("out", (const char *const[]){"--retry", NULL}, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", 2);
}

/// A run that somebody else works on is waited for, and not made twice.
QD_TEST(a_run_in_use_is_waited_for) {
    make_good(1, LONG_STEPS);
    qd_program other = program;
    other.capture = qd_scratch_make();
    qd_program_start run = {.arguments = {"run", "tiny.yaml", "-o", "out/runs/", "--set",
                                          "contact.restitution=0.3", "--set", "limits.speed=1000", "--steps",
                                          "12000", "-q"}};
    qd_scratch_path directory = run_of("out", 1);
    qd_program_start begin = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--shard", "2/6", NULL});
    (void)qd_program_run(&program, &begin); // makes the directory, and point 2
    run.arguments[3] = directory.text;
    pid_t child = qd_program_launch(&other, &run);
    while (!qd_scratch_exists(beside(directory, "run.db").text)) wait_for(0.002);
    expect_end("out", NULL, 1, NULL);
    qd_program_expect(qd_program_await(&other, child), 0, NULL, NULL);
    qd_scratch_remove(&other.capture);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", 1); // the other was made without a log
}

// ---- damage ----

static void damage(const char *path, size_t place, const char *bytes, size_t count) {
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, (long)place, SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
}

QD_TEST(a_damaged_database_is_made_again) {
    make_good(REPLICAS, STEPS);
    static char garbage[3000];
    memset(garbage, 0xa5, sizeof garbage);
    for (int kind = 0; kind < 4; ++kind) {
        expect_end("out", NULL, 1, NULL);
        qd_scratch_path db = at("out/sweep.db");
        if (kind == 0) damage(db.text, 0, "nothing", 7);
        if (kind == 1) damage(db.text, 4096, garbage, sizeof garbage);
        if (kind == 2) qd_scratch_write(db.text, "this is no database, and never was one");
        if (kind == 3) ck_assert_int_eq(truncate(db.text, 5000), 0);
        qd_program_outcome outcome = qd_program_run(
            &program, &(qd_program_start){.arguments = {"sweep", "s.yaml", "-o", "out", "--no-progress"}});
        ck_assert_msg(outcome.code == 1, "kind %d: exit %d: %s", kind, outcome.code, outcome.err);
        // What is no database at all may be somebody's.
        bool aside = strstr(outcome.err, "out/sweep.db was damaged and is now out/sweep.db.damaged") != NULL;
        ck_assert_msg(aside == (kind % 2 == 0), "kind %d: %s", kind, outcome.err);
        ck_assert_msg(strstr(outcome.err, "to do    0 of them; 4 are done, 8 have failed"), "kind %d: %s",
                      kind, outcome.err);
        qd_sweeps_expect_same(&program, "good", "out");
    }
    qd_own_memory char *kept = qd_scratch_read(at("out/sweep.db.damaged").text, NULL);
    ck_assert_str_eq(kept, "this is no database, and never was one");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(REPLICAS));
}

QD_TEST(databases_of_others_are_left_alone) {
    make_good(REPLICAS, STEPS);
    expect_end("out", NULL, 1, NULL);
    qd_test_sql_run(at("out/sweep.db").text, "PRAGMA user_version=99");
    expect_end("out", NULL, 4, "has schema 99, of a newer Quadrille");
    qd_test_sql_run(at("out/sweep.db").text, "PRAGMA user_version=2; PRAGMA application_id=7");
    expect_end("out", NULL, 4, "is no sweep's database");
    qd_test_sql_run(at("out/sweep.db").text, "PRAGMA application_id=0x51447377");
    expect_end("out", NULL, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    // One whose rows are gone, or whose runs are.
    qd_test_sql_run(at("out/sweep.db").text, "DELETE FROM sweep WHERE status = 'done'; DROP TABLE about");
    expect_end("out", NULL, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_scratch_remove_tree(run_of("out", 1).text);
    ck_assert_int_eq(remove(at("out/sweep.csv").text), 0);
    expect_end("out", (const char *const[]){"--merge", NULL}, 75, "to do: 1 of 12 points");
    qd_test_sql_is(at("out/sweep.db").text, "SELECT status, state_hash IS NULL FROM sweep WHERE point = 1",
                   "to do|1\n");
    expect_end("out", NULL, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
}

/// Before schema 2 it had tables of its own, and what had failed was told there alone.
QD_TEST(a_database_of_an_older_program_is_made_again) {
    make_good(REPLICAS, STEPS);
    expect_end("out", NULL, 1, NULL);
    qd_scratch_path db = at("out/sweep.db");
    qd_test_sql_run(db.text, "DROP TABLE sweep; CREATE TABLE points (point INTEGER PRIMARY KEY, id TEXT);"
                             " CREATE VIEW sweep AS SELECT * FROM points; PRAGMA user_version=1");
    expect_refusal(RUN("report", "out", "-q"), 3,
                   "has schema 1, of an older Quadrille: `quadrille sweep` brings it up to date");
    qd_scratch_write(at("out/sweep.db-journal").text, "what it had left when it was killed");
    expect_end("out", NULL, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    ck_assert(!qd_scratch_exists(at("out/sweep.db-journal").text));
}

QD_TEST(results_that_are_of_no_use) {
    make_good(REPLICAS, STEPS);
    expect_end("out", NULL, 1, NULL);
    qd_scratch_write(beside(run_of("out", 1), "result.json").text, "{\"schema\": 1, \"scene_hash\": \"12");
    // Another run lies where point 2's should be.
    qd_scratch_remove_tree(run_of("out", 2).text);
    qd_program_succeed(
        &program, &(qd_program_start){.arguments = {"run", "tiny.yaml", "-q", "-o", run_of("out", 2).text}});
    expect_end("out", NULL, 1, "10 of 12 points failed: 1, 2, 3, ");
    qd_test_sql_is(at("out/sweep.db").text,
                   "SELECT point, code, reason LIKE '%result.json is not as a run writes it',"
                   " reason LIKE '%holds a run of another scene' FROM sweep WHERE point < 3",
                   "1|1|1|0\n2|1|0|1\n");
    expect_end("out", (const char *const[]){"--retry", NULL}, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
}

QD_TEST(a_share_that_is_damaged_costs_nothing) {
    make_good(REPLICAS, STEPS);
    expect_end("out", (const char *const[]){"--shard", "1/2", NULL}, 1, NULL);
    expect_end("out", (const char *const[]){"--shard", "2/2", NULL}, 1, NULL);
    damage(at("out/sweep.1-of-2.db").text, 0, "nothing", 7);
    expect_end("out", (const char *const[]){"--merge", NULL}, 1, "8 of 12 points failed");
    qd_sweeps_expect_same(&program, "good", "out");
    expect_end("out", NULL, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(REPLICAS));
}

/// `sweep` is somebody else's: rows without end.
QD_TEST(a_database_with_tables_of_others_is_damaged) {
    make_good(REPLICAS, STEPS);
    expect_end("out", NULL, 1, NULL);
    qd_test_sql_run(at("out/sweep.db").text,
                    "DROP TABLE sweep; CREATE VIEW sweep AS WITH RECURSIVE n(point) AS (SELECT 1 UNION ALL"
                    " SELECT point + 1 FROM n) SELECT point, 'done' AS status FROM n");
    expect_refusal(RUN("report", "out", "-q"), 4, "has no table sweep as Quadrille makes it");
    expect_end("out", NULL, 1, NULL);
    qd_test_sql_is(at("out/sweep.db").text, "SELECT count(*) FROM sweep", "12\n");
    qd_program_succeed(&program, &(qd_program_start){.arguments = {"report", "out", "-q"}});
    qd_sweeps_expect_same(&program, "good", "out");
}

/// The file that says why a point of `good` has failed in another sweep.
static qd_scratch_path failure_of(const char *directory, int point) {
    qd_scratch_path run = run_of(directory, point), made;
    char *id = strrchr(run.text, '/');
    *id = '\0';
    *strrchr(run.text, '/') = '\0';
    snprintf(made.text, sizeof made.text, "%.400s/logs/%.16s.failed", run.text, id + 1);
    return made;
}

QD_TEST(what_is_done_counts_before_what_failed) {
    make_good(REPLICAS, STEPS);
    expect_end("out", NULL, 1, NULL);
    qd_scratch_write(failure_of("out", 1).text, "exit 4: no room\n");
    expect_end("out", NULL, 1, "8 of 12 points failed");
    ck_assert(!qd_scratch_exists(failure_of("out", 1).text));
    qd_sweeps_expect_same(&program, "good", "out");
    // The last failure counts; what is no failure's file tells nothing, and what it was about runs again.
    qd_scratch_write(failure_of("out", 3).text, "exit 4: no room\n");
    expect_end("out", NULL, 1, NULL);
    qd_test_sql_is(at("out/sweep.db").text, "SELECT status, code, reason FROM sweep WHERE point = 3",
                   "failed|4|no room\n");
    static const char *const others[] = {"", "exit", "exit 5", "exit 0: fine", "step 3"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        qd_scratch_write(failure_of("out", 3).text, others[i]);
        expect_end("out", (const char *const[]){"--merge", NULL}, 75, "to do: 1 of 12 points");
    }
    // A link leads nowhere.
    ck_assert_int_eq(remove(failure_of("out", 3).text), 0);
    qd_scratch_write(at("aim").text, "exit 4: no room\n");
    ck_assert_int_eq(symlink(at("aim").text, failure_of("out", 3).text), 0);
    expect_end("out", NULL, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_own_memory char *aim = qd_scratch_read(at("aim").text, NULL);
    ck_assert_str_eq(aim, "exit 4: no room\n");
}

QD_TEST(a_share_tries_again_what_had_failed) {
    make_good(REPLICAS, STEPS);
    // No file of a run may be longer than this: every run breaks off.
    qd_program_start start = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--shard", "1/2", NULL});
    start.file_limit = 100000;
    qd_program_expect(qd_program_run(&program, &start), 1, NULL, NULL);
    expect_end("out", (const char *const[]){"--merge", NULL}, 75, NULL);
    qd_test_sql_is(at("out/sweep.db").text, "SELECT count(*) FROM sweep WHERE code = 4", "4\n");
    // It knows what has failed, and what it does itself comes after that.
    expect_end("out", (const char *const[]){"--shard", "1/2", NULL}, 1, "6 of 6 points failed");
    expect_end("out", (const char *const[]){"--shard", "1/2", "--retry", NULL}, 1, "4 of 6 points failed");
    expect_end("out", (const char *const[]){"--shard", "2/2", NULL}, 1, NULL);
    expect_end("out", (const char *const[]){"--merge", NULL}, 1, NULL);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(REPLICAS));
}

// ---- a disk that is full ----

QD_TEST(a_small_disk_is_full_and_freed) {
    qd_scratch disk;
    if (!qd_scratch_make_small(&disk, "24m")) return;
    make_good(REPLICAS, STEPS);
    qd_scratch_path filler = qd_scratch_at(&disk, "filler"), out = qd_scratch_at(&disk, "out");
    size_t stopped = 0;
    for (int kilobytes = 24500; kilobytes >= 0; kilobytes -= 200) {
        FILE *file = fopen(filler.text, "wb");
        ck_assert_ptr_nonnull(file);
        for (int i = 0; i < kilobytes; ++i) {
            static const char zeros[1024];
            if (fwrite(zeros, 1, sizeof zeros, file) != sizeof zeros) break;
        }
        (void)fclose(file);
        qd_program_outcome outcome = go_on(out.text, (const char *const[]){"--jobs", "2", NULL});
        int code = outcome.code;
        // Nothing but the disk is to blame: no point has failed for it.
        ck_assert_msg(code == 1 || code == 4, "%d kB: exit %d: %s", kilobytes, code, outcome.err);
        stopped += code == 4;
        if (code == 1) break;
    }
    ck_assert_uint_gt(stopped, 2);
    // Compared where there is room.
    qd_program copy = program;
    copy.path = "/bin/cp";
    qd_program_succeed(&copy, &(qd_program_start){.arguments = {"-r", out.text, at("out").text}});
    qd_sweeps_expect_same(&program, "good", "out");
    qd_sweeps_expect_once(&program, "out", qd_sweeps_done(REPLICAS));
    qd_scratch_remove_small(&disk);
}

// ---- faults: not with sanitizers, which put functions of their own in front ----

#ifdef QD_FAULTS

/// The sweep itself and each of its runs meet the fault, wherever each has come to by then.
static void sweep_with(const char *first, const char *second, int call) {
    char fault[64];
    snprintf(fault, sizeof fault, first, call);
    qd_program_start start = qd_sweeps_start("s.yaml", "out", (const char *const[]){"--jobs", "2", NULL});
    start.environment[0] = "LD_PRELOAD=" QD_FAULTS;
    start.environment[1] = fault;
    start.environment[2] = second;
    qd_program_outcome outcome = qd_program_run(&program, &start);
    int code = outcome.code;
    bool stopped = code == 75 || code == 128 + SIGINT || code == 128 + SIGUSR1 || code == -SIGINT ||
                   code == -SIGTERM || code == -SIGUSR1;
    bool expected = code == 0 || code == 1 || code == 4 || code == -SIGKILL || stopped;
    ck_assert_msg(expected, "%s: exit %d: %s", fault, code, outcome.err);
    ck_assert_msg(code <= 0 || strncmp(outcome.err, "quadrille: ", 11) == 0, "%s: %s", fault, outcome.err);
    qd_program_outcome end = go_on("out", (const char *const[]){"--jobs", "2", "--retry", NULL});
    ck_assert_msg(end.code == 1, "%s: going on ends with %d: %s", fault, end.code, end.err);
    qd_sweeps_expect_same(&program, "good", "out");
    qd_scratch_remove_tree(at("out").text);
}

/// Calls 1, 2, 3, 5, 8, ...: the first ones are each of their own kind.
static void at_many_calls(const char *first, const char *second) {
    make_good(1, STEPS);
    size_t most = qd_test_effort(14);
    int call = 1 + (int)(qd_test_seed(0) % 3);
    for (size_t i = 0; i < (most < 4 ? 4 : most); ++i, call += 1 + call / 4) sweep_with(first, second, call);
}

QD_TEST(killed_before_any_write) {
    at_many_calls("QD_FAULT_KILL=%d", NULL);
}

QD_TEST(any_write_fails) {
    at_many_calls("QD_FAULT_FILE=%d", "QD_FAULT_ERROR=5");
}

QD_TEST(no_write_succeeds_any_more) {
    at_many_calls("QD_FAULT_FILE=%d", "QD_FAULT_STAY=1");
}

QD_TEST(any_call_fails_at_random) {
    make_good(1, STEPS);
    int first = (int)qd_test_seed(1), last = first + (qd_test_replaying() ? 1 : (int)qd_test_effort(16));
    for (int seed = first; seed < last; ++seed)
        sweep_with("QD_FAULT_PLAN=%d", seed % 2 ? "QD_FAULT_RARE=100" : "QD_FAULT_RARE=1000", seed);
}

QD_TEST(any_allocation_fails) {
    make_good(1, STEPS);
    size_t most = qd_test_effort(12);
    int call = 1 + (int)(qd_test_seed(0) % 3);
    for (size_t i = 0; i < (most < 3 ? 3 : most); ++i, call += 40 + 7 * (int)i)
        sweep_with("QD_FAULT_MEMORY=%d", NULL, call);
}

#endif

QD_TEST_MAIN("sweep_faults", 1200, setup, teardown)
