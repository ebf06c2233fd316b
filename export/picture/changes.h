#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/tree.h>
#include <stdbool.h>
#include <stddef.h>

/// The nodes of a tree that are split, kept to be compared with those of a later state. Nodes are identified
/// by their cells.

typedef struct qdi_cell_of {
    double side, y, x; ///< and the lower left corner
} qdi_cell_of;

typedef struct qdi_changes {
    const qd_allocator *allocator;
    qdi_cell_of *cells; ///< in order of side, y, x
    size_t count, room;
    qd_status status;
} qdi_changes;

/// Picture's changes: keeps the split nodes of a tree; what was kept is forgotten. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_changes_note(qdi_changes *changes, const qd_tree *tree);

void qdi_changes_release(qdi_changes *changes);

typedef void (*qdi_changes_visit)(void *context, const qdi_cell_of *cell, bool split);

/// Picture's changes: calls `visit` for every node that is split in one of the two only: `split` where in
/// `after`.
void qdi_changes_compare(const qdi_changes *before, const qdi_changes *after, qdi_changes_visit visit,
                         void *context);
