#define _GNU_SOURCE // kill, usleep
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/pages.h"
#include "tests/support/runs.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
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
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, 60000);
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
    for (int i = 0; i < 600000; ++i) {
        if (qd_scratch_exists(at("out/run.db").text) && last_checkpoint() >= 1000) return child;
        usleep(1000);
    }
    kill(child, SIGKILL);
    ck_abort_msg("the run never came to step 1000");
}

static void stop(pid_t child) {
    kill(child, SIGTERM);
    qd_program_expect(qd_program_await(&program, child), 75, NULL, NULL);
}

/// A command that must succeed, and say how far the run has come; at least `least` files are in a folder
/// then.
static void look(const char *const *arguments, const char *folder, size_t least) {
    qd_program_start how = {.arguments = {NULL}};
    for (size_t i = 0; arguments[i]; ++i) how.arguments[i] = arguments[i];
    qd_program_outcome result = qd_program_run(&program, &how);
    ck_assert_msg(result.code == 0, "%s: exit %d: %s", arguments[0], result.code, result.err);
    ck_assert_msg(strstr(result.err, "going on: ") && strstr(result.err, "up to step ") &&
                      strstr(result.err, " of 900000000"),
                  "%s", result.err);
    ck_assert_uint_ge(qd_scratch_count(at(folder).text), least);
}

QD_TEST(test_a_run_that_goes_on_is_looked_at) {
    pid_t child = start_long();
    look((const char *[]){"report", "out", "-o", "page.html", NULL}, ".", 2);
    qd_own(qd_page) page = qd_page_read(at("page.html").text);
    ck_assert_uint_ge(page.frames, 3);
    ck_assert_ptr_nonnull(strstr(page.text, "This run is going on: the page shows it up to step "));
    look((const char *[]){"export", "out", "--format", "csv", "-o", "tables", NULL}, "tables", 2);
    look((const char *[]){"render", "out", "-o", "drawn", NULL}, "drawn", 3);
    look((const char *[]){"render", "out", "-o", "again", "--every", "500", NULL}, "again", 3);
    expect_refusal(RUN("verify", "out"), 4, "out is in use by another run");
    int64_t before = last_checkpoint();
    stop(child);
    ck_assert_int_ge(last_checkpoint(), before); // nobody was in its way
    ck_assert(!qd_scratch_exists(at("out/run.db-wal").text));
    qd_program_expect(RUN("verify", "out", "--threads", "1"), 0, NULL, ", where the run is not complete, ");
    qd_program_outcome result = RUN("render", "out", "-o", "last", "--every", "500");
    ck_assert_msg(strstr(result.err, "out is not complete: it is recorded up to step "), "%s", result.err);
}

/// A number of the log: its column, counted from the one behind the step.
static double log_value(const char *text, uint64_t step, int column) {
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char *end = NULL;
        if (strtoull(line, &end, 10) != step || end == line) continue;
        double value = 0;
        for (int i = 0; i < column; ++i) {
            const char *from = end;
            value = strtod(from, &end);
            ck_assert_msg(end > from, "%.100s", line);
        }
        return value;
    }
    ck_abort_msg("there is no line of step %llu: %s", (unsigned long long)step, text);
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; ++text) lines += *text == '\n';
    return lines;
}

QD_TEST(test_a_log_has_a_line_every_so_many_steps) {
    qd_scratch_write(at("long.yaml").text, scene);
    qd_program_outcome result = SUCCEED("run", "long.yaml", "-o", "out", "--steps", "330", "--log", "100");
    const char *names = strstr(result.err,
                               "      step         time    bodies  contacts      kinetic    potential"
                               "         lost        drift    steps/s\n         0 ");
    ck_assert_msg(names && !strstr(strchr(names, '\n'), " kinetic "), "%s", result.err);
    ck_assert_ptr_null(strstr(result.err, " of 330 (")); // no other lines of how far it is
    static const struct {
        int column;
        const char *sql;
    } columns[] = {{1, "SELECT time FROM metrics WHERE step = 200"},
                   {2, "SELECT bodies FROM metrics WHERE step = 200"},
                   {3, "SELECT contacts FROM metrics WHERE step = 200"},
                   {4, "SELECT kinetic FROM metrics WHERE step = 200"},
                   {5, "SELECT potential FROM metrics WHERE step = 200"},
                   {6, "SELECT lost FROM metrics WHERE step = 200"},
                   {7, "SELECT drift FROM metrics WHERE step = 200"}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        double said = log_value(names, 200, columns[i].column);
        double is = qd_runs_real(at("out").text, columns[i].sql);
        ck_assert_msg(fabs(said - is) <= 1e-2 * fabs(is), "column %d is %g, not %g", columns[i].column, said,
                      is);
    }
    ck_assert(log_value(names, 330, 8) > 0);
    qd_program_text hash = qd_program_result_text(&program, "out", "state_hash");
    SUCCEED("run", "long.yaml", "-o", "silent", "-q", "--steps", "330");
    ck_assert_str_eq(qd_program_result_text(&program, "silent", "state_hash").text, hash.text);
    result = RUN("resume", "out", "--steps", "450", "--log", "100");
    ck_assert(log_value(result.err, 400, 8) > 0 && log_value(result.err, 450, 8) > 0);
}

QD_TEST(test_a_log_is_asked_for) {
    qd_scratch_write(at("long.yaml").text, scene);
    qd_program_outcome result = RUN("run", "long.yaml", "-o", "out", "--steps", "330", "-v");
    const char *names = strstr(result.err, "  kinetic "), *last = strstr(result.err, "\n       330 ");
    ck_assert_msg(names && last, "%s", result.err);
    size_t lines = count_lines(names) - count_lines(last);
    ck_assert_msg(lines >= 18 && lines <= 22, "%zu lines: %s", lines, result.err);
    result = RUN("run", "long.yaml", "-o", "out", "--force", "--steps", "330");
    ck_assert_ptr_null(strstr(result.err, "  kinetic "));
    result = RUN("run", "long.yaml", "-o", "out", "--force", "--steps", "330", "--log", "10", "-q");
    ck_assert_str_eq(result.err, "");
    expect_refusal(RUN("run", "long.yaml", "-o", "out", "--force", "--log", "0"), 2, "--log");
}

QD_TEST_MAIN("look", 300, setup, teardown)
