// An edge of a polyline must not let what slides along the polyline catch on its ends, where the next edge
// goes on. At such a seam the allowed normals are, on the side where the polyline turns away from the body,
// those between the normals of the two edges; where it is flat or turns towards the body, the edge's own
// normal alone:
//
//        \  allowed  /                              |  own
//     own \ |  |  | / neighbour's                   |normal      body
//          \|__|__|/                                |    ______/
//     edge __________ neighbour below               |___/ neighbour rises
//
// A normal outside that range belongs to the neighbour, which has the body too (then this edge reports
// nothing), or comes from a small depth along the seam (then the edge's own normal is taken, with the depths
// along it).

#include "sim/collide_impl.h"
#include "sim/vec.h"

/// Sine of the angle by which directions may differ and count as one.
#define SAME_WAY 1e-9

static int edge_disk(const qdi_form *edge, const qdi_pose *at, double radius, qd_vec2 centre, double reach,
                     qdi_manifold *m) {
    qd_vec2 p = qdi_unturn(at->c, at->s, centre);
    double h = edge->half.x;
    if (fabs(p.x) > h) {
        // Past an end: the nearer neighbour has the disk, or both meet it at their corner, and the later edge
        // has it.
        bool right = p.x > 0;
        qd_vec2 end = {right ? h : -h, 0}, way = qdi_minus(edge->ghost[right], end), d = qdi_minus(p, end);
        double length = qdi_length(way);
        if (length > 0 && right && d.x > SAME_WAY * h) return 0;
        if (length > 0 && !right && qdi_dot(way, d) > SAME_WAY * h * length) return 0;
    }
    qdi_probe probe;
    qdi_form_probe(edge, p, &probe);
    double gap = probe.distance - edge->radius - radius;
    if (gap > reach) return 0;
    m->count = 1;
    m->normal = qdi_turn(at->c, at->s, probe.normal);
    qd_vec2 local = qdi_along(probe.foot, probe.normal, edge->radius + 0.5 * gap);
    m->at[0] = (qdi_touch){qdi_turn(at->c, at->s, local), gap, 0};
    return 1;
}

typedef enum seam_rule {
    SEAM_FREE, ///< no neighbour, or a normal that is allowed
    SEAM_OWN,  ///< only the edge's own normal
    SEAM_PASS, ///< the neighbour's
} seam_rule;

/// What becomes of a contact at an end of the edge whose normal is not the edge's own. `side` gets 1 where
/// the edge's left side is touched, 0 for the right side.
static seam_rule judge(const qdi_form *edge, bool right, qd_vec2 normal, bool single, int *side) {
    qd_vec2 end = {right ? edge->half.x : -edge->half.x, 0}, away = qdi_minus(edge->ghost[right], end);
    double length = qdi_length(away);
    *side = normal.y >= 0;
    if (fabs(normal.x) <= SAME_WAY) return SEAM_OWN;
    if (!(length > 0)) return SEAM_FREE;
    away = qdi_times(away, 1 / length);
    qd_vec2 way = right ? away : (qd_vec2){-away.x, -away.y}; // the neighbour's direction along the polyline
    if (way.x <= -1 + SAME_WAY) return SEAM_FREE;             // it comes straight back: a true end
    // Which side of the seam: by the sum of the left normals of the two edges.
    double sign = qdi_dot(normal, qdi_plus((qd_vec2){0, 1}, qdi_left(way))) >= 0 ? 1 : -1;
    *side = sign > 0;
    double rise = away.y * sign; // of the neighbour, towards the side that is touched
    if (rise >= -SAME_WAY) return SEAM_OWN;
    if (qdi_dot(normal, away) > SAME_WAY) return SEAM_PASS;
    return right && single ? SEAM_PASS : SEAM_FREE;
}

int qdi_collide_edge(const qdi_form *edge, const qdi_pose *edge_pose, const qdi_form *form,
                     const qdi_pose *pose, double reach, qdi_manifold *m) {
    m->count = 0;
    if (form->kind == QD_SHAPE_DISK)
        return edge_disk(edge, edge_pose, form->radius, (qd_vec2){pose->x, pose->y}, reach, m);
    qdi_core own, other;
    qdi_separation separation;
    qdi_core_make(edge, edge_pose, &own);
    qdi_core_make(form, pose, &other);
    if (!qdi_separate(&own, &other, reach + edge->radius + form->radius, &separation)) return 0;
    int count = qdi_manifold_of(&separation, &own, edge->radius, form->radius, reach, m);
    if (!separation.corners && !separation.flipped) return count;

    qd_vec2 normal = qdi_unturn(edge_pose->c, edge_pose->s, separation.normal);
    int side;
    seam_rule rule = judge(edge, normal.x > 0, normal, count == 1, &side);
    if (rule == SEAM_FREE) return count;
    m->count = 0;
    if (rule == SEAM_PASS) return 0;
    qdi_facing facing = qdi_face(&own, side, &other);
    m->normal = own.normal[side];
    const qdi_facing_use use = {
        .facing = &facing,
        .radius_ref = edge->radius,
        .radius_other = form->radius,
        .reach = reach,
        .merge = SAME_WAY * edge->half.x,
        .manifold = m,
    };
    return facing.low <= facing.high ? qdi_manifold_of_facing(&use) : 0;
}
