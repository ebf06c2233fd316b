#define _GNU_SOURCE // utimensat
#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/pages.h"
#include "tests/support/sweeps.h"
#include "tools/verify/relative.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// `quadrille report` of sweeps and of scaling tests: what is in the page is what is in their files, however
// far they are.

enum { REPLICAS = 2, STEPS = 60, POINTS = 12, DONE = 4, FAILED = 8 };

static void setup_with_file(void) {
    setup();
    qd_sweeps_write(&program, "s.yaml", REPLICAS, STEPS);
}

#define READ(name) qd_page_read(at(name).text)

/// Sweeps into `out`; some of the points fail.
static void sweep(const char *directory, const char *more, const char *value) {
    qd_program_start start = qd_sweeps_start("s.yaml", directory, (const char *const[]){more, value, NULL});
    qd_program_expect(qd_program_run(&program, &start), 1, NULL, NULL);
}

// ---- reading a page of a sweep ----

static size_t column_of(const qd_page *page, const char *name) {
    const json_t *columns = json_object_get(page->data, "columns");
    for (size_t i = 0; i < json_array_size(columns); ++i)
        if (strcmp(json_string_value(json_array_get(columns, i)), name) == 0) return i;
    ck_abort_msg("no column %s", name);
}

static const json_t *cell_of(const qd_page *page, size_t row, const char *name) {
    const json_t *found = json_array_get(json_array_get(json_object_get(page->data, "rows"), row),
                                         column_of(page, name));
    ck_assert_ptr_nonnull(found);
    return found;
}

static const char *text_of(const qd_page *page, size_t row, const char *name) {
    return json_string_value(cell_of(page, row, name));
}

static size_t row_count(const qd_page *page) {
    return json_array_size(json_object_get(page->data, "rows"));
}

static size_t count_status(const qd_page *page, const char *status) {
    size_t count = 0;
    for (size_t i = 0; i < row_count(page); ++i) count += strcmp(text_of(page, i, "status"), status) == 0;
    return count;
}

/// The next field of a CSV file (RFC 4180) into `field`; returns what comes after it and its comma or line
/// end.
static const char *next_field(const char *c, char field[1024]) {
    size_t used = 0;
    bool quoted = *c == '"';
    for (c += quoted; quoted ? *c != '"' || c[1] == '"' : *c != ',' && *c != '\n'; ++c) {
        ck_assert(*c && used < 1023);
        c += quoted && *c == '"';
        field[used++] = *c;
    }
    field[used] = 0;
    return c + quoted + 1;
}

static bool same_value(const json_t *value, const char *field) {
    char text[32];
    if (json_is_null(value)) return !*field;
    if (json_is_string(value)) return strcmp(json_string_value(value), field) == 0;
    if (json_is_real(value)) return json_real_value(value) == strtod(field, NULL);
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return strcmp(text, field) == 0 || (double)json_integer_value(value) == strtod(field, NULL);
}

/// All that the CSV file has is in the page, but for its last column, `id`, which the directory says too:
/// each line in the row of its point, under the same names. Returns how many.
static size_t expect_csv(const qd_page *page, const char *name) {
    char *csv = qd_scratch_read(at(name).text, NULL), field[1024];
    ck_assert_ptr_nonnull(csv);
    const json_t *columns = json_object_get(page->data, "columns");
    size_t count = 0, lines = 0;
    const char *c = csv;
    for (;; ++count) {
        c = next_field(c, field);
        if (c[-1] == '\n') break;
        ck_assert_str_eq(field, json_string_value(json_array_get(columns, count)));
    }
    ck_assert_uint_eq(json_array_size(columns), count + 2); // link and picture are the page's own
    for (; *c; ++lines) {
        size_t row = strtoul(c, NULL, 10) - 1;
        for (size_t i = 0; i < count; ++i) {
            c = next_field(c, field);
            const json_t *value = json_array_get(json_array_get(json_object_get(page->data, "rows"), row), i);
            ck_assert_msg(same_value(value, field), "row %zu, %s: %s", row,
                          json_string_value(json_array_get(columns, i)), field);
        }
        c = next_field(c, field);
    }
    free(csv);
    return lines;
}

// ---- sweeps ----

QD_TEST(a_sweep_with_failed_points) {
    sweep("out", NULL, NULL);
    qd_program_expect(RUN("report", "out"), 0, "out/report.html: ", NULL);
    qd_own(qd_page) read = READ("out/report.html");
    ck_assert_uint_eq(row_count(&read), POINTS);
    ck_assert_uint_eq(expect_csv(&read, "out/sweep.csv"), POINTS);
    ck_assert_uint_eq(count_status(&read, "done"), DONE);
    ck_assert_uint_eq(count_status(&read, "failed"), FAILED);
    ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(read.data, "facts")),
                                 "12 points: 4 done, 8 failed, 0 not run; base scene tiny.yaml; in out"));
    ck_assert_uint_eq(json_array_size(json_object_get(read.data, "notes")), 0);
    for (size_t i = 0; i < POINTS; ++i) {
        bool valid = *text_of(&read, i, "directory") != '\0';
        ck_assert_str_eq(text_of(&read, i, "link"), valid ? "directory" : "");
        ck_assert(json_is_null(cell_of(&read, i, "picture")));
    }
    static const char *const fetches[] = {" src=\"", "sourceMappingURL", "@import", "url(\"http"};
    for (size_t i = 0; i < sizeof fetches / sizeof fetches[0]; ++i)
        ck_assert_msg(!strstr(read.text, fetches[i]), "%s", fetches[i]);
}

// What shares have done is put together while it is read, and stays theirs.
QD_TEST(an_unfinished_sweep_of_shares) {
    sweep("out", "--shard", "1/3");
    sweep("out", "--shard", "3/3");
    SUCCEED("report", "out", "-q");
    qd_page read = READ("out/report.html");
    ck_assert_uint_eq(row_count(&read), POINTS);
    size_t rows = expect_csv(&read, "out/sweep.1-of-3.csv") + expect_csv(&read, "out/sweep.3-of-3.csv");
    ck_assert_uint_eq(rows, POINTS / 3 * 2);
    ck_assert_uint_eq(count_status(&read, "to do"), POINTS / 3);
    for (size_t i = 1; i < POINTS; i += 3) {
        ck_assert_str_eq(text_of(&read, i, "status"), "to do");
        ck_assert(json_number_value(cell_of(&read, i, "contact.restitution")) > 0);
        ck_assert(json_is_null(cell_of(&read, i, "energy_last")));
        ck_assert_str_eq(text_of(&read, i, "link"), "");
    }
    qd_page_forget(&read);
    ck_assert(qd_scratch_exists(at("out/sweep.1-of-3.db").text) &&
              !qd_scratch_exists(at("out/sweep.db").text));
    sweep("out", NULL, NULL);
    SUCCEED("report", "out", "-q");
    read = READ("out/report.html");
    ck_assert_uint_eq(expect_csv(&read, "out/sweep.csv"), POINTS);
    qd_page_forget(&read);
}

QD_TEST(points_that_are_the_same_run) {
    qd_scratch_write(at("s.yaml").text, "scene: tiny.yaml\naxes:\n"
                                        "  - {key: contact.restitution, list: [0.5, 0.50, 0.7]}\n");
    SUCCEED("sweep", "s.yaml", "-o", "out", "-q");
    SUCCEED("report", "out", "-q");
    qd_page read = READ("out/report.html");
    ck_assert_uint_eq(row_count(&read), 2);
    ck_assert(qd_page_notes(&read, "1 point is the same run as others, and left out"));
    qd_page_forget(&read);
    // What is known of another form of the sweep says nothing about this one.
    qd_scratch_write(at("out/sweep.yaml").text, "scene: tiny.yaml\nreplicas: 4\n");
    SUCCEED("report", "out", "-q");
    read = READ("out/report.html");
    ck_assert_uint_eq(count_status(&read, "to do"), 4);
    ck_assert(qd_page_notes(&read, "sweep.db is of another form of the sweep"));
    qd_page_forget(&read);
    ck_assert_int_eq(remove(at("out/sweep.db").text), 0);
    SUCCEED("report", "out", "-q");
    read = READ("out/report.html");
    ck_assert(qd_page_notes(&read, "There is no sweep.db"));
    qd_page_forget(&read);
}

/// The first and the last frame of each run.
static void sweep_with_frames(void) {
    qd_scratch_write(at("s.yaml").text,
                     "scene: tiny.yaml\nset: {frames.every: 30, \"view.size\": [160, 120]}\n"
                     "axes:\n  - {key: contact.restitution, list: [0.3, 0.6]}\n"
                     "  - {key: limits.speed, list: [1000, 4]}\n");
    sweep("out", NULL, NULL);
}

QD_TEST(last_frames) {
    sweep_with_frames();
    SUCCEED("report", "out", "-q");
    qd_page read = READ("out/report.html");
    ck_assert_uint_eq(read.frames, 4);
    for (size_t i = 0; i < 4; ++i) {
        char path[96];
        bool done = strcmp(text_of(&read, i, "status"), "done") == 0;
        ck_assert_int_eq(json_integer_value(cell_of(&read, i, "picture")), (json_int_t)i);
        snprintf(path, sizeof path, "out/%s/frames/frame_%06d.png", text_of(&read, i, "directory"),
                 done ? 2 : 0);
        ck_assert_msg(qd_page_holds_file(&read, i, at(path).text), "%s", path);
        if (i % 2 > 0) continue;
        // Two large ones are too much.
        ck_assert_int_eq(truncate(at(path).text, 600000), 0);
    }
    qd_page_forget(&read);
    SUCCEED("report", "out", "-q", "--max-size", "1");
    read = READ("out/report.html");
    ck_assert_uint_eq(read.frames, 2);
    ck_assert(qd_page_notes(&read, "2 of 4 last frames are shown, one in 2: "));
    ck_assert_int_eq(json_integer_value(cell_of(&read, 2, "picture")), 1);
    ck_assert(json_is_null(cell_of(&read, 1, "picture")));
    qd_page_forget(&read);
}

/// When a run's page was written.
static struct timespec time_of(const char *run) {
    char path[96];
    struct stat facts;
    snprintf(path, sizeof path, "out/%s/report.html", run);
    return stat(at(path).text, &facts) == 0 ? facts.st_mtim : (struct timespec){0};
}

QD_TEST(pages_of_runs) {
    sweep_with_frames();
    SUCCEED("report", "out", "-q", "--runs");
    qd_own(qd_page) read = READ("out/report.html");
    const char *first = text_of(&read, 0, "directory"), *other = text_of(&read, 2, "directory");
    for (size_t i = 0; i < 4; ++i) // restitution x speed: every second one fails
        ck_assert_str_eq(text_of(&read, i, "link"), i % 2 == 0 ? "page" : "directory");
    char path[128];
    snprintf(path, sizeof path, "out/%s/report.html", first);
    qd_page run = READ(path);
    ck_assert_uint_eq(run.frames, 3);
    qd_page_forget(&run);
    // Only those that are older than what they show are made again.
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}}, before = time_of(other);
    ck_assert_int_eq(utimensat(AT_FDCWD, at(path).text, old, 0), 0);
    SUCCEED("report", "out", "-q", "--runs");
    ck_assert_int_gt(time_of(first).tv_sec, 1000);
    ck_assert(time_of(other).tv_sec == before.tv_sec && time_of(other).tv_nsec == before.tv_nsec);
    // One that cannot be read is named, and stops no other.
    ck_assert_int_eq(remove(at(path).text), 0);
    snprintf(path, sizeof path, "out/%s/run.db", first);
    qd_scratch_write(at(path).text, "no database");
    snprintf(path, sizeof path, "out/%s/report.html", other);
    ck_assert_int_eq(remove(at(path).text), 0);
    ck_assert_int_eq(remove(at("out/report.html").text), 0);
    expect_refusal(RUN("report", "out", "-q", "--runs"), 4, "run.db");
    ck_assert(qd_scratch_exists(at(path).text) && qd_scratch_exists(at("out/report.html").text));
    // Without the wish none is made; links go on from where the page is.
    ck_assert_int_eq(remove(at(path).text), 0);
    ck_assert_int_eq(mkdir(at("pages").text, 0777), 0);
    SUCCEED("report", "out", "-q", "-o", "pages/index.html");
    ck_assert(!qd_scratch_exists(at(path).text));
    qd_page_forget(&read);
    read = READ("pages/index.html");
    ck_assert_str_eq(json_string_value(json_object_get(read.data, "way")), "../out/");
}

QD_TEST(what_is_refused_of_a_sweep) {
    sweep("out", NULL, NULL);
    expect_refusal(RUN("report", "out", "-o", "/dev/null/such/page.html"), 4, "/dev/null/such/page.html");
    if (!QD_TEST_THREAD_SANITIZER) {
        SUCCEED("report", "out", "-q");
        qd_own_memory char *before = qd_scratch_read(at("out/report.html").text, NULL);
        expect_refusal(qd_program_run(&program, &(qd_program_start){.arguments = {"report", "out", "-q"},
                                                                    .file_limit = 100000}),
                       4, "report.html");
        qd_program_expect_no_parts(at("out").text);
        qd_own_memory char *after = qd_scratch_read(at("out/report.html").text, NULL);
        ck_assert_str_eq(before, after); // the page of before is still whole
    }
    qd_scratch_write(at("out/sweep.db").text,
                     "no database, but as long as the head of one is, and then a little more: "
                     "some words, some more words, and a last one");
    expect_refusal(RUN("report", "out"), 4, "sweep.db");
    qd_scratch_write(at("out/sweep.yaml").text, "scene: [\n");
    expect_refusal(RUN("report", "out"), 3, "sweep.yaml");
    ck_assert_int_eq(mkdir(at("empty").text, 0777), 0);
    expect_refusal(RUN("report", "empty"), 3, "empty");
    expect_refusal(RUN("report", "empty", "--runs"), 2, "--runs");
    expect_refusal(RUN("report", "nowhere", "--runs"), 3, "nowhere");
}

// ---- scaling tests ----

QD_TEST(a_scaling_test) {
    SUCCEED("scale", "gas", "--bodies", "500", "--threads", "1,2", "--weak", "--steps", "3", "--repeats", "2",
            "-o", "out", "-q");
    SUCCEED("report", "out", "-q");
    qd_own(qd_page) read = READ("out/report.html");
    json_t *test = json_load_file(at("out/scale.json").text, 0, NULL);
    ck_assert_ptr_nonnull(test);
    ck_assert(json_equal(test, json_object_get(read.data, "test")));
    json_decref(test);
    expect_refusal(RUN("report", "out", "--runs"), 2, "--runs is for the directory of a sweep");
    // The page belongs to the test: another one in the same place leaves none.
    SUCCEED("scale", "gas", "--bodies", "500", "--threads", "1", "--steps", "3", "--repeats", "1", "-o",
            "out", "-q", "--force");
    ck_assert(!qd_scratch_exists(at("out/report.html").text));
    static const char *const broken[] = {
        "{\"schema\": 1, \"scene\": \"gas\"", "{\"schema\": 1}", "[]",
        "{schema: 1, scene: gas, series: [], configurations: [], runs: [], machine: {}, build: {}}"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i) {
        qd_scratch_write(at("out/scale.json").text, broken[i]);
        expect_refusal(RUN("report", "out"), 3, "scale.json is not as Quadrille writes it");
    }
    qd_scratch_write(at("out/scale.json").text, "{\"schema\": 2}");
    expect_refusal(RUN("report", "out"), 3, "schema 2, of a newer Quadrille");
    ck_assert_int_eq(remove(at("out/scale.json").text), 0);
    expect_refusal(RUN("report", "out"), 3, "out has no scale.json");
    ck_assert(!qd_scratch_exists(at("out/report.html").text));
}

// ---- what the pages need ----

QD_TEST(a_damaged_result) {
    SUCCEED("run", "tiny.yaml", "-o", "out", "-q", "--threads", "1");
    qd_scratch_write(at("out/result.json").text, "{\"state_hash\": 12,, }");
    SUCCEED("report", "out", "-q");
    qd_own(qd_page) read = READ("out/report.html");
    ck_assert(qd_page_notes(&read, "The result.json of this run is not as a run writes it"));
    ck_assert(json_is_null(json_object_get(read.data, "result")));
}

QD_TEST(ways_between_files) {
    static const char *const ways[][3] = {{"/a/b/page.html", "/a/b", ""},
                                          {"/a/b/page.html", "/a/b/c", "c/"},
                                          {"/a/b/page.html", "/a/bc/d", "../bc/d/"},
                                          {"/page.html", "/a", "a/"},
                                          {"/a/page.html", "/", "../"},
                                          {"/a/./b//../page.html", "/a/x/../y/.", "y/"},
                                          {"/a/../../page.html", "/b/", "b/"},
                                          {"pages/index.html", "out", "../out/"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        char way[256];
        qd_error error = {""};
        ck_assert_int_eq(qdi_relative_path(ways[i][0], ways[i][1], way, sizeof way, &error), QD_OK);
        ck_assert_str_eq(way, ways[i][2]);
    }
    char little[4];
    qd_error error = {""};
    ck_assert_int_eq(qdi_relative_path("/a/b/c/d.html", "/e", little, sizeof little, &error), QD_ERR_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "too long"));
}

QD_TEST_MAIN("report_index", 300, setup_with_file, teardown)
