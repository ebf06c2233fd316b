#define _GNU_SOURCE // setenv, kill, memmem, usleep
#include "tests/support/many_processes.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <quadrille/random.h>
#include <signal.h>

// A process of a run by several is killed at a moment drawn at random, from the start of mpirun to the end of
// the run: all end within ten seconds, nobody takes the run for complete, and it goes on, by another number
// of processes or by the plain program, to what the undisturbed run leaves. `tools/seeds ranks_killed 10`
// kills fifty.

/// What a seed draws.
typedef struct killing {
    uint64_t seed;
    qd_random random; ///< of moments
    int scene, processes, victim;
    int others; ///< processes that go on with it; 0: the plain program
    char count[12], other_count[12];
    double seconds; ///< from the start of mpirun to its end when nobody is killed
} killing;

// The arguments of a run that records everything.
#define RUN_OF(OUT)                                                                                          \
    "run", "scene.yaml", "-o", OUT, "-q", "--threads", "1", "--steps", "400", "--frames", "20", "--resume"
enum { LAST_FRAME = 20, STEPS = 400 };

static int draw(qd_random *random, int below) {
    return (int)(qd_random_bits(random) % (uint64_t)below);
}

static killing killing_of(uint64_t seed) {
    killing made = {.seed = seed, .random = qd_random_at(seed, 0, 24)};
    made.scene = draw(&made.random, SCENES);
    made.processes = 2 + draw(&made.random, 4);
    made.victim = draw(&made.random, made.processes);
    made.others = draw(&made.random, 5);
    if (made.others == made.processes) made.others = 0;
    snprintf(made.count, sizeof made.count, "%d", made.processes);
    snprintf(made.other_count, sizeof made.other_count, "%d", made.others);
    return made;
}

// A run of a directory is complete, and as the plain program's.
static void expect_as_undisturbed(const killing *one, const char *directory) {
    QD_TEST_CHECK(qd_scratch_exists(qd_scratch_at(&program.work, directory).text), one->seed, "processes",
                  one->processes, "there is no %s", directory);
    expect_same_frames("ref", directory, LAST_FRAME);
    SUCCEED("diff", "ref", directory, "-q");
    ck_assert_int_eq(qd_runs_number(at(directory).text, "SELECT count(*) FROM hashes"), STEPS + 1);
    ck_assert_int_eq(qd_runs_number(at(directory).text, "SELECT count(kinetic) FROM metrics"), STEPS + 1);
    qd_program_expect_no_parts(at(directory).text);
}

// The run by the plain program, and how long one by several takes that nobody disturbs.
static void make_references(killing *one) {
    qd_scratch_write(at("scene.yaml").text, scenes[one->scene]);
    SUCCEED(RUN_OF("ref"));
    const double before = clock_seconds();
    succeed(MANY(one->count, RUN_OF("whole")));
    one->seconds = clock_seconds() - before;
    expect_as_undisturbed(one, "whole");
}

// The process of the rank that is to be killed, as soon as there is one; 0: all has ended before.
static pid_t find_victim(const killing *one, pid_t child) {
    for (;;) {
        const bool ended = qd_program_has_ended(child);
        const pid_t victim = process_of(one->victim);
        if (victim > 0 || ended) return victim;
        usleep(200);
    }
}

/// How a killing came out.
typedef struct ending {
    double moment, seconds; ///< after the start of mpirun; from then to the end of all
    int code;
} ending;

// Kills the process and waits until nobody is there. False: the run came to its end before.
static bool kill_one(killing *one, ending *how) {
    if (qd_scratch_exists(at("out").text)) qd_scratch_remove_tree(at("out").text);
    const qd_program_start start = MANY(one->count, RUN_OF("out"));
    how->moment = qd_test_between(&one->random, 0, one->seconds);
    const pid_t child = qd_program_launch(&many, &start);
    for (const double from = clock_seconds();
         clock_seconds() - from < how->moment && !qd_program_has_ended(child);)
        usleep(1000);
    const pid_t victim = find_victim(one, child);
    if (victim > 0) {
        ck_assert_int_gt(process_of(-1), 0); // whoever is left would be seen
        (void)kill(victim, SIGKILL);
    }
    how->seconds = seconds_to_the_end(child);
    how->code = code_of(child);
    QD_TEST_CHECK(process_of(-1) == 0, one->seed, "processes", one->processes, "process %d is left",
                  (int)process_of(-1));
    QD_TEST_CHECK(victim == 0 || how->seconds < 10, one->seed, "processes", one->processes,
                  "all ended %.1f s after one was killed", how->seconds);
    if (qd_scratch_exists(at("out/result.json").text)) { // it was done
        expect_as_undisturbed(one, "out");
        return false;
    }
    QD_TEST_CHECK(victim > 0 && how->code != 0, one->seed, "processes", one->processes,
                  "a run without a result ends with %d", how->code);
    return true;
}

// One that is killed, and goes on.
static void kill_by(uint64_t seed) {
    killing one = killing_of(seed);
    ending how = {.code = 0};
    int tries = 1;
    setup_many();
    make_references(&one);
    while (!kill_one(&one, &how))
        QD_TEST_CHECK(++tries < 30, seed, "processes", one.processes, "too fast to be killed");
    if (one.others > 0)
        succeed(MANY(one.other_count, RUN_OF("out")));
    else
        SUCCEED(RUN_OF("out"));
    expect_as_undisturbed(&one, "out");
    teardown();
    printf("seed %" PRIu64
           ": scene %d, rank %d of %d killed after %.2f of %.2f s, all ended %.2f s later with %d, "
           "gone on with by %d, %d tries\n",
           seed, one.scene, one.victim, one.processes, how.moment, one.seconds, how.seconds, how.code,
           one.others, tries);
}

QD_TEST(one_that_is_killed_at_any_moment) {
    enum { KILLINGS = 5 };
    qd_test_seeds(KILLINGS, 0, kill_by);
    qd_test_count(qd_test_replaying() ? 1 : qd_test_effort(KILLINGS));
}

QD_TEST_MAIN("ranks_killed", 300, NULL, NULL)
