#include "export/picture/camera.h"
#include "export/picture/picture.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>

static qd_world *world_of(qd_boundary boundary) {
    qd_world_def def = qd_test_def(40, 20);
    def.origin = (qd_vec2){-5, 3};
    def.boundary_x = def.boundary_y = boundary;
    def.contact = QD_CONTACT_NONE;
    return qd_test_world(&def);
}

static void check_look(const qd_view_camera *camera, const qd_world *world, double x, double y, double width,
                       double height) {
    const qdi_camera_part look = qdi_camera_part_of(camera, world);
    ck_assert_double_eq_tol(look.origin.x + 0.5 * look.size.x, x, 1e-9);
    ck_assert_double_eq_tol(look.origin.y + 0.5 * look.size.y, y, 1e-9);
    ck_assert_double_eq_tol(look.size.x, width, 1e-9);
    ck_assert_double_eq_tol(look.size.y, height, 1e-9);
}

QD_TEST(looks_where_it_is_told) {
    qd_own(qd_world) world = world_of(QD_BOUNDARY_REFLECT);
    qd_view_camera camera = qd_view_default().camera;
    ck_assert(qdi_camera_part_of(&camera, world).whole);
    check_look(&camera, world, 15, 13, 40, 20);
    camera.zoom = 4;
    ck_assert(!qdi_camera_part_of(&camera, world).whole);
    check_look(&camera, world, 15, 13, 10, 5);
    camera.x = 1;
    camera.y = 4;
    camera.width = 8;
    camera.height = 6;
    check_look(&camera, world, 5, 7, 2, 1.5);
    camera.centre = (qd_vec2){-3, 5};
    check_look(&camera, world, -3, 5, 2, 1.5);
}

static const qdi_disk *disk_of(const qdi_picture *picture, uint32_t index) {
    const qdi_disk *found = NULL;
    for (size_t i = 0; i < picture->disk_count; ++i)
        if (picture->disks[i].index == index) found = &picture->disks[i];
    ck_assert_ptr_nonnull(found);
    return found;
}

// A region is seen whole at any shape of picture, with one scale for both axes.
QD_TEST(region_is_letterboxed) {
    static const qdi_area areas[] = {{0, 0, 640, 480}, {0, 0, 200, 700}, {10, 20, 1900, 300}};
    qd_own(qd_world) world = world_of(QD_BOUNDARY_OPEN);
    (void)qd_test_disk(world, 2, 5, 0, 0, 0.01, 1);
    (void)qd_test_disk(world, 9, 8, 0, 0, 0.01, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_view view = qd_view_default();
    view.camera.x = 2;
    view.camera.y = 5;
    view.camera.width = 7;
    view.camera.height = 3;
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; ++i) {
        qdi_picture picture = {.allocator = qd_allocator_default()};
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, areas[i], 1.0, NULL), QD_OK);
        ck_assert_uint_eq(picture.disk_count, 2);
        const qdi_disk *a = disk_of(&picture, 0), *b = disk_of(&picture, 1);
        double across = (double)(b->x - a->x), up = (double)(a->y - b->y);
        ck_assert_double_eq_tol(across / 7, up / 3, 1e-3);
        double wide = areas[i].max_x - areas[i].min_x, high = areas[i].max_y - areas[i].min_y;
        ck_assert(across <= wide && up <= high && (across > 0.9 * wide || up > 0.85 * high));
        ck_assert_double_eq_tol(0.5 * (double)(a->x + b->x), 0.5 * (areas[i].min_x + areas[i].max_x), 1.5);
        ck_assert_double_eq_tol(0.5 * (double)(a->y + b->y), 0.5 * (areas[i].min_y + areas[i].max_y), 1.5);
        qdi_picture_destroy(&picture);
    }
}

// The body stays in the middle, and whatever is near it stays where it is, before and after it passes the
// border.
QD_TEST(follows_across_a_periodic_border) {
    qd_own(qd_world) world = world_of(QD_BOUNDARY_PERIODIC);
    (void)qd_test_disk(world, 34.0, 12, 4, 0, 0.5, 1);
    (void)qd_test_disk(world, 32.5, 12, 4, 0, 0.5, 1);
    (void)qd_test_disk(world, -3.5, 13, 4, 0, 0.5, 1);
    qd_view view = qd_view_default();
    view.camera.follow = 1;
    view.camera.zoom = 5;
    float first[3] = {0};
    bool wrapped = false;
    for (int step = 0; step < 20; ++step) {
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        qdi_picture picture = {.allocator = qd_allocator_default()};
        ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, (qdi_area){0, 0, 400, 300}, 1.0, NULL),
                         QD_OK);
        ck_assert_uint_eq(picture.disk_count, 3);
        ck_assert_double_eq_tol((double)disk_of(&picture, 0)->x, 200.0, 1.0);
        ck_assert_double_eq_tol((double)disk_of(&picture, 0)->y, 150.0, 1.0);
        for (size_t i = 0; i < 3; ++i) {
            if (step == 0) first[i] = disk_of(&picture, (uint32_t)i)->x;
            ck_assert_double_eq_tol((double)disk_of(&picture, (uint32_t)i)->x, (double)first[i], 1.01);
        }
        qdi_picture_destroy(&picture);
        wrapped = wrapped || qd_world_view(world).x[qd_world_view(world).row_of_index[0]] < 0;
        qd_test_step(world, 0.05, 1);
    }
    ck_assert(wrapped);
}

QD_TEST(follows_the_centre_of_mass) {
    qd_view_camera camera = qd_view_default().camera;
    camera.follow = QD_VIEW_MASS;
    qd_world *walled = world_of(QD_BOUNDARY_REFLECT);
    check_look(&camera, walled, 15, 13, 40, 20); // nobody to follow
    (void)qd_test_disk(walled, 0, 10, 0, 0, 0.5, 1);
    (void)qd_test_disk(walled, 8, 14, 0, 0, 0.5, 3);
    check_look(&camera, walled, 6, 13, 40, 20);
    qd_world_destroy(walled);
    // Round a border the middle is there, not on the other side of the world.
    qd_own(qd_world) round = world_of(QD_BOUNDARY_PERIODIC);
    (void)qd_test_disk(round, 34, 10, 0, 0, 0.5, 2);
    (void)qd_test_disk(round, -2, 10, 0, 0, 0.5, 2);
    check_look(&camera, round, -4, 10, 40, 20);
    camera.follow = 12345; // no such body
    check_look(&camera, round, 15, 13, 40, 20);
}

QD_TEST(goes_from_key_to_key) {
    qd_view_camera camera = qd_view_default().camera;
    static const qd_view_key keys[] = {{1, 0, 0, 1}, {2, 10, 0, 2}, {4, 10, 6, 2}, {5, 3, 8, 8}};
    for (int i = 0; i < 4; ++i) camera.keys[camera.key_count++] = keys[i];
    for (int i = 0; i < 4; ++i) {
        const qd_view_key at = qdi_camera_between(&camera, keys[i].time);
        ck_assert(at.x == keys[i].x && at.y == keys[i].y && at.zoom == keys[i].zoom);
    }
    ck_assert(qdi_camera_between(&camera, 0).x == 0 && qdi_camera_between(&camera, 99).zoom == 8);
    qd_view_key before = keys[0];
    for (int k = 1; k <= 400; ++k) {
        const qd_view_key now = qdi_camera_between(&camera, 1 + k * 0.01);
        ck_assert_double_lt(fabs(now.x - before.x), 0.2); // no jumps
        ck_assert(now.x >= -1e-12 && now.x <= 10 + 1e-12 && now.y >= before.y - 1e-12 && now.y <= 8 + 1e-12);
        ck_assert(now.zoom >= before.zoom * (1 - 1e-12) && now.zoom <= 8 * (1 + 1e-12));
        before = now;
    }
    // Half-way between two keys at rest.
    ck_assert_double_eq_tol(
        qdi_camera_between(&(qd_view_camera){.keys = {keys[0], keys[1]}, .key_count = 2}, 1.5).x, 5, 1e-12);
    qd_own(qd_world) world = world_of(QD_BOUNDARY_REFLECT);
    check_look(&camera, world, 0, 0, 40, 20);
}

// Images fill the picture of a part of a periodic world, each body once for each place.
QD_TEST(images_fill_the_picture) {
    qd_own(qd_world) world = world_of(QD_BOUNDARY_PERIODIC);
    (void)qd_test_disk(world, 0, 10, 0, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_view view = qd_view_default();
    view.camera.zoom = 0.25; // 160 x 80 about (15, 13): 4 x 4 worlds and what a margin shows
    qdi_picture picture = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, (qdi_area){0, 0, 800, 400}, 1.0, NULL), QD_OK);
    ck_assert_uint_ge(picture.disk_count, 16);
    ck_assert_uint_le(picture.disk_count, 25);
    double period = 40 * picture.facts.scale;
    ck_assert_double_eq_tol((double)(picture.disks[1].x - picture.disks[0].x), period, 1e-2);
    qdi_picture_destroy(&picture);
}

QD_TEST_MAIN("camera", 120, NULL, NULL)
