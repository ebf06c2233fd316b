#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes JSON into memory. Ours because numbers must be in the shortest form that reads back equal, and the
/// JSON library that Debian packages writes all of them with the same number of digits.
///
/// Start with a zeroed one and an allocator. Failing to get memory sticks; look at `status` at the end.
typedef struct qdi_json {
    const qd_allocator *allocator;
    char *text; ///< ends with a zero once something was written
    size_t length, room;
    int depth;
    bool dense;  ///< no spaces and lines between values: for long tables
    bool filled; ///< the object or array that is open has something in it
    qd_status status;
} qdi_json;

/// `name` is the key in an object, NULL in an array and for the whole.
void qdi_json_open(qdi_json *json, const char *name, char bracket);
/// Closes what was opened last with '}' or ']'; the outermost one ends the line.
void qdi_json_close(qdi_json *json, char bracket);
void qdi_json_text(qdi_json *json, const char *name, const char *value);
void qdi_json_whole(qdi_json *json, const char *name, uint64_t value);
/// null where the value is not finite.
void qdi_json_real(qdi_json *json, const char *name, double value);
void qdi_json_truth(qdi_json *json, const char *name, bool value);
void qdi_json_null(qdi_json *json, const char *name);
/// A hash: 16 hex digits, as text.
void qdi_json_hash(qdi_json *json, const char *name, uint64_t value);

/// Text that is JSON already, as it is; in an array also several values with commas between.
void qdi_json_verbatim(qdi_json *json, const char *name, const char *text);

void qdi_json_free(qdi_json *json);
/// Prints it on the standard output, unless `status` is an error, and frees it; returns `status`.
QD_MUST_USE qd_status qdi_json_print(qdi_json *json);
