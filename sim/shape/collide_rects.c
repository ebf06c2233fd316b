// Two rects, from and to the arrays of rects.h.

#include "sim/shape/collide_impl.h"
#include "sim/shape/rects.h"

int qdi_rects_take(const qdi_rect_meets *meets, size_t i, qdi_manifold *manifold) {
    manifold->normal = (qd_vec2){meets->nx[i], meets->ny[i]};
    manifold->count = (int)meets->count[i];
    for (int k = 0; k < manifold->count; ++k)
        manifold->at[k] = (qdi_touch){
            {meets->x[k][i], meets->y[k][i]}, 0 - meets->depth[k][i], (uint32_t)meets->feature[k][i]};
    qdi_manifold_order(manifold);
    return manifold->count;
}

/// Two rects: one at rest, as a pair has it.
static qdi_rect_body body_of(const qdi_form *form, const qdi_pose *pose) {
    return (qdi_rect_body){.c = pose->c, .s = pose->s, .half = form->half, .radius = form->radius};
}

bool qdi_collide_rects(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb,
                       double reach, qdi_manifold *manifold) {
    qdi_rect_pairs pair;
    qdi_rect_meets meets;
    const qdi_rect_body body_a = body_of(a, pa), body_b = body_of(b, pb);
    pair.count = 1;
    qdi_rects_put(&pair, 0, &body_a, &body_b, (qd_vec2){0, 0}, (qd_vec2){pb->x - pa->x, pb->y - pa->y},
                  reach);
    qdi_rects_portable(&pair, &meets);
    manifold->count = 0;
    if (meets.how[0] == QDI_RECTS_FACE) (void)qdi_rects_take(&meets, 0, manifold);
    return meets.how[0] != QDI_RECTS_CORNERS;
}
