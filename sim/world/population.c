// Bodies that leave the world: outside of open sides, and in sinks. See population.h for how a change is made
// and taken back.
//
// Shared between ranges: nothing; each writes the flags of its own rows. What may have to go is then looked
// at in order of index, so that a sink which does not take all takes the same ones for any team.

#include "sim/world/population.h"

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/energy_balance.h"
#include "sim/world/feature.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/scratch.h"
#include "sim/world/spots.h"
#include "sim/world/world_impl.h"

#include <math.h>

qd_sink_def qd_sink_def_default(void) {
    return (qd_sink_def){.cookie = QDI_COOKIE, .high = {1, 1}, .total = UINT64_MAX};
}

void qdi_population_release(qd_world *world) {
    qdi_population *all = world->population;
    const qd_allocator *allocator = world->allocator;
    if (!all) return;
    qdi_release(allocator, all->emitters, all->emitter_room, sizeof *all->emitters);
    qdi_release(allocator, all->sinks, all->sink_room, sizeof *all->sinks);
    qdi_release(allocator, all->newborn, all->newborn_room, sizeof *all->newborn);
    qdi_release(allocator, all->near, all->near_room, sizeof *all->near);
    qdi_release(allocator, all, 1, sizeof *all);
}

// ---- sinks ----

// Whether a coordinate lies in a sink's region.
static bool within_region(double value, double low, double high) {
    return value >= low && value <= high;
}

qd_status qdi_sink_check(const qd_sink_def *def, qd_error *error) {
    if (!qdi_is_sane(def->low.x) || !qdi_is_sane(def->low.y) || !qdi_is_sane(def->high.x) ||
        !qdi_is_sane(def->high.y))
        return qdi_reason(error, QD_ERR_VALUE, "a sink's region must be finite and within 1e30");
    if (!(def->low.x <= def->high.x && def->low.y <= def->high.y))
        return qdi_reason(error, QD_ERR_VALUE, "a sink's region has its corners the wrong way round");
    return QD_OK;
}

qd_status qdi_population_add_sink(qd_world *world, const qdi_sink *sink) {
    qd_status status = qdi_population_ensure(world);
    if (status != QD_OK) return status;
    qdi_population *all = world->population;
    if (all->sink_count >= QD_EMITTERS_MAX) return QD_ERR_LIMIT;
    status = qdi_reserve(world->allocator, &all->sinks, &all->sink_room, all->sink_count, all->sink_count + 1,
                         sizeof *all->sinks);
    if (status == QD_OK) all->sinks[all->sink_count++] = *sink;
    return status;
}

qd_status qd_world_add_sink(qd_world *world, const qd_sink_def *def, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !def || def->cookie != QDI_COOKIE)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no world, or no sink from qd_sink_def_default");
    qd_status status = qdi_sink_check(def, error);
    if (status != QD_OK) return status;
    status = qdi_population_add_sink(world, &(qdi_sink){.def = *def});
    if (status == QD_ERR_LIMIT)
        return qdi_reason(error, status, "a world has at most %d sinks", QD_EMITTERS_MAX);
    return status == QD_OK ? status : qdi_reason(error, status, "no memory for another sink");
}

qd_status qd_world_clear_sinks(qd_world *world) {
    if (!world) return QD_ERR_ARGUMENT;
    if (world->population) world->population->sink_count = 0;
    return QD_OK;
}

qd_status qd_world_sink(const qd_world *world, size_t number, uint64_t *taken) {
    if (!world->population || number >= world->population->sink_count) return QD_ERR_NOT_FOUND;
    *taken = world->population->sinks[number].taken;
    return QD_OK;
}

// ---- who goes ----

/// World's population: how a body reaches along the axes from its place in `next`.
static void reach_of(const qd_world *world, uint32_t row, qd_vec2 *low, qd_vec2 *high) {
    double radius = world->radius[row];
    *low = (qd_vec2){-radius, -radius};
    *high = (qd_vec2){radius, radius};
    if (world->shape[row] == 0) return;
    const qdi_motion *m = world->turning ? &world->next : &world->now;
    qdi_form_bounds(&world->shapes.prepared[world->shape[row]]->form, m->c[row], m->s[row], low, high);
}

// Whether a body is beyond an open end of the world by more than the margin.
static bool beyond_open_end(const qdi_axis *axis, double at, double low, double high, double margin) {
    if (axis->boundary != QD_BOUNDARY_OPEN) return false;
    return at + high < axis->low - margin || at + low > axis->high + margin;
}

// Whether a body left the world through an open end.
static bool body_departs(const qd_world *world, uint32_t row) {
    double margin = world->def.removal, x = world->next.x[row], y = world->next.y[row];
    if (!(margin < HUGE_VAL)) return false;
    qd_vec2 low, high;
    reach_of(world, row, &low, &high);
    return beyond_open_end(&world->axis[0], x, low.x, high.x, margin) ||
           beyond_open_end(&world->axis[1], y, low.y, high.y, margin);
}

// Whether a body's centre lies in a sink that still takes bodies.
static bool body_in_sink(const qdi_motion *m, const qdi_sink *sink, uint32_t row) {
    return sink->taken < sink->def.total && within_region(m->x[row], sink->def.low.x, sink->def.high.x) &&
           within_region(m->y[row], sink->def.low.y, sink->def.high.y);
}

/// The sink that would take a body, or NULL.
static qdi_sink *sink_of(const qd_world *world, uint32_t row) {
    const qdi_population *all = world->population;
    for (size_t i = 0; i < all->sink_count; ++i)
        if (body_in_sink(&world->next, &all->sinks[i], row)) return &all->sinks[i];
    return NULL;
}

typedef struct leaving_job {
    const qd_world *world;
    uint8_t *leaving; ///< by row
    size_t *count;    ///< per range
    qdi_keys keys;    ///< indices, and their rows
} leaving_job;

// Flags the bodies that leave the world in this step.
static void flag_leaving_rows(void *context, size_t begin, size_t end) {
    const leaving_job *job = context;
    const qd_world *world = job->world;
    size_t count = 0;
    for (size_t r = begin; r < end; ++r) {
        uint32_t row = (uint32_t)r;
        bool may = world->kind[r] != QD_BODY_STATIC && (body_departs(world, row) || sink_of(world, row));
        job->leaving[r] = may;
        count += may;
    }
    job->count[begin / QDI_BODY_GRAIN] = count;
}

// Lists the bodies that leave the world.
static void gather_leaving_rows(void *context, size_t begin, size_t end) {
    const leaving_job *job = context;
    const qd_world *world = job->world;
    size_t place = job->count[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        if (!job->leaving[r]) continue;
        job->keys.key[place] = world->index[r];
        job->keys.value[place++] = (uint32_t)r;
    }
}

/// Flags bodies that go with 2, and lists and counts them, in order of index.
static qd_status choose_leaving(qd_world *world, const uint64_t **indices, size_t *going) {
    qdi_scratch *scratch = &world->scratch;
    qdi_population *all = world->population;
    *going = 0;
    if (all->sink_count == 0 && !(world->def.removal < HUGE_VAL)) return QD_OK;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    leaving_job job = {.world = world,
                       .leaving = qdi_arena_take(&scratch->arena, world->count, 1),
                       .count = qdi_arena_take(&scratch->arena, ranges, sizeof *job.count)};
    if (!job.leaving || !job.count) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, flag_leaving_rows, &job);
    all->leaving = job.leaving;
    all->flagged = world->count;
    size_t count = qdi_exclusive_scan(job.count, ranges);
    const qdi_keys *keys = &job.keys;
    qd_status status = qdi_keys_take(&scratch->arena, count, &job.keys);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_leaving_rows, &job);
    status = qdi_keys_sort(world->team, keys, count, 28);
    if (status != QD_OK) return status;
    *indices = keys->key;
    for (size_t i = 0; i < count; ++i) {
        uint32_t row = keys->value[i];
        bool out = body_departs(world, row);
        qdi_sink *sink = out ? NULL : sink_of(world, row);
        if (!out && !sink) continue; // the sink is full by now
        if (sink) sink->taken += 1;
        all->departed += out;
        all->sunk += !out;
        job.leaving[row] = 2;
        keys->key[(*going)++] = keys->key[i];
    }
    return QD_OK;
}

// ---- the change ----

bool qdi_population_changed(const qd_world *world) {
    const qdi_population *all = world->population;
    return all && all->under_way && (all->hidden > 0 || all->newborn_count > 0);
}

// Hook of the step: bodies that came are there, those that left are removed.
static void population_commit(qd_world *world, const qdi_step_context *step) {
    (void)step;
    qdi_population *all = world->population;
    if (!all || !all->under_way) return;
    for (size_t k = 0; k < all->hidden; ++k)
        world->entered -= qdi_energy_of_row(world, (uint32_t)(world->count + k));
    for (size_t k = 0; k < all->hidden; ++k) qdi_body_forget(world, (uint32_t)(world->count + k));
    world->gone = all->hidden;
    qd_world_totals *totals = &world->totals;
    totals->emitted += all->newborn_count;
    totals->blocked += all->blocked;
    totals->departed += all->departed;
    totals->sunk += all->sunk;
    all->under_way = false;
}

// Hook of a step that failed: bodies that left are back, those that came are gone.
static void population_revert(qd_world *world, const qdi_step_context *step) {
    (void)step;
    qdi_population *all = world->population;
    if (!all || !all->under_way) return;
    for (size_t k = 0; k < all->hidden; ++k) qdi_body_show(world);
    for (size_t k = all->newborn_count; k-- > 0;) {
        const qdi_newborn *newborn = &all->newborn[k];
        qd_status status = qd_world_remove(world, newborn->id);
        (void)status; // it was added just now
        world->generation_of_index[newborn->id.index] = newborn->before;
    }
    world->index_count = all->index_count;
    world->entered = all->entered;
    world->last_label = all->last_label;
    qdi_bodies_refill_free(world);
    if (qdi_population_changed(world)) qdi_spots_find_rows(world, &world->present);
    for (size_t i = 0; i < all->emitter_count; ++i) all->emitters[i].counts = all->emitters[i].before;
    for (size_t i = 0; i < all->sink_count; ++i) all->sinks[i].taken = all->sinks[i].before;
    world->changed = false; // a step only begins when nothing has been
    all->under_way = false;
}

// Hook of the step: emitters and sinks, and bodies that leave the world.
static qd_status population_change(qd_world *world, qdi_step_context *step) {
    qdi_population *all = world->population;
    if (!all) return QD_OK;
    for (size_t i = 0; i < all->emitter_count; ++i) all->emitters[i].before = all->emitters[i].counts;
    for (size_t i = 0; i < all->sink_count; ++i) all->sinks[i].before = all->sinks[i].taken;
    all->hidden = all->newborn_count = all->flagged = 0;
    all->departed = all->sunk = all->blocked = 0;
    all->index_count = world->index_count;
    all->entered = world->entered;
    all->last_label = world->last_label;
    all->under_way = true;
    const uint64_t *indices = NULL;
    size_t going;
    qd_status status = choose_leaving(world, &indices, &going);
    if (status == QD_OK) status = qdi_population_emit(world, step->end);
    if (status == QD_OK) {
        if (going > 0 && world->present.met) qdi_contacts_fill(world, &world->present); // rows change
        for (size_t i = 0; i < going; ++i) qdi_body_hide(world, world->row_of_index[indices[i]]);
        all->hidden = going;
        if (qdi_population_changed(world)) world->margin.held = false; // no old candidate is worth anything
    }
    return status;
}

const qdi_feature qdi_population_feature = {
    .at = {[QDI_STAGE_CHANGE] = population_change}, .commit = population_commit, .revert = population_revert};
