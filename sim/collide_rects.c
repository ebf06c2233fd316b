// Two rects: most of what a pile has, so they have a way of their own. All of it happens in axes of the reference side: n along its
// normal, t along the side, both from the middle of its rect. There the other rect is its centre and one direction (p, q), that of its
// first axis; no corner is made but the two that end up in the manifold. What is left to the general way is what has no two sides
// that face each other: corners that are nearest.

#include "sim/collide_impl.h"
#include "sim/vec.h"

/// A rect as seen from a side of another one.
typedef struct facing_rect {
    double n, t;           ///< centre
    double p, q;           ///< direction of its first axis, along n and t
    double half_n, half_t; ///< of the reference
} facing_rect;

/// `d` and (c, s): centre and first axis of the other rect in the reference's own axes.
static facing_rect seen_from(int side, qd_vec2 half, qd_vec2 d, double c, double s) {
    switch (side) {
    case 0: return (facing_rect){-d.y, d.x, -s, c, half.y, half.x};
    case 1: return (facing_rect){d.x, d.y, c, s, half.x, half.y};
    case 2: return (facing_rect){d.y, -d.x, s, -c, half.y, half.x};
    default: return (facing_rect){-d.x, -d.y, -c, -s, half.x, half.y};
    }
}

/// The side of the other rect whose normal (n, t) points most against the reference's.
typedef struct other_side {
    int side;
    double n, t;
    double half_out, half_along;
} other_side;

static other_side against(const facing_rect *rect, qd_vec2 half) {
    const double p = rect->p, q = rect->q;
    other_side best = {0, q, -p, half.y, half.x};
    if (p < best.n) best = (other_side){1, p, q, half.x, half.y};
    if (-q < best.n) best = (other_side){2, -q, p, half.y, half.x};
    if (-p < best.n) best = (other_side){3, -p, -q, half.x, half.y};
    return best;
}

/// The best axis, with ties as qdi_collide has them.
typedef struct best_axis {
    double apart, key;
    int side;
    bool flipped; ///< of b
} best_axis;

/// The normal of a side out of a rect that is turned by (c, s), as far as it points towards (0.8, 0.6).
static double key_of(int side, double c, double s) {
    double x = side % 2 ? c : -s, y = side % 2 ? s : c, key = 0.8 * x + 0.6 * y;
    return side == 1 || side == 2 ? key : -key;
}

static void offer(best_axis *best, double apart, int side, bool flipped, const qdi_pose *pose, double tie) {
    if (apart < best->apart - tie) return;
    double key = key_of(side, pose->c, pose->s);
    if (apart > best->apart + tie || key > best->key) *best = (best_axis){apart, key, side, flipped};
}

/// Both rects in the axes of a side, and what the two sides share.
typedef struct shared {
    double low, high, gap_low, gap_high; ///< along t, and above the reference's side
    int ref_low, ref_high, other_low, other_high;
    double size; ///< of the reference
} shared;

/// False where they are not two sides of ordinary size.
static bool share(const facing_rect *rect, int side, qd_vec2 half_other, shared *out) {
    const other_side other = against(rect, half_other);
    const double middle_n = rect->n + other.n * other.half_out, middle_t = rect->t + other.t * other.half_out;
    const double along_n = -other.t * other.half_along,
                 along_t = other.n * other.half_along; // n < 0: downward in t
    const double length = 2 * rect->half_t, span = -2 * along_t;
    if (!(span > 1e-9 * length)) return false;
    const double from = middle_t + along_t, to = middle_t - along_t;
    const double gap_from = middle_n + along_n - rect->half_n, gap_to = middle_n - along_n - rect->half_n;
    const double rise = (gap_to - gap_from) / span;
    out->low = from < -rect->half_t ? -rect->half_t : from;
    out->high = to > rect->half_t ? rect->half_t : to;
    out->gap_low = from < -rect->half_t ? gap_from + rise * (-rect->half_t - from) : gap_from;
    out->gap_high = to > rect->half_t ? gap_from + rise * (rect->half_t - from) : gap_to;
    out->ref_low = side;
    out->ref_high = (side + 1) & 3;
    out->other_low = (other.side + 1) & 3;
    out->other_high = other.side;
    out->size = length;
    return true;
}

/// What makes points of the manifold.
typedef struct maker {
    qd_vec2 centre, out, way; ///< of the reference: its centre, and its side's normal and direction
    double half_n, radius_ref, radii, reach;
    bool flipped;
    qdi_manifold *manifold;
} maker;

static void add_touch(const maker *m, double along, double apart, int corner_ref, int corner_other) {
    double gap = apart - m->radii;
    if (gap > m->reach) return;
    double out = m->half_n + m->radius_ref + 0.5 * gap;
    uint32_t feature = m->flipped ? (uint32_t)corner_other << 8 | (uint32_t)corner_ref
                                  : (uint32_t)corner_ref << 8 | (uint32_t)corner_other;
    m->manifold->at[m->manifold->count++] = (qdi_touch){
        {m->centre.x + m->way.x * along + m->out.x * out, m->centre.y + m->way.y * along + m->out.y * out},
        gap,
        feature};
}

static void make_touches(const maker *m, const shared *s) {
    const double merge = 1e-9 * s->size;
    m->manifold->count = 0;
    if (s->high - s->low > merge) {
        add_touch(m, s->low, s->gap_low, s->ref_low, s->other_low);
        add_touch(m, s->high, s->gap_high, s->ref_high, s->other_high);
        qdi_manifold_order(m->manifold);
        return;
    }
    bool low = s->gap_low <= s->gap_high; // so short that it is a point
    add_touch(m, 0.5 * (s->low + s->high), low ? s->gap_low : s->gap_high, low ? s->ref_low : s->ref_high,
              low ? s->other_low : s->other_high);
}

qdi_rects_meet qdi_collide_rects(const qdi_form *a, const qdi_form *b, const qdi_pose *pa, const qdi_pose *pb,
                                 double reach, qdi_manifold *manifold) {
    const qd_vec2 d = {pb->x - pa->x, pb->y - pa->y}, ha = a->half, hb = b->half;
    const double c = pa->c * pb->c + pa->s * pb->s, s = pa->c * pb->s - pa->s * pb->c;
    const double fc = fabs(c), fs = fabs(s), radii = a->radius + b->radius, limit = reach + radii;
    const qd_vec2 in_a = qdi_unturn(pa->c, pa->s, d), in_b = qdi_unturn(pb->c, pb->s, d);
    const double ax = fabs(in_a.x) - (ha.x + fc * hb.x + fs * hb.y),
                 ay = fabs(in_a.y) - (ha.y + fs * hb.x + fc * hb.y);
    const double bx = fabs(in_b.x) - (hb.x + fc * ha.x + fs * ha.y),
                 by = fabs(in_b.y) - (hb.y + fs * ha.x + fc * ha.y);
    if (ax > limit || ay > limit || bx > limit || by > limit) return QDI_RECTS_APART;
    const double tie = 2 * QDI_TIE * (ha.x + ha.y + hb.x + hb.y + fabs(d.x) + fabs(d.y));
    // Of two sides that are parallel only the one towards the other rect can be the best.
    best_axis best = {-DBL_MAX, 0, 0, false};
    offer(&best, ax, in_a.x < 0 ? 3 : 1, false, pa, tie);
    offer(&best, ay, in_a.y < 0 ? 0 : 2, false, pa, tie);
    offer(&best, bx, in_b.x > 0 ? 3 : 1, true, pb, tie);
    offer(&best, by, in_b.y > 0 ? 0 : 2, true, pb, tie);

    const bool flipped = best.flipped;
    const qdi_pose *ref = flipped ? pb : pa;
    const facing_rect rect = flipped ? seen_from(best.side, hb, (qd_vec2){-in_b.x, -in_b.y}, c, -s)
                                     : seen_from(best.side, ha, in_a, c, s);
    shared sides;
    if (!share(&rect, best.side, flipped ? ha : hb, &sides)) return QDI_RECTS_CORNERS;
    double least = sides.gap_low < sides.gap_high ? sides.gap_low : sides.gap_high;
    if (best.apart >= -tie && !(sides.low <= sides.high + tie && least <= best.apart + tie))
        return QDI_RECTS_CORNERS;

    const bool across = best.side % 2 == 0;
    const double sign = best.side == 1 || best.side == 2 ? 1 : -1;
    const qd_vec2 out = across ? (qd_vec2){-sign * ref->s, sign * ref->c}
                               : (qd_vec2){sign * ref->c, sign * ref->s};
    const maker make = {.centre = flipped ? d : (qd_vec2){0, 0},
                         .out = out,
                         .way = qdi_left(out),
                         .half_n = rect.half_n,
                         .radius_ref = flipped ? b->radius : a->radius,
                         .radii = radii,
                         .reach = reach,
                         .flipped = flipped,
                         .manifold = manifold};
    manifold->normal = flipped ? (qd_vec2){-out.x, -out.y} : out;
    make_touches(&make, &sides);
    return QDI_RECTS_FACE;
}
