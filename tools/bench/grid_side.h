#pragma once

#include "tools/bench/method.h"

#include <quadrille/alloc.h>

/// The cells of a uniform grid over the bench's world. Cells are numbered along rows; each row has an empty
/// cell before and after it, and an empty row lies on top, so that no neighbour needs a test for the border.
typedef struct qdi_bench_cells {
    double half, inverse; ///< of the world's side; of a cell's side
    uint32_t stride;      ///< cells of a row
    size_t count;         ///< of all cells, with room for the two that are read past the last
} qdi_bench_cells;

/// The cell of a place in the world.
static inline uint32_t qdi_bench_cell_of(double x, double y, double half, double inverse, uint32_t stride) {
    return (uint32_t)(int32_t)((y + half) * inverse) * stride + (uint32_t)(int32_t)((x + half) * inverse) + 1;
}

/// Chooses the side that costs least for these bodies, at least that of the largest box: small cells mean few
/// tests, large ones little to clear and to sum up. The cost of a few sides is worked out from how many
/// bodies each cell would hold. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_bench_cells_choose(const qdi_bench_bodies *bodies, const qd_allocator *allocator,
                                             qdi_bench_cells *cells);
