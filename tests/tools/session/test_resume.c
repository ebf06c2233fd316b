#define _GNU_SOURCE // kill, usleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <inttypes.h>
#include <quadrille/simd.h>
#include <quadrille/store.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Runs that are stopped, killed, starved of disk or damaged, and gone on with: in the end they have left what
// an undisturbed run leaves.

/// Everything is recorded; small pictures, so that the steps decide how long it takes.
static const char scene[] =
    "name: little\n"
    "world: {size: [40, 30], gravity: [0, -5]}\n"
    "run: {steps: 450, dt: 0.01}\n"
    "contact: {restitution: 0.6, friction: 0.3}\n"
    "bodies:\n"
    "  - disks: {count: 100, radius: {uniform: [0.3, 0.6]}, place: random, velocity: {normal: 4}}\n"
    "  - rects: {count: 30, size: [1.2, 0.6], place: random, velocity: {normal: 4}}\n"
    "view: {size: [160, 120], colour: speed}\n"
    "frames: {every: 15}\n"
    "record: {metrics: 5, hashes: 5, events: persist, snapshots: 100, fields: {every: 30, sample: 3, cells: "
    "[4, 3]}, structure: true, distributions: {every: 25, sample: 5, bins: 20}}\n"
    "checkpoint: {every: 40}\n";

/// Writes the scene and runs it undisturbed into `ref`.
static void make_reference(void) {
    qd_scratch_write(at("little.yaml").text, scene);
    SUCCEED("run", "little.yaml", "-o", "ref", "-q", "--threads", "1");
}

static void expect_as_reference(const char *directory) {
    qd_runs_expect_same(at("ref").text, at(directory).text);
    qd_program_expect_no_parts(at(directory).text);
}

/// Starts the scene into `out`, sends a signal when frame `frame` is there, and awaits the end.
static qd_program_outcome stop_at(int frame, int number) {
    qd_program_start how = {
        .arguments = {"run", "little.yaml", "-o", "out", "-q", "--threads", "1", "--force"}};
    char name[64];
    snprintf(name, sizeof name, "out/frames/frame_%06d.png", frame);
    return qd_program_stop_at(&program, &how, name, number);
}

QD_TEST_LOOP(test_stopped_by_a_signal, 0, 3) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1};
    make_reference();
    expect_refusal(stop_at(9 + _i, numbers[_i]), 75, "; `quadrille resume out` goes on from step");
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
    qd_program_expect_no_parts(at("out").text);
    ck_assert_int_ge(qd_runs_number(at("out").text, "SELECT max(step) FROM checkpoints"), 15 * (9 + _i));
    // No row is later than the checkpoint that was made for the signal.
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT max(step) FROM events"),
                     qd_runs_number(at("out").text, "SELECT max(step) FROM checkpoints"));
    qd_program_expect(RUN("resume", "out", "--threads", "2"), 0, "resume   from the checkpoint of step",
                      NULL);
    expect_as_reference("out");
}

/// Seconds of a processor that a process has had so far; of all children that have ended where it is 0.
static double processor_seconds(pid_t process) {
    struct rusage all;
    if (process == 0) {
        ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &all), 0);
        return (double)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) +
               1e-6 * (double)(all.ru_utime.tv_usec + all.ru_stime.tv_usec);
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    qd_own_memory char *text = qd_scratch_read(path, NULL);
    ck_assert_ptr_nonnull(text);
    unsigned long user = 0, system = 0;
    ck_assert_int_eq(sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                            &user, &system),
                     2);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/// Writes a scene whose steps take long and whose start does not: every disk of a heap touches all others.
static void write_heap(void) {
    enum { DISKS = 500 };
    char *rows = qd_test_memory(64 * (DISKS + 1)), *end = rows;
    end += sprintf(end, "x,y,radius\n");
    for (int i = 0; i < DISKS; ++i)
        end += sprintf(end, "%.4f,%.4f,3\n", 8 + 4.0 * i / DISKS, 8 + 4.0 * (i * 37 % DISKS) / DISKS);
    qd_scratch_write(at("heap.csv").text, rows);
    free(rows);
    qd_scratch_write(at("heap.yaml").text,
                     "name: heap\nworld: {size: [20, 20]}\nrun: {steps: 200}\nframes: {every: 0}\n"
                     "stepper: {substeps: 100}\nlimits: {pairs: 10000}\n"
                     "bodies:\n  - file: {path: heap.csv}\n");
}

/// Stops a run of the heap when it has had so many seconds of a processor. Returns how many it has had at its
/// end.
static double stop_heap_after(double seconds) {
    qd_program_start how = {
        .arguments = {"run", "heap.yaml", "-o", "slow", "-q", "--threads", "1", "--force"}};
    const double others = processor_seconds(0);
    pid_t child = qd_program_launch(&program, &how);
    while (processor_seconds(child) < seconds) usleep(1000);
    ck_assert_int_eq(kill(child, SIGTERM), 0);
    qd_program_outcome result = qd_program_await(&program, child);
    expect_refusal(result, 75, "stopped by SIGTERM after ");
    ck_assert(!qd_scratch_exists(at("slow/result.json").text));
    qd_program_expect_no_parts(at("slow").text);
    return processor_seconds(0) - others;
}

// The signal comes half way through a run of one step: the step is not finished, and most of what is left of
// it is not done. How long the run takes is measured in this build, and in seconds of a processor; where
// other programs hold up the signal or slow down the run, it is tried again.
QD_TEST(test_stopped_within_a_step) {
    write_heap();
    const double others = processor_seconds(0);
    SUCCEED("run", "heap.yaml", "-o", "whole", "-q", "--threads", "1", "--steps", "1");
    const double whole = processor_seconds(0) - others;
    double taken = 0;
    int64_t step = -1;
    for (int i = 0; i < 5; ++i) {
        taken = stop_heap_after(whole / 2);
        step = qd_runs_number(at("slow").text, "SELECT max(step) FROM checkpoints");
        if (step == 0 && taken <= 0.64 * whole) return;
    }
    ck_abort_msg("stopped in step %d after %g s of a processor; a run of one step takes %g", (int)step, taken,
                 whole);
}

// Trails and fading colours of the first frames after it go back to frames before the checkpoint.
QD_TEST(test_trails_go_on) {
    qd_scratch_write(at("little.yaml").text, scene);
    char *text = qd_scratch_read(at("little.yaml").text, NULL);
    ck_assert_ptr_nonnull(text);
    char *view = strstr(text, "view: {");
    char trailed[sizeof scene + 96];
    snprintf(
        trailed, sizeof trailed,
        "%.*sstepper: {capacity: 2}\nview: {trails: 12, size: [160, 120], colour: refiled, fade: 20}\n%s",
        (int)(view - text), text, strstr(view, "frames:"));
    free(text);
    qd_scratch_write(at("little.yaml").text, trailed);
    SUCCEED("run", "little.yaml", "-o", "ref", "-q", "--threads", "1");
    expect_refusal(stop_at(9, SIGINT), 75, "; `quadrille resume out` goes on from step");
    SUCCEED("resume", "out", "-q", "--threads", "2");
    expect_as_reference("out");
}

QD_TEST(test_killed_again_and_again) {
    make_reference();
    qd_program_expect(stop_at(4, SIGKILL), -SIGKILL, NULL, NULL);
    int kills = (int)qd_test_effort(12);
    for (int i = 0; i < kills; ++i) {
        qd_program_start how = {
            .arguments = {"run", "little.yaml", "-o", "out", "-q", "--resume", "--threads", "1"}};
        (void)qd_program_disturb(&program, &how, 1e-3 * (5 + 17 * i % 120), SIGKILL);
    }
    SUCCEED("resume", "out", "-q", "--threads", "1");
    expect_as_reference("out");
}

static void delete_file(const char *name) {
    ck_assert_msg(unlink(at(name).text) == 0, "%s is not there", name);
}

/// Whatever is there of step 0, a run that was killed before its first checkpoint begins again.
QD_TEST(test_killed_at_its_beginning) {
    make_reference();
    for (int kind = 0; kind < 2; ++kind) {
        SUCCEED("run", "little.yaml", "-o", "out", "-q", "--force");
        delete_file("out/result.json");
        if (kind == 0) {
            delete_file("out/run.db");
            qd_scratch_write(at("out/run.db-wal").text, "of a store that is no longer there");
            qd_scratch_write(at("out/frames/frame_000000.png.part").text, "half a");
            qd_scratch_write(at("out/lock").text, "");
        } else {
            qd_runs_change(at("out").text, "DELETE FROM checkpoints");
        }
        SUCCEED("resume", "out", "-q", "--threads", "1");
        expect_as_reference("out");
    }
}

QD_TEST(test_a_complete_run) {
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "30", "-o", "out", "-q");
    qd_own_memory char *before = qd_scratch_read(at("out/result.json").text, NULL);
    qd_program_outcome result = SUCCEED("resume", "out");
    ck_assert_str_eq(result.err, "out is complete\n");
    ck_assert_str_eq(result.out, "");
    result = SUCCEED("run", "pool", "--bodies", "20", "--steps", "30", "-o", "out", "--resume", "--json");
    ck_assert_str_eq(result.err, "out is complete\n");
    ck_assert_str_eq(result.out, before);
}

/// Runs so many steps of the scene into `out`.
static void run_steps(const char *steps) {
    SUCCEED("run", "little.yaml", "-o", "out", "-q", "--threads", "1", "--force", "--steps", steps);
}

/// All but what frames say of themselves: the first of them name the scene as it was.
static void expect_as_longer_reference(void) {
    qd_runs_expect_same_records(at("ref").text, at("out").text);
    qd_program_expect_no_parts(at("out").text);
    ck_assert_uint_eq(qd_scratch_count(at("out/frames").text), qd_scratch_count(at("ref/frames").text));
    SUCCEED("verify", "out", "-q", "--threads", "2"); // pixels too
}

// Steps of no period: that end's hash is one that the longer run does not have.
QD_TEST(test_a_complete_run_gets_more_steps) {
    make_reference();
    run_steps("233");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT max(step) FROM checkpoints"), 233);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT max(step) FROM hashes"), 233);
    expect_refusal(RUN("resume", "out", "--steps", "232"), 2,
                   "out has 233 steps already, and a run gets no shorter");
    qd_program_outcome result = RUN("resume", "out", "--steps", "233");
    ck_assert_str_eq(result.err, "out is complete\n");
    qd_program_expect(RUN("resume", "out", "--steps", "450"), 0, "resume   from the checkpoint of step 233\n",
                      NULL);
    expect_as_longer_reference();
    // One that was stopped goes on to more steps as well.
    run_steps("300");
    delete_file("out/result.json");
    qd_runs_change(at("out").text, "DELETE FROM checkpoints WHERE step > 260");
    SUCCEED("resume", "out", "-q", "--steps", "450", "--threads", "1");
    expect_as_longer_reference();
}

// A run that an earlier version began goes on with hashes of the form that it has.
QD_TEST(test_an_earlier_run_goes_on) {
    make_reference();
    run_steps("233");
    qd_runs_change(at("out").text, "DROP TABLE forms; PRAGMA user_version=3");
    SUCCEED("resume", "out", "-q", "--steps", "450", "--threads", "1");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM forms"), 0);
    qd_store *store = NULL;
    qd_store_state end;
    qd_world *world = NULL;
    ck_assert_int_eq(qd_store_open(at("out/run.db").text, QD_STORE_READ, NULL, &store, NULL), QD_OK);
    ck_assert_int_eq(qd_store_hash_form(store), 1);
    ck_assert_int_eq(qd_store_last_checkpoint(store, 450, &end, NULL), QD_OK);
    ck_assert_int_eq(qd_world_load(end.world, end.world_bytes, 1, NULL, &world, NULL), QD_OK);
    ck_assert_uint_eq(qd_world_steps(world), 450);
    uint64_t step = 0, hash = 0;
    ck_assert_int_eq(qd_store_next_hash(store, 450, &step, &hash, NULL), QD_OK);
    ck_assert_uint_eq(step, 450);
    ck_assert_uint_eq(hash, qd_world_hash_as(world, 1));
    ck_assert_uint_ne(hash, qd_world_hash(world));
    char said[64];
    snprintf(said, sizeof said, "\"state_hash\": \"%016" PRIx64 "\"", hash);
    qd_own_memory char *result = qd_scratch_read(at("out/result.json").text, NULL);
    ck_assert_ptr_nonnull(strstr(result, said));
    qd_store_state_free(store, &end);
    qd_world_destroy(world);
    ck_assert_int_eq(qd_store_close(store, NULL), QD_OK);
}

/// However far a process came with more steps before it was killed, the next one goes on.
QD_TEST(test_killed_while_it_gets_more_steps) {
    make_reference();
    for (int stage = 0; stage < 2; ++stage) {
        run_steps("233");
        delete_file("out/result.json");
        if (stage >= 1) {
            qd_own_memory char *text = qd_scratch_read(at("ref/scene.yaml").text, NULL);
            qd_scratch_write(at("out/scene.yaml").text, text);
        }
        SUCCEED("resume", "out", "-q", "--steps", "450", "--threads", "1");
        expect_as_longer_reference();
    }
    // With fewer steps than it was begun with, scene.yaml is another's.
    run_steps("300");
    qd_own_memory char *text = qd_scratch_read(at("out/scene.yaml").text, NULL);
    run_steps("450");
    qd_scratch_write(at("out/scene.yaml").text, text);
    delete_file("out/result.json");
    expect_refusal(RUN("resume", "out"), 4, "is not the scene that the run was begun with");
}

QD_TEST(test_bodies_of_a_run_are_those_of_its_end) {
    qd_scratch_write(at("next.yaml").text,
                     "name: next\nworld: {size: [40, 30]}\nrun: {steps: 1}\nframes: {every: 0}\n"
                     "bodies:\n  - run: {path: out}\n");
    qd_scratch_write(at("little.yaml").text, scene);
    SUCCEED("run", "little.yaml", "-o", "out", "-q", "--steps", "33", "--set", "checkpoint.every=0", "--set",
            "record.snapshots=0", "--frames", "0");
    qd_program_expect(RUN("run", "next.yaml", "-o", "next"), 0,
                      "its bodies at step 33, the last that is kept", NULL);
}

// A paddle that has left reflecting walls is taken where it is, and the run can be verified and resumed.
QD_TEST(test_bodies_of_a_run_that_have_left) {
    qd_scratch_write(
        at("paddle.yaml").text,
        "name: paddle\nworld: {size: [10, 10]}\nrun: {steps: 400, dt: 0.02}\nframes: {every: 0}\n"
        "bodies: [{list: [{shape: rect, at: [5, 5], kinematic: true, velocity: [1, 0]},"
        " {at: [2, 8], radius: 0.3}]}]\n");
    qd_scratch_write(at("next.yaml").text,
                     "name: next\nrun: {steps: 3}\nframes: {every: 0}\nrecord: {hashes: 1}\n"
                     "bodies: [{run: {path: paddle}}]\n");
    SUCCEED("run", "paddle.yaml", "-o", "paddle", "-q");
    SUCCEED("run", "next.yaml", "-o", "next", "-q");
    SUCCEED("verify", "next", "-q");
    SUCCEED("resume", "next", "-q", "--steps", "9");
    SUCCEED("verify", "next", "-q");
    SUCCEED("run", "next/scene.yaml", "-o", "again", "-q", "--steps", "9");
    qd_runs_expect_same_records(at("next").text, at("again").text);
}

QD_TEST(test_more_steps_leave_the_video) {
    qd_scratch_write(at("little.yaml").text, scene);
    SUCCEED("run", "little.yaml", "-o", "out", "-q", "--steps", "60", "--video", "film.png");
    size_t bytes = 0, after = 0;
    free(qd_scratch_read(at("film.png").text, &bytes));
    qd_program_expect(RUN("resume", "out", "--steps", "90"), 0, "film.png ends at step 60 and stays as it is",
                      NULL);
    free(qd_scratch_read(at("film.png").text, &after));
    ck_assert_uint_eq(after, bytes);
    ck_assert_uint_eq(qd_scratch_count(at("out/frames").text), 7 + 1);
}

QD_TEST(test_kernels_are_kept) {
    make_reference();
    SUCCEED("run", "little.yaml", "-o", "out", "-q", "--threads", "1", "--steps", "100", "--simd",
            "portable");
    qd_program_expect(RUN("resume", "out", "--steps", "200"), 0, "kernels  portable (as the run was begun)\n",
                      NULL);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "simd").text, "portable");
    qd_program_expect(RUN("resume", "out", "--steps", "300", "--simd", "auto"), 0, " (--simd)\n", NULL);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "simd").text, qd_simd_name(qd_simd_best()));
    // Those that this processor does not know are no reason to stop.
    qd_runs_change(at("out").text, "UPDATE run SET simd = 'abacus'");
    qd_program_expect(RUN("resume", "out", "--steps", "450"), 0, " (the processor's best)\n", NULL);
    expect_refusal(RUN("resume", "out", "--simd", "mmx"), 2, "'mmx' is none of auto, portable, sse2");
    expect_as_longer_reference();
}

QD_TEST(test_resume_of_another_scene) {
    // Where nothing is, --resume begins.
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "30", "-o", "out", "-q", "--resume");
    qd_program_text hash = qd_program_result_text(&program, "out", "scene_hash");
    qd_program_outcome result = RUN("run", "pool", "--bodies", "21", "--steps", "30", "-o", "out",
                                    "--resume");
    expect_refusal(result, 4, hash.text);
    SUCCEED("run", "pool", "--bodies", "21", "--steps", "30", "-o", "two", "-q");
    ck_assert_ptr_nonnull(strstr(result.err, qd_program_result_text(&program, "two", "scene_hash").text));
    ck_assert(qd_scratch_exists(at("out/result.json").text));
    ck_assert(!qd_scratch_exists(at("out/lock").text));
}

QD_TEST(test_what_is_no_run) {
    expect_refusal(RUN("resume", "nowhere"), 4, "nowhere is no directory");
    ck_assert(!qd_scratch_exists(at("nowhere").text));
    qd_scratch_write(at("scene.yaml").text, "name: mine\n");
    expect_refusal(RUN("resume", "."), 4, ". holds no run");
    expect_refusal(RUN("run", "pool", "--resume", "-o", "."), 4, "holds no run: nothing in it was touched");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1);
}

/// A run that was stopped somewhere behind its third checkpoint.
static void make_stopped(void) {
    qd_program_expect(stop_at(11, SIGTERM), 75, NULL, NULL);
}

static void expect_refused(const char *named) {
    expect_refusal(RUN("resume", "out"), 4, named);
    ck_assert(!qd_scratch_exists(at("out/lock").text));
}

/// Damages the last checkpoint, goes on, and expects that it was done from the one before.
static void check_damage(const char *damage) {
    make_stopped();
    int64_t last = qd_runs_number(at("out").text, "SELECT max(step) FROM checkpoints");
    char sql[200], named[64];
    snprintf(sql, sizeof sql, "SELECT max(step) FROM checkpoints WHERE step < %lld", (long long)last);
    int64_t before = qd_runs_number(at("out").text, sql);
    snprintf(sql, sizeof sql, "%s%lld", damage, (long long)last);
    qd_runs_change(at("out").text, sql);
    qd_program_outcome result = SUCCEED("resume", "out", "--threads", "1");
    snprintf(named, sizeof named, ": going on from step %lld\n", (long long)before);
    ck_assert_msg(strstr(result.err, named) && strstr(result.err, "quadrille: warning: "), "%s: %s: %s",
                  damage, named, result.err);
    expect_as_reference("out");
}

QD_TEST(test_damaged_checkpoints) {
    static const char *const damages[] = {
        "UPDATE parts SET data = substr(data, 1, length(data) / 2) WHERE owner = 'checkpoint' AND step = ",
        "UPDATE parts SET data = zeroblob(length(data)) WHERE owner = 'checkpoint' AND step = ",
        "DELETE FROM parts WHERE owner = 'checkpoint' AND step = ",
        "UPDATE checkpoints SET session = zeroblob(length(session)) WHERE step = ",
        "UPDATE checkpoints SET session = NULL WHERE step = ",
        "UPDATE checkpoints SET checksum = '0123456789abcdef' WHERE step = ",
        "UPDATE checkpoints SET step = step + 1 WHERE step = ",
    };
    make_reference();
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) check_damage(damages[i]);
}

QD_TEST(test_no_sound_checkpoint) {
    qd_scratch_write(at("little.yaml").text, scene);
    make_stopped();
    qd_runs_change(at("out").text, "UPDATE parts SET data = zeroblob(length(data))");
    int64_t rows = qd_runs_number(at("out").text, "SELECT count(*) FROM events");
    expect_refused("`quadrille run` with --force begins again");
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM events"), rows);
    ck_assert(qd_scratch_exists(at("out/frames/frame_000011.png").text));
}

QD_TEST(test_missing_and_broken_frames) {
    make_reference();
    make_stopped();
    qd_scratch_write(at("out/frames/frame_000008.png").text, "cut short by a power cut");
    qd_program_outcome result = SUCCEED("resume", "out", "--threads", "1");
    ck_assert_ptr_nonnull(strstr(result.err, "frame_000008.png is damaged: going on from step "));
    expect_as_reference("out");
    delete_file("out/result.json");
    delete_file("out/frames/frame_000000.png");
    expect_refused("frame_000000.png");
}

QD_TEST(test_foreign_stores_and_scenes) {
    make_reference();
    make_stopped();
    char *text = qd_scratch_read(at("out/scene.yaml").text, NULL);
    char *changed = strstr(text, "dt: 0.01");
    ck_assert_ptr_nonnull(changed);
    changed[7] = '2';
    qd_scratch_write(at("out/scene.yaml").text, text);
    free(text);
    expect_refused("is not the scene that the run was begun with");
    qd_scratch_write(at("out/run.db").text, "these are not the rows that you are looking for");
    delete_file("out/scene.yaml");
    text = qd_scratch_read(at("ref/scene.yaml").text, NULL);
    qd_scratch_write(at("out/scene.yaml").text, text);
    free(text);
    expect_refused("run.db");
}

QD_TEST(test_a_second_interrupt_leaves_at_once) {
    make_reference();
    // Pictures so large, of so many bodies, that those in line take a second.
    qd_program_start how = {.arguments = {"run", "little.yaml", "-o", "out", "-q", "--threads", "1",
                                          "--force", "--bodies", "20000", "--set", "view.size=[12000, 9000]",
                                          "--frames", "1"}};
    qd_program_outcome result = {.code = 75};
    for (int i = 0; i < 5 && result.code == 75; ++i) { // where the second came too late: once more
        (void)unlink(at("out/frames/frame_000001.png").text);
        pid_t child = qd_program_launch(&program, &how);
        qd_scratch_await(at("out/frames/frame_000001.png").text);
        kill(child, SIGINT);
        kill(child, SIGINT); // twice in a row is once
        usleep(400000);
        kill(child, SIGINT);
        result = qd_program_await(&program, child);
    }
    ck_assert_msg(result.code == -SIGINT, "exit %d: %s", result.code, result.err);
    ck_assert(!qd_scratch_exists(at("out/result.json").text));
}

QD_TEST_LOOP(test_a_disk_that_is_full_and_then_is_not, 0, QD_TEST_THREAD_SANITIZER ? 0 : 1) {
    make_reference();
    static const rlim_t limits[] = {40000, 120000, 250000, 400000};
    qd_program_start how = {
        .arguments = {"run", "little.yaml", "-o", "out", "-q", "--resume", "--threads", "1"}};
    int stopped = 0;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        how.file_limit = limits[i];
        qd_program_outcome result = qd_program_run(&program, &how);
        if (result.code == 0) break;
        expect_refusal(result, 4, "out/");
        stopped += strstr(result.err, "; `quadrille resume out` goes on from step ") != NULL;
        ck_assert(!qd_scratch_exists(at("out/result.json").text));
    }
    ck_assert_int_gt(stopped, 0);
    SUCCEED("resume", "out", "-q", "--threads", "1");
    expect_as_reference("out");
}

QD_TEST(test_a_limit_and_its_post_mortem) {
    qd_scratch_write(at("fall.yaml").text,
                     "name: fall\nworld: {size: [10, 100], gravity: [0, -10]}\n"
                     "run: {steps: 100, dt: 0.1}\nlimits: {speed: 5}\nview: {size: [320, 240]}\n"
                     "bodies:\n  - disks: {count: 1, radius: 1, place: grid, region: [4, 89, 2, 2]}\n");
    qd_program_outcome result = RUN("run", "fall.yaml", "-o", "out", "--frames", "1", "-q");
    expect_refusal(result, 5, "; see out/postmortem.png");
    for (int again = 0; again < 2; ++again) {
        qd_scratch_path out = at("out");
        const char *directory = out.text;
        int64_t step = qd_runs_number(directory, "SELECT step FROM failures");
        ck_assert_int_eq(qd_runs_number(directory, "SELECT count(*) FROM failures"), 1);
        ck_assert_int_eq(qd_runs_number(directory, "SELECT label FROM failures"), 1);
        ck_assert_int_eq(qd_runs_number(directory, "SELECT max(step) FROM checkpoints"), step - 1);
        ck_assert_int_eq(qd_runs_number(directory, "SELECT count(*) FROM frames"), step);
        ck_assert(qd_scratch_exists(at("out/postmortem.png").text));
        ck_assert(!qd_scratch_exists(at("out/result.json").text));
        qd_program_expect_no_parts(directory);
        // Whoever goes on meets the same limit in the same step.
        expect_refusal(RUN("resume", "out", "-q"), 5, "body 1");
    }
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "1", "-o", "out", "--force", "-q");
    ck_assert(!qd_scratch_exists(at("out/postmortem.png").text));
}

QD_TEST(test_recording_changes_nothing) {
    qd_scratch_write(at("little.yaml").text, scene);
    static const char *const kinds[][2] = {{"--frames", "0"},
                                           {"--snapshots", "7"},
                                           {"--set", "record.events=false"},
                                           {"--set", "record.metrics=0"},
                                           {"--set", "record.hashes=0"},
                                           {"--set", "checkpoint.every=1"}};
    SUCCEED("run", "little.yaml", "-o", "ref", "-q", "--steps", "200");
    qd_program_text hash = qd_program_result_text(&program, "ref", "state_hash");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        SUCCEED("run", "little.yaml", "-o", "out", "-q", "--force", "--steps", "200", kinds[i][0],
                kinds[i][1]);
        ck_assert_str_eq(qd_program_result_text(&program, "out", "state_hash").text, hash.text);
    }
    ck_assert_int_eq(qd_runs_number(at("ref").text, "SELECT count(*) FROM snapshots"), 3);
    ck_assert_int_eq(qd_runs_number(at("out").text, "SELECT count(*) FROM checkpoints"), 3);
}

QD_TEST(test_the_forecast) {
    qd_program_outcome result = SUCCEED("run", "pool", "--bodies", "50", "--steps", "20", "--frames", "10",
                                        "--snapshots", "10", "-o", "out");
    const char *line = strstr(result.err, "\ndisk     about ");
    ck_assert_msg(line && strstr(line, " (frames ") && strstr(line, " are free\n"), "%s", result.err);
    ck_assert_ptr_null(strstr(result.err, "warning"));
    // More pictures than any disk holds; it is the warning that counts.
    qd_program_start how = {.arguments = {"run", "pool", "--bodies", "50", "--steps", "9000000000000",
                                          "--frames", "1", "-o", "much"}};
    pid_t child = qd_program_launch(&program, &how);
    qd_scratch_await(at("much/frames/frame_000003.png").text);
    kill(child, SIGTERM);
    qd_program_expect(qd_program_await(&program, child), 75,
                      "quadrille: warning: the run is going to need about ", NULL);
}

QD_TEST_MAIN("resume", 300, setup, teardown)
