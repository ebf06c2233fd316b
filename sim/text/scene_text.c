#include "sim/text/scene_text.h"

#include "core/base/memory.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Appends bytes to a text that grows.
void qdi_text_add_bytes(qdi_text *text, const char *more, size_t bytes) {
    if (text->status != QD_OK) return;
    text->status = qdi_reserve(text->allocator, &text->chars, &text->room, text->used, text->used + bytes + 1,
                               1);
    if (text->status != QD_OK) return;
    memcpy(text->chars + text->used, more, bytes);
    text->used += bytes;
    text->chars[text->used] = 0;
}

// Appends a text to a text that grows.
void qdi_text_add(qdi_text *text, const char *more) {
    qdi_text_add_bytes(text, more, strlen(more));
}

// Appends a number in its shortest form.
void qdi_text_add_number(qdi_text *text, double value) {
    char number[QDI_NUMBER_ROOM];
    qdi_text_add_bytes(text, number, qdi_number_write(value, number));
}

// Appends a whole number.
void qdi_text_add_integer(qdi_text *text, uint64_t value) {
    char number[QDI_NUMBER_ROOM];
    snprintf(number, sizeof number, "%" PRIu64, value);
    qdi_text_add(text, number);
}

bool qdi_text_add_file(qdi_text *text, FILE *file, uint64_t most) {
    char piece[4096];
    size_t got = 0;
    while (text->status == QD_OK && text->used <= most && (got = fread(piece, 1, sizeof piece, file)) > 0)
        qdi_text_add_bytes(text, piece, got);
    return !ferror(file);
}

void qdi_text_release(qdi_text *text) {
    qdi_release(text->allocator, text->chars, text->room, 1);
    text->chars = NULL;
    text->used = text->room = 0;
}

size_t qdi_utf8_length(const char *text, size_t bytes, uint32_t *code) {
    const unsigned char *at = (const unsigned char *)text;
    *code = at[0];
    if (at[0] < 0x80) return 1;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > bytes) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((at[i] & 0xc0) != 0x80) return 0;
    *code = at[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; ++i) *code = *code << 6 | (at[i] & 0x3fU);
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    bool sound = *code >= smallest[length] && *code <= 0x10ffff && !(*code >= 0xd800 && *code <= 0xdfff);
    return sound ? length : 0;
}

/// The length of the character that `text` begins with, or 0 where it is malformed or must not be shown as it
/// is: control characters, the two separators that Unicode counts as line breaks, and what YAML refuses.
static size_t printable_length(const char *text, size_t bytes) {
    uint32_t code = 0;
    size_t length = qdi_utf8_length(text, bytes, &code);
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return control || code == 0x2028 || code == 0x2029 || code == 0xfeff || (code & ~1U) == 0xfffe ? 0
                                                                                                   : length;
}

bool qdi_text_has_control(const char *text) {
    for (; *text; ++text)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return true;
    return false;
}

bool qdi_text_is_line(const char *text) {
    size_t length = 1;
    for (size_t left = strlen(text); left > 0 && length > 0; left -= length, text += length)
        length = printable_length(text, left);
    return length > 0;
}

const char *qdi_quote(char quote[QDI_QUOTE_ROOM], const char *text, size_t bytes) {
    size_t used = 0, at = 0;
    while (at < bytes) {
        size_t length = printable_length(text + at, bytes - at);
        size_t need = length > 0 ? length : 4;
        if (used + need + sizeof "..." > QDI_QUOTE_ROOM) {
            memcpy(quote + used, "...", 3);
            used += 3;
            break;
        }
        if (length > 0)
            memcpy(quote + used, text + at, length);
        else
            snprintf(quote + used, QDI_QUOTE_ROOM - used, "\\x%02x", (unsigned)(unsigned char)text[at]);
        used += need;
        at += length > 0 ? length : 1;
    }
    quote[used] = 0;
    return quote;
}

bool qdi_ends_with(const char *text, size_t length, const char *end) {
    size_t tail = strlen(end);
    return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}
