// Surfaces that run round their bodies like belts, against the formulas of sliding friction. A belt that runs
// to the right below a box of friction f accelerates it by f g until it is as fast; a disk turns as well, and
// rolls from v = w / 3 on, for its mass resists three times.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>

static const double g = 10, belt = 3, dt = 1.0 / 240, friction = .3;

static qd_world *empty(qd_contact_model model, int threads, qd_simd simd) {
    qd_world_def def = qd_test_def(60, 10);
    def.gravity = (qd_vec2){0, -g};
    def.contact = model;
    def.restitution = model == QD_CONTACT_SPRING ? .1 : 0;
    def.friction = friction;
    def.spring.contact_time = 20 * dt;
    def.threads = threads;
    def.simd = simd;
    return qd_test_world(&def);
}

/// A belt whose upper side is at y = 1 and runs to the right.
static void add_belt(qd_world *world, bool kinematic) {
    qd_body_def body = qd_body_def_default();
    body.kind = kinematic ? QD_BODY_KINEMATIC : QD_BODY_STATIC;
    body.shape = qd_shape_rect(56, .5);
    body.position = (qd_vec2){30, .75};
    body.slide = -belt;
    (void)qd_test_add(world, &body);
}

static qd_id add_load(qd_world *world, bool disk) {
    qd_body_def body = qd_test_body_at(disk ? qd_shape_disk(.5) : qd_shape_rect(1, 1), 5, 1.5);
    return qd_test_add(world, &body);
}

static const qd_contact_model models[] = {QD_CONTACT_IMPULSE, QD_CONTACT_SPRING};

// _i: the model, box or disk, which of the two bodies comes first, and who holds the belt.
QD_TEST_LOOP(loads_come_to_the_speed_of_the_belt, 0, 16) {
    const qd_contact_model model = models[_i % 2];
    const bool disk = _i / 2 % 2, late = _i / 4 % 2;
    qd_own(qd_world) world = empty(model, 1, QD_SIMD_AUTO);
    if (!late) add_belt(world, _i / 8);
    const qd_id id = add_load(world, disk);
    if (late) add_belt(world, _i / 8);
    const double until = belt / (friction * g) / (disk ? 3 : 1), end = disk ? belt / 3 : belt;
    const size_t slipping = (size_t)(.8 * until / dt);
    qd_test_step(world, dt, slipping);
    qd_body_state load = qd_test_body(world, id);
    const double expected = friction * g * (double)slipping * dt;
    ck_assert_double_eq_tol(load.velocity.x, expected, .03 * expected);
    if (disk) ck_assert_double_eq_tol(load.spin, 2 * expected / .5, .03 * 2 * expected / .5);
    qd_test_step(world, dt, (size_t)(2 * until / dt));
    load = qd_test_body(world, id);
    ck_assert_double_eq_tol(load.velocity.x, end, (model == QD_CONTACT_SPRING ? .03 : 1e-3) * end);
    if (disk) ck_assert_double_eq_tol(load.spin, 2 * end / .5, .03 * 2 * end / .5);
}

// The belt does f N w of work while a box slips: half of it becomes heat, half motion.
QD_TEST_LOOP(the_belt_pays_for_heat_and_motion, 0, 4) {
    const qd_contact_model model = models[_i % 2];
    qd_own(qd_world) world = empty(model, 1, QD_SIMD_AUTO);
    add_belt(world, _i / 2);
    (void)add_load(world, false);
    qd_test_step(world, dt, (size_t)(1.5 * belt / (friction * g) / dt));
    qd_metrics m = qd_test_measure(world);
    const double motion = .5 * belt * belt, near = model == QD_CONTACT_SPRING ? .1 : .03;
    ck_assert_double_eq_tol(m.kinetic, motion, near * motion);
    ck_assert_double_eq_tol(m.kinematic_work, 2 * motion, near * 2 * motion);
    ck_assert_double_eq_tol(m.lost_bodies_friction, motion, near * motion);
    ck_assert_double_le(fabs(m.imbalance), (model == QD_CONTACT_SPRING ? 2e-2 : 1e-9) * m.turned_over);
}

// A disk that is thrown straight down: the bounce gives it f (1 + e) v, but no more than a third of the
// belt's speed; and what is turned over adds up.
QD_TEST_LOOP(a_bounce_is_dragged_along, 0, 3) {
    const double drop = _i == 0 ? 20 : 2;
    qd_world_def def = qd_test_def(60, 10);
    def.restitution = .5;
    def.friction = friction;
    def.continuous = _i == 2 ? QD_CONTINUOUS_ON : QD_CONTINUOUS_AUTO;
    qd_own(qd_world) world = qd_test_world(&def);
    add_belt(world, false);
    const qd_id id = qd_test_disk(world, 30, 2, 0, -drop, .5, 0);
    qd_test_step(world, dt, 120);
    const qd_body_state load = qd_test_body(world, id);
    const double most = friction * 1.5 * drop, least = belt / 3;
    ck_assert_double_eq_tol(load.velocity.y, .5 * drop, 1e-9 * drop);
    ck_assert_double_eq_tol(load.velocity.x, most < least ? most : least, 1e-9);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_le(fabs(m.imbalance), 1e-9 * m.turned_over);
    ck_assert_double_gt(m.kinematic_work, 0);
}

// Above an edge of a polyline a positive slide runs to the left, below it to the right.
QD_TEST_LOOP(polylines_run_like_belts, 0, 2) {
    const double up = _i ? -1 : 1;
    qd_world_def def = qd_test_def(60, 10);
    def.gravity = (qd_vec2){0, -up * g};
    def.restitution = 0;
    def.friction = friction;
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_vec2 points[] = {{2, 5}, {20, 5}, {40, 5}, {58, 5}};
    qd_body_def body = qd_body_def_default();
    body.kind = QD_BODY_STATIC;
    body.slide = belt;
    ck_assert_int_eq(qd_world_add_polyline(world, points, 4, false, &body, NULL, NULL), QD_OK);
    body = qd_body_def_default();
    body.shape = qd_shape_rect(1, 1);
    body.position = (qd_vec2){30, 5 + .5 * up};
    const qd_id id = qd_test_add(world, &body);
    qd_test_step(world, dt, (size_t)(2 * belt / (friction * g) / dt));
    ck_assert_double_eq_tol(qd_test_body(world, id).velocity.x, -up * belt, 1e-3);
}

// Many bodies between belts: the same for any team and any kernels, and after a save in the middle.
QD_TEST_LOOP(belts_are_deterministic_and_saved, 0, 2) {
    const qd_contact_model model = models[_i];
    uint64_t first = 0;
    for (int run = 0; run < 4; ++run) {
        qd_own(qd_world) world = empty(model, run == 1 ? 2 : 1, run == 2 ? QD_SIMD_PORTABLE : QD_SIMD_AUTO);
        add_belt(world, false);
        qd_random random = qd_random_at(qd_test_seed(4), 0, 0);
        for (int k = 0; k < 60; ++k) {
            qd_body_def body = qd_body_def_default();
            if (k % 2) body.shape = qd_shape_rect(.6, qd_test_between(&random, .3, .6));
            if (k % 2 == 0) body.shape = qd_shape_disk(qd_test_between(&random, .15, .3));
            body.position = (qd_vec2){5 + 1.2 * (k % 12), 1.8 + k / 12};
            (void)qd_test_add(world, &body);
        }
        qd_test_step(world, dt, 100);
        if (run == 3) {
            unsigned char *data = NULL;
            size_t bytes = 0;
            qd_world *copy = NULL;
            ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
            ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &copy, NULL), QD_OK);
            qd_world_save_free(world, data, bytes);
            qd_world_destroy(world);
            world = copy;
            ck_assert_double_eq(qd_test_body(world, (qd_id){0, 1}).slide, -belt);
        }
        qd_test_step(world, dt, 100);
        if (run == 0) first = qd_world_hash(world);
        ck_assert_uint_eq(qd_world_hash(world), first);
    }
}

QD_TEST(what_moves_freely_has_no_belt) {
    qd_own(qd_world) world = empty(QD_CONTACT_IMPULSE, 1, QD_SIMD_AUTO);
    qd_body_def body = qd_body_def_default();
    qd_error error;
    body.position = (qd_vec2){5, 5};
    body.slide = 1;
    ck_assert_int_eq(qd_world_add(world, &body, NULL, &error), QD_ERR_VALUE);
    ck_assert_str_eq(error.text, "only the surface of a static or kinematic body slides");
    body.kind = QD_BODY_STATIC;
    const double wrong[] = {(double)NAN, (double)INFINITY, 1e300};
    for (int k = 0; k < 3; ++k) {
        body.slide = wrong[k];
        ck_assert_int_eq(qd_world_add(world, &body, NULL, &error), QD_ERR_VALUE);
        ck_assert_str_eq(error.text, "a surface must not slide faster than limits.speed");
    }
    body.slide = 0;
    (void)qd_test_add(world, &body);
    const uint64_t still = qd_world_hash(world);
    qd_own(qd_world) other = empty(QD_CONTACT_IMPULSE, 1, QD_SIMD_AUTO);
    body.slide = 1;
    (void)qd_test_add(other, &body);
    ck_assert_uint_ne(qd_world_hash(other), still);
}

QD_TEST_MAIN("slide", 120, NULL, NULL)
