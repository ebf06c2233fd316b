#include "export/picture/camera.h"
#include "export/picture/picture.h"
#include "export/raster/shade.h"
#include "tests/support/harness.h"
#include "tests/support/pictures.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/random.h>
#include <stdlib.h>
#include <string.h>

static qd_world *make_world(double width, double height, qd_boundary boundary) {
    qd_world_def def = qd_test_def(width, height);
    def.origin = (qd_vec2){-3.0, 7.0};
    def.boundary_x = def.boundary_y = boundary;
    qd_world *world = qd_test_world(&def);
    return world;
}

// Position relative to the lower left corner.
static qd_id add_disk(qd_world *world, double x, double y, double radius, qd_vec2 velocity) {
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){x - 3.0, y + 7.0};
    body.shape.radius = radius;
    body.velocity = velocity;
    qd_id id;
    qd_error error;
    ck_assert_msg(qd_world_add(world, &body, &id, &error) == QD_OK, "%s", error.text);
    return id;
}

static const qd_vec2 still = {0.0, 0.0};

static void copy_world(qdi_picture *picture, qd_world *world, const qd_view *view, qdi_area area) {
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_int_eq(qdi_picture_copy(picture, world, view, area, 1.0, NULL), QD_OK);
}

QD_TEST(camera_fits_and_never_stretches) {
    static const double sizes[][2] = {{100, 60}, {60, 100}, {1, 1}, {1e6, 1}, {1e-9, 3e-9}, {5, 1e7}};
    static const qdi_area areas[] = {{0, 0, 1280, 730}, {0, 0, 16, 16}, {40, 10, 300, 1000}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        for (size_t a = 0; a < sizeof areas / sizeof areas[0]; ++a) {
            qd_vec2 size = {sizes[s][0], sizes[s][1]}, origin = {5.0, -3.0};
            qdi_camera camera = qdi_camera_fit(size, origin, areas[a]);
            double right = camera.left + size.x * camera.scale, top = camera.bottom - size.y * camera.scale;
            ck_assert_double_gt(camera.scale, 0.0);
            ck_assert(camera.left >= areas[a].min_x && right <= areas[a].max_x);
            ck_assert(top >= areas[a].min_y && camera.bottom <= areas[a].max_y);
            double wide = (right - camera.left) / (areas[a].max_x - areas[a].min_x);
            double high = (camera.bottom - top) / (areas[a].max_y - areas[a].min_y);
            ck_assert_double_gt(wide > high ? wide : high, 0.6); // and it is not small
        }
    }
}

/// The covered part of a drawn picture, in pixels, and its centre.
static double covered(const qdi_raster *raster, double *x, double *y) {
    double area = 0;
    *x = *y = 0;
    for (int j = 0; j < raster->height; ++j) {
        for (int i = 0; i < raster->width; ++i) {
            // A rim is darker than what it encloses.
            double part = 16.0 / QDI_TONE_RIM * raster->level_of[raster->pixels[j * raster->width + i]] /
                          QDI_LEVELS;
            if (part > 1) part = 1;
            area += part;
            *x += part * (i + 0.5);
            *y += part * (j + 0.5);
        }
    }
    *x /= area;
    *y /= area;
    return area;
}

// Every shape has its area, its place and its way up, however it is turned; what is far larger than the
// picture too.
QD_TEST(shapes_are_drawn) {
    const qd_vec2 points[] = {{0, 0}, {6, 0}, {0, 3}};
    qd_shape triangle;
    ck_assert_int_eq(qd_shape_polygon(points, 3, &triangle, NULL, NULL), QD_OK);
    qd_shape rounded = qd_shape_rect(4, 3);
    rounded.radius = 1;
    const qd_shape shapes[] = {qd_shape_rect(6, 2), qd_shape_capsule(5, 1), triangle, rounded};
    qd_view view = qd_view_default();
    view.nodes = QD_VIEW_NODES_NONE;
    for (int k = 0; k < 4; ++k) {
        for (int turn = 0; turn < 8; ++turn) {
            qd_own(qd_world) world = make_world(20, 20, QD_BOUNDARY_OPEN);
            qd_body_def body = qd_body_def_default();
            body.shape = shapes[k];
            body.position = (qd_vec2){9 - 3, 12 + 7}; // the world begins at -3, 7
            body.angle = 0.8 * turn;
            ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
            qd_own(qdi_picture) picture;
            qd_own(qdi_raster) raster;
            picture = (qdi_picture){.allocator = qd_allocator_default()};
            ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 400, 400, &raster), QD_OK);
            copy_world(&picture, world, &view, (qdi_area){0, 0, 400, 400});
            qd_test_draw(&picture, &raster);
            qdi_camera camera = qdi_camera_fit((qd_vec2){20, 20}, (qd_vec2){0, 0},
                                               (qdi_area){0, 0, 400, 400});
            double x, y, area = covered(&raster, &x, &y);
            double expected = qd_shape_area(&shapes[k]) * camera.scale * camera.scale;
            ck_assert_double_eq_tol(area, expected, 0.05 * expected); // a hair of each side is left out
            ck_assert_double_eq_tol(x, camera.left + 9 * camera.scale, 0.5);
            ck_assert_double_eq_tol(y, camera.bottom - 12 * camera.scale, 0.5);
            // A point inside of it, and its mirror image: inside, or not.
            const qd_body_state s = qd_test_body(world, (qd_id){0, 1});
            const qd_vec2 here = {9, 12};
            for (int probe = 0; probe < 40; ++probe) {
                double px = 9 + 0.1 * (probe % 7 - 3) * 7, py = 12 + 0.15 * (probe / 7 - 3) * 5;
                bool inside = qd_shape_contains(&s.shape, here, s.turn, (qd_vec2){px, py});
                double near[4][2] = {{0.15, 0}, {-0.15, 0}, {0, 0.15}, {0, -0.15}};
                bool clear = true; // of the border
                for (int n = 0; n < 4; ++n)
                    clear = clear && inside == qd_shape_contains(&s.shape, here, s.turn,
                                                                 (qd_vec2){px + near[n][0], py + near[n][1]});
                int i = (int)(camera.left + px * camera.scale), j = (int)(camera.bottom - py * camera.scale);
                int level = raster.level_of[raster.pixels[j * raster.width + i]];
                if (clear) ck_assert_int_eq(level, inside ? QDI_LEVELS : 0);
            }
        }
    }
}

QD_TEST(endless_floors_and_thin_lines_are_drawn) {
    qd_own(qd_world) world = make_world(20, 20, QD_BOUNDARY_OPEN);
    qd_body_def body = qd_body_def_default();
    body.kind = QD_BODY_STATIC;
    body.shape = qd_shape_rect(1e6, 10);
    body.position = (qd_vec2){10 - 3, 0 + 7};
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    const qd_vec2 line[] = {{-1e6, 15 + 7}, {10, 15 + 7}, {1e6, 15 + 7}};
    ck_assert_int_eq(qd_world_add_polyline(world, line, 3, false, &body, NULL, NULL), QD_OK);
    qd_view view = qd_view_default();
    view.nodes = QD_VIEW_NODES_NONE;
    qd_own(qdi_picture) picture;
    qd_own(qdi_raster) raster;
    picture = (qdi_picture){.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 400, 400, &raster), QD_OK);
    copy_world(&picture, world, &view, (qdi_area){0, 0, 400, 400});
    qd_test_draw(&picture, &raster);
    qdi_camera camera = qdi_camera_fit((qd_vec2){20, 20}, (qd_vec2){0, 0}, (qdi_area){0, 0, 400, 400});
    for (int i = 0; i < 400; ++i) {
        int floor = (int)(camera.bottom - 4 * camera.scale), above = (int)(camera.bottom - 7 * camera.scale);
        int on_line = (int)(camera.bottom - 15 * camera.scale), levels = 0;
        for (int j = on_line - 2; j <= on_line + 2; ++j)
            levels += raster.level_of[raster.pixels[j * 400 + i]];
        ck_assert_int_eq(raster.level_of[raster.pixels[floor * 400 + i]], QDI_LEVELS);
        ck_assert_int_eq(raster.level_of[raster.pixels[above * 400 + i]], 0);
        ck_assert_msg(levels >= QDI_LEVELS && levels <= 3 * QDI_LEVELS, "column %d: %d", i, levels);
    }
}

static int compare_index(const void *a, const void *b) {
    const qdi_disk *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

/// Copies it, and puts its bodies in order of index.
static void copy_in_order(qdi_picture *picture, qd_world *world, const qd_view *view, qdi_area area) {
    copy_world(picture, world, view, area);
    if (picture->disk_count > 0)
        qsort(picture->disks, picture->disk_count, sizeof *picture->disks, compare_index);
}

QD_TEST(up_is_up) {
    qd_own(qd_world) world = make_world(10, 10, QD_BOUNDARY_REFLECT);
    (void)add_disk(world, 2.0, 9.0, 0.5, still);
    (void)add_disk(world, 8.0, 1.0, 0.5, still);
    qd_view view = qd_view_default();
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 200, 200});
    ck_assert_uint_eq(picture.disk_count, 2);
    ck_assert_double_lt((double)picture.disks[0].y, 50.0);
    ck_assert_double_lt((double)picture.disks[0].x, 60.0);
    ck_assert_double_gt((double)picture.disks[1].y, 150.0);
    ck_assert_double_gt((double)picture.disks[1].x, 140.0);
}

QD_TEST(bodies_in_order_of_index_with_their_state) {
    qd_own(qd_world) world = make_world(40, 40, QD_BOUNDARY_REFLECT);
    qd_id ids[30];
    for (int i = 0; i < 30; ++i) ids[i] = add_disk(world, 1.0 + 1.3 * i, 1.0 + (i * 17) % 38, 0.3, still);
    ck_assert_int_eq(qd_world_remove(world, ids[4]), QD_OK);
    ck_assert_int_eq(qd_world_remove(world, ids[11]), QD_OK);
    (void)add_disk(world, 20.0, 39.0, 0.7, still); // takes index 4
    (void)add_disk(world, 21.0, 39.0, 0.7, still); // takes index 11, touches it
    qd_view view = qd_view_default();
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 400, 400});
    ck_assert_uint_eq(picture.disk_count, 30);
    for (size_t i = 1; i < 30; ++i) {
        bool moved = i == 4 || i == 11;
        ck_assert_uint_eq(picture.disks[i].hue, moved ? QDI_HUE_TOUCHING : QDI_HUE_REST);
        if (!moved && i != 5 && i != 12)
            ck_assert_double_gt((double)picture.disks[i].x, (double)picture.disks[i - 1].x);
    }
    ck_assert_double_eq_tol((double)(picture.disks[11].x - picture.disks[4].x),
                            (double)picture.disks[4].radius / 0.7, 0.01);
    ck_assert_uint_eq(picture.facts.bodies, 30);
    ck_assert_uint_eq(picture.facts.contacts, 1);
}

// The world keeps its place, its walls go where they are; beyond the picture they end at its border.
static int compare_disks(const void *p, const void *q) {
    const qdi_disk *a = p, *b = q;
    if (a->index != b->index) return a->index < b->index ? -1 : 1;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

static qdi_disk *disks_in_order(const qdi_picture *picture) {
    qdi_disk *disks = qd_test_memory(picture->disk_count * sizeof *disks);
    memcpy(disks, picture->disks, picture->disk_count * sizeof *disks);
    qsort(disks, picture->disk_count, sizeof *disks, compare_disks);
    return disks;
}

// Many small disks are copied column by column; where there is any other shape, and at the picture's borders,
// one by one.
QD_TEST_LOOP(small_disks_are_copied_as_any, 0, 2) {
    enum { DISKS = 6000 };
    static const qd_view_colour colours[] = {QD_VIEW_SPEED, QD_VIEW_CONTACT, QD_VIEW_SIZE};
    const qdi_area area = {0, 0, 640, 384};
    qd_own(qd_world) world = make_world(100, 60, _i == 0 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC);
    qd_random random = qd_random_at(qd_test_seed(31), (uint64_t)_i, 4);
    for (int i = 0; i < DISKS; ++i) {
        qd_vec2 velocity = {qd_test_between(&random, -1, 1), qd_test_between(&random, -1, 1)};
        (void)add_disk(world, qd_test_between(&random, 0.3, 99.7), qd_test_between(&random, 0.3, 59.7),
                       qd_test_between(&random, 0.02, 0.3), velocity);
    }
    qd_view view = qd_view_default();
    qdi_picture picture;
    for (size_t c = 0; c < sizeof colours / sizeof colours[0]; ++c) {
        view.colour = colours[c];
        picture = (qdi_picture){.allocator = qd_allocator_default()};
        copy_world(&picture, world, &view, area);
        size_t count = picture.disk_count;
        qd_own_memory qdi_disk *columns = disks_in_order(&picture);
        qd_body_def body = qd_body_def_default();
        body.kind = QD_BODY_STATIC;
        body.shape = qd_shape_rect(0.1, 0.1);
        body.position = (qd_vec2){47, 37};
        qd_id id;
        ck_assert_int_eq(qd_world_add(world, &body, &id, NULL), QD_OK);
        copy_world(&picture, world, &view, area);
        qd_own_memory qdi_disk *singly = disks_in_order(&picture);
        size_t other = 0;
        ck_assert_uint_ge(count, DISKS);
        ck_assert_uint_eq(picture.disk_count, count + 1); // the rect has the highest index
        for (size_t i = 0; i < count; ++i) {
            const qdi_disk *a = &columns[i], *b = &singly[i];
            ck_assert(a->index == b->index && a->x == b->x && a->y == b->y && a->radius == b->radius);
            ck_assert(a->corners == 0 && b->corners == 0 && a->turned == b->turned && a->wide == b->wide);
            ck_assert(a->wide || (a->column == b->column && a->row == b->row));
            other += a->hue != b->hue;
        }
        ck_assert_uint_le(other, view.colour == QD_VIEW_CONTACT ? 9 : 0); // some touch the rect
        ck_assert_int_eq(qd_world_remove(world, id), QD_OK);
        qdi_picture_destroy(&picture);
    }
}

/// Draws the disks of a picture with no lists of tiles: each on all of them.
static void draw_on_every_tile(const qdi_picture *picture, qdi_raster *raster) {
    qd_own_memory qdi_tile *tile = qd_test_zeros(1, sizeof *tile);
    ck_assert_int_eq(qdi_stencils_create(qd_allocator_default(), &tile->stencils), QD_OK);
    tile->simd = QD_SIMD_PORTABLE;
    const qdi_area *clip = &picture->clip;
    for (int y = clip->min_y; y < clip->max_y; y += QDI_TILE_SIDE) {
        for (int x = clip->min_x; x < clip->max_x; x += QDI_TILE_SIDE) {
            const int right = x + QDI_TILE_SIDE < clip->max_x ? x + QDI_TILE_SIDE : clip->max_x;
            const int bottom = y + QDI_TILE_SIDE < clip->max_y ? y + QDI_TILE_SIDE : clip->max_y;
            qdi_tile_begin(tile, (qdi_area){x, y, right, bottom});
            for (size_t i = 0; i < picture->disk_count; ++i) {
                const qdi_disk *disk = &picture->disks[i];
                ck_assert_uint_eq(disk->corners, 0);
                qdi_tile_disk(tile, disk->x, disk->y, disk->radius, (qdi_corner){0, 0},
                              (qdi_brush){disk->index, disk->hue});
            }
            qdi_tile_end(tile, raster);
        }
    }
    qdi_stencils_destroy(qd_allocator_default(), tile->stencils);
}

// Nothing of a small body is lost at a border of tiles: neither of disks nor of lines too short to be seen as
// such, of which a disk is drawn that may be larger than they are.
QD_TEST(small_bodies_are_in_all_tiles_that_they_reach) {
    qd_view view = qd_view_default();
    view.nodes = QD_VIEW_NODES_NONE;
    view.contacts = QD_VIEW_CONTACTS_NONE;
    qd_random random = qd_random_at(qd_test_seed(1), 0, 0);
    for (int lines = 0; lines < 2; ++lines) {
        qd_own(qd_world) world = make_world(200, 200, QD_BOUNDARY_OPEN);
        for (int k = 0; k < 4000; ++k) {
            qd_body_def body = qd_body_def_default();
            // Half of them about a border of tiles: the picture has a pixel for a unit.
            const double near = 64.0 * (double)(1 + k % 3) + 6.0 * (qd_random_uniform(&random) - 0.5);
            const double far = 200.0 * qd_random_uniform(&random);
            body.position = k % 2 ? (qd_vec2){near - 3.0, far + 7.0} : (qd_vec2){far - 3.0, 207.0 - near};
            if (lines)
                body.shape = qd_shape_capsule(0.5, 0);
            else
                body.shape.radius = 0.02 + 2.9 * qd_random_uniform(&random);
            body.kind = lines ? QD_BODY_STATIC : QD_BODY_DYNAMIC;
            ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
        }
        qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
        copy_world(&picture, world, &view, (qdi_area){0, 0, 204, 204});
        qd_own(qdi_raster) binned, whole;
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 204, 204, &binned), QD_OK);
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 204, 204, &whole), QD_OK);
        memset(binned.pixels, QDI_INK_BACKGROUND, 204 * 204);
        memset(whole.pixels, QDI_INK_BACKGROUND, 204 * 204);
        picture.side_x = picture.side_y = QDI_SIDE_OPEN;
        picture.world = (qdi_area){-90, -90, -80, -80}; // its border is not looked at
        qd_test_draw(&picture, &binned);
        draw_on_every_tile(&picture, &whole);
        ck_assert(memcmp(binned.pixels, whole.pixels, 204 * 204) == 0);
    }
}

QD_TEST(walls_are_drawn_where_they_are) {
    qd_world_def def = qd_test_def(20, 10);
    def.wall_motion[0].velocity = 2;
    def.wall_motion[3].velocity = 1000;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_view view = qd_view_default();
    qdi_area area = {0, 0, 400, 250};
    qdi_camera camera = qdi_camera_fit(def.size, (qd_vec2){0, 0}, area);
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    copy_in_order(&picture, world, &view, area);
    qdi_area before = picture.world;
    ck_assert_int_eq(qd_world_step(world, 1, NULL), QD_OK);
    copy_in_order(&picture, world, &view, area);
    ck_assert_int_eq(picture.world.min_x, before.min_x + (int)floor(2 * camera.scale + 0.5));
    ck_assert_int_eq(picture.world.max_x, before.max_x);
    ck_assert_int_eq(picture.world.max_y, before.max_y);
    ck_assert_int_gt(before.min_y, 0);
    ck_assert_int_eq(picture.world.min_y, 0);
}

QD_TEST(contacts_get_a_mark) {
    qd_own(qd_world) world = make_world(20, 10, QD_BOUNDARY_REFLECT);
    (void)add_disk(world, 5.0, 5.0, 1.0, still);
    (void)add_disk(world, 6.9, 5.0, 1.0, still);
    (void)add_disk(world, 15.0, 9.5, 0.5, still); // touches the upper wall
    qd_view view = qd_view_default();
    qdi_area area = {0, 0, 400, 200};
    qdi_camera camera = qdi_camera_fit((qd_vec2){20, 10}, (qd_vec2){-3, 7}, area);
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    copy_in_order(&picture, world, &view, area);
    ck_assert_uint_eq(picture.mark_count, 2);
    ck_assert_double_eq_tol((double)picture.marks[0].x, camera.left + 5.95 * camera.scale, 0.01);
    ck_assert_double_eq_tol((double)picture.marks[0].y, camera.bottom - 5.0 * camera.scale, 0.01);
    ck_assert_double_eq_tol((double)(picture.marks[0].normal_x), 1.0, 1e-6);
    ck_assert_double_eq_tol((double)(picture.marks[1].normal_y), -1.0,
                            1e-6); // up, and pixels count downwards
    ck_assert_double_eq_tol((double)picture.marks[1].y, camera.bottom - 10.0 * camera.scale, 0.01);
    view.contacts = false;
    copy_in_order(&picture, world, &view, area);
    ck_assert_uint_eq(picture.mark_count, 0);
    ck_assert_uint_eq(picture.facts.contacts, 2);
}

QD_TEST(periodic_images_and_open_strays) {
    qd_view view = qd_view_default();
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    qd_world *world = make_world(10, 10, QD_BOUNDARY_PERIODIC);
    (void)add_disk(world, 0.1, 0.1, 0.5, still);
    (void)add_disk(world, 5.0, 0.1, 0.5, still);
    (void)add_disk(world, 5.0, 5.0, 0.5, still);
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 200, 200});
    ck_assert_uint_eq(picture.disk_count, 4 + 2 + 1);
    ck_assert_int_eq(picture.clip.min_x, picture.world.min_x);
    qd_world_destroy(world);

    world = make_world(10, 10, QD_BOUNDARY_OPEN);
    (void)add_disk(world, -0.4, 5.0, 0.1, still);       // just outside, still in the picture
    (void)add_disk(world, 4000.0, 5.0, 0.5, still);     // far away
    (void)add_disk(world, -1e5, 5.0, 1e5 + 5.0, still); // its edge goes through the world's middle
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 200, 200});
    ck_assert_uint_eq(picture.disk_count, 2);
    ck_assert_double_le((double)picture.disks[1].radius, 5e5);
    ck_assert_double_eq_tol((double)(picture.disks[1].x + picture.disks[1].radius), 100.0, 2.0);
    qd_world_destroy(world);
}

// Every node is outlined where it is large enough to see, none where not; the counts tell of all.
QD_TEST(nodes_as_lines) {
    qd_own(qd_world) world = make_world(64, 64, QD_BOUNDARY_REFLECT);
    for (int i = 0; i < 900; ++i)
        (void)add_disk(world, 1.0 + 2.0 * (i % 30), 1.0 + 2.0 * (i / 30), 0.2, still);
    qd_view view = qd_view_default();
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 400, 400});
    qd_tree_stats stats = qd_tree_statistics(qd_world_tree(world));
    ck_assert_uint_eq(picture.facts.nodes, stats.nodes);
    size_t split = stats.nodes - stats.leaves;
    ck_assert_uint_gt(split, 3);
    ck_assert_uint_ge(picture.line_count, 2 * split);
    ck_assert_uint_le(picture.line_count, 2 * split + 4);
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 12, 12}); // a leaf is 1 to 3 pixels wide here
    ck_assert_uint_lt(picture.line_count, 2 * split);
    view.nodes = QD_VIEW_NODES_NONE;
    copy_in_order(&picture, world, &view, (qdi_area){0, 0, 400, 400});
    ck_assert_uint_eq(picture.line_count, 0);
    ck_assert_uint_eq(picture.facts.nodes, stats.nodes);
}

/// Half the speed of a fall to the far side along gravity, where that is more than what there is.
QD_TEST(speeds_that_gravity_will_make) {
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_SPEED;
    qd_world_def def = qd_test_def(100, 100);
    def.origin = (qd_vec2){-3, 7}; // as add_disk has it
    def.gravity = (qd_vec2){0, -10};
    qd_world *world = qd_test_world(&def);
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), sqrt(0.5 * 10 * 100), 1e-12); // emitters may fill it
    (void)add_disk(world, 10, 60, 0.5, still);
    (void)add_disk(world, 10, 20, 0.5, still);
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), sqrt(0.5 * 10 * 40), 1e-12);
    (void)add_disk(world, 30, 40, 0.5, (qd_vec2){30.0, 40.0});
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), 3.0 * 50 / sqrt(3), 1e-12);
    view.colour = QD_VIEW_SPIN;
    ck_assert_double_eq(qdi_shade_top(&view, world), 1.0);
    view.colour = QD_VIEW_SPEED;
    qd_world_destroy(world);
    def.drag.linear = 10; // nothing falls faster than 1
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), 1.0, 1e-12);
    qd_world_destroy(world);
    def.drag.linear = 0;
    def.gravity = (qd_vec2){5, 0}; // a fall without an end tells nothing
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_double_eq(qdi_shade_top(&view, world), 1.0);
    qd_world_destroy(world);
}

/// Where one of many moves, half its speed; three times the mean where more do.
QD_TEST(few_that_are_fast) {
    enum { STILL = 99 };
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_SPEED;
    qd_own(qd_world) world = make_world(100, 100, QD_BOUNDARY_REFLECT);
    for (int i = 0; i < STILL; ++i) (void)add_disk(world, 1 + i % 10 * 9, 1 + i / 10 * 9, 0.5, still);
    (void)add_disk(world, 95, 95, 0.5, (qd_vec2){24.0, 32.0});
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), 20.0, 1e-12);
    for (int i = 0; i < 9; ++i) (void)add_disk(world, 5 + i * 9, 95, 0.5, (qd_vec2){0.0, -40.0});
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), 3.0 * 40 * sqrt(10.0 / (STILL + 10)), 1e-12);
}

QD_TEST(speeds) {
    qd_own(qd_world) world = make_world(100, 100, QD_BOUNDARY_REFLECT);
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_SPEED;
    ck_assert_double_eq(qdi_shade_top(&view, world), 1.0);
    (void)add_disk(world, 10, 10, 0.5, (qd_vec2){3.0, 4.0});
    (void)add_disk(world, 20, 10, 0.5, still);
    (void)add_disk(world, 30, 10, 0.5, still);
    (void)add_disk(world, 40, 10, 0.5, still);
    ck_assert_double_eq_tol(qdi_shade_top(&view, world), 3.0 * 2.5, 1e-12);
    qd_own(qdi_picture) picture = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, (qdi_area){0, 0, 100, 100}, 7.5, NULL), QD_OK);
    ck_assert_uint_eq(picture.disks[0].hue, (unsigned)(5.0 / 7.5 * QDI_MAP_HUES));
    ck_assert_uint_eq(picture.disks[1].hue, 0);
}

QD_TEST(no_memory_at_any_allocation) {
    qd_own(qd_world) world = make_world(64, 64, QD_BOUNDARY_PERIODIC);
    for (int i = 0; i < 900; ++i)
        (void)add_disk(world, 1.0 + 2.0 * (i % 30), 1.0 + 2.0 * (i / 30), 1.01, still);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_view view = qd_view_default();
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_picture picture = {.allocator = &allocator.allocator};
        qd_status status = qdi_picture_copy(&picture, world, &view, (qdi_area){0, 0, 200, 200}, 1.0, NULL);
        qdi_picture_destroy(&picture);
        if (qd_test_had_memory(&allocator, status)) {
            ck_assert_uint_eq(allocator.calls, n - 1);
            ck_assert_uint_gt(n, 3);
            break;
        }
    }
}

QD_TEST_MAIN("picture", 120, NULL, NULL)
