#include "export/page/page.h"

#include "sim/files/os.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// What every page begins with, and what says of it that it is one of ours.
#define PAGE_START "<!doctype html>\n<html lang=\"en\">\n<head>\n"
#define PAGE_MARK  "<meta name=\"generator\" content=\"Quadrille\">"

/// Stands near the beginning of pages of version 0.1, which have no mark.
static const char old_mark[] = "<p class=\"facts\" id=\"facts\"></p>";

// Embedded files; see CMakeLists.txt.
extern const unsigned char qdi_page_page_css[], qdi_page_head_html[], qdi_page_foot_html[],
    qdi_page_common_js[], qdi_page_ask_js[], qdi_page_fields_js[], qdi_page_run_html[], qdi_page_run_js[],
    qdi_page_sweep_html[], qdi_page_sweep_js[], qdi_page_scale_html[], qdi_page_scale_js[], qdi_page_charts[],
    qdi_page_charts_style[];
extern const unsigned long qdi_page_page_css_size, qdi_page_head_html_size, qdi_page_foot_html_size,
    qdi_page_common_js_size, qdi_page_ask_js_size, qdi_page_fields_js_size, qdi_page_run_html_size,
    qdi_page_run_js_size, qdi_page_sweep_html_size, qdi_page_sweep_js_size, qdi_page_scale_html_size,
    qdi_page_scale_js_size, qdi_page_charts_size, qdi_page_charts_style_size;

typedef struct embedded {
    const unsigned char *data;
    const unsigned long *bytes;
} embedded;

static const embedded style = {qdi_page_page_css, &qdi_page_page_css_size},
                      charts_style = {qdi_page_charts_style, &qdi_page_charts_style_size},
                      head = {qdi_page_head_html, &qdi_page_head_html_size},
                      foot = {qdi_page_foot_html, &qdi_page_foot_html_size},
                      charts = {qdi_page_charts, &qdi_page_charts_size},
                      common = {qdi_page_common_js, &qdi_page_common_js_size},
                      ask = {qdi_page_ask_js, &qdi_page_ask_js_size},
                      fields = {qdi_page_fields_js, &qdi_page_fields_js_size};

/// By kind.
static const struct {
    embedded body, program;
} own[] = {
    {{qdi_page_run_html, &qdi_page_run_html_size}, {qdi_page_run_js, &qdi_page_run_js_size}},
    {{qdi_page_sweep_html, &qdi_page_sweep_html_size}, {qdi_page_sweep_js, &qdi_page_sweep_js_size}},
    {{qdi_page_scale_html, &qdi_page_scale_html_size}, {qdi_page_scale_js, &qdi_page_scale_js_size}},
};

/// Writes the buffer to the page's file.
static qd_status flush_page_buffer(qdi_page *page, qd_error *error) {
    size_t bytes = page->used;
    page->used = 0;
    page->bytes += bytes;
    return qdi_file_write(page->file, page->part, page->buffer, bytes, error);
}

/// Writes bytes to the page.
static qd_status put_page_bytes(qdi_page *page, const void *data, size_t bytes, qd_error *error) {
    const unsigned char *from = data;
    qd_status status = QD_OK;
    while (bytes > 0 && status == QD_OK) {
        size_t room = sizeof page->buffer - page->used, part = bytes < room ? bytes : room;
        memcpy(page->buffer + page->used, from, part);
        page->used += part;
        from += part;
        bytes -= part;
        if (page->used == sizeof page->buffer) status = flush_page_buffer(page, error);
    }
    return status;
}

/// Writes a text to the page.
static qd_status put_page_text(qdi_page *page, const char *text, qd_error *error) {
    return put_page_bytes(page, text, strlen(text), error);
}

/// Where an embedded program or style of a page ends, but for the comment that says where its sources would
/// be: nothing is to be fetched.
static size_t end_of_embedded_source(embedded code) {
    static const char mark[] = "# sourceMappingURL="; // after a slash and another one or a star
    const size_t length = sizeof mark - 1;
    size_t bytes = *code.bytes;
    for (size_t at = bytes > length ? bytes - length : 0; at >= 2; --at)
        if (memcmp(code.data + at, mark, length) == 0) return at - 2;
    return bytes;
}

/// Writes a built-in part of a page.
static qd_status put_page_part(qdi_page *page, embedded piece, qd_error *error) {
    return put_page_bytes(page, piece.data, end_of_embedded_source(piece), error);
}

/// Writes a program into the page.
static qd_status put_page_program(qdi_page *page, embedded code, qd_error *error) {
    qd_status status = put_page_text(page, "<script>", error);
    if (status == QD_OK) status = put_page_part(page, code, error);
    return status == QD_OK ? put_page_text(page, "\n</script>\n", error) : status;
}

/// Writes text as HTML has it.
static qd_status put_escaped_text(qdi_page *page, const char *text, qd_error *error) {
    qd_status status = QD_OK;
    for (; *text && status == QD_OK; ++text) {
        if (*text == '<')
            status = put_page_text(page, "&lt;", error);
        else if (*text == '&')
            status = put_page_text(page, "&amp;", error);
        else
            status = put_page_bytes(page, text, 1, error);
    }
    return status;
}

qd_status qdi_page_begin(qdi_page *page, qdi_page_kind kind, const char *path, const char *title,
                         qd_error *error) {
    page->kind = kind;
    page->file = QDI_FILE_NONE;
    page->used = 0;
    page->bytes = 0;
    int length = snprintf(page->path, sizeof page->path, "%s", path);
    int part_length = snprintf(page->part, sizeof page->part, "%s.part", path);
    if (length < 0 || part_length < 0 || (size_t)part_length >= sizeof page->part) {
        if (error) (void)snprintf(error->text, sizeof error->text, "the path of the page is too long");
        return QD_ERR_VALUE;
    }
    qd_status status = qdi_os_make_parents(path, error);
    if (status == QD_OK) status = qdi_file_create(page->part, &page->file, error);
    if (status == QD_OK)
        status = put_page_text(page,
                               PAGE_START
                               "<meta charset=\"utf-8\">\n" PAGE_MARK
                               "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                               "<link rel=\"icon\" href=\"data:,\">\n<title>",
                               error);
    if (status == QD_OK) status = put_escaped_text(page, title, error);
    if (status == QD_OK) status = put_page_text(page, "</title>\n<style>\n", error);
    if (status == QD_OK) status = put_page_part(page, charts_style, error);
    if (status == QD_OK) status = put_page_part(page, style, error);
    if (status == QD_OK) status = put_page_text(page, "</style>\n</head>\n<body>\n", error);
    if (status == QD_OK) status = put_page_part(page, head, error);
    if (status == QD_OK) status = put_page_part(page, own[kind].body, error);
    if (status == QD_OK) status = put_page_part(page, foot, error);
    return status;
}

/// Writes JSON and ends its element.
static qd_status put_page_json(qdi_page *page, const char *json, qd_error *error) {
    qd_status status = QD_OK;
    // In a text of JSON '<' is never needed as itself, and "</script" would end the element.
    for (const char *c = json; *c && status == QD_OK; ++c)
        status = *c == '<' ? put_page_text(page, "\\u003c", error) : put_page_bytes(page, c, 1, error);
    return status == QD_OK ? put_page_text(page, "</script>\n", error) : status;
}

qd_status qdi_page_data(qdi_page *page, const char *json, qd_error *error) {
    qd_status status = put_page_text(page, "<script type=\"application/json\" id=\"data\">", error);
    return status == QD_OK ? put_page_json(page, json, error) : status;
}

qd_status qdi_page_moment(qdi_page *page, size_t frame, const char *json, qd_error *error) {
    char begin[96];
    (void)snprintf(begin, sizeof begin,
                   "<script type=\"application/json\" class=\"moment\" data-frame=\"%zu\">", frame);
    qd_status status = put_page_text(page, begin, error);
    return status == QD_OK ? put_page_json(page, json, error) : status;
}

/// Page: encodes bytes as base64 (RFC 4648, section 4).
static size_t encode_base64(const unsigned char *data, size_t bytes, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned left = (unsigned)(bytes - i < 3 ? bytes - i : 3);
        unsigned word = (unsigned)data[i] << 16;
        if (left > 1) word |= (unsigned)data[i + 1] << 8;
        if (left > 2) word |= data[i + 2];
        text[used++] = digits[word >> 18];
        text[used++] = digits[word >> 12 & 63];
        text[used++] = left > 1 ? digits[word >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[word & 63] : '=';
    }
    return used;
}

/// Writes a file into the page, as base64.
static qd_status put_page_file(qdi_page *page, FILE *file, const char *path, qd_error *error) {
    unsigned char data[3 * 4096];
    char text[4 * 4096];
    qd_status status = QD_OK;
    for (size_t got; status == QD_OK && (got = fread(data, 1, sizeof data, file)) > 0;)
        status = put_page_bytes(page, text, encode_base64(data, got, text), error);
    if (status == QD_OK && ferror(file)) {
        if (error) (void)snprintf(error->text, sizeof error->text, "cannot read %.300s", path);
        status = QD_ERR_IO;
    }
    return status;
}

qd_status qdi_page_picture(qdi_page *page, const char *path, qd_error *error) {
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, &why);
    if (status != QD_OK) {
        if (error)
            (void)snprintf(error->text, sizeof error->text, "cannot read %.300s: %.180s", path, why.text);
        return status;
    }
    status = put_page_text(page, "<script type=\"text/plain\" class=\"frame\">", error);
    if (status == QD_OK) status = put_page_file(page, file, path, error);
    (void)fclose(file);
    return status == QD_OK ? put_page_text(page, "</script>\n", error) : status;
}

qd_status qdi_page_end(qdi_page *page, qd_error *error) {
    qd_status status = put_page_program(page, charts, error);
    if (status == QD_OK) status = put_page_program(page, common, error);
    if (status == QD_OK && page->kind == QDI_PAGE_RUN) status = put_page_program(page, ask, error);
    if (status == QD_OK && page->kind == QDI_PAGE_RUN) status = put_page_program(page, fields, error);
    if (status == QD_OK) status = put_page_program(page, own[page->kind].program, error);
    if (status == QD_OK) status = put_page_text(page, "</body>\n</html>\n", error);
    if (status == QD_OK) status = flush_page_buffer(page, error);
    if (status != QD_OK) return status;
    status = qdi_file_close(page->file, page->part, true, error);
    page->file = QDI_FILE_NONE;
    if (status == QD_OK) status = qdi_file_rename(page->part, page->path, error);
    if (status == QD_OK) return qdi_os_sync_parent(page->path, error);
    qdi_file_remove(page->part);
    return status;
}

void qdi_page_discard(qdi_page *page) {
    if (page->file == QDI_FILE_NONE) return;
    qd_status status = qdi_file_close(page->file, page->part, false, NULL);
    (void)status; // it is thrown away
    page->file = QDI_FILE_NONE;
    qdi_file_remove(page->part);
}

bool qdi_page_is_ours(const char *path) {
    char text[32768]; // holds more than all that comes before the old mark
    FILE *file = NULL;
    if (qdi_os_open(path, QDI_OS_OWN, &file, NULL) != QD_OK) return false;
    const size_t got = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[got] = '\0';
    return strncmp(text, PAGE_START, sizeof PAGE_START - 1) == 0 &&
           (strstr(text, PAGE_MARK) || strstr(text, old_mark));
}
