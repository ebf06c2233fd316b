// The page of a sweep, and the pages of its runs.

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/rundir/run_files.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/report/page_sweep_rows.h"
#include "tools/verify/relative.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WAY_ROOM = 8192, FRAME_PATH = QDI_PAGE_PATH + 64 };

/// The last frame of a point's run.
typedef struct picture {
    size_t point;
    uint64_t frame;
} picture;

typedef struct sweep_page {
    qdi_page_job *job;
    qdi_page_points points;
    picture *pictures; ///< that the page shows
    size_t picture_count, picture_room;
    char way[WAY_ROOM]; ///< from the page to the sweep's directory
} sweep_page;

// Report's page of a sweep: the path of a file of one point of a sweep.
static void point_path(const sweep_page *sweep, size_t point, const char *name, char path[FRAME_PATH]) {
    (void)snprintf(path, FRAME_PATH, "%s/%s%s", sweep->job->directory, sweep->points.points[point].directory,
                   name);
}

// Report's page of a sweep: whether a point of a sweep has a run directory that we may read.
static bool point_has_directory(const sweep_page *sweep, size_t point) {
    char path[FRAME_PATH];
    point_path(sweep, point, "", path);
    return sweep->points.points[point].directory[0] && qdi_os_is_directory(path) &&
           qdi_run_files_check(path, NULL) == QD_OK;
}

// ---- pictures ----

// The path of the picture that a sweep's page shows of a point.
static void point_picture_path(const void *context, size_t number, char path[FRAME_PATH]) {
    const sweep_page *sweep = context;
    char name[64];
    const picture *shown = &sweep->pictures[number];
    (void)snprintf(name, sizeof name, "/frames/frame_%06" PRIu64 ".png", shown->frame);
    point_path(sweep, shown->point, name, path);
}

// Report's page of a sweep: notes the last frame in the directory of a sweep's point.
static bool note_later_frame(void *context, const char *name) {
    uint64_t *last = context, number = 0;
    int used = 0;
    if (sscanf(name, "frame_%" SCNu64 ".png%n", &number, &used) == 1 && used > 0 && !name[used] &&
        number >= *last)
        *last = number + 1;
    return true;
}

/// Report's page of a sweep: how many frames a run has made: a run that is not done has to be looked at.
static uint64_t count_frames(const sweep_page *sweep, size_t point) {
    const qdi_page_point *here = &sweep->points.points[point];
    if (!point_has_directory(sweep, point)) return 0;
    if (here->state == QDI_PAGE_DONE) return here->frames;
    char path[FRAME_PATH];
    uint64_t frames = 0;
    point_path(sweep, point, "/frames", path);
    qd_status status = qdi_os_is_directory(path) ? qdi_os_list(path, note_later_frame, &frames, NULL) : QD_OK;
    return status == QD_OK ? frames : 0;
}

/// Takes as many last frames as the page may hold, evenly.
static qd_status choose_pictures(sweep_page *sweep) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < sweep->points.count; ++i) {
        uint64_t frames = count_frames(sweep, i);
        if (frames == 0) continue;
        qd_status status = qdi_reserve(sweep->job->allocator, &sweep->pictures, &sweep->picture_room,
                                       sweep->picture_count, sweep->picture_count + 1,
                                       sizeof *sweep->pictures);
        if (status != QD_OK) return status;
        sweep->pictures[sweep->picture_count] = (picture){i, frames - 1};
        char path[FRAME_PATH];
        point_picture_path(sweep, sweep->picture_count, path);
        uint64_t size = qdi_host_file_size(path);
        bytes += size;
        sweep->picture_count += size > 0;
    }
    uint64_t stride = qdi_page_job_stride(sweep->job, bytes);
    size_t all = sweep->picture_count;
    for (size_t i = 0; i * stride < all; ++i) sweep->pictures[i] = sweep->pictures[i * stride];
    sweep->picture_count = (all + stride - 1) / stride;
    qdi_page_job_note_stride(sweep->job, stride, sweep->picture_count, all, "last frames", bytes);
    return QD_OK;
}

// ---- the page ----

/// Columns of the page's own behind those of sweep.csv: what there is to link to, and the number of the
/// picture.
static void put_links(const sweep_page *sweep, size_t point, size_t *shown, qdi_json *json) {
    char path[FRAME_PATH];
    point_path(sweep, point, "/report.html", path);
    bool there = point_has_directory(sweep, point);
    qdi_json_text(json, NULL, !there ? "" : qdi_os_is_file(path) ? "page" : "directory");
    if (*shown < sweep->picture_count && sweep->pictures[*shown].point == point)
        qdi_json_whole(json, NULL, (*shown)++);
    else
        qdi_json_null(json, NULL);
}

// Adds the table of points to a sweep's page.
static void put_sweep_rows(const sweep_page *sweep, qdi_json *json) {
    size_t shown = 0;
    qdi_json_open(json, "columns", '[');
    qdi_page_points_names(&sweep->points, json);
    qdi_json_text(json, NULL, "link");
    qdi_json_text(json, NULL, "picture");
    qdi_json_close(json, ']');
    qdi_json_open(json, "rows", '[');
    for (size_t i = 0; i < sweep->points.count; ++i) {
        if (!qdi_page_points_shown(&sweep->points, i)) continue;
        qdi_json_open(json, NULL, '[');
        qdi_page_points_row(&sweep->points, i, json);
        put_links(sweep, i, &shown, json);
        qdi_json_close(json, ']');
    }
    qdi_json_close(json, ']');
}

// Adds all that a sweep's page shows.
static void put_sweep_data(const sweep_page *sweep, qdi_json *json) {
    const qdi_page_points *points = &sweep->points;
    char facts[512];
    snprintf(facts, sizeof facts,
             "%zu points: %zu done, %zu failed, %zu not run; base scene %.120s; in %.120s",
             points->count - points->twins, points->done, points->failed, points->to_do,
             qdi_sweep_scene(points->sweep), sweep->job->directory);
    qdi_page_job_head(json, qdi_sweep_name(points->sweep), facts);
    qdi_page_job_notes(sweep->job, json);
    qdi_json_open(json, "axes", '[');
    for (size_t i = 0; qdi_sweep_key(points->sweep, i); ++i)
        qdi_json_text(json, NULL, qdi_sweep_key(points->sweep, i));
    qdi_json_close(json, ']');
    qdi_json_text(json, "way", sweep->way);
    qdi_json_text(json, "sweep", qdi_sweep_text(points->sweep, &(size_t){0}));
    put_sweep_rows(sweep, json);
    qdi_json_close(json, '}');
}

// Writes the page of a sweep.
static qd_status write_sweep_page(sweep_page *sweep, qd_error *error) {
    qdi_json json = {.allocator = sweep->job->allocator, .dense = true};
    put_sweep_data(sweep, &json);
    const qdi_page_content content = {.kind = QDI_PAGE_SWEEP,
                                      .title = qdi_sweep_name(sweep->points.sweep),
                                      .data = json.text,
                                      .picture_count = sweep->picture_count,
                                      .picture_path = point_picture_path,
                                      .context = sweep};
    qd_status status = json.status == QD_OK ? qdi_page_job_write(sweep->job, &content, error) : json.status;
    qdi_json_free(&json);
    return status;
}

// ---- the pages of its runs ----

// Whether the page of a point of a sweep is older than its result.
static bool point_page_due(const sweep_page *sweep, size_t point) {
    char page[FRAME_PATH], result[FRAME_PATH];
    if (sweep->points.points[point].state != QDI_PAGE_DONE || !point_has_directory(sweep, point))
        return false;
    point_path(sweep, point, "/report.html", page);
    point_path(sweep, point, "/result.json", result);
    return qdi_host_file_time(page) < qdi_host_file_time(result);
}

/// Makes those that are due. One that cannot be made is named and stops no other; the first exit code of such
/// counts.
static int make_run_pages(const sweep_page *sweep) {
    int exit_code = QDI_EXIT_DONE;
    qdi_page_job *job = qdi_allocate(sweep->job->allocator, 1, sizeof *job); // it has a large buffer
    if (!job) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    for (size_t i = 0; i < sweep->points.count && !qdi_host_signal(); ++i) {
        if (!point_page_due(sweep, i)) continue;
        char directory[FRAME_PATH];
        point_path(sweep, i, "", directory);
        int code = qdi_page_job_begin(job, sweep->job->wishes, directory, NULL);
        if (code == QDI_EXIT_DONE) code = qdi_page_run(job);
        if (exit_code == QDI_EXIT_DONE) exit_code = code;
    }
    qdi_release(sweep->job->allocator, job, 1, sizeof *job);
    if (!qdi_host_signal()) return exit_code;
    qdi_complain("stopped by %s; the same command makes the pages that are left",
                 qdi_host_signal_name(qdi_host_signal()));
    return QDI_EXIT_SIGNAL + qdi_host_signal();
}

// Makes the page of a sweep, and those of its points that are due.
static int make_sweep_page(sweep_page *sweep) {
    qd_error error = {""};
    qd_status status = qdi_relative_path(sweep->job->output, sweep->job->directory, sweep->way,
                                         sizeof sweep->way, &error);
    if (status == QD_OK) status = choose_pictures(sweep);
    if (status == QD_OK) status = write_sweep_page(sweep, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    qdi_page_job_say(sweep->job, sweep->points.count - sweep->points.twins, "point");
    return QDI_EXIT_DONE;
}

int qdi_page_sweep(qdi_page_job *job) {
    const qd_allocator *allocator = job->allocator;
    sweep_page *sweep = qdi_allocate(allocator, 1, sizeof *sweep);
    if (!sweep) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    memset(sweep, 0, sizeof *sweep);
    sweep->job = job;
    qd_error error = {""};
    qd_status status = qdi_page_points_read(job, &sweep->points, &error);
    int exit_code = QDI_EXIT_DONE, pages = QDI_EXIT_DONE;
    if (status == QD_OK) {
        if (job->wishes->runs) pages = make_run_pages(sweep);
        if (pages < QDI_EXIT_SIGNAL) exit_code = make_sweep_page(sweep);
    } else {
        bool scene = status == QD_ERR_INVALID || status == QD_ERR_NOT_FOUND;
        exit_code = qdi_fail(status, &error, scene ? QDI_EXIT_SCENE : QDI_EXIT_OUTPUT);
    }
    qdi_page_points_free(&sweep->points);
    qdi_release(allocator, sweep->pictures, sweep->picture_room, sizeof *sweep->pictures);
    qdi_release(allocator, sweep, 1, sizeof *sweep);
    return pages != QDI_EXIT_DONE ? pages : exit_code;
}
