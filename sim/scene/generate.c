#include "sim/scene/generate.h"

#include "core/base/memory.h"
#include "sim/scene/generate_impl.h"
#include "sim/text/number.h"

#include <quadrille/random.h>

#include <math.h>
#include <stdlib.h>

/// A disk that waits to be placed.
typedef struct waiting {
    double radius;
    uint32_t body, item;
} waiting;

const char *qdi_place_rounded(double value, char text[QDI_NUMBER_ROOM]) {
    double per_unit = 1000;
    while (value > 0 && value * per_unit < 100 && per_unit < 1e300) per_unit *= 10;
    qdi_number_write(floor(value * per_unit + 0.5) / per_unit, text);
    return text;
}

const char *qdi_items_word(const qdi_settings *settings) {
    return settings->stage > 0 ? "add" : "bodies";
}

const char *qdi_generator_word(qdi_item_kind kind) {
    static const char *const words[] = {"", "disks", "rects", "capsules", "polygons"};
    return words[kind];
}

bool qdi_place_in_rows(const qdi_body_item *item) {
    return item->place == QDI_PLACE_GRID || item->place == QDI_PLACE_PYRAMID ||
           item->place == QDI_PLACE_CELLS;
}

// ---- where

// The interval of an axis in which generated bodies are placed.
static qdi_interval placing_interval(qd_boundary boundary, double low, double length, double world_low,
                                     double world_length) {
    qdi_interval result = {low, length, false};
    if (boundary == QD_BOUNDARY_OPEN) return result;
    // The reader lets regions pass that reach out by rounding alone.
    double high = low + length < world_low + world_length ? low + length : world_low + world_length;
    result.low = low > world_low ? low : world_low;
    result.length = high - result.low;
    result.seam = boundary == QD_BOUNDARY_PERIODIC && length >= world_length * (1 - 1e-12);
    if (result.seam) result = (qdi_interval){world_low, world_length, true};
    return result;
}

void qdi_place_intervals(const qdi_settings *settings, const qdi_body_item *item, qdi_interval both[2]) {
    const qd_world_def *world = &settings->world;
    const qdi_region *region = &item->region;
    both[0] = placing_interval(world->boundary_x, region->x, region->width, world->origin.x, world->size.x);
    both[1] = placing_interval(world->boundary_y, region->y, region->height, world->origin.y, world->size.y);
}

/// Scene's generators: refuses disks of more area than the region has; `least`: they have at least so much.
static qd_status check_area(const qdi_settings *settings, const qdi_interval both[2], double area, bool least,
                            size_t number, qd_error *error) {
    const double region = both[0].length * both[1].length;
    char text[QDI_NUMBER_ROOM];
    if (!(area > region)) return QD_OK;
    const qdi_body_item *item = &settings->items[number];
    const char *which = item->kind == QDI_ITEM_DISKS ? "the disks"
                        : qdi_place_in_rows(item)    ? "the bodies"
                                                     : "the disks about the bodies, which lie at any angle,";
    return qdi_reason(error, QD_ERR_INVALID, "%s.%zu: %s have %s%s times the area of the region",
                      qdi_items_word(settings), number, which, least ? "at least " : "",
                      qdi_place_rounded(area / region, text));
}

/// Scene's generators: refuses disks that are too large for the region or for a periodic world, and more
/// disks than the region has area for.
static qd_status check_sizes(qdi_placement *placing, size_t number, size_t first) {
    const qdi_body_item *item = &placing->settings->items[number];
    const qd_world_def *world = &placing->settings->world;
    double largest = 0, area = 0;
    for (size_t i = first; i < first + item->count; ++i) {
        double radius = placing->bodies->radius[i];
        if (radius > largest) largest = radius;
        if (radius > 0 && item->kind != QDI_ITEM_DISKS && qdi_place_in_rows(item)) {
            qd_shape shape = qdi_item_shape(item, placing->settings->run.seed, i, 0);
            area += qd_shape_area(&shape);
        } else {
            area += 3.14159265358979312 * radius * radius;
        }
    }
    qdi_interval both[2];
    qdi_place_intervals(placing->settings, item, both);
    char text[QDI_NUMBER_ROOM], more[QDI_NUMBER_ROOM];
    double diameter = 2 * largest;
    if ((world->boundary_x == QD_BOUNDARY_PERIODIC && diameter > world->size.x / 2) ||
        (world->boundary_y == QD_BOUNDARY_PERIODIC && diameter > world->size.y / 2))
        return qdi_reason(placing->error, QD_ERR_INVALID,
                          "%s.%zu: a disk of diameter %s is longer than half the periodic world",
                          qdi_items_word(placing->settings), number, qdi_place_rounded(diameter, text));
    for (int axis = 0; axis < 2; ++axis)
        if (item->count > 0 && (item->kind == QDI_ITEM_DISKS || !qdi_place_in_rows(item)) &&
            !both[axis].seam && diameter > both[axis].length)
            return qdi_reason(placing->error, QD_ERR_INVALID,
                              "%s.%zu: a disk of diameter %s does not fit into the region (%s)",
                              qdi_items_word(placing->settings), number, qdi_place_rounded(diameter, text),
                              qdi_place_rounded(both[axis].length, more));
    return check_area(placing->settings, both, area, false, number, placing->error);
}

bool qdi_place_is_free(const qdi_placement *placing, const qdi_body_item *item, size_t body, qd_vec2 at,
                       double room) {
    double radius = placing->bodies->radius[body];
    if (!qdi_cells_free(&placing->cells, at.x, at.y, radius, room)) return false;
    if (placing->obstacles.count == 0) return true;
    uint64_t seed = placing->settings->run.seed;
    qd_shape shape = qdi_item_shape(item, seed, body, radius);
    return qdi_obstacles_free(&placing->obstacles, &shape, at, qdi_item_angle(item, seed, body),
                              (room - 1) * radius);
}

// ---- random

// A coordinate of a generated body, from a random number.
static double place_coordinate(const qdi_interval *within, double radius, double u) {
    if (!within->seam) {
        double free = within->length - 2 * radius * QDI_CLEARANCE;
        return within->low + radius * QDI_CLEARANCE + u * (free > 0 ? free : 0);
    }
    double value = within->low + u * within->length;
    return value < within->low + within->length ? value : within->low;
}

/// A place for a generated body in one of the clusters of item `number`, which may be outside the region.
static qd_vec2 place_in_cluster(const qdi_placement *placing, size_t number, const qdi_interval both[2],
                                qd_random *random) {
    const qdi_body_item *item = &placing->settings->items[number];
    uint64_t cluster = (uint64_t)(qd_random_uniform(random) * item->cluster_count);
    qd_random middle = qd_random_at(placing->settings->run.seed, (uint64_t)number << 32 | cluster,
                                    QDI_USE_CLUSTER);
    double x = both[0].low + qd_random_uniform(&middle) * both[0].length;
    double y = both[1].low + qd_random_uniform(&middle) * both[1].length;
    double shorter = both[0].length < both[1].length ? both[0].length : both[1].length;
    qd_vec2 spread = item->cluster_spread;
    double sigma = shorter * (spread.x + qd_random_uniform(&middle) * (spread.y - spread.x));
    x += sigma * qd_random_normal(random);
    y += sigma * qd_random_normal(random);
    return (qd_vec2){x, y};
}

/// Scene's generators: brings a coordinate through the seam, where there is one; false where a body would
/// stick out of the interval.
static bool bring_in(const qdi_interval *within, double radius, double *at) {
    double low = within->low, high = within->low + within->length, room = radius * QDI_CLEARANCE;
    if (!within->seam) return *at >= low + room && *at <= high - room;
    *at -= within->length * floor((*at - low) / within->length);
    if (*at < low || *at >= high) *at = low; // rounding
    return true;
}

/// Scene's generators: true where a body is within the largest disk of the region.
static bool in_round(const qdi_interval both[2], qd_vec2 at, double radius) {
    double shorter = both[0].length < both[1].length ? both[0].length : both[1].length;
    double room = 0.5 * shorter - radius * QDI_CLEARANCE;
    double x = at.x - (both[0].low + 0.5 * both[0].length), y = at.y - (both[1].low + 0.5 * both[1].length);
    return room >= 0 && x * x + y * y <= room * room;
}

/// Looks for a free place; false when it has tried often enough.
static bool place_one(qdi_placement *placing, size_t number, const qdi_interval both[2], size_t body) {
    const qdi_body_item *item = &placing->settings->items[number];
    qdi_generated *bodies = placing->bodies;
    double radius = bodies->radius[body];
    qd_random random = qd_random_at(placing->settings->run.seed, body, QDI_USE_POSITION);
    for (int attempt = 0; attempt < QDI_PLACE_TRIES; ++attempt) {
        qd_vec2 at;
        if (item->place == QDI_PLACE_CLUSTERS) {
            at = place_in_cluster(placing, number, both, &random);
            if (!bring_in(&both[0], radius, &at.x) || !bring_in(&both[1], radius, &at.y)) continue;
        } else {
            at.x = place_coordinate(&both[0], radius, qd_random_uniform(&random));
            at.y = place_coordinate(&both[1], radius, qd_random_uniform(&random));
        }
        if (item->round && !in_round(both, at, radius)) continue;
        if (!qdi_place_is_free(placing, item, body, at, QDI_CLEARANCE)) continue;
        bodies->x[body] = at.x;
        bodies->y[body] = at.y;
        qdi_cells_add(&placing->cells, body);
        return true;
    }
    return false;
}

/// Scene's generators: largest first; of equal ones the one with the lower number.
static int compare_waiting(const void *left, const void *right) {
    const waiting *a = left, *b = right;
    if (a->radius != b->radius) return a->radius > b->radius ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

/// Says how many of the generator's disks found a place before number `stopped` of the queue did not.
static qd_status not_all(const qdi_placement *placing, const waiting *queue, size_t stopped) {
    uint32_t number = queue[stopped].item;
    const qdi_body_item *item = &placing->settings->items[number];
    size_t placed = 0;
    double area = 0;
    for (size_t i = 0; i < stopped; ++i) {
        if (queue[i].item != number) continue;
        ++placed;
        area += 3.14159265358979312 * queue[i].radius * queue[i].radius;
    }
    char text[QDI_NUMBER_ROOM];
    return qdi_reason(placing->error, QD_ERR_INVALID,
                      "%s.%u: placed %zu of %zu disks without overlap (area fraction %s of the "
                      "region); ask for fewer or smaller",
                      qdi_items_word(placing->settings), (unsigned)number, placed, (size_t)item->count,
                      qdi_place_rounded(area / (item->region.width * item->region.height), text));
}

// Places generated bodies at random without overlap.
static qd_status place_random(qdi_placement *placing) {
    const qdi_settings *settings = placing->settings;
    const qd_allocator *allocator = placing->bodies->allocator;
    size_t total = placing->bodies->count, count = 0, body = 0;
    waiting *queue = qdi_allocate(allocator, total, sizeof *queue);
    if (!queue) return QD_ERR_MEMORY;
    for (uint32_t i = 0; i < settings->item_count; ++i)
        for (uint64_t k = 0; k < settings->items[i].count; ++k, ++body)
            if (qdi_item_is_generator(&settings->items[i]) && !qdi_place_in_rows(&settings->items[i]))
                queue[count++] = (waiting){placing->bodies->radius[body], (uint32_t)body, i};
    if (count > 0) qsort(queue, count, sizeof *queue, compare_waiting);
    qd_status status = QD_OK;
    for (size_t i = 0; i < count && status == QD_OK; ++i) {
        qdi_interval both[2];
        qdi_place_intervals(settings, &settings->items[queue[i].item], both);
        if (!place_one(placing, queue[i].item, both, queue[i].body)) status = not_all(placing, queue, i);
    }
    qdi_release(allocator, queue, total, sizeof *queue);
    return status;
}

// ---- all

void qdi_place_extent(const qdi_settings *settings, qdi_cell_axis axis[2]) {
    const qd_boundary boundary[2] = {settings->world.boundary_x, settings->world.boundary_y};
    for (size_t i = 0; i < settings->item_count; ++i) {
        qdi_interval both[2];
        qdi_place_intervals(settings, &settings->items[i], both);
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

// Places the bodies of all generators of a scene.
static qd_status place_generated(qdi_placement *placing) {
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
        if (status == QD_OK && qdi_place_in_rows(&settings->items[i]))
            status = qdi_place_rows(placing, i, first);
        if (status != QD_OK) return status;
    }
    return place_random(placing);
}

/// Scene's generators: refuses more disks than the region has area for, whatever their radii are drawn,
/// before there is memory for each of them.
static qd_status check_counts(const qdi_settings *settings, qd_error *error) {
    for (size_t i = 0; i < settings->item_count; ++i) {
        const qdi_body_item *item = &settings->items[i];
        qdi_interval both[2];
        qdi_place_intervals(settings, item, both);
        const bool fixed = item->radius.form == QDI_RADIUS_FIXED;
        const double largest = 2 * (fixed ? item->radius.range.x : item->radius.range.y);
        if (item->kind != QDI_ITEM_DISKS || largest > both[0].length || largest > both[1].length) continue;
        const double least = item->radius.range.x;
        const double area = 3.14159265358979312 * least * least * (double)item->count;
        const qd_status status = check_area(settings, both, area, !fixed, i, error);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

qd_status qdi_generate(const qdi_settings *settings, qdi_generated *bodies, qd_error *error) {
    qd_status checked = check_counts(settings, error);
    if (checked != QD_OK) return checked;
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
    qdi_placement placing = {.settings = settings, .bodies = bodies, .error = error};
    qdi_cell_axis axis[2] = {{0, 0, false}, {0, 0, false}};
    qdi_place_extent(settings, axis);
    qd_status status = qdi_cells_init(&placing.cells, bodies->allocator, axis, bodies->x, bodies->y,
                                      bodies->radius, count);
    if (status == QD_OK) status = qdi_obstacles_init(&placing.obstacles, bodies->allocator, settings);
    if (status == QD_OK) status = place_generated(&placing);
    qdi_obstacles_release(&placing.obstacles);
    qdi_cells_release(&placing.cells);
    return status == QD_ERR_MEMORY ? qdi_reason(error, status, "out of memory") : status;
}

// Releases the generated bodies of a scene.
void qdi_generated_release(qdi_generated *bodies) {
    qdi_release(bodies->allocator, bodies->x, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->y, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->vx, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->vy, bodies->count, sizeof(double));
    qdi_release(bodies->allocator, bodies->radius, bodies->count, sizeof(double));
    *bodies = (qdi_generated){.allocator = bodies->allocator};
}
