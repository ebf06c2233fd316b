// What a sweep has to tell: the table of its points, and how it ended.

#include "core/base/memory.h"
#include "tools/batch/batch.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/json.h"
#include "tools/host/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = QDI_BATCH_PATH + 128, NAMED = 20, NUMBER = 6, SEED = 15 };

// The word for the state of a sweep's point.
static const char *point_state_word(qdi_item_state state) {
    switch (state) {
    case QDI_ITEM_DONE: return "done";
    case QDI_ITEM_FAILED: return "failed";
    case QDI_ITEM_TWIN: return "twin";
    default: return "to do";
    }
}

// ---- as JSON ----

// Writes a point of a sweep as JSON.
static void put_point_json(const qdi_batch *batch, size_t item, qdi_json *json) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    const qdi_batch_item *here = &batch->items[item];
    char path[PATH_ROOM] = "";
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "point", point->number);
    qdi_json_open(json, "values", '{');
    for (size_t i = 0; qdi_sweep_key(batch->sweep, i); ++i)
        qdi_json_text(json, qdi_sweep_key(batch->sweep, i),
                      qdi_sweep_value(batch->sweep, point->number - 1, i));
    qdi_json_close(json, '}');
    qdi_json_whole(json, "replica", point->replica);
    qdi_json_text(json, "status", point_state_word(here->state));
    if (point->twin) qdi_json_whole(json, "same_as", point->twin);
    if (point->valid) {
        (void)qdi_batch_run_path(batch, item, path, sizeof path);
        qdi_json_whole(json, "seed", point->run.seed);
        qdi_json_text(json, "directory", path);
    }
    if (here->state == QDI_ITEM_FAILED) {
        qdi_json_whole(json, "code", (uint64_t)here->code);
        qdi_json_text(json, "reason", here->reason ? here->reason : "");
    }
    qdi_json_close(json, '}');
}

/// Which points a JSON array is to have.
typedef bool (*wanted)(const qdi_batch_item *item);

// Wanted: all points of a sweep.
static bool any_point(const qdi_batch_item *item) {
    (void)item;
    return true;
}

// Wanted: the failed points of a sweep.
static bool failed_point(const qdi_batch_item *item) {
    return item->state == QDI_ITEM_FAILED;
}

// Prints the wanted points of a sweep as JSON.
static int print_points_json(const qdi_batch *batch, const char *name, wanted which) {
    const qdi_batch_counts counts = qdi_batch_count(batch);
    qdi_json json = {.allocator = qd_allocator_default()};
    qdi_json_open(&json, NULL, '{');
    qdi_json_whole(&json, "schema", 1);
    qdi_json_text(&json, "version", QD_VERSION);
    qdi_json_text(&json, "sweep", qdi_sweep_name(batch->sweep));
    qdi_json_text(&json, "directory", batch->directory);
    qdi_json_whole(&json, "points", counts.points);
    qdi_json_whole(&json, "done", counts.done);
    qdi_json_whole(&json, "done_before", counts.done_before);
    qdi_json_whole(&json, "failed", counts.failed);
    qdi_json_whole(&json, "to_do", counts.to_do);
    qdi_json_whole(&json, "disk_bytes", counts.disk);
    qdi_json_open(&json, name, '[');
    for (size_t i = 0; i < batch->plan.count; ++i)
        if (which(&batch->items[i])) put_point_json(batch, i, &json);
    qdi_json_close(&json, ']');
    qdi_json_close(&json, '}');
    qd_status status = qdi_json_print(&json);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
}

// ---- the table ----

/// Sweep's report: writes a field, filled up to `width`.
static void put_column(const char *text, size_t width) {
    printf("%-*s  ", (int)width, text);
}

/// Sweep's report: the widths of the columns, one for each key; the caller frees `room` of them. NULL where
/// there is no memory.
static size_t *measure_columns(const qdi_batch *batch, size_t *room) {
    *room = 1;
    while (qdi_sweep_key(batch->sweep, *room - 1)) ++*room;
    size_t *widths = qdi_allocate(qd_allocator_default(), *room, sizeof *widths);
    for (size_t column = 0; widths && qdi_sweep_key(batch->sweep, column); ++column) {
        widths[column] = strlen(qdi_sweep_key(batch->sweep, column));
        for (size_t i = 0; i < batch->plan.count; ++i) {
            size_t length = strlen(qdi_sweep_value(batch->sweep, batch->plan.points[i].number - 1, column));
            if (length > widths[column]) widths[column] = length;
        }
    }
    return widths;
}

// Prints the state of a sweep's point.
static void print_point_state(const qdi_batch *batch, size_t item) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    const qdi_batch_item *here = &batch->items[item];
    if (here->state == QDI_ITEM_TWIN)
        printf("the same as %" PRIu64 "\n", point->twin);
    else if (!point->valid)
        printf("not valid: %s\n", here->reason ? here->reason : "");
    else if (here->state == QDI_ITEM_FAILED)
        printf("failed     runs/%016" PRIx64 "  exit %d: %s\n", point->id, here->code,
               here->reason ? here->reason : "");
    else
        printf("%-9s  runs/%016" PRIx64 "\n",
               here->state == QDI_ITEM_DONE ? "done"
               : here->code                 ? "again"
                                            : "to do",
               point->id);
}

// Prints a row of the table of a sweep's points.
static void print_point_row(const qdi_batch *batch, size_t item, const size_t *widths) {
    const qdi_sweep_point *point = &batch->plan.points[item];
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, point->number);
    put_column(text, NUMBER);
    for (size_t i = 0; qdi_sweep_key(batch->sweep, i); ++i)
        put_column(qdi_sweep_value(batch->sweep, point->number - 1, i), widths[i]);
    snprintf(text, sizeof text, "%" PRIu64, point->replica);
    put_column(text, strlen("replica"));
    snprintf(text, sizeof text, "%" PRIu64, point->run.seed);
    put_column(point->valid ? text : "", SEED);
    print_point_state(batch, item);
}

int qdi_batch_list(const qdi_batch *batch) {
    if (batch->wishes.json) return print_points_json(batch, "all_points", any_point);
    size_t room = 0;
    size_t *widths = measure_columns(batch, &room);
    if (!widths) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    put_column("point", NUMBER);
    for (size_t i = 0; qdi_sweep_key(batch->sweep, i); ++i)
        put_column(qdi_sweep_key(batch->sweep, i), widths[i]);
    put_column("replica", strlen("replica"));
    put_column("seed", SEED);
    printf("state      directory\n");
    for (size_t item = 0; item < batch->plan.count; ++item) print_point_row(batch, item, widths);
    qdi_release(qd_allocator_default(), widths, room, sizeof *widths);
    return QDI_EXIT_DONE;
}

// ---- the end ----

/// "17, 33, 48, ...": the points that failed.
static void name_failed(const qdi_batch *batch, char *text, size_t bytes) {
    size_t used = 0, named = 0;
    text[0] = '\0';
    for (size_t i = 0; i < batch->plan.count && used < bytes; ++i) {
        if (batch->items[i].state != QDI_ITEM_FAILED) continue;
        if (++named > NAMED) {
            (void)snprintf(text + used, bytes - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s%" PRIu64, named > 1 ? ", " : "",
                                 batch->plan.points[i].number);
    }
}

/// The reason that all points have failed for, or NULL where there are several.
static const char *only_reason(const qdi_batch *batch) {
    const char *only = NULL;
    for (size_t i = 0; i < batch->plan.count; ++i) {
        const qdi_batch_item *here = &batch->items[i];
        if (here->state != QDI_ITEM_FAILED) continue;
        if (!here->reason || (only && strcmp(only, here->reason) != 0)) return NULL;
        only = here->reason;
    }
    return only;
}

// Tells which points of a sweep failed, and why.
static void report_failed_points(const qdi_batch *batch, const qdi_batch_counts *counts) {
    char named[NAMED * 24 + 8];
    name_failed(batch, named, sizeof named);
    const char *why = only_reason(batch);
    if (why && counts->failed > 1)
        qdi_complain("%zu of %zu points failed: %s: %.400s; --retry runs them again", counts->failed,
                     counts->points, named, why);
    else if (why)
        qdi_complain("point %s failed: %.400s; --retry runs it again", named, why);
    else
        qdi_complain("%zu of %zu points failed: %s; sweep.csv has the reasons, --retry runs them again",
                     counts->failed, counts->points, named);
}

int qdi_batch_report(const qdi_batch *batch, bool stopped) {
    const qdi_batch_counts counts = qdi_batch_count(batch);
    if (!batch->wishes.common.quiet)
        fprintf(stderr, "%zu points: %zu done (%zu before), %zu failed, %zu to do\nresults: %s/%s\n",
                counts.points, counts.done, counts.done_before, counts.failed, counts.to_do, batch->directory,
                batch->sharded ? "sweep.*.csv" : "sweep.csv");
    int exit_code = batch->wishes.json ? print_points_json(batch, "failures", failed_point) : QDI_EXIT_DONE;
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (counts.failed > 0) report_failed_points(batch, &counts);
    if (counts.to_do > 0 && !batch->wishes.merge) {
        const char *by = stopped ? qdi_host_signal_name(qdi_host_signal()) : "others";
        qdi_complain("stopped by %s with %zu point%s to do; the same command goes on", by, counts.to_do,
                     counts.to_do == 1 ? "" : "s");
    } else if (counts.to_do > 0) {
        qdi_complain("to do: %zu of %zu points", counts.to_do, counts.points);
    }
    if (counts.to_do > 0) return QDI_EXIT_STOPPED;
    return counts.failed > 0 ? QDI_EXIT_FAILED : QDI_EXIT_DONE;
}
