// What slides along a polyline meets its sides and its true corners, never its seams.

#include "sim/shape/collide.h"
#include "sim/shape/distance.h"
#include "tests/support/forms.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>

static const double pi = 3.14159265358979323846;

enum { EDGES_MAX = 64 };

typedef struct polyline {
    size_t edges;
    qd_test_form form[EDGES_MAX];
    qdi_pose pose[EDGES_MAX];
} polyline;

static void make_polyline(const qd_vec2 *points, size_t count, bool closed, double radius, polyline *line) {
    line->edges = closed ? count : count - 1;
    for (size_t i = 0; i < line->edges; ++i) {
        qd_shape shape;
        qd_vec2 at;
        double angle;
        qd_error error = {""};
        ck_assert_msg(qd_shape_chain(points, count, closed, i, radius, &shape, &at, &angle, &error) == QD_OK,
                      "%s", error.text);
        qd_test_form_make(&shape, &line->form[i]);
        line->pose[i] = (qdi_pose){at.x, at.y, 1, 0};
        qd_sincos(angle, &line->pose[i].s, &line->pose[i].c);
    }
}

/// All contacts of a form with the polyline: how many, the least gap, and the worst match of a normal with
/// the two directions that are allowed.
typedef struct contacts {
    int manifolds, points;
    double least;
    double off; ///< largest sine of the angle between a normal (from the line) and the nearer allowed one
} contacts;

static contacts collide_all(const polyline *line, const qdi_form *form, const qdi_pose *pose, double reach,
                            qd_vec2 allowed, qd_vec2 also) {
    contacts all = {0, 0, HUGE_VAL, 0};
    for (size_t i = 0; i < line->edges; ++i) {
        qdi_form edge = qd_test_form_of(&line->form[i]);
        qdi_manifold m;
        bool swap = i % 2;
        int count = swap ? qdi_collide(form, pose, &edge, &line->pose[i], reach, &m)
                         : qdi_collide(&edge, &line->pose[i], form, pose, reach, &m);
        if (count == 0) continue;
        if (swap) m.normal = (qd_vec2){-m.normal.x, -m.normal.y};
        double one = fabs(m.normal.x * allowed.y - m.normal.y * allowed.x);
        double two = fabs(m.normal.x * also.y - m.normal.y * also.x);
        if (m.normal.x * allowed.x + m.normal.y * allowed.y < 0) one = 1;
        if (m.normal.x * also.x + m.normal.y * also.y < 0) two = 1;
        double off = one < two ? one : two;
        if (off > all.off) all.off = off;
        all.manifolds++;
        for (int k = 0; k < count; ++k) {
            all.points++;
            if (m.at[k].gap < all.least) all.least = m.at[k].gap;
        }
    }
    return all;
}

/// True for forms that are thick enough everywhere not to be pushed out on another side.
static bool thick(const qdi_form *form) {
    const qdi_pose here = {0, 0, 1, 0};
    for (int i = 0; i < 180; ++i) {
        qd_vec2 along = {qd_cos(i * pi / 180), qd_sin(i * pi / 180)}, back = {-along.x, -along.y};
        if (qd_test_support(form, &here, along) + qd_test_support(form, &here, back) < 0.1) return false;
    }
    return true;
}

/// A straight line of edges of uneven length from the origin along a direction, 20 long or so.
static size_t straight(qd_random *random, double angle, qd_vec2 *points) {
    size_t count = 0;
    for (double along = 0; along < 20 && count < EDGES_MAX; along += qd_test_between(random, 0.1, 2))
        points[count++] = (qd_vec2){along * qd_cos(angle), along * qd_sin(angle)};
    return count;
}

/// Anything along a flat polyline, a little in it or just above it, on either side and at any tilt: its
/// normal is the polyline's, and its least gap (but for a few corners) that of one long edge.
QD_TEST_LOOP(flat_seams_are_not_there, 0, 2) {
    int touched = 0, twice = 0, exact = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(20000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        double angle = _i == 0 ? 0 : qd_test_between(&random, -pi, pi), radius = seed % 3 == 0 ? 0.05 : 0;
        qd_vec2 points[EDGES_MAX];
        polyline line;
        size_t count = straight(&random, angle, points);
        make_polyline(points, count, false, radius, &line);
        qd_test_form made;
        qd_test_form_random(&random, &made);
        qdi_form form = qd_test_form_of(&made);
        double side = qd_random_uniform(&random) < 0.5 ? 1 : -1, tilt = qd_test_between(&random, -pi, pi);
        if (qd_random_uniform(&random) < 0.5) tilt = angle + 0.5 * pi * floor(4 * qd_random_uniform(&random));
        qd_vec2 normal = {-side * qd_sin(angle), side * qd_cos(angle)};
        qdi_pose pose = {0, 0, 1, 0};
        qd_sincos(tilt, &pose.s, &pose.c);
        // Over the line with its lowest point `gap` from it; now and then its position right over a seam.
        if (!thick(&form)) continue;
        double low = qd_test_support(&form, &pose, (qd_vec2){-normal.x, -normal.y});
        double gap = qd_test_between(&random, -0.02, 0.02), along = qd_test_between(&random, 3, 17);
        if (qd_random_uniform(&random) < 0.3)
            along = sqrt(points[count / 2].x * points[count / 2].x +
                         points[count / 2].y * points[count / 2].y);
        pose.x = along * qd_cos(angle) + normal.x * (low + radius + gap);
        pose.y = along * qd_sin(angle) + normal.y * (low + radius + gap);
        contacts all = collide_all(&line, &form, &pose, 0.01, normal, normal);
        ck_assert_msg(all.off < 1e-8, "a normal is off by %.15g, seed %lu", all.off, seed);
        if (fabs(gap - 0.01) > 1e-9)
            ck_assert_msg((all.points > 0) == (gap < 0.01), "gap %.15g, seed %lu", gap, seed);
        // Exact above the line; a slanted corner that has gone in may end under the neighbour of the edge
        // that it cuts.
        double most = gap > 0 ? gap + 1e-9 : 0.3 * gap + 1e-9;
        if (all.points > 0)
            ck_assert_msg(all.least > gap - 1e-9 && all.least < most, "%.15g, not %.15g, seed %lu", all.least,
                          gap, seed);
        exact += all.points > 0 && fabs(all.least - gap) < 1e-9;
        touched += all.points > 0;
        twice += all.points > 1;
        if (qd_test_replaying()) break;
    }
    if (!qd_test_replaying()) ck_assert(touched > 100 && twice > 30 && exact > touched - touched / 100);
}

/// In a hollow corner a form meets the two edges along their own normals alone, as deep as it is in each.
QD_TEST(hollow_corners_push_along_both_edges) {
    int both = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(5000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        double rise = qd_test_between(&random, 0.1, 1.4); // of the second edge
        const qd_vec2 points[] = {{-6, 0}, {-2.5, 0}, {0, 0}, {3 * qd_cos(rise), 3 * qd_sin(rise)}};
        polyline line;
        make_polyline(points, 4, false, 0, &line);
        qd_test_form made;
        qd_test_form_random(&random, &made);
        qdi_form form = qd_test_form_of(&made);
        qdi_pose pose = qd_test_pose_random(&random, 1);
        qd_vec2 up = {0, 1}, left = {-qd_sin(rise), qd_cos(rise)};
        // Pressed into both edges by a little.
        pose.x = pose.y = 0;
        if (!thick(&form)) continue;
        double deep_up = qd_test_between(&random, 0.001, 0.02),
               deep_left = qd_test_between(&random, 0.001, 0.02);
        double height = qd_test_support(&form, &pose, (qd_vec2){0, -1}) - deep_up;
        double out = qd_test_support(&form, &pose, (qd_vec2){-left.x, -left.y}) - deep_left;
        pose.y = height;
        pose.x = (out - left.y * height) / left.x;
        contacts all = collide_all(&line, &form, &pose, 0, up, left);
        ck_assert_msg(all.off < 1e-8, "a normal is off by %.15g, seed %lu", all.off, seed);
        int deep = 0;
        for (size_t i = 0; i < line.edges; ++i) {
            qdi_form edge = qd_test_form_of(&line.form[i]);
            qdi_nearest nearest = qdi_distance(&edge, &line.pose[i], &form, &pose);
            deep += nearest.distance < -1e-9 && nearest.on == QDI_ON_SIDE_A;
        }
        ck_assert_msg(all.manifolds >= deep, "%d manifolds, not %d, seed %lu", all.manifolds, deep, seed);
        both += deep > 1;
        double deepest = deep_up > deep_left ? deep_up : deep_left;
        ck_assert_msg(all.least > -deepest - 1e-9, "%.15g deep, seed %lu", all.least, seed);
        if (qd_test_replaying()) break;
    }
    if (!qd_test_replaying()) ck_assert(both > 50);
}

/// A disk reports a true corner once, with the normal from the corner; each side of it once, with the side's.
QD_TEST(disks_meet_a_ridge_once) {
    const qd_vec2 points[] = {{-3, -1}, {0, 0}, {3, -1}};
    polyline line;
    make_polyline(points, 3, false, 0, &line);
    qdi_form disk = qdi_form_disk(.5);
    for (int i = -200; i <= 200; ++i) {
        double angle = pi / 2 - i * 0.01; // around the ridge, from one side to the other
        qdi_pose pose = {.49 * qd_cos(angle), .49 * qd_sin(angle), 1, 0};
        qd_vec2 n = {qd_cos(angle), qd_sin(angle)};
        double slope = qd_atan2(1, 3);
        if (fabs(i * 0.01) < slope - 1e-6) {
            contacts all = collide_all(&line, &disk, &pose, 0, n, n);
            ck_assert_int_eq(all.points, 1);
            ck_assert_double_lt(all.off, 1e-12);
            ck_assert_double_eq_tol(all.least, -.01, 1e-12);
        } else if (fabs(i * 0.01) > slope + 1e-6 && fabs(i * 0.01) < pi / 2) {
            qd_vec2 own = {i > 0 ? qd_sin(slope) : -qd_sin(slope), qd_cos(slope)};
            contacts all = collide_all(&line, &disk, &pose, 0, own, own);
            ck_assert_int_eq(all.points, 1);
            ck_assert_double_lt(all.off, 1e-12);
        }
    }
}

/// A plank that lies across a ridge touches it, along its own side's normal, wherever it is balanced.
QD_TEST(a_plank_lies_on_a_ridge) {
    const qd_vec2 points[] = {{-3, -1}, {0, 0}, {3, -1}};
    polyline line;
    make_polyline(points, 3, false, 0, &line);
    qdi_form plank = {.kind = QD_SHAPE_RECT, .half = {1, .1}};
    double slope = qd_atan2(1, 3);
    for (int i = -30; i <= 30; ++i) {
        for (int k = -8; k <= 8; ++k) {
            double tilt = i * 0.01;
            if (fabs(tilt) > slope - 1e-3) continue;
            qdi_pose pose = {0, 0, qd_cos(tilt), qd_sin(tilt)};
            double off = k * 0.1; // of its middle along its side
            pose.x = off * pose.c - .099 * pose.s;
            pose.y = off * pose.s + .099 * pose.c;
            qd_vec2 n = {-pose.s, pose.c};
            contacts all = collide_all(&line, &plank, &pose, 0, n, n);
            ck_assert_int_ge(all.points, 1);
            ck_assert_double_eq_tol(all.least, -.001, 1e-12);
            ck_assert_double_lt(all.off, 1e-12);
        }
    }
}

/// A free end is a true corner, whatever the form: the contact is that of a plain segment.
QD_TEST(free_ends_are_corners) {
    const qd_vec2 points[] = {{0, 0}, {2, 0}};
    polyline line;
    make_polyline(points, 2, false, 0, &line);
    qdi_form edge = qd_test_form_of(&line.form[0]), plain = edge;
    plain.ghost = NULL;
    ck_assert_ptr_nonnull(edge.ghost);
    int met = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(5000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_test_form made;
        qd_test_form_random(&random, &made);
        qdi_form form = qd_test_form_of(&made);
        qdi_pose pose = qd_test_pose_random(&random, 1);
        pose.x += 2.2;
        if (pose.y == 0) continue; // a tie between above and below
        qdi_manifold m, n;
        qdi_collide(&edge, &line.pose[0], &form, &pose, 0.05, &m);
        qdi_collide(&plain, &line.pose[0], &form, &pose, 0.05, &n);
        ck_assert_msg(m.count == n.count, "seed %lu", seed);
        if (m.count == 0) continue;
        ck_assert_msg(fabs(m.normal.x - n.normal.x) < 1e-12 && fabs(m.normal.y - n.normal.y) < 1e-12,
                      "seed %lu", seed);
        ++met;
        if (qd_test_replaying()) break;
    }
    if (!qd_test_replaying()) ck_assert(met > 50);
}

/// Around a closed polyline of random corners, inside or outside, nothing slips through: what overlaps an
/// edge has a contact, and a disk's least gap is its distance from the line.
QD_TEST(nothing_slips_through) {
    int met = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(20000); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_vec2 points[24];
        size_t count = 5 + (size_t)(19 * qd_random_uniform(&random));
        for (size_t i = 0; i < count; ++i) {
            double angle = 2 * pi * (double)i / (double)count, out = qd_test_between(&random, 3, 4);
            points[i] = (qd_vec2){out * qd_cos(angle), out * qd_sin(angle)};
        }
        polyline line;
        make_polyline(points, count, true, 0, &line);
        qd_test_form made;
        qd_test_form_random(&random, &made);
        qdi_form form = qd_test_form_of(&made);
        qdi_pose pose = qd_test_pose_random(&random, 4);
        double nearest = HUGE_VAL;
        for (size_t i = 0; i < line.edges; ++i) {
            qdi_form edge = qd_test_form_of(&line.form[i]);
            double distance = qdi_distance(&edge, &line.pose[i], &form, &pose).distance;
            if (distance < nearest) nearest = distance;
        }
        contacts all = collide_all(&line, &form, &pose, 0, (qd_vec2){1, 0}, (qd_vec2){1, 0});
        if (nearest < -1e-9 && nearest > -0.1)
            ck_assert_msg(all.points > 0, "%.15g deep and no contact, seed %lu", nearest, seed);
        if (nearest > 1e-9) ck_assert_msg(all.points == 0, "contact at %.15g, seed %lu", nearest, seed);
        if (form.kind == QD_SHAPE_DISK && nearest < -1e-9)
            ck_assert_msg(fabs(all.least - nearest) < 1e-9, "%.15g, not %.15g, seed %lu", all.least, nearest,
                          seed);
        met += all.points > 0;
        if (qd_test_replaying()) break;
    }
    if (!qd_test_replaying()) ck_assert(met > 50);
}

QD_TEST_MAIN("polyline", 300, NULL, NULL)
