// The page of a scaling test.

#include "sim/text/reason.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/report/page_job.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

enum { SCALE_SCHEMA = 1 };
/// Most bytes of a scale.json.
static const uint64_t scale_most = UINT64_C(1) << 28;

/// Whether a scale.json is what the page can show, and how many runs it has.
static qd_status check_test(const char *text, const char *path, size_t *runs, qd_error *error) {
    static const char *const needed[] = {"scene", "series", "configurations", "runs", "machine", "build"};
    json_t *test = NULL;
    if (qdi_page_job_json(text, &test) == QD_ERR_MEMORY)
        return qdi_reason(error, QD_ERR_MEMORY, "%s", qd_status_text(QD_ERR_MEMORY));
    double schema = json_number_value(json_object_get(test, "schema"));
    bool good = schema > 0;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i)
        good = good && json_object_get(test, needed[i]);
    *runs = json_array_size(json_object_get(test, "runs"));
    json_decref(test);
    if (schema > SCALE_SCHEMA)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s has schema %.15g, of a newer Quadrille", path,
                          schema);
    return good ? QD_OK : qdi_reason(error, QD_ERR_INVALID, "%.300s is not as Quadrille writes it", path);
}

/// Report's page of a scaling test: scale.json is written last: without it the test is not complete.
static qd_status read_test(const qdi_page_job *job, qdi_text *text, size_t *runs, qd_error *error) {
    char path[QDI_PAGE_PATH + 64];
    (void)snprintf(path, sizeof path, "%s/scale.json", job->directory);
    qd_status status = qdi_page_job_read(path, scale_most, text, error);
    if (status == QD_ERR_NOT_FOUND)
        return qdi_reason(error, status,
                          "%.300s has no scale.json: its scaling test was not brought to its end",
                          job->directory);
    return status == QD_OK ? check_test(text->chars, path, runs, error) : status;
}

// Writes the page of a scaling test.
static qd_status write_scale_page(qdi_page_job *job, const char *test, qd_error *error) {
    char facts[256];
    qdi_json json = {.allocator = job->allocator, .dense = true};
    (void)snprintf(facts, sizeof facts, "a scaling test, in %.200s", job->directory);
    qdi_page_job_head(&json, "scaling", facts);
    qdi_page_job_notes(job, &json);
    qdi_json_verbatim(&json, "test", test);
    qdi_json_close(&json, '}');
    const qdi_page_content content = {.kind = QDI_PAGE_SCALE, .title = "scaling", .data = json.text};
    qd_status status = json.status == QD_OK ? qdi_page_job_write(job, &content, error) : json.status;
    qdi_json_free(&json);
    return status;
}

int qdi_page_scale(qdi_page_job *job) {
    qd_error error = {""};
    qdi_text test = {.allocator = job->allocator};
    size_t runs = 0;
    qd_status status = read_test(job, &test, &runs, &error);
    bool invalid = status == QD_ERR_INVALID || status == QD_ERR_NOT_FOUND;
    if (status == QD_OK) status = write_scale_page(job, test.chars, &error);
    int exit_code = status == QD_OK ? QDI_EXIT_DONE
                                    : qdi_fail(status, &error, invalid ? QDI_EXIT_SCENE : QDI_EXIT_OUTPUT);
    if (status == QD_OK) qdi_page_job_say(job, runs, "run");
    qdi_text_release(&test);
    return exit_code;
}
