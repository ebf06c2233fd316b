#define _GNU_SOURCE // setenv, memmem
#include "tests/support/many_processes.h"

// A full disk, which only rank 0 writes to: all ranks end, with exit code 4 and one line; and when there is
// room again the run goes on, by another number of processes, to what the undisturbed run leaves.

/// Runs it to the end of all that it has started.
static qd_program_outcome run_to_the_end(const qd_program_start *start) {
    const pid_t child = qd_program_launch(&many, start);
    (void)seconds_to_the_end(child);
    ck_assert_int_eq(process_of(-1), 0);
    return qd_program_await(&many, child);
}

/// A run that rank 0 could not go on with: mpirun returns 4, and one line says why.
static void expect_broken_off(const qd_program_outcome *outcome, const char *when) {
    const char *line = strchr(outcome->err, '\n');
    ck_assert_msg(outcome->code == 4, "%s: exit code %d: %s", when, outcome->code, outcome->err);
    ck_assert_msg(line && line[1] == '\0', "%s: not one line: %s", when, outcome->err);
}

/// What a full disk stops: a run of which rank 0 puts the whole world together, or one of which nobody has
/// it.
static void write_stopped_scene(bool apart) {
    static const char gas[] = "name: gas\nworld: {size: [60, 40], boundary: periodic}\n"
                              "contact: {model: spring, spring: {contact_time: 0.1}}\n"
                              "bodies:\n  - disks: {count: 400, radius: 0.5, place: cells, velocity: "
                              "{normal: 8}}\n"
                              "run: {steps: 50, dt: 0.005}\nframes: {every: 0}\n"
                              "record: {metrics: 1, hashes: 1}\ncheckpoint: {every: 10}\n";
    qd_scratch_write(at("scene.yaml").text, apart ? gas : scenes[1]);
}

#define STOPPED_RUN(OUT) "run", "scene.yaml", "-q", "--threads", "1", "--resume", "-o", OUT

#ifdef QD_FAULTS

// The disk fills up at any moment of the run, and is freed: it goes on as if nothing had been.
QD_TEST_LOOP(a_disk_that_fills_up_ends_all, 0, 2) {
    char below[600], fault[64];
    write_stopped_scene(_i);
    SUCCEED(STOPPED_RUN("ref"));
    const qd_scratch_path out = at("out");
    snprintf(below, sizeof below, "QD_FAULT_BELOW=%s", out.text);
    qd_program_start start = MANY("3", STOPPED_RUN(out.text));
    start.environment[1] = "LD_PRELOAD=" QD_FAULTS;
    start.environment[2] = below;
    start.environment[3] = fault;
    ck_assert_int_eq(setenv("QD_FAULT_STAY", "1", 1), 0);
    size_t stopped = 0;
    for (long call = 1 + (long)qd_test_seed(0) % 3;; call += 1 + call, ++stopped) {
        snprintf(fault, sizeof fault, "QD_FAULT_FILE=%ld", call);
        if (qd_scratch_exists(out.text)) qd_scratch_remove_tree(out.text);
        qd_program_outcome outcome = run_to_the_end(&start);
        if (outcome.code == 0) { // it has done all before
            break;
        }
        expect_broken_off(&outcome, fault);
        ck_assert(!qd_scratch_exists(at("out/result.json").text));
        succeed(MANY("2", STOPPED_RUN("out")));
        SUCCEED("diff", "ref", "out", "-q");
        ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM hashes"), 51);
    }
    ck_assert_uint_gt(stopped, 5);
}

#endif

// A small disk that is really full. What else lies there becomes less and less.
QD_TEST_LOOP(a_small_disk_is_full_and_freed, 0, 2) {
    qd_scratch disk;
    if (!qd_scratch_make_small(&disk, "3m")) return;
    write_stopped_scene(_i);
    SUCCEED(STOPPED_RUN("ref"));
    const qd_scratch_path filler = qd_scratch_at(&disk, "filler"), out = qd_scratch_at(&disk, "out");
    size_t stopped = 0;
    for (int kilobytes = 3000;; kilobytes -= 300, ++stopped) {
        ck_assert_int_ge(kilobytes, 0);
        qd_scratch_fill(filler.text, kilobytes);
        const qd_program_start start = MANY("3", STOPPED_RUN(out.text));
        qd_program_outcome outcome = run_to_the_end(&start);
        const bool done = outcome.code == 0;
        if (!done) {
            expect_broken_off(&outcome, "a full disk");
            ck_assert(!qd_scratch_exists(qd_scratch_at(&disk, "out/result.json").text));
        }
        if (done) break;
    }
    ck_assert_uint_gt(stopped, 2);
    SUCCEED("diff", "ref", out.text, "-q");
    qd_scratch_remove_small(&disk);
}

QD_TEST_MAIN("ranks_disk", 200, setup_many, teardown)
