#include "sim/shape/collide.h"

#include "core/math/vec.h"
#include "sim/shape/collide_impl.h"
#include "sim/shape/separate.h"

// Turns a manifold of (b, a) into that of (a, b).
static void flip_manifold(qd_vec2 between, qdi_manifold *m) {
    m->normal = (qd_vec2){-m->normal.x, -m->normal.y};
    for (int i = 0; i < m->count; ++i) {
        qdi_touch *touch = &m->at[i];
        touch->point = qdi_plus(touch->point, between);
        touch->feature = (touch->feature & 0xFF) << 8 | touch->feature >> 8;
    }
    qdi_manifold_order(m);
}

/// The contact of a form and a disk whose centre is at `d` from it.
static int collide_form_disk(const qdi_form *form, double c, double s, double radius, qd_vec2 d, double reach,
                             qdi_manifold *m) {
    qdi_probe probe;
    qdi_form_probe(form, qdi_unturn(c, s, d), &probe);
    double gap = probe.distance - form->radius - radius;
    if (gap > reach) return 0;
    m->count = 1;
    m->normal = qdi_turn(c, s, probe.normal);
    m->at[0] = (qdi_touch){qdi_turn(c, s, qdi_along(probe.foot, probe.normal, form->radius + 0.5 * gap)), gap,
                           0};
    return 1;
}

// Adds a contact point to a manifold, where its gap is within reach.
static void add_contact_point(const qdi_facing_use *use, double along, double apart, int corner_ref,
                              int corner_other) {
    double gap = apart - use->radius_ref - use->radius_other;
    if (gap > use->reach) return;
    uint32_t feature = use->flipped ? (uint32_t)corner_other << 8 | (uint32_t)corner_ref
                                    : (uint32_t)corner_ref << 8 | (uint32_t)corner_other;
    qd_vec2 on_core = qdi_along(use->facing->origin, use->facing->way, along);
    qd_vec2 out = {use->facing->way.y, -use->facing->way.x};
    qdi_touch touch = {qdi_along(on_core, out, use->radius_ref + 0.5 * gap), gap, feature};
    use->manifold->at[use->manifold->count++] = touch;
}

int qdi_manifold_of_facing(const qdi_facing_use *use) {
    const qdi_facing *f = use->facing;
    double least = f->gap_low < f->gap_high ? f->gap_low : f->gap_high;
    use->manifold->count = 0;
    if (f->high - f->low > use->merge) {
        add_contact_point(use, f->low, f->gap_low, f->ref_low, f->other_low);
        add_contact_point(use, f->high, f->gap_high, f->ref_high, f->other_high);
        qdi_manifold_order(use->manifold);
    } else { // so short that it is a point
        bool low = f->gap_low <= f->gap_high;
        add_contact_point(use, 0.5 * (f->low + f->high), least, low ? f->ref_low : f->ref_high,
                          low ? f->other_low : f->other_high);
    }
    return use->manifold->count;
}

void qdi_manifold_order(qdi_manifold *m) {
    if (m->count < 2 || m->at[0].feature <= m->at[1].feature) return;
    qdi_touch first = m->at[0];
    m->at[0] = m->at[1];
    m->at[1] = first;
}

/// The use of a separation's facing sides.
static qdi_facing_use use_of(const qdi_separation *separation, double radius_a, double radius_b, double reach,
                             qdi_manifold *m) {
    const qdi_facing *facing = &separation->facing;
    const bool flipped = separation->flipped;
    return (qdi_facing_use){
        .facing = facing,
        .flipped = flipped,
        .radius_ref = flipped ? radius_b : radius_a,
        .radius_other = flipped ? radius_a : radius_b,
        .reach = reach,
        .merge = 1e-9 * fabs(facing->high) + 1e-9 * fabs(facing->low),
        .manifold = m,
    };
}

int qdi_manifold_of(const qdi_separation *separation, const qdi_core *core_a, double radius_a,
                    double radius_b, double reach, qdi_manifold *m) {
    m->normal = separation->normal;
    if (separation->corners) {
        double gap = separation->distance - radius_a - radius_b;
        qd_vec2 corner = core_a->point[separation->corner_a];
        m->count = 1;
        m->at[0] = (qdi_touch){qdi_along(corner, m->normal, radius_a + 0.5 * gap), gap,
                               (uint32_t)separation->corner_a << 8 | (uint32_t)separation->corner_b};
        return 1;
    }
    const qdi_facing_use use = use_of(separation, radius_a, radius_b, reach, m);
    return qdi_manifold_of_facing(&use);
}

int qdi_manifold_add_far_end(const qdi_separation *separation, double radius_a, double radius_b, double reach,
                             qdi_manifold *m) {
    const qdi_facing *f = &separation->facing;
    const qdi_facing_use use = use_of(separation, radius_a, radius_b, reach, m);
    const int ref = use.flipped ? separation->corner_b : separation->corner_a,
              other = use.flipped ? separation->corner_a : separation->corner_b;
    const bool at_low = ref == f->ref_low && other == f->other_low,
               at_high = ref == f->ref_high && other == f->other_high;
    if (at_low == at_high || f->high - f->low <= use.merge) return m->count;
    if (at_low)
        add_contact_point(&use, f->high, f->gap_high, f->ref_high, f->other_high);
    else
        add_contact_point(&use, f->low, f->gap_low, f->ref_low, f->other_low);
    qdi_manifold_order(m);
    return m->count;
}

// The contact of two forms whose cores have corners.
static int collide_cores(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb,
                         double reach, qdi_manifold *m) {
    qdi_core core_a, core_b;
    qdi_separation separation;
    double limit = reach + a->radius + b->radius;
    if (a->kind == QD_SHAPE_RECT && b->kind == QD_SHAPE_RECT && qdi_collide_rects(a, pa, b, pb, reach, m))
        return m->count;
    qdi_core_make(a, pa, &core_a);
    qdi_core_make(b, pb, &core_b);
    if (!qdi_separate(&core_a, &core_b, limit, &separation)) return 0;
    const int count = qdi_manifold_of(&separation, &core_a, a->radius, b->radius, reach, m);
    return separation.corners ? qdi_manifold_add_far_end(&separation, a->radius, b->radius, reach, m) : count;
}

int qdi_collide(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb, double reach,
                qdi_manifold *manifold) {
    qd_vec2 d = {pb->x - pa->x, pb->y - pa->y};
    manifold->count = 0;
    if (a->kind == QD_SHAPE_DISK && b->kind == QD_SHAPE_DISK)
        return qdi_collide_disks(a->radius, b->radius, d, reach, manifold);
    const qdi_pose here = {0, 0, pa->c, pa->s}, there = {d.x, d.y, pb->c, pb->s};
    const qdi_pose back = {-d.x, -d.y, pa->c, pa->s}, origin = {0, 0, pb->c, pb->s};
    if (a->ghost && b->ghost) return 0;
    if (a->ghost) return qdi_collide_edge(a, &here, b, &there, reach, manifold);
    if (b->kind == QD_SHAPE_DISK && !b->ghost)
        return collide_form_disk(a, pa->c, pa->s, b->radius, d, reach, manifold);
    if (b->ghost || a->kind == QD_SHAPE_DISK) {
        int count = b->ghost ? qdi_collide_edge(b, &origin, a, &back, reach, manifold)
                             : collide_form_disk(b, pb->c, pb->s, a->radius, (qd_vec2){-d.x, -d.y}, reach,
                                                 manifold);
        if (count > 0) flip_manifold(d, manifold);
        return count;
    }
    return collide_cores(a, &here, b, &there, reach, manifold);
}

int qdi_collide_wall(const qdi_form *form, double c, double s, qd_vec2 normal, double distance, double reach,
                     qdi_manifold *m) {
    qdi_core core;
    qdi_core_make(form, &(qdi_pose){0, 0, c, s}, &core);
    int deepest = 0;
    double most = qdi_dot(normal, core.point[0]);
    for (int i = 1; i < core.count; ++i) {
        double along = qdi_dot(normal, core.point[i]);
        if (along <= most) continue;
        most = along;
        deepest = i;
    }
    m->count = 0;
    double gap = distance - most - form->radius;
    if (gap > reach) return 0;
    m->normal = normal;
    m->count = 1;
    m->at[0] = (qdi_touch){qdi_along(core.point[deepest], normal, form->radius + 0.5 * gap), gap,
                           (uint32_t)deepest << 8};
    if (core.count == 1) return 1;
    // Of the two sides at that corner, the one that faces the wall more.
    int before = deepest > 0 ? deepest - 1 : core.count - 1,
        after = deepest + 1 < core.count ? deepest + 1 : 0;
    int end = qdi_dot(normal, core.normal[deepest]) >= qdi_dot(normal, core.normal[before]) ? after : before;
    gap = distance - qdi_dot(normal, core.point[end]) - form->radius;
    if (gap > reach) return 1;
    m->count = 2;
    m->at[1] = (qdi_touch){qdi_along(core.point[end], normal, form->radius + 0.5 * gap), gap,
                           (uint32_t)end << 8};
    return 2;
}
