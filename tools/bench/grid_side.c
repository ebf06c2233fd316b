#include "tools/bench/grid_side.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// Nanoseconds, measured; only their ratios matter.
static const double NS_PER_CELL = 1.0, NS_PER_RUN = 1.5, NS_PER_TEST = 2.2;

/// Bench's grid: cells of this side over the world; false where there would be too many.
static bool make_cells(const qdi_bench_bodies *bodies, double side, qdi_bench_cells *cells) {
    double inverse = 1.0 / side, across = floor(bodies->side * inverse) + 1.0;
    double count = (across + 1.0) * (across + 2.0) + 2.0;
    if (count > 8.0 * (double)bodies->count + 4096.0) return false;
    *cells = (qdi_bench_cells){.5 * bodies->side, inverse, (uint32_t)across + 2, (size_t)count};
    return true;
}

// Bench's grid: counts the bodies in each cell, to choose the side of cells.
static void count_cell_bodies(const qdi_bench_bodies *bodies, const qdi_bench_cells *cells,
                              uint32_t *counts) {
    memset(counts, 0, cells->count * sizeof *counts);
    for (size_t i = 0; i < bodies->count; ++i)
        counts[qdi_bench_cell_of(bodies->x[i], bodies->y[i], cells->half, cells->inverse, cells->stride)] +=
            1;
}

/// Bench's grid: of a run of boxes that are tested four at a time.
static double run_cost(double boxes) {
    return boxes > 0 ? NS_PER_RUN + NS_PER_TEST * (boxes + 3.0) / 4.0 : 0;
}

/// Bench's grid: what a step costs with these cells.
static double cost_of(const qdi_bench_cells *cells, const uint32_t *counts) {
    double cost = NS_PER_CELL * (double)cells->count;
    for (size_t c = 1; c + cells->stride + 1 < cells->count; ++c) {
        if (counts[c] == 0) continue;
        const uint32_t *above = counts + c + cells->stride;
        double mine = counts[c];
        cost += mine * run_cost(.5 * (mine - 1.0) + counts[c + 1]);
        cost += mine * run_cost((double)above[-1] + above[0] + above[1]);
    }
    return cost;
}

qd_status qdi_bench_cells_choose(const qdi_bench_bodies *bodies, const qd_allocator *allocator,
                                 qdi_bench_cells *cells) {
    // A box is a little longer than its body, by float32's steps at the world's edge.
    double side = 2.0 * bodies->largest + 1e-6 * (.5 * bodies->side + bodies->largest);
    while (!make_cells(bodies, side, cells)) side *= 1.25;
    uint32_t *counts = qdi_allocate(allocator, cells->count, sizeof *counts);
    if (!counts) return QD_ERR_MEMORY;
    size_t room = cells->count;
    double least = HUGE_VAL;
    for (int rung = 0; rung < 16; ++rung, side *= 1.25) {
        qdi_bench_cells tried;
        if (!make_cells(bodies, side, &tried)) continue;
        count_cell_bodies(bodies, &tried, counts);
        double cost = cost_of(&tried, counts);
        if (cost < least) {
            least = cost;
            *cells = tried;
        }
        if (cost > 2.0 * least) break;
    }
    qdi_release(allocator, counts, room, sizeof *counts);
    return QD_OK;
}
