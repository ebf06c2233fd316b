#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tests/support/pages.h"
#include "tests/support/recorder.h"

#include <stdlib.h>
#include <string.h>

// Which frames of a run's page can be asked: those that the run has a world of, as many as there is room for.

static const char scene[] = "name: small\n"
                            "world: {size: [20, 12], gravity: [0, -1]}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "bodies:\n"
                            "- disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 3}}\n"
                            "frames: {every: 5}\n"
                            "view: {size: [160, 120]}\n"
                            "record: {snapshots: 10}\n";

enum { MOST = 64 };

typedef struct found {
    size_t count;
    size_t frames[MOST];
    json_int_t steps[MOST];
    size_t bytes;
    bool noted; ///< the words that were looked for
} found;

/// The worlds in the page of `out`, and whether a note of it has these words.
static found find(const char *words) {
    static const char begin[] = "class=\"moment\" data-frame=\"";
    qd_own(qd_page) page = qd_page_read(at("out/report.html").text);
    found made = {.noted = qd_page_notes(&page, words)};
    for (const char *c = page.text; (c = strstr(c, begin)) != NULL; ++made.count) {
        char *after;
        ck_assert_uint_lt(made.count, MOST);
        made.frames[made.count] = (size_t)strtoul(c + sizeof begin - 1, &after, 10);
        const char *json = strchr(after, '>') + 1, *end = strstr(json, "</script>");
        json_t *read = json_loadb(json, (size_t)(end - json), 0, NULL);
        ck_assert_ptr_nonnull(read);
        made.steps[made.count] = json_integer_value(json_object_get(read, "step"));
        made.bytes += (size_t)(end - json);
        json_decref(read);
        c = end;
    }
    return made;
}

static void make(void) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--threads", "2");
    SUCCEED("report", "out", "-q");
}

QD_TEST(frames_with_a_snapshot_can_be_asked) {
    make();
    const found made = find("can be asked");
    ck_assert_uint_eq(made.count, 5);
    ck_assert(!made.noted);
    for (size_t i = 0; i < 5; ++i) {
        ck_assert_uint_eq(made.frames[i], 2 * i);
        ck_assert_int_eq(made.steps[i], (json_int_t)(10 * i));
    }
}

/// The last step has a checkpoint whatever the scene records; frames without anything have none.
QD_TEST(a_checkpoint_will_do) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--set", "record.snapshots=0");
    SUCCEED("report", "out", "-q");
    const found made = find("can be asked");
    ck_assert_uint_ge(made.count, 1);
    ck_assert_uint_eq(made.frames[made.count - 1], 8);
    ck_assert_int_eq(made.steps[made.count - 1], 40);
    ck_assert_uint_lt(made.count, 5);
}

QD_TEST(a_run_without_frames_has_none) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--frames", "0");
    SUCCEED("report", "out", "-q");
    ck_assert_uint_eq(find("can be asked").count, 0);
}

/// What takes more than a quarter of the room is thinned out evenly, and said.
QD_TEST(only_as_many_as_there_is_room_for) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--bodies", "600", "--frames", "1", "--snapshots", "1",
            "--steps", "40", "--set", "view.size=[64,48]");
    SUCCEED("report", "out", "-q", "--max-size", "1");
    const found made = find("that have a snapshot can be asked, one in ");
    ck_assert(made.noted);
    ck_assert_uint_ge(made.count, 2);
    ck_assert_uint_le(made.bytes, 250000);
    for (size_t i = 1; i < made.count; ++i)
        ck_assert_uint_eq(made.frames[i] - made.frames[i - 1], made.frames[1] - made.frames[0]);
    ck_assert_uint_eq(made.frames[0], 0);
    ck_assert_uint_gt(2 * made.count * (made.frames[1] - made.frames[0]), 20);
    SUCCEED("report", "out", "-q");
    ck_assert_uint_eq(find("").count, 41);
}

QD_TEST(one_world_may_be_too_much) {
    qd_scratch_write(at("small.yaml").text, scene);
    SUCCEED("run", "small.yaml", "-o", "out", "-q", "--bodies", "11000", "--frames", "1", "--snapshots", "1",
            "--steps", "1", "--set", "view.size=[64,48]");
    SUCCEED("report", "out", "-q", "--max-size", "1");
    found made = find("0 of ");
    ck_assert_uint_eq(made.count, 0);
    ck_assert(made.noted);
    SUCCEED("report", "out", "-q");
    made = find("A frame of 11000 bodies can be asked for 10000 of them");
    ck_assert(made.noted);
    ck_assert_uint_eq(made.count, 2);
}

QD_TEST(damaged_ones_are_left_out) {
    qd_recording_make(&(qd_recording){.scene = scene}, at("out").text);
    qd_recording_turn(at("out").text, "snapshots", "world", 20, 100, 3);
    SUCCEED("report", "out", "-q");
    const found made = find("1 snapshot of run.db is damaged: its frame cannot be asked");
    ck_assert(made.noted);
    ck_assert_uint_eq(made.count, 4);
    ck_assert_int_eq(made.steps[2], 30);
}

/// The page is the same for any number of threads that made the run.
QD_TEST(bytes_repeat) {
    make();
    qd_own(qd_page) one = qd_page_read(at("out/report.html").text);
    SUCCEED("report", "out", "-q", "-o", "again.html");
    qd_own(qd_page) two = qd_page_read(at("again.html").text);
    ck_assert_str_eq(one.text, two.text);
}

QD_TEST_MAIN("page_moments", 300, setup, teardown)
