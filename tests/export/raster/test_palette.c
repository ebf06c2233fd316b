#include "export/raster/palette.h"
#include "tests/support/harness.h"

#include <math.h>
#include <stdlib.h>

// Relative luminance of an sRGB colour (IEC 61966-2-1), 0 to 1.
static double luminance(const uint8_t rgb[3]) {
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        double value = rgb[c] / 255.0;
        sum += weight[c] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const uint8_t a[3], const uint8_t b[3]) {
    double la = luminance(a), lb = luminance(b);
    return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

static qdi_palette palette_of(qd_view_colour colour) {
    qd_view view = qd_view_default();
    view.colour = colour;
    return qdi_palette_make(&view);
}

// Who sees no hues at all still sees order and difference by lightness.
QD_TEST(maps_go_one_way) {
    for (int theme = QD_VIEW_DARK; theme <= QD_VIEW_LIGHT; ++theme) {
        for (int map = QD_VIEW_VIRIDIS; map <= QD_VIEW_CIVIDIS; ++map) {
            qd_view view = qd_view_default();
            view.colour = QD_VIEW_SPEED;
            view.map = (qd_view_map)map;
            view.theme = (qd_view_theme)theme;
            qdi_palette palette = qdi_palette_make(&view);
            const uint8_t *ground = palette.rgb[QDI_INK_BACKGROUND];
            for (unsigned hue = 0; hue < QDI_MAP_HUES; ++hue) {
                const uint8_t *here = palette.rgb[qdi_ink_of_hue(hue)];
                ck_assert_msg(contrast(here, ground) > 1.8, "theme %d, map %d, hue %u: %g", theme, map, hue,
                              contrast(here, ground));
                if (hue == 0) continue;
                double step = luminance(here) / luminance(palette.rgb[qdi_ink_of_hue(hue - 1)]);
                if (theme == QD_VIEW_LIGHT) step = 1.0 / step;
                ck_assert_msg(step > 1.03, "theme %d, map %d, hue %u: %g", theme, map, hue, step);
            }
        }
    }
}

QD_TEST(categories_differ) {
    qdi_palette palette = palette_of(QD_VIEW_ID);
    for (unsigned a = 0; a < QDI_CATEGORIES; ++a) {
        ck_assert_double_gt(contrast(palette.rgb[qdi_ink_of_hue(a)], palette.rgb[QDI_INK_BACKGROUND]), 2.5);
        for (unsigned b = 0; b < a; ++b) {
            int distance = 0;
            for (int c = 0; c < 3; ++c)
                distance += abs(palette.rgb[qdi_ink_of_hue(a)][c] - palette.rgb[qdi_ink_of_hue(b)][c]);
            ck_assert_int_gt(distance, 60);
        }
    }
}

QD_TEST(touching_bodies_stand_out) {
    qdi_palette palette = palette_of(QD_VIEW_CONTACT);
    const uint8_t *touching = palette.rgb[qdi_ink_of_hue(QDI_HUE_TOUCHING)];
    const uint8_t *rest = palette.rgb[qdi_ink_of_hue(QDI_HUE_REST)];
    ck_assert_double_gt(contrast(touching, rest), 2.5);
    ck_assert_double_gt(contrast(rest, palette.rgb[QDI_INK_BACKGROUND]), 2.5);
    ck_assert_double_gt(contrast(rest, palette.rgb[QDI_INK_NODE]), 1.05);
}

QD_TEST(text_is_legible) {
    qdi_palette palette = palette_of(QD_VIEW_CONTACT);
    const uint8_t *band = palette.rgb[QDI_INK_BAND];
    ck_assert_double_gt(contrast(palette.rgb[QDI_INK_VALUE + QDI_TEXT_LEVELS - 1], band), 7.0);
    ck_assert_double_gt(contrast(palette.rgb[QDI_INK_LABEL + QDI_TEXT_LEVELS - 1], band), 4.5);
}

// Levels are even steps from the background to the hue.
QD_TEST(levels_are_even) {
    for (int mode = QD_VIEW_CONTACT; mode <= QD_VIEW_PSI6; ++mode) {
        qdi_palette palette = palette_of((qd_view_colour)mode);
        for (int ink = 0; ink < QDI_HUES * QDI_LEVELS; ++ink) {
            int level = ink % QDI_LEVELS + 1, full = ink - ink % QDI_LEVELS + QDI_LEVELS - 1;
            for (int c = 0; c < 3; ++c) {
                double from = palette.rgb[QDI_INK_BACKGROUND][c], to = palette.rgb[QDI_INK_BODY + full][c];
                double want = from + (to - from) * level / QDI_LEVELS;
                ck_assert_double_le(fabs(palette.rgb[QDI_INK_BODY + ink][c] - want), 0.51);
            }
        }
    }
}

// Over the old background a palette without one looks as before; palettes of others are refused.
QD_TEST(background_is_taken_out) {
    for (int mode = QD_VIEW_CONTACT; mode <= QD_VIEW_REFILED; ++mode) {
        qdi_palette palette = palette_of((qd_view_colour)mode);
        uint8_t clear[QDI_INK_COUNT][3], alpha[QDI_INK_COUNT];
        const uint8_t(*rgb)[3] = (const uint8_t(*)[3])palette.rgb;
        ck_assert(qdi_palette_clear(rgb, QDI_INK_COUNT, clear, alpha));
        for (int ink = 0; ink < QDI_INK_COUNT; ++ink) {
            for (int c = 0; c < 3; ++c) {
                double ground = palette.rgb[QDI_INK_BACKGROUND][c], part = alpha[ink] / 255.0;
                ck_assert_double_le(fabs(ground + (clear[ink][c] - ground) * part - palette.rgb[ink][c]),
                                    1.0);
            }
        }
        ck_assert_uint_eq(alpha[QDI_INK_BACKGROUND], 0);
        ck_assert_uint_eq(alpha[QDI_INK_BODY], 21);
        ck_assert_uint_eq(alpha[qdi_ink_of_hue(3)], 255);
        ck_assert_uint_eq(alpha[QDI_INK_NODE], 255);
        ck_assert(!qdi_palette_clear(rgb, QDI_INK_COUNT - 1, clear, alpha));
        palette.rgb[QDI_INK_BODY + 2][1] ^= 1;
        ck_assert(!qdi_palette_clear(rgb, QDI_INK_COUNT, clear, alpha));
    }
}

QD_TEST(nodes_fade_with_depth) {
    qdi_palette palette = palette_of(QD_VIEW_CONTACT);
    for (int depth = 1; depth < QDI_NODE_COLOURS; ++depth) {
        ck_assert_double_lt(luminance(palette.rgb[QDI_INK_NODE + depth]),
                            luminance(palette.rgb[QDI_INK_NODE + depth - 1]));
    }
    ck_assert_double_gt(
        contrast(palette.rgb[QDI_INK_NODE + QDI_NODE_COLOURS - 1], palette.rgb[QDI_INK_BACKGROUND]), 1.1);
}

QD_TEST(hues_of_values) {
    ck_assert_uint_eq(qdi_hue_of_value(0.0, 0.0, 3.0), 0);
    ck_assert_uint_eq(qdi_hue_of_value(0.199, 0.0, 3.0), 0);
    ck_assert_uint_eq(qdi_hue_of_value(0.201, 0.0, 3.0), 1);
    ck_assert_uint_eq(qdi_hue_of_value(3.0, 0.0, 3.0), QDI_MAP_HUES - 1);
    ck_assert_uint_eq(qdi_hue_of_value(1e300, 0.0, 1e-300), QDI_MAP_HUES - 1);
    ck_assert_uint_eq(qdi_hue_of_value(-5.0, -4.0, 4.0), 0);
    ck_assert_uint_eq(qdi_hue_of_value(0.0, -4.0, 4.0), QDI_MAP_HUES / 2);
    ck_assert_uint_eq(qdi_ink_of_hue(QDI_HUES - 1), QDI_INK_NODE - 1);
    ck_assert_int_le(QDI_INK_COUNT, 256);
}

QD_TEST_MAIN("palette", 0, NULL, NULL)
