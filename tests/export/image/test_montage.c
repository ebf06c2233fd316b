#include "export/image/montage.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>
#include <stdio.h>
#include <string.h>

// Montages of pictures of noise, compared pixel by pixel with what they were made of.

enum { MOST = 3, ROOM = 64 * 64 * 3 };

typedef struct source {
    qdi_png_loaded picture;
    uint8_t pixels[ROOM];
} source;

/// A picture with so many colours, which begin at grey level `first`; 0: true colour.
static void make_source(source *made, int width, int height, int colours, int first) {
    made->picture = (qdi_png_loaded){.width = width, .height = height, .colours = colours};
    made->picture.pixels = made->pixels;
    made->picture.bytes = (size_t)width * (size_t)height * (colours > 0 ? 1 : 3);
    for (int i = 0; i < colours; ++i) memset(made->picture.rgb[i], first + i, 3);
    qd_random random = qd_random_at(7, (uint64_t)first, 0);
    for (size_t i = 0; i < made->picture.bytes; ++i)
        made->pixels[i] = (uint8_t)(qd_random_bits(&random) % (colours > 0 ? (unsigned)colours : 256U));
}

static const uint8_t *colour_at(const qdi_png_loaded *picture, int x, int y) {
    size_t at = (size_t)y * (size_t)picture->width + (size_t)x;
    return picture->colours > 0 ? picture->rgb[picture->pixels[at]] : picture->pixels + 3 * at;
}

static const uint8_t *montage_colour_at(const qdi_montage *montage, int x, int y) {
    size_t at = (size_t)y * (size_t)montage->width + (size_t)x;
    return montage->colours > 0 ? montage->rgb[montage->pixels[at]] : montage->pixels + 3 * at;
}

static void expect_picture(const qdi_montage *montage, size_t cell, const qdi_png_loaded *picture) {
    const qdi_area area = montage->cells[cell].picture;
    ck_assert_int_eq(area.max_x - area.min_x, picture->width);
    ck_assert_int_eq(area.max_y - area.min_y, picture->height);
    for (int y = 0; y < picture->height; ++y)
        for (int x = 0; x < picture->width; ++x)
            ck_assert_mem_eq(montage_colour_at(montage, area.min_x + x, area.min_y + y),
                             colour_at(picture, x, y), 3);
}

static bool is_ground(const qdi_montage *montage, int x, int y) {
    return memcmp(montage_colour_at(montage, x, y), montage->palette.rgb[QDI_INK_BAND], 3) == 0;
}

/// Pixels of an area that are not the ground's.
static size_t drawn_in(const qdi_montage *montage, qdi_area area) {
    size_t count = 0;
    for (int y = area.min_y; y < area.max_y; ++y)
        for (int x = area.min_x; x < area.max_x; ++x) count += !is_ground(montage, x, y);
    return count;
}

static qd_status build(const qd_allocator *allocator, const qdi_montage_plan *plan, const source *sources,
                       size_t count, qdi_montage *montage) {
    qdi_png_loaded pictures[MOST];
    qd_error error = {""};
    for (size_t i = 0; i < count; ++i) pictures[i] = sources[i].picture;
    qd_status status = qdi_montage_create(allocator, plan, pictures, count, montage, &error);
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        status = qdi_montage_put(montage, i, &pictures[i]);
        if (status == QD_OK) status = qdi_montage_caption(montage, i, "caption");
    }
    return status;
}

/// Side by side and one above the other: sizes, places in the middle, and nothing but ground around them.
QD_TEST(test_layout) {
    static source sources[MOST];
    make_source(&sources[0], 40, 30, 20, 5);
    make_source(&sources[1], 20, 64, 20, 5);
    make_source(&sources[2], 30, 10, 20, 5);
    for (int above = 0; above < 2; ++above) {
        qdi_montage montage;
        const qdi_montage_plan plan = {.above = above > 0};
        ck_assert_int_eq(build(qd_allocator_default(), &plan, sources, 3, &montage), QD_OK);
        ck_assert_int_eq(montage.width, above ? 40 : 40 + 20 + 30 + 2 * 4);
        ck_assert_int_eq(montage.height, above ? 30 + 64 + 10 + 2 * 4 : 64);
        size_t inside = 0;
        for (size_t i = 0; i < 3; ++i) {
            expect_picture(&montage, i, &sources[i].picture);
            inside += drawn_in(&montage, montage.cells[i].picture);
        }
        ck_assert_uint_eq(inside, drawn_in(&montage, (qdi_area){0, 0, montage.width, montage.height}));
        ck_assert_int_eq(montage.cells[2].picture.min_y, above ? 30 + 64 + 2 * 4 : 27);
        ck_assert_int_eq(montage.cells[2].picture.min_x, above ? 5 : 40 + 20 + 2 * 4);
        qdi_montage_destroy(&montage);
    }
}

/// Palettes are joined where they fit into one, else the montage is in true colour; either way every pixel
/// keeps its colour.
QD_TEST(test_colours) {
    static const struct {
        int colours[2], first[2];
        bool forced, indexed;
    } cases[] = {{{200, 200}, {0, 0}, false, true},   {{100, 100}, {0, 50}, false, true},
                 {{200, 200}, {0, 56}, false, false}, {{200, 0}, {0, 0}, false, false},
                 {{200, 200}, {0, 0}, true, false},   {{0, 0}, {0, 0}, false, false}};
    static source sources[2];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        for (int i = 0; i < 2; ++i) make_source(&sources[i], 33, 21, cases[k].colours[i], cases[k].first[i]);
        qdi_montage montage;
        const qdi_montage_plan plan = {.captions = true, .true_colour = cases[k].forced};
        ck_assert_int_eq(build(qd_allocator_default(), &plan, sources, 2, &montage), QD_OK);
        ck_assert_int_eq(montage.colours > 0, cases[k].indexed);
        for (size_t i = 0; i < 2; ++i) expect_picture(&montage, i, &sources[i].picture);
        qdi_montage_destroy(&montage);
    }
}

/// Captions stay in their strip, are cut to it, and follow the ground of the first picture.
QD_TEST(test_captions) {
    static source sources[2];
    for (int first = 0; first < 256; first += 235) {
        make_source(&sources[0], 64, 20, 20, first);
        make_source(&sources[1], 50, 20, 20, first);
        qdi_montage montage;
        const qdi_montage_plan plan = {.captions = true};
        ck_assert_int_eq(build(qd_allocator_default(), &plan, sources, 2, &montage), QD_OK);
        ck_assert_int_eq(montage.palette.rgb[QDI_INK_BAND][0] > 128, first > 128);
        ck_assert_int_eq(montage.height % 2, 0);
        size_t before = drawn_in(&montage, montage.cells[0].caption);
        ck_assert_uint_gt(before, 20);
        ck_assert_int_eq(qdi_montage_caption(&montage, 1, "a caption of many more words than fit"), QD_OK);
        ck_assert_uint_gt(drawn_in(&montage, montage.cells[1].caption), 20);
        ck_assert_uint_eq(drawn_in(&montage, montage.cells[0].caption), before);
        expect_picture(&montage, 1, &sources[1].picture);
        ck_assert_int_eq(qdi_montage_caption(&montage, 1, ""), QD_OK);
        ck_assert_uint_eq(drawn_in(&montage, montage.cells[1].caption), 0);
        qdi_montage_destroy(&montage);
    }
}

/// A longer text than fits shows its beginning and three dots, as the same text cut by hand does.
QD_TEST(test_long_captions_are_cut) {
    static source sources[1];
    make_source(&sources[0], 64, 20, 20, 0);
    char text[400];
    memset(text, 'i', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    qdi_montage one, other;
    const qdi_montage_plan plan = {.captions = true};
    ck_assert_int_eq(build(qd_allocator_default(), &plan, sources, 1, &one), QD_OK);
    ck_assert_int_eq(build(qd_allocator_default(), &plan, sources, 1, &other), QD_OK);
    ck_assert_int_eq(qdi_montage_caption(&one, 0, text), QD_OK);
    int found = 0;
    for (int kept = 1; kept < 40; ++kept) {
        char cut[64];
        snprintf(cut, sizeof cut, "%.*s...", kept, text);
        ck_assert_int_eq(qdi_montage_caption(&other, 0, cut), QD_OK);
        if (memcmp(one.pixels, other.pixels, one.bytes) == 0 && found == 0) found = kept;
    }
    ck_assert_int_gt(found, 3);
    qdi_montage_destroy(&one);
    qdi_montage_destroy(&other);
}

QD_TEST(test_what_does_not_fit) {
    static source sources[2];
    static source other;
    make_source(&sources[0], 33, 21, 50, 0);
    make_source(&sources[1], 33, 21, 50, 0);
    qdi_montage montage;
    const qdi_montage_plan plan = {.captions = true};
    ck_assert_int_eq(build(qd_allocator_default(), &plan, sources, 2, &montage), QD_OK);
    make_source(&other, 33, 20, 50, 0);
    ck_assert_int_eq(qdi_montage_put(&montage, 1, &other.picture), QD_ERR_CORRUPT);
    make_source(&other, 33, 21, 50, 1);
    ck_assert_int_eq(qdi_montage_put(&montage, 1, &other.picture), QD_ERR_VALUE);
    make_source(&other, 33, 21, 0, 0);
    ck_assert_int_eq(qdi_montage_put(&montage, 1, &other.picture), QD_ERR_VALUE);
    expect_picture(&montage, 1, &sources[1].picture);
    qdi_montage_destroy(&montage);
    // In true colour each picture may have colours of its own.
    const qdi_montage_plan wide = {.true_colour = true};
    ck_assert_int_eq(build(qd_allocator_default(), &wide, sources, 2, &montage), QD_OK);
    ck_assert_int_eq(qdi_montage_put(&montage, 1, &other.picture), QD_OK);
    expect_picture(&montage, 1, &other.picture);
    qdi_montage_destroy(&montage);
    sources[0].picture.width = 16000;
    sources[1].picture.width = 16000;
    qd_error error = {""};
    const qdi_png_loaded pictures[] = {sources[0].picture, sources[1].picture};
    ck_assert_int_eq(qdi_montage_create(qd_allocator_default(), &plan, pictures, 2, &montage, &error),
                     QD_ERR_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "32004 x"));
}

QD_TEST(test_lack_of_memory) {
    static source sources[2];
    make_source(&sources[0], 33, 21, 50, 0);
    make_source(&sources[1], 33, 21, 50, 0);
    size_t failed = 0;
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_montage montage;
        const qdi_montage_plan plan = {.captions = true};
        qd_status status = build(&allocator.allocator, &plan, sources, 2, &montage);
        qdi_montage_destroy(&montage);
        if (qd_test_had_memory(&allocator, status)) break;
        failed += 1;
    }
    ck_assert_uint_gt(failed, 3);
}

QD_TEST_MAIN("montage", 0, NULL, NULL)
