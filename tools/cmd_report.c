#include "core/memory.h"
#include "core/verbs.h"
#include "export/page.h"
#include "tools/command.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/failure.h"
#include "tools/os.h"
#include "tools/page_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, NOTE_SIZE = 200 };

/// Pictures grow by a third as text.
static const uint64_t megabyte = 1000000;

typedef struct report_settings {
    qdi_common common;
    const char *directory, *output;
    qdi_option_number most;
} report_settings;

typedef struct report_job {
    report_settings settings;
    qdi_past past;
    const qd_allocator *allocator;
    qdi_page_frame *frames; ///< that the page shows
    size_t frame_count, frame_room;
    uint64_t stride; ///< every so many of the frames
    char *result;
    size_t result_room;
    char output[PATH_SIZE];
    char notes[4][NOTE_SIZE];
    size_t note_count;
    qdi_page page;
    bool page_open;
} report_job;

static char *new_note(report_job *job) {
    return job->notes[job->note_count++];
}

static void frame_path(const report_job *job, uint64_t number, char path[PATH_SIZE + 64]) {
    snprintf(path, PATH_SIZE + 64, "%s/frames/frame_%06" PRIu64 ".png", job->settings.directory, number);
}

/// Lists the frames that run.db names and that are there, and what they take on the disk.
static qd_status list_frames(report_job *job, uint64_t *bytes, uint64_t *lost, qd_error *error) {
    uint64_t next = 0;
    for (qd_store_frame frame;; next = frame.number + 1) {
        qd_status status = qd_store_next_frame(job->past.store, next, &frame, error);
        if (status == QD_ERR_NOT_FOUND) return QD_OK;
        if (status != QD_OK) return status;
        char path[PATH_SIZE + 64];
        frame_path(job, frame.number, path);
        uint64_t size = qdi_host_file_size(path);
        if (size == 0) {
            *lost += 1;
            continue;
        }
        *bytes += size;
        status = qdi_reserve(job->allocator, &job->frames, &job->frame_room, job->frame_count,
                             job->frame_count + 1, sizeof *job->frames);
        if (status != QD_OK) return status;
        job->frames[job->frame_count++] = (qdi_page_frame){frame.number, frame.step, frame.time};
    }
}

/// Takes as many frames as the page may hold, evenly, the first always.
static qd_status choose_frames(report_job *job, qd_error *error) {
    uint64_t bytes = 0, lost = 0,
             most = (job->settings.most.given ? job->settings.most.value : 64) * megabyte;
    qd_status status = list_frames(job, &bytes, &lost, error);
    if (status != QD_OK) return status;
    uint64_t text = bytes / 3 * 4;
    job->stride = text > most ? text / most + 1 : 1;
    size_t all = job->frame_count;
    for (size_t i = 0; i * job->stride < all; ++i) job->frames[i] = job->frames[i * job->stride];
    job->frame_count = (all + job->stride - 1) / job->stride;
    if (job->stride > 1)
        snprintf(new_note(job), NOTE_SIZE,
                 "%zu of %zu frames are shown, one in %" PRIu64 ": all would be %" PRIu64 " MB (--max-size)",
                 job->frame_count, all, job->stride, text / megabyte);
    if (lost > 0 && job->past.plan.frames_files)
        snprintf(new_note(job), NOTE_SIZE, "%" PRIu64 " frame%s that run.db lists %s not there", lost,
                 lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
    return QD_OK;
}

/// The text of result.json; none where the run is not complete.
static qd_status read_result(report_job *job) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/result.json", job->settings.directory);
    uint64_t size = qdi_host_file_size(path);
    FILE *file = size > 0 && size < megabyte ? fopen(path, "rb") : NULL;
    if (!file) {
        snprintf(new_note(job), NOTE_SIZE,
                 "This run is not complete: the page shows what it has recorded so far.");
        return QD_OK;
    }
    job->result_room = (size_t)size + 1;
    job->result = qdi_allocate(job->allocator, job->result_room, 1);
    size_t got = job->result ? fread(job->result, 1, (size_t)size, file) : 0;
    (void)fclose(file);
    if (!job->result) return QD_ERR_MEMORY;
    job->result[got] = '\0';
    return QD_OK;
}

static qd_status write_page(report_job *job, qd_error *error) {
    qdi_page_source source = {
        .past = &job->past, .result = job->result, .frames = job->frames, .frame_count = job->frame_count};
    for (size_t i = 0; i < job->note_count; ++i) source.notes[i] = job->notes[i];
    qdi_text json = {.allocator = job->allocator};
    qd_status status = qdi_page_data_write(&source, &json, error);
    if (status == QD_OK) status = qdi_page_begin(&job->page, job->output, job->past.run.scene, error);
    job->page_open = status == QD_OK;
    if (status == QD_OK) status = qdi_page_data(&job->page, json.chars, error);
    qdi_text_release(&json);
    for (size_t i = 0; i < job->frame_count && status == QD_OK; ++i) {
        char path[PATH_SIZE + 64];
        frame_path(job, job->frames[i].number, path);
        status = qdi_page_picture(&job->page, path, error);
    }
    return status == QD_OK ? qdi_page_end(&job->page, error) : status;
}

static int run_stages(report_job *job) {
    const report_settings *settings = &job->settings;
    int length = settings->output
                     ? snprintf(job->output, sizeof job->output, "%s", settings->output)
                     : snprintf(job->output, sizeof job->output, "%s/report.html", settings->directory);
    if (length < 0 || (size_t)length >= sizeof job->output) {
        qdi_complain("the name of the page is longer than %d characters", PATH_SIZE - 1);
        return QDI_EXIT_OUTPUT;
    }
    int exit_code = qdi_past_open(&job->past, settings->directory);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_host_watch_signals(); // writing past a limit fails instead of ending the program
    qd_error error = {""};
    qd_status status = choose_frames(job, &error);
    if (status == QD_OK) status = read_result(job);
    if (status == QD_OK) status = write_page(job, &error);
    if (status != QD_OK) {
        if (job->page_open) qdi_page_discard(&job->page);
        return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    }
    if (!settings->common.quiet)
        fprintf(stderr, "%s: %s, %zu frame%s\n", job->output, qdi_words_bytes((double)job->page.bytes).text,
                job->frame_count, job->frame_count == 1 ? "" : "s");
    for (size_t i = 0; i < job->note_count && !settings->common.quiet; ++i) qdi_warn("%s", job->notes[i]);
    return QDI_EXIT_DONE;
}

static int report_main(int count, char *const *arguments) {
    const qd_allocator *allocator = qd_allocator_default();
    report_job *job = qdi_allocate(allocator, 1, sizeof *job);
    if (!job) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    memset(job, 0, sizeof *job);
    job->allocator = allocator;
    int exit_code;
    if (qdi_command_start(&qdi_command_report, count, arguments, &job->settings, &exit_code))
        exit_code = run_stages(job);
    qdi_past_close(&job->past);
    qdi_release(allocator, job->frames, job->frame_room, sizeof *job->frames);
    qdi_release(allocator, job->result, job->result_room, 1);
    qdi_release(allocator, job, 1, sizeof *job);
    return exit_code;
}

static const qdi_option report_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(report_settings, output),
     "the page; default DIR/report.html"},
    {"--max-size", 0, QDI_OPTION_NUMBER, "MB", 1, 100000, offsetof(report_settings, most),
     "room for frames in the page, default 64; else every second, third, ... is taken"},
};

static const qdi_syntax report_syntax = {.command = "report",
                                         .options = report_options,
                                         .option_count = sizeof report_options / sizeof report_options[0],
                                         .word = "DIR",
                                         .word_offset = offsetof(report_settings, directory),
                                         .needed = true};

const qdi_command qdi_command_report = {
    &report_syntax,
    "make a page of a run: its frames, charts and figures",
    "  quadrille report out                              out/report.html, which needs nothing else\n"
    "  quadrille report out -o pages/out.html --max-size 200\n",
    "a run directory",
    report_main,
};
