// Who is followed: the list of their rows, and the tree of their paths. A range of rows writes its own flags,
// its own slots and, from its own first place on, the list.

#include "sim/rigid/ccd.h"
#include "sim/world/grain.h"
#include "sim/world/lap.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"
#include "sim/world/world_make.h"

#include <math.h>
#include <string.h>

/// Where more than one in so many is followed, all are listed: a retrieve for each would cost more.
enum { FEW = 4 };

/// Bodies for a thread at once, of those that come on the list when others have met them.
enum { MORE_GRAIN = 32 };

/// Fast bodies of ccd: true where the box of a path is too large to retrieve what is about it.
static bool too_wide(const qdi_step *step, uint32_t row, qd_box way) {
    qd_box wider;
    return !step->ccd->all && !(step->ccd->flags[row] & QDI_LOST) && !qdi_path_wider(step, way, &wider);
}

/// Fast bodies of ccd: puts a body on the list of the followed.
static void put_on_list(const qdi_step *step, uint32_t row, uint32_t place) {
    qdi_ccd *ccd = step->ccd;
    ccd->listed[place] = row;
    ccd->place_of[row] = place;
}

/// Fast bodies of ccd: follows a body no more, whose path is too long for that.
static void lose(const qdi_ccd *ccd, uint32_t row) {
    ccd->flags[row] = (uint8_t)(QDI_LOST | (ccd->flags[row] & QDI_MISSED));
}

/// Fast bodies of ccd: the boxes of the paths of those listed from place `begin` to `end`.
static void make_boxes(const qdi_step *step, size_t begin, size_t end) {
    qdi_ccd *ccd = step->ccd;
    bool wide = false;
    for (size_t place = begin; place < end; ++place) {
        uint32_t row = ccd->listed[place];
        if (!qdi_path_box(step, row, &ccd->boxes[place])) lose(ccd, row);
        wide = wide || too_wide(step, row, ccd->boxes[place]);
    }
    if (wide) atomic_store_explicit(&ccd->wide, true, memory_order_relaxed);
}

/// Fast bodies of ccd: lists the followed of a range of bodies.
static void gather(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    qdi_ccd *ccd = step->ccd;
    const size_t range = begin / QDI_BODY_GRAIN,
                 next = end < step->world->count ? ccd->followed[range + 1] : ccd->listed_count;
    const uint32_t first = ccd->all ? (uint32_t)begin : (uint32_t)ccd->followed[range],
                   place = ccd->all ? (uint32_t)end : (uint32_t)next;
    for (uint32_t k = 0; k < place - first; ++k)
        put_on_list(step, ccd->all ? (uint32_t)begin + k : ccd->followed_rows[begin + k], first + k);
    make_boxes(step, first, place);
}

/// Fast bodies of ccd: makes room for the list of the followed.
static qd_status reserve_list(const qdi_step *step, size_t count) {
    qdi_ccd *ccd = step->ccd;
    const qd_allocator *allocator = step->world->allocator;
    qd_status status = qdi_reserve(allocator, &ccd->listed, &ccd->listed_room, ccd->listed_count, count,
                                   sizeof *ccd->listed);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->boxes, &ccd->box_room, ccd->listed_count, count,
                             sizeof *ccd->boxes);
    return status;
}

/// Fast bodies of ccd: lists all bodies, followed or not.
static qd_status list_all(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    ccd->all = true;
    qd_status status = reserve_list(step, step->world->count);
    if (status != QD_OK) return status;
    ccd->listed_count = step->world->count;
    qdi_step job = *step;
    qdi_team_for(step->world->team, step->world->count, QDI_BODY_GRAIN, gather, &job);
    return QD_OK;
}

qd_status qdi_ccd_list(qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const qd_world *world = step->world;
    qdi_ways ways;
    qd_status status = qdi_ccd_survey(step, &ways);
    if (status != QD_OK) return status;
    ccd->plain_count = 0;                      // there will be rows that are listed
    step->slow = sqrt(ways.slow) * (1 + 1e-9); // it is worked out in another way than boxes
    const size_t count = qdi_exclusive_scan(ccd->followed, qdi_range_count(world->count, QDI_BODY_GRAIN));
    ccd->all = false;
    ccd->listed_count = 0;
    if (count * FEW > world->count) return list_all(step);
    status = reserve_list(step, count);
    if (status != QD_OK) return status;
    ccd->listed_count = count;
    atomic_store_explicit(&ccd->wide, false, memory_order_relaxed);
    qdi_step job = *step;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather, &job);
    return atomic_load_explicit(&ccd->wide, memory_order_relaxed) ? list_all(step) : QD_OK;
}

typedef struct more_job {
    const qdi_step *step;
    size_t first; ///< place of the first that is new on the list
} more_job;

/// Fast bodies of ccd: works out the boxes of the paths of bodies that came on the list late.
static void box_more(void *context, size_t begin, size_t end) {
    const more_job *job = context;
    make_boxes(job->step, job->first + begin, job->first + end);
}

qd_status qdi_ccd_list_more(const qdi_step *step, bool wide) {
    qdi_ccd *ccd = step->ccd;
    if (wide) return list_all(step);
    size_t first = ccd->listed_count;
    qd_status status = reserve_list(step, first + ccd->trajectory_count);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < ccd->trajectory_count; ++i)
        if (ccd->place_of[ccd->trajectories[i].row] == QDI_NONE_YET)
            put_on_list(step, ccd->trajectories[i].row, (uint32_t)ccd->listed_count++);
    atomic_store_explicit(&ccd->wide, false, memory_order_relaxed);
    more_job job = {step, first};
    qdi_team_for(step->world->team, ccd->listed_count - first, MORE_GRAIN, box_more, &job);
    return atomic_load_explicit(&ccd->wide, memory_order_relaxed) ? list_all(step) : QD_OK;
}

/// Fast bodies of ccd: true where a box contains another one.
static bool contains(qd_box outer, qd_box inner) {
    return inner.min_x >= outer.min_x && inner.max_x <= outer.max_x && inner.min_y >= outer.min_y &&
           inner.max_y <= outer.max_y;
}

void qdi_ccd_relist(const qdi_step *step, uint32_t row, qdi_cluster *cluster) {
    qdi_ccd *ccd = step->ccd;
    if (ccd->flags[row] & QDI_LOST && !cluster->given_up) return; // who was given up goes as at first
    qdi_path_segment segment = qdi_path_begin(step, row);
    const qdi_trajectory *trajectory = &ccd->trajectories[ccd->trajectory_of[row]];
    const bool as_at_first = !trajectory->hit && !trajectory->strayed;
    uint8_t flags = as_at_first ? 0 : QDI_FRESH;
    do {
        if (qdi_segment_followed(step, row, &segment)) flags |= QDI_FOLLOWED;
    } while (qdi_path_next(step, &segment));
    ccd->flags[row] = (uint8_t)(flags | (ccd->flags[row] & QDI_MISSED));
    uint32_t place = ccd->place_of[row];
    qd_box box;
    if (place == QDI_NONE_YET) { // it gets one soon
        cluster->outside = true;
        return;
    }
    if (!qdi_path_box(step, row, &box)) lose(ccd, row);
    if (contains(ccd->boxes[place], box)) return;
    ccd->boxes[place] = box;
    cluster->outside = true;
    cluster->wide = cluster->wide || too_wide(step, row, box);
}

// Serial: that somebody is lost is rare, and nothing to be fast at.
qd_status qdi_ccd_note_lost(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    qd_world *world = step->world;
    if (!atomic_load_explicit(&ccd->misses, memory_order_relaxed)) return QD_OK;
    qd_status status = qdi_reserve(world->allocator, &ccd->lost, &ccd->lost_room, 0, world->count,
                                   sizeof *ccd->lost);
    for (size_t row = 0; row < world->count && status == QD_OK; ++row)
        if (ccd->flags[row] & QDI_MISSED) ccd->lost[ccd->lost_count++] = world->index[row];
    world->following.unfollowed += ccd->lost_count;
    return status;
}

// ---- the tree ----

/// Fast bodies of ccd: makes the tree of the paths.
static qd_status make_tree(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    qd_status status = QD_OK;
    if (!ccd->pairs)
        status = qd_pairs_create(qdi_limit_pairs(&step->world->def.limits, step->world->count),
                                 step->world->allocator, &ccd->pairs);
    if (status == QD_OK && !ccd->tree) status = qdi_world_make_tree(step->world, &ccd->tree);
    return status == QD_OK ? qd_tree_set_period(ccd->tree, qdi_world_period(step->world)) : status;
}

qd_status qdi_ccd_file(const qdi_step *step, qdi_lap *lap) {
    qdi_ccd *ccd = step->ccd;
    qd_world *world = step->world;
    qd_status status = make_tree(step);
    if (status != QD_OK) return status;
    // The tree's own errors about boxes and indices cannot happen.
    status = qd_tree_refresh(ccd->tree, world->team, ccd->boxes, ccd->listed, ccd->listed_count, NULL, NULL);
    qdi_lap_end(lap, QD_PHASE_REFRESH);
    if (status != QD_OK) return status == QD_ERR_MEMORY ? status : QD_ERR_INTERNAL;
    qd_pairs_set_limit(ccd->pairs, qdi_limit_pairs(&world->def.limits, world->count));
    status = qd_tree_pairs(ccd->tree, world->team, ccd->pairs);
    if (status == QD_ERR_LIMIT)
        qdi_limit_report_pairs(&world->report, world->clock.step + 1, &world->def.limits);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    return status;
}
