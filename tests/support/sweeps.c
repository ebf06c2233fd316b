#define _GNU_SOURCE // nanosleep
#include "tests/support/sweeps.h"

#include "tests/support/harness.h"
#include "tests/support/stores.h"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void qd_sweeps_write(const qd_program *program, const char *name, unsigned replicas, unsigned steps) {
    static const char scene[] =
        "name: tiny\n"
        "world: {size: [20, 12], gravity: [0, -5]}\n"
        "run: {steps: 60, dt: 0.02, seed: 3}\n"
        "bodies:\n"
        "  - disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 0.5}}\n"
        "frames: {every: 0}\n"
        "record: {metrics: 20, hashes: 50}\n"
        "checkpoint: {every: 500}\n";
    char sweep[512];
    snprintf(sweep, sizeof sweep,
             "scene: tiny.yaml\n"
             "set: {run.steps: %u}\n"
             "axes:\n"
             "  - {key: contact.restitution, list: [0.3, 1.5, 0.6]}\n"
             "  - {key: limits.speed, list: [1000, 4]}\n"
             "replicas: %u\n",
             steps, replicas);
    qd_scratch_write(qd_scratch_at(&program->work, "tiny.yaml").text, scene);
    qd_scratch_write(qd_scratch_at(&program->work, name).text, sweep);
}

unsigned qd_sweeps_done(unsigned replicas) {
    return 2 * replicas;
}

unsigned qd_sweeps_failed(unsigned replicas) {
    return 4 * replicas;
}

qd_program_start qd_sweeps_start(const char *name, const char *directory, const char *const *more) {
    qd_program_start start = {.arguments = {"sweep", name, "-o", directory, "-q"}};
    for (size_t i = 0; more && more[i]; ++i) start.arguments[5 + i] = more[i];
    return start;
}

static qd_scratch_path in(const qd_program *program, const char *directory, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return qd_scratch_at(&program->work, path);
}

char *qd_sweeps_rows(const qd_program *program, const char *directory) {
    return qd_test_sql(
        in(program, directory, "sweep.db").text,
        "SELECT point, \"contact.restitution\", \"limits.speed\", replica, seed, status, state_hash,"
        " steps, contacts_total, events_total, energy_last, balance_error, frames, last_step, last_kinetic,"
        " last_collisions, directory, code FROM sweep ORDER BY point");
}

/// Lines of a text.
static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (const char *c = text; *c; ++c) lines += *c == '\n';
    return lines;
}

/// The CSV file has the rows of the database: as many of them, and each with its point, hash and directory.
static void expect_csv(const qd_program *program, const char *directory) {
    qd_own_memory char *csv = qd_scratch_read(in(program, directory, "sweep.csv").text, NULL);
    qd_own_memory char *rows = qd_test_sql(
        in(program, directory, "sweep.db").text,
        "SELECT point || ',' || \"contact.restitution\" || ',' || \"limits.speed\" || ',' || replica"
        " || ',' || coalesce(seed, '') || ',' || status || ',' || coalesce(state_hash, '') || ','"
        " FROM sweep WHERE status <> 'to do' ORDER BY point");
    ck_assert_ptr_nonnull(csv);
    ck_assert_uint_eq(count_lines(csv), count_lines(rows) + 1);
    char *line = strchr(csv, '\n') + 1, *row = rows;
    while (*row) {
        char *end = strchr(row, '\n');
        ck_assert_msg(strncmp(line, row, (size_t)(end - row)) == 0, "%.*s: %.100s", (int)(end - row), row,
                      line);
        row = end + 1;
        line = strchr(line, '\n') + 1;
    }
}

void qd_sweeps_expect_same(const qd_program *program, const char *a, const char *b) {
    char *rows_a = qd_sweeps_rows(program, a), *rows_b = qd_sweeps_rows(program, b);
    qd_own_memory char *reasons = qd_test_sql(in(program, b, "sweep.db").text,
                                              "SELECT point, reason FROM sweep WHERE status = 'failed'");
    ck_assert_msg(strcmp(rows_a, rows_b) == 0, "%s has\n%sand %s has\n%swith the reasons\n%s", a, rows_a, b,
                  rows_b, reasons);
    free(rows_a);
    free(rows_b);
    expect_csv(program, a);
    expect_csv(program, b);
}

static unsigned count_words(const char *text, const char *word) {
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) ++count;
    return count;
}

void qd_sweeps_expect_once(const qd_program *program, const char *directory, unsigned done) {
    qd_scratch_path logs = in(program, directory, "logs");
    DIR *list = opendir(logs.text);
    unsigned complete = 0;
    ck_assert_ptr_nonnull(list);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char path[800];
        snprintf(path, sizeof path, "%s/%s", logs.text, entry->d_name);
        qd_own_memory char *text = qd_scratch_read(path, NULL);
        unsigned ends = count_words(text, "\nstate hash: ");
        ck_assert_msg(ends <= 1, "%s was completed %u times:\n%s", entry->d_name, ends, text);
        complete += ends;
    }
    closedir(list);
    ck_assert_uint_eq(complete, done);
}

size_t qd_sweeps_children(pid_t parent, pid_t *children, size_t most) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t count = 0;
    int child = 0;
    while (count < most && fscanf(file, "%d", &child) == 1) children[count++] = child;
    fclose(file);
    return count;
}

/// The text of one of a process's files in /proc, cut to what has room; empty where there is none.
static void read_of(pid_t process, const char *name, char *text, size_t room) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, room - 1, file) : 0] = '\0';
    if (file) fclose(file);
}

/// It has become the program, and a signal stops it in good order: one that comes earlier just ends it.
static bool is_running(pid_t child) {
    char name[256], status[4096];
    read_of(child, "cmdline", name, sizeof name);
    read_of(child, "status", status, sizeof status);
    const char *caught = strstr(status, "SigCgt:");
    return strcmp(name, "quadrille") == 0 && caught && strtoul(caught + 7, NULL, 16) >> (SIGTERM - 1) & 1;
}

bool qd_sweeps_wait_for_children(pid_t parent, pid_t *children, size_t wanted) {
    const struct timespec moment = {0, 5000000};
    for (int i = 0; i < 120000 && !qd_program_has_ended(parent); ++i) {
        size_t count = qd_sweeps_children(parent, children, wanted), running = 0;
        for (size_t k = 0; k < count; ++k) running += is_running(children[k]);
        if (running == wanted) return true;
        (void)nanosleep(&moment, NULL);
    }
    return false;
}
