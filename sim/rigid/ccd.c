#include "sim/rigid/ccd.h"
#include "sim/world/account.h"
#include "sim/world/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void release(const qd_allocator *allocator, qdi_scratch *scratch) {
    qdi_ccd *fast = scratch->ccd;
    qdi_release(allocator, fast->course_of, fast->course_of_room, sizeof *fast->course_of);
    qdi_release(allocator, fast->free, fast->free_room, sizeof *fast->free);
    qdi_release(allocator, fast->place_of, fast->place_of_room, sizeof *fast->place_of);
    qdi_release(allocator, fast->flags, fast->flag_room, 1);
    qdi_release(allocator, fast->slowest, fast->slowest_room, sizeof *fast->slowest);
    qdi_release(allocator, fast->followed, fast->followed_room, sizeof *fast->followed);
    qdi_release(allocator, fast->listed, fast->listed_room, sizeof *fast->listed);
    qdi_release(allocator, fast->names, fast->name_room, sizeof *fast->names);
    qdi_release(allocator, fast->boxes, fast->box_room, sizeof *fast->boxes);
    qd_tree_destroy(fast->tree);
    qd_pairs_destroy(fast->pairs);
    for (size_t w = 0; w < fast->meets_room; ++w) {
        qdi_release(allocator, fast->meets[w].at, fast->meets[w].room, sizeof *fast->meets[w].at);
        qdi_release(allocator, fast->meets[w].hits, fast->meets[w].hit_room, sizeof *fast->meets[w].hits);
    }
    qdi_release(allocator, fast->meets, fast->meets_room, sizeof *fast->meets);
    qdi_release(allocator, fast->met, fast->met_room, sizeof *fast->met);
    qdi_release(allocator, fast->edges, fast->edge_room, sizeof *fast->edges);
    qdi_release(allocator, fast->courses, fast->course_room, sizeof *fast->courses);
    qdi_release(allocator, fast->legs, fast->leg_room, sizeof *fast->legs);
    qdi_release(allocator, fast->blows, fast->blow_room, sizeof *fast->blows);
    qdi_release(allocator, fast->old_legs, fast->old_leg_room, sizeof *fast->old_legs);
    qdi_release(allocator, fast->old_blows, fast->old_blow_room, sizeof *fast->old_blows);
    qdi_release(allocator, fast->stops, fast->stops_room, sizeof *fast->stops);
    qdi_release(allocator, fast->stopped, fast->stopped_room, sizeof *fast->stopped);
    qdi_release(allocator, fast->carried, fast->carried_room, sizeof *fast->carried);
    qdi_release(allocator, fast->carrier, fast->carrier_room, sizeof *fast->carrier);
    qdi_release(allocator, fast->clusters, fast->cluster_room, sizeof *fast->clusters);
    qdi_release(allocator, fast->by_cluster, fast->by_cluster_room, sizeof *fast->by_cluster);
    qdi_release(allocator, fast->edge_by_cluster, fast->edge_by_cluster_room, sizeof *fast->edge_by_cluster);
    qdi_release(allocator, fast->incident, fast->incident_room, sizeof *fast->incident);
    qdi_release(allocator, fast->winner, fast->winner_room, sizeof *fast->winner);
    qdi_release(allocator, fast, 1, sizeof *fast);
}

static qd_status prepare(qd_world *world) {
    qdi_scratch *scratch = &world->scratch;
    if (!scratch->ccd) {
        scratch->ccd = qdi_allocate(world->allocator, 1, sizeof *scratch->ccd);
        if (!scratch->ccd) return QD_ERR_MEMORY;
        memset(scratch->ccd, 0, sizeof *scratch->ccd);
        scratch->release_ccd = release;
    }
    qdi_ccd *fast = scratch->ccd;
    fast->stopping = fast->stops_hold = false;
    fast->edge_count = fast->course_count = fast->leg_count = fast->cluster_count = 0;
    return QD_OK;
}

/// Puts the end of a new way into `next`. Returns what its energy has over what its impacts explain: forces
/// act on the way as if nothing had been met.
static double arrive(const qdi_step *step, const qdi_course *course) {
    qd_world *world = step->world;
    const qdi_motion *next = &world->next;
    uint32_t row = course->row;
    const qdi_leg *first = &step->fast->legs[course->first], free = qdi_leg_of_row(step, row);
    const double before = qdi_ccd_energy(world, row, (qd_vec2){free.vx * step->dt, free.vy * step->dt});
    qdi_pose end = qdi_leg_pose(&step->fast->legs[course->last], step->dt);
    next->x[row] = qdi_axis_wrap(&world->axis[0], end.x);
    next->y[row] = qdi_axis_wrap(&world->axis[1], end.y);
    const double gone = step->dt - step->fast->legs[course->last].start;
    next->vx[row] = course->velocity.x + course->gain.x * gone;
    next->vy[row] = course->velocity.y + course->gain.y * gone;
    if (world->turning) {
        double length = sqrt(end.c * end.c + end.s * end.s);
        next->c[row] = end.c / length;
        next->s[row] = end.s / length;
        next->spin[row] = course->velocity.spin + course->gain.spin * gone;
    }
    const qd_vec2 way = {end.x - first->x, end.y - first->y};
    return qdi_ccd_energy(world, row, way) - before - course->given -
           qdi_ccd_wrap_error(world, row, way, step->dt);
}

/// The box at the end of a new way, and whether that leaves the fat one.
static void box_again(qd_world *world, uint32_t row) {
    qd_vec2 period = qdi_world_period(world);
    qdi_margin *margin = &world->margin;
    bool before = margin->held && qdi_margin_left(world, row, period);
    qdi_motion_box(world, row);
    bool after = margin->held && qdi_margin_left(world, row, period);
    if (before == after) return;
    size_t *left = &world->scratch.left[row / QDI_BODY_GRAIN];
    *left = after ? *left + 1 : *left - 1;
    margin->left = after ? margin->left + 1 : margin->left - 1;
}

/// Serial: new ways are few.
static qd_status finish(const qdi_step *step, qdi_wall_gain *walls) {
    qd_world *world = step->world;
    qdi_ccd *fast = step->fast;
    uint32_t bad = QDI_NO_ROW;
    uint64_t unfollowed = 0;
    for (size_t i = 0; i < fast->course_count; ++i) {
        const qdi_course *course = &fast->courses[i];
        if (course->given_up) ++unfollowed;
        if (!course->hit) continue;
        world->scratch.books.ledger.drift += arrive(step, course);
        box_again(world, course->row);
        walls->impulse.x += course->walls.impulse.x;
        walls->impulse.y += course->walls.impulse.y;
        walls->work += course->walls.work;
        qdi_ledger_add(&world->scratch.books.ledger, &course->ledger);
        uint32_t row = course->row;
        if (!qdi_within_limits(world, row) && (bad == QDI_NO_ROW || world->index[row] < world->index[bad]))
            bad = row;
    }
    if (bad == QDI_NO_ROW) {
        world->following.unfollowed = unfollowed;
        return unfollowed > 0 ? qdi_ccd_stopped(step) : QD_OK;
    }
    qdi_limit_report_body(world, bad);
    return QD_ERR_LIMIT;
}

int qdi_impact_order(const void *p, const void *q) {
    const qd_impact *a = p, *b = q;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    if (a->a.index != b->a.index) return a->a.index < b->a.index ? -1 : 1;
    if (a->b.index != b->b.index) return a->b.index < b->b.index ? -1 : 1;
    return a->approach > b->approach ? -1 : a->approach < b->approach;
}

/// Puts the impacts in order into the moment that follows.
static qd_status list_impacts(const qdi_step *step) {
    const qdi_ccd *fast = step->fast;
    qdi_moment *moment = &step->world->following;
    const size_t bounces = moment->impact_count; // of what was stopped in the step before
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) { // count, then copy
        count = bounces;
        for (size_t i = 0; i < fast->course_count; ++i)
            for (uint32_t leg = fast->courses[i].first; leg != QDI_NONE_YET; leg = fast->legs[leg].next) {
                if (!fast->legs[leg].blow) continue;
                if (pass == 1) moment->impacts[count] = fast->blows[leg];
                ++count;
            }
        if (pass == 1) continue;
        qd_status status = qdi_reserve(step->world->allocator, &moment->impacts, &moment->impact_room,
                                       bounces, count, sizeof *moment->impacts);
        if (status != QD_OK) return status;
    }
    moment->impact_count = count;
    if (count > 0) qsort(moment->impacts, count, sizeof *moment->impacts, qdi_impact_order);
    return QD_OK;
}

/// One round: candidates, edges, new ways. `done`: there were no new edges.
static qd_status take_round(qdi_step *step, int round, bool *outside, bool *done, qdi_lap *lap) {
    qd_status status = *outside ? qdi_ccd_file(step, lap) : QD_OK;
    size_t added = 0;
    step->first = round == 0;
    if (status == QD_OK && step->fast->stopping) {
        status = qdi_ccd_stop_given_up(step);
        step->fast->stopping = false;
        step->first = true; // others may have new ways as well
    }
    if (status == QD_OK && round < QDI_ROUNDS) status = qdi_ccd_find(step, &added);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    *done = added == 0;
    if (status != QD_OK || *done) return status;
    bool wide;
    status = qdi_ccd_solve(step, outside, &wide);
    if (status == QD_OK && *outside) status = qdi_ccd_list_more(step, wide);
    qdi_lap_end(lap, QD_PHASE_NARROW);
    return status;
}

qd_status qdi_ccd_follow(qd_world *world, double dt, qdi_wall_gain *walls, qdi_lap *lap) {
    qd_status status = prepare(world);
    if (status != QD_OK) return status;
    qd_vec2 period = qdi_world_period(world);
    qdi_step step = {.world = world,
                     .fast = world->scratch.ccd,
                     .dt = dt,
                     .part = qdi_ccd_part(world),
                     .threshold = qdi_impulse_threshold(world, dt),
                     .following = world->def.continuous == QD_CONTINUOUS_ON,
                     .periodic = period.x > 0 || period.y > 0};
    if (!step.following) return qdi_ccd_stop(&step, lap);
    status = qdi_ccd_list(&step);
    qdi_lap_end(lap, QD_PHASE_MOVE);
    bool outside = true, done = false;
    for (int round = 0; status == QD_OK && !done; ++round)
        status = take_round(&step, round, &outside, &done, lap);
    if (status == QD_OK) status = finish(&step, walls);
    return status == QD_OK ? list_impacts(&step) : status;
}
