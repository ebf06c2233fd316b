// Directories that hold other things than the program has put there: links that lead elsewhere, pipes,
// directories in place of files. What they lead to stays as it is, nothing blocks, and a directory that is
// itself reached through a link works.
#define _GNU_SOURCE // symlink, mkfifo, waitid, nanosleep
#include "sim/files/os.h"
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/runs.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char scene[] = "name: tiny\n"
                            "world: {size: [20, 12], gravity: [0, -5]}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "bodies:\n"
                            "  - disks: {count: 20, radius: 0.4, velocity: {normal: 4}}\n"
                            "view: {size: [160, 120]}\n"
                            "frames: {every: 10}\n"
                            "record: {metrics: 10, snapshots: 20}\n"
                            "checkpoint: {every: 10}\n";

static const char victim_text[] = "not the program's";

static void make_scene(void) {
    qd_scratch_write(at("tiny.yaml").text, scene);
    qd_scratch_write(at("victim").text, victim_text);
}

static void make_run(void) {
    make_scene();
    SUCCEED("run", "tiny.yaml", "-o", "out", "-q");
}

/// The same, but as a run that can be gone on with.
static void make_open_run(void) {
    make_run();
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
}

static void expect_victim(void) {
    qd_own_memory char *text = qd_scratch_read(at("victim").text, NULL);
    ck_assert_str_eq(text, victim_text);
}

/// NAME in the program's directory becomes a link to `to`, whatever it was.
static void put_link(const char *name, const char *to) {
    qd_scratch_path path = at(name);
    if (qdi_os_exists(path.text)) qd_scratch_remove_tree(path.text);
    ck_assert_int_eq(symlink(to, path.text), 0);
}

static void put_pipe(const char *name) {
    qd_scratch_path path = at(name);
    (void)unlink(path.text);
    ck_assert_int_eq(mkfifo(path.text, 0666), 0);
}

/// Runs the program, but not for longer than five minutes: then it is killed, and its code is -9.
static qd_program_outcome run_bounded(const qd_program_start *start) {
    enum { TENTHS = 3000 };
    static const struct timespec tenth = {.tv_nsec = 100000000};
    pid_t child = qd_program_launch(&program, start);
    bool ended = false;
    for (int i = 0; i < TENTHS && !ended; ++i) {
        ended = qd_program_has_ended(child);
        if (!ended) (void)nanosleep(&tenth, NULL);
    }
    if (!ended) kill(child, SIGKILL);
    return qd_program_await(&program, child);
}

#define BOUNDED(...) run_bounded(&(qd_program_start){.arguments = {__VA_ARGS__}})

// ---- locks ----

QD_TEST(a_link_as_a_lock_is_refused) {
    static const char *const aims[] = {"nowhere", "../victim", "lock"};
    make_open_run();
    for (size_t i = 0; i < sizeof aims / sizeof aims[0]; ++i) {
        put_link("out/lock", aims[i]);
        expect_refusal(BOUNDED("resume", "out"), 4, "out/lock");
        expect_refusal(BOUNDED("run", "tiny.yaml", "-o", "out", "--force"), 4, "out/lock");
        ck_assert(!qd_scratch_exists(at("out/nowhere").text));
    }
    put_pipe("out/lock");
    expect_refusal(BOUNDED("resume", "out"), 4, "out/lock");
    ck_assert_int_eq(unlink(at("out/lock").text), 0);
    ck_assert_int_eq(mkdir(at("out/lock").text, 0777), 0);
    expect_refusal(BOUNDED("resume", "out"), 4, "out/lock");
}

static const char sweep_text[] = "scene: tiny.yaml\naxes: [{key: run.seed, list: [1, 2]}]\n";

QD_TEST(a_link_in_a_sweep_is_refused) {
    static const char *const names[] = {"sweep.lock", "sweep.db", "sweep.csv", "runs", "logs"};
    make_scene();
    qd_scratch_write(at("s.yaml").text, sweep_text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char name[32];
        snprintf(name, sizeof name, "out%zu", i);
        ck_assert_int_eq(mkdir(at(name).text, 0777), 0);
        snprintf(name, sizeof name, "out%zu/%s", i, names[i]);
        put_link(name, i == 0 ? "nowhere" : "../victim");
        *strchr(name, '/') = '\0';
        expect_refusal(BOUNDED("sweep", "s.yaml", "-o", name), 4, names[i]);
    }
}

QD_TEST(asking_about_a_lock_changes_nothing) {
    qd_scratch scratch = qd_scratch_make();
    qd_scratch_path path = qd_scratch_at(&scratch, "lock");
    qdi_os_lock lock;
    qd_error error = {""};
    ck_assert(!qdi_os_lock_is_held(path.text));
    ck_assert(!qd_scratch_exists(path.text)); // asking makes no file
    ck_assert_int_eq(qdi_os_lock_take(path.text, &lock, &error), QD_OK);
    ck_assert(qdi_os_lock_is_held(path.text));
    qdi_os_lock_drop(NULL, lock);
    ck_assert(qd_scratch_exists(path.text));
    ck_assert(!qdi_os_lock_is_held(path.text));
    qd_scratch_remove(&scratch);
}

/// Whoever asks whether a killed run's lock is held has it for a moment: the run that wants it takes it all
/// the same.
QD_TEST(asking_about_a_lock_keeps_nobody_from_it) {
    enum { TRIES = 2000 };
    qd_scratch scratch = qd_scratch_make();
    qd_scratch_path path = qd_scratch_at(&scratch, "lock");
    qd_scratch_write(path.text, ""); // left by one that was killed
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        for (;;) (void)qdi_os_lock_is_held(path.text);
    int lost = 0;
    for (int i = 0; i < TRIES; ++i) {
        qdi_os_lock lock;
        if (qdi_os_lock_take(path.text, &lock, NULL) == QD_OK)
            qdi_os_lock_drop(NULL, lock);
        else
            ++lost;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    qd_scratch_remove(&scratch);
    ck_assert_int_eq(lost, 0);
}

// ---- files and folders of a run ----

static const char *const readers[][3] = {{"verify", "out", NULL},
                                         {"render", "out", "--force"},
                                         {"report", "out", NULL},
                                         {"video", "out", "--force"}};

static void refuse_everywhere(const char *name, int code) {
    expect_refusal(BOUNDED("resume", "out"), code, name);
    expect_refusal(BOUNDED("run", "tiny.yaml", "-o", "out", "--resume"), code, name);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; ++i)
        expect_refusal(BOUNDED(readers[i][0], readers[i][1], readers[i][2]), code, name);
    expect_refusal(BOUNDED("export", "out", "--format", "csv", "--force"), code, name);
    expect_refusal(BOUNDED("diff", "out", "out"), code, name);
    expect_refusal(BOUNDED("run", "tiny.yaml", "-o", "out", "--force"), code, name);
}

QD_TEST(links_in_a_run_are_refused) {
    static const char *const names[] = {
        "frames",         "render",           "export",           "video", "run.db-wal",
        "run.db-journal", "report.html.part", "result.json.part", "run.db"};
    make_open_run();
    ck_assert_int_eq(mkdir(at("elsewhere").text, 0777), 0);
    qd_scratch_write(at("elsewhere/frame_000000.png").text, "a picture of mine");
    qd_scratch_write(at("elsewhere/manifest.csv").text, "a list of mine");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char name[64];
        snprintf(name, sizeof name, "out/%s", names[i]);
        put_link(name, i < 4 ? "../elsewhere" : "../victim");
        refuse_everywhere(name, 4);
        ck_assert_uint_eq(qd_scratch_count(at("elsewhere").text), 2);
        ck_assert_int_eq(unlink(at(name).text), 0);
    }
}

QD_TEST(links_in_a_folder_of_exports_are_refused) {
    make_run();
    ck_assert_int_eq(mkdir(at("elsewhere").text, 0777), 0);
    ck_assert_int_eq(mkdir(at("out/export").text, 0777), 0);
    put_link("out/export/csv", "../../elsewhere");
    expect_refusal(BOUNDED("export", "out", "--format", "csv"), 4, "out/export/csv");
    ck_assert_uint_eq(qd_scratch_count(at("elsewhere").text), 0);
}

QD_TEST(pipes_in_a_run_are_refused) {
    static const char *const names[] = {"out/run.db-journal", "out/result.json", "out/scene.yaml"};
    make_open_run();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        put_pipe(names[i]);
        refuse_everywhere(names[i], 4);
        if (i < 2) ck_assert_int_eq(unlink(at(names[i]).text), 0);
    }
}

QD_TEST(a_pipe_as_a_file_of_bodies_is_refused) {
    make_scene();
    put_pipe("bodies.csv");
    qd_scratch_write(at("file.yaml").text,
                     "world: {size: [10, 10]}\nrun: {steps: 1}\nbodies: [{file: {path: bodies.csv}}]\n");
    expect_refusal(BOUNDED("run", "file.yaml", "-o", "out"), 3, "bodies.csv");
}

QD_TEST(segments_of_a_video_are_not_looked_for_through_a_link) {
    make_run();
    ck_assert_int_eq(mkdir(at("elsewhere").text, 0777), 0);
    qd_scratch_write(at("elsewhere/segment_mine").text, "mine");
    put_link("v.png.segments", "elsewhere");
    expect_refusal(BOUNDED("video", "out", "-o", "v.png"), 4, "v.png.segments");
    ck_assert_uint_eq(qd_scratch_count(at("elsewhere").text), 1);
}

// What is written anew replaces a link and leaves what it leads to.
QD_TEST(files_in_the_making_are_never_written_through_links) {
    static const char *const names[] = {"page.html.part", "pages/frame_000000.png.part",
                                        "pages/manifest.csv.part"};
    make_run();
    ck_assert_int_eq(mkdir(at("pages").text, 0777), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        put_link(names[i], i == 0 ? "victim" : "../victim");
    SUCCEED("report", "out", "-o", "page.html", "-q");
    SUCCEED("render", "out", "-o", "pages", "--force", "-q");
    expect_victim();
    struct stat info;
    ck_assert(lstat(at("page.html").text, &info) == 0 && S_ISREG(info.st_mode));
    ck_assert(lstat(at("pages/manifest.csv").text, &info) == 0 && S_ISREG(info.st_mode));
}

/// Only files, links and pipes make room for a file of that name.
QD_TEST(nothing_else_makes_room_for_a_file) {
    qdi_file file = QDI_FILE_NONE;
    qd_error error = {""};
    ck_assert_int_eq(mkdir(at("folder").text, 0777), 0);
    ck_assert_int_eq(qdi_file_create(at("folder").text, &file, &error), QD_ERR_IO);
    if (mknod(at("device").text, S_IFCHR | 0666, makedev(1, 3)) == 0) { // by root only
        ck_assert_int_eq(qdi_file_create(at("device").text, &file, &error), QD_ERR_IO);
        ck_assert(qd_scratch_exists(at("device").text));
    }
    put_pipe("pipe");
    ck_assert_int_eq(qdi_file_create(at("pipe").text, &file, &error), QD_OK);
    ck_assert_int_eq(qdi_file_close(file, "pipe", false, &error), QD_OK);
}

// ---- what is allowed ----

QD_TEST(a_run_directory_may_be_reached_through_a_link) {
    make_scene();
    ck_assert_int_eq(mkdir(at("scratch").text, 0777), 0);
    ck_assert_int_eq(mkdir(at("scratch/run").text, 0777), 0);
    ck_assert_int_eq(symlink("scratch/run", at("out").text), 0);
    SUCCEED("run", "tiny.yaml", "-o", "out", "-q");
    ck_assert(qd_scratch_exists(at("scratch/run/result.json").text));
    ck_assert_int_eq(unlink(at("out/result.json").text), 0);
    SUCCEED("resume", "out", "-q");
    SUCCEED("verify", "out", "-q");
    SUCCEED("render", "out", "-q");
    SUCCEED("export", "out", "--format", "csv", "-q");
    SUCCEED("report", "out", "-q");
    SUCCEED("video", "out", "-o", "w.png", "-q");
    SUCCEED("run", "tiny.yaml", "-o", "out", "--force", "-q");
    struct stat info;
    ck_assert(lstat(at("out").text, &info) == 0 && S_ISLNK(info.st_mode));
}

QD_TEST(scenes_and_bodies_may_be_links_and_scenes_pipes) {
    make_scene();
    qd_scratch_write(at("b.csv").text, "x,y,radius\n5,5,1\n");
    qd_scratch_write(at("file.yaml").text,
                     "world: {size: [10, 10]}\nrun: {steps: 1}\nbodies: [{file: {path: link.csv}}]\n");
    put_link("link.csv", "b.csv");
    put_link("link.yaml", "file.yaml");
    SUCCEED("run", "link.yaml", "-o", "out", "-q");
    put_pipe("pipe.yaml");
    pid_t child = qd_program_launch(
        &program, &(qd_program_start){.arguments = {"run", "pipe.yaml", "-o", "piped", "-q"}});
    qd_scratch_write(at("pipe.yaml").text, scene);
    qd_program_expect(qd_program_await(&program, child), 0, NULL, NULL);
}

QD_TEST(a_directory_may_be_named_like_a_uri) {
    make_scene();
    qd_scratch_write(at("s.yaml").text, sweep_text);
    SUCCEED("run", "tiny.yaml", "-o", "file:zz", "-q");
    ck_assert(qd_scratch_exists(at("file:zz/run.db").text));
    ck_assert(!qd_scratch_exists(at("zz").text));
    SUCCEED("verify", "file:zz", "-q");
    SUCCEED("run", "tiny.yaml", "-o", "file:a?mode=memory", "-q");
    ck_assert(qd_scratch_exists(at("file:a?mode=memory/run.db").text));
    SUCCEED("sweep", "s.yaml", "-o", "file:s", "--shard", "1/2", "-q");
    SUCCEED("sweep", "s.yaml", "-o", "file:s", "-q");
    ck_assert(qd_scratch_exists(at("file:s/sweep.db").text));
}

// ---- pages of sweeps ----

QD_TEST(a_sweeps_database_leads_nowhere_else) {
    make_run();
    qd_scratch_write(at("s.yaml").text, sweep_text);
    SUCCEED("sweep", "s.yaml", "-o", "swept", "-q");
    (void)unlink(at("swept/sweep.csv").text);
    // Directories that a page must not be written to.
    ck_assert_int_eq(rename(at("swept/sweep.db").text, at("swept/run.db").text), 0);
    qd_runs_change(at("swept").text, "UPDATE sweep SET directory = '../out'");
    ck_assert_int_eq(rename(at("swept/run.db").text, at("swept/sweep.db").text), 0);
    SUCCEED("report", "swept", "--runs", "-q");
    ck_assert(!qd_scratch_exists(at("out/report.html").text));
    qd_own_memory char *page = qd_scratch_read(at("swept/report.html").text, NULL);
    ck_assert_ptr_nonnull(page);
    ck_assert_ptr_null(strstr(page, "../out"));
}

QD_TEST_MAIN("links", 500, setup, teardown)
