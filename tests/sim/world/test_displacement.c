// Displacements that are known, and metrics of order against sums over all bodies.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/displacement.h>
#include <quadrille/emitter.h>
#include <quadrille/hexatic.h>
#include <quadrille/metrics.h>

enum { BODIES = 60 };

typedef struct rig {
    qd_world *world;
    qd_id id[BODIES];
    qd_vec2 speed[BODIES];
} rig;

/// Disks that fly through each other, some of them round the world in a few steps.
static rig make(uint64_t seed, qd_boundary x, qd_boundary y, int threads) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = x;
    def.boundary_y = y;
    def.origin = (qd_vec2){-3, 2};
    def.size = (qd_vec2){10, 7};
    def.threads = threads;
    rig made = {.world = qd_test_world(&def)};
    qd_random random = qd_random_at(seed, 0, 0);
    for (int i = 0; i < BODIES; ++i) {
        made.speed[i] = (qd_vec2){qd_test_between(&random, -90, 90), qd_test_between(&random, -90, 90)};
        made.id[i] = qd_test_disk(made.world, qd_test_between(&random, -3, 7), qd_test_between(&random, 2, 9),
                                  made.speed[i].x, made.speed[i].y, 0.2, 1);
    }
    return made;
}

static qd_vec2 way_of(const qd_world *world, qd_id id) {
    qd_vec2 way;
    ck_assert_int_eq(qd_world_displacement(world, id, &way), QD_OK);
    return way;
}

static qd_metrics measure(const qd_world *world) {
    qd_metrics metrics = qd_test_measure(world);
    return metrics;
}

QD_TEST_LOOP(turns_round_the_world_count, 1, 7) {
    rig here = make((uint64_t)_i, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_PERIODIC, 1 + _i % 3);
    qd_vec2 way;
    ck_assert_int_eq(qd_world_displacement(here.world, here.id[0], &way), QD_ERR_STATE);
    ck_assert(!qd_world_follows(here.world));
    qd_test_step(here.world, 0.02, 3);
    ck_assert_double_eq(measure(here.world).msd, 0);
    ck_assert_int_eq(qd_world_follow(here.world, true), QD_OK);
    ck_assert_int_eq(qd_world_follow(here.world, true), QD_OK);
    qd_test_step(here.world, 0.02, 50);
    double xx = 0, yy = 0, fourth = 0;
    for (int i = 0; i < BODIES; ++i) {
        way = way_of(here.world, here.id[i]);
        const double x = here.speed[i].x * 1.0, y = here.speed[i].y * 1.0;
        ck_assert_double_le(fabs(way.x - x), 1e-11);
        ck_assert_double_le(fabs(way.y - y), 1e-11);
        xx += x * x / BODIES;
        yy += y * y / BODIES;
        fourth += (x * x + y * y) * (x * x + y * y) / BODIES;
    }
    const qd_metrics m = measure(here.world);
    ck_assert_double_le(fabs(m.msd_x - xx), 1e-10 * xx);
    ck_assert_double_le(fabs(m.msd_y - yy), 1e-10 * yy);
    ck_assert_double_eq(m.msd, m.msd_x + m.msd_y);
    ck_assert_double_le(fabs(m.non_gaussian - (fourth / (2 * (xx + yy) * (xx + yy)) - 1)), 1e-9);
    ck_assert_int_eq(qd_world_follow(here.world, false), QD_OK);
    ck_assert_int_eq(qd_world_follow(here.world, true), QD_OK);
    ck_assert_double_eq(measure(here.world).msd, 0);
    ck_assert_int_eq(qd_world_displacement(here.world, (qd_id){BODIES, 1}, &way), QD_ERR_STALE);
    ck_assert_int_eq(qd_world_displacement(here.world, here.id[0], NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_follow(NULL, true), QD_ERR_ARGUMENT);
    qd_world_destroy(here.world);
}

QD_TEST(walls_turn_bodies_back) {
    rig here = make(7, QD_BOUNDARY_REFLECT, QD_BOUNDARY_PERIODIC, 2);
    ck_assert_int_eq(qd_world_follow(here.world, true), QD_OK);
    qd_vec2 first[BODIES];
    for (int i = 0; i < BODIES; ++i) first[i] = qd_test_body(here.world, here.id[i]).position;
    qd_test_step(here.world, 0.02, 40);
    for (int i = 0; i < BODIES; ++i) {
        const qd_vec2 way = way_of(here.world, here.id[i]);
        ck_assert_double_eq(way.x, qd_test_body(here.world, here.id[i]).position.x - first[i].x);
        ck_assert_double_le(fabs(way.y - here.speed[i].y * 0.8), 1e-11);
    }
    qd_world_destroy(here.world);
}

// Bodies come and go; the world is saved and loaded in between; a step fails. Nothing of this changes the way
// of another.
QD_TEST(kept_through_all_changes) {
    rig one = make(11, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_PERIODIC, 1),
        two = make(11, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_PERIODIC, 2);
    ck_assert_int_eq(qd_world_follow(one.world, true), QD_OK);
    ck_assert_int_eq(qd_world_follow(two.world, true), QD_OK);
    for (int round = 0; round < 20; ++round) {
        rig *const both[2] = {&one, &two};
        for (int k = 0; k < 2; ++k) {
            qd_world *world = both[k]->world;
            qd_test_step(world, 0.03, 5);
            ck_assert_int_eq(qd_world_remove(world, both[k]->id[round]), QD_OK);
            both[k]->id[round] = qd_test_disk(world, 1, 3, 30, -70, 0.1, 1);
            ck_assert_double_eq(way_of(world, both[k]->id[round]).x, 0);
            qd_test_step(world, 0.03, 1);
        }
        unsigned char *data = NULL;
        size_t bytes = 0;
        ck_assert_int_eq(qd_world_save(two.world, &data, &bytes), QD_OK);
        qd_world *loaded = NULL;
        ck_assert_int_eq(qd_world_load(data, bytes, 1 + round % 3, NULL, &loaded, NULL), QD_OK);
        qd_world_save_free(two.world, data, bytes);
        qd_world_destroy(two.world);
        two.world = loaded;
        ck_assert(qd_world_follows(loaded));
        ck_assert_int_eq(qd_world_step(loaded, -1, NULL), QD_ERR_VALUE);
        for (int i = 0; i < BODIES; ++i) {
            const qd_vec2 a = way_of(one.world, one.id[i]), b = way_of(loaded, two.id[i]);
            ck_assert_double_eq(a.x, b.x);
            ck_assert_double_eq(a.y, b.y);
        }
        const qd_metrics m = measure(one.world), n = measure(loaded);
        ck_assert_double_eq(m.msd, n.msd);
        ck_assert_double_eq(m.psi6, n.psi6);
        ck_assert_double_eq(m.psi6_global, n.psi6_global);
    }
    qd_world_destroy(one.world);
    qd_world_destroy(two.world);
}

// More pairs than allowed: the step is taken back, with the turns that bodies made in it.
QD_TEST(a_step_that_fails_moves_nobody) {
    enum { FLYING = 60 };
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){10, 10};
    def.limits.pairs = .1;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id id[FLYING];
    for (int i = 0; i < FLYING; ++i) // all are at (5, 5) after a step, from the left by way of the right side
        id[i] = qd_test_disk(world, 0.1 + 0.15 * i, 0.1 + 0.15 * (i * 7 % FLYING), -5.1 - 0.15 * i,
                             4.9 - 0.15 * (i * 7 % FLYING), 0.02, 1);
    ck_assert_int_eq(qd_world_follow(world, true), QD_OK);
    ck_assert_int_eq(qd_world_step(world, 0.25, NULL), QD_OK);
    for (int again = 0; again < 2; ++again) {
        ck_assert_int_eq(qd_world_step(world, 0.75, NULL), QD_ERR_LIMIT);
        for (int i = 0; i < FLYING; ++i)
            ck_assert_double_le(fabs(way_of(world, id[i]).x + 0.25 * (5.1 + 0.15 * i)), 1e-12);
    }
    for (int i = 2; i < FLYING; ++i) ck_assert_int_eq(qd_world_remove(world, id[i]), QD_OK);
    ck_assert_int_eq(qd_world_step(world, 0.75, NULL), QD_OK);
    ck_assert_double_le(fabs(way_of(world, id[1]).x + 5.25), 1e-12);
}

QD_TEST(born_by_an_emitter) {
    rig here = make(3, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_PERIODIC, 2);
    ck_assert_int_eq(qd_world_follow(here.world, true), QD_OK);
    qd_emitter_def def = qd_emitter_def_default();
    def.low = (qd_vec2){0, 3};
    def.high = (qd_vec2){2, 5};
    def.body.shape = qd_shape_disk(0.1);
    def.body.velocity = (qd_vec2){50, -20};
    def.overlap = true;
    def.rate = 100;
    def.total = 30;
    ck_assert_int_eq(qd_world_add_emitter(here.world, &def, NULL), QD_OK);
    for (int step = 0; step < 60; ++step) {
        qd_test_step(here.world, 0.01, 1);
        const qd_body_view view = qd_world_view(here.world);
        for (size_t r = 0; r < view.count; ++r) {
            const qd_id id = {view.index[r], view.generation[r]};
            const qd_vec2 way = way_of(here.world, id);
            if (view.label[r] <= BODIES) continue;
            // It moves from the step after the one in which it came.
            const double steps = way.x / 0.5;
            ck_assert_double_le(fabs(steps - floor(steps + 0.5)), 1e-9);
            ck_assert_double_le(fabs(way.y + 0.2 * steps), 1e-9);
            ck_assert_double_le(steps, step + 1);
        }
    }
    ck_assert_uint_eq(qd_world_count(here.world), BODIES + 30);
    qd_world_destroy(here.world);
}

QD_TEST_LOOP(order_is_the_mean_of_all, 0, 3) {
    rig here = make(5, QD_BOUNDARY_REFLECT, QD_BOUNDARY_PERIODIC, 1 + _i);
    ck_assert_int_eq(qd_world_follow(here.world, true), QD_OK);
    qd_test_step(here.world, 0.01, 1);
    qd_vec2 psi6[BODIES], sum = {0, 0};
    ck_assert_int_eq(qd_hexatic_measure(here.world, QD_HEXATIC_REACH, psi6), QD_OK);
    double sizes = 0;
    for (int i = 0; i < BODIES; ++i) {
        sizes += hypot(psi6[i].x, psi6[i].y) / BODIES;
        sum = (qd_vec2){sum.x + psi6[i].x / BODIES, sum.y + psi6[i].y / BODIES};
    }
    const qd_metrics m = measure(here.world);
    ck_assert_double_gt(sizes, 0.1);
    ck_assert_double_le(fabs(m.psi6 - sizes), 1e-13);
    ck_assert_double_le(fabs(m.psi6_global - hypot(sum.x, sum.y)), 1e-13);
    qd_world_destroy(here.world);
}

QD_TEST(a_perfect_packing) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){20, 24 * sqrt(0.75)};
    qd_own(qd_world) world = qd_test_world(&def);
    for (int j = 0; j < 24; ++j)
        for (int i = 0; i < 20; ++i)
            qd_test_disk(world, 0.25 + i + 0.5 * (j % 2), (j + 0.5) * sqrt(0.75), 0, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_follow(world, true), QD_OK);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_double_le(fabs(measure(world).psi6 - 1), 1e-12);
    ck_assert_double_le(fabs(measure(world).psi6_global - 1), 1e-12);
}

QD_TEST_MAIN("displacement", 60, NULL, NULL)
