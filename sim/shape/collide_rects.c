// Two rects, from and to the arrays of rects.h.

#include "sim/shape/collide_impl.h"
#include "sim/shape/rects.h"

void qdi_rects_put(qdi_rect_pairs *pairs, size_t i, const qdi_form *a, const qdi_pose *pa, const qdi_form *b,
                   const qdi_pose *pb, double reach) {
    pairs->ca[i] = pa->c;
    pairs->sa[i] = pa->s;
    pairs->cb[i] = pb->c;
    pairs->sb[i] = pb->s;
    pairs->dx[i] = pb->x - pa->x;
    pairs->dy[i] = pb->y - pa->y;
    pairs->ha_x[i] = a->half.x;
    pairs->ha_y[i] = a->half.y;
    pairs->hb_x[i] = b->half.x;
    pairs->hb_y[i] = b->half.y;
    pairs->radius_a[i] = a->radius;
    pairs->radius_b[i] = b->radius;
    pairs->reach[i] = reach;
}

int qdi_rects_take(const qdi_rect_meets *meets, size_t i, double reach, qdi_manifold *manifold) {
    const unsigned side = (unsigned)meets->side[i], other = (unsigned)meets->other[i];
    const unsigned ref[2] = {side, (side + 1) & 3}, beside[2] = {(other + 1) & 3, other};
    const bool single = meets->single[i] != 0, flipped = meets->flipped[i] != 0;
    manifold->normal = (qd_vec2){meets->nx[i], meets->ny[i]};
    manifold->count = 0;
    for (int k = 0; k < (single ? 1 : 2); ++k) {
        if (meets->gap[k][i] > reach) continue;
        const int end = single ? meets->low[i] == 0 : k;
        const uint32_t feature = flipped ? beside[end] << 8 | ref[end] : ref[end] << 8 | beside[end];
        manifold->at[manifold->count++] = (qdi_touch){
            {meets->x[k][i], meets->y[k][i]}, meets->gap[k][i], feature};
    }
    qdi_manifold_order(manifold);
    return manifold->count;
}

bool qdi_collide_rects(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb,
                       double reach, qdi_manifold *manifold) {
    qdi_rect_pairs pair;
    qdi_rect_meets meets;
    pair.count = 1;
    qdi_rects_put(&pair, 0, a, pa, b, pb, reach);
    qdi_rects_portable(&pair, &meets);
    manifold->count = 0;
    if (meets.how[0] == QDI_RECTS_FACE) (void)qdi_rects_take(&meets, 0, reach, manifold);
    return meets.how[0] != QDI_RECTS_CORNERS;
}
