#pragma once

#include <quadrille/box.h>
#include <quadrille/tree.h>

#include "core/tree/image.h"

#include <stdbool.h>
#include <stdint.h>

/// The grid of cells that all nodes come from. The plane is cut into units of side(R0) / 2^40; a centre's
/// place is two integers, counted in units from the lower left corner of R20, the largest root. R20 is then
/// the root of an ordinary quadtree, every Rk is one of its cells (the alternation of tree.h is the
/// alternation of the bits), and a cell of level L is a pair of integers: the places of its centres without
/// their last 40 - L bits. Borders are exact, for nothing is ever summed.

enum { QDI_CELL_BITS = QD_TREE_MAX_LEVEL, QDI_RINGS = QD_TREE_MAX_GROWTH + 2 };

typedef struct qdi_grid_point {
    uint64_t x, y; // below 2^60
} qdi_grid_point;

typedef struct qdi_cell {
    uint64_t x, y;
    int level; // -20..40
} qdi_cell;

typedef struct qdi_grid {
    double unit, per_unit; // powers of two
    uint64_t origin;       // place of the lower left corner of R0, on both axes
    float sides[QD_TREE_MAX_GROWTH + QD_TREE_MAX_LEVEL + 1]; // of level L at L + 20
} qdi_grid;

/// Sets up the grid for a world; false where the size is not finite, not positive or beyond 2^-60..2^60.
bool qdi_grid_init(qdi_grid *grid, qd_vec2 size);

/// Side of the cells of a level.
static inline float qdi_grid_side(const qdi_grid *grid, int level) {
    return grid->sides[level + QD_TREE_MAX_GROWTH];
}

/// Tree's cells: the longer side of a box.
static inline float qdi_longest(qd_box box) {
    float width = box.max_x - box.min_x;
    float height = box.max_y - box.min_y;
    return width > height ? width : height;
}

/// The place of a box's centre. False (and no place) where it lies outside R20.
bool qdi_grid_point_of(const qdi_grid *grid, qd_box box, qdi_grid_point *place);

/// The cell of a level that a place lies in.
static inline qdi_cell qdi_cell_of(qdi_grid_point place, int level) {
    int shift = QDI_CELL_BITS - level;
    return (qdi_cell){place.x >> shift, place.y >> shift, level};
}

/// Whether two cells of the tree's grid are the same.
static inline bool qdi_cell_equal(qdi_cell a, qdi_cell b) {
    return a.level == b.level && a.x == b.x && a.y == b.y;
}

/// Which of a cell's four children a place lies in: 0 lower left, 1 lower right, 2 upper left, 3 upper right.
static inline unsigned qdi_quadrant(qdi_grid_point place, int child_level) {
    int shift = QDI_CELL_BITS - child_level;
    return (unsigned)((place.x >> shift) & 1U) | (unsigned)((place.y >> shift) & 1U) << 1;
}

/// The cell of Rk, and which child of R(k+1) it is.
qdi_cell qdi_grid_root(const qdi_grid *grid, int k);
unsigned qdi_grid_root_quadrant(const qdi_grid *grid, int k);

/// The smallest k with the place inside Rk.
int qdi_grid_ring(const qdi_grid *grid, qdi_grid_point place);

/// The ring of a box's centre, QD_TREE_MAX_GROWTH + 1 where it is outside R20.
int qdi_grid_ring_of_box(const qdi_grid *grid, qd_box box);

/// The lowest float whose place is `cell` (a cell index of a level, on one axis) or above: a centre c lies in
/// cell i exactly when border(i) <= c < border(i + 1).
float qdi_grid_border(const qdi_grid *grid, uint64_t cell, int level);

/// The lower left corner of a cell, relative to the world's centre.
qd_vec2 qdi_grid_corner(const qdi_grid *grid, qdi_cell cell);
