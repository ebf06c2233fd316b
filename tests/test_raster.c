#include "export/raster.h"
#include "tests/harness.h"

#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/random.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static qdi_raster make_raster(int width, int height) {
    qdi_raster raster;
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), width, height, &raster), QD_OK);
    return raster;
}

static void clear(qdi_raster *raster) {
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)raster->width * (size_t)raster->height);
}

typedef struct moments {
    double area, x, y;
} moments;

static moments measure(const qdi_raster *raster) {
    moments sum = {0, 0, 0};
    for (int j = 0; j < raster->height; ++j) {
        for (int i = 0; i < raster->width; ++i) {
            double part = (double)raster->level_of[raster->pixels[j * raster->width + i]] / QDI_LEVELS;
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

START_TEST(disk_area_and_centre) {
    qdi_raster raster = make_raster(216, 216);
    qd_random random = qd_random_at(qd_test_seed(1), 0, 0);
    size_t rounds = qd_test_effort(20);
    for (float radius = 3.0F; radius <= 100.0F; radius *= 1.13F) {
        for (size_t k = 0; k < rounds; ++k) {
            float x = (float)(107.0 + 2.0 * qd_random_uniform(&random));
            float y = (float)(107.0 + 2.0 * qd_random_uniform(&random));
            clear(&raster);
            qdi_raster_disk(&raster, x, y, radius, 3);
            moments got = measure(&raster);
            double area = pi * (double)radius * (double)radius;
            ck_assert_msg(fabs(got.area / area - 1.0) < 0.01, "radius %g at %g %g: area %g of %g",
                          (double)radius, (double)x, (double)y, got.area, area);
            ck_assert_msg(fabs(got.x - (double)x) < 0.05 && fabs(got.y - (double)y) < 0.05,
                          "radius %g at %g %g: centre %g %g", (double)radius, (double)x, (double)y, got.x,
                          got.y);
        }
    }
    qdi_raster_destroy(&raster);
}
END_TEST

START_TEST(small_disks_do_not_vanish) {
    qdi_raster raster = make_raster(16, 16);
    for (float radius = 1e-6F; radius < 3.0F; radius *= 1.5F) {
        for (int k = 0; k < 64; ++k) {
            clear(&raster);
            qdi_raster_disk(&raster, 8.0F + (float)(k % 8) / 8.0F, 8.0F + (float)(k / 8) / 8.0F, radius, 0);
            moments got = measure(&raster);
            double area = pi * (double)radius * (double)radius;
            ck_assert_msg(got.area >= 0.25, "radius %g: area %g", (double)radius, got.area);
            ck_assert_msg(got.area <= 0.5 + 1.15 * area, "radius %g: area %g", (double)radius, got.area);
        }
    }
    qdi_raster_destroy(&raster);
}
END_TEST

// Coverage of every pixel against a count of 16 x 16 points in it.
START_TEST(edges_follow_the_circle) {
    qdi_raster raster = make_raster(40, 40);
    qd_random random = qd_random_at(qd_test_seed(2), 0, 0);
    for (size_t k = 0; k < qd_test_effort(50); ++k) {
        float radius = (float)(3.0 + 12.0 * qd_random_uniform(&random));
        float x = (float)(19.0 + 2.0 * qd_random_uniform(&random)),
              y = (float)(19.0 + 2.0 * qd_random_uniform(&random));
        clear(&raster);
        qdi_raster_disk(&raster, x, y, radius, 0);
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
    qdi_raster_destroy(&raster);
}
END_TEST

START_TEST(clip_is_kept_and_changes_nothing_inside) {
    const qdi_area clip = {7, 9, 30, 21};
    qdi_raster whole = make_raster(40, 40), part = make_raster(40, 40);
    qdi_raster_set_clip(&part, clip);
    qd_random random = qd_random_at(qd_test_seed(3), 0, 0);
    for (int k = 0; k < 200; ++k) {
        float radius = (float)(0.1 + 9.0 * qd_random_uniform(&random));
        float x = (float)(60.0 * qd_random_uniform(&random) - 10.0),
              y = (float)(60.0 * qd_random_uniform(&random) - 10.0);
        qdi_raster_disk(&whole, x, y, radius, (unsigned)k % QDI_HUES);
        qdi_raster_disk(&part, x, y, radius, (unsigned)k % QDI_HUES);
        qdi_raster_mark(&whole, x, y, x + radius, y, 1.5F);
        qdi_raster_mark(&part, x, y, x + radius, y, 1.5F);
    }
    // What rounding hands on begins elsewhere in a clipped disk: one level, and where two disks meet on equal
    // terms the other's hue. So the solid inside is compared.
    size_t same = 0, inside = 0;
    for (int p = 0; p < 40 * 40; ++p) {
        bool in = p % 40 >= clip.min_x && p % 40 < clip.max_x && p / 40 >= clip.min_y && p / 40 < clip.max_y;
        if (!in) ck_assert_uint_eq(part.pixels[p], QDI_INK_BACKGROUND);
        inside += in;
        same += in && part.pixels[p] == whole.pixels[p];
    }
    ck_assert_uint_gt(same * 10, inside * 9);
    qdi_raster_destroy(&whole);
    qdi_raster_destroy(&part);
}
END_TEST

START_TEST(huge_and_distant_disks) {
    qdi_raster raster = make_raster(32, 32);
    qdi_raster_disk(&raster, 16.0F, 5e5F + 16.0F, 5e5F, 1); // its edge crosses the middle
    ck_assert_uint_eq(raster.pixels[31 * 32 + 16], qdi_ink_of_hue(1));
    ck_assert_uint_eq(raster.pixels[0], QDI_INK_BACKGROUND);
    clear(&raster);
    qdi_raster_disk(&raster, 9e5F, -9e5F, 3.0F, 1);
    qdi_raster_disk(&raster, -9e5F, 9e5F, 0.3F, 1);
    ck_assert_double_eq(measure(&raster).area, 0.0);
    qdi_raster_destroy(&raster);
}
END_TEST

// Two halves of a pixel make a whole one; the colour is that of the larger part.
START_TEST(coverages_add) {
    qdi_raster raster = make_raster(64, 16);
    qdi_raster_disk(&raster, 10.0F, 8.0F, 6.5F, 2);
    qdi_raster_disk(&raster, 23.0F, 8.0F, 6.5F, 5); // touches in the middle of the pixel at column 16
    uint8_t middle = raster.pixels[8 * 64 + 16];
    ck_assert_uint_ge(raster.level_of[middle], QDI_LEVELS - 2);
    clear(&raster);
    for (int k = 0; k < 40; ++k) qdi_raster_disk(&raster, 10.5F, 8.5F, 0.01F, 2);
    ck_assert_uint_eq(raster.pixels[8 * 64 + 10], qdi_ink_of_hue(2));
    qdi_raster_destroy(&raster);
}
END_TEST

START_TEST(faint_edges_leave_outlines_alone) {
    qdi_raster raster = make_raster(16, 16);
    memset(raster.pixels, QDI_INK_NODE, 16 * 16);
    qdi_raster_disk(&raster, 8.0F, 8.0F, 5.0F, 2);
    for (int p = 0; p < 256; ++p) {
        int level = raster.level_of[raster.pixels[p]];
        ck_assert(raster.pixels[p] == QDI_INK_NODE || level > QDI_LEVELS / 6);
    }
    ck_assert_uint_eq(raster.pixels[8 * 16 + 8], qdi_ink_of_hue(2));
    qdi_raster_destroy(&raster);
}
END_TEST

START_TEST(marks_show_on_everything) {
    qdi_raster raster = make_raster(32, 16);
    qdi_raster_disk(&raster, 8.0F, 8.0F, 5.0F, 1);
    qdi_raster_mark(&raster, 8.5F, 8.5F, 24.5F, 8.5F, 1.2F);
    ck_assert_uint_eq(raster.pixels[8 * 32 + 9], QDI_INK_MARK_ON_BODY + QDI_MARK_LEVELS - 1);
    ck_assert_uint_eq(raster.pixels[8 * 32 + 20], QDI_INK_MARK + QDI_MARK_LEVELS - 1);
    uint8_t before = raster.pixels[8 * 32 + 20];
    qdi_raster_mark(&raster, 20.5F, 9.4F, 20.5F, 9.4F, 0.2F); // a fainter one over it takes nothing away
    ck_assert_uint_eq(raster.pixels[8 * 32 + 20], before);
    qdi_raster_destroy(&raster);
}
END_TEST

// The same everywhere: any compiler, optimization level and processor gives this hash.
START_TEST(pixels_are_the_same_everywhere) {
    qdi_raster raster = make_raster(320, 200);
    qd_random random = qd_random_at(7, 0, 0);
    for (int k = 0; k < 600; ++k) {
        float x = (float)(340.0 * qd_random_uniform(&random) - 10.0),
              y = (float)(220.0 * qd_random_uniform(&random) - 10.0);
        double u = qd_random_uniform(&random);
        qdi_raster_disk(&raster, x, y, (float)(0.1 + 20.0 * u * u * u), (unsigned)k % QDI_HUES);
        if (k % 5 == 0) qdi_raster_mark(&raster, x, y, x + 6.0F, y - 3.0F, 1.2F);
    }
    ck_assert_msg(qd_hash_bytes(raster.pixels, 320 * 200) == UINT64_C(0xda8b2ba467c4c4ea), "got 0x%016llx",
                  (unsigned long long)qd_hash_bytes(raster.pixels, 320 * 200));
    qdi_raster_destroy(&raster);
}
END_TEST

START_TEST(figure_area_and_centre) {
    qdi_raster raster = make_raster(128, 128);
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
        clear(&raster);
        qdi_raster_figure(&raster, corners, 4, radius, 3);
        moments got = measure(&raster);
        double r = (double)radius, area = 4 * half * thin + 4 * (half + thin) * r + pi * r * r;
        ck_assert_msg(fabs(got.area / area - 1.0) < 0.02, "area %g of %g", got.area, area);
        ck_assert_msg(fabs(got.x - x) < 0.1 && fabs(got.y - y) < 0.1, "centre %g %g", got.x - x, got.y - y);
    }
    qdi_raster_destroy(&raster);
}
END_TEST

START_TEST(no_memory) {
    qd_test_allocator allocator;
    qd_test_allocator_init(&allocator, 1);
    qdi_raster raster;
    ck_assert_int_eq(qdi_raster_create(&allocator.allocator, 16, 16, &raster), QD_ERR_MEMORY);
    qdi_raster_destroy(&raster);
    ck_assert_uint_eq(allocator.live, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("raster");
    TCase *tests = tcase_create("raster");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, disk_area_and_centre);
    tcase_add_test(tests, small_disks_do_not_vanish);
    tcase_add_test(tests, edges_follow_the_circle);
    tcase_add_test(tests, clip_is_kept_and_changes_nothing_inside);
    tcase_add_test(tests, huge_and_distant_disks);
    tcase_add_test(tests, coverages_add);
    tcase_add_test(tests, faint_edges_leave_outlines_alone);
    tcase_add_test(tests, marks_show_on_everything);
    tcase_add_test(tests, pixels_are_the_same_everywhere);
    tcase_add_test(tests, figure_area_and_centre);
    tcase_add_test(tests, no_memory);
    suite_add_tcase(suite, tests);
    return qd_test_run(suite);
}
