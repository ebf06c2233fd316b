// Forces from afar against closed forms: attraction, drag, the callback.

#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>

static qd_world_def empty_def(void) {
    qd_world_def def = qd_test_open_def();
    return def;
}

// ---- gravity and drag, whatever the step ----

// Thrown under gravity and linear drag: v = g/k + (v0 - g/k) e^-kt, x = x0 + g t/k + (v0 - g/k) (1 -
// e^-kt)/k.
QD_TEST_LOOP(linear_drag_is_exact, 0, 15) {
    const double rates[] = {1e-9, 1e-3, 0.3, 5, 400}, steps[] = {0.001, 0.1, 2};
    double k = rates[_i % 5], dt = steps[_i / 5];
    qd_world_def def = empty_def();
    def.gravity = (qd_vec2){0.5, -9.81};
    def.drag.linear = k;
    def.drag.medium = (qd_vec2){-2, 1};
    def.contact = (qd_contact_model)(_i % 2);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 10, 20, 3, 40, 0.5, 7);
    size_t n = 20;
    qd_test_step(world, dt, n);
    qd_body_state body = qd_test_body(world, id);
    double t = (double)n * dt, g[2] = {0.5, -9.81}, m[2] = {-2, 1}, v0[2] = {3, 40}, x0[2] = {10, 20};
    double at[2] = {body.position.x, body.position.y}, v[2] = {body.velocity.x, body.velocity.y};
    for (int c = 0; c < 2; ++c) {
        double u = v0[c] - m[c], fade = exp(-k * t), p1 = -expm1(-k * t) / k;
        double p2 = k * t > 1e-3 ? (t - p1) / k : t * t / 2 - k * t * t * t / 6 + k * k * t * t * t * t / 24;
        double speed = m[c] + u * fade + g[c] * p1, way = m[c] * t + u * p1 + g[c] * p2;
        qd_test_near(v[c], speed, 1e-12 * (50 + fabs(g[c]) * t), "velocity");
        qd_test_near(at[c] - x0[c], way, 1e-11 * (50 + fabs(way)), "way");
    }
}

// Without drag the parabola, to rounding: also along the way that flights take.
QD_TEST_LOOP(projectiles_stay_exact, 0, 2) {
    qd_world_def def = empty_def();
    def.gravity = (qd_vec2){0, -9.81};
    if (_i == 1) def.drag.spin = 0.5; // a flight without drag of its own
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 0, 0, 3, 40, 0.5, 1);
    qd_test_step(world, 0.01, 300);
    qd_body_state body = qd_test_body(world, id);
    qd_test_near(body.position.x, 9, 1e-12 * 50, "x");
    qd_test_near(body.position.y, 40 * 3 - 9.81 * 9 / 2, 1e-12 * 200, "y");
    qd_test_near(body.velocity.y, 40 - 9.81 * 3, 1e-12 * 50, "vy");
}

// dv/dt = -k v - q v^2 along a line: v = k v0 e^-kt / (k + q v0 (1 - e^-kt)), x = log(1 + q v0 (1 - e^-kt)/k)
// / q.
QD_TEST_LOOP(quadratic_drag_is_exact_without_forces, 0, 4) {
    double k = _i % 2 ? 0.7 : 0, q = _i / 2 ? 0.25 : 1e-7, dt = 0.25, v0 = 40, t = 5;
    qd_world_def def = empty_def();
    def.drag = (qd_drag){.linear = k, .quadratic = q};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 0, 0, v0 * 0.6, v0 * 0.8, 0.5, 1);
    qd_test_step(world, dt, 20);
    qd_body_state body = qd_test_body(world, id);
    double p = k > 0 ? -expm1(-k * t) / k : t;
    double speed = v0 * exp(-k * t) / (1 + q * v0 * p), way = log1p(q * v0 * p) / q;
    qd_test_near(body.velocity.x, 0.6 * speed, 1e-12 * v0, "vx");
    qd_test_near(body.velocity.y, 0.8 * speed, 1e-12 * v0, "vy");
    qd_test_near(body.position.x, 0.6 * way, 1e-11 * way, "x");
    qd_test_near(body.position.y, 0.8 * way, 1e-11 * way, "y");
}

// A fall against quadratic drag: v = V tanh(g t / V), V = sqrt(g/q). Second order, and never backwards.
QD_TEST(terminal_velocity) {
    double g = 9.81, q = 0.1, error[2], terminal = sqrt(g / q);
    for (int k = 0; k < 2; ++k) {
        qd_world_def def = empty_def();
        def.gravity.y = -g;
        def.drag.quadratic = q;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_id id = qd_test_disk(world, 0, 0, 0, 0, 0.5, 1);
        qd_test_step(world, 0.02 / (1 + k), 50 * (1 + (size_t)k));
        error[k] = qd_test_body(world, id).velocity.y + terminal * tanh(g / terminal);
    }
    ck_assert_double_lt(fabs(error[0]), 2e-3);
    qd_test_near(error[0] / error[1], 4, 0.2, "ratio of the errors of two steps");
}

QD_TEST_LOOP(no_step_turns_a_velocity_round, 0, 2) {
    qd_world_def def = empty_def();
    def.drag = (qd_drag){.linear = _i == 0 ? 1e4 : 0, .quadratic = _i == 1 ? 1e6 : 0, .spin = 1e5};
    def.friction = 0.1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.velocity = (qd_vec2){5, -3};
    body.spin = 7;
    qd_id id = qd_test_add(world, &body);
    for (int k = 0; k < 50; ++k) {
        qd_test_step(world, 10, 1);
        qd_body_state state = qd_test_body(world, id);
        ck_assert(state.velocity.x >= 0 && state.velocity.y <= 0 && state.spin >= 0);
        ck_assert(state.position.x >= 0 && state.position.x <= 1 && state.position.y <= 0);
    }
}

// w = w0 e^-kt, angle = w0 (1 - e^-kt) / k.
QD_TEST(spin_drag_is_exact) {
    qd_world_def def = empty_def();
    def.drag.spin = 0.8;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(2, 1);
    body.spin = 1.5;
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 0.1, 20);
    qd_body_state state = qd_test_body(world, id);
    double angle = 1.5 * -expm1(-1.6) / 0.8;
    qd_test_near(state.spin, 1.5 * exp(-1.6), 1e-13, "spin");
    qd_test_near(state.turn.x, cos(angle), 1e-13, "cosine");
    qd_test_near(state.turn.y, sin(angle), 1e-13, "sine");
}

// ---- attraction ----

static double worst_energy(qd_pull_law law, double softening, double dt, size_t steps) {
    qd_world_def def = empty_def();
    if (law != QD_PULL_INVERSE_SQUARE) def.gravity = (qd_vec2){0.002, -0.001}; // that orbit would tilt away
    def.attraction = (qd_attraction){.law = law, .at = {50, 50}, .strength = 3, .softening = softening};
    qd_own(qd_world) world = qd_test_world(&def);
    const double circle[] = {sqrt(18), sqrt(3), sqrt(0.5)};
    qd_test_disk(world, 56, 50, 0, 0.8 * circle[law], 0.1, 2); // an ellipse, or what the law makes of it
    double first = qd_test_energy(world), worst = 0;
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, dt, 1);
        double off = fabs(qd_test_energy(world) - first);
        if (off > worst) worst = off;
    }
    return worst;
}

// Half the step, a quarter of the error; and ten times as long no more of it: the energy does not drift.
QD_TEST_LOOP(falling_towards_a_point_keeps_energy, 0, 6) {
    qd_pull_law law = (qd_pull_law)(_i % 3);
    double softening = _i / 3 ? 0.5 : 0, dt = law == QD_PULL_INVERSE_SQUARE ? 0.05 : 0.02;
    double coarse = worst_energy(law, softening, dt, 1200), fine = worst_energy(law, softening, dt / 2, 2400);
    double longer = worst_energy(law, softening, dt, 12000);
    ck_assert_msg(coarse < 0.01, "law %d: energy is off by %g", (int)law, coarse);
    qd_test_near(coarse / fine, 4, 0.6, "ratio of the errors of two steps");
    ck_assert_msg(longer < 3 * coarse, "law %d: %g after ten times as long, %g before", (int)law, longer,
                  coarse);
}

// Once around a circle of radius r under 1/r^2: period 2 pi sqrt(r^3 / GM).
QD_TEST(circular_orbit_closes) {
    qd_world_def def = empty_def();
    def.attraction = (qd_attraction){.law = QD_PULL_INVERSE_SQUARE, .at = {50, 50}, .strength = 8};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 52, 50, 0, 2, 0.1, 5);
    double period = 2 * 3.14159265358979312;
    qd_test_step(world, period / 10000, 10000);
    qd_body_state body = qd_test_body(world, id);
    qd_test_near(body.position.x, 52, 4e-6, "x");
    qd_test_near(body.position.y, 50, 4e-6, "y");
}

// The potential energy is that of the force: its slope, found by two worlds.
QD_TEST_LOOP(potential_matches_the_force, 0, 6) {
    qd_world_def def = empty_def();
    def.attraction = (qd_attraction){
        .law = (qd_pull_law)(_i % 3), .at = {1, 2}, .strength = -4, .softening = 0.25 * (_i / 3)};
    double h = 1e-5, energy[2];
    for (int k = 0; k < 2; ++k) {
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_disk(world, 4 + (k ? h : -h), 6, 0, 0, 0.5, 3);
        energy[k] = qd_world_sum(world).potential;
    }
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 4, 6, 0, 0, 0.5, 3);
    double dt = 1e-6;
    qd_test_step(world, dt, 1);
    double force = 3 * qd_test_body(world, id).velocity.x / dt;
    ck_assert_double_gt(force, 0); // it repels
    qd_test_near(-(energy[1] - energy[0]) / (2 * h), force, 1e-5, "force");
}

QD_TEST_LOOP(nothing_pulls_in_the_centre, 0, 3) {
    qd_world_def def = empty_def();
    def.attraction = (qd_attraction){.law = (qd_pull_law)(_i % 3), .at = {5, 5}, .strength = 1};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 5, 5, 0, 0, 0.5, 1);
    qd_test_step(world, 0.1, 10);
    ck_assert_double_eq(qd_test_body(world, id).position.x, 5);
    ck_assert_double_eq(qd_world_sum(world).potential, 0);
}

// Across a periodic side it is nearer that way.
QD_TEST(attraction_takes_the_shorter_way) {
    qd_world_def def = empty_def();
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    def.attraction = (qd_attraction){.law = QD_PULL_CONSTANT, .at = {95, 50}, .strength = 1};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id = qd_test_disk(world, 10, 50, 0, 0, 0.5, 1);
    qd_test_step(world, 0.5, 1);
    qd_test_near(qd_test_body(world, id).velocity.x, -0.5, 1e-15, "velocity");
}

// Disks that fall on a fixed one come to rest around it: the threshold knows of the attraction.
QD_TEST(a_planet_is_settled) {
    qd_world_def def = empty_def();
    def.restitution = 0.5;
    def.friction = 0.5;
    def.attraction = (qd_attraction){.law = QD_PULL_INVERSE, .at = {50, 50}, .strength = 50};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def planet = qd_body_def_default();
    planet.kind = QD_BODY_STATIC;
    planet.shape.radius = 5;
    planet.position = (qd_vec2){50, 50};
    (void)qd_test_add(world, &planet);
    for (int k = 0; k < 12; ++k) {
        double sine, cosine;
        qd_sincos(0.5 * k, &sine, &cosine);
        qd_test_disk(world, 50 + 9 * cosine, 50 + 9 * sine, 0, 0, 0.5, 1);
    }
    qd_test_step(world, 1.0 / 60, 1200);
    ck_assert_double_lt(qd_world_sum(world).fastest, 0.05);
    size_t contacts;
    (void)qd_world_contacts(world, &contacts);
    ck_assert_uint_ge(contacts, 12);
}

// ---- the callback ----

typedef struct spring {
    qd_vec2 at;
    double stiffness, twist;
} spring;

static void pull(void *context, const qd_force_range *range) {
    const spring *s = context;
    for (size_t i = 0; i < range->count; ++i) {
        range->force_x[i] += s->stiffness * (s->at.x - range->x[i]);
        range->force_y[i] += s->stiffness * (s->at.y - range->y[i]);
        range->torque[i] -= s->twist * range->turn_s[i];
    }
}

// A spring of the user's: x = cos(w t); second order, and no drift.
QD_TEST(callback_drives_a_spring) {
    const double period = 2 * 3.14159265358979312;
    spring s = {{50, 50}, 4, 0};
    double error[2], worst = 0;
    for (int k = 0; k < 2; ++k) {
        qd_world_def def = empty_def();
        qd_own(qd_world) world = qd_test_world(&def);
        ck_assert_int_eq(qd_world_set_force(world, pull, &s), QD_OK);
        qd_id id = qd_test_disk(world, 51, 50, 0, 0, 0.1, 4); // w = 1
        size_t steps = 200 * (1 + (size_t)k);
        qd_test_step(world, period / (double)steps, steps);
        error[k] = fabs(qd_test_body(world, id).velocity.x);
        for (size_t i = 0; i < 20 * steps; ++i) {
            qd_test_step(world, period / (double)steps, 1);
            qd_body_state body = qd_test_body(world, id);
            double v = body.velocity.x, x = body.position.x - 50, off = fabs(v * v + x * x - 1);
            if (off > worst) worst = off;
        }
        ck_assert_int_eq(qd_world_set_force(world, NULL, NULL), QD_OK);
        double speed = qd_test_body(world, id).velocity.x;
        qd_test_step(world, 0.1, 1);
        ck_assert_double_eq(qd_test_body(world, id).velocity.x, speed);
    }
    ck_assert_double_lt(error[0], 1e-3);
    qd_test_near(error[0] / error[1], 4, 0.2, "ratio of the errors of two steps");
    ck_assert_double_lt(worst, 1e-3);
}

static void push(void *context, const qd_force_range *range) {
    const spring *s = context;
    for (size_t i = 0; i < range->count; ++i) {
        range->force_x[i] += s->at.x;
        range->torque[i] += s->twist;
    }
}

// A constant force and torque: x = F t^2 / 2m, angle = T t^2 / 2I, whatever the step.
QD_TEST(constant_callback_is_exact) {
    spring s = {{3, 0}, 0, 0.5};
    qd_world_def def = empty_def();
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_int_eq(qd_world_set_force(world, push, &s), QD_OK);
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(2, 1);
    body.mass = 2;
    body.inertia = 0.25;
    qd_id id = qd_test_add(world, &body);
    body.kind = QD_BODY_STATIC;
    body.position.x = 30;
    qd_id still = qd_test_add(world, &body);
    qd_test_step(world, 0.25, 8);
    qd_body_state state = qd_test_body(world, id);
    qd_test_near(state.position.x, 3, 1e-14, "x");
    qd_test_near(state.spin, 4, 1e-14, "spin");
    qd_test_near(state.turn.x, cos(4), 1e-13, "cosine");
    qd_test_near(state.turn.y, sin(4), 1e-13, "sine");
    ck_assert_double_eq(qd_test_body(world, still).position.x, 30);
}

static void spoil(void *context, const qd_force_range *range) {
    const uint64_t *label = context;
    for (size_t i = 0; i < range->count; ++i)
        if (range->label[i] == *label && range->step == 2) range->force_y[i] = (double)NAN;
}

QD_TEST(bad_forces_stop_the_run) {
    uint64_t label = 2;
    qd_world_def def = empty_def();
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < 3; ++k) qd_test_disk(world, 10 * k, 10, 1, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_set_force(world, spoil, &label), QD_OK);
    qd_test_step(world, 0.1, 2);
    uint64_t hash = qd_world_hash(world);
    ck_assert_int_eq(qd_world_step(world, 0.1, NULL), QD_ERR_LIMIT);
    qd_limit_report report = qd_world_limit_report(world);
    ck_assert_str_eq(report.reason, "not finite");
    ck_assert_uint_eq(report.label, 2);
    ck_assert_uint_eq(report.step, 3);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    ck_assert_int_eq(qd_world_set_force(NULL, spoil, NULL), QD_ERR_ARGUMENT);
}

// Speed gained only by the forces at the new place is seen in the same step.
QD_TEST(limits_see_the_whole_step) {
    qd_world_def def = empty_def();
    def.attraction = (qd_attraction){.law = QD_PULL_INVERSE_SQUARE, .at = {50, 50}, .strength = 1};
    def.limits.speed = 10;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 55, 50, -9.9, 0, 0.5, 1);
    qd_status status = QD_OK;
    while (status == QD_OK && qd_world_steps(world) < 100) {
        status = qd_world_step(world, 0.125, NULL);
        if (status == QD_OK) ck_assert_double_le(qd_world_sum(world).fastest, 10);
    }
    ck_assert_int_eq(status, QD_ERR_LIMIT);
}

// ---- any team ----

static void swirl(void *context, const qd_force_range *range) {
    (void)context;
    for (size_t i = 0; i < range->count; ++i) {
        range->force_x[i] -= 0.3 * (range->y[i] - 20) * range->mass[i];
        range->force_y[i] += 0.3 * (range->x[i] - 20) * range->mass[i] * (1 - 0.1 * range->vy[i]);
        range->torque[i] += 0.01 * (double)(range->index[i] % 7) * range->inertia[i] * (1 + range->time);
    }
}

static uint64_t life(uint64_t seed, int threads, bool halfway) {
    qd_random random = qd_random_at(seed, 0, 31);
    qd_world_def def = qd_test_random_def(&random);
    def.threads = threads;
    def.attraction = (qd_attraction){.law = (qd_pull_law)(seed % 3),
                                     .at = {def.origin.x + 10, def.origin.y + 12},
                                     .strength = 5,
                                     .softening = 0.5};
    def.drag = (qd_drag){.linear = 0.1, .quadratic = seed % 2 ? 0.05 : 0, .spin = 0.2, .medium = {1, 0}};
    qd_own(qd_world) world = qd_test_world(&def);
    if (seed % 4 == 0) ck_assert_int_eq(qd_world_set_force(world, swirl, NULL), QD_OK);
    if (seed % 2)
        qd_test_scatter_shapes(world, &random, 300);
    else
        qd_test_scatter(world, &random, 2500); // several ranges
    uint64_t hash = 1;
    for (int k = 0; k < 12; ++k) {
        if (k == 6 && halfway) {
            world = qd_test_reload(world, threads);
            if (seed % 4 == 0) ck_assert_int_eq(qd_world_set_force(world, swirl, NULL), QD_OK);
        }
        qd_test_step(world, 0.01, 1);
        hash = hash * 31 + qd_world_hash(world) + qd_test_events_hash(world);
    }
    return hash;
}

QD_TEST(same_for_any_team_and_after_loading) {
    qd_test_same_lives(qd_test_effort(4), life);
}

static qd_world *swirled_world(const qd_allocator *allocator, int which) {
    (void)which;
    qd_world_def def = empty_def();
    def.attraction.strength = 1;
    def.drag.linear = 0.5;
    def.allocator = allocator;
    qd_world *world = qd_test_world(&def);
    for (int k = 0; k < 20; ++k) qd_test_disk(world, 0.9 * k, 10, 0.25 * k, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_set_force(world, swirl, NULL), QD_OK);
    return world;
}

QD_TEST(memory_may_fail) {
    ck_assert_uint_gt(qd_test_failing_steps(swirled_world, 0, NULL), 4);
}

QD_TEST_LOOP(bad_fields_are_refused, 0, 2) {
    for (int k = 0; k < 13; ++k) {
        qd_world_def def = qd_world_def_default();
        double *const numbers[] = {&def.gravity.x,       &def.attraction.strength, &def.attraction.softening,
                                   &def.attraction.at.y, &def.drag.linear,         &def.drag.quadratic,
                                   &def.drag.spin,       &def.drag.medium.x,       &def.removal};
        if (k == 12)
            def.drag.temperature = _i ? -1 : HUGE_VAL;
        else if (k < 9)
            *numbers[k] = (double)NAN;
        else
            *numbers[k - 9 == 0 ? 2 : k - 6] = -1;
        if (k == 9) def.attraction.law = (qd_pull_law)3, def.attraction.softening = 0;
        qd_world *world = NULL;
        ck_assert_msg(qd_world_create(&def, &world) == QD_ERR_VALUE, "case %d", k);
    }
}

QD_TEST_MAIN("forces", 240, NULL, NULL)
