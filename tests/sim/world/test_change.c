// Worlds that change while they live: what they are given holds from the next step on, and is saved.

#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/metrics.h>
#include <quadrille/world.h>
#include <string.h>

enum { LEFT, RIGHT, BOTTOM, TOP };

static void change(qd_world *world, const qd_world_def *def) {
    qd_error error = {""};
    ck_assert_msg(qd_world_change(world, def, &error) == QD_OK, "%s", error.text);
}

static double side(const qd_world *world, int wall) {
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    return wall == LEFT ? low.x : wall == RIGHT ? high.x : wall == BOTTOM ? low.y : high.y;
}

// A side that gets another motion begins it from where it is; one whose motion stays goes on.
QD_TEST(a_side_begins_where_it_is) {
    qd_world_def def = qd_world_def_default();
    def.wall_motion[LEFT].velocity = 2;
    def.wall_motion[TOP] = (qd_wall_motion){.amplitude = 1, .frequency = 1, .phase = 0.5};
    qd_own(qd_world) world = qd_test_world(&def), other = qd_test_world(&def);
    qd_test_step(world, 0.01, 100);
    qd_test_step(other, 0.01, 350);
    ck_assert_double_eq_tol(side(world, LEFT), 2, 1e-12);
    def.wall_motion[LEFT].velocity = -1;
    def.wall_motion[RIGHT] = (qd_wall_motion){.amplitude = 3, .frequency = 0.25};
    change(world, &def);
    ck_assert_double_eq_tol(side(world, LEFT), 2, 1e-12);
    ck_assert_double_eq_tol(side(world, RIGHT), 100, 1e-12);
    qd_test_step(world, 0.01, 100);
    ck_assert_double_eq_tol(side(world, LEFT), 1, 1e-12);
    ck_assert_double_eq_tol(side(world, RIGHT), 103, 1e-9); // a quarter of an oscillation
    def.wall_motion[LEFT] = def.wall_motion[RIGHT] = (qd_wall_motion){.amplitude = 0};
    change(world, &def);
    qd_test_step(world, 0.01, 150);
    ck_assert_double_eq_tol(side(world, LEFT), 1, 1e-12);
    ck_assert_double_eq_tol(side(world, RIGHT), 103, 1e-9);
    ck_assert_double_eq(side(world, TOP), side(other, TOP)); // as if nothing had been
}

// Another gravity gives other potential energies: they count as having entered, and bodies fall by it.
QD_TEST_LOOP(gravity_is_booked, 0, 2) {
    qd_world_def def = qd_world_def_default();
    def.contact = _i ? QD_CONTACT_SPRING : QD_CONTACT_IMPULSE;
    def.spring.kn = 1e4;
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_id id = qd_test_disk(world, 50, 60, 0, 0, 0.5, 2);
    qd_test_step(world, 0.01, 10);
    def.gravity.y = 4;
    change(world, &def);
    const double before = qd_test_body(world, id).velocity.y;
    qd_test_step(world, 0.01, 10);
    ck_assert_double_eq_tol(qd_test_body(world, id).velocity.y, before + 0.4, 1e-12);
    qd_metrics metrics = qd_test_measure(world);
    ck_assert_double_lt(metrics.balance_error, 1e-9);
}

// Springs lose what the restitution says that the world has now, as one does that is loaded with it.
QD_TEST(springs_follow) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 1e4;
    def.restitution = 0.9;
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_id left = qd_test_disk(world, 50, 50, 1, 0, 0.5, 1),
                right = qd_test_disk(world, 51.1, 50, -1, 0, 0.5, 1);
    qd_test_step(world, 0.001, 10);
    def.restitution = 0.2;
    change(world, &def);
    qd_own(qd_world) loaded = qd_test_copy(world, 1);
    qd_test_step(world, 0.001, 200);
    qd_test_step(loaded, 0.001, 200);
    const double apart = qd_test_body(world, right).velocity.x - qd_test_body(world, left).velocity.x;
    ck_assert_double_eq_tol(apart, 2 * 0.2, 0.02);
    ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(loaded));
}

// Surfaces without values of their own are the world's, whatever these are; the others keep theirs.
QD_TEST(surfaces_follow) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_id plain = qd_test_disk(world, 50, 50, 0, -4, 0.5, 1);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){20, 50};
    body.velocity.y = -4;
    body.shape = qd_shape_disk(0.5);
    body.material.friction = 0.3; // a trait of its own, without a restitution
    qd_id own;
    ck_assert_int_eq(qd_world_add(world, &body, &own, NULL), QD_OK);
    qd_test_step(world, 0.01, 5);
    def.restitution = 0.5;
    change(world, &def);
    qd_test_step(world, 0.01, 1400);
    ck_assert_double_eq_tol(qd_test_body(world, plain).velocity.y, 2, 1e-12);
    ck_assert_double_eq_tol(qd_test_body(world, own).velocity.y, 2, 1e-12);
}

/// A world with a bit of everything that can change.
static qd_world *busy_world(qd_world_def *def) {
    *def = qd_world_def_default();
    def->size = (qd_vec2){20, 20};
    def->gravity.y = -3;
    def->wall_motion[BOTTOM] = (qd_wall_motion){.amplitude = 0.3, .frequency = 2};
    qd_world *world = qd_test_world(def);
    for (int i = 0; i < 60; ++i)
        (void)qd_test_disk(world, 2 + 2 * (i % 8), 2 + 2 * (i / 8), i % 3 - 1, i % 5 - 2, 0.5, 1);
    return world;
}

// A world that was saved after a change, or before one that is then made again, goes on bit for bit.
QD_TEST_LOOP(saved_worlds_go_on, 0, 2) {
    qd_world_def def;
    qd_own(qd_world) world = busy_world(&def), loaded = NULL;
    unsigned char *data = NULL;
    size_t bytes = 0;
    qd_test_step(world, 0.01, 60);
    if (_i) ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    def.gravity = (qd_vec2){1, 2};
    def.drag.linear = 0.2;
    def.friction = 0.5;
    def.wall_motion[BOTTOM].frequency = 1;
    def.wall_motion[TOP].velocity = -0.5;
    change(world, &def);
    qd_world_set_stage(world, 7);
    if (!_i) ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    ck_assert_int_eq(qd_world_load(data, bytes, 2, NULL, &loaded, NULL), QD_OK);
    if (_i) {
        change(loaded, &def);
        qd_world_set_stage(loaded, 7);
    }
    qd_test_step(world, 0.01, 120);
    qd_test_step(loaded, 0.01, 120);
    ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(loaded));
    ck_assert_uint_eq(qd_world_stage(loaded), 7);
    qd_metrics one, two;
    qd_world_measure(world, &one);
    qd_world_measure(loaded, &two);
    ck_assert_double_eq(one.entered, two.entered);
    ck_assert_double_eq(side(world, TOP), side(loaded, TOP));
    ck_assert_double_eq(side(world, BOTTOM), side(loaded, BOTTOM));
    qd_world_save_free(world, data, bytes);
}

// What a world was made with for good is refused, and nothing has changed then.
QD_TEST_LOOP(keeps_what_it_was_made_with, 0, 7) {
    qd_world_def def;
    qd_own(qd_world) world = busy_world(&def);
    qd_test_step(world, 0.01, 3);
    const uint64_t hash = qd_world_hash(world);
    qd_world_def other = def;
    qd_error error;
    switch (_i) {
    case 0: other.size.x = 30; break;
    case 1: other.boundary_x = QD_BOUNDARY_OPEN; break;
    case 2: other.contact = QD_CONTACT_NONE; break;
    case 3: other.seed = 2; break;
    case 4: other.origin.y = 1; break;
    case 5: other.restitution = 2; break;
    default: other.cookie = 0; break;
    }
    ck_assert_int_eq(qd_world_change(world, &other, &error), _i < 6 ? QD_ERR_VALUE : QD_ERR_ARGUMENT);
    ck_assert_uint_gt(strlen(error.text), 10);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    qd_test_step(world, 0.01, 1);
}

// A law that knows disks only is refused by a world with others, which then could not be loaded.
QD_TEST(bodies_must_fit_the_law) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 1e4;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(1, 2), 50, 50);
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    def.spring.law = QD_SPRING_HERTZ;
    qd_error error;
    ck_assert_int_eq(qd_world_change(world, &def, &error), QD_ERR_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "must be disks"));
    ck_assert_int_eq(qd_world_definition(world).spring.law, QD_SPRING_HOOKE);
}

QD_TEST_MAIN("change", 60, NULL, NULL)
