// One run of a sweep as a child process, and what its log tells.

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tools/batch/batch.h"
#include "tools/host/exit_codes.h"
#include "tools/host/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = QDI_BATCH_PATH + 128, FIXED_ARGUMENTS = 14, TAIL = 4096 };

/// How a point's run is started.
typedef struct command_line {
    char run[PATH_ROOM], log[PATH_ROOM], threads[16], bodies[24];
    const char **items;
    size_t room, count;
} command_line;

// Adds an argument to the command line of a sweep's child process.
static void add_argument(command_line *line, const char *argument) {
    line->items[line->count++] = argument;
}

// Fills the command line that runs a point of a sweep.
static void fill_command_line(const qdi_batch *batch, size_t item, const qdi_sweep_changes *changes,
                              command_line *line) {
    // A run that passed a limit would do so again from its checkpoint; one with a result that is of no use is
    // complete.
    int code = batch->items[item].code;
    bool anew = code == QDI_EXIT_INVARIANT || (code != 0 && qdi_batch_has_result(batch, item));
    (void)qdi_batch_run_path(batch, item, line->run, sizeof line->run);
    (void)qdi_batch_log_path(batch, item, line->log, sizeof line->log);
    (void)snprintf(line->threads, sizeof line->threads, "%d", batch->threads);
    (void)snprintf(line->bodies, sizeof line->bodies, "%" PRIu64, changes->changes.bodies);
    add_argument(line, "quadrille");
    add_argument(line, "run");
    add_argument(line, "-o");
    add_argument(line, line->run);
    add_argument(line, anew ? "--force" : "--resume");
    add_argument(line, "--threads");
    add_argument(line, line->threads);
    add_argument(line, "--no-color");
    if (changes->changes.bodies > 0) {
        add_argument(line, "--bodies");
        add_argument(line, line->bodies);
    }
    for (size_t i = 0; i < changes->changes.set_count; ++i) {
        add_argument(line, "--set");
        add_argument(line, changes->changes.sets[i]);
    }
    add_argument(line, "--");
    add_argument(line, qdi_sweep_scene(batch->sweep));
    add_argument(line, NULL);
}

/// Sweep's child process: starts what the line says; false with errno's reason where that cannot be.
static bool launch_run(qdi_batch_job *job, size_t item, const command_line *line) {
    // execv takes arguments that it could change, and changes none.
    union {
        const char **mine;
        char *const *theirs;
    } arguments = {.mine = line->items};
    const qdi_host_launch start = {arguments.theirs, line->log, job->processors, job->processor_count};
    job->log_start = qdi_host_file_size(line->log);
    job->child = qdi_host_child_start(&start);
    if (job->child < 0) {
        job->child = 0;
        return false;
    }
    job->item = item;
    job->start_ns = qdi_clock_ns();
    return true;
}

bool qdi_batch_start(qdi_batch *batch, qdi_batch_job *job, size_t item) {
    const qd_allocator *allocator = qd_allocator_default();
    const qdi_sweep_point *point = &batch->plan.points[item];
    qdi_sweep_changes changes;
    command_line line = {.count = 0};
    qd_status status = qdi_sweep_changes_make(batch->sweep, point->number - 1, point->run.seed, &changes);
    if (status == QD_OK) {
        line.room = FIXED_ARGUMENTS + 2 * changes.changes.set_count;
        line.items = qdi_allocate(allocator, line.room, sizeof *line.items);
    }
    bool started = false;
    if (line.items) {
        fill_command_line(batch, item, &changes, &line);
        started = launch_run(job, item, &line);
    }
    if (started) {
        qdi_batch_settle(batch, item, QDI_ITEM_RUNNING, 0, NULL);
    } else {
        char reason[160];
        snprintf(reason, sizeof reason, "its process cannot be started: %s",
                 line.items ? strerror(errno) : qd_status_text(QD_ERR_MEMORY));
        qdi_batch_settle(batch, item, QDI_ITEM_FAILED, QDI_EXIT_FAILED, reason);
    }
    qdi_release(allocator, (void *)line.items, line.room, sizeof *line.items);
    if (status == QD_OK) qdi_sweep_changes_free(&changes);
    return started;
}

// ---- logs ----

/// Sweep's child process: the end of what a child has said, as a text; "" where it has said nothing.
static void read_tail(const qdi_batch *batch, const qdi_batch_job *job, char text[TAIL]) {
    char path[PATH_ROOM];
    text[0] = '\0';
    (void)qdi_batch_log_path(batch, job->item, path, sizeof path);
    uint64_t size = qdi_host_file_size(path);
    if (size <= job->log_start) return;
    uint64_t length = size - job->log_start < TAIL - 1 ? size - job->log_start : TAIL - 1;
    FILE *file = NULL;
    if (qdi_os_open(path, QDI_OS_OWN, &file, NULL) != QD_OK) return;
    size_t got = fseek(file, (long)(size - length), SEEK_SET) == 0 ? fread(text, 1, (size_t)length, file) : 0;
    text[got] = '\0';
    (void)fclose(file);
}

/// Sweep's child process: the last line that begins so, without that; NULL where there is none. Cuts the
/// text.
static char *last_line(char *text, const char *start, const char *not_start) {
    char *found = NULL;
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        if (strncmp(line, start, strlen(start)) == 0 && strncmp(line, not_start, strlen(not_start)) != 0)
            found = line + strlen(start);
        line = end ? end + 1 : NULL;
    }
    return found;
}

void qdi_batch_child_reason(const qdi_batch *batch, const qdi_batch_job *job, int code, char *text,
                            size_t bytes) {
    char tail[TAIL];
    read_tail(batch, job, tail);
    const char *said = last_line(tail, "quadrille: ", "quadrille: warning: ");
    if (code > QDI_EXIT_SIGNAL)
        snprintf(text, bytes, "killed by signal %d%s%s", code - QDI_EXIT_SIGNAL,
                 code == QDI_EXIT_SIGNAL + 9 ? ", by somebody or for want of memory" : "", "");
    else if (said && *said)
        snprintf(text, bytes, "%s", said);
    else
        snprintf(text, bytes, "it ended with exit code %d and did not say why", code);
}

void qdi_batch_child_progress(const qdi_batch *batch, const qdi_batch_job *job, char *text, size_t bytes) {
    char tail[TAIL];
    read_tail(batch, job, tail);
    const char *said = last_line(tail, "step ", "step:");
    snprintf(text, bytes, "%s%s", said ? "step " : "", said ? said : "");
}
