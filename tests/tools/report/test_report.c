#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/pages.h"
#include "tests/support/recorder.h"
#include "tests/support/runs.h"

#include <jansson.h>
#include <quadrille/field.h>
#include <stdio.h>
#include <string.h>

#define READ(name) qd_page_read(at(name).text)
static const char scene[] = "# </script><b>not markup</b> & such\n"
                            "name: small\n"
                            "world: {size: [20, 12], gravity: [0, -1]}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "contact: {restitution: 0.9}\n"
                            "bodies:\n"
                            "- disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 3}}\n"
                            "frames: {every: 5}\n"
                            "view: {size: [160, 120]}\n"
                            "record: {metrics: 4}\n"
                            "checkpoint: {every: 16, seconds: 0}\n";
enum { FRAMES = 9, ROWS = 11 };

static void make(void) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--threads", "2");
}

QD_TEST(everything_is_in_the_page) {
    make();
    SUCCEED("report", "out", "-q");
    qd_own(qd_page) read = READ("out/report.html");
    ck_assert_uint_eq(read.frames, FRAMES);
    const json_t *frames = json_object_get(read.data, "frames");
    ck_assert_uint_eq(json_array_size(frames), FRAMES);
    for (size_t i = 0; i < FRAMES; ++i) {
        char name[64];
        snprintf(name, sizeof name, "out/frames/frame_%06zu.png", i);
        ck_assert_msg(qd_page_holds_file(&read, i, at(name).text), "frame %zu", i);
        ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(frames, i), "step")),
                         (json_int_t)(5 * i));
    }
    // The scene is text, and nothing in it ends an element.
    ck_assert_ptr_null(strstr(read.text, "</script><b>"));
    const char *text = json_string_value(json_object_get(read.data, "scene"));
    ck_assert(text && strstr(text, "small"));
    json_t *result = json_load_file(at("out/result.json").text, 0, NULL);
    ck_assert(json_equal(result, json_object_get(read.data, "result")));
    ck_assert(json_is_number(json_object_get(json_object_get(result, "energy"), "balance_error")) &&
              strstr(read.text, "'balance error'"));
    json_decref(result);
    // Nothing is fetched from anywhere.
    static const char *const fetches[] = {" src=\"", "sourceMappingURL", "@import", "url(\"http"};
    for (size_t i = 0; i < sizeof fetches / sizeof fetches[0]; ++i)
        ck_assert_msg(!strstr(read.text, fetches[i]), "%s", fetches[i]);
}

// The rows are those of run.db.
QD_TEST(rows_of_metrics_and_phases) {
    make();
    SUCCEED("report", "out", "-q");
    qd_own(qd_page) read = READ("out/report.html");
    const json_t *metrics = json_object_get(read.data, "metrics");
    const json_t *names = json_object_get(metrics, "names"), *rows = json_object_get(metrics, "rows");
    ck_assert_uint_eq(json_array_size(rows), ROWS);
    size_t kinetic = 0;
    while (kinetic < json_array_size(names) &&
           strcmp(json_string_value(json_array_get(names, kinetic)), "kinetic") != 0)
        ++kinetic;
    for (size_t i = 0; i < ROWS; ++i) {
        const json_t *row = json_array_get(rows, i);
        ck_assert_uint_eq(json_array_size(row), json_array_size(names));
        ck_assert_int_eq(json_integer_value(json_array_get(row, 0)), (json_int_t)(4 * i));
        char sql[96];
        snprintf(sql, sizeof sql, "SELECT kinetic FROM metrics WHERE step = %zu", 4 * i);
        ck_assert(json_number_value(json_array_get(row, kinetic)) == qd_runs_real(at("out").text, sql));
    }
    const json_t *phases = json_object_get(read.data, "phases");
    ck_assert_uint_eq(json_array_size(json_object_get(phases, "names")), 6);
    ck_assert_uint_eq(json_array_size(json_object_get(phases, "rows")), ROWS);
    ck_assert_uint_eq(json_array_size(json_array_get(json_object_get(phases, "rows"), 3)), 7);
}

/// As the scene has them, not with the 17 digits that also read back as the same.
// Each recorded step, as run.db has it to five digits; of more than there is room for some, the last among
// them.
QD_TEST(recorded_fields) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "record.fields={every: 5, cells: [4, 3]}");
    SUCCEED("report", "out", "-q");
    qd_page read = READ("out/report.html");
    const json_t *fields = json_object_get(read.data, "fields"), *rows = json_object_get(fields, "rows");
    ck_assert_uint_eq(json_array_size(rows), FRAMES);
    ck_assert_uint_eq(json_array_size(json_object_get(fields, "names")), QD_FIELD_QUANTITIES);
    const double total = 30 / (5.0 * 4.0); // bodies over the area of a cell
    for (size_t i = 0; i < FRAMES; ++i) {
        const json_t *row = json_array_get(rows, i), *values = json_object_get(row, "values");
        ck_assert_int_eq(json_integer_value(json_object_get(row, "step")), (json_int_t)(5 * i));
        ck_assert_uint_eq(json_array_size(values), QD_FIELD_QUANTITIES);
        double sum = 0;
        for (size_t c = 0; c < 12; ++c)
            sum += json_number_value(json_array_get(json_array_get(values, QD_FIELD_NUMBER_DENSITY), c));
        ck_assert_double_eq_tol(sum, total, 1e-4 * total);
    }
    qd_page_forget(&read);
    SUCCEED("run", "small.yaml", "-o", "fine", "-q", "--set", "record.fields={every: 5, cells: [80, 50]}");
    SUCCEED("report", "fine", "-q");
    read = READ("fine/report.html");
    fields = json_object_get(read.data, "fields");
    rows = json_object_get(fields, "rows");
    ck_assert_int_eq(json_integer_value(json_object_get(fields, "all")), FRAMES);
    const size_t shown = json_array_size(rows);
    ck_assert(shown >= 1 && shown * 80 * 50 * QD_FIELD_QUANTITIES <= 500000);
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(rows, shown - 1), "step")),
                     5 * (FRAMES - 1));
    qd_page_forget(&read);
}

QD_TEST(numbers_are_short) {
    SUCCEED("run", "pool", "--bodies", "10", "--steps", "2", "--set", "run.dt=0.005", "-o", "out", "-q");
    SUCCEED("report", "out", "-q");
    qd_own(qd_page) read = READ("out/report.html");
    const json_t *facts = json_object_get(read.data, "provenance"), *fact;
    const char *dt = NULL;
    size_t i;
    json_array_foreach(facts, i, fact) {
        if (strcmp(json_string_value(json_array_get(fact, 0)), "dt") == 0)
            dt = json_string_value(json_array_get(fact, 1));
    }
    ck_assert_ptr_nonnull(dt);
    ck_assert_str_eq(dt, "0.005");
}

QD_TEST(more_frames_than_there_is_room_for) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "view.size=[1600,1200]", "--frames", "1",
            "--set", "view.colour=speed");
    qd_program_outcome result = SUCCEED("report", "out", "--max-size", "1");
    qd_own(qd_page) read = READ("out/report.html");
    ck_assert_uint_lt(read.frames, 41);
    ck_assert_uint_ge(read.frames, 2);
    ck_assert_uint_lt(strlen(read.text), 1600000);
    ck_assert_ptr_nonnull(strstr(result.err, "of 41 frames are shown, one in "));
    const json_t *note = json_array_get(json_object_get(read.data, "notes"), 0);
    ck_assert_ptr_nonnull(strstr(json_string_value(note), "of 41 frames are shown"));
}

QD_TEST(a_run_that_is_not_over) {
    qd_recording_make(&(qd_recording){.scene = scene, .stop_at = 23}, at("out").text);
    SUCCEED("report", "out", "-q");
    qd_own(qd_page) read = READ("out/report.html");
    ck_assert_ptr_nonnull(strstr(read.text, "This run is not complete: the page shows it up to step 20 of "));
    ck_assert(json_is_null(json_object_get(read.data, "result")));
    ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(read.data, "metrics"), "rows")), 6);
}

QD_TEST(what_a_run_may_lack) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--frames", "0", "--set", "record.metrics=0");
    SUCCEED("report", "out", "-q", "-o", "page.html");
    qd_page read = READ("page.html");
    ck_assert_uint_eq(read.frames, 0);
    ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(read.data, "metrics"), "rows")), 0);
    qd_page_forget(&read);
    ck_assert(!qd_scratch_exists(at("out/report.html").text));
    SUCCEED("run", "small.yaml", "-o", "lost", "-q");
    ck_assert_int_eq(remove(at("lost/frames/frame_000003.png").text), 0);
    qd_program_expect(RUN("report", "lost"), 0, "1 frame that run.db lists is not there", NULL);
    read = READ("lost/report.html");
    ck_assert_uint_eq(read.frames, FRAMES - 1);
    qd_page_forget(&read);
    // The page belongs to the run: another one in the same place leaves none.
    SUCCEED("run", "small.yaml", "-o", "lost", "-q", "--force", "--steps", "2");
    ck_assert(!qd_scratch_exists(at("lost/report.html").text));
}

// A double that is a whole number is written without a point, also where it is more than 64 bits hold.
QD_TEST(numbers_beyond_64_bits) {
    qd_scratch_write(at("heavy.yaml").text,
                     "name: heavy\nrun: {steps: 2, seed: 18446744073709551615}\n"
                     "bodies: [{list: [{at: [50, 50], velocity: [2, 0], mass: 2e19}]}]\n");
    SUCCEED("run", "heavy.yaml", "-o", "heavy", "-q");
    qd_own_memory char *kept = qd_scratch_read(at("heavy/result.json").text, NULL);
    ck_assert_ptr_nonnull(strstr(kept, ": 40000000000000000000"));
    qd_program_outcome result = SUCCEED("report", "heavy");
    ck_assert_msg(!strstr(result.err, "result.json"), "%s", result.err);
    qd_own_memory char *page = qd_scratch_read(at("heavy/report.html").text, NULL);
    ck_assert_ptr_nonnull(strstr(page, "40000000000000000000"));
}

QD_TEST(what_is_refused) {
    expect_refusal(RUN("report"), 2, "DIR");
    expect_refusal(RUN("report", "nowhere"), 3, "nowhere");
    make();
    expect_refusal(RUN("report", "out", "--max-size", "0"), 2, "--max-size");
    expect_refusal(RUN("report", "out", "-o", "/dev/null/such/page.html"), 4, "/dev/null/such/page.html");
    if (QD_TEST_THREAD_SANITIZER) return;
    SUCCEED("report", "out", "-q");
    qd_own_memory char *before = qd_scratch_read(at("out/report.html").text, NULL);
    expect_refusal(qd_program_run(&program, &(qd_program_start){.arguments = {"report", "out", "-q"},
                                                                .file_limit = 100000}),
                   4, "report.html");
    qd_program_expect_no_parts(at("out").text);
    qd_own_memory char *after = qd_scratch_read(at("out/report.html").text, NULL);
    ck_assert_str_eq(before, after); // the page of before is still whole
}

QD_TEST_MAIN("report", 300, setup, teardown)
