#include "sim/generate.h"

#include "core/memory.h"
#include "sim/generate_cells.h"
#include "sim/generate_obstacles.h"
#include "sim/number.h"
#include "sim/scene_impl.h"

#include <quadrille/math.h>
#include <quadrille/random.h>

#include <math.h>
#include <stdlib.h>

/// Room that random placement leaves between two disks, and to walls, as a part of the radii: far more than
/// rounding can take away, far less than anybody can see.
static const double clearance = 1.0 + 1e-9;

/// Where the centres of a disk's generator may lie along one axis.
typedef struct interval {
    double low, length;
    bool seam; ///< the whole of a periodic axis: disks may lie across the seam
} interval;

/// A placing on its way.
typedef struct placement {
    const qdi_settings *settings;
    qdi_generated *bodies;
    qdi_cells cells;
    qdi_obstacles obstacles;
    qd_error *error;
} placement;

/// A disk that waits to be placed.
typedef struct waiting {
    double radius;
    uint32_t body, item;
} waiting;

/// Rounded to three digits behind the point, for messages.
static const char *rounded(double value, char text[QDI_NUMBER_ROOM]) {
    qdi_number_write(floor(value * 1000 + 0.5) / 1000, text);
    return text;
}

// ---- where

static interval interval_of(qd_boundary boundary, double low, double length, double world_low,
                            double world_length) {
    interval result = {low, length, false};
    if (boundary == QD_BOUNDARY_OPEN) return result;
    // The reader lets regions pass that reach out by rounding alone.
    double high = low + length < world_low + world_length ? low + length : world_low + world_length;
    result.low = low > world_low ? low : world_low;
    result.length = high - result.low;
    result.seam = boundary == QD_BOUNDARY_PERIODIC && length >= world_length * (1 - 1e-12);
    if (result.seam) result = (interval){world_low, world_length, true};
    return result;
}

static void intervals_of(const qdi_settings *settings, const qdi_disks *item, interval both[2]) {
    const qd_world_def *world = &settings->world;
    const qdi_region *region = &item->region;
    both[0] = interval_of(world->boundary_x, region->x, region->width, world->origin.x, world->size.x);
    both[1] = interval_of(world->boundary_y, region->y, region->height, world->origin.y, world->size.y);
}

/// Refuses disks that are too large for the region or for a periodic world, and more disks than the region
/// has area for.
static qd_status check_sizes(placement *placing, size_t number, size_t first) {
    const qdi_disks *item = &placing->settings->items[number];
    const qd_world_def *world = &placing->settings->world;
    double largest = 0, area = 0;
    for (size_t i = first; i < first + item->count; ++i) {
        double radius = placing->bodies->radius[i];
        if (radius > largest) largest = radius;
        if (radius > 0 && item->kind != QDI_ITEM_DISKS && item->place == QDI_PLACE_GRID) {
            qd_shape shape = qdi_item_shape(item, placing->settings->run.seed, i, 0);
            area += qd_shape_area(&shape);
        } else {
            area += 3.14159265358979312 * radius * radius;
        }
    }
    interval both[2];
    intervals_of(placing->settings, item, both);
    char text[QDI_NUMBER_ROOM], more[QDI_NUMBER_ROOM];
    double diameter = 2 * largest;
    if ((world->boundary_x == QD_BOUNDARY_PERIODIC && diameter > world->size.x / 2) ||
        (world->boundary_y == QD_BOUNDARY_PERIODIC && diameter > world->size.y / 2))
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "bodies.%zu: a disk of diameter %s is longer than half the periodic world", number,
                          rounded(diameter, text));
    for (int axis = 0; axis < 2; ++axis)
        if (item->count > 0 && (item->kind == QDI_ITEM_DISKS || item->place == QDI_PLACE_RANDOM) &&
            !both[axis].seam && diameter > both[axis].length)
            return qdi_reason(placing->error, QD_ERR_INVALID,
                              "bodies.%zu: a disk of diameter %s does not fit into the region (%s)", number,
                              rounded(diameter, text), rounded(both[axis].length, more));
    if (area > both[0].length * both[1].length)
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "bodies.%zu: the disks have %s times the area of the region", number,
                          rounded(area / (both[0].length * both[1].length), text));
    return QD_OK;
}

/// True where a body at a place would be free of all that is there; `room`: times its radius.
static bool is_free(const placement *placing, const qdi_disks *item, size_t body, qd_vec2 at, double room) {
    double radius = placing->bodies->radius[body];
    if (!qdi_cells_free(&placing->cells, at.x, at.y, radius, room)) return false;
    if (placing->obstacles.count == 0) return true;
    uint64_t seed = placing->settings->run.seed;
    qd_shape shape = qdi_item_shape(item, seed, body, radius);
    return qdi_obstacles_free(&placing->obstacles, &shape, at, qdi_item_angle(item, seed, body),
                              (room - 1) * radius);
}

// ---- rows

/// The number of columns for which the closer of two neighbours in a row or column are furthest apart.
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

/// Width and height of the largest boxes of an item's bodies.
static qd_vec2 largest_boxes(const placement *placing, const qdi_disks *item, size_t first) {
    qd_vec2 most = {0, 0};
    uint64_t seed = placing->settings->run.seed;
    for (size_t i = first; i < first + item->count; ++i) {
        double wide = 2 * placing->bodies->radius[i], high = wide;
        if (item->kind != QDI_ITEM_DISKS) {
            qd_shape shape = qdi_item_shape(item, seed, i, 0);
            qd_vec2 turn = {1, 0}, low, top;
            qd_sincos(qdi_item_angle(item, seed, i), &turn.y, &turn.x);
            qd_shape_bounds(&shape, (qd_vec2){0, 0}, turn, &low, &top);
            wide = top.x - low.x;
            high = top.y - low.y;
        }
        if (wide > most.x) most.x = wide;
        if (high > most.y) most.y = high;
    }
    return most;
}

/// Says that rows leave too little for each body.
static qd_status too_tight(const placement *placing, size_t number, size_t count, const qdi_disks *item,
                           qd_vec2 room, qd_vec2 most) {
    char text[4][QDI_NUMBER_ROOM];
    if (item->kind == QDI_ITEM_DISKS)
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "bodies.%zu: rows of %zu disks leave %s for each, the largest has diameter %s; "
                          "ask for fewer or smaller",
                          number, count, rounded(room.x < room.y ? room.x : room.y, text[0]),
                          rounded(most.x, text[1]));
    return qdi_reason(placing->error, QD_ERR_INVALID,
                      "bodies.%zu: rows of %zu bodies leave %s x %s for each, the largest takes %s x %s; ask "
                      "for fewer or smaller",
                      number, count, rounded(room.x, text[0]), rounded(room.y, text[1]),
                      rounded(most.x, text[2]), rounded(most.y, text[3]));
}

static qd_status place_grid(placement *placing, size_t number, size_t first) {
    const qdi_disks *item = &placing->settings->items[number];
    qdi_generated *bodies = placing->bodies;
    size_t count = (size_t)item->count;
    if (count == 0) return QD_OK;
    interval both[2];
    intervals_of(placing->settings, item, both);
    qd_vec2 most = largest_boxes(placing, item, first);
    bool disks = item->kind == QDI_ITEM_DISKS;
    size_t columns = disks ? best_columns(count, both[0].length, both[1].length)
                           : best_columns(count, both[0].length / most.x, both[1].length / most.y);
    size_t rows = (count + columns - 1) / columns;
    qd_vec2 room = {both[0].length / (double)columns, both[1].length / (double)rows};
    if (most.x > room.x * clearance || most.y > room.y * clearance)
        return too_tight(placing, number, count, item, room, most);
    for (size_t i = 0; i < count; ++i) {
        qd_vec2 at = {both[0].low + room.x * ((double)(i % columns) + 0.5),
                      both[1].low + room.y * ((double)(i / columns) + 0.5)};
        bodies->x[first + i] = at.x;
        bodies->y[first + i] = at.y;
        // Neighbours in the rows may touch, so rounding must be let pass.
        if (!is_free(placing, item, first + i, at, 2 - clearance))
            return qdi_reason(placing->error, QD_ERR_INVALID,
                              "bodies.%zu: its rows overlap the bodies of another item", number);
        if (disks) qdi_cells_add(&placing->cells, first + i);
    }
    // Boxes fit side by side where the disks around them overlap: these are for later items only.
    for (size_t i = 0; i < count && !disks; ++i) qdi_cells_add(&placing->cells, first + i);
    return QD_OK;
}

// ---- random

static double coordinate(const interval *within, double radius, double u) {
    if (!within->seam) {
        double free = within->length - 2 * radius * clearance;
        return within->low + radius * clearance + u * (free > 0 ? free : 0);
    }
    double value = within->low + u * within->length;
    return value < within->low + within->length ? value : within->low;
}

/// Looks for a free place; false when it has tried often enough.
static bool place_one(placement *placing, const qdi_disks *item, const interval both[2], size_t body) {
    qdi_generated *bodies = placing->bodies;
    double radius = bodies->radius[body];
    qd_random random = qd_random_at(placing->settings->run.seed, body, QDI_USE_POSITION);
    for (int attempt = 0; attempt < QDI_PLACE_TRIES; ++attempt) {
        double x = coordinate(&both[0], radius, qd_random_uniform(&random));
        double y = coordinate(&both[1], radius, qd_random_uniform(&random));
        if (!is_free(placing, item, body, (qd_vec2){x, y}, clearance)) continue;
        bodies->x[body] = x;
        bodies->y[body] = y;
        qdi_cells_add(&placing->cells, body);
        return true;
    }
    return false;
}

/// Largest first; of equal ones the one with the lower number.
static int compare_waiting(const void *left, const void *right) {
    const waiting *a = left, *b = right;
    if (a->radius != b->radius) return a->radius > b->radius ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

/// Says how many of the generator's disks found a place before number `stopped` of the queue did not.
static qd_status not_all(const placement *placing, const waiting *queue, size_t stopped) {
    uint32_t number = queue[stopped].item;
    const qdi_disks *item = &placing->settings->items[number];
    size_t placed = 0;
    double area = 0;
    for (size_t i = 0; i < stopped; ++i) {
        if (queue[i].item != number) continue;
        ++placed;
        area += 3.14159265358979312 * queue[i].radius * queue[i].radius;
    }
    char text[QDI_NUMBER_ROOM];
    return qdi_reason(placing->error, QD_ERR_INVALID,
                      "bodies.%u: placed %zu of %zu disks without overlap (area fraction %s of the "
                      "region); ask for fewer or smaller",
                      (unsigned)number, placed, (size_t)item->count,
                      rounded(area / (item->region.width * item->region.height), text));
}

static qd_status place_random(placement *placing) {
    const qdi_settings *settings = placing->settings;
    const qd_allocator *allocator = placing->bodies->allocator;
    size_t total = placing->bodies->count, count = 0, body = 0;
    waiting *queue = qdi_allocate(allocator, total, sizeof *queue);
    if (!queue) return QD_ERR_MEMORY;
    for (uint32_t i = 0; i < settings->item_count; ++i)
        for (uint64_t k = 0; k < settings->items[i].count; ++k, ++body)
            if (qdi_item_is_generator(&settings->items[i]) && settings->items[i].place == QDI_PLACE_RANDOM)
                queue[count++] = (waiting){placing->bodies->radius[body], (uint32_t)body, i};
    if (count > 0) qsort(queue, count, sizeof *queue, compare_waiting);
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        interval both[2];
        intervals_of(settings, &settings->items[queue[i].item], both);
        if (!place_one(placing, &settings->items[queue[i].item], both, queue[i].body))
            status = not_all(placing, queue, i);
    }
    qdi_release(allocator, queue, total, sizeof *queue);
    return status;
}

// ---- all

/// The space that all generators place in.
static void extent_of(const qdi_settings *settings, qdi_cell_axis axis[2]) {
    const qd_boundary boundary[2] = {settings->world.boundary_x, settings->world.boundary_y};
    for (size_t i = 0; i < settings->item_count; ++i) {
        interval both[2];
        intervals_of(settings, &settings->items[i], both);
        for (int k = 0; k < 2; ++k) {
            double low = both[k].low, high = low + both[k].length;
            if (i > 0 && axis[k].low < low) low = axis[k].low;
            if (i > 0 && axis[k].low + axis[k].length > high) high = axis[k].low + axis[k].length;
            axis[k] = (qdi_cell_axis){low, high - low, false};
        }
    }
    if (boundary[0] == QD_BOUNDARY_PERIODIC)
        axis[0] = (qdi_cell_axis){settings->world.origin.x, settings->world.size.x, true};
    if (boundary[1] == QD_BOUNDARY_PERIODIC)
        axis[1] = (qdi_cell_axis){settings->world.origin.y, settings->world.size.y, true};
}

static qd_status place_all(placement *placing) {
    const qdi_settings *settings = placing->settings;
    size_t first = 0;
    // What is in its place already comes first: the others keep clear of it.
    for (size_t i = 0; i < settings->item_count; first += (size_t)settings->items[i++].count)
        for (uint64_t k = 0; !qdi_item_is_generator(&settings->items[i]) && k < settings->items[i].count; ++k)
            if (placing->bodies->radius[first + k] > 0) qdi_cells_add(&placing->cells, first + k);
    first = 0;
    for (size_t i = 0; i < settings->item_count; first += (size_t)settings->items[i++].count) {
        if (!qdi_item_is_generator(&settings->items[i])) continue;
        qd_status status = check_sizes(placing, i, first);
        if (status == QD_OK && settings->items[i].place == QDI_PLACE_GRID)
            status = place_grid(placing, i, first);
        if (status != QD_OK) return status;
    }
    return place_random(placing);
}

qd_status qdi_generate(const qdi_settings *settings, qdi_generated *bodies, qd_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < settings->item_count; ++i) count += (size_t)settings->items[i].count;
    if (count == 0) return QD_OK;
    bodies->count = count;
    double **arrays[] = {&bodies->x, &bodies->y, &bodies->vx, &bodies->vy, &bodies->radius};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = qdi_allocate(bodies->allocator, count, sizeof(double));
        if (!*arrays[i]) return qdi_reason(error, QD_ERR_MEMORY, "out of memory");
    }
    qdi_generate_draw(settings, bodies);
    size_t generators = 0;
    for (size_t i = 0; i < settings->item_count; ++i)
        generators += qdi_item_is_generator(&settings->items[i]);
    if (generators == 0) return QD_OK;
    placement placing = {.settings = settings, .bodies = bodies, .error = error};
    qdi_cell_axis axis[2] = {{0, 0, false}, {0, 0, false}};
    extent_of(settings, axis);
    qd_status status = qdi_cells_init(&placing.cells, bodies->allocator, axis, bodies->x, bodies->y,
                                      bodies->radius, count);
    if (status == QD_OK) status = qdi_obstacles_init(&placing.obstacles, bodies->allocator, settings);
    if (status == QD_OK) status = place_all(&placing);
    qdi_obstacles_release(&placing.obstacles);
    qdi_cells_release(&placing.cells);
    return status == QD_ERR_MEMORY ? qdi_reason(error, status, "out of memory") : status;
}

void qdi_generated_release(qdi_generated *bodies) {
    qdi_release(bodies->allocator, bodies->x, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->y, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->vx, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->vy, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->radius, bodies->count, sizeof(double));
    *bodies = (qdi_generated){.allocator = bodies->allocator};
}
