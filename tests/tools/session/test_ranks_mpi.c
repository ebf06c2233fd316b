#define _GNU_SOURCE // setenv, kill, memmem, usleep
#include "tests/support/many_processes.h"

#include <jansson.h>
#include <signal.h>

// Runs whose ranks are processes that `mpirun` starts: beside the run of the same scene by one process, and
// as those who stop and kill them meet them. There are more processes than processors.

static void make_reference(int scene) {
    qd_scratch_write(at("scene.yaml").text, scenes[scene]);
    SUCCEED("run", "scene.yaml", "-o", "ref", "-q", "--threads", "1");
}

/// Frames byte by byte; and what the replay by one process says of all that was recorded.
static void expect_as_reference(void) {
    expect_same_frames("ref", "out", 10);
    SUCCEED("verify", "out", "-q", "--threads", "1");
    SUCCEED("diff", "ref", "out", "-q");
    const int64_t events = qd_runs_number(at("ref").text, "SELECT count(*) FROM events");
    ck_assert_int_gt(events, 100);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM events"), events);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM hashes"), 51);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(kinetic) FROM metrics"), 51);
    qd_program_expect_no_parts(at("out").text);
}

static const char *const counts_of_processes[] = {"2", "3", "8"};

QD_TEST_LOOP(processes_leave_what_one_leaves, 0, 9) {
    make_reference(_i / 3);
    succeed(MANY(counts_of_processes[_i % 3], "run", "scene.yaml", "-o", "out", "-q", "--threads", "1"));
    expect_as_reference();
}

// Where nobody needs the whole world no process has it: each takes its part of the memory that one process
// takes, and what a process takes in any case.
QD_TEST(no_process_has_the_world) {
    enum { PROCESSES = 8 };
    static const char scene[] = "name: many\nworld: {size: [1000, 500], boundary: periodic}\n"
                                "run: {steps: 30, dt: 0.005}\nframes: {every: 0}\ncheckpoint: {every: 10}\n"
                                "contact: {model: spring, spring: {contact_time: 0.1}}\n"
                                "bodies:\n  - disks: {count: 200000, radius: 0.5, place: cells, velocity: "
                                "{normal: 4}}\n";
    qd_scratch_write(at("scene.yaml").text, scene);
    SUCCEED("run", "scene.yaml", "-o", "ref", "-q", "--threads", "1");
    succeed(MANY("8", "run", "scene.yaml", "-o", "out", "-q", "--threads", "1"));
    SUCCEED("diff", "ref", "out", "-q");
    ck_assert_str_eq(qd_program_result_text(&program, "out", "state_hash").text,
                     qd_program_result_text(&program, "ref", "state_hash").text);
    const json_int_t plain = qd_program_result_whole(&program, "ref", "peak_rss_bytes");
    json_t *all = json_load_file(at("out/result.json").text, 0, NULL), *ranks = json_object_get(all, "ranks");
    ck_assert_uint_eq(json_array_size(ranks), PROCESSES);
    for (size_t q = 0; q < PROCESSES; ++q) {
        const json_t *rank = json_array_get(ranks, q);
        ck_assert_int_eq(json_integer_value(json_object_get(rank, "gathers")), 0);
        const json_int_t peak = json_integer_value(json_object_get(rank, "peak_rss_bytes"));
        ck_assert_msg(peak <= 1.3 * (double)plain / PROCESSES + 50e6,
                      "rank %zu: %lld bytes, one process %lld", q, (long long)peak, (long long)plain);
    }
    json_decref(all);
}

// ---- what becomes of it when somebody stops or kills it ----

static void wait_for_frame(const char *name) {
    for (int i = 0; i < 60000 && !qd_scratch_exists(at(name).text); ++i) usleep(1000);
    ck_assert(qd_scratch_exists(at(name).text));
}

// The arguments of a run of many steps.
#define LONG_RUN "run", "scene.yaml", "-q", "--threads", "1", "--steps", "2000", "--frames", "50"

/// Such a run by three processes; back when it has made some steps.
static pid_t launch_long(void) {
    qd_scratch_write(at("scene.yaml").text, scenes[1]);
    const qd_program_start how = MANY("3", LONG_RUN, "-o", "out");
    const pid_t child = qd_program_launch(&many, &how);
    wait_for_frame("out/frames/frame_000005.png");
    return child;
}

/// A run that was broken off goes on, with another number of processes or with one, as if nothing had been.
static void expect_to_go_on(bool many_processes) {
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    SUCCEED(LONG_RUN, "-o", "ref");
    if (many_processes)
        succeed(MANY("2", LONG_RUN, "-o", "out", "--resume"));
    else
        SUCCEED("resume", "out", "-q", "--threads", "1");
    expect_same_frames("ref", "out", 40);
    SUCCEED("diff", "ref", "out", "-q");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM hashes"), 2001);
}

// A signal to rank 0, or one that mpirun hands to all: exit code 75 and a checkpoint.
QD_TEST_LOOP(stops_with_a_checkpoint, 0, 2) {
    const pid_t child = launch_long(), first = process_of(0);
    ck_assert_int_gt(first, 0);
    ck_assert_int_eq(kill(_i == 0 ? first : child, _i == 0 ? SIGTERM : SIGUSR1), 0);
    ck_assert_int_eq(code_of(child), 75);
    expect_to_go_on(_i == 0);
}

// A process that is killed, whichever: all end soon, and nobody takes the run for complete.
QD_TEST_LOOP(one_that_is_killed_ends_all, 0, 3) {
    const pid_t child = launch_long();
    pid_t ranks[3];
    for (int q = 0; q < 3; ++q) {
        ranks[q] = process_of(q);
        ck_assert_int_gt(ranks[q], 0);
    }
    ck_assert_int_eq(kill(ranks[_i], SIGKILL), 0);
    ck_assert_double_lt(seconds_to_the_end(child), 10);
    ck_assert_int_ne(code_of(child), 0);
    ck_assert_int_eq(process_of(-1), 0);
    expect_to_go_on(_i != 0);
}

// ---- what several processes cannot do ----

QD_TEST_LOOP(refused_for_many, 0, 5) {
    static const char *const cases[][4] = {{"sweep", "sweep.yaml", NULL, "sweep: 2 processes"},
                                           {"scale", NULL, NULL, "scale: 2 processes"},
                                           {"report", "out", NULL, "report: 2 processes"},
                                           {"run", "scene.yaml", "--ranks=3", "--ranks 3: 2 processes"},
                                           {"run", "pool", NULL, "2 ranks"}};
    qd_scratch_write(at("scene.yaml").text, scenes[0]);
    const char *const *const words = cases[_i];
    const qd_program_start how = MANY("2", words[0], words[1], words[2]);
    qd_program_expect(qd_program_run(&many, &how), 2, words[3], NULL);
}

// ---- what they tell each other ----

QD_TEST_LOOP(messages_arrive, 0, 3) {
    const qd_program_start how = {.arguments = {"--quiet", "-n", counts_of_processes[_i], QD_MPI_ROUNDS},
                                  .environment = {LEAKS_PASS}};
    qd_program_expect(qd_program_run(&many, &how), 0, NULL, " 0 wrong");
}

QD_TEST_MAIN("ranks_mpi", 200, setup_many, teardown)
