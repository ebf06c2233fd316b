#pragma once

#include "tools/bench/output.h"
#include "tools/bench/scenes.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How long frames of a world take, move by move: the copy of what a picture needs, which holds up the
/// simulation, the drawing and the encoding, which a thread of its own can do. Nothing is written to disk.
/// The styles before QDI_FRAMES_TRAILS are drawn in turns of a world that stands still; then trails are, of
/// the same bodies, which fly and bounce from frame to frame.

/// A set of frames. `tick` is asked after each frame; false stops.
typedef struct qdi_frames_plan {
    const qdi_bench_scene *scene;
    size_t bodies;
    int width, height;         ///< pixels
    int threads;               ///< of the world's team, which copies
    const struct qdi_pin *pin; ///< of these; NULL: they are not bound
    size_t frames;             ///< measured, after one that is dropped
    uint64_t seed;
    const char *lammps; ///< a folder where LAMMPS may draw the same disks; NULL: not asked
    bool (*tick)(void *context);
    void *context;
} qdi_frames_plan;

/// Ways to draw that are measured.
typedef enum qdi_frames_style {
    QDI_FRAMES_BODIES, ///< bodies and walls by speed
    QDI_FRAMES_FULL,   ///< bodies by contact, nodes, contacts and text
    QDI_FRAMES_TRAILS, ///< as QDI_FRAMES_BODIES, and the way of each body at the last frames
    QDI_FRAMES_STYLES,
    QDI_FRAMES_LAMMPS = QDI_FRAMES_STYLES ///< LAMMPS's `dump image`
} qdi_frames_style;

/// "bodies", "full", "trails" or "lammps".
const char *qdi_frames_style_name(qdi_frames_style style);

/// Frames that the trails of so many bodies go back: 100, or as many as a run may keep of them. 0: none, and
/// so there is no style QDI_FRAMES_TRAILS.
size_t qdi_frames_trails(size_t bodies);

/// How many styles are measured with so many bodies: the first ones.
int qdi_frames_style_count(size_t bodies);

/// What was measured: medians, in milliseconds.
typedef struct qdi_frames_row {
    qdi_frames_style style;
    size_t bodies;
    size_t trails;               ///< frames that trails go back; 0: there are none
    double copy, draw, encode;   ///< not known of LAMMPS
    double whole, least, spread; ///< all three together: median, minimum, interquartile range over median
    double cpu;                  ///< time of all processors together, for all three: mean
    size_t bytes;                ///< of the PNG
    uint64_t pixels;             ///< hash
} qdi_frames_row;

/// Measures qdi_frames_style_count styles, which are as many rows; `stopped` where tick said so, the rows are
/// nothing then. Errors: QD_ERR_MEMORY, QD_ERR_INTERNAL.
QD_MUST_USE qd_status qdi_frames_run(const qdi_frames_plan *plan, qdi_frames_row rows[QDI_FRAMES_STYLES],
                                     bool *stopped);

/// Times LAMMPS's `dump image` on the same disks at the same size: `plan->frames` pictures, whole and cpu are
/// their means. The program `lmp` must be there; its files are removed from the folder again. Errors:
/// QD_ERR_IO, QD_ERR_MEMORY, QD_ERR_CORRUPT (it did not say how long it took); the reason in `error`.
QD_MUST_USE qd_status qdi_frames_lammps(const qdi_frames_plan *plan, qdi_frames_row *row, qd_error *error);

/// Rows of several numbers of bodies.
typedef struct qdi_frames_report {
    qdi_frames_plan plan;
    const qdi_frames_row *rows;
    size_t count;
} qdi_frames_report;

qdi_bench_results qdi_frames_results_of(const qdi_frames_report *report);
