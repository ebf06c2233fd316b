// Boxes of whole ways through the step, for bodies that are stopped on these: the world's tree is brought up
// to date with them, before anybody knows where ways end, and its candidates are all pairs whose ways may
// meet. They serve the contacts of the step's end as well, since a way holds its end: so fast bodies cost no
// tree, and no retrieve, of their own.

#include "core/math/larger.h"
#include "core/math/outward.h"
#include "core/tree/fat_box.h"
#include "sim/contact/margin.h"
#include "sim/rigid/ccd.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

/// What turns by less than this part of its size has a box that is good enough without being turned.
static const double little_turn_part = 0.1;
/// And so has what does not reach further than so many times its size, however it turns: in any box of it is
/// the circle about its middle that has that size.
static const double round_part = 1.5;
/// What is added to a way, and taken from a side, relative to each: more than they are rounded by.
static const float way_rounding = 1 + 1e-5F, side_rounding = 2.5e-7F;

/// The sides of a box, in its order, as one vector of the compiler's own (GNU C).
typedef float sides __attribute__((vector_size(4 * sizeof(float))));
typedef int32_t side_bits __attribute__((vector_size(4 * sizeof(int32_t))));
_Static_assert(sizeof(sides) == sizeof(qd_box), "four sides in a box");

/// Sweeps of ccd: a box that is longer by the way back to where it came from, and by `more` on each side.
static inline qd_box drawn_back(qd_box end, float x, float y, float more) {
    const sides way = {x, y, -x, -y}, out = {-1, -1, 1, 1};
    const sides by = more + (sides)((side_bits)way & (side_bits)(way > 0));
    sides at;
    memcpy(&at, &end, sizeof at);
    at += by * (out * way_rounding);
    at += (sides)((side_bits)at & INT32_MAX) * (out * side_rounding);
    memcpy(&end, &at, sizeof end);
    return end;
}

/// Sweeps of ccd: a box that holds two.
static qd_box both_boxes(qd_box a, qd_box b) {
    return (qd_box){a.min_x < b.min_x ? a.min_x : b.min_x, a.min_y < b.min_y ? a.min_y : b.min_y,
                    a.max_x > b.max_x ? a.max_x : b.max_x, a.max_y > b.max_y ? a.max_y : b.max_y};
}

/// Sweeps of ccd: where the middle of an interval has left the period around 0, its image that has not.
static void wrap_side(float *min, float *max, double period) {
    const double middle = 0.5 * ((double)*min + (double)*max);
    if (period == 0 || fabs(middle) <= 0.5 * period) return;
    const double shift = middle > 0 ? -period : period;
    *min = qdi_outward((double)*min + shift, -1.0F);
    *max = qdi_outward((double)*max + shift, 1.0F);
}

/// Sweeps of ccd: the box of a way that turns, beside the image of the body that is in the world at its end.
static qd_box turned_back(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const qdi_path_segment last = qdi_segment_at(step, row, step->dt);
    const double gone = step->dt - last.start, end_x = last.x + last.vx * gone,
                 end_y = last.y + last.vy * gone;
    qd_vec2 low, high;
    qdi_path_bounds(step, row, &low, &high);
    const double x = world->next.x[row] - end_x - world->centre.x,
                 y = world->next.y[row] - end_y - world->centre.y;
    return both_boxes(world->boxes[row],
                      qdi_box_of(x, y, (qdi_extent){low.x, high.x}, (qdi_extent){low.y, high.y}));
}

/// Sweeps of ccd: false for a body that needs no box of its way: those of the few that are followed are large
/// enough.
static inline bool has_way(const qdi_step *step, uint32_t row) {
    return !step->few || step->ccd->flags[row] & QDI_FOLLOWED;
}

/// Sweeps of ccd: true for a body that has a path of its own.
static inline bool has_path(const qdi_step *step, uint32_t row) {
    return step->ccd->trajectory_of[row] != QDI_NONE_YET;
}

/// Sweeps of ccd: the box of the way of a disk that goes straight.
static inline qd_box disk_swept(const qd_world *world, size_t r, float more) {
    return drawn_back(world->boxes[r], (float)(world->next.x[r] - world->now.x[r]),
                      (float)(world->next.y[r] - world->now.y[r]), more + 1e-6F * (float)world->radius[r]);
}

/// Sweeps of ccd: the box of the way of a body that turns, or comes across a periodic side; where the tree
/// would not take it, of its end: nothing comes of such a way (qdi_path_image).
static qd_box whole_box(const qdi_step *step, uint32_t row, double little, double more) {
    const qd_world *world = step->world;
    const qd_box end = world->boxes[row];
    const qdi_path_segment path = qdi_segment_of_row(step, row);
    const double turn = world->shape[row] ? fabs(path.spin) * step->dt * world->radius[row] : 0;
    const bool turns = path.parts > 0 || turn > little;
    qd_box box = turns ? drawn_back(turned_back(step, row), 0, 0, (float)more)
                       : drawn_back(end, (float)(path.vx * step->dt), (float)(path.vy * step->dt),
                                    (float)(turn + more));
    const qd_vec2 period = qdi_world_period(world);
    wrap_side(&box.min_x, &box.max_x, period.x);
    wrap_side(&box.min_y, &box.max_y, period.y);
    return qdi_box_acceptable(box, period) ? box : end;
}

qd_box qdi_ccd_seen_box(const qdi_step *step, uint32_t row) {
    const qdi_glance *glance = &step->ccd->glances[row];
    const qdi_seen_way way = qdi_ccd_seen_way(&step->rest, glance);
    const double turn = qdi_smaller(way.turn, glance->radius - glance->inner),
                 more = turn + way.bend + 1e-6 * glance->radius;
    return drawn_back(step->world->boxes[row], (float)way.x, (float)way.y, (float)more);
}

/// Sweeps of ccd: the box of a body's way; of those that need none, of the end.
static inline qd_box way_box(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const qd_box end = world->boxes[row];
    if (world->kind[row] == QD_BODY_STATIC || !has_way(step, row)) return end;
    if (step->rest.holds)
        return drawn_back(qdi_ccd_seen_box(step, row), 0, 0, step->few ? (float)step->slow : 0);
    if (qdi_ccd_straight(step)) return disk_swept(world, row, step->few ? (float)step->slow : 0);
    const bool seen = world->shaped > 0 && !step->periodic;
    const qdi_glance *glance = seen ? &step->ccd->glances[row] : NULL;
    const double radius = seen ? glance->radius : world->radius[row],
                 inner = seen ? glance->inner : qdi_inner_of_row(world, row),
                 little = little_turn_part * inner, more = 1e-6 * radius + (step->few ? step->slow : 0);
    if (seen) {
        const double angle = fabs(glance->turn) * radius, turn = qdi_smaller(angle, radius - inner);
        if (!glance->bullet && (angle <= little || radius < round_part * inner))
            return drawn_back(end, (float)glance->way_x, (float)glance->way_y, (float)(turn + more));
    }
    return whole_box(step, row, little, more);
}

/// Sweeps of ccd: the same for any row, as a function; where a body has a path of its own, of that.
static qd_box swept_box(const void *context, size_t at) {
    const qdi_step *step = context;
    const uint32_t row = (uint32_t)at;
    qd_box own;
    if (!has_path(step, row)) return way_box(step, row);
    return qdi_path_box(step, row, &own) ? own : step->world->boxes[row];
}

/// Sweeps of ccd: the same of those few alone that are followed.
static void sweep_few(const qdi_step *step, size_t begin, size_t end) {
    qd_world *world = step->world;
    const uint32_t *rows = step->ccd->followed_rows + begin;
    memcpy(world->fat + begin, world->boxes + begin, (end - begin) * sizeof *world->fat);
    const bool plain = qdi_ccd_straight(step);
    const float more = (float)step->slow;
    for (size_t k = 0; k < step->ccd->ways[begin / QDI_BODY_GRAIN].followed; ++k)
        world->fat[rows[k]] = plain ? disk_swept(world, rows[k], more) : way_box(step, rows[k]);
}

/// Sweeps of ccd: true where a body's way leaves the fat box that it has: after the first sweep, where its
/// path is new.
static bool way_leaves(const void *context, size_t row) {
    const qdi_step *step = context;
    return step->ccd->flags[row] & QDI_STRAY && (!step->found->swept || has_path(step, (uint32_t)row));
}

/// Sweeps of ccd: the boxes of the ways of a range of bodies; where the others have such boxes, of those
/// alone that have left theirs.
static void sweep_boxes(const void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    qd_box *fat = step->world->fat;
    const bool plain = qdi_ccd_straight(step), again = step->found->bare,
               paths = step->ccd->trajectory_count > 0;
    if (!again && step->few) sweep_few(step, begin, end);
    for (size_t r = begin; !again && !step->few && r < end; ++r)
        fat[r] = plain ? disk_swept(step->world, r, 0) : way_box(step, (uint32_t)r);
    for (size_t r = begin; paths && r < end; ++r)
        if (again ? way_leaves(step, r) : has_path(step, (uint32_t)r)) fat[r] = swept_box(step, r);
}

bool qdi_ccd_holds(const qdi_step *step, uint32_t row, qd_box way) {
    const qd_world *world = step->world;
    const qd_box filed = world->fat[row];
    return qdi_margin_holds(filed, way) ||
           (step->periodic && qdi_margin_holds_image(filed, way, qdi_world_period(world)));
}

/// Sweeps of ccd: true where a body's way is in a fat box; that is convex, so a way that is straight is where
/// both ends are.
static bool way_in_fat(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const bool straight = !step->few && !step->rest.holds && world->shape[row] == 0 &&
                          world->kind[row] != QD_BODY_KINEMATIC;
    if (straight || !has_way(step, row))
        return qdi_margin_holds(world->fat[row], world->boxes[row]) ||
               !qdi_margin_left(world, row, qdi_world_period(world));
    const qd_box box = way_box(step, row);
    return qdi_ccd_holds(step, row, box);
}

/// Sweeps of ccd: marks a body whose way leaves its fat box; returns whether it does.
static inline size_t mark_stray(const qdi_step *step, uint32_t row) {
    if (way_in_fat(step, row)) return 0;
    step->ccd->flags[row] |= QDI_STRAY;
    return 1;
}

/// Sweeps of ccd: marks and counts those of a range of bodies whose ways leave their fat boxes. Where none
/// has left its own at the step's end, only those have such ways that are followed, if these are few.
static void find_strays(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    const qdi_ccd *ccd = step->ccd;
    const size_t range = begin / QDI_BODY_GRAIN;
    size_t *left = &step->world->scratch.left[range], count = 0;
    if (step->few && *left == 0)
        for (size_t k = 0; k < ccd->ways[range].followed; ++k)
            count += mark_stray(step, ccd->followed_rows[begin + k]);
    else
        for (uint32_t row = (uint32_t)begin; row < end; ++row) count += mark_stray(step, row);
    *left = count;
}

/// Sweeps of ccd: the same of those whose paths are new.
static void count_new_strays(const qdi_step *step) {
    const qdi_ccd *ccd = step->ccd;
    qd_world *world = step->world;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        const uint32_t row = ccd->trajectories[i].row;
        const bool strays = ccd->flags[row] & QDI_STRAY;
        world->scratch.left[row / QDI_BODY_GRAIN] += strays;
        world->margin.left += strays;
    }
}

/// Sweeps of ccd: the same of all.
static void count_strays(const qdi_step *step) {
    qd_world *world = step->world;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qdi_step job = *step;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, find_strays, &job);
    world->margin.left = 0;
    for (size_t k = 0; k < ranges; ++k) world->margin.left += world->scratch.left[k];
}

qd_status qdi_ccd_sweep(const qdi_step *step, qdi_lap *lap) {
    qd_world *world = step->world;
    const qdi_sweep sweep = {sweep_boxes, swept_box, way_leaves, step};
    if (step->found->swept)
        count_new_strays(step);
    else if (qdi_margin_mends(world))
        count_strays(step);
    step->found->sweep = &sweep;
    const qdi_arena_mark mark = qdi_arena_mark_of(&world->scratch.arena);
    qd_status status = qdi_candidates_refresh(world, &world->next, step->dt, step->found);
    qdi_lap_end(lap, QD_PHASE_REFRESH);
    if (status == QD_OK) status = qdi_candidates_retrieve(world, &world->next, step->dt, step->found);
    qdi_arena_give_back(&world->scratch.arena, mark);
    step->found->sweep = NULL;
    if (status == QD_ERR_LIMIT)
        qdi_limit_report_pairs(&world->report, world->clock.step + 1, &world->def.limits);
    for (size_t i = 0; i < step->ccd->trajectory_count; ++i)
        step->ccd->flags[step->ccd->trajectories[i].row] &= (uint8_t)~QDI_STRAY;
    return status;
}
