// Bodies on their way through the step, segment by segment, and when two of them meet.

#include "sim/rigid/ccd_stop.h"

#include <math.h>

/// A body on its path.
typedef struct walk {
    qdi_path_segment segment;
    double end, stop, carried;
    uint32_t row;
} walk;

/// Walks of ccd: begins a walk along a body's path.
static walk walk_begin(const qdi_step *step, uint32_t row) {
    const bool holds = step->ccd->stops_hold;
    walk w = {.segment = qdi_path_begin(step, row),
              .stop = holds ? step->ccd->stopped[row] : step->dt,
              .carried = holds ? step->ccd->carried[row] : step->dt,
              .row = row};
    w.end = qdi_segment_end(step, &w.segment);
    if (w.end > w.stop) w.end = w.stop;
    return w;
}

/// Walks of ccd: goes on to the next segment of a body's path; false at its end.
static bool walk_on(const qdi_step *step, walk *w) {
    if (w->end >= step->dt) return false;
    if (w->end < w->stop) {
        if (!qdi_path_next(step, &w->segment)) return false;
        w->end = qdi_segment_end(step, &w->segment);
        if (w->end > w->stop) w->end = w->stop;
        return true;
    }
    const qdi_pose pose = qdi_segment_pose(&w->segment, w->end);
    w->segment = (qdi_path_segment){.start = w->end,
                                    .x = pose.x,
                                    .y = pose.y,
                                    .c = pose.c,
                                    .s = pose.s,
                                    .spin = w->stop > 0 ? 0 : w->segment.spin,
                                    .next = QDI_NONE_YET};
    if (w->end < w->carried) {
        w->end = w->carried;
        return true;
    }
    const qdi_twist along = step->ccd->along[w->row];
    w->segment.vx = along.x;
    w->segment.vy = along.y;
    w->segment.spin += along.spin;
    w->end = step->dt;
    return true;
}

/// Walks of ccd: where two meet: at that of their touches which approaches faster.
static qdi_met met_of(const qdi_party *a, const qdi_party *b, const qdi_encounter *meeting) {
    const qdi_manifold *m = &meeting->manifold;
    qdi_met met = {.normal = m->normal};
    double fastest = -HUGE_VAL;
    for (int k = 0; k < m->count; ++k) {
        const qd_vec2 at = m->at[k].point, from_b = {at.x - meeting->b.x, at.y - meeting->b.y};
        const double speed = qdi_ccd_speed_at(a, at, m->normal) - qdi_ccd_speed_at(b, from_b, m->normal);
        if (!(speed > fastest)) continue;
        fastest = speed;
        met.arm_a = at;
        met.arm_b = from_b;
    }
    return met;
}

/// Where two meet on their first ways, as far as that is known.
typedef struct first_meeting {
    bool known;
    const qdi_encounter *meeting; ///< NULL: they do not
} first_meeting;

/// Walks of ccd: what the edge of two that begin their paths says.
static first_meeting first_meeting_of(const qdi_step *step, const walk *a, const walk *b) {
    if (!step->following || !qdi_is_first_way(&a->segment) || !qdi_is_first_way(&b->segment))
        return (first_meeting){false};
    const qdi_edge *edge = qdi_ccd_edge_of(step, a->row, b->row);
    return edge ? (first_meeting){edge->first_known, &edge->first} : (first_meeting){true, NULL};
}

double qdi_meeting_of(const qdi_step *step, uint32_t row_a, qdi_party *a, uint32_t row_b, qdi_party *b,
                      qd_vec2 shift, double last, bool edges, qdi_met *met) {
    walk p = walk_begin(step, row_a), q = walk_begin(step, row_b);
    first_meeting first = {false};
    if (edges) first = first_meeting_of(step, &p, &q);
    for (;;) {
        a->segment = p.segment;
        b->segment = q.segment;
        const double from = p.segment.start > q.segment.start ? p.segment.start : q.segment.start;
        const double end_p = p.end, end_q = q.end, until = end_p < end_q ? end_p : end_q;
        qdi_encounter meeting;
        if (first.known) {
            if (first.meeting && first.meeting->time <= until) {
                *met = met_of(a, b, first.meeting);
                return first.meeting->time;
            }
        } else if (from <= until && qdi_segments_meet(step, a, b, shift, from, until, &meeting)) {
            *met = met_of(a, b, &meeting);
            return meeting.time;
        }
        first.known = false; // of what comes after that
        if (!(until < last)) return (double)INFINITY;
        const bool more_p = end_p <= end_q && walk_on(step, &p), more_q = end_q <= end_p && walk_on(step, &q);
        if (!more_p && !more_q) return (double)INFINITY;
    }
}

double qdi_meeting_with_wall(const qdi_step *step, uint32_t row, qdi_party *party, int wall) {
    walk w = walk_begin(step, row);
    do {
        qdi_encounter meeting;
        party->segment = w.segment;
        if (qdi_segment_meets_wall(step, party, wall, w.segment.start, w.end, &meeting)) return meeting.time;
    } while (walk_on(step, &w));
    return (double)INFINITY;
}
