#include "sim/scene/scene_apart.h"

#include "core/base/memory.h"
#include "sim/scene/generate_impl.h"
#include "sim/scene/scene_impl.h"
#include "sim/world/bodies.h"

/// Bodies at most of scenes of which every rank places all, to keep its own.
enum { DRAWN_MOST = 10000000 };

// Scene apart: whether an item's bodies can be made one without the others.
static bool is_by_number(const qdi_body_item *item) {
    return qdi_item_is_generator(item) && (item->place == QDI_PLACE_GRID || item->place == QDI_PLACE_CELLS);
}

// Scene apart: whether ranks have to place all bodies: where one lies that a generator makes depends on the
// others, but where a grid or cells are the only ones.
static bool is_drawn(const qdi_settings *settings) {
    size_t generators = 0, by_number = 0;
    for (size_t i = 0; i < settings->item_count; ++i) {
        generators += qdi_item_is_generator(&settings->items[i]);
        by_number += is_by_number(&settings->items[i]);
    }
    return generators != 1 || by_number != 1;
}

bool qdi_scene_can_be_apart(const qd_scene *scene) {
    const qdi_settings *settings = &scene->settings;
    uint64_t generators = 0, bodies = 0;
    if (settings->stage_count > 0 || settings->source_count > 0 || settings->drain_count > 0) return false;
    for (size_t i = 0; i < settings->item_count; ++i) {
        const qdi_body_item *item = &settings->items[i];
        const bool generator = qdi_item_is_generator(item);
        if (!generator && item->kind != QDI_ITEM_LIST && item->kind != QDI_ITEM_POLYLINE) return false;
        generators += generator;
        bodies += item->count;
    }
    return generators > 0 && (bodies <= DRAWN_MOST || !is_drawn(settings));
}

qd_status qdi_scene_begin_apart(const qd_scene *scene, qd_world *world) {
    world->last_label = scene->settings.last_label;
    return qdi_scene_put_materials(&scene->settings, world, NULL);
}

/// A part of a scene's bodies on its way.
typedef struct apart {
    qdi_ranks *ranks;
    const qdi_settings *settings;
    qd_world *world;
    qdi_settings fixed; ///< with those items alone that are no generator
    qdi_placement placing;
    qdi_generated bodies; ///< of those, or all
    size_t first, last;   ///< numbers of this rank's bodies
    bool drawn;           ///< `bodies` are all, and have their places; what follows is not needed
    size_t number, begin; ///< of the generator, and of its first body
    qdi_grid_rows rows;
} apart;

// ---- which ----

// Scene apart: the number of the first body of a rank: as many for each, but no item is cut that is no
// generator.
static size_t first_of(const apart *job, int rank) {
    size_t all = 0, begin = 0;
    for (size_t i = 0; i < job->settings->item_count; ++i) all += (size_t)job->settings->items[i].count;
    const size_t ranks = (size_t)qdi_ranks_count(job->ranks), me = (size_t)rank;
    const size_t cut = all / ranks * me + all % ranks * me / ranks;
    for (size_t i = 0; i < job->settings->item_count; ++i) {
        const qdi_body_item *item = &job->settings->items[i];
        const size_t end = begin + (size_t)item->count;
        if (cut > begin && cut < end && !qdi_item_is_generator(item)) return end;
        begin = end;
    }
    return cut;
}

// Scene apart: which bodies are this rank's, and the highest id before those that get one.
static void choose(apart *job, uint64_t *last_label) {
    const int me = qdi_ranks_me(job->ranks);
    size_t body = 0;
    job->first = first_of(job, me);
    job->last = first_of(job, me + 1);
    *last_label = job->settings->last_label;
    for (size_t i = 0; i < job->settings->item_count; ++i) {
        const qdi_body_item *item = &job->settings->items[i];
        const size_t end = body + (size_t)item->count;
        if (is_by_number(item)) {
            job->number = i;
            job->begin = body;
        }
        if (item->kind != QDI_ITEM_LIST)
            *last_label += (end < job->first ? end : job->first) - (body < job->first ? body : job->first);
        for (size_t k = 0; item->kind == QDI_ITEM_LIST && k < item->count && body + k < job->first; ++k)
            *last_label += item->listed[k].def.label == 0;
        body = end;
    }
}

// ---- where ----

// Scene apart: keeps the larger ones.
static void keep_larger(void *sum, const void *other, size_t bytes) {
    qd_vec2 *most = sum;
    const qd_vec2 *more = other;
    (void)bytes;
    if (more->x > most->x) most->x = more->x;
    if (more->y > most->y) most->y = more->y;
}

// Scene apart: the generator's bodies that are this rank's: numbers in the scene.
static void own_of_generator(const apart *job, size_t *low, size_t *high) {
    const size_t end = job->begin + (size_t)job->settings->items[job->number].count;
    *low = job->first > job->begin ? job->first : job->begin;
    *high = job->last < end ? job->last : end;
}

// Scene apart: finds the rows, for which the largest body of all ranks counts.
static qd_status find_rows(apart *job) {
    const qdi_body_item *item = &job->settings->items[job->number];
    const uint64_t seed = job->settings->run.seed;
    qd_vec2 mine = {0, 0}, most;
    size_t low, high;
    own_of_generator(job, &low, &high);
    for (size_t body = low; body < high; ++body) {
        const qd_vec2 box = qdi_item_box(item, seed, body, qdi_item_reach(item, seed, body));
        keep_larger(&mine, &box, sizeof box);
    }
    qd_status status = qdi_ranks_merged(job->ranks, &mine, &most, sizeof mine, keep_larger);
    if (status != QD_OK || item->count == 0) return status;
    status = qdi_find_rows(&job->placing, job->number, most, &job->rows);
    // Shapes that fill their region to the last bit may or may not have more area than it.
    if (item->kind != QDI_ITEM_DISKS && most.x * most.y > 0.99 * job->rows.room.x * job->rows.room.y)
        status = QD_ERR_INVALID;
    return status;
}

// Scene apart: finds what the generator's bodies keep clear of.
static qd_status find_obstacles(apart *job) {
    const qd_allocator *allocator = job->world->allocator;
    qdi_settings *fixed = &job->fixed;
    *fixed = *job->settings;
    fixed->items = qdi_allocate(allocator, job->settings->item_count, sizeof *fixed->items);
    if (!fixed->items) return QD_ERR_MEMORY;
    fixed->item_count = 0;
    size_t count = 0;
    for (size_t i = 0; i < job->settings->item_count; ++i) {
        if (i == job->number) continue;
        fixed->items[fixed->item_count++] = job->settings->items[i];
        count += (size_t)job->settings->items[i].count;
    }
    job->bodies.count = count;
    double **arrays[] = {&job->bodies.x, &job->bodies.y, &job->bodies.vx, &job->bodies.vy,
                         &job->bodies.radius};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k] = qdi_allocate(allocator, count, sizeof(double));
        if (count > 0 && !*arrays[k]) return QD_ERR_MEMORY;
    }
    qdi_generate_draw(fixed, &job->bodies);
    qdi_cell_axis axis[2] = {{0, 0, false}, {0, 0, false}};
    qdi_place_extent(job->settings, axis);
    qd_status status = qdi_cells_init(&job->placing.cells, allocator, axis, job->bodies.x, job->bodies.y,
                                      job->bodies.radius, count);
    for (size_t k = 0; status == QD_OK && k < count; ++k)
        if (job->bodies.radius[k] > 0) qdi_cells_add(&job->placing.cells, k);
    return status == QD_OK ? qdi_obstacles_init(&job->placing.obstacles, allocator, fixed) : status;
}

// Scene apart: finds where bodies lie: all of them, or what the generator's keep clear of.
static qd_status find_places(apart *job) {
    qd_error error = {""}; // who makes all bodies can say it, too
    if (job->drawn) return qdi_generate(job->settings, &job->bodies, &error);
    const qd_status status = find_obstacles(job);
    return status == QD_OK ? find_rows(job) : status;
}

// ---- bodies ----

// Scene apart: whether a body of the generator is clear of what is in its place.
static bool is_free(const apart *job, const qdi_body_item *item, size_t body, qd_vec2 at, double radius) {
    const uint64_t seed = job->settings->run.seed;
    const double room = 2 - QDI_CLEARANCE; // as where all bodies are made
    if (!qdi_cells_free(&job->placing.cells, at.x, at.y, radius, room)) return false;
    if (job->placing.obstacles.count == 0) return true;
    const qd_shape shape = qdi_item_shape(item, seed, body, radius);
    return qdi_obstacles_free(&job->placing.obstacles, &shape, at, qdi_item_angle(item, seed, body),
                              (room - 1) * radius);
}

// Scene apart: adds body number `body` of the scene, one of the generator's.
static qd_status add_generated(const apart *job, size_t body) {
    const qdi_body_item *item = &job->settings->items[job->number];
    const uint64_t seed = job->settings->run.seed;
    const double radius = qdi_item_reach(item, seed, body);
    const qd_vec2 box = qdi_item_box(item, seed, body, radius);
    const qd_vec2 middle = qdi_place_in_grid(&job->rows, body - job->begin),
                  stray = qdi_stray_in_cell(item, seed, body, box, job->rows.room);
    const qd_vec2 at = item->place == QDI_PLACE_CELLS ? (qd_vec2){middle.x + stray.x, middle.y + stray.y}
                                                      : middle;
    if (!is_free(job, item, body, at, radius)) return QD_ERR_INVALID;
    const qd_body_def def = qdi_item_body(job->settings, item, body, at, qdi_item_velocity(item, seed, body),
                                          radius);
    return qd_world_add(job->world, &def, NULL, NULL);
}

// Scene apart: adds this rank's bodies of an item, of which those of the numbers [low, high) are its own.
static qd_status add_item(const apart *job, size_t i, size_t begin, size_t low, size_t high) {
    const qdi_body_item *item = &job->settings->items[i];
    qd_status status = QD_OK;
    if (item->kind == QDI_ITEM_POLYLINE && low < high)
        return qdi_scene_add_polyline(job->world, job->settings, item, NULL);
    for (size_t body = low; body < high && status == QD_OK; ++body) {
        if (job->drawn) {
            status = qdi_scene_add_body(job->world, job->settings, item, body - begin, &job->bodies, body,
                                        NULL);
        } else if (i == job->number) {
            status = add_generated(job, body);
        } else {
            const qd_body_def def = qdi_listed_body(job->settings, &item->listed[body - begin]);
            status = qd_world_add(job->world, &def, NULL, NULL);
        }
    }
    return status;
}

// Scene apart: adds this rank's bodies.
static qd_status add_bodies(const apart *job) {
    qd_status status = QD_OK;
    size_t begin = 0;
    for (size_t i = 0; i < job->settings->item_count && status == QD_OK; ++i) {
        const size_t end = begin + (size_t)job->settings->items[i].count;
        const size_t low = job->first > begin ? job->first : begin, high = job->last < end ? job->last : end;
        status = add_item(job, i, begin, low, high);
        begin = end;
    }
    return status;
}

qd_status qdi_scene_make_apart(qdi_ranks *ranks, const void *said, size_t bytes, qd_world *world,
                               uint64_t *first) {
    const qd_allocator *allocator = world->allocator;
    qd_scene *scene = NULL;
    qd_status status = qdi_scene_parse_with(allocator, said, bytes, "scene.yaml", NULL, &scene, NULL);
    if (status != QD_OK) return status;
    apart job = {.ranks = ranks, .settings = &scene->settings, .world = world};
    job.drawn = is_drawn(job.settings);
    job.bodies.allocator = job.placing.cells.allocator = job.placing.obstacles.allocator = allocator;
    job.placing.settings = &scene->settings;
    choose(&job, &world->last_label);
    *first = job.first;
    status = find_places(&job);
    if (status == QD_OK) status = qdi_bodies_reserve(world, job.last - job.first, job.last - job.first);
    if (status == QD_OK) status = add_bodies(&job);
    if (status == QD_ERR_VALUE) status = QD_ERR_INVALID;
    qdi_obstacles_release(&job.placing.obstacles);
    qdi_cells_release(&job.placing.cells);
    qdi_generated_release(&job.bodies);
    qdi_release(allocator, job.fixed.items, scene->settings.item_count, sizeof *job.fixed.items);
    qd_scene_destroy(scene);
    return status;
}
