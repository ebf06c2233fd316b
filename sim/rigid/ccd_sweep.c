// Boxes of whole ways through the step, for bodies that are stopped on these: the world's tree is brought up
// to date with them, before anybody knows where ways end, and its candidates are all pairs whose ways may
// meet. They serve the contacts of the step's end as well, since a way holds its end: so fast bodies cost no
// tree, and no retrieve, of their own.

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

/// What turns by less than this part of its size has a box that is good enough without being turned.
static const double little_turn_part = 0.1;
/// What is added to a way, and taken from a side, relative to each: more than they are rounded by.
static const float way_rounding = 1 + 1e-5F, side_rounding = 2.5e-7F;

/// Sweeps of ccd: a lower or left side that lies `by` further out.
static inline float lower_side(float side, float by) {
    const float at = side - by * way_rounding;
    return at - fabsf(at) * side_rounding;
}

/// Sweeps of ccd: an upper or right side that does.
static inline float upper_side(float side, float by) {
    const float at = side + by * way_rounding;
    return at + fabsf(at) * side_rounding;
}

/// Sweeps of ccd: the value, or 0 where it is below.
static inline float above_zero(float value) {
    return value > 0 ? value : 0;
}

/// Sweeps of ccd: a box that is longer by the way back to where it came from, and by `more` on each side.
static inline qd_box drawn_back(qd_box end, float x, float y, float more) {
    return (qd_box){lower_side(end.min_x, more + above_zero(x)), lower_side(end.min_y, more + above_zero(y)),
                    upper_side(end.max_x, more + above_zero(-x)),
                    upper_side(end.max_y, more + above_zero(-y))};
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
    const qdi_pose pose = qdi_segment_pose(&last, step->dt);
    qd_vec2 low, high;
    qdi_path_bounds(step, row, &low, &high);
    const double x = world->next.x[row] - pose.x - world->centre.x,
                 y = world->next.y[row] - pose.y - world->centre.y;
    return both_boxes(world->boxes[row],
                      (qd_box){qdi_outward(low.x + x, -1.0F), qdi_outward(low.y + y, -1.0F),
                               qdi_outward(high.x + x, 1.0F), qdi_outward(high.y + y, 1.0F)});
}

/// Sweeps of ccd: the box of a body's way, or where the tree would not take that, of its end: nothing comes
/// of such a way (qdi_path_image).
static qd_box swept_box(const void *context, size_t at) {
    const qdi_step *step = context;
    const qd_world *world = step->world;
    const uint32_t row = (uint32_t)at;
    const qd_box end = world->boxes[row];
    const double radius = world->radius[row];
    if (world->kind[row] == QD_BODY_STATIC) return end;
    const double little = little_turn_part * qdi_inner_of_row(world, row);
    if (world->shaped > 0 && !step->periodic) {
        const qdi_glance glance = step->ccd->glances[row];
        const double turn = fabs(glance.turn) * radius;
        if (!glance.bullet && turn <= little)
            return drawn_back(end, (float)glance.way_x, (float)glance.way_y, (float)(turn + 1e-6 * radius));
    }
    const qdi_path_segment path = qdi_segment_of_row(step, row);
    const double turn = world->shape[row] ? fabs(path.spin) * step->dt * radius : 0;
    const bool turns = path.parts > 0 || turn > little;
    qd_box box = turns ? turned_back(step, row)
                       : drawn_back(end, (float)(path.vx * step->dt), (float)(path.vy * step->dt),
                                    (float)(turn + 1e-6 * radius));
    const qd_vec2 period = qdi_world_period(world);
    wrap_side(&box.min_x, &box.max_x, period.x);
    wrap_side(&box.min_y, &box.max_y, period.y);
    return qdi_box_acceptable(box, period) ? box : end;
}

/// Sweeps of ccd: the boxes of the ways of a range of disks that go straight.
static void sweep_disks(const qd_world *world, size_t begin, size_t end) {
    const qdi_motion now = world->now, next = world->next;
    const double *radius = world->radius;
    const qd_box *own = world->boxes;
    qd_box *fat = world->fat;
    for (size_t r = begin; r < end; ++r)
        fat[r] = drawn_back(own[r], (float)(next.x[r] - now.x[r]), (float)(next.y[r] - now.y[r]),
                            1e-6F * (float)radius[r]);
}

/// Sweeps of ccd: the boxes of the ways of a range of bodies.
static void sweep_boxes(const void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    if (qdi_ccd_plain(step)) {
        sweep_disks(step->world, begin, end);
        return;
    }
    for (size_t r = begin; r < end; ++r) step->world->fat[r] = swept_box(step, r);
}

/// Sweeps of ccd: true where a body's way leaves the fat box that it has.
static bool way_leaves(const void *context, size_t row) {
    const qdi_step *step = context;
    return step->ccd->flags[row] & QDI_STRAY;
}

/// Sweeps of ccd: true where a body's way is in a fat box; that is convex, so a way that is straight is where
/// both ends are.
static bool way_in_fat(const qdi_step *step, uint32_t row) {
    const qd_world *world = step->world;
    const bool straight = world->shape[row] == 0 && world->kind[row] != QD_BODY_KINEMATIC;
    if (straight) return world->margin.left == 0 || !qdi_margin_left(world, row, qdi_world_period(world));
    const qd_box box = swept_box(step, row);
    return qdi_margin_holds(world->fat[row], box) ||
           (step->periodic && qdi_margin_holds_image(world->fat[row], box, qdi_world_period(world)));
}

/// Sweeps of ccd: marks and counts those of a range of bodies whose ways leave their fat boxes.
static void find_strays(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    size_t count = 0;
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        if (way_in_fat(step, row)) continue;
        step->ccd->flags[row] |= QDI_STRAY;
        ++count;
    }
    step->world->scratch.left[begin / QDI_BODY_GRAIN] = count;
}

qd_status qdi_ccd_sweep(const qdi_step *step, qdi_lap *lap) {
    qd_world *world = step->world;
    const qdi_sweep sweep = {sweep_boxes, swept_box, way_leaves, step};
    if (qdi_margin_mends(world)) {
        const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
        qdi_step job = *step;
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, find_strays, &job);
        world->margin.left = 0;
        for (size_t k = 0; k < ranges; ++k) world->margin.left += world->scratch.left[k];
    }
    step->found->sweep = &sweep;
    qd_status status = qdi_candidates_refresh(world, &world->next, step->dt, step->found);
    qdi_lap_end(lap, QD_PHASE_REFRESH);
    if (status == QD_OK) status = qdi_candidates_retrieve(world, &world->next, step->dt, step->found);
    step->found->sweep = NULL;
    if (status == QD_ERR_LIMIT)
        qdi_limit_report_pairs(&world->report, world->clock.step + 1, &world->def.limits);
    qdi_lap_end(lap, QD_PHASE_RETRIEVE);
    return status;
}
