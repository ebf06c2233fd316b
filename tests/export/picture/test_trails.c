#include "export/picture/camera.h"
#include "export/picture/picture.h"
#include "export/picture/tile_bins.h"
#include "export/picture/trails.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/frame.h>
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
    qd_world_def def = qd_test_def(40, 40);
    def.boundary_x = def.boundary_y = boundary;
    def.contact = QD_CONTACT_NONE;
    *rig = (follower){.world = qd_test_world(&def), .view = qd_view_default()};
    rig->view.nodes = QD_VIEW_NODES_NONE;
    rig->view.trails = frames;
    ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), frames, &rig->trails), QD_OK);
    rig->picture = (qdi_picture){.allocator = qd_allocator_default()};
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

// How far all that is copied goes, in lengths of the world.
static double whole_length(const follower *rig) {
    double length = 0;
    for (size_t i = 0; i < rig->picture.trail_count; ++i)
        length += (double)length_of(&rig->picture.trails[i]);
    return length / rig->picture.facts.scale;
}

// Back to where it was so many frames ago, each piece beginning where the one before it ends, and ever
// fainter; what goes straight on is few pieces.
QD_TEST(a_straight_way) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 5);
    (void)qd_test_disk(all.world, 5, 20, 10, 0, 1, 0);
    (void)qd_test_disk(all.world, 5, 30, 0, 0, 1, 0); // stays where it is
    look(&all);
    ck_assert_uint_eq(all.picture.trail_count, 0);
    for (size_t i = 1; i <= 8; ++i) {
        go(&all, 1);
        ck_assert_double_eq_tol(whole_length(&all), i < 5 ? (double)i : 5.0, 1e-3);
        ck_assert_uint_le(all.picture.trail_count, 2);
    }
    const qdi_trail *piece = all.picture.trails;
    for (size_t i = 0; i < all.picture.trail_count; ++i) {
        ck_assert(piece[i].x0 > piece[i].x1 && piece[i].y0 == piece[i].y1);
        ck_assert_int_ge(piece[i].to_level, QDI_TRAIL_LEVEL);
        ck_assert_int_le(piece[i].to_level, piece[i].level);
        if (i > 0) ck_assert(piece[i].x0 == piece[i - 1].x1 && piece[i].level == piece[i - 1].to_level);
    }
    ck_assert(piece[0].x0 == all.picture.disks[0].x);
    rig_destroy(&all);
}

// Across a periodic border the way goes on at the other side, and no line crosses the picture.
QD_TEST(across_a_border) {
    follower all;
    rig_make(&all, QD_BOUNDARY_PERIODIC, 6);
    (void)qd_test_disk(all.world, 38.55, 1.45, 10, -10, 0.5, 0);
    look(&all);
    go(&all, 6);
    double scale = all.picture.facts.scale;
    bool left = false, right = false;
    for (size_t i = 0; i < all.picture.trail_count; ++i) {
        const qdi_trail *piece = &all.picture.trails[i];
        ck_assert(length_of(piece) <= (float)(1.001 * 6 * sqrt(2.0) * scale));
        left = left || (piece->x0 > 5 && piece->x0 < 60);
        right = right || (piece->x1 > 340 && piece->x1 < 395);
    }
    ck_assert(left && right);
    rig_destroy(&all);
}

// Draws pieces of trails with some instructions.
static void draw_trails(qdi_trail *pieces, size_t count, qd_simd simd, qdi_raster *raster) {
    qdi_tile_bins bins;
    ck_assert_int_eq(qdi_tile_bins_create(qd_allocator_default(), NULL, &bins), QD_OK);
    bins.tiles[0].simd = simd;
    const qdi_picture picture = {.trails = pieces, .trail_count = count};
    ck_assert_int_eq(qdi_tile_bins_draw(&bins, &picture, raster), QD_OK);
    qdi_tile_bins_destroy(&bins);
}

// The levels of trails in a picture of the area's size.
static void levels_of(qdi_trail *pieces, size_t count, qdi_area clip, uint8_t *levels) {
    qdi_raster raster;
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 400, 400, &raster), QD_OK);
    qdi_raster_set_clip(&raster, clip);
    draw_trails(pieces, count, qd_simd_best(), &raster);
    for (size_t i = 0; i < (size_t)400 * 400; ++i) levels[i] = raster.level_of[raster.pixels[i]];
    qdi_raster_destroy(&raster);
}

// The same by brute force: the most that any piece covers of each pixel.
static void true_levels_of(const qdi_trail *pieces, size_t count, qdi_area clip, uint8_t *levels) {
    memset(levels, 0, (size_t)400 * 400);
    for (size_t i = 0; i < count; ++i) {
        const double x0 = (double)pieces[i].x0, y0 = (double)pieces[i].y0, ax = (double)pieces[i].x1 - x0,
                     ay = (double)pieces[i].y1 - y0, square = fmax(ax * ax + ay * ay, 1e-20);
        const int left = (int)fmax(fmin(x0, x0 + ax) - 3, clip.min_x),
                  right = (int)fmin(fmax(x0, x0 + ax) + 3, clip.max_x),
                  top = (int)fmax(fmin(y0, y0 + ay) - 3, clip.min_y),
                  bottom = (int)fmin(fmax(y0, y0 + ay) + 3, clip.max_y);
        for (int y = top; y < bottom; ++y) {
            for (int x = left; x < right; ++x) {
                const double px = x + 0.5 - x0, py = y + 0.5 - y0;
                const double part = fmin(fmax((px * ax + py * ay) / square, 0), 1);
                const double dx = px - part * ax, dy = py - part * ay;
                const double cover = fmin(fmax((2 - dx * dx - dy * dy) / 1.75, 0), 1);
                const double level = pieces[i].level + part * (pieces[i].to_level - pieces[i].level);
                const int seen = (int)(cover * level / QDI_TRAIL_LEVEL + 0.5);
                uint8_t *most = &levels[400 * y + x];
                if (seen > *most) *most = (uint8_t)seen;
            }
        }
    }
}

// Compares levels: none is off by more than so much, and few are off at all.
static void check_levels(const uint8_t *seen, const uint8_t *wanted, int most, double few) {
    size_t covered = 0, other = 0;
    int worst = 0;
    for (size_t i = 0; i < (size_t)400 * 400; ++i) {
        const int off = abs(seen[i] - wanted[i]);
        covered += wanted[i] > 0;
        other += off > 0;
        if (off > worst) worst = off;
    }
    ck_assert_int_le(worst, most);
    ck_assert_msg((double)other <= few * (double)covered + 10, "%zu of %zu", other, covered);
}

// The level of a piece's end, so many pictures back.
static uint8_t level_back(size_t back, size_t frames) {
    const double level = back == 0 ? 9 : 1 + 8 * (double)(frames - back) / (double)(frames - 1);
    return (uint8_t)(QDI_TRAIL_LEVEL * level + 0.5);
}

// Adds a piece, `back` pictures old, in all images near the picture.
static size_t add_images(const follower *rig, qd_vec2 from, qd_vec2 to, size_t back, qdi_trail *pieces) {
    const qdi_camera camera = qdi_camera_fit((qd_vec2){40, 40}, (qd_vec2){0, 0}, area);
    const size_t frames = (size_t)rig->view.trails;
    size_t count = 0;
    for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i)
            pieces[count++] = (qdi_trail){(float)qdi_camera_x(&camera, from.x + 40 * i),
                                          (float)qdi_camera_y(&camera, from.y + 40 * j),
                                          (float)qdi_camera_x(&camera, to.x + 40 * i),
                                          (float)qdi_camera_y(&camera, to.y + 40 * j),
                                          1,
                                          level_back(back - 1, frames),
                                          level_back(back, frames)};
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
        qd_vec2 at = {qdi_trails_at(&all.trails, 0)->at[k].x, qdi_trails_at(&all.trails, 0)->at[k].y};
        for (size_t back = 1; back <= FRAMES; ++back) {
            const qdi_trail_frame *old = qdi_trails_at(&all.trails, back);
            const qd_vec2 to = {at.x + remainder(old->at[k].x - at.x, 40),
                                at.y + remainder(old->at[k].y - at.y, 40)};
            count += add_images(&all, at, to, back, pieces + count);
            at = to;
        }
    }
    levels_of(all.picture.trails, all.picture.trail_count, all.picture.clip, seen);
    true_levels_of(pieces, count, all.picture.clip, wanted);
    check_levels(seen, wanted, 2, 0.1);
    rig_destroy(&all);
}

QD_TEST(images_near_the_border) {
    qd_test_seeds(60, 2, check_images);
}

// Of a body that came the way begins where it came, also where it has another's number; of one that went
// there is none.
QD_TEST(bodies_come_and_go) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 10);
    (void)qd_test_disk(all.world, 5, 20, 10, 0, 1, 0);
    qd_id second = qd_test_disk(all.world, 5, 30, 10, 0, 1, 0);
    look(&all);
    go(&all, 4);
    ck_assert_double_eq_tol(whole_length(&all), 8, 1e-3);
    ck_assert_int_eq(qd_world_remove(all.world, second), QD_OK);
    go(&all, 1);
    ck_assert_double_eq_tol(whole_length(&all), 5, 1e-3);
    qd_id third = qd_test_disk(all.world, 35, 5, -10, 0, 1, 0);
    ck_assert_uint_eq(third.index, second.index);
    go(&all, 1);
    ck_assert_double_eq_tol(whole_length(&all), 6, 1e-3); // it was at no frame before
    (void)qd_test_disk(all.world, 35, 35, -10, 0, 1, 0);
    go(&all, 2);
    ck_assert_double_eq_tol(whole_length(&all), 8 + 2 + 1, 1e-3);
    rig_destroy(&all);
}

// Trails lie in the world: a camera that follows a body sees its way, and what is far away is not copied.
QD_TEST(through_a_camera) {
    follower all;
    rig_make(&all, QD_BOUNDARY_REFLECT, 4);
    (void)qd_test_disk(all.world, 5, 20, 10, 0, 1, 0);
    (void)qd_test_disk(all.world, 35, 5, -10, 0, 1, 0);
    all.view.camera.follow = 1;
    all.view.camera.zoom = 8;
    look(&all);
    go(&all, 4);
    ck_assert_uint_eq(all.picture.disk_count, 1);
    ck_assert_uint_gt(all.picture.trail_count, 0);
    const qdi_trail *piece = all.picture.trails;
    ck_assert_double_eq_tol((double)piece[0].x0, 200.0, 1.0);
    ck_assert(whole_length(&all) > 2 && whole_length(&all) < 4); // the rest is far away
    for (size_t i = 0; i < all.picture.trail_count; ++i)
        ck_assert(piece[i].x1 >= -20 && piece[i].x0 <= 420 && piece[i].y0 > 150 && piece[i].y0 < 250);
    all.view.camera.zoom = 1e6; // a piece is far larger than the picture
    go(&all, 1);
    for (size_t i = 0; i < all.picture.trail_count; ++i) ck_assert(length_of(&piece[i]) <= 700.0F);
    rig_destroy(&all);
}

// What is saved gives the pictures that come after; what is damaged is refused.
QD_TEST(saved_and_taken_up) {
    follower all;
    rig_make(&all, QD_BOUNDARY_PERIODIC, 7);
    qd_random random = qd_random_at(3, 0, 0);
    qd_test_scatter(all.world, &random, 60);
    ck_assert_uint_eq(qdi_trails_save(&all.trails, NULL), 0);
    look(&all);
    for (int k = 0; k < 12; ++k) {
        size_t size = qdi_trails_save(&all.trails, NULL);
        ck_assert_uint_eq(size, (size_t)(k < 6 ? k + 1 : 7) * (8 + 60 * 20));
        qd_own_memory unsigned char *bytes = qd_test_memory(size);
        ck_assert_uint_eq(qdi_trails_save(&all.trails, bytes), size);
        qdi_trails other;
        ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), 7, &other), QD_OK);
        ck_assert_int_eq(qdi_trails_load(&other, bytes, size), QD_OK);
        go(&all, 1);
        qd_own_memory qdi_trail *before = qd_test_memory((all.picture.trail_count + 1) * sizeof *before);
        size_t count = all.picture.trail_count;
        memcpy(before, all.picture.trails, count * sizeof *before);
        ck_assert_int_eq(qdi_trails_note(&other, all.world), QD_OK);
        all.picture.past = &other;
        ck_assert_int_eq(qdi_picture_copy(&all.picture, all.world, &all.view, area, 1.0, NULL), QD_OK);
        all.picture.past = &all.trails;
        ck_assert_uint_eq(all.picture.trail_count, count);
        ck_assert_uint_gt(count, 0);
        for (size_t i = 0; i < count; ++i) ck_assert(qd_test_same_piece(&before[i], &all.picture.trails[i]));
        qdi_trails_destroy(&other);

        ck_assert_int_eq(qdi_trails_create(qd_allocator_default(), 7, &other), QD_OK);
        ck_assert_int_eq(qdi_trails_load(&other, bytes, size - 1), QD_ERR_CORRUPT);
        bytes[7] = 0xff;
        ck_assert_int_eq(qdi_trails_load(&other, bytes, size), QD_ERR_CORRUPT);
        qdi_trails_destroy(&other);
    }
    rig_destroy(&all);
}

// Of lines that share pixels the stronger is seen, whatever their order and the instructions; nothing goes
// outside of the clip.
static void check_lines(uint64_t seed) {
    enum { LINES = 80, WAYS = 3 };
    static uint8_t seen[400 * 400], wanted[400 * 400];
    qdi_raster raster[WAYS];
    qdi_trail lines[LINES], turned[LINES];
    qd_random random = qd_random_at(seed, 0, 0);
    for (int i = 0; i < LINES; ++i) {
        qdi_trail *line = &lines[i];
        const double wide = i % 4 == 0 ? 0 : i % 4 == 1 ? 500 : qd_test_between(&random, 0, 40);
        line->x0 = (float)qd_test_between(&random, -30, 430);
        line->y0 = (float)qd_test_between(&random, -30, 430);
        line->x1 = line->x0 + (float)qd_test_between(&random, -wide, wide);
        line->y1 = line->y0 + (float)(i % 5 ? qd_test_between(&random, -wide, wide) : 0);
        line->hue = (uint8_t)(i % QDI_HUES);
        line->level = (uint8_t)(QDI_TRAIL_LEVEL * (1 + i % QDI_LEVELS));
        line->to_level = i % 3 ? line->level : (uint8_t)(line->level / 2 + QDI_TRAIL_LEVEL / 2);
        const double length = hypot((double)line->x1 - (double)line->x0, (double)line->y1 - (double)line->y0);
        if (length < 6) line->to_level = line->level; // no line fades by so much in so few pixels
        turned[LINES - 1 - i] = *line;
    }
    const qdi_area clip = {7, 10, 390, 385};
    for (int k = 0; k < WAYS; ++k) {
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 400, 400, &raster[k]), QD_OK);
        qdi_raster_set_clip(&raster[k], clip);
        draw_trails(k == 1 ? turned : lines, LINES, k == 2 ? QD_SIMD_PORTABLE : qd_simd_best(), &raster[k]);
        ck_assert_mem_eq(raster[0].pixels, raster[k].pixels, (size_t)400 * 400);
    }
    for (size_t i = 0; i < (size_t)400 * 400; ++i) seen[i] = raster[0].level_of[raster[0].pixels[i]];
    true_levels_of(lines, LINES, clip, wanted);
    check_levels(seen, wanted, 1, 0.1);
    for (int k = 0; k < WAYS; ++k) qdi_raster_destroy(&raster[k]);
}

QD_TEST(lines_in_any_order) {
    qd_test_seeds(60, 2, check_lines);
}

// A way in pixels that goes straight on, bends, turns back, trembles on the spot, or has long pieces; or one
// that now and then goes on otherwise.
static void make_way(qd_vec2 *way, size_t places, bool straight, qd_random *random) {
    const double steps[] = {1e-4, 0.02, 0.3, 1, 2, 7}, bends[] = {0, 0, 1e-4, 1e-3, 0.01, 0.1, 3};
    double step = steps[(size_t)qd_test_between(random, 0, 6)];
    const double bend = straight ? 0 : bends[(size_t)qd_test_between(random, 0, 7)];
    double angle = qd_test_between(random, 0, 6.28);
    if (qd_test_between(random, 0, 8) < 1) angle = 0; // along a row
    way[0] = (qd_vec2){qd_test_between(random, 0, 400), qd_test_between(random, 0, 400)};
    for (size_t i = 1; i < places; ++i) {
        angle += qd_test_between(random, -bend, bend);
        if (qd_test_between(random, 0, 20) < 1) step = -step;
        if (straight && qd_test_between(random, 0, 20) < 1) {
            angle = qd_test_between(random, 0, 6.28);
            step = steps[(size_t)qd_test_between(random, 0, 6)];
        }
        way[i] = (qd_vec2){way[i - 1].x + step * cos(angle), way[i - 1].y + step * sin(angle)};
    }
}

// Lines that stand for several pieces look as these do; of those of few pixels more are off, which fade less.
static void check_way(uint64_t seed) {
    enum { WAYS = 12, FRAMES = 90 };
    static qdi_trail pieces[WAYS * FRAMES];
    static uint8_t seen[400 * 400], wanted[400 * 400];
    static qd_vec2 way[WAYS][FRAMES + 1];
    qd_random random = qd_random_at(seed, 0, 0);
    follower all;
    rig_make(&all, QD_BOUNDARY_OPEN, FRAMES);
    const qdi_camera camera = qdi_camera_fit((qd_vec2){40, 40}, (qd_vec2){0, 0}, area);
    qd_id ids[WAYS];
    for (size_t k = 0; k < WAYS; ++k) {
        ids[k] = qd_test_disk(all.world, 2 + 3 * (double)k, 20, 0, 0, 0.5, 0);
        make_way(way[k], FRAMES + 1, seed % 2 == 0, &random);
    }
    for (size_t back = FRAMES + 1; back-- > 0;) {
        for (size_t k = 0; k < WAYS; ++k) {
            qd_vec2 *at = way[k], here = {at[back].x * 0.1, at[back].y * 0.1};
            ck_assert_int_eq(qd_world_place(all.world, ids[k], here, (qd_vec2){0, 0}, NULL), QD_OK);
            at[back] = (qd_vec2){qdi_camera_x(&camera, here.x), qdi_camera_y(&camera, here.y)};
            if (back == FRAMES) continue;
            pieces[k * FRAMES + back] = (qdi_trail){(float)at[back].x,
                                                    (float)at[back].y,
                                                    (float)at[back + 1].x,
                                                    (float)at[back + 1].y,
                                                    3,
                                                    level_back(back, FRAMES),
                                                    level_back(back + 1, FRAMES)};
        }
        ck_assert_int_eq(qdi_trails_note(&all.trails, all.world), QD_OK);
    }
    ck_assert_int_eq(qd_world_detect(all.world), QD_OK);
    ck_assert_int_eq(qdi_picture_copy(&all.picture, all.world, &all.view, area, 1.0, NULL), QD_OK);
    levels_of(all.picture.trails, all.picture.trail_count, all.picture.clip, seen);
    true_levels_of(pieces, (size_t)WAYS * FRAMES, all.picture.clip, wanted);
    check_levels(seen, wanted, 2, 0.25);
    rig_destroy(&all);
}

QD_TEST(pieces_drawn_together) {
    qd_test_seeds(400, 1, check_way);
}

// ---- through the frame writer ----

static qd_world *crowd(size_t count, int threads) {
    qd_world_def def = qd_test_def(200, 200);
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
    qd_scratch scratch = qd_scratch_make();
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

QD_TEST(same_for_any_workers) {
    qd_own_memory char *one = manifest_of(6, 1, 1), *more = manifest_of(6, 3, 4),
                       *none = manifest_of(0, 1, 1);
    ck_assert_str_eq(one, more);
    ck_assert_str_ne(one, none);
}

QD_TEST(too_many_places) {
    qd_scratch scratch = qd_scratch_make();
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

// Bodies that come later make trails shorter, and end no run.
QD_TEST(more_bodies_than_at_first) {
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

QD_TEST(no_memory) {
    bool finished = false;
    for (size_t n = 1; !finished; ++n) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, n);
        qdi_trails trails;
        qd_world *world = crowd(20, 1);
        qd_status status = qdi_trails_create(&memory.allocator, 3, &trails);
        for (int i = 0; i < 5 && status == QD_OK; ++i) status = qdi_trails_note(&trails, world);
        ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
        finished = status == QD_OK;
        if (finished) ck_assert_uint_eq(n, 1 + 1 + 2 * 4); // the ring, and its four moments
        qdi_trails_destroy(&trails);
        qd_world_destroy(world);
        ck_assert_uint_eq(memory.live, 0);
    }
}

// From the scene's key to the pixels.
QD_TEST(golden_trails) {
    static const char *const sets[] = {"view.size=[320, 200]", "view.trails=40"};
    qd_test_golden_scene("style_trails", "billiard", 200, 8, sets, 2);
}

QD_TEST_MAIN("trails", 120, NULL, NULL)
