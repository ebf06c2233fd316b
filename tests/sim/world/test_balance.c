// The energy's balance, closed to rounding in worlds of every kind, and what must not change it: threads,
// margins, saving and loading, a step that is refused.
#include "core/math/larger.h"
#include "sim/world/energy_balance.h"
#include "sim/world/sum.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <string.h>

/// The largest number of a balance so far: rounding errors are parts of it.
static double scale_of(const qd_metrics *m, double before) {
    const double numbers[] = {m->kinetic, m->potential, m->lost,           m->drag_lost,
                              m->entered, m->wall_work, m->kinematic_work, m->force_work};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        before = qdi_larger(before, fabs(numbers[i]));
    return before;
}

static void check_same(const qd_metrics *p, const qd_metrics *q, bool tree, const char *what) {
    size_t count;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        if (!tree && (strncmp(fields[i].name, "tree_", 5) == 0 || strcmp(fields[i].name, "saved_bytes") == 0))
            continue;
        const char *a = (const char *)p + fields[i].offset, *b = (const char *)q + fields[i].offset;
        ck_assert_msg(memcmp(a, b, 8) == 0, "%s: step %llu: %s differs", what, (unsigned long long)p->step,
                      fields[i].name);
    }
}

// ---- sums ----

// The term of a sum of two numbers: a value, and the one behind it.
static qd_vec2 pair_term(const void *context, size_t i) {
    const double *values = context;
    return (qd_vec2){values[2 * i], values[2 * i + 1]};
}

QD_TEST(sums_do_not_depend_on_the_order) {
    enum { MOST = 20000 };
    static const size_t counts[] = {1, 2, 3, 5, 100, 4097, MOST};
    qd_world_def def = qd_world_def_default();
    def.threads = 2;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_own_memory double *values = qd_test_memory((MOST + 4) * sizeof *values);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        qd_random random = qd_random_at(12, i, 0);
        double first = 0, exact = 0, size = 0;
        for (size_t k = 0; k < counts[i]; ++k) {
            values[k] = qd_random_normal(&random) * ldexp(1, (int)(qd_random_bits(&random) % 60) - 30);
            exact += values[k];
            size += fabs(values[k]);
        }
        for (int round = 0; round < 10; ++round) {
            double sum = 0;
            ck_assert_int_eq(qdi_sum_values(world->team, &world->scratch.arena, values, counts[i], &sum),
                             QD_OK);
            qd_vec2 both = {0, 0};
            const size_t pairs = counts[i] / 2, rest = counts[i] % 2;
            ck_assert_int_eq(qdi_sum(world->team, &world->scratch.arena, pairs, pair_term, values, &both),
                             QD_OK);
            ck_assert_double_eq_tol(both.x + both.y + (rest ? values[counts[i] - 1] : 0), exact,
                                    1e-14 * size);
            for (size_t k = 0; k + 1 < pairs; k += 2) { // pairs change places
                double kept[2] = {values[2 * k], values[2 * k + 1]};
                memcpy(values + 2 * k, values + 2 * k + 2, sizeof kept);
                memcpy(values + 2 * k + 2, kept, sizeof kept);
            }
            qd_vec2 again = {0, 0};
            ck_assert_int_eq(qdi_sum(world->team, &world->scratch.arena, pairs, pair_term, values, &again),
                             QD_OK);
            ck_assert_mem_eq(&again, &both, sizeof both);
            qdi_arena_empty(&world->scratch.arena);
            if (round == 0) first = sum;
            ck_assert_msg(memcmp(&sum, &first, 8) == 0, "%zu values: %a, then %a", counts[i], first, sum);
            ck_assert_double_eq_tol(sum, exact, 1e-14 * size);
            for (size_t k = counts[i]; k-- > 1;) { // shuffles
                size_t other = qd_random_bits(&random) % (k + 1);
                double kept = values[k];
                values[k] = values[other];
                values[other] = kept;
            }
        }
    }
}

// ---- random worlds ----

static void swirl(void *context, const qd_force_range *range) {
    (void)context;
    for (size_t i = 0; i < range->count; ++i) {
        range->force_x[i] += range->mass[i] * (0.3 * range->y[i] - 0.1 * range->vx[i]);
        range->force_y[i] -= 0.2 * range->mass[i] * range->x[i];
        range->torque[i] += 0.05 * range->inertia[i];
    }
}

static void vary_walls(qd_random *random, qd_world_def *def) {
    for (int wall = 0; wall < 4; ++wall) {
        qd_boundary side = wall < 2 ? def->boundary_x : def->boundary_y;
        if (side != QD_BOUNDARY_REFLECT || qd_random_bits(random) % 3) continue;
        def->wall_motion[wall].amplitude = qd_test_between(random, 0, 0.5);
        def->wall_motion[wall].frequency = qd_test_between(random, 0, 1);
        def->wall_motion[wall].slide = qd_test_between(random, -1, 1);
    }
}

static void add_sources(qd_world *world, const qd_world_def *def, qd_random *random) {
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.low = (qd_vec2){def->origin.x + 3, def->origin.y + 3};
    emitter.high = (qd_vec2){def->origin.x + def->size.x - 3, def->origin.y + def->size.y - 3};
    emitter.body.velocity.x = 3;
    emitter.spread = 2;
    emitter.rate = qd_test_between(random, 5, 40);
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    qd_sink_def sink = qd_sink_def_default();
    sink.low = def->origin;
    sink.high = (qd_vec2){def->origin.x + 4, def->origin.y + def->size.y};
    ck_assert_int_eq(qd_world_add_sink(world, &sink, NULL), QD_OK);
}

/// A world with everything but attraction. Same seed, same world, but for threads and margin.
static qd_world *random_world(uint64_t seed, int threads, double margin) {
    qd_random random = qd_random_at(seed, 0, 21);
    qd_world_def def = qd_test_random_def(&random);
    def.threads = threads;
    def.margin = margin;
    def.removal = qd_random_bits(&random) % 2 ? 1 : (double)INFINITY;
    def.continuous = (qd_continuous)(qd_random_bits(&random) % 3);
    vary_walls(&random, &def);
    if (qd_random_bits(&random) % 3 == 0) {
        def.drag.linear = qd_test_between(&random, 0, 0.5);
        def.drag.quadratic = qd_random_bits(&random) % 2 ? qd_test_between(&random, 0, 0.2) : 0;
        def.drag.spin = qd_test_between(&random, 0, 0.5);
        def.drag.medium.x = qd_test_between(&random, -1, 1);
    }
    bool sources = qd_random_bits(&random) % 3 == 0, force = qd_random_bits(&random) % 4 == 0;
    qd_world *world = qd_test_world(&def);
    if (qd_random_bits(&random) % 2)
        qd_test_scatter_shapes(world, &random, 100);
    else
        qd_test_scatter(world, &random, 150);
    if (sources) add_sources(world, &def, &random);
    if (force) ck_assert_int_eq(qd_world_set_force(world, swirl, NULL), QD_OK);
    return world;
}

/// Steps a world and watches its balance.
static void step_in_balance(qd_world *world, double dt, int steps, uint64_t seed) {
    qd_metrics m;
    double scale = 0;
    for (int k = 0; k < steps; ++k) {
        qd_test_step(world, dt, 1);
        qd_world_measure(world, &m);
        scale = scale_of(&m, scale);
        ck_assert_msg(fabs(m.imbalance) <= 1e-12 * scale, "seed %llu, step %d: imbalance %g of %g",
                      (unsigned long long)seed, k, m.imbalance, scale);
        ck_assert_msg(m.lost_bodies_normal >= -1e-6 * scale || m.kinematic_work != 0, "energy from nowhere");
    }
}

QD_TEST(balance_closes_in_random_worlds) {
    uint64_t first = qd_test_seed(1), count = qd_test_replaying() ? 1 : qd_test_effort(40);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        qd_own(qd_world) world = random_world(seed, 1 + (int)(seed % 3), (double)NAN);
        step_in_balance(world, seed % 2 ? 0.01 : 0.03, 60, seed);
    }
}

QD_TEST(metrics_are_the_same_for_threads_and_margins) {
    uint64_t first = qd_test_seed(1), count = qd_test_replaying() ? 1 : qd_test_effort(20);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        const int threads[4] = {1, 2, 3, 2};
        qd_world *world[4];
        for (int k = 0; k < 4; ++k) world[k] = random_world(seed, threads[k], k == 3 ? 0 : (double)NAN);
        for (int at = 0; at < 50; at += 5) {
            qd_metrics m[4];
            for (int k = 0; k < 4; ++k) qd_world_measure(world[k], &m[k]);
            char what[64];
            snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
            for (int k = 1; k < 4; ++k) check_same(&m[0], &m[k], k < 3, what);
            for (int k = 0; k < 4; ++k) qd_test_step(world[k], 0.02, 5);
        }
        for (int k = 0; k < 4; ++k) qd_world_destroy(world[k]);
    }
}

QD_TEST(loaded_worlds_measure_the_same) {
    uint64_t first = qd_test_seed(100), count = qd_test_replaying() ? 1 : qd_test_effort(20);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        qd_own(qd_world) world = random_world(seed, 2, (double)NAN);
        ck_assert_int_eq(qd_world_set_force(world, NULL, NULL), QD_OK); // the copy would not have it
        qd_test_step(world, 0.02, 30);
        qd_own(qd_world) copy = qd_test_copy(world, 1 + (int)(seed % 3));
        for (int k = 0; k < 6; ++k) {
            qd_metrics p, q;
            qd_world_measure(world, &p);
            qd_world_measure(copy, &q);
            ck_assert(p.kinetic > 0);
            check_same(&p, &q, true, "loaded");
            qd_test_step(world, 0.02, 5);
            qd_test_step(copy, 0.02, 5);
        }
    }
}

QD_TEST(measuring_changes_nothing) {
    qd_own(qd_world) quiet = random_world(7, 2, (double)NAN), watched = random_world(7, 2, (double)NAN);
    for (int k = 0; k < 50; ++k) {
        (void)qd_test_measure(watched);
        qd_test_step(watched, 0.02, 1);
        qd_test_step(quiet, 0.02, 1);
        ck_assert_uint_eq(qd_world_hash(quiet), qd_world_hash(watched));
    }
}

// ---- attraction ----

/// A dozen disks on their ways about a centre, that bounce off each other; the largest imbalance on the way.
static double imbalance_about_centre(double dt, qd_pull_law law) {
    qd_world_def def = qd_test_open_def();
    def.attraction = (qd_attraction){.law = law, .at = {50, 50}, .strength = law ? 200 : 5, .softening = 2};
    def.restitution = 0.9;
    def.threshold = 0;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int k = 0; k < 12; ++k) {
        qd_random random = qd_random_at(5, (uint64_t)k, 3);
        double x = 50 + 12 * (qd_random_uniform(&random) - 0.5), y = 35 + 2.5 * k;
        qd_test_disk(world, x, y, 4 * (qd_random_uniform(&random) - 0.5), 2, 0.5, 0);
    }
    double most = 0;
    for (double t = 0; t < 8; t += dt) {
        qd_metrics m;
        qd_test_step(world, dt, 1);
        qd_world_measure(world, &m);
        most = qdi_larger(most, fabs(m.imbalance) / (m.kinetic + fabs(m.potential)));
    }
    return most;
}

QD_TEST(attraction_is_out_of_balance_by_the_square_of_the_step) {
    for (int law = 0; law < 3; ++law) {
        double coarse = imbalance_about_centre(0.01, (qd_pull_law)law),
               fine = imbalance_about_centre(0.00125, (qd_pull_law)law);
        ck_assert_msg(coarse < 2e-3, "law %d: imbalance %g", law, coarse);
        ck_assert_msg(fine < 0.06 * coarse, "law %d: imbalance %g, then %g", law, coarse, fine);
    }
}

// ---- scenes ----

static qd_world *scene_world(const char *name, double *dt) {
    qd_scene *scene = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_builtin(name, NULL, &scene, &error) == QD_OK, "%s", error.text);
    qd_world_def def = qd_scene_world(scene);
    def.threads = 2;
    qd_world *world = qd_test_world(&def);
    ck_assert_int_eq(qd_scene_populate(scene, world, NULL), QD_OK);
    *dt = qd_scene_run_settings(scene).dt;
    qd_scene_destroy(scene);
    return world;
}

QD_TEST(balance_closes_in_scenes) {
    static const char *const names[] = {"gas", "pool", "hopper", "tumbler", "rain", "billiard", "bullets"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        double dt, scale = 0;
        qd_own(qd_world) world = scene_world(names[i], &dt);
        qd_metrics m;
        for (size_t k = 0; k < 10; ++k) {
            qd_test_step(world, dt, qd_test_effort(15));
            qd_world_measure(world, &m);
            scale = scale_of(&m, scale);
            ck_assert_msg(fabs(m.imbalance) <= 1e-12 * scale, "%s, step %llu: imbalance %g of %g", names[i],
                          (unsigned long long)m.step, m.imbalance, scale);
        }
        bool elastic = strcmp(names[i], "gas") == 0 || strcmp(names[i], "pool") == 0;
        if (elastic) ck_assert(m.lost == 0 && m.drift == 0 && m.collisions > 0);
    }
}

QD_TEST(a_pile_at_rest_loses_nothing) {
    double dt;
    qd_own(qd_world) world = scene_world("pyramid", &dt);
    qd_test_step(world, dt, 1500);
    qd_metrics before, after;
    qd_world_measure(world, &before);
    qd_test_step(world, dt, 100);
    qd_world_measure(world, &after);
    qd_world_sums sums = qd_world_sum(world);
    ck_assert_double_eq_tol(after.lost, before.lost, 1e-9 * after.potential);
    ck_assert_double_eq_tol(after.drift, before.drift, 1e-9 * after.potential);
    // The floor carries all of it.
    double weight = 10 * sums.mass, push = after.push_bottom - before.push_bottom;
    ck_assert_double_eq_tol(push / (after.time - before.time), weight, 1e-6 * weight);
    ck_assert(after.push_top == 0 && after.push_left == 0 && after.push_right == 0);
    ck_assert_double_eq_tol(after.wall_pressure * 80, weight, 1e-6 * weight); // 40 below, 40 above
}

// ---- what does not happen ----

QD_TEST(refused_steps_leave_no_trace) {
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    def.restitution = 0.5;
    def.limits.speed = 6;
    qd_world *world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 0.5, 0);
    for (int k = 0; k < 8; ++k) qd_test_disk(world, 10 + 1.05 * k, 0.5, 1 - 0.3 * k, 0, 0.5, 0);
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.low = emitter.high = (qd_vec2){80, 20};
    emitter.rate = 50;
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    qd_metrics before, after;
    for (int k = 0; k < 1000; ++k) {
        qd_world_measure(world, &before);
        if (qd_world_step(world, 0.02, NULL) == QD_OK) continue;
        qd_world_measure(world, &after);
        check_same(&before, &after, false, "refused");
        ck_assert(before.lost > 0 && fabs(after.imbalance) <= 1e-12 * after.potential);
        qd_world_destroy(world);
        return;
    }
    ck_abort_msg("no step was refused");
}

// What touches something turns by no more than an eighth of a turn in a sub-step. Slowing down what has
// infinite inertia costs no energy, as its turning has none.
QD_TEST(infinite_inertia_that_is_slowed_has_no_energy) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_IMPULSE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    for (int k = 0; k < 2; ++k) {
        body.position = (qd_vec2){50 + 0.9 * k, 50};
        body.inertia = k == 0 ? HUGE_VAL : (double)NAN;
        body.spin = k == 0 ? 1000 : 0;
        (void)qd_test_add(world, &body);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    for (int k = 0; k < 5; ++k) ck_assert_int_eq(qd_world_step(world, 0.02, NULL), QD_OK);
    ck_assert(isfinite(qd_test_measure(world).drift));
}

QD_TEST_MAIN("balance", 240, NULL, NULL)
