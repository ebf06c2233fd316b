#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>
#include <string.h>

// Which numbers a world takes, and that what it takes can be saved and loaded.

static void check_loads(const qd_world *world) {
    qd_world_destroy(qd_test_copy(world, 1));
}

// ---- what is saved loads ----

// Static bodies stay where they are, so gravity does no work on them, though their mass is infinite.
QD_TEST_LOOP(compression_past_bodies_that_stay, 0, 2) {
    qd_world_def def = qd_test_def(10, 10);
    def.gravity = (qd_vec2){0, -1};
    def.compression.rate = (qd_vec2){0.1, 0.1};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 3, 3, 1, 0, 0.5, 0);
    qd_test_disk(world, 7, 5, 0, 1, 0.5, 0);
    qd_body_def body = qd_body_def_default();
    body.kind = _i == 0 ? QD_BODY_STATIC : QD_BODY_KINEMATIC;
    body.position = (qd_vec2){5, 5};
    qd_test_add(world, &body);
    for (int k = 0; k < 20; ++k) {
        qd_test_step(world, 0.02, 1);
        check_loads(world);
    }
    qd_metrics metrics = qd_test_measure(world);
    ck_assert_double_lt(fabs(metrics.imbalance), 1e-9);
}

// The period becomes shorter than twice the diameter of what an emitter makes, which then finds no place.
QD_TEST(emitters_of_what_no_longer_fits) {
    qd_world_def def = qd_test_def(10, 10);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.compression.rate = (qd_vec2){0.5, 0.5};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.body.shape.radius = 2;
    emitter.low = emitter.high = (qd_vec2){5, 5};
    emitter.overlap = true;
    emitter.rate = 10;
    emitter.start = 1;
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    for (int k = 0; k < 70; ++k) {
        qd_test_step(world, 0.02, 1);
        check_loads(world);
    }
    ck_assert_uint_eq(qd_world_total(world).emitted, 0);
    ck_assert_uint_gt(qd_world_total(world).blocked, 2);
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL),
                     QD_ERR_VALUE); // one that comes now does not fit
}

// All of a body that an emitter makes is saved.
QD_TEST(emitters_of_bullets) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.body.bullet = true;
    emitter.low = emitter.high = (qd_vec2){50, 50};
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    qd_own(qd_world) copy = qd_test_copy(world, 1);
    qd_test_step(copy, 1, 1);
    ck_assert(qd_test_body(copy, (qd_id){0, 1}).bullet);
}

// A polygon that is in order stays as it is, also where its rounding is far larger than its sides.
QD_TEST(polygons_that_are_mostly_rounding) {
    const qd_vec2 points[] = {{1e-17, 0}, {2e-17, 1e-18}, {1.5e-17, 1e-17}};
    qd_shape shape, again;
    ck_assert_int_eq(qd_shape_polygon(points, 3, &shape, NULL, NULL), QD_OK);
    shape.radius = 0.1;
    ck_assert_int_eq(qd_shape_normalise(&shape, NULL, NULL), QD_OK);
    again = shape;
    ck_assert_int_eq(qd_shape_normalise(&again, NULL, NULL), QD_OK);
    ck_assert_mem_eq(shape.points, again.points, sizeof shape.points);
}

// ---- what is refused ----

QD_TEST(defs_are_within_bounds) {
    for (int k = 0; k < 13; ++k) {
        qd_world_def def = qd_world_def_default();
        def.contact = QD_CONTACT_SPRING;
        def.spring.kn = 100;
        double *const places[] = {
            &def.gravity.x,           &def.attraction.strength, &def.attraction.at.y,
            &def.drag.linear,         &def.drag.quadratic,      &def.drag.spin,
            &def.drag.medium.x,       &def.spring.kn,           &def.spring.kt,
            &def.spring.gamman,       &def.compression.rate.x,  &def.wall_motion[1].velocity,
            &def.wall_motion[2].slide};
        const double before = *places[k];
        qd_own(qd_world) world = NULL;
        *places[k] = 1.1e30;
        ck_assert_msg(qd_world_create(&def, &world) == QD_ERR_VALUE, "number %d", k);
        *places[k] = isnan(before) || before > 0 ? 1 : before;
        ck_assert_msg(qd_world_create(&def, &world) == QD_OK, "number %d", k);
    }
}

QD_TEST(bodies_are_within_bounds) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_error error;
    for (int k = 0; k < 7; ++k) {
        qd_body_def body = qd_body_def_default();
        body.position = (qd_vec2){50, 50};
        double *const places[] = {&body.velocity.x, &body.velocity.y, &body.spin,   &body.angle,
                                  &body.density,    &body.mass,       &body.inertia};
        *places[k] = k < 5 ? 1.1e30 : k == 5 ? 1.1e90 : 1.1e150;
        ck_assert_msg(qd_world_add(world, &body, NULL, &error) == QD_ERR_VALUE, "number %d", k);
        ck_assert_uint_gt(strlen(error.text), 5);
    }
    qd_id id = qd_test_disk(world, 50, 50, 1e30, 0, 0.5, 1e90);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){50, 50}, (qd_vec2){0, -1e31}, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_turn(world, id, 0, 1e31, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_turn(world, id, 1e31, 0, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_step(world, 1e31, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_step(world, 1e-31, NULL), QD_ERR_VALUE);
    check_loads(world);
}

// What turns about a pivot is as fast as that demands, whatever velocity it is given.
QD_TEST(pivots_obey_the_limit_of_speed) {
    qd_world_def def = qd_world_def_default();
    def.limits.speed = 10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    qd_error error;
    qd_id id;
    body.kind = QD_BODY_KINEMATIC;
    body.position = (qd_vec2){70, 50};
    body.pivot = (qd_vec2){50, 50};
    body.spin = 1; // 20 away
    ck_assert_int_eq(qd_world_add(world, &body, NULL, &error), QD_ERR_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "faster than limits.speed (10)"));
    body.spin = 0.25;
    body.velocity = (qd_vec2){1000, 0}; // not looked at
    ck_assert_int_eq(qd_world_add(world, &body, &id, &error), QD_OK);
    ck_assert_int_eq(qd_world_turn(world, id, 0, 1, &error), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_place(world, id, (qd_vec2){95, 50}, (qd_vec2){0, 0}, &error), QD_ERR_VALUE);
    check_loads(world);
    qd_test_step(world, 0.1, 5);
    check_loads(world);
}

// Far from zero, numbers are too coarse for what is small.
QD_TEST(places_are_finer_than_bodies) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) world = NULL;
    qd_body_def body = qd_body_def_default();
    def.size = (qd_vec2){10, 10};
    def.origin = (qd_vec2){1e16, 0};
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
    def.origin.x = -1e9;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    body.position = (qd_vec2){-1e9 + 5, 5};
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    body.shape.radius = 1e-8;
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_ERR_VALUE);
}

// ---- what comes of a step ----

// Springs that are pressed beyond that, by a body that is put into another.
QD_TEST(forces_stop_the_detection) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 1e-140;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 1, 1e30);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_test_disk(world, 51, 50, 0, 0, 1, 1e30);
    for (int k = 0; k < 2; ++k) {
        ck_assert_int_eq(qd_world_detect(world), QD_ERR_LIMIT);
        ck_assert_ptr_nonnull(strstr(qd_world_limit_report(world).reason, "beyond what a world can hold"));
        ck_assert_int_eq(qd_world_step(world, 0.01, NULL), QD_ERR_LIMIT);
        check_loads(world);
    }
}

QD_TEST_MAIN("bounds", 0, NULL, NULL)
