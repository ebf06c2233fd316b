// The points of a sweep, looked at one by one: their scenes, seeds and names, and which are the same.

#include "core/base/memory.h"
#include "sim/sweep/sweep_impl.h"
#include "sim/text/reason.h"

#include <quadrille/hash.h>
#include <quadrille/random.h>

#include <stdlib.h>
#include <string.h>

/// What the random numbers are for that seeds of replicas are made of.
static const uint32_t use_replica = 0x7265706cU;

/// Seeds have so many bits: every program that reads them as numbers then reads them exactly.
enum { SEED_BITS = 48 };

/// A plan while it is made.
typedef struct planner {
    const qdi_sweep *sweep;
    qdi_sweep_plan *plan;
    qd_error *error;
    // Of the point that replicas were looked at last: seed and number without the replica.
    uint64_t base, base_seed;
    bool has_base;
} planner;

// The seed of a replica of a sweep's point.
static uint64_t replica_seed(uint64_t seed, uint64_t replica) {
    qd_random random = qd_random_at(seed, replica, use_replica);
    return qd_random_bits(&random) >> (64 - SEED_BITS);
}

/// The base scene with the changes of a point. Errors: as qd_scene_read.
static qd_status open_scene(const qdi_sweep *sweep, uint64_t index, uint64_t seed, qd_scene **scene,
                            qd_error *error) {
    qdi_sweep_changes changes;
    qd_status status = qdi_sweep_changes_make(sweep, index, seed, &changes);
    if (status != QD_OK) return qdi_reason(error, status, "%s", qd_status_text(status));
    const char *base = qdi_sweep_scene(sweep);
    bool built_in = qd_scene_builtin_text(base) != NULL;
    status = built_in ? qd_scene_builtin(base, &changes.changes, scene, error)
                      : qd_scene_read(base, &changes.changes, scene, error);
    qdi_sweep_changes_free(&changes);
    return status;
}

/// True where the scene can be read and only what it says is wrong: then this point fails and others may not.
static bool is_points_fault(qd_status status) {
    return status == QD_ERR_ARGUMENT || status == QD_ERR_INVALID;
}

/// Sweep's plan: the seed of a replica: that of its first one, which may have to be looked at, and its
/// number.
static qd_status find_seed(planner *job, uint64_t index, uint64_t *seed, qd_error *why) {
    uint64_t replicas = qdi_sweep_replicas(job->sweep), base = index / replicas;
    if (index % replicas == 0) return QD_OK;
    if (!job->has_base || job->base != base) {
        qd_scene *scene = NULL;
        qd_status status = open_scene(job->sweep, base * replicas, 0, &scene, why);
        if (status != QD_OK) return status;
        job->base_seed = qd_scene_run_settings(scene).seed;
        job->base = base;
        job->has_base = true;
        qd_scene_destroy(scene);
    }
    *seed = replica_seed(job->base_seed, index % replicas + 1);
    return QD_OK;
}

/// The name of a point that has no scene: a hash of its changes.
static uint64_t name_without_scene(const qdi_sweep *sweep, uint64_t index) {
    uint64_t hash = qd_hash_bytes(qdi_sweep_scene(sweep), strlen(qdi_sweep_scene(sweep)));
    for (size_t i = 0; i < sweep->fixed_count; ++i)
        for (int part = 0; part < 2; ++part) {
            const char *text = sweep->texts.chars + (part ? sweep->fixed[i].value : sweep->fixed[i].key);
            hash = qd_hash_seeded(text, strlen(text) + 1, hash);
        }
    for (size_t i = 0; i < sweep->column_count; ++i) {
        const char *key = qdi_sweep_key(sweep, i), *value = qdi_sweep_value(sweep, index, i);
        hash = qd_hash_seeded(key, strlen(key) + 1, hash);
        hash = qd_hash_seeded(value, strlen(value) + 1, hash);
    }
    return qd_hash_mix(hash, qdi_sweep_replica(sweep, index));
}

// Keeps why a point of a sweep is not valid.
static qd_status keep_point_reason(qdi_sweep_plan *plan, qdi_sweep_point *point, const char *reason) {
    size_t bytes = strlen(reason) + 1;
    point->reason = qdi_allocate(plan->allocator, bytes, 1);
    if (!point->reason) return QD_ERR_MEMORY;
    memcpy(point->reason, reason, bytes);
    return QD_OK;
}

// Takes hash and settings of a point's scene into the plan of a sweep.
static void take_point_scene(planner *job, uint64_t index, qdi_sweep_point *point, const qd_scene *scene) {
    const qd_view view = qd_scene_view(scene);
    point->valid = true;
    point->id = qd_scene_hash(scene);
    point->run = qd_scene_run_settings(scene);
    for (size_t k = 0; k < qd_scene_stages(scene); ++k) { // the most frames that it may have
        const uint64_t every = qd_scene_stage_run(scene, k).frames_every, so_far = point->run.frames_every;
        if (every > 0 && (so_far == 0 || every < so_far)) point->run.frames_every = every;
    }
    point->bodies = qd_scene_bodies(scene);
    point->pixels = (uint64_t)view.width * (uint64_t)view.height;
    if (point->replica > 1) return;
    job->base = index / qdi_sweep_replicas(job->sweep);
    job->base_seed = point->run.seed;
    job->has_base = true;
}

// Plans one point of a sweep.
static qd_status plan_point(planner *job, uint64_t index) {
    qdi_sweep_plan *plan = job->plan;
    qd_status status = qdi_reserve(plan->allocator, &plan->points, &plan->room, plan->count, plan->count + 1,
                                   sizeof *plan->points);
    if (status != QD_OK) return status;
    qdi_sweep_point *point = &plan->points[plan->count++];
    *point = (qdi_sweep_point){.number = index + 1, .replica = qdi_sweep_replica(job->sweep, index)};
    qd_scene *scene = NULL;
    qd_error why = {""};
    uint64_t seed = 0;
    status = find_seed(job, index, &seed, &why);
    if (status == QD_OK) status = open_scene(job->sweep, index, seed, &scene, &why);
    if (status == QD_OK) status = qdi_sweep_fields_check(job->sweep, scene, &why);
    if (status == QD_OK) take_point_scene(job, index, point, scene);
    qd_scene_destroy(scene);
    if (status == QD_OK) return QD_OK;
    if (!is_points_fault(status)) return qdi_reason(job->error, status, "%s", why.text);
    point->id = name_without_scene(job->sweep, index);
    return keep_point_reason(plan, point, why.text);
}

/// A point by its name.
typedef struct named_point {
    uint64_t id;
    size_t place;
} named_point;

/// By name, then in the order of the points.
static int by_name(const void *a, const void *b) {
    const named_point *left = a, *right = b;
    if (left->id != right->id) return left->id < right->id ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

/// Names the first of each group of points that are the same run.
static qd_status find_twins(qdi_sweep_plan *plan) {
    if (plan->count < 2) return QD_OK;
    named_point *sorted = qdi_allocate(plan->allocator, plan->count, sizeof *sorted);
    if (!sorted) return QD_ERR_MEMORY;
    for (size_t i = 0; i < plan->count; ++i) sorted[i] = (named_point){plan->points[i].id, i};
    qsort(sorted, plan->count, sizeof *sorted, by_name);
    for (size_t i = 1, first = 0; i < plan->count; ++i)
        if (sorted[i].id == sorted[first].id)
            plan->points[sorted[i].place].twin = plan->points[sorted[first].place].number;
        else
            first = i;
    qdi_release(plan->allocator, sorted, plan->count, sizeof *sorted);
    return QD_OK;
}

qd_status qdi_sweep_plan_make(const qdi_sweep *sweep, uint64_t first, uint64_t every, qdi_sweep_plan *plan,
                              qd_error *error) {
    *plan = (qdi_sweep_plan){.allocator = sweep->allocator};
    planner job = {.sweep = sweep, .plan = plan, .error = error};
    uint64_t count = qdi_sweep_count(sweep);
    qd_status status = QD_OK;
    for (uint64_t index = first; index < count && status == QD_OK; index += every) {
        status = plan_point(&job, index);
        if (index > UINT64_MAX - every) break;
    }
    if (status == QD_OK) status = find_twins(plan);
    if (status == QD_ERR_MEMORY) (void)qdi_reason(error, status, "%s", qd_status_text(status));
    if (status != QD_OK) qdi_sweep_plan_free(plan);
    return status;
}

void qdi_sweep_plan_free(qdi_sweep_plan *plan) {
    for (size_t i = 0; i < plan->count; ++i)
        if (plan->points[i].reason)
            qdi_release(plan->allocator, plan->points[i].reason, strlen(plan->points[i].reason) + 1, 1);
    qdi_release(plan->allocator, plan->points, plan->room, sizeof *plan->points);
    *plan = (qdi_sweep_plan){.allocator = plan->allocator};
}
