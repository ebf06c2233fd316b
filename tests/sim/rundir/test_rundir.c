#define _GNU_SOURCE // fork, mkdir, setrlimit, geteuid
#include "tests/support/harness.h"
#include "tests/support/one_scratch.h"

#include <quadrille/rundir.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

QD_OWN_POINTER(qd_rundir, qd_rundir_close)

static const char scene[] = "name: small\n";

static void make_directory(const char *path) {
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

/// Makes a run directory and closes it again.
static qd_status create(const char *path, bool force, qd_error *error) {
    qd_own(qd_rundir) rundir = NULL;
    error->text[0] = '\0';
    qd_status status = qd_rundir_create(path, scene, force, &rundir, error);
    ck_assert((status == QD_OK) == (rundir != NULL));
    if (status != QD_OK) ck_assert_str_ne(error->text, "");
    ck_assert_ptr_null(strchr(error->text, '\n'));
    return status;
}

/// A finished run with two frames.
static void create_run(const char *path) {
    qd_error error = {""};
    qd_own(qd_rundir) rundir = NULL;
    ck_assert_int_eq(qd_rundir_create(path, scene, false, &rundir, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_subdir(rundir, "frames", &error), QD_OK);
    ck_assert_int_eq(qd_rundir_write(rundir, "frames/frame_000000.png", "a", 1, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_write(rundir, "frames/frame_1000000.png", "b", 1, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_write(rundir, "frames/manifest.csv", "c", 1, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_write(rundir, "result.json", "{}\n", 3, &error), QD_OK);
}

QD_TEST(test_new_directory) {
    qd_scratch_path path = at("run"), file = at("run/scene.yaml");
    qd_error error = {""};
    qd_rundir *rundir = NULL;
    ck_assert_int_eq(qd_rundir_create(path.text, scene, false, &rundir, &error), QD_OK);
    ck_assert_str_eq(qd_rundir_path(rundir), path.text);
    char *text = qd_scratch_read(file.text, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, scene));
    ck_assert_int_eq(text[0], '#'); // the rest is a comment
    free(text);
    qd_rundir_close(rundir);
    ck_assert_uint_eq(qd_scratch_count(path.text), 1); // no lock, nothing in the making
}

QD_TEST(test_empty_directory_is_taken) {
    qd_scratch_path path = at("run");
    make_directory(path.text);
    qd_error error;
    ck_assert_int_eq(create(path.text, false, &error), QD_OK);
}

QD_TEST(test_earlier_run_is_refused) {
    qd_scratch_path path = at("run"), result = at("run/result.json");
    create_run(path.text);
    qd_error error;
    ck_assert_int_eq(create(path.text, false, &error), QD_ERR_EXISTS);
    ck_assert_ptr_nonnull(strstr(error.text, path.text));
    ck_assert(qd_scratch_exists(result.text));
    ck_assert_uint_eq(qd_scratch_count(path.text), 3);
}

QD_TEST(test_force_deletes_the_run_and_nothing_else) {
    qd_scratch_path path = at("run"), notes = at("run/notes.txt"), mine = at("run/frames/frame_best.png"),
                    part = at("run/frames/frame_000002.png.part"), frame = at("run/frames/frame_000000.png");
    create_run(path.text);
    qd_scratch_write(notes.text, "mine");
    qd_scratch_write(mine.text, "mine");
    qd_scratch_write(part.text, "half");
    qd_error error;
    ck_assert_int_eq(create(path.text, true, &error), QD_OK);
    ck_assert(qd_scratch_exists(notes.text) && qd_scratch_exists(mine.text));
    ck_assert(!qd_scratch_exists(part.text) && !qd_scratch_exists(frame.text));
    ck_assert_uint_eq(qd_scratch_count(path.text), 3); // scene.yaml, notes.txt, frames
    ck_assert_uint_eq(qd_scratch_count(at("run/frames").text), 1);
}

QD_TEST(test_force_leaves_no_empty_frames) {
    qd_scratch_path path = at("run");
    create_run(path.text);
    qd_error error;
    ck_assert_int_eq(create(path.text, true, &error), QD_OK);
    ck_assert_uint_eq(qd_scratch_count(path.text), 1);
    ck_assert_int_eq(create(at("new").text, true, &error), QD_OK);
}

QD_TEST(test_what_is_no_run_is_never_touched) {
    qd_scratch_path path = at("mine"), own = at("mine/scene.yaml"), lock = at("mine/lock");
    make_directory(path.text);
    qd_scratch_write(own.text, "name: my own scene\n");
    qd_error error;
    for (int force = 0; force < 2; ++force) {
        ck_assert_int_eq(create(path.text, force == 1, &error), QD_ERR_INVALID);
        ck_assert_uint_eq(qd_scratch_count(path.text), 1);
    }
    qd_scratch_write(lock.text, "a file of that name");
    ck_assert_int_eq(create(path.text, true, &error), QD_ERR_INVALID);
    ck_assert_uint_eq(qd_scratch_count(path.text), 2);
    qd_own_memory char *text = qd_scratch_read(own.text, NULL);
    ck_assert_str_eq(text, "name: my own scene\n");
}

QD_TEST(test_what_a_killed_run_left_is_no_obstacle) {
    qd_scratch_path path = at("run");
    make_directory(path.text);
    qd_scratch_write(at("run/lock").text, "");
    qd_scratch_write(at("run/scene.yaml.part").text, "na");
    qd_error error;
    ck_assert_int_eq(create(path.text, false, &error), QD_OK);
}

QD_TEST(test_a_file_in_place_of_the_directory) {
    qd_scratch_path path = at("file");
    qd_scratch_write(path.text, "text");
    qd_error error;
    for (int force = 0; force < 2; ++force)
        ck_assert_int_eq(create(path.text, force == 1, &error), QD_ERR_INVALID);
    qd_own_memory char *text = qd_scratch_read(path.text, NULL);
    ck_assert_str_eq(text, "text");
}

QD_TEST(test_folders_above_and_bad_names) {
    qd_error error;
    ck_assert_int_eq(create(at("no/run").text, false, &error),
                     QD_OK); // folders above are made
    ck_assert(qd_scratch_exists(at("no/run").text));
    ck_assert_int_eq(create(at("no/run/scene.yaml/run").text, false, &error), QD_ERR_IO);
    ck_assert_msg(strstr(error.text, "scene.yaml") != NULL, "%s", error.text);
    ck_assert_int_eq(create("", false, &error), QD_ERR_IO);
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ck_assert_int_eq(create(longer, false, &error), QD_ERR_IO);
    qd_rundir *rundir = NULL;
    ck_assert_int_eq(qd_rundir_create(NULL, scene, false, &rundir, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_rundir_create("x", NULL, false, &rundir, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_rundir_create("x", scene, false, NULL, NULL), QD_ERR_ARGUMENT);
    qd_rundir_close(NULL);
}

QD_TEST(test_unwritable_directory) {
    if (geteuid() == 0) return; // root may write everywhere; test_cli has a file size limit for everybody
    qd_scratch_path path = at("closed"), inner = at("closed/run");
    make_directory(path.text);
    ck_assert_int_eq(chmod(path.text, 0555), 0);
    qd_error error;
    ck_assert_int_eq(create(path.text, false, &error), QD_ERR_IO);
    ck_assert_int_eq(create(inner.text, false, &error), QD_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "Permission denied"));
    ck_assert_int_eq(chmod(path.text, 0777), 0);
}

QD_TEST(test_one_run_at_a_time) {
    qd_scratch_path path = at("run");
    qd_error error = {""};
    qd_rundir *first = NULL, *second = NULL;
    ck_assert_int_eq(qd_rundir_create(path.text, scene, false, &first, &error), QD_OK);
    for (int force = 0; force < 2; ++force) {
        ck_assert_int_eq(qd_rundir_create(path.text, scene, force == 1, &second, &error), QD_ERR_STATE);
        ck_assert_ptr_null(second);
        ck_assert_ptr_nonnull(strstr(error.text, "in use"));
    }
    ck_assert_int_eq(qd_rundir_write(first, "result.json", "{}", 2, &error), QD_OK);
    qd_rundir_close(first);
    ck_assert_int_eq(create(path.text, true, &error), QD_OK);
}

QD_TEST(test_the_lock_ends_with_its_process) {
    qd_scratch_path path = at("run");
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        qd_rundir *rundir = NULL;
        qd_status status = qd_rundir_create(path.text, scene, false, &rundir, NULL);
        _exit(status == QD_OK ? 0 : 1); // never closed, as after a kill
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert(qd_scratch_exists(at("run/lock").text));
    qd_error error;
    ck_assert_int_eq(create(path.text, false, &error), QD_ERR_EXISTS);
    ck_assert_int_eq(create(path.text, true, &error), QD_OK);
}

QD_TEST(test_many_start_at_once_and_one_wins) {
    enum { RUNNERS = 8 };
    for (int round = 0; round < 20; ++round) {
        char name[32];
        snprintf(name, sizeof name, "race%d", round);
        qd_scratch_path path = at(name);
        pid_t children[RUNNERS];
        for (int i = 0; i < RUNNERS; ++i) {
            children[i] = fork();
            ck_assert_int_ge(children[i], 0);
            if (children[i] == 0) {
                qd_rundir *rundir = NULL;
                qd_status status = qd_rundir_create(path.text, scene, false, &rundir, NULL);
                usleep(2000);
                qd_rundir_close(rundir);
                _exit((int)status);
            }
        }
        int winners = 0;
        for (int i = 0; i < RUNNERS; ++i) {
            int status = 0;
            ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
            ck_assert(WIFEXITED(status));
            int code = WEXITSTATUS(status);
            winners += code == QD_OK ? 1 : 0;
            ck_assert_msg(code == QD_OK || code == QD_ERR_STATE || code == QD_ERR_EXISTS, "status %d", code);
        }
        ck_assert_int_eq(winners, 1);
        ck_assert_uint_eq(qd_scratch_count(path.text), 1);
    }
}

/// From here on no file of this process may get longer than `bytes`, as on a full disk.
static void limit_files(rlim_t bytes) {
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    struct rlimit limit = {bytes, bytes};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

QD_TEST(test_a_full_disk_leaves_no_half_file) {
    qd_scratch_path path = at("run"), result = at("run/result.json");
    qd_error error = {""};
    qd_rundir *rundir = NULL;
    ck_assert_int_eq(qd_rundir_create(path.text, scene, false, &rundir, &error), QD_OK);
    limit_files(100);
    char data[1000] = "";
    ck_assert_int_eq(qd_rundir_write(rundir, "result.json", data, sizeof data, &error), QD_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "result.json"));
    ck_assert(!qd_scratch_exists(result.text));
    ck_assert_int_eq(qd_rundir_write(rundir, "result.json", data, 50, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_write(rundir, "result.json", data, sizeof data, &error), QD_ERR_IO);
    size_t bytes = 0;
    char *text = qd_scratch_read(result.text, &bytes);
    ck_assert_uint_eq(bytes, 50); // the one that was there is untouched
    free(text);
    qd_rundir_close(rundir);
    ck_assert_uint_eq(qd_scratch_count(path.text), 2);
}

QD_TEST(test_a_disk_full_from_the_start_leaves_no_directory) {
    qd_scratch_path path = at("run");
    limit_files(10);
    qd_error error;
    ck_assert_int_eq(create(path.text, false, &error), QD_ERR_IO);
    ck_assert(!qd_scratch_exists(path.text));
}

QD_TEST(test_subdir_over_a_file) {
    qd_scratch_path path = at("run");
    qd_error error = {""};
    qd_own(qd_rundir) rundir = NULL;
    ck_assert_int_eq(qd_rundir_create(path.text, scene, false, &rundir, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_subdir(rundir, "frames", &error), QD_OK);
    ck_assert_int_eq(qd_rundir_subdir(rundir, "frames", &error), QD_OK);
    qd_scratch_write(at("run/other").text, "");
    ck_assert_int_eq(qd_rundir_subdir(rundir, "other", &error), QD_ERR_IO);
}

QD_TEST(test_an_earlier_run_is_opened_again) {
    qd_scratch_path path = at("run");
    create_run(path.text);
    qd_error error = {""};
    qd_rundir *rundir = NULL, *second = NULL;
    ck_assert_int_eq(qd_rundir_open(path.text, &rundir, &error), QD_OK);
    ck_assert(qd_rundir_complete(rundir));
    ck_assert_int_eq(qd_rundir_open(path.text, &second, &error), QD_ERR_STATE);
    ck_assert_ptr_nonnull(strstr(error.text, "is in use by another run"));
    ck_assert_ptr_null(second);
    qd_rundir_close(rundir);
    ck_assert_uint_eq(qd_scratch_count(path.text), 3);
    ck_assert_int_eq(unlink(at("run/result.json").text), 0);
    ck_assert_int_eq(qd_rundir_open(path.text, &rundir, &error), QD_OK);
    ck_assert(!qd_rundir_complete(rundir));
    qd_rundir_close(rundir);
}

QD_TEST(test_what_is_no_run_is_not_opened) {
    qd_scratch_path path = at("mine");
    qd_error error = {""};
    qd_rundir *rundir = NULL;
    ck_assert_int_eq(qd_rundir_open(path.text, &rundir, &error), QD_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.text, "mine is no directory"));
    make_directory(path.text);
    ck_assert_int_eq(qd_rundir_open(path.text, &rundir, &error), QD_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.text, "mine holds no run"));
    qd_scratch_write(at("mine/scene.yaml").text, "name: mine\n");
    ck_assert_int_eq(qd_rundir_open(path.text, &rundir, &error), QD_ERR_NOT_FOUND);
    ck_assert_ptr_null(rundir);
    ck_assert_uint_eq(qd_scratch_count(path.text), 1); // no lock
}

QD_TEST(test_frames_are_kept_up_to_a_number) {
    qd_scratch_path path = at("run");
    create_run(path.text); // with frame_000000.png, frame_1000000.png, manifest.csv
    static const char *const more[] = {"frames/frame_000001.png",
                                       "frames/frame_000002.png",
                                       "frames/frame_000000.png.part",
                                       "frames/manifest.csv.part",
                                       "frames/notes.txt",
                                       "result.json.part",
                                       "bodies_3.csv.part",
                                       "notes.part",
                                       "postmortem.png",
                                       "frames/frame_99999999999999999999999.png"};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; ++i) {
        char name[96];
        (void)snprintf(name, sizeof name, "run/%s", more[i]);
        qd_scratch_write(at(name).text, "x");
    }
    qd_error error = {""};
    qd_own(qd_rundir) rundir = NULL;
    ck_assert_int_eq(qd_rundir_open(path.text, &rundir, &error), QD_OK);
    ck_assert_int_eq(qd_rundir_keep_frames(rundir, 2, &error), QD_OK);
    static const char *const kept[] = {"run/frames/frame_000000.png", "run/frames/frame_000001.png",
                                       "run/frames/notes.txt"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
        ck_assert_msg(qd_scratch_exists(at(kept[i]).text), "%s", kept[i]);
    ck_assert_uint_eq(qd_scratch_count(at("run/frames").text), 3);
    ck_assert_uint_eq(qd_scratch_count(path.text), 5); // scene.yaml, result.json, notes.part, frames, lock
    qd_scratch_write(at("run/run.db").text, "x");
    qd_scratch_write(at("run/run.db-wal").text, "x");
    qd_scratch_write(at("run/postmortem.png").text, "x");
    ck_assert_int_eq(qd_rundir_clear(rundir, &error), QD_OK);
    ck_assert_uint_eq(qd_scratch_count(path.text), 4);             // scene.yaml, notes.part, frames, lock
    ck_assert_uint_eq(qd_scratch_count(at("run/frames").text), 1); // notes.txt
}

QD_TEST_MAIN("rundir", 120, setup, teardown)
