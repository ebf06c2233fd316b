#include "sim/text/lines.h"

#include "tests/support/harness.h"

#include <quadrille/random.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Writes bytes to a file of its own and opens it.
static FILE *file_of(const void *bytes, size_t count) {
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    rewind(file);
    return file;
}

static bool next(qdi_lines *lines) {
    bool more = false;
    qd_error error = {""};
    qd_status status = qdi_lines_next(lines, &more, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    return more;
}

QD_TEST(takes_every_kind_of_line_end) {
    static const char text[] = "\xef\xbb\xbfone\ntwo\r\n\rfour\n\r\nsix";
    static const char *const lines_of[] = {"one", "two", "", "four", "", "six"};
    for (int from_file = 0; from_file < 2; ++from_file) {
        qdi_lines lines;
        FILE *file = file_of(text, sizeof text - 1);
        if (from_file)
            ck_assert_int_eq(qdi_lines_of_file(&lines, qd_allocator_default(), "a", file), QD_OK);
        else
            qdi_lines_of_memory(&lines, "a", text, sizeof text - 1, 1);
        for (uint64_t i = 0; i < 6; ++i) {
            ck_assert(next(&lines));
            ck_assert_uint_eq(lines.number, i + 1);
            ck_assert_uint_eq(lines.bytes, strlen(lines_of[i]));
            ck_assert_int_eq(memcmp(lines.text, lines_of[i], lines.bytes), 0);
            ck_assert_ptr_eq(lines.raw, lines.text);
        }
        ck_assert_uint_eq(lines.raw_bytes, 3);
        ck_assert(!next(&lines) && !next(&lines));
        ck_assert_uint_eq(lines.number, 6);
        if (from_file) qdi_lines_release(&lines);
        fclose(file);
    }
    qdi_lines lines;
    qdi_lines_of_memory(&lines, "a", "x\n", 2, 17);
    ck_assert(next(&lines) && lines.number == 17 && !next(&lines));
    qdi_lines_of_memory(&lines, "a", "", 0, 1);
    ck_assert(!next(&lines));
}

/// Lines of random length, through many fillings of the buffer: put together again they are the file.
QD_TEST(loses_nothing_between_two_fillings) {
    uint64_t seed = qd_test_seed(4);
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (size_t round = 0; round < qd_test_effort(20); ++round) {
        qd_random random = qd_random_at(seed, round, 0);
        size_t room = (size_t)3 << 20, used = 0, count = 0;
        qd_own_memory char *text = qd_test_memory(room);
        for (;;) {
            size_t most = qd_random_bits(&random) % 20 == 0 ? QDI_LINE_MAX - 2 : 300;
            size_t length = 1 + (size_t)(qd_random_bits(&random) % most);
            if (used + length + 2 > room) break;
            memset(text + used, 'a' + (int)(count % 26), length);
            used += length;
            const char *end = ends[qd_random_bits(&random) % 3];
            memcpy(text + used, end, strlen(end));
            used += strlen(end);
            ++count;
        }
        FILE *file = file_of(text, used);
        qdi_lines lines;
        ck_assert_int_eq(qdi_lines_of_file(&lines, qd_allocator_default(), "a", file), QD_OK);
        size_t at = 0;
        while (next(&lines)) {
            ck_assert_msg(at + lines.raw_bytes <= used && memcmp(text + at, lines.raw, lines.raw_bytes) == 0,
                          "seed %" PRIu64 ", round %zu, line %" PRIu64, seed, round, lines.number);
            ck_assert(lines.bytes > 0 && lines.text[0] == lines.text[lines.bytes - 1]);
            at += lines.raw_bytes;
        }
        ck_assert_uint_eq(at, used);
        ck_assert_uint_eq(lines.number, count);
        qdi_lines_release(&lines);
        fclose(file);
    }
}

/// Of no bytes there need be no place; and a file may hold nothing but byte order marks.
QD_TEST(reads_nothing) {
    qdi_lines lines;
    qdi_lines_of_memory(&lines, "a", NULL, 0, 1);
    ck_assert(!next(&lines));
    qdi_lines_release(&lines);
    FILE *file = file_of("\xef\xbb\xbf", 3);
    ck_assert_int_eq(qdi_lines_of_file(&lines, qd_allocator_default(), "a", file), QD_OK);
    ck_assert(!next(&lines));
    qdi_lines_release(&lines);
    fclose(file);
}

static void check_refused(const void *bytes, size_t count, uint64_t lines_before, const char *reason) {
    FILE *file = file_of(bytes, count);
    qdi_lines lines;
    ck_assert_int_eq(qdi_lines_of_file(&lines, qd_allocator_default(), "a.csv", file), QD_OK);
    for (uint64_t i = 0; i < lines_before; ++i) ck_assert(next(&lines));
    bool more = true;
    qd_error error = {""};
    ck_assert_int_eq(qdi_lines_next(&lines, &more, &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, reason);
    ck_assert(!more);
    qdi_lines_release(&lines);
    fclose(file);
}

QD_TEST(refuses_what_is_no_text) {
    check_refused("a\nb\0c\n", 6, 1, "a.csv:2: holds a NUL byte: this is no text");
    check_refused("\xff\xfe"
                  "a\0",
                  4, 0, "a.csv: is text in UTF-16; save it as UTF-8");
    check_refused("\xfe\xff\0a", 4, 0, "a.csv: is text in UTF-16; save it as UTF-8");
    check_refused("\x1f\x8b\x08", 3, 0, "a.csv: is compressed (gzip); unpack it first");
    check_refused("\x28\xb5\x2f\xfd\0", 5, 0, "a.csv: is compressed (zstd); unpack it first");
    size_t huge = QDI_LINE_MAX * 5;
    qd_own_memory char *text = qd_test_memory(huge);
    memset(text, 'x', huge);
    text[1] = '\n';
    check_refused(text, huge, 1, "a.csv:2: is longer than 262144 bytes");
    // As long as a line may be, and one byte more.
    text[QDI_LINE_MAX + 2] = '\n';
    check_refused(text, QDI_LINE_MAX + 3, 1, "a.csv:2: is longer than 262144 bytes");
    FILE *file = file_of(text + 3, QDI_LINE_MAX);
    qdi_lines lines;
    ck_assert_int_eq(qdi_lines_of_file(&lines, qd_allocator_default(), "a", file), QD_OK);
    ck_assert(next(&lines) && lines.bytes == QDI_LINE_MAX - 1 && !next(&lines));
    qdi_lines_release(&lines);
    fclose(file);
}

QD_TEST(shows_the_end_of_a_long_path) {
    char shown[QDI_PATH_SHOWN], path[1000] = "";
    ck_assert_str_eq(qdi_path_shown(shown, "data/a.csv"), "data/a.csv");
    ck_assert_str_eq(qdi_path_shown(shown, "a\nb"), "a\\x0ab");
    size_t used = 0;
    for (int i = 0; i < 90; ++i) used += (size_t)snprintf(path + used, sizeof path - used, "/folder");
    snprintf(path + used, sizeof path - used, "/last.csv");
    qdi_path_shown(shown, path);
    ck_assert(strncmp(shown, ".../folder/", 11) == 0 && strstr(shown, "/last.csv"));
    ck_assert_uint_lt(strlen(shown), 110);
    qd_error error;
    ck_assert_int_eq(qdi_lines_reason("a", 3, &error, "%s", "why"), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "a:3: why");
    ck_assert_int_eq(qdi_lines_reason("a", 3, NULL, "%s", "why"), QD_ERR_INVALID);
}

QD_TEST(takes_lines_apart_into_words) {
    static const char text[] = "  one\ttwo   3 ";
    size_t at = 0, length = 0;
    const char *word = NULL;
    static const char *const words[] = {"one", "two", "3"};
    for (size_t i = 0; i < 3; ++i) {
        ck_assert(qdi_word_next(text, strlen(text), &at, &word, &length));
        ck_assert(length == strlen(words[i]) && memcmp(word, words[i], length) == 0);
    }
    ck_assert(!qdi_word_next(text, strlen(text), &at, &word, &length));
}

QD_TEST_MAIN("lines", 120, NULL, NULL)
