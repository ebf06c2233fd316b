// JSON and pages. The first byte says what the rest is: 'r' a result.json as a sweep reads it, 's' a
// scale.json of which a page is made, 'p' texts of a page, else values of a JSON document, which must be one
// whatever they are.
#include "tests/fuzz/fuzz.h"

#include "export/page/page.h"
#include "sim/sweep/sweep_result.h"
#include "tools/host/json.h"
#include "tools/report/page_job.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_MOST = 4 << 20 };

// The scratch directory, from the path of a file in it.
static void folder_of(const char *path, char folder[512]) {
    (void)snprintf(folder, 512, "%s", path);
    *strrchr(folder, '/') = '\0';
}

// Reads a result.json.
static void read_result(const qd_fuzz_input *rest) {
    char folder[512];
    folder_of(qd_fuzz_file("result.json", rest->at, rest->left), folder);
    qd_error error = {""};
    qdi_text cells = {.allocator = qd_allocator_default()};
    qd_status status = qdi_sweep_result_read(folder, UINT64_C(0x1234), 0, &cells, &error);
    if (status != QD_OK && (!error.text[0] || strchr(error.text, '\n')))
        qd_fuzz_fail("refused with '%s'", error.text);
    qdi_text_release(&cells);
}

// How often a text occurs in another.
static size_t occurrences(const char *text, const char *what) {
    size_t count = 0;
    for (; (text = strstr(text, what)) != NULL; ++text) ++count;
    return count;
}

// A page as a text, until the next one is read.
static const char *read_page(const char *path) {
    static char page[PAGE_MOST];
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(page, 1, sizeof page - 1, file) : 0;
    if (bytes == 0 || bytes == sizeof page - 1 || fclose(file) != 0) qd_fuzz_fail("no page, or a large one");
    page[bytes] = '\0';
    return page;
}

// A page closes what it opens, and nothing that it was given opens or closes anything.
static void check_page(const char *path) {
    const char *page = read_page(path);
    const char *data = strstr(page, "<script type=\"application/json\"");
    if (!data) qd_fuzz_fail("no data");
    if (occurrences(page, "<script") != occurrences(page, "</script"))
        qd_fuzz_fail("scripts that do not end");
    const char *begin = strchr(data, '>') + 1, *end = strstr(begin, "</script");
    json_error_t why;
    json_t *read = json_loadb(begin, (size_t)(end - begin), JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &why);
    if (!read) qd_fuzz_fail("the page's data is no JSON: %s", why.text);
    json_decref(read);
}

// Makes the page of a scaling test.
static void make_scale_page(const qd_fuzz_input *rest) {
    char folder[512];
    folder_of(qd_fuzz_file("scale.json", rest->at, rest->left), folder);
    static qdi_page_job job; // its buffer is large
    const qdi_page_wishes wishes = {.directory = folder};
    char path[600];
    (void)snprintf(path, sizeof path, "%s", qd_fuzz_path("report.html"));
    if (qdi_page_job_begin(&job, &wishes, folder, NULL) != 0) qd_fuzz_fail("begin");
    if (qdi_page_scale(&job) == 0) check_page(path);
}

// Values from the input; whatever they are, it is a document.
static void put_values(qd_fuzz_input *input, qdi_json *json) {
    char kinds[64];
    size_t depth = 0;
    qdi_json_open(json, NULL, '{');
    kinds[depth++] = '}';
    while (input->left > 0) {
        uint8_t what = qd_fuzz_byte(input) % 9;
        bool object = kinds[depth - 1] == '}';
        char *name = object ? qd_fuzz_line(input, 12) : NULL;
        if (what <= 1 && depth < sizeof kinds) {
            qdi_json_open(json, name, what ? '[' : '{');
            kinds[depth++] = what ? ']' : '}';
        } else if (what == 2 && depth > 1) {
            qdi_json_close(json, kinds[--depth]);
        } else if (what == 3) {
            qdi_json_real(json, name, qd_fuzz_number(input, -10, 10));
        } else if (what == 4) {
            qdi_json_whole(json, name, qd_fuzz_short(input));
        } else if (what == 5) {
            qdi_json_truth(json, name, true);
        } else if (what == 6) {
            qdi_json_hash(json, name, qd_fuzz_short(input));
        } else {
            char *text = qd_fuzz_line(input, 200);
            qdi_json_text(json, name, text);
            free(text);
        }
        free(name);
    }
    while (depth > 0) qdi_json_close(json, kinds[--depth]);
}

// Writes a document, and a page of it where `path` is not NULL.
static void write_json(qd_fuzz_input *input, const char *path, const char *title) {
    qdi_json json = {.allocator = qd_allocator_default(), .dense = input->left % 2};
    put_values(input, &json);
    if (json.status != QD_OK) qd_fuzz_fail("%s", qd_status_text(json.status));
    json_error_t why;
    json_t *read = json_loads(json.text, JSON_DECODE_INT_AS_REAL, &why);
    if (!read) qd_fuzz_fail("no JSON: %s\n%s", why.text, json.text);
    json_decref(read);
    if (path) {
        static qdi_page page; // its buffer is large
        qd_error error = {""};
        if (qdi_page_begin(&page, QDI_PAGE_SWEEP, path, title, &error) != QD_OK ||
            qdi_page_data(&page, json.text, &error) != QD_OK || qdi_page_end(&page, &error) != QD_OK)
            qd_fuzz_fail("page: %s", error.text);
        check_page(path);
    }
    qdi_json_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qd_fuzz_input input = {data, size};
    char path[512];
    switch (qd_fuzz_byte(&input)) {
    case 'r': read_result(&input); break;
    case 's': make_scale_page(&input); break;
    case 'p': {
        char *title = qd_fuzz_line(&input, 80);
        (void)snprintf(path, sizeof path, "%s", qd_fuzz_path("page.html"));
        write_json(&input, path, title);
        free(title);
        break;
    }
    default: write_json(&input, NULL, NULL);
    }
    return 0;
}
