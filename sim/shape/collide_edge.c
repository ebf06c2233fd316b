// An edge of a polyline must not let what slides along the polyline catch on its ends, where the next edge
// begins. At such a seam the allowed normals are, on the side where the polyline turns away from the body,
// those between the normals of the two edges; where it is flat or turns towards the body, the edge's own
// normal alone:
//
//        \  allowed  /                              |  own
//     own \ |  |  | / neighbour's                   |normal      body
//          \|__|__|/                                |    ______/
//     edge __________ neighbour below               |___/ neighbour rises
//
// A normal outside that range belongs to the neighbour, if that has the form at least as deep (then this edge
// reports nothing), or comes from a small depth along the seam (then the edge's own normal is taken, with the
// depths along it).

#include "core/math/vec.h"
#include "sim/shape/collide_impl.h"

#include <float.h>

/// Sine of the angle by which directions may differ and count as one.
#define SAME_WAY 1e-9

// Shapes' edges: the contact of a polyline's edge and a disk.
static int collide_edge_disk(const qdi_form *edge, const qdi_pose *at, double radius, qd_vec2 centre,
                             double reach, qdi_manifold *m) {
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

/// What becomes of a contact at an end of the edge whose normal is not the edge's own.
typedef struct seam_rule {
    bool own;   ///< the edge's own normal takes the place of this one
    bool yield; ///< nothing is reported if the neighbour has the form at least as deep
    bool free;  ///< the end is a corner as that of any form
} seam_rule;

/// Shapes' edges: what becomes of a contact at an end of a polyline's edge. `normal` is in the edge's axes;
/// `single`: the contact has one point.
static seam_rule seam_rule_for(const qdi_form *edge, bool right, qd_vec2 normal, bool single) {
    qd_vec2 end = {right ? edge->half.x : -edge->half.x, 0}, away = qdi_minus(edge->ghost[right], end);
    double length = qdi_length(away);
    if (fabs(normal.x) <= SAME_WAY) return (seam_rule){.own = true};
    if (!(length > 0)) return (seam_rule){.free = true};
    away = qdi_times(away, 1 / length);
    qd_vec2 way = right ? away : (qd_vec2){-away.x, -away.y}; // the neighbour's direction along the polyline
    if (way.x <= -1 + SAME_WAY) return (seam_rule){.free = true}; // it comes straight back: a true end
    // The touched side of the seam, by the sum of the left normals of the two edges.
    double side = qdi_dot(normal, qdi_plus((qd_vec2){0, 1}, qdi_left(way))) >= 0 ? 1 : -1;
    if (away.y * side >= -SAME_WAY)
        return (seam_rule){.own = true}; // the neighbour rises on that side, or is level
    if (qdi_dot(normal, away) > SAME_WAY) return (seam_rule){.own = true, .yield = true};
    return (seam_rule){.yield = right && single};
}

/// The distance of the edge's neighbour from a core.
static double neighbour_distance(const qdi_form *edge, const qdi_pose *at, const qdi_core *own, bool right,
                                 const qdi_core *other) {
    qd_vec2 place = qdi_plus((qd_vec2){at->x, at->y}, qdi_turn(at->c, at->s, edge->ghost[right]));
    qd_vec2 end = own->point[right], way = qdi_minus(place, end);
    double length = qdi_length(way);
    qd_vec2 normal = {way.y / length, -way.x / length};
    const qdi_core neighbour = {
        .count = 2, .point = {end, place}, .normal = {normal, {-normal.x, -normal.y}}};
    qdi_separation separation;
    qdi_separate(&neighbour, other, DBL_MAX, &separation);
    return separation.distance;
}

/// The contact along the edge's own normal, out of the side on which the form is less deep.
static int contact_along_own_normal(const qdi_form *edge, const qdi_core *own, const qdi_form *form,
                                    const qdi_core *other, double reach, qdi_manifold *m) {
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = 0; i < other->count; ++i) {
        double above = qdi_dot(own->normal[1], qdi_minus(other->point[i], own->point[0]));
        if (above < low) low = above;
        if (above > high) high = above;
    }
    int side = low >= -high;
    qdi_facing facing = qdi_face(own, side, other);
    m->normal = own->normal[side];
    m->count = 0;
    const qdi_facing_use use = {
        .facing = &facing,
        .radius_ref = edge->radius,
        .radius_other = form->radius,
        .reach = reach,
        .merge = SAME_WAY * edge->half.x,
        .manifold = m,
    };
    return facing.low <= facing.high + use.merge ? qdi_manifold_of_facing(&use) : 0;
}

int qdi_collide_edge(const qdi_form *edge, const qdi_pose *edge_pose, const qdi_form *form,
                     const qdi_pose *pose, double reach, qdi_manifold *m) {
    m->count = 0;
    if (form->kind == QD_SHAPE_DISK)
        return collide_edge_disk(edge, edge_pose, form->radius, (qd_vec2){pose->x, pose->y}, reach, m);
    qdi_core own, other;
    qdi_separation separation;
    qdi_core_make(edge, edge_pose, &own);
    qdi_core_make(form, pose, &other);
    if (!qdi_separate(&own, &other, reach + edge->radius + form->radius, &separation)) return 0;
    int count = qdi_manifold_of(&separation, &own, edge->radius, form->radius, reach, m);
    if (!separation.corners && !separation.flipped) return count;

    qd_vec2 normal = qdi_unturn(edge_pose->c, edge_pose->s, separation.normal);
    bool right = normal.x > 0;
    seam_rule rule = seam_rule_for(edge, right, normal, count == 1);
    if (rule.yield && neighbour_distance(edge, edge_pose, &own, right, &other) <=
                          separation.distance + SAME_WAY * edge->half.x) {
        m->count = 0;
        return 0;
    }
    if (rule.own) return contact_along_own_normal(edge, &own, form, &other, reach, m);
    return rule.free && separation.corners
               ? qdi_manifold_add_far_end(&separation, edge->radius, form->radius, reach, m)
               : count;
}
