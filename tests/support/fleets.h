#pragma once

#include "sim/ranks/fleet.h"
#include "sim/world/bodies.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Worlds that ranks can step, drawn from a seed; how fleets that are apart get their bodies in tests; that
/// they have what a plain world has; and saved worlds that come in pieces.

static inline void giant_and_wheel(qd_world *world, qd_random *random) {
    const qd_world_def def = qd_world_definition(world);
    qd_body_def body = qd_test_body_at(qd_shape_disk(qd_test_between(random, 3, 4)),
                                       def.origin.x + 0.5 * def.size.x, def.origin.y + 0.5 * def.size.y);
    qd_test_add(world, &body);
    body.shape = qd_shape_rect(6, 0.5);
    body.kind = QD_BODY_KINEMATIC;
    body.spin = qd_test_between(random, -2, 2);
    body.pivot = (qd_vec2){body.position.x + 1, body.position.y};
    qd_test_add(world, &body);
}

static inline qd_world *qd_fleet_world(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 23);
    qd_world_def def = qd_test_random_def(&random);
    def.contact = seed % 3 ? QD_CONTACT_SPRING : QD_CONTACT_NONE;
    def.spring.contact_time = 0.1;
    if (seed % 7 == 3) def.spring.rolling = 0.2;
    if (seed % 7 == 5) def.spring.adhesion = 0.3;
    if (seed % 7 == 5) def.spring.range = 0.05;
    if (seed % 4 == 1) def.drag = (qd_drag){.linear = 0.05, .temperature = 0.1};
    if (seed % 5 == 2) def.attraction = (qd_attraction){.strength = 2, .at = def.origin};
    if (seed % 5 >= 3) def.boundary_x = def.boundary_y = QD_BOUNDARY_REFLECT;
    if (seed % 5 == 3) def.wall_motion[1] = (qd_wall_motion){.amplitude = 0.3, .frequency = 2};
    if (seed % 5 == 4) def.wall_motion[2] = (qd_wall_motion){.velocity = 0.05};
    def.margin = seed % 2 ? (double)NAN : 0;
    if (seed % 13 == 7) def.limits.speed = 8;
    qd_world *world = qd_test_world(&def);
    const size_t count = 60 + seed * 37 % 300;
    if (seed % 2 || seed % 7 == 3 || seed % 7 == 5)
        qd_test_scatter(world, &random, count);
    else
        qd_test_scatter_shapes(world, &random, count);
    if (seed % 4 == 2) giant_and_wheel(world, &random);
    return world;
}

/// Adds a rank's share of the bodies of a world that all ranks see, as they are threads.
static inline qd_status qd_fleet_copy(qdi_ranks *ranks, const void *said, size_t bytes, qd_world *world,
                                      uint64_t *first) {
    const void *all;
    ck_assert_uint_eq(bytes, sizeof all);
    memcpy(&all, said, sizeof all);
    const qd_world *from = all;
    const size_t count = from->index_count, me = (size_t)qdi_ranks_me(ranks),
                 ranks_all = (size_t)qdi_ranks_count(ranks);
    const size_t low = count * me / ranks_all, high = count * (me + 1) / ranks_all;
    *first = low;
    for (size_t i = low; i < high; ++i) {
        const qd_body_state state = qdi_body_state_of_row(from, from->row_of_index[i]);
        const qd_status status = qdi_body_add_again(world, &state, true, NULL);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// All that was measured, but of the tree and of fat boxes.
static inline qd_metrics qd_fleet_without_tree(qd_metrics all) {
    all.tree_nodes = all.tree_leaves = all.tree_deepest = all.tree_longest = all.tree_outside = 0;
    all.tree_candidates = 0;
    all.tree_tests = all.tree_tests_total = all.saved_bytes = 0;
    return all;
}

/// What is measured of a plain world and of ranks is the same, bit for bit, but for that.
static inline void qd_fleet_same_metrics(uint64_t seed, int ranks, uint64_t step, qd_metrics plain,
                                         qd_metrics others) {
    const qd_metrics left = qd_fleet_without_tree(plain), right = qd_fleet_without_tree(others);
    const double *p = (const double *)(const void *)&left, *q = (const double *)(const void *)&right;
    for (size_t i = 0; i < sizeof left / sizeof *p; ++i)
        QD_TEST_CHECK(memcmp(&p[i], &q[i], sizeof *p) == 0, seed, "ranks", ranks,
                      "step %" PRIu64 ": measure %zu differs: %.17g %.17g", step, i, p[i], q[i]);
}

/// What ranks add up, each its own, is what the plain world has; the whole world may lag behind.
static inline void qd_fleet_same_sums(uint64_t seed, int ranks, const qd_world *plain, qdi_fleet *fleet) {
    const uint64_t step = qd_world_steps(plain);
    qd_metrics sums;
    uint64_t hash = 0;
    ck_assert_int_eq(qdi_fleet_hash(fleet, &hash), QD_OK);
    QD_TEST_CHECK(qd_world_hash(plain) == hash, seed, "ranks", ranks,
                  "step %" PRIu64 ": the hashes of ranks add up to another", step);
    ck_assert_int_eq(qdi_fleet_measure(fleet, &sums), QD_OK);
    qd_fleet_same_metrics(seed, ranks, step, qd_test_measure(plain), sums);
}

/// What is saved in pieces.
typedef struct qd_pieces {
    unsigned char *data;
    size_t used, all;
} qd_pieces;

static inline qd_status qd_pieces_begin(void *context, uint64_t bytes) {
    qd_pieces *to = context;
    *to = (qd_pieces){.data = qd_test_memory((size_t)bytes), .all = (size_t)bytes};
    ck_assert_ptr_nonnull(to->data);
    return QD_OK;
}

static inline qd_status qd_pieces_take(void *context, const void *data, size_t bytes) {
    qd_pieces *to = context;
    ck_assert_uint_le(bytes, to->all - to->used);
    memcpy(to->data + to->used, data, bytes);
    to->used += bytes;
    return QD_OK;
}
