// How far two are apart when the step begins, and whether they plainly stay so on a way.

#include "core/math/larger.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// Gaps of ccd: the gap of two at the step's start and the normal there, or more than `reach`.
static double gap_at_start(const qdi_party *a, const qdi_party *b, qd_vec2 shift, double reach,
                           qdi_manifold *manifold) {
    const qdi_path_segment *p = &a->segment, *q = &b->segment;
    const qdi_pose pose_a = {0, 0, p->c, p->s},
                   pose_b = {q->x + shift.x - p->x, q->y + shift.y - p->y, q->c, q->s};
    if (qdi_collide(&a->form, &pose_a, &b->form, &pose_b, reach, manifold) == 0) return (double)INFINITY;
    const double gap = manifold->at[0].gap;
    return manifold->count == 2 && manifold->at[1].gap < gap ? manifold->at[1].gap : gap;
}

double qdi_ccd_gap(const qdi_party *a, const qdi_party *b, qd_vec2 shift, double reach,
                   qdi_manifold *manifold) {
    const double gap = gap_at_start(a, b, shift, reach, manifold);
    if (gap < (double)INFINITY || (!a->form.ghost && !b->form.ghost)) return gap;
    qdi_party plain_a = *a, plain_b = *b;
    qdi_manifold ignored;
    plain_a.form.ghost = plain_b.form.ghost = NULL;
    return gap_at_start(&plain_a, &plain_b, shift, reach, &ignored);
}

/// Gaps of ccd: no more than the distance of a point, `d` away from a body at the step's start, from it.
static double side_distance(const qd_world *world, uint32_t row, qd_vec2 d) {
    const uint32_t shape = world->shape[row];
    const qdi_form *form = shape ? &world->shapes.form[shape] : NULL;
    if (!form || (form->kind != QD_SHAPE_RECT && form->kind != QD_SHAPE_CAPSULE))
        return sqrt(d.x * d.x + d.y * d.y) - world->radius[row];
    const double c = world->now.c[row], s = world->now.s[row];
    const double x = fabs(c * d.x + s * d.y) - form->half.x,
                 y = fabs(c * d.y - s * d.x) - (form->kind == QD_SHAPE_RECT ? form->half.y : 0);
    return (x > y ? x : y) - form->radius;
}

double qdi_ccd_least_gap(const qd_world *world, uint32_t a, uint32_t b, qd_vec2 shift) {
    const qd_vec2 d = {world->now.x[b] + shift.x - world->now.x[a],
                       world->now.y[b] + shift.y - world->now.y[a]};
    const double from_a = side_distance(world, a, d) - world->radius[b],
                 from_b = side_distance(world, b, (qd_vec2){-d.x, -d.y}) - world->radius[a];
    return from_a > from_b ? from_a : from_b;
}

double qdi_ccd_gap_to_wall(const qdi_step *step, const qdi_party *party, int wall) {
    const qdi_axis *axis = &step->world->axis[wall / 2];
    const double came = qdi_wall_speed(step->world, wall) * step->dt; // the axis is that of the step's end
    const double at = wall / 2 == 0 ? party->segment.x : party->segment.y;
    qd_vec2 low, high;
    qdi_form_bounds(&party->form, party->segment.c, party->segment.s, &low, &high);
    const double out[QDI_WALLS] = {-low.x, high.x, -low.y, high.y};
    return (wall % 2 == 0 ? at - (axis->low - came) : axis->high - came - at) - out[wall];
}

/// Gaps of ccd: true where a, seen from itself as it lies, is apart from all that b's box passes.
static bool apart_from(const qdi_party *a, const qdi_party *b, const qdi_passage *by, double sign) {
    const double c = a->segment.c, s = a->segment.s;
    qd_vec2 low, high, low_b, high_b, least = {0, 0}, most = {0, 0};
    qdi_form_bounds(&a->form, 1, 0, &low, &high);
    qdi_form_bounds(&b->form, c * b->segment.c + s * b->segment.s, c * b->segment.s - s * b->segment.c,
                    &low_b, &high_b);
    for (int k = 0; k < by->count; ++k) {
        const qd_vec2 way = {sign * by->way[k].x, sign * by->way[k].y};
        const double x = c * way.x + s * way.y, y = c * way.y - s * way.x;
        least = (qd_vec2){qdi_smaller(least.x, x), qdi_smaller(least.y, y)};
        most = (qd_vec2){qdi_larger(most.x, x), qdi_larger(most.y, y)};
    }
    const qd_vec2 from = {sign * by->from.x, sign * by->from.y};
    const double x = c * from.x + s * from.y, y = c * from.y - s * from.x;
    return x + low_b.x + least.x > high.x + by->more || x + high_b.x + most.x < low.x - by->more ||
           y + low_b.y + least.y > high.y + by->more || y + high_b.y + most.y < low.y - by->more;
}

bool qdi_ccd_passes_by(const qdi_party *a, const qdi_party *b, const qdi_passage *by) {
    return apart_from(a, b, by, 1) || apart_from(b, a, by, -1);
}
