#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/vec.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Who owns which place. The world is a grid of cells that are about as wide as high, in the order of a
/// curve: it halves the world across its longer side until what is left is about as wide as high, and then
/// across both in turn, as the tree's nodes do. So a piece of it has a short border, and with that few
/// ghosts. Every cell belongs to a rank, and what lies beyond a side that is not periodic to the cell next to
/// it. All ranks have the same realm. Which it is changes no result.

/// How cells are given to ranks.
typedef enum qdi_realm_rule {
    QDI_REALM_CUT,     ///< pieces of the curve with as many bodies each: what is near is mostly together
    QDI_REALM_SCATTER, ///< by hash: next to nothing is together, the worst that can be
} qdi_realm_rule;

typedef struct qdi_realm {
    const qd_allocator *allocator;
    qdi_realm_rule rule;
    int ranks;
    unsigned bits[2];  ///< there are 2^bits columns, and rows
    unsigned longer;   ///< the longer side: 0 or 1
    qd_vec2 low, cell; ///< lower left corner of the grid; size of a cell
    qd_vec2 per;       ///< cells for each unit of length
    bool periodic[2];
    uint8_t *owner; ///< by cell, along the curve
} qdi_realm;

/// Cells of a realm.
static inline size_t qdi_realm_cells(const qdi_realm *realm) {
    return (size_t)1 << (realm->bits[0] + realm->bits[1]);
}

/// Makes a realm over a box, with some tens of cells for each rank; rank 0 owns all. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_realm_make(const qd_allocator *allocator, qdi_realm_rule rule, int ranks,
                                     qd_vec2 low, qd_vec2 size, const bool periodic[2], qdi_realm *realm);
void qdi_realm_release(qdi_realm *realm);

/// Gives the cells to the ranks. `bodies`: how many are in each cell.
void qdi_realm_deal(qdi_realm *realm, const uint64_t *bodies);

/// How many bodies come into the sight of other ranks for each unit of length that these look further beyond
/// their borders, of all ranks together. `bodies`: how many are in each cell. Cost: O(cells).
double qdi_realm_seen(const qdi_realm *realm, const uint64_t *bodies);

/// The cell of a place, and its owner.
size_t qdi_realm_cell(const qdi_realm *realm, qd_vec2 place);
int qdi_realm_owner(const qdi_realm *realm, qd_vec2 place);

/// Ranks, by bit, that own a place at most `reach` from `place` along both axes; perhaps some that own one
/// not much further.
uint64_t qdi_realm_near(const qdi_realm *realm, qd_vec2 place, double reach);
/// Realm: says of each cell whether all that is at most `reach` from any place in it is `rank`'s; perhaps not
/// of all such cells.
void qdi_realm_find_inner(const qdi_realm *realm, int rank, double reach, uint8_t *inner);
