// Commands that make files of a run, under plans of faults and with the power cut: what has its name is
// whole, what was there before stays until then, and the same command without faults makes what it always
// makes.
#include "tests/support/harness.h"
#include "tests/support/plans.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef QD_FAULTS // not with sanitizers, which put functions of their own in front

static const char scene[] = "name: tiny\n"
                            "world: {size: [20, 12], gravity: [0, -5]}\n"
                            "run: {steps: 20, dt: 0.02, seed: 3}\n"
                            "contact: {model: impulse, restitution: 0.5, friction: 0.3}\n"
                            "bodies:\n"
                            "  - disks: {count: 20, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 4}}\n"
                            "  - rects: {count: 6, size: [1, 0.6], velocity: {normal: 4}}\n"
                            "view: {size: [64, 48]}\n"
                            "frames: {every: 5}\n"
                            "record: {metrics: 5, hashes: 1, events: true, snapshots: 10}\n";

/// Commands, whose second word is the run.
static const struct {
    const char *arguments[8];
    bool keeps_old;   ///< what was there before stays until there is the new; else it is deleted first
    const char *list; ///< that says which files there are: only with it they are whole
    bool by_lists;    ///< it is one of several
    bool by_others;   ///< other programs make files for it, of which the log knows nothing
} makers[] = {
    {.arguments = {"video", "", "-o", "out/film.png", "-q", "--force"}, .keeps_old = true},
    {.arguments = {"video", "", "-o", "out/film.mkv", "-q", "--force"}, .keeps_old = true, .by_others = true},
    {.arguments = {"report", "", "-o", "out/page.html", "-q"}, .keeps_old = true},
    {.arguments = {"export", "", "--format", "vtp", "-o", "out", "-q", "--force"},
     .list = "bodies.pvd",
     .by_lists = true},
    {.arguments = {"export", "", "--format", "csv", "-o", "out", "-q", "--force"}},
    {.arguments = {"render", "", "-o", "out", "-q", "--force"}, .list = "manifest.csv"},
};
enum { MAKERS = sizeof makers / sizeof makers[0] };

static qd_program program = {.path = QD_PROGRAM};
static char path_variable[PATH_MAX];

static qd_scratch_path at(const char *name) {
    return qd_scratch_at(&program.work, name);
}

/// The command of a number, of the run `of`.
static qd_program_start start_maker(int number, const char *of) {
    qd_program_start start = {.arguments = {NULL}, .environment = {path_variable}};
    memcpy(start.arguments, makers[number].arguments, sizeof makers[number].arguments);
    start.arguments[1] = of;
    return start;
}

/// A directory with what stands for ffmpeg, which finds its own programs behind it.
static void make_path(void) {
    qd_scratch_path bin = qd_scratch_at(&program.capture, "bin");
    char from[600], to[600];
    (void)snprintf(from, sizeof from, "%s/tests/support/fake_ffmpeg", QD_SOURCE_DIR);
    ck_assert_int_eq(mkdir(bin.text, 0777), 0);
    char *text = qd_scratch_read(from, NULL);
    ck_assert_ptr_nonnull(text);
    static const char *const names[] = {"ffmpeg", "ffprobe"};
    for (size_t i = 0; i < 2; ++i) {
        (void)snprintf(to, sizeof to, "%s/%s", bin.text, names[i]);
        qd_scratch_write(to, text);
        ck_assert_int_eq(chmod(to, 0755), 0);
    }
    free(text);
    const char *path = getenv("PATH");
    (void)snprintf(path_variable, sizeof path_variable, "PATH=%s:%s", bin.text,
                   path ? path : "/usr/bin:/bin");
}

static void empty_out(void) {
    if (qd_scratch_exists(at("out").text)) qd_scratch_remove_tree(at("out").text);
    ck_assert_int_eq(mkdir(at("out").text, 0777), 0);
}

/// Makes two runs, and of them `expected` and `old`, what the command of a test makes of each; `disk/out` is
/// what lies there before the power is cut.
static void setup(void) {
    qd_plans_setup(&program);
    make_path();
    qd_scratch_write(at("tiny.yaml").text, scene);
    static const char *const runs[] = {"good", "other"};
    static const char *const steps[] = {"20", "10"}, *const seeds[] = {"run.seed=3", "run.seed=4"};
    for (size_t i = 0; i < 2; ++i)
        qd_program_succeed(
            &program, &(qd_program_start){.arguments = {"run", "tiny.yaml", "-o", runs[i], "-q", "--threads",
                                                        "1", "--steps", steps[i], "--set", seeds[i]}});
}

static void teardown(void) {
    qd_program_teardown(&program);
}

static void make_expected(int number) {
    static const char *const of[] = {"good", "other"}, *const kept[] = {"expected", "old"};
    for (size_t i = 0; i < 2; ++i) {
        qd_program_start start = start_maker(number, of[i]);
        empty_out();
        qd_program_succeed(&program, &start);
        qd_plans_copy(at("out").text, at(kept[i]).text);
    }
    ck_assert_uint_gt(qd_scratch_count(at("expected").text), 0);
    ck_assert(!qd_plans_has(at("old").text, at("expected").text));
}

/// What lies there before: nothing, or what was made of another run.
static void begin_out(bool with_old) {
    if (with_old)
        qd_plans_copy(at("old").text, at("out").text);
    else
        empty_out();
}

/// Whether `out` has the list that a directory has.
static bool has_list_of(const char *kept, const char *list) {
    char there[64], theirs[64];
    (void)snprintf(there, sizeof there, "out/%s", list);
    (void)snprintf(theirs, sizeof theirs, "%s/%s", kept, list);
    qd_own_memory char *text = qd_scratch_read(at(there).text, NULL),
                       *other = qd_scratch_read(at(theirs).text, NULL);
    return text && other && strcmp(text, other) == 0;
}

/// What lies there afterwards: each file whole, the new one or the old one, which is not lost where it stays.
static void expect_whole(int number, bool with_old, const char *after) {
    const char *list = makers[number].list;
    const qd_scratch_path out = at("out"), new = at("expected"), old = at("old");
    if (list && has_list_of("expected", list))
        qd_plans_expect_whole(out.text, new.text, new.text, makers[number].by_lists, after);
    else if (!list || (with_old && has_list_of("old", list)))
        qd_plans_expect_whole(out.text, new.text, with_old ? old.text : NULL, !makers[number].keeps_old,
                              after);
}

/// Makes it without faults; that is as ever.
static void finish(int number, const char *after) {
    qd_program_start start = start_maker(number, "good");
    qd_program_outcome outcome = qd_program_run(&program, &start);
    ck_assert_msg(outcome.code == 0, "%s: afterwards %s ends with %d: %s", after, start.arguments[0],
                  outcome.code, outcome.err);
    qd_plans_expect_same(at("expected").text, at("out").text, after);
}

QD_TEST_LOOP(calls_fail_at_random, 0, MAKERS) {
    static const int rare[] = {10, 30, 100, 300};
    make_expected(_i);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(makers[_i].by_others ? 40 : 100), failed = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
        const qd_plan_name name = qd_plans_name(seed, NULL);
        bool with_old = seed / 4 % 2;
        begin_out(with_old);
        qd_program_outcome outcome = qd_plans_run(&program, start_maker(_i, "good"), QD_FAULTS, seed,
                                                  rare[seed % 4]);
        if (outcome.code != 0) qd_plans_expect_told(&outcome, name.text, 1);
        failed += outcome.code != 0;
        if (outcome.code == 0) qd_plans_expect_same(at("expected").text, at("out").text, name.text);
        expect_whole(_i, with_old, name.text);
        finish(_i, name.text);
    }
    ck_assert_uint_gt(4 * failed + 4, cases);
    qd_test_count(cases);
}

/// The command's log; what was there before is on the disk.
static qd_power_log *log_maker(int number, bool with_old, long unsynced) {
    begin_out(with_old);
    if (!qd_scratch_exists(at("disk").text)) ck_assert_int_eq(mkdir(at("disk").text, 0777), 0);
    qd_plans_copy(at("out").text, at("disk/out").text);
    return qd_plans_log(&program, start_maker(number, "good"), QD_FAULTS, 0, "out", at("disk").text,
                        unsynced);
}

QD_TEST_LOOP(the_power_is_cut, 0, MAKERS) {
    if (makers[_i].by_others) return;
    make_expected(_i);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(90);
    for (int with_old = 0; with_old < 2; ++with_old) {
        qd_own(qd_power_log) log = log_maker(_i, with_old, -1);
        for (uint64_t seed = qd_test_seed(1), last = seed + cases; seed < last; ++seed) {
            if (seed % 2 != (uint64_t)with_old) continue;
            const qd_power_moment when = qd_power_moment_draw(log, seed, 4);
            const qd_plan_name name = qd_plans_name(seed, &when);
            qd_power_cut(log, &when, program.work.path);
            expect_whole(_i, with_old, name.text);
            finish(_i, name.text);
        }
        // What is said to be done is on the disk.
        const qd_power_moment end = {.at = qd_power_log_count(log)};
        qd_power_cut(log, &end, program.work.path);
        ck_assert(qd_plans_has(at("out").text, at("expected").text));
    }
    qd_test_count(cases);
}

// A twin that leaves one sync out is found.
QD_TEST_LOOP(a_sync_that_is_left_out_is_noticed, 0, MAKERS) {
    if (makers[_i].by_others) return;
    make_expected(_i);
    qd_power_log *log = log_maker(_i, false, -1);
    long syncs = (long)qd_power_log_syncs(log), found = 0;
    qd_power_log_free(log);
    ck_assert_int_gt(syncs, 0);
    for (long number = 1; number <= syncs; ++number) {
        log = log_maker(_i, false, number);
        qd_power_cut(log, &(qd_power_moment){.at = qd_power_log_count(log)}, program.work.path);
        found += !qd_plans_has(at("out").text, at("expected").text);
        qd_power_log_free(log);
    }
    printf("%s %s: %ld of %ld syncs\n", makers[_i].arguments[0], makers[_i].arguments[3], found, syncs);
    ck_assert_int_gt(found, 0);
}

QD_TEST_MAIN("fault_makers", 3000, setup, teardown)

#else

int main(void) {
    return 77;
}

#endif
