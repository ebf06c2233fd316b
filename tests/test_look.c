#define _GNU_SOURCE // kill, usleep
#include "tests/harness.h"
#include "tests/one_program.h"
#include "tests/pages.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Runs that are looked at while they go on, and what they say themselves.

/// It goes on until it is stopped.
static const char scene[] = "name: long\n"
                            "world: {size: [40, 30], gravity: [0, -5]}\n"
                            "run: {steps: 900000000, dt: 0.01}\n"
                            "bodies:\n"
                            "  - disks: {count: 50, radius: 0.4, place: random, velocity: {normal: 4}}\n"
                            "view: {size: [80, 60]}\n"
                            "frames: {every: 500}\n"
                            "record: {metrics: 100, hashes: 100, snapshots: 500}\n"
                            "checkpoint: {every: 500}\n";

/// The last checkpoint of `out`, or -1, asked as any other program would.
static int64_t last_checkpoint(void) {
    sqlite3 *db = NULL;
    sqlite3_stmt *query = NULL;
    int64_t step = -1;
    int code = sqlite3_open_v2(at("out/run.db").text, &db, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, 10000);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, "SELECT max(step) FROM checkpoints", -1, &query, NULL);
    if (code == SQLITE_OK && sqlite3_step(query) == SQLITE_ROW &&
        sqlite3_column_type(query, 0) != SQLITE_NULL)
        step = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return step;
}

/// Starts the run and waits until it has come to step 1000.
static pid_t start_long(void) {
    qd_scratch_write(at("long.yaml").text, scene);
    pid_t child = qd_program_launch(
        &program,
        &(qd_program_start){.arguments = {"run", "long.yaml", "-o", "out", "-q", "--threads", "1"}});
    for (int i = 0; i < 60000; ++i) {
        if (qd_scratch_exists(at("out/run.db").text) && last_checkpoint() >= 1000) return child;
        usleep(1000);
    }
    kill(child, SIGKILL);
    ck_abort_msg("the run never came to step 1000");
}

static void stop(pid_t child) {
    kill(child, SIGTERM);
    qd_program_outcome result = qd_program_await(&program, child);
    ck_assert_msg(result.code == 75, "exit %d: %s", result.code, result.err);
    qd_program_forget(&result);
}

/// A command that must succeed, and say how far the run has come; at least `least` files are in a folder then.
static void look(const char *const *arguments, const char *folder, size_t least) {
    qd_program_start how = {.arguments = {NULL}};
    for (size_t i = 0; arguments[i]; ++i) how.arguments[i] = arguments[i];
    qd_program_outcome result = qd_program_run(&program, &how);
    ck_assert_msg(result.code == 0, "%s: exit %d: %s", arguments[0], result.code, result.err);
    ck_assert_msg(strstr(result.err, "going on: ") && strstr(result.err, "up to step ") &&
                      strstr(result.err, " of 900000000"),
                  "%s", result.err);
    qd_program_forget(&result);
    ck_assert_uint_ge(qd_scratch_count(at(folder).text), least);
}

START_TEST(test_a_run_that_goes_on_is_looked_at) {
    pid_t child = start_long();
    look((const char *[]){"report", "out", "-o", "page.html", NULL}, ".", 2);
    qd_page page = qd_page_read(at("page.html").text);
    ck_assert_uint_ge(page.frames, 3);
    ck_assert_ptr_nonnull(strstr(page.text, "This run is going on: the page shows it up to step "));
    qd_page_forget(&page);
    look((const char *[]){"export", "out", "--format", "csv", "-o", "tables", NULL}, "tables", 2);
    look((const char *[]){"render", "out", "-o", "drawn", NULL}, "drawn", 3);
    look((const char *[]){"render", "out", "-o", "again", "--every", "500", NULL}, "again", 3);
    qd_program_outcome result = RUN("verify", "out");
    qd_program_expect_complaint(&result, 4, "out is in use by another run");
    qd_program_forget(&result);
    int64_t before = last_checkpoint();
    stop(child);
    ck_assert_int_ge(last_checkpoint(), before); // nobody was in its way
    ck_assert(!qd_scratch_exists(at("out/run.db-wal").text));
    result = RUN("verify", "out", "--threads", "1");
    ck_assert_msg(result.code == 0 && strstr(result.out, ", where the run is not complete, "), "%s%s",
                  result.out, result.err);
    qd_program_forget(&result);
    result = RUN("render", "out", "-o", "last", "--every", "500");
    ck_assert_msg(strstr(result.err, "out is not complete: it is recorded up to step "), "%s", result.err);
    qd_program_forget(&result);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("look");
    TCase *tests = tcase_create("look");
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_a_run_that_goes_on_is_looked_at);
    suite_add_tcase(suite, tests);
    return qd_test_run(suite);
}
