// Bodies in rows: grids, pyramids, and cells, in which a body lies anywhere. Neighbours may touch. Where a
// body of a grid or of cells lies depends on the seed, on its own number, and on how many there are, not on
// others: so a part of them can be made without the rest.
#include "sim/scene/generate_impl.h"

#include <quadrille/math.h>
#include <quadrille/random.h>

#include <math.h>

/// Generator's rows: the number of columns for which the closer of two neighbours in a row or column are
/// furthest apart.
static size_t best_columns(size_t count, double width, double height) {
    double even = sqrt((double)count) * sqrt(width) / sqrt(height);
    size_t most = even + 2 < (double)count ? (size_t)even + 2 : count;
    size_t best = 1;
    double best_pitch = 0;
    for (size_t columns = even > 8 ? most / 2 + 1 : 1; columns <= most; ++columns) {
        size_t rows = (count + columns - 1) / columns;
        double across = width / (double)columns, up = height / (double)rows;
        double pitch = across < up ? across : up;
        if (pitch <= best_pitch) continue;
        best = columns;
        best_pitch = pitch;
    }
    return best;
}

qd_vec2 qdi_item_box(const qdi_body_item *item, uint64_t seed, size_t body, double radius) {
    if (item->kind == QDI_ITEM_DISKS) return (qd_vec2){2 * radius, 2 * radius};
    const qd_shape shape = qdi_item_shape(item, seed, body, 0);
    qd_vec2 turn = {1, 0}, low, top;
    qd_sincos(qdi_item_angle(item, seed, body), &turn.y, &turn.x);
    qd_shape_bounds(&shape, (qd_vec2){0, 0}, turn, &low, &top);
    return (qd_vec2){2 * (top.x > -low.x ? top.x : -low.x), 2 * (top.y > -low.y ? top.y : -low.y)};
}

// Generator's rows: the same of a body whose radius has been drawn.
static qd_vec2 box_of_body(const qdi_placement *placing, const qdi_body_item *item, size_t body) {
    return qdi_item_box(item, placing->settings->run.seed, body, placing->bodies->radius[body]);
}

/// Generator's rows: width and height of the largest boxes of an item's bodies.
static qd_vec2 largest_boxes(const qdi_placement *placing, const qdi_body_item *item, size_t first) {
    qd_vec2 most = {0, 0};
    for (size_t i = first; i < first + item->count; ++i) {
        const qd_vec2 box = box_of_body(placing, item, i);
        if (box.x > most.x) most.x = box.x;
        if (box.y > most.y) most.y = box.y;
    }
    return most;
}

/// Generator's rows: says that rows leave too little for each body.
static qd_status too_tight(const qdi_placement *placing, size_t number, size_t count,
                           const qdi_body_item *item, qd_vec2 room, qd_vec2 most) {
    char text[4][QDI_NUMBER_ROOM];
    if (item->kind == QDI_ITEM_DISKS)
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "%s.%zu: rows of %zu disks leave %s for each, the largest has diameter %s; "
                          "ask for fewer or smaller",
                          qdi_items_word(placing->settings), number, count,
                          qdi_place_rounded(room.x < room.y ? room.x : room.y, text[0]),
                          qdi_place_rounded(most.x, text[1]));
    return qdi_reason(placing->error, QD_ERR_INVALID,
                      "%s.%zu: rows of %zu bodies leave %s x %s for each, the largest takes %s x %s; ask "
                      "for fewer or smaller",
                      qdi_items_word(placing->settings), number, count, qdi_place_rounded(room.x, text[0]),
                      qdi_place_rounded(room.y, text[1]), qdi_place_rounded(most.x, text[2]),
                      qdi_place_rounded(most.y, text[3]));
}

/// Generator's rows: says that a grid with a spacing of its own is larger than the region.
static qd_status too_wide(const qdi_placement *placing, size_t number, size_t columns, size_t rows,
                          const qdi_interval both[2]) {
    const qd_vec2 spacing = placing->settings->items[number].spacing;
    char text[4][QDI_NUMBER_ROOM];
    return qdi_reason(placing->error, QD_ERR_INVALID,
                      "%s.%zu: %zu columns and %zu rows with this spacing take %s x %s, the region has %s x "
                      "%s; ask for fewer, or a smaller spacing",
                      qdi_items_word(placing->settings), number, columns, rows,
                      qdi_place_rounded(spacing.x * (double)columns, text[0]),
                      qdi_place_rounded(spacing.y * (double)rows, text[1]),
                      qdi_place_rounded(both[0].length, text[2]), qdi_place_rounded(both[1].length, text[3]));
}

/// Puts body number `body` of the scene into its place.
static qd_status put_body(qdi_placement *placing, size_t number, size_t body, qd_vec2 at) {
    const qdi_body_item *item = &placing->settings->items[number];
    placing->bodies->x[body] = at.x;
    placing->bodies->y[body] = at.y;
    // Neighbours in the rows may touch, so rounding must be let pass.
    if (!qdi_place_is_free(placing, item, body, at, 2 - QDI_CLEARANCE))
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "%s.%zu: its rows overlap the bodies of another item",
                          qdi_items_word(placing->settings), number);
    // Boxes fit side by side where the disks around them overlap: these are for later items only.
    if (item->kind == QDI_ITEM_DISKS) qdi_cells_add(&placing->cells, body);
    return QD_OK;
}

qd_status qdi_find_rows(const qdi_placement *placing, size_t number, qd_vec2 most, qdi_grid_rows *found) {
    const qdi_body_item *item = &placing->settings->items[number];
    size_t count = (size_t)item->count;
    bool disks = item->kind == QDI_ITEM_DISKS;
    qdi_interval both[2];
    qdi_place_intervals(placing->settings, item, both);
    size_t columns = disks ? best_columns(count, both[0].length, both[1].length)
                           : best_columns(count, both[0].length / most.x, both[1].length / most.y);
    if (!isnan(item->spacing.x)) {
        // A region as long as some of them, but for rounding, has room for them.
        double fit = both[0].length / item->spacing.x * QDI_CLEARANCE;
        columns = fit < 1 ? 1 : fit < (double)count ? (size_t)fit : count;
    }
    size_t rows = (count + columns - 1) / columns;
    qd_vec2 room = {both[0].length / (double)columns, both[1].length / (double)rows};
    if (!isnan(item->spacing.x)) {
        if (item->spacing.x > room.x * QDI_CLEARANCE || item->spacing.y > room.y * QDI_CLEARANCE)
            return too_wide(placing, number, columns, rows, both);
        room = item->spacing;
    }
    if (most.x > room.x * QDI_CLEARANCE || most.y > room.y * QDI_CLEARANCE)
        return too_tight(placing, number, count, item, room, most);
    *found = (qdi_grid_rows){{both[0].low, both[1].low}, room, columns};
    return QD_OK;
}

qd_vec2 qdi_place_in_grid(const qdi_grid_rows *rows, size_t k) {
    return (qd_vec2){rows->low.x + rows->room.x * ((double)(k % rows->columns) + 0.5),
                     rows->low.y + rows->room.y * ((double)(k / rows->columns) + 0.5)};
}

qd_vec2 qdi_stray_in_cell(const qdi_body_item *item, uint64_t seed, size_t body, qd_vec2 box, qd_vec2 room) {
    if (item->place != QDI_PLACE_CELLS) return (qd_vec2){0, 0};
    const double x = room.x - box.x * QDI_CLEARANCE, y = room.y - box.y * QDI_CLEARANCE;
    qd_random random = qd_random_at(seed, body, QDI_USE_POSITION);
    const double across = qd_random_uniform(&random) - 0.5, up = qd_random_uniform(&random) - 0.5;
    return (qd_vec2){x > 0 ? x * across : 0, y > 0 ? y * up : 0};
}

// Places bodies of a scene in a grid, or in its cells.
static qd_status place_grid_item(qdi_placement *placing, size_t number, size_t first, qd_vec2 most) {
    const qdi_body_item *item = &placing->settings->items[number];
    const uint64_t seed = placing->settings->run.seed;
    qdi_grid_rows rows = {.columns = 1};
    qd_status status = qdi_find_rows(placing, number, most, &rows);
    for (size_t i = 0; i < item->count && status == QD_OK; ++i) {
        qd_vec2 at = qdi_place_in_grid(&rows, i);
        if (item->place == QDI_PLACE_CELLS) {
            const qd_vec2 box = box_of_body(placing, item, first + i);
            const qd_vec2 stray = qdi_stray_in_cell(item, seed, first + i, box, rows.room);
            at = (qd_vec2){at.x + stray.x, at.y + stray.y};
        }
        status = put_body(placing, number, first + i, at);
    }
    return status;
}

// Places bodies of a scene in a pyramid.
static qd_status place_pyramid_item(qdi_placement *placing, size_t number, size_t first,
                                    const qdi_interval both[2], qd_vec2 most) {
    const qdi_body_item *item = &placing->settings->items[number];
    size_t count = (size_t)item->count, base = 1, rows = 0;
    while (base * (base + 1) / 2 < count) ++base;
    for (size_t held = 0; held < count; ++rows) held += base - rows;
    qd_vec2 room = {both[0].length / (double)base, both[1].length / (double)rows};
    if (most.x > room.x * QDI_CLEARANCE || most.y > room.y * QDI_CLEARANCE)
        return too_tight(placing, number, count, item, room, most);
    double middle = both[0].low + 0.5 * both[0].length;
    size_t row = 0, column = 0;
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        qd_vec2 at = {middle + room.x * ((double)column - 0.5 * (double)(base - row - 1)),
                      both[1].low + most.y * ((double)row + 0.5)};
        status = put_body(placing, number, first + i, at);
        if (++column == base - row) {
            column = 0;
            ++row;
        }
    }
    return status;
}

qd_status qdi_place_rows(qdi_placement *placing, size_t number, size_t first) {
    const qdi_body_item *item = &placing->settings->items[number];
    if (item->count == 0) return QD_OK;
    qdi_interval both[2];
    qdi_place_intervals(placing->settings, item, both);
    qd_vec2 most = largest_boxes(placing, item, first);
    qd_status status = item->place == QDI_PLACE_PYRAMID
                           ? place_pyramid_item(placing, number, first, both, most)
                           : place_grid_item(placing, number, first, most);
    for (size_t i = 0; i < item->count && status == QD_OK && item->kind != QDI_ITEM_DISKS; ++i)
        qdi_cells_add(&placing->cells, first + i);
    return status;
}
