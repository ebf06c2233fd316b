// Scenes with forces, moving walls, emitters and sinks: what a scene says is what the world does.
#include "tests/support/harness.h"
#include "tests/support/scenes.h"
#include "tests/support/worlds.h"

#include <quadrille/scene.h>
#include <string.h>

static const char everything[] =
    "world:\n"
    "  size: [40, 30]\n"
    "  boundary: {x: reflect, y: open}\n"
    "  removal: 1.5\n"
    "  gravity: {towards: {at: [20, 15], strength: 6, law: inverse_square, softening: 0.5}}\n"
    "  walls:\n"
    "    left: {velocity: 0.25, slide: 2}\n"
    "    right: {amplitude: 0.5, frequency: 2, phase: -1.5}\n"
    "  drag: {linear: 0.1, quadratic: 0.02, spin: 0.3, medium: [1, 0]}\n"
    "emitters:\n"
    "  - {region: [5, 5, 10, 4], rate: 20, radius: 0.4, scale: {uniform: [0.5, 1]}, velocity: [0, 3], "
    "spread: 1}\n"
    "  - {region: [25, 5, 5, 5], rate: 8, start: 0.5, stop: 2, total: 6, alive: 500, tries: 7, overlap: "
    "true,\n"
    "     shape: polygon, points: [[0, 0], [1, 0], [0, 1]], angle: 0.5, turn: 0.25, spin: 1, mass: 2,\n"
    "     friction: 0.5, restitution: 0.25, filter: {category: 2}}\n"
    "sinks:\n"
    "  - {region: [18, 13, 4, 4]}\n"
    "  - {region: [0, 12, 40, 18], total: 3}\n";

QD_TEST(scenes_say_everything) {
    qd_own(qd_scene) scene = qd_test_scene(everything, NULL),
                     again = qd_test_scene(qd_scene_text(scene), NULL);
    ck_assert_str_eq(qd_scene_text(again), qd_scene_text(scene));
    ck_assert_uint_eq(qd_scene_hash(again), qd_scene_hash(scene));
    qd_world_def def = qd_scene_world(scene);
    ck_assert_double_eq(def.removal, 1.5);
    ck_assert_int_eq(def.attraction.law, QD_PULL_INVERSE_SQUARE);
    ck_assert_double_eq(def.attraction.at.y, 15);
    ck_assert_double_eq(def.attraction.strength, 6);
    ck_assert_double_eq(def.attraction.softening, 0.5);
    ck_assert_double_eq(def.wall_motion[0].velocity, 0.25);
    ck_assert_double_eq(def.wall_motion[0].slide, 2);
    ck_assert_double_eq(def.wall_motion[1].amplitude, 0.5);
    ck_assert_double_eq(def.wall_motion[1].frequency, 2);
    ck_assert_double_eq(def.wall_motion[1].phase, -1.5);
    ck_assert_double_eq(def.drag.linear, 0.1);
    ck_assert_double_eq(def.drag.quadratic, 0.02);
    ck_assert_double_eq(def.drag.spin, 0.3);
    ck_assert_double_eq(def.drag.medium.x, 1);
    qd_own(qd_world) world = qd_test_scene_world(scene), other = qd_test_scene_world(again);
    for (int k = 0; k < 60; ++k) {
        qd_test_step(world, 0.05, 1);
        qd_test_step(other, 0.05, 1);
        ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(other));
    }
    qd_emitter_counts counts;
    ck_assert_int_eq(qd_world_emitter(world, 0, &counts), QD_OK);
    ck_assert_uint_gt(counts.emitted, 40);
    ck_assert_int_eq(qd_world_emitter(world, 1, &counts), QD_OK);
    ck_assert_uint_eq(counts.emitted, 6);
    ck_assert_uint_gt(qd_world_total(world).sunk, 0);
}

QD_TEST(keys_change_from_outside) {
    const char *sets[] = {"emitters.0.rate=5", "world.gravity=[0, -3]", "sinks.1.total=9",
                          "world.walls.left.velocity=0"};
    qd_scene_changes changes = {.sets = sets, .set_count = 4};
    qd_own(qd_scene) scene = qd_test_scene(everything, &changes);
    qd_world_def def = qd_scene_world(scene);
    ck_assert_double_eq(def.gravity.y, -3);
    ck_assert_double_eq(def.wall_motion[0].velocity, 0);
    ck_assert_ptr_nonnull(strstr(qd_scene_text(scene), "rate: 5\n"));
    ck_assert_ptr_nonnull(strstr(qd_scene_text(scene), "total: 9\n"));
}

static void check_refused(const char *text, const char *reason) {
    qd_own(qd_scene) scene = NULL;
    qd_error error = {""};
    qd_status status = qd_scene_parse(text, strlen(text), "t", NULL, &scene, &error);
    if (status == QD_OK) {
        qd_world_def def = qd_scene_world(scene);
        qd_own(qd_world) world = qd_test_world(&def);
        status = qd_scene_populate(scene, world, &error);
    }
    ck_assert_msg(status != QD_OK, "was taken: %s", text);
    ck_assert_msg(strstr(error.text, reason) != NULL, "%s: %s", text, error.text);
}

QD_TEST(errors_say_where_and_what) {
    check_refused("emitters:\n  - {rate: 1}", "t:2: emitters.0: \"region\" is missing");
    check_refused("emitters:\n  - {region: [0, 0, 1, 1], rat: 1}",
                  "t:2: unknown key \"rat\" in emitters.0; did you mean \"rate\"?");
    check_refused("emitters: [{region: [0, 0, 1, 1], rate: 0}]", "emitters.0.rate: must be a number > 0");
    check_refused("emitters: [{region: [0, 0, 0, 1]}]", "emitters.0.region: must be four numbers");
    check_refused("emitters:\n  - region: [0, 0, 1, 1]\n    shape: polygon\n    points: [[0, 0], [1, 1]]",
                  "emitters.0: ");
    check_refused("emitters: [{region: [0, 0, 1, 1], shape: capsule, radius: 0}]", "have no area");
    check_refused("emitters: [{region: [0, 0, 1, 1], scale: {uniform: [2, 1]}}]", "the smaller one first");
    check_refused("emitters: 5", "emitters: must be a list");
    check_refused("sinks: [{total: 5}]", "sinks.0: \"region\" is missing");
    check_refused("sinks: [{region: [1, 1, 1]}]", "sinks.0.region: must be four numbers");
    check_refused("world: {gravity: {towards: {at: [1, 1]}}}", "\"strength\" is missing");
    check_refused("world: {gravity: {towards: {at: [1, 1], strength: 1, law: cubic}}}",
                  "must be constant, inverse or inverse_square");
    check_refused("world: {gravity: {toward: {at: [1, 1], strength: 1}}}", "did you mean \"towards\"?");
    check_refused("world: {gravity: {}}", "must be exactly one of towards");
    check_refused("world: {drag: {linear: -1}}", "world.drag.linear: must be a number >= 0");
    check_refused("world: {drag: {qadratic: 1}}", "did you mean \"quadratic\"?");
    check_refused("world: {removal: -1}", "world.removal: must be a number >= 0");
    check_refused("world: {walls: {left: {frequency: -1}}}", "must be a number >= 0");
    check_refused("world: {boundary: open, walls: {top: {velocity: 1}}}",
                  "the top side moves, but does not reflect");
}

QD_TEST(sources_cannot_be_scaled) {
    qd_scene_changes changes = {.bodies = 50};
    qd_scene *scene = NULL;
    qd_error error = {""};
    const char *text = "bodies: [{disks: {count: 5}}]\nsinks: [{region: [0, 0, 1, 1]}]";
    ck_assert_int_eq(qd_scene_parse(text, strlen(text), "t", &changes, &scene, &error), QD_ERR_ARGUMENT);
    ck_assert_str_eq(error.text, "--bodies: the scene has emitters or sinks: it cannot be scaled");
}

QD_TEST_MAIN("scene_sources", 120, NULL, NULL)
