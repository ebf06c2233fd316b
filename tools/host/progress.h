#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How far a run is: a bar that redraws itself on a terminal, a plain line every few seconds in a log.
typedef enum qdi_progress_style {
    QDI_PROGRESS_NONE,
    QDI_PROGRESS_LINES,
    QDI_PROGRESS_BAR,
} qdi_progress_style;

typedef struct qdi_progress {
    qdi_progress_style style;
    bool colour;
    uint64_t first;    ///< the step that was there at the start
    uint64_t total;    ///< steps
    uint64_t start_ns; ///< when that step was there
    uint64_t shown_ns; ///< when something was shown last
    bool drawn;        ///< a bar is on the screen
} qdi_progress;

/// Starts at step `first`, now.
qdi_progress qdi_progress_start(qdi_progress_style style, bool colour, uint64_t first, uint64_t total_steps);

/// To be called after every step; shows something when it is time to.
void qdi_progress_step(qdi_progress *progress, uint64_t done);

/// Takes the bar off the screen, so that something else can be said. Call it before any other output.
void qdi_progress_end(qdi_progress *progress);

/// The words of a moment, `done` steps having taken so many seconds: "step 270 of 600 (45 %), 1234 steps/s,
/// 0:12 left".
void qdi_progress_words(char *text, size_t bytes, uint64_t done, uint64_t total, double seconds);

/// The bar of a moment, at most `width` columns and without a line break; words alone where there is no room
/// for a bar.
void qdi_progress_bar(char *text, size_t bytes, uint64_t done, uint64_t total, double seconds, int width,
                      bool colour);
