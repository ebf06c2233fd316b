#ifndef QD_SIM_CELL_SUMS_H
#define QD_SIM_CELL_SUMS_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/team.h>
#include <stddef.h>
#include <stdint.h>

/// Sums by cell: entries are sorted by cell, stably, and added up by fixed blocks of entries, so that the
/// order of the additions is that of the entries, whatever the threads. No cell is one thread's alone: a
/// block adds up its part of a cell, and the parts are put together in order.

/// Most numbers that are added up side by side.
enum { QDI_CELL_LANES = 8 };

/// Entries, each a cell and the number of an item.
typedef struct qdi_cell_sums {
    const qd_allocator *allocator;
    uint64_t *cell, *cell_spare;
    uint32_t *item, *item_spare;
    double *edges; ///< parts of cells that reach beyond a block, two of each block
    size_t room[4], edge_room;
    size_t count;
} qdi_cell_sums;

/// Sets lane by lane what an item adds to its cell.
typedef void (*qdi_cell_term)(const void *context, uint32_t item, double lanes[QDI_CELL_LANES]);

/// Makes room for `count` entries, which the caller fills: `cell` and `item`. An entry of a cell that is not
/// below the number of cells counts nowhere.
QD_MUST_USE qd_status qdi_cell_sums_begin(qdi_cell_sums *sums, size_t count);

/// Sorts the entries and adds up what they give: `cells` times QDI_CELL_LANES numbers. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_cell_sums_add(qdi_cell_sums *sums, qd_team *team, size_t cells, qdi_cell_term term,
                                        const void *context, double *into);

void qdi_cell_sums_release(qdi_cell_sums *sums);

#endif
