#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/world/tally.h"

/// Sums by cell that do not depend on the order (sim/world/tally.h), so each thread adds to cells of its own
/// what it comes across, and nothing is sorted: a first pass over the items sees how large their terms are, a
/// second one adds them up.

/// Numbers that are added up side by side: lanes of so many tallies.
enum { QDI_CELL_TALLIES = 2, QDI_CELL_LANES = QDI_CELL_TALLIES * QDI_TALLY_LANES };

typedef struct qdi_cell_sums {
    const qd_allocator *allocator;
    qdi_tally (*tallies)[QDI_CELL_TALLIES]; ///< the cells of each worker, one worker's after the other's
    size_t room, cells, workers;
    qdi_tally_cut cut[QDI_CELL_TALLIES];
} qdi_cell_sums;

/// What a range of items shows in the first pass.
typedef struct qdi_cell_most {
    qdi_tally_most most[QDI_CELL_TALLIES];
    size_t terms; ///< how many terms come of them, at most
} qdi_cell_most;

/// Notes how large a term is.
static inline void qdi_cell_see(qdi_cell_most *most, const double lanes[QDI_CELL_LANES]) {
    for (int t = 0; t < QDI_CELL_TALLIES; ++t) qdi_tally_see(&most->most[t], lanes + t * QDI_TALLY_LANES);
}

/// Begins the second pass: sums of nothing in `cells` cells of each worker. `most` is what `ranges` ranges of
/// items showed. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_cell_sums_begin(qdi_cell_sums *sums, qd_team *team, size_t cells,
                                          const qdi_cell_most *most, size_t ranges);

/// Adds a term to a cell. One that is not below the number of cells counts nowhere.
static inline void qdi_cell_sums_add(const qdi_cell_sums *sums, int worker, uint64_t cell,
                                     const double lanes[QDI_CELL_LANES]) {
    if (cell >= sums->cells) return;
    qdi_tally *to = sums->tallies[(size_t)worker * sums->cells + cell];
    for (int t = 0; t < QDI_CELL_TALLIES; ++t)
        qdi_tally_add(&to[t], &sums->cut[t], lanes + t * QDI_TALLY_LANES);
}

/// Puts the sums of all workers into `cells` times QDI_CELL_LANES numbers.
void qdi_cell_sums_end(const qdi_cell_sums *sums, qd_team *team, double *into);

/// Frees what the sums hold.
void qdi_cell_sums_release(qdi_cell_sums *sums);
