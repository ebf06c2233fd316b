#include "export/raster/text.h"
#include "tests/support/harness.h"

#include <string.h>

QD_TEST(digits_are_equally_wide) {
    for (int size = 4; size <= 64; size += 3) {
        qdi_font font;
        ck_assert_int_eq(qdi_font_create(qd_allocator_default(), size, &font), QD_OK);
        for (char c = '0'; c <= '9'; ++c) {
            const char text[2] = {c, '\0'};
            ck_assert_int_eq(qdi_font_width(&font, text), qdi_font_width(&font, "0"));
        }
        ck_assert_int_gt(font.ascent, size / 2);
        ck_assert_int_gt(font.descent, 0);
        qdi_font_destroy(&font);
    }
}

QD_TEST(drawing_advances_and_stays_in_its_line) {
    qdi_font font;
    qdi_raster raster;
    ck_assert_int_eq(qdi_font_create(qd_allocator_default(), 16, &font), QD_OK);
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 400, 60, &raster), QD_OK);
    const char *text = "step 0123456789 gjpqy";
    int end = qdi_font_draw(&font, &raster, 10, 30, text, QDI_INK_VALUE);
    ck_assert_int_eq(end, 10 + qdi_font_width(&font, text));
    size_t inked = 0;
    for (int p = 0; p < 400 * 60; ++p) {
        if (raster.pixels[p] == QDI_INK_BACKGROUND) continue;
        inked += 1;
        ck_assert_uint_ge(raster.pixels[p], QDI_INK_VALUE);
        ck_assert_uint_lt(raster.pixels[p], QDI_INK_VALUE + QDI_TEXT_LEVELS);
        ck_assert_int_ge(p / 400, 30 - font.ascent);
        ck_assert_int_lt(p / 400, 30 + font.descent);
        ck_assert(p % 400 >= 9 && p % 400 <= end);
    }
    ck_assert_uint_gt(inked, 300);
    qdi_raster_destroy(&raster);
    qdi_font_destroy(&font);
}

QD_TEST(what_it_cannot_draw_is_a_question_mark) {
    qdi_font font;
    qdi_raster raster;
    ck_assert_int_eq(qdi_font_create(qd_allocator_default(), 16, &font), QD_OK);
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), 64, 32, &raster), QD_OK);
    uint8_t expected[64 * 32];
    (void)qdi_font_draw(&font, &raster, 4, 20, "??", QDI_INK_VALUE);
    memcpy(expected, raster.pixels, sizeof expected);
    memset(raster.pixels, QDI_INK_BACKGROUND, sizeof expected);
    (void)qdi_font_draw(&font, &raster, 4, 20, "\xc3\x9f", QDI_INK_VALUE);
    ck_assert_int_eq(memcmp(expected, raster.pixels, sizeof expected), 0);
    // A clip cuts characters without touching what is outside.
    memset(raster.pixels, QDI_INK_BACKGROUND, sizeof expected);
    qdi_raster_set_clip(&raster, (qdi_area){0, 0, 10, 14});
    (void)qdi_font_draw(&font, &raster, -3, 20, "MMMM", QDI_INK_VALUE);
    for (int p = 0; p < 64 * 32; ++p) {
        if (p % 64 >= 10 || p / 64 >= 14) ck_assert_uint_eq(raster.pixels[p], QDI_INK_BACKGROUND);
    }
    qdi_raster_destroy(&raster);
    qdi_font_destroy(&font);
}

QD_TEST(no_memory_at_any_allocation) {
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_font font;
        qd_status status = qdi_font_create(&allocator.allocator, 16, &font);
        if (status == QD_OK) qdi_font_destroy(&font);
        if (qd_test_had_memory(&allocator, status)) {
            ck_assert_uint_lt(allocator.calls, n); // nothing failed, so all was tried
            ck_assert_uint_gt(n, 20);
            break;
        }
    }
}

QD_TEST_MAIN("text", 120, NULL, NULL)
