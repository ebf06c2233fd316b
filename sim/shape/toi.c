#include "sim/shape/toi.h"

#include "core/math/vec.h"
#include "sim/shape/distance.h"

#include <quadrille/math.h>

enum { MOST_ROUNDS = 200 };

qdi_pose qdi_swept_path_at(const qdi_swept_path *path, double time) {
    qd_vec2 at = qdi_along(path->from, qdi_minus(path->to, path->from), time);
    if (path->turn == 0 || time == 0) return (qdi_pose){at.x, at.y, path->c, path->s};
    double c, s;
    qd_sincos(path->turn * time, &s, &c);
    return (qdi_pose){at.x, at.y, path->c * c - path->s * s, path->s * c + path->c * s};
}

/// A core's corners, seen along a direction from the place that it turns about.
typedef struct corners {
    int count;                                        ///< 0: it does not turn, or is a disk
    double out[QD_POLYGON_MAX], left[QD_POLYGON_MAX]; ///< how far out it is, of the furthest 0; across
    int furthest;
    double reach;
} corners;

// The corners of a form that turns.
static void corners_make(const qdi_form *form, const qdi_pose *pose, qd_vec2 along, corners *made) {
    made->count = 0;
    if (form->kind == QD_SHAPE_DISK) return;
    qdi_core core;
    qdi_core_make(form, &(qdi_pose){0, 0, pose->c, pose->s}, &core);
    if (core.count < 1) return; // a form has one corner at least
    int furthest = 0;
    for (int i = 0; i < core.count; ++i) {
        made->out[i] = qdi_dot(along, core.point[i]);
        made->left[i] = qdi_dot(along, qdi_left(core.point[i]));
        if (made->out[i] > made->out[furthest]) furthest = i;
    }
    const double out = made->out[furthest];
    for (int i = 0; i < core.count; ++i) made->out[i] -= out;
    made->count = core.count;
    made->furthest = furthest;
    made->reach = qdi_form_core_reach(form);
}

/// How far a turning core comes out along a direction: corner i is at out[i] (the furthest at 0) and goes at
/// rate[i]; what a turn adds to that straight way is at most bend * time^2.
typedef struct spin {
    int count; ///< 0: it does not turn, or is a disk
    double out[QD_POLYGON_MAX], rate[QD_POLYGON_MAX];
    double bend;
} spin;

/// What corners are dropped by, as a part of how far any comes: more than they are rounded by.
static const double dropped_part = 1e-12;

// How far a core comes out that turns by `turn` in a unit of time, until a time. What stays behind another
// corner until then is left out: behind the one that is the furthest at 0, or the one that is then.
static void spin_make(const corners *of, double turn, double until, spin *made) {
    made->count = 0;
    if (turn == 0 || of->count == 0) return;
    double rate[QD_POLYGON_MAX], end[QD_POLYGON_MAX];
    int last = 0;
    for (int i = 0; i < of->count; ++i) {
        rate[i] = turn * of->left[i];
        end[i] = of->out[i] + rate[i] * until;
        if (end[i] > end[last]) last = i;
    }
    const double less = dropped_part * of->reach * (2 + fabs(turn) * until), begin = -less,
                 begin_last = of->out[last] - less, end_first = end[of->furthest] - less,
                 end_last = end[last] - less;
    for (int i = 0; i < of->count; ++i) {
        const double out = of->out[i];
        if ((out < begin && end[i] < end_first) || (out < begin_last && end[i] < end_last)) continue;
        made->out[made->count] = out;
        made->rate[made->count++] = rate[i];
    }
    made->bend = 0.5 * turn * turn * of->reach;
}

// The most that a turning core comes out until a time.
static double spin_reach_at(const spin *by, double time) {
    if (by->count == 0) return 0;
    double most = by->out[0] + by->rate[0] * time;
    for (int i = 1; i < by->count; ++i) {
        double out = by->out[i] + by->rate[i] * time;
        if (out > most) most = out;
    }
    return most + by->bend * time * time;
}

/// The most by which two forms can come nearer along a direction within a time: convex, and 0 at 0. The
/// direction may turn, as that of a side does: then all is seen from a frame that turns with it.
typedef struct approach {
    double closing, bend; ///< of the two positions
    spin a, b;
} approach;

// The most by which two forms can come nearer until a time.
static double approach_by_time(const approach *by, double time) {
    return (by->closing + by->bend * time) * time + spin_reach_at(&by->a, time) + spin_reach_at(&by->b, time);
}

/// Time of impact: a time, up to `most`, within which the approach stays at most `room`: nearly the longest
/// such time. `at_high`: the approach until `most`.
static double safe_time(const approach *by, double room, double most, double at_high) {
    double low = 0, at_low = 0, high = most;
    if (at_high <= room) return most;
    if (by->bend == 0 && by->a.count == 0 && by->b.count == 0)
        return by->closing > 0 ? room / by->closing : 0;
    // A chord lies above a convex function: where it meets `room`, the function has not. Halving brings the
    // far end in.
    for (int k = 0; k < 8; ++k) {
        double rise = at_high - at_low; // 0 where `room` is below 0 and nothing moves
        double chord = rise > 0 ? low + (high - low) * ((room - at_low) / rise) : low;
        if (chord > low && chord < high) {
            low = chord;
            at_low = approach_by_time(by, chord);
        }
        double middle = 0.5 * (low + high), at_middle = approach_by_time(by, middle);
        if (at_middle <= room) {
            low = middle;
            at_low = at_middle;
        } else {
            high = middle;
            at_high = at_middle;
        }
    }
    return low;
}

/// Two paths at a time, and how they lie to each other.
typedef struct toi_state {
    const qdi_form *a, *b;
    double turn_a, turn_b;
    qdi_pose pa, pb;
    qd_vec2 way; ///< of b relative to a, per unit of time
    double left; ///< time until 1
    qdi_nearest nearest;
} toi_state;

/// Time of impact: what can happen along the present normal where that turns at the rate `turn`.
static void approach_make(const toi_state *now, const corners *a, const corners *b, double turn,
                          approach *by) {
    qd_vec2 normal = now->nearest.normal;
    qd_vec2 between = {now->pb.x - now->pa.x, now->pb.y - now->pa.y};
    by->closing = -qdi_dot(normal, now->way) - turn * qdi_dot(qdi_left(normal), between);
    by->bend = 0;
    if (turn != 0) {
        double here = qdi_length(between), there = qdi_length(qdi_along(between, now->way, now->left));
        double furthest = here > there ? here : there;
        by->bend = 0.5 * turn * turn * furthest + fabs(turn) * qdi_length(now->way);
    }
    spin_make(a, now->turn_a - turn, now->left, &by->a);
    spin_make(b, now->turn_b - turn, now->left, &by->b);
}

/// What an approach is above the room at least where it plainly is, as a part of that: more than is rounded.
static const double above_part = 1e-3;

/// A time within which two forms surely do not come within `target`; above 1: they never do.
static double safe_advance(const toi_state *now, double room) {
    double turn = now->nearest.on == QDI_ON_SIDE_A   ? now->turn_a
                  : now->nearest.on == QDI_ON_SIDE_B ? now->turn_b
                                                     : 0;
    const qd_vec2 normal = now->nearest.normal, back = {-normal.x, -normal.y};
    corners a, b;
    a.count = b.count = 0;
    if (now->turn_a != 0 || turn != 0) corners_make(now->a, &now->pa, normal, &a);
    if (now->turn_b != 0 || turn != 0) corners_make(now->b, &now->pb, back, &b);
    double safe = 0;
    for (int turning = turn != 0; turning >= 0; --turning) { // both bounds hold: the better one counts
        approach by;
        approach_make(now, &a, &b, turning ? turn : 0, &by);
        const double at_end = approach_by_time(&by, now->left);
        if (at_end < room) return 2;
        if (safe > 0 && approach_by_time(&by, safe) > room * (1 + above_part)) break; // it is worse
        double time = safe_time(&by, room, now->left, at_end);
        if (time > safe) safe = time;
    }
    return safe;
}

bool qdi_time_of_impact(const qdi_form *a, const qdi_swept_path *path_a, const qdi_form *b,
                        const qdi_swept_path *path_b, double target, double tolerance, qdi_impact *impact) {
    toi_state now = {.a = a, .b = b, .turn_a = path_a->turn, .turn_b = path_b->turn};
    now.way = qdi_minus(qdi_minus(path_b->to, path_b->from), qdi_minus(path_a->to, path_a->from));
    double time = 0;
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        now.pa = qdi_swept_path_at(path_a, time);
        now.pb = qdi_swept_path_at(path_b, time);
        now.left = 1 - time;
        now.nearest = qdi_distance(a, &now.pa, b, &now.pb);
        *impact = (qdi_impact){time, now.nearest.distance, now.nearest.normal, round + 1};
        double room = now.nearest.distance - target;
        if (room <= tolerance) return true;
        double safe = safe_advance(&now, room);
        if (safe > 1) return false;
        double later = time + safe;
        if (!(later > time)) return true; // so near that time cannot tell
        time = later < 1 ? later : 1;
    }
    return true;
}
