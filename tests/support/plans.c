#define _GNU_SOURCE // nftw, setenv
#include "tests/support/plans.h"

#include "tests/support/harness.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 1024 };

void qd_plans_setup(qd_program *program) {
    if (access("/dev/shm", W_OK) == 0) (void)setenv("TMPDIR", "/dev/shm", 1);
    qd_program_setup(program, program->path);
}

// ---- commands ----

/// Adds a variable behind those that a start has.
static void add_variable(qd_program_start *start, const char *variable) {
    size_t at = 0;
    while (at < QD_PROGRAM_VARIABLES && start->environment[at]) ++at;
    ck_assert_uint_lt(at, QD_PROGRAM_VARIABLES);
    start->environment[at] = variable;
}

qd_program_outcome qd_plans_run(const qd_program *program, qd_program_start start, const char *library,
                                uint64_t seed, int rare) {
    char preload[PATH_ROOM], plan[64], how[64];
    (void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
    (void)snprintf(plan, sizeof plan, "QD_FAULT_PLAN=%" PRIu64, seed);
    (void)snprintf(how, sizeof how, "QD_FAULT_RARE=%d", rare);
    add_variable(&start, preload);
    add_variable(&start, plan);
    add_variable(&start, how);
    return qd_program_run(program, &start);
}

/// Whether a message says that the system refused something.
static bool names_fault(const char *message) {
    static const int errors[] = {ENOMEM, EIO, EMFILE, ENFILE};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i)
        if (strstr(message, strerror(errors[i]))) return true;
    return false;
}

/// Whether an exit code is one of a program that a signal stopped.
static bool is_stopped(int code) {
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
        if (code == -signals[i] || code == 128 + signals[i]) return true;
    return code == 75;
}

void qd_plans_expect_told(const qd_program_outcome *outcome, const char *plan, int lines) {
    int code = outcome->code, said = 0;
    if (is_stopped(code)) return;
    bool expected = code == 1 || code == 4 || (code == 3 && names_fault(outcome->err));
    ck_assert_msg(expected, "%s: exit code %d: %s", plan, code, outcome->err);
    for (const char *line = outcome->err; *line; ++said) {
        ck_assert_msg(strncmp(line, "quadrille: ", 11) == 0, "%s: %s", plan, outcome->err);
        line = strchr(line, '\n');
        ck_assert_msg(line != NULL, "%s: no whole line: %s", plan, outcome->err);
        ++line;
    }
    ck_assert_msg(lines == 1 ? said == 1 : said >= 1, "%s: says %d lines: %s", plan, said, outcome->err);
}

qd_power_log *qd_plans_log(const qd_program *program, qd_program_start start, const char *library, int code,
                           const char *prefix, const char *before, long unsynced) {
    char preload[PATH_ROOM], log[PATH_ROOM], less[64];
    const qd_scratch_path path = qd_scratch_at(&program->work, "log");
    (void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
    (void)snprintf(log, sizeof log, "QD_FAULT_LOG=%s", path.text);
    (void)snprintf(less, sizeof less, "QD_FAULT_UNSYNCED=%ld", unsynced);
    add_variable(&start, preload);
    add_variable(&start, log);
    if (unsynced >= 0) add_variable(&start, less);
    (void)remove(path.text);
    qd_program_outcome outcome = qd_program_run(program, &start);
    ck_assert_msg(outcome.code == code, "exit %d: %s", outcome.code, outcome.err);
    return qd_power_log_read(path.text, prefix, before);
}

qd_plan_name qd_plans_name(uint64_t seed, const qd_power_moment *moment) {
    qd_plan_name name;
    int length = snprintf(name.text, sizeof name.text, "QD_TEST_SEED=%" PRIu64, seed);
    if (moment)
        (void)snprintf(name.text + length, sizeof name.text - (size_t)length,
                       ", cut before %zu, kept to %zu%s%s", moment->at, moment->kept,
                       moment->scattered ? ", more by chance" : "",
                       moment->undeleted ? ", what was deleted is back" : "");
    return name;
}

// ---- directories ----

/// What a walk through one directory does with another: nftw gives its function no context.
static struct {
    size_t from_length;
    const char *to, *old, *after;
    bool same, may_lack;
    char first[PATH_ROOM]; ///< that differs
} walk;

static void path_in_other(const char *path, char other[PATH_ROOM]) {
    (void)snprintf(other, PATH_ROOM, "%s%s", walk.to, path + walk.from_length);
}

/// Whether both are there, and equal; or both are missing.
static bool same_file(const char *a, const char *b) {
    const bool there = qd_scratch_exists(a);
    return there == qd_scratch_exists(b) && (!there || qd_scratch_same(a, b));
}

static int copy_entry(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    char other[PATH_ROOM];
    (void)facts;
    (void)where;
    path_in_other(path, other);
    if (kind == FTW_D) return mkdir(other, 0777);
    size_t bytes = 0;
    qd_own_memory char *data = qd_scratch_read(path, &bytes);
    FILE *file = fopen(other, "wb");
    ck_assert(data && file && fwrite(data, 1, bytes, file) == bytes);
    ck_assert_int_eq(fclose(file), 0);
    return 0;
}

static int compare_entry(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    char other[PATH_ROOM];
    (void)facts;
    (void)where;
    path_in_other(path, other);
    if (kind == FTW_D || !walk.same) return 0;
    walk.same = same_file(path, other);
    if (!walk.same) (void)snprintf(walk.first, sizeof walk.first, "%s", path + walk.from_length);
    return 0;
}

static int expect_whole_entry(const char *path, const struct stat *facts, int kind, struct FTW *where) {
    char here[PATH_ROOM], old[PATH_ROOM] = "";
    (void)facts;
    (void)where;
    if (kind == FTW_D) return 0;
    path_in_other(path, here);
    if (walk.old) (void)snprintf(old, sizeof old, "%s%s", walk.old, path + walk.from_length);
    bool there = qd_scratch_exists(here);
    bool as_old = walk.old ? same_file(here, old) : !there;
    ck_assert_msg(as_old || (walk.may_lack && !there) || same_file(here, path), "%s: %s is %s", walk.after,
                  path + walk.from_length, there ? "not whole" : "lost");
    return 0;
}

/// Walks through `from`, with its paths in `to`.
static void walk_both(const char *from, const char *to,
                      int (*entry)(const char *, const struct stat *, int, struct FTW *)) {
    walk.from_length = strlen(from);
    walk.to = to;
    ck_assert_int_eq(nftw(from, entry, 16, FTW_PHYS), 0);
}

void qd_plans_copy(const char *from, const char *to) {
    if (qd_scratch_exists(to)) qd_scratch_remove_tree(to);
    walk_both(from, to, copy_entry);
}

bool qd_plans_has(const char *directory, const char *expected) {
    walk.same = true;
    walk_both(expected, directory, compare_entry);
    return walk.same;
}

void qd_plans_expect_same(const char *a, const char *b, const char *after) {
    bool same = qd_plans_has(a, b) && qd_plans_has(b, a);
    ck_assert_msg(same, "%s: %s differs", after, walk.first);
}

void qd_plans_expect_whole(const char *directory, const char *expected, const char *old, bool may_lack,
                           const char *after) {
    walk.old = old;
    walk.may_lack = may_lack;
    walk.after = after;
    walk_both(expected, directory, expect_whole_entry);
}
