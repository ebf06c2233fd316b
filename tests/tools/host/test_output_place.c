#define _GNU_SOURCE // mkfifo, symlink
#include "export/page/page.h"
#include "sim/files/os.h"
#include "tests/support/harness.h"
#include "tests/support/one_program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Where commands write what the user names: nothing that is there is replaced unbidden, and what is no file,
// or a run's own, never.

#define BENCH "bench", "--methods", "grid", "--bodies", "100", "--steps", "1", "--repeats", "1", "-q"

static void make_run(const char *name) {
    SUCCEED("run", "pool", "--bodies", "20", "--steps", "4", "--frames", "1", "-o", name, "-q", "--set",
            "record.snapshots=1", "--set", "view.size=[80, 60]");
}

/// A file holds this text still.
static void expect_text(const char *name, const char *text) {
    qd_own_memory char *found = qd_scratch_read(at(name).text, NULL);
    ck_assert_ptr_nonnull(found);
    ck_assert_str_eq(found, text);
}

static bool begins_with(const char *name, const char *text) {
    qd_own_memory char *found = qd_scratch_read(at(name).text, NULL);
    return found && strncmp(found, text, strlen(text)) == 0;
}

// ---- paths and kinds ----

QD_TEST(full_paths) {
    char folder[600], full[600], wanted[1300], path[1300];
    ck_assert(qdi_os_full_path(program.work.path, folder, sizeof folder));
    ck_assert_int_eq(mkdir(at("here").text, 0777), 0);
    ck_assert_int_eq(symlink("here", at("link").text), 0);
    qd_scratch_write(at("file").text, "mine");
    static const struct {
        const char *path, *full;
    } cases[] = {{"here", "/here"},        {"link/", "/here"},    {"link/new/deep", "/here/new/deep"},
                 {"new/../here", "/here"}, {"new/../../x", NULL}, {"./here/./../link//a//b/", "/here/a/b"},
                 {"here/..", ""},          {"file/x", "/file/x"}, {"new/./x/..", "/new"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        snprintf(path, sizeof path, "%s/%s", program.work.path, cases[i].path);
        ck_assert(qdi_os_full_path(path, full, sizeof full));
        if (!cases[i].full) continue;
        snprintf(wanted, sizeof wanted, "%s%s", folder, cases[i].full);
        ck_assert_str_eq(full, wanted);
    }
    ck_assert(qdi_os_full_path("/", full, sizeof full));
    ck_assert_str_eq(full, "/");
    ck_assert(qdi_os_full_path("/no-such/../../../x", full, sizeof full));
    ck_assert_str_eq(full, "/x");
    ck_assert(!qdi_os_full_path("", full, sizeof full));
    ck_assert(!qdi_os_full_path("/no-such/folder", full, 10));
    ck_assert(qdi_os_full_path("no-such/x", full, sizeof full) && full[0] == '/');
}

QD_TEST(kinds_of_names) {
    qd_scratch_write(at("file").text, "mine");
    ck_assert_int_eq(symlink("file", at("link").text), 0);
    ck_assert_int_eq(symlink("/dev/null", at("to_null").text), 0);
    ck_assert_int_eq(mkfifo(at("pipe").text, 0666), 0);
    ck_assert_int_eq(qdi_os_look(at("none").text), QDI_OS_FOUND_NOTHING);
    ck_assert_int_eq(qdi_os_look(at("file").text), QDI_OS_FOUND_FILE);
    ck_assert_int_eq(qdi_os_look(at("link").text), QDI_OS_FOUND_LINK);
    ck_assert_int_eq(qdi_os_look(at("to_null").text), QDI_OS_FOUND_STREAM);
    ck_assert_int_eq(qdi_os_look(at("pipe").text), QDI_OS_FOUND_STREAM);
    ck_assert_int_eq(qdi_os_look(program.work.path), QDI_OS_FOUND_DIRECTORY);
    ck_assert_int_eq(qdi_os_look("/dev/null"), QDI_OS_FOUND_STREAM);
}

// ---- pages ----

QD_TEST(a_page_replaces_pages_only) {
    make_run("out");
    SUCCEED("report", "out", "-q");
    ck_assert(qdi_page_is_ours(at("out/report.html").text));
    SUCCEED("report", "out", "-q");
    qd_scratch_write(at("notes.txt").text, "mine");
    expect_refusal(RUN("report", "out", "-o", "notes.txt"), 4, "notes.txt exists; --force replaces it");
    expect_text("notes.txt", "mine");
    SUCCEED("report", "out", "-o", "notes.txt", "--force", "-q");
    ck_assert(qdi_page_is_ours(at("notes.txt").text));
    static const char *const others[] = {"",
                                         "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>mine</title>",
                                         "mine: <meta name=\"generator\" content=\"Quadrille\">"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        qd_scratch_write(at("out/report.html").text, others[i]);
        expect_refusal(RUN("report", "out"), 4, "out/report.html exists; --force replaces it");
        expect_text("out/report.html", others[i]);
    }
    // Of a version that did not say what had made the page.
    qd_scratch_write(
        at("out/report.html").text,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n</head>\n<body>\n"
        "<header>\n  <h1 id=\"title\"></h1>\n  <p class=\"facts\" id=\"facts\"></p>\n");
    SUCCEED("report", "out", "-q");
}

QD_TEST(a_page_never_replaces_what_is_no_file) {
    make_run("out");
    qd_scratch_write(at("notes.txt").text, "mine");
    ck_assert_int_eq(symlink("notes.txt", at("link").text), 0);
    ck_assert_int_eq(symlink("nowhere", at("dangling").text), 0);
    ck_assert_int_eq(mkfifo(at("pipe").text, 0666), 0);
    ck_assert_int_eq(mkdir(at("folder").text, 0777), 0);
    // Of the test's own, and only where it may make one: a fault must not cost the machine its /dev/null.
    const bool device = mknod(at("null").text, S_IFCHR | 0666, makedev(1, 3)) == 0;
    static const struct {
        const char *name, *why;
    } places[] = {{"link", "link is a link"},
                  {"dangling", "dangling is a link"},
                  {"pipe", "pipe is not a regular file"},
                  {"folder", "folder is a directory"},
                  {"null", "null is not a regular file"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        if (!device && strcmp(places[i].name, "null") == 0) continue;
        const qdi_os_found before = qdi_os_look(at(places[i].name).text);
        expect_refusal(RUN("report", "out", "-o", places[i].name), 4, places[i].why);
        expect_refusal(RUN("report", "out", "-o", places[i].name, "--force"), 4, places[i].why);
        ck_assert_int_eq(qdi_os_look(at(places[i].name).text), before);
    }
    ck_assert_int_eq(symlink("../notes.txt", at("out/report.html").text), 0);
    expect_refusal(RUN("report", "out", "--force"), 4, "out/report.html is a link");
    expect_text("notes.txt", "mine");
}

QD_TEST(a_runs_own_files_are_never_replaced) {
    make_run("out");
    make_run("other");
    ck_assert_int_eq(symlink("other", at("alias").text), 0);
    static const char *const names[] = {"out/run.db",
                                        "out/scene.yaml",
                                        "other/result.json",
                                        "alias/run.db",
                                        "out/run.db-wal",
                                        "out/bodies_3.csv",
                                        "out/frames",
                                        "out/lock",
                                        "out/new/../scene.yaml",
                                        "out/run.db.part",
                                        "out/frames/frame_000001.png",
                                        "out/frames/manifest.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        size_t bytes = 0, same = 0;
        const bool folder = strcmp(names[i], "out/frames") == 0;
        qd_own_memory char *before = folder ? NULL : qd_scratch_read(at(names[i]).text, &bytes);
        const char *why = folder ? "is a directory" : "is one of a run's own files";
        expect_refusal(RUN("report", "out", "-o", names[i]), 4, why);
        expect_refusal(RUN("report", "out", "-o", names[i], "--force"), 4, why);
        expect_refusal(RUN(BENCH, "--csv", names[i], "--force"), 4, why);
        qd_own_memory char *after = folder ? NULL : qd_scratch_read(at(names[i]).text, &same);
        ck_assert((before == NULL) == (after == NULL) && bytes == same);
        if (before) ck_assert_int_eq(memcmp(before, after, bytes), 0);
    }
    expect_refusal(RUN("video", "out", "-o", "out/postmortem.png", "--force"), 4, "a run's own files");
    expect_refusal(RUN("video", "out", "-o", "out/frames/frame_000001.png", "--force"), 4,
                   "a run's own files");
    expect_refusal(RUN("render", "out", "--video", "out/postmortem.png", "--force"), 4, "a run's own files");
    SUCCEED("verify", "out", "-q");
    SUCCEED("report", "out", "-o", "other/report.html", "-q");
    SUCCEED("report", "out", "-o", "out/mine.html", "-q");
}

// ---- videos ----

QD_TEST(a_video_replaces_files_only) {
    make_run("out");
    qd_scratch_write(at("mine.png").text, "mine");
    ck_assert_int_eq(symlink("mine.png", at("link.png").text), 0);
    ck_assert_int_eq(mkfifo(at("pipe.png").text, 0666), 0);
    expect_refusal(RUN("video", "out", "-o", "link.png", "--force"), 4, "link.png is a link");
    expect_refusal(RUN("video", "out", "-o", "pipe.png", "--force"), 4, "pipe.png is not a regular file");
    expect_refusal(RUN("render", "out", "--video", "link.png", "--force"), 4, "link.png is a link");
    expect_refusal(RUN("run", "pool", "--video", "link.png", "-o", "new", "--force"), 4,
                   "link.png is a link");
    ck_assert(!qd_scratch_exists(at("new").text) && !qd_scratch_exists(at("out/render").text));
    expect_text("mine.png", "mine");
    expect_refusal(RUN("video", "out", "-o", "mine.png"), 4, "exists; --force replaces it");
    expect_refusal(RUN("render", "out", "--video", "mine.png"), 4, "mine.png exists; --force replaces it");
    SUCCEED("video", "out", "-o", "mine.png", "--force", "-q");
}

// ---- tables ----

QD_TEST(a_table_replaces_nothing) {
    qd_scratch_write(at("d.csv").text, "mine");
    ck_assert_int_eq(symlink("d.csv", at("link.csv").text), 0);
    expect_refusal(RUN(BENCH, "--csv", "d.csv"), 4, "d.csv exists; --force replaces it");
    expect_refusal(RUN(BENCH, "--csv", "link.csv"), 4, "link.csv is a link");
    expect_refusal(RUN(BENCH, "--csv", "link.csv", "--force"), 4, "link.csv is a link");
    expect_refusal(RUN(BENCH, "--csv", "."), 4, ". is a directory");
    expect_text("d.csv", "mine");
    ck_assert_int_eq(link(at("d.csv").text, at("twin.csv").text), 0);
    SUCCEED(BENCH, "--csv", "d.csv", "--force");
    ck_assert(!begins_with("d.csv", "mine"));
    expect_text("twin.csv", "mine"); // the same file under another name
    SUCCEED(BENCH, "--csv", "new/e.csv");
    expect_refusal(RUN("bench", "--frames", "--size", "40x30", "--bodies", "100", "--steps", "1", "--csv",
                       "new/e.csv", "-q"),
                   4, "new/e.csv exists");
}

// What is refused is so before anything is measured, and nothing is left behind where nothing was written.
QD_TEST(a_table_that_was_stopped_leaves_no_file) {
    const qd_program_start how = {.arguments = {"bench", "--methods", "grid", "--bodies", "1e5", "--steps",
                                                "1000000", "--csv", "new/d.csv", "-q"}};
    const qd_program_outcome outcome = qd_program_stop_at(&program, &how, "new", SIGTERM);
    ck_assert_msg(outcome.code == 143 || outcome.code == -SIGTERM, "exit %d: %s", outcome.code, outcome.err);
    ck_assert(!qd_scratch_exists(at("new/d.csv").text));
}

QD_TEST(tables_go_to_pipes_and_devices) {
    qd_program_outcome result = SUCCEED(BENCH, "--csv", "/dev/stdout");
    ck_assert_ptr_nonnull(strstr(result.out, ",hash"));
    SUCCEED(BENCH, "--csv", "/dev/null");
    ck_assert_int_eq(qdi_os_look("/dev/null"), QDI_OS_FOUND_STREAM);
    ck_assert_int_eq(mkfifo(at("pipe").text, 0666), 0);
    const int end = open(at("pipe").text, O_RDWR | O_NONBLOCK);
    ck_assert_int_ge(end, 0);
    SUCCEED(BENCH, "--csv", "pipe");
    char text[65536] = "";
    ck_assert_int_gt(read(end, text, sizeof text - 1), 0);
    ck_assert_ptr_nonnull(strstr(text, ",hash"));
    close(end);
    ck_assert_int_eq(qdi_os_look(at("pipe").text), QDI_OS_FOUND_STREAM);
}

QD_TEST(plots_replace_nothing) {
    qd_program_shell(&program, "mkdir bin && cd bin && printf '#!/bin/sh\\nexec cat\\n' >gnuplot && "
                               "chmod +x gnuplot");
    char path[600];
    snprintf(path, sizeof path, "PATH=%s/bin:/usr/bin:/bin", program.work.path);
    qd_scratch_write(at("p.png").text, "mine");
    const qd_program_start plain = {.arguments = {BENCH, "--plot", "p.png"}, .environment = {path}},
                           forced = {.arguments = {BENCH, "--plot", "p.png", "--force"},
                                     .environment = {path}};
    expect_refusal(qd_program_run(&program, &plain), 4, "p.png exists; --force replaces it");
    expect_text("p.png", "mine");
    qd_program_succeed(&program, &forced);
    ck_assert(begins_with("p.png", "set terminal"));
}

// ---- directories ----

QD_TEST(a_runs_own_folders_are_not_written_to) {
    make_run("out");
    make_run("other");
    ck_assert_int_eq(symlink("out/frames", at("alias").text), 0);
    static const char *const folders[] = {
        "out",        "out/",           "out/frames",       "out/video",
        "out/lock",   "other",          "other/frames",     "other/frames/new",
        "alias",      "alias/new",      "out/new/../video", "./out/./frames/",
        "out/run.db", "other/video/a/b"};
    const size_t entries = qd_scratch_count(at("out").text),
                 pictures = qd_scratch_count(at("out/frames").text);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        const char *why = strlen(folders[i]) <= 5 && folders[i][0] == 'o' ? " is a run directory"
                                                                          : ": a run keeps ";
        expect_refusal(RUN("render", "out", "-o", folders[i], "--force"), 4, why);
        expect_refusal(RUN("render", "out", "-o", folders[i]), 4, why);
        expect_refusal(RUN("export", "out", "--format", "csv", "-o", folders[i], "--force"), 4, why);
    }
    expect_refusal(RUN("render", "out", "-o", "out/export"), 4, "a run keeps export for itself");
    expect_refusal(RUN("export", "out", "--format", "csv", "-o", "out/render"), 4,
                   "a run keeps render for itself");
    ck_assert_uint_eq(qd_scratch_count(at("out").text), entries);
    ck_assert_uint_eq(qd_scratch_count(at("other").text), entries);
    ck_assert_uint_eq(qd_scratch_count(at("out/frames").text), pictures);
    SUCCEED("verify", "out", "-q");
}

QD_TEST(other_folders_are_written_to) {
    make_run("out");
    SUCCEED("render", "out", "-q");
    SUCCEED("render", "out", "-q", "-o", "out/render", "--force");
    SUCCEED("export", "out", "--format", "csv", "-q");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "out/export/csv", "--force");
    SUCCEED("render", "out", "-q", "-o", "out/close");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "out/tables/of/it");
    // A scene of the user's makes no run directory.
    qd_scratch_write(at("scene.yaml").text, "name: mine\n");
    SUCCEED("render", "out", "-q", "-o", "frames");
    SUCCEED("export", "out", "--format", "csv", "-q", "-o", "export");
    SUCCEED("resume", "out", "-q", "--steps", "8");
    ck_assert(qd_scratch_exists(at("out/close/frame_000000.png").text));
}

QD_TEST_MAIN("output_place", 300, setup, teardown)
