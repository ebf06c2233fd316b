#pragma once

#include <check.h>
#include <quadrille/trajectory.h>

#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

/// For the tests of one file that write trajectories: a directory for each test, a world, and the calls that
/// must succeed.

static qd_scratch scratch;

static inline void setup(void) {
    scratch = qd_scratch_make();
}

static inline void teardown(void) {
    qd_scratch_remove(&scratch);
}

static inline qd_scratch_path at(const char *name) {
    return qd_scratch_at(&scratch, name);
}

/// A world with all shapes and kinds, labels, contacts, and an index that was freed.
static inline qd_world *mixed_world(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 0);
    qd_world_def def = qd_test_random_def(&random);
    def.contact = QD_CONTACT_IMPULSE;
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    qd_world *world = qd_test_world(&def);
    qd_id first = qd_test_disk(world, def.origin.x + 1, def.origin.y + 1, 0, 0, 0.5, 0);
    qd_test_scatter_shapes(world, &random, 150);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){def.origin.x + 3, def.origin.y + 3};
    body.velocity = (qd_vec2){1e-300, -1.0 / 3.0};
    body.label = UINT64_MAX;
    qd_test_add(world, &body);
    ck_assert_int_eq(qd_world_remove(world, first), QD_OK);
    const qd_vec2 line[] = {{def.origin.x + 4, def.origin.y + 2}, {def.origin.x + 8, def.origin.y + 2.5}};
    ck_assert_int_eq(qd_world_add_polyline(world, line, 2, false, &body, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static inline qd_trajectory *start(qd_trajectory_format format, int threads) {
    qd_trajectory_def def = qd_trajectory_def_default();
    def.directory = scratch.path;
    def.format = format;
    def.threads = threads;
    def.provenance = (qd_provenance){"mixed", 0xabcdef, 7};
    qd_trajectory *trajectory = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_trajectory_create(&def, &trajectory, &error) == QD_OK, "%s", error.text);
    return trajectory;
}

static inline void add(qd_trajectory *trajectory, const qd_world *world) {
    qd_error error = {""};
    ck_assert_msg(qd_trajectory_add(trajectory, world, &error) == QD_OK, "%s", error.text);
}

static inline qd_trajectory_totals finish(qd_trajectory *trajectory) {
    qd_trajectory_totals totals;
    qd_error error = {""};
    ck_assert_msg(qd_trajectory_finish(trajectory, &totals, &error) == QD_OK, "%s", error.text);
    qd_trajectory_destroy(trajectory);
    return totals;
}
