#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// A text of unknown origin, line by line, from a file of any length or from memory. Lines end with \n, \r\n
/// or \r; a byte order mark at the start is left out. What cannot be text is refused with its line: NUL
/// bytes, UTF-16, compressed files, and lines longer than QDI_LINE_MAX (so a file of gigabytes without a line
/// break costs nothing).

/// Most bytes of a line, its end included.
#define QDI_LINE_MAX ((size_t)1 << 18)

typedef struct qdi_lines {
    const qd_allocator *allocator;
    const char *path; ///< for messages
    FILE *file;       ///< NULL: memory
    char *buffer;     ///< of a file; NULL for memory
    const char *data; ///< what was read: the buffer, or all of the memory
    size_t at, end;   ///< of `data`: what has not been given out yet
    bool drained;     ///< nothing comes after `end`
    uint64_t number;  ///< of the line that was given out last, from 1; 0 before the first
    const char *text; ///< the line without its end; valid until the next call
    size_t bytes;
    const char *raw; ///< the same with its end
    size_t raw_bytes;
} qdi_lines;

/// Text: prepares to read an open file, which stays the caller's. Errors: QD_ERR_MEMORY. Release in any case.
QD_MUST_USE qd_status qdi_lines_of_file(qdi_lines *lines, const qd_allocator *allocator, const char *path,
                                        FILE *file);
/// Text: the same for memory, whose first line is line `first` of its file. Nothing to release.
void qdi_lines_of_memory(qdi_lines *lines, const char *path, const char *text, size_t bytes, uint64_t first);
void qdi_lines_release(qdi_lines *lines);

/// Goes to the next line; `*more` is false past the last one. Errors: QD_ERR_INVALID (what is no text),
/// QD_ERR_IO.
QD_MUST_USE qd_status qdi_lines_next(qdi_lines *lines, bool *more, qd_error *error);

/// Text: the beginning of what has not been given out yet: at least a line, or the rest. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_lines_peek(qdi_lines *lines, const char **text, size_t *bytes, qd_error *error);

/// Puts "PATH:LINE: reason" into `error` (may be NULL) and returns QD_ERR_INVALID; line 0: "PATH: reason". Of
/// a long path the end is shown.
qd_status qdi_lines_reason(const char *path, uint64_t line, qd_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// The path as messages show it. Returns `shown`.
#define QDI_PATH_SHOWN 200
const char *qdi_path_shown(char shown[QDI_PATH_SHOWN], const char *path);

/// The next word of a line that spaces and tabs separate; its beginning and length, or false past the last.
/// `*at` is where to look, 0 at first.
bool qdi_word_next(const char *text, size_t bytes, size_t *at, const char **word, size_t *length);
