#include "sim/text/lines.h"

#include "core/base/memory.h"
#include "sim/text/reason.h"
#include "sim/text/scene_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/// Twice a line, so that there is always a whole one at hand after moving what is left to the front.
static const size_t buffer_bytes = 2 * QDI_LINE_MAX;

qd_status qdi_lines_of_file(qdi_lines *lines, const qd_allocator *allocator, const char *path, FILE *file) {
    *lines = (qdi_lines){.allocator = allocator, .path = path, .file = file};
    lines->buffer = qdi_allocate(allocator, buffer_bytes, 1);
    lines->data = lines->buffer;
    return lines->buffer ? QD_OK : QD_ERR_MEMORY;
}

void qdi_lines_of_memory(qdi_lines *lines, const char *path, const char *text, size_t bytes, uint64_t first) {
    *lines = (qdi_lines){.path = path,
                         .data = bytes > 0 ? text : "", // of no bytes there may be no place
                         .end = bytes,
                         .drained = true,
                         .number = first > 0 ? first - 1 : 0};
}

void qdi_lines_release(qdi_lines *lines) {
    qdi_release(lines->allocator, lines->buffer, buffer_bytes, 1);
    *lines = (qdi_lines){.allocator = lines->allocator};
}

// The end of a path, quoted for a message.
const char *qdi_path_shown(char shown[QDI_PATH_SHOWN], const char *path) {
    char quote[QDI_QUOTE_ROOM];
    const size_t most = QDI_QUOTE_ROOM - 8;
    size_t length = strlen(path);
    const char *tail = path;
    if (length > most) {
        tail = path + (length - most);
        const char *slash = strchr(tail, '/');
        if (slash && slash[1]) tail = slash;
    }
    snprintf(shown, QDI_PATH_SHOWN, "%s%s", tail == path ? "" : "...", qdi_quote(quote, tail, strlen(tail)));
    return shown;
}

qd_status qdi_lines_reason(const char *path, uint64_t line, qd_error *error, const char *format, ...) {
    char shown[QDI_PATH_SHOWN], reason[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    qdi_path_shown(shown, path);
    if (line == 0) return qdi_reason(error, QD_ERR_INVALID, "%s: %s", shown, reason);
    return qdi_reason(error, QD_ERR_INVALID, "%s:%" PRIu64 ": %s", shown, line, reason);
}

/// Text: reads more of a file of lines until the buffer is full or the file ends.
static qd_status lines_refill(qdi_lines *lines, qd_error *error) {
    if (lines->drained || lines->end - lines->at >= QDI_LINE_MAX) return QD_OK;
    memmove(lines->buffer, lines->buffer + lines->at, lines->end - lines->at);
    lines->end -= lines->at;
    lines->at = 0;
    size_t got = fread(lines->buffer + lines->end, 1, buffer_bytes - lines->end, lines->file);
    lines->end += got;
    if (ferror(lines->file)) {
        char shown[QDI_PATH_SHOWN];
        return qdi_reason(error, QD_ERR_IO, "%s: cannot be read: %s", qdi_path_shown(shown, lines->path),
                          strerror(errno));
    }
    lines->drained = lines->end < buffer_bytes;
    return QD_OK;
}

/// What a file's first bytes say that it is, where it is not text; NULL where it may be.
static const char *other_file_kind(const char *text, size_t bytes) {
    const unsigned char *at = (const unsigned char *)text;
    if (bytes >= 2 && at[0] == 0x1f && at[1] == 0x8b) return "is compressed (gzip); unpack it first";
    if (bytes >= 4 && at[0] == 0x28 && at[1] == 0xb5 && at[2] == 0x2f && at[3] == 0xfd)
        return "is compressed (zstd); unpack it first";
    bool utf16 = bytes >= 2 && ((at[0] == 0xff && at[1] == 0xfe) || (at[0] == 0xfe && at[1] == 0xff));
    return utf16 ? "is text in UTF-16; save it as UTF-8" : NULL;
}

/// Skips a byte order mark at the beginning of a file and refuses what is not text.
static qd_status lines_begin(qdi_lines *lines, qd_error *error) {
    const char *text = lines->data + lines->at;
    size_t bytes = lines->end - lines->at;
    const char *what = other_file_kind(text, bytes);
    if (what) return qdi_lines_reason(lines->path, 0, error, "%s", what);
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) lines->at += 3;
    return QD_OK;
}

/// The length of a line of text.
/// Bytes up to the first line end. By pieces, so that a file whose lines end with one of the two kinds is not
/// searched to its end for the other one at each line.
static size_t line_length(const char *text, size_t bytes) {
    const size_t piece = 256;
    for (size_t at = 0; at < bytes; at += piece) {
        size_t length = bytes - at < piece ? bytes - at : piece;
        const char *feed = memchr(text + at, '\n', length);
        if (feed) length = (size_t)(feed - (text + at));
        const char *turn = memchr(text + at, '\r', length);
        if (turn || feed) return (size_t)((turn ? turn : feed) - text);
    }
    return bytes;
}

qd_status qdi_lines_next(qdi_lines *lines, bool *more, qd_error *error) {
    *more = false;
    qd_status status = lines_refill(lines, error);
    if (status == QD_OK && lines->number == 0) status = lines_begin(lines, error);
    if (status != QD_OK || lines->at == lines->end) return status;
    lines->number += 1;
    const char *text = lines->data + lines->at;
    size_t left = lines->end - lines->at, room = left < QDI_LINE_MAX ? left : QDI_LINE_MAX;
    size_t length = line_length(text, room), used = length;
    if (used < left && text[used] == '\r') ++used;
    if (used < left && text[used] == '\n') ++used;
    if (memchr(text, 0, length))
        return qdi_lines_reason(lines->path, lines->number, error, "holds a NUL byte: this is no text");
    if (used > QDI_LINE_MAX || (length == room && left > room))
        return qdi_lines_reason(lines->path, lines->number, error, "is longer than %zu bytes", QDI_LINE_MAX);
    lines->text = lines->raw = text;
    lines->bytes = length;
    lines->raw_bytes = used;
    lines->at += used;
    *more = true;
    return QD_OK;
}

qd_status qdi_lines_peek(qdi_lines *lines, const char **text, size_t *bytes, qd_error *error) {
    qd_status status = lines_refill(lines, error);
    if (status == QD_OK && lines->number == 0) status = lines_begin(lines, error);
    *text = lines->data + lines->at;
    *bytes = lines->end - lines->at;
    return status;
}

// Text: true for a blank within a line.
static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool qdi_word_next(const char *text, size_t bytes, size_t *at, const char **word, size_t *length) {
    while (*at < bytes && is_blank(text[*at])) ++*at;
    if (*at == bytes) return false;
    *word = text + *at;
    size_t start = *at;
    while (*at < bytes && !is_blank(text[*at])) ++*at;
    *length = *at - start;
    return true;
}
