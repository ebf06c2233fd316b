#include "export/palette.h"

#include <stddef.h>
#include <string.h>

typedef struct rgb {
    uint8_t channel[3];
} rgb;

static const rgb background = {{13, 17, 23}};
static const rgb band = {{22, 27, 34}};
static const rgb label = {{139, 148, 158}};
static const rgb value = {{230, 237, 243}};
static const rgb wall = {{125, 136, 150}};
static const rgb border = {{66, 75, 88}};
static const rgb contact = {{255, 255, 255}};
static const rgb rest = {{66, 104, 160}};
static const rgb touching = {{255, 176, 0}};
static const rgb node_shallow = {{76, 100, 108}};
static const rgb node_deep = {{30, 31, 54}};

// The map viridis (S. van der Walt, N. Smith, E. Firing; public domain) at 0.2, 0.3, ... 1.0. Its darkest
// fifth is left out: it would not stand out from the background.
static const rgb speed_map[] = {
    {{65, 68, 135}},  {{53, 95, 141}},  {{42, 120, 142}}, {{33, 145, 140}}, {{34, 168, 132}},
    {{68, 191, 112}}, {{122, 209, 81}}, {{189, 223, 38}}, {{253, 231, 37}},
};

// from + (to - from) * part / whole, rounded.
static rgb blend(rgb from, rgb to, int part, int whole) {
    rgb out;
    for (int c = 0; c < 3; ++c) {
        int sum = from.channel[c] * (whole - part) + to.channel[c] * part;
        out.channel[c] = (uint8_t)((2 * sum + whole) / (2 * whole));
    }
    return out;
}

static void set(qdi_palette *palette, int ink, rgb colour) {
    memcpy(palette->rgb[ink], colour.channel, sizeof colour.channel);
}

static rgb hue_colour(qd_view_colour mode, int hue) {
    if (mode == QD_VIEW_CONTACT) return hue == QDI_HUE_TOUCHING ? touching : rest;
    const int steps = (int)(sizeof speed_map / sizeof speed_map[0]) - 1;
    int place = hue * steps;
    int first = place / (QDI_HUES - 1);
    if (first == steps) return speed_map[steps];
    return blend(speed_map[first], speed_map[first + 1], place % (QDI_HUES - 1), QDI_HUES - 1);
}

qdi_palette qdi_palette_make(qd_view_colour mode) {
    qdi_palette palette;
    set(&palette, QDI_INK_BACKGROUND, background);
    for (int hue = 0; hue < QDI_HUES; ++hue) {
        for (int level = 1; level <= QDI_LEVELS; ++level) {
            int ink = QDI_INK_BODY + hue * QDI_LEVELS + level - 1;
            set(&palette, ink, blend(background, hue_colour(mode, hue), level, QDI_LEVELS));
        }
    }
    for (int depth = 0; depth < QDI_NODE_COLOURS; ++depth) {
        set(&palette, QDI_INK_NODE + depth, blend(node_shallow, node_deep, depth, QDI_NODE_COLOURS - 1));
    }
    set(&palette, QDI_INK_WALL, wall);
    set(&palette, QDI_INK_BORDER, border);
    // Below a mark lie touching bodies; where hues tell speed, one of them stands for all.
    rgb below = hue_colour(mode, mode == QD_VIEW_CONTACT ? QDI_HUE_TOUCHING : QDI_HUES / 3);
    for (int level = 1; level <= QDI_MARK_LEVELS; ++level) {
        set(&palette, QDI_INK_MARK + level - 1, blend(background, contact, level, QDI_MARK_LEVELS));
        set(&palette, QDI_INK_MARK_ON_BODY + level - 1, blend(below, contact, level, QDI_MARK_LEVELS));
    }
    set(&palette, QDI_INK_BAND, band);
    for (int level = 1; level <= QDI_TEXT_LEVELS; ++level) {
        set(&palette, QDI_INK_LABEL + level - 1, blend(band, label, level, QDI_TEXT_LEVELS));
        set(&palette, QDI_INK_VALUE + level - 1, blend(band, value, level, QDI_TEXT_LEVELS));
    }
    return palette;
}
