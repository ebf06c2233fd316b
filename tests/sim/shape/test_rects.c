// Rects side by side, and polygons: every instruction set gives the bits of the portable loop, at every place
// of a batch of any length, and what the batch finds is what qdi_collide finds. Every failure names its seed
// (QD_TEST_SEED replays it).

#include "sim/shape/collide_impl.h"
#include "sim/shape/hulls.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <string.h>

typedef struct pair {
    qdi_form a, b;
    qdi_pose pa, pb;
    qd_vec2 va, vb;
    double spin_a, spin_b, reach;
    qdi_hull hull_a, hull_b; ///< of polygons
} pair;

/// A multiple of a half where `grid`: sides in line, corners in one place, equal depths.
static double length_of(qd_random *random, bool grid) {
    double value = 0.1 + 1.9 * qd_random_uniform(random);
    return grid ? 0.5 * ceil(2 * value) : value;
}

static qdi_form rect_of(qd_random *random, bool grid) {
    qdi_form form = {.kind = QD_SHAPE_RECT, .half = {length_of(random, grid), length_of(random, grid)}};
    if (qd_random_uniform(random) < 0.2) form.radius = 0.1;
    if (qd_random_uniform(random) < 0.05) form.half.y = 1e-12; // as thin as a line
    return form;
}

static void pose_of(qd_random *random, bool grid, qdi_pose *pose) {
    double angle = 6.3 * qd_random_uniform(random), far = 4 * qd_random_uniform(random) - 2;
    pose->c = grid ? 1 : cos(angle);
    pose->s = grid ? 0 : sin(angle);
    pose->x = grid ? 0.5 * ceil(2 * far) : far;
    far = 4 * qd_random_uniform(random) - 2;
    pose->y = grid ? 0.5 * ceil(2 * far) : far;
}

/// A polygon of 3 to 8 corners; where `grid`, a square or a diamond: sides in line with sides, corners too.
static qdi_form polygon_of(qd_random *random, bool grid, qdi_hull *hull) {
    qd_shape shape = {.kind = QD_SHAPE_POLYGON,
                      .count = grid ? 4 : 3 + (int)((QDI_HULLS_CORNERS - 2) * qd_random_uniform(random))};
    const double wide = length_of(random, grid), high = length_of(random, grid), turn = 6.3 / shape.count;
    const bool diamond = qd_random_uniform(random) < 0.5;
    for (int k = 0; k < shape.count; ++k) {
        const double at = turn * (k + 0.9 * qd_random_uniform(random));
        shape.points[k] = (qd_vec2){wide * cos(at), high * sin(at)};
        const int x = (k == 1 || k == 2) ? -1 : 1, y = k < 2 ? 1 : -1;
        if (grid) shape.points[k] = (qd_vec2){wide * x, high * y};
        if (grid && diamond)
            shape.points[k] = (qd_vec2){k % 2 ? 0 : wide * (1 - k), k % 2 ? wide * (2 - k) : 0};
    }
    qdi_hull_make(&shape, hull);
    qdi_form form = qdi_form_of(&shape, hull);
    if (qd_random_uniform(random) < 0.2) form.radius = 0.1;
    return form;
}

/// A pair of rects, or of polygons, which are one and the same now and then.
static pair pair_of(qd_random *random, bool polygons) {
    const bool grid = qd_random_uniform(random) < 0.3;
    pair made = {.reach = 0};
    made.a = polygons ? polygon_of(random, grid, &made.hull_a) : rect_of(random, grid);
    made.b = polygons ? polygon_of(random, grid, &made.hull_b) : rect_of(random, grid);
    pose_of(random, grid, &made.pa);
    pose_of(random, grid, &made.pb);
    made.reach = qd_random_uniform(random) < 0.5 ? 0 : 0.3 * qd_random_uniform(random);
    made.va = (qd_vec2){qd_random_uniform(random) - 0.5, qd_random_uniform(random) - 0.5};
    made.vb = (qd_vec2){qd_random_uniform(random) - 0.5, qd_random_uniform(random) - 0.5};
    made.spin_a = qd_random_uniform(random) - 0.5;
    made.spin_b = qd_random_uniform(random) - 0.5;
    return made;
}

static qdi_rect_body body_of(const qdi_form *form, const qdi_pose *pose, qd_vec2 velocity, double spin) {
    return (qdi_rect_body){pose->c, pose->s, form->half, form->radius, velocity, spin};
}

/// Velocity of the point of a body at `arm` from its centre.
static qd_vec2 velocity_at(qd_vec2 velocity, double spin, qd_vec2 arm) {
    return (qd_vec2){velocity.x - spin * arm.y, velocity.y + spin * arm.x};
}

/// Points as they are in the world, the deeper one first, and how fast they approach.
static void check_meet(const pair *p, const qdi_rect_meets *meets, size_t i, const qdi_manifold *one,
                       uint64_t seed) {
    const size_t count = (size_t)one->count;
    ck_assert_msg((size_t)meets->count[i] == count, "points of pair %zu, seed %lu", i, seed);
    ck_assert_msg(meets->nx[i] == one->normal.x && meets->ny[i] == one->normal.y, "normal, seed %lu", seed);
    const size_t first = count == 2 && one->at[1].gap < one->at[0].gap;
    for (size_t k = 0; k < 2; ++k) {
        const qdi_touch none = {{-p->pa.x, -p->pa.y}, 0, 0}, *touch = k < count ? &one->at[k ^ first] : &none;
        ck_assert_msg(meets->depth[k][i] == 0 - touch->gap && meets->feature[k][i] == touch->feature &&
                          meets->x[k][i] == p->pa.x + touch->point.x &&
                          meets->y[k][i] == p->pa.y + touch->point.y,
                      "point %zu of pair %zu, seed %lu", k, i, seed);
        ck_assert_msg(!signbit(meets->depth[k][i]) || meets->depth[k][i] < 0, "-0, seed %lu", seed);
    }
    ck_assert_msg(meets->least[i] == (count > 0 ? one->at[first].gap : HUGE_VAL), "gap, seed %lu", seed);
    if (count == 0) return;
    const qd_vec2 arm = {meets->x[0][i] - p->pa.x, meets->y[0][i] - p->pa.y},
                  arm_b = {arm.x - (p->pb.x - p->pa.x), arm.y - (p->pb.y - p->pa.y)};
    const qd_vec2 va = velocity_at(p->va, p->spin_a, arm), vb = velocity_at(p->vb, p->spin_b, arm_b);
    ck_assert_msg(meets->approach[i] == (va.x - vb.x) * one->normal.x + (va.y - vb.y) * one->normal.y,
                  "approach of pair %zu, seed %lu", i, seed);
}

static void put_pairs(const pair *list, size_t count, qdi_rect_pairs *pairs) {
    memset(pairs, 0xff, sizeof *pairs); // what was there before decides nothing
    pairs->count = count;
    for (size_t i = 0; i < count; ++i) {
        const pair *p = &list[i];
        const qdi_rect_body a = body_of(&p->a, &p->pa, p->va, p->spin_a),
                            b = body_of(&p->b, &p->pb, p->vb, p->spin_b);
        const qd_vec2 at = {p->pa.x, p->pa.y}, d = {p->pb.x - p->pa.x, p->pb.y - p->pa.y};
        qdi_rects_put(pairs, i, &a, &b, at, d, p->reach);
    }
}

static void check_batch(const pair *list, size_t count, qd_simd simd, size_t *faces, uint64_t seed) {
    static qdi_rect_pairs pairs;
    static qdi_rect_meets meets;
    put_pairs(list, count, &pairs);
    qdi_rects_of(simd)(&pairs, &meets);
    for (size_t i = 0; i < count; ++i) {
        const pair *p = &list[i];
        qdi_manifold one = {.count = 0};
        bool general = !qdi_collide_rects(&p->a, &p->pa, &p->b, &p->pb, p->reach, &one);
        ck_assert_msg(general == (meets.how[i] == QDI_RECTS_CORNERS), "pair %zu, seed %lu", i, seed);
        if (meets.how[i] != QDI_RECTS_FACE) continue;
        *faces += 1;
        check_meet(p, &meets, i, &one, seed);
    }
}

QD_TEST(all_instruction_sets_give_the_same_bits) {
    size_t faces[QD_SIMD_NEON + 1] = {0};
    for (uint64_t seed = qd_test_seed(1), last = qd_test_replaying() ? seed + 1 : 1 + qd_test_effort(800);
         seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        pair list[QDI_RECTS_MOST];
        const size_t count = 1 + (size_t)(QDI_RECTS_MOST * qd_random_uniform(&random));
        for (size_t i = 0; i < count; ++i) list[i] = pair_of(&random, false);
        for (int simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd)
            if (qd_simd_available((qd_simd)simd)) check_batch(list, count, (qd_simd)simd, &faces[simd], seed);
    }
    // Of one set: how many sets there are is the machine's.
    ck_assert_msg(qd_test_replaying() || faces[QD_SIMD_PORTABLE] > 1000, "%zu", faces[QD_SIMD_PORTABLE]);
}

/// Polygons: what qdi_collide finds, to the bit; where a batch leaves a pair to it, corners are nearest.
static void check_hulls(const pair *list, size_t count, qd_simd simd, size_t *faces, uint64_t seed) {
    static qdi_hull_pairs hulls;
    static qdi_rect_meets meets;
    put_pairs(list, count, &hulls.pairs);
    for (size_t i = 0; i < count; ++i) {
        hulls.a[i] = list[i].a.hull;
        hulls.b[i] = list[i].b.hull;
    }
    qdi_hulls_of(simd)(&hulls, &meets);
    for (size_t i = 0; i < count; ++i) {
        const pair *p = &list[i];
        const qd_vec2 d = {p->pb.x - p->pa.x, p->pb.y - p->pa.y};
        const qdi_pose here = {0, 0, p->pa.c, p->pa.s}, there = {d.x, d.y, p->pb.c, p->pb.s};
        qdi_manifold one;
        (void)qdi_collide(&p->a, &here, &p->b, &there, p->reach, &one);
        if (meets.how[i] == QDI_RECTS_CORNERS) continue;
        ck_assert_msg(meets.how[i] == QDI_RECTS_FACE || one.count == 0, "pair %zu, seed %lu", i, seed);
        if (meets.how[i] != QDI_RECTS_FACE) continue;
        ck_assert_msg(one.count > 0 || meets.count[i] == 0, "pair %zu, seed %lu", i, seed);
        if (one.count == 0) continue;
        *faces += 1;
        check_meet(p, &meets, i, &one, seed);
    }
}

QD_TEST(polygons_are_as_one_by_one) {
    size_t faces[QD_SIMD_NEON + 1] = {0}, tried = 0;
    for (uint64_t seed = qd_test_seed(1), last = qd_test_replaying() ? seed + 1 : 1 + qd_test_effort(4000);
         seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 2, 0);
        pair list[QDI_HULLS_MOST];
        const size_t count = 1 + (size_t)(QDI_HULLS_MOST * qd_random_uniform(&random));
        for (size_t i = 0; i < count; ++i) {
            list[i] = pair_of(&random, true);
            list[i].a.hull = &list[i].hull_a;
            list[i].b.hull = &list[i].hull_b;
            if (seed % 4 == 0) list[i].a.hull = &list[0].hull_a;
            if (seed % 4 == 0) list[i].b.hull = &list[0].hull_a;
        }
        tried += count;
        for (int simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd)
            if (qd_simd_available((qd_simd)simd)) check_hulls(list, count, (qd_simd)simd, &faces[simd], seed);
    }
    ck_assert_msg(qd_test_replaying() || 5 * faces[QD_SIMD_PORTABLE] > tried, "%zu of %zu",
                  faces[QD_SIMD_PORTABLE], tried);
}

/// The general way through corners and sides finds the same.
static bool general(const pair *p, qdi_manifold *manifold) {
    qdi_core a, b;
    qdi_separation separation;
    const qd_vec2 d = {p->pb.x - p->pa.x, p->pb.y - p->pa.y};
    const qdi_pose here = {0, 0, p->pa.c, p->pa.s}, there = {d.x, d.y, p->pb.c, p->pb.s};
    qdi_core_make(&p->a, &here, &a);
    qdi_core_make(&p->b, &there, &b);
    manifold->count = 0;
    return qdi_separate(&a, &b, p->reach + p->a.radius + p->b.radius, &separation) &&
           qdi_manifold_of(&separation, &a, p->a.radius, p->b.radius, p->reach, manifold) > 0;
}

QD_TEST(the_general_way_finds_the_same) {
    size_t found = 0, alike = 0;
    for (uint64_t seed = qd_test_seed(1), last = qd_test_replaying() ? seed + 1 : 1 + qd_test_effort(20000);
         seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 1, 0);
        const pair p = pair_of(&random, false);
        qdi_manifold one = {.count = 0}, other = {.count = 0};
        if (!qdi_collide_rects(&p.a, &p.pa, &p.b, &p.pb, p.reach, &one)) continue;
        const bool meets = general(&p, &other);
        if (meets != (one.count > 0)) { // only where a gap is the reach to rounding
            const qdi_manifold *m = meets ? &other : &one;
            double gap = m->count == 2 && m->at[1].gap < m->at[0].gap ? m->at[1].gap : m->at[0].gap;
            ck_assert_msg(fabs(gap - p.reach) < 1e-12, "gap %.17g at reach %g, seed %lu", gap, p.reach, seed);
            continue;
        }
        if (!meets) continue;
        found += 1;
        // Of level centres and of equal depths either side may win, to rounding.
        double same = one.normal.x * other.normal.x + one.normal.y * other.normal.y;
        if (same < 1 - 1e-12 || one.count != other.count || one.at[0].feature != other.at[0].feature)
            continue;
        alike += 1;
        for (int k = 0; k < one.count; ++k)
            ck_assert_msg(fabs(one.at[k].gap - other.at[k].gap) < 1e-12 &&
                              fabs(one.at[k].point.x - other.at[k].point.x) < 1e-9 &&
                              fabs(one.at[k].point.y - other.at[k].point.y) < 1e-9,
                          "point %d, seed %lu", k, seed);
    }
    ck_assert_msg(qd_test_replaying() || (5 * found > qd_test_effort(20000) && alike >= found - found / 50),
                  "%zu of %zu", alike, found);
}

QD_TEST_MAIN("rects", 300, NULL, NULL)
