// Times of impact against closed forms and against small steps in time.

#include "sim/shape/toi.h"

#include "sim/shape/distance.h"
#include "tests/support/forms.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>

static const double pi = 3.14159265358979323846;

static qdi_swept_path sweep(double from_x, double from_y, double to_x, double to_y, double turn) {
    return (qdi_swept_path){{from_x, from_y}, {to_x, to_y}, 1, 0, turn};
}

static double check_hit(const qdi_form *a, qdi_swept_path sa, const qdi_form *b, qdi_swept_path sb,
                        double expected, double tolerance) {
    qdi_impact impact;
    ck_assert(qdi_time_of_impact(a, &sa, b, &sb, 0, 1e-10, &impact));
    ck_assert_double_eq_tol(impact.time, expected, tolerance);
    ck_assert(qdi_time_of_impact(b, &sb, a, &sa, 0, 1e-10, &impact));
    ck_assert_double_eq_tol(impact.time, expected, tolerance);
    return impact.gap;
}

static void check_miss(const qdi_form *a, qdi_swept_path sa, const qdi_form *b, qdi_swept_path sb) {
    qdi_impact impact;
    ck_assert(!qdi_time_of_impact(a, &sa, b, &sb, 0, 1e-10, &impact));
    ck_assert(!qdi_time_of_impact(b, &sb, a, &sa, 0, 1e-10, &impact));
}

QD_TEST(moved_segment_of_box2d) {
    qdi_form square = {.kind = QD_SHAPE_RECT, .half = {1, 1}};
    qdi_form segment = {.kind = QD_SHAPE_CAPSULE, .half = {1, 0}};
    qdi_swept_path upright = {{2, 0}, {0, 0}, 0, 1, 0};
    check_hit(&square, sweep(0, 0, 0, 0, 0), &segment, upright, .5, 1e-9);
}

QD_TEST(disks_in_closed_form) {
    qdi_form disk = qdi_form_disk(.5);
    // From 2 apart, head on; then with an offset of .5, where the centres meet at a distance of 1: 2 - cos 30
    // deg.
    check_hit(&disk, sweep(0, 0, 4, 0, 0), &disk, sweep(2, 0, 2, 0, 0), .25, 1e-9);
    check_hit(&disk, sweep(0, 0, 4, 0, 0), &disk, sweep(2, .5, 2, .5, 0), (2 - sqrt(3) / 2) / 4, 1e-9);
    check_hit(&disk, sweep(0, 0, 2, 0, 0), &disk, sweep(2, 0, 0, 0, 0), .25, 1e-9);
    check_miss(&disk, sweep(0, 0, .999, 0, 0), &disk, sweep(2, 0, 2, 0, 0));
    check_miss(&disk, sweep(0, 0, -4, 0, 0), &disk, sweep(2, 0, 2, 0, 0));
    check_miss(&disk, sweep(0, 0, 4, 0, 0), &disk, sweep(2, 1.001, 2, 1.001, 0));
    check_miss(&disk, sweep(0, 0, 40, 30, 0), &disk, sweep(2, 0, 42, 30, 0)); // side by side
}

QD_TEST(touching_at_the_very_end) {
    qdi_form disk = qdi_form_disk(.5);
    check_hit(&disk, sweep(0, 0, 1, 0, 0), &disk, sweep(2, 0, 2, 0, 0), 1, 1e-9);
}

QD_TEST(turning_in_closed_form) {
    // A rod about its middle swings down on a disk: its side meets it when the disk is r above it.
    qdi_form rod = {.kind = QD_SHAPE_CAPSULE, .half = {2, 0}}, disk = qdi_form_disk(.5);
    double angle = qd_atan2(1, sqrt(3));                                 // sin = r / distance = .5
    check_miss(&rod, sweep(0, 0, 0, 0, 1), &disk, sweep(0, 1, 0, 1, 0)); // pi / 3 is more
    check_hit(&rod, sweep(0, 0, 0, 0, pi / 2), &disk, sweep(0, 1, 0, 1, 0), (pi / 2 - angle) / (pi / 2),
              1e-8);
    // A turning square sticks out by half a diagonal.
    qdi_form square = {.kind = QD_SHAPE_RECT, .half = {.5, .5}},
             wall = {.kind = QD_SHAPE_RECT, .half = {.5, 10}};
    double x = .5 + sqrt(.5) - 1e-6; // so that it cuts in a little
    qdi_swept_path still = sweep(x, 0, x, 0, 0);
    double before = sqrt(2e-6 / sqrt(.5)), meeting = (pi / 4 - before) / (pi / 2); // 1 - cos x = x^2 / 2
    check_hit(&square, sweep(0, 0, 0, 0, pi / 2), &wall, still, meeting, 1e-6);
    check_miss(&square, sweep(0, 0, 0, 0, 20), &wall, sweep(.5001 + sqrt(.5), 0, .5001 + sqrt(.5), 0, 0));
}

QD_TEST(contact_at_the_start) {
    qdi_form disk = qdi_form_disk(.5);
    qdi_swept_path rest = sweep(0, 0, 0, 0, 0), touching = sweep(1, 0, 5, 0, 0),
                   inside = sweep(.1, 0, 9, 0, 0);
    qdi_impact impact;
    ck_assert(qdi_time_of_impact(&disk, &rest, &disk, &touching, 0, 1e-10, &impact));
    ck_assert_double_eq(impact.time, 0);
    ck_assert_double_eq(impact.normal.x, 1);
    ck_assert(qdi_time_of_impact(&disk, &rest, &disk, &inside, 0, 1e-10, &impact));
    ck_assert_double_eq(impact.time, 0);
    ck_assert_double_eq_tol(impact.gap, -.9, 1e-12);
    qdi_swept_path near = sweep(1.05, 0, 1.05, 0, 0); // within the target counts, and nothing moves
    ck_assert(qdi_time_of_impact(&disk, &rest, &disk, &near, .1, 1e-10, &impact));
    ck_assert(!qdi_time_of_impact(&disk, &rest, &disk, &near, .01, 1e-10, &impact));
}

/// A bullet through a thin wall, far faster than it is long, at any speed and place.
QD_TEST(bullets_are_caught) {
    qdi_form wall = {.kind = QD_SHAPE_CAPSULE, .half = {10, 0}},
             bullet = {.kind = QD_SHAPE_RECT, .half = {.01, .005}};
    qdi_swept_path still = {{0, 0}, {0, 0}, 0, 1, 0};
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(5000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        double from = -qd_test_between(&random, 0.02, 100), to = qd_test_between(&random, 0.02, 1000);
        double start = qd_test_between(&random, -5, 5), end = qd_test_between(&random, -5, 5);
        qdi_swept_path flight = sweep(from, start, to, end, qd_test_between(&random, -50, 50));
        qdi_impact impact;
        ck_assert_msg(qdi_time_of_impact(&wall, &still, &bullet, &flight, 0.001, 1e-6, &impact), "seed %lu",
                      seed);
        double x = qdi_swept_path_at(&flight, impact.time).x;
        ck_assert_msg(x < 0 && x > -0.0122 && impact.gap > 0, "stopped at %.15g, seed %lu", x, seed);
        if (qd_test_replaying()) break;
    }
}

/// Random forms and ways: never later than the first contact that small steps find, and true to its own
/// words.
QD_TEST(small_steps_agree) {
    enum { STEPS = 1000 };
    int hits = 0, misses = 0, starts = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(2000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_test_form made[2];
        qdi_form form[2];
        qdi_swept_path way[2];
        for (int i = 0; i < 2; ++i) {
            qd_test_form_random(&random, &made[i]);
            form[i] = qd_test_form_of(&made[i]);
            qdi_pose from = qd_test_pose_random(&random, 2), to = qd_test_pose_random(&random, 2);
            double turn = qd_random_uniform(&random) < 0.3 ? 0 : qd_test_between(&random, -6, 6);
            way[i] = (qdi_swept_path){{from.x, from.y}, {to.x, to.y}, from.c, from.s, turn};
        }
        double target = qd_random_uniform(&random) < 0.5 ? 0 : 0.02;
        qdi_impact impact;
        bool hit = qdi_time_of_impact(&form[0], &way[0], &form[1], &way[1], target, 1e-7, &impact);
        double first = 2, nearest = HUGE_VAL;
        for (int k = 0; k <= STEPS && first > 1; ++k) {
            double time = (double)k / STEPS;
            qdi_pose a = qdi_swept_path_at(&way[0], time), b = qdi_swept_path_at(&way[1], time);
            double distance = qdi_distance(&form[0], &a, &form[1], &b).distance;
            if (distance <= target) first = time;
            if (distance < nearest) nearest = distance;
        }
        ck_assert_msg(hit || first > 1, "missed at %.15g, seed %lu", first, seed);
        if (!hit) ck_assert_msg(nearest > target, "seed %lu", seed);
        misses += !hit;
        if (!hit) continue;
        ck_assert_msg(impact.time >= 0 && impact.time <= 1 && impact.time <= first + 1e-12,
                      "at %.15g, not %.15g, seed %lu", impact.time, first, seed);
        qdi_pose a = qdi_swept_path_at(&way[0], impact.time), b = qdi_swept_path_at(&way[1], impact.time);
        double distance = qdi_distance(&form[0], &a, &form[1], &b).distance;
        ck_assert_msg(distance == impact.gap && distance <= target + 1e-7, "gap %.15g, seed %lu", distance,
                      seed);
        if (impact.time > 0)
            ck_assert_msg(distance >= target - 1e-12, "too late by %.15g, seed %lu", distance, seed);
        // Soon after or never within 1e-7 more: no contact is made up.
        if (impact.time > 0 && first > 1) ck_assert_msg(nearest < target + 0.02, "made up, seed %lu", seed);
        hits += impact.time > 0;
        starts += impact.time == 0;
        if (qd_test_replaying()) break;
    }
    if (!qd_test_replaying()) ck_assert(hits > 20 && misses > 20 && starts > 5);
}

QD_TEST_MAIN("toi", 300, NULL, NULL)
