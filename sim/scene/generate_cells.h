#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Disks that have been placed, to be asked whether a further one is free of them. One uniform grid for each
/// octave of sizes, so that small disks do not crowd the cells of large ones; memory is about 8 bytes per
/// disk.

#define QDI_CELL_LEVELS 32

/// One axis of the space that is placed in.
typedef struct qdi_cell_axis {
    double low, length;
    bool periodic;
} qdi_cell_axis;

/// The grid of the disks with radii in (largest / 2, largest].
typedef struct qdi_cell_level {
    double largest;
    size_t expected, placed;
    size_t columns, rows;
    uint32_t *head; ///< of each cell: number of a disk + 1; 0: none
} qdi_cell_level;

typedef struct qdi_cells {
    const qd_allocator *allocator;
    qdi_cell_axis axis[2];
    const double *x, *y, *radius; ///< of all disks, placed or not; the caller's
    size_t count;
    uint32_t *next; ///< of each disk: the next one of its cell
    qdi_cell_level level[QDI_CELL_LEVELS];
} qdi_cells;

/// Gets ready for the `count` disks of the arrays, whose radii are known; none is placed. Errors:
/// QD_ERR_MEMORY. Release in any case.
QD_MUST_USE qd_status qdi_cells_init(qdi_cells *cells, const qd_allocator *allocator,
                                     const qdi_cell_axis axis[2], const double *x, const double *y,
                                     const double *radius, size_t count);

void qdi_cells_release(qdi_cells *cells);

/// Generator's cells: notes that disk `number` is where its arrays say.
void qdi_cells_add(qdi_cells *cells, size_t number);

/// True where a disk at (x, y) is at least `clearance` times the two radii away from every placed disk: 1
/// means that they may touch, less that they may overlap a little.
bool qdi_cells_free(const qdi_cells *cells, double x, double y, double radius, double clearance);
