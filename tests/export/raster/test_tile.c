#include "export/picture/tile_bins.h"
#include "export/raster/raster.h"
#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/random.h>
#include <stdlib.h>
#include <string.h>

QD_OWN_VALUE(qdi_raster, qdi_raster_destroy)

static const double pi = 3.14159265358979323846;

static qdi_raster make_raster(int width, int height) {
    qdi_raster raster;
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), width, height, &raster), QD_OK);
    return raster;
}

static void clear(qdi_raster *raster) {
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)raster->width * (size_t)raster->height);
}

/// Bodies to be drawn together.
typedef struct sheet {
    qdi_disk *disks;
    qdi_corner *corners;
    size_t count, corner_count;
} sheet;

static sheet make_sheet(size_t room) {
    sheet made = {qd_test_zeros(room, sizeof *made.disks),
                  qd_test_zeros(room * QDI_CORNERS_MAX, sizeof *made.corners), 0, 0};
    ck_assert(made.disks && made.corners);
    return made;
}

static void free_sheet(sheet *all) {
    free(all->disks);
    free(all->corners);
}

static void add_disk(sheet *all, float x, float y, float radius, unsigned hue) {
    all->disks[all->count] = (qdi_disk){
        .x = x, .y = y, .radius = radius, .index = (uint32_t)all->count, .hue = (uint8_t)hue, .wide = true};
    all->count += 1;
}

static void add_turned(sheet *all, float x, float y, float radius, unsigned hue, qdi_corner turn) {
    all->disks[all->count].first_corner = (uint32_t)all->corner_count;
    add_disk(all, x, y, radius, hue);
    all->disks[all->count - 1].turned = true;
    all->disks[all->count - 1].first_corner = (uint32_t)all->corner_count;
    all->corners[all->corner_count++] = turn;
}

static void add_figure(sheet *all, const qdi_corner *corners, int count, float radius, unsigned hue) {
    add_disk(all, corners[0].x, corners[0].y, radius, hue);
    all->disks[all->count - 1].corners = (uint8_t)count;
    all->disks[all->count - 1].first_corner = (uint32_t)all->corner_count;
    for (int i = 0; i < count; ++i) all->corners[all->corner_count++] = corners[i];
}

static void draw_with(const sheet *all, qdi_raster *raster, qd_team *team) {
    qdi_tile_bins bins;
    ck_assert_int_eq(qdi_tile_bins_create(qd_allocator_default(), team, &bins), QD_OK);
    qdi_picture picture = {.disks = all->disks, .disk_count = all->count, .corners = all->corners};
    ck_assert_int_eq(qdi_tile_bins_draw(&bins, &picture, raster), QD_OK);
    qdi_tile_bins_destroy(&bins);
}

static void draw(const sheet *all, qdi_raster *raster) {
    draw_with(all, raster, NULL);
}

static void draw_disk(qdi_raster *raster, float x, float y, float radius, unsigned hue) {
    sheet one = make_sheet(1);
    add_disk(&one, x, y, radius, hue);
    draw(&one, raster);
    free_sheet(&one);
}

typedef struct moments {
    double area, x, y;
} moments;

static double part_of(const qdi_raster *raster, int pixel) {
    return (double)raster->level_of[raster->pixels[pixel]] / QDI_LEVELS;
}

static moments measure(const qdi_raster *raster) {
    moments sum = {0, 0, 0};
    for (int j = 0; j < raster->height; ++j) {
        for (int i = 0; i < raster->width; ++i) {
            double part = part_of(raster, j * raster->width + i);
            sum.area += part;
            sum.x += part * (i + 0.5);
            sum.y += part * (j + 0.5);
        }
    }
    if (sum.area > 0.0) {
        sum.x /= sum.area;
        sum.y /= sum.area;
    }
    return sum;
}

/// What the cells of tiles say, before rims make pixels darker: `count` bodies over a picture.
static moments measure_cover(const sheet *all, int width, int height) {
    qd_own_memory qdi_tile *tile = qd_test_memory(sizeof *tile);
    ck_assert_int_eq(qdi_stencils_create(qd_allocator_default(), &tile->stencils), QD_OK);
    tile->simd = qd_simd_best();
    moments sum = {0, 0, 0};
    for (int y = 0; y < height; y += QDI_TILE_SIDE) {
        for (int x = 0; x < width; x += QDI_TILE_SIDE) {
            qdi_tile_begin(tile, (qdi_area){x, y, x + QDI_TILE_SIDE, y + QDI_TILE_SIDE});
            for (size_t i = 0; i < all->count; ++i) {
                const qdi_disk *disk = &all->disks[i];
                const qdi_brush brush = {disk->index, disk->hue};
                if (disk->corners > 0)
                    qdi_tile_figure(tile, all->corners + disk->first_corner, disk->corners, disk->radius,
                                    brush);
                else
                    qdi_tile_disk(tile, disk->x, disk->y, disk->radius, (qdi_corner){0, 0}, brush);
            }
            for (int k = 0; k < QDI_TILE_CELLS; ++k) {
                double part = (double)tile->cover[k] / QDI_LEVELS;
                if (tile->has_splats)
                    part +=
                        (double)(uint32_t)tile->splats[qdi_splat_cell(k % QDI_TILE_SIDE, k / QDI_TILE_SIDE)] /
                        QDI_SPLAT_UNIT;
                sum.area += part;
                sum.x += part * (x + k % QDI_TILE_SIDE + 0.5);
                sum.y += part * (y + k / QDI_TILE_SIDE + 0.5);
            }
        }
    }
    qdi_stencils_destroy(qd_allocator_default(), tile->stencils);
    if (sum.area > 0.0) {
        sum.x /= sum.area;
        sum.y /= sum.area;
    }
    return sum;
}

QD_TEST(disk_area_and_centre) {
    qd_random random = qd_random_at(qd_test_seed(1), 0, 0);
    size_t rounds = qd_test_effort(20);
    for (float radius = 3.0F; radius <= 100.0F; radius *= 1.13F) {
        for (size_t k = 0; k < rounds; ++k) {
            float x = (float)(107.0 + 60.0 * qd_random_uniform(&random));
            float y = (float)(107.0 + 60.0 * qd_random_uniform(&random));
            sheet one = make_sheet(1);
            add_disk(&one, x, y, radius, 3);
            moments got = measure_cover(&one, 320, 320);
            double area = pi * (double)radius * (double)radius;
            ck_assert_msg(fabs(got.area / area - 1.0) < 0.01, "radius %g at %g %g: area %g of %g",
                          (double)radius, (double)x, (double)y, got.area, area);
            ck_assert_msg(fabs(got.x - (double)x) < 0.05 && fabs(got.y - (double)y) < 0.05,
                          "radius %g at %g %g: centre %g %g", (double)radius, (double)x, (double)y, got.x,
                          got.y);
            free_sheet(&one);
        }
    }
}

// Between splats and disks with an edge of their own: a table with steps in size and place.
QD_TEST(small_disks_have_their_area) {
    qd_random random = qd_random_at(qd_test_seed(5), 0, 0);
    for (float radius = 0.76F; radius < 3.0F; radius *= 1.03F) {
        double area = pi * (double)radius * (double)radius, sum = 0;
        for (int k = 0; k < 200; ++k) {
            float x = (float)(30.0 + 60.0 * qd_random_uniform(&random));
            float y = (float)(30.0 + 60.0 * qd_random_uniform(&random));
            sheet one = make_sheet(1);
            add_disk(&one, x, y, radius, 3);
            moments got = measure_cover(&one, 128, 128);
            sum += got.area / 200;
            ck_assert_msg(fabs(got.area - area) < 0.2 * area, "radius %g: %g of %g", (double)radius, got.area,
                          area);
            ck_assert(fabs(got.x - (double)x) < 0.16 && fabs(got.y - (double)y) < 0.16);
            free_sheet(&one);
        }
        ck_assert_msg(fabs(sum / area - 1) < 0.03, "radius %g: mean %g of %g", (double)radius, sum, area);
    }
}

QD_TEST(figure_area_and_centre) {
    qd_random random = qd_random_at(qd_test_seed(2), 0, 0);
    for (size_t k = 0; k < qd_test_effort(200); ++k) {
        double angle = 7.0 * qd_random_uniform(&random), half = 4.0 + 30.0 * qd_random_uniform(&random);
        double c = cos(angle), s = sin(angle), thin = 3.0 + 10.0 * qd_random_uniform(&random);
        double x = 64.0 + qd_random_uniform(&random), y = 64.0 + qd_random_uniform(&random);
        float radius = (float)(k % 3 == 0 ? 0.0 : 5.0 * qd_random_uniform(&random));
        qdi_corner corners[4];
        const double at[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        for (int i = 0; i < 4; ++i)
            corners[i] = (qdi_corner){(float)(x + c * half * at[i][0] - s * thin * at[i][1]),
                                      (float)(y + s * half * at[i][0] + c * thin * at[i][1])};
        sheet one = make_sheet(1);
        add_figure(&one, corners, 4, radius, 3);
        moments got = measure_cover(&one, 128, 128);
        double r = (double)radius, area = 4 * half * thin + 4 * (half + thin) * r + pi * r * r;
        ck_assert_msg(fabs(got.area / area - 1.0) < 0.015, "area %g of %g", got.area, area);
        ck_assert_msg(fabs(got.x - x) < 0.1 && fabs(got.y - y) < 0.1, "centre %g %g", got.x - x, got.y - y);
        free_sheet(&one);
    }
}

// Coverage of every pixel against a count of 16 x 16 points in it.
QD_TEST(edges_follow_the_circle) {
    qd_random random = qd_random_at(qd_test_seed(2), 0, 0);
    qd_own(qdi_raster) raster = make_raster(40, 40);
    for (size_t k = 0; k < qd_test_effort(50); ++k) {
        float radius = (float)(3.0 + 2.9 * qd_random_uniform(&random)); // without a rim
        float x = (float)(19.0 + 2.0 * qd_random_uniform(&random)),
              y = (float)(19.0 + 2.0 * qd_random_uniform(&random));
        clear(&raster);
        draw_disk(&raster, x, y, radius, 0);
        for (int p = 0; p < 40 * 40; ++p) {
            int inside = 0;
            for (int q = 0; q < 256; ++q) {
                double dx = p % 40 + (q % 16 + 0.5) / 16.0 - (double)x,
                       dy = p / 40 + (q / 16 + 0.5) / 16.0 - (double)y;
                inside += dx * dx + dy * dy <= (double)radius * (double)radius;
            }
            double level = raster.level_of[raster.pixels[p]];
            // Rounding to a level, what is handed on from the pixel before, the count's own error, the
            // curvature.
            ck_assert_msg(fabs(level - inside / 256.0 * QDI_LEVELS) < 1.6,
                          "radius %g at %g %g, pixel %d: %g, not %g", (double)radius, (double)x, (double)y, p,
                          level, inside / 256.0 * QDI_LEVELS);
        }
    }
}

// A million bodies far below a pixel: what they cover is what they are, in the whole and in each part of the
// picture.
QD_TEST(a_million_splats) {
    size_t count = qd_test_effort(1000000);
    sheet all = make_sheet(count / QDI_CORNERS_MAX + 1);
    free(all.disks);
    all.disks = qd_test_zeros(count, sizeof *all.disks);
    qd_random random = qd_random_at(qd_test_seed(11), 0, 0);
    double area = 0;
    for (size_t i = 0; i < count; ++i) {
        float radius = (float)(0.03 + 0.7 * qd_random_uniform(&random));
        add_disk(&all, (float)(1.0 + 510.0 * qd_random_uniform(&random)),
                 (float)(1.0 + 510.0 * qd_random_uniform(&random)), radius, (unsigned)i % QDI_HUES);
        area += pi * (double)radius * (double)radius;
    }
    moments got = measure_cover(&all, 512, 512);
    ck_assert_msg(fabs(got.area / area - 1) < 0.01, "%g of %g", got.area, area);
    ck_assert(fabs(got.x - 256) < 1 && fabs(got.y - 256) < 1);
    free_sheet(&all);
}

// However small, and wherever it lies in a pixel.
QD_TEST(none_vanishes) {
    qd_own(qdi_raster) raster = make_raster(16, 16);
    for (float radius = 1e-12F; radius < 3.0F; radius *= 1.5F) {
        for (int k = 0; k < 64; ++k) {
            clear(&raster);
            draw_disk(&raster, 8.0F + (float)(k % 8) / 8.0F, 8.0F + (float)(k / 8) / 8.0F, radius, 0);
            ck_assert_msg(measure(&raster).area > 0, "radius %g", (double)radius);
        }
    }
}

// Where splats share a pixel its hue is the mean of theirs, by area, and its level the root of what they
// cover.
QD_TEST(splats_show_their_mean) {
    qd_own(qdi_raster) raster = make_raster(16, 16);
    sheet all = make_sheet(16);
    for (int i = 0; i < 3; ++i) add_disk(&all, 8.5F, 8.5F, 0.1F, 4);
    add_disk(&all, 8.5F, 8.5F, 0.1F, 12);
    draw(&all, &raster);
    uint8_t ink = raster.pixels[8 * 16 + 8];
    int level = raster.level_of[ink];
    ck_assert_uint_eq(ink, qdi_ink_of_hue(6) - QDI_LEVELS + (unsigned)level);
    double covered = 4 * pi * 0.01;
    ck_assert(fabs(level - sqrt(covered) * QDI_LEVELS) <= 0.6);
    free_sheet(&all);
    // More than can be counted: full, in their own hue.
    const uint32_t many = 200000;
    qd_own_memory qdi_tile *tile = qd_test_memory(sizeof *tile);
    ck_assert_int_eq(qdi_stencils_create(qd_allocator_default(), &tile->stencils), QD_OK);
    tile->simd = qd_simd_best();
    qdi_tile_begin(tile, (qdi_area){0, 0, 16, 16});
    for (uint32_t i = 0; i < many; ++i)
        qdi_tile_disk(tile, 4.5F, 4.5F, 0.56F, (qdi_corner){0, 0}, (qdi_brush){i, QDI_HUES - 1});
    clear(&raster);
    qdi_tile_end(tile, &raster);
    ck_assert_uint_eq(raster.pixels[4 * 16 + 4], qdi_ink_of_hue(QDI_HUES - 1));
    qdi_stencils_destroy(qd_allocator_default(), tile->stencils);
}

static sheet make_crowd(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 0);
    sheet all = make_sheet(3000);
    for (int k = 0; k < 3000; ++k) {
        float x = (float)(340.0 * qd_random_uniform(&random) - 10.0),
              y = (float)(220.0 * qd_random_uniform(&random) - 10.0);
        double u = qd_random_uniform(&random);
        float radius = (float)(0.05 + 25.0 * u * u * u * u);
        unsigned hue = (unsigned)k % QDI_HUES;
        if (k % 7 == 3) {
            const qdi_corner corners[3] = {{x, y}, {x + 2 * radius, y}, {x, y + 3 * radius}};
            add_figure(&all, corners, 3, (float)(k % 3), hue);
        } else if (k % 5 == 0) {
            add_turned(&all, x, y, radius, hue, (qdi_corner){0.6F, -0.8F});
        } else {
            add_disk(&all, x, y, radius, hue);
        }
    }
    return all;
}

// Pixels do not depend on the order of the bodies, nor on who draws which tile.
QD_TEST(order_and_threads_change_nothing) {
    sheet all = make_crowd(qd_test_seed(7));
    qdi_raster first = make_raster(320, 200), other = make_raster(320, 200);
    draw(&all, &first);
    qd_random random = qd_random_at(qd_test_seed(8), 0, 0);
    static const int threads[] = {1, 2, 3, 8};
    for (size_t round = 0; round < 4; ++round) {
        for (size_t i = all.count; i > 1; --i) {
            size_t k = qd_random_bits(&random) % i;
            qdi_disk kept = all.disks[i - 1];
            all.disks[i - 1] = all.disks[k];
            all.disks[k] = kept;
        }
        qd_team_def def = qd_team_def_default();
        def.threads = threads[round];
        qd_team *team = NULL;
        ck_assert_int_eq(qd_team_create(&def, &team), QD_OK);
        clear(&other);
        draw_with(&all, &other, team);
        ck_assert_int_eq(memcmp(first.pixels, other.pixels, 320 * 200), 0);
        qd_team_destroy(team);
    }
    qdi_raster_destroy(&first);
    qdi_raster_destroy(&other);
    free_sheet(&all);
}

/// A tile of so many disks up to a radius, by some instructions.
static qdi_tile *make_crowded_tile(uint64_t seed, qd_simd simd, qdi_area area, uint32_t count,
                                   float largest) {
    qdi_tile *tile = qd_test_zeros(1, sizeof *tile);
    ck_assert_int_eq(qdi_stencils_create(qd_allocator_default(), &tile->stencils), QD_OK);
    tile->simd = simd;
    qdi_tile_begin(tile, area);
    qd_random random = qd_random_at(seed, 0, 0);
    qdi_splats splats = {.count = 0};
    for (uint32_t k = 0; k < count; ++k) {
        const float x = (float)area.min_x - 6.0F + 76.0F * (float)qd_random_uniform(&random);
        const float y = (float)area.min_y - 6.0F + 76.0F * (float)qd_random_uniform(&random);
        const float radius = 0.01F + largest * (float)qd_random_uniform(&random);
        const qdi_brush brush = {k * 2654435761U % 0xffffffeU, (uint8_t)(k % QDI_HUES)};
        if (radius >= QDI_SPLAT_BELOW) {
            qdi_tile_disk(tile, x, y, radius, (qdi_corner){0, 0}, brush);
            continue;
        }
        const int at = splats.count++;
        splats.x[at] = x, splats.y[at] = y, splats.radius[at] = radius, splats.hue[at] = brush.hue;
        if (splats.count == QDI_SPLAT_BATCH) qdi_tile_splats(tile, &splats), splats.count = 0;
    }
    qdi_tile_splats(tile, &splats);
    return tile;
}

// Instructions change nothing of what a tile sums up, nor of its pixels, also of tiles that a picture cuts.
QD_TEST(instructions_change_nothing) {
    const qdi_area areas[] = {{0, 0, 64, 64}, {64, 128, 128, 192}, {128, 64, 147, 128}, {192, 64, 256, 71}};
    enum { AREAS = sizeof areas / sizeof areas[0] };
    for (size_t k = 0; k < (size_t)24 * AREAS; ++k) { // first a crowd, then few that are larger
        const bool crowd = k < AREAS;
        qdi_tile *tiles[2];
        qdi_raster rasters[2];
        for (int i = 0; i < 2; ++i) {
            tiles[i] = make_crowded_tile(qd_test_seed(11 + k), i ? qd_simd_best() : QD_SIMD_PORTABLE,
                                         areas[k % AREAS], crowd ? 4000 : 150, crowd ? 3.0F : 7.0F);
            rasters[i] = make_raster(256, 192);
            clear(&rasters[i]);
            qdi_tile_end(tiles[i], &rasters[i]);
        }
        const qdi_area area = areas[k % AREAS];
        ck_assert(tiles[0]->has_splats && tiles[1]->has_splats);
        for (int y = 0; y < area.max_y - area.min_y; ++y) {
            for (int x = 0; x < area.max_x - area.min_x; ++x) {
                const int cell = y * QDI_TILE_SIDE + x;
                ck_assert_uint_eq(tiles[0]->rank[cell], tiles[1]->rank[cell]);
                ck_assert_uint_eq(tiles[0]->cover[cell], tiles[1]->cover[cell]);
                ck_assert(tiles[0]->splats[qdi_splat_cell(x, y)] == tiles[1]->splats[qdi_splat_cell(x, y)]);
                if (tiles[0]->cover[cell] == 0) continue;
                ck_assert_uint_eq(tiles[0]->hue[cell], tiles[1]->hue[cell]);
                ck_assert_uint_eq(tiles[0]->tone[cell], tiles[1]->tone[cell]);
            }
        }
        ck_assert(memcmp(rasters[0].pixels, rasters[1].pixels, 256 * 192) == 0);
        for (int i = 0; i < 2; ++i) {
            qdi_stencils_destroy(qd_allocator_default(), tiles[i]->stencils);
            free(tiles[i]);
            qdi_raster_destroy(&rasters[i]);
        }
    }
}

// The same everywhere: any compiler, optimization level and processor gives this hash.
QD_TEST(pixels_are_the_same_everywhere) {
    qd_own(qdi_raster) raster = make_raster(320, 200);
    sheet all = make_crowd(7);
    draw(&all, &raster);
    ck_assert_msg(qd_hash_bytes(raster.pixels, 320 * 200) == UINT64_C(0xffe2b585ee03582d), "got 0x%016llx",
                  (unsigned long long)qd_hash_bytes(raster.pixels, 320 * 200));
    free_sheet(&all);
}

QD_TEST(clip_is_kept) {
    const qdi_area clip = {7, 9, 130, 121};
    qd_own(qdi_raster) whole = make_raster(160, 140), part = make_raster(160, 140);
    qdi_raster_set_clip(&part, clip);
    sheet all = make_crowd(3);
    draw(&all, &whole);
    draw(&all, &part);
    size_t same = 0, inside = 0;
    for (int p = 0; p < 160 * 140; ++p) {
        bool in = p % 160 >= clip.min_x && p % 160 < clip.max_x && p / 160 >= clip.min_y &&
                  p / 160 < clip.max_y;
        if (!in) ck_assert_uint_eq(part.pixels[p], QDI_INK_BACKGROUND);
        inside += in;
        same += in && part.pixels[p] == whole.pixels[p];
    }
    // What rounding hands on begins elsewhere in a disk that is cut by a tile: a level on its edge.
    ck_assert_uint_gt(same * 20, inside * 19);
    free_sheet(&all);
}

QD_TEST(huge_and_distant_disks) {
    qd_own(qdi_raster) raster = make_raster(32, 32);
    draw_disk(&raster, 16.0F, 5e5F + 16.0F, 5e5F, 1); // its edge crosses the middle
    ck_assert_uint_eq(raster.pixels[31 * 32 + 16], qdi_ink_of_hue(1));
    ck_assert_uint_eq(raster.pixels[0], QDI_INK_BACKGROUND);
    clear(&raster);
    draw_disk(&raster, 9e5F, -9e5F, 3.0F, 1);
    draw_disk(&raster, -9e5F, 9e5F, 0.3F, 1);
    ck_assert_double_eq(measure(&raster).area, 0.0);
}

// Two halves of a pixel make a whole one; the colour is that of the larger part, and of equal ones that of
// the higher index.
QD_TEST(coverages_add) {
    qd_own(qdi_raster) raster = make_raster(64, 16);
    sheet all = make_sheet(3);
    add_disk(&all, 11.0F, 8.0F, 5.5F, 2);
    add_disk(&all, 22.0F, 8.0F, 5.5F, 5); // touches in the middle of the pixel at column 16
    draw(&all, &raster);
    ck_assert_uint_ge(raster.level_of[raster.pixels[8 * 64 + 16]], QDI_LEVELS - 2);
    clear(&raster);
    add_disk(&all, 11.0F, 8.0F, 4.0F, 7); // within the first, and above it
    draw(&all, &raster);
    ck_assert_uint_eq(raster.pixels[8 * 64 + 11], qdi_ink_of_hue(7));
    ck_assert_uint_eq(raster.pixels[8 * 64 + 6], qdi_ink_of_hue(2));
    free_sheet(&all);
}

QD_TEST(faint_edges_leave_outlines_alone) {
    qd_own(qdi_raster) raster = make_raster(16, 16);
    memset(raster.pixels, QDI_INK_NODE, 16 * 16);
    draw_disk(&raster, 8.0F, 8.0F, 5.0F, 2);
    for (int p = 0; p < 256; ++p) {
        int level = raster.level_of[raster.pixels[p]];
        ck_assert(raster.pixels[p] == QDI_INK_NODE || level > QDI_LEVELS / 6);
    }
    ck_assert_uint_eq(raster.pixels[8 * 16 + 8], qdi_ink_of_hue(2));
}

// Large bodies have a rim, and disks that have turned a line from the centre; small ones have neither.
QD_TEST(rims_and_lines) {
    qd_own(qdi_raster) raster = make_raster(128, 64);
    sheet all = make_sheet(4);
    add_turned(&all, 32.0F, 32.0F, 20.0F, 3, (qdi_corner){0.0F, -1.0F});
    const qdi_corner corners[4] = {{80, 20}, {120, 20}, {120, 50}, {80, 50}};
    add_figure(&all, corners, 4, 0.0F, 3);
    draw(&all, &raster);
    const int full = QDI_LEVELS, rim = (QDI_LEVELS * QDI_TONE_RIM + 8) / 16,
              line = (QDI_LEVELS * QDI_TONE_LINE + 8) / 16;
    ck_assert_int_eq(raster.level_of[raster.pixels[32 * 128 + 40]], full);
    ck_assert_int_eq(raster.level_of[raster.pixels[32 * 128 + 50]], rim);
    ck_assert_int_eq(raster.level_of[raster.pixels[22 * 128 + 32]], line); // up
    ck_assert_int_eq(raster.level_of[raster.pixels[42 * 128 + 32]], full);
    ck_assert_int_eq(raster.level_of[raster.pixels[35 * 128 + 100]], full);
    ck_assert_int_eq(raster.level_of[raster.pixels[20 * 128 + 100]], rim);
    free_sheet(&all);
    clear(&raster);
    draw_disk(&raster, 32.0F, 32.0F, 5.5F, 3);
    ck_assert_int_eq(raster.level_of[raster.pixels[32 * 128 + 36]], full);
}

QD_TEST(marks_show_on_everything) {
    qd_own(qdi_raster) raster = make_raster(32, 16);
    draw_disk(&raster, 8.0F, 8.0F, 5.0F, 1);
    qdi_raster_mark(&raster, 8.5F, 8.5F, 24.5F, 8.5F, 1.2F);
    ck_assert_uint_eq(raster.pixels[8 * 32 + 9], QDI_INK_MARK_ON_BODY + QDI_MARK_LEVELS - 1);
    ck_assert_uint_eq(raster.pixels[8 * 32 + 20], QDI_INK_MARK + QDI_MARK_LEVELS - 1);
    uint8_t before = raster.pixels[8 * 32 + 20];
    qdi_raster_mark(&raster, 20.5F, 9.4F, 20.5F, 9.4F, 0.2F); // a fainter one over it takes nothing away
    ck_assert_uint_eq(raster.pixels[8 * 32 + 20], before);
}

QD_TEST(no_memory) {
    qd_test_allocator allocator = qd_test_allocator_of(&allocator, 1);
    qd_own(qdi_raster) raster;
    ck_assert_int_eq(qdi_raster_create(&allocator.allocator, 16, 16, &raster), QD_ERR_MEMORY);
    qdi_raster_destroy(&raster);
    raster = make_raster(64, 64);
    sheet all = make_crowd(1);
    qdi_picture picture = {.disks = all.disks, .disk_count = all.count, .corners = all.corners};
    qd_status status = QD_ERR_MEMORY;
    for (size_t fail_at = 1; status != QD_OK; ++fail_at) {
        allocator = qd_test_allocator_of(&allocator, fail_at);
        qdi_tile_bins bins = {0};
        status = qdi_tile_bins_create(&allocator.allocator, NULL, &bins);
        if (status == QD_OK) status = qdi_tile_bins_draw(&bins, &picture, &raster);
        ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
        qdi_tile_bins_destroy(&bins);
        ck_assert_uint_eq(allocator.live, 0);
    }
    free_sheet(&all);
}

// The hue of a pixel of splats is the mean of theirs, to the nearest, however many they are: of few it is
// found another way than of many.
QD_TEST(means_of_few_and_many) {
    qd_random random = qd_random_at(11, 0, 0);
    for (uint64_t round = 0; round < 3000; ++round) {
        uint64_t splats[QDI_TILE_SIDE];
        uint8_t row[2][QDI_TILE_SIDE] = {{0}}, none[QDI_TILE_SIDE] = {0};
        const uint64_t most = ((uint64_t)1 << (1 + qd_random_bits(&random) % 28)) + round % 3 - 1;
        for (int x = 0; x < QDI_TILE_SIDE; ++x) {
            const uint64_t cover = qd_random_bits(&random) % (most + 1);
            const uint64_t hues = qd_random_bits(&random) % ((QDI_HUES - 1) * cover + 1);
            splats[x] = cover | hues << 32;
        }
        qdi_tile_row_portable(row[0], none, none, none, splats, QDI_TILE_SIDE);
#ifdef __x86_64__
        if (qd_simd_best() >= QD_SIMD_AVX2) {
            qdi_tile_row_avx2(row[1], none, none, none, splats, QDI_TILE_SIDE);
            ck_assert_mem_eq(row[0], row[1], QDI_TILE_SIDE);
        }
#endif
        for (int x = 0; x < QDI_TILE_SIDE; ++x) {
            const uint64_t cover = (uint32_t)splats[x], hues = splats[x] >> 32;
            if (cover == 0) continue;
            ck_assert_uint_eq((uint64_t)(row[0][x] - QDI_INK_BODY) / QDI_LEVELS, (hues + cover / 2) / cover);
        }
    }
}

QD_TEST_MAIN("tile", 240, NULL, NULL)
