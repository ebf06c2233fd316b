#include "sim/step/turns.h"
#include "sim/world/pose.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>
#include <quadrille/simd.h>
#include <quadrille/world.h>

// One disk in a box of 10 x 6, radius 0.5: positions and numbers of hits by unfolding, worked out
// independently.
typedef struct box_case {
    double x, y, vx, vy, t, end_x, end_y;
    unsigned hits_x, hits_y;
} box_case;

static const box_case box_cases[] = {
    {2, 3, 1.3, 0.7, 100, 6, 3, 14, 14},
    {5, 1, -2.718281828, 3.141592654, 1000, 4.718172, 2.592654, 302, 628},
    {1.25, 2.5, 1.4142135623730951, 1.7320508075688772, 12345.678, 0.675264291149, 5.158450114679, 1940,
     4277},
};

static void check_box_case(const box_case *c, size_t steps) {
    qd_world_def def = qd_test_def(10, 6);
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, c->x, c->y, c->vx, c->vy, 0.5, 2);
    double dt = c->t / (double)steps;
    qd_test_step(world, dt, steps);
    qd_body_state state = qd_test_body(world, id);
    ck_assert_double_eq_tol(state.position.x, c->end_x, 1e-9);
    ck_assert_double_eq_tol(state.position.y, c->end_y, 1e-9);
    ck_assert_double_eq(state.velocity.x, c->hits_x % 2 ? -c->vx : c->vx);
    ck_assert_double_eq(state.velocity.y, c->hits_y % 2 ? -c->vy : c->vy);
    ck_assert_double_eq_tol(qd_world_time(world), c->t, 1e-12 * c->t);
    qd_vec2 given = qd_world_total(world).wall_impulse; // what the walls gave is what the body has more
    ck_assert_double_eq_tol(given.x, 2 * (state.velocity.x - c->vx), 1e-9);
    ck_assert_double_eq_tol(given.y, 2 * (state.velocity.y - c->vy), 1e-9);
}

QD_TEST_LOOP(box_in_small_steps, 0, 3) {
    const box_case *c = &box_cases[_i];
    check_box_case(c, (size_t)(c->t * 100));
}

// A step may overshoot by several widths.
QD_TEST_LOOP(box_in_giant_steps, 0, 3) {
    const box_case *c = &box_cases[_i];
    check_box_case(c, 1);
    check_box_case(c, 3);
    check_box_case(c, 7);
}

QD_TEST(periodic_positions_stay_in_the_cell) {
    qd_world_def def = qd_test_def(7, 3);
    def.origin = (qd_vec2){-3.5, 1000};
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 1, 1001, 3.3, -2.1, 0.5, 1);
    for (int k = 1; k <= 5000; ++k) {
        qd_test_step(world, 0.37, 1);
        qd_body_state s = qd_test_body(world, id);
        ck_assert(s.position.x >= -3.5 && s.position.x < 3.5);
        ck_assert(s.position.y >= 1000 && s.position.y < 1003);
        double x = 1 + 3.3 * 0.37 * k, off = (x - s.position.x) / 7;
        ck_assert_double_eq_tol(off, floor(off + 0.5), 1e-9);
    }
}

QD_TEST(periodic_wrap_is_never_at_the_far_side) {
    qd_world_def def = qd_test_def(10, 10);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    const double at[] = {10, -1e-300, -0.0, 30, -1e-17, 9.999999999999998, 1e7, -1e7 + 3};
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        qd_id id = qd_test_disk(world, at[i], at[i], 0, 0, 0.01, 0);
        qd_body_state s = qd_test_body(world, id);
        ck_assert_msg(s.position.x >= 0 && s.position.x < 10, "%g became %.17g", at[i], s.position.x);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
    }
}

// The parabola itself at every step, with either contact model.
QD_TEST_LOOP(projectile_follows_its_parabola, 0, 2) {
    qd_world_def def = qd_test_open_def();
    def.gravity = (qd_vec2){0, -9.81};
    def.contact = _i == 0 ? QD_CONTACT_NONE : QD_CONTACT_IMPULSE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 50, 3, 0, 0.5, 1);
    qd_test_step(world, 1.0 / 60, 60);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.position.y - 50, -4.905, 1e-12);
    ck_assert_double_eq_tol(s.position.x - 50, 3, 1e-12);
    ck_assert_double_eq_tol(s.velocity.y, -9.81, 1e-12);
    qd_world_sums sums = qd_world_sum(world);
    ck_assert_double_eq_tol(sums.potential, 9.81 * s.position.y, 1e-9);
}

static bool stops(void *asked) {
    return *(bool *)asked;
}

/// Steps a world in which nothing pushes bodies, many of them refused or stopped, while bodies come and go;
/// with a static one, velocities are copied in each step. Ends with a static one in any case, and with the
/// states of its bodies.
static void drift(uint64_t seed, bool fixed, qd_body_state *states, size_t *count) {
    enum { SIDE = 40 };
    bool stopped = false;
    qd_random random = qd_random_at(seed, 0, 0);
    qd_world_def def = qd_test_def(SIDE, SIDE);
    def.boundary_x = qd_test_below(&random, 2) ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_OPEN;
    def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.contact = QD_CONTACT_NONE;
    def.limits.speed = 1000;
    def.limits.distance = 1e4;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def still = qd_test_body_at(qd_shape_disk(1), SIDE / 2, SIDE / 2);
    still.kind = QD_BODY_STATIC;
    if (fixed) qd_test_add(world, &still);
    ck_assert_int_eq(qd_world_set_stop(world, stops, &stopped), QD_OK);
    qd_id ids[600];
    *count = 0;
    for (int k = 0; k < 120; ++k) {
        for (size_t more = k == 0 ? 100 : qd_test_below(&random, 8); more > 0; --more) {
            const double x = SIDE * qd_random_uniform(&random), y = SIDE * qd_random_uniform(&random);
            const double vx = qd_random_uniform(&random) - 0.5, vy = qd_random_uniform(&random) - 0.5;
            if (*count < 600) ids[(*count)++] = qd_test_disk(world, x, y, vx, vy, 0.5, 1);
        }
        const size_t leaves = qd_test_below(&random, *count);
        ck_assert_int_eq(qd_world_remove(world, ids[leaves]), QD_OK);
        ids[leaves] = ids[--*count];
        stopped = qd_test_below(&random, 4) == 0;
        const bool far = def.boundary_x == QD_BOUNDARY_OPEN && qd_test_below(&random, 4) == 0;
        const qd_status status = qd_world_step(world, far ? 1e9 : 0.5 * qd_random_uniform(&random) + 0.1,
                                               NULL);
        ck_assert_int_eq(status, stopped ? QD_ERR_STOPPED : far ? QD_ERR_LIMIT : QD_OK);
    }
    if (!fixed) qd_test_add(world, &still);
    stopped = false;
    qd_test_step(world, 0.25, 2);
    for (size_t i = 0; i < *count; ++i) states[i] = qd_test_body(world, ids[i]);
}

QD_TEST(what_nothing_pushes_keeps_its_velocity) {
    for (uint64_t seed = qd_test_seed(1), last = seed + qd_test_effort(20); seed < last; ++seed) {
        qd_body_state with[600], without[600];
        size_t count = 0, other = 0;
        drift(seed, true, with, &count);
        drift(seed, false, without, &other);
        ck_assert_uint_eq(count, other);
        for (size_t i = 0; i < count; ++i)
            ck_assert_msg(with[i].position.x == without[i].position.x &&
                              with[i].position.y == without[i].position.y &&
                              with[i].velocity.x == without[i].velocity.x &&
                              with[i].velocity.y == without[i].velocity.y,
                          "body %d, seed %d", (int)i, (int)seed);
    }
}

QD_TEST(open_sides_let_bodies_go) {
    qd_world_def def = qd_world_def_default();
    def.boundary_y = QD_BOUNDARY_OPEN;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 50, 0, 1000, 0.5, 1);
    qd_test_step(world, 1, 100);
    ck_assert_double_eq(qd_test_body(world, id).position.y, 100050);
    ck_assert_double_eq(qd_test_body(world, id).velocity.y, 1000);
}

QD_TEST(body_as_wide_as_the_world_stays_in_the_middle) {
    qd_world_def def = qd_test_def(10, 20);
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 5, 10, 3, 1, 5, 1);
    qd_test_step(world, 0.1, 100); // 10 up: two thirds of the way hit the top at 15 and come back
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq(s.position.x, 5);
    ck_assert_double_eq_tol(s.position.y, 10, 1e-9);
    ck_assert_double_eq(s.velocity.y, -1);
}

// Put down across the wall on its way in, a body is let in; on its way out it is mirrored.
QD_TEST(body_across_a_mirror_comes_in) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id in = qd_test_disk(world, 0.1, 50, 1, 0, 0.5, 1);
    qd_id out = qd_test_disk(world, 99.75, 50, 1, 0, 0.5, 1);
    qd_test_step(world, 0.125, 1);
    ck_assert_double_eq(qd_test_body(world, in).position.x, 0.225);
    ck_assert_double_eq(qd_test_body(world, in).velocity.x, 1);
    ck_assert_double_eq(qd_test_body(world, out).position.x, 99.125);
    ck_assert_double_eq(qd_test_body(world, out).velocity.x, -1);
}

QD_TEST(time_is_step_times_dt) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_test_step(world, 0.1, 1000);
    ck_assert_double_eq(qd_world_time(world), 1000 * 0.1);
    qd_test_step(world, 0.25, 8);
    ck_assert_double_eq(qd_world_time(world), 1000 * 0.1 + 2);
    ck_assert_uint_eq(qd_world_steps(world), 1008);
}

// Mirroring walls of many bodies: what they gave balances the momentum, and every box held its body.
QD_TEST(mirrors_balance_momentum) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.size = (qd_vec2){30, 40};
    def.gravity = (qd_vec2){0, 0};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(qd_test_seed(5), 0, 0);
    qd_test_scatter(world, &random, 6000);
    qd_world_sums before = qd_world_sum(world);
    for (int k = 0; k < 20; ++k) {
        qd_test_step(world, 0.5, 1);
        qd_world_sums now = qd_world_sum(world);
        qd_vec2 given = qd_world_total(world).wall_impulse;
        ck_assert_double_eq_tol(now.momentum.x - before.momentum.x, given.x, 1e-9 * now.momentum_scale);
        ck_assert_double_eq_tol(now.momentum.y - before.momentum.y, given.y, 1e-9 * now.momentum_scale);
        ck_assert_double_eq_tol(now.kinetic, before.kinetic, 1e-9 * before.kinetic);
    }
}

// Disks that only fly, with every kind of sides, and with fat boxes and without: all instruction sets move
// them alike.
QD_TEST_LOOP(instruction_sets_agree, 0, 12) {
    uint64_t expected = 0;
    for (qd_simd simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd) {
        if (!qd_simd_available(simd)) continue;
        qd_random random = qd_random_at(qd_test_seed(6), (uint64_t)_i, 0);
        qd_world_def def = qd_test_random_def(&random);
        def.contact = QD_CONTACT_NONE;
        def.friction = 0;
        def.simd = simd;
        def.margin = _i % 2 ? 0.5 : 0;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_scatter(world, &random, 333);
        qd_test_step(world, 1.0 / 60, 30);
        uint64_t state = qd_world_hash(world);
        if (simd == QD_SIMD_PORTABLE) expected = state;
        ck_assert_msg(state == expected, "%s", qd_simd_name(simd));
    }
}

/// Every instruction set turns as qdi_motion_turned does, bit for bit, and says which angles it leaves to it.
QD_TEST(turns_side_by_side_are_turns) {
    enum { COUNT = 37 };
    const double edges[] = {0,    -0.0,  1e-300,    0x1p-28, 0x1p-27,  -0x1p-27,
                            0.78, -0.78, 0.7800001, 3,       HUGE_VAL, (double)NAN};
    for (uint64_t seed = qd_test_seed(1), end = seed + qd_test_effort(300); seed < end; ++seed) {
        qd_random random = qd_random_at(seed, 2, 0);
        double c[COUNT], s[COUNT], angle[COUNT], to_c[COUNT], to_s[COUNT];
        size_t beyond = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            const double at = 6.3 * qd_random_uniform(&random);
            c[i] = qd_cos(at);
            s[i] = qd_sin(at);
            angle[i] = (qd_random_uniform(&random) - 0.5) * (i % 3 ? 1.7 : 1e-4);
            if (i < sizeof edges / sizeof *edges) angle[i] = edges[i];
            beyond += (size_t)qdi_turns_beyond(angle[i]);
        }
        for (int simd = QD_SIMD_PORTABLE; simd <= QD_SIMD_NEON; ++simd) {
            if (!qd_simd_available((qd_simd)simd)) continue;
            ck_assert_uint_eq(qdi_turns_of((qd_simd)simd)(c, s, angle, to_c, to_s, COUNT), beyond);
            for (size_t i = 0; i < COUNT; ++i) {
                if (qdi_turns_beyond(angle[i])) continue;
                qd_vec2 turn = {c[i], s[i]};
                if (angle[i] != 0) turn = qdi_motion_turned(c[i], s[i], angle[i]);
                ck_assert_msg(to_c[i] == turn.x && to_s[i] == turn.y, "angle %a, seed %d", angle[i],
                              (int)seed);
            }
        }
    }
}

QD_TEST_MAIN("motion", 120, NULL, NULL)
