// Who is followed: the list of their rows, and the tree of their paths. A range of rows writes its own flags,
// its own slots and, from its own first place on, the list.

#include "core/tree/fat_box.h"
#include "sim/contact/margin.h"
#include "sim/rigid/ccd.h"
#include "sim/rigid/ccd_drive.h"
#include "sim/world/contact_state.h"
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

/// Fast bodies of ccd: a body on its way through the step. `bends`: that is an arc, and a glance not enough.
static qdi_glance glance_at(const qdi_step *step, uint32_t row, qd_vec2 way, double turn, bool bends) {
    const qd_world *world = step->world;
    return (qdi_glance){.x = world->now.x[row],
                        .y = world->now.y[row],
                        .way_x = way.x,
                        .way_y = way.y,
                        .turn = turn,
                        .inner = qdi_inner_of_row(world, row),
                        .radius = world->radius[row],
                        .moves = world->kind[row] == QD_BODY_DYNAMIC,
                        .bullet = bends || qdi_is_bullet(world, row)};
}

/// Fast bodies of ccd: how far any point of a body moves at most.
static double way_of(const qdi_step *step, uint32_t row, const qdi_path_segment *segment) {
    double far = sqrt(segment->vx * segment->vx + segment->vy * segment->vy) * step->dt;
    if (step->world->shape[row]) far += fabs(segment->spin) * step->dt * step->world->radius[row];
    return far;
}

double qdi_ccd_way(const qdi_step *step, uint32_t row) {
    const qdi_path_segment segment = qdi_segment_of_row(step, row);
    return way_of(step, row, &segment);
}

/// Fast bodies of ccd: whether a body is followed; if not, `way` is how far any point of it moves, squared.
static bool followed(const qdi_step *step, uint32_t row, double *way) {
    const qdi_path_segment segment = qdi_segment_make(step, row);
    if (step->world->shape[row]) step->ccd->free[row] = segment;
    if (step->world->shaped > 0)
        step->ccd->glances[row] = glance_at(
            step, row, (qd_vec2){segment.vx * step->dt, segment.vy * step->dt},
            step->world->shape[row] ? segment.spin * step->dt : 0, segment.parts > 0);
    const double far = way_of(step, row, &segment);
    *way = far * far;
    return qdi_segment_followed(step, row, &segment);
}

/// Fast bodies of ccd: clears the flags of a range of bodies.
static void clear_flags(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    memset(step->ccd->flags + begin, 0, end - begin);
}

/// Fast bodies of ccd: marks the bodies that a range of contacts presses into what cannot move.
static void mark_pressed(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &step->world->scratch.links[i];
        if (!link->pressed) continue;
        uint8_t *flag = &step->ccd->flags[link->moves_a ? link->row_a : link->row_b];
        __atomic_store_n(flag, QDI_FOLLOWED, __ATOMIC_RELAXED); // several contacts may press it
    }
}

/// Fast bodies of ccd: marks those that are pressed: they are followed however little they move.
static void find_pressed(qdi_step *step) {
    qd_world *world = step->world;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, clear_flags, step);
    if (world->scratch.pressed == 0) return;
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, mark_pressed, step);
}

/// Fast bodies of ccd: true where a body's whole path is in the box that the world's tree has for it: that is
/// convex, and holds both ends, and of what turns on the way no point comes further beyond the straight way
/// between them than four times the height of its arc, times the parts of the way to both ends.
static bool keeps_to_its_box(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const qd_vec2 period = qdi_world_period(world);
    if (world->shape[row] == 0 && world->kind[row] != QD_BODY_KINEMATIC)
        return world->margin.left == 0 || !qdi_margin_left(world, row, period);
    const qdi_path_segment path = qdi_segment_of_row(step, row);
    const double turn = fabs(path.spin) * step->dt;
    if (path.parts > 0 || !(turn < 2)) return false;
    const float more = turn > 0 ? (float)((0.5 * turn * turn + 1e-6) * world->radius[row]) : 0;
    qd_box box = world->boxes[row];
    box = (qd_box){box.min_x - more, box.min_y - more, box.max_x + more, box.max_y + more};
    return qdi_margin_holds(world->fat[row], box) ||
           (step->periodic && qdi_margin_holds_image(world->fat[row], box, period));
}

/// Fast bodies of ccd: takes note of a body whose points move by a `way` at most, squared.
static inline void note_way(qdi_ways *ways, double way, double size, bool followed, bool moves) {
    const double part = QDI_DRIVING_PART * size, drive = way < part * part ? way : part * part;
    if (moves && drive > ways->drive) ways->drive = drive;
    if (!followed && way > ways->slow) ways->slow = way;
    if (followed && size < ways->least) ways->least = size;
}

/// Fast bodies of ccd: finds out who of a range of bodies is followed, and how far the others move.
static void survey(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qd_world *world = step->world;
    const qdi_motion now = world->now, next = world->next;
    qdi_ccd *ccd = step->ccd;
    size_t count = 0;
    qdi_ways ways = {.least = (double)INFINITY};
    bool carries = false, misses = false;
    // Most are disks that move by much less than what is followed.
    double least = 0.99 * step->part, least_squared = world->bullets > 0 ? -1 : least * least;
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        double x = next.x[row] - now.x[row], y = next.y[row] - now.y[row], radius = world->radius[row];
        double way = x * x + y * y;
        bool plain = world->shape[row] == 0 && way <= least_squared * (radius * radius);
        if (plain && world->shaped > 0) ccd->glances[row] = glance_at(step, row, (qd_vec2){x, y}, 0, false);
        bool is = !plain && followed(step, row, &way);
        is = is || ccd->flags[row] == QDI_FOLLOWED; // as has been marked
        const bool stray = ccd->by_margin && !keeps_to_its_box(step, row);
        ccd->trajectory_of[row] = ccd->place_of[row] = QDI_NONE_YET;
        qd_box box;
        const bool missed = is && step->periodic && !qdi_path_box(step, row, &box);
        misses = misses || missed;
        ccd->flags[row] = (uint8_t)((is ? QDI_FOLLOWED : 0) | (stray ? QDI_STRAY : 0) |
                                    (missed ? QDI_MISSED : 0));
        count += ccd->by_margin ? stray : is;
        note_way(&ways, way, qdi_inner_of_row(world, row), is, world->kind[row] == QD_BODY_DYNAMIC);
        carries = carries || (world->kind[row] == QD_BODY_KINEMATIC && way > 0);
    }
    if (carries) atomic_store_explicit(&ccd->carriers, true, memory_order_relaxed);
    if (misses) atomic_store_explicit(&ccd->misses, true, memory_order_relaxed);
    ccd->followed[begin / QDI_BODY_GRAIN] = count;
    ccd->ways[begin / QDI_BODY_GRAIN] = ways;
}

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
    uint32_t place = ccd->all ? (uint32_t)begin : (uint32_t)ccd->followed[begin / QDI_BODY_GRAIN];
    const uint32_t first = place, of = ccd->by_margin ? QDI_STRAY : QDI_FOLLOWED;
    for (uint32_t row = (uint32_t)begin; row < end; ++row)
        if (ccd->all || ccd->flags[row] & of) put_on_list(step, row, place++);
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
    ccd->by_margin = false;
    qd_status status = reserve_list(step, step->world->count);
    if (status != QD_OK) return status;
    ccd->listed_count = step->world->count;
    qdi_step job = *step;
    qdi_team_for(step->world->team, step->world->count, QDI_BODY_GRAIN, gather, &job);
    return QD_OK;
}

/// Fast bodies of ccd: makes room for what is kept of each body.
static qd_status reserve(const qdi_step *step, size_t ranges) {
    qdi_ccd *ccd = step->ccd;
    const qd_allocator *allocator = step->world->allocator;
    size_t count = step->world->count;
    qd_status status = qdi_reserve(allocator, &ccd->trajectory_of, &ccd->trajectory_of_room, 0, count,
                                   sizeof *ccd->trajectory_of);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->place_of, &ccd->place_of_room, 0, count, sizeof *ccd->place_of);
    if (status == QD_OK) status = qdi_reserve(allocator, &ccd->flags, &ccd->flag_room, 0, count, 1);
    if (status == QD_OK && step->world->shaped > 0)
        status = qdi_reserve(allocator, &ccd->free, &ccd->free_room, 0, count, sizeof *ccd->free);
    if (status == QD_OK && step->world->shaped > 0)
        status = qdi_reserve(allocator, &ccd->glances, &ccd->glance_room, 0, count, sizeof *ccd->glances);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->ways, &ccd->ways_room, 0, ranges, sizeof *ccd->ways);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->followed, &ccd->followed_room, 0, ranges,
                             sizeof *ccd->followed);
    return status;
}

qd_status qdi_ccd_list(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const qd_world *world = step->world;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qd_status status = reserve(step, ranges);
    if (status != QD_OK) return status;
    qdi_step job = *step;
    ccd->by_margin = !step->following && world->margin.held;
    find_pressed(&job);
    atomic_store_explicit(&ccd->carriers, false, memory_order_relaxed);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, survey, &job);
    qdi_ways ways = ccd->ways[0];
    for (size_t k = 1; k < ranges; ++k) {
        if (ccd->ways[k].slow > ways.slow) ways.slow = ccd->ways[k].slow;
        if (ccd->ways[k].drive > ways.drive) ways.drive = ccd->ways[k].drive;
        if (ccd->ways[k].least < ways.least) ways.least = ccd->ways[k].least;
    }
    if (!step->following) status = qdi_ccd_mark_driven(step, sqrt(ways.drive) * (1 + 1e-9), ways.least);
    if (status != QD_OK) return status;
    ccd->slow = ccd->by_margin ? 0
                               : sqrt(ways.slow) * (1 + 1e-9); // it is worked out in another way than boxes
    size_t count = qdi_exclusive_scan(ccd->followed, ranges);
    ccd->all = false;
    ccd->listed_count = 0;
    if (count * FEW > world->count) return list_all(step);
    status = reserve_list(step, count);
    if (status != QD_OK) return status;
    ccd->listed_count = count;
    atomic_store_explicit(&ccd->wide, false, memory_order_relaxed);
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
    uint8_t flags = QDI_FRESH;
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
