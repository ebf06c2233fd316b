#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Text that grows. The first failure stays in `status`; later calls do nothing then.
typedef struct qdi_text {
    const qd_allocator *allocator;
    char *chars; ///< closed by a zero once something was added
    size_t used, room;
    qd_status status;
} qdi_text;

void qdi_text_add(qdi_text *text, const char *more);
void qdi_text_add_bytes(qdi_text *text, const char *more, size_t bytes);
void qdi_text_add_number(qdi_text *text, double value);
void qdi_text_add_integer(qdi_text *text, uint64_t value);
/// Adds what an open file holds, up to some more than `most` bytes in all; false where it cannot be read.
bool qdi_text_add_file(qdi_text *text, FILE *file, uint64_t most);
void qdi_text_release(qdi_text *text);

/// The length of the UTF-8 character that the `bytes` > 0 bytes of `text` begin with, and its number; 0 where
/// they begin with none.
size_t qdi_utf8_length(const char *text, size_t bytes, uint32_t *code);

/// True where text has a control character of ASCII. Names of files may be in any encoding; one with such a
/// character is refused before it comes to another program, to a script or to a file of ours, where a new
/// line can begin a command.
bool qdi_text_has_control(const char *text);

/// True where the `length` bytes of `text` end with `end`.
bool qdi_ends_with(const char *text, size_t length, const char *end);

/// True for UTF-8 that can stand in a line of any text file, YAML among them: all characters that qdi_quote
/// shows as they are.
bool qdi_text_is_line(const char *text);

/// Room for a quotation, its closing zero included.
#define QDI_QUOTE_ROOM 100

/// What a message shows of text of unknown origin: one line without control characters (they become
/// \xNN, as does what is not UTF-8), cut off with "..." where it is long. Returns `quote`.
const char *qdi_quote(char quote[QDI_QUOTE_ROOM], const char *text, size_t bytes);
