#pragma once

#include <stddef.h>
#include <stdint.h>

/// The lines that the trails of some bodies are made of, as they grow back in time: a line stands for pieces
/// of a trail that follow each other. It goes along the axis that its first piece goes along. Of each number
/// there is one for every body, side by side, so that compilers make vector code of the loops.

/// Bodies whose lines grow together.
enum { QDI_TRAIL_LINES = 64 };

/// How far from a place a line that stands for it may be, in pixels, and how much of a level it may be off
/// there: nothing that is seen.
#define QDI_LINE_FAR 0.1F
#define QDI_LINE_OFF 0.5F

/// How many levels a line of several pieces may fade in a pixel: what is drawn has a limit.
#define QDI_LINE_FADE 0.75F

typedef struct qdi_trail_lines {
    double at_x[QDI_TRAIL_LINES], at_y[QDI_TRAIL_LINES];          ///< places in the world, across its periods
    double next_x[QDI_TRAIL_LINES], next_y[QDI_TRAIL_LINES];      ///< the same in pixels
    double from_x[QDI_TRAIL_LINES], from_y[QDI_TRAIL_LINES];      ///< where lines begin, in pixels
    double was_x[QDI_TRAIL_LINES], was_y[QDI_TRAIL_LINES];        ///< where they began before the last step
    float from_level[QDI_TRAIL_LINES], to_level[QDI_TRAIL_LINES]; ///< at both ends
    float was_level[QDI_TRAIL_LINES];                             ///< where they began before the last step
    float axis_x[QDI_TRAIL_LINES], axis_y[QDI_TRAIL_LINES];       ///< one of them is 1 or -1, the other 0
    float far[QDI_TRAIL_LINES];                                   ///< how far pieces came along that
    /// How much lines past all places go aside, and that to the other side, and fade, and grow, at most.
    float most[4][QDI_TRAIL_LINES];
    int32_t begun[QDI_TRAIL_LINES]; ///< -1: the line has a piece
} qdi_trail_lines;

/// Where trails go on to: the next place of each.
typedef struct qdi_trail_step {
    const double *newer_x, *newer_y, *older_x, *older_y; ///< the present places, and the next ones
    const float *level;                                  ///< at these
    const int32_t *places; ///< how many there are; a trail's line ends with the step after the last
    int32_t number;        ///< of the next one, from 1 on
    double period_x, period_y, near_x,
        near_y; ///< of the world, 0 for none; and what is surely no way to an image
    double origin_x, origin_y, scale, base_x, base_y; ///< of the camera
} qdi_trail_step;

/// Goes to the next places. Lines that cannot go on there end where they are, and others begin there. A bit
/// for each that ended, from where it was to where the present one begins. For each set of instructions,
/// which change nothing.
uint64_t qdi_trail_lines_go_portable(qdi_trail_lines *lines, const qdi_trail_step *step);
uint64_t qdi_trail_lines_go_avx2(qdi_trail_lines *lines, const qdi_trail_step *step);
