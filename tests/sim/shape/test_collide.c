// Contact geometry against numbers worked out by hand, and what the contract of collide.h promises.

#include "sim/shape/collide.h"

#include "sim/shape/distance.h"
#include "tests/support/forms.h"
#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/math.h>

static const double pi = 3.14159265358979323846;

static qdi_form rect_of(double half_width, double half_height) {
    return (qdi_form){.kind = QD_SHAPE_RECT, .half = {half_width, half_height}};
}

static qdi_form capsule_of(double half_length, double radius) {
    return (qdi_form){.kind = QD_SHAPE_CAPSULE, .radius = radius, .half = {half_length, 0}};
}

/// A rect as a polygon of four corners.
static qdi_form hull_of_rect(double half_width, double half_height, qdi_hull *hull) {
    const qd_vec2 points[] = {{-half_width, -half_height},
                              {half_width, -half_height},
                              {half_width, half_height},
                              {-half_width, half_height}};
    qd_shape shape;
    ck_assert_int_eq(qd_shape_polygon(points, 4, &shape, NULL, NULL), QD_OK);
    qdi_hull_make(&shape, hull);
    return qdi_form_of(&shape, hull);
}

static void check_vec(qd_vec2 value, double x, double y, double tolerance) {
    ck_assert_double_eq_tol(value.x, x, tolerance);
    ck_assert_double_eq_tol(value.y, y, tolerance);
}

typedef struct disk_row {
    double degrees, x, y, radius;
    double near_x, near_y, normal_x, normal_y, gap;
    double tolerance; ///< 1e-12 where the row is exact, 1e-9 where it is printed digits
} disk_row;

// Half sizes 2 x 1 at the origin. The exact forms of the turned rows: sin and cos of 30 degrees are 1/2 and
// sqrt(3)/2.
static const disk_row disk_rows[] = {
    {0, 3, 0, 1.25, 2, 0, 1, 0, -.25, 1e-12},
    {0, 2.6, 1.8, 1, 2, 1, .6, .8, 0, 1e-12},
    {0, 2.6, 1.8, 1.1, 2, 1, .6, .8, -.1, 1e-12},
    {0, .5, .8, .25, .5, 1, 0, 1, -.45, 1e-12},
    {30, 2.5, 1.5, .5, 1.707531755, 1.042468245, .866025404, .5, .415063509, 1e-9},
    {30, 0, 2, 1, .366025404, 1.366025404, -.5, .866025404, -.267949192, 1e-9},
    {30, 1, 2.5, 1, 1.232050808, 1.866025404, -.343723769, .939070802, -.324891589, 1e-9},
};

/// One row against one form of the rect, from both sides.
static void check_disk_row(const disk_row *row, const qdi_form *rect) {
    qdi_form disk = qdi_form_disk(row->radius);
    qdi_pose at = qd_test_pose(0, 0, row->degrees), there = {row->x, row->y, 1, 0};
    qdi_nearest nearest = qdi_distance(rect, &at, &disk, &there);
    ck_assert_double_eq_tol(nearest.distance, row->gap, row->tolerance);
    check_vec(nearest.normal, row->normal_x, row->normal_y, row->tolerance);
    check_vec(nearest.on_a, row->near_x, row->near_y, row->tolerance);
    qdi_manifold m;
    ck_assert_int_eq(qdi_collide(rect, &at, &disk, &there, 0.5, &m), 1);
    check_vec(m.normal, row->normal_x, row->normal_y, row->tolerance);
    ck_assert_double_eq_tol(m.at[0].gap, row->gap, row->tolerance);
    ck_assert_uint_eq(m.at[0].feature, 0);
    double mid_x = row->near_x + 0.5 * row->gap * row->normal_x,
           mid_y = row->near_y + 0.5 * row->gap * row->normal_y;
    check_vec(m.at[0].point, mid_x, mid_y, row->tolerance);
    ck_assert_int_eq(qdi_collide(&disk, &there, rect, &at, 0.5, &m), 1);
    check_vec(m.normal, -row->normal_x, -row->normal_y, row->tolerance);
    ck_assert_double_eq_tol(m.at[0].gap, row->gap, row->tolerance);
    check_vec(m.at[0].point, mid_x - row->x, mid_y - row->y, row->tolerance);
}

QD_TEST_LOOP(disk_against_rect, 0, sizeof disk_rows / sizeof *disk_rows) {
    qdi_form rect = rect_of(2, 1);
    qdi_hull hull;
    qdi_form polygon = hull_of_rect(2, 1, &hull);
    check_disk_row(&disk_rows[_i], &rect);
    check_disk_row(&disk_rows[_i], &polygon);
}

QD_TEST(disk_against_turned_rect_exactly) {
    qdi_form rect = rect_of(2, 1), disk = qdi_form_disk(.5), unit = qdi_form_disk(1);
    double c = sqrt(3) / 2, s = 0.5;
    qdi_pose at = {0, 0, c, s};
    qdi_nearest n = qdi_distance(&rect, &at, &disk, &(qdi_pose){2.5, 1.5, 1, 0});
    ck_assert_double_eq_tol(n.distance, 2.5 * c + 1.5 * s - 2.5, 1e-12);
    n = qdi_distance(&rect, &at, &unit, &(qdi_pose){0, 2, 1, 0});
    ck_assert_double_eq_tol(n.distance, 2 * c - 2, 1e-12);
    n = qdi_distance(&rect, &at, &unit, &(qdi_pose){1, 2.5, 1, 0});
    double local_x = c + 2.5 * s, local_y = 2.5 * c - s; // (2.116, 1.665): past the corner (2, 1)
    ck_assert_double_eq_tol(n.distance,
                            sqrt((local_x - 2) * (local_x - 2) + (local_y - 1) * (local_y - 1)) - 1, 1e-12);
}

typedef struct sat_row {
    double half_ax, half_ay, degrees_a;
    double x, y, degrees_b;
    double gap, normal_x, normal_y;
    double tolerance;
    bool
        corner; ///< the nearest points are corners, so the distance is larger than the separation of any side
} sat_row;

static const sat_row sat_rows[] = {
    {.5, .5, 0, .9, 0, 0, -.1, 1, 0, 1e-12, false},
    {.5, .5, 0, .9, .3, 0, -.1, 1, 0, 1e-12, false},
    {.5, .5, 0, 1.15, 0, 45, -.057106781, 1, 0, 1e-9, false},
    {.5, .5, 0, 1.25, 0, 45, .042893219, 1, 0, 1e-9, false},
    {.5, .5, 0, 1.1, .2, 30, -.083012702, 1, 0, 1e-9, false},
    {1, .5, 20, 1.2, .6, -15, -.363521009, .939692621, .342020143, 1e-9, false},
    {.5, .5, 0, 1.05, 1.05, 0, .05, 1, 0, 1e-12, true},
    {.5, .5, 45, .7, .7, 45, -.010050506, .707106781, .707106781, 1e-9, false},
};

static void check_sat_row(const sat_row *row, const qdi_form *a, const qdi_form *b) {
    qdi_pose pa = qd_test_pose(0, 0, row->degrees_a), pb = qd_test_pose(row->x, row->y, row->degrees_b);
    qdi_manifold m;
    double gap = row->gap, x = row->normal_x, y = row->normal_y, diagonal = sqrt(0.5);
    if (row->corner) { // two corners are sqrt 2 times as far apart
        gap *= sqrt(2);
        x = y = diagonal;
    }
    int count = qdi_collide(a, &pa, b, &pb, 0.1, &m);
    ck_assert_int_ge(count, 1);
    check_vec(m.normal, x, y, row->tolerance);
    double least = count == 2 && m.at[1].gap < m.at[0].gap ? m.at[1].gap : m.at[0].gap;
    ck_assert_double_eq_tol(least, gap, row->tolerance);
    ck_assert_double_eq_tol(qdi_distance(a, &pa, b, &pb).distance, gap, row->tolerance);
    ck_assert_int_eq(qdi_collide(a, &pa, b, &pb, 0, &m) > 0, gap <= 0);
    ck_assert_int_ge(qdi_collide(b, &pb, a, &pa, 0.1, &m), 1);
    check_vec(m.normal, -x, -y, row->tolerance);
}

QD_TEST_LOOP(rect_against_rect, 0, sizeof sat_rows / sizeof *sat_rows) {
    const sat_row *row = &sat_rows[_i];
    qdi_form a = rect_of(row->half_ax, row->half_ay), b = rect_of(.5, .5);
    qdi_hull hull_a, hull_b;
    qdi_form polygon_a = hull_of_rect(row->half_ax, row->half_ay, &hull_a),
             polygon_b = hull_of_rect(.5, .5, &hull_b);
    check_sat_row(row, &a, &b);
    check_sat_row(row, &polygon_a, &polygon_b);
    check_sat_row(row, &a, &polygon_b);
}

QD_TEST(turned_rects_exactly) {
    qdi_form square = rect_of(.5, .5), plank = rect_of(1, .5);
    qdi_pose origin = {0, 0, 1, 0}, diamond = qd_test_pose(1.15, 0, 45), tilted = qd_test_pose(1.1, .2, 30);
    ck_assert_double_eq_tol(qdi_distance(&square, &origin, &square, &diamond).distance, .65 - sqrt(.5),
                            1e-12);
    diamond.x = 1.25;
    ck_assert_double_eq_tol(qdi_distance(&square, &origin, &square, &diamond).distance, .75 - sqrt(.5),
                            1e-12);
    ck_assert_double_eq_tol(qdi_distance(&square, &origin, &square, &tilted).distance, .6 - (sqrt(3) + 1) / 4,
                            1e-12);
    qdi_pose a = qd_test_pose(0, 0, 45), b = qd_test_pose(.7, .7, 45);
    ck_assert_double_eq_tol(qdi_distance(&square, &a, &square, &b).distance, .7 * sqrt(2) - 1, 1e-12);
    a = qd_test_pose(0, 0, 20);
    b = qd_test_pose(1.2, .6, -15);
    double along = 1.2 * qd_cos(pi / 9) + .6 * qd_sin(pi / 9), turn = 35 * pi / 180;
    ck_assert_double_eq_tol(qdi_distance(&plank, &a, &square, &b).distance,
                            along - 1 - .5 * (qd_cos(turn) + qd_sin(turn)), 1e-12);
}

// ---- figures of Box2D's own tests ----

QD_TEST(segments_of_box2d) {
    qdi_form upright = capsule_of(1, 0), lying = capsule_of(.5, 0);
    qdi_pose left = {-1, 0, 0, 1}, right = {1.5, 0, -1, 0};
    qdi_nearest n = qdi_distance(&upright, &left, &lying, &right);
    ck_assert_double_eq_tol(n.distance * n.distance, 4, 1e-12);
    check_vec(n.on_a, -1, 0, 1e-12); // half way up
    check_vec(n.on_b, 1, 0, 1e-12);  // the far end of (2,0)-(1,0)
    check_vec(n.normal, 1, 0, 1e-12);
}

QD_TEST(square_and_segment_of_box2d) {
    qdi_form square = rect_of(1, 1), segment = capsule_of(1, 0);
    ck_assert_double_eq_tol(
        qdi_distance(&square, &(qdi_pose){0, 0, 1, 0}, &segment, &(qdi_pose){2, 0, 0, 1}).distance, 1, 1e-12);
}

QD_TEST(two_boxes_of_box2d) {
    qdi_form square = rect_of(.5, .5);
    qdi_manifold m;
    ck_assert_int_eq(qdi_collide(&square, &(qdi_pose){0, 0, 1, 0}, &square, &(qdi_pose){.9, 0, 1, 0}, 0, &m),
                     2);
    for (int i = 0; i < 2; ++i) {
        ck_assert_double_eq_tol(m.at[i].gap, -.1, 1e-12);
        check_vec(m.at[i].point, .45, i == 0 ? -.5 : .5, 1e-12);
    }
}

// ---- the contract ----

QD_TEST(features_name_the_corners) {
    qdi_form low = rect_of(2, .5), high = rect_of(.5, .5);
    qdi_manifold m;
    const qdi_pose at = {0, 0, 1, 0};
    // The small box inside the big one's top side (corners 3 and 2), on its bottom side (corners 0 and 1).
    ck_assert_int_eq(qdi_collide(&low, &at, &high, &(qdi_pose){1, 1, 1, 0}, 0, &m), 2);
    ck_assert_uint_eq(m.at[0].feature, 2 << 8 | 1);
    check_vec(m.at[0].point, 1.5, .5, 1e-12);
    ck_assert_uint_eq(m.at[1].feature, 3 << 8 | 0);
    check_vec(m.at[1].point, .5, .5, 1e-12);
    // Pushed over the edge, pressed in, a little tilted either way: the same features, whichever is the
    // reference.
    for (int i = -4; i <= 4; ++i) {
        qdi_pose on = qd_test_pose(2.2, .99, i * 0.01);
        ck_assert_int_eq(qdi_collide(&low, &at, &high, &on, 0, &m), 2);
        ck_assert_uint_eq(m.at[0].feature, 2 << 8 | 1);
        ck_assert_uint_eq(m.at[1].feature, 3 << 8 | 0);
        qd_vec2 back = {-on.x, -on.y};
        qdi_pose under = {back.x, back.y, 1, 0}, here = {0, 0, on.c, on.s};
        ck_assert_int_eq(qdi_collide(&high, &here, &low, &under, 0, &m), 2);
        ck_assert_uint_eq(m.at[0].feature, 0 << 8 | 3);
        ck_assert_uint_eq(m.at[1].feature, 1 << 8 | 2);
    }
}

QD_TEST(ties_go_to_the_x_axis) {
    qdi_form square = rect_of(.5, .5);
    qdi_hull hull;
    qdi_form polygon = hull_of_rect(.5, .5, &hull);
    const qdi_form *forms[] = {&square, &polygon};
    const qdi_pose at = {0, 0, 1, 0};
    qdi_manifold m;
    for (int kind = 0; kind < 2; ++kind) {
        for (int corner = 0; corner < 4; ++corner) {
            double x = corner & 1 ? -1 : 1, y = corner & 2 ? -1 : 1;
            qdi_pose there = {.9 * x, .9 * y, 1, 0};
            ck_assert_int_eq(qdi_collide(forms[kind], &at, forms[kind], &there, 0, &m), 2);
            check_vec(m.normal, x, 0, 1e-15);
        }
    }
}

QD_TEST(coincident_centres) {
    qdi_form square = rect_of(.5, .5), tall = rect_of(.25, .5), disk = qdi_form_disk(.25),
             capsule = capsule_of(1, .25);
    const qdi_pose at = {0, 0, 1, 0};
    qdi_manifold m;
    ck_assert_int_eq(qdi_collide(&disk, &at, &disk, &at, 0, &m), 1);
    check_vec(m.normal, 1, 0, 1e-15);
    ck_assert_double_eq_tol(m.at[0].gap, -.5, 1e-12);
    ck_assert_int_eq(qdi_collide(&square, &at, &disk, &at, 0, &m), 1);
    check_vec(m.normal, 1, 0, 1e-15);
    ck_assert_double_eq_tol(m.at[0].gap, -.75, 1e-12);
    ck_assert_int_eq(qdi_collide(&capsule, &at, &disk, &at, 0, &m), 1);
    check_vec(m.normal, 0, 1, 1e-15);
    ck_assert_int_eq(qdi_collide(&square, &at, &tall, &at, 0, &m), 2);
    check_vec(m.normal, 1, 0, 1e-15);
    ck_assert_double_eq_tol(m.at[0].gap, -.75, 1e-12);
    ck_assert_int_ge(qdi_collide(&capsule, &at, &capsule, &at, 0, &m), 1);
    ck_assert_double_eq_tol(m.at[0].gap, -.5, 1e-12);
}

QD_TEST(disks_touch_by_their_squares) {
    qdi_manifold m;
    ck_assert_int_eq(qdi_collide_disks(2, 3, (qd_vec2){3, 4}, 0, &m), 1);
    ck_assert_double_eq(m.at[0].gap, 0);
    ck_assert_int_eq(qdi_collide_disks(.5, .5, (qd_vec2){nextafter(1, 2), 0}, 0, &m), 0);
    ck_assert_int_eq(qdi_collide_disks(.5, .5, (qd_vec2){nextafter(1, 2), 0}, .1, &m), 1);
    ck_assert_double_gt(m.at[0].gap, 0);
}

QD_TEST(parallel_capsules_have_two_points) {
    qdi_form capsule = capsule_of(1, .25);
    qdi_manifold m;
    const qdi_pose at = {0, 0, 1, 0};
    ck_assert_int_eq(qdi_collide(&capsule, &at, &capsule, &(qdi_pose){.5, .45, -1, 0}, 0, &m), 2);
    check_vec(m.normal, 0, 1, 1e-12);
    for (int i = 0; i < 2; ++i) {
        ck_assert_double_eq_tol(m.at[i].gap, -.05, 1e-12);
        ck_assert_double_eq_tol(m.at[i].point.y, .225, 1e-12);
    }
    ck_assert_double_eq_tol(fabs(m.at[0].point.x - m.at[1].point.x), 1.5, 1e-12);
    // End to end, and crossing.
    ck_assert_int_eq(qdi_collide(&capsule, &at, &capsule, &(qdi_pose){2.4, 0, 1, 0}, 0, &m), 1);
    check_vec(m.normal, 1, 0, 1e-12);
    ck_assert_double_eq_tol(m.at[0].gap, -.1, 1e-12);
    check_vec(m.at[0].point, 1.2, 0, 1e-12);
    ck_assert_int_ge(qdi_collide(&capsule, &at, &capsule, &(qdi_pose){.5, 0, 0, 1}, 0, &m), 1);
    ck_assert_double_eq_tol(m.at[0].gap, -1, 1e-12); // half a unit to the end, and two radii
}

// Two that lie on each other, one of them turned by a hair: whichever of their corners and sides are nearest,
// both of their ends touch.
QD_TEST(capsules_that_end_side_by_side_have_two_points) {
    const qdi_form capsule = capsule_of(1, .25);
    const qdi_pose at = {0, 0, 1, 0};
    for (int turn = -40; turn <= 40; ++turn) {
        for (int shift = -40; shift <= 40; ++shift) {
            const qdi_pose there = qd_test_pose(.0005 * shift, .45, .05 * turn);
            const double lower = .45 - fabs(there.s);
            qdi_manifold m;
            ck_assert_int_eq(qdi_collide(&capsule, &at, &capsule, &there, 0, &m), 2);
            ck_assert_double_eq_tol(fabs(m.at[0].point.x - m.at[1].point.x), 2, .03);
            const double low = m.at[0].gap < m.at[1].gap ? m.at[0].gap : m.at[1].gap;
            ck_assert_double_eq_tol(low, lower - .5, 2e-3);
            ck_assert_double_eq_tol(m.at[0].gap + m.at[1].gap, -.1, 4e-3);
            ck_assert_uint_ne(m.at[0].feature, m.at[1].feature);
        }
    }
}

QD_TEST(walls_get_a_side_or_a_corner) {
    qdi_form rect = rect_of(1, .5), disk = qdi_form_disk(.5);
    const qd_vec2 down = {0, -1};
    qdi_manifold m;
    ck_assert_int_eq(qdi_collide_wall(&rect, 1, 0, down, .4, 0, &m), 2);
    ck_assert_uint_eq(m.at[0].feature, 0);
    ck_assert_uint_eq(m.at[1].feature, 1 << 8);
    for (int i = 0; i < 2; ++i) {
        ck_assert_double_eq_tol(m.at[i].gap, -.1, 1e-12);
        check_vec(m.at[i].point, i == 0 ? -1 : 1, -.45, 1e-12);
    }
    double c = sqrt(3) / 2; // lowest corner (-.616025404, -.933012702) of a 2 x 1 rect at 30 degrees
    ck_assert_int_eq(qdi_collide_wall(&rect, c, .5, down, .9, 0, &m), 1);
    check_vec(m.at[0].point, -.616025404, -.9 - .5 * .033012702, 1e-9);
    ck_assert_double_eq_tol(m.at[0].gap, .9 - .5 - .5 * c, 1e-12);
    ck_assert_int_eq(qdi_collide_wall(&rect, c, .5, down, .94, 0, &m), 0);
    ck_assert_int_eq(qdi_collide_wall(&rect, c, .5, down, .94, .01, &m), 1);
    ck_assert_int_eq(qdi_collide_wall(&disk, 1, 0, down, .25, 0, &m), 1);
    check_vec(m.at[0].point, 0, -.375, 1e-12);
    ck_assert_double_eq_tol(m.at[0].gap, -.25, 1e-12);
}

QD_TEST_MAIN("collide", 120, NULL, NULL)
