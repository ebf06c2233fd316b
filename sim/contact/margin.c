// Fat boxes, and the candidates that come of them.
//
// With a margin the tree holds boxes that are larger than the bodies' own. The candidates are the pairs of
// these fat boxes that overlap; as long as every body is inside its fat box they are all that can touch, and
// a step has nothing to do but to test them. Motion counts the bodies that left their fat box
// (qdi_margin.left), while it makes their boxes.
//   - Nobody left: tree and candidates stay as they are.
//   - A few did: these get new fat boxes, the tree is told of each, and their candidates are looked for one
//   by one.
//   - Many did: all boxes are made anew, the tree is refreshed and all candidates are retrieved.
// Either way the candidates are again all pairs of fat boxes that overlap, so what is saved is the fat boxes:
// a world that is loaded finds the same candidates. Their order is another, but nothing depends on it.
//
// Who follows fast bodies asks for boxes that hold whole ways through the step (qdi_sweep), before he knows
// where these end: all that may meet on the way, or at its end, are then among the candidates. Such boxes are
// fat ones: whoever is carried out of his own after that leaves it.
//
// Candidates are kept by row, for that is how they are used, the one with the lower index first.
//
// What fat boxes must not do is stop a run that goes on without them: where they have more pairs than
// limits.pairs allows, the step makes do with the bodies' own boxes.

#include "sim/contact/margin_impl.h"

#include "core/tree/fat_box.h"
#include "core/tree/pairs_impl.h"
#include "sim/world/compress.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <quadrille/brute.h>
#include <string.h>

/// The part of a whole in which ratios are added up: sums of whole numbers are the same in any order.
static const double unit = 1 << 20;

// ---- how fat ----

// Margin: the longer side of a box.
static double longer_side(qd_box box) {
    double width = (double)box.max_x - (double)box.min_x, height = (double)box.max_y - (double)box.min_y;
    return width > height ? width : height;
}

/// Margin: a length as a part of a body's size; at least 0, as the box of a way on which something stopped
/// may be less than its own, and at most 1.
static double part_of(double length, double side) {
    if (length <= 0) return 0;
    return length < side ? length / side : 1;
}

/// Margin: how far any point of a body moves in a step, as a part of its size; at most 1.
static double stride(const qdi_fatten_job *job, size_t row, double side) {
    const qd_world *world = job->world;
    const qdi_motion *m = job->motion;
    double way = sqrt(m->vx[row] * m->vx[row] + m->vy[row] * m->vy[row]);
    if (world->turning && world->shape[row]) way += fabs(m->spin[row]) * world->radius[row];
    return part_of(way * job->dt, side);
}

// Margin: adds up how far bodies travel in a step, in whole units of their boxes: the order does not matter.
static void sum_strides(void *context, size_t begin, size_t end) {
    const qdi_fatten_job *job = context;
    size_t sum = 0;
    for (size_t r = begin; r < end; ++r)
        sum += (size_t)(unit * stride(job, r, longer_side(job->world->boxes[r])));
    job->sums[begin / QDI_BODY_GRAIN] = sum;
}

/// What a body is given on each side.
static double margin_of(const qdi_fatten_job *job, size_t row, double side) {
    const qd_world *world = job->world;
    if (job->bare || world->kind[row] == QD_BODY_STATIC) return 0;
    if (!isnan(world->def.margin)) return world->def.margin;
    double part = QDI_MARGIN_LEAST + world->margin.horizon * (stride(job, row, side) + world->margin.slack);
    return part < 1 ? part * side : side;
}

double qdi_fatten(const qdi_fatten_job *job, size_t row) {
    qd_box box = job->world->boxes[row];
    double side = longer_side(box), more = margin_of(job, row, side);
    if (job->sweep) box = job->sweep->box(job->sweep->context, row);
    job->world->fat[row] = more > 0 ? qdi_margin_fatten(box, more, job->period) : box;
    if (job->sweep) more += 0.5 * (longer_side(box) - side);
    return part_of(more, side);
}

// Makes the fat boxes of a range of bodies.
static void fatten_range(void *context, size_t begin, size_t end) {
    const qdi_fatten_job *job = context;
    size_t sum = 0;
    for (size_t r = begin; r < end; ++r) sum += (size_t)(unit * qdi_fatten(job, r));
    job->sums[begin / QDI_BODY_GRAIN] = sum;
}

// Makes the boxes of the ways of a range of bodies, without a margin.
static void sweep_range(void *context, size_t begin, size_t end) {
    const qdi_fatten_job *job = context;
    job->sweep->boxes(job->sweep->context, begin, end);
}

// Adds up how much the boxes of ways are larger than the bodies' own, in sides.
static void sum_ways(void *context, size_t begin, size_t end) {
    const qdi_fatten_job *job = context;
    size_t sum = 0;
    for (size_t r = begin; r < end; ++r) {
        const double side = longer_side(job->world->boxes[r]);
        sum += (size_t)(unit * part_of(0.5 * (longer_side(job->world->fat[r]) - side), side));
    }
    job->sums[begin / QDI_BODY_GRAIN] = sum;
}

/// Margin: the mean of what a pass added up.
static double mean_over(qdi_fatten_job *job, qdi_range_function pass) {
    const qd_world *world = job->world;
    if (world->count == 0) return 0;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, pass, job);
    size_t sum = 0;
    for (size_t k = 0; k < qdi_range_count(world->count, QDI_BODY_GRAIN); ++k) sum += job->sums[k];
    return (double)sum / (unit * (double)world->count);
}

/// What collisions may give to a body, as a part of what bodies move by in the mean. Without a contact model
/// nobody changes his course.
static double slack_part(qd_contact_model model) {
    return model == QD_CONTACT_NONE ? 0 : 1;
}

/// Margin: fat boxes that bodies have left lasted as long as they are old. Where something else ended them,
/// such as an edit, they might have lasted longer: one such end does not tell that boxes do not pay, many in
/// a row do.
static uint32_t lasted_by(const qdi_margin *margin, bool left) {
    if (left || margin->age >= margin->lasted) return margin->age;
    const uint32_t between = (margin->lasted + margin->age) / 2;
    return between > 0 ? between : 1;
}

/// Margin: chooses for how many steps boxes are made. `left`: the boxes before ended as bodies left them.
static void choose(qdi_fatten_job *job, bool left) {
    qd_world *world = job->world;
    qdi_margin *margin = &world->margin;
    if (!isnan(world->def.margin)) {
        margin->horizon = 1;
        return;
    }
    if (!(job->dt > 0)) { // before the first step nobody knows how far bodies will go
        margin->horizon = 0;
        margin->age = QDI_MARGIN_AGAIN;
        return;
    }
    if (margin->horizon > 0) margin->lasted = lasted_by(margin, left);
    if (margin->horizon > 0 || margin->age >= QDI_MARGIN_AGAIN) {
        double mean = mean_over(job, sum_strides);
        margin->slack = slack_part(world->def.contact) * mean;
        margin->horizon = (uint32_t)qdi_margin_horizon(2 * (mean + margin->slack), margin->pairs,
                                                       margin->lasted, margin->horizon);
        margin->age = 0;
    }
    if (margin->horizon == 0) {
        margin->age += 1;
        margin->lasted = 1;
    }
}

// ---- all anew ----

/// Margin: the tree's own errors about boxes cannot happen: limits and checks keep them away.
static qd_status refresh(qd_world *world, const qd_box *boxes, qd_tree_counts *counts) {
    world->margin.edited = false;
    qd_status status = qd_tree_refresh(world->tree, world->team, boxes, world->index, world->count, counts,
                                       NULL);
    return status == QD_OK || status == QD_ERR_MEMORY ? status : QD_ERR_INTERNAL;
}

qd_status qdi_tree_restore(qd_world *world) {
    qd_tree_counts counts;
    qdi_motion_boxes(world, &world->now);
    qd_status status = refresh(world, world->boxes, &counts);
    world->tree_lost = status != QD_OK;
    return status;
}

// Margin: makes room for candidates, to which those that leave before all is made anew bring some more.
static qd_status expect_candidates(void *context, size_t count) {
    qd_world *world = context;
    const qd_status status = qdi_reserve(world->allocator, &world->met, &world->met_room, 0,
                                         count + count / 8, sizeof *world->met);
    world->scratch.hits_layout = 0;
    if (status == QD_OK) world->met_count = count;
    return status;
}

// Writes candidates that the tree found as pairs of rows.
static void take_candidates(void *context, size_t first, const qd_pair *pairs, size_t count) {
    const qd_world *world = context;
    const uint32_t *row = world->row_of_index;
    qdi_meeting *met = world->met + first;
    for (size_t i = 0; i < count; ++i) met[i] = (qdi_meeting){row[pairs[i].a], row[pairs[i].b]};
}

qd_status qdi_margin_brute(const qd_world *world, const qd_box *boxes, qd_brute **brute) {
    const qd_vec2 period = qdi_world_period(world);
    qd_tree_def def = qd_tree_def_default();
    def.size = (qd_vec2){period.x > 0 ? period.x : world->def.size.x,
                         period.y > 0 ? period.y : world->def.size.y};
    def.period = period;
    def.allocator = world->allocator;
    qd_status status = qd_brute_create(&def, brute);
    if (status == QD_OK)
        status = qd_brute_refresh(*brute, world->team, boxes, world->index, world->count, NULL, NULL);
    return status == QD_OK || status == QD_ERR_MEMORY ? status : QD_ERR_INTERNAL;
}

// Finds candidate pairs without a tree, each box beside each.
static qd_status find_brute_pairs(const qd_world *world, const qd_box *boxes) {
    qd_brute *brute = NULL;
    qd_status status = qdi_margin_brute(world, boxes, &brute);
    if (status == QD_OK) status = qd_brute_pairs(brute, world->team, world->candidates);
    qd_brute_destroy(brute);
    return status;
}

// Finds candidate pairs in the way that the world's def chooses.
static qd_status find_candidate_pairs(const qd_world *world, const qd_box *boxes) {
    switch (world->def.retrieve) {
    case QD_RETRIEVE_EACH: return qd_tree_pairs_each(world->tree, world->team, world->candidates);
    case QD_RETRIEVE_BRUTE: return find_brute_pairs(world, boxes);
    case QD_RETRIEVE_JOIN: break;
    }
    return qd_tree_pairs(world->tree, world->team, world->candidates);
}

// Margin: the arena and the pairs that the tree tells, which nobody needs once they are candidates, take
// turns with their memory.
static void trade_memory(qd_world *world) {
    qd_pair *pairs = NULL;
    size_t room = 0;
    qdi_pairs_trade(world->candidates, &pairs, &room);
    void *memory = pairs;
    qdi_arena_trade(&world->scratch.arena, &memory, &room, sizeof *pairs);
    pairs = memory;
    qdi_pairs_trade(world->candidates, &pairs, &room);
}

/// Margin: `boxes`: those that the tree holds. `tests` grows by how many were compared.
static qd_status retrieve(qd_world *world, const qd_box *boxes, uint64_t *tests) {
    qd_pairs_set_limit(world->candidates, qdi_limit_pairs(&world->def.limits, world->count));
    trade_memory(world);
    const qdi_pair_taker taker = {expect_candidates, take_candidates, world};
    qdi_pairs_hand(world->candidates, &taker);
    const qd_status status = find_candidate_pairs(world, boxes);
    qdi_pairs_hand(world->candidates, NULL);
    if (status == QD_OK) *tests += qd_pairs_tests(world->candidates);
    trade_memory(world);
    return status;
}

// Margin: adds what a refresh of the tree did to the counts of the step.
static void add_counts(qd_tree_counts *counts, const qd_tree_counts *more) {
    counts->in_place += more->in_place;
    counts->refiled += more->refiled;
    counts->added += more->added;
    counts->splits += more->splits;
    counts->merges += more->merges;
}

// Margin: refreshes the tree with new boxes of all bodies.
static qd_status file_all(qd_world *world, const qd_box *boxes, double growth, qdi_found *found) {
    qd_tree_counts counts = {0};
    qd_status status = refresh(world, boxes, &counts);
    add_counts(&found->counts, &counts);
    found->rebuilds += 1;
    found->due = QDI_DUE_ALL;
    found->growth = growth;
    found->fat = boxes == world->fat;
    return status;
}

/// Margin: makes all fat boxes that there are to be, and files them, or the bodies' own. How much larger
/// boxes of ways are is only asked for before it is looked again whether a margin would pay.
static qd_status file_boxes(qdi_fatten_job *job, qdi_found *found) {
    qd_world *world = job->world;
    double growth = 0;
    if (!job->bare) growth = mean_over(job, fatten_range);
    if (job->bare && job->sweep) {
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, sweep_range, job);
        growth = job->sums && world->margin.age + 1 >= QDI_MARGIN_AGAIN ? mean_over(job, sum_ways)
                                                                        : (double)NAN;
    }
    return file_all(world, job->sweep || !job->bare ? world->fat : world->boxes, growth, found);
}

/// Margin: the first half: all boxes to the tree.
static qd_status refresh_all(qdi_fatten_job *job, qdi_found *found) {
    qd_world *world = job->world;
    qdi_margin *margin = &world->margin;
    const bool left = margin->held && !world->changed;
    if (margin->behind) qdi_motion_boxes(world, job->motion);
    margin->behind = margin->held = false;
    job->bare = world->def.margin == 0 || qdi_compress_goes_on(world); // NaN is not 0
    const qdi_arena_mark mark = qdi_arena_mark_of(&world->scratch.arena);
    job->sums = qdi_arena_take(&world->scratch.arena, qdi_range_count(world->count, QDI_BODY_GRAIN),
                               sizeof *job->sums);
    if (!job->sums) return QD_ERR_MEMORY;
    if (!job->bare && !found->swept) choose(job, left);
    job->bare = job->bare || margin->horizon == 0;
    const qd_status status = file_boxes(job, found);
    qdi_arena_give_back(&world->scratch.arena, mark);
    return status;
}

/// Margin: the boxes that the tree holds.
static const qd_box *filed_boxes(const qd_world *world, const qdi_found *found) {
    return found->fat ? world->fat : world->boxes;
}

/// The second half: all candidates from the tree.
static qd_status retrieve_all(qdi_fatten_job *job, qdi_found *found) {
    qd_world *world = job->world;
    qdi_margin *margin = &world->margin;
    qd_status status = retrieve(world, filed_boxes(world, found), &found->tests);
    const bool wide = found->fat && margin->horizon > 0;
    if (status == QD_ERR_LIMIT && wide) { // there may be room without a margin
        margin->horizon = 0;
        job->bare = true;
        status = file_boxes(job, found);
        if (status == QD_OK) status = retrieve(world, filed_boxes(world, found), &found->tests);
    } else if (wide) {
        margin->age = 0;
    }
    margin->held = found->fat && status == QD_OK;
    found->bare = job->bare && margin->held;
    double bodies = world->count > 0 ? (double)world->count : 1, fat = 1 + 2 * found->growth;
    if (status == QD_OK && !isnan(fat)) margin->pairs = (double)world->met_count / (bodies * fat * fat);
    return status;
}

// ---- who left ----

bool qdi_margin_left(const qd_world *world, size_t row, qd_vec2 period) {
    if (qdi_margin_holds(world->fat[row], world->boxes[row])) return false;
    return (period.x == 0 && period.y == 0) ||
           !qdi_margin_holds_image(world->fat[row], world->boxes[row], period);
}

void qdi_margin_box_again(qd_world *world, uint32_t row) {
    const bool held = world->margin.held;
    qdi_margin_box_moved(world, row, held && qdi_margin_left(world, row, qdi_world_period(world)));
}

void qdi_margin_box_moved(qd_world *world, uint32_t row, bool before) {
    qdi_motion_box(world, row);
    const bool after = world->margin.held && qdi_margin_left(world, row, qdi_world_period(world));
    if (before == after) return;
    const size_t more = (size_t)after - (size_t)before;
    __atomic_fetch_add(&world->scratch.left[row / QDI_BODY_GRAIN], more, __ATOMIC_RELAXED);
    __atomic_fetch_add(&world->margin.left, more, __ATOMIC_RELAXED);
}

// Margin: the periodic image of a coordinate that lies nearest to an interval.
static int image_in(float min, float max, double at, double period) {
    if (period == 0) return 0;
    double away = at - 0.5 * ((double)min + (double)max);
    return (away < -0.5 * period) - (away > 0.5 * period);
}

qd_image qdi_margin_image(const qd_world *world, size_t row) {
    if (!world->margin.held) return (qd_image){0, 0};
    qd_vec2 period = qdi_world_period(world);
    qd_box fat = world->fat[row];
    return (qd_image){(int16_t)image_in(fat.min_x, fat.max_x, world->now.x[row] - world->centre.x, period.x),
                      (int16_t)image_in(fat.min_y, fat.max_y, world->now.y[row] - world->centre.y, period.y)};
}

/// Margin: that takes a microsecond or two for each, and is to be little beside a step. Where the root's list
/// has an order of its own, which is made anew for each, fewer are.
size_t qdi_margin_few(const qd_world *world) {
    return qdi_tree_edits_are_slow(world->tree) ? 2 : 8 + world->count / 2048;
}

/// Margin: the same where no more than so many left.
static bool mends(const qd_world *world, size_t few) {
    return world->margin.held && !world->changed && world->margin.left <= few;
}

bool qdi_margin_mends(const qd_world *world) {
    return mends(world, qdi_margin_few(world));
}

/// Margin: the same in a search after the first one for whole ways, which is worth more than to begin anew.
static size_t few_again(const qd_world *world) {
    const size_t few = qdi_margin_few(world), part = world->count / 16;
    return part > few && !qdi_tree_edits_are_slow(world->tree) ? part : few;
}

// ---- of a step ----

/// Margin: whether fat boxes of another part are due, and these not much younger. To make all anew takes
/// longer than all else in a step, and parts wait for each other: it is better that they do it in the same
/// step.
static bool due_elsewhere(const qd_world *world) {
    return world->part && world->part->due > 0 && world->margin.age >= world->part->due / 2;
}

uint32_t qdi_margin_due(const qd_world *world) {
    const qdi_margin *margin = &world->margin;
    return margin->held && !world->changed && !qdi_margin_mends(world) ? margin->age + 1 : 0;
}

// What fat boxes are made from at the end of a step of dt.
static qdi_fatten_job job_of(qd_world *world, const qdi_motion *motion, double dt, const qdi_found *found) {
    return (qdi_fatten_job){
        .world = world, .motion = motion, .dt = dt, .period = qdi_world_period(world), .sweep = found->sweep};
}

qd_status qdi_candidates_refresh(qd_world *world, const qdi_motion *motion, double dt, qdi_found *found) {
    qdi_margin *margin = &world->margin;
    qdi_fatten_job job = job_of(world, motion, dt, found);
    found->due = QDI_DUE_NOTHING;
    if (margin->held && !world->changed && margin->horizon > 0 && !found->swept) margin->age += 1;
    const bool again = found->swept && found->sweep;
    if (due_elsewhere(world) || !mends(world, again ? few_again(world) : qdi_margin_few(world)))
        return refresh_all(&job, found);
    return margin->left > 0 ? qdi_leavers_refresh(&job, found) : QD_OK;
}

// Finds the candidates of all, or of those that left their fat boxes.
static qd_status retrieve_found(qdi_fatten_job *job, qdi_found *found) {
    if (found->due == QDI_DUE_LEAVERS) {
        qd_status status = qdi_leavers_retrieve(job->world, found);
        if (status != QD_ERR_LIMIT) return status;
        found->amended -= found->leaver_count;
        status = refresh_all(job, found);
        if (status != QD_OK) return status;
    }
    return found->due == QDI_DUE_ALL ? retrieve_all(job, found) : QD_OK;
}

/// Margin: all are in their fat boxes; whoever is moved after this is counted (qdi_margin_box_again).
static qd_status nobody_left(qd_world *world) {
    qdi_scratch *scratch = &world->scratch;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    world->margin.left = 0;
    qd_status status = qdi_reserve(world->allocator, &scratch->left, &scratch->left_room, 0, ranges,
                                   sizeof *scratch->left);
    if (status == QD_OK) memset(scratch->left, 0, ranges * sizeof *scratch->left);
    return status;
}

qd_status qdi_candidates_retrieve(qd_world *world, const qdi_motion *motion, double dt, qdi_found *found) {
    const size_t before = world->met_count;
    qdi_fatten_job job = job_of(world, motion, dt, found);
    qd_status status = retrieve_found(&job, found);
    if (found->sweep) found->swept = true;
    if (status == QD_OK && found->sweep) status = nobody_left(world);
    if (status != QD_OK || found->due == QDI_DUE_NOTHING) return status;
    return qdi_part_drop_ghosts(world, found->due == QDI_DUE_ALL ? 0 : before);
}

qd_status qdi_candidates_restore(qd_world *world) {
    qd_tree_counts counts;
    qdi_motion_boxes(world, &world->now);
    qd_vec2 period = qdi_world_period(world);
    for (size_t r = 0; r < world->count; ++r)
        if (!qdi_box_acceptable(world->fat[r], period) || qdi_margin_left(world, r, period))
            return QD_ERR_CORRUPT;
    qd_status status = refresh(world, world->fat, &counts);
    uint64_t tests = 0; // made before, by the world that was saved
    if (status == QD_OK) status = retrieve(world, world->fat, &tests);
    return status == QD_ERR_LIMIT ? QD_ERR_CORRUPT : status;
}
