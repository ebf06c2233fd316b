// Contact geometry of random forms against slow answers, and its symmetries. Every failure names its seed
// (QD_TEST_SEED replays it).

#include "sim/shape/collide.h"
#include "sim/shape/distance.h"
#include "tests/support/forms.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>

/// Two random forms that are near each other.
typedef struct scene {
    uint64_t seed;
    qd_test_form made_a, made_b;
    qdi_form a, b;
    qdi_pose pa, pb;
    qd_random random;
} scene;

static void make_scene(uint64_t seed, scene *s) {
    s->seed = seed;
    s->random = qd_random_at(seed, 0, 0);
    qd_test_form_random(&s->random, &s->made_a);
    qd_test_form_random(&s->random, &s->made_b);
    s->a = qd_test_form_of(&s->made_a);
    s->b = qd_test_form_of(&s->made_b);
    s->pa = qd_test_pose_random(&s->random, 0.6);
    s->pb = qd_test_pose_random(&s->random, 0.6);
}

/// Where the centres are level along the normal, both ways out are equally long, and either may be taken.
static bool level(const scene *s, const qdi_manifold *m) {
    return fabs(m->normal.x * (s->pb.x - s->pa.x) + m->normal.y * (s->pb.y - s->pa.y)) < 1e-12;
}

static uint64_t last_seed(size_t normal) {
    return qd_test_replaying() ? qd_test_seed(0) + 1 : 1 + qd_test_effort(normal);
}

static double least_gap(const qdi_manifold *m) {
    return m->count == 2 && m->at[1].gap < m->at[0].gap ? m->at[1].gap : m->at[0].gap;
}

QD_TEST(gap_is_the_signed_distance) {
    int apart = 0, overlapping = 0, twice = 0;
    for (uint64_t seed = qd_test_seed(1), last = last_seed(20000); seed < last; ++seed) {
        scene s;
        make_scene(seed, &s);
        // What parts them along its normal, and no other direction parts them further: that is the signed
        // distance.
        qdi_nearest nearest = qdi_distance(&s.a, &s.pa, &s.b, &s.pb);
        double expected = nearest.distance, sampled = qd_test_distance(&s.a, &s.pa, &s.b, &s.pb);
        ck_assert_msg(sampled < expected + 1e-9 && sampled > expected - 1e-3,
                      "distance %.15g, not %.15g, seed %lu", expected, sampled, seed);
        double along = qd_test_apart_along(&s.a, &s.pa, &s.b, &s.pb, nearest.normal);
        ck_assert_msg(fabs(along - expected) < 1e-9, "the normal parts them by %.15g, seed %lu", along, seed);
        double x = nearest.on_b.x - nearest.on_a.x - nearest.distance * nearest.normal.x;
        double y = nearest.on_b.y - nearest.on_a.y - nearest.distance * nearest.normal.y;
        ck_assert_msg(fabs(x) < 1e-12 && fabs(y) < 1e-12, "nearest points, seed %lu", seed);
        double reach = qd_random_uniform(&s.random) < 0.5 ? 0 : 0.2;
        qdi_manifold m;
        int count = qdi_collide(&s.a, &s.pa, &s.b, &s.pb, reach, &m);
        if (fabs(expected - reach) > 1e-9)
            ck_assert_msg((count > 0) == (expected <= reach), "%d points at %.15g, seed %lu", count, expected,
                          seed);
        if (count == 0) continue;
        ck_assert_int_eq(count, m.count);
        ck_assert_msg(fabs(least_gap(&m) - expected) < 1e-9, "gap %.15g, not %.15g, seed %lu", least_gap(&m),
                      expected, seed);
        along = qd_test_apart_along(&s.a, &s.pa, &s.b, &s.pb, m.normal);
        ck_assert_msg(fabs(along - expected) < 1e-9, "the normal does not part them, seed %lu", seed);
        apart += expected > 0;
        overlapping += expected < 0;
        twice += count == 2;
    }
    if (!qd_test_replaying())
        ck_assert(apart > 50 && overlapping > 200 && twice > 100); // the scenes have all of it
}

/// Points lie midway: within half a gap (or half a depth: thin forms) of both. No point is beyond reach.
QD_TEST(points_lie_between_the_surfaces) {
    for (uint64_t seed = qd_test_seed(1), last = last_seed(20000); seed < last; ++seed) {
        scene s;
        qdi_manifold m;
        make_scene(seed, &s);
        qdi_collide(&s.a, &s.pa, &s.b, &s.pb, 0.1, &m);
        for (int i = 0; i < m.count; ++i) {
            qd_vec2 p = m.at[i].point, in_b = {p.x + s.pa.x - s.pb.x, p.y + s.pa.y - s.pb.y};
            qdi_form a = s.a, b = s.b;
            double out = 0.5 * fabs(m.at[i].gap) + 1e-9;
            a.radius += out;
            b.radius += out;
            ck_assert_msg(m.at[i].gap <= 0.1, "beyond reach, seed %lu", seed);
            ck_assert_msg(qdi_form_contains(&a, s.pa.c, s.pa.s, p), "point %d is not at a, seed %lu", i,
                          seed);
            ck_assert_msg(qdi_form_contains(&b, s.pb.c, s.pb.s, in_b), "point %d is not at b, seed %lu", i,
                          seed);
        }
        if (m.count == 2)
            ck_assert_msg(m.at[0].feature < m.at[1].feature, "features %u %u, seed %lu", m.at[0].feature,
                          m.at[1].feature, seed);
        double length = m.count ? m.normal.x * m.normal.x + m.normal.y * m.normal.y : 1;
        ck_assert_msg(fabs(length - 1) < 1e-12, "the normal's length, seed %lu", seed);
    }
}

static const qdi_touch *with_feature(const qdi_manifold *m, uint32_t feature) {
    for (int i = 0; i < m->count; ++i)
        if (m->at[i].feature == feature) return &m->at[i];
    return NULL;
}

static bool near(qd_vec2 a, qd_vec2 b, double tolerance) {
    return fabs(a.x - b.x) <= tolerance && fabs(a.y - b.y) <= tolerance;
}

QD_TEST(swapping_changes_nothing) {
    for (uint64_t seed = qd_test_seed(1), last = last_seed(20000); seed < last; ++seed) {
        scene s;
        qdi_manifold m, swapped;
        make_scene(seed, &s);
        qdi_collide(&s.a, &s.pa, &s.b, &s.pb, 0.1, &m);
        qdi_collide(&s.b, &s.pb, &s.a, &s.pa, 0.1, &swapped);
        ck_assert_msg(m.count == swapped.count, "%d or %d points, seed %lu", m.count, swapped.count, seed);
        if (m.count == 0 || level(&s, &m)) continue;
        ck_assert_msg(near(m.normal, (qd_vec2){-swapped.normal.x, -swapped.normal.y}, 1e-12),
                      "normal, seed %lu", seed);
        for (int i = 0; i < m.count; ++i) {
            const qdi_touch *t = with_feature(&swapped, (m.at[i].feature & 0xFF) << 8 | m.at[i].feature >> 8);
            ck_assert_msg(t != NULL, "feature, seed %lu", seed);
            qd_vec2 point = {t->point.x + s.pb.x - s.pa.x, t->point.y + s.pb.y - s.pa.y};
            ck_assert_msg(fabs(t->gap - m.at[i].gap) < 1e-12 && near(point, m.at[i].point, 1e-10),
                          "point, seed %lu", seed);
        }
    }
}

/// Moving and turning both forms together turns the manifold with them. (Ties may go to another side then: no
/// places and angles are drawn here that have ties.)
QD_TEST(turning_the_world_turns_the_manifold) {
    for (uint64_t seed = qd_test_seed(1), last = last_seed(20000); seed < last; ++seed) {
        scene s;
        qdi_manifold m, turned;
        make_scene(seed, &s);
        double *place[] = {&s.pa.x, &s.pa.y, &s.pb.x, &s.pb.y};
        for (int i = 0; i < 4; ++i) *place[i] = qd_test_between(&s.random, -0.6, 0.6);
        s.pa = qd_test_pose(s.pa.x, s.pa.y, qd_test_between(&s.random, 0, 360));
        s.pb = qd_test_pose(s.pb.x, s.pb.y, qd_test_between(&s.random, 0, 360));
        qdi_pose by = qd_test_pose_random(&s.random, 10);
        qdi_pose pa = qd_test_pose_moved(&s.pa, &by), pb = qd_test_pose_moved(&s.pb, &by);
        qdi_collide(&s.a, &s.pa, &s.b, &s.pb, 0.1, &m);
        qdi_collide(&s.a, &pa, &s.b, &pb, 0.1, &turned);
        if (m.count == 0 || turned.count == 0) {
            double distance = qdi_distance(&s.a, &s.pa, &s.b, &s.pb).distance;
            ck_assert_msg(m.count == turned.count || fabs(distance - 0.1) < 1e-9, "count, seed %lu", seed);
            continue;
        }
        ck_assert_msg(fabs(least_gap(&m) - least_gap(&turned)) < 1e-12, "gap, seed %lu", seed);
        qd_vec2 normal = {by.c * m.normal.x - by.s * m.normal.y, by.s * m.normal.x + by.c * m.normal.y};
        ck_assert_msg(near(normal, turned.normal, 1e-9), "normal, seed %lu", seed);
        for (int i = 0; i < m.count && m.count == turned.count; ++i) {
            qd_vec2 p = m.at[i].point, expected = {by.c * p.x - by.s * p.y, by.s * p.x + by.c * p.y};
            const qdi_touch *t = with_feature(&turned, m.at[i].feature);
            ck_assert_msg(t && near(t->point, expected, 1e-8), "point %d, seed %lu", i, seed);
        }
    }
}

/// A rect and the polygon of its corners give the same answers; so do a disk and a tiny core rounded by its
/// radius.
QD_TEST(kinds_agree) {
    for (uint64_t seed = qd_test_seed(1), last = last_seed(20000); seed < last; ++seed) {
        scene s;
        make_scene(seed, &s);
        double w = qd_test_between(&s.random, 0.2, 1.5), h = qd_test_between(&s.random, 0.2, 1.5);
        qd_shape rect = qd_shape_rect(w, h), polygon;
        const qd_vec2 corners[] = {{-w / 2, -h / 2}, {w / 2, -h / 2}, {w / 2, h / 2}, {-w / 2, h / 2}};
        ck_assert_int_eq(qd_shape_polygon(corners, 4, &polygon, NULL, NULL), QD_OK);
        rect.radius = polygon.radius = qd_random_uniform(&s.random) < 0.5 ? 0.1 : 0;
        qd_test_form as_rect, as_polygon;
        qd_test_form_make(&rect, &as_rect);
        qd_test_form_make(&polygon, &as_polygon);
        qdi_form one = qd_test_form_of(&as_rect), other = qd_test_form_of(&as_polygon);
        qdi_manifold m, n;
        qdi_collide(&one, &s.pa, &s.b, &s.pb, 0.1, &m);
        qdi_collide(&other, &s.pa, &s.b, &s.pb, 0.1, &n);
        ck_assert_msg(m.count == n.count, "%d or %d points, seed %lu", m.count, n.count, seed);
        for (int i = 0; i < m.count && !level(&s, &m); ++i)
            ck_assert_msg(near(m.normal, n.normal, 1e-9) && near(m.at[i].point, n.at[i].point, 1e-9) &&
                              fabs(m.at[i].gap - n.at[i].gap) < 1e-12 && m.at[i].feature == n.at[i].feature,
                          "point %d, seed %lu", i, seed);
    }
}

/// A wall is the side of a rect so large that it has no ends.
QD_TEST(walls_are_sides_without_end) {
    for (uint64_t seed = qd_test_seed(1), last = last_seed(5000); seed < last; ++seed) {
        scene s;
        make_scene(seed, &s);
        qdi_form ground = {.kind = QD_SHAPE_RECT, .half = {1000, 1000}};
        double height = qd_test_between(&s.random, 0.1, 1.5);
        qdi_pose under = {0, -1000 - height, 1, 0}, at = {0, 0, s.pa.c, s.pa.s};
        qdi_manifold m;
        qdi_nearest nearest = qdi_distance(&s.a, &at, &ground, &under);
        int count = qdi_collide_wall(&s.a, s.pa.c, s.pa.s, (qd_vec2){0, -1}, height, 0.1, &m);
        if (fabs(nearest.distance - 0.1) > 1e-9)
            ck_assert_msg((count > 0) == (nearest.distance <= 0.1), "%d points, seed %lu", count, seed);
        if (count > 0)
            ck_assert_msg(fabs(least_gap(&m) - nearest.distance) < 1e-9 && m.at[0].gap <= least_gap(&m),
                          "seed %lu", seed);
    }
}

QD_TEST_MAIN("collide_random", 300, NULL, NULL)
