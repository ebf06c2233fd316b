// Outward rounding: boxes always contain their bodies, with room to spare.
#include "tests/support/harness.h"

#include <float.h>
#include <math.h>
#include <quadrille/box.h>
#include <quadrille/random.h>
#include <string.h>

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The same by the C library, which the library itself must not use.
static float above_by_libm(double value) {
    if (value < -(double)FLT_MAX) return -FLT_MAX;
    if (value > (double)FLT_MAX) return INFINITY;
    const float nearest = (float)value;
    const float up = (double)nearest < value ? nextafterf(nearest, INFINITY) : nearest;
    return nextafterf(up, INFINITY);
}

static void check_value(double value) {
    const float above = qd_float_above(value), below = qd_float_below(value);
    ck_assert_msg(above == above_by_libm(value), "above(%a) = %a, not %a", value, (double)above,
                  (double)above_by_libm(value));
    ck_assert_msg(below == -above_by_libm(-value), "below(%a) = %a", value, (double)below);
    ck_assert_msg((double)above > value || value == (double)INFINITY, "above(%a) = %a", value, (double)above);
    ck_assert_msg((double)below < value || value == -(double)INFINITY, "below(%a) = %a", value,
                  (double)below);
}

QD_TEST(edges_of_float32) {
    const double tiny = (double)FLT_TRUE_MIN, big = (double)FLT_MAX;
    const double values[] = {0.0,
                             -0.0,
                             tiny,
                             -tiny,
                             tiny / 2,
                             -tiny / 2,
                             5e-324,
                             -5e-324,
                             (double)FLT_MIN,
                             -(double)FLT_MIN,
                             1.0,
                             1.0 + 1e-12,
                             1.0 - 1e-12,
                             -1.0,
                             big,
                             -big,
                             big * 0.9999999,
                             -big * 0.9999999,
                             big * 1.00000001,
                             -big * 1.00000001,
                             1e300,
                             -1e300,
                             0x1.fffffe8p127,
                             (double)INFINITY,
                             -(double)INFINITY,
                             16777216.0,
                             16777217.0,
                             -16777217.0,
                             0x1.fffffffp-127};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) check_value(values[k]);

    ck_assert(qd_float_above(0.0) == FLT_TRUE_MIN);
    ck_assert(qd_float_below(0.0) == -FLT_TRUE_MIN);
    ck_assert(qd_float_above(-tiny) == 0.0F);
    ck_assert(qd_float_above(1.0) == 1.0F + FLT_EPSILON);
    ck_assert(qd_float_below(1.0) == 1.0F - FLT_EPSILON / 2);
    ck_assert(qd_float_above(1.0 + 1e-12) == 1.0F + 2 * FLT_EPSILON); // rounded up, and one more
    ck_assert(qd_float_above(big) == INFINITY);
    ck_assert(qd_float_below(big) < FLT_MAX);
    ck_assert(qd_float_above(-1e300) == -FLT_MAX);
    ck_assert(qd_float_below(1e300) == FLT_MAX);
    ck_assert(qd_float_above(1e300) == INFINITY);
    ck_assert(qd_float_above(-(double)INFINITY) == -FLT_MAX);
    ck_assert(isnan(qd_float_above((double)NAN)) && isnan(qd_float_below((double)NAN)));
}

QD_TEST(any_double) {
    const uint64_t seed = qd_test_seed(11);
    qd_random random = qd_random_at(seed, 0, 0);
    const size_t count = qd_test_effort(200000);
    for (size_t k = 0; k < count; ++k) {
        const uint64_t bits = qd_random_bits(&random);
        const double value = double_of(bits);
        if (value == value) check_value(value);
        // the same mantissa with an exponent that float32 has, subnormals included
        check_value(double_of((bits & UINT64_C(0x800fffffffffffff)) | (870 + (bits >> 52) % 290) << 52));
    }
}

QD_TEST(a_disk_lies_inside_its_box) {
    const uint64_t seed = qd_test_seed(12);
    qd_random random = qd_random_at(seed, 0, 0);
    const size_t count = qd_test_effort(100000);
    for (size_t k = 0; k < count; ++k) {
        const double scale = pow(10.0, 20.0 * qd_random_uniform(&random) - 10.0);
        const double x = scale * (qd_random_uniform(&random) - 0.5);
        const double y = scale * (qd_random_uniform(&random) - 0.5);
        const double radius = k % 7 == 0 ? 0.0 : pow(10.0, 20.0 * qd_random_uniform(&random) - 10.0);
        const qd_box box = qd_box_of_disk(x, y, radius);
        ck_assert(qd_box_valid(box));
        ck_assert((double)box.min_x < x - radius && (double)box.max_x > x + radius);
        ck_assert((double)box.min_y < y - radius && (double)box.max_y > y + radius);
        // not by more than rounding up and one unit more
        ck_assert((double)box.max_x - (x + radius) <= 2.0 * (double)FLT_EPSILON * fabs(x + radius) + 1e-44);
        ck_assert((x - radius) - (double)box.min_x <= 2.0 * (double)FLT_EPSILON * fabs(x - radius) + 1e-44);
    }
}

QD_TEST(many_disks_lie_inside_their_boxes) {
    enum { MOST = 67 };
    const uint64_t seed = qd_test_seed(13);
    double x[MOST], y[MOST], radius[MOST];
    qd_box boxes[MOST + 1];
    for (size_t count = 0; count <= MOST; ++count) {
        qd_random random = qd_random_at(seed, count, 0);
        for (size_t i = 0; i < count; ++i) {
            const double scale = pow(10.0, 20.0 * qd_random_uniform(&random) - 10.0);
            x[i] = scale * (qd_random_uniform(&random) - 0.5);
            y[i] = i % 5 == 0 ? (double)(float)x[i] : scale * (qd_random_uniform(&random) - 0.5);
            radius[i] = i % 7 == 0 ? 0.0 : scale * qd_random_uniform(&random);
        }
        boxes[count] = (qd_box){1, 2, 3, 4};
        qd_boxes_of_disks(x, y, radius, count, boxes);
        ck_assert(boxes[count].min_x == 1 && boxes[count].max_y == 4);
        for (size_t i = 0; i < count; ++i) {
            const double centre[2] = {x[i], y[i]};
            const float low[2] = {boxes[i].min_x, boxes[i].min_y}, high[2] = {boxes[i].max_x, boxes[i].max_y};
            for (int k = 0; k < 2; ++k) {
                const double least = centre[k] - radius[i], most = centre[k] + radius[i];
                ck_assert((double)low[k] < least && (double)high[k] > most);
                ck_assert((double)high[k] - most <= 3 * (double)FLT_EPSILON * fabs(most) + 1.2e-38);
                ck_assert(least - (double)low[k] <= 3 * (double)FLT_EPSILON * fabs(least) + 1.2e-38);
            }
        }
    }
    static const double far[][3] = {{1e300, -1e300, 1}, {1e39, 0, 1},      {0, -1e39, 1},
                                    {0, 0, 1e39},       {3.4e38, 0, 1e37}, {(double)NAN, 0, 1},
                                    {0, 0, HUGE_VAL},   {0, 3.5e38, 0}};
    for (size_t i = 0; i < sizeof far / sizeof *far; ++i) {
        qd_boxes_of_disks(&far[i][0], &far[i][1], &far[i][2], 1, boxes);
        ck_assert_msg(!qd_box_valid(boxes[0]), "disk %d", (int)i);
    }
}

QD_TEST(valid_and_overlap) {
    ck_assert(qd_box_valid((qd_box){0, 0, 0, 0}));
    ck_assert(qd_box_valid((qd_box){-FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX}));
    ck_assert(!qd_box_valid((qd_box){1, 0, 0, 1}));
    ck_assert(!qd_box_valid((qd_box){0, 1, 1, 0}));
    const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; ++k) {
        ck_assert(!qd_box_valid((qd_box){wrong[k], 0, 1, 1}));
        ck_assert(!qd_box_valid((qd_box){0, wrong[k], 1, 1}));
        ck_assert(!qd_box_valid((qd_box){0, 0, wrong[k], 1}));
        ck_assert(!qd_box_valid((qd_box){0, 0, 1, wrong[k]}));
    }
    ck_assert(!qd_box_valid(qd_box_of_disk((double)NAN, 0, 1)));
    ck_assert(!qd_box_valid(qd_box_of_disk(0, 1e300, 1)));

    const qd_box unit = {0, 0, 1, 1};
    ck_assert(qd_box_overlap(unit, (qd_box){1, 1, 2, 2})); // touching counts
    ck_assert(qd_box_overlap(unit, (qd_box){-1, -1, 0, 0}));
    ck_assert(qd_box_overlap(unit, (qd_box){0.5F, 0.5F, 0.5F, 0.5F}));
    ck_assert(qd_box_overlap(unit, (qd_box){-5, -5, 5, 5}));
    ck_assert(!qd_box_overlap(unit, (qd_box){1.0F + FLT_EPSILON, 0, 2, 1}));
    ck_assert(!qd_box_overlap(unit, (qd_box){0, 1.0F + FLT_EPSILON, 1, 2}));
    ck_assert(!qd_box_overlap(unit, (qd_box){-1, 0, -FLT_TRUE_MIN, 1}));
    ck_assert(!qd_box_overlap(unit, (qd_box){0, -1, 1, -FLT_TRUE_MIN}));
}

QD_TEST_MAIN("box", 120, NULL, NULL)
