// Crowds that fall on themselves or are churned, many of their own sizes in a step: they must not jam. What
// is stopped so that it passes through nothing has to come to the solver in the end, and to rest.
#include "sim/rigid/ccd.h"
#include "sim/world/world_impl.h"
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

QD_TEST_LOOP(what_falls_comes_to_rest, 0, (int)qd_test_effort(15)) {
    const size_t kind = (size_t)_i % 5;
    qd_own(qd_world) world = falling_crowd((uint64_t)_i, kind, QD_CONTINUOUS_AUTO);
    const double before = qd_test_measure(world).kinetic;
    qd_test_step(world, dt, 240);
    ck_assert_double_le(qd_test_measure(world).kinetic, .01 * before);
}

// ---- sticks ----

/// A crowd of sticks that lie across each other and drift slowly, seen from somebody who passes by; returns
/// how far they came in a second, as a part of what their momentum says.
static double way_of_sticks(double thickness, double speed) {
    enum { COUNT = 60, STEPS = 60 };
    qd_random random = qd_random_at(qd_test_seed(6), 0, 0);
    qd_world_def def = qd_test_def(100, 20);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.friction = .5;
    qd_own(qd_world) world = qd_test_world(&def);
    double start = 0, expected = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        qd_body_def body = qd_test_body_at(qd_shape_rect(1, thickness), qd_test_between(&random, 8, 12),
                                           qd_test_between(&random, 8, 12));
        body.angle = qd_test_between(&random, 0, pi);
        body.velocity.x = speed + qd_test_between(&random, -.5, .5);
        body.velocity.y = qd_test_between(&random, -.5, .5);
        body.spin = qd_test_between(&random, -3, 3);
        start += body.position.x / COUNT;
        expected += body.velocity.x * dt * STEPS / COUNT;
        (void)qd_test_add(world, &body);
    }
    qd_test_step(world, dt, STEPS);
    const qd_body_view view = qd_world_view(world);
    double came = -start;
    for (size_t r = 0; r < view.count; ++r) came += view.x[r] / COUNT;
    return came / expected;
}

// They stopped each other where they were, in every step: a falling heap hung in mid-air.
QD_TEST_LOOP(sticks_that_fly_together_get_on, 0, 6) {
    static const double thickness[] = {.1, .02, .005};
    const double part = way_of_sticks(thickness[_i % 3], _i < 3 ? 10 : 50);
    ck_assert_msg(part > .99 && part < 1.01, "came %g of their way", part);
}

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

/// What boxes in a drum have in the mean.
typedef struct drum_seen {
    double contacts, kinetic;
    double looks, most_looks; ///< of continuous collision: in a step, and in the one with the most
} drum_seen;

/// Boxes in a ring that turns, with four paddles (a scene of Box2D's benchmarks, smaller), after `steps`.
static drum_seen boxes_in_a_drum(qd_continuous mode, size_t steps, int threads) {
    enum { PARTS = 36, SIDE = 70 };
    qd_world_def def = qd_test_def(40, 40);
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    def.friction = .6;
    def.continuous = mode;
    def.threads = threads;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        qd_body_def body = qd_test_body_at(qd_shape_rect(length, length), 20 + .21 * (i % SIDE - .5 * SIDE),
                                           20 + .21 * (i / SIDE - .5 * SIDE));
        (void)qd_test_add(world, &body);
    }
    for (int i = 0; i < PARTS; ++i) {
        const double part = 2 * pi / PARTS, from = i * part, overlap = .1 * part;
        add_part(world, 16, 18, from - overlap, from + part + overlap);
        if (i % 9 == 0) add_part(world, 14, 16, from, from + part);
    }
    drum_seen seen = {0};
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, dt, 1);
        const double looks = world->scratch.ccd ? (double)world->scratch.ccd->looks / (SIDE * SIDE) : 0;
        seen.looks += looks / (double)steps;
        if (looks > seen.most_looks) seen.most_looks = looks;
    }
    size_t count;
    (void)qd_world_contacts(world, &count);
    seen.contacts = (double)count / (SIDE * SIDE);
    seen.kinetic = qd_test_measure(world).kinetic / (SIDE * SIDE);
    return seen;
}

// Boxes that are stopped by each other in each step keep the speed that they fell with.
QD_TEST(a_drum_lets_its_boxes_come_to_rest_in_it) {
    const drum_seen here = boxes_in_a_drum(QD_CONTINUOUS_AUTO, 160, 1),
                    off = boxes_in_a_drum(QD_CONTINUOUS_OFF, 160, 1);
    ck_assert_msg(here.contacts < 4, "%g contacts per box", here.contacts);
    ck_assert_msg(here.kinetic < 1.25 * off.kinetic, "%g, with ways that are not looked at %g", here.kinetic,
                  off.kinetic);
}

// What continuous collision may cost, however fast or slow a machine is.
QD_TEST(a_drum_takes_few_looks_the_same_for_any_team) {
    const drum_seen one = boxes_in_a_drum(QD_CONTINUOUS_AUTO, 160, 1),
                    three = boxes_in_a_drum(QD_CONTINUOUS_AUTO, 160, 3);
    printf("%g looks per box in a step, %g at most\n", one.looks, one.most_looks);
    // With other last digits of the friction it is .9 to 1.8, and 6 to 13 at most.
    ck_assert_msg(one.looks < 2.5 && one.most_looks < 18, "%g looks per box in a step, %g at most", one.looks,
                  one.most_looks);
    ck_assert(one.looks == three.looks && one.most_looks == three.most_looks);
}

// ---- a box that moves ----

/// What became of a heap, seen from its box.
typedef struct heap_seen {
    double speed;   ///< root of the mean square
    double overlap; ///< the largest one, in parts of half the length; slats may lie crosswise
    size_t outside;
} heap_seen;

/// A heap that falls together in a box of four thin kinematic rects which all move alike: what it is like
/// after ten seconds.
static heap_seen heap_in_a_box(size_t kind, double restitution, qd_vec2 velocity) {
    enum { SIDE = 14, STEPS = 600 };
    const double half = 4, thin = .02;
    qd_random random = qd_random_at(7, kind, 0);
    qd_world_def def = qd_test_def(40, 40);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.gravity = (qd_vec2){0, -10};
    def.restitution = restitution;
    def.friction = .3;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_room(world, (qd_vec2){20, 20}, half, thin, velocity, 0);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = kind < 4 ? member_of(kind, length) : qd_shape_rect(.19, .03); // slats
        body.position = (qd_vec2){17 + .4 * (i % SIDE) + .05 * qd_test_between(&random, 0, 1),
                                  17 + .4 * (double)(i / SIDE)};
        body.angle = qd_test_between(&random, 0, 6);
        body.velocity = (qd_vec2){velocity.x + qd_test_between(&random, -.5, .5),
                                  velocity.y + qd_test_between(&random, -.5, .5)};
        (void)qd_test_add(world, &body);
    }
    qd_test_step(world, dt, STEPS);
    const qd_body_view view = qd_world_view(world);
    heap_seen seen = {0, qd_test_measure(world).largest_overlap / (.5 * length), 0};
    for (size_t i = 0; i < view.count; ++i) {
        if (view.kind[i] != QD_BODY_DYNAMIC) continue;
        const double x = view.x[i] - 20 - velocity.x * dt * STEPS,
                     y = view.y[i] - 20 - velocity.y * dt * STEPS;
        seen.speed += (pow(view.vx[i] - velocity.x, 2) + pow(view.vy[i] - velocity.y, 2)) / (SIDE * SIDE);
        seen.outside += fabs(x) > half || fabs(y) > half;
    }
    seen.speed = sqrt(seen.speed);
    return seen;
}

QD_TEST_LOOP(a_heap_in_a_moving_box_rests_as_in_one_that_stands, 0, (int)qd_test_effort(30)) {
    static const qd_vec2 velocities[] = {{0, 12}, {0, 0}, {-20, 3}, {100, 50}, {0, 3}, {0, -30}};
    const size_t kind = (size_t)_i % 5;
    const heap_seen seen = heap_in_a_box(kind, _i % 3 * .25, velocities[_i % 6]);
    ck_assert_uint_eq(seen.outside, 0);
    ck_assert_msg(seen.speed < .02, "still %g fast", seen.speed);
    if (kind < 4) ck_assert_msg(seen.overlap < .08, "pressed together by %g", seen.overlap);
}

// A heap of small bodies, dozens deep: what carries it is pressed by a few hundredths of its size, where the
// springs of contacts would let it sink by half, and it lies still.
QD_TEST_LOOP(a_high_heap_does_not_sink_into_itself, 0, 6) {
    enum { ACROSS = 12, COUNT = 480 };
    static const int substeps[] = {4, 8, 16};
    static const double pressed[] = {.05, .03, .03}; // parts of the smaller size
    qd_random random = qd_random_at(qd_test_seed(3), (uint64_t)_i, 0);
    qd_world_def def = qd_test_def(6, 60);
    def.gravity = (qd_vec2){0, -9.81};
    def.restitution = .1;
    def.friction = .4;
    def.substeps = substeps[_i % 3];
    qd_own(qd_world) world = qd_test_world(&def);
    double inner[COUNT], worst = 0, fastest = 0;
    for (int i = 0; i < COUNT; ++i) {
        qd_body_def body = qd_body_def_default();
        inner[i] = i % 11 == 10 ? .1 : qd_test_between(&random, _i / 3 ? .12 : .04, .2);
        body.shape = i % 11 == 10 ? qd_shape_rect(.3, .2) : qd_shape_disk(inner[i]);
        body.position = (qd_vec2){.45 + .45 * (i % ACROSS) + .02 * (double)(i / ACROSS % 3),
                                  .3 + .45 * (double)(i / ACROSS)};
        (void)qd_test_add(world, &body);
    }
    qd_test_step(world, dt, 1500);
    size_t count;
    const qd_contact *contact = qd_world_contacts(world, &count);
    for (size_t i = 0; i < count; ++i) {
        const double a = inner[contact[i].a.index],
                     b = qd_id_is_wall(contact[i].b) ? HUGE_VAL : inner[contact[i].b.index];
        worst = fmax(worst, contact[i].touch[0].depth / fmin(a, b));
    }
    const qd_body_view view = qd_world_view(world);
    for (size_t r = 0; r < view.count; ++r) fastest = fmax(fastest, hypot(view.vx[r], view.vy[r]));
    ck_assert_msg(worst < pressed[_i % 3], "pressed together by %g of the size", worst);
    ck_assert_msg(fastest < .1, "still %g fast", fastest);
}

// ---- a block that is dropped ----

/// A block of boxes, disks, capsules or slabs side by side, 90 rows high, falls to the floor: the most
/// kinetic energy that it has again after it was stopped, as a part of what it came with.
static double thrown_back(size_t kind, int substeps, qd_continuous mode) {
    enum { ACROSS = 40, ROWS = 90, STEPS = 160 };
    const double room = 1.05 * length, height = kind == 3 ? .55 * length : room;
    qd_world_def def = qd_test_def(ACROSS * room + 2 * length, 60);
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    def.friction = .6;
    def.substeps = substeps;
    def.continuous = mode;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < ACROSS * ROWS; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = member_of(kind, length);
        body.position = (qd_vec2){length + room * (.5 + i % ACROSS + .1 * (double)(i / ACROSS % 2)),
                                  5 + height * (double)(i / ACROSS)};
        (void)qd_test_add(world, &body);
    }
    double most = 0, least = HUGE_VAL, again = 0;
    bool stopped = false;
    for (int k = 0; k < STEPS; ++k) {
        qd_test_step(world, dt, 1);
        const double now = qd_test_measure(world).kinetic;
        if (!stopped) most = fmax(most, now);
        stopped = stopped || now < .3 * most;
        if (!stopped) continue;
        if (now < least) again = 0;
        least = fmin(least, now);
        again = fmax(again, now);
    }
    return stopped ? again / most : 1;
}

// Its rows are pressed into each other where they are stopped: what pushes them out of that again must not
// throw them.
/// A box that falls on two that are so many times lighter, or on a pyramid of nine rows of them: the part of
/// the energy it came with that bodies have again afterwards.
static double rebound_of(double ratio, int substeps, bool pyramid) {
    enum { STEPS = 240 };
    qd_world_def def = qd_test_def(60, 60);
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = .6;
    def.substeps = substeps;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    const double side = sqrt(ratio);
    body.shape = qd_shape_rect(1, 1);
    for (int row = 0; row < (pyramid ? 9 : 1); ++row)
        for (int k = 0; k < (pyramid ? 10 - row : 2); ++k) {
            body.position = (qd_vec2){30 + (pyramid ? k - .5 * (9 - row) : (k - .5) * .9 * side), .5 + row};
            (void)qd_test_add(world, &body);
        }
    if (!pyramid) body.shape = qd_shape_rect(side, side);
    body.mass = ratio;
    body.position = (qd_vec2){30, pyramid ? 10.5 : 11 + .5 * side};
    (void)qd_test_add(world, &body);
    double most = 0, least = HUGE_VAL, again = 0;
    for (int k = 0; k < STEPS; ++k) {
        qd_test_step(world, dt, 1);
        const qd_metrics m = qd_test_measure(world);
        most = fmax(most, m.kinetic);
        least = fmin(least, m.kinetic + m.potential);
        again = fmax(again, m.kinetic + m.potential - least);
    }
    return again / most;
}

// Springs that yield no further were elastic: the box had up to .6 of its energy again.
QD_TEST_LOOP(what_falls_on_light_ones_is_not_thrown_back, 0, 24) {
    static const double ratios[] = {20, 100, 400, 1000};
    static const int substeps[] = {4, 8, 16};
    const bool pyramid = _i % 2;
    const double part = rebound_of(ratios[_i / 2 % 4], substeps[_i / 8], pyramid);
    ck_assert_msg(part < (pyramid ? .5 : .3), "%g of what it came with", part);
}

QD_TEST_LOOP(a_block_that_falls_does_not_bounce, 0, (int)qd_test_effort(16)) {
    static const int substeps[] = {4, 20, 8, 50};
    const qd_continuous mode = _i / 4 % 2 ? QD_CONTINUOUS_AUTO : QD_CONTINUOUS_OFF;
    const double part = thrown_back((size_t)_i % 4, substeps[_i / 8 % 4], mode);
    ck_assert_msg(part < .2, "%g of what it came with", part);
}

// ---- a large square runs into a wall of small ones ----

typedef struct run_over {
    double way;    ///< of the large one
    size_t buried; ///< small ones with their middles deeper in it than their size
} run_over;

/// A square of `ratio` times the size of the small ones that its way is blocked by, which goes `lengths` of
/// these in a step at first.
static run_over run_into(uint64_t seed, double ratio, double lengths, qd_continuous mode) {
    enum { ACROSS = 24, HIGH = 48, STEPS = 30 };
    qd_random random = qd_random_at(seed, 0, 0);
    const double half = .5 * ratio * length, speed = lengths * length / dt;
    qd_world_def def = qd_test_def(200, 100);
    def.restitution = seed % 3 == 0 ? .3 : 0;
    def.friction = qd_test_between(&random, 0, .8);
    def.continuous = mode;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2 * half, 2 * half), 50 - half - 1.3 * length * lengths,
                                       50);
    body.velocity.x = speed;
    body.density = qd_test_between(&random, 2, 20);
    const double start = body.position.x, room = length * fmax(1, qd_test_between(&random, .5, 2));
    const qd_id large = qd_test_add(world, &body);
    for (int i = 0; i < ACROSS * HIGH; ++i) {
        body = qd_body_def_default();
        body.shape = seed % 2 ? qd_shape_disk(.5 * length) : qd_shape_rect(length, length);
        body.position = (qd_vec2){50 + .5 * length + room * (double)(i % ACROSS),
                                  50 + room * (.5 * (1 - HIGH) + (double)(i / ACROSS))};
        (void)qd_test_add(world, &body);
    }
    qd_test_step(world, dt, STEPS);
    const qd_body_view view = qd_world_view(world);
    const uint32_t row = qd_body_view_row(&view, large);
    const double c = view.turn_c[row], s = view.turn_s[row];
    run_over seen = {.way = view.x[row] - start};
    for (size_t r = 0; r < view.count; ++r) {
        if (r == row) continue;
        const double x = view.x[r] - view.x[row], y = view.y[r] - view.y[row];
        seen.buried += half - fmax(fabs(x * c + y * s), fabs(y * c - x * s)) > length;
    }
    return seen;
}

// It must go through them as with `off`, neither over them nor slower.
QD_TEST_LOOP(a_large_one_drives_small_ones, 0, (int)qd_test_effort(8)) {
    const uint64_t seed = qd_test_seed(4) + (uint64_t)_i;
    qd_random random = qd_random_at(seed, 1, 0);
    const double ratio = qd_test_between(&random, 5, 30), lengths = qd_test_between(&random, 1.2, 8);
    const run_over off = run_into(seed, ratio, lengths, QD_CONTINUOUS_OFF),
                   seen = run_into(seed, ratio, lengths, QD_CONTINUOUS_AUTO);
    ck_assert_msg(seen.buried <= off.buried + 2, "%zu buried, %zu with off", seen.buried, off.buried);
    ck_assert_msg(seen.way > .8 * off.way, "came %g far, %g with off", seen.way, off.way);
}

// ---- a bar through a heap ----

/// Contacts a body in the worst of the steps that were taken, and how many bodies were passed in all.
typedef struct stirred {
    double most;
    uint64_t passed;
} stirred;

static stirred stir(qd_world *world, size_t bodies, int steps) {
    stirred seen = {0};
    for (int k = 0; k < steps; ++k) {
        qd_test_step(world, dt, 1);
        size_t count;
        (void)qd_world_contacts(world, &count);
        seen.most = fmax(seen.most, (double)count / (double)bodies);
    }
    seen.passed = qd_world_total(world).unfollowed;
    return seen;
}

/// A bar turns in a heap in a ring, whose bottom it nearly touches (like the scene `spinner` of Box2D's
/// benchmarks); its ends come so many lengths far in a step.
static stirred stir_by_turning(double lengths) {
    enum { EDGES = 90, SIDE = 36, STEPS = 80 };
    const double radius = 8, half = 4;
    qd_world_def def = qd_test_def(20, 20);
    def.gravity = (qd_vec2){0, -10};
    def.restitution = def.friction = .1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_vec2 ring[EDGES];
    for (int i = 0; i < EDGES; ++i)
        ring[i] = (qd_vec2){10 + radius * qd_cos(2 * pi * i / EDGES),
                            10 + radius * qd_sin(2 * pi * i / EDGES)};
    qd_body_def body = qd_body_def_default();
    ck_assert_int_eq(qd_world_add_polyline(world, ring, EDGES, true, &body, NULL, NULL), QD_OK);
    body.kind = QD_BODY_KINEMATIC;
    body.shape = qd_shape_rect(length, 2 * half);
    body.position = (qd_vec2){10, 6.2};
    body.spin = lengths * length / (half * dt);
    (void)qd_test_add(world, &body);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const double x = 1.05 * length * (i % SIDE - .5 * SIDE) + .03, y = 1.05 * length * (i / SIDE);
        if (fabs(x) < length) continue; // where the bar is
        body = qd_test_body_at(member_of((size_t)i % 4, length), 10 + x, 4.2 + y);
        (void)qd_test_add(world, &body);
    }
    return stir(world, SIDE * SIDE, STEPS);
}

// What is driven faster than a heap makes way must not press all of it into one place.
QD_TEST(a_bar_turns_in_a_heap) {
    const stirred slow = stir_by_turning(.2), fast = stir_by_turning(2.5);
    ck_assert_uint_eq(slow.passed, 0);
    ck_assert_msg(slow.most < 5, "%g contacts a body", slow.most);
    ck_assert_uint_gt(fast.passed, 0);
    ck_assert_msg(fast.most < 15, "%g contacts a body", fast.most);
}

/// A bar that goes three lengths a step through a heap, along a channel between two walls, static bodies or
/// those of the world, which its ends leave `gap` to; returns how many of the heap are behind it.
static size_t push_along(double gap, bool walls, stirred *seen) {
    enum { ACROSS = 20, ALONG = 40, STEPS = 13 };
    const double half = .5 * 1.05 * length * ACROSS, reach = half - gap;
    qd_world_def def = qd_test_def(100, walls ? 2 * half : 100);
    def.origin = (qd_vec2){0, walls ? -half : -50};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    for (int k = -1; k <= 1 && !walls; k += 2) {
        const qd_vec2 line[] = {{0, k * half}, {100, k * half}};
        ck_assert_int_eq(qd_world_add_polyline(world, line, 2, false, &body, NULL, NULL), QD_OK);
    }
    body.kind = QD_BODY_KINEMATIC;
    body.shape = qd_shape_rect(.5 * length, 2 * reach);
    body.position = (qd_vec2){10, 0};
    body.velocity.x = 3 * length / dt;
    const qd_id bar = qd_test_add(world, &body);
    for (int i = 0; i < ACROSS * ALONG; ++i) {
        body = qd_test_body_at(member_of((size_t)i, length), 11 + 1.05 * length * (double)(i / ACROSS),
                               1.05 * length * (i % ACROSS + .5 - .5 * ACROSS));
        (void)qd_test_add(world, &body);
    }
    *seen = stir(world, ACROSS * ALONG, STEPS);
    const double at = qd_test_body(world, bar).position.x;
    const qd_body_view view = qd_world_view(world);
    size_t behind = 0;
    for (size_t r = 0; r < view.count; ++r) behind += view.kind[r] == QD_BODY_DYNAMIC && view.x[r] < at;
    return behind;
}

// A piston lets nobody by, however it presses them; what others can go around does.
QD_TEST_LOOP(a_piston_lets_nobody_by, 0, 2) {
    stirred seen;
    ck_assert_uint_eq(push_along(.1 * length, _i, &seen), 0);
    ck_assert_uint_eq(seen.passed, 0);
    (void)push_along(4 * length, _i, &seen);
    ck_assert_uint_gt(seen.passed, 0);
}

// Also where nobody is stopped.
QD_TEST(who_is_passed_is_counted) {
    enum { ACROSS = 30, ALONG = 10 };
    const double radius = .5 * length, way = 1.2 * length, half = 5 * length, thick = .25 * length;
    const qd_world_def def = qd_test_def(100, 100);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2 * thick, 2 * half), 50, 50);
    body.kind = QD_BODY_KINEMATIC;
    body.velocity.x = way / dt;
    (void)qd_test_add(world, &body);
    size_t met = 0;
    for (int i = 0; i < ACROSS * ALONG; ++i) { // as dense as disks can lie, but for a gap
        const int row = i / ACROSS;
        const double x = thick + .51 * length + .875 * length * row,
                     y = 1.01 * length * (i % ACROSS - .5 * ACROSS + .5 * (row % 2)),
                     ahead = fmax(x - way - thick, 0), beside = fmax(fabs(y) - half, 0);
        body = qd_test_body_at(qd_shape_disk(radius), 50 + x, 50 + y);
        (void)qd_test_add(world, &body);
        met += sqrt(ahead * ahead + beside * beside) < radius;
    }
    ck_assert_uint_eq(stir(world, ACROSS * ALONG, 1).passed, met);
}

QD_TEST_MAIN("crowd", 300, NULL, NULL)
