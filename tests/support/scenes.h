#pragma once

#include <check.h>
#include <quadrille/scene.h>
#include <string.h>

#include "tests/support/harness.h"
#include "tests/support/worlds.h"

QD_OWN_POINTER(qd_scene, qd_scene_destroy)

/// A scene that must be read; changes: NULL: none.
static inline qd_scene *qd_test_scene(const char *text, const qd_scene_changes *changes) {
    qd_scene *scene = NULL;
    qd_error error = {"?"};
    qd_status status = qd_scene_parse(text, strlen(text), "test.yaml", changes, &scene, &error);
    ck_assert_msg(status == QD_OK, "%s\n%s", error.text, text);
    ck_assert_str_eq(error.text, "");
    return scene;
}

/// A world with all the bodies of a scene.
static inline qd_world *qd_test_scene_world(const qd_scene *scene) {
    qd_world_def def = qd_scene_world(scene);
    qd_world *world = qd_test_world(&def);
    qd_error error = {""};
    qd_status status = qd_scene_populate(scene, world, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    ck_assert_uint_eq(qd_world_count(world), qd_scene_bodies(scene));
    return world;
}
