#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/world.h>
#include <stdlib.h>
#include <string.h>

// A life with bodies coming and going, told as one number: state, contacts and events of every step.
typedef struct life {
    uint64_t hash;
    qd_world_totals totals;
} life;

static void scatter(qd_world *world, qd_random *random, size_t many, bool shapes) {
    if (shapes)
        qd_test_scatter_shapes(world, random, many);
    else
        qd_test_scatter(world, random, many);
}

static void come_and_go(qd_world *world, qd_random *random, size_t many, bool shapes) {
    for (size_t k = 0; k < many; ++k) {
        size_t pick = qd_random_bits(random) % (2 * many) + 1;
        qd_body_view view = qd_world_view(world);
        if (pick >= view.index_count || view.row_of_index[pick] == UINT32_MAX) continue;
        uint32_t row = view.row_of_index[pick];
        ck_assert_int_eq(qd_world_remove(world, (qd_id){view.index[row], view.generation[row]}), QD_OK);
    }
    scatter(world, random, many, shapes);
}

/// Steps have another number of threads each time, whatever is faster.
static void use_other_threads(qd_world *world, uint64_t step) {
    qd_random random = qd_random_at(step, 0, 22);
    qdi_thread_trial *trial = &world->trial;
    trial->used = 1 + (int)(qd_random_uniform(&random) * trial->most);
    trial->tried = 0;
    trial->count = 0;
    ck_assert_int_eq(qdi_world_step_threads(world), trial->used);
}

/// Every other seed is a life of all shapes and kinds. `threads` below 0: at most so many, and others in each
/// step.
static life live(uint64_t seed, int threads, qd_retrieve_mode retrieve, size_t bodies, size_t steps) {
    qd_random random = qd_random_at(seed, 0, 21);
    qd_world_def def = qd_test_random_def(&random);
    double side = 1.4 * sqrt((double)bodies) + 10;
    def.size = (qd_vec2){side, 0.8 * side};
    def.threads = abs(threads);
    def.retrieve = retrieve;
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_int_eq(qd_world_adapt_threads(world, threads < 0), QD_OK);
    scatter(world, &random, bodies, seed % 2 == 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    life result = {.hash = seed};
    for (size_t k = 0; k < steps; ++k) {
        if (k % 5 == 4) come_and_go(world, &random, bodies / 20, seed % 2 == 1);
        if (threads < 0) use_other_threads(world, seed + k);
        qd_test_step(world, 0.02, 1);
        uint64_t now[] = {qd_world_hash(world), qd_test_events_hash(world)};
        result.hash = qd_hash_seeded(now, sizeof now, result.hash);
    }
    result.totals = qd_world_total(world);
    return result;
}

static void check_same_life(const life *p, const life *q, uint64_t seed, int threads) {
    ck_assert_msg(p->hash == q->hash, "seed %llu, %d threads: another life", (unsigned long long)seed,
                  threads);
    ck_assert_uint_eq(p->totals.contacts, q->totals.contacts);
    ck_assert_uint_eq(p->totals.begins, q->totals.begins);
    ck_assert_double_eq(p->totals.wall_impulse.x, q->totals.wall_impulse.x);
    ck_assert_double_eq(p->totals.wall_impulse.y, q->totals.wall_impulse.y);
    ck_assert_uint_eq(p->totals.refresh_in_place, q->totals.refresh_in_place);
    ck_assert_uint_eq(p->totals.refresh_refiled, q->totals.refresh_refiled);
}

QD_TEST(any_team_gives_the_same) {
    const int threads[] = {2, 3, 8, -5};
    uint64_t first = qd_test_seed(40);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(20);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        size_t bodies = seed % 5 == 0 ? 9000 : 400; // more and fewer than QDI_FEW
        life one = live(seed, 1, QD_RETRIEVE_JOIN, bodies, 10);
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; ++t) {
            life many = live(seed, threads[t], QD_RETRIEVE_JOIN, bodies, 10);
            check_same_life(&one, &many, seed, threads[t]);
        }
    }
}

QD_TEST(any_way_to_retrieve_gives_the_same) {
    uint64_t first = qd_test_seed(60);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(20);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        life join = live(seed, 2, QD_RETRIEVE_JOIN, 800, 15), each = live(seed, 2, QD_RETRIEVE_EACH, 800, 15),
             brute = live(seed, 3, QD_RETRIEVE_BRUTE, 800, 15);
        check_same_life(&join, &each, seed, 2);
        check_same_life(&join, &brute, seed, 3);
    }
}

QD_TEST(other_seeds_give_other_lives) {
    ck_assert_uint_ne(live(1, 1, QD_RETRIEVE_JOIN, 100, 3).hash, live(2, 1, QD_RETRIEVE_JOIN, 100, 3).hash);
}

QD_TEST(phases_are_clocked) {
    qd_world_def def = qd_world_def_default();
    def.threads = 2;
    qd_test_gas_def(&def, 100, 100);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 100, 100, 1);
    qd_profile profile;
    memset(&profile, 0, sizeof profile);
    for (int k = 0; k < 20; ++k) ck_assert_int_eq(qd_world_step(world, 0.01, &profile), QD_OK);
    ck_assert_uint_eq(profile.steps, 20);
    ck_assert_uint_eq(profile.body_steps, 20 * 10000);
    for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase) {
        ck_assert_msg(profile.wall_ns[phase] > 0, "%s took no time", qd_phase_name((qd_phase)phase));
        uint64_t busy = 0;
        for (int k = 0; k < 64; ++k) {
            ck_assert_uint_le(profile.busy_ns[phase][k], profile.wall_ns[phase] + 1000000);
            busy += profile.busy_ns[phase][k];
            if (k >= 2) ck_assert_uint_eq(profile.busy_ns[phase][k], 0);
        }
        ck_assert_msg(busy > 0, "nobody worked in %s", qd_phase_name((qd_phase)phase));
    }
    ck_assert_uint_eq(profile.wall_ns[QD_PHASE_EXPORT], 0);
    ck_assert_str_eq(qd_phase_name(QD_PHASE_RESOLVE), "resolve");
    ck_assert_str_eq(qd_phase_name(QD_PHASE_EXPORT), "export");
}

// A call that found no memory changes nothing; it is made again and works.
static qd_status stubborn_add(qd_world *world, const qd_body_def *body, size_t *failures) {
    size_t count = qd_world_count(world);
    uint64_t hash = qd_world_hash(world);
    qd_id id = {5, 5};
    qd_status status = qd_world_add(world, body, &id, NULL);
    if (status == QD_OK) return status;
    ck_assert_int_eq(status, QD_ERR_MEMORY);
    ck_assert_uint_eq(qd_world_count(world), count);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    ck_assert_uint_eq(id.index, 5);
    *failures += 1;
    return qd_world_add(world, body, &id, NULL);
}

static qd_status stubborn_step(qd_world *world, size_t *failures) {
    if (qd_world_detect(world) != QD_OK) {
        *failures += 1;
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
    }
    uint64_t hash = qd_world_hash(world), events = qd_test_events_hash(world);
    qd_world_totals totals = qd_world_total(world);
    qd_status status = qd_world_step(world, 0.05, NULL);
    if (status == QD_OK) return status;
    ck_assert_int_eq(status, QD_ERR_MEMORY);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    ck_assert_uint_eq(qd_test_events_hash(world), events);
    ck_assert_uint_eq(qd_world_total(world).contacts, totals.contacts);
    ck_assert_uint_eq(qd_tree_count(qd_world_tree(world)), qd_world_count(world));
    *failures += 1;
    return qd_world_step(world, 0.05, NULL);
}

static uint64_t poor_life(qd_test_allocator *allocator, int which, size_t *failures) {
    qd_world_def def = qd_world_def_default();
    def.allocator = &allocator->allocator;
    def.size = (qd_vec2){12, 12};
    def.contact = which % 2 ? QD_CONTACT_NONE : QD_CONTACT_IMPULSE;
    def.retrieve = which / 2 % 2 ? QD_RETRIEVE_EACH : QD_RETRIEVE_JOIN;
    def.margin = which % 3 == 0 ? 0.3 : which % 3 == 1 ? 0 : (double)NAN;
    bool shapes = which / 4 > 0;
    if (shapes) def.gravity.y = -5, def.friction = 0.5;
    qd_own(qd_world) world = NULL;
    qd_status status = qd_world_create(&def, &world);
    if (status != QD_OK) {
        ck_assert_int_eq(status, QD_ERR_MEMORY);
        ck_assert_ptr_null(world);
        ck_assert_uint_eq(allocator->live, 0);
        *failures += 1;
        ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    }
    for (int i = 0; i < 60; ++i) {
        qd_random random = qd_random_at(9, (uint64_t)i, 0);
        qd_body_def body = qd_body_def_default();
        body.position = (qd_vec2){qd_test_between(&random, 0.5, 11.5), qd_test_between(&random, 0.5, 11.5)};
        body.velocity = (qd_vec2){qd_test_between(&random, -5, 5), qd_test_between(&random, -5, 5)};
        if (shapes && i % 3 == 0) body.shape = qd_shape_rect(0.25 + 0.125 * (i % 9), 0.5);
        if (shapes && i % 5 == 0) body.filter.group = i;
        ck_assert_int_eq(stubborn_add(world, &body, failures), QD_OK);
        if (i % 20 == 19) ck_assert_int_eq(stubborn_step(world, failures), QD_OK);
    }
    for (int k = 0; k < 4; ++k) ck_assert_int_eq(stubborn_step(world, failures), QD_OK);
    uint64_t parts[] = {qd_world_hash(world), qd_test_events_hash(world), qd_world_total(world).begins};
    return qd_hash_bytes(parts, sizeof parts);
}

QD_TEST_LOOP(memory_may_fail_at_any_call, 0, 6) {
    qd_test_allocator allocator;
    size_t failures = 0, nth = 1;
    allocator = qd_test_allocator_of(&allocator, 0);
    uint64_t expected = poor_life(&allocator, _i, &failures);
    ck_assert_uint_eq(failures, 0);
    size_t calls = allocator.calls;
    ck_assert_uint_gt(calls, 50);
    for (; nth <= calls; ++nth) {
        failures = 0;
        allocator = qd_test_allocator_of(&allocator, nth);
        uint64_t hash = poor_life(&allocator, _i, &failures);
        ck_assert_msg(hash == expected, "allocation %zu: another life", nth);
        ck_assert_msg(failures == 1, "allocation %zu: noticed %zu times", nth, failures);
        ck_assert_msg(allocator.live == 0 && allocator.live_bytes == 0, "allocation %zu: a leak", nth);
    }
}

QD_TEST_MAIN("stepper", 240, NULL, NULL)
