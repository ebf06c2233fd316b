#pragma once

#include <quadrille/view.h>
#include <stdbool.h>
#include <stdint.h>

/// The colours of a picture, one byte per pixel. Coverage is part of the palette: each hue has a ramp of
/// levels from the background to the full colour, so that an edge blends without a true-colour buffer.

/// Colour steps of bodies, and coverage levels of each (level 0 is the background).
#define QDI_HUES   16
#define QDI_LEVELS 12

/// The last hue is that of static bodies, whatever colours tell, and of those that are dim beside the ones of
/// a query; those before it lie along the map, or are the categories.
#define QDI_HUE_STATIC (QDI_HUES - 1)
#define QDI_MAP_HUES   (QDI_HUES - 1)
#define QDI_CATEGORIES 7

/// With QD_VIEW_REFILED hues go from 0, faded, to this one.
#define QDI_HUE_LIT (QDI_HUE_STATIC - 1)

/// Colours of node outlines; deeper nodes share the last one, and so do full ones.
#define QDI_NODE_COLOURS 12

/// Levels of the ramps of contact marks.
#define QDI_MARK_LEVELS 6

/// Levels of the text's ramps.
#define QDI_TEXT_LEVELS 12

/// What each palette index is for.
typedef enum qdi_ink {
    QDI_INK_BACKGROUND = 0,
    QDI_INK_BODY = 1, ///< + hue * QDI_LEVELS + level - 1
    QDI_INK_NODE = QDI_INK_BODY + QDI_HUES * QDI_LEVELS,
    QDI_INK_WALL = QDI_INK_NODE + QDI_NODE_COLOURS,
    QDI_INK_BORDER, ///< where the world ends without a wall
    QDI_INK_MARK,   ///< contacts: + level - 1, blended to the background
    QDI_INK_MARK_ON_BODY = QDI_INK_MARK + QDI_MARK_LEVELS, ///< + level - 1, blended to a touching body
    QDI_INK_BAND = QDI_INK_MARK_ON_BODY + QDI_MARK_LEVELS, ///< ground under the text
    QDI_INK_LABEL,                                         ///< + level - 1, blended to the band
    QDI_INK_VALUE = QDI_INK_LABEL + QDI_TEXT_LEVELS,       ///< + level - 1
    QDI_INK_SPLIT = QDI_INK_VALUE + QDI_TEXT_LEVELS,       ///< node that was split
    QDI_INK_MERGED,                                        ///< node that was merged
    QDI_INK_VISITED,                                       ///< node that a retrieve visited
    QDI_INK_CANDIDATE,                                     ///< box that it found
    QDI_INK_HIT,                                           ///< box of a body that is touched, too
    QDI_INK_ASKED,                                         ///< box that it searched for
    QDI_INK_COUNT,
} qdi_ink;

/// Hues with QD_VIEW_CONTACT.
#define QDI_HUE_REST     0
#define QDI_HUE_TOUCHING 1

typedef struct qdi_palette {
    uint8_t rgb[QDI_INK_COUNT][3];
} qdi_palette;

/// The palette of a view: of what it colours by, its map, its theme and how it draws nodes. Safe for
/// colour-blind readers: along a map lightness rises or falls evenly, and categories are Okabe's and Ito's.
qdi_palette qdi_palette_make(const qd_view *view);

/// A palette of qdi_palette_make without its background: what was blended to that gets its full colour, and
/// an alpha (0..255) in its stead. False where it is no such palette; then nothing of use is written.
bool qdi_palette_clear(const uint8_t (*from)[3], int colours, uint8_t (*clear)[3], uint8_t *alpha);

/// Ink of a body's hue at full coverage.
static inline uint8_t qdi_ink_of_hue(unsigned hue) {
    return (uint8_t)((unsigned)QDI_INK_BODY + hue * QDI_LEVELS + QDI_LEVELS - 1U);
}

/// Palette: which of `steps` even steps from `low` to `high` a value is in, the first and the last one being
/// open.
static inline unsigned qdi_step_of_value(double value, double low, double high, int steps) {
    double step = (value - low) / (high - low) * steps;
    if (!(step > 0)) return 0;
    return step < steps - 1 ? (unsigned)step : (unsigned)steps - 1U;
}

/// Palette: the hue of a value along the map.
static inline unsigned qdi_hue_of_value(double value, double low, double high) {
    return qdi_step_of_value(value, low, high, QDI_MAP_HUES);
}

/// The inks of a view's field: hues that no body has, or, where bodies lie along the map too, the same. Below
/// bodies they are as pale as an edge that covers half a pixel.
typedef struct qdi_field_inks {
    int first, steps; ///< hues
    int level;
} qdi_field_inks;

qdi_field_inks qdi_field_inks_of(const qd_view *view);

/// Ink of a step of the field's colours.
static inline uint8_t qdi_ink_of_field(qdi_field_inks inks, unsigned step) {
    return (uint8_t)((unsigned)qdi_ink_of_hue((unsigned)inks.first + step) -
                     (unsigned)(QDI_LEVELS - inks.level));
}
