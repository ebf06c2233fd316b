#define _GNU_SOURCE // mmap without a file
#include "export/image/deflate.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

enum { MOST = 1 << 19, COLOURS = 200, ROOM = MOST + 4096 };

/// Bytes as pictures have them, and worse: runs of one colour, noise, and what was there before.
static void draw_anything(qd_random *random, uint8_t *data, size_t count) {
    const uint64_t noisy = qd_random_bits(random) % 4; // of 3: how much of it is noise
    for (size_t at = 0; at < count;) {
        const uint64_t kind = qd_random_bits(random) % 3;
        size_t length = 1 + qd_random_bits(random) % 700;
        if (length > count - at) length = count - at;
        const uint8_t colour = (uint8_t)(qd_random_bits(random) % COLOURS);
        const size_t back = at > 0 ? 1 + qd_random_bits(random) % at : 0;
        for (size_t end = at + length; at < end; ++at)
            data[at] = kind < noisy          ? (uint8_t)(qd_random_bits(random) % COLOURS)
                       : kind == 2 && at > 0 ? data[at - back]
                                             : colour;
    }
}

static void check_data(uint64_t seed) {
    static uint8_t data[MOST], out[ROOM], back[MOST];
    qd_random random = qd_random_at(seed, 0, 0);
    const size_t size = qd_random_bits(&random) % 8 ? qd_random_bits(&random) % MOST : seed % 5;
    draw_anything(&random, data, size);
    ck_assert_uint_le(qdi_deflate_most(size), ROOM);
    size_t length = 0;
    ck_assert_int_eq(qdi_deflate(qd_allocator_default(), data, size, out, &length), QD_OK);
    ck_assert_uint_le(length, qdi_deflate_most(size));
    uLongf found = MOST;
    const int said = uncompress(back, &found, out, (uLong)length);
    ck_assert_msg(said == Z_OK && found == size && memcmp(data, back, size) == 0,
                  "seed %llu: %zu bytes, said %d, came back as %zu", (unsigned long long)seed, size, said,
                  (size_t)found);
}

QD_TEST(any_data_come_back) {
    qd_test_seeds(200, 1, check_data);
}

/// An allocator that has one place, which somebody else names.
static void *lend(void *context, size_t bytes) {
    (void)bytes;
    return context;
}

static void take_back(void *context, void *memory, size_t bytes) {
    (void)context, (void)memory, (void)bytes;
}

enum { PLACES = 1 << 12, APART = 1 << 16, PLACE = 1 << 20 };

// ISA-L files what begins at the third byte by the address of its state, where nothing goes before; so
// whether it was found when it came again depended on that, in one place of some hundred.
QD_TEST(where_memory_lies_decides_nothing) {
    enum { SIZE = 200, PART = 40 };
    static uint8_t data[SIZE], first[ROOM], other[ROOM];
    const size_t bytes = (size_t)PLACES * APART + PLACE;
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(memory != MAP_FAILED);
    qd_random random = qd_random_at(1, 0, 0);
    for (size_t i = 0; i < SIZE; ++i) data[i] = (uint8_t)(qd_random_bits(&random) % COLOURS);
    memcpy(data + SIZE - PART, data + 2, PART);
    size_t length = 0, again = 0;
    for (size_t k = 0; k < PLACES; ++k) {
        const qd_allocator here = {lend, take_back, memory + k * APART};
        ck_assert_int_eq(qdi_deflate(&here, data, SIZE, k ? other : first, k ? &again : &length), QD_OK);
        ck_assert_msg(!k || (length == again && memcmp(first, other, length) == 0),
                      "other bytes at place %zu", k);
        (void)madvise(memory + k * APART, APART, MADV_DONTNEED);
    }
    munmap(memory, bytes);
}

static void check_again(uint64_t seed) {
    static uint8_t data[MOST], first[ROOM], second[ROOM];
    static _Alignas(64) unsigned char block[PLACE];
    const qd_allocator used = {lend, take_back, block};
    qd_random random = qd_random_at(seed, 0, 0);
    draw_anything(&random, data, MOST);
    size_t lengths[2] = {0};
    memset(block, 0, sizeof block);
    ck_assert_int_eq(qdi_deflate(&used, data, MOST, first, lengths), QD_OK);
    for (size_t i = 0; i < sizeof block; ++i) block[i] = (uint8_t)qd_random_bits(&random);
    ck_assert_int_eq(qdi_deflate(&used, data, MOST, second, lengths + 1), QD_OK);
    ck_assert_msg(lengths[0] == lengths[1] && memcmp(first, second, lengths[0]) == 0,
                  "seed %llu: other bytes in other memory", (unsigned long long)seed);
}

QD_TEST(what_was_in_memory_decides_nothing) {
    qd_test_seeds(20, 1, check_again);
}

static void check_end(uint64_t seed) {
    enum { SIZE = 4096, BEHIND = 64 };
    static uint8_t data[SIZE + BEHIND], first[ROOM], second[ROOM];
    qd_random random = qd_random_at(seed, 0, 0);
    const size_t size = 1 + qd_random_bits(&random) % SIZE;
    draw_anything(&random, data, size);
    size_t lengths[2] = {0};
    memset(data + size, 0, BEHIND);
    ck_assert_int_eq(qdi_deflate(qd_allocator_default(), data, size, first, lengths), QD_OK);
    for (size_t i = 0; i < BEHIND; ++i) // as what was before, or anything
        data[size + i] = seed % 2 && size > BEHIND ? data[size - BEHIND + i]
                                                   : (uint8_t)qd_random_bits(&random);
    ck_assert_int_eq(qdi_deflate(qd_allocator_default(), data, size, second, lengths + 1), QD_OK);
    ck_assert_msg(lengths[0] == lengths[1] && memcmp(first, second, lengths[0]) == 0,
                  "seed %llu: other bytes with other data behind", (unsigned long long)seed);
}

QD_TEST(what_lies_behind_decides_nothing) {
    qd_test_seeds(2000, 1, check_end);
}

QD_TEST(no_memory_is_said) {
    qd_test_allocator allocator = qd_test_allocator_of(&allocator, 1);
    uint8_t data[4] = {1, 2, 3, 4}, out[1024];
    size_t length = 0;
    ck_assert_uint_le(qdi_deflate_most(sizeof data), sizeof out);
    const qd_status status = qdi_deflate(&allocator.allocator, data, sizeof data, out, &length);
    ck_assert_int_eq(status, allocator.calls ? QD_ERR_MEMORY : QD_OK); // zlib has memory of its own
}

QD_TEST_MAIN("deflate", 120, NULL, NULL)
