// Hashes are part of what files say, so their values are fixed.
#include "tests/support/harness.h"

#include <inttypes.h>
#include <quadrille/hash.h>
#include <quadrille/random.h>

static int bits_set(uint64_t x) {
    int count = 0;
    for (; x; x &= x - 1) ++count;
    return count;
}

// The first is published with XXH3; the others hold every later version of the library to what this one gave.
QD_TEST(known_values) {
    ck_assert_uint_eq(qd_hash_bytes("", 0), UINT64_C(0x2d06800538d394c2));
    ck_assert_uint_eq(qd_hash_bytes("quadrille", 9), UINT64_C(0xfad0a90a0cd7d679));
    unsigned char long_text[1000];
    for (size_t k = 0; k < sizeof long_text; ++k) long_text[k] = (unsigned char)(k % 251);
    ck_assert_uint_eq(qd_hash_bytes(long_text, sizeof long_text), UINT64_C(0x33ef703fb2b20ed1));
    ck_assert_uint_eq(qd_hash_seeded(long_text, sizeof long_text, 0),
                      qd_hash_bytes(long_text, sizeof long_text));
}

QD_TEST(every_byte_and_the_seed_count) {
    unsigned char data[300] = {0};
    for (size_t size = 1; size <= sizeof data; size += 13) {
        const uint64_t plain = qd_hash_bytes(data, size);
        for (size_t k = 0; k < size; ++k) {
            data[k] ^= 0x10;
            ck_assert_uint_ne(qd_hash_bytes(data, size), plain);
            data[k] ^= 0x10;
        }
        ck_assert_uint_ne(qd_hash_bytes(data, size - 1), plain);
        ck_assert_uint_ne(qd_hash_seeded(data, size, 1), qd_hash_seeded(data, size, 2));
    }
}

QD_TEST(chained_hashes_know_their_order) {
    const uint64_t ab = qd_hash_seeded("b", 1, qd_hash_seeded("a", 1, 0));
    const uint64_t ba = qd_hash_seeded("a", 1, qd_hash_seeded("b", 1, 0));
    ck_assert_uint_ne(ab, ba);
}

QD_TEST(mix_is_fixed_and_not_symmetric) {
    ck_assert_uint_eq(qd_hash_mix(0, 0), UINT64_C(0xa706dd2f4d197e6f));
    ck_assert_uint_eq(qd_hash_mix(1, 2), UINT64_C(0xbcd9dbb49673066b));
    ck_assert_uint_ne(qd_hash_mix(1, 2), qd_hash_mix(2, 1));
    ck_assert_uint_ne(qd_hash_mix(0, 1), qd_hash_mix(1, 0));
}

// Flipping any bit of either number flips each bit of the result about half of the time.
QD_TEST(mix_spreads_every_bit) {
    qd_random random = qd_random_at(qd_test_seed(5), 0, 0);
    enum { ROUNDS = 2000 };
    for (int bit = 0; bit < 128; ++bit) {
        long flipped = 0;
        for (int k = 0; k < ROUNDS; ++k) {
            const uint64_t a = qd_random_bits(&random) & 0xffff, b = qd_random_bits(&random) & 0xffff;
            const uint64_t flip = UINT64_C(1) << bit % 64;
            const uint64_t other = bit < 64 ? qd_hash_mix(a ^ flip, b) : qd_hash_mix(a, b ^ flip);
            flipped += bits_set(qd_hash_mix(a, b) ^ other);
        }
        const double share = (double)flipped / (64.0 * ROUNDS); // 0.5, standard error 0.0014
        ck_assert_msg(share > 0.49 && share < 0.51, "bit %d flips %.4f of the result", bit, share);
    }
}

QD_TEST(mix_has_no_collisions_among_small_pairs) {
    enum { SIDE = 300, TABLE = 1 << 18 };
    static uint64_t seen[TABLE];
    for (uint64_t a = 0; a < SIDE; ++a) {
        for (uint64_t b = 0; b < SIDE; ++b) {
            const uint64_t hash = qd_hash_mix(a, b);
            size_t slot = (size_t)(hash % TABLE);
            while (seen[slot] != 0) {
                ck_assert_msg(seen[slot] != hash, "(%" PRIu64 ", %" PRIu64 ") collides", a, b);
                slot = (slot + 1) % TABLE;
            }
            seen[slot] = hash;
        }
    }
}

QD_TEST_MAIN("hash", 60, NULL, NULL)
