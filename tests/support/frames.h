#pragma once

#include "tests/support/one_scratch.h"

#include <check.h>
#include <quadrille/frame.h>
#include <quadrille/random.h>

/// Worlds of moving disks, and writers that draw them.

/// Disks anywhere in 60 x 40, detected.
static inline qd_world *make_world(size_t bodies, int threads) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){60, 40};
    def.threads = threads;
    qd_world *world = NULL;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    qd_random random = qd_random_at(11, 0, 0);
    for (size_t i = 0; i < bodies; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape.radius = 0.2 + 0.6 * qd_random_uniform(&random);
        body.position = (qd_vec2){1.0 + 58.0 * qd_random_uniform(&random),
                                  1.0 + 38.0 * qd_random_uniform(&random)};
        body.velocity = (qd_vec2){qd_random_normal(&random), qd_random_normal(&random)};
        ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

/// A writer into a directory.
static inline qd_frame_writer_def make_def(const qd_scratch *directory) {
    qd_frame_writer_def def = qd_frame_writer_def_default();
    def.directory = directory->path;
    def.view.width = 320;
    def.view.height = 240;
    def.provenance = (qd_provenance){"pool", UINT64_C(0x0123456789abcdef), 42};
    return def;
}

/// Pushes `frames` moments, one step apart.
static inline qd_status push_frames(qd_frame_writer *writer, qd_world *world, int frames) {
    qd_status status = QD_OK;
    for (int i = 0; i < frames && status == QD_OK; ++i) {
        if (i > 0) ck_assert_int_eq(qd_world_step(world, 0.1, NULL), QD_OK);
        status = qd_frame_writer_push(writer, world);
    }
    return status;
}
