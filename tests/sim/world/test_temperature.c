// A medium with a temperature: bodies are warmed by it, whatever the step, and diffuse as they should.

#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>

/// 4096 disks, far apart or through each other, of mass 1/2 and inertia 1/5, in a medium with linear drag 1,
/// drag 3 of the spin and temperature 2.
static qd_world *warm_world(int threads, uint64_t seed) {
    qd_world_def def = qd_test_open_def();
    def.contact = QD_CONTACT_NONE;
    def.threads = threads;
    def.seed = seed;
    def.drag = (qd_drag){.linear = 1, .spin = 3, .medium = {0.5, 0}, .temperature = 2};
    qd_world *world = qd_test_world(&def);
    qd_body_def disk = qd_body_def_default();
    disk.mass = 0.5;
    disk.inertia = 0.2;
    for (int i = 0; i < 4096; ++i) {
        disk.position = (qd_vec2){1.5 * (i % 64), 1.5 * (i / 64)};
        (void)qd_test_add(world, &disk);
    }
    return world;
}

// Whatever the step, m v^2 and I w^2 are the temperature per component, relative to the medium: each sum of
// squares has a relative standard error of sqrt(2 / 4096) = 0.022.
QD_TEST_LOOP(warms_bodies_whatever_the_step, 0, 3) {
    const double steps[] = {0.01, 0.3, 4};
    double dt = steps[_i];
    qd_own(qd_world) world = warm_world(2, 7);
    qd_test_step(world, dt, (size_t)(8 / dt) + 2);
    qd_body_view view = qd_world_view(world);
    double x = 0, y = 0, spin = 0, cross = 0, mean = 0;
    for (size_t r = 0; r < view.count; ++r) {
        double vx = view.vx[r] - 0.5, vy = view.vy[r];
        x += vx * vx / 4096;
        y += vy * vy / 4096;
        cross += vx * vy / 4096;
        mean += vx / 4096;
        spin += view.spin[r] * view.spin[r] / 4096;
    }
    qd_test_near(x * 0.5, 2, 6 * 0.022 * 2, "m vx^2");
    qd_test_near(y * 0.5, 2, 6 * 0.022 * 2, "m vy^2");
    qd_test_near(spin * 0.2, 2, 6 * 0.022 * 2, "I w^2");
    qd_test_near(cross, 0, 6 * 4.0 / 64, "vx vy");
    qd_test_near(mean, 0, 6 * 2.0 / 64, "vx");
    qd_metrics metrics = qd_test_measure(world);
    qd_test_near(metrics.imbalance, 0, 1e-9 * metrics.kinetic, "imbalance");
    ck_assert_double_lt(metrics.drag_lost, 0); // all that there is came from the medium
}

// Way squared over time: 4 D t, D = kT / (m rate), after the 1/rate that it takes to forget a velocity:
// <r^2> = 4 D (t - 1 + exp(-t)) from rest has -3/2 + 2 exp(-t) - exp(-2t)/2 instead of -1 + exp(-t).
QD_TEST(warm_bodies_diffuse) {
    qd_own(qd_world) world = warm_world(1, 3);
    double t = 20, D = 2 / 0.5, squares = 0;
    qd_test_step(world, 0.1, 200);
    qd_body_view view = qd_world_view(world);
    for (uint32_t i = 0; i < 4096; ++i) {
        uint32_t r = view.row_of_index[i];
        // The medium's own velocity, 0.5, is taken on within 1/rate.
        double x = view.x[r] - 1.5 * (i % 64) - 0.5 * (t - 1), y = view.y[r] - 1.5 * (i / 64);
        squares += (x * x + y * y) / 4096;
    }
    double expected = 4 * D * (t - 1.5);
    qd_test_near(squares / expected, 1, 6.0 / 64, "way squared"); // its relative standard error is 1/64
}

static uint64_t warm_hash(int threads, uint64_t seed, bool reload) {
    qd_own(qd_world) world = warm_world(threads, seed);
    qd_test_step(world, 0.1, 10);
    if (reload) world = qd_test_reload(world, threads);
    qd_test_step(world, 0.1, 10);
    return qd_world_hash(world);
}

QD_TEST(warmth_follows_from_the_seed) {
    uint64_t one = warm_hash(1, 5, false);
    ck_assert(warm_hash(3, 5, false) == one && warm_hash(2, 5, true) == one);
    ck_assert(warm_hash(1, 6, false) != one);
}

QD_TEST_MAIN("temperature", 240, NULL, NULL)
