// Where generators put bodies, beyond rows and chance (test_generate.c): pyramids, clusters, round regions;
// polygons; and polylines that turn.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <string.h>

static qd_status make(const char *text, uint64_t bodies, qd_world **world, qd_error *error) {
    qd_scene_changes changes = {.bodies = bodies};
    qd_scene *scene = NULL;
    qd_status status = qd_scene_parse(text, strlen(text), "t", &changes, &scene, error);
    if (status == QD_OK) {
        qd_world_def def = qd_scene_world(scene);
        *world = qd_test_world(&def);
        status = qd_scene_populate(scene, *world, error);
    }
    qd_scene_destroy(scene);
    return status;
}

static qd_world *world_of(const char *text, uint64_t bodies) {
    qd_world *world = NULL;
    qd_error error = {""};
    ck_assert_msg(make(text, bodies, &world, &error) == QD_OK, "%s: %s", text, error.text);
    return world;
}

static void check_refused(const char *text, const char *reason) {
    qd_own(qd_world) world = NULL;
    qd_error error = {""};
    ck_assert_msg(make(text, 0, &world, &error) != QD_OK, "was taken: %s", text);
    ck_assert_msg(strstr(error.text, reason) != NULL, "%s: %s", text, error.text);
}

static qd_body_state body(const qd_world *world, uint32_t index) {
    return qd_test_body(world, (qd_id){index, 1});
}

/// Contacts, and the deepest of them.
static size_t contacts_of(qd_world *world, double *deepest) {
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t count;
    const qd_contact *contact = qd_world_contacts(world, &count);
    *deepest = 0;
    for (size_t i = 0; i < count; ++i)
        if (contact[i].touch[0].depth > *deepest) *deepest = contact[i].touch[0].depth;
    return count;
}

QD_TEST(pyramids_are_pyramids) {
    qd_own(qd_world) world = world_of(
        "bodies: [rects: {count: 12, size: [2, 1], place: pyramid, region: [10, 5, 15, 9]}]", 0);
    // Rows of 5, 4 and 3: columns 3 apart.
    const double x[] = {11.5, 14.5, 17.5, 20.5, 23.5, 13, 16, 19, 22, 14.5, 17.5, 20.5};
    for (uint32_t i = 0; i < 12; ++i) {
        qd_body_state s = body(world, i);
        ck_assert_double_eq_tol(s.position.x, x[i], 1e-12);
        ck_assert_double_eq_tol(s.position.y, 5.5 + (i < 5 ? 0 : i < 9 ? 1 : 2), 1e-12);
    }
    double deepest;
    ck_assert_uint_gt(contacts_of(world, &deepest), 0); // rows stand on each other
    ck_assert_double_le(deepest, 1e-9);
}

QD_TEST(grids_keep_their_spacing) {
    qd_world *world = world_of(
        "world: {size: [40, 24]}\nbodies: [disks: {count: 7, radius: 0.5, place: grid, "
        "spacing: [2, 1.5], region: [10, 5, 6, 9]}]",
        0);
    for (uint32_t i = 0; i < 7; ++i) { // three in a row, though the region is much higher
        qd_body_state s = body(world, i);
        ck_assert_double_eq_tol(s.position.x, 11 + 2 * (i % 3), 1e-12);
        ck_assert_double_eq_tol(s.position.y, 5.75 + 1.5 * (double)(i / 3), 1e-12);
    }
    qd_world_destroy(world);
    check_refused(
        "world: {size: [40, 24]}\nbodies: [disks: {count: 7, radius: 0.5, place: grid, spacing: [2, 4], "
        "region: [10, 5, 6, 9]}]",
        "bodies.0: 3 columns and 3 rows with this spacing take 6 x 12, the region has 6 x 9");
    check_refused(
        "world: {size: [40, 24]}\nbodies: [disks: {count: 1, radius: 0.5, place: grid, spacing: [7, 1], "
        "region: [10, 5, 6, 9]}]",
        "bodies.0: 1 columns and 1 rows with this spacing take 7 x 1, the region has 6 x 9");
    check_refused("world: {size: [40, 24]}\nbodies: [disks: {count: 7, radius: 0.5, place: grid, spacing: "
                  "[0.9, 2], region: [10, 5, 6, 9]}]",
                  "bodies.0: rows of 7 disks leave 0.9 for each, the largest has diameter 1");
}

// Each body of `cells` is anywhere in its own cell, wherever the others are.
QD_TEST(cells_keep_bodies_apart) {
    static const char form[] =
        "world: {size: [40, 20]%s}\nrun: {seed: %d}\nbodies: [%s, place: cells, spacing: [2, "
        "2.5], region: [0, 0, 40, 20]}]";
    static const char *const kinds[] = {"disks: {count: 160, radius: {uniform: [0.2, 1]}",
                                        "rects: {count: 160, size: [1.6, 1], angle: auto",
                                        "polygons: {count: 160, radius: {uniform: [0.5, 0.9]}, angle: auto"};
    double low = 1, high = 0, sum = 0;
    for (int k = 0; k < 12; ++k) {
        char text[400];
        snprintf(text, sizeof text, form, k % 2 ? ", boundary: periodic" : "", k, kinds[k / 4]);
        qd_own(qd_world) world = world_of(text, 0);
        double deepest;
        (void)contacts_of(world, &deepest);
        ck_assert_msg(deepest <= 1e-9, "%s: %g", text, deepest);
        for (uint32_t i = 0; i < 160; ++i) {
            const qd_body_state s = body(world, i);
            qd_vec2 least, most;
            qd_shape_bounds(&s.shape, s.position, s.turn, &least, &most);
            const double left = 2 * (i % 20), bottom = 2.5 * (double)(i / 20);
            ck_assert(least.x >= left - 1e-9 && most.x <= left + 2 + 1e-9);
            ck_assert(least.y >= bottom - 1e-9 && most.y <= bottom + 2.5 + 1e-9);
            const double free = 2 - (most.x - least.x), part = (least.x - left) / free;
            if (k >= 4 || free < 0.1) continue; // of disks the centroid is in the middle of the box
            low = part < low ? part : low;
            high = part > high ? part : high;
            sum += part - 0.5;
        }
    }
    ck_assert_double_lt(low, 0.02); // all of the cell is used, and evenly
    ck_assert_double_gt(high, 0.98);
    ck_assert_double_lt(fabs(sum), 6 * sqrt(640 / 12.0));
    check_refused(
        "world: {size: [40, 20]}\nbodies: [disks: {count: 160, radius: 1.01, place: cells, spacing: [2, "
        "2.5]}]",
        "bodies.0: rows of 160 disks leave 2 for each, the largest has diameter 2.02");
    check_refused(
        "world: {size: [40, 20]}\nbodies: [disks: {count: 16, radius: 1, place: cells, round: true}]",
        "rows are not round");
}

// A body's place is a function of seed, number and count: another body's size changes nothing for it.
QD_TEST(cells_do_not_see_each_other) {
    static const char form[] =
        "world: {size: [40, 20]}\nbodies: [disks: {count: %d, radius: %s, place: cells, "
        "spacing: [2, 2]}]";
    char text[300];
    snprintf(text, sizeof text, form, 200, "{uniform: [0.2, 1]}");
    qd_own(qd_world) all = world_of(text, 0);
    snprintf(text, sizeof text, form, 90, "{uniform: [0.2, 1]}");
    qd_own(qd_world) some = world_of(text, 0);
    for (uint32_t i = 0; i < 90; ++i) {
        const qd_body_state p = body(all, i), q = body(some, i);
        ck_assert_double_eq(p.position.x, q.position.x);
        ck_assert_double_eq(p.position.y, q.position.y);
    }
}

QD_TEST(pyramids_scale) {
    const uint64_t bodies[] = {1, 2, 3, 10, 55, 56, 1000};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; ++i) {
        qd_own(qd_world) world = world_of(
            "world: {size: [40, 24]}\nbodies: [rects: {count: 210, place: pyramid, region: [9, 0, 22, 21]}]",
            bodies[i]);
        double deepest;
        (void)contacts_of(world, &deepest);
        ck_assert_uint_eq(qd_world_count(world), bodies[i]);
        ck_assert_double_le(deepest, 1e-9);
    }
}

/// Part of the disks that have one of their own within 5 of them, for a place.
static double company(const char *place, uint64_t seed) {
    char text[300];
    snprintf(
        text, sizeof text,
        "world: {size: [200, 100], boundary: {x: periodic}}\nrun: {seed: %d}\nbodies: [disks: {count: 60, "
        "radius: 0.5, place: %s}]",
        (int)seed, place);
    qd_own(qd_world) world = world_of(text, 0);
    double deepest, found = 0;
    ck_assert_uint_eq(contacts_of(world, &deepest), 0);
    for (uint32_t i = 0; i < 60; ++i) {
        size_t near = 0;
        qd_vec2 at = body(world, i).position;
        ck_assert(at.y >= 0.5 && at.y <= 99.5 && at.x >= 0 && at.x < 200);
        for (uint32_t k = 0; k < 60; ++k) {
            qd_vec2 other = body(world, k).position;
            double x = fabs(at.x - other.x), y = at.y - other.y;
            if (x > 100) x = 200 - x;
            near += k != i && x * x + y * y < 25;
        }
        found += near > 0;
    }
    return found / 60;
}

QD_TEST(clusters_are_crowded) {
    double clustered = 0, random = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        clustered += company("clusters, clusters: {count: 6, spread: [0.02, 0.04]}", seed) / 20;
        random += company("random", seed) / 20;
    }
    ck_assert_double_gt(clustered, 0.9); // 10 in an area of some 200
    ck_assert_double_lt(random, 0.4);    // 0.24 expected
}

// More than one cluster holds: the rest goes to the others, or is refused when all are full.
QD_TEST(clusters_fill_up) {
    qd_world *world = world_of(
        "bodies: [disks: {count: 150, place: clusters, clusters: {count: 2, spread: [0.02, 0.03]}}]", 0);
    double deepest;
    ck_assert_uint_eq(contacts_of(world, &deepest), 0);
    qd_world_destroy(world);
    check_refused(
        "bodies: [disks: {count: 2000, place: clusters, clusters: {count: 1, spread: [0.01, 0.01]}}]",
        "bodies.0: placed ");
    check_refused("bodies: [disks: {count: 2, place: clusters, clusters: {count: 0}}]",
                  "must be a whole number from 1");
    check_refused("bodies: [disks: {count: 2, place: clusters, clusters: {spread: [0.2, 0.1]}}]",
                  "the smaller one first");
}

QD_TEST_LOOP(round_regions_are_round, 0, 2) {
    const char *const texts[] = {
        "bodies: [rects: {count: 150, angle: auto, round: true, region: [10, 20, 60, 40]}]",
        "bodies: [disks: {count: 150, round: true, place: clusters, region: [10, 20, 60, 40], "
        "clusters: {spread: [0.2, 0.4]}}]"};
    qd_world *world = world_of(texts[_i], 0);
    double furthest = 0;
    for (uint32_t i = 0; i < 150; ++i) {
        qd_body_state s = body(world, i);
        double x = s.position.x - 40, y = s.position.y - 40,
               far = sqrt(x * x + y * y) + qd_shape_reach(&s.shape);
        ck_assert_double_le(far, 20);
        if (far > furthest) furthest = far;
    }
    ck_assert_double_gt(furthest, 18);
    qd_world_destroy(world);
    check_refused("bodies:\n- rects:\n    count: 1\n    place: grid\n    round: true\n",
                  "t:5: bodies.0.rects.round: ");
}

QD_TEST(polygons_are_what_is_asked_for) {
    qd_world *world = world_of(
        "bodies:\n- polygons: {count: 200, corners: [3, 6], radius: {uniform: [0.5, 1]}, uneven: 1, angle: "
        "auto}\n"
        "- polygons: {count: 5, corners: [8, 8], radius: 2, uneven: 0, friction: 0.3}\n"
        "- polygons: {count: 12, corners: [3, 3], radius: 1, place: grid, region: [0, 90, 100, 10]}\n",
        0);
    size_t corners[9] = {0};
    double turned = 0, deepest;
    for (uint32_t i = 0; i < 200; ++i) {
        qd_body_state s = body(world, i);
        ck_assert_int_eq(s.shape.kind, QD_SHAPE_POLYGON);
        ck_assert(s.shape.count >= 3 && s.shape.count <= 6);
        ++corners[s.shape.count];
        turned += fabs(s.turn.y);
    }
    for (int n = 3; n <= 6; ++n) ck_assert(corners[n] > 25 && corners[n] < 80);
    ck_assert(turned > 80 && turned < 170);
    qd_body_state s = body(world, 202);
    ck_assert_int_eq(s.shape.count, 8);
    ck_assert_double_eq_tol(qd_shape_reach(&s.shape), 2, 1e-12);
    ck_assert_double_eq_tol(qd_shape_area(&s.shape), 8 * sqrt(2.0), 1e-12); // 8/2 r^2 sin 45
    ck_assert_double_eq(s.material.friction, 0.3);
    ck_assert_uint_eq(contacts_of(world, &deepest), 0);
    qd_world_destroy(world);
    check_refused("bodies:\n- polygons: {count: 1,\n    corners: [5, 4]}",
                  "t:3: bodies.0.polygons.corners: ");
    check_refused("bodies: [polygons: {count: 1, corners: [2, 4]}]", "corners");
    check_refused("bodies: [polygons: {count: 1, corners: [3, 17]}]", "corners");
}

// A drum keeps its shape and its place, and takes along what lies in it.
QD_TEST_LOOP(polylines_turn, 0, 2) {
    const char *const pivots[] = {"", "pivot: [50, 50], "};
    char text[400];
    snprintf(text, sizeof text,
             "world: {gravity: [0, -10]}\ncontact: {restitution: 0, friction: 1}\nbodies:\n"
             "- polyline: {%sspin: 0.5, closed: true, radius: 0.25, points: [[40, 40], [60, 40], [60, 60], "
             "[40, 60]]}\n"
             "- rects: {count: 20, region: [41, 41, 18, 18]}\n",
             pivots[_i]);
    qd_own(qd_world) world = world_of(text, 0);
    for (uint32_t i = 0; i < 4; ++i) {
        ck_assert_int_eq(body(world, i).kind, QD_BODY_KINEMATIC);
        ck_assert_double_eq(body(world, i).pivot.x, 50);
    }
    qd_vec2 start = body(world, 0).position;
    double spun = 0;
    for (int k = 0; k < 30; ++k) {
        qd_test_step(world, 0.01, 30);
        for (uint32_t i = 4; i < 24; ++i) {
            qd_vec2 at = body(world, i).position;
            double x = at.x - 50, y = at.y - 50;
            ck_assert_double_lt(x * x + y * y, 200);
            spun += fabs(body(world, i).spin);
        }
    }
    ck_assert_double_gt(spun, 30);
    qd_vec2 at = body(world, 0).position;
    double angle = 0.5 * 9, c = cos(angle), s = sin(angle), x = start.x - 50, y = start.y - 50;
    ck_assert_double_eq_tol(at.x, 50 + c * x - s * y, 1e-9);
    ck_assert_double_eq_tol(at.y, 50 + s * x + c * y, 1e-9);
}

QD_TEST(kinematic_polylines_want_a_pivot) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qd_body_def like = qd_body_def_default();
    qd_error error = {""};
    const qd_vec2 points[] = {{10, 10}, {20, 10}, {20, 20}};
    like.kind = QD_BODY_KINEMATIC;
    like.spin = 1;
    ck_assert_int_eq(qd_world_add_polyline(world, points, 3, false, &like, NULL, &error), QD_ERR_VALUE);
    ck_assert_msg(strstr(error.text, "pivot") != NULL, "%s", error.text);
    ck_assert_uint_eq(qd_world_count(world), 0);
    like.spin = 0;
    like.velocity = (qd_vec2){1, 2};
    qd_id ids[2];
    ck_assert_int_eq(qd_world_add_polyline(world, points, 3, false, &like, ids, &error), QD_OK);
    qd_test_step(world, 0.5, 2);
    ck_assert_double_eq_tol(qd_test_body(world, ids[0]).position.x, 16, 1e-12);
    ck_assert_double_eq_tol(qd_test_body(world, ids[1]).position.y, 17, 1e-12);
}

QD_TEST_MAIN("places", 120, NULL, NULL)
