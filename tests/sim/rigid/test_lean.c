// Towers stand as rigid ones do, and fall as rigid ones do; and what leans is what rests.
#include "sim/world/bodies.h"
#include "sim/world/bounds.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

static const double g = 10;

/// How a tower is set up: boxes of these sides, the k-th moved on by k times `step` and by up to `off` to
/// either side.
typedef struct tower {
    int boxes;
    double wide, step, off;
    double dt, friction;
} tower;

static qd_world *tower_of(const tower *of, uint64_t seed, qd_id *ids) {
    qd_random random = qd_random_at(seed, 0, 9);
    qd_world_def def = qd_test_def(200, 120);
    def.gravity = (qd_vec2){0, -g};
    def.restitution = 0;
    def.friction = of->friction;
    qd_world *world = qd_test_world(&def);
    for (int k = 0; k < of->boxes; ++k) {
        const double x = 100 + k * of->step + qd_test_between(&random, -of->off, of->off);
        const qd_body_def body = qd_test_body_at(qd_shape_rect(of->wide, 1), x, .5 + k);
        ids[k] = qd_test_add(world, &body);
    }
    return world;
}

// Soft joints let 16 boxes lean over; all of these fell within ten seconds.
QD_TEST_LOOP(towers_stand, 0, 6) {
    static const tower towers[] = {{40, 1, 0, .001, 1.0 / 60, .6}, {40, 1, 0, .05, 1.0 / 60, .6},
                                   {40, 1, 0, .01, 1.0 / 120, .6}, {40, .5, 0, .01, 1.0 / 60, .6},
                                   {40, 2, 0, .01, 1.0 / 60, .6},  {40, 1, 0, .01, 1.0 / 60, .2}};
    const tower *of = &towers[_i];
    qd_id ids[40];
    qd_own(qd_world) world = tower_of(of, qd_test_seed(1), ids);
    qd_test_step(world, of->dt, (size_t)(20 / of->dt));
    const qd_body_state top = qd_test_body(world, ids[of->boxes - 1]);
    ck_assert_double_ge(top.position.y, .97 * of->boxes - .5);
    ck_assert_double_le(fabs(top.position.x - 100), .6);
}

// A tower whose upper part is over the edge of the lowest box by a tenth falls, one that is back from it
// stands: softness shifts that of ten boxes.
QD_TEST_LOOP(what_is_out_of_balance_falls, 0, 6) {
    const int boxes = (int[]){2, 5, 10}[_i / 2];
    const double back = (double[]){.9, .9, .7}[_i / 2];
    const bool falls = _i % 2;
    const double limit = 1.0 / boxes; // of the steps, whose mean above the lowest is boxes / 2 of them
    const tower of = {boxes, 1, (falls ? 1.1 : back) * limit, 0, 1.0 / 60, .8};
    qd_id ids[10];
    qd_own(qd_world) world = tower_of(&of, 1, ids);
    qd_test_step(world, of.dt, 600);
    const double y = qd_test_body(world, ids[boxes - 1]).position.y;
    ck_assert_msg((y < boxes - 1) == falls, "%d boxes: the top is %g high", boxes, y);
}

static double largest_lean(const qd_world *world) {
    double most = 0;
    for (size_t r = 0; r < world->count; ++r) most = fmax(most, fabs(world->now.lean[r]));
    return most;
}

QD_TEST(what_leans_is_what_rests) {
    const tower of = {20, 1, 0, .05, 1.0 / 60, .6};
    qd_id ids[20];
    qd_own(qd_world) world = tower_of(&of, 3, ids);
    ck_assert_double_eq(largest_lean(world), 0);
    qd_test_step(world, of.dt, 120);
    ck_assert_double_gt(largest_lean(world), 0);
    ck_assert_double_le(largest_lean(world), QDI_LEAN_MOST);
    const double lean = qd_test_body(world, ids[0]).lean;
    ck_assert_double_ne(lean, 0);
    // A body that is put elsewhere, or turned, has come to rest nowhere.
    ck_assert_int_eq(qd_world_turn(world, ids[19], .1, 0, NULL), QD_OK);
    ck_assert_double_eq(qd_test_body(world, ids[19]).lean, 0);
    ck_assert_int_eq(qd_world_place(world, ids[0], (qd_vec2){50, 60}, (qd_vec2){0, 0}, NULL), QD_OK);
    ck_assert_double_eq(qd_test_body(world, ids[0]).lean, 0);
    // Nor has one of another kind, and no other may come with a lean.
    qd_body_state changed = qd_test_body(world, ids[1]);
    ck_assert_double_ne(changed.lean, 0);
    changed.kind = QD_BODY_STATIC;
    ck_assert_int_eq(qdi_body_add_again(world, &changed, false, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qdi_body_replace(world, &changed, (double)NAN, NULL), QD_OK);
    changed.kind = QD_BODY_DYNAMIC;
    changed.lean = 1.01 * QDI_LEAN_MOST;
    ck_assert_int_eq(qdi_body_add_again(world, &changed, false, NULL), QD_ERR_VALUE);
    // What flies does not rest, though it did.
    qd_world_def def = qd_world_definition(world);
    def.gravity.y = g;
    ck_assert_int_eq(qd_world_change(world, &def, NULL), QD_OK);
    qd_test_step(world, of.dt, 60);
    ck_assert_double_eq(largest_lean(world), 0);
}

// Without gravity nothing rests, though boxes fly into each other and on together.
QD_TEST(nothing_rests_without_gravity) {
    qd_world_def def = qd_test_def(100, 100);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.restitution = 0;
    def.friction = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < 8; ++k) {
        qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 40 + 1.05 * k, 50);
        body.velocity = (qd_vec2){3 - k, .1 * k};
        (void)qd_test_add(world, &body);
    }
    for (int k = 0; k < 200; ++k) {
        qd_test_step(world, .01, 1);
        ck_assert_double_eq(largest_lean(world), 0);
    }
}

// Towers are shot at with small boxes, which are met or stopped on their way as what they hit is: what goes
// on to rest has turned by as much as its lean has changed.
QD_TEST_LOOP(leans_of_what_is_met_on_its_way, 0, 6) {
    enum { TOWERS = 6, BOXES = 12, ALL = TOWERS * BOXES };
    static const qd_continuous followed[] = {QD_CONTINUOUS_OFF, QD_CONTINUOUS_AUTO, QD_CONTINUOUS_ON};
    qd_world_def def = qd_test_def(30, 40);
    def.gravity = (qd_vec2){0, -g};
    def.restitution = 0;
    def.friction = .6;
    def.continuous = followed[_i / 2];
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id ids[ALL];
    for (int i = 0; i < ALL; ++i) {
        const int c = i / BOXES, k = i % BOXES;
        qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 4 + 4 * c + .06 * ((k * 7 + c * 3) % 5 - 2),
                                           .5 + k * (c % 3 == 0 ? .93 : 1));
        body.bullet = _i % 2;
        ids[i] = qd_test_add(world, &body);
    }
    for (int q = 0; q < 5 * TOWERS; ++q) {
        qd_body_def body = qd_test_body_at(qd_shape_rect(.3, .3), 1.5 + 4 * (q % TOWERS) + .5 * (q % 3),
                                           20 + q * .6);
        body.velocity = (qd_vec2){4 * (q % 7 - 3), -30};
        body.bullet = _i % 2;
        qd_test_add(world, &body);
    }
    qd_body_state before[ALL];
    size_t rested = 0;
    for (int step = 0; step < 300; ++step) {
        if (step > 0) qd_test_step(world, 1.0 / 60, 1);
        for (int i = 0; i < ALL; ++i) {
            const qd_body_state now = qd_test_body(world, ids[i]), *was = &before[i];
            if (step > 0 && now.lean != 0 && was->lean != 0 && fabs(now.lean) < QDI_LEAN_MOST) {
                const double turn = qd_atan2(was->turn.x * now.turn.y - was->turn.y * now.turn.x,
                                             was->turn.x * now.turn.x + was->turn.y * now.turn.y);
                ck_assert_double_eq_tol(now.lean - was->lean, turn, 1e-12);
                ++rested;
            }
            before[i] = now;
        }
    }
    ck_assert_uint_gt(rested, 1000);
}

QD_TEST_MAIN("lean", 60, NULL, NULL)
