#include "export/picture/picture.h"
#include "export/picture/trails.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/frame.h>
#include <quadrille/scene.h>
#include <stdlib.h>
#include <string.h>

static const qdi_area area = {0, 0, 400, 400};

// What a test follows: a world of 40 by 40, its trails and pictures.
typedef struct follower {
    qd_world *world;
    qdi_trails trails;
    qdi_picture picture;
    qd_view view;
} follower;

static void rig_make(follower *rig, qd_boundary boundary, int frames) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){40, 40};
    def.boundary_x = def.boundary_y = boundary;
    def.contact = QD_CONTACT_NONE;
    *rig = (follower){.world = qd_test_world(&def), .view = qd_view_default()};
    rig->view.nodes = QD_VIEW_NODES_NONE;
    rig->view.trails = frames;
    ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), frames, &rig->trails), QD_OK);
    qdi_picture_init(&rig->picture, qd_allocator_default());
    rig->picture.past = &rig->trails;
}

static void rig_destroy(follower *rig) {
    qdi_picture_destroy(&rig->picture);
    qdi_trails_destroy(&rig->trails);
    qd_world_destroy(rig->world);
}

static void look(follower *rig) {
    ck_assert_int_eq(qd_world_detect(rig->world), QD_OK);
    ck_assert_int_eq(qdi_trails_note(&rig->trails, rig->world), QD_OK);
    ck_assert_int_eq(qdi_picture_copy(&rig->picture, rig->world, &rig->view, area, 1.0, NULL), QD_OK);
}

static void go(follower *rig, int frames) {
    for (int i = 0; i < frames; ++i) {
        qd_test_step(rig->world, 0.1, 1);
        look(rig);
    }
}

static float length_of(const qdi_trail *piece) {
    return hypotf(piece->x1 - piece->x0, piece->y1 - piece->y0);
}

// A piece for each frame back, each beginning where the one before it ends, and ever fainter.
START_TEST(a_straight_way) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 5);
    (void)qd_test_disk(all.world, 5, 20, 10, 0, 1, 0);
    (void)qd_test_disk(all.world, 5, 30, 0, 0, 1, 0); // stays where it is
    look(&all);
    ck_assert_uint_eq(all.picture.trail_count, 0);
    for (size_t i = 1; i <= 8; ++i) {
        go(&all, 1);
        ck_assert_uint_eq(all.picture.trail_count, i < 5 ? i : 5);
    }
    const qdi_trail *piece = all.picture.trails;
    double scale = all.picture.facts.scale;
    for (size_t i = 0; i < 5; ++i) {
        ck_assert_double_eq_tol((double)(piece[i].x0 - piece[i].x1), scale, 1e-3);
        ck_assert(piece[i].y0 == piece[i].y1);
        ck_assert_int_ge(piece[i].level, 1);
        if (i == 0) continue;
        ck_assert(piece[i].x0 == piece[i - 1].x1 && piece[i].level < piece[i - 1].level);
    }
    ck_assert(piece[0].x0 == all.picture.disks[0].x);
    rig_destroy(&all);
}
END_TEST

// Across a periodic border the way goes on at the other side, and no line crosses the picture.
START_TEST(across_a_border) {
    follower all;
    rig_make(&all, QD_BOUNDARY_PERIODIC, 6);
    (void)qd_test_disk(all.world, 38.55, 1.45, 10, -10, 0.5, 0);
    look(&all);
    go(&all, 6);
    double scale = all.picture.facts.scale;
    bool left = false, right = false;
    for (size_t i = 0; i < all.picture.trail_count; ++i) {
        const qdi_trail *piece = &all.picture.trails[i];
        ck_assert(length_of(piece) <= (float)(1.001 * sqrt(2.0) * scale));
        left = left || (piece->x0 > 5 && piece->x0 < 60);
        right = right || (piece->x1 > 340 && piece->x1 < 395);
    }
    ck_assert(left && right);
    rig_destroy(&all);
}
END_TEST

// The levels of trails in a picture of the area's size: those that were copied, or `pieces`.
static void levels_of(const qdi_trail *pieces, size_t count, qdi_area clip, uint8_t *levels) {
    qdi_raster raster;
    qdi_trail_plane plane = {0};
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 400, 400, &raster), QD_OK);
    qdi_raster_set_clip(&raster, clip);
    ck_assert_int_eq(qdi_trail_plane_draw(&plane, pieces, count, 2.0F, qd_simd_best(), &raster), QD_OK);
    for (size_t i = 0; i < (size_t)400 * 400; ++i) levels[i] = raster.level_of[raster.pixels[i]];
    qdi_trail_plane_destroy(qd_allocator_default(), &plane);
    qdi_raster_destroy(&raster);
}

// Adds a piece, `back` pictures old, in all images near the picture.
static size_t add_images(const follower *rig, qd_vec2 from, qd_vec2 to, size_t back, qdi_trail *pieces) {
    const qdi_camera camera = qdi_camera_fit((qd_vec2){40, 40}, (qd_vec2){0, 0}, area);
    const size_t frames = (size_t)rig->view.trails;
    size_t count = 0;
    for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i)
            pieces[count++] = (qdi_trail){
                (float)qdi_camera_x(&camera, from.x + 40 * i),
                (float)qdi_camera_y(&camera, from.y + 40 * j),
                (float)qdi_camera_x(&camera, to.x + 40 * i),
                (float)qdi_camera_y(&camera, to.y + 40 * j),
                1,
                (uint8_t)(1 + (8 * (frames - back) + (frames - 1) / 2) / (frames - 1))};
    return count;
}

// Round a period every piece is seen wherever one of its images comes into the picture.
static void check_images(uint64_t seed) {
    enum { BODIES = 12, FRAMES = 9 };
    static qdi_trail pieces[25 * BODIES * FRAMES];
    static uint8_t seen[400 * 400], wanted[400 * 400];
    follower all;
    qd_random random = qd_random_at(seed, 0, 0);
    rig_make(&all, QD_BOUNDARY_PERIODIC, FRAMES);
    for (int i = 0; i < BODIES; ++i) {
        const double most = i % 2 ? 3 : 60; // the way in a frame is up to 6 then, and many cross the border
        const qd_vec2 at = {qd_test_between(&random, 0, 40), qd_test_between(&random, 0, 40)};
        (void)qd_test_disk(all.world, at.x, at.y, qd_test_between(&random, -most, most),
                           qd_test_between(&random, -most, most), 0.5, 0);
    }
    look(&all);
    go(&all, FRAMES);
    ck_assert(all.picture.facts.scale == qdi_camera_fit((qd_vec2){40, 40}, (qd_vec2){0, 0}, area).scale);
    size_t count = 0;
    for (size_t k = 0; k < BODIES; ++k) {
        qd_vec2 at = {qdi_trails_at(&all.trails, 0)->places[k].x, qdi_trails_at(&all.trails, 0)->places[k].y};
        for (size_t back = 1; back <= FRAMES; ++back) {
            const qdi_trail_place *old = &qdi_trails_at(&all.trails, back)->places[k];
            const qd_vec2 to = {at.x + remainder(old->x - at.x, 40), at.y + remainder(old->y - at.y, 40)};
            count += add_images(&all, at, to, back, pieces + count);
            at = to;
        }
    }
    levels_of(all.picture.trails, all.picture.trail_count, all.picture.clip, seen);
    levels_of(pieces, count, all.picture.clip, wanted);
    size_t other = 0, far = 0; // by how places are rounded; and by more
    for (size_t i = 0; i < (size_t)400 * 400; ++i) {
        other += seen[i] != wanted[i];
        far += abs(seen[i] - wanted[i]) > 1;
    }
    ck_assert_uint_eq(far, 0);
    ck_assert_uint_le(other, 20);
    rig_destroy(&all);
}

START_TEST(images_near_the_border) {
    qd_test_seeds(60, 2, check_images);
}
END_TEST

// Of a body that came the way begins where it came, also where it has another's number; of one that went
// there is none.
START_TEST(bodies_come_and_go) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 10);
    (void)qd_test_disk(all.world, 5, 20, 10, 0, 1, 0);
    qd_id second = qd_test_disk(all.world, 5, 30, 10, 0, 1, 0);
    look(&all);
    go(&all, 4);
    ck_assert_uint_eq(all.picture.trail_count, 8);
    ck_assert_int_eq(qd_world_remove(all.world, second), QD_OK);
    go(&all, 1);
    ck_assert_uint_eq(all.picture.trail_count, 5);
    qd_id third = qd_test_disk(all.world, 35, 5, -10, 0, 1, 0);
    ck_assert_uint_eq(third.index, second.index);
    go(&all, 1);
    ck_assert_uint_eq(all.picture.trail_count, 6); // it was at no frame before
    (void)qd_test_disk(all.world, 35, 35, -10, 0, 1, 0);
    go(&all, 2);
    ck_assert_uint_eq(all.picture.trail_count, 8 + 2 + 1);
    rig_destroy(&all);
}
END_TEST

// Trails lie in the world: a camera that follows a body sees its way, and what is far away is not copied.
START_TEST(through_a_camera) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 4);
    (void)qd_test_disk(all.world, 5, 20, 10, 0, 1, 0);
    (void)qd_test_disk(all.world, 35, 5, -10, 0, 1, 0);
    all.view.camera.follow = 1;
    all.view.camera.zoom = 8;
    look(&all);
    go(&all, 4);
    ck_assert_uint_eq(all.picture.disk_count, 1);
    double scale = all.picture.facts.scale;
    ck_assert_uint_gt(all.picture.trail_count, 0);
    const qdi_trail *piece = all.picture.trails;
    ck_assert_double_eq_tol((double)piece[0].x0, 200.0, 1.0);
    ck_assert_double_eq_tol((double)length_of(&piece[0]), scale, 1e-2);
    for (size_t i = 0; i < all.picture.trail_count; ++i)
        ck_assert(piece[i].x1 >= -20 && piece[i].x0 <= 420 && piece[i].y0 > 150 && piece[i].y0 < 250);
    all.view.camera.zoom = 1e6; // a piece is far larger than the picture
    go(&all, 1);
    for (size_t i = 0; i < all.picture.trail_count; ++i) ck_assert(length_of(&piece[i]) <= 700.0F);
    rig_destroy(&all);
}
END_TEST

// What is saved gives the pictures that come after; what is damaged is refused.
START_TEST(saved_and_taken_up) {
    follower all;
    rig_make(&all, QD_BOUNDARY_PERIODIC, 7);
    qd_random random = qd_random_at(3, 0, 0);
    qd_test_scatter(all.world, &random, 60);
    ck_assert_uint_eq(qdi_trails_save(&all.trails, NULL), 0);
    look(&all);
    for (int k = 0; k < 12; ++k) {
        size_t size = qdi_trails_save(&all.trails, NULL);
        ck_assert_uint_eq(size, (size_t)(k < 6 ? k + 1 : 7) * (8 + 60 * 20));
        unsigned char *bytes = malloc(size);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_uint_eq(qdi_trails_save(&all.trails, bytes), size);
        qdi_trails other;
        ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), 7, &other), QD_OK);
        ck_assert_int_eq(qdi_trails_load(&other, bytes, size), QD_OK);
        go(&all, 1);
        qdi_trail *before = malloc((all.picture.trail_count + 1) * sizeof *before);
        ck_assert_ptr_nonnull(before);
        size_t count = all.picture.trail_count;
        memcpy(before, all.picture.trails, count * sizeof *before);
        ck_assert_int_eq(qdi_trails_note(&other, all.world), QD_OK);
        all.picture.past = &other;
        ck_assert_int_eq(qdi_picture_copy(&all.picture, all.world, &all.view, area, 1.0, NULL), QD_OK);
        all.picture.past = &all.trails;
        ck_assert_uint_eq(all.picture.trail_count, count);
        ck_assert(count > 0 && memcmp(before, all.picture.trails, count * sizeof *before) == 0);
        qdi_trails_destroy(&other);

        ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), 7, &other), QD_OK);
        ck_assert_int_eq(qdi_trails_load(&other, bytes, size - 1), QD_ERR_CORRUPT);
        bytes[7] = 0xff;
        ck_assert_int_eq(qdi_trails_load(&other, bytes, size), QD_ERR_CORRUPT);
        qdi_trails_destroy(&other);
        free(before);
        free(bytes);
    }
    rig_destroy(&all);
}
END_TEST

// Of lines that share pixels the stronger is seen, whatever their order and the instructions; nothing goes
// outside of the clip.
START_TEST(lines_in_any_order) {
    enum { WAYS = 3 };
    qdi_raster raster[WAYS];
    qdi_trail_plane plane = {0};
    qd_random random = qd_random_at(5, 0, 0);
    enum { LINES = 80 };
    qdi_corner from[LINES], to[LINES];
    for (int i = 0; i < LINES; ++i) {
        from[i] = (qdi_corner){(float)qd_test_between(&random, -30, 130),
                               (float)qd_test_between(&random, -30, 130)};
        to[i] = i % 4 ? (qdi_corner){(float)qd_test_between(&random, -30, 130),
                                     (float)qd_test_between(&random, -30, 130)}
                      : from[i];
        if (i % 4 > 1) // most lines are short
            to[i] = (qdi_corner){from[i].x + (float)qd_test_between(&random, -6, 6),
                                 from[i].y + (float)qd_test_between(&random, -6, 6)};
    }
    for (int k = 0; k < WAYS; ++k) {
        qdi_trail lines[LINES];
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 100, 100, &raster[k]), QD_OK);
        qdi_raster_set_clip(&raster[k], (qdi_area){10, 10, 90, 90});
        for (int i = 0; i < LINES; ++i) {
            int n = k == 1 ? LINES - 1 - i : i;
            lines[i] = (qdi_trail){from[n].x, from[n].y, to[n].x, to[n].y, 3, (uint8_t)(1 + n % 9)};
        }
        qd_simd simd = k == 2 ? QD_SIMD_PORTABLE : qd_simd_best();
        ck_assert_int_eq(qdi_trail_plane_draw(&plane, lines, LINES, 2.0F, simd, &raster[k]), QD_OK);
        ck_assert_mem_eq(raster[0].pixels, raster[k].pixels, 100 * 100);
    }
    qdi_trail_plane_destroy(qd_allocator_default(), &plane);
    size_t drawn = 0;
    for (int y = 0; y < 100; ++y) {
        for (int x = 0; x < 100; ++x) {
            // Brute force: the strongest line's level, of all lines at each pixel.
            int most = 0;
            for (int i = 0; i < LINES; ++i) {
                float ax = to[i].x - from[i].x, ay = to[i].y - from[i].y, px = (float)x + 0.5F - from[i].x,
                      py = (float)y + 0.5F - from[i].y, square = fmaxf(ax * ax + ay * ay, 1e-12F);
                float part = fminf(fmaxf((px * ax + py * ay) / square, 0), 1);
                float dx = px - part * ax, dy = py - part * ay;
                float cover = fminf(1.5F - sqrtf(dx * dx + dy * dy), 1);
                int level = cover > 0 ? (int)(cover * (float)(1 + i % 9) + 0.5F) : 0;
                if (level > most) most = level;
            }
            if (x < 10 || y < 10 || x >= 90 || y >= 90) most = 0;
            int seen = raster[0].level_of[raster[0].pixels[100 * y + x]];
            ck_assert_int_eq(seen, most);
            drawn += seen > 0;
        }
    }
    ck_assert_uint_gt(drawn, 1000);
    for (int k = 0; k < WAYS; ++k) qdi_raster_destroy(&raster[k]);
}
END_TEST

// A way of pieces that go straight on, bend, turn back, tremble on the spot, or are long.
static void make_way(qdi_trail *way, size_t pieces, qd_random *random) {
    const double steps[] = {1e-4, 0.02, 0.3, 1, 2, 7}, bends[] = {0, 0, 1e-4, 1e-3, 0.01, 0.1, 3};
    double step = steps[(size_t)qd_test_between(random, 0, 6)];
    const double bend = bends[(size_t)qd_test_between(random, 0, 7)];
    double angle = qd_test_between(random, 0, 6.28), x = qd_test_between(random, -10, 110),
           y = qd_test_between(random, -10, 110);
    if (qd_test_between(random, 0, 8) < 1) angle = 0; // along a row
    for (size_t i = 0; i < pieces; ++i) {
        angle += qd_test_between(random, -bend, bend);
        if (qd_test_between(random, 0, 20) < 1) step = -step;
        const double next_x = x + step * cos(angle), next_y = y + step * sin(angle);
        way[i] = (qdi_trail){(float)x,      (float)y, (float)next_x,
                             (float)next_y, 3,        (uint8_t)(9 - 9 * i / pieces)};
        x = next_x, y = next_y;
    }
}

// Pieces that follow each other are drawn together: with the same pixels as when none follows another.
static void check_way(uint64_t seed) {
    enum { WAYS = 12, PIECES = 90, ALL = WAYS * PIECES };
    qd_random random = qd_random_at(seed, 0, 0);
    static qdi_trail pieces[ALL], apart[ALL];
    for (size_t i = 0; i < WAYS; ++i) make_way(pieces + i * PIECES, PIECES, &random);
    for (size_t i = 0; i < ALL; ++i) apart[i] = pieces[ALL - 1 - i];
    const qd_simd simd[] = {qd_simd_best(), QD_SIMD_PORTABLE};
    qdi_trail_plane plane = {0};
    qdi_raster raster[4];
    for (size_t k = 0; k < 4; ++k) {
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 100, 100, &raster[k]), QD_OK);
        qdi_raster_set_clip(&raster[k], (qdi_area){5, 5, 95, 97});
        ck_assert_int_eq(
            qdi_trail_plane_draw(&plane, k < 2 ? apart : pieces, ALL, 2.0F, simd[k % 2], &raster[k]), QD_OK);
        ck_assert_mem_eq(raster[0].pixels, raster[k].pixels, 100 * 100);
    }
    for (size_t k = 0; k < 4; ++k) qdi_raster_destroy(&raster[k]);
    qdi_trail_plane_destroy(qd_allocator_default(), &plane);
}

START_TEST(pieces_drawn_together) {
    qd_test_seeds(400, 1, check_way);
}
END_TEST

// ---- through the frame writer ----

static qd_world *crowd(size_t count, int threads) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){200, 200};
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(8, 0, 0);
    for (size_t i = 0; i < count; ++i)
        (void)qd_test_disk(world, qd_test_between(&random, 1, 199), qd_test_between(&random, 1, 199),
                           qd_test_between(&random, -30, 30), qd_test_between(&random, -30, 30), 1, 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static qd_frame_writer *writer_into(const qd_scratch *scratch, int trails, int workers) {
    qd_frame_writer_def def = qd_frame_writer_def_default();
    def.directory = scratch->path;
    def.view.width = 320;
    def.view.height = 240;
    def.view.trails = trails;
    def.workers = workers;
    qd_frame_writer *writer = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_frame_writer_create(&def, &writer, &error) == QD_OK, "%s", error.text);
    return writer;
}

static char *manifest_of(int trails, int threads, int workers) {
    qd_scratch scratch;
    qd_scratch_make(&scratch);
    qd_world *world = crowd(300, threads);
    qd_frame_writer *writer = writer_into(&scratch, trails, workers);
    for (int i = 0; i < 12; ++i) {
        if (i > 0) qd_test_step(world, 0.05, 1);
        // A frame that is not drawn is in the trails of those that are.
        ck_assert_int_eq(
            i == 3 ? qd_frame_writer_remember(writer, world) : qd_frame_writer_push(writer, world), QD_OK);
    }
    ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, NULL), QD_OK);
    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);
    char *list = qd_scratch_read(qd_scratch_at(&scratch, "manifest.csv").text, NULL);
    qd_scratch_remove(&scratch);
    ck_assert_ptr_nonnull(list);
    return list;
}

START_TEST(same_for_any_workers) {
    char *one = manifest_of(6, 1, 1), *more = manifest_of(6, 3, 4), *none = manifest_of(0, 1, 1);
    ck_assert_str_eq(one, more);
    ck_assert_str_ne(one, none);
    free(one);
    free(more);
    free(none);
}
END_TEST

START_TEST(too_many_places) {
    qd_scratch scratch;
    qd_scratch_make(&scratch);
    qd_world *world = crowd(2098, 1);
    qd_frame_writer *writer = writer_into(&scratch, 1000, 1);
    qd_error error = {""};
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_ERR_VALUE);
    ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, &error), QD_ERR_VALUE);
    ck_assert_str_eq(error.text, "view.trails: 1000 frames of 2098 bodies are more than 2097152 places");
    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);

    world = crowd(2097, 1); // just fits
    writer = writer_into(&scratch, 1000, 1);
    ck_assert_int_eq(qd_frame_writer_push(writer, world), QD_OK);
    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);
    qd_scratch_remove(&scratch);
}
END_TEST

// Bodies that come later make trails shorter, and end no run.
START_TEST(more_bodies_than_at_first) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 1000);
    qd_random random = qd_random_at(9, 0, 0);
    qd_test_scatter(all.world, &random, 1000);
    ck_assert(qdi_trails_fit(&all.trails, all.world));
    for (int i = 0; i < 700; ++i) ck_assert_int_eq(qdi_trails_note(&all.trails, all.world), QD_OK);
    qd_test_scatter(all.world, &random, 3000);
    ck_assert(!qdi_trails_fit(&all.trails, all.world));
    for (int i = 0; i < 400; ++i) ck_assert_int_eq(qdi_trails_note(&all.trails, all.world), QD_OK);
    ck_assert_uint_gt(all.trails.count, 800);
    size_t places = 0;
    for (size_t age = 1; age < all.trails.count; ++age) places += qdi_trails_at(&all.trails, age)->count;
    ck_assert_uint_le(places, QDI_TRAIL_PLACES_MAX);
    ck_assert_uint_gt(places, QDI_TRAIL_PLACES_MAX - 4000);
    rig_destroy(&all);
}
END_TEST

START_TEST(no_memory) {
    bool finished = false;
    for (size_t n = 1; !finished; ++n) {
        qd_test_allocator memory;
        qd_test_allocator_init(&memory, n);
        qdi_trails trails;
        qd_world *world = crowd(20, 1);
        qd_status status = qdi_trails_create(&memory.allocator, 3, &trails);
        for (int i = 0; i < 5 && status == QD_OK; ++i) status = qdi_trails_note(&trails, world);
        ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
        finished = status == QD_OK;
        if (finished) ck_assert_uint_eq(n, 1 + 1 + 4); // the ring, and its four moments
        qdi_trails_destroy(&trails);
        qd_world_destroy(world);
        ck_assert_uint_eq(memory.live, 0);
    }
}
END_TEST

// From the scene's key to the pixels.
START_TEST(golden_trails) {
    static const char *const sets[] = {"view.size=[320, 200]", "view.trails=40"};
    qd_test_golden_scene("style_trails", "billiard", 200, 8, sets, 2);
}
END_TEST

int main(void) {
    TCase *tests = qd_test_case("trails", 120, NULL, NULL);
    tcase_add_test(tests, a_straight_way);
    tcase_add_test(tests, across_a_border);
    tcase_add_test(tests, images_near_the_border);
    tcase_add_test(tests, bodies_come_and_go);
    tcase_add_test(tests, through_a_camera);
    tcase_add_test(tests, saved_and_taken_up);
    tcase_add_test(tests, lines_in_any_order);
    tcase_add_test(tests, pieces_drawn_together);
    tcase_add_test(tests, same_for_any_workers);
    tcase_add_test(tests, too_many_places);
    tcase_add_test(tests, more_bodies_than_at_first);
    tcase_add_test(tests, no_memory);
    tcase_add_test(tests, golden_trails);
    return qd_test_run_case("trails", tests);
}
