// Counter-based random numbers: the published values, keys that never meet, and distributions that are what
// they claim.
#include "core/math/philox.h"
#include "tests/support/harness.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/random.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Counter, key and block of Philox4x32-10 from the known-answer file of the authors' Random123 library.
QD_TEST(known_answers) {
    static const uint32_t rows[3][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                          0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
                                          0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (size_t k = 0; k < 3; ++k) {
        uint32_t block[4];
        qdi_philox(rows[k], rows[k] + 4, block);
        for (size_t i = 0; i < 4; ++i) ck_assert_uint_eq(block[i], rows[k][6 + i]);
    }
}

// The parts of a key reach the counter and key of Philox whole, each in its own place.
QD_TEST(a_key_is_all_of_counter_and_key) {
    qd_random random = qd_random_at(UINT64_C(0x299f31d0a4093822), UINT64_C(0x85a308d3243f6a88), 0x13198a2e);
    random.counter = 0x03707344;
    ck_assert_uint_eq(qd_random_bits(&random), UINT64_C(0x94fdccebd16cfe09));
    ck_assert_uint_eq(random.counter, 0x03707345);
}

QD_TEST(each_call_counts_one) {
    qd_random random = qd_random_at(1, 2, 3);
    ck_assert_uint_eq(random.counter, 0);
    const uint64_t first = qd_random_bits(&random);
    ck_assert_uint_eq(random.counter, 1);
    (void)qd_random_uniform(&random);
    ck_assert_uint_eq(random.counter, 2);
    (void)qd_random_normal(&random);
    ck_assert_uint_eq(random.counter, 3);
    qd_random again = qd_random_at(1, 2, 3);
    ck_assert_uint_eq(qd_random_bits(&again), first);
    again.counter = 3;
    ck_assert_uint_eq(qd_random_bits(&again), qd_random_bits(&random));
}

static int compare(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

QD_TEST(different_keys_give_different_numbers) {
    enum { SIDE = 12, COUNT = SIDE * SIDE * SIDE * SIDE };
    static uint64_t numbers[COUNT];
    size_t n = 0;
    for (uint64_t seed = 0; seed < SIDE; ++seed) {
        for (uint64_t stream = 0; stream < SIDE; ++stream) {
            for (uint32_t use = 0; use < SIDE; ++use) {
                // far apart, so that both halves of the 64-bit parts count
                qd_random random = qd_random_at(seed << (seed % 2 ? 40 : 0), stream << (stream % 2 ? 40 : 0),
                                                use);
                for (int k = 0; k < SIDE; ++k) numbers[n++] = qd_random_bits(&random);
            }
        }
    }
    qsort(numbers, COUNT, sizeof numbers[0], compare);
    for (size_t k = 1; k < COUNT; ++k) ck_assert_uint_ne(numbers[k - 1], numbers[k]);
}

QD_TEST(uniform_is_a_multiple_of_2_to_the_minus_53_below_1) {
    qd_random bits = qd_random_at(9, 9, 9), uniform = bits;
    double least = 1.0, most = 0.0;
    for (int k = 0; k < 100000; ++k) {
        const double u = qd_random_uniform(&uniform);
        ck_assert(u >= 0.0 && u < 1.0);
        ck_assert(u * 0x1p53 == (double)(qd_random_bits(&bits) >> 11));
        least = u < least ? u : least;
        most = u > most ? u : most;
    }
    ck_assert(least < 1e-3 && most > 0.999);
}

// One moment of a distribution: its expected value, how far off it may be, and the standard deviation of one
// sample.
typedef struct moment {
    double sum, expected, tolerance, deviation;
} moment;

static bool moment_agrees(const moment *m, double n) {
    const double standard_error = m->deviation / sqrt(n);
    ck_assert_msg(standard_error < m->tolerance / 3, "too few samples to judge");
    return fabs(m->sum / n - m->expected) <= fmax(m->tolerance, 6.0 * standard_error);
}

enum { SAMPLES = 200000, MOMENTS = 5 };

// Moments of x, and of the product with the sample before. `shift` and `stretch` plant an error.
static void sample(bool normal, double shift, double stretch, moment m[MOMENTS]) {
    double before = 0.0;
    for (uint64_t k = 0; k < SAMPLES; ++k) {
        // Half by counter, half by stream: both ways of going on must be independent.
        qd_random random = qd_random_at(3, k / 2, 1);
        random.counter = k % 2;
        const double drawn = normal ? qd_random_normal(&random) : qd_random_uniform(&random) - 0.5;
        const double x = drawn * stretch + shift;
        m[0].sum += x;
        m[1].sum += x * x;
        m[2].sum += x * x * x;
        m[3].sum += x * x * x * x;
        m[4].sum += x * before;
        before = x;
    }
}

static int moments_that_agree(bool normal, double shift, double stretch) {
    moment of_normal[MOMENTS] = {
        {0, 0, 0.01, 1.0}, {0, 1, 0.02, 1.4143}, {0, 0, 0.05, 3.873}, {0, 3, 0.1, 9.798}, {0, 0, 0.01, 1.0}};
    moment of_uniform[MOMENTS] = {{0, 0, 0.003, 0.2887},
                                  {0, 1.0 / 12, 0.001, 0.0746},
                                  {0, 0, 0.001, 0.0473},
                                  {0, 1.0 / 80, 0.0003, 0.01667},
                                  {0, 0, 0.001, 0.0834}};
    moment *m = normal ? of_normal : of_uniform;
    sample(normal, shift, stretch, m);
    int agree = 0;
    for (int k = 0; k < MOMENTS; ++k) agree += moment_agrees(&m[k], SAMPLES);
    return agree;
}

QD_TEST(moments_are_right) {
    ck_assert_int_eq(moments_that_agree(true, 0.0, 1.0), MOMENTS);
    ck_assert_int_eq(moments_that_agree(false, 0.0, 1.0), MOMENTS);
}

// The twins of the test above: with an error of four tolerances it must fail.
QD_TEST(planted_errors_are_noticed) {
    ck_assert_int_lt(moments_that_agree(true, 0.04, 1.0), MOMENTS);
    ck_assert_int_lt(moments_that_agree(true, 0.0, 1.04), MOMENTS);
    ck_assert_int_lt(moments_that_agree(false, 0.012, 1.0), MOMENTS);
    ck_assert_int_lt(moments_that_agree(false, 0.0, 1.03), MOMENTS);
}

// How often a normal number is below a few values (the distribution, not only its moments).
QD_TEST(normal_has_its_distribution) {
    static const double at[] = {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0};
    static const double expected[] = {0.0227501319, 0.1586552539, 0.3085375387, 0.5,
                                      0.6914624613, 0.8413447461, 0.9772498681};
    double below[7] = {0};
    qd_random random = qd_random_at(4, 0, 0);
    for (int k = 0; k < SAMPLES; ++k) {
        const double x = qd_random_normal(&random);
        ck_assert(x - x == 0.0);
        for (int i = 0; i < 7; ++i) below[i] += x < at[i];
    }
    for (int i = 0; i < 7; ++i) {
        const moment share = {below[i], expected[i], 0.006, sqrt(expected[i] * (1.0 - expected[i]))};
        ck_assert_msg(moment_agrees(&share, SAMPLES), "P(x < %g) is %g", at[i], below[i] / SAMPLES);
        const moment planted = {below[i] + 0.024 * SAMPLES, expected[i], 0.006, share.deviation};
        ck_assert(!moment_agrees(&planted, SAMPLES));
    }
}

// Runs with the same seed must stay the same from version to version.
QD_TEST(golden_bits) {
    uint64_t hash = 0;
    for (uint64_t k = 0; k < 100000; ++k) {
        qd_random random = qd_random_at(k % 7, k, (uint32_t)(k % 3));
        const double x = qd_random_normal(&random), u = qd_random_uniform(&random);
        uint64_t bits[2];
        memcpy(&bits[0], &x, sizeof x);
        memcpy(&bits[1], &u, sizeof u);
        hash = qd_hash_mix(qd_hash_mix(hash, bits[0]), bits[1]);
    }
    ck_assert_msg(hash == UINT64_C(0x238bad8174bd270e), "0x%016" PRIx64, hash);
}

QD_TEST_MAIN("random", 120, NULL, NULL)
