// The beginning of a stage: a world of the stage before becomes one of this. What is done depends on the
// world's state and the scene alone, and goes by bodies' indices, not by their rows.

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/scene/scene_impl.h"
#include "sim/world/bodies.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <quadrille/displacement.h>
#include <stdlib.h>
#include <string.h>

/// Ids from one to another.
typedef struct id_range {
    uint64_t first, last;
} id_range;

typedef struct stage_job {
    const qd_scene *scene;
    size_t number;
    const uint64_t *first_ids;
    qd_world *world;
    id_range *ranges; ///< of the items that have a name, in order
    size_t range_count, range_room;
    qd_id *picked;
    size_t picked_count, picked_room;
} stage_job;

// ---- which ids an item has ----

// Adds a range of ids, or makes the last one longer.
static qd_status add_range(stage_job *job, uint64_t first, uint64_t last) {
    if (job->range_count > 0 && job->ranges[job->range_count - 1].last + 1 == first) {
        job->ranges[job->range_count - 1].last = last;
        return QD_OK;
    }
    qd_status status = qdi_reserve(job->scene->allocator, &job->ranges, &job->range_room, job->range_count,
                                   job->range_count + 1, sizeof *job->ranges);
    if (status == QD_OK) job->ranges[job->range_count++] = (id_range){first, last};
    return status;
}

/// The ids of body number `k` of an item: its own, or the next one.
static uint64_t id_of(const qdi_body_item *item, size_t k, uint64_t *next) {
    uint64_t own = 0;
    if (item->kind == QDI_ITEM_FILE) own = item->file.bodies.rows[k].label;
    if (item->kind == QDI_ITEM_RUN) own = item->run.bodies[k].label;
    return own ? own : (*next)++;
}

// Adds the ids of those items of a scene or stage that have a name; `next` is the id of the first body.
static qd_status add_item_ids(stage_job *job, const qdi_settings *of, const char *name, uint64_t next) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < of->item_count; ++i) {
        const qdi_body_item *item = &of->items[i];
        const bool whole = strcmp(item->name, name) == 0;
        for (size_t k = 0; k < item->count && status == QD_OK; ++k) {
            const uint64_t id = id_of(item, k, &next);
            if (whole || (k < item->listed_count && strcmp(item->listed[k].name, name) == 0))
                status = add_range(job, id, id);
        }
    }
    return status;
}

// Order of ranges of ids.
static int compare_ranges(const void *left, const void *right) {
    const id_range *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

// Finds the ids of all bodies of items with this name that were ever made.
static qd_status find_ids(stage_job *job, const char *name) {
    const qdi_settings *scene = &job->scene->settings;
    job->range_count = 0;
    qd_status status = add_item_ids(job, scene, name, scene->last_label + 1);
    for (size_t k = 1; k < job->number && status == QD_OK; ++k)
        status = add_item_ids(job, &scene->stages[k].settings, name, job->first_ids[k]);
    if (job->range_count > 1) qsort(job->ranges, job->range_count, sizeof *job->ranges, compare_ranges);
    return status;
}

// Whether an id is in one of the ranges.
static bool is_in_ranges(const stage_job *job, uint64_t id) {
    size_t low = 0, high = job->range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (job->ranges[middle].last < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < job->range_count && job->ranges[low].first <= id;
}

// ---- which bodies are picked ----

// Whether all that is said of a pick holds for a body.
static bool is_picked(const stage_job *job, const qdi_pick *pick, uint32_t row) {
    const qd_world *world = job->world;
    const uint64_t id = world->label[row];
    const double x = world->now.x[row], y = world->now.y[row];
    const qdi_region *region = &pick->region;
    if (pick->id > 0 && id != pick->id) return false;
    if (!isnan(pick->ids.x) && ((double)id < pick->ids.x || (double)id > pick->ids.y)) return false;
    if (!isnan(region->width) && !(x >= region->x && x <= region->x + region->width && y >= region->y &&
                                   y <= region->y + region->height))
        return false;
    return !pick->item[0] || is_in_ranges(job, id);
}

// Lists the bodies of a pick by their indices.
static qd_status pick_bodies(stage_job *job, const qdi_pick *pick) {
    const qd_world *world = job->world;
    qd_status status = pick->item[0] ? find_ids(job, pick->item) : QD_OK;
    if (status == QD_OK)
        status = qdi_reserve(job->scene->allocator, &job->picked, &job->picked_room, 0, world->count,
                             sizeof *job->picked);
    job->picked_count = 0;
    for (size_t i = 0; i < world->index_count && status == QD_OK; ++i) {
        const uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW || !is_picked(job, pick, row)) continue;
        job->picked[job->picked_count++] = (qd_id){(uint32_t)i, world->generation[row]};
    }
    return status;
}

// ---- what happens to them ----

// Removes all bodies that the stage removes.
static qd_status remove_picked(stage_job *job, const qdi_stage *stage) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < stage->removal_count && status == QD_OK; ++i) {
        status = pick_bodies(job, &stage->removals[i]);
        for (size_t k = 0; k < job->picked_count && status == QD_OK; ++k)
            status = qd_world_remove(job->world, job->picked[k]);
    }
    return status;
}

// Changes one body.
static qd_status change_body(stage_job *job, const qdi_body_change *change, qd_id id, qd_error *error) {
    qd_body_state state;
    qd_status status = qd_world_body(job->world, id, &state);
    const bool was_dynamic = state.kind == QD_BODY_DYNAMIC;
    double density = change->density;
    if (change->kind == QDI_KIND_DYNAMIC) state.kind = QD_BODY_DYNAMIC;
    if (change->kind == QDI_KIND_STATIC) state.kind = QD_BODY_STATIC;
    if (change->kind == QDI_KIND_KINEMATIC) state.kind = QD_BODY_KINEMATIC;
    if (change->material > 0)
        state.material = (qd_material){(double)NAN, (double)NAN, (double)NAN, change->material};
    if (!isnan(change->velocity.x)) state.velocity = change->velocity;
    if (!isnan(change->spin)) state.spin = change->spin;
    if (state.kind != QD_BODY_KINEMATIC) state.pivot = (qd_vec2){(double)NAN, (double)NAN};
    if (state.kind == QD_BODY_DYNAMIC) state.slide = 0;
    if (state.kind == QD_BODY_DYNAMIC && !was_dynamic)
        density = qdi_scene_density(&job->scene->settings, density, state.material.of);
    return status == QD_OK ? qdi_body_replace(job->world, &state, density, error) : status;
}

// Changes all bodies that the stage changes.
static qd_status change_picked(stage_job *job, const qdi_stage *stage, qd_error *error) {
    qd_status status = QD_OK;
    qd_error reason = {""};
    for (size_t i = 0; i < stage->change_count; ++i) {
        status = pick_bodies(job, &stage->changes[i].pick);
        for (size_t k = 0; k < job->picked_count && status == QD_OK; ++k) {
            status = change_body(job, &stage->changes[i], job->picked[k], &reason);
            if (status != QD_OK)
                (void)qdi_reason(error, status, "change.%zu: %.300s", i,
                                 reason.text[0] ? reason.text : qd_status_text(status));
        }
        if (status != QD_OK) break;
    }
    return status;
}

// Fills in the bodies that there are, so that generators keep clear of them.
static qd_status list_bodies(stage_job *job, qdi_item_run *run) {
    const qd_world *world = job->world;
    const qd_allocator *allocator = job->scene->allocator;
    run->bodies = qdi_allocate(allocator, world->count + 1, sizeof *run->bodies);
    if (!run->bodies) return QD_ERR_MEMORY;
    run->body_room = world->count + 1;
    run->world = job->world;
    for (size_t i = 0; i < world->index_count; ++i) {
        const uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW) continue;
        run->bodies[run->count++] = (qdi_run_body){{(uint32_t)i, world->generation[row]}, world->label[row]};
    }
    return QD_OK;
}

/// Adds the bodies of a stage. What is in the world stands behind them in the list of items, as bodies that
/// have their places.
static qd_status add_bodies(stage_job *job, const qdi_stage *stage, qd_error *error) {
    const qd_allocator *allocator = job->scene->allocator;
    qdi_settings settings = stage->settings;
    const size_t own = settings.item_count;
    if (own == 0) return QD_OK;
    settings.items = qdi_allocate(allocator, own + 1, sizeof *settings.items);
    if (!settings.items) return QD_ERR_MEMORY;
    memcpy(settings.items, stage->settings.items, own * sizeof *settings.items);
    qdi_body_item *there = &settings.items[own];
    *there = qdi_disks_default();
    there->kind = QDI_ITEM_RUN;
    there->run = (qdi_item_run){.step = 0};
    qd_status status = list_bodies(job, &there->run);
    there->count = there->run.count;
    settings.item_count = own + 1;
    // Other random numbers than those of the scene and of other stages.
    settings.run.seed += (uint64_t)job->number * UINT64_C(0x9e3779b97f4a7c15);
    if (status == QD_OK) status = qdi_scene_add_items(allocator, &settings, own, job->world, error);
    qdi_release(allocator, there->run.bodies, there->run.body_room, sizeof *there->run.bodies);
    qdi_release(allocator, settings.items, own + 1, sizeof *settings.items);
    return status;
}

// Gives the world the stage's values, and its emitters and sinks where it has its own.
static qd_status change_world(stage_job *job, const qdi_stage *stage, qd_error *error) {
    qd_world *world = job->world;
    qd_world_def def = stage->settings.world;
    def.seed = qd_world_definition(world).seed;
    qd_status status = qd_world_change(world, &def, error);
    if (status == QD_OK && stage->emits) status = qd_world_clear_emitters(world);
    if (status == QD_OK && stage->emits)
        status = qdi_scene_add_sources(&stage->settings, world, qd_world_time(world), error);
    if (status == QD_OK && stage->drains) status = qd_world_clear_sinks(world);
    if (status == QD_OK && stage->drains) status = qdi_scene_add_drains(&stage->settings, world, error);
    return status;
}

qd_status qd_scene_begin_stage(const qd_scene *scene, size_t number, const uint64_t *first_ids,
                               qd_world *world, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = 0;
    if (!scene || !world || !first_ids || number < 1 || number >= scene->settings.stage_count)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no scene or world, or no such stage");
    const qdi_stage *stage = &scene->settings.stages[number];
    stage_job job = {.scene = scene, .number = number, .first_ids = first_ids, .world = world};
    qd_error reason = {""};
    qd_world_set_stage(world, number);
    qd_status status = remove_picked(&job, stage);
    if (status == QD_OK) status = change_world(&job, stage, &reason);
    if (status == QD_OK) status = change_picked(&job, stage, &reason);
    if (status == QD_OK) status = add_bodies(&job, stage, &reason);
    if (status == QD_OK) status = qd_world_follow(world, stage->settings.run.record_structure);
    qdi_release(scene->allocator, job.ranges, job.range_room, sizeof *job.ranges);
    qdi_release(scene->allocator, job.picked, job.picked_room, sizeof *job.picked);
    if (status == QD_OK) return status;
    if (status == QD_ERR_VALUE || status == QD_ERR_NOT_FOUND) status = QD_ERR_INVALID;
    return qdi_reason(error, status, "stages.%s: %.400s", stage->name,
                      reason.text[0] ? reason.text : qd_status_text(status));
}
