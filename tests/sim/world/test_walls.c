// Reflecting sides that move, in both contact models: what they give to bodies, and where they are.

#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>
#include <string.h>

enum { LEFT, RIGHT, BOTTOM, TOP };

static qd_world_def box_def(int model) {
    qd_world_def def = qd_world_def_default();
    def.contact = model ? QD_CONTACT_IMPULSE : QD_CONTACT_NONE;
    return def;
}

// An elastic ball that a wall of speed u hits leaves with 2u (one that flies at it with v with v + 2u), from
// every side.
QD_TEST_LOOP(a_wall_gives_twice_its_speed, 0, 16) {
    int wall = _i % 4, model = _i / 4 % 2;
    double v = _i / 8 ? 3 : 0, u = 2, sign = wall % 2 == 0 ? 1 : -1;
    qd_world_def def = box_def(model);
    def.wall_motion[wall].velocity = sign * u;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_vec2 at = {50, 50}, velocity = {0, 0};
    *(wall / 2 == 0 ? &at.x : &at.y) = wall % 2 == 0 ? 2 : 98;
    *(wall / 2 == 0 ? &velocity.x : &velocity.y) = -sign * v;
    qd_id id = qd_test_disk(world, at.x, at.y, velocity.x, velocity.y, 0.5, 3);
    double kinetic = qd_world_sum(world).kinetic;
    qd_test_step(world, 0.01, 200);
    qd_body_state body = qd_test_body(world, id);
    double speed = sign * (wall / 2 == 0 ? body.velocity.x : body.velocity.y);
    qd_test_near(speed, v + 2 * u, 1e-14 * 10, "speed");
    qd_world_totals totals = qd_world_total(world);
    double impulse = sign * (wall / 2 == 0 ? totals.wall_impulse.x : totals.wall_impulse.y);
    qd_test_near(impulse, 3 * (2 * v + 2 * u), 1e-12, "impulse");
    qd_test_near(totals.wall_work, qd_world_sum(world).kinetic - kinetic, 1e-12 * 100, "work");
    // Mirrored within the step the position is exact too: hit at t = 1.5 / (u + v).
    double hit = 1.5 / (u + v), place = 0.5 + u * hit + (v + 2 * u) * (2 - hit);
    double where = wall / 2 == 0 ? body.position.x : body.position.y;
    if (model == 0) qd_test_near(wall % 2 == 0 ? where : 100 - where, place, 1e-11, "place");
}

// Restitution counts against the wall's own speed.
QD_TEST(restitution_is_relative) {
    qd_world_def def = box_def(1);
    def.wall_motion[LEFT].velocity = 2;
    def.restitution = 0.5;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 2, 50, -3, 0, 0.5, 1);
    qd_test_step(world, 0.01, 100);
    qd_test_near(qd_test_body(world, id).velocity.x, 2 + 0.5 * 5, 1e-13, "speed");
}

// A wall that is shaken is where the formula says, and so are the contacts; the ball gets twice its speed of
// that time.
QD_TEST_LOOP(shaken_walls_follow_their_formula, 0, 4) {
    const double two_pi = 6.28318530717958648;
    int model = _i % 2;
    double dt = 1e-4, a = 0.5, f = 2, phase = _i / 2 ? -two_pi / 4 : 0.75;
    qd_world_def def = box_def(model);
    def.wall_motion[BOTTOM] = (qd_wall_motion){.amplitude = a, .frequency = f, .phase = phase};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 0.6, 0, 0, 0.5, 1);
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    ck_assert_double_eq(low.y, 0);
    double hit = -1;
    for (int k = 1; k <= 3000 && hit < 0; ++k) {
        qd_test_step(world, dt, 1);
        double t = qd_world_time(world);
        qd_world_sides(world, &low, &high);
        qd_test_near(low.y, a * (sin(two_pi * f * t + phase) - sin(phase)), 1e-13, "side");
        ck_assert_double_eq(high.y, 100);
        if (qd_test_body(world, id).velocity.y != 0) hit = t;
    }
    double u = a * two_pi * f * cos(two_pi * f * hit + phase);
    ck_assert_double_gt(hit, 0);
    qd_test_near(qd_test_body(world, id).velocity.y, 2 * u, 2 * a * two_pi * f * two_pi * f * 2 * dt,
                 "speed");
}

// A gas between a moving and a fixed wall: what the walls gave is what it has.
QD_TEST_LOOP(energy_books_balance, 0, 2) {
    qd_world_def def = box_def(_i % 2);
    qd_test_gas_def(&def, 12, 12);
    def.wall_motion[LEFT] = (qd_wall_motion){.velocity = 0.05, .amplitude = 0.2, .frequency = 0.8};
    def.wall_motion[TOP] = (qd_wall_motion){.amplitude = 0.3, .frequency = 1.1, .phase = 1};
    if (_i == 1) def.iterations = 100;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 12, 12, 5);
    double first = qd_world_sum(world).kinetic;
    qd_test_step(world, 0.01, 800);
    double gained = qd_world_sum(world).kinetic - first;
    ck_assert_double_gt(gained, 5);
    qd_test_near(qd_world_total(world).wall_work, gained, 1e-9 * first, "work");
}

// On a floor that goes up and down gently a box stays, and goes along; on one that falls away it does not
// stick.
QD_TEST_LOOP(resting_bodies_ride_along, 0, 2) {
    const double two_pi = 6.28318530717958648;
    qd_world_def def = box_def(1);
    def.gravity.y = -10;
    def.friction = 0.5;
    def.restitution = 0;
    double a = _i == 0 ? 0.1 : 1, f = 1; // (2 pi f)^2 a = 3.9: less than gravity; 39: more
    def.wall_motion[BOTTOM] = (qd_wall_motion){.amplitude = a, .frequency = f, .phase = -two_pi / 4};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 50, 0.5);
    qd_id id = qd_test_add(world, &body);
    double largest = 0;
    for (int k = 0; k < 800; ++k) {
        qd_test_step(world, 0.005, 1);
        qd_vec2 low, high;
        qd_world_sides(world, &low, &high);
        double gap = qd_test_body(world, id).position.y - 0.5 - low.y;
        ck_assert_msg(gap > -0.05, "step %d: the box is %g in the floor", k, -gap);
        if (k > 100 && gap > largest) largest = gap;
    }
    if (_i == 0)
        ck_assert_double_lt(largest, 5e-3);
    else
        ck_assert_double_gt(largest, 0.1);
}

// A belt: friction brings a box to its speed.
QD_TEST(belts_carry) {
    qd_world_def def = box_def(1);
    def.gravity.y = -10;
    def.friction = 0.5;
    def.restitution = 0;
    def.wall_motion[BOTTOM].slide = 3;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 20, 0.5);
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 0.01, 30);
    qd_test_near(qd_test_body(world, id).velocity.x, 0.5 * 10 * 0.3, 0.1, "speed on the way");
    qd_test_step(world, 0.01, 70);
    qd_test_near(qd_test_body(world, id).velocity.x, 3, 1e-6, "speed");
    ck_assert_double_gt(qd_world_total(world).wall_work, 0.5 * 2 * 9);
}

// What flies so fast that its way is followed meets a moving wall where that is then, and not where it will
// be.
QD_TEST_LOOP(fast_bodies_meet_moving_walls, 0, 4) {
    double u = _i % 2 ? -20 : 20, v = 900, radius = 0.1, dt = 0.02;
    qd_world_def def = box_def(1);
    def.continuous = QD_CONTINUOUS_ON;
    def.wall_motion[RIGHT].velocity = u;
    if (_i / 2) def.wall_motion[LEFT].velocity = 5;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 90, 50, v, 0, radius, 3);
    double kinetic = qd_world_sum(world).kinetic;
    qd_test_step(world, dt, 1);
    double hit = (10 - radius) / (v - u), back = -(v - 2 * u);
    qd_body_state body = qd_test_body(world, id);
    qd_test_near(body.velocity.x, back, 1e-9, "speed");
    qd_test_near(body.position.x, 90 + v * hit + back * (dt - hit), 1e-6, "place");
    qd_test_near(qd_world_total(world).wall_work, qd_world_sum(world).kinetic - kinetic, 1e-9 * kinetic,
                 "work");
    ck_assert_uint_eq(qd_world_total(world).impacts, 1);
}

// Walls that meet stop the run, with the world as it was.
QD_TEST_LOOP(walls_that_meet_stop_the_run, 0, 2) {
    qd_world_def def = box_def(_i);
    def.wall_motion[LEFT].velocity = 40;
    def.wall_motion[RIGHT].velocity = -40;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_step(world, 0.5, 2);
    uint64_t hash = qd_world_hash(world);
    ck_assert_int_eq(qd_world_step(world, 0.5, NULL), QD_ERR_LIMIT);
    qd_limit_report report = qd_world_limit_report(world);
    ck_assert(!report.has_body);
    ck_assert_uint_eq(report.step, 3);
    ck_assert_ptr_nonnull(strstr(report.reason, "walls"));
    ck_assert_uint_eq(qd_world_hash(world), hash);
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    ck_assert_double_eq(low.x, 40);
    ck_assert_double_eq(high.x, 60);
    qd_test_step(world, 0.125, 1); // a shorter one is possible
}

// A step that fails leaves the walls too where they were.
QD_TEST_LOOP(failed_steps_leave_walls, 0, 2) {
    qd_world_def def = box_def(_i);
    def.wall_motion[LEFT].velocity = 1;
    def.boundary_y = QD_BOUNDARY_OPEN;
    def.limits.distance = 100;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 50, 0, 0, 0.5, 1);
    qd_test_step(world, 0.5, 2);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){50, 50}, (qd_vec2){0, 500}, NULL), QD_OK);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){0.5, 20}; // behind the wall
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_ERR_VALUE);
    for (int k = 0; k < 2; ++k) {
        qd_vec2 low, high;
        qd_world_sides(world, &low, &high);
        ck_assert_double_eq(low.x, 1);
        ck_assert_int_eq(qd_world_step(world, 0.5, NULL), QD_ERR_LIMIT);
    }
}

static uint64_t life(uint64_t seed, int threads, bool halfway) {
    qd_random random = qd_random_at(seed, 0, 33);
    qd_world_def def = qd_test_random_def(&random);
    def.boundary_x = QD_BOUNDARY_REFLECT;
    def.threads = threads;
    def.wall_motion[LEFT] = (qd_wall_motion){.velocity = 0.2, .amplitude = 0.3, .frequency = 1};
    def.wall_motion[RIGHT] = (qd_wall_motion){.amplitude = 0.5, .frequency = 2, .phase = 2, .slide = 1};
    qd_own(qd_world) world = qd_test_world(&def);
    if (seed % 2)
        qd_test_scatter_shapes(world, &random, 200);
    else
        qd_test_scatter(world, &random, 2500);
    uint64_t hash = 1;
    for (int k = 0; k < 24; ++k) {
        if (k == 12 && halfway) world = qd_test_reload(world, threads);
        qd_test_step(world, 0.02, 1);
        hash = hash * 31 + qd_world_hash(world) + qd_test_events_hash(world);
    }
    double work = qd_world_total(world).wall_work;
    hash = hash * 31 + (uint64_t)(int64_t)(work * 1e6);
    return hash;
}

QD_TEST(same_for_any_team_and_after_loading) {
    qd_test_same_lives(qd_test_effort(5), life);
}

QD_TEST(bad_motions_are_refused) {
    for (int k = 0; k < 7; ++k) {
        qd_world_def def = qd_world_def_default();
        qd_wall_motion *motion = &def.wall_motion[k % 4];
        double *const numbers[] = {&motion->velocity, &motion->amplitude, &motion->frequency, &motion->phase,
                                   &motion->slide};
        if (k < 5) *numbers[k] = (double)INFINITY;
        if (k == 5) motion->frequency = -1;
        if (k == 6) motion->velocity = 1, def.boundary_y = QD_BOUNDARY_PERIODIC; // the bottom
        qd_world *world = NULL;
        ck_assert_msg(qd_world_create(&def, &world) == QD_ERR_VALUE, "case %d", k);
    }
}

static qd_world *narrowing_world(const qd_allocator *allocator, int which) {
    qd_world_def def = box_def(which);
    def.wall_motion[BOTTOM].velocity = 1;
    def.gravity.y = -1;
    def.allocator = allocator;
    qd_world *world = qd_test_world(&def);
    for (int k = 0; k < 20; ++k) qd_test_disk(world, 0.9 * k, 0.45, 0.25 * k, 0, 0.5, 1);
    return world;
}

static void check_bottom(const qd_world *world) {
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    ck_assert_double_eq(low.y, 0);
}

QD_TEST_LOOP(memory_may_fail, 0, 2) {
    ck_assert_uint_gt(qd_test_failing_steps(narrowing_world, _i, check_bottom), 1);
}

QD_TEST_MAIN("walls", 240, NULL, NULL)
