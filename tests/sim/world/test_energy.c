// Worlds that nobody designed, without a drive: whatever their bodies, surfaces, step and solver, none gains
// energy. More than 1 % of what was turned over is a gain: of all that bodies lost, and all that their
// kinetic and potential energy changed by. Where bodies are put into each other, what parts them may lift
// them, which is the drift, and so they may fall; but nothing else makes them faster.
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/wild.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>

enum { STEPS = 60 };

/// A world of the kind, and how it is made.
typedef struct wild {
    qd_world *world;
    qd_test_wild of;
} wild;

/// A place that is free, or may be taken where bodies may overlap.
static bool find_place(qd_random *random, const wild *made, double r, qd_vec2 *place) {
    const double side = 12 * made->of.scale;
    for (int attempt = 0; attempt < 40; ++attempt) {
        *place = (qd_vec2){qd_test_between(random, 1.5 * r, side - 1.5 * r),
                           qd_test_between(random, 1.5 * r, side - 1.5 * r)};
        if (made->of.overlapping && qd_test_chance(random, .5)) return true;
        qd_body_view view = qd_world_view(made->world);
        bool is_free = true;
        for (size_t i = 0; i < view.count && is_free; ++i) {
            double x = view.x[i] - place->x, y = view.y[i] - place->y, sum = view.radius[i] + 1.5 * r;
            is_free = x * x + y * y > sum * sum;
        }
        if (is_free) return true;
    }
    return false;
}

static wild wild_world(uint64_t seed, double restitution) {
    qd_random random = qd_random_at(seed, 0, 0);
    wild made;
    qd_world_def def = qd_test_wild_def(&random, -3.3, -1, &made.of);
    made.world = qd_test_world(&def);
    if (restitution > 0) made.world->def.restitution = made.world->walls.restitution = restitution;
    const double ratio = qd_test_between(&random, 0, 3), fill = qd_test_between(&random, .2, .6) * 144;
    double area = 0;
    for (int i = 0; i < 120 && area < fill; ++i) {
        double size = .8 * qd_pow(10, -ratio * qd_random_uniform(&random)), r = size * made.of.scale;
        qd_body_def body = qd_body_def_default();
        body.shape = qd_test_wild_shape(&random, r);
        body.density = qd_test_chance(&random, .3) ? qd_test_power(&random, -3, 3) : 1;
        body.angle = qd_test_between(&random, 0, 6);
        if (!find_place(&random, &made, r, &body.position)) continue;
        double speed = qd_test_chance(&random, .5) ? 0
                                                   : qd_test_power(&random, -1, 1.5) * sqrt(made.of.scale);
        body.velocity = (qd_vec2){qd_test_between(&random, -speed, speed),
                                  qd_test_between(&random, -speed, speed)};
        body.spin = qd_test_chance(&random, .5) ? 0 : qd_test_between(&random, -1, 1) * speed / r;
        if (qd_test_chance(&random, .05)) body.kind = QD_BODY_STATIC;
        area += 3 * size * size;
        (void)qd_test_add(made.world, &body);
    }
    return made;
}

/// The largest gain of a world, as a part of what it has turned over in the end.
static double gain_of(wild made) {
    qd_test_gauge gauge;
    qd_test_gauge_begin(&gauge, made.world, made.of.overlapping);
    for (int k = 0; k < STEPS; ++k) {
        qd_test_step(made.world, made.of.dt, 1);
        qd_test_gauge_step(&gauge, made.world, NULL);
    }
    qd_world_destroy(made.world);
    return qd_test_gauge_gain(&gauge);
}

/// The same of the world of a seed.
static double largest_gain(uint64_t seed, double restitution) {
    return gain_of(wild_world(seed, restitution));
}

QD_TEST(no_world_gains_energy) {
    const uint64_t seed = qd_test_seed(1), cases = qd_test_replaying() ? 1 : qd_test_effort(400);
    double most = 0;
    uint64_t whose = seed;
    for (uint64_t k = seed; k < seed + cases; ++k) {
        double gain = largest_gain(k, 0);
        ck_assert_msg(gain <= 0.01, "a gain of %g, seed %llu", gain, (unsigned long long)k);
        if (gain <= most) continue;
        most = gain;
        whose = k;
    }
    qd_test_count(cases);
    printf("largest gain %g, seed %llu\n", most, (unsigned long long)whose);
}

// A heavy disk falls on a light box that it overlaps: the push out of the overlap stayed in it over many
// sub-steps, and threw it. A body in the floor that parts from it in the step as it is was lifted out
// besides. Heavy bodies on light ones that they overlap were thrown where steps are short. Elastic sticks
// that turn by a radian or more in a step were lifted out of the floor while they bounced off it.
QD_TEST_LOOP(what_gained_once_gains_no_more, 0, 9) {
    const uint64_t seed[] = {9074, 2843, 1000002164, 30314, 211098, 357449, 1000002189, 6000002792, 2009852};
    ck_assert_double_le(largest_gain(seed[_i], 0), 0.01);
}

// A light body between a heavy one and a wall: with stiff springs against both, whether it was thrown hung on
// the last bits of what came before, in four of ten such worlds.
QD_TEST(what_is_pressed_into_a_wall_is_not_thrown) {
    for (int k = 0; k < 40; ++k) {
        wild made = wild_world(912, 0);
        qdi_traits *traits = &made.world->traits;
        for (size_t t = 0; t <= traits->numbers.count; ++t) traits->trait[t].surface.friction *= 1 + 1e-9 * k;
        const double gain = gain_of(made);
        ck_assert_msg(gain <= 0.005, "a gain of %g, number %d", gain, k);
    }
}

// ---- what overlaps a light body ----

/// A light disk in the floor of a world of gravity 10, and a heavy box in the disk, aside of its middle; both
/// overlaps are of `overlap` radii. Steps are of so many times sqrt(r / g).
typedef struct lift {
    double radius, step, aside, overlap;
    int substeps;
} lift;
enum { LIFT_RATIO = 300000 };

static qd_world *box_in_a_disk(const lift *of) {
    const double r = of->radius;
    qd_world_def def = qd_test_def(10 * r, 10 * r);
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = .4;
    def.substeps = of->substeps;
    qd_world *world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_disk(r), 5 * r, (1 - of->overlap) * r);
    body.mass = 1;
    (void)qd_test_add(world, &body);
    body = qd_test_body_at(qd_shape_rect(2 * r, 2 * r), (5 - of->aside) * r, (3 - 2 * of->overlap) * r);
    body.mass = LIFT_RATIO;
    (void)qd_test_add(world, &body);
    return world;
}

/// The most kinetic energy in some steps, in parts of what the box has after a fall through a radius.
static double speed_of_a_lift(const lift *of) {
    qd_own(qd_world) world = box_in_a_disk(of);
    double most = 0;
    for (int k = 0; k < STEPS; ++k) {
        qd_test_step(world, of->step * sqrt(of->radius / 10), 1);
        most = fmax(most, qd_test_measure(world).kinetic / (LIFT_RATIO * 10 * of->radius));
    }
    return most;
}

// The shorter the step, the faster it was: up to hundreds of falls through a radius.
QD_TEST_LOOP(what_overlaps_a_light_body_is_not_thrown, 0, 72) {
    static const double steps[] = {5e-3, 1e-3, 1e-4}, radii[] = {.01, 1, 300}, asides[] = {.3, .9},
                        overlaps[] = {.25, .5};
    static const int substeps[] = {20, 88};
    const lift of = {.radius = radii[_i / 3 % 3],
                     .step = steps[_i % 3],
                     .aside = asides[_i / 9 % 2],
                     .overlap = overlaps[_i / 18 % 2],
                     .substeps = substeps[_i / 36]};
    const double fall = speed_of_a_lift(&of);
    ck_assert_msg(fall < .05, "as fast as after %g falls", fall);
}

// And yet it gets out, in about the time of such a fall.
QD_TEST_LOOP(what_overlaps_a_light_body_gets_out_of_it, 0, 12) {
    static const double steps[] = {1e-2, 3e-3, 1e-3}, radii[] = {.01, 300};
    static const int substeps[] = {20, 88};
    const lift of = {.radius = radii[_i / 3 % 2],
                     .step = steps[_i % 3],
                     .aside = .3,
                     .overlap = .5,
                     .substeps = substeps[_i / 6]};
    qd_own(qd_world) world = box_in_a_disk(&of);
    qd_test_step(world, of.step * sqrt(of.radius / 10), (size_t)(1.2 / of.step));
    const double overlap = qd_test_measure(world).largest_overlap / of.radius;
    ck_assert_msg(overlap < .1, "still %g radii deep", overlap);
}

// What this test would say of a solver that gives 5 % more speed than it should.
QD_TEST(a_planted_gain_is_seen) {
    int seen = 0;
    for (uint64_t k = 1; k <= 100; ++k) seen += largest_gain(k, 1.05) > 0.01;
    ck_assert_int_ge(seen, 5);
}

/// A large disk falls on a bed of small ones: the highest energy on the way, and the last, as parts of the
/// first.
static void press_a_bed(double restitution, qd_continuous continuous, int substeps, double *most,
                        double *last) {
    qd_world_def def = qd_test_def(4, 10);
    def.gravity.y = -9.81;
    def.restitution = restitution;
    def.friction = .3;
    def.continuous = continuous;
    def.substeps = substeps;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < 200; ++i)
        qd_test_disk(world, .1 + .19 * (i % 20) + .01 * (double)(i / 20 % 2), .05 + .1 * (double)(i / 20), 0,
                     0, .05, 0);
    qd_test_disk(world, 2, 5, 0, 0, 1, 0);
    qd_world_sums sums = qd_world_sum(world);
    const double start = sums.kinetic + sums.potential;
    *most = 0;
    for (int k = 0; k < 400; ++k) {
        qd_test_step(world, .01, 1);
        sums = qd_world_sum(world);
        *last = (sums.kinetic + sums.potential) / start;
        if (*last > *most) *most = *last;
    }
    qd_world_destroy(world);
}

QD_TEST_LOOP(a_bed_takes_what_falls_on_it, 0, 27) {
    const double restitution[] = {0, .3, .9};
    const qd_continuous modes[] = {QD_CONTINUOUS_OFF, QD_CONTINUOUS_AUTO, QD_CONTINUOUS_ON};
    const int substeps[] = {1, 4, 30};
    double most, last;
    press_a_bed(restitution[_i % 3], modes[_i / 3 % 3], substeps[_i / 9], &most, &last);
    ck_assert_double_le(most, 1.0001);
    ck_assert_double_le(last, .5); // it lies on the floor
}

// Boxes that were put down into each other part without any speed.
QD_TEST(overlapping_boxes_part_quietly) {
    qd_world_def def = qd_world_def_default();
    def.restitution = 0;
    def.friction = .6;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(1, 1);
    for (int i = 0; i < 400; ++i) {
        body.position = (qd_vec2){40 + .8 * (i % 20), 40 + .8 * (double)(i / 20)};
        (void)qd_test_add(world, &body);
    }
    for (int k = 0; k < 200; ++k) {
        qd_test_step(world, 1.0 / 60, 1);
        ck_assert(qd_world_sum(world).kinetic == 0);
    }
}

/// Boxes in rows, each row shorter by one than the one below, side by side without gaps. Returns the one at
/// the top.
static qd_id pile_up(qd_world *world, int rows) {
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(1, 1);
    qd_id top = {0, 0};
    for (int i = 0; i < rows; ++i) {
        for (int k = i; k < rows; ++k) {
            body.position = (qd_vec2){10 + .5 * (i + 1) + (k - i), i + .5};
            top = qd_test_add(world, &body);
        }
    }
    return top;
}

QD_TEST_LOOP(pyramids_stand, 0, 5) {
    const int rows[] = {10, 10, 10, 50, 50}, substeps[] = {4, 30, 100, 4, 13};
    const double sunk[] = {.02, .001, 1e-4, .25, .04}; // less with more sub-steps
    qd_world_def def = qd_test_def(rows[_i] + 20, rows[_i] + 20);
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = .6;
    def.substeps = substeps[_i];
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id top = pile_up(world, rows[_i]);
    double x = qd_test_body(world, top).position.x;
    for (int k = 0; k < 200; ++k) {
        qd_test_step(world, 1.0 / 60, 1);
        ck_assert_double_le(qd_test_body(world, top).position.y, rows[_i] - .5 + 1e-9); // it never rises
    }
    qd_vec2 end = qd_test_body(world, top).position;
    ck_assert_double_ge(end.y, rows[_i] - .5 - sunk[_i]);
    ck_assert_double_eq_tol(end.x, x, .02);
}

// A block rests on two that are a thousand times lighter.
QD_TEST(heavy_on_light) {
    qd_world_def def = qd_test_def(20, 20);
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = .6;
    def.substeps = 16;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(1, 1), 8.5, .5);
    (void)qd_test_add(world, &body);
    body.position.x = 11.5;
    (void)qd_test_add(world, &body);
    body.shape = qd_shape_rect(5, 1);
    body.position = (qd_vec2){10, 1.5};
    body.mass = 1000;
    qd_id heavy = qd_test_add(world, &body);
    qd_test_step(world, 1.0 / 60, 600);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_le(m.largest_overlap, .05 * .5);
    ck_assert_double_le(m.kinetic, 1e-9);
    ck_assert_double_ge(qd_test_body(world, heavy).position.y, 1.45);
}

/// A closed polyline that turns, with disks of many sizes in it; returns how many end outside.
static int leaks_of_a_drum(uint64_t seed, int disks, int steps) {
    enum { CORNERS = 48 };
    qd_vec2 corner[CORNERS];
    for (int k = 0; k < CORNERS; ++k)
        corner[k] = (qd_vec2){8 * qd_cos(6.283185307179586 * k / CORNERS),
                              8 * qd_sin(6.283185307179586 * k / CORNERS)};
    qd_world_def def = qd_test_def(40, 40);
    def.origin = (qd_vec2){-20, -20};
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.gravity.y = -10;
    def.restitution = .2;
    def.friction = .5;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def drum = qd_body_def_default();
    drum.kind = QD_BODY_KINEMATIC;
    drum.spin = 1;
    drum.pivot = (qd_vec2){0, 0};
    ck_assert_int_eq(qd_world_add_polyline(world, corner, CORNERS, true, &drum, NULL, NULL), QD_OK);
    qd_random random = qd_random_at(seed, 1, 0);
    for (int added = 0; added < disks;) {
        double r = .06 / sqrt(1 - .99 * qd_random_uniform(&random));
        double x = qd_test_between(&random, -7, 7), y = qd_test_between(&random, -7, 7);
        if (sqrt(x * x + y * y) + r > 7.6) continue;
        qd_test_disk(world, x, y, 0, 0, r, 0); // they may overlap
        ++added;
    }
    qd_test_step(world, 1.0 / 60, (size_t)steps);
    qd_body_view view = qd_world_view(world);
    int out = 0;
    for (size_t i = 0; i < view.count; ++i)
        out += view.kind[i] == QD_BODY_DYNAMIC && view.x[i] * view.x[i] + view.y[i] * view.y[i] > 8.1 * 8.1;
    return out;
}

QD_TEST(a_drum_keeps_what_is_in_it) {
    ck_assert_int_eq(leaks_of_a_drum(qd_test_seed(1), 150, 300), 0);
}

// A small disk on a line, under a large one.
QD_TEST(a_line_holds_what_is_pressed_on_it) {
    qd_world_def def = qd_test_def(20, 20);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.gravity.y = -10;
    def.restitution = 0;
    def.friction = .6;
    qd_own(qd_world) world = qd_test_world(&def);
    const qd_vec2 line[2] = {{0, 1}, {20, 1}};
    qd_body_def edge = qd_body_def_default();
    ck_assert_int_eq(qd_world_add_polyline(world, line, 2, false, &edge, NULL, NULL), QD_OK);
    qd_id small = qd_test_disk(world, 10, 1.06, 0, 0, .06, 0);
    qd_test_disk(world, 10, 1.52, 0, 0, .4, 0);
    qd_test_step(world, 1.0 / 60, 300);
    ck_assert_double_ge(qd_test_body(world, small).position.y, 1);
}

QD_TEST_MAIN("energy", 600, NULL, NULL)
