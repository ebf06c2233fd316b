// Bodies with corners that turn: one corner bounces after the other, what flees by turning is caught up with,
// and what came of all that can be saved.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

static const double pi = 3.14159265358979324;

/// A unit box that falls flat on a wall, turning: a corner meets it at 10, the other a moment later. What is
/// expected follows from two bounces, k = 1/m + arm^2/I = 2.5 each.
typedef struct landing {
    double restitution, vy, spin;
} landing;

static const landing landings[] = {{1, 6.2, -4.4}, {0.8, 4.792, -3.824}, {0.5, 2.8, -2.6}};

QD_TEST_LOOP(one_corner_bounces_after_the_other, 0, 12) {
    const landing *of = &landings[_i % 3];
    qd_world_def def = qd_test_def(40, 100);
    def.restitution = of->restitution;
    def.threshold = _i < 6 ? 1e-3 : 0;
    def.continuous = _i / 3 % 2 ? QD_CONTINUOUS_ON : QD_CONTINUOUS_AUTO;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 20, 0.5001);
    body.velocity.y = -5;
    body.spin = 10;
    const qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 1e-4, 150);
    const qd_body_state after = qd_test_body(world, id);
    ck_assert_double_eq_tol(after.velocity.y, of->vy, 0.03);
    ck_assert_double_eq_tol(after.spin, of->spin, 0.03);
}

static qd_shape polygon(const qd_vec2 *corners, size_t count) {
    qd_shape shape;
    ck_assert_int_eq(qd_shape_polygon(corners, count, &shape, NULL, NULL), QD_OK);
    return shape;
}

// Under gravity, with the threshold that follows from it: boxes, polygons and capsules lost a sixth. In long
// steps some corners come so deep that they are held all the same.
QD_TEST_LOOP(elastic_corners_keep_their_energy, 0, 6) {
    enum { BODIES = 30 };
    static const qd_vec2 corners[] = {{-0.5, -0.4}, {0.6, -0.3}, {0, 0.6}};
    qd_shape shape = _i % 3 == 0 ? qd_shape_rect(1, 1) : qd_shape_capsule(0.8, 0.25);
    if (_i % 3 == 1) shape = polygon(corners, 3);
    qd_random random = qd_random_at(qd_test_seed(1), (uint64_t)_i, 0);
    qd_world_def def = qd_test_def(24, 40);
    def.gravity.y = -10;
    def.restitution = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < BODIES; ++k) {
        qd_body_def body = qd_test_body_at(shape, 2 + 4 * (k % 6), 3 + 4 * (k / 6));
        body.angle = qd_test_between(&random, 0, 2 * pi);
        body.velocity = (qd_vec2){qd_test_between(&random, -5, 5), qd_test_between(&random, -5, 5)};
        qd_test_add(world, &body);
    }
    const double before = qd_test_energy(world);
    qd_test_step(world, _i < 3 ? 1.0 / 60 : 1.0 / 240, _i < 3 ? 900 : 1800);
    ck_assert_double_eq_tol(qd_test_energy(world), before, (_i < 3 ? 2e-2 : 2e-3) * before);
}

// A disk flies after a blade whose surface turns away from it at a tenth of its speed: it meets it once, as
// the formula says, and does not hang behind it.
QD_TEST_LOOP(what_turns_away_is_caught_up_with, 0, 8) {
    const double spin = _i % 2 ? 0.3 : 1, dt = _i / 2 % 2 ? 1.0 / 120 : 1.0 / 60, speed = _i < 4 ? 30 : 60;
    qd_world_def def = qd_test_open_def();
    def.restitution = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def blade = qd_test_body_at(qd_shape_rect(10, 1), 20, 10);
    blade.spin = spin;
    blade.mass = 1e9;
    qd_test_add(world, &blade);
    const qd_id id = qd_test_disk(world, 24, 8, 0, speed, 0.3, 1);
    qd_test_step(world, dt, (size_t)(1 / dt));
    const qd_body_state after = qd_test_body(world, id);
    const qd_vec2 v = after.velocity;
    ck_assert_uint_eq(qd_world_total(world).begins, 1);
    ck_assert_double_lt(v.y, -0.6 * speed); // bounced
    // As fast as before, but for twice the speed of the blade where it was met, at most spin * 5 here.
    ck_assert_double_gt(sqrt(v.x * v.x + v.y * v.y), speed - 2 * spin * 5);
    ck_assert_double_lt(sqrt(v.x * v.x + v.y * v.y), speed - 2 * spin * 3.5);
}

// In a gas of sticks nobody hangs behind another for long, with all its speed and no impulse.
QD_TEST_LOOP(nobody_hangs_in_a_gas_of_sticks, 0, 2) {
    enum { BODIES = 100, STEPS = 300, LONGEST = 4 };
    const double dt = 1.0 / 60;
    qd_random random = qd_random_at(qd_test_seed(1), (uint64_t)_i, 1);
    qd_world_def def = qd_test_def(20, 20);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.restitution = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id ids[BODIES];
    qd_body_state before[BODIES];
    int slow[BODIES] = {0}, longest = 0;
    for (int k = 0; k < BODIES; ++k) {
        qd_body_def body = qd_test_body_at(_i == 0 ? qd_shape_rect(1.2, 0.4) : qd_shape_capsule(0.8, 0.2),
                                           1 + 2 * (k % 10), 1 + 2 * (k / 10));
        body.angle = qd_test_between(&random, 0, 2 * pi);
        body.velocity = (qd_vec2){qd_test_between(&random, -5, 5), qd_test_between(&random, -5, 5)};
        body.spin = qd_test_between(&random, -9, 9);
        ids[k] = qd_test_add(world, &body);
        before[k] = qd_test_body(world, ids[k]);
    }
    for (int step = 0; step < STEPS; ++step) {
        qd_test_step(world, dt, 1);
        for (int k = 0; k < BODIES; ++k) {
            const qd_body_state now = qd_test_body(world, ids[k]);
            const double x = remainder(now.position.x - before[k].position.x, 20),
                         y = remainder(now.position.y - before[k].position.y, 20);
            const double v = sqrt(now.velocity.x * now.velocity.x + now.velocity.y * now.velocity.y);
            const bool pushed = now.velocity.x != before[k].velocity.x || now.spin != before[k].spin;
            slow[k] = !pushed && v > 1 && sqrt(x * x + y * y) < 0.5 * v * dt ? slow[k] + 1 : 0;
            if (slow[k] > longest) longest = slow[k];
            before[k] = now;
        }
    }
    ck_assert_msg(longest <= LONGEST, "somebody hangs for %d steps", longest);
}

// Triangles that fly 24 of their sizes in a step into a thin wall: too much to be followed, but each state
// can be loaded again.
QD_TEST(what_was_given_up_can_be_loaded) {
    enum { BODIES = 60 };
    static const qd_vec2 corners[] = {{0.35, 0}, {-0.175, 0.303}, {-0.175, -0.303}};
    uint64_t unfollowed = 0;
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(40); seed < last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 2);
        qd_world_def def = qd_test_open_def();
        def.size = (qd_vec2){60, 60};
        def.restitution = 0.5;
        def.friction = 0.3;
        def.continuous = QD_CONTINUOUS_ON;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_body_def wall = qd_test_body_at(qd_shape_rect(0.001, 2000), 30, 30);
        wall.kind = QD_BODY_STATIC;
        qd_test_add(world, &wall);
        for (int k = 0; k < BODIES; ++k) {
            qd_body_def body = qd_test_body_at(polygon(corners, 3), 6 + (k % 3), 2 + 0.9 * k);
            body.angle = qd_test_between(&random, 0, 2 * pi);
            body.velocity = (qd_vec2){360 + qd_test_between(&random, -30, 30), 930};
            qd_test_add(world, &body);
        }
        for (int step = 0; step < 10; ++step) {
            qd_test_step(world, 1.0 / 60, 1);
            qd_own(qd_world) copy = qd_test_copy(world, 1);
            ck_assert_uint_eq(qd_world_hash(copy), qd_world_hash(world));
        }
        unfollowed += qd_world_total(world).unfollowed;
    }
    ck_assert_uint_gt(unfollowed, 0);
}

QD_TEST_MAIN("corners", 240, NULL, NULL)
