#ifndef QD_EXPORT_PALETTE_H
#define QD_EXPORT_PALETTE_H

#include <quadrille/view.h>
#include <stdint.h>

/// The colours of a picture, one byte per pixel. Coverage is part of the palette: each hue has a ramp of
/// levels from the background to the full colour, so that an edge blends without a true-colour buffer.

/// Colour steps of bodies, and coverage levels of each (level 0 is the background).
#define QDI_HUES   16
#define QDI_LEVELS 12

/// Colours of node outlines; deeper nodes share the last one.
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
    QDI_INK_COUNT = QDI_INK_VALUE + QDI_TEXT_LEVELS,
} qdi_ink;

/// Hues with QD_VIEW_CONTACT.
#define QDI_HUE_REST     0
#define QDI_HUE_TOUCHING 1

typedef struct qdi_palette {
    uint8_t rgb[QDI_INK_COUNT][3];
} qdi_palette;

/// The palette for a way of colouring bodies. Safe for colour-blind readers: hues differ in lightness.
qdi_palette qdi_palette_make(qd_view_colour mode);

/// Ink of a body's hue at full coverage.
static inline uint8_t qdi_ink_of_hue(unsigned hue) {
    return (uint8_t)((unsigned)QDI_INK_BODY + hue * QDI_LEVELS + QDI_LEVELS - 1U);
}

/// The hue of a speed: even steps from 0 to `top`, the last one open.
static inline unsigned qdi_hue_of_speed(double speed, double top) {
    double step = speed / top * QDI_HUES;
    return step < QDI_HUES - 1 ? (unsigned)step : QDI_HUES - 1U;
}

#endif
