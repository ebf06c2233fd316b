// Rays against closed forms and against walking along them.

#include "sim/shape/ray.h"

#include "tests/support/forms.h"
#include "tests/support/harness.h"

#include <math.h>

static const qdi_pose origin = {0, 0, 1, 0};

static void check_hit(const qdi_form *form, qd_vec2 from, qd_vec2 way, double fraction, double normal_x,
                      double normal_y) {
    qdi_ray_hit hit;
    ck_assert(qdi_ray_form(form, &origin, from, way, 1, &hit));
    ck_assert_double_eq_tol(hit.fraction, fraction, 1e-12);
    ck_assert_double_eq_tol(hit.normal.x, normal_x, 1e-12);
    ck_assert_double_eq_tol(hit.normal.y, normal_y, 1e-12);
}

static void check_miss(const qdi_form *form, qd_vec2 from, qd_vec2 way, double most) {
    qdi_ray_hit hit;
    ck_assert(!qdi_ray_form(form, &origin, from, way, most, &hit));
}

QD_TEST(ray_on_a_box_of_box2d) {
    qdi_form square = {.kind = QD_SHAPE_RECT, .half = {1, 1}};
    check_hit(&square, (qd_vec2){-3, 0}, (qd_vec2){6, 0}, 1.0 / 3, -1, 0);
}

QD_TEST(closed_forms) {
    const qdi_form disk = qdi_form_disk(1),
                   capsule = {.kind = QD_SHAPE_CAPSULE, .radius = .5, .half = {1, 0}};
    const qdi_form segment = {.kind = QD_SHAPE_CAPSULE, .half = {1, 0}};
    const qdi_form soft = {.kind = QD_SHAPE_RECT, .radius = .5, .half = {1, 1}};
    double c = sqrt(3) / 2;
    check_hit(&disk, (qd_vec2){-3, .5}, (qd_vec2){4, 0}, (3 - c) / 4, -c, .5);
    check_hit(&capsule, (qd_vec2){.3, 3}, (qd_vec2){0, -5}, .5, 0, 1);
    check_hit(&capsule, (qd_vec2){4, 0}, (qd_vec2){-5, 0}, .5, 1, 0);
    check_hit(&segment, (qd_vec2){.3, 3}, (qd_vec2){0, -6}, .5, 0, 1);
    check_hit(&segment, (qd_vec2){.3, -3}, (qd_vec2){0, 6}, .5, 0, -1);
    check_hit(&soft, (qd_vec2){4, 1}, (qd_vec2){-5, 0}, .5, 1, 0);
    check_hit(&soft, (qd_vec2){4, 1.25}, (qd_vec2){-5, 0}, (3 - .5 * c) / 5, c, .5);
}

QD_TEST(passing_by) {
    const qdi_form disk = qdi_form_disk(1), square = {.kind = QD_SHAPE_RECT, .half = {1, 1}};
    const qdi_form segment = {.kind = QD_SHAPE_CAPSULE, .half = {1, 0}};
    check_miss(&disk, (qd_vec2){-3, 0}, (qd_vec2){1, 0}, 1.999);
    check_miss(&disk, (qd_vec2){-3, 0}, (qd_vec2){-1, 0}, 100);
    check_miss(&disk, (qd_vec2){-3, 1.001}, (qd_vec2){1, 0}, 100);
    check_miss(&disk, (qd_vec2){-3, 0}, (qd_vec2){0, 0}, 100);
    check_miss(&square, (qd_vec2){-3, 0}, (qd_vec2){1, 1}, 100);
    check_miss(&square, (qd_vec2){-3, 1.001}, (qd_vec2){1, 0}, 100);
    check_miss(&segment, (qd_vec2){-3, 0}, (qd_vec2){1, 0}, 100); // along it
    check_miss(&segment, (qd_vec2){1.001, 1}, (qd_vec2){0, -1}, 100);
}

QD_TEST(starting_inside) {
    const qdi_form disk = qdi_form_disk(1), square = {.kind = QD_SHAPE_RECT, .half = {1, 1}};
    check_hit(&disk, (qd_vec2){.5, 0}, (qd_vec2){4, 0}, 0, 0, 0);
    check_hit(&square, (qd_vec2){1, 1}, (qd_vec2){4, 0}, 0, 0, 0); // the border is inside
}

QD_TEST(through_a_corner) {
    // Straight at a corner, a ray must not slip between two sides, however the form is turned.
    qdi_form square = {.kind = QD_SHAPE_RECT, .half = {1, 1}};
    for (int i = 0; i < 3600; ++i) {
        qdi_pose pose = qd_test_pose(0, 0, i * 0.1);
        for (int k = 0; k < 2; ++k) { // sharp, rounded
            square.radius = k * 0.25;
            qd_vec2 at = {pose.c - pose.s, pose.s + pose.c}, from = {3 * at.x, 3 * at.y};
            qdi_ray_hit hit;
            ck_assert(qdi_ray_form(&square, &pose, from, (qd_vec2){-at.x, -at.y}, 3, &hit));
            ck_assert_double_eq_tol(hit.fraction, 2 - square.radius / sqrt(2), 1e-12);
        }
    }
}

/// The first point inside on a walk along the ray is where it hits; the normal is the surface's there.
QD_TEST(walking_agrees) {
    enum { STEPS = 2000 };
    int hits = 0, misses = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(3000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_test_form made;
        qd_test_form_random(&random, &made);
        qdi_form form = qd_test_form_of(&made);
        qdi_pose pose = qd_test_pose_random(&random, 1), from = qd_test_pose_random(&random, 2);
        qd_vec2 start = {from.x, from.y}, way = {2 * from.c, 2 * from.s};
        qdi_ray_hit hit;
        bool met = qdi_ray_form(&form, &pose, start, way, 1.5, &hit);
        double first = 2;
        for (int k = 0; k <= STEPS && first > 1.5; ++k) {
            double f = 1.5 * k / STEPS;
            qd_vec2 p = {start.x + f * way.x - pose.x, start.y + f * way.y - pose.y};
            if (qdi_form_contains(&form, pose.c, pose.s, p)) first = f;
        }
        ck_assert_msg(met || first > 1.5, "missed at %.15g, seed %lu", first, seed);
        hits += met;
        misses += !met;
        if (!met) continue;
        ck_assert_msg(hit.fraction <= first + 1e-12 && hit.fraction >= 0 && hit.fraction <= 1.5,
                      "at %.15g, seed %lu", hit.fraction, seed);
        qd_vec2 at = {start.x + hit.fraction * way.x - pose.x, start.y + hit.fraction * way.y - pose.y};
        qdi_probe probe;
        qdi_form_probe(&form, (qd_vec2){pose.c * at.x + pose.s * at.y, pose.c * at.y - pose.s * at.x},
                       &probe);
        if (hit.fraction == 0) {
            ck_assert_msg(probe.distance <= form.radius && hit.normal.x == 0 && hit.normal.y == 0, "seed %lu",
                          seed);
            continue;
        }
        ck_assert_msg(fabs(probe.distance - form.radius) < 1e-9, "not on the surface, seed %lu", seed);
        double along = hit.normal.x * way.x + hit.normal.y * way.y;
        double length = hit.normal.x * hit.normal.x + hit.normal.y * hit.normal.y;
        ck_assert_msg(along < 0 && fabs(length - 1) < 1e-12, "normal, seed %lu", seed);
        // A step out along the normal leads out by its whole length.
        qd_vec2 out = {at.x + 0.1 * hit.normal.x, at.y + 0.1 * hit.normal.y};
        qdi_form_probe(&form, (qd_vec2){pose.c * out.x + pose.s * out.y, pose.c * out.y - pose.s * out.x},
                       &probe);
        ck_assert_msg(fabs(probe.distance - form.radius - 0.1) < 1e-9, "not the surface's normal, seed %lu",
                      seed);
        if (qd_test_replaying()) break;
    }
    if (!qd_test_replaying()) ck_assert(hits > 20 && misses > 20);
}

QD_TEST_MAIN("ray", 120, NULL, NULL)
