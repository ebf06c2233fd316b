// When two on their segments meet. Two disks, and anything that does not turn and a wall, by formula; the
// rest by conservative advancement (toi.h), and then the narrow phase says where and along which normal.
//
// A meeting counts only where the two approach at it, by more than rounding: what has just bounced is still
// as near as can be. Two things are left to the contacts where the step ends, because they are what resting
// contacts are made of: what overlaps already at the step's start, and what approaches slower than the
// threshold of bounces, as long as it can only get a little deeper (`left_to_rest` of the smaller body) until
// then.

#include "core/math/larger.h"
#include "core/math/vec.h"
#include "sim/rigid/ccd.h"
#include "sim/shape/toi.h"
#include "sim/world/pose.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>

/// Approach that is none, per speed; distance that is none, per size; see above.
static const double rounding = 1e-10, near_by = 1e-10, left_to_rest = 0.1;
/// What is lost of a body's place, per coordinate, where two are seen from one of them: of small bodies far
/// from the origin that is more than counts as near.
static const double place_rounding = 2e-15;
/// Looks at a pair that touches without approach.
enum { MOST_LOOKS = 200 };
/// A turn in a step (in radians) that is still followed.
static const double most_turn = 20;

typedef struct meet {
    const qdi_step *step;
    const qdi_party *a, *b; ///< b NULL: a wall
    qd_vec2 shift, normal;  ///< of b; into the wall
    double wall_at;         ///< its place along the normal
    double from, until;
} meet;

/// Meetings of ccd: where b is at a time, seen from a.
static qdi_pose pose_b(const meet *two, const qdi_pose *a, double time) {
    if (!two->b) return (qdi_pose){0, 0, 1, 0};
    qdi_pose pose = qdi_segment_pose(&two->b->segment, time);
    pose.x += two->shift.x - a->x;
    pose.y += two->shift.y - a->y;
    return pose;
}

/// Meetings of ccd: the touches within reach at a time.
static void look(const meet *two, double time, double reach, qdi_encounter *seen) {
    qdi_pose a = qdi_segment_pose(&two->a->segment, time);
    seen->time = time;
    seen->b = pose_b(two, &a, time);
    seen->a = (qdi_pose){0, 0, a.c, a.s};
    seen->manifold.count = 0;
    if (!two->b) {
        double distance = two->wall_at - (a.x * two->normal.x + a.y * two->normal.y);
        (void)qdi_collide_wall(&two->a->form, a.c, a.s, two->normal, distance, reach, &seen->manifold);
    } else if (two->a->form.kind == QD_SHAPE_DISK && two->b->form.kind == QD_SHAPE_DISK) {
        (void)qdi_collide_disks(two->a->form.radius, two->b->form.radius, (qd_vec2){seen->b.x, seen->b.y},
                                reach, &seen->manifold);
    } else {
        (void)qdi_collide(&two->a->form, &seen->a, &two->b->form, &seen->b, reach, &seen->manifold);
    }
}

/// Meetings of ccd: where b's centroid is at a time, seen from a's.
static qd_vec2 between(const qdi_path_segment *a, const qdi_path_segment *b, qd_vec2 shift, double time) {
    const double gone_a = time - a->start, gone_b = time - b->start;
    return (qd_vec2){b->x + b->vx * gone_b + (shift.x - (a->x + a->vx * gone_a)),
                     b->y + b->vy * gone_b + (shift.y - (a->y + a->vy * gone_a))};
}

/// Meetings of ccd: no less than the speed of any point of a body on its path.
static double speed_of(const qdi_party *party) {
    return fabs(party->segment.vx) + fabs(party->segment.vy) + fabs(party->segment.spin) * party->reach;
}

/// Meetings of ccd: the largest approach of a touch.
static double approach_of(const meet *two, const qdi_encounter *seen) {
    const qdi_manifold *m = &seen->manifold;
    double most = 0;
    for (int k = 0; k < m->count; ++k) {
        qd_vec2 arm = m->at[k].point;
        const qdi_path_segment *a = &two->a->segment;
        double ux = a->vx, uy = a->vy;
        if (two->a->form.kind != QD_SHAPE_DISK) {
            ux -= a->spin * arm.y;
            uy += a->spin * arm.x;
        }
        if (two->b) {
            const qdi_path_segment *b = &two->b->segment;
            double spin = two->b->form.kind == QD_SHAPE_DISK ? 0 : b->spin;
            ux -= b->vx - spin * (arm.y - seen->b.y);
            uy -= b->vy + spin * (arm.x - seen->b.x);
        }
        double approach = ux * m->normal.x + uy * m->normal.y;
        if (approach > most) most = approach;
    }
    return most;
}

/// Ccd: the smaller of the two inner radii; a segment has none.
static double inner_of(const meet *two) {
    if (!two->b || !(two->b->inner > 0)) return two->a->inner;
    return two->a->inner > 0 ? qdi_smaller(two->a->inner, two->b->inner) : two->b->inner;
}

/// Ccd: true where what was seen is an impact.
static bool counts(const meet *two, const qdi_encounter *seen) {
    double approach = approach_of(two, seen);
    double speed = speed_of(two->a) + (two->b ? speed_of(two->b) : 0);
    if (!(approach > rounding * speed)) return false;
    double gap = seen->manifold.at[0].gap;
    if (seen->manifold.count == 2) gap = qdi_smaller(gap, seen->manifold.at[1].gap);
    if (approach > two->step->threshold && !(seen->time == 0 && gap <= 0)) return true;
    return approach * (two->step->dt - seen->time) > left_to_rest * inner_of(two);
}

/// Meetings of ccd: true where no touch of two can be an impact: however they meet, they approach too slowly.
static bool is_left_to_rest(const meet *two) {
    const qdi_path_segment *a = &two->a->segment, *b = two->b ? &two->b->segment : NULL;
    const double x = a->vx - (b ? b->vx : 0), y = a->vy - (b ? b->vy : 0);
    const double turn = fabs(a->spin) * two->a->reach + (b ? fabs(b->spin) * two->b->reach : 0);
    const double most = 1.01 * (sqrt(x * x + y * y) + turn);
    return most <= two->step->threshold && most * two->step->dt <= left_to_rest * inner_of(two);
}

/// Meetings of ccd: two disks: their centres come within `sum`.
static bool disks(const meet *two, qdi_encounter *meeting) {
    const qd_vec2 b = between(&two->a->segment, &two->b->segment, two->shift, two->from);
    double ux = two->b->segment.vx - two->a->segment.vx, uy = two->b->segment.vy - two->a->segment.vy;
    double sum = two->a->form.radius + two->b->form.radius;
    double towards = -(b.x * ux + b.y * uy), distance = sqrt(b.x * b.x + b.y * b.y);
    if (!(towards > 0)) return false;
    double apart = (distance - sum) * (distance + sum), time = two->from;
    if (apart > 0) {
        double under = towards * towards - (ux * ux + uy * uy) * apart;
        if (!(under > 0)) return false;
        time += apart / (towards + sqrt(under));
        if (!(time <= two->until)) return false;
    }
    look(two, time, near_by * sum + 1e-12 * distance, meeting);
    return counts(two, meeting);
}

/// Meetings of ccd: a wall, and something that does not turn.
static bool straight_to_wall(const meet *two, qdi_encounter *meeting) {
    const qdi_path_segment *segment = &two->a->segment;
    double approach = segment->vx * two->normal.x + segment->vy * two->normal.y, time = two->from;
    if (!(approach > 0)) return false;
    qdi_pose pose = qdi_segment_pose(segment, time);
    qd_vec2 low, high;
    qdi_form_bounds(&two->a->form, pose.c, pose.s, &low, &high);
    double out = two->normal.x > 0   ? high.x
                 : two->normal.x < 0 ? -low.x
                 : two->normal.y > 0 ? high.y
                                     : -low.y;
    double at = pose.x * two->normal.x + pose.y * two->normal.y, gap = two->wall_at - at - out;
    if (gap > 0) time += gap / approach;
    if (!(time <= two->until)) return false;
    look(two, time, near_by * two->a->reach + 1e-12 * (fabs(at) + fabs(gap)), meeting);
    return counts(two, meeting);
}

/// Meetings of ccd: the wall as a form: a slab that is thick and long enough.
static qdi_form slab(const meet *two, qdi_swept_path *sweep) {
    double way = speed_of(two->a) * (two->until - two->from);
    double half = 4 * (two->a->reach + way);
    qdi_pose pose = qdi_segment_pose(&two->a->segment, two->from);
    double distance = two->wall_at - (pose.x * two->normal.x + pose.y * two->normal.y) + half;
    qd_vec2 at = {two->normal.x * distance, two->normal.y * distance};
    *sweep = (qdi_swept_path){.from = at, .to = at, .c = 1};
    return (qdi_form){.kind = QD_SHAPE_RECT, .half = {half, half}};
}

/// Meetings of ccd: when the two come within `tolerance`, from `time` on. Counts what that takes.
static bool advance(const meet *two, double tolerance, double *time, uint64_t *searched) {
    double span = two->until - *time;
    qdi_pose a = qdi_segment_pose(&two->a->segment, *time), b = pose_b(two, &a, *time);
    qdi_swept_path sweep_a = {.to = {two->a->segment.vx * span, two->a->segment.vy * span},
                              .c = a.c,
                              .s = a.s,
                              .turn = two->a->segment.spin * span};
    qdi_swept_path sweep_b;
    qdi_form form_b;
    if (two->b) {
        form_b = two->b->form;
        sweep_b = (qdi_swept_path){.from = {b.x, b.y},
                                   .to = {b.x + two->b->segment.vx * span, b.y + two->b->segment.vy * span},
                                   .c = b.c,
                                   .s = b.s,
                                   .turn = two->b->segment.spin * span};
    } else {
        meet from_here = *two;
        from_here.from = *time;
        form_b = slab(&from_here, &sweep_b);
    }
    qdi_impact impact;
    const bool comes = qdi_time_of_impact(&two->a->form, &sweep_a, &form_b, &sweep_b, 0, tolerance, &impact);
    *searched += (uint64_t)impact.rounds;
    if (!comes) return false;
    *time += impact.time * span;
    return true;
}

/// Meetings of ccd: from look number k to the next where the two touch but do not approach: they may once
/// they have turned, or where an edge of a polyline leaves them to its neighbour. At first no more than a
/// part of their size, however far they go relative to each other: the neighbour is met soon.
static double pause(const meet *two, int k) {
    const qdi_path_segment *a = &two->a->segment, *b = two->b ? &two->b->segment : NULL;
    const double x = a->vx - (b ? b->vx : 0), y = a->vy - (b ? b->vy : 0);
    double speed = fabs(x) + fabs(y) + fabs(a->spin) * two->a->reach +
                   (b ? fabs(b->spin) * two->b->reach : 0);
    double inner = inner_of(two);
    double span = two->until - two->from, least = k < MOST_LOOKS ? 0 : span / MOST_LOOKS;
    double time = speed > 0 && inner > 0 ? 0.25 * inner / speed : span;
    return time > least ? time : least;
}

/// Meetings of ccd: true for a meeting of any two forms, found by steps that cannot pass it.
static bool any(const meet *two, qdi_encounter *meeting) {
    double size = two->b ? qdi_smaller(two->a->reach, two->b->reach) : two->a->reach;
    double tolerance = near_by * size, time = two->from;
    const double lost = place_rounding * (fabs(two->a->segment.x) + fabs(two->a->segment.y));
    bool again = two->a->segment.spin != 0 || two->a->form.ghost || tolerance < lost;
    if (two->b) again = again || two->b->segment.spin != 0 || two->b->form.ghost;
    bool apart = true;
    for (int k = 0; k < 2 * MOST_LOOKS; ++k) {
        if (apart && !advance(two, tolerance, &time, &meeting->searched)) return false;
        ++meeting->searched;
        look(two, time, 4 * tolerance, meeting);
        if (meeting->manifold.count > 0 && counts(two, meeting)) return true;
        if (!again || time >= two->until) return false;
        apart = !apart && meeting->manifold.count == 0;
        if (!apart) time = qdi_smaller(time + pause(two, k), two->until);
    }
    return false;
}

double qdi_segments_near(const qdi_party *a, const qdi_party *b, qd_vec2 shift, double from, double until) {
    const qd_vec2 d = between(&a->segment, &b->segment, shift, from);
    const double x = d.x, y = d.y;
    const double ux = b->segment.vx - a->segment.vx, uy = b->segment.vy - a->segment.vy;
    const double sum = a->reach + b->reach, apart = x * x + y * y - sum * sum * (1 + 1e-6),
                 towards = -(x * ux + y * uy);
    if (!(apart > 0)) return from;
    const double under = towards * towards - (ux * ux + uy * uy) * apart;
    if (!(towards > 0) || !(under > 0)) return (double)INFINITY;
    const double time = from + apart / (towards + sqrt(under)) * (1 - 1e-9);
    return time <= until ? time : (double)INFINITY;
}

/// Meetings of ccd: true where the circles about two do not meet: this says so of most, and soon.
static bool circles_apart(const meet *two) {
    const qd_vec2 b = between(&two->a->segment, &two->b->segment, two->shift, two->from);
    const double ux = two->b->segment.vx - two->a->segment.vx, uy = two->b->segment.vy - two->a->segment.vy;
    const double sum = two->a->reach + two->b->reach, enough = sum * sum * (1 + 1e-6);
    const double towards = -(b.x * ux + b.y * uy), squared = ux * ux + uy * uy, span = two->until - two->from;
    double time = 0;
    if (towards > 0) time = towards < squared * span ? towards / squared : span;
    const double x = b.x + ux * time, y = b.y + uy * time;
    return x * x + y * y > enough;
}

/// Meetings of ccd: how far turning moves a point of a body, from how it lies on its segment.
static double turn_until(const qdi_party *party, double time) {
    return party->form.kind == QD_SHAPE_DISK
               ? 0
               : fabs(party->segment.spin) * (time - party->segment.start) * party->reach;
}

/// Meetings of ccd: true where a side of one of two says that they do not meet, for a fraction of the work of
/// a search. Where impacts are followed, what is searched is counted, and none is left out.
static bool sides_apart(const meet *two) {
    const qdi_path_segment *a = &two->a->segment, *b = &two->b->segment;
    const double span = two->until - two->from, lost = place_rounding * (fabs(a->x) + fabs(a->y));
    if (two->step->following) return false;
    const qdi_passage by = {.from = between(a, b, two->shift, two->from),
                            .way = {{(b->vx - a->vx) * span, (b->vy - a->vy) * span}},
                            .count = 1,
                            .more = 1e-8 * (two->a->reach + two->b->reach) + 4 * lost +
                                    turn_until(two->a, two->until) + turn_until(two->b, two->until)};
    return qdi_ccd_passes_by(two->a, two->b, &by);
}

/// Meetings of ccd: what turns about several times in a step is met by the disk that is in it: its corners
/// cannot be followed, and nothing passes that.
static qdi_party without_whirl(const qdi_step *step, const qdi_party *party) {
    qdi_party met = *party;
    if (!(fabs(party->segment.spin) * step->dt > most_turn)) return met;
    met.form = qdi_form_disk(party->inner);
    met.reach = party->inner;
    met.segment.spin = 0;
    return met;
}

bool qdi_segments_meet(const qdi_step *step, const qdi_party *a, const qdi_party *b, qd_vec2 shift,
                       double from, double until, qdi_encounter *meeting) {
    meet two = {.step = step, .a = a, .b = b, .shift = shift, .from = from, .until = until};
    meeting->searched = 0;
    if (a->form.kind == QD_SHAPE_DISK && b->form.kind == QD_SHAPE_DISK) return disks(&two, meeting);
    if (circles_apart(&two) || is_left_to_rest(&two) || sides_apart(&two)) return false;
    const qdi_party slow_a = without_whirl(step, a), slow_b = without_whirl(step, b);
    two.a = &slow_a;
    two.b = &slow_b;
    return any(&two, meeting);
}

bool qdi_segment_meets_wall(const qdi_step *step, const qdi_party *a, int wall, double from, double until,
                            qdi_encounter *meeting) {
    const qdi_axis *axis = &step->world->axis[wall / 2];
    double sign = wall % 2 == 0 ? -1 : 1;
    // A wall that moves stands still in its own frame, which is where it is at the end of the step.
    qdi_party seen = without_whirl(step, a);
    double speed = qdi_wall_speed(step->world, wall), ahead = speed * (step->dt - a->segment.start);
    seen.segment.x += wall / 2 == 0 ? ahead : 0;
    seen.segment.y += wall / 2 == 0 ? 0 : ahead;
    seen.segment.vx -= wall / 2 == 0 ? speed : 0;
    seen.segment.vy -= wall / 2 == 0 ? 0 : speed;
    meet two = {.step = step,
                .a = &seen,
                .normal = wall / 2 == 0 ? (qd_vec2){sign, 0} : (qd_vec2){0, sign},
                .wall_at = wall % 2 == 0 ? -axis->low : axis->high,
                .from = from,
                .until = until};
    meeting->searched = 0;
    if (seen.form.kind == QD_SHAPE_DISK || a->segment.spin == 0) return straight_to_wall(&two, meeting);
    if (is_left_to_rest(&two)) return false;
    return any(&two, meeting);
}
