// The page of a run.

#include "core/base/memory.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/report/page_moments.h"
#include "tools/report/page_run_data.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

/// Most bytes of a result.json.
static const uint64_t result_most = 1000000;

typedef struct run_page {
    qdi_page_job *job;
    qdi_recorded past;
    qdi_page_frame *frames; ///< that the page shows
    size_t frame_count, frame_room;
    qdi_page_moments moments;
    qdi_text result;
} run_page;

// The path of a frame that the page of a run shows.
static void frame_path(const void *context, size_t number, char path[QDI_PAGE_PATH + 64]) {
    const run_page *run = context;
    snprintf(path, QDI_PAGE_PATH + 64, "%s/frames/frame_%06" PRIu64 ".png", run->job->directory,
             run->frames[number].number);
}

/// Report's page of a run: lists the frames that run.db names and that are there, and what they take on the
/// disk.
static qd_status list_frames(run_page *run, uint64_t *bytes, uint64_t *lost, qd_error *error) {
    const qd_allocator *allocator = run->job->allocator;
    uint64_t next = 0;
    for (qd_store_frame frame;; next = frame.number + 1) {
        qd_status status = qd_store_next_frame(run->past.store, next, &frame, error);
        if (status == QD_ERR_NOT_FOUND) return QD_OK;
        if (status != QD_OK) return status;
        status = qdi_reserve(allocator, &run->frames, &run->frame_room, run->frame_count,
                             run->frame_count + 1, sizeof *run->frames);
        if (status != QD_OK) return status;
        run->frames[run->frame_count] = (qdi_page_frame){frame.number, frame.step, frame.time};
        char path[QDI_PAGE_PATH + 64];
        frame_path(run, run->frame_count, path);
        uint64_t size = qdi_host_file_size(path);
        *bytes += size;
        *lost += size == 0;
        run->frame_count += size > 0;
    }
}

/// Takes as many frames as the page may hold, evenly, the first always.
static qd_status choose_frames(run_page *run, qd_error *error) {
    uint64_t bytes = 0, lost = 0;
    qd_status status = list_frames(run, &bytes, &lost, error);
    if (status != QD_OK) return status;
    uint64_t stride = qdi_page_job_stride(run->job, bytes);
    size_t all = run->frame_count;
    for (size_t i = 0; i * stride < all; ++i) run->frames[i] = run->frames[i * stride];
    run->frame_count = (all + stride - 1) / stride;
    qdi_page_job_note_stride(run->job, stride, run->frame_count, all, "frames", bytes);
    if (lost > 0 && run->past.plan.frames_files)
        qdi_page_job_note(run->job, "%" PRIu64 " frame%s that run.db lists %s not there", lost,
                          lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
    return QD_OK;
}

// Whether a result is one that the page of a run can take: QD_ERR_INVALID where it is not.
static qd_status check_result(const char *text) {
    json_t *value = NULL;
    qd_status status = qdi_page_job_json(text, &value);
    if (status == QD_OK && !json_is_object(value)) status = QD_ERR_INVALID;
    json_decref(value);
    return status;
}

/// Report's page of a run: the text of result.json; none where the run is not complete.
static qd_status read_result(run_page *run, qd_error *error) {
    char path[QDI_PAGE_PATH + 64];
    snprintf(path, sizeof path, "%s/result.json", run->job->directory);
    qd_status status = qdi_page_job_read(path, result_most, &run->result, error);
    bool there = status == QD_OK || status == QD_ERR_INVALID;
    if (status == QD_OK) status = check_result(run->result.chars);
    if (status == QD_OK || status == QD_ERR_MEMORY) return status;
    if (!there && status != QD_ERR_NOT_FOUND) return status;
    qdi_text_release(&run->result);
    if (there)
        qdi_page_job_note(run->job,
                          "The result.json of this run is not as a run writes it, and is left out.");
    else
        qdi_page_job_note(
            run->job, "This run is %s: the page shows it up to step %" PRIu64 " of %" PRIu64 ".",
            run->past.going_on ? "going on" : "not complete", run->past.last_step, run->past.plan.steps);
    return QD_OK;
}

// Writes the page of a run.
static qd_status write_page(run_page *run, qd_error *error) {
    const qdi_page_source source = {.past = &run->past,
                                    .result = run->result.chars,
                                    .frames = run->frames,
                                    .frame_count = run->frame_count};
    qdi_json json = {.allocator = run->job->allocator, .dense = true};
    qd_status status = qdi_page_run_data(run->job, &source, &json, error);
    const qdi_page_content content = {.kind = QDI_PAGE_RUN,
                                      .title = run->past.run.scene,
                                      .data = json.text,
                                      .picture_count = run->frame_count,
                                      .picture_path = frame_path,
                                      .context = run,
                                      .moments = &run->moments};
    if (status == QD_OK) status = qdi_page_job_write(run->job, &content, error);
    qdi_json_free(&json);
    return status;
}

/// A sweep says it once for all of its pages.
static int stopped(const qdi_page_job *job) {
    if (!job->wishes->runs)
        qdi_complain("stopped by %s: no page was made", qdi_host_signal_name(qdi_host_signal()));
    return QDI_EXIT_SIGNAL + qdi_host_signal();
}

int qdi_page_run(qdi_page_job *job) {
    run_page run = {
        .job = job, .moments = {.allocator = job->allocator}, .result = {.allocator = job->allocator}};
    qd_error error = {""};
    int exit_code = qdi_recorded_open(&run.past, job->directory);
    if (exit_code == QDI_EXIT_DONE) {
        qd_status status = choose_frames(&run, &error);
        if (status == QD_OK) status = read_result(&run, &error);
        if (status == QD_OK)
            status = qdi_page_moments_make(job, &run.past, run.frames, run.frame_count, &run.moments, &error);
        if (status == QD_OK) status = write_page(&run, &error);
        if (status == QD_ERR_STOPPED)
            exit_code = stopped(job);
        else if (status != QD_OK)
            exit_code = qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    }
    if (exit_code == QDI_EXIT_DONE) qdi_page_job_say(job, run.frame_count, "frame");
    qdi_recorded_close(&run.past);
    qdi_release(job->allocator, run.frames, run.frame_room, sizeof *run.frames);
    qdi_page_moments_free(&run.moments);
    qdi_text_release(&run.result);
    return exit_code;
}
