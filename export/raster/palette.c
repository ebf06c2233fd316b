#include "export/raster/palette.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct rgb {
    uint8_t channel[3];
} rgb;

// What lies on a ground, dark or light.
typedef struct theme {
    rgb background, band, label, value, wall, border, contact;
    rgb rest, touching, plain, fixed;
    rgb node_shallow, node_deep, full;
    rgb split, merged, visited, candidate, hit, asked;
} theme;

#define RGB(red, green, blue)                                                                                \
    {                                                                                                        \
        { red, green, blue }                                                                                 \
    }

static const theme dark = {.background = RGB(13, 17, 23),
                           .band = RGB(22, 27, 34),
                           .label = RGB(139, 148, 158),
                           .value = RGB(230, 237, 243),
                           .wall = RGB(125, 136, 150),
                           .border = RGB(66, 75, 88),
                           .contact = RGB(255, 255, 255),
                           .rest = RGB(66, 104, 160),
                           .touching = RGB(255, 176, 0),
                           .plain = RGB(110, 150, 190),
                           .fixed = RGB(104, 112, 122),
                           .node_shallow = RGB(76, 100, 108),
                           .node_deep = RGB(30, 31, 54),
                           .full = RGB(230, 150, 60),
                           .split = RGB(255, 120, 60),
                           .merged = RGB(90, 200, 255),
                           .visited = RGB(204, 121, 167),
                           .candidate = RGB(86, 180, 233),
                           .hit = RGB(110, 240, 160),
                           .asked = RGB(255, 255, 255)};

static const theme light = {.background = RGB(252, 252, 250),
                            .band = RGB(238, 240, 242),
                            .label = RGB(88, 96, 106),
                            .value = RGB(20, 24, 30),
                            .wall = RGB(84, 92, 102),
                            .border = RGB(170, 178, 188),
                            .contact = RGB(0, 0, 0),
                            .rest = RGB(120, 160, 215),
                            .touching = RGB(190, 70, 0),
                            .plain = RGB(80, 125, 175),
                            .fixed = RGB(128, 134, 142),
                            .node_shallow = RGB(140, 158, 168),
                            .node_deep = RGB(218, 222, 234),
                            .full = RGB(200, 90, 0),
                            .split = RGB(215, 60, 0),
                            .merged = RGB(0, 110, 190),
                            .visited = RGB(204, 121, 167),
                            .candidate = RGB(0, 114, 178),
                            .hit = RGB(0, 130, 90),
                            .asked = RGB(0, 0, 0)};

// Maps at 0, 0.1, ... 1: viridis and magma (S. van der Walt, N. Smith, E. Firing) as published with
// matplotlib, public domain (CC0); cividis (J. Nunez, C. Anderton, R. Renslow, PLoS ONE 13, 2018, e0199239),
// CC0 likewise.
enum { MAP_STEPS = 10 };
static const rgb maps[][MAP_STEPS + 1] = {
    {RGB(68, 1, 84), RGB(72, 36, 117), RGB(65, 68, 135), RGB(53, 95, 141), RGB(42, 120, 142),
     RGB(33, 145, 140), RGB(34, 168, 132), RGB(68, 191, 112), RGB(122, 209, 81), RGB(189, 223, 38),
     RGB(253, 231, 37)},
    {RGB(0, 0, 4), RGB(20, 14, 54), RGB(59, 15, 112), RGB(100, 26, 128), RGB(140, 41, 129), RGB(182, 54, 121),
     RGB(222, 73, 104), RGB(247, 111, 92), RGB(254, 159, 109), RGB(254, 206, 145), RGB(252, 253, 191)},
    {RGB(0, 34, 78), RGB(8, 51, 112), RGB(53, 69, 108), RGB(79, 87, 108), RGB(103, 106, 113),
     RGB(124, 123, 120), RGB(147, 142, 120), RGB(173, 162, 114), RGB(199, 183, 103), RGB(226, 205, 84),
     RGB(254, 232, 56)},
};

// The part of each map that stands out from the ground, in tenths: from the first number on a dark one, up to
// the second on a light one.
static const int map_parts[][2] = {{2, 8}, {4, 7}, {2, 7}};

// Okabe and Ito's colours without black (M. Okabe, K. Ito, Color Universal Design, 2008).
static const rgb categories[QDI_CATEGORIES] = {RGB(230, 159, 0),  RGB(86, 180, 233), RGB(0, 158, 115),
                                               RGB(240, 228, 66), RGB(0, 114, 178),  RGB(213, 94, 0),
                                               RGB(204, 121, 167)};

// Palette: a level between two, rounded: from + (to - from) * part / whole.
static rgb blend_levels(rgb from, rgb to, int part, int whole) {
    rgb out;
    for (int c = 0; c < 3; ++c) {
        int sum = from.channel[c] * (whole - part) + to.channel[c] * part;
        out.channel[c] = (uint8_t)((2 * sum + whole) / (2 * whole));
    }
    return out;
}

// Sets the colour of an ink.
static void set_ink(qdi_palette *palette, int ink, rgb colour) {
    memcpy(palette->rgb[ink], colour.channel, sizeof colour.channel);
}

// Palette: the inks of the field that a view shows.
qdi_field_inks qdi_field_inks_of(const qd_view *view) {
    const bool hidden = view->colour == QD_VIEW_HIDDEN;
    const int level = hidden ? QDI_LEVELS : QDI_LEVELS / 2;
    if (hidden || qd_view_is_continuous(view->colour)) return (qdi_field_inks){0, QDI_MAP_HUES, level};
    // Bodies have the categories, and one more where a body may have none.
    const int first = view->colour == QD_VIEW_CONTACT || view->colour == QD_VIEW_PLAIN ? 2
                                                                                       : QDI_CATEGORIES + 1;
    return (qdi_field_inks){first, QDI_MAP_HUES - first, level};
}

// Palette: the colour of a step along the view's colour map.
static rgb map_colour(const qd_view *view, int hue, int steps) {
    const rgb *map = maps[view->map];
    bool on_light = view->theme == QD_VIEW_LIGHT;
    int low = on_light ? 0 : map_parts[view->map][0], high = on_light ? map_parts[view->map][1] : MAP_STEPS;
    if (on_light) hue = steps - 1 - hue; // what is high is dark there
    int place = hue * (high - low), last = steps - 1;
    int first = low + place / last;
    if (first == high) return map[high];
    return blend_levels(map[first], map[first + 1], place % last, last);
}

// Palette: the colour of a hue, by what the view's colours show.
static rgb hue_colour(const qd_view *view, const theme *ground, int hue) {
    // Where a query's bodies are lit, all others are dim.
    if (hue == QDI_HUE_STATIC)
        return isnan(view->query.x) ? ground->fixed : blend_levels(ground->background, ground->fixed, 2, 5);
    if (qd_view_is_continuous(view->colour)) return map_colour(view, hue, QDI_MAP_HUES);
    const qdi_field_inks inks = qdi_field_inks_of(view);
    if (view->field != QD_VIEW_FIELD_NONE && hue >= inks.first)
        return map_colour(view, hue - inks.first, inks.steps);
    if (view->colour == QD_VIEW_CONTACT) return hue == QDI_HUE_TOUCHING ? ground->touching : ground->rest;
    if (view->colour == QD_VIEW_REFILED)
        return blend_levels(blend_levels(ground->background, ground->rest, 2, 3), ground->touching, hue,
                            QDI_HUE_LIT);
    bool nobody = view->colour == QD_VIEW_THREAD && hue == QDI_CATEGORIES;
    return nobody || view->colour == QD_VIEW_PLAIN ? ground->plain : categories[hue % QDI_CATEGORIES];
}

// Sets the inks of the tree's nodes.
static void set_node_inks(qdi_palette *palette, const qd_view *view, const theme *ground) {
    bool by_depth = view->nodes != QD_VIEW_NODES_OCCUPANCY;
    rgb from = by_depth ? ground->node_shallow : ground->node_deep,
        to = by_depth ? ground->node_deep : ground->full;
    for (int i = 0; i < QDI_NODE_COLOURS; ++i)
        set_ink(palette, QDI_INK_NODE + i, blend_levels(from, to, i, QDI_NODE_COLOURS - 1));
    set_ink(palette, QDI_INK_SPLIT, ground->split);
    set_ink(palette, QDI_INK_MERGED, ground->merged);
    set_ink(palette, QDI_INK_VISITED, ground->visited);
    set_ink(palette, QDI_INK_CANDIDATE, ground->candidate);
    set_ink(palette, QDI_INK_HIT, ground->hit);
    set_ink(palette, QDI_INK_ASKED, ground->asked);
}

qdi_palette qdi_palette_make(const qd_view *view) {
    qdi_palette palette;
    const theme *ground = view->theme == QD_VIEW_LIGHT ? &light : &dark;
    set_ink(&palette, QDI_INK_BACKGROUND, ground->background);
    for (int hue = 0; hue < QDI_HUES; ++hue) {
        for (int level = 1; level <= QDI_LEVELS; ++level) {
            int ink = QDI_INK_BODY + hue * QDI_LEVELS + level - 1;
            set_ink(&palette, ink,
                    blend_levels(ground->background, hue_colour(view, ground, hue), level, QDI_LEVELS));
        }
    }
    set_node_inks(&palette, view, ground);
    set_ink(&palette, QDI_INK_WALL, ground->wall);
    set_ink(&palette, QDI_INK_BORDER, ground->border);
    // Below a mark lie touching bodies; where hues tell something else, one of them stands for all.
    rgb below = hue_colour(view, ground, view->colour == QD_VIEW_CONTACT ? QDI_HUE_TOUCHING : QDI_HUES / 3);
    for (int level = 1; level <= QDI_MARK_LEVELS; ++level) {
        set_ink(&palette, QDI_INK_MARK + level - 1,
                blend_levels(ground->background, ground->contact, level, QDI_MARK_LEVELS));
        set_ink(&palette, QDI_INK_MARK_ON_BODY + level - 1,
                blend_levels(below, ground->contact, level, QDI_MARK_LEVELS));
    }
    set_ink(&palette, QDI_INK_BAND, ground->band);
    for (int level = 1; level <= QDI_TEXT_LEVELS; ++level) {
        set_ink(&palette, QDI_INK_LABEL + level - 1,
                blend_levels(ground->band, ground->label, level, QDI_TEXT_LEVELS));
        set_ink(&palette, QDI_INK_VALUE + level - 1,
                blend_levels(ground->band, ground->value, level, QDI_TEXT_LEVELS));
    }
    return palette;
}

// Takes the background out of levels of a colour that begin at an ink; false where they are not blended to
// it.
static bool clear_levels(const uint8_t (*from)[3], int first, int levels, uint8_t (*clear)[3],
                         uint8_t *alpha) {
    rgb background, full;
    memcpy(background.channel, from[QDI_INK_BACKGROUND], sizeof background.channel);
    memcpy(full.channel, from[first + levels - 1], sizeof full.channel);
    for (int level = 1; level <= levels; ++level) {
        const rgb blended = blend_levels(background, full, level, levels);
        const int ink = first + level - 1;
        if (memcmp(blended.channel, from[ink], sizeof blended.channel) != 0) return false;
        memcpy(clear[ink], full.channel, sizeof full.channel);
        alpha[ink] = (uint8_t)((255 * level + levels / 2) / levels);
    }
    return true;
}

// Takes the background out of a palette.
bool qdi_palette_clear(const uint8_t (*from)[3], int colours, uint8_t (*clear)[3], uint8_t *alpha) {
    if (colours != QDI_INK_COUNT) return false;
    memcpy(clear, from, sizeof *from * QDI_INK_COUNT);
    memset(alpha, 255, QDI_INK_COUNT);
    alpha[QDI_INK_BACKGROUND] = 0;
    for (int hue = 0; hue < QDI_HUES; ++hue)
        if (!clear_levels(from, QDI_INK_BODY + hue * QDI_LEVELS, QDI_LEVELS, clear, alpha)) return false;
    return clear_levels(from, QDI_INK_MARK, QDI_MARK_LEVELS, clear, alpha);
}
