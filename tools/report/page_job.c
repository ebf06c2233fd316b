#include "tools/report/page_job.h"

#include "sim/files/os.h"
#include "sim/text/reason.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/output_place.h"
#include "tools/report/page_moments.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MEGABYTES = 64, PAGE_SCHEMA = 1 };
static const uint64_t megabyte = 1000000;

int qdi_page_job_begin(qdi_page_job *job, const qdi_page_wishes *wishes, const char *directory,
                       const char *output) {
    memset(job, 0, sizeof *job);
    job->allocator = qd_allocator_default();
    job->wishes = wishes;
    job->directory = directory;
    int length = output ? snprintf(job->output, sizeof job->output, "%s", output)
                        : snprintf(job->output, sizeof job->output, "%s/report.html", directory);
    if (length <= 0 || (size_t)length >= sizeof job->output) {
        qdi_complain("the name of the page is longer than %d characters", QDI_PAGE_PATH - 1);
        return QDI_EXIT_OUTPUT;
    }
    const qdi_output_rule rule = {.force = wishes->force, .is_ours = qdi_page_is_ours};
    return qdi_output_check_file(job->output, &rule);
}

void qdi_page_job_note(qdi_page_job *job, const char *format, ...) {
    if (job->note_count == QDI_PAGE_NOTES) return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(job->notes[job->note_count++], QDI_PAGE_NOTE, format, arguments);
    va_end(arguments);
}

void qdi_page_job_head(qdi_json *json, const char *title, const char *facts) {
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", PAGE_SCHEMA);
    qdi_json_text(json, "title", title);
    qdi_json_text(json, "facts", facts);
}

void qdi_page_job_notes(const qdi_page_job *job, qdi_json *json) {
    qdi_json_open(json, "notes", '[');
    for (size_t i = 0; i < job->note_count; ++i) qdi_json_text(json, NULL, job->notes[i]);
    qdi_json_close(json, ']');
}

// ---- pictures ----

/// Report's page: pictures grow by a third as text.
static uint64_t as_text(uint64_t bytes) {
    return bytes / 3 * 4;
}

uint64_t qdi_page_job_room(const qdi_page_job *job) {
    const qdi_option_number *given = &job->wishes->most;
    return (given->given ? given->value : DEFAULT_MEGABYTES) * megabyte;
}

uint64_t qdi_page_job_stride(const qdi_page_job *job, uint64_t bytes) {
    const uint64_t most = qdi_page_job_room(job);
    return as_text(bytes) > most ? as_text(bytes) / most + 1 : 1;
}

void qdi_page_job_note_stride(qdi_page_job *job, uint64_t stride, size_t shown, size_t all, const char *what,
                              uint64_t bytes) {
    if (stride > 1)
        qdi_page_job_note(
            job, "%zu of %zu %s are shown, one in %" PRIu64 ": all would be %" PRIu64 " MB (--max-size)",
            shown, all, what, stride, as_text(bytes) / megabyte);
}

// ---- files ----

qd_status qdi_page_job_read(const char *path, uint64_t most, qdi_text *text, qd_error *error) {
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, &why);
    if (status == QD_ERR_IO) (void)qdi_reason(error, status, "cannot read %.300s: %.150s", path, why.text);
    if (status != QD_OK) return status;
    bool read = qdi_text_add_file(text, file, most);
    status = text->status;
    if (status == QD_OK && !read)
        status = qdi_reason(error, QD_ERR_IO, "cannot read %.300s", path);
    else if (status == QD_OK && (text->used > most || (text->used > 0 && strlen(text->chars) < text->used)))
        status = qdi_reason(error, QD_ERR_INVALID, "%.300s is not as Quadrille writes it", path);
    (void)fclose(file);
    if (status == QD_OK && !text->chars) qdi_text_add(text, "");
    return status == QD_OK ? text->status : status;
}

/// Whether JSON's library got no memory since it was looked at: it says of a text then that it is none.
static bool json_starved;

// Memory for JSON's library, and a note where there is none.
static void *json_memory(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) json_starved = true;
    return memory;
}

qd_status qdi_page_job_json(const char *text, json_t **value) {
    json_set_alloc_funcs(json_memory, free);
    json_starved = false;
    *value = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    if (*value) return QD_OK;
    return json_starved ? QD_ERR_MEMORY : QD_ERR_INVALID;
}

qd_status qdi_page_job_write(qdi_page_job *job, const qdi_page_content *content, qd_error *error) {
    qd_status status = qdi_page_begin(&job->page, content->kind, job->output, content->title, error);
    if (status == QD_OK) status = qdi_page_data(&job->page, content->data, error);
    for (size_t i = 0; i < content->picture_count && status == QD_OK; ++i) {
        char path[QDI_PAGE_PATH + 64];
        content->picture_path(content->context, i, path);
        status = qdi_page_picture(&job->page, path, error);
    }
    for (size_t i = 0; content->moments && i < content->moments->count && status == QD_OK; ++i)
        status = qdi_page_moment(&job->page, content->moments->worlds[i].frame,
                                 content->moments->worlds[i].json.text, error);
    if (status == QD_OK) status = qdi_page_end(&job->page, error);
    if (status != QD_OK) qdi_page_discard(&job->page);
    return status;
}

void qdi_page_job_say(const qdi_page_job *job, size_t count, const char *what) {
    if (job->wishes->common.quiet) return;
    fprintf(stderr, "%s: %s, %zu %s%s\n", job->output, qdi_words_bytes((double)job->page.bytes).text, count,
            what, count == 1 ? "" : "s");
    for (size_t i = 0; i < job->note_count; ++i) qdi_warn("%s", job->notes[i]);
}
