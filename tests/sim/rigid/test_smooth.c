// What slides or rolls along a polyline moves as it would on one long edge or on a rect: its joints are not
// felt.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

typedef enum ground { JOINTS, EDGE, RECT, BUMP } ground;

enum { LONG = 200, POINTS = 120 };

/// A floor from (0, 0) on in a direction, by `ground`; joints at random distances, or every .25. BUMP: one of
/// them is too high.
static void lay(qd_world *world, ground of, qd_vec2 along, bool even) {
    qd_body_def edge = qd_body_def_default();
    if (of == RECT) {
        edge.kind = QD_BODY_STATIC;
        edge.shape = qd_shape_rect(LONG, 1);
        edge.angle = qd_atan2(along.y, along.x);
        edge.position = (qd_vec2){.5 * LONG * along.x + .5 * along.y, .5 * LONG * along.y - .5 * along.x};
        (void)qd_test_add(world, &edge);
        return;
    }
    qd_random random = qd_random_at(1, 0, 0);
    qd_vec2 point[POINTS] = {{0, 0}};
    size_t count = 1;
    for (double at = 5; of != EDGE && count < POINTS - 1; at += even ? .25 : qd_test_between(&random, .02, 1))
        point[count++] = (qd_vec2){at * along.x, at * along.y};
    if (of == BUMP) point[20] = (qd_vec2){point[20].x - .01 * along.y, point[20].y + .01 * along.x};
    point[count++] = (qd_vec2){LONG * along.x, LONG * along.y};
    ck_assert_int_eq(qd_world_add_polyline(world, point, count, false, &edge, NULL, NULL), QD_OK);
}

static qd_shape shape_of(int i) {
    qd_vec2 corner[5];
    qd_shape shape = qd_shape_disk(.3);
    for (int k = 0; k < 5; ++k)
        corner[k] = (qd_vec2){.4 * qd_cos(.31415926535897931 + 1.2566370614359172 * k),
                              .4 * qd_sin(.31415926535897931 + 1.2566370614359172 * k)};
    if (i == 1) return qd_shape_rect(.8, .4);
    if (i == 2) return qd_shape_capsule(.6, .2);
    if (i == 3) ck_assert_int_eq(qd_shape_polygon(corner, 5, &shape, NULL, NULL), QD_OK);
    return shape;
}

/// How far a body is when it is put on the floor with its lowest side.
static double height_of(int i) {
    const double height[] = {.3, .2, .2, .4 * .80901699437494742};
    return height[i];
}

typedef struct ride {
    double along, across, spin, way;
} ride;

/// Where a body is after some steps on a floor that is turned by an angle, gravity with it, as seen from the
/// floor.
static ride ride_on(ground of, bool even, int shape, double angle, double friction, qd_continuous mode,
                    size_t steps) {
    const qd_vec2 along = {qd_cos(angle), qd_sin(angle)};
    qd_world_def def = qd_test_def(LONG, LONG);
    def.origin = (qd_vec2){0, -.5 * LONG};
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.gravity = (qd_vec2){10 * along.y, -10 * along.x};
    def.restitution = 0;
    def.friction = friction;
    def.continuous = mode;
    qd_world *world = qd_test_world(&def);
    lay(world, of, along, even);
    qd_body_def body = qd_body_def_default();
    body.shape = shape_of(shape);
    body.angle = angle;
    const double h = height_of(shape), x = 3;
    body.position = (qd_vec2){x * along.x - h * along.y, x * along.y + h * along.x};
    body.velocity = (qd_vec2){8 * along.x, 8 * along.y};
    if (shape == 0 && friction > 0) body.spin = -8 / .3; // it rolls
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 1.0 / 60, steps);
    const qd_body_state s = qd_test_body(world, id);
    qd_world_destroy(world);
    return (ride){s.velocity.x * along.x + s.velocity.y * along.y,
                  s.velocity.y * along.x - s.velocity.x * along.y, s.spin,
                  s.position.x * along.x + s.position.y * along.y};
}

// A step gives .17 of velocity; where an edge takes over from the one before, its impulse starts anew and the
// body sinks by a part of the slop, whence the tolerance across. Along the floor nothing must come of that.
QD_TEST_LOOP(joints_are_not_felt, 0, 16) {
    const int shape = _i % 4;
    const bool even = _i / 4 % 2;
    const qd_continuous mode = _i / 8 % 2 ? QD_CONTINUOUS_ON : QD_CONTINUOUS_AUTO;
    const double angle[] = {0, .01, -.7}, friction[] = {0, .3};
    for (int k = 0; k < 6; ++k) {
        const double turned = angle[k % 3], rub = friction[k / 3];
        const size_t steps = 120; // all still move
        const ride plain = ride_on(EDGE, even, shape, turned, rub, mode, steps),
                   block = ride_on(RECT, even, shape, turned, rub, mode, steps),
                   joined = ride_on(JOINTS, even, shape, turned, rub, mode, steps);
        const ride *other[] = {&plain, &block};
        for (int o = 0; o < 2; ++o) {
            ck_assert_msg(fabs(joined.along - other[o]->along) < (rub > 0 ? 1e-4 : 1e-7),
                          "along %.12g, not %.12g (%d, %d)", joined.along, other[o]->along, k, o);
            ck_assert_msg(fabs(joined.across - other[o]->across) < 1e-3, "across %.12g, not %.12g (%d, %d)",
                          joined.across, other[o]->across, k, o);
            ck_assert_msg(fabs(joined.spin - other[o]->spin) < 1e-3, "spin %.12g, not %.12g (%d, %d)",
                          joined.spin, other[o]->spin, k, o);
            ck_assert_msg(fabs(joined.way - other[o]->way) < 1e-4, "at %.12g, not %.12g (%d, %d)", joined.way,
                          other[o]->way, k, o);
        }
    }
}

QD_TEST(a_bump_is_felt) {
    for (int shape = 0; shape < 4; ++shape) {
        const ride plain = ride_on(EDGE, true, shape, 0, 0, QD_CONTINUOUS_AUTO, 120),
                   bumped = ride_on(BUMP, true, shape, 0, 0, QD_CONTINUOUS_AUTO, 120);
        ck_assert_double_gt(fabs(bumped.along - plain.along) + fabs(bumped.way - plain.way), 1e-3);
    }
}

QD_TEST_MAIN("smooth", 120, NULL, NULL)
