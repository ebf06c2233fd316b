// When two movers that touch at the start are stopped.
//
// They have been solved, and a dense crowd that is churned, or falls on itself, overlaps here and there. If
// whoever overlaps were stopped where it stands, all of it would jam in mid-air, with all its speed: what the
// solver sees would be the same in each step, and nothing would come of it. So they may come nearer, as the
// solver sees it: at the points of contact, along the normal, also by turning; by a part of what is left
// between their middles, and once one of them was stopped, of which the solver knows nothing, by less of it.
// The disks in them must not come to overlap by more than a part of their sizes in a step; and once they do,
// and one of them was stopped, disks come no nearer, and other shapes hardly.
//
// Sticks are left to the solver: when two turn a little, or lie across each other, they come nearer by a part
// of their thickness in nearly every step, and a heap of them would jam.

#include "core/math/larger.h"
#include "sim/rigid/ccd_stop.h"
#include "sim/world/reach.h"

#include <math.h>

/// Parts of both sizes, or of what is left of them between the middles: what two movers may come nearer while
/// they touch, what of that is left once one of them was stopped, and the same of two disks; and what two
/// that are not disks may once they are as near as they are to come. That is not nothing: a heap that has
/// landed has many such pairs, which are no nearer only when all of it has been solved, and each would stop
/// the next. And times the distance that middles may come to, which counts as that near: who was stopped
/// there is not nearer than that, and must not be stopped there in each step.
static const double pressed_part = QDI_PRESSED_PART, stopped_part = 0.5, stopped_disks_part = 0.02,
                    full_part = 0.1, near_part = 1.01;
/// Times its size that the furthest point of a body is from its middle: less than that where it is compact;
/// as much or more where it is a stick.
static const double compact_length = 2, stick_length = 4;

double qdi_ccd_size_of_both(const qdi_step *step, uint32_t a, uint32_t b) {
    const double own = qdi_inner_of_row(step->world, a), its = qdi_inner_of_row(step->world, b);
    return step->following ? own + its : 2 * qdi_smaller(own, its);
}

double qdi_ccd_speed_along(const qdi_party *party, qd_vec2 n) {
    return party->segment.vx * n.x + party->segment.vy * n.y;
}

double qdi_ccd_speed_at(const qdi_party *party, qd_vec2 arm, qd_vec2 n) {
    const double speed = qdi_ccd_speed_along(party, n);
    return party->form.kind == QD_SHAPE_DISK ? speed
                                             : speed + party->segment.spin * (arm.x * n.y - arm.y * n.x);
}

qd_vec2 qdi_ccd_velocity_after(const qdi_step *step, uint32_t row) {
    const double stop = qdi_ccd_time_of(step, row);
    if (!(stop < step->dt) || !(step->ccd->carried[row] < step->dt)) return (qd_vec2){0, 0};
    const double part = (step->dt - step->ccd->carried[row]) / (step->dt - stop);
    const qdi_twist along = step->ccd->along[row];
    return (qd_vec2){along.x * part, along.y * part};
}

/// Press of ccd: when the two have come `limit` nearer, or infinity: at these speeds as long as both go on,
/// and then by `after` more at most.
static double nearer_by(const qdi_step *step, const qdi_movers *m, qd_vec2 n, double speed_a, double speed_b,
                        double limit, double after) {
    const double time_a = qdi_ccd_time_of(step, m->row_a), time_b = qdi_ccd_time_of(step, m->row_b);
    const double first = time_a < time_b ? time_a : time_b, last = time_a < time_b ? time_b : time_a,
                 both = speed_a + speed_b;
    const qd_vec2 along = qdi_ccd_velocity_after(step, time_a < time_b ? m->row_a : m->row_b);
    const double carried = along.x * n.x + along.y * n.y,
                 one = time_a < time_b ? speed_b + carried : speed_a - carried;
    if (both * first > limit) return limit / both;
    const double left = both * first < after ? after - both * first : 0;
    return one * (last - first) > left ? first + left / one : (double)INFINITY;
}

/// Press of ccd: true for a body that is less than so many times as long as it is thick.
static bool is_shorter(const qdi_step *step, uint32_t row, double times) {
    return step->world->radius[row] < times * qdi_inner_of_row(step->world, row);
}

/// Press of ccd: the middles of two movers must not come nearer than this. Long ones may lie across each
/// other, and would be caught like that.
static double nearest(const qdi_step *step, uint32_t a, uint32_t b) {
    if (!is_shorter(step, a, compact_length) || !is_shorter(step, b, compact_length)) return 0;
    return qdi_inner_of_row(step->world, a) + qdi_inner_of_row(step->world, b) -
           pressed_part * qdi_ccd_size_of_both(step, a, b);
}

/// Press of ccd: true where the middles of two movers are that near at the start.
static bool middles_full(const qdi_step *step, uint32_t a, uint32_t b, qd_vec2 shift) {
    const qdi_motion *now = &step->world->now;
    const double x = now->x[b] + shift.x - now->x[a], y = now->y[b] + shift.y - now->y[a];
    const bool shaped = (step->world->shape[a] | step->world->shape[b]) != 0;
    const double most = qdi_inner_of_row(step->world, a) + qdi_inner_of_row(step->world, b);
    if (x * x + y * y > near_part * near_part * most * most) return false; // and soon: most are not
    return sqrt(x * x + y * y) <= (shaped ? near_part : 1) * nearest(step, a, b);
}

bool qdi_ccd_are_full(const qdi_step *step, uint32_t a, uint32_t b, qd_vec2 shift) {
    return (qdi_ccd_time_of(step, a) < step->dt || qdi_ccd_time_of(step, b) < step->dt) &&
           middles_full(step, a, b, shift);
}

/// Press of ccd: when the middles of two movers come that near. They stop there once: two that slide at each
/// other aslant would be stopped in each step, as the solver does not see them come nearer.
static double middles_at(const qdi_step *step, const qdi_movers *m, qd_vec2 shift, double last) {
    const double near = nearest(step, m->row_a, m->row_b);
    if (!(near > 0) || middles_full(step, m->row_a, m->row_b, shift)) return (double)INFINITY;
    qdi_party one = *m->a, two = *m->b;
    qdi_met met;
    one.form = qdi_form_disk(one.reach = near);
    two.form = qdi_form_disk(two.reach = 0);
    return qdi_meeting_of(step, m->row_a, &one, m->row_b, &two, shift, last, false, &met);
}

double qdi_ccd_pressed_at(const qdi_step *step, const qdi_movers *m, const qdi_manifold *manifold,
                          qd_vec2 shift, double gap, double last) {
    if (!is_shorter(step, m->row_a, stick_length) || !is_shorter(step, m->row_b, stick_length))
        return (double)INFINITY;
    const qdi_path_segment *p = &m->a->segment, *q = &m->b->segment;
    const qd_vec2 n = m->met.normal, d = {q->x + shift.x - p->x, q->y + shift.y - p->y};
    const double speed_a = qdi_ccd_speed_along(m->a, n), speed_b = -qdi_ccd_speed_along(m->b, n),
                 size = qdi_ccd_size_of_both(step, m->row_a, m->row_b), left = size + qdi_smaller(gap, 0);
    if (m->a->form.kind == QD_SHAPE_DISK && m->b->form.kind == QD_SHAPE_DISK) {
        const double limit = qdi_larger(pressed_part * size + gap, 0);
        return nearer_by(step, m, n, speed_a, speed_b, limit, stopped_disks_part * limit);
    }
    const double apart = qdi_larger(left, 0.25 * size), limit = (m->full ? full_part : pressed_part) * apart;
    double time = qdi_smaller(nearer_by(step, m, n, speed_a, speed_b, apart, apart),
                              middles_at(step, m, shift, last));
    for (int k = 0; k < manifold->count; ++k) {
        const qd_vec2 at = manifold->at[k].point;
        const double here_a = speed_a + p->spin * (at.x * n.y - at.y * n.x),
                     here_b = speed_b - q->spin * ((at.x - d.x) * n.y - (at.y - d.y) * n.x);
        time = qdi_smaller(time, nearer_by(step, m, n, here_a, here_b, limit, stopped_part * limit));
    }
    return time;
}
