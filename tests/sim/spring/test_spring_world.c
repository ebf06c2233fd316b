#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>
#include <string.h>

// Many bodies on springs: the same for any threads and margin, saved and loaded, refused steps, walls, and
// the books.

static qd_world_def spring_def(void) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.1;
    def.restitution = 0.8;
    def.friction = 0.4;
    def.gravity = (qd_vec2){0.5, -2};
    return def;
}

/// Bodies come and go: what they leave and find is overlaps and all.
static void let_come_and_go(qd_world *world) {
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.low = (qd_vec2){1, 1};
    emitter.high = (qd_vec2){39, 29};
    emitter.rate = 200;
    emitter.overlap = true;
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    qd_test_sink(world, 10, 0, 10, 10, UINT64_MAX);
}

/// A world of anything.
static qd_world *any_world(uint64_t seed, int threads, double margin, qd_simd simd) {
    qd_random random = qd_random_at(seed, 0, 5);
    qd_world_def def = spring_def();
    def.size = (qd_vec2){40, 30};
    def.boundary_x = seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.retrieve = seed % 3 ? QD_RETRIEVE_JOIN : QD_RETRIEVE_EACH;
    def.threads = threads;
    def.margin = margin;
    def.simd = simd;
    if (seed == 2) def.drag = (qd_drag){.linear = 0.05, .quadratic = 0.01, .spin = 0.1};
    if (seed == 3) def.attraction = (qd_attraction){QD_PULL_INVERSE, {20, 15}, 3, 0.5};
    if (seed == 6) def.wall_motion[2] = (qd_wall_motion){.amplitude = 0.5, .frequency = 0.5, .slide = 1};
    qd_world *world = qd_test_world(&def);
    if (seed % 5 == 4 ||
        seed == 5) // nothing but disks, and sometimes nothing but gravity: these have a way of their own
        qd_test_scatter(world, &random, 300);
    else
        qd_test_scatter_shapes(world, &random, 200);
    if (seed >= 5) let_come_and_go(world);
    return world;
}

static uint64_t life(uint64_t seed, int threads, double margin, qd_simd simd, size_t steps) {
    qd_own(qd_world) world = any_world(seed, threads, margin, simd);
    uint64_t hash = seed;
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, 2e-3, 1);
        if (k % 10 != 0) continue;
        uint64_t now[] = {qd_world_hash(world), qd_test_events_hash(world)};
        hash = qd_hash_seeded(now, sizeof now, hash);
    }
    return hash;
}

QD_TEST(threads_and_margins_change_nothing) {
    uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 6;
    const size_t steps = qd_test_effort(1000);
    const struct {
        int threads;
        double margin;
        qd_simd simd;
    } ways[] = {{1, 0.2, QD_SIMD_AUTO},
                {1, (double)NAN, QD_SIMD_PORTABLE},
                {2, (double)NAN, QD_SIMD_AUTO},
                {3, 0, QD_SIMD_PORTABLE},
                {8, 0.2, QD_SIMD_AUTO}};
    for (uint64_t seed = first; seed <= last; ++seed) {
        uint64_t expected = life(seed, 1, 0, QD_SIMD_AUTO, steps);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k)
            ck_assert_msg(life(seed, ways[k].threads, ways[k].margin, ways[k].simd, steps) == expected,
                          "seed %llu, %d threads, margin %g", (unsigned long long)seed, ways[k].threads,
                          ways[k].margin);
    }
}

static void check_same_numbers(const qd_metrics *p, const qd_metrics *q, uint64_t seed) {
    size_t count;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t k = 0; k < count; ++k)
        ck_assert_msg(memcmp((const char *)p + fields[k].offset, (const char *)q + fields[k].offset, 8) == 0,
                      "seed %llu: %s", (unsigned long long)seed, fields[k].name);
}

QD_TEST(saved_and_loaded_goes_on_the_same) {
    uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 6;
    for (uint64_t seed = first; seed <= last; ++seed)
        for (int changed = 0; changed < 2; ++changed) {
            qd_own(qd_world) world = any_world(seed, 2, (double)NAN, QD_SIMD_AUTO);
            qd_test_step(world, 2e-3, 150);
            qd_random random = qd_random_at(seed, 0, 6);
            if (changed) qd_test_scatter(world, &random, 5);
            qd_own(qd_world) other = qd_test_copy(world, 1);
            for (int k = 0; k < 100; ++k) {
                qd_test_step(world, 2e-3, 1);
                qd_test_step(other, 2e-3, 1);
                ck_assert_msg(qd_world_hash(world) == qd_world_hash(other), "seed %llu, step %d",
                              (unsigned long long)seed, k);
            }
            qd_metrics p, q;
            qd_world_measure(world, &p);
            qd_world_measure(other, &q);
            check_same_numbers(&p, &q, seed);
        }
}

// Force and shear decide the future: they are in the hash.
QD_TEST(hash_covers_shear) {
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        qd_world_def def = spring_def();
        def.gravity = (qd_vec2){0, 0};
        if (k == 1) def.spring.kt = 3;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_disk(world, 50, 50, 0, 1, 0.5, 1);
        qd_test_disk(world, 50.9, 50, 0, 0, 0.5, 1);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        hash[k] = qd_world_hash(world);
        qd_test_step(world, 1e-3, 1);
        uint64_t after = qd_world_hash(world);
        ck_assert_uint_ne(after, hash[k]);
        hash[k] = after;
    }
    ck_assert_uint_ne(hash[0], hash[1]);
}

// A world of plain disks has a way of its own, on which it does without most boxes; another body may join
// them.
QD_TEST(others_may_join) {
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        qd_world_def def = spring_def();
        def.size = (qd_vec2){20, 20};
        def.margin = k ? (double)NAN : 0;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_random random = qd_random_at(1, 0, 8);
        qd_test_scatter(world, &random, 150);
        qd_test_step(world, 2e-3, 200);
        qd_body_def body = qd_body_def_default();
        body.position = (qd_vec2){10, 10};
        body.material.friction = 0.9;
        qd_test_add(world, &body);
        qd_test_step(world, 2e-3, 200);
        hash[k] = qd_world_hash(world);
        if (k) ck_assert_uint_lt(qd_world_total(world).rebuilds, 200);
    }
    ck_assert_uint_eq(hash[0], hash[1]);
}

// ---- refused steps ----

QD_TEST(limits_stop_a_step_and_leave_the_world) {
    qd_world_def def = spring_def();
    def.limits.speed = 30;
    qd_world *world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 0.5, 1);
    qd_test_disk(world, 50.1, 50, 0, 0, 0.5, 1);
    qd_test_disk(world, 30, 50, 1, 0, 0.5, 1);
    qd_test_step(world, 1e-4, 2);
    uint64_t before = qd_world_hash(world);
    ck_assert_int_eq(qd_world_step(world, 0.5, NULL), QD_ERR_LIMIT);
    qd_limit_report report = qd_world_limit_report(world);
    ck_assert(report.has_body);
    ck_assert_uint_eq(report.label, 1);
    ck_assert_uint_eq(report.step, 3);
    ck_assert_uint_eq(qd_world_hash(world), before);
    qd_test_step(world, 1e-4, 10);
    uint64_t tried = qd_world_hash(world);
    qd_world_destroy(world);

    world = qd_test_world(&def);
    qd_test_disk(world, 50, 50, 0, 0, 0.5, 1);
    qd_test_disk(world, 50.1, 50, 0, 0, 0.5, 1);
    qd_test_disk(world, 30, 50, 1, 0, 0.5, 1);
    qd_test_step(world, 1e-4, 12);
    ck_assert_uint_eq(qd_world_hash(world), tried);
    qd_world_destroy(world);
}

// Wherever memory ends, a step either happens or leaves everything as it was.
QD_TEST(memory_may_end_anywhere) {
    qd_test_allocator allocator;
    uint64_t expected = 0;
    bool done = false;
    for (size_t fail = 0; !done; ++fail) {
        allocator = qd_test_allocator_of(&allocator, 0);
        qd_world_def def = spring_def();
        def.allocator = &allocator.allocator;
        def.margin = 0;
        qd_random random = qd_random_at(3, 0, 7);
        qd_world *world = qd_test_world(&def);
        qd_test_scatter_shapes(world, &random, 150);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        allocator.calls = 0;
        allocator.fail_at = fail;
        uint64_t before = qd_world_hash(world);
        qd_status status = QD_OK;
        for (int k = 0; k < 3 && status == QD_OK; ++k) {
            before = qd_world_hash(world);
            status = qd_world_step(world, 2e-3, NULL);
        }
        done = fail > 0 && status == QD_OK;
        allocator.fail_at = 0;
        if (status != QD_OK) {
            ck_assert_int_eq(status, QD_ERR_MEMORY);
            ck_assert_uint_eq(qd_world_hash(world), before);
        }
        while (qd_world_steps(world) < 5) qd_test_step(world, 2e-3, 1);
        if (fail == 0) expected = qd_world_hash(world);
        ck_assert_msg(qd_world_hash(world) == expected, "allocation %zu", fail);
        qd_world_destroy(world);
        ck_assert_uint_eq(allocator.live, 0);
    }
}

// ---- who takes part ----

QD_TEST(sensors_and_filters_feel_nothing) {
    qd_world_def def = spring_def();
    def.gravity = (qd_vec2){0, 0};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id a = qd_test_disk(world, 50, 50, 0, 0, 0.5, 1);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){50.5, 50};
    body.sensor = true;
    qd_id b = qd_test_add(world, &body);
    body.sensor = false;
    body.position = (qd_vec2){49.6, 50};
    body.filter.mask = 2;
    qd_id c = qd_test_add(world, &body);
    qd_test_step(world, 1e-3, 50);
    const qd_id ids[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) ck_assert_double_eq(qd_test_body(world, ids[k]).velocity.x, 0);
    size_t count;
    ck_assert(qd_world_contacts(world, &count)[0].sensor);
    ck_assert_uint_eq(count, 1);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_eq(m.contact_energy, 0);
}

// A ball comes back alike from a wall, a static rect and a kinematic one at rest; from a moving one with
// twice its speed.
QD_TEST(walls_static_and_kinematic_bodies_are_alike) {
    double back[4];
    for (int way = 0; way < 4; ++way) {
        qd_world_def def = spring_def();
        def.gravity = (qd_vec2){0, 0};
        def.boundary_y = way == 0 || way == 3 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_OPEN;
        def.boundary_x = QD_BOUNDARY_OPEN;
        def.restitution = way == 3 ? 1 : 0.7;
        if (way == 3) def.wall_motion[2].velocity = 2;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_id ball = qd_test_disk(world, 50, 0.52, 0.5, way == 3 ? 0 : -1, 0.5, 1);
        if (way == 1 || way == 2) {
            qd_body_def floor = qd_body_def_default();
            floor.kind = way == 1 ? QD_BODY_STATIC : QD_BODY_KINEMATIC;
            floor.shape = qd_shape_rect(20, 1);
            floor.position = (qd_vec2){50, -0.5};
            qd_test_add(world, &floor);
        }
        qd_test_step(world, 1e-4, 2000);
        qd_body_state state = qd_test_body(world, ball);
        back[way] = state.velocity.y;
        ck_assert_double_lt(state.spin, way == 3 ? 0.001 : -0.1);
        qd_metrics m = qd_test_measure(world);
        qd_world_totals totals = qd_world_total(world);
        double gained = state.velocity.y - (way == 3 ? 0 : -1);
        if (way == 0 || way == 3) {
            ck_assert_double_eq_tol(totals.wall_impulse.y, gained, 1e-12);
            ck_assert_double_eq_tol(m.push_bottom, gained, 1e-12);
        }
        if (way == 3) ck_assert_double_eq_tol(totals.wall_work, 0.5 * 4 * 4, 0.01);
        ck_assert_double_eq_tol(m.drift, 0, 2e-3);
    }
    ck_assert_double_eq_tol(back[0], 0.7, 1e-3);
    ck_assert_double_eq_tol(back[1], back[0], 1e-9);
    ck_assert_double_eq_tol(back[2], back[0], 1e-9);
    ck_assert_double_eq_tol(back[3], 4, 0.01);
}

/// A rect that falls flat on the floor comes to rest on it, as deep as its weight presses both of its
/// corners.
QD_TEST(rect_rests_on_two_corners) {
    qd_world_def def = spring_def();
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0.3;
    def.spring.contact_time = (double)NAN;
    def.spring.kn = 1e4;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 50, 0.6);
    body.mass = 4;
    qd_id id = qd_test_add(world, &body);
    qd_test_step(world, 1e-3, 4000);
    qd_body_state state = qd_test_body(world, id);
    ck_assert_double_eq_tol(state.position.y, 0.5 - 4 * 10 / 2e4, 1e-6);
    ck_assert_double_eq_tol(state.turn.y, 0, 1e-9);
    size_t count;
    const qd_contact *contact = qd_world_contacts(world, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(contact->count, 2);
    for (int k = 0; k < 2; ++k) ck_assert_double_eq_tol(contact->touch[k].impulse, 20 * 1e-3, 1e-6);
}

// ---- events ----

QD_TEST(events_tell_the_forces_of_the_moment) {
    qd_world_def def = spring_def();
    def.gravity = (qd_vec2){0, 0};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id a = qd_test_disk(world, 50, 50, 1, 0.4, 0.5, 1);
    qd_test_disk(world, 51.001, 50, -1, 0, 0.5, 1);
    double x = 0, y = 0, before = qd_test_body(world, a).velocity.x;
    int begins = 0, ends = 0;
    for (int k = 0; k < 300; ++k) {
        qd_test_step(world, 1e-3, 1);
        size_t count;
        const qd_event *event = qd_world_events(world, &count);
        if (count == 0) continue;
        const qd_contact *contact = event->contact;
        const qd_touch *touch = &contact->touch[0];
        x -= touch->impulse * contact->normal.x - touch->friction * contact->normal.y;
        y -= touch->impulse * contact->normal.y + touch->friction * contact->normal.x;
        begins += event->kind == QD_EVENT_BEGIN;
        ends += event->kind == QD_EVENT_END;
        if (event->kind == QD_EVENT_END) ck_assert_double_eq(touch->impulse, 0);
        if (event->kind == QD_EVENT_BEGIN) ck_assert_double_gt(touch->impulse, 0);
    }
    ck_assert_int_eq(begins, 1);
    ck_assert_int_eq(ends, 1);
    qd_body_state state = qd_test_body(world, a);
    // Half of each at either end of the step: in all it is the whole.
    ck_assert_double_eq_tol(state.velocity.x - before, x, 1e-12);
    ck_assert_double_eq_tol(state.velocity.y - 0.4, y, 1e-12);
}

// ---- energy ----

/// Disks at rest on a grid get random velocities; no overlaps at first.
static qd_world *gas(size_t side, double steps_per_contact, double *dt, double friction) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, side, side);
    def.contact = QD_CONTACT_SPRING;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.gravity = (qd_vec2){0, 0};
    def.spring.contact_time = 0.02;
    def.restitution = 1;
    def.friction = friction;
    *dt = 0.02 / steps_per_contact;
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, side, side, 1);
    return world;
}

QD_TEST(elastic_gas_keeps_its_energy) {
    double dt;
    qd_own(qd_world) world = gas(45, 50, &dt, 0); // 2,025 disks
    qd_metrics m = qd_test_measure(world);
    double first = m.kinetic, worst = 0;
    size_t steps = qd_test_effort(10000);
    for (size_t k = 0; k < steps; k += 100) {
        qd_test_step(world, dt, 100);
        qd_world_measure(world, &m);
        worst = fmax(worst, fabs(m.kinetic + m.contact_energy - first) / first);
    }
    ck_assert_uint_gt(m.begins, steps / 10);
    ck_assert_double_lt(worst, 1e-4);
    ck_assert_double_eq(m.lost, 0);
}

static double entered(const qd_world *world) {
    qd_metrics m = qd_test_measure(world);
    return m.entered;
}

// Energy of springs that are pressed already when a body is added or removed does not enter again.
QD_TEST(a_change_brings_in_no_springs_that_there_were) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 100;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_disk(1), 40, 50);
    qd_test_add(world, &body);
    body.position.x = 41.5;
    qd_test_add(world, &body);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    const double pressed = 0.5 * 100 * 0.5 * 0.5;
    ck_assert_double_eq_tol(entered(world), pressed, 1e-12);
    body.position.x = 60;
    const qd_id other = qd_test_add(world, &body);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_double_eq_tol(entered(world), pressed, 1e-12);
    ck_assert_int_eq(qd_world_remove(world, other), QD_OK);
    qd_test_step(world, 1e-4, 3);
    ck_assert_double_eq_tol(entered(world), pressed, 1e-12);
}

// What is lost is where it went: dashpots and friction account for all but what the step's length makes.
QD_TEST(losses_are_booked) {
    double drift[2];
    for (int fine = 0; fine < 2; ++fine) {
        double dt;
        qd_world *world = gas(15, fine ? 500 : 50, &dt, 0.5);
        qd_world_def def = qd_world_definition(world);
        qd_world_destroy(world);
        def.restitution = 0.9;
        world = qd_test_world(&def);
        qd_test_gas_fill(world, 15, 15, 1);
        qd_metrics m = qd_test_measure(world);
        double first = m.kinetic;
        qd_test_step(world, dt, fine ? 20000 : 2000);
        qd_world_measure(world, &m);
        ck_assert_double_lt(m.kinetic, 0.95 * first);
        ck_assert_double_gt(m.lost_bodies_normal, 0);
        ck_assert_double_gt(m.lost_bodies_friction, 0);
        ck_assert_double_eq(m.drift, 0);
        drift[fine] = fabs(m.imbalance) / (first - m.kinetic);
        qd_world_destroy(world);
    }
    ck_assert_double_lt(drift[0], 0.05);
    ck_assert_double_lt(drift[1], 0.2 * drift[0]);
}

QD_TEST_MAIN("spring_world", 300, NULL, NULL)
