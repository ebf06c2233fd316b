// What is measured of a world, against closed forms and, for a gas, the literature.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <ctype.h>
#include <math.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

// ---- what was turned over ----

/// A ball falls on the floor, which gives nothing back: in flight, half of its energy is where it was; at
/// rest all is lost.
QD_TEST(a_ball_turns_its_energy_over) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    def.restitution = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_metrics m = qd_test_measure(world);
    ck_assert(m.turned_over == 0 && m.balance_error == 0);
    qd_test_disk(world, 50, 5, 0, 0, 1, 0);
    m = qd_test_measure(world);
    ck_assert_double_eq_tol(m.turned_over, m.potential, 1e-12 * m.potential);
    const double whole = m.potential;
    qd_test_step(world, 0.01, 60);
    m = qd_test_measure(world);
    ck_assert_double_gt(m.kinetic, 0);
    ck_assert_double_eq_tol(m.turned_over, whole, 1e-12 * whole);
    ck_assert_double_lt(m.balance_error, 1e-12);
    qd_test_step(world, 0.01, 100);
    m = qd_test_measure(world);
    ck_assert_double_gt(m.lost, 0.7 * whole);
    ck_assert_double_eq_tol(m.turned_over, whole + 0.5 * m.drift, 1e-12 * whole);
    ck_assert_double_eq_tol(m.balance_error, fabs(m.drift) / m.turned_over, 1e-12);
}

/// Energy that cancels is turned over all the same: a body that falls as fast as it can leave again, in the
/// pull of a centre.
QD_TEST(what_cancels_is_turned_over) {
    qd_world_def def = qd_world_def_default();
    def.attraction = (qd_attraction){.law = QD_PULL_INVERSE_SQUARE, .strength = 100, .at = {50, 50}};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 90, 0, -sqrt(5), 1, 0); // v^2 / 2 = 100 / 40
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_gt(m.kinetic, 5);
    ck_assert_double_lt(fabs(m.kinetic + m.potential), 1e-12);
    ck_assert_double_eq_tol(m.turned_over, m.kinetic, 1e-12);
}

/// Where all have left and nothing was lost, what remains is rounding of what they brought and took along: no
/// error.
QD_TEST(nobody_turns_nothing_over) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.removal = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 9; ++i) qd_test_disk(world, 10.1 * (i + 1), 30.3 + i, 0.7 * i, 0.3 * i, 1, 0);
    qd_test_step(world, 0.013, 400);
    qd_metrics m = qd_test_measure(world);
    ck_assert(m.dynamic == 0 && m.entered != 0);
    ck_assert(m.turned_over == 0 && m.balance_error == 0);
}

// ---- the table ----

QD_TEST(table_names_every_number) {
    size_t count;
    const qd_metric_field *fields = qd_metric_fields(&count);
    ck_assert_uint_eq(count * 8, sizeof(qd_metrics));
    for (size_t i = 0; i < count; ++i) {
        ck_assert_uint_eq(fields[i].offset, i * 8);
        ck_assert_uint_gt(strlen(fields[i].unit), 0);
        ck_assert(isalpha((unsigned char)fields[i].name[0]));
        for (const char *c = fields[i].name; *c; ++c)
            ck_assert_msg(islower((unsigned char)*c) || (c > fields[i].name && isdigit((unsigned char)*c)) ||
                              *c == '_',
                          "%s", fields[i].name);
        for (size_t j = 0; j < i; ++j) ck_assert_str_ne(fields[i].name, fields[j].name);
    }
}

QD_TEST(docs_have_every_number) {
    FILE *file = fopen(QD_SOURCE_DIR "/docs/metrics.md", "rb");
    ck_assert_ptr_nonnull(file);
    char text[1 << 16];
    size_t length = fread(text, 1, sizeof text - 1, file), count;
    fclose(file);
    ck_assert_uint_lt(length, sizeof text - 1);
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "`%s`", fields[i].name);
        ck_assert_msg(strstr(text, name), "docs/metrics.md says nothing of %s", fields[i].name);
    }
}

QD_TEST(every_number_is_one) {
    qd_random random = qd_random_at(3, 0, 1);
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -1;
    qd_own(qd_world) world = qd_test_world(&def); // empty, then with bodies
    for (int k = 0; k < 2; ++k) {
        qd_test_step(world, 0.01, 3);
        qd_metrics m = qd_test_measure(world);
        size_t count;
        const qd_metric_field *fields = qd_metric_fields(&count);
        for (size_t i = 0; i < count; ++i) {
            const char *at = (const char *)&m + fields[i].offset;
            double real;
            uint64_t whole;
            memcpy(&real, at, 8);
            memcpy(&whole, at, 8);
            bool fine = fields[i].kind == QD_METRIC_REAL ? isfinite(real) : whole < UINT64_C(1) << 40;
            ck_assert_msg(fine, "%s, round %d", fields[i].name, k);
        }
        qd_test_scatter_shapes(world, &random, 200);
    }
}

// ---- one collision ----

static const double instant = 1e-9; // nothing moves far: what is measured is the one collision

static qd_world *open_world(double restitution, double friction, double tangential) {
    qd_world_def def = qd_test_open_def();
    def.restitution = restitution;
    def.friction = friction;
    def.tangential = tangential;
    def.threshold = 0;
    def.continuous = QD_CONTINUOUS_ON;
    return qd_test_world(&def);
}

typedef struct spun {
    double vx, vy, spin, mass, radius;
} spun;

static qd_id add_disk(qd_world *world, double x, double y, const spun *disk) {
    qd_body_def body = qd_test_body_at(qd_shape_disk(disk->radius), x, y);
    body.velocity = (qd_vec2){disk->vx, disk->vy};
    body.spin = disk->spin;
    body.mass = disk->mass;
    return qd_test_add(world, &body);
}

typedef struct collision {
    spun a, b;
    double nx, ny, e, mu, bt;
    double before, after; ///< energy, to nine digits
} collision;

#define ROOT_HALF  0.70710678118654752
#define HALF_ROOT3 0.86602540378443865

static const collision collisions[] = {
    {{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}, 1, 0, 1, 0, 0, .5, .5},
    {{2, 0, 0, 1, .5}, {0, 0, 0, 3, .5}, 1, 0, .5, 0, 0, 2, .875},
    {{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}, HALF_ROOT3, .5, 1, 0, 0, .5, .5},
    {{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}, HALF_ROOT3, .5, .9, .1, 0, .5, .443545043},
    {{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}, HALF_ROOT3, .5, .9, 1, 0, .5, .443541667},
    {{1, 0, 10, 1, .5}, {-1, 0, 0, 1, .5}, 1, 0, 1, .1, 0, 7.25, 6.37},
    {{1, 0, 10, 1, .5}, {-1, 0, 0, 1, .5}, 1, 0, 1, 1, 0, 7.25, 5.166666667},
    {{1, 0, 0, 1, .5}, {0, 0, 0, 1, .5}, HALF_ROOT3, .5, 1, HUGE_VAL, 1, .5, .5},
    {{1.5, 0, 2, 1, .5}, {-.5, .25, -1, 4, 1}, ROOT_HALF, ROOT_HALF, .7, .3, 0, 3, 2.350125},
};

/// What the normal impulse takes of the energy, and what the tangential one does, by Newton's and Coulomb's
/// rules. The inertia of a disk is m r^2 / 2.
static void losses(const collision *c, double *normal, double *friction) {
    const spun *a = &c->a, *b = &c->b;
    double ux = a->vx - b->vx, uy = a->vy - b->vy, reduced = a->mass * b->mass / (a->mass + b->mass);
    double un = ux * c->nx + uy * c->ny;
    double ut = uy * c->nx - ux * c->ny + a->spin * a->radius + b->spin * b->radius, k = 3 / reduced;
    double most = c->mu * (1 + c->e) * reduced * un, rub = (1 + c->bt) * ut / k;
    if (c->mu == 0) rub = 0;
    if (fabs(rub) > most) rub = copysign(most, rub);
    *normal = 0.5 * (1 - c->e * c->e) * reduced * un * un;
    *friction = rub * (ut - 0.5 * k * rub);
}

QD_TEST_LOOP(collisions_lose_what_the_table_says, 0, sizeof collisions / sizeof collisions[0]) {
    const collision *c = &collisions[_i];
    qd_own(qd_world) world = open_world(c->e, c->mu, c->bt);
    double apart = c->a.radius + c->b.radius, normal, friction;
    add_disk(world, 50, 50, &c->a);
    add_disk(world, 50 + apart * c->nx * (1 - 1e-13), 50 + apart * c->ny * (1 - 1e-13), &c->b);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_double_eq_tol(qd_test_measure(world).kinetic, c->before, 1e-12 * c->before);
    qd_test_step(world, instant, 1);
    qd_metrics m = qd_test_measure(world);
    losses(c, &normal, &friction);
    ck_assert_double_eq_tol(m.lost_bodies_normal, normal, 1e-12);
    ck_assert_double_eq_tol(m.lost_bodies_friction, friction, 1e-12);
    ck_assert_double_eq_tol(m.lost, c->before - c->after, 1e-9);
    ck_assert_double_eq_tol(m.imbalance, 0, 1e-14 * c->before);
    ck_assert(m.lost_walls_normal == 0 && m.lost_walls_friction == 0 && m.drift == 0);
    ck_assert_double_eq(m.lost, m.lost_bodies_normal + m.lost_bodies_friction);
}

// The same on the way through a step: the second disk is far enough away for the first one to be followed.
QD_TEST_LOOP(impacts_lose_what_the_table_says, 0, sizeof collisions / sizeof collisions[0]) {
    const collision *c = &collisions[_i];
    qd_own(qd_world) world = open_world(c->e, c->mu, c->bt);
    double ux = c->a.vx - c->b.vx, uy = c->a.vy - c->b.vy, apart = c->a.radius + c->b.radius, dt = 2;
    add_disk(world, 50 - c->a.vx, 50 - c->a.vy, &c->a); // they meet after a time of 1
    add_disk(world, 50 + apart * c->nx - c->b.vx, 50 + apart * c->ny - c->b.vy, &c->b);
    ck_assert(ux * c->nx + uy * c->ny > 0);
    qd_test_step(world, dt, 1);
    qd_metrics m = qd_test_measure(world);
    double normal, friction;
    losses(c, &normal, &friction);
    ck_assert_uint_eq(m.impacts, 1);
    ck_assert_uint_eq(m.collisions, 1);
    ck_assert_double_eq_tol(m.lost_bodies_normal, normal, 1e-11);
    ck_assert_double_eq_tol(m.lost_bodies_friction, friction, 1e-11);
    double reduced = c->a.mass * c->b.mass / (c->a.mass + c->b.mass);
    double impulse = (1 + c->e) * reduced * (ux * c->nx + uy * c->ny);
    ck_assert_double_eq_tol(m.virial_impulse, apart * impulse, 1e-10);
    ck_assert_double_eq_tol(m.virial, apart * impulse / dt, 1e-10);
}

typedef struct bounce {
    double vx, vy, spin, e, mu;
    double after_x, after_y, after_spin;
} bounce;

static const bounce bounces[] = {
    {2, -3, 0, .8, .1, 1.46, 2.4, -2.16},
    {2, -3, 0, .8, 1, 1.333333333, 2.4, -2.666666667},
    {0, -3, 6, .8, .05, -.27, 2.4, 4.92},
    {0, -3, 6, .8, .5, -1, 2.4, 2},
};

QD_TEST_LOOP(walls_take_what_bounces_lose, 0, sizeof bounces / sizeof bounces[0]) {
    const bounce *b = &bounces[_i];
    qd_world_def def = qd_world_def_default();
    def.restitution = b->e;
    def.friction = b->mu;
    def.threshold = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    add_disk(world, 50, 0.5, &(spun){b->vx, b->vy, b->spin, 1, 0.5});
    qd_test_step(world, instant, 1);
    qd_metrics m = qd_test_measure(world);
    double before = 0.5 * (b->vx * b->vx + b->vy * b->vy + 0.125 * b->spin * b->spin);
    double after = 0.5 * (b->after_x * b->after_x + b->after_y * b->after_y +
                          0.125 * b->after_spin * b->after_spin);
    ck_assert_double_eq_tol(m.lost_walls_normal, 0.5 * (1 - b->e * b->e) * 9, 1e-12);
    ck_assert_double_eq_tol(m.lost, before - after, 2e-8);
    ck_assert(m.lost_bodies_normal == 0 && m.lost_bodies_friction == 0);
    ck_assert_double_eq_tol(m.push_bottom, (1 + b->e) * 3, 1e-12);
    ck_assert_double_eq_tol(m.wall_pressure, (1 + b->e) * 3 / 400 / instant, 1e-3);
    ck_assert(m.push_left == 0 && m.push_right == 0 && m.push_top == 0);
}

QD_TEST(a_ball_keeps_the_square_of_its_restitution) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -9.81;
    def.restitution = 0.8;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 50, 1.5, 0, 0, 0.5, 1);
    double lost = 0;
    int bounces_seen = 0;
    for (int k = 0; k < 2500; ++k) {
        qd_metrics before = qd_test_measure(world);
        double vy = qd_test_body(world, (qd_id){0, 1}).velocity.y;
        qd_test_step(world, 1e-3, 1);
        qd_metrics after = qd_test_measure(world);
        ck_assert_double_eq_tol(after.imbalance, 0, 1e-13);
        if (after.lost_walls_normal == lost) continue;
        ck_assert_double_eq_tol(after.lost_walls_normal - lost, 0.36 * 0.5 * vy * vy, 1e-12);
        ck_assert(before.lost_walls_normal == lost);
        lost = after.lost_walls_normal;
        ++bounces_seen;
        double height = pow(0.64, bounces_seen); // the ball has this much left, but for the depth of a step
        ck_assert_double_eq_tol(after.kinetic + after.potential - 0.5 * 9.81, 9.81 * height, 0.1);
    }
    ck_assert_int_eq(bounces_seen, 4);
}

// ---- work ----

QD_TEST(a_plate_works) {
    for (int fast = 0; fast < 2; ++fast) { // at a contact, and on the way through a step
        qd_world *world = open_world(1, 0, 0);
        qd_body_def plate = qd_body_def_default();
        plate.kind = QD_BODY_KINEMATIC;
        plate.shape = qd_shape_rect(1, 4);
        plate.position = (qd_vec2){fast ? 47 : 49.5 - 1e-12, 50};
        plate.velocity.x = 3;
        qd_test_add(world, &plate);
        qd_test_disk(world, 50.5, 50, 0, 0, 0.5, 2);
        qd_test_step(world, fast ? 1.5 : instant, 2);
        qd_metrics m = qd_test_measure(world);
        ck_assert_double_eq_tol(m.kinematic_work, 36, 1e-10); // the disk has twice the plate's speed
        ck_assert_double_eq_tol(m.kinetic, 36, 1e-10);
        ck_assert_double_eq_tol(m.lost, 0, 1e-12);
        ck_assert_double_eq(m.virial_impulse, 0); // the plate is outside of what is pressed
        qd_world_destroy(world);
    }
}

QD_TEST(a_medium_takes_its_part) {
    qd_world_def def = qd_test_open_def();
    def.drag.linear = 0.7;
    def.drag.spin = 0.4;
    qd_own(qd_world) world = qd_test_world(&def);
    add_disk(world, 50, 50, &(spun){3, 4, 5, 2, 1});
    qd_test_step(world, 0.125, 8);
    qd_metrics m = qd_test_measure(world);
    double moving = 25 * (1 - exp(-1.4)), turning = 12.5 * (1 - exp(-0.8));
    ck_assert_double_eq_tol(m.drag_lost, moving + turning, 1e-12);
    ck_assert_double_eq_tol(m.imbalance, 0, 1e-13);
}

static void push_right(void *context, const qd_force_range *range) {
    (void)context;
    for (size_t i = 0; i < range->count; ++i) range->force_x[i] += 6;
}

QD_TEST(a_force_works_along_the_way) {
    qd_own(qd_world) world = open_world(1, 0, 0);
    qd_test_disk(world, 10, 50, 1, 2, 0.5, 3);
    ck_assert_int_eq(qd_world_set_force(world, push_right, NULL), QD_OK);
    qd_test_step(world, 0.25, 16);
    qd_metrics m = qd_test_measure(world);
    double way = qd_test_body(world, (qd_id){0, 1}).position.x - 10;
    ck_assert_double_eq_tol(way, 20, 1e-12); // t + t^2
    ck_assert_double_eq_tol(m.force_work, 6 * way, 1e-11);
    ck_assert_double_eq_tol(m.imbalance, 0, 1e-12);
}

// Gravity along a periodic axis: a body falls and falls, and its potential starts anew at each turn.
QD_TEST(gravity_works_through_periodic_sides) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){10, 20};
    def.gravity.y = -2;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 5, 15, 0, 0, 0.5, 3);
    qd_test_step(world, 0.0625, 160); // falls by 100: five times
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_eq_tol(m.force_work, 3 * 2 * 20 * 5, 1e-9);
    ck_assert_double_eq_tol(m.kinetic, 0.5 * 3 * 400, 1e-9);
    ck_assert_double_eq_tol(m.imbalance, 0, 1e-10);
}

// ---- the moment ----

QD_TEST(motion_of_two) {
    qd_own(qd_world) world = open_world(1, 0.5, 0);
    add_disk(world, 51, 50, &(spun){1, 2, 0, 3, 1});
    add_disk(world, 50, 53, &(spun){-1, 0, 4, 1, 2});
    qd_metrics m = qd_test_measure(world);
    ck_assert_uint_eq(m.bodies, 2);
    ck_assert_uint_eq(m.dynamic, 2);
    ck_assert_double_eq_tol(m.translation, 8, 1e-15);
    ck_assert_double_eq_tol(m.rotation, 16, 1e-15); // inertia 2
    ck_assert_double_eq_tol(m.kinetic, 24, 1e-15);
    ck_assert_double_eq_tol(m.momentum_x, 2, 1e-15);
    ck_assert_double_eq_tol(m.momentum_y, 6, 1e-15);
    ck_assert_double_eq_tol(m.angular_momentum, 6 + 3 + 8, 1e-14);
    ck_assert_double_eq_tol(m.fastest, sqrt(5), 1e-15);
    ck_assert_double_eq_tol(m.temperature, 0.5 * (8 - 40 / 8.0), 1e-15); // p^2 / 2M = 5
    ck_assert_double_eq_tol(m.entered, 24, 1e-14);
}

QD_TEST(contacts_of_a_row) {
    qd_own(qd_world) world = qd_test_world(NULL);
    for (int k = 0; k < 3; ++k) qd_test_disk(world, 0.5 + 0.75 * k, 50, 0, 0, 0.5, 0); // wall, a, b, c
    qd_body_def block = qd_body_def_default();
    block.kind = QD_BODY_STATIC;
    block.shape = qd_shape_rect(2, 2);
    block.position = (qd_vec2){3.4, 50};
    qd_test_add(world, &block);
    block.sensor = true;
    block.shape = qd_shape_rect(10, 10);
    qd_test_add(world, &block);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_metrics m = qd_test_measure(world);
    ck_assert_uint_eq(m.contacts, 7); // three with the sensor
    ck_assert_double_eq_tol(m.contact_number, 6.0 / 3, 1e-15);
    ck_assert_double_eq_tol(m.largest_overlap, 0.25, 1e-12);
    ck_assert_uint_eq(m.bodies, 5);
    ck_assert_uint_eq(m.dynamic, 3);
    qd_tree_stats stats = qd_tree_statistics(qd_world_tree(world));
    ck_assert_uint_eq(m.tree_nodes, stats.nodes);
    ck_assert_uint_eq(m.tree_longest, stats.largest_list);
}

// ---- the search for pairs

// What a step counted is what the same search counts in the tree that it left.
QD_TEST_LOOP(searches_are_counted, 0, 2) {
    for (int retrieve = QD_RETRIEVE_JOIN; retrieve <= QD_RETRIEVE_BRUTE; ++retrieve) {
        qd_world_def def = qd_world_def_default();
        def.retrieve = (qd_retrieve_mode)retrieve;
        def.margin = _i == 0 ? 0 : 5;
        def.capacity = 8;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_metrics m = qd_test_measure(world);
        ck_assert(m.tree_candidates == 0 && m.tree_tests == 0 && m.tree_tests_total == 0);
        qd_random random = qd_random_at(3, 0, 0);
        enum { N = 500 };
        qd_test_scatter(world, &random, N);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        uint64_t sum = 0;
        for (int step = 0; step < 4; ++step) {
            if (step > 0) qd_test_step(world, 1e-6, 1);
            m = qd_test_measure(world);
            qd_pairs *pairs = NULL;
            size_t count = 0;
            ck_assert_int_eq(qd_pairs_create(SIZE_MAX, NULL, &pairs), QD_OK);
            qd_team *team = NULL;
            const qd_team_def alone = qd_team_def_default();
            ck_assert_int_eq(qd_team_create(&alone, &team), QD_OK);
            ck_assert_int_eq((retrieve == QD_RETRIEVE_EACH ? qd_tree_pairs_each : qd_tree_pairs)(
                                 qd_world_tree(world), team, pairs),
                             QD_OK);
            (void)qd_pairs_data(pairs, &count);
            const uint64_t all = retrieve == QD_RETRIEVE_BRUTE ? N * (N - 1) / 2 : qd_pairs_tests(pairs);
            ck_assert_double_eq(m.tree_candidates, (double)count / N);
            ck_assert_uint_eq(m.tree_tests, step > 0 && _i == 1 ? 0 : all);
            sum += m.tree_tests;
            ck_assert_uint_eq(m.tree_tests_total, sum);
            qd_team_destroy(team);
            qd_pairs_destroy(pairs);
        }
        ck_assert_uint_gt(sum, 100);
    }
}

QD_TEST_MAIN("metrics", 240, NULL, NULL)
