// The step, in the order of its phases. Everything is written to `next` and `following`, which nobody else
// looks at; only when the last phase has succeeded do they become `now` and `present`. So a step that is
// refused on its way leaves state and contacts as they were, and the tree is given its old boxes back.

#include "core/assert.h"
#include "sim/world_impl.h"

#include <math.h>

static void unmark_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    for (size_t r = begin; r < end; ++r) atomic_store_explicit(&world->touching[r], 0, memory_order_relaxed);
}

static void mark_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_spot *spot = &world->present.spots[i];
        atomic_store_explicit(&world->touching[spot->row_a], 1, memory_order_relaxed);
        if (spot->row_b != QDI_NO_ROW)
            atomic_store_explicit(&world->touching[spot->row_b], 1, memory_order_relaxed);
    }
}

void qdi_touching_mark(qd_world *world) {
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, unmark_range, world);
    qdi_team_for(world->team, world->present.contact_count, QDI_CONTACT_GRAIN, mark_range, world);
}

// ---- refresh, retrieve, narrow ----

/// The tree's own errors about boxes cannot happen: limits and checks keep them away.
static qd_status refresh(qd_world *world, qd_tree_counts *counts) {
    qd_status status = qd_tree_refresh(world->tree, world->team, world->boxes, world->index, world->count,
                                       counts, NULL);
    return status == QD_OK || status == QD_ERR_MEMORY ? status : QD_ERR_INTERNAL;
}

qd_status qdi_tree_restore(qd_world *world) {
    qd_tree_counts counts;
    qdi_motion_boxes(world);
    qd_status status = refresh(world, &counts);
    world->tree_lost = status != QD_OK;
    return status;
}

/// After a step that failed. Where even this finds no memory, the world remembers it and the next call tries
/// again.
static void restore(qd_world *world) {
    qd_status status = qdi_tree_restore(world);
    QD_ASSERT(status == QD_OK || world->tree_lost);
    (void)status;
}

static qd_status retrieve(qd_world *world, uint64_t step) {
    qd_pairs_set_limit(world->candidates, qdi_limit_pairs(world));
    qd_status status = world->def.retrieve == QD_RETRIEVE_EACH
                           ? qd_tree_pairs_each(world->tree, world->team, world->candidates)
                           : qd_tree_pairs(world->tree, world->team, world->candidates);
    if (status == QD_ERR_LIMIT) qdi_limit_report_pairs(world, step);
    return status;
}

/// From boxes to the contacts and events of `following`. `joints`: what the present contacts gave in the step on its
/// way, if there is one.
static qd_status find_contacts(qd_world *world, const qdi_motion *motion, uint64_t step,
                               const qdi_joint *joints, qd_tree_counts *counts, qdi_lap *lap) {
    qd_status status = refresh(world, counts);
    qdi_lap_end(lap, QD_PHASE_REFRESH);
    if (status == QD_OK) status = retrieve(world, step);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    if (status == QD_OK) status = qdi_narrow(world, motion, &world->following);
    if (status == QD_OK) status = qdi_events(world, &world->present, joints, &world->following);
    return status;
}

/// `following` becomes `present`.
static void commit_contacts(qd_world *world, const qd_tree_counts *counts) {
    qdi_moment before = world->present;
    world->present = world->following;
    world->following = before;
    qdi_touching_mark(world);
    qd_world_totals *totals = &world->totals;
    totals->begins += world->present.begins;
    totals->ends += world->present.ends;
    totals->refresh_in_place += counts->in_place;
    totals->refresh_refiled += counts->refiled;
    world->moved_since_order += counts->refiled + counts->added;
    totals->splits += counts->splits;
    totals->merges += counts->merges;
    world->changed = false;
    world->tree_lost = false;
}

static qd_status detect(qd_world *world, qdi_lap *lap) {
    if (!world->changed) return world->tree_lost ? qdi_tree_restore(world) : QD_OK;
    qd_tree_counts counts;
    qdi_motion_boxes(world);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    qd_status status = find_contacts(world, &world->now, world->clock.step, NULL, &counts, lap);
    if (status == QD_OK) {
        commit_contacts(world, &counts);
        if (world->clock.step == 0) world->totals.contacts = world->present.contact_count;
    }
    qdi_lap_end(lap, QD_PHASE_NARROW);
    return status;
}

qd_status qd_world_detect(qd_world *world) {
    if (!world) return QD_ERR_ARGUMENT;
    qdi_lap lap;
    qdi_lap_start(&lap, NULL, world->team);
    return detect(world, &lap);
}

// ---- the step ----

static qd_status resolve(qd_world *world, double dt, qd_vec2 *walls) {
    *walls = (qd_vec2){0, 0};
    world->scratch.mover_count = 0;
    qdi_forces_begin(world);
    if (world->def.contact == QD_CONTACT_IMPULSE) return qdi_impulse(world, dt, walls);
    qdi_forces_kick(world, dt);
    return QD_OK;
}

static void clock_tick(qd_world *world, double dt) {
    qdi_clock *clock = &world->clock;
    if (dt != clock->dt) {
        clock->base_time = qd_world_time(world);
        clock->base_step = clock->step;
        clock->dt = dt;
    }
    clock->step += 1;
}

static void commit_step(qd_world *world, double dt, const qd_tree_counts *counts, qd_vec2 walls) {
    qdi_motion before = world->now;
    world->now = world->next;
    world->next = before;
    if (!world->turning) { // nobody wrote them
        world->next.c = world->now.c, world->now.c = before.c;
        world->next.s = world->now.s, world->now.s = before.s;
        world->next.spin = world->now.spin, world->now.spin = before.spin;
    }
    commit_contacts(world, counts);
    clock_tick(world, dt);
    world->totals.contacts += world->present.contact_count;
    world->totals.wall_impulse.x += walls.x;
    world->totals.wall_impulse.y += walls.y;
}

qd_status qd_world_step(qd_world *world, double dt, qd_profile *profile) {
    if (!world) return QD_ERR_ARGUMENT;
    if (!(dt > 0 && isfinite(dt))) return QD_ERR_VALUE;
    qdi_lap lap;
    qdi_lap_start(&lap, profile, world->team);
    qd_status status = detect(world, &lap);
    if (status != QD_OK) return status;

    if (world->moved_since_order >= world->count) status = qdi_rows_order(world);
    qdi_lap_end(&lap, QD_PHASE_REFRESH);
    if (status != QD_OK) return status;

    qd_vec2 walls = {0, 0}, mirrored = {0, 0};
    status = resolve(world, dt, &walls);
    qdi_lap_end(&lap, QD_PHASE_RESOLVE);
    if (status == QD_OK) status = qdi_motion_move(world, dt, &mirrored);
    qdi_lap_end(&lap, QD_PHASE_MOVE);
    if (status != QD_OK) return status;

    qd_tree_counts counts;
    const qdi_joint *joints = world->def.contact == QD_CONTACT_IMPULSE ? world->scratch.joints : NULL;
    status = find_contacts(world, &world->next, world->clock.step + 1, joints, &counts, &lap);
    if (status == QD_OK)
        commit_step(world, dt, &counts, (qd_vec2){walls.x + mirrored.x, walls.y + mirrored.y});
    else
        restore(world);
    qdi_lap_end(&lap, QD_PHASE_NARROW);
    if (status == QD_OK && profile) {
        profile->steps += 1;
        profile->body_steps += world->count;
    }
    return status;
}
