#pragma once

#include "export/image/manifest.h"

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// A file that is being written: buffered, written as NAME.part, renamed when it is whole. The first failure
/// stays and later calls do nothing, so that a writer checks `status` once, at the end.
typedef struct qdi_out {
    const qd_allocator *allocator;
    qd_team *team;
    qdi_file file;
    char path[QDI_PATH_MAX], part[QDI_PATH_MAX];
    char *buffer;
    size_t used;
    uint64_t written; ///< bytes in all
    qd_status status;
    qd_error error;
} qdi_out;

/// Export's output: starts a file; `team` writes its rows. Errors: QD_ERR_VALUE (too long a path), QD_ERR_IO,
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_out_open(qdi_out *out, const qd_allocator *allocator, qd_team *team,
                                   const char *directory, const char *name, qd_error *error);

void qdi_out_bytes(qdi_out *out, const void *data, size_t bytes);
void qdi_out_text(qdi_out *out, const char *text);
/// Export's output: as printf; at most 500 characters.
void qdi_out_format(qdi_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void qdi_out_real(qdi_out *out, double value);

/// Writes row `i` to `at` and returns its end. Called by several threads at once.
typedef char *(*qdi_row_function)(const void *context, size_t i, char *at);

/// Export's output: writes `count` rows in their order, made by the team in blocks; each has at most `room`
/// bytes.
void qdi_out_rows(qdi_out *out, size_t count, size_t room, qdi_row_function row, const void *context);

/// Export's output: ends the writing; the file stays NAME.part. With `sync` it is on the device. Returns the
/// status of the file.
QD_MUST_USE qd_status qdi_out_close(qdi_out *out, bool sync, qd_error *error);
/// Export's output: renames a closed file into place.
QD_MUST_USE qd_status qdi_out_publish(const qdi_out *out, qd_error *error);
/// Export's output: deletes the file if it is not whole yet; what was never opened, or is gone, is fine.
void qdi_out_discard(qdi_out *out);

/// Export's output: text of single values, each returns its end: "inf", "-inf" and "nan" for what is no
/// number.
char *qdi_put_real(char *at, double value);
char *qdi_put_whole(char *at, uint64_t value);
char *qdi_put_word(char *at, const char *word);
