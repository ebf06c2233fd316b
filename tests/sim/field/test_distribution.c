// Distributions beside counts over all pairs, and where theory knows them.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/distribution.h>
#include <string.h>

QD_OWN_POINTER(qd_distributions, qd_distributions_destroy)

static const double pi = 3.14159265358979323846;

static const qd_boundary sides[][2] = {{QD_BOUNDARY_PERIODIC, QD_BOUNDARY_PERIODIC},
                                       {QD_BOUNDARY_REFLECT, QD_BOUNDARY_REFLECT},
                                       {QD_BOUNDARY_PERIODIC, QD_BOUNDARY_REFLECT},
                                       {QD_BOUNDARY_OPEN, QD_BOUNDARY_PERIODIC}};
enum { SIDES = sizeof sides / sizeof sides[0] };

/// Bodies of all kinds anywhere in a world of 12 by 9, which do not push each other.
static qd_world *make_world(uint64_t seed, const qd_boundary side[2], int bodies, int threads) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = side[0];
    def.boundary_y = side[1];
    def.origin = (qd_vec2){-5, 1};
    def.size = (qd_vec2){12, 9};
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    const double beyond = side[0] == QD_BOUNDARY_OPEN ? 3 : 0;
    for (int i = 0; i < bodies; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = i % 5 == 0 ? qd_shape_rect(0.3, 0.1) : qd_shape_disk(0.1);
        body.kind = i % 11 == 0 ? QD_BODY_KINEMATIC : QD_BODY_DYNAMIC;
        body.sensor = i % 7 == 0;
        body.position = (qd_vec2){qd_test_between(&random, -5 - beyond, 7 + beyond),
                                  qd_test_between(&random, 1, 10)};
        body.velocity = (qd_vec2){qd_test_between(&random, -3, 3), qd_test_between(&random, -1, 2)};
        ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static qd_distributions *make(uint32_t bins, double reach, double speed) {
    const qd_distribution_def def = {bins, reach, speed};
    qd_distributions *all = NULL;
    ck_assert_int_eq(qd_distributions_create(&def, NULL, &all), QD_OK);
    return all;
}

static void add(qd_distributions *all, const qd_world *world) {
    ck_assert_int_eq(qd_distributions_add(all, world), QD_OK);
}

static bool counts(const qd_world *world, const qd_body_view *view, size_t row) {
    const qd_id id = {view->index[row], view->generation[row]};
    return view->kind[row] == QD_BODY_DYNAMIC && !qd_test_body(world, id).sensor;
}

/// Pairs by distance and bodies by speed, over all of them.
typedef struct brute {
    double pairs[64], speeds[64], bodies, inside;
} brute;

enum { MOST = 1500 };

static void count_all(const qd_world *world, const qd_boundary side[2], double reach, double speed, int bins,
                      brute *all) {
    const qd_body_view view = qd_world_view(world);
    bool one[MOST];
    for (size_t a = 0; a < view.count; ++a) one[a] = counts(world, &view, a);
    for (size_t a = 0; a < view.count; ++a) {
        if (!one[a]) continue;
        const int bin = (int)(hypot(view.vx[a], view.vy[a]) / (speed / bins));
        if (bin < bins) all->speeds[bin] += 1;
        all->bodies += 1;
        const bool in = side[0] != QD_BOUNDARY_OPEN || (view.x[a] >= -5 && view.x[a] <= 7);
        all->inside += in;
        for (size_t b = 0; in && b < a; ++b) {
            if (!one[b]) continue;
            if (side[0] == QD_BOUNDARY_OPEN && (view.x[b] < -5 || view.x[b] > 7)) continue;
            double x = fabs(view.x[a] - view.x[b]), y = fabs(view.y[a] - view.y[b]);
            if (side[0] == QD_BOUNDARY_PERIODIC && x > 6) x = 12 - x;
            if (side[1] == QD_BOUNDARY_PERIODIC && y > 4.5) y = 9 - y;
            const double d = sqrt(x * x + y * y);
            if (d < reach) all->pairs[(int)(d / (reach / bins))] += 1;
        }
    }
}

// Two moments of a random world, at once with three threads.
QD_TEST_LOOP(beside_all_pairs, 0, 8) {
    enum { BINS = 40 };
    const qd_boundary *side = sides[_i % SIDES];
    const double reach = 4, speed = 2.5;
    qd_own(qd_world) world = make_world((uint64_t)_i, side, 300, 1),
                     other = make_world((uint64_t)_i, side, 300, 3);
    qd_own(qd_distributions) all = make(BINS, reach, speed), same = make(BINS, reach, speed);
    brute both = {.bodies = 0};
    double pairs_of_all = 0;
    for (int moment = 0; moment < 2; ++moment) {
        add(all, world);
        add(same, other);
        const double before = both.inside;
        count_all(world, side, reach, speed, BINS, &both);
        const double inside = both.inside - before;
        pairs_of_all += 0.5 * inside * (inside - 1);
        qd_test_step(world, 0.37, 1);
        qd_test_step(other, 0.37, 1);
    }
    ck_assert_int_eq(qd_distributions_average(all), QD_OK);
    ck_assert_int_eq(qd_distributions_average(same), QD_OK);
    const qd_curve g = qd_distributions_curve(all, QD_DISTRIBUTION_G),
                   v = qd_distributions_curve(all, QD_DISTRIBUTION_SPEED);
    double seen = 0;
    for (int i = 0; i < BINS; ++i) {
        // The share of pairs in a ring of a long way within the rectangle, by many small rings.
        double share = 0;
        for (int k = 0; k < 200; ++k) {
            const double r = (i + (k + 0.5) / 200) * g.width;
            const bool px = side[0] == QD_BOUNDARY_PERIODIC, py = side[1] == QD_BOUNDARY_PERIODIC;
            double kept = 0;
            for (int t = 0; t < 180; ++t) {
                const double angle = (t + 0.5) * pi / 360;
                kept += (px ? 1 : 1 - r * cos(angle) / 12) * (py ? 1 : 1 - r * sin(angle) / 9) / 180;
            }
            share += 2 * pi * r * kept * g.width / 200 / 108;
        }
        ck_assert_double_le(fabs(g.values[i] - both.pairs[i] / (pairs_of_all * share)),
                            1e-4 * (g.values[i] + 1e-9));
        ck_assert_double_le(fabs(v.values[i] - both.speeds[i] / both.bodies / v.width), 1e-12);
        seen += both.pairs[i];
    }
    ck_assert_double_gt(seen, 1000);
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        const qd_curve one = qd_distributions_curve(all, (qd_distribution)kind),
                       two = qd_distributions_curve(same, (qd_distribution)kind);
        ck_assert_int_eq(memcmp(one.values, two.values, BINS * sizeof *one.values), 0);
    }
}

// Bodies that know nothing of each other have g = 1 at every distance, also at walls.
QD_TEST_LOOP(one_without_order, 0, SIDES) {
    enum { BINS = 16 };
    const qd_boundary *side = sides[_i];
    qd_own(qd_distributions) all = make(BINS, 4, 3);
    double pairs = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        qd_own(qd_world) world = make_world(100 * (uint64_t)_i + seed, side, MOST, 2);
        add(all, world);
        brute counted = {.bodies = 0};
        count_all(world, side, 4, 3, BINS, &counted);
        pairs += 0.5 * counted.inside * counted.inside;
    }
    ck_assert_int_eq(qd_distributions_average(all), QD_OK);
    const qd_curve g = qd_distributions_curve(all, QD_DISTRIBUTION_G);
    for (int i = 0; i < BINS; ++i) {
        const double ring = pi * (2 * i + 1) * g.width * g.width / 108 * pairs * 0.6;
        ck_assert_msg(fabs(g.values[i] - 1) < 6 / sqrt(ring), "bin %d: %.4f", i, g.values[i]);
    }
}

// What a body would meet through two images cannot be told, nor what is longer than a world with walls.
QD_TEST(beyond_what_can_be_told) {
    for (int k = 0; k < 2; ++k) {
        qd_own(qd_world) world = make_world(3, sides[k], 100, 1);
        qd_own(qd_distributions) all = make(100, 20, 3);
        add(all, world);
        ck_assert_int_eq(qd_distributions_average(all), QD_OK);
        const qd_curve g = qd_distributions_curve(all, QD_DISTRIBUTION_G);
        const double told = k == 0 ? 4.5 : 9;
        for (int i = 0; i < 100; ++i) {
            if ((i + 1) * 0.2 < told - 0.3) ck_assert(isfinite(g.values[i]));
            if ((i + 1) * 0.2 > told + 1e-9) ck_assert(isnan(g.values[i]));
        }
    }
}

// Six neighbours at 1, six at sqrt(3), six at 2, nothing in between; all at rest.
QD_TEST(shells_of_a_packing) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){20, 24 * sqrt(0.75)};
    qd_own(qd_world) world = qd_test_world(&def);
    for (int j = 0; j < 24; ++j)
        for (int i = 0; i < 20; ++i)
            qd_test_disk(world, 0.25 + i + 0.5 * (j % 2), (j + 0.5) * sqrt(0.75), 0, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_own(qd_distributions) all = make(25, 2.5, (double)NAN);
    add(all, world);
    ck_assert_int_eq(qd_distributions_average(all), QD_OK);
    const qd_curve g = qd_distributions_curve(all, QD_DISTRIBUTION_G);
    const double area = 20 * 24 * sqrt(0.75);
    for (int i = 0; i < 25; ++i) {
        const bool shell = i == 9 || i == 10 || i == 17 || i == 19 || i == 20;
        if (!shell) ck_assert_double_eq(g.values[i], 0);
    }
    double about_one = 0;
    for (int i = 9; i < 11; ++i) about_one += g.values[i] * pi * (2 * i + 1) * 0.01 / area * 479;
    ck_assert_double_le(fabs(about_one - 6), 1e-9);
    const qd_curve v = qd_distributions_curve(all, QD_DISTRIBUTION_SPEED);
    ck_assert_double_eq(v.values[0], 1 / v.width);
}

QD_TEST(means_go_on_from_bytes) {
    qd_own(qd_world) world = make_world(9, sides[2], 200, 2);
    qd_own(qd_distributions) whole = make(50, (double)NAN, (double)NAN),
                             part = make(50, (double)NAN, (double)NAN);
    ck_assert_uint_eq(qd_distributions_save(part, NULL), 0);
    for (int moment = 0; moment < 5; ++moment) {
        add(whole, world);
        add(part, world);
        const size_t size = qd_distributions_save(part, NULL);
        qd_own_memory unsigned char *bytes = qd_test_memory(size);
        ck_assert_uint_eq(qd_distributions_save(part, bytes), size);
        qd_distributions *next = make(50, (double)NAN, (double)NAN);
        ck_assert_int_eq(qd_distributions_load(next, bytes, size - 1), QD_ERR_CORRUPT);
        ck_assert_int_eq(qd_distributions_load(next, bytes, size), QD_OK);
        memset(bytes + 16, 0xff, 8); // the reach is no number
        ck_assert_int_eq(qd_distributions_load(part, bytes, size), QD_ERR_CORRUPT);
        ck_assert_int_eq(qd_distributions_load(part, NULL, 0), QD_OK);
        ck_assert_int_eq(qd_distributions_average(part), QD_ERR_STATE);
        qd_distributions_destroy(part);
        part = next;
        qd_test_step(world, 0.1, 3);
    }
    ck_assert_int_eq(qd_distributions_average(whole), QD_OK);
    ck_assert_int_eq(qd_distributions_average(part), QD_OK);
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS; ++kind) {
        const qd_curve one = qd_distributions_curve(whole, (qd_distribution)kind),
                       two = qd_distributions_curve(part, (qd_distribution)kind);
        ck_assert_double_eq(one.width, two.width);
        for (int i = 0; i < 50; ++i)
            ck_assert(one.values[i] == two.values[i] || (isnan(one.values[i]) && isnan(two.values[i])));
    }
}

QD_TEST(refused) {
    qd_own(qd_distributions) all = NULL;
    static const qd_distribution_def bad[] = {
        {0, 1, 1}, {QD_DISTRIBUTION_BINS_MAX + 1, 1, 1}, {10, 0, 1}, {10, 1, -1}, {10, HUGE_VAL, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        ck_assert_int_eq(qd_distributions_create(&bad[i], NULL, &all), QD_ERR_VALUE);
    ck_assert_int_eq(qd_distributions_create(NULL, NULL, &all), QD_ERR_ARGUMENT);
    ck_assert_ptr_null(qd_distribution_name(QD_DISTRIBUTION_KINDS));
    ck_assert_str_eq(qd_distribution_unit_over(QD_DISTRIBUTION_G), "length");
    all = make(10, (double)NAN, (double)NAN);
    ck_assert_int_eq(qd_distributions_average(all), QD_ERR_STATE);
    qd_own(qd_world) world = make_world(1, sides[0], 0, 1);
    add(all, world); // of nobody
    ck_assert_int_eq(qd_distributions_average(all), QD_OK);
    for (int i = 0; i < 10; ++i)
        ck_assert(isnan(qd_distributions_curve(all, QD_DISTRIBUTION_SPEED).values[i]));
    (void)qd_test_disk(world, 0, 5, 1, 1, 0.5, 1);
    ck_assert_int_eq(qd_distributions_add(all, world), QD_ERR_STATE);
    ck_assert_int_eq(qd_distributions_add(NULL, world), QD_ERR_ARGUMENT);
    qd_distributions_destroy(NULL);
}

QD_TEST_MAIN("distribution", 60, NULL, NULL)
