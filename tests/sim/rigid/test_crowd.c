// Crowds that fall on themselves or are churned, many of their own sizes in a step: they must not jam. What
// is stopped so that it passes through nothing has to come to the solver in the end, and to rest.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

static const double dt = 1.0 / 60, pi = 3.14159265358979324, length = 0.2;

static qd_shape member_of(size_t kind, double size) {
    switch (kind % 4) {
    case 1: return qd_shape_disk(.5 * size);
    case 2: return qd_shape_capsule(.6 * size, .25 * size);
    case 3: return qd_shape_rect(size, .5 * size);
    default: return qd_shape_rect(size, size);
    }
}

/// A crowd of some hundred, boxes, disks, capsules, slabs or all of them (`kind` 0 to 4), 3 to 50 sizes a
/// step.
static qd_world *falling_crowd(uint64_t seed, size_t kind, qd_continuous mode) {
    qd_random random = qd_random_at(seed, 0, 0);
    const size_t across = (size_t)qd_test_between(&random, 5, 12),
                 high = (size_t)qd_test_between(&random, 20, 40);
    const double speed = 36 * exp(qd_test_between(&random, 0, 2.8)), ratio = 1 + (double)(seed % 3),
                 room = qd_test_between(&random, 1.45, 2) * length;
    qd_world_def def = qd_world_def_default();
    def.restitution = seed % 2 ? 0 : .4;
    def.friction = qd_test_between(&random, 0, 1);
    def.gravity = (qd_vec2){0, -10};
    def.size = (qd_vec2){20, 40};
    def.continuous = mode;
    qd_world *world = qd_test_world(&def);
    for (size_t i = 0; i < high; ++i)
        for (size_t k = 0; k < across; ++k) {
            qd_body_def body = qd_body_def_default();
            const double size = length / ratio * qd_test_between(&random, 1, ratio);
            body.shape = member_of(kind < 4 ? kind : i + k, size);
            body.position = (qd_vec2){8 + room * (double)k + .02 * qd_test_between(&random, 0, 1),
                                      .3 + room * (double)i};
            body.angle = qd_test_between(&random, 0, 6);
            body.velocity.y = -speed;
            (void)qd_test_add(world, &body);
        }
    return world;
}

START_TEST(what_falls_comes_to_rest) {
    const size_t kind = (size_t)_i % 5;
    qd_world *world = falling_crowd((uint64_t)_i, kind, QD_CONTINUOUS_AUTO);
    const double before = qd_test_measure(world).kinetic;
    qd_test_step(world, dt, 240);
    ck_assert_double_le(qd_test_measure(world).kinetic, .01 * before);
    qd_world_destroy(world);
}
END_TEST

// ---- a drum with paddles ----

static void add_part(qd_world *world, double inner, double outer, double from, double to) {
    const qd_vec2 middle = {20, 20};
    const double radii[] = {inner, outer}, angles[] = {from, to};
    qd_vec2 points[4];
    for (int i = 0; i < 4; ++i)
        points[i] = (qd_vec2){middle.x + radii[i % 2] * qd_cos(angles[i / 2]),
                              middle.y + radii[i % 2] * qd_sin(angles[i / 2])};
    qd_body_def body = qd_body_def_default();
    ck_assert_int_eq(qd_shape_polygon(points, 4, &body.shape, &body.position, NULL), QD_OK);
    body.kind = QD_BODY_KINEMATIC;
    body.pivot = middle;
    body.spin = 25 * pi / 180;
    (void)qd_test_add(world, &body);
}

/// Boxes in a ring that turns, with four paddles (a scene of Box2D's benchmarks, smaller), after `steps`: how
/// many contacts a box has in the mean.
static double contacts_in_a_drum(qd_continuous mode, size_t steps) {
    enum { PARTS = 36, SIDE = 70 };
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){40, 40};
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    def.friction = .6;
    def.continuous = mode;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = qd_shape_rect(length, length);
        body.position = (qd_vec2){20 + .21 * (i % SIDE - .5 * SIDE), 20 + .21 * (i / SIDE - .5 * SIDE)};
        (void)qd_test_add(world, &body);
    }
    for (int i = 0; i < PARTS; ++i) {
        const double part = 2 * pi / PARTS, from = i * part, overlap = .1 * part;
        add_part(world, 16, 18, from - overlap, from + part + overlap);
        if (i % 9 == 0) add_part(world, 14, 16, from, from + part);
    }
    qd_test_step(world, dt, steps);
    size_t count;
    (void)qd_world_contacts(world, &count);
    qd_world_destroy(world);
    return (double)count / (SIDE * SIDE);
}

START_TEST(a_drum_does_not_press_its_boxes_together) {
    const double here = contacts_in_a_drum(QD_CONTINUOUS_AUTO, 160);
    ck_assert_msg(here < 4, "%g contacts per box", here);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("crowd");
    TCase *tests = tcase_create("crowd");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, what_falls_comes_to_rest, 0, (int)qd_test_effort(15));
    tcase_add_test(tests, a_drum_does_not_press_its_boxes_together);
    suite_add_tcase(suite, tests);
    return qd_test_run(suite);
}
