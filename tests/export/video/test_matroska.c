#include "export/video/matroska.h"
#include "tests/support/harness.h"
#include "tests/support/one_scratch.h"

#include <stdio.h>
#include <string.h>

static uint64_t setup_found;

static qd_status count(const unsigned char *data, size_t bytes, uint64_t *frames) {
    qd_scratch_path path = at("a.mkv");
    FILE *file = fopen(path.text, "wb");
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
    qd_error error = {""};
    qdi_matroska found;
    qd_status status = qdi_matroska_inspect(path.text, &found, &error);
    *frames = found.frames;
    setup_found = found.setup;
    ck_assert_msg(status == QD_OK || strstr(error.text, path.text), "%s", error.text);
    return status;
}

// A header, a segment with something unknown, two clusters of known size with blocks plain and grouped, and
// cues.
static const unsigned char known[] = {
    0x1a, 0x45, 0xdf, 0xa3, 0x83, 1,    2, 3, // header
    0x18, 0x53, 0x80, 0x67, 0xaf,             // segment of 47 bytes
    0x15, 0x49, 0xa9, 0x66, 0x40, 2,    0, 0, // info, its size in two bytes
    0x1f, 0x43, 0xb6, 0x75, 0x8f,             // cluster of 15 bytes
    0xe7, 0x81, 0,                            // its time
    0xa3, 0x84, 0x81, 0,    0,    0x80,       // block
    0xa3, 0x84, 0x81, 0,    1,    0x80,       // block
    0x1f, 0x43, 0xb6, 0x75, 0x86,             // cluster of 6 bytes
    0xa0, 0x84, 0xa1, 0x82, 0x81, 0,          // group
    0x1c, 0x53, 0xbb, 0x6b, 0x83, 7,    8, 9, // cues
};

QD_TEST(counts_blocks) {
    uint64_t frames = 0;
    ck_assert_uint_eq(sizeof known, 13 + 47);
    ck_assert_int_eq(count(known, sizeof known, &frames), QD_OK);
    ck_assert_uint_eq(frames, 3);
}

// Cut anywhere, even between two elements: the segment says how long it is.
QD_TEST(notices_a_cut) {
    uint64_t frames = 0;
    for (size_t bytes = 0; bytes < sizeof known; ++bytes)
        if (bytes != 8) // only the header: a file without frames
            ck_assert_msg(count(known, bytes, &frames) == QD_ERR_CORRUPT, "%zu bytes", bytes);
    unsigned char foreign[sizeof known];
    memcpy(foreign, known, sizeof known);
    foreign[3] ^= 1;
    ck_assert_int_eq(count(foreign, sizeof known, &frames), QD_ERR_CORRUPT);
    memset(foreign, 0, sizeof foreign);
    ck_assert_int_eq(count(foreign, sizeof foreign, &frames), QD_ERR_CORRUPT);
    qdi_matroska found;
    ck_assert_int_eq(qdi_matroska_inspect(at("none").text, &found, NULL), QD_ERR_IO);
}

// As an encoder writes it that cannot go back: nobody knows how long segment and clusters are.
QD_TEST(goes_on_to_the_end_of_the_file) {
    static const unsigned char head[] = {0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0x43, 0xb6, 0x75, 0xff};
    static const unsigned char block[] = {0xa3, 0x83, 0x81, 0, 0};
    unsigned char data[sizeof head + 9 * sizeof block];
    memcpy(data, head, sizeof head);
    for (size_t i = 0; i < 9; ++i) memcpy(data + sizeof head + i * sizeof block, block, sizeof block);
    uint64_t frames = 0;
    ck_assert_int_eq(count(data, sizeof data, &frames), QD_OK);
    ck_assert_uint_eq(frames, 9);
    ck_assert_int_eq(count(data, sizeof data - 1, &frames), QD_ERR_CORRUPT);
}

// What a decoder needs to begin with stands in the track.
QD_TEST(tells_setups_apart) {
    unsigned char data[] = {0x1a, 0x45, 0xdf, 0xa3, 0x80,        // header
                            0x18, 0x53, 0x80, 0x67, 0x95,        // segment of 21 bytes
                            0x16, 0x54, 0xae, 0x6b, 0x8a,        // tracks of 10
                            0xae, 0x88,                          // track of 8
                            0xd7, 0x81, 1,                       // its number
                            0x63, 0xa2, 0x82, 7,    9,           // setup
                            0xa3, 0x84, 0x81, 0,    0,    0x80}; // block
    uint64_t frames = 0;
    ck_assert_int_eq(count(known, sizeof known, &frames), QD_OK);
    ck_assert_uint_eq(setup_found, 0);
    ck_assert_int_eq(count(data, sizeof data, &frames), QD_OK);
    ck_assert_uint_eq(frames, 1);
    uint64_t first = setup_found;
    ck_assert_uint_ne(first, 0);
    data[19] = 2; // another number
    ck_assert_int_eq(count(data, sizeof data, &frames), QD_OK);
    ck_assert_uint_eq(setup_found, first);
    data[24] ^= 1;
    ck_assert_int_eq(count(data, sizeof data, &frames), QD_OK);
    ck_assert_uint_ne(setup_found, first);
}

QD_TEST_MAIN("matroska", 0, setup, teardown)
