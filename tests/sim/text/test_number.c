#include "sim/text/number.h"
#include "sim/text/number_digits.h"

#include "tests/support/harness.h"

#include <quadrille/random.h>

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_text(double value, const char *expected) {
    char text[QDI_NUMBER_ROOM];
    size_t length = qdi_number_write(value, text);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(length, strlen(expected));
}

QD_TEST(writes_the_shortest_text) {
    check_text(0, "0");
    check_text(-0.0, "-0");
    check_text(1, "1");
    check_text(-2.5, "-2.5");
    check_text(0.1, "0.1");
    check_text(0.1 + 0.2, "0.30000000000000004");
    check_text(1.0 / 3.0, "0.3333333333333333");
    check_text(100, "100");
    check_text(123456789012345680.0, "123456789012345680");
    check_text(1e20, "100000000000000000000");
    check_text(1e21, "1e21");
    check_text(-1.5e300, "-1.5e300");
    check_text(0.00001, "0.00001");
    check_text(0.00000125, "1.25e-6");
    check_text(DBL_MAX, "1.7976931348623157e308");
    check_text(DBL_MIN, "2.2250738585072014e-308");
    check_text(0x1p-1074, "5e-324");
    check_text(9007199254740993.0, "9007199254740992");
    check_text((double)INFINITY, ".inf");
    check_text(-(double)INFINITY, "-.inf");
    check_text((double)NAN, ".nan");
}

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Every finite double comes back from its text, and no text with one digit less would do.
QD_TEST(reads_back_what_it_wrote) {
    qd_random random = qd_random_at(qd_test_seed(7), 0, 0);
    for (size_t i = 0; i < qd_test_effort(200000); ++i) {
        double value = from_bits(qd_random_bits(&random));
        if (i % 3 == 1) value = floor(qd_random_uniform(&random) * 1e6) / 1000;
        if (i % 3 == 2) value = from_bits(qd_random_bits(&random) >> 13);
        if (!isfinite(value)) continue;
        char text[QDI_NUMBER_ROOM];
        size_t length = qdi_number_write(value, text);
        double back = 0;
        ck_assert_uint_lt(length, QDI_NUMBER_ROOM);
        ck_assert_msg(qdi_number_read(text, length, &back), "cannot read %s", text);
        ck_assert_msg(memcmp(&back, &value, sizeof back) == 0, "%a became %s", value, text);
        size_t digits = 0;
        bool leading = true;
        size_t zeros = 0;
        for (const char *at = text; *at && *at != 'e'; ++at) {
            if (*at < '0' || *at > '9') continue;
            if (*at != '0') leading = false;
            if (leading) continue;
            ++digits;
            zeros = *at == '0' ? zeros + 1 : 0;
        }
        digits -= zeros;
        if (digits < 2) continue;
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, value);
        ck_assert_msg(strtod(shorter, NULL) != value, "%s is shorter than %s", shorter, text);
    }
}

static bool reads(const char *text, double *value) {
    return qdi_number_read(text, strlen(text), value);
}

/// A number near where the quick way is taken, at its borders and powers of two and ten.
static double draw_plain(qd_random *random, size_t i) {
    double tens = 1e-7;
    for (uint32_t k = (uint32_t)qd_random_bits(random) % 24; k > 0; --k) tens *= 10;
    uint64_t bits = (uint64_t)(1000 + (uint32_t)qd_random_bits(random) % 76) << 52;
    if (i % 3 == 0) memcpy(&bits, &tens, sizeof bits);
    if (i % 3 == 1)
        bits |= (uint64_t)(uint32_t)qd_random_bits(random) << 20 | (uint32_t)qd_random_bits(random) >> 12;
    if (i % 3 != 1) bits += (uint32_t)qd_random_bits(random) % 3 - UINT64_C(1);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The quick way must give what the C library's does.
QD_TEST(has_the_digits_of_printf) {
    size_t quick = 0, cases = qd_test_effort(300000);
    uint64_t seed = qd_test_seed(11);
    qd_random random = qd_random_at(seed, 0, 0);
    for (size_t i = 0; i < cases; ++i) {
        double value = draw_plain(&random, i);
        uint64_t whole = 0;
        int exponent = 0, digits = 15;
        if (!qdi_number_digits(value, &whole, &exponent)) continue;
        char text[40], own[80];
        do snprintf(text, sizeof text, "%.*e", digits - 1, value);
        while (strtod(text, NULL) != value && ++digits <= 17);
        char first[40];
        int used = snprintf(first, sizeof first, "%" PRIu64, whole);
        snprintf(own, sizeof own, "%c.%se%+03d", first[0], first + 1, exponent);
        ck_assert_msg(used >= 15 && strcmp(own, text) == 0, "seed %" PRIu64 ", %a: %s, not %s", seed, value,
                      own, text);
        ++quick;
    }
    ck_assert_uint_gt(quick, cases / 2);
}

QD_TEST(reads_numbers_and_nothing_else) {
    double value = 0;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},
                {"-0.5", -0.5},
                {"+2", 2},
                {".5", 0.5},
                {"5.", 5},
                {"1e3", 1000},
                {"1E-2", 0.01},
                {"1.5e+2", 150},
                {"010", 10},
                {".inf", (double)INFINITY},
                {"-.Inf", -(double)INFINITY},
                {"+.INF", (double)INFINITY},
                {"1e-400", 0},
                {"4.9e-324", 0x1p-1074}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        ck_assert_msg(reads(good[i].text, &value), "%s", good[i].text);
        ck_assert_msg(value == good[i].value, "%s gave %a", good[i].text, value);
    }
    static const char *const bad[] = {"",      " ",    ".",     "e5",    "1e",     "1e+",  "--1", "+-1",
                                      "1 ",    " 1",   "1,5",   "0x10",  "nan",    ".nan", "inf", "infinity",
                                      "1_000", "1e5x", "1.2.3", "1e999", "-1e999", "true", "1f",  "٣"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        ck_assert_msg(!reads(bad[i], &value), "\"%s\" was read as %g", bad[i], value);
    ck_assert(!qdi_number_read("1\0002", 3, &value));
    char huge[5000];
    memset(huge, '9', sizeof huge);
    ck_assert(!qdi_number_read(huge, sizeof huge, &value));
    ck_assert(qdi_number_read(huge, 300, &value));
}

QD_TEST(reads_whole_numbers) {
    uint64_t value = 0;
    ck_assert(qdi_integer_read("18446744073709551615", 20, &value) && value == UINT64_MAX);
    ck_assert(!qdi_integer_read("18446744073709551616", 20, &value));
    ck_assert(qdi_integer_read("9007199254740993", 16, &value) && value == 9007199254740993U);
    ck_assert(qdi_integer_read("1e6", 3, &value) && value == 1000000);
    ck_assert(qdi_integer_read("+20.0", 5, &value) && value == 20);
    ck_assert(!qdi_integer_read("1.5", 3, &value));
    ck_assert(!qdi_integer_read("-1", 2, &value));
    ck_assert(!qdi_integer_read("1e17", 4, &value));
    ck_assert(!qdi_integer_read(".inf", 4, &value));
    ck_assert(!qdi_integer_read("", 0, &value));
    ck_assert(!qdi_integer_read("+", 1, &value));
}

/// With a locale that writes 1,5 nothing changes. Such a locale is not installed everywhere.
QD_TEST(does_not_look_at_the_locale) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "da_DK.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; ++i)
        found = setlocale(LC_ALL, names[i]) != NULL;
    double value = 0;
    check_text(1.5, "1.5");
    ck_assert(reads("1.5", &value) && value == 1.5);
    ck_assert(!reads("1,5", &value));
    setlocale(LC_ALL, "C");
}

QD_TEST_MAIN("number", 120, NULL, NULL)
