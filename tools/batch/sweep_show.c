// What people see of a sweep while it works: a table that redraws itself on a terminal, plain lines in a log.

#include "core/parallel/parallel.h"
#include "tools/batch/batch.h"
#include "tools/host/console.h"
#include "tools/host/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Nanoseconds between two redraws of the table, and between two lines of a log.
static const uint64_t table_every = 200000000U, line_every = 5000000000U;

enum { TABLE_JOBS = 16, BAR = 24, TEXT = 512 };

/// Shown sweep: cut to the terminal's width, so that the cursor is where it is thought to be. Counts
/// characters, not bytes.
static void cut_line(char *text, int width) {
    int shown = 0;
    for (char *c = text; *c; ++c) {
        if (((unsigned char)*c & 0xc0) == 0x80) continue;
        if (++shown > width) {
            *c = '\0';
            return;
        }
    }
}

/// Shown sweep: room where the directory is, or is going to be.
static uint64_t disk_free(const char *directory) {
    char parent[QDI_BATCH_PATH];
    uint64_t room = qdi_host_disk_free(directory);
    if (room < UINT64_MAX) return room;
    snprintf(parent, sizeof parent, "%s", directory);
    char *slash = strrchr(parent, '/');
    if (slash && slash > parent) *slash = '\0';
    return qdi_host_disk_free(slash ? parent : ".");
}

void qdi_batch_header(const qdi_batch *batch) {
    const qdi_batch_counts counts = qdi_batch_count(batch);
    size_t twins = batch->plan.count - counts.points;
    fprintf(stderr, "quadrille %s\n", QD_VERSION);
    fprintf(stderr, "sweep    %s: %zu points", qdi_sweep_name(batch->sweep), counts.points);
    if (batch->shards > 1) fprintf(stderr, " in share %" PRIu64 " of %" PRIu64, batch->shard, batch->shards);
    if (twins > 0) fprintf(stderr, ", and %zu that are the same as others", twins);
    fprintf(stderr, "\nto do    %zu of them; %zu are done, %zu have failed\n", counts.to_do, counts.done,
            counts.failed);
    fprintf(stderr, "output   %s\n", batch->directory);
    uint64_t room = disk_free(batch->directory);
    if (counts.to_do == 0) return;
    fprintf(stderr, "jobs     %d at a time with %d thread%s each%s (%s)\n", batch->job_count, batch->threads,
            batch->threads == 1 ? "" : "s", batch->pinned ? ", on processors of their own" : "",
            batch->allowed_reason);
    fprintf(stderr, "disk     about %s", qdi_words_bytes((double)counts.disk).text);
    if (room < UINT64_MAX) fprintf(stderr, "; %s are free", qdi_words_bytes((double)room).text);
    fprintf(stderr, "\n");
    if (counts.disk > room)
        qdi_warn("the runs are going to need about %s, and %s are free; when the disk is full the sweep "
                 "stops, and the same "
                 "command goes on when there is room",
                 qdi_words_bytes((double)counts.disk).text, qdi_words_bytes((double)room).text);
}

qdi_batch_show qdi_batch_show_start(const qdi_batch *batch) {
    const qdi_common *common = &batch->wishes.common;
    const char *no_colour = getenv("NO_COLOR");
    bool terminal = qdi_host_stderr_is_terminal(), silent = common->quiet || common->no_progress;
    uint64_t now = qdi_clock_ns();
    return (qdi_batch_show){.table = terminal && !silent,
                            .lines = !terminal && !silent,
                            .colour = !common->no_colour && !(no_colour && *no_colour),
                            .start_ns = now,
                            .shown_ns = terminal ? 0 : now,
                            .done_before = qdi_batch_count(batch).done + qdi_batch_count(batch).failed};
}

void qdi_batch_words(const qdi_batch *batch, const qdi_batch_show *show, double seconds, char *text,
                     size_t bytes) {
    const qdi_batch_counts counts = qdi_batch_count(batch);
    size_t ended = counts.done + counts.failed,
           now = ended > show->done_before ? ended - show->done_before : 0;
    size_t left = counts.to_do + counts.running;
    int used = snprintf(text, bytes, "%zu of %zu done, %zu failed, %zu running", counts.done, counts.points,
                        counts.failed, counts.running);
    if (now == 0 || seconds <= 0 || used < 0 || (size_t)used >= bytes) return;
    snprintf(text + used, bytes - (size_t)used, ", %.3g runs/s, %s left", (double)now / seconds,
             qdi_words_duration(seconds * (double)left / (double)now).text);
}

// Draws the line of a running point on the terminal.
static void draw_job_line(const qdi_batch *batch, const qdi_batch_job *job, int number, int width) {
    char line[2 * TEXT], words[TEXT], progress[128];
    const qdi_sweep_point *point = &batch->plan.points[job->item];
    qdi_sweep_words(batch->sweep, point->number - 1, words, sizeof words);
    qdi_batch_child_progress(batch, job, progress, sizeof progress);
    double seconds = (double)(qdi_clock_ns() - job->start_ns) * 1e-9;
    snprintf(line, sizeof line, "  %3d  %s  point %" PRIu64 "  %s%s%s", number,
             qdi_words_duration(seconds).text, point->number, words, progress[0] ? "  " : "", progress);
    cut_line(line, width);
    fprintf(stderr, "%s\033[K\n", line);
}

// Draws the progress bar of a sweep.
static void draw_sweep_bar(const qdi_batch *batch, const qdi_batch_show *show, double seconds, int width) {
    char words[TEXT], bar[BAR + 1];
    const qdi_batch_counts counts = qdi_batch_count(batch);
    int full = counts.points > 0 ? (int)((uint64_t)BAR * (counts.done + counts.failed) / counts.points) : BAR;
    memset(bar, '#', (size_t)full);
    memset(bar + full, ' ', (size_t)(BAR - full));
    bar[BAR] = '\0';
    qdi_batch_words(batch, show, seconds, words, sizeof words);
    cut_line(words, width - BAR - 3 > 10 ? width - BAR - 3 : width);
    if (width - BAR - 3 > 10)
        fprintf(stderr, "[%s%s%s] ", show->colour ? "\033[36m" : "", bar, show->colour ? "\033[0m" : "");
    fprintf(stderr, "%s\033[K\n", words);
}

// Draws progress bar and running points of a sweep.
static void draw_sweep_table(const qdi_batch *batch, qdi_batch_show *show, double seconds) {
    int width = qdi_host_terminal_width() - 1, number = 0,
        shown = 0; // the last column stays free: some terminals break there
    qdi_batch_show_clear(show);
    draw_sweep_bar(batch, show, seconds, width);
    for (int i = 0; i < batch->job_count; ++i) {
        if (batch->jobs[i].child == 0) continue;
        if (number++ >= TABLE_JOBS) continue;
        draw_job_line(batch, &batch->jobs[i], i + 1, width);
        ++shown;
    }
    show->drawn = 1 + shown + (number > TABLE_JOBS);
    if (number > TABLE_JOBS) fprintf(stderr, "  and %d more\033[K\n", number - TABLE_JOBS);
}

void qdi_batch_show_now(const qdi_batch *batch, qdi_batch_show *show) {
    if (!show->table && !show->lines) return;
    uint64_t now = qdi_clock_ns();
    if (now - show->shown_ns < (show->table ? table_every : line_every)) return;
    show->shown_ns = now;
    double seconds = (double)(now - show->start_ns) * 1e-9;
    if (show->table) {
        draw_sweep_table(batch, show, seconds);
    } else {
        char words[TEXT];
        qdi_batch_words(batch, show, seconds, words, sizeof words);
        fprintf(stderr, "%s\n", words);
    }
    fflush(stderr);
}

void qdi_batch_show_clear(qdi_batch_show *show) {
    if (show->drawn > 0) fprintf(stderr, "\033[%dA\r\033[J", show->drawn);
    show->drawn = 0;
}
