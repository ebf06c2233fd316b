#pragma once

#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// For tests of runs whose ranks are processes that `mpirun` starts, in the directory of one_program.h. There
/// may be more processes than processors. Needs _GNU_SOURCE.

/// `mpirun` and what it starts run in the directory of `program`.
static qd_program many;

static inline void setup_many(void) {
    static const char *const variables[][2] = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                               {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                               {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                               {"OMPI_MCA_hwloc_base_binding_policy", "none"}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i)
        ck_assert_int_eq(setenv(variables[i][0], variables[i][1], 1), 0);
    setup();
    many = program;
    many.path = QD_MPIRUN;
}

/// For what `mpirun` starts: Open MPI leaves memory behind when it ends, which is not ours to find.
#define LEAKS_PASS "LSAN_OPTIONS=detect_leaks=0"

/// The arguments of `mpirun` that start the program so many times.
#define MANY(count, ...)                                                                                     \
    ((qd_program_start){.arguments = {"--quiet", "-n", count, QD_PROGRAM_MPI, __VA_ARGS__},                  \
                        .environment = {LEAKS_PASS}})

/// Ends the test unless this comes to an end with exit code 0.
static inline void succeed(qd_program_start how) {
    qd_program_succeed(&many, &how);
}

/// The exit code of a child that was launched.
static inline int code_of(pid_t child) {
    return qd_program_await(&many, child).code;
}

/// Three scenes, of which everything is recorded: a gas that nothing stops; sizes of 1 to 100 and a giant on
/// springs; polygons on a floor that shakes.
#define RECORDED                                                                                             \
    "run: {steps: 50, dt: 0.005}\n"                                                                          \
    "view: {size: [160, 120], colour: speed, nodes: none, text: [step, time, bodies, contacts, legend]}\n"   \
    "frames: {every: 5}\n"                                                                                   \
    "record: {metrics: 1, hashes: 1, events: persist, snapshots: 25}\n"                                      \
    "checkpoint: {every: 10}\n"
enum { SCENES = 3 };
static const char *const scenes[SCENES] = {
    "name: gas\nworld: {size: [60, 40], boundary: periodic}\ncontact: {model: none}\n"
    "bodies:\n  - disks: {count: 400, radius: 0.5, place: random, velocity: {normal: 8}}\n" RECORDED,
    "name: sizes\nworld: {size: [120, 80], boundary: reflect}\n"
    "contact: {model: spring, restitution: 0.7, friction: 0.3, spring: {contact_time: 0.1}}\n"
    "bodies:\n"
    "  - disks: {count: 1, radius: 14, place: random, velocity: {normal: 2}}\n"
    "  - disks: {count: 500, radius: {power: {min: 0.1, max: 10, exponent: 2.7}}, place: random, velocity: "
    "{normal: 6}}\n" RECORDED,
    "name: floor\nworld: {size: [40, 30], boundary: {x: periodic, y: reflect}, gravity: [0, -10], "
    "walls: {bottom: {amplitude: 0.5, frequency: 4}}}\n"
    "contact: {model: spring, restitution: 0.5, friction: 0.4, spring: {contact_time: 0.1}}\n"
    "bodies:\n"
    "  - polygons: {count: 150, radius: {uniform: [0.4, 0.8]}, place: random, velocity: {normal: 4}}\n"
    "  - rects: {count: 50, size: [1.2, 0.6], place: random, velocity: {normal: 4}}\n" RECORDED};
#undef RECORDED

/// Whether a file of /proc holds these bytes.
static inline bool process_file_holds(const char *process, const char *file, const char *wanted) {
    char path[300], text[1 << 16];
    snprintf(path, sizeof path, "/proc/%s/%s", process, file);
    FILE *open_file = fopen(path, "r");
    if (!open_file) return false;
    const size_t bytes = fread(text, 1, sizeof text, open_file);
    (void)fclose(open_file);
    return memmem(text, bytes, wanted, strlen(wanted)) != NULL;
}

/// A process that runs in this test's directory, or 0: that of a rank; or any at all, where `rank` is
/// negative.
static inline pid_t process_of(int rank) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "OMPI_COMM_WORLD_RANK=%d%c", rank, '\0');
    DIR *all = opendir("/proc");
    pid_t found = 0;
    ck_assert_ptr_nonnull(all);
    for (struct dirent *one; (one = readdir(all)) != NULL && found == 0;) {
        char path[300], place[300];
        snprintf(path, sizeof path, "/proc/%s/cwd", one->d_name);
        const ssize_t length = readlink(path, place, sizeof place - 1);
        if (length <= 0 || (size_t)length != strlen(program.work.path) ||
            strncmp(place, program.work.path, (size_t)length) != 0)
            continue;
        if (rank < 0 || process_file_holds(one->d_name, "environ", wanted)) found = (pid_t)atol(one->d_name);
    }
    closedir(all);
    return found;
}

static inline double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/// Waits, but not for ever, until a child that was launched and all that it has started have ended; it stays
/// to be awaited. The seconds that took. A machine that has no time for this process is likely to have none
/// for the others either: of each turn only a part counts.
static inline double seconds_to_the_end(pid_t child) {
    const double turn = 0.1, enough = 60;
    double seconds = 0, before = clock_seconds();
    while ((!qd_program_has_ended(child) || process_of(-1) > 0) && seconds < enough) {
        usleep(10000);
        const double now = clock_seconds();
        seconds += now - before < turn ? now - before : turn;
        before = now;
    }
    return seconds;
}
