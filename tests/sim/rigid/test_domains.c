// Heaps that are too large for one thread: solved in domains side by side they do what one thread makes of
// them, whatever turns, slides or is moved among them, and also where a body has more contacts than there are
// colours.
#include "sim/rigid/solver_domains.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/shape.h>
#include <quadrille/world.h>

enum { ACROSS = 40, PILED = 38, STEPS = 24 };

/// What a heap has beside what lies in it, by bits of the seed.
enum { SPINNER = 1, WALLS = 2, GIANT = 4, BELT = 8 };

static void add_heap(qd_world *world, qd_random *random) {
    for (int k = 0; k < ACROSS * PILED; ++k) {
        const double r = qd_test_between(random, 0.12, 0.145);
        const qd_shape shape = qd_test_between(random, 0, 1) < 0.5 ? qd_shape_disk(r)
                                                                   : qd_shape_rect(2 * r, 1.8 * r);
        qd_body_def body = qd_test_body_at(shape, 0.35 + 0.285 * (k % ACROSS), 0.2 + 0.28 * (k / ACROSS));
        body.velocity = (qd_vec2){qd_test_between(random, -0.5, 0.5), qd_test_between(random, -2, 0)};
        qd_test_add(world, &body);
    }
}

static void add_kinematic(qd_world *world, double x, double y, double spin, double slide) {
    qd_body_def body = qd_test_body_at(qd_shape_rect(6, 0.2), x, y);
    body.kind = QD_BODY_KINEMATIC;
    body.spin = spin;
    body.slide = slide;
    qd_test_add(world, &body);
}

static uint64_t life(uint64_t seed, int threads, bool halfway) {
    qd_random random = qd_random_at(seed, 0, 41);
    qd_world_def def = qd_test_def(12, 14);
    def.gravity = (qd_vec2){0, -10};
    def.threads = threads;
    if (seed & WALLS)
        def.wall_motion[0] = (qd_wall_motion){.velocity = 0.5, .amplitude = 0.1, .frequency = 2};
    qd_own(qd_world) world = qd_test_world(&def);
    add_heap(world, &random);
    if (seed & SPINNER) add_kinematic(world, 6, 6, 3, 0);
    if (seed & BELT) add_kinematic(world, 6, 3, 0, 2);
    if (seed & GIANT) qd_test_disk(world, 6, 13, 0, -20, 4, 0);
    uint64_t hash = 1;
    for (int k = 0; k < STEPS; ++k) {
        if (k == STEPS / 2 && halfway) world = qd_test_reload(world, threads);
        qd_test_step(world, 1.0 / 60, 1);
        hash = hash * 31 + qd_world_hash(world) + qd_test_events_hash(world);
    }
    ck_assert_uint_gt(qd_test_measure(world).contacts, 1000);
    return hash;
}

QD_TEST(heaps_are_the_same_for_any_team) {
    qd_test_same_lives(qd_test_effort(16), life);
}

QD_TEST(a_row_is_in_the_last_domain_that_begins_before_it) {
    for (uint64_t seed = qd_test_seed(1), end = seed + qd_test_effort(200); seed < end; ++seed) {
        qd_random random = qd_random_at(seed, 0, 42);
        qdi_domains domains = {.count = 1 + qd_random_bits(&random) % QDI_PARTS_MAX};
        for (size_t d = 1; d < domains.count; ++d)
            domains.first_row[d] = domains.first_row[d - 1] + (uint32_t)(qd_random_bits(&random) % 3);
        for (uint32_t row = 0; row < 200; ++row) {
            size_t last = 0;
            for (size_t d = 0; d < domains.count; ++d)
                if (domains.first_row[d] <= row) last = d;
            QD_TEST_CHECK(qdi_domain_of(&domains, row) == last, seed, "row", (int)row, "domain %zu", last);
        }
    }
}

QD_TEST_MAIN("domains", 240, NULL, NULL)
