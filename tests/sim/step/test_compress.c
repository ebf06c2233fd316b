#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>
#include <string.h>

// A world whose size changes: exact affine motion, where it ends, the same for any threads, margin and after
// a save, what it cannot do, and the books.

static qd_world_def compress_def(qd_boundary boundary, double rate_x, double rate_y) {
    qd_world_def def = qd_test_def(40, 30);
    def.origin = (qd_vec2){-7, 3};
    def.boundary_x = def.boundary_y = boundary;
    def.compression.rate = (qd_vec2){rate_x, rate_y};
    return def;
}

// What touches nobody and does not move goes where the sheet does, whatever the boundary; the sides do as
// well.
QD_TEST_LOOP(test_affine, 0, 4) {
    const qd_boundary boundary = _i % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    qd_world_def def = compress_def(boundary, _i / 2 ? -0.02 : 0.03, 0.01);
    def.contact = _i / 2 ? QD_CONTACT_SPRING : QD_CONTACT_IMPULSE;
    def.spring.kn = 100;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_vec2 start[30], centre = {13, 18};
    for (uint32_t i = 0; i < 30; ++i) {
        start[i] = (qd_vec2){-5 + (i % 6) * 7.0, 5 + (double)(i / 6) * 6};
        (void)qd_test_disk(world, start[i].x, start[i].y, 0, 0, 0.4, 1);
    }
    qd_test_step(world, 0.05, 100);
    double fx = qd_exp(-def.compression.rate.x * 5), fy = qd_exp(-def.compression.rate.y * 5);
    for (uint32_t i = 0; i < 30; ++i) {
        qd_body_state s = qd_test_body(world, (qd_id){i, 1});
        ck_assert_double_eq_tol(s.position.x, centre.x + (start[i].x - centre.x) * fx, 1e-11);
        ck_assert_double_eq_tol(s.position.y, centre.y + (start[i].y - centre.y) * fy, 1e-11);
        ck_assert(s.velocity.x == 0 && s.velocity.y == 0);
    }
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    ck_assert_double_eq_tol(high.x - low.x, 40 * fx, 1e-11);
    ck_assert_double_eq_tol(high.y - low.y, 30 * fy, 1e-11);
    ck_assert_double_eq_tol(0.5 * (high.x + low.x), centre.x, 1e-11);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_eq_tol(m.area, 1200 * fx * fy, 1e-9);
    ck_assert_double_eq_tol(m.fraction, 30 * 3.14159265358979323846 * 0.16 / m.area, 1e-12);
}

// One that moves keeps its velocity and is carried along as well: with exp(-rate dt) = f a step is x' = f (x
// + v dt).
QD_TEST(test_velocities_are_kept) {
    qd_world_def def = compress_def(QD_BOUNDARY_PERIODIC, 0.1, 0);
    def.origin = (qd_vec2){-20, -15};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 5, 2, 3, -1, 0.5, 1);
    double x = 5, f = qd_exp(-0.1 * 0.01), half = 20;
    for (int k = 0; k < 2000; ++k) {
        qd_test_step(world, 0.01, 1);
        x += 0.03;
        if (x >= half) x -= 2 * half; // wrapped by the period that the step began with
        x *= f;
        half *= f;
        ck_assert_double_eq_tol(qd_test_body(world, id).position.x, x, 1e-9);
    }
    qd_body_state s = qd_test_body(world, id);
    ck_assert(s.velocity.x == 3 && s.velocity.y == -1);
}

// A fraction is met to rounding, in the middle of a step, also by a world that grows; then nothing changes
// any more.
QD_TEST_LOOP(test_until_fraction, 0, 2) {
    const bool grows = _i == 1;
    qd_world_def def = compress_def(QD_BOUNDARY_REFLECT, grows ? -0.05 : 0.05, grows ? -0.02 : 0.02);
    def.contact = QD_CONTACT_NONE;
    def.compression.fraction = grows ? 0.05 : 0.2;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(qd_test_seed(1), 0, 0);
    qd_test_scatter(world, &random, 100);
    qd_metrics m = qd_test_measure(world);
    ck_assert(grows ? m.fraction > 0.05 : m.fraction < 0.2);
    double before = m.fraction;
    size_t steps = 0;
    for (; steps < 2000 && fabs(m.fraction - def.compression.fraction) > 1e-12; ++steps) {
        qd_test_step(world, 0.037, 1);
        qd_world_measure(world, &m);
        ck_assert(grows ? m.fraction < before : m.fraction > before);
        before = m.fraction;
    }
    ck_assert_uint_lt(steps, 2000);
    qd_vec2 low, high, then_low, then_high;
    qd_world_sides(world, &low, &high);
    qd_test_step(world, 0.037, 20);
    qd_world_sides(world, &then_low, &then_high);
    ck_assert(low.x == then_low.x && high.y == then_high.y);
}

/// A crowd that is compressed, of any contact model.
static qd_world *crowd(uint64_t seed, int threads, double margin) {
    qd_random random = qd_random_at(seed, 0, 3);
    qd_world_def def = compress_def(seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT, 0.1, 0.06);
    def.contact = seed % 3 == 0 ? QD_CONTACT_SPRING : seed % 3 == 1 ? QD_CONTACT_IMPULSE : QD_CONTACT_NONE;
    if (def.contact == QD_CONTACT_SPRING) def.spring.contact_time = 0.2;
    def.restitution = 0.7;
    def.friction = seed % 4 >= 2 ? 0.4 : 0;
    def.gravity.y = seed % 5 == 1 ? -1 : 0;
    def.continuous = seed == 1 ? QD_CONTINUOUS_ON : QD_CONTINUOUS_AUTO;
    def.compression.fraction = seed % 2 ? 0.5 : HUGE_VAL;
    def.threads = threads;
    def.margin = margin;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < 250; ++i)
        (void)qd_test_disk(world, qd_test_between(&random, -6, 32), qd_test_between(&random, 4, 32),
                           qd_test_between(&random, -3, 3), qd_test_between(&random, -3, 3),
                           qd_test_between(&random, 0.2, 0.7), 0);
    return world;
}

static uint64_t hash_of_life(uint64_t seed, int threads, double margin) {
    qd_own(qd_world) world = crowd(seed, threads, margin);
    uint64_t hash = 0;
    for (int k = 0; k < 60; ++k) {
        qd_test_step(world, 0.02, 2);
        hash = hash * 31 + (qd_world_hash(world) ^ qd_test_events_hash(world));
        qd_error error;
        ck_assert_msg(qd_tree_validate(qd_world_tree(world), &error) == QD_OK, "%s", error.text);
    }
    return hash;
}

QD_TEST_LOOP(test_same_for_any_team_and_margin, 0, 7) {
    const uint64_t seed = (uint64_t)_i;
    const uint64_t one = hash_of_life(seed, 1, 0);
    const int threads[] = {2, 3, 8};
    for (int k = 0; k < 3; ++k) ck_assert(hash_of_life(seed, threads[k], 0) == one);
    ck_assert(hash_of_life(seed, 1, (double)NAN) == one);
    ck_assert(hash_of_life(seed, 2, 0.3) == one);
}

/// The contacts of disks, by brute force over the images of a period that is not the world's first one.
static size_t touching(const qd_world *world) {
    qd_body_view v = qd_world_view(world);
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    size_t count = 0;
    for (size_t a = 0; a < v.count; ++a)
        for (size_t b = a + 1; b < v.count; ++b) {
            double dx = v.x[a] - v.x[b], dy = v.y[a] - v.y[b], reach = v.radius[a] + v.radius[b];
            dx -= (high.x - low.x) * floor(dx / (high.x - low.x) + 0.5);
            dy -= (high.y - low.y) * floor(dy / (high.y - low.y) + 0.5);
            count += dx * dx + dy * dy <= reach * reach;
        }
    return count;
}

QD_TEST(test_contacts_across_the_seam) {
    qd_own(qd_world) world = crowd(5, 2, (double)NAN); // no contact model, periodic
    for (int k = 0; k < 100; ++k) {
        qd_test_step(world, 0.05, 1);
        size_t count;
        (void)qd_world_contacts(world, &count);
        ck_assert_uint_eq(count, touching(world));
    }
}

QD_TEST_LOOP(test_save_on_the_way, 0, 6) {
    const size_t when[] = {1, 17, 70};
    for (size_t k = 0; k < 3; ++k) {
        qd_own(qd_world) world = crowd((uint64_t)_i, 2, (double)NAN);
        qd_test_step(world, 0.05, when[k]);
        qd_own(qd_world) again = qd_test_copy(world, 1);
        qd_metrics a, b;
        for (int i = 0; i < 40; ++i) {
            ck_assert(qd_world_hash(world) == qd_world_hash(again));
            qd_test_step(world, 0.05, 1);
            qd_test_step(again, 0.05, 1);
        }
        qd_world_measure(world, &a);
        qd_world_measure(again, &b);
        ck_assert(a.area == b.area && a.compression_work == b.compression_work && a.fraction == b.fraction);
        ck_assert_double_lt(a.area, 1200 * 0.9);
    }
}

QD_TEST(test_refused) {
    qd_world_def def = compress_def(QD_BOUNDARY_OPEN, 0.1, 0);
    qd_world *world = NULL;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE); // nothing to compress
    def = compress_def(QD_BOUNDARY_REFLECT, 0.1, 0);
    def.wall_motion[0].velocity = 1;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
    def.compression.rate = (qd_vec2){0, 0.1};
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK); // along the other axis it may
    qd_world_destroy(world);
    const double bad[] = {(double)NAN, HUGE_VAL};
    for (int k = 0; k < 2; ++k) {
        def = compress_def(QD_BOUNDARY_PERIODIC, bad[k], 0);
        ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
    }
    def = compress_def(QD_BOUNDARY_PERIODIC, 0.1, -0.1);
    def.compression.fraction = 0.5; // never
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
    def = compress_def(QD_BOUNDARY_PERIODIC, 0.1, 0);
    def.compression.fraction = (double)NAN;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
    def.compression.fraction = 0.5;
    def.compression.pressure = 0;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
}

// A body that comes to be longer than half a period stops the step, which changes nothing.
QD_TEST(test_longer_than_half_a_period) {
    qd_world_def def = compress_def(QD_BOUNDARY_PERIODIC, 0, 0.5);
    qd_own(qd_world) world = qd_test_world(&def);
    (void)qd_test_disk(world, 1, 10, 0.1, 0, 0.5, 1);
    (void)qd_test_disk(world, 9, 10, 0.1, 0, 5, 1);
    qd_body_def fixed = qd_body_def_default();
    fixed.kind = QD_BODY_STATIC;
    qd_error error;
    ck_assert_int_eq(qd_world_add(world, &fixed, NULL, &error), QD_ERR_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "must be dynamic"));
    qd_status status = QD_OK;
    uint64_t hash = 0;
    for (int k = 0; k < 100 && status == QD_OK; ++k) {
        hash = qd_world_hash(world);
        status = qd_world_step(world, 0.1, NULL);
    }
    ck_assert_int_eq(status, QD_ERR_LIMIT);
    ck_assert(qd_world_hash(world) == hash);
    qd_limit_report report = qd_world_limit_report(world);
    ck_assert(report.has_body && report.label == 2 && strstr(report.reason, "half a period"));
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    ck_assert(high.y - low.y >= 20 && high.y - low.y < 21.2); // the next step would have brought it below
}

/// What the balance of an elastic packing is off by when it has been pressed from 0.8 to 0.95 of its area,
/// per work.
static double off_by(double dt, bool walls, double *work) {
    qd_world_def def = qd_test_def(10, 10);
    def.boundary_x = def.boundary_y = walls ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC;
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 100;
    def.compression.rate = (qd_vec2){0.03, 0.05};
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 100; ++i) // of two sizes, a little disordered: they push each other about
        (void)qd_test_disk(world, 0.5 + i % 10, 0.5 + (double)(i / 10) + 0.05 * (i % 3), 0, 0,
                           0.5 - 0.05 * (i % 2), 1);
    qd_test_step(world, dt, (size_t)(2 / dt));
    qd_metrics m = qd_test_measure(world);
    *work = m.compression_work;
    double off = fabs(m.imbalance) / m.compression_work;
    ck_assert_double_eq_tol(m.kinetic + m.contact_energy - m.entered, m.compression_work, 0.05 * *work);
    return off;
}

// Nothing is lost, so what springs have is what the compression gave; what is off goes with the square of the
// step.
QD_TEST_LOOP(test_balance, 0, 2) {
    double work, same;
    double coarse = off_by(0.01, _i, &work), fine = off_by(0.0025, _i, &same);
    ck_assert_double_gt(work, 1);
    ck_assert_double_eq_tol(work, same, 0.02 * work);
    ck_assert_msg(coarse < 1e-2 && fine < 0.35 * coarse, "off by %g, then %g of the work", coarse, fine);
}

// In gravity, bodies that are carried up or down have another potential: all of it is in the books.
QD_TEST(test_balance_in_gravity) {
    qd_world_def def = compress_def(QD_BOUNDARY_REFLECT, 0.05, 0.1);
    def.gravity = (qd_vec2){0.3, -2};
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 20; ++i) (void)qd_test_disk(world, i, 20 + i % 3, 0.3 * i, 0, 0.3, 1);
    qd_test_step(world, 0.02, 150);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_ne(m.compression_work, 0);
    ck_assert_double_eq_tol(m.imbalance, 0, 1e-11 * fabs(m.potential));
}

// Pressure ends it as well: springs are then just that far in each other.
QD_TEST(test_until_pressure) {
    qd_world_def def = compress_def(QD_BOUNDARY_PERIODIC, 0.02, 0.02);
    def.size = (qd_vec2){10, 10};
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 100;
    def.spring.gamman = 5;
    def.compression.pressure = 3;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 100; ++i)
        (void)qd_test_disk(world, -6.5 + i % 10, 3.5 + (double)(i / 10), 0, 0, 0.5, 1);
    qd_test_step(world, 0.01, 400);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_eq_tol(m.pressure, 3, 0.05);
    // A square lattice of spacing a: each disk has 4 neighbours, P = kn (1 - a) a / a^2.
    double a = sqrt(m.area / 100);
    ck_assert_double_eq_tol(100 * (1 - a) / a, 3, 0.05);
}

QD_TEST_MAIN("compress", 120, NULL, NULL)
