#include "tools/host/json.h"

#include "core/base/memory.h"
#include "sim/text/number.h"
#include "sim/text/scene_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Appends characters to the JSON text.
static void json_append(qdi_json *json, const char *text, size_t length) {
    if (json->status != QD_OK) return;
    size_t used = json->text ? json->length + 1 : 0;
    json->status = qdi_reserve(json->allocator, &json->text, &json->room, used, json->length + length + 1, 1);
    if (json->status != QD_OK) return;
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = '\0';
}

// Appends a text to the JSON text as it is.
static void json_append_text(qdi_json *json, const char *text) {
    json_append(json, text, strlen(text));
}

/// JSON: a text with its quotes. What is not UTF-8, as the name of a file may be, becomes U+FFFD, byte by
/// byte.
static void put_quoted(qdi_json *json, const char *text) {
    json_append_text(json, "\"");
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length) {
        char escape[8];
        uint32_t code = 0;
        length = qdi_utf8_length(text, left, &code);
        if (*text == '"' || *text == '\\')
            snprintf(escape, sizeof escape, "\\%c", *text);
        else if (length == 0 || code < ' ')
            snprintf(escape, sizeof escape, "\\u%04x", length == 0 ? 0xfffdU : (unsigned)code);
        else
            snprintf(escape, sizeof escape, "%.*s", (int)length, text);
        json_append_text(json, escape);
        if (length == 0) length = 1;
    }
    json_append_text(json, "\"");
}

// Begins a line of JSON, indented by its depth.
static void json_new_line(qdi_json *json) {
    if (json->dense) return;
    json_append_text(json, "\n");
    for (int i = 0; i < json->depth; ++i) json_append_text(json, "  ");
}

/// Everything that comes before a value.
static void json_begin_value(qdi_json *json, const char *name) {
    if (json->filled) json_append_text(json, ",");
    if (json->depth > 0) json_new_line(json);
    json->filled = true;
    if (!name) return;
    put_quoted(json, name);
    json_append_text(json, json->dense ? ":" : ": ");
}

void qdi_json_open(qdi_json *json, const char *name, char bracket) {
    json_begin_value(json, name);
    json_append(json, &bracket, 1);
    json->depth += 1;
    json->filled = false;
}

void qdi_json_close(qdi_json *json, char bracket) {
    json->depth -= 1;
    if (json->filled) json_new_line(json);
    json_append(json, &bracket, 1);
    if (json->depth == 0) json_append_text(json, "\n");
    json->filled = true;
}

void qdi_json_text(qdi_json *json, const char *name, const char *value) {
    json_begin_value(json, name);
    put_quoted(json, value);
}

void qdi_json_whole(qdi_json *json, const char *name, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    json_begin_value(json, name);
    json_append_text(json, digits);
}

void qdi_json_real(qdi_json *json, const char *name, double value) {
    char digits[QDI_NUMBER_ROOM] = "null";
    if (isfinite(value)) qdi_number_write(value, digits);
    json_begin_value(json, name);
    json_append_text(json, digits);
}

void qdi_json_truth(qdi_json *json, const char *name, bool value) {
    json_begin_value(json, name);
    json_append_text(json, value ? "true" : "false");
}

void qdi_json_null(qdi_json *json, const char *name) {
    json_begin_value(json, name);
    json_append_text(json, "null");
}

void qdi_json_hash(qdi_json *json, const char *name, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%016" PRIx64, value);
    qdi_json_text(json, name, digits);
}

void qdi_json_verbatim(qdi_json *json, const char *name, const char *text) {
    json_begin_value(json, name);
    json_append_text(json, text);
}

// Frees the text of a JSON value.
void qdi_json_free(qdi_json *json) {
    qdi_release(json->allocator, json->text, json->room, 1);
    json->text = NULL;
    json->length = json->room = 0;
}

qd_status qdi_json_print(qdi_json *json) {
    if (json->status == QD_OK) fputs(json->text, stdout);
    qdi_json_free(json);
    return json->status;
}
