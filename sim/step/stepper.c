// The step, in the order of its phases. Everything is written to `next` and `following`, which nobody else
// looks at; only when the last phase has succeeded do they become `now` and `present`. So a step that is
// refused on its way leaves state and contacts as they were, and the tree is given its old boxes back.
//
// Contact models and optional parts of the engine hang in hooks (features.c); what stands here, every step
// of every world does.

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "core/parallel/ranks.h"
#include "sim/contact/events.h"
#include "sim/contact/margin.h"
#include "sim/contact/narrow.h"
#include "sim/step/features.h"
#include "sim/step/motion.h"
#include "sim/world/contact_state.h"
#include "sim/world/feature.h"
#include "sim/world/lap.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/rows.h"
#include "sim/world/spots.h"
#include "sim/world/stop.h"
#include "sim/world/world_impl.h"

// ---- contacts ----

/// After a step that failed. Where even this finds no memory, the world remembers it and the next call tries
/// again.
static void restore_rows(qd_world *world) {
    world->margin.held = false;
    qd_status status = qdi_tree_restore(world);
    QD_ASSERT(status == QD_OK || world->tree_lost);
    (void)status;
}

// Ends a step between its phases when somebody asked for it.
static qd_status step_stop_if_asked(qd_world *world, qd_status status) {
    return status == QD_OK && qdi_stopping(world) ? QD_ERR_STOPPED : status;
}

/// Step: the end of a phase: nothing that it took from the arena is needed any more.
static void end_phase(qdi_arena *arena, qdi_lap *lap, qd_phase phase) {
    qdi_arena_empty(arena);
    qdi_lap_end(lap, phase);
}

/// Step: from candidates to the contacts and events of `following`.
static qd_status find_contacts(qd_world *world, qdi_step_context *step, const qdi_found *found) {
    step->same = found->rebuilds == 0 && found->amended == 0;
    world->following.pairs = 0; // the narrow phase knows them
    world->following.listed = QDI_TELLS_NOTHING;
    qd_status status = qdi_features_at(QDI_STAGE_NARROW, world, step);
    if (status == QD_OK && !step->met) status = qdi_narrow(world, step->motion, &step->outcomes);
    if (status == QD_OK) status = qdi_features_at(QDI_STAGE_CONTACT, world, step);
    if (status == QD_OK) status = qdi_events(world, step->outcomes.given);
    qdi_team_use(world->team, 0);
    return status;
}

/// Step: `following` becomes `present`.
static void commit_contacts(qd_world *world, const qdi_found *found) {
    const qd_tree_counts *counts = &found->counts;
    qdi_contact_state before = world->present;
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
    totals->box_tests += found->tests;
    world->searched = (qdi_searched){world->met_count, found->tests};
    world->moved_since_order += counts->refiled + counts->added + found->amended;
    totals->splits += counts->splits;
    totals->merges += counts->merges;
    world->changed = false;
    world->tree_lost = false;
}

// Start, end and length of a step.
static qdi_step_context step_context_of(const qd_world *world, double dt, qdi_lap *lap) {
    const qdi_clock *clock = &world->clock;
    qdi_step_context step = {.dt = dt, .start = qd_world_time(world), .lap = lap};
    step.motion = dt > 0 ? &world->next : &world->now;
    step.end = dt == clock->dt ? clock->base_time + (double)(clock->step + 1 - clock->base_step) * dt
                               : step.start + dt;
    return step;
}

/// Step: finds the contacts of bodies that were added, removed or placed by hand.
static qd_status detect_edited(qd_world *world, qdi_lap *lap) {
    if (!world->changed) return world->tree_lost ? qdi_tree_restore(world) : QD_OK;
    qdi_step_context step = step_context_of(world, 0, lap);
    qdi_found found = {.rebuilds = 0};
    const double dt = world->clock.dt;
    world->following.impact_count = world->following.unfollowed = 0;

    qdi_motion_boxes(world, &world->now);
    end_phase(&world->scratch.arena, lap, QD_PHASE_MOVE);

    qd_status status = qdi_candidates_refresh(world, &world->now, dt, &found);
    qdi_lap_end(lap, QD_PHASE_REFRESH);

    if (status == QD_OK) status = qdi_candidates_retrieve(world, &world->now, dt, &found);
    if (status == QD_ERR_LIMIT) qdi_limit_report_pairs(&world->report, world->clock.step, &world->def.limits);
    end_phase(&world->scratch.arena, lap, QD_PHASE_RETRIEVE);

    if (status == QD_OK) status = find_contacts(world, &step, &found);
    if (status == QD_OK) status = qdi_features_at(QDI_STAGE_EDITED, world, &step);
    if (status == QD_OK) {
        commit_contacts(world, &found);
        if (world->clock.step == 0) world->totals.contacts = world->present.contact_count;
    }
    end_phase(&world->scratch.arena, lap, QD_PHASE_NARROW);
    return status;
}

qd_status qd_world_detect(qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    qdi_lap lap;
    qdi_lap_start(&lap, NULL, world->team);
    return detect_edited(world, &lap);
}

// ---- the step ----

/// The phases. `filed`: the boxes are no longer those of `now`. A step is stopped before it comes to the
/// tree, which is where fast bodies are followed or after that: so the boxes are as they were, and how often
/// the tree is rebuilt does not depend on stops.
static qd_status pass_phases(qd_world *world, qdi_step_context *step, qdi_found *found, bool *filed) {
    // Resolve: from contacts and forces to velocities.
    world->following.impact_count = world->following.unfollowed = 0;
    qd_status status = qdi_features_at(QDI_STAGE_BEGIN, world, step);
    if (status == QD_OK) status = qdi_features_at(QDI_STAGE_RESOLVE, world, step);
    status = step_stop_if_asked(world, status);
    end_phase(&world->scratch.arena, step->lap, QD_PHASE_RESOLVE);
    if (status != QD_OK) return status;

    // Move: from velocities to places and boxes.
    status = qdi_features_at(QDI_STAGE_PLACE, world, step);
    if (status == QD_OK) status = qdi_motion_move(world, step->dt, &step->gains[1]);
    *filed = status == QD_OK;
    if (status == QD_OK) status = qdi_features_at(QDI_STAGE_FOLLOW, world, step);
    if (*filed && !found->swept) status = step_stop_if_asked(world, status);
    if (status == QD_OK) status = qdi_features_at(QDI_STAGE_CHANGE, world, step);
    end_phase(&world->scratch.arena, step->lap, QD_PHASE_MOVE);
    if (status != QD_OK) return status;

    // Refresh: from boxes to the tree.
    status = qdi_candidates_refresh(world, &world->next, step->dt, found);
    qdi_lap_end(step->lap, QD_PHASE_REFRESH); // the next phase needs what this one took
    if (status != QD_OK) return status;

    // Retrieve: from the tree to candidates.
    status = qdi_candidates_retrieve(world, &world->next, step->dt, found);
    if (status == QD_ERR_LIMIT)
        qdi_limit_report_pairs(&world->report, world->clock.step + 1, &world->def.limits);
    end_phase(&world->scratch.arena, step->lap, QD_PHASE_RETRIEVE);
    if (status != QD_OK) return status;

    // Narrow: from candidates to contacts and events.
    status = find_contacts(world, step, found);
    if (status == QD_OK) status = qdi_features_at(QDI_STAGE_FINISH, world, step);
    end_phase(&world->scratch.arena, step->lap, QD_PHASE_NARROW);
    return status;
}

// Advances the clock of the world by a step.
static void clock_tick(qd_world *world, double dt) {
    qdi_clock *clock = &world->clock;
    if (dt != clock->dt) {
        clock->base_time = qd_world_time(world);
        clock->base_step = clock->step;
        clock->dt = dt;
    }
    clock->step += 1;
}

// Makes the state that a step arrived at the present one.
static void step_commit(qd_world *world, const qdi_step_context *step, const qdi_found *found) {
    qdi_motion before = world->now;
    world->now = world->next;
    world->next = before;
    if (!world->turning) { // nobody wrote them
        world->next.c = world->now.c, world->now.c = before.c;
        world->next.s = world->now.s, world->now.s = before.s;
        world->next.spin = world->now.spin, world->now.spin = before.spin;
        world->next.lean = world->now.lean, world->now.lean = before.lean;
    }
    qdi_features_commit(world, step);
    commit_contacts(world, found);
    world->margin.near = true;
    clock_tick(world, step->dt);
    world->totals.contacts += world->present.contact_count;
    world->totals.impacts += world->present.impact_count;
    world->totals.unfollowed += world->present.unfollowed;
}

// Before the phases: contacts of what was changed by hand, and rows in tree order.
static qd_status prepare_step(qd_world *world, qdi_lap *lap) {
    qd_status status = detect_edited(world, lap);
    if (status != QD_OK) return status;
    if (world->moved_since_order >= world->count && !world->margin.edited) status = qdi_rows_order(world);
    end_phase(&world->scratch.arena, lap, QD_PHASE_REFRESH);
    atomic_store_explicit(&world->stopping, false, memory_order_relaxed);
    return step_stop_if_asked(world, status);
}

/// Step: from the present state to the next one.
static qd_status make_step(qd_world *world, double dt, qd_profile *profile) {
    qdi_lap lap;
    qdi_lap_start(&lap, profile, world->team);
    qd_status status = prepare_step(world, &lap);
    const bool begun = status == QD_OK;
    qdi_step_context step = step_context_of(world, dt, &lap);
    qdi_found found = {.rebuilds = 0};
    bool filed = false;
    step.found = &found;
    if (begun) status = pass_phases(world, &step, &found, &filed);
    if (world->part) status = qdi_ranks_agree(qdi_team_ranks(world->team), status);
    if (!begun) return status;
    if (status == QD_OK) {
        step_commit(world, &step, &found);
    } else {
        qdi_features_revert(world, &step);
        if (filed && status != QD_ERR_STOPPED) restore_rows(world);
    }
    end_phase(&world->scratch.arena, &lap, QD_PHASE_NARROW);
    if (status == QD_OK && profile) {
        profile->steps += 1;
        profile->body_steps += world->count;
    }
    return status;
}

/// Bodies for each thread of the team from which on all of them are worth having on any machine.
enum { MANY_BODIES = 1 << 15 };

qd_status qd_world_step(qd_world *world, double dt, qd_profile *profile) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    if (!qdi_is_step(dt)) return QD_ERR_VALUE;
    qdi_thread_trial *trial = &world->trial;
    if (trial->most < 2 || world->threads_noted) return make_step(world, dt, profile);
    qdi_team_limit(world->team, qdi_thread_trial_threads(trial));
    const uint64_t begun = qdi_clock_ns();
    const qd_status status = make_step(world, dt, profile);
    if (status == QD_OK)
        qdi_thread_trial_note(trial, qdi_clock_ns() - begun,
                              world->count / MANY_BODIES >= (size_t)trial->most);
    qdi_team_limit(world->team, 0);
    return status;
}
