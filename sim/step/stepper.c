// The step, in the order of its phases. Everything is written to `next` and `following`, which nobody else
// looks at; only when the last phase has succeeded do they become `now` and `present`. So a step that is
// refused on its way leaves state and contacts as they were, and the tree is given its old boxes back.

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "sim/contact/events.h"
#include "sim/contact/margin.h"
#include "sim/contact/narrow.h"
#include "sim/rigid/ccd_follow.h"
#include "sim/rigid/impulse.h"
#include "sim/spring/spring.h"
#include "sim/step/motion.h"
#include "sim/world/account.h"
#include "sim/world/compress.h"
#include "sim/world/contact_state.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/lap.h"
#include "sim/world/ledger.h"
#include "sim/world/limits.h"
#include "sim/world/population.h"
#include "sim/world/portion.h"
#include "sim/world/pose.h"
#include "sim/world/rows.h"
#include "sim/world/scratch.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"
#include "sim/world/stop.h"
#include "sim/world/thread_notes.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

static void unmark_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    void *flags = world->touching + begin; // bytes, at which nobody else is now
    memset(flags, 0, end - begin);
}

static void mark_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_spot *spot = &world->present.spots[i];
        if (spot->contact >= world->present.contact_count) continue; // a speculative one
        atomic_store_explicit(&world->touching[spot->row_a], 1, memory_order_relaxed);
        if (spot->row_b != QDI_NO_ROW)
            atomic_store_explicit(&world->touching[spot->row_b], 1, memory_order_relaxed);
    }
}

void qdi_touching_mark(qd_world *world) {
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, unmark_range, world);
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, mark_range, world);
}

// ---- refresh, retrieve, narrow ----

/// After a step that failed. Where even this finds no memory, the world remembers it and the next call tries
/// again.
static void restore(qd_world *world) {
    world->margin.held = false;
    qd_status status = qdi_tree_restore(world);
    QD_ASSERT(status == QD_OK || world->tree_lost);
    (void)status;
}

/// From boxes to candidates. `clock`: when and how long the step is that led to `motion`.
static qd_status find_candidates(qd_world *world, const qdi_motion *motion, const qdi_clock *clock,
                                 qdi_found *found, qdi_lap *lap) {
    qd_status status = qdi_candidates_find(world, motion, clock->dt, found, lap);
    if (status == QD_ERR_LIMIT) qdi_limit_report_pairs(world, clock->step);
    return status;
}

static qd_status make_contacts(qd_world *world, const qdi_motion *motion, const qdi_outcome *outcomes,
                               double dt) {
    qd_status status = qdi_narrow(world, motion, &world->following);
    if (status == QD_OK && qdi_springs(world)) {
        status = qdi_events_take_over(world, &world->present, &world->following);
        if (status == QD_OK) status = qdi_spring_forces(world, motion, dt, &world->following);
    }
    return status == QD_OK ? qdi_events(world, &world->present, outcomes, &world->following) : status;
}

/// From candidates to the contacts and events of `following`. `outcomes`: what the present contacts gave in
/// the step on its way, if there is one; `dt`: how long that is, 0 where there is none.
static qd_status find_contacts(qd_world *world, const qdi_motion *motion, const qdi_outcome *outcomes,
                               double dt) {
    qd_status status = make_contacts(world, motion, outcomes, dt);
    qdi_team_use(world->team, 0);
    return status;
}

/// `following` becomes `present`.
static void commit_contacts(qd_world *world, const qdi_found *found) {
    const qd_tree_counts *counts = &found->counts;
    qdi_moment before = world->present;
    world->present = world->following;
    world->following = before;
    qdi_touching_mark(world);
    qd_world_totals *totals = &world->totals;
    totals->begins += world->present.begins;
    totals->ends += world->present.ends;
    totals->refresh_in_place += counts->in_place;
    totals->refresh_refiled += counts->refiled;
    totals->rebuilds += found->rebuilds;
    totals->amended += found->amended;
    world->moved_since_order += counts->refiled + counts->added + found->amended;
    totals->splits += counts->splits;
    totals->merges += counts->merges;
    world->changed = false;
    world->tree_lost = false;
}

static qd_status detect(qd_world *world, qdi_lap *lap) {
    if (!world->changed) return world->tree_lost ? qdi_tree_restore(world) : QD_OK;
    qdi_found found = {.rebuilds = 0};
    world->following.impact_count = 0;
    world->following.unfollowed = 0;
    qdi_motion_boxes(world, &world->now);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    qd_status status = find_candidates(world, &world->now, &world->clock, &found, lap);
    if (status == QD_OK) status = find_contacts(world, &world->now, NULL, 0);
    if (status == QD_OK && qdi_springs(world)) status = qdi_spring_change(world);
    if (status == QD_OK) {
        commit_contacts(world, &found);
        world->scratch.feels_present = false;
        if (qdi_springs(world)) world->entered += qdi_contact_energy(world) - world->pressed;
        world->pressed = 0;
        if (world->clock.step == 0) world->totals.contacts = world->present.contact_count;
    }
    qdi_lap_end(lap, QD_PHASE_NARROW);
    return status;
}

qd_status qd_world_detect(qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    qdi_lap lap;
    qdi_lap_start(&lap, NULL, world->team);
    return detect(world, &lap);
}

// ---- the step ----

static qd_status resolve(qd_world *world, double dt, qdi_wall_gain *walls) {
    *walls = (qdi_wall_gain){{0, 0}, 0};
    world->scratch.mover_count = world->scratch.pressed = 0;
    world->following.impact_count = 0;
    world->following.unfollowed = 0;
    world->scratch.books.ledger = (qdi_ledger){.drift = 0};
    if (qdi_springs(world)) return qdi_spring_start(world, dt);
    qdi_forces_begin(world);
    if (world->def.contact == QD_CONTACT_IMPULSE) return qdi_impulse(world, dt, walls);
    return qdi_forces_kick(world, dt);
}

/// The time at the end of a step.
static double time_after(const qd_world *world, double dt) {
    const qdi_clock *clock = &world->clock;
    if (dt != clock->dt) return qd_world_time(world) + dt;
    return clock->base_time + (double)(clock->step + 1 - clock->base_step) * dt;
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

static void commit_step(qd_world *world, double dt, const qdi_found *found, const qdi_wall_gain gains[2]) {
    qdi_motion before = world->now;
    world->now = world->next;
    world->next = before;
    if (!world->turning) { // nobody wrote them
        world->next.c = world->now.c, world->now.c = before.c;
        world->next.s = world->now.s, world->now.s = before.s;
        world->next.spin = world->now.spin, world->now.spin = before.spin;
    }
    qdi_population_commit(world);
    commit_contacts(world, found);
    world->scratch.feels_present = qdi_springs(world);
    world->margin.near = true;
    qdi_account_commit(world, dt);
    qdi_compress_commit(world);
    clock_tick(world, dt);
    world->totals.contacts += world->present.contact_count;
    qdi_gains_add(&world->totals, gains);
    world->totals.impacts += world->present.impact_count;
    world->totals.unfollowed += world->present.unfollowed;
}

/// From the contacts of the moment to the bodies and walls of the next. What fails is taken back, but for the
/// boxes.
static qd_status move_on(qd_world *world, double dt, qdi_wall_gain gains[2], qdi_lap *lap) {
    double time = time_after(world, dt);
    qdi_walls_aim(world, qd_world_time(world), time);
    qdi_compress_aim(world, dt);
    qd_status status = resolve(world, dt, &gains[0]);
    qdi_lap_end(lap, QD_PHASE_RESOLVE);
    if (status == QD_OK && qdi_stopping(world)) status = QD_ERR_STOPPED;
    if (status != QD_OK) return status;
    if (!qdi_walls_put(world, time)) {
        qdi_limit_report_walls(world);
        return QD_ERR_LIMIT;
    }
    status = qdi_threads_forget(world);
    if (status == QD_OK) status = qdi_motion_move(world, dt, &gains[1]);
    if (status != QD_OK) (void)qdi_walls_put(world, qd_world_time(world)); // they have been there
    qdi_lap_end(lap, QD_PHASE_MOVE);
    return status;
}

/// Follows those that are fast on their ways, which changes the positions of `next`; lets bodies go and come;
/// and finds candidates for those that are there then. Where others are there than before, none of the old
/// ones are worth anything. A step is stopped before it comes to the tree: so the boxes are as they were, and
/// how often it is rebuilt does not depend on stops.
static qd_status follow(qd_world *world, double dt, qdi_wall_gain *walls, qdi_found *found, qdi_lap *lap) {
    const qdi_clock then = {.step = world->clock.step + 1, .dt = dt};
    *found = (qdi_found){.rebuilds = 0};
    qd_status status = world->fast > 0 || world->scratch.pressed > 0 ? qdi_ccd_follow(world, dt, walls, lap)
                                                                     : QD_OK;
    if (status == QD_OK && qdi_stopping(world)) status = QD_ERR_STOPPED;
    if (status == QD_OK) status = qdi_account_wraps(world, dt);
    if (status == QD_OK) status = qdi_compress_apply(world, time_after(world, dt));
    if (status == QD_OK) status = qdi_population_change(world, time_after(world, dt));
    qdi_lap_end(lap, QD_PHASE_MOVE);
    if (status != QD_OK) return status;
    if (qdi_population_changed(world)) world->margin.held = false;
    return find_candidates(world, &world->next, &then, found, lap);
}

qd_status qd_world_step(qd_world *world, double dt, qd_profile *profile) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    if (!qdi_is_step(dt)) return QD_ERR_VALUE;
    qdi_lap lap;
    qdi_lap_start(&lap, profile, world->team);
    qd_status status = detect(world, &lap);
    if (status != QD_OK) return status;

    if (world->moved_since_order >= world->count && !world->margin.edited) status = qdi_rows_order(world);
    qdi_lap_end(&lap, QD_PHASE_REFRESH);
    atomic_store_explicit(&world->stopping, false, memory_order_relaxed);
    if (status == QD_OK && qdi_stopping(world)) status = QD_ERR_STOPPED;
    if (status != QD_OK) return status;

    qdi_wall_gain gains[2];
    status = move_on(world, dt, gains, &lap);
    if (status != QD_OK) return status;

    qdi_found found;
    const qdi_outcome *outcomes = world->def.contact == QD_CONTACT_IMPULSE ? world->scratch.outcomes : NULL;
    status = follow(world, dt, &gains[0], &found, &lap);
    if (status == QD_OK) status = find_contacts(world, &world->next, outcomes, dt);
    if (status == QD_OK && qdi_springs(world)) status = qdi_spring_population(world);
    if (status == QD_OK) status = qdi_compress_account(world);
    if (status == QD_OK && qdi_springs(world)) status = qdi_spring_account(world, dt, &gains[0]);
    if (status == QD_OK && qdi_springs(world)) status = qdi_spring_finish(world, dt);
    if (status == QD_OK && !qdi_account_holds(world, dt, gains)) {
        qdi_limit_report_sums(world, world->clock.step + 1);
        status = QD_ERR_LIMIT;
    }
    if (status == QD_OK) {
        commit_step(world, dt, &found, gains);
    } else {
        qdi_compress_revert(world);
        (void)qdi_walls_put(world, qd_world_time(world));
        qdi_population_revert(world);
        if (status != QD_ERR_STOPPED) restore(world);
    }
    world->fast = 0;
    qdi_lap_end(&lap, QD_PHASE_NARROW);
    if (status == QD_OK && profile) {
        profile->steps += 1;
        profile->body_steps += world->count;
    }
    return status;
}
