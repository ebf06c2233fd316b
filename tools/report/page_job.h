#pragma once

#include "export/page/page.h"
#include "sim/text/scene_text.h"
#include "tools/host/json.h"
#include "tools/host/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A page on its way from a directory to a file: what `quadrille report` does alike for a run, a sweep and a
/// scaling test.

enum { QDI_PAGE_PATH = 4096, QDI_PAGE_NOTES = 8, QDI_PAGE_NOTE = 256 };

/// What the command line says.
typedef struct qdi_page_wishes {
    qdi_common common;
    const char *directory, *output;
    qdi_option_number most; ///< megabytes
    bool runs, force;
} qdi_page_wishes;

typedef struct qdi_page_job {
    const qd_allocator *allocator;
    const qdi_page_wishes *wishes;
    const char *directory;
    char output[QDI_PAGE_PATH];
    char notes[QDI_PAGE_NOTES][QDI_PAGE_NOTE]; ///< what the reader should know
    size_t note_count;
    qdi_page page;
} qdi_page_job;

/// Begins one for `directory`. `output` NULL: its report.html. What is at its place and is no page of ours is
/// refused without the wish `force`. Returns an exit code, and has said why where it is not 0.
int qdi_page_job_begin(qdi_page_job *job, const qdi_page_wishes *wishes, const char *directory,
                       const char *output);

/// Adds a note; more than there is room for are left out.
void qdi_page_job_note(qdi_page_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Opens the object of the page's data: schema, title, facts.
void qdi_page_job_head(qdi_json *json, const char *title, const char *facts);
/// Adds the notes as an array.
void qdi_page_job_notes(const qdi_page_job *job, qdi_json *json);

/// Bytes that the page may hold (--max-size).
uint64_t qdi_page_job_room(const qdi_page_job *job);
/// So many bytes of pictures, as text, fit into the page if one in `result` is taken.
uint64_t qdi_page_job_stride(const qdi_page_job *job, uint64_t bytes);
/// Says how many of them it has: "3 of 10 frames are shown, one in 4: ...".
void qdi_page_job_note_stride(qdi_page_job *job, uint64_t stride, size_t shown, size_t all, const char *what,
                              uint64_t bytes);

/// Reads a whole file. Errors: QD_ERR_NOT_FOUND (`error` stays as it is), QD_ERR_INVALID (it has more than
/// `most` bytes, or a zero in it), QD_ERR_IO, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_page_job_read(const char *path, uint64_t most, qdi_text *text, qd_error *error);

/// Reads JSON, whose whole numbers may be beyond 64 bits (in energies for instance); the caller ends it by
/// json_decref. From here on JSON's library takes its memory from malloc. Errors: QD_ERR_INVALID,
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_page_job_json(const char *text, json_t **value);

struct qdi_page_moments;

/// What is in it.
typedef struct qdi_page_content {
    qdi_page_kind kind;
    const char *title, *data; ///< data: JSON
    size_t picture_count;
    /// The file of picture number `number`.
    void (*picture_path)(const void *context, size_t number, char path[QDI_PAGE_PATH + 64]);
    const void *context;
    const struct qdi_page_moments *moments; ///< of a run, or NULL
} qdi_page_content;

/// Writes it; after an error nothing is left but what was there before.
QD_MUST_USE qd_status qdi_page_job_write(qdi_page_job *job, const qdi_page_content *content, qd_error *error);

/// Says what came of it: "out/report.html: 4.1 MB, 120 frames", and the notes.
void qdi_page_job_say(const qdi_page_job *job, size_t count, const char *what);

// ---- page_run.c, page_sweep.c, page_scale.c ----

/// Make a page from what the job's directory holds. They return an exit code and have said why where it is
/// not 0.
int qdi_page_run(qdi_page_job *job);
/// With the wish `runs` also those of its runs that are done and have none, or one that is older than their
/// result.json.
int qdi_page_sweep(qdi_page_job *job);
int qdi_page_scale(qdi_page_job *job);
