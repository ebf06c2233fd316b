#include "tests/support/forms.h"
#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static qd_shape polygon(const qd_vec2 *points, size_t count, qd_vec2 *centroid) {
    qd_shape shape;
    qd_error error = {""};
    ck_assert_msg(qd_shape_polygon(points, count, &shape, centroid, &error) == QD_OK, "%s", error.text);
    return shape;
}

static qd_shape rounded(qd_shape shape, double radius) {
    shape.radius = radius;
    ck_assert_int_eq(qd_shape_normalise(&shape, NULL, NULL), QD_OK);
    return shape;
}

static void check_near(double value, double expected) {
    ck_assert_double_eq_tol(value, expected, 1e-12 * (1 + fabs(expected)));
}

QD_TEST(moments_of_closed_forms) {
    qd_shape rect = qd_shape_rect(2, 1), disk = qd_shape_disk(1), square = qd_shape_rect(2, 2);
    check_near(qd_shape_inertia(&rect), 5.0 / 12);
    ck_assert_double_eq_tol(qd_shape_inertia(&rect), .416666667, 1e-9);
    rect = qd_shape_rect(1, 1);
    check_near(qd_shape_inertia(&rect), 1.0 / 6);
    check_near(qd_shape_area(&square), 4);
    check_near(qd_shape_area(&square) * qd_shape_inertia(&square), 8.0 / 3);
    check_near(qd_shape_area(&disk), pi);
    check_near(qd_shape_area(&disk) * qd_shape_inertia(&disk), pi / 2);

    // A capsule: a rect and two half disks whose own centroids are 4 r / (3 pi) out.
    double l = 3, r = 0.5, box = 2 * r * l, caps = pi * r * r, out = 0.5 * l + 4 * r / (3 * pi);
    double own = 0.5 * r * r - pow(4 * r / (3 * pi), 2);
    qd_shape capsule = qd_shape_capsule(l, r);
    check_near(qd_shape_area(&capsule), box + caps);
    check_near(qd_shape_area(&capsule) * qd_shape_inertia(&capsule),
               box * (l * l + 4 * r * r) / 12 + caps * (own + out * out));
    qd_shape segment = qd_shape_capsule(3, 0);
    check_near(qd_shape_area(&segment), 0);
    check_near(qd_shape_inertia(&segment), 9.0 / 12);
}

QD_TEST(moments_of_polygons) {
    const qd_vec2 corners[] = {{10, 20}, {12, 20}, {12, 21}, {10, 21}};
    qd_vec2 centroid;
    qd_shape rect = qd_shape_rect(2, 1), shape = polygon(corners, 4, &centroid);
    check_near(centroid.x, 11);
    check_near(centroid.y, 20.5);
    check_near(qd_shape_area(&shape), 2);
    check_near(qd_shape_inertia(&shape), qd_shape_inertia(&rect));
    const qd_vec2 right[] = {{0, 0}, {3, 0}, {0, 3}};
    shape = polygon(right, 3, &centroid);
    check_near(centroid.x, 1);
    check_near(centroid.y, 1);
    check_near(qd_shape_inertia(&shape), (9.0 + 9.0 + 18.0) / 36); // (a^2 + b^2 + c^2) / 36

    // Rounding: rect and polygon agree; area is A + perimeter r + pi r^2; a tiny core is a disk.
    rect = rounded(rect, 0.3);
    shape = rounded(polygon(corners, 4, NULL), 0.3);
    check_near(qd_shape_area(&rect), 2 + 6 * 0.3 + pi * 0.09);
    check_near(qd_shape_area(&shape), qd_shape_area(&rect));
    check_near(qd_shape_inertia(&shape), qd_shape_inertia(&rect));
    shape = rounded(qd_shape_rect(1e-7, 1e-7), 2);
    ck_assert_double_eq_tol(qd_shape_area(&shape), 4 * pi, 1e-5);
    ck_assert_double_eq_tol(qd_shape_inertia(&shape), 2, 1e-5);
}

/// Area, centroid and inertia of a random rounded polygon by counting the points of a grid that it contains.
QD_TEST(moments_by_counting) {
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(20); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_test_form made;
        do qd_test_form_random(&random, &made);
        while (qd_shape_area(&made.shape) < 0.05);
        qd_vec2 turn = {0.6, 0.8}, at = {3, -2}, low, high;
        qd_shape_bounds(&made.shape, at, turn, &low, &high);
        enum { CELLS = 400 };
        double dx = (high.x - low.x) / CELLS, dy = (high.y - low.y) / CELLS, n = 0, x = 0, y = 0, second = 0;
        for (int i = 0; i < CELLS; ++i) {
            for (int k = 0; k < CELLS; ++k) {
                qd_vec2 p = {low.x + (i + 0.5) * dx, low.y + (k + 0.5) * dy};
                if (!qd_shape_contains(&made.shape, at, turn, p)) continue;
                n += 1;
                x += p.x - at.x;
                y += p.y - at.y;
                second += (p.x - at.x) * (p.x - at.x) + (p.y - at.y) * (p.y - at.y);
            }
        }
        double area = qd_shape_area(&made.shape), inertia = qd_shape_inertia(&made.shape);
        ck_assert_msg(fabs(n * dx * dy / area - 1) < 0.01, "area, seed %lu", seed);
        ck_assert_msg(fabs(x / n) < 0.004 && fabs(y / n) < 0.004, "centroid, seed %lu", seed);
        ck_assert_msg(fabs(second / n / inertia - 1) < 0.02, "inertia, seed %lu", seed);
        if (qd_test_replaying()) break;
    }
}

/// Bounds touch the support in the four directions, and nothing reaches further than the reach.
QD_TEST(bounds_and_reach) {
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(2000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_test_form made;
        qd_test_form_random(&random, &made);
        qdi_form form = qd_test_form_of(&made);
        qdi_pose pose = qd_test_pose_random(&random, 3);
        qd_vec2 low, high;
        qd_shape_bounds(&made.shape, (qd_vec2){pose.x, pose.y}, (qd_vec2){pose.c, pose.s}, &low, &high);
        bool good = fabs(high.x - qd_test_support(&form, &pose, (qd_vec2){1, 0})) < 1e-12 &&
                    fabs(high.y - qd_test_support(&form, &pose, (qd_vec2){0, 1})) < 1e-12 &&
                    fabs(low.x + qd_test_support(&form, &pose, (qd_vec2){-1, 0})) < 1e-12 &&
                    fabs(low.y + qd_test_support(&form, &pose, (qd_vec2){0, -1})) < 1e-12;
        ck_assert_msg(good, "bounds, seed %lu", seed);
        double most = 0, reach = qd_shape_reach(&made.shape);
        pose.x = pose.y = 0;
        for (int i = 0; i < 720; ++i) {
            double along = qd_test_support(&form, &pose,
                                           (qd_vec2){qd_cos(i * pi / 360), qd_sin(i * pi / 360)});
            if (along > most) most = along;
        }
        ck_assert_msg(most <= reach * (1 + 1e-12) && most >= 0.9999 * reach, "reach, seed %lu", seed);
        if (qd_test_replaying()) break;
    }
}

QD_TEST(contains_its_border) {
    qd_shape rect = qd_shape_rect(4, 2), capsule = qd_shape_capsule(2, 1), disk = qd_shape_disk(5);
    const qd_vec2 at = {1, 2}, turn = {1, 0};
    ck_assert(qd_shape_contains(&rect, at, turn, (qd_vec2){3, 3}));
    ck_assert(!qd_shape_contains(&rect, at, turn, (qd_vec2){nextafter(3, 4), 3}));
    ck_assert(qd_shape_contains(&rect, at, (qd_vec2){0, 1}, (qd_vec2){2, 4})); // turned by a right angle
    ck_assert(!qd_shape_contains(&rect, at, (qd_vec2){0, 1}, (qd_vec2){3, 3}));
    ck_assert(qd_shape_contains(&capsule, at, turn, (qd_vec2){3, 2}));
    ck_assert(!qd_shape_contains(&capsule, at, turn, (qd_vec2){2.8, 2.8}));
    ck_assert(qd_shape_contains(&disk, at, turn, (qd_vec2){4, 6}));
    ck_assert(!qd_shape_contains(&disk, at, turn, (qd_vec2){4, nextafter(6, 7)}));
}

QD_TEST(any_order_any_place_copies_and_sides) {
    // A square's corners crosswise, with a copy and two points on sides.
    const qd_vec2 points[] = {{5, 5}, {7, 7}, {7, 5}, {5, 7}, {6, 5}, {5, 5}, {7, 6.5}};
    qd_vec2 centroid;
    qd_shape shape = polygon(points, 7, &centroid);
    ck_assert_int_eq(shape.count, 4);
    check_near(centroid.x, 6);
    check_near(centroid.y, 6);
    const qd_vec2 expected[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; ++i) {
        ck_assert_double_eq(shape.points[i].x, expected[i].x);
        ck_assert_double_eq(shape.points[i].y, expected[i].y);
    }
    for (int i = 4; i < QD_POLYGON_MAX; ++i) ck_assert(shape.points[i].x == 0 && shape.points[i].y == 0);
}

/// Settling again changes no bit, whatever the polygon and its rounding; rounding moves the centroid, which
/// is told.
QD_TEST(settled_stays_settled) {
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(2000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_shape shape = qd_test_polygon_random(&random, QD_POLYGON_MAX), again = shape;
        qd_vec2 moved = {9, 9};
        ck_assert_int_eq(qd_shape_normalise(&again, &moved, NULL), QD_OK);
        ck_assert_msg(memcmp(&again, &shape, sizeof shape) == 0 && moved.x == 0 && moved.y == 0, "seed %lu",
                      seed);
        shape.radius = 0.5;
        ck_assert_int_eq(qd_shape_normalise(&shape, &moved, NULL), QD_OK);
        again = shape;
        ck_assert_int_eq(qd_shape_normalise(&again, &moved, NULL), QD_OK);
        ck_assert_msg(memcmp(&again, &shape, sizeof shape) == 0 && moved.x == 0 && moved.y == 0, "seed %lu",
                      seed);
        if (qd_test_replaying()) break;
    }
    qd_shape wedge = polygon((const qd_vec2[]){{0, -1}, {6, 0}, {0, 1}}, 3, NULL);
    qd_vec2 moved;
    wedge.radius = 1;
    ck_assert_int_eq(qd_shape_normalise(&wedge, &moved, NULL), QD_OK);
    ck_assert_double_gt(moved.x, 0.01); // strips and sectors lie more evenly than the wedge
    ck_assert_double_eq_tol(moved.y, 0, 1e-15);
}

static void check_refused(qd_shape shape, const char *reason) {
    qd_error error = {""};
    qd_shape before = shape;
    ck_assert_int_eq(qd_shape_normalise(&shape, NULL, &error), QD_ERR_VALUE);
    ck_assert_msg(strstr(error.text, reason) != NULL, "\"%s\" is not in \"%s\"", reason, error.text);
    ck_assert_int_eq(memcmp(&shape, &before, sizeof shape), 0);
}

QD_TEST(bad_sizes_are_refused) {
    const double bad[] = {0, -1, HUGE_VAL, (double)NAN, 1e31, 1e-31};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const bool small = bad[i] > 0 && bad[i] < 1;
        check_refused(qd_shape_disk(bad[i]),
                      small ? "radius must be at least 1e-30" : "radius must be above 0");
        check_refused(qd_shape_rect(bad[i], 1), "width of a rect");
        check_refused(qd_shape_rect(1, bad[i]), "height of a rect");
        check_refused(qd_shape_capsule(bad[i], 1), "length of a capsule");
        if (bad[i] != 0)
            check_refused(qd_shape_capsule(1, bad[i]),
                          small ? "radius must be 0 or at least" : "radius must be 0 or above");
        qd_shape rect = qd_shape_rect(1, 1);
        rect.radius = bad[i];
        if (bad[i] != 0)
            check_refused(rect, small ? "radius must be 0 or at least" : "radius must be 0 or above");
    }
    qd_shape strange = qd_shape_disk(1);
    strange.kind = (qd_shape_kind)7;
    check_refused(strange, "unknown kind of shape 7");
    qd_shape capsule = qd_shape_capsule(1, 1);
    capsule.count = 3;
    check_refused(capsule, "no points, or the 2 next to it");
    capsule.count = 2;
    capsule.points[1].y = (double)NAN;
    check_refused(capsule, "neighbour in a polyline");
    ck_assert_int_eq(qd_shape_normalise(NULL, NULL, NULL), QD_ERR_ARGUMENT);
}

static void check_polygon_refused(const qd_vec2 *points, size_t count, const char *reason) {
    qd_error error = {""};
    qd_shape shape = qd_shape_disk(3);
    ck_assert_int_eq(qd_shape_polygon(points, count, &shape, NULL, &error), QD_ERR_VALUE);
    ck_assert_msg(strstr(error.text, reason) != NULL, "\"%s\" is not in \"%s\"", reason, error.text);
    ck_assert(shape.kind == QD_SHAPE_DISK && shape.radius == 3);
}

QD_TEST(bad_polygons_are_refused) {
    const qd_vec2 dart[] = {{0, 0}, {4, 0}, {1, 1}, {0, 4}};
    check_polygon_refused(dart, 4, "convex: point 3 is inside");
    check_polygon_refused(dart, 2, "3 to 16 points, not 2");
    qd_vec2 many[17] = {{0, 0}};
    check_polygon_refused(many, 17, "3 to 16 points, not 17");
    check_polygon_refused(many, 5, "all in one place");
    const qd_vec2 line[] = {{0, 0}, {1, 2}, {2, 4}, {3, 6}};
    check_polygon_refused(line, 4, "all on a line");
    const qd_vec2 nearly[] = {{0, 0}, {1, 1e-12}, {2, 0}};
    check_polygon_refused(nearly, 3, "all on a line");
    const qd_vec2 endless[] = {{0, 0}, {1, HUGE_VAL}, {2, 0}}, nothing[] = {{0, 0}, {1, 0}, {(double)NAN, 1}};
    check_polygon_refused(endless, 3, "point 2 of a polygon is not finite");
    check_polygon_refused(nothing, 3, "point 3 of a polygon is not finite");
    qd_shape shape;
    ck_assert_int_eq(qd_shape_polygon(NULL, 3, &shape, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_shape_polygon(dart, 3, NULL, NULL, NULL), QD_ERR_ARGUMENT);
}

QD_TEST(largest_and_smallest_polygons) {
    const double scale[] = {1e-29, 1e-12, 1e12, 5e29};
    for (int i = 0; i < 4; ++i) {
        double k = scale[i];
        const qd_vec2 points[] = {{-k, -k}, {k, -k}, {k, k}, {-k, k}};
        qd_shape shape = polygon(points, 4, NULL);
        check_near(qd_shape_area(&shape) / (4 * k * k), 1);
        check_near(qd_shape_inertia(&shape) / (k * k), 2.0 / 3);
    }
}

/// Every edge of a polyline begins and ends where its points are, and knows its neighbours' places.
QD_TEST(polyline_edges) {
    const qd_vec2 points[] = {{0, 0}, {3, 4}, {7, 4}, {7, -2}};
    for (int closed = 0; closed < 2; ++closed) {
        for (size_t edge = 0; edge < (closed ? 4U : 3U); ++edge) {
            qd_shape shape;
            qd_vec2 at;
            double angle, c, s;
            ck_assert_int_eq(qd_shape_chain(points, 4, closed, edge, 0, &shape, &at, &angle, NULL), QD_OK);
            qd_sincos(angle, &s, &c);
            ck_assert_int_eq(shape.count, 2);
            size_t before = edge > 0 ? edge - 1
                            : closed ? 3
                                     : 0,
                   after = closed     ? (edge + 2) % 4
                           : edge < 2 ? edge + 2
                                      : 3;
            const qd_vec2 local[] = {{-shape.half.x, 0}, {shape.half.x, 0}, shape.points[0], shape.points[1]};
            const qd_vec2 place[] = {points[edge], points[(edge + 1) % 4], points[before], points[after]};
            for (int i = 0; i < 4; ++i) {
                check_near(at.x + c * local[i].x - s * local[i].y, place[i].x);
                check_near(at.y + s * local[i].x + c * local[i].y, place[i].y);
            }
        }
    }
}

static void check_chain_refused(const qd_vec2 *points, size_t count, bool closed, size_t edge, double radius,
                                const char *reason) {
    qd_error error = {""};
    qd_shape shape;
    qd_vec2 at;
    double angle;
    ck_assert_int_eq(qd_shape_chain(points, count, closed, edge, radius, &shape, &at, &angle, &error),
                     QD_ERR_VALUE);
    ck_assert_msg(strstr(error.text, reason) != NULL, "\"%s\" is not in \"%s\"", reason, error.text);
}

QD_TEST(bad_polylines_are_refused) {
    const qd_vec2 points[] = {{0, 0}, {1, 0}, {1, 0}, {2, (double)NAN}};
    check_chain_refused(points, 1, false, 0, 0, "at least 2 points, not 1");
    check_chain_refused(points, 2, true, 0, 0, "at least 3 points, not 2");
    check_chain_refused(points, 2, false, 1, 0, "has no edge 1");
    check_chain_refused(points, 3, false, 0, 0, "has no length");
    check_chain_refused(points, 3, false, 1, 0, "has no length");
    const qd_vec2 round[] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}};
    for (size_t edge = 0; edge < 4; ++edge)
        check_chain_refused(round, 4, true, edge, 0,
                            "the last point of a closed polyline is its first one again");
    check_chain_refused(points + 2, 2, false, 0, 0, "not finite");
    check_chain_refused(points, 2, false, 0, -1, "radius must be 0 or above");
    qd_shape shape;
    qd_vec2 at;
    ck_assert_int_eq(qd_shape_chain(points, 2, false, 0, 0, &shape, &at, NULL, NULL), QD_ERR_ARGUMENT);
}

QD_TEST_MAIN("shape", 120, NULL, NULL)
