// Scenes of all shapes: what a scene says is what the world holds, and what is resolved says the same.
#include "tests/support/harness.h"
#include "tests/support/scenes.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <string.h>

/// The world of a scene; the resolved scene gives the same one.
static qd_world *world_of(const char *text) {
    qd_own(qd_scene) scene = qd_test_scene(text, NULL), again = qd_test_scene(qd_scene_text(scene), NULL);
    ck_assert_str_eq(qd_scene_text(again), qd_scene_text(scene));
    qd_world *world = qd_test_scene_world(scene), *other = qd_test_scene_world(again);
    ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(other));
    qd_world_destroy(other);
    return world;
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

static qd_body_state body(const qd_world *world, uint32_t index) {
    return qd_test_body(world, (qd_id){index, 1});
}

QD_TEST(lists_hold_every_shape) {
    qd_own(qd_world) world = world_of(
        "contact: {restitution: 0.25, friction: 0.5, tangential_restitution: 0.125, threshold: 2,\n"
        "  walls: {friction: 0.75}}\n"
        "bodies:\n- list:\n"
        "  - {shape: rect, size: [2, 1], at: [10, 20], angle: 0.5, static: true, friction: 0.9}\n"
        "  - {shape: capsule, length: 2, radius: 0.25, at: [30, 20], velocity: [1, 2], spin: 3}\n"
        "  - {shape: polygon, points: [[0, 0], [3, 0], [0, 3]], at: [50, 20], mass: 4}\n"
        "  - {at: [70, 20], kinematic: true, pivot: [60, 20], spin: 0.5, sensor: true}\n"
        "  - {shape: rect, at: [80, 20], inertia: .inf, filter: {category: 2, mask: 5, group: -7}}\n");
    qd_world_def def = qd_world_definition(world);
    ck_assert(def.restitution == 0.25 && def.friction == 0.5 && def.tangential == 0.125 &&
              def.threshold == 2);
    ck_assert(def.walls.friction == 0.75 && isnan(def.walls.restitution));
    qd_body_state s = body(world, 0);
    ck_assert_int_eq(s.kind, QD_BODY_STATIC);
    ck_assert_int_eq(s.shape.kind, QD_SHAPE_RECT);
    ck_assert(s.shape.half.x == 1 && s.shape.half.y == 0.5 && s.shape.radius == 0 && isinf(s.mass));
    ck_assert_double_eq_tol(s.turn.y, sin(0.5), 1e-15);
    ck_assert_double_eq(s.material.friction, 0.9);
    s = body(world, 1);
    ck_assert_int_eq(s.shape.kind, QD_SHAPE_CAPSULE);
    ck_assert(s.shape.half.x == 1 && s.shape.radius == 0.25 && s.velocity.y == 2 && s.spin == 3);
    ck_assert_double_eq_tol(s.mass, 1 + 3.14159265358979324 / 16, 1e-12);
    s = body(world, 2);
    ck_assert_int_eq(s.shape.kind, QD_SHAPE_POLYGON);
    ck_assert(s.shape.count == 3 && s.mass == 4);
    ck_assert_double_eq_tol(s.position.x, 51, 1e-12); // its centroid
    ck_assert_double_eq_tol(s.position.y, 21, 1e-12);
    s = body(world, 3);
    ck_assert_int_eq(s.kind, QD_BODY_KINEMATIC);
    ck_assert(s.pivot.x == 60 && s.sensor && s.velocity.x == 0 && s.velocity.y == 5);
    s = body(world, 4);
    ck_assert(isinf(s.inertia) && s.filter.category == 2 && s.filter.mask == 5 && s.filter.group == -7);
}

QD_TEST(generators_place_rects_and_capsules) {
    qd_own(qd_world)
        world = world_of("bodies:\n"
                         "- list: [{shape: rect, size: [100, 2], at: [50, 1], static: true}]\n"
                         "- rects: {count: 60, size: [2, 1], scale: {uniform: [0.5, 1.5]}, angle: auto, "
                         "region: [0, 0, 100, 50], spin: {uniform: 2}, friction: 0.3}\n"
                         "- capsules: {count: 40, length: 1, radius: 0.3, velocity: {normal: 1}, mass: 2, "
                         "region: [0, 0, 100, 50]}\n"
                         "- disks: {count: 40, radius: 0.5, spin: 1, region: [0, 0, 100, 50]}\n"
                         "- rects: {count: 40, size: [2, 1], place: grid, region: [10, 60, 20, 4]}\n");
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t contacts, touching = 0;
    const qd_contact *contact = qd_world_contacts(world, &contacts);
    for (size_t i = 0; i < contacts; ++i) { // boxes of the grid stand side by side; nothing else touches
        touching += contact[i].a.index < 141;
        ck_assert_double_le(contact[i].touch[0].depth, 1e-9);
    }
    ck_assert_uint_eq(touching, 0);
    ck_assert_uint_gt(contacts, 0);
    qd_body_view view = qd_world_view(world);
    double turned = 0, spun = 0;
    for (uint32_t i = 1; i < 61; ++i) {
        qd_body_state s = body(world, i);
        ck_assert_double_eq_tol(s.shape.half.x, 2 * s.shape.half.y, 1e-12);
        ck_assert(s.shape.half.y >= 0.25 && s.shape.half.y <= 0.75 && s.material.friction == 0.3);
        turned += fabs(s.turn.y);
        spun += fabs(s.spin);
    }
    ck_assert(turned > 20 && turned < 55);
    ck_assert(spun > 30 && spun < 90);
    ck_assert_double_eq(body(world, 70).mass, 2);
    ck_assert_double_eq(body(world, 110).spin, 1);
    ck_assert_uint_le(view.shape_count, 1 + 1 + 60 + 1 + 1 + 1);
}

QD_TEST(polylines_are_static_edges) {
    qd_own(qd_world)
        world = world_of("world: {gravity: [0, -10]}\ncontact: {restitution: 0.5, friction: 0.5}\nbodies:\n"
                         "- polyline: {points: [[10, 30], [50, 10], [90, 30]], radius: 0.25, friction: 1}\n"
                         "- polyline: {points: [[1, 1], [2, 1], [2, 2]], closed: true}\n"
                         "- disks: {count: 50, region: [25, 31, 50, 20]}\n");
    qd_body_state s = body(world, 0);
    ck_assert_int_eq(s.kind, QD_BODY_STATIC);
    ck_assert_double_eq(s.shape.radius, 0.25);
    ck_assert_double_eq(s.material.friction, 1);
    ck_assert_double_eq_tol(s.position.x, 30, 1e-12);
    ck_assert_int_eq(body(world, 4).kind, QD_BODY_STATIC);
    ck_assert_int_eq(body(world, 5).kind, QD_BODY_DYNAMIC);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t contacts;
    (void)qd_world_contacts(world, &contacts);
    ck_assert_uint_eq(contacts, 0); // disks are placed clear of the edges
    qd_test_step(world, 1.0 / 60, 600);
    for (uint32_t i = 5; i < 55; ++i)
        ck_assert_double_gt(body(world, i).position.y, 10.5); // none fell through
}

QD_TEST(wrong_shapes_are_refused) {
    check_refused("bodies: [list: [{at: [1, 2], shape: rect, size: [0, 2]}]]", "bodies.0.list.0.size");
    check_refused("bodies: [list: [{at: [1, 2], shape: polygon}]]", "t:1: bodies.0.list.0: ");
    check_refused("bodies: [list: [{at: [1, 2], shape: polygon, points: [[0, 0], [1, 0], [2, 0]]}]]",
                  "t:1: bodies.0.list.0: ");
    check_refused("bodies: [list: [{at: [1, 2], shape: capsule, radius: 0}]]",
                  "bodies.0.list.0: a shape without area");
    check_refused("bodies: [list: [{at: [1, 2], pivot: [3, 4]}]]",
                  "only a kinematic body turns about a pivot");
    check_refused("bodies: [polyline: {points: [[0, 0], [0, 0]]}]", "bodies.0.polyline: ");
    check_refused("bodies: [rects: {count: 60, size: [2, 1], place: grid, region: [0, 0, 10, 10]}]",
                  "bodies.0: ");
    check_refused("bodies: [rects: {count: 36, size: [2, 2.6], place: grid, region: [0, 0, 9.5, 20.5]}]",
                  "each, the largest takes 2 x 2.6; ask for fewer or smaller");
    const char many[] =
        "[[0,0],[1,0],[2,1],[3,3],[3,4],[2,6],[1,7],[0,7],[-1,6],[-2,4],[-2,3],[-1,1],[0.5,0],[1.5,0.5],"
        "[2.5,2],[3.1,3.5],[2.6,5]]";
    char text[400];
    snprintf(text, sizeof text, "bodies: [list: [{at: [9, 9], shape: polygon, points: %s}]]", many);
    check_refused(text, "bodies.0.list.0: ");
}

QD_TEST_MAIN("scene_shapes", 120, NULL, NULL)
