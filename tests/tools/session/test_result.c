#include "tests/support/harness.h"
#include "tests/support/json_values.h"
#include "tools/host/console.h"
#include "tools/host/json.h"
#include "tools/host/progress.h"
#include "tools/session/result.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

QD_OWN_VALUE(qdi_json, qdi_json_free)

/// A result in which every number is another.
static qdi_result sample(void) {
    qdi_result result = {
        .scene = "a \"quoted\" \\ name\n\xc3\xa9",
        .scene_hash = 0x0123456789abcdefU,
        .seed = UINT64_C(9007199254740991),
        .bodies = 10,
        .steps = 4,
        .dt = 1.0 / 60.0,
        .threads = 3,
        .threads_used = 2,
        .simd = "sse2",
        .state_hash = 0xfU,
        .totals = {.contacts = 11,
                   .begins = 12,
                   .ends = 13,
                   .impacts = 24,
                   .unfollowed = 25,
                   .rebuilds = 21,
                   .amended = 22,
                   .box_tests = 23456789012,
                   .refresh_in_place = 14,
                   .refresh_refiled = 15,
                   .splits = 16,
                   .merges = 17,
                   .emitted = 21,
                   .departed = 22,
                   .sunk = 23},
        .energy_first = 0.1,
        .energy_last = 1e300,
        .balance_error = 0.0125,
        .frames = 18,
        .wall_ns = 1234567890,
        .profile = {.steps = 4, .body_steps = 40},
        .peak_memory = 1 << 20,
    };
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase)
        result.profile.wall_ns[phase] = 1000000000U + (uint64_t)phase;
    return result;
}

static json_t *written(const qdi_result *result) {
    qd_own(qdi_json) json = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_result_json(result, &json), QD_OK);
    ck_assert_uint_eq(strlen(json.text), json.length);
    ck_assert_int_eq(json.text[json.length - 1], '\n');
    json_error_t error;
    json_t *root = json_loads(json.text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s at line %d of\n%s", error.text, error.line, json.text);
    return root;
}

QD_TEST(test_every_key) {
    qdi_result result = sample();
    json_t *root = written(&result);
    ck_assert_int_eq(whole(root, "schema"), 1);
    ck_assert_str_eq(text(root, "version"), QD_VERSION);
    ck_assert_str_eq(text(root, "scene"), result.scene);
    ck_assert_str_eq(text(root, "scene_hash"), "0123456789abcdef");
    ck_assert_str_eq(text(root, "state_hash"), "000000000000000f");
    ck_assert_int_eq(whole(root, "seed"), 9007199254740991);
    ck_assert_int_eq(whole(root, "bodies"), 10);
    ck_assert_int_eq(whole(root, "steps"), 4);
    ck_assert(real(root, "dt") == 1.0 / 60.0);
    ck_assert_int_eq(whole(root, "threads"), 3);
    ck_assert_int_eq(whole(root, "threads_used"), 2);
    ck_assert_str_eq(json_string_value(json_object_get(root, "simd")), "sse2");
    ck_assert_int_eq(whole(root, "contacts_total"), 11);
    ck_assert_int_eq(whole(root, "events_total"), 25);
    ck_assert_int_eq(whole(root, "impacts_total"), 24);
    ck_assert_int_eq(whole(root, "unfollowed_total"), 25);
    ck_assert_int_eq(whole(root, "emitted_total"), 21);
    ck_assert_int_eq(whole(root, "removed_total"), 45);
    ck_assert(real(json_object_get(root, "energy"), "first") == 0.1);
    ck_assert(real(json_object_get(root, "energy"), "last") == 1e300);
    ck_assert(real(json_object_get(root, "energy"), "balance_error") == 0.0125);
    ck_assert_int_eq(whole(root, "frames"), 18);
    ck_assert(real(root, "wall_seconds") == 1.23456789);
    ck_assert(real(root, "ns_per_body_step") == 30864197.25);
    const json_t *phases = json_object_get(root, "phases");
    ck_assert_uint_eq(json_object_size(phases), QD_PHASE_COUNT);
    static const char *const names[] = {"resolve", "move", "refresh", "retrieve", "narrow", "export"};
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase)
        ck_assert(real(phases, names[phase]) == 1 + phase * 1e-9);
    const json_t *refresh = json_object_get(root, "refresh");
    ck_assert_int_eq(whole(refresh, "rebuilds"), 21);
    ck_assert_int_eq(whole(refresh, "amended"), 22);
    ck_assert_int_eq(whole(refresh, "box_tests"), 23456789012);
    ck_assert_int_eq(whole(refresh, "in_place"), 14);
    ck_assert_int_eq(whole(refresh, "refiled"), 15);
    ck_assert_int_eq(whole(refresh, "splits"), 16);
    ck_assert_int_eq(whole(refresh, "merges"), 17);
    ck_assert_int_eq(whole(root, "peak_rss_bytes"), 1 << 20);
    ck_assert_uint_eq(json_object_size(root), 25);
    json_decref(root);
}

QD_TEST(test_what_is_not_known_is_absent) {
    qdi_result result = sample();
    result.peak_memory = 0;
    result.profile.body_steps = 0;
    json_t *root = written(&result);
    ck_assert_ptr_null(json_object_get(root, "peak_rss_bytes"));
    ck_assert_ptr_null(json_object_get(root, "ns_per_body_step"));
    json_decref(root);
}

QD_TEST(test_shape_and_shortest_numbers) {
    qd_own(qdi_json) json = {.allocator = qd_allocator_default()};
    qdi_json_open(&json, NULL, '{');
    qdi_json_real(&json, "a", 0.1);
    qdi_json_real(&json, "b", 100);
    qdi_json_real(&json, "c", (double)INFINITY);
    qdi_json_real(&json, "d", (double)NAN);
    qdi_json_open(&json, "e", '[');
    qdi_json_whole(&json, NULL, UINT64_MAX);
    qdi_json_text(&json, NULL, "\t\x1f");
    qdi_json_close(&json, ']');
    qdi_json_open(&json, "f", '{');
    qdi_json_close(&json, '}');
    qdi_json_close(&json, '}');
    ck_assert_int_eq(json.status, QD_OK);
    ck_assert_str_eq(json.text,
                     "{\n  \"a\": 0.1,\n  \"b\": 100,\n  \"c\": null,\n  \"d\": null,\n  \"e\": [\n"
                     "    18446744073709551615,\n    \"\\u0009\\u001f\"\n  ],\n  \"f\": {}\n}\n");
}

QD_TEST(test_no_memory_is_reported_and_nothing_leaks) {
    qdi_result result = sample();
    qd_test_allocator allocator;
    for (size_t fail_at = 1;; ++fail_at) {
        allocator = qd_test_allocator_of(&allocator, fail_at);
        qdi_json json = {.allocator = &allocator.allocator};
        qd_status status = qdi_result_json(&result, &json);
        qdi_json_free(&json);
        if (qd_test_had_memory(&allocator, status)) {
            ck_assert_uint_gt(fail_at, 1);
            break;
        }
    }
}

QD_TEST(test_words_of_numbers) {
    static const struct {
        double count;
        const char *words;
    } counts[] = {{0, "0"},         {3.14, "3.1"},     {950, "950"},      {9999, "9999"}, {12345, "12.3k"},
                  {123456, "123k"}, {4.56e6, "4.56M"}, {45.6e6, "45.6M"}, {2e9, "2.00G"}, {2e12, "2000G"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        ck_assert_str_eq(qdi_words_count(counts[i].count).text, counts[i].words);
    static const struct {
        double seconds;
        const char *words;
    } durations[] = {{0, "0:00"},         {0.4, "0:00"},       {59.6, "1:00"},
                     {61, "1:01"},        {3599.6, "1:00:00"}, {36061, "10:01:01"},
                     {360000, "4 d 4 h"}, {1e12, "?"},         {(double)INFINITY, "?"},
                     {(double)NAN, "?"},  {-1, "0:00"}};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; ++i)
        ck_assert_str_eq(qdi_words_duration(durations[i].seconds).text, durations[i].words);
}

QD_TEST(test_words_of_progress) {
    char words[256];
    qdi_progress_words(words, sizeof words, 270, 600, 2);
    ck_assert_str_eq(words, "step 270 of 600 (45 %), 135 steps/s, 0:02 left");
    qdi_progress_words(words, sizeof words, 599, 600, 1);
    ck_assert_ptr_nonnull(strstr(words, "(99 %)"));
    qdi_progress_words(words, sizeof words, 0, 600, 0);
    ck_assert_str_eq(words, "step 0 of 600 (0 %)");
    qdi_progress_words(words, sizeof words, 0, 0, 1);
    ck_assert_str_eq(words, "step 0 of 0 (100 %)");
    qdi_progress_words(words, 20, 270, 600, 2); // cut, not overrun
    ck_assert_uint_eq(strlen(words), 19);
}

QD_TEST(test_bar_fits_the_terminal) {
    char bar[512];
    for (int width = 0; width < 200; ++width) {
        for (uint64_t done = 0; done <= 600; done += 150) {
            qdi_progress_bar(bar, sizeof bar, done, 600, 2, width, false);
            ck_assert_msg((int)strlen(bar) <= width, "'%s' is wider than %d", bar, width);
            ck_assert_ptr_null(strchr(bar, '\033'));
        }
    }
    qdi_progress_bar(bar, sizeof bar, 300, 600, 2, 200, false);
    ck_assert_str_eq(
        bar, "[####################                    ] step 300 of 600 (50 %), 150 steps/s, 0:02 left");
    qdi_progress_bar(bar, sizeof bar, 600, 600, 2, 100, true);
    ck_assert_ptr_nonnull(strchr(bar, '\033'));
    ck_assert_ptr_null(strchr(bar, '\n'));
}

/// Whatever the text, JSON is text in UTF-8: the name of a file need not be.
QD_TEST(text_that_is_no_utf8) {
    static const struct {
        const char *text, *json;
    } cases[] = {{"caf\xe9", "caf\\ufffd"},
                 {"\xc3\xa9\xe2\x82", "\xc3\xa9\\ufffd\\ufffd"},
                 {"a\n\"\\", "a\\u000a\\\"\\\\"},
                 {"\xc2\x85\xef\xbb\xbf", "\xc2\x85\xef\xbb\xbf"},
                 {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"},
                 {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qd_own(qdi_json) json = {.allocator = qd_allocator_default(), .dense = true};
        qdi_json_open(&json, NULL, '[');
        qdi_json_text(&json, NULL, cases[i].text);
        qdi_json_close(&json, ']');
        char expected[64];
        snprintf(expected, sizeof expected, "[\"%s\"]\n", cases[i].json);
        ck_assert_str_eq(json.text, expected);
    }
}

QD_TEST_MAIN("result", 0, NULL, NULL)
