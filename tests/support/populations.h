#pragma once

#include "tests/support/worlds.h"

#include <quadrille/world.h>

/// Emitters, sinks and open worlds for the tests of bodies that come and go.

static inline void add_emitter(qd_world *world, const qd_emitter_def *def) {
    qd_error error = {""};
    qd_status status = qd_world_add_emitter(world, def, &error);
    ck_assert_msg(status == QD_OK, "emitter: %s", error.text);
}

static inline void check_tree(const qd_world *world) {
    qd_error error = {""};
    ck_assert_msg(qd_tree_validate(qd_world_tree(world), &error) == QD_OK, "%s", error.text);
    ck_assert_uint_eq(qd_tree_count(qd_world_tree(world)), qd_world_count(world));
}

static inline qd_emitter_def tap(void) {
    qd_emitter_def def = qd_emitter_def_default();
    def.low = (qd_vec2){20, 80};
    def.high = (qd_vec2){80, 90};
    def.rate = 10;
    return def;
}

static inline qd_emitter_def source_of(int kind) {
    qd_emitter_def source = tap();
    const qd_vec2 points[] = {{0, 0}, {2, 0}, {1, 1}};
    switch (kind) {
    case 0: source.body.shape = qd_shape_disk(0.7); break;
    case 1: source.body.shape = qd_shape_rect(2, 1); break;
    case 2: source.body.shape = qd_shape_capsule(1.5, 0.3); break;
    default: ck_assert_int_eq(qd_shape_polygon(points, 3, &source.body.shape, NULL, NULL), QD_OK); break;
    }
    source.scale_low = 0.5;
    source.scale_high = 1.5;
    source.turn = 3.2;
    source.spread = 2;
    source.rate = 400;
    source.tries = 50;
    return source;
}
