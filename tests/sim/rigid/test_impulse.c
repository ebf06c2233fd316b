#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>

static qd_world *open_world(double restitution) {
    qd_world_def def = qd_test_open_def();
    def.restitution = restitution;
    return qd_test_world(&def);
}

static void check_velocity(const qd_world *world, qd_id id, double vx, double vy, double tolerance) {
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.velocity.x, vx, tolerance);
    ck_assert_double_eq_tol(s.velocity.y, vy, tolerance);
}

// Two-body collisions with known outcome; n points from A to B.
typedef struct collision {
    double va, ma, mb, nx, ny, e, ax, ay, bx, by, energy, energy_after;
} collision;

static const double half_root3 = 0.86602540378443865;
static const collision collisions[] = {
    {1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0.5, 0.5},
    {2, 1, 3, 1, 0, 0.5, -0.25, 0, 0.75, 0, 2, 0.875},
    {1, 1, 1, 0.86602540378443865, 0.5, 1, 0.25, -0.4330127018922193, 0.75, 0.4330127018922193, 0.5, 0.5},
};

QD_TEST_LOOP(two_disks_collide, 0, 3) {
    const collision *c = &collisions[_i];
    qd_own(qd_world) world = open_world(c->e);
    qd_id a = qd_test_disk(world, 10, 10, c->va, 0, 0.5, c->ma);
    qd_id b = qd_test_disk(world, 10 + 0.999 * c->nx, 10 + 0.999 * c->ny, 0, 0, 0.5, c->mb);
    ck_assert_double_eq_tol(qd_world_sum(world).kinetic, c->energy, 1e-12);
    qd_test_step(world, 1e-6, 1);
    check_velocity(world, a, c->ax, c->ay, 1e-12);
    check_velocity(world, b, c->bx, c->by, 1e-12);
    ck_assert_double_eq_tol(qd_world_sum(world).kinetic, c->energy_after, 1e-12);
    qd_test_step(world, 1e-6, 3); // they still overlap, but part: nothing more happens
    check_velocity(world, b, c->bx, c->by, 1e-12);
}

// The third as a run: first contact at 2 - cos 30 degrees, velocities at right angles afterwards.
QD_TEST(oblique_collision_as_a_run) {
    qd_own(qd_world) world = open_world(1);
    qd_id a = qd_test_disk(world, 0, 0, 1, 0, 0.5, 1);
    qd_id b = qd_test_disk(world, 2, 0.5, 0, 0, 0.5, 1);
    const double dt = 1e-5, first = 2 - half_root3;
    size_t contacts = 0;
    while (contacts == 0 && qd_world_time(world) < 2) {
        qd_test_step(world, dt, 1);
        (void)qd_world_contacts(world, &contacts);
    }
    ck_assert_double_eq_tol(qd_world_time(world), first, 1.01 * dt);
    qd_test_step(world, dt, 1);
    qd_vec2 va = qd_test_body(world, a).velocity, vb = qd_test_body(world, b).velocity;
    ck_assert_double_eq_tol(va.x * vb.x + va.y * vb.y, 0, 1e-12);
    check_velocity(world, b, 0.75, half_root3 / 2, 1e-4);
}

// A row of disks with small gaps; the last leaves with v ((1 + e) / 2)^(n - 1).
static double cradle(double e, size_t n) {
    qd_own(qd_world) world = open_world(e);
    qd_id last = {0, 0};
    for (size_t i = 0; i < n; ++i) last = qd_test_disk(world, 1.02 * (double)i, 0, i == 0 ? 1 : 0, 0, 0.5, 1);
    qd_test_step(world, 1e-3, 400 * n);
    return qd_test_body(world, last).velocity.x;
}

QD_TEST(cradles_pass_on_the_blow) {
    ck_assert_double_eq_tol(cradle(1, 5), 1, 1e-12);
    ck_assert_double_eq_tol(cradle(1, 10), 1, 1e-12);
    ck_assert_double_eq_tol(cradle(0.95, 5), 0.903687891, 1e-9);
    ck_assert_double_eq_tol(cradle(0.9, 2), 0.95, 1e-12);
    ck_assert_double_eq_tol(cradle(0.9, 3), 0.9025, 1e-12);
    ck_assert_double_eq_tol(cradle(0.9, 10), 0.63024941, 1e-8);
    ck_assert_double_eq_tol(cradle(0.5, 3), 0.5625, 1e-12);
}

QD_TEST(chain_of_falling_masses) {
    qd_own(qd_world) world = open_world(1);
    qd_test_disk(world, 0, 0, 1, 0, 0.5, 1);
    qd_test_disk(world, 1.02, 0, 0, 0, 0.5, 0.5);
    qd_id last = qd_test_disk(world, 2.04, 0, 0, 0, 0.5, 0.25);
    qd_test_step(world, 1e-3, 400);
    check_velocity(world, last, 16.0 / 9, 0, 1e-12);
}

// The lower one (mass 3) has just bounced, the upper (mass 1) still comes down as fast: the lower stops dead.
QD_TEST(stacked_drop) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_id lower = qd_test_disk(world, 50, 0.5001, 0, -1, 0.5, 3);
    qd_id upper = qd_test_disk(world, 50, 1.51, 0, -1, 0.5, 1);
    qd_test_step(world, 1e-3, 30);
    check_velocity(world, lower, 0, 0, 1e-12);
    check_velocity(world, upper, 0, 2, 1e-12);
    qd_vec2 given = qd_world_total(world).wall_impulse;
    ck_assert_double_eq_tol(given.y, 6, 1e-12);
}

// A cue disk against two that touch: the answer of pair after pair is not symmetric, but conserves
// everything.
QD_TEST(break_conserves_momentum_and_energy) {
    qd_own(qd_world) world = open_world(1);
    qd_test_disk(world, 10 - half_root3 + 1e-4, 10, 1, 0, 0.5, 1);
    qd_test_disk(world, 10, 10.5, 0, 0, 0.5, 1);
    qd_test_disk(world, 10, 9.5, 0, 0, 0.5, 1);
    qd_test_step(world, 1e-3, 1);
    qd_world_sums sums = qd_world_sum(world);
    ck_assert_double_eq_tol(sums.momentum.x, 1, 1e-14);
    ck_assert_double_eq_tol(sums.momentum.y, 0, 1e-14);
    ck_assert_double_eq_tol(sums.kinetic, 0.5, 1e-14);
    size_t count;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    qd_body_view view = qd_world_view(world);
    for (size_t i = 0; i < count; ++i) { // and nothing approaches any more
        uint32_t a = view.row_of_index[contacts[i].a.index], b = view.row_of_index[contacts[i].b.index];
        double approach = (view.vx[a] - view.vx[b]) * contacts[i].normal.x +
                          (view.vy[a] - view.vy[b]) * contacts[i].normal.y;
        ck_assert_double_le(approach, 1e-12);
    }
}

// Galperin: a wall, a small disk, a large one coming in. The collisions in all count digits of pi.
static unsigned galperin(double ratio, double dt) {
    qd_world_def def = qd_test_def(200, 10);
    def.boundary_x = QD_BOUNDARY_REFLECT;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id small = qd_test_disk(world, 5, 5, 0, 0, 0.5, 1);
    qd_id large = qd_test_disk(world, 10, 5, -1, 0, 0.5, ratio);
    unsigned count = 0;
    double vs = 0, vl = -1;
    for (int k = 0; qd_world_time(world) < 30 && k < 10000000; ++k) {
        qd_test_step(world, dt, 1);
        double ns = qd_test_body(world, small).velocity.x, nl = qd_test_body(world, large).velocity.x;
        count += nl != vl || ns != vs;
        vs = ns;
        vl = nl;
    }
    ck_assert_double_gt(vl, 0);
    ck_assert_double_le(vs, vl);
    return count;
}

QD_TEST(collisions_count_pi) {
    ck_assert_uint_eq(galperin(1, 1e-3), 3);
    ck_assert_uint_eq(galperin(4, 1e-3), 6);
    ck_assert_uint_eq(galperin(9, 1e-3), 9);
    ck_assert_uint_eq(galperin(16, 1e-3), 12);
    ck_assert_uint_eq(galperin(100, 1e-4), 31);
}

// Hard rods on a line; between steps a collision is found late by up to dt, so positions are off by at most
// (number of collisions of a disk) * (relative speed) * dt.
QD_TEST(rods_on_a_line) {
    qd_world_def def = qd_test_def(10, 0.5);
    def.boundary_y = QD_BOUNDARY_OPEN;
    qd_own(qd_world) world = qd_test_world(&def);
    const double x[] = {0.5, 2, 3.7, 6, 8.5}, v[] = {1, -0.6, 0.35, -1.7, 0.9};
    const double at1[] = {0.9, 2.0, 3.8, 4.55, 9.4}, at10[] = {0.5, 3.0, 6.0, 6.5, 8.2};
    qd_id ids[5];
    for (int i = 0; i < 5; ++i) ids[i] = qd_test_disk(world, x[i], 0.25, v[i], 0, 0.25, 1);
    const double dt = 1e-5;
    qd_test_step(world, dt, 100000);
    for (int i = 0; i < 5; ++i)
        ck_assert_double_eq_tol(qd_test_body(world, ids[i]).position.x, at1[i], 10 * dt);
    qd_test_step(world, dt, 900000);
    for (int i = 0; i < 5; ++i)
        ck_assert_double_eq_tol(qd_test_body(world, ids[i]).position.x, at10[i], 60 * dt);
    double energy = 0;
    for (int i = 0; i < 5; ++i) energy += 0.5 * v[i] * v[i];
    ck_assert_double_eq_tol(qd_world_sum(world).kinetic, energy, 1e-12);
}

QD_TEST(floor_bounces_with_the_restitution) {
    qd_world_def def = qd_world_def_default();
    def.restitution = 0.8;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 0.5001, 2, -3, 0.5, 1);
    qd_test_step(world, 1e-3, 5);
    check_velocity(world, id, 2, 2.4, 1e-12);
}

// A ball under gravity comes to rest on the floor and neither sinks nor gains energy.
QD_TEST(ball_comes_to_rest) {
    qd_world_def def = qd_world_def_default();
    def.restitution = 0.5;
    def.gravity = (qd_vec2){0, -9.81};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 50, 1.5, 0, 0, 0.5, 1);
    const double dt = 1e-3;
    double highest = 0;
    for (int k = 0; k < 5000; ++k) {
        qd_test_step(world, dt, 1);
        if (k > 600 && qd_test_body(world, id).position.y > highest)
            highest = qd_test_body(world, id).position.y;
    }
    ck_assert_double_eq_tol(highest - 0.5, 0.25, 2 * 4.43 * dt);
    qd_body_state s = qd_test_body(world, id);
    ck_assert_double_eq_tol(s.position.y, 0.5, 5 * dt);
    ck_assert_double_le(fabs(s.velocity.y), 2 * 9.81 * dt);
}

// A periodic elastic gas keeps momentum and energy over 10,000 steps.
QD_TEST(gas_conserves_momentum_and_energy) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    qd_test_gas_def(&def, 16, 16);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 16, 16, qd_test_seed(3));
    qd_world_sums before = qd_world_sum(world);
    qd_test_step(world, 0.01, qd_test_effort(10000));
    qd_world_sums after = qd_world_sum(world);
    ck_assert_double_le(fabs(after.momentum.x - before.momentum.x), 1e-9 * after.momentum_scale);
    ck_assert_double_le(fabs(after.momentum.y - before.momentum.y), 1e-9 * after.momentum_scale);
    ck_assert_double_le(fabs(after.kinetic - before.kinetic), 1e-3 * before.kinetic);
    ck_assert_uint_gt(qd_world_total(world).begins, qd_test_effort(10000) / 2); // it did collide
}

QD_TEST_LOOP(wall_impulse_balances_momentum, 0, 2) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 20, 20);
    def.boundary_y = _i == 0 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 20, 20, qd_test_seed(4));
    qd_world_sums before = qd_world_sum(world);
    size_t steps = qd_test_effort(3000);
    double most = 0;
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, 0.01, 1);
        qd_world_sums now = qd_world_sum(world);
        qd_vec2 given = qd_world_total(world).wall_impulse;
        double off_x = now.momentum.x - before.momentum.x - given.x,
               off_y = now.momentum.y - before.momentum.y - given.y;
        ck_assert_double_le(fabs(off_x), 1e-9 * now.momentum_scale);
        ck_assert_double_le(fabs(off_y), 1e-9 * now.momentum_scale);
        ck_assert_double_eq_tol(now.kinetic, before.kinetic, 1e-3 * before.kinetic);
        if (fabs(given.x) > most) most = fabs(given.x);
    }
    ck_assert_double_gt(most, 1);
}

// Inelastic contacts only ever take energy, and momentum is kept.
QD_TEST(restitution_takes_energy) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.restitution = 0.7;
    qd_test_gas_def(&def, 12, 12);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 12, 12, qd_test_seed(8));
    qd_world_sums first = qd_world_sum(world);
    double energy = first.kinetic;
    for (int k = 0; k < 1000; ++k) {
        qd_test_step(world, 0.01, 1);
        double now = qd_world_sum(world).kinetic;
        ck_assert_double_le(now, energy * (1 + 1e-13));
        energy = now;
    }
    ck_assert_double_lt(energy, 0.5 * first.kinetic);
    ck_assert_double_eq_tol(qd_world_sum(world).momentum.x, first.momentum.x, 1e-9 * first.momentum_scale);
}

QD_TEST_MAIN("impulse", 240, NULL, NULL)
