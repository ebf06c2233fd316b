#include "tools/report/page_sweep_rows.h"

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/sweep/sweep_field.h"
#include "sim/sweep/sweep_table.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"
#include "tools/batch/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Up to here every whole number is one in the browser too.
static const uint64_t exact_most = UINT64_C(1) << 53;

// ---- lines of tables ----

/// A number where it is one, so that the page can compute with it.
static void put_value(qdi_json *json, const char *text) {
    uint64_t whole = 0;
    double real = 0;
    size_t bytes = strlen(text);
    if (qdi_integer_read(text, bytes, &whole) && whole <= exact_most)
        qdi_json_whole(json, NULL, whole);
    else if (qdi_number_read(text, bytes, &real) && isfinite(real))
        qdi_json_real(json, NULL, real);
    else
        qdi_json_text(json, NULL, text);
}

/// Report's page of a sweep: what is not text is a number, or is not there.
static void put_cell(qdi_json *json, qdi_sweep_kind kind, const char *text) {
    if (!*text)
        qdi_json_null(json, NULL);
    else if (kind == QDI_SWEEP_TEXT)
        qdi_json_text(json, NULL, text);
    else
        put_value(json, text);
}

/// Report's page of a sweep: a seed beyond what a browser can tell exactly is text.
static void put_seed(qdi_json *json, const char *text) {
    uint64_t seed;
    bool exact = qdi_integer_read(text, strlen(text), &seed) && seed <= exact_most;
    put_cell(json, exact ? QDI_SWEEP_WHOLE : QDI_SWEEP_TEXT, text);
}

// Adds a row of sweep.db to the table of a sweep's page.
static void put_sweep_line(const qdi_sweep *sweep, qdi_json *json, const qdi_sweep_line *line) {
    static const char *const states[] = {"to do", "failed", "done"};
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind;
    const char *cell = line->cells;
    put_seed(json, line->seed);
    qdi_json_text(json, NULL, states[line->state]);
    for (size_t i = 0; qdi_sweep_table_column(sweep, i, name, &kind); ++i) {
        put_cell(json, kind, cell ? cell : "");
        if (cell) cell += strlen(cell) + 1;
    }
    qdi_json_text(json, NULL, line->directory);
    put_cell(json, QDI_SWEEP_WHOLE, line->code);
    qdi_json_text(json, NULL, line->reason);
}

/// Report's page of a sweep: keeps the cells of a line as text. Errors: QD_ERR_MEMORY.
static qd_status keep_line(qdi_page_points *points, const qdi_sweep_line *line, size_t *place) {
    qdi_json *json = &points->scratch;
    json->length = 0;
    json->filled = false;
    put_sweep_line(points->sweep, json, line);
    if (json->status != QD_OK) return json->status;
    *place = points->texts.used;
    qdi_text_add_bytes(&points->texts, json->text, json->length + 1);
    return points->texts.status;
}

/// Report's page of a sweep: true for the directory of a run as a sweep names it: a database may have come
/// from anybody, and a path out of the sweep's directory would have pages read and written elsewhere.
static bool is_run_directory(const char *path) {
    return strncmp(path, "runs/", 5) == 0 && strlen(path) == 5 + 16 &&
           strspn(path + 5, "0123456789abcdef") == 16;
}

/// Report's page of a sweep: the number of frames of a run that is done.
static uint64_t frames_of(const qdi_sweep_line *line) {
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind;
    uint64_t frames = 0;
    const char *cell = line->cells;
    for (size_t i = 0; qdi_sweep_result_column(i, name, &kind); ++i, cell += strlen(cell) + 1)
        if (strcmp(name, "frames") == 0 && !qdi_integer_read(cell, strlen(cell), &frames)) return 0;
    return frames;
}

// Report's page of a sweep: notes the state of a sweep's point from its row in sweep.db.
static qd_status take_sweep_line(void *context, const qdi_sweep_line *given) {
    static const qdi_page_state states[] = {QDI_PAGE_TO_DO, QDI_PAGE_FAILED, QDI_PAGE_DONE};
    qdi_sweep_line shown = *given, *line = &shown;
    if (!is_run_directory(line->directory)) line->directory = "";
    qdi_page_points *points = context;
    if (line->point < 1 || line->point > points->count) return QD_OK;
    qdi_page_point *point = &points->points[line->point - 1];
    if (states[line->state] <= point->state) return QD_OK; // another table knows as much, or more
    point->state = states[line->state];
    point->frames = frames_of(line);
    (void)snprintf(point->directory, sizeof point->directory, "%s", line->directory);
    return keep_line(points, line, &point->cells);
}

// ---- tables ----

typedef struct tables {
    qdi_page_job *job;
    qdi_page_points *points;
    size_t count; ///< tables that were read
    qd_status status;
    qd_error error;
} tables;

/// Report's page of a sweep: every `every`th point from `first` on (from 0) is one that the table called
/// `name` has, unless it is a twin.
static qd_status read_table(tables *all, const char *name, uint64_t first, uint64_t every) {
    qdi_page_points *points = all->points;
    char path[QDI_PAGE_PATH + 64];
    bool other = false;
    (void)snprintf(path, sizeof path, "%s/%s", all->job->directory, name);
    qd_status status = qdi_sweep_table_read(path, points->sweep, &other, take_sweep_line, points,
                                            &all->error);
    if (status == QD_ERR_NOT_FOUND) return QD_OK; // another process has put it into the one table meanwhile
    for (uint64_t i = first; status == QD_OK && !other && i < points->count; i += every)
        points->points[i].planned = true;
    if (other)
        qdi_page_job_note(
            all->job,
            "%s is of another form of the sweep, and left out: `quadrille sweep` brings it up to date", name);
    all->count += 1;
    return status;
}

// Reads sweep.db, or that of a shard, for a sweep's page.
static bool read_sweep_database(void *context, const char *name) {
    tables *all = context;
    uint64_t shard = 1, shards = 1;
    bool own = strcmp(name, "sweep.db") == 0;
    if (!own && !qdi_batch_is_shard_file(name, ".db", &shard, &shards)) return true;
    if (shard < 1 || shards < shard) return true;
    all->status = read_table(all, name, shard - 1, shards);
    return all->status == QD_OK;
}

// Report's page of a sweep: counts points of a sweep that are done, failed, or to do.
static void count_point_states(qdi_page_points *points) {
    for (size_t i = 0; i < points->count; ++i) {
        const qdi_page_point *point = &points->points[i];
        points->done += point->state == QDI_PAGE_DONE;
        points->failed += point->state == QDI_PAGE_FAILED;
        points->twins += !qdi_page_points_shown(points, i);
    }
    points->to_do = points->count - points->twins - points->done - points->failed;
}

// Lists the points of a sweep for its page.
static qd_status make_page_points(qdi_page_points *points, qd_error *error) {
    uint64_t count = qdi_sweep_count(points->sweep);
    if (count <= SIZE_MAX / sizeof *points->points)
        points->points = qdi_allocate(points->allocator, (size_t)count, sizeof *points->points);
    if (!points->points) return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    points->count = (size_t)count;
    memset(points->points, 0, points->count * sizeof *points->points);
    return QD_OK;
}

qd_status qdi_page_points_read(qdi_page_job *job, qdi_page_points *points, qd_error *error) {
    char path[QDI_PAGE_PATH + 64];
    points->allocator = points->texts.allocator = points->scratch.allocator = job->allocator;
    points->scratch.dense = true;
    (void)snprintf(path, sizeof path, "%s/sweep.yaml", job->directory);
    qd_status status = qdi_sweep_read_kept(path, &points->sweep, error);
    if (status == QD_OK) status = make_page_points(points, error);
    if (status != QD_OK) return status;
    tables all = {.job = job, .points = points};
    status = qdi_batch_check_files(job->directory, error);
    if (status != QD_OK) return status;
    status = qdi_os_list(job->directory, read_sweep_database, &all, &all.error);
    if (status == QD_OK) status = all.status;
    if (status != QD_OK) {
        *error = all.error;
        return status;
    }
    count_point_states(points);
    if (all.count == 0)
        qdi_page_job_note(
            job, "There is no sweep.db: what is done is told by `quadrille sweep` with the same sweep.");
    if (points->twins > 0)
        qdi_page_job_note(job, "%zu point%s the same run%s as others, and left out", points->twins,
                          points->twins == 1 ? " is" : "s are", points->twins == 1 ? "" : "s");
    return QD_OK;
}

void qdi_page_points_free(qdi_page_points *points) {
    qdi_release(points->allocator, points->points, points->count, sizeof *points->points);
    qdi_text_release(&points->texts);
    qdi_json_free(&points->scratch);
    qdi_sweep_destroy(points->sweep);
}

bool qdi_page_points_shown(const qdi_page_points *points, size_t i) {
    return points->points[i].state != QDI_PAGE_UNKNOWN || !points->points[i].planned;
}

// ---- as JSON ----

void qdi_page_points_names(const qdi_page_points *points, qdi_json *json) {
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind;
    qdi_json_text(json, NULL, "point");
    for (size_t i = 0; qdi_sweep_key(points->sweep, i); ++i)
        qdi_json_text(json, NULL, qdi_sweep_key(points->sweep, i));
    qdi_json_text(json, NULL, "replica");
    qdi_json_text(json, NULL, "seed");
    qdi_json_text(json, NULL, "status");
    for (size_t i = 0; qdi_sweep_table_column(points->sweep, i, name, &kind); ++i)
        qdi_json_text(json, NULL, name);
    qdi_json_text(json, NULL, "directory");
    qdi_json_text(json, NULL, "code");
    qdi_json_text(json, NULL, "reason");
}

void qdi_page_points_row(const qdi_page_points *points, size_t i, qdi_json *json) {
    qdi_json_whole(json, NULL, i + 1);
    for (size_t k = 0; qdi_sweep_key(points->sweep, k); ++k)
        put_value(json, qdi_sweep_value(points->sweep, i, k));
    qdi_json_whole(json, NULL, qdi_sweep_replica(points->sweep, i));
    if (points->points[i].state != QDI_PAGE_UNKNOWN) {
        qdi_json_verbatim(json, NULL, points->texts.chars + points->points[i].cells);
        return;
    }
    put_sweep_line(points->sweep, json,
                   &(qdi_sweep_line){.seed = "", .directory = "", .code = "", .reason = ""});
}
