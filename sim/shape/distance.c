#include "sim/shape/distance.h"

#include "core/math/vec.h"
#include "sim/shape/separate.h"

#include <float.h>

/// The nearest points of two cores of two or more corners.
static qdi_nearest nearest_of_cores(const qdi_core *a, const qdi_core *b) {
    qdi_separation separation;
    qdi_nearest nearest = {0};
    qdi_separate(a, b, DBL_MAX, &separation); // a limit that nothing is above
    nearest.distance = separation.distance;
    nearest.normal = separation.normal;
    if (separation.corners) {
        nearest.on_a = a->point[separation.corner_a];
        nearest.on_b = b->point[separation.corner_b];
        return nearest;
    }
    const qdi_facing *f = &separation.facing;
    double along = f->gap_low < f->gap_high   ? f->low
                   : f->gap_low > f->gap_high ? f->high
                                              : 0.5 * (f->low + f->high);
    qd_vec2 on_ref = qdi_along(f->origin, f->way, along);
    double out = separation.flipped ? -separation.distance : separation.distance;
    qd_vec2 on_other = qdi_along(on_ref, separation.normal, out);
    nearest.on_a = separation.flipped ? on_other : on_ref;
    nearest.on_b = separation.flipped ? on_ref : on_other;
    nearest.on = separation.flipped ? QDI_ON_SIDE_B : QDI_ON_SIDE_A;
    return nearest;
}

/// The nearest points of a form's core, turned as given, and a point.
static qdi_nearest nearest_of_core_and_point(const qdi_form *form, double c, double s, qd_vec2 point) {
    qdi_probe probe;
    qdi_form_probe(form, qdi_unturn(c, s, point), &probe);
    return (qdi_nearest){probe.distance, qdi_turn(c, s, probe.normal), qdi_turn(c, s, probe.foot), point,
                         probe.side ? QDI_ON_SIDE_A : QDI_ON_CORNERS};
}

qdi_nearest qdi_distance(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb) {
    qd_vec2 at = {pa->x, pa->y}, d = {pb->x - pa->x, pb->y - pa->y};
    qdi_nearest nearest;
    if (b->kind == QD_SHAPE_DISK) {
        nearest = nearest_of_core_and_point(a, pa->c, pa->s, d);
    } else if (a->kind == QD_SHAPE_DISK) {
        qdi_nearest flipped = nearest_of_core_and_point(b, pb->c, pb->s, (qd_vec2){-d.x, -d.y});
        nearest = flipped;
        nearest.normal = (qd_vec2){-flipped.normal.x, -flipped.normal.y};
        nearest.on_a = (qd_vec2){0, 0};
        nearest.on_b = qdi_plus(flipped.on_a, d);
        if (flipped.on == QDI_ON_SIDE_A) nearest.on = QDI_ON_SIDE_B;
    } else {
        qdi_core core_a, core_b;
        qdi_core_make(a, &(qdi_pose){0, 0, pa->c, pa->s}, &core_a);
        qdi_core_make(b, &(qdi_pose){d.x, d.y, pb->c, pb->s}, &core_b);
        nearest = nearest_of_cores(&core_a, &core_b);
    }
    nearest.distance -= a->radius + b->radius;
    nearest.on_a = qdi_plus(at, qdi_along(nearest.on_a, nearest.normal, a->radius));
    nearest.on_b = qdi_plus(at, qdi_along(nearest.on_b, nearest.normal, -b->radius));
    return nearest;
}
