// The caption of a picture: what it shows stays in its band, each item is its own.
#include "export/picture/caption.h"
#include "export/picture/picture.h"
#include "tests/support/harness.h"

#include <math.h>
#include <string.h>

// Colour bar and scale; there is no field.
static bool explains(int item) {
    return item == QDI_CAPTION_COLOURS || item == QDI_CAPTION_SCALE;
}

// 0: a retrieve, 1: a query.
QD_TEST_LOOP(a_search_is_told_in_the_caption, 0, 2) {
    qd_view view = qd_view_default();
    view.width = 640;
    view.height = 360;
    if (_i == 0) view.retrieve = 7;
    if (_i == 1) view.query.x = view.query.y = view.query.width = view.query.height = 9;
    qdi_caption caption;
    qdi_raster raster[2];
    ck_assert_int_eq(qdi_caption_create(qd_allocator_default(), &view, NULL, &caption), QD_OK);
    const int item = _i == 0 ? QDI_CAPTION_RETRIEVE : QDI_CAPTION_QUERY;
    for (int i = QDI_CAPTION_COLUMN; i < QDI_CAPTION_ITEMS; ++i)
        ck_assert_int_eq(caption.place[i].shown, (i >= item && i < item + QDI_CAPTION_SEARCH) ||
                                                     i < QDI_CAPTION_COLUMN + 5 || explains(i));
    const qdi_caption_place *place = &caption.place[item + QDI_CAPTION_SEARCH - 1];
    bool inks[QDI_INK_COUNT] = {false};
    for (int k = 0; k < 2; ++k) {
        const qdi_search_facts found = {.nodes = 12, .tests = 30, .candidates = 3, .hits = (uint64_t)k};
        const qdi_facts facts = {.scale = 1, .retrieve = found, .query = found};
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 640, 360, &raster[k]), QD_OK);
        qdi_caption_draw(&caption, &raster[k], &facts, 1);
    }
    int differ = 0;
    for (int p = 0; p < 640 * 360; ++p) {
        inks[raster[0].pixels[p]] = true;
        if (raster[0].pixels[p] == raster[1].pixels[p]) continue;
        differ += 1;
        ck_assert(p % 640 >= place->x && p % 640 < place->x + place->width && p / 640 >= caption.band.min_y);
    }
    ck_assert_int_gt(differ, 0);
    ck_assert(inks[QDI_INK_VISITED] && inks[QDI_INK_CANDIDATE] && inks[QDI_INK_HIT]);
    ck_assert_int_eq(inks[QDI_INK_ASKED], _i == 0);
    for (int k = 0; k < 2; ++k) qdi_raster_destroy(&raster[k]);
    qdi_caption_destroy(&caption);
}

QD_TEST_LOOP(caption_stays_in_its_band, 0, 2) {
    static const int sizes[][2] = {{16, 16},    {64, 48},     {160, 120}, {320, 200},
                                   {1280, 768}, {3840, 2160}, {16384, 64}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        qd_view view = qd_view_default();
        view.width = sizes[s][0];
        view.height = sizes[s][1];
        view.colour = QD_VIEW_SPEED;
        if (_i == 1) view.text = 2 * QD_VIEW_TEXT_STAGE - 1;
        view.stages = "fill\nsettle\n"; // the number is past them
        qdi_caption caption;
        qdi_raster raster;
        ck_assert_int_eq(qdi_caption_create(qd_allocator_default(), &view, "scene", &caption), QD_OK);
        ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), view.width, view.height, &raster), QD_OK);
        const qdi_facts facts = {UINT64_MAX, 1e300,      UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                 1e300,      UINT64_MAX, 1e300,      -1,         0.37,
                                 0,          {0},        {0},        {0, 0},     UINT64_MAX};
        qdi_caption_draw(&caption, &raster, &facts, 1e-300);
        size_t wrong = 0;
        for (int p = 0; p < view.width * view.height; ++p) {
            bool in = p / view.width >= caption.band.min_y && p / view.width < caption.band.max_y;
            wrong += in != (raster.pixels[p] != QDI_INK_BACKGROUND);
        }
        ck_assert_uint_eq(wrong, 0);
        ck_assert_int_gt(caption.world.max_y, view.height / 2);
        if (view.width >= 320 && view.height >= 240)
            for (int i = QDI_CAPTION_COLUMN; i < QDI_CAPTION_ITEMS; ++i)
                ck_assert_int_eq(caption.place[i].shown, i < QDI_CAPTION_COLUMN + 5 || explains(i) ||
                                                             (_i == 1 && i < QDI_CAPTION_RETRIEVE));
        qdi_raster_destroy(&raster);
        qdi_caption_destroy(&caption);
    }
}

static uint8_t *draw_text(uint32_t text, const qdi_facts *facts, bool shown[QDI_CAPTION_ITEMS]) {
    qd_view view = qd_view_default();
    view.width = 900;
    view.height = 300;
    view.text = text;
    view.stages = "fill\nsettle\n";
    qdi_caption caption;
    qdi_raster raster;
    ck_assert_int_eq(qdi_caption_create(qd_allocator_default(), &view, "scene", &caption), QD_OK);
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 900, 300, &raster), QD_OK);
    qdi_caption_draw(&caption, &raster, facts, 1);
    for (int i = 0; i < QDI_CAPTION_ITEMS; ++i) shown[i] = caption.place[i].shown;
    uint8_t *pixels = qd_test_memory(900 * 300);
    memcpy(pixels, raster.pixels, 900 * 300);
    qdi_raster_destroy(&raster);
    qdi_caption_destroy(&caption);
    return pixels;
}

// However long the run, the time leaves what stands beside it alone.
QD_TEST(times_of_any_length_have_room) {
    static const double times[] = {1234567.25, 25920000, 987654321.25, 2.5920086401e12, 1.23e-11, 1e300};
    qd_view view = qd_view_default();
    view.width = 900;
    view.height = 300;
    qdi_caption caption;
    qdi_raster raster;
    ck_assert_int_eq(qdi_caption_create(qd_allocator_default(), &view, "scene", &caption), QD_OK);
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 900, 300, &raster), QD_OK);
    const int next = caption.place[QDI_CAPTION_COLUMN + 2].x;
    qd_own_memory uint8_t *first = qd_test_memory(900 * 300);
    for (size_t i = 0; i < 2 * sizeof times / sizeof *times; ++i) {
        const qdi_facts facts = {.step = i % 2 ? 1 : 40, .time = times[i / 2], .scale = 1};
        qdi_caption_draw(&caption, &raster, &facts, 1);
        if (i == 0) memcpy(first, raster.pixels, 900 * 300);
        for (int row = caption.band.min_y; row < caption.band.max_y; ++row)
            ck_assert_mem_eq(raster.pixels + 900 * row + next, first + 900 * row + next,
                             (size_t)(900 - next));
    }
    qdi_raster_destroy(&raster);
    qdi_caption_destroy(&caption);
}

// Each bit shows its own item and no other, and each number is its own fact.
QD_TEST(text_has_what_is_asked_for) {
    static const int items[] = {QDI_CAPTION_COLUMN,     QDI_CAPTION_COLUMN + 1, QDI_CAPTION_COLUMN + 2,
                                QDI_CAPTION_COLUMN + 3, QDI_CAPTION_COLUMN + 4, QDI_CAPTION_COLUMN + 5,
                                QDI_CAPTION_COLUMN + 6, QDI_CAPTION_COLUMN + 7, QDI_CAPTION_COLUMN + 8,
                                QDI_CAPTION_COLOURS,    QDI_CAPTION_SCALE,      QDI_CAPTION_STAGE};
    const qdi_facts facts = {.step = 1, .time = 1, .scale = 1};
    for (int bit = 0; bit <= 11; ++bit) {
        bool shown[QDI_CAPTION_ITEMS];
        qd_own_memory uint8_t *pixels = draw_text(UINT32_C(1) << bit, &facts, shown);
        for (int i = 0; i < QDI_CAPTION_ITEMS; ++i) ck_assert_int_eq(shown[i], i == items[bit]);
        qdi_facts other = facts;
        if (bit == 0) other.step = 2;
        if (bit == 1) other.time = 2;
        if (bit == 2) other.bodies = 1;
        if (bit == 3) other.contacts = 1;
        if (bit == 4) other.nodes = 1;
        if (bit == 5) other.candidates = 0.01;
        if (bit == 6) other.tests = 1;
        if (bit == 7) other.rate = 0.1;
        if (bit == 8) other.cost = (double)NAN;
        if (bit == 10) other.scale = 2;
        if (bit == 11) other.stage = 1;
        qd_own_memory uint8_t *changed = draw_text(UINT32_C(1) << bit, &other, shown);
        ck_assert_int_eq(memcmp(pixels, changed, 900 * 300) != 0, bit != 9);
    }
    ck_assert_int_eq(QD_VIEW_TEXT_STAGE, 1 << 11);
}

QD_TEST_MAIN("caption", 120, NULL, NULL)
