#include "sim/scene/generate_cells.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

// Generator's cells: the level of the grid of cells for bodies of this radius.
static size_t cell_level_of(const qdi_cells *cells, double radius) {
    size_t level = 0;
    while (level + 1 < QDI_CELL_LEVELS && radius <= cells->level[level + 1].largest) ++level;
    return level;
}

/// Generator's cells: cells along an axis: no narrower than `side`, and no more than the level's disks would
/// fill.
static size_t cells_along(double length, double side, size_t expected) {
    double cells = floor(length / side), most = 2.0 * (double)expected + 1.0;
    if (cells > most) cells = most;
    return cells >= 1 ? (size_t)cells : 1;
}

// Generator's cells: makes the cells of one level of the grid.
static qd_status init_cell_level(qdi_cells *cells, qdi_cell_level *level) {
    if (level->expected == 0) return QD_OK;
    double width = cells->axis[0].length, height = cells->axis[1].length;
    double spacing = sqrt(width) * sqrt(height) / sqrt((double)level->expected);
    double side = 2 * level->largest > spacing ? 2 * level->largest : spacing;
    level->columns = cells_along(width, side, level->expected);
    level->rows = cells_along(height, side, level->expected);
    level->head = qdi_allocate(cells->allocator, level->columns * level->rows, sizeof *level->head);
    if (!level->head) return QD_ERR_MEMORY;
    memset(level->head, 0, level->columns * level->rows * sizeof *level->head);
    return QD_OK;
}

qd_status qdi_cells_init(qdi_cells *cells, const qd_allocator *allocator, const qdi_cell_axis axis[2],
                         const double *x, const double *y, const double *radius, size_t count) {
    *cells = (qdi_cells){.allocator = allocator, .x = x, .y = y, .radius = radius, .count = count};
    cells->axis[0] = axis[0];
    cells->axis[1] = axis[1];
    double largest = 0;
    for (size_t i = 0; i < count; ++i)
        if (radius[i] > largest) largest = radius[i];
    for (size_t i = 0; i < QDI_CELL_LEVELS; ++i, largest *= 0.5) cells->level[i].largest = largest;
    for (size_t i = 0; i < count; ++i) ++cells->level[cell_level_of(cells, radius[i])].expected;
    qd_status status = QD_OK;
    if (count > 0) {
        cells->next = qdi_allocate(allocator, count, sizeof *cells->next);
        if (!cells->next) return QD_ERR_MEMORY;
    }
    for (size_t i = 0; i < QDI_CELL_LEVELS && status == QD_OK; ++i)
        status = init_cell_level(cells, &cells->level[i]);
    return status;
}

// Releases the grid of cells that keeps generated bodies apart.
void qdi_cells_release(qdi_cells *cells) {
    for (size_t i = 0; i < QDI_CELL_LEVELS; ++i) {
        qdi_cell_level *level = &cells->level[i];
        qdi_release(cells->allocator, level->head, level->columns * level->rows, sizeof *level->head);
        level->head = NULL;
    }
    qdi_release(cells->allocator, cells->next, cells->count, sizeof *cells->next);
    cells->next = NULL;
}

/// Generator's cells: the cell of a position, which may lie outside: 0..count - 1 are inside.
static double cell_at(const qdi_cell_axis *axis, size_t count, double position) {
    return floor((position - axis->low) / axis->length * (double)count);
}

// Generator's cells: the cell of a position along an axis.
static size_t cell_within(const qdi_cell_axis *axis, size_t count, double position) {
    double cell = cell_at(axis, count, position);
    if (!(cell > 0)) return 0;
    return cell < (double)count ? (size_t)cell : count - 1;
}

void qdi_cells_add(qdi_cells *cells, size_t number) {
    qdi_cell_level *level = &cells->level[cell_level_of(cells, cells->radius[number])];
    size_t column = cell_within(&cells->axis[0], level->columns, cells->x[number]);
    size_t row = cell_within(&cells->axis[1], level->rows, cells->y[number]);
    uint32_t *head = &level->head[row * level->columns + column];
    cells->next[number] = *head;
    *head = (uint32_t)number + 1;
    ++level->placed;
}

/// The cells from `low` to `high` along an axis: `count` of them from `first` on, going on at 0 past the end.
typedef struct span {
    size_t first, count;
} span;

// Generator's cells: the cells that an interval along an axis overlaps.
static span cell_span(const qdi_cell_axis *axis, size_t cells, double low, double high) {
    if (!axis->periodic) {
        size_t first = cell_within(axis, cells, low);
        return (span){first, cell_within(axis, cells, high) - first + 1};
    }
    double first = cell_at(axis, cells, low), last = cell_at(axis, cells, high);
    if (last - first + 1 >= (double)cells) return (span){0, cells};
    size_t count = (size_t)(last - first) + 1;
    if (first < 0) first += (double)cells;
    size_t begin = first > 0 ? (size_t)first : 0;
    return (span){begin < cells ? begin : begin - cells, count};
}

/// Generator's cells: the distance along an axis, through the seam where that is shorter.
static double axis_distance(const qdi_cell_axis *axis, double a, double b) {
    double distance = fabs(a - b);
    if (axis->periodic && distance > 0.5 * axis->length) distance = fabs(axis->length - distance);
    return distance;
}

// Whether a generated body is clear of those in a cell.
static bool is_cell_free(const qdi_cells *cells, uint32_t head, double x, double y, double radius,
                         double clearance) {
    for (; head; head = cells->next[head - 1]) {
        size_t other = head - 1;
        double dx = axis_distance(&cells->axis[0], x, cells->x[other]);
        double dy = axis_distance(&cells->axis[1], y, cells->y[other]);
        double reach = (radius + cells->radius[other]) * clearance;
        if (dx * dx + dy * dy < reach * reach) return false;
    }
    return true;
}

// Whether a generated body is clear of those in one level of the grid.
static bool is_level_free(const qdi_cells *cells, const qdi_cell_level *level, double x, double y,
                          double radius, double clearance) {
    double reach = (radius + level->largest) * (clearance > 1 ? clearance : 1);
    span columns = cell_span(&cells->axis[0], level->columns, x - reach, x + reach);
    span rows = cell_span(&cells->axis[1], level->rows, y - reach, y + reach);
    size_t row = rows.first;
    for (size_t j = 0; j < rows.count; ++j) {
        size_t column = columns.first;
        for (size_t i = 0; i < columns.count; ++i) {
            uint32_t head = level->head[row * level->columns + column];
            if (!is_cell_free(cells, head, x, y, radius, clearance)) return false;
            column = column + 1 < level->columns ? column + 1 : 0;
        }
        row = row + 1 < level->rows ? row + 1 : 0;
    }
    return true;
}

bool qdi_cells_free(const qdi_cells *cells, double x, double y, double radius, double clearance) {
    for (size_t i = 0; i < QDI_CELL_LEVELS; ++i)
        if (cells->level[i].placed > 0 && !is_level_free(cells, &cells->level[i], x, y, radius, clearance))
            return false;
    return true;
}
