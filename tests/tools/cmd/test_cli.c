#define _GNU_SOURCE // posix_openpt
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tools/cmd/command.h"
#include "tools/host/topology.h"

#include <fcntl.h>
#include <quadrille/scene.h>
#include <quadrille/simd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The program at work: what it says, what it leaves, what it helps with.

QD_TEST(test_a_run_and_what_it_leaves) {
    qd_program_outcome result = SUCCEED("run", "pool", "--bodies", "60", "--steps", "25", "--frames", "10",
                                        "-o", "out", "--threads", "2");
    ck_assert_str_eq(result.out, "");
    static const char *const said[] = {"threads  2 (--threads)",
                                       "60 bodies, 25 steps",
                                       "every 10 steps, 3 in all",
                                       "output   out",
                                       "resolve",
                                       "retrieve",
                                       "ns/body-step",
                                       "body-steps/s",
                                       "frames: 3 in out/frames",
                                       "result: out/result.json"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; ++i)
        ck_assert_msg(strstr(result.err, said[i]) != NULL, "does not say '%s': %s", said[i], result.err);
    ck_assert_ptr_null(strchr(result.err, '\r'));
    ck_assert_ptr_null(strchr(result.err, '\033'));
    ck_assert_uint_eq(qd_scratch_count(at("out").text), 4); // scene.yaml, run.db, frames, result.json
    ck_assert_uint_eq(qd_scratch_count(at("out/frames").text), 4);
    ck_assert(qd_scratch_exists(at("out/frames/frame_000002.png").text));
    ck_assert(qd_scratch_exists(at("out/frames/manifest.csv").text));
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "bodies"), 60);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "steps"), 25);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "frames"), 3);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "threads"), 2);
    ck_assert_str_eq(qd_program_result_text(&program, "out", "version").text, QD_VERSION);
}

QD_TEST(test_json_and_quiet) {
    qd_program_outcome result = SUCCEED("run", "pool", "--bodies", "30", "--steps", "5", "--frames", "0",
                                        "-o", "out", "--json", "-q");
    ck_assert_str_eq(result.err, "");
    qd_own_memory char *file = qd_scratch_read(at("out/result.json").text, NULL);
    ck_assert_ptr_nonnull(file);
    ck_assert_str_eq(result.out, file);
    ck_assert_uint_eq(qd_scratch_count(at("out").text), 3); // no frames
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "frames"), 0);
}

/// Folders above a directory that is to be written are made with it, by every command.
QD_TEST(test_folders_above_the_output_are_made) {
    SUCCEED("run", "pool", "--bodies", "2e1", "--steps", "1e1", "--frames", "5", "--snapshots", "5", "-o",
            "a/b//c/");
    ck_assert_int_eq(qd_program_result_whole(&program, "a/b/c", "steps"), 10);
    SUCCEED("render", "a/b/c", "-o", "d/e/f");
    SUCCEED("export", "a/b/c", "--format", "csv", "-o", "g/h/i");
    SUCCEED("report", "a/b/c", "-o", "j/k/page.html");
    SUCCEED("video", "a/b/c", "-o", "l/m/film.png");
    static const char *const made[] = {"d/e/f/frame_000000.png", "g/h/i/bodies.csv", "j/k/page.html",
                                       "l/m/film.png"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i)
        ck_assert_msg(qd_scratch_exists(at(made[i]).text), "%s is missing", made[i]);
    qd_scratch_write(
        at("sweep.yaml").text,
        "scene: pool\nset: {run.steps: 2, frames.every: 0}\naxes: [{key: run.seed, list: [1, 2]}]\n");
    SUCCEED("sweep", "sweep.yaml", "-o", "n/o/p", "--jobs", "1");
    ck_assert(qd_scratch_exists(at("n/o/p/sweep.csv").text));
}

QD_TEST(test_same_state_for_any_kernels) {
    qd_program_text expected = {""};
    static const char *const kernels[] = {"auto", "portable", "sse2", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        qd_simd simd;
        ck_assert(qd_simd_named(kernels[i], &simd));
        if (!qd_simd_available(simd)) continue;
        SUCCEED("run", "pool", "--bodies", "500", "--steps", "40", "--frames", "0", "-o", kernels[i],
                "--simd", kernels[i]);
        qd_program_text hash = qd_program_result_text(&program, kernels[i], "state_hash");
        if (i == 0) expected = hash;
        ck_assert_str_eq(hash.text, expected.text);
    }
    expect_refusal(RUN("run", "pool", "-o", "none", "--simd", "mmx"), 2,
                   "'mmx' is none of auto, portable, sse2");
}

// Bound threads compute what free ones do, and the result says where they were.
QD_TEST(test_same_state_for_bound_threads) {
    SUCCEED("run", "pool", "--bodies", "500", "--steps", "40", "--frames", "0", "-o", "free", "--pin", "off");
    qd_program_text expected = qd_program_result_text(&program, "free", "state_hash");
    static const char *const policies[] = {"close", "spread"};
    for (size_t i = 0; i < 2; ++i) {
        qd_program_outcome result = RUN("run", "pool", "--bodies", "500", "--steps", "40", "--frames", "20",
                                        "-o", policies[i], "--threads", "2", "--pin", policies[i]);
        if (!qdi_topology_known()) {
            expect_refusal(result, 2, "--pin: this program was built without hwloc");
            ck_assert(!qd_scratch_exists(at(policies[i]).text));
            continue;
        }
        ck_assert_msg(result.code == 0, "exit %d: %s", result.code, result.err);
        ck_assert_msg(strstr(result.err, "\npin      ") && strstr(result.err, ": threads on processors "),
                      "%s", result.err);
        ck_assert_str_eq(qd_program_result_text(&program, policies[i], "state_hash").text, expected.text);
        ck_assert_str_eq(qd_program_result_text(&program, policies[i], "pin").text, policies[i]);
    }
}

QD_TEST(test_verbose_adds_tree_and_threads) {
    qd_program_outcome result = SUCCEED("run", "pool", "--bodies", "30", "--steps", "5", "--frames", "0",
                                        "-o", "out", "-v");
    ck_assert_ptr_nonnull(strstr(result.err, "busy seconds"));
    ck_assert_ptr_nonnull(strstr(result.err, "tree: "));
}

QD_TEST(test_default_directory_is_named_after_the_scene) {
    SUCCEED("run", "--bodies", "20", "--steps", "2", "--frames", "0");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1);
    qd_program_outcome result = SUCCEED("run", "--bodies", "20", "--steps", "2", "--frames", "0", "--json",
                                        "--force");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 1); // the same scene, the same directory
    json_t *root = json_loads(result.out, 0, NULL);
    ck_assert_ptr_nonnull(root);
    char name[64];
    snprintf(name, sizeof name, "pool-%.8s", json_string_value(json_object_get(root, "scene_hash")));
    ck_assert(qd_scratch_exists(at(name).text));
    json_decref(root);
}

QD_TEST(test_same_bytes_for_any_number_of_threads) {
    static const char *const threads[] = {"1", "2", "3", "8"};
    qd_program_text first = {""}, hash;
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; ++i) {
        SUCCEED("run", "pool", "--bodies", "300", "--steps", "60", "--frames", "20", "-o", threads[i],
                "--threads", threads[i], "-q");
        hash = qd_program_result_text(&program, threads[i], "state_hash");
        if (i == 0) first = hash;
        ck_assert_str_eq(hash.text, first.text);
        ck_assert_int_eq(qd_program_result_whole(&program, threads[i], "contacts_total"),
                         qd_program_result_whole(&program, "1", "contacts_total"));
        ck_assert_int_eq(qd_program_result_whole(&program, threads[i], "events_total"),
                         qd_program_result_whole(&program, "1", "events_total"));
        static const char *const files[] = {"frames/frame_000000.png", "frames/frame_000001.png",
                                            "frames/frame_000002.png", "frames/frame_000003.png",
                                            "frames/manifest.csv",     "scene.yaml"};
        for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f) {
            char a[64], b[64];
            snprintf(a, sizeof a, "1/%s", files[f]);
            snprintf(b, sizeof b, "%s/%s", threads[i], files[f]);
            expect_same_files(a, b);
        }
    }
    SUCCEED("run", "pool", "--bodies", "300", "--steps", "60", "--frames", "0", "-o", "bare");
    hash = qd_program_result_text(&program, "bare", "state_hash");
    ck_assert_str_eq(hash.text, first.text);
    SUCCEED("run", "pool", "--bodies", "300", "--steps", "60", "--frames", "0", "-o", "other", "--seed", "2");
    hash = qd_program_result_text(&program, "other", "state_hash");
    ck_assert_str_ne(hash.text, first.text);
    ck_assert_int_eq(qd_program_result_whole(&program, "other", "seed"), 2);
}

QD_TEST(test_the_resolved_scene_runs_the_same) {
    SUCCEED("run", "gas", "--bodies", "100", "--steps", "20", "--frames", "0", "-o", "a", "--set",
            "contact.restitution=0.5");
    SUCCEED("run", "a/scene.yaml", "-o", "b");
    qd_program_text a, b;
    a = qd_program_result_text(&program, "a", "state_hash");
    b = qd_program_result_text(&program, "b", "state_hash");
    ck_assert_str_eq(a.text, b.text);
    a = qd_program_result_text(&program, "a", "scene_hash");
    b = qd_program_result_text(&program, "b", "scene_hash");
    ck_assert_str_eq(a.text, b.text);
}

QD_TEST(test_threads_by_environment) {
    qd_program_outcome result = qd_program_succeed(
        &program, &(qd_program_start){.arguments = {"run", "pool", "--bodies", "20", "--steps", "1",
                                                    "--frames", "0", "-o", "omp"},
                                      .environment = {"OMP_NUM_THREADS=2", "SLURM_CPUS_PER_TASK=3"}});
    ck_assert_ptr_nonnull(strstr(result.err, "threads  2 (OMP_NUM_THREADS)"));
    ck_assert_int_eq(qd_program_result_whole(&program, "omp", "threads"), 2);
    qd_program_expect(
        qd_program_run(&program, &(qd_program_start){.arguments = {"run", "pool", "--bodies", "20", "--steps",
                                                                   "1", "--frames", "0", "-o", "slurm"},
                                                     .environment = {"SLURM_CPUS_PER_TASK=3"}}),
        0, "threads  3 (SLURM_CPUS_PER_TASK)", NULL);
    qd_program_expect(
        qd_program_run(&program, &(qd_program_start){.arguments = {"run", "pool", "--bodies", "20", "--steps",
                                                                   "1", "--frames", "0", "-o", "bad"},
                                                     .environment = {"SLURM_CPUS_PER_TASK=none"}}),
        0, "quadrille: warning: SLURM_CPUS_PER_TASK is 'none'", NULL);
    result = qd_program_succeed(
        &program, &(qd_program_start){.arguments = {"run", "pool", "--bodies", "20", "--steps", "1",
                                                    "--frames", "0", "-o", "few"},
                                      .environment = {"OMP_NUM_THREADS=", "SLURM_CPUS_PER_TASK="}});
    ck_assert_int_eq(qd_program_result_whole(&program, "few", "threads"), 1);
    ck_assert_msg(strstr(result.err, "threads  1 (") && !strstr(result.err, "faster"), "%s", result.err);
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "1", "--frames", "0", "-o", "many", "--threads",
            "64");
    ck_assert_int_eq(qd_program_result_whole(&program, "many", "threads"), 64);
}

QD_TEST(test_zero_bodies_run) {
    qd_scratch_write(at("empty.yaml").text,
                     "name: empty\nworld: {size: [10, 10]}\nrun: {steps: 5}\nbodies: []\n");
    qd_program_expect(RUN("run", "empty.yaml", "-o", "out", "--frames", "5"), 0,
                      "warning: the scene has no bodies", NULL);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "bodies"), 0);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "frames"), 2);
    SUCCEED("run", "pool", "--bodies", "10", "--steps", "0", "-o", "none", "--frames", "1");
    ck_assert_int_eq(qd_program_result_whole(&program, "none", "steps"), 0);
    ck_assert_int_eq(qd_program_result_whole(&program, "none", "frames"), 1);
}

QD_TEST(test_brute_force_is_warned_of) {
    qd_scratch_write(at("many.yaml").text, "bodies: [disks: {count: 10001, radius: 0.1}]\n"
                                           "stepper: {retrieve: brute}\nframes: {every: 0}\n");
    qd_program_outcome many = RUN("run", "many.yaml", "--steps", "1", "-o", "out", "--force");
    ck_assert_msg(many.code == 0 &&
                      strstr(many.err, "warning: stepper.retrieve: brute: each search for pairs "
                                       "compares 5e+07 boxes with one another; `join` finds"),
                  "%s", many.err);
    qd_program_outcome few = RUN("run", "many.yaml", "--steps", "1", "-o", "out", "--force", "--set",
                                 "bodies.0.disks.count=100");
    ck_assert_msg(few.code == 0 && !strstr(few.err, "brute"), "%s", few.err);
}

/// A body that frames look for and that is not there; an emitter could still make it.
QD_TEST(test_a_body_that_is_not_there_is_told) {
    static const struct {
        const char *set, *more, *named;
    } cases[] = {
        {"view.camera.follow=21", "run.seed=1", "warning: view.camera.follow: there is no body 21"},
        {"view.retrieve=99", "run.seed=1", "warning: view.retrieve: there is no body 99"},
        {"view.query.follow=99", "view.query.region=[1, 1, 2, 2]",
         "warning: view.query.follow: there is no body 99"},
        {"view.camera.follow=20", "view.retrieve=1", NULL},
        {"view.camera.follow=mass", "view.retrieve=none", NULL},
        {"view.camera.follow=99", "emitters=[{rate: 1, region: [10, 10, 5, 5], radius: 0.5}]", NULL},
    };
    qd_scratch_write(at("twenty.yaml").text, "bodies: [disks: {count: 20}]\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qd_program_outcome told = SUCCEED("run", "twenty.yaml", "--steps", "1", "--frames", "0", "-o", "out",
                                          "--force", "--set", cases[i].set, "--set", cases[i].more);
        const char *found = strstr(told.err, cases[i].named ? cases[i].named : "there is no body");
        ck_assert_msg(!found == !cases[i].named, "%s", told.err);
    }
}

QD_TEST(test_help_of_scenes) {
    qd_program_outcome told = SUCCEED("help", "scene", "contact.friction");
    ck_assert_ptr_eq(strstr(told.out, "contact.friction: a number >= 0; default: 0\n"), told.out);
    told = RUN("help", "scene", "bodies.0.disks.radius");
    ck_assert_ptr_nonnull(strstr(told.out, "bodies[].disks.radius.uniform: two numbers"));
    ck_assert_ptr_null(strstr(told.out, "bodies[].disks.count"));
    told = RUN("help", "scene");
    ck_assert_ptr_nonnull(strstr(told.out, "world.size: "));
    ck_assert_ptr_nonnull(strstr(told.out, "video.fps: "));
    expect_refusal(RUN("help", "scene", "contact.frction"), 2, "did you mean contact.friction?");
}

QD_TEST(test_a_scene_from_the_standard_input) {
    char command[2048];
    qd_scratch_write(at("my.yaml").text, "name: mine\nbodies: [disks: {count: 20}]\nrun: {steps: 5}\n");
    SUCCEED("run", "my.yaml", "-o", "file", "-q");
    snprintf(command, sizeof command, "cd '%s' && '%s' run - -o input -q <my.yaml", program.work.path,
             program.path);
    ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): ours
    ck_assert_str_eq(qd_program_result_text(&program, "input", "state_hash").text,
                     qd_program_result_text(&program, "file", "state_hash").text);
}

/// Runs with stderr on a terminal and gives what came out there; free() it.
static char *run_on_terminal(const char *const environment[QD_PROGRAM_VARIABLES], const char *flag) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(terminal, 0);
    ck_assert(grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(other_end, 0);
    qd_program_start how = {.arguments = {"run", "pool", "--threads", "1", "--steps", "4000", "--frames", "0",
                                          "-o", "out", "--force", flag},
                            .stderr_descriptor = other_end};
    for (size_t i = 0; i < QD_PROGRAM_VARIABLES; ++i) how.environment[i] = environment[i];
    pid_t child = qd_program_launch(&program, &how);
    close(other_end);
    size_t used = 0, room = 1 << 20;
    char *text = qd_test_memory(room);
    for (ssize_t got; used + 1 < room && (got = read(terminal, text + used, room - used - 1)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(terminal);
    qd_program_outcome result = qd_program_await(&program, child);
    ck_assert_msg(result.code == 0, "exit %d: %s", result.code, text);
    return text;
}

QD_TEST(test_progress_on_a_terminal) {
    qd_own_memory char *text = run_on_terminal((const char *const[QD_PROGRAM_VARIABLES]){"TERM=xterm"}, NULL);
    ck_assert_ptr_nonnull(strstr(text, "\r["));
    ck_assert_ptr_nonnull(strstr(text, "steps/s, "));
    ck_assert_ptr_nonnull(strstr(text, "\033[36m"));
    ck_assert_ptr_nonnull(strstr(text, "\r\033[K")); // gone at the end
    free(text);
    text = run_on_terminal((const char *const[QD_PROGRAM_VARIABLES]){"TERM=xterm", "NO_COLOR=1"}, NULL);
    ck_assert_ptr_nonnull(strstr(text, "\r["));
    ck_assert_ptr_null(strstr(text, "\033[36m"));
    free(text);
    text = run_on_terminal((const char *const[QD_PROGRAM_VARIABLES]){"TERM=xterm"}, "--no-color");
    ck_assert_ptr_null(strstr(text, "\033[36m"));
    free(text);
    text = run_on_terminal((const char *const[QD_PROGRAM_VARIABLES]){"TERM=xterm"}, "--no-progress");
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    text = run_on_terminal((const char *const[QD_PROGRAM_VARIABLES]){"TERM=dumb"}, NULL);
    ck_assert_ptr_null(strchr(text, '\033'));
}

QD_TEST(test_scenes_are_listed_and_printed) {
    qd_program_outcome list = SUCCEED("scenes");
    ck_assert_str_eq(list.err, "");
    size_t count = 0;
    const char *name;
    for (; (name = qd_scene_builtin_name(count)) != NULL; ++count) {
        ck_assert_ptr_nonnull(strstr(list.out, name));
        qd_program_outcome one = SUCCEED("scenes", name);
        ck_assert_str_eq(one.out, qd_scene_builtin_text(name));
    }
    ck_assert_uint_ge(count, 3);
}

QD_TEST(test_a_printed_scene_runs_as_the_built_in_one) {
    qd_program_outcome one = RUN("scenes", "pool");
    qd_scratch_write(at("my.yaml").text, one.out);
    SUCCEED("run", "my.yaml", "--bodies", "40", "--steps", "10", "--frames", "0", "-o", "a");
    SUCCEED("run", "pool", "--bodies", "40", "--steps", "10", "--frames", "0", "-o", "b");
    qd_program_text a, b;
    a = qd_program_result_text(&program, "a", "state_hash");
    b = qd_program_result_text(&program, "b", "state_hash");
    ck_assert_str_eq(a.text, b.text);
}

/// Bodies from a file: the run directory holds what was read, and runs again on its own, also onto itself.
QD_TEST(test_bodies_from_a_file) {
    qd_scratch_write(at("gran.yaml").text,
                     "name: gran\nworld: {gravity: [0, -1]}\nrun: {steps: 20, dt: 0.001}\nbodies:\n"
                     "- file: {path: " QD_SOURCE_DIR "/tests/data/gran.lammpstrj, frame: 1, mass: 0.5236}\n");
    SUCCEED("run", "gran.yaml", "-o", "out", "--frames", "10");
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "bodies"), 303);
    ck_assert_int_eq(qd_program_result_whole(&program, "out", "frames"), 3);
    ck_assert_uint_eq(qd_scratch_count(at("out").text), 5); // scene.yaml, bodies, run.db, frames, result.json
    qd_program_text hash = qd_program_result_text(&program, "out", "state_hash");
    SUCCEED("run", "out/scene.yaml", "-o", "again", "--threads", "2");
    ck_assert_str_eq(qd_program_result_text(&program, "again", "state_hash").text, hash.text);
    expect_same_files("out/scene.yaml", "again/scene.yaml");
    expect_same_files("out/bodies_0.lammpstrj", "again/bodies_0.lammpstrj");
    SUCCEED("run", "out/scene.yaml", "-o", "out", "--force");
    ck_assert_str_eq(qd_program_result_text(&program, "out", "state_hash").text, hash.text);
    expect_same_files("out/bodies_0.lammpstrj", "again/bodies_0.lammpstrj");
    // Another scene in the same place takes the copy away.
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "1", "--frames", "0", "-o", "out", "--force");
    ck_assert_uint_eq(qd_scratch_count(at("out").text), 3);
    // A disk outside a wall is put onto it, and the program says so.
    qd_scratch_write(at("low.csv").text, "x,y,r\n5,-0.1,0.5\n");
    qd_scratch_write(at("low.yaml").text, "run: {steps: 1}\nbodies:\n- file: {path: low.csv}\n");
    qd_program_expect(RUN("run", "low.yaml", "-o", "low", "--frames", "0"), 0,
                      "note     low.csv: 1 disk lay outside the walls, by 0.1 at most", NULL);
}

// Springs need steps that are short beside a contact; where they are not, the program says so.
QD_TEST(test_long_steps_of_springs_are_told) {
    static const char *const steps[] = {"run.dt=0.001", "run.dt=0.0011"};
    for (int k = 0; k < 2; ++k) {
        qd_program_outcome result = SUCCEED("run", "pool", "--bodies", "10", "--steps", "1", "--frames", "0",
                                            "-o", "soft", "--force", "--set", "contact.model=spring", "--set",
                                            "contact.spring.contact_time=0.02", "--set", steps[k]);
        const char *said = strstr(
            result.err, "warning: run.dt, 0.0011, is longer than a twentieth of the contact time of springs, "
                        "0.02: bodies that meet gain or lose energy by that; take 0.001 or less\n");
        ck_assert_msg((said != NULL) == (k == 1), "%s: %s", steps[k], result.err);
    }
}

/// How often a text has a piece.
static int count_of(const char *text, const char *piece) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, piece)) != NULL; at += strlen(piece)) ++count;
    return count;
}

static double balance_error(const char *directory) {
    json_t *root = qd_program_result(&program, directory);
    const json_t *value = json_object_get(json_object_get(root, "energy"), "balance_error");
    ck_assert(json_is_number(value));
    double error = json_number_value(value);
    json_decref(root);
    return error;
}

// What the steps made or lost of the energy is told at the end, with a warning where it is much: here springs
// that are pressed and let go within two steps.
QD_TEST(test_energy_that_the_steps_made_is_told) {
    static const char *const steps[] = {"run.dt=0.0005", "run.dt=0.01"};
    for (int k = 0; k < 2; ++k) {
        qd_program_outcome result = SUCCEED("run", "pool", "--bodies", "60", "--steps", "100", "--frames",
                                            "0", "-o", "soft", "--force", "--set", "contact.model=spring",
                                            "--set", "contact.spring.contact_time=0.02", "--set", steps[k]);
        double error = balance_error("soft");
        ck_assert_msg(error > 0 && (error > 0.01) == (k == 1), "%s: %g", steps[k], error);
        ck_assert_int_eq(count_of(result.err, "; balance error "), 1);
        int warnings = count_of(result.err, "warning: the steps made or lost ");
        ck_assert_msg(warnings == k, "%s: %s", steps[k], result.err);
    }
    // Gone on with, as if it had been killed before its end, it tells the same.
    double error = balance_error("soft");
    ck_assert_int_eq(unlink(qd_scratch_at(&program.work, "soft/result.json").text), 0);
    qd_program_outcome result = RUN("resume", "soft");
    ck_assert_msg(result.code == 0 && count_of(result.err, "warning: the steps made or lost ") == 1,
                  "exit %d: %s", result.code, result.err);
    ck_assert(balance_error("soft") == error);
    // One who wants to hear nothing hears nothing.
    result = RUN("run", "pool", "--bodies", "60", "--steps", "100", "--frames", "0", "-o", "quiet", "-q",
                 "--set", "contact.model=spring", "--set", "contact.spring.contact_time=0.02", "--set",
                 steps[1]);
    ck_assert_msg(result.code == 0 && result.err[0] == '\0', "exit %d: %s", result.code, result.err);
    ck_assert(balance_error("quiet") == error);
}

QD_TEST(test_files_and_built_in_scenes_are_told_apart) {
    SUCCEED("run", "pool", "--bodies", "10", "--steps", "1", "--frames", "0", "-o", "pool");
    SUCCEED("run", "pool", "--bodies", "10", "--steps", "1", "--frames", "0", "-o", "again");
    qd_scratch_write(at("plain").text, "name: mine\nrun: {steps: 1}\nbodies: []\n"); // a file needs no suffix
    SUCCEED("run", "plain", "-o", "mine");
    ck_assert_str_eq(qd_program_result_text(&program, "mine", "scene").text, "mine");
}

/// The help names every flag in the table, with its examples before anything else.
static void expect_help(const char *text, const qdi_command *command) {
    const char *examples = strstr(text, "Examples"), *flags = strstr(text, "Flags");
    ck_assert(examples && flags && examples < flags);
    size_t common_count;
    const qdi_option *common = qdi_common_options(&common_count);
    for (size_t i = 0; i < common_count; ++i) ck_assert_ptr_nonnull(strstr(flags, common[i].name));
    for (size_t i = 0; i < command->syntax->option_count; ++i) {
        const qdi_option *row = &command->syntax->options[i];
        ck_assert_msg(strstr(flags, row->name) && *row->about, "the help lacks %s", row->name);
        if (row->value) ck_assert_ptr_nonnull(strstr(flags, row->value));
    }
}

QD_TEST(test_help) {
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        const char *name = command->syntax->command;
        qd_program_outcome asked = RUN("help", name), flag = RUN(name, "--help"), letter = RUN(name, "-h");
        ck_assert(asked.code == 0 && flag.code == 0 && letter.code == 0);
        expect_help(asked.out, command);
        ck_assert_str_eq(asked.out, flag.out);
        ck_assert_str_eq(asked.out, letter.out);
        ck_assert_str_eq(flag.err, "");
        qd_program_outcome version = RUN(name, "--version");
        ck_assert_str_eq(version.out, "quadrille " QD_VERSION "\n");
    }
    qd_program_outcome all = RUN("help"), flag = RUN("--help"), letter = RUN("-h"),
                       version = RUN("--version");
    ck_assert_int_eq(all.code, 0);
    ck_assert_str_eq(all.out, flag.out);
    ck_assert_str_eq(all.out, letter.out);
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i)
        ck_assert_ptr_nonnull(strstr(all.out, command->about));
    ck_assert_str_eq(version.out, "quadrille " QD_VERSION "\n");
    ck_assert_uint_eq(qd_scratch_count(program.work.path), 0);
}

QD_TEST(test_help_lines_fit_a_terminal) {
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        qd_program_outcome help = RUN("help", command->syntax->command);
        for (char *line = strtok(help.out, "\n"); line; line = strtok(NULL, "\n"))
            ck_assert_msg(strlen(line) <= 100, "%zu columns: %s", strlen(line), line);
    }
}

QD_TEST_MAIN("cli", 300, setup, teardown)
