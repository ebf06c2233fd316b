#include "sim/generate.h"

#include "core/memory.h"
#include "sim/generate_cells.h"
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

// ---- values that do not depend on other bodies

static double radius_power(const qdi_radius *radius, double u) {
    double small = radius->range.x, large = radius->range.y, a = 1 - radius->exponent;
    if (small == large) return small;
    // radius^a is uniform between small^a and large^a; written so that nothing overflows.
    double value;
    if (fabs(a) < 1e-9) {
        value = small * qd_exp(u * qd_log(large / small));
    } else if (a < 0) {
        double last = qd_pow(large / small, a);
        value = small * qd_pow(1 + u * (last - 1), 1 / a);
    } else {
        double first = qd_pow(small / large, a);
        value = large * qd_pow(first + u * (1 - first), 1 / a);
    }
    if (!(value > small)) return small;
    return value < large ? value : large;
}

static double radius_of(const qdi_radius *radius, uint64_t seed, size_t body) {
    qd_random random = qd_random_at(seed, body, QDI_USE_RADIUS);
    switch (radius->form) {
    case QDI_RADIUS_FIXED: break;
    case QDI_RADIUS_UNIFORM: {
        double u = qd_random_uniform(&random);
        return radius->range.x + u * (radius->range.y - radius->range.x);
    }
    case QDI_RADIUS_POWER: return radius_power(radius, qd_random_uniform(&random));
    }
    return radius->range.x;
}

static qd_vec2 velocity_of(const qdi_velocity *velocity, uint64_t seed, size_t body) {
    qd_random random = qd_random_at(seed, body, QDI_USE_VELOCITY);
    qd_vec2 value = velocity->value;
    switch (velocity->form) {
    case QDI_VELOCITY_FIXED: break;
    case QDI_VELOCITY_NORMAL:
        value.y = value.x * qd_random_normal(&random);
        value.x = value.x * qd_random_normal(&random);
        break;
    case QDI_VELOCITY_UNIFORM:
        value.y = value.x * (2 * qd_random_uniform(&random) - 1);
        value.x = value.x * (2 * qd_random_uniform(&random) - 1);
        break;
    }
    return value;
}

static bool is_generator(const qdi_disks *item) {
    return item->kind == QDI_ITEM_DISKS;
}

/// Bodies that somebody else has placed; returns the number of the one behind them.
static size_t copy_rows(const qdi_body_file *file, qdi_generated *bodies, size_t body) {
    for (size_t k = 0; k < file->count; ++k, ++body) {
        const qdi_disk_row *row = &file->rows[k];
        bodies->x[body] = row->x;
        bodies->y[body] = row->y;
        bodies->vx[body] = row->vx;
        bodies->vy[body] = row->vy;
        bodies->radius[body] = row->radius;
    }
    return body;
}

static size_t copy_listed(const qdi_disks *item, qdi_generated *bodies, size_t body) {
    for (size_t k = 0; k < item->listed_count; ++k, ++body) {
        bodies->x[body] = item->listed[k].position.x;
        bodies->y[body] = item->listed[k].position.y;
        bodies->vx[body] = item->listed[k].velocity.x;
        bodies->vy[body] = item->listed[k].velocity.y;
        bodies->radius[body] = item->listed[k].shape.radius;
    }
    return body;
}

static void draw(const qdi_settings *settings, qdi_generated *bodies) {
    size_t body = 0;
    for (size_t i = 0; i < settings->item_count; ++i) {
        const qdi_disks *item = &settings->items[i];
        if (item->kind == QDI_ITEM_FILE) body = copy_rows(&item->file.bodies, bodies, body);
        if (item->kind == QDI_ITEM_LIST) body = copy_listed(item, bodies, body);
        for (uint64_t k = 0; is_generator(item) && k < item->count; ++k, ++body) {
            qd_vec2 velocity = velocity_of(&item->velocity, settings->run.seed, body);
            bodies->radius[body] = radius_of(&item->radius, settings->run.seed, body);
            bodies->vx[body] = velocity.x;
            bodies->vy[body] = velocity.y;
        }
    }
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
        area += 3.14159265358979312 * radius * radius;
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
        if (item->count > 0 && !both[axis].seam && diameter > both[axis].length)
            return qdi_reason(placing->error, QD_ERR_INVALID,
                              "bodies.%zu: a disk of diameter %s does not fit into the region (%s)", number,
                              rounded(diameter, text), rounded(both[axis].length, more));
    if (area > both[0].length * both[1].length)
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "bodies.%zu: the disks have %s times the area of the region", number,
                          rounded(area / (both[0].length * both[1].length), text));
    return QD_OK;
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

static qd_status place_grid(placement *placing, size_t number, size_t first) {
    const qdi_disks *item = &placing->settings->items[number];
    qdi_generated *bodies = placing->bodies;
    size_t count = (size_t)item->count;
    if (count == 0) return QD_OK;
    interval both[2];
    intervals_of(placing->settings, item, both);
    size_t columns = best_columns(count, both[0].length, both[1].length);
    size_t rows = (count + columns - 1) / columns;
    double across = both[0].length / (double)columns, up = both[1].length / (double)rows;
    double smaller = across < up ? across : up, largest = 0;
    for (size_t i = first; i < first + count; ++i)
        if (bodies->radius[i] > largest) largest = bodies->radius[i];
    char text[QDI_NUMBER_ROOM], more[QDI_NUMBER_ROOM];
    if (2 * largest > smaller * clearance)
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "bodies.%zu: rows of %zu disks leave %s for each, the largest has diameter %s; "
                          "ask for fewer or smaller",
                          number, count, rounded(smaller, text), rounded(2 * largest, more));
    for (size_t i = 0; i < count; ++i) {
        bodies->x[first + i] = both[0].low + across * ((double)(i % columns) + 0.5);
        bodies->y[first + i] = both[1].low + up * ((double)(i / columns) + 0.5);
        // Neighbours in the rows may touch, so rounding must be let pass.
        if (!qdi_cells_free(&placing->cells, bodies->x[first + i], bodies->y[first + i],
                            bodies->radius[first + i], 2 - clearance))
            return qdi_reason(placing->error, QD_ERR_INVALID,
                              "bodies.%zu: its rows overlap the disks of another item of bodies", number);
        qdi_cells_add(&placing->cells, first + i);
    }
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
static bool place_one(placement *placing, const interval both[2], size_t body) {
    qdi_generated *bodies = placing->bodies;
    double radius = bodies->radius[body];
    qd_random random = qd_random_at(placing->settings->run.seed, body, QDI_USE_POSITION);
    for (int attempt = 0; attempt < QDI_PLACE_TRIES; ++attempt) {
        double x = coordinate(&both[0], radius, qd_random_uniform(&random));
        double y = coordinate(&both[1], radius, qd_random_uniform(&random));
        if (!qdi_cells_free(&placing->cells, x, y, radius, clearance)) continue;
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
            if (is_generator(&settings->items[i]) && settings->items[i].place == QDI_PLACE_RANDOM)
                queue[count++] = (waiting){placing->bodies->radius[body], (uint32_t)body, i};
    if (count > 0) qsort(queue, count, sizeof *queue, compare_waiting);
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        interval both[2];
        intervals_of(settings, &settings->items[queue[i].item], both);
        if (!place_one(placing, both, queue[i].body)) status = not_all(placing, queue, i);
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
        for (uint64_t k = 0; !is_generator(&settings->items[i]) && k < settings->items[i].count; ++k)
            qdi_cells_add(&placing->cells, first + k);
    first = 0;
    for (size_t i = 0; i < settings->item_count; first += (size_t)settings->items[i++].count) {
        if (!is_generator(&settings->items[i])) continue;
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
    draw(settings, bodies);
    size_t generators = 0;
    for (size_t i = 0; i < settings->item_count; ++i) generators += is_generator(&settings->items[i]);
    if (generators == 0) return QD_OK;
    placement placing = {.settings = settings, .bodies = bodies, .error = error};
    qdi_cell_axis axis[2] = {{0, 0, false}, {0, 0, false}};
    extent_of(settings, axis);
    qd_status status = qdi_cells_init(&placing.cells, bodies->allocator, axis, bodies->x, bodies->y,
                                      bodies->radius, count);
    if (status == QD_OK) status = place_all(&placing);
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
