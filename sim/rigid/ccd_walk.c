// Bodies on their way through the step, segment by segment, and when two of them meet.

#include "sim/rigid/ccd_walk.h"

#include <math.h>

qdi_walk qdi_walk_begin(const qdi_step *step, uint32_t row) {
    const bool holds = step->ccd->stops_hold;
    qdi_walk w = {.segment = qdi_path_begin(step, row),
                  .stop = holds ? step->ccd->stopped[row] : step->dt,
                  .carried = holds ? step->ccd->carried[row] : step->dt,
                  .row = row};
    w.end = qdi_segment_end(step, &w.segment);
    if (w.end > w.stop) w.end = w.stop;
    return w;
}

bool qdi_walk_on(const qdi_step *step, qdi_walk *w) {
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

qdi_first_meeting qdi_first_meeting_of(const qdi_step *step, uint32_t row_a, const qdi_path_segment *a,
                                       uint32_t row_b, const qdi_path_segment *b) {
    if (!step->following || !qdi_is_first_way(a) || !qdi_is_first_way(b)) return (qdi_first_meeting){false};
    const qdi_edge *edge = qdi_ccd_edge_of(step, row_a, row_b);
    if (!edge) return (qdi_first_meeting){true, (double)INFINITY, {0, 0}};
    return (qdi_first_meeting){edge->first_known, edge->first.time, edge->first.manifold.normal};
}

double qdi_meeting_of(const qdi_step *step, uint32_t row_a, qdi_party *a, uint32_t row_b, qdi_party *b,
                      qd_vec2 shift, double last, const qdi_first_meeting *first, qd_vec2 *normal) {
    qdi_walk p = qdi_walk_begin(step, row_a), q = qdi_walk_begin(step, row_b);
    bool known = first && first->known;
    for (;;) {
        a->segment = p.segment;
        b->segment = q.segment;
        const double from = p.segment.start > q.segment.start ? p.segment.start : q.segment.start;
        const double end_p = p.end, end_q = q.end, until = end_p < end_q ? end_p : end_q;
        qdi_encounter meeting;
        if (known) {
            if (first->time <= until) {
                *normal = first->normal;
                return first->time;
            }
        } else if (from <= until && qdi_segments_meet(step, a, b, shift, from, until, &meeting)) {
            *normal = meeting.manifold.normal;
            return meeting.time;
        }
        known = false; // of what comes after that
        if (!(until < last)) return (double)INFINITY;
        const bool more_p = end_p <= end_q && qdi_walk_on(step, &p),
                   more_q = end_q <= end_p && qdi_walk_on(step, &q);
        if (!more_p && !more_q) return (double)INFINITY;
    }
}
