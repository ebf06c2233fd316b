#include "core/tree/cells.h"

#include <math.h>
#include <string.h>

bool qdi_grid_init(qdi_grid *grid, qd_vec2 size) {
    double longer = size.x > size.y ? size.x : size.y;
    double shorter = size.x > size.y ? size.y : size.x;
    if (!(shorter > 0.0) || !(longer <= 0x1p60) || !(longer >= 0x1p-60)) return false;
    double side = 0x1p-60;
    while (side < longer) side *= 2.0;
    grid->unit = side * 0x1p-40;
    grid->per_unit = 1.0 / grid->unit;
    // R0's corner in R20: Rk is the upper right child of R(k+1) for even k (0, 2, ...), the lower left one
    // otherwise.
    grid->origin = 0;
    for (int k = 0; k < QD_TREE_MAX_GROWTH; k += 2) grid->origin += UINT64_C(1) << (QDI_CELL_BITS + k);
    for (int level = -QD_TREE_MAX_GROWTH; level <= QD_TREE_MAX_LEVEL; ++level) {
        double cell = level >= 0 ? side / (double)(UINT64_C(1) << level)
                                 : side * (double)(UINT64_C(1) << -level);
        grid->sides[level + QD_TREE_MAX_GROWTH] = (float)cell;
    }
    return true;
}

// The place of a box's centre on the grid of cells, along one axis.
// A coordinate in units from R0's corner: floor is exact, since scaling by a power of two is.
static bool grid_place_on_axis(const qdi_grid *grid, float centre, uint64_t *place) {
    double units = floor((double)centre * grid->per_unit) + 0x1p39;
    double low = -(double)grid->origin;
    double high = 0x1p60 - (double)grid->origin;
    if (!(units >= low && units < high)) return false;
    *place = (uint64_t)((int64_t)units + (int64_t)grid->origin);
    return true;
}

bool qdi_grid_point_of(const qdi_grid *grid, qd_box box, qdi_grid_point *place) {
    return grid_place_on_axis(grid, qdi_box_centre(box.min_x, box.max_x), &place->x) &&
           grid_place_on_axis(grid, qdi_box_centre(box.min_y, box.max_y), &place->y);
}

qdi_cell qdi_grid_root(const qdi_grid *grid, int k) {
    return qdi_cell_of((qdi_grid_point){grid->origin, grid->origin}, -k);
}

unsigned qdi_grid_root_quadrant(const qdi_grid *grid, int k) {
    return qdi_quadrant((qdi_grid_point){grid->origin, grid->origin}, -k);
}

int qdi_grid_ring(const qdi_grid *grid, qdi_grid_point place) {
    uint64_t different = (place.x ^ grid->origin) | (place.y ^ grid->origin);
    int ring = 0;
    while (different >> (QDI_CELL_BITS + ring) != 0) ++ring;
    return ring;
}

int qdi_grid_ring_of_box(const qdi_grid *grid, qd_box box) {
    qdi_grid_point place;
    return qdi_grid_point_of(grid, box, &place) ? qdi_grid_ring(grid, place) : QD_TREE_MAX_GROWTH + 1;
}

// Tree's cells: the next float above a value.
static float next_float_above(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value == 0.0F) {
        bits = 1;
    } else {
        bits += bits > 0 ? 1 : -1;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The border of a cell as a double, before it is rounded to a float.
static double cell_border_exact(const qdi_grid *grid, uint64_t cell, int level) {
    int64_t units = (int64_t)(cell << (QDI_CELL_BITS - level)) - (int64_t)grid->origin - (INT64_C(1) << 39);
    return (double)units * grid->unit;
}

float qdi_grid_border(const qdi_grid *grid, uint64_t cell, int level) {
    uint64_t place = cell << (QDI_CELL_BITS - level);
    uint64_t at = 0;
    // Rounding never goes past another float, also where the deepest levels far from the world have too many
    // bits for a double: this is the lowest float at or above the border, or the one below it.
    float border = (float)cell_border_exact(grid, cell, level);
    return grid_place_on_axis(grid, border, &at) && at < place ? next_float_above(border) : border;
}

qd_vec2 qdi_grid_corner(const qdi_grid *grid, qdi_cell cell) {
    return (qd_vec2){cell_border_exact(grid, cell.x, cell.level),
                     cell_border_exact(grid, cell.y, cell.level)};
}
