// What rects.h describes, WIDTH pairs at a time. No include guard: each instruction set has its own copy.
// Every choice is one between two numbers that are both there (core/math/lanes.h).
#include "core/math/lanes.h"
#include "sim/shape/rects.h"

#include <math.h>

/// Rectangles that touch: WIDTH numbers of the pairs from `i` on, by name.
#define v_in(pairs, name, i) v_load((pairs)->in[QDI_RECTS_##name] + (i))

/// The best axis so far: of those that tie the one whose normal points most towards (0.8, 0.6).
typedef struct best_axis {
    vec apart, key, sign;
    mask flipped, across; ///< it is b's; it is its rect's second one
} best_axis;

/// Of two separating axes of each pair of rects the better one.
static inline best_axis better_axis(best_axis best, best_axis other, vec tie) {
    const mask takes = BELOW(best.apart + tie, other.apart) |
                       (~BELOW(other.apart, best.apart - tie) & BELOW(best.key, other.key));
    return (best_axis){v_pick(takes, other.apart, best.apart), v_pick(takes, other.key, best.key),
                       v_pick(takes, other.sign, best.sign),
                       (takes & other.flipped) | (~takes & best.flipped),
                       (takes & other.across) | (~takes & best.across)};
}

/// The side of the other rect whose normal (n, t) points most against the reference's.
typedef struct other_side {
    vec n, t, number;
    mask upright; ///< its rect's first axis is its normal
} other_side;

/// Finds the side of the other rect that faces the reference's side most.
static inline other_side side_against(vec p, vec q) {
    other_side best = {q, -p, v_set(0), BELOW(v_set(0), v_set(0))};
    mask less = BELOW(p, best.n);
    best = (other_side){v_pick(less, p, best.n), v_pick(less, q, best.t), v_pick(less, v_set(1), best.number),
                        less};
    less = BELOW(-q, best.n);
    best = (other_side){v_pick(less, -q, best.n), v_pick(less, p, best.t),
                        v_pick(less, v_set(2), best.number), best.upright & ~less};
    less = BELOW(-p, best.n);
    return (other_side){v_pick(less, -p, best.n), v_pick(less, -q, best.t),
                        v_pick(less, v_set(3), best.number), best.upright | less};
}

/// Rectangles that touch: -1 where a is below b, 1 elsewhere.
static inline vec sign_below(vec a, vec b) {
    return v_pick(BELOW(a, b), -v_set(1), v_set(1));
}

/// Rectangles that touch: the number of the next corner round a rect.
static inline vec v_next(vec corner) {
    return v_pick(BELOW(v_set(2), corner), v_set(0), corner + 1);
}
/// Rectangles that touch: what touches: a corner of a and one of b, of which `flipped` says which is which.
static inline vec feature_of(vec reference, vec other, mask flipped) {
    return v_pick(flipped, other * 256 + reference, reference * 256 + other);
}

/// A point of contact of each pair; `there`: it is within reach.
typedef struct rect_point {
    vec gap, x, y, feature;
    mask there;
} rect_point;

/// Rectangles that touch: of each lane the point of `a` where the mask is set, else that of `b`.
static inline rect_point pick_point(mask lanes, rect_point a, rect_point b) {
    return (rect_point){v_pick(lanes, a.gap, b.gap), v_pick(lanes, a.x, b.x), v_pick(lanes, a.y, b.y),
                        v_pick(lanes, a.feature, b.feature), (lanes & a.there) | (~lanes & b.there)};
}

/// Rectangles that touch: puts a point of WIDTH pairs whose first bodies are at (x, y).
static inline void store_point(qdi_rect_meets *out, int k, size_t i, rect_point point, vec x, vec y) {
    const vec zero = v_set(0);
    v_store(out->x[k] + i, v_pick(point.there, x, zero));
    v_store(out->y[k] + i, v_pick(point.there, y, zero));
    v_store(out->depth[k] + i, v_pick(point.there, zero - point.gap, zero)); // never -0
    v_store(out->feature[k] + i, v_pick(point.there, point.feature, zero));
}

/// Rectangles that touch: puts the points of WIDTH pairs in their order, and how fast the first one
/// approaches.
static inline void store_points(const qdi_rect_pairs *in, qdi_rect_meets *out, size_t i, vec nx, vec ny,
                                rect_point low, rect_point high) {
    const vec zero = v_set(0), one = v_set(1);
    const mask deeper = BELOW(high.gap, low.gap),
               level = ~deeper & ~BELOW(low.gap, high.gap) & BELOW(high.feature, low.feature);
    const mask swap = high.there & (~low.there | deeper | level);
    const rect_point first = pick_point(swap, high, low), second = pick_point(swap, low, high);
    v_store(out->count + i, v_pick(first.there, one, zero) + v_pick(second.there, one, zero));
    v_store(out->least + i, v_pick(first.there, first.gap, v_set(HUGE_VAL)));
    const vec x = v_in(in, X, i), y = v_in(in, Y, i), first_x = x + first.x, first_y = y + first.y;
    store_point(out, 0, i, first, first_x, first_y);
    store_point(out, 1, i, second, x + second.x, y + second.y);
    const vec arm_x = first_x - x, arm_y = first_y - y;
    const vec arm_b_x = arm_x - v_in(in, DX, i), arm_b_y = arm_y - v_in(in, DY, i);
    const vec spin_a = v_in(in, SPIN_A, i), spin_b = v_in(in, SPIN_B, i);
    const vec ax = v_in(in, VA_X, i) - spin_a * arm_y, ay = v_in(in, VA_Y, i) + spin_a * arm_x;
    const vec bx = v_in(in, VB_X, i) - spin_b * arm_b_y, by = v_in(in, VB_Y, i) + spin_b * arm_b_x;
    v_store(out->approach + i, (ax - bx) * nx + (ay - by) * ny);
}

/// Rectangles that touch: finds how WIDTH pairs of rects lie to each other, from pair `i` on.
static inline void collide_rect_pairs(const qdi_rect_pairs *in, qdi_rect_meets *out, size_t i) {
    const vec ca = v_in(in, CA, i), sa = v_in(in, SA, i), cb = v_in(in, CB, i), sb = v_in(in, SB, i);
    const vec dx = v_in(in, DX, i), dy = v_in(in, DY, i), zero = v_set(0), one = v_set(1);
    const vec hax = v_in(in, HA_X, i), hay = v_in(in, HA_Y, i), hbx = v_in(in, HB_X, i),
              hby = v_in(in, HB_Y, i);
    const vec radius_a = v_in(in, RADIUS_A, i), radius_b = v_in(in, RADIUS_B, i), radii = radius_a + radius_b;
    const vec reach = v_in(in, REACH, i);
    const vec c = ca * cb + sa * sb, s = ca * sb - sa * cb, fc = v_abs(c), fs = v_abs(s);
    const vec in_ax = ca * dx + sa * dy, in_ay = ca * dy - sa * dx;
    const vec in_bx = cb * dx + sb * dy, in_by = cb * dy - sb * dx;

    // Of two sides that are parallel only the one towards the other rect can be the best.
    const mask none = BELOW(zero, zero), all = ~none;
    const vec tie = 2 * QDI_TIE * (hax + hay + hbx + hby + v_abs(dx) + v_abs(dy));
    const vec sign_ax = sign_below(in_ax, zero), sign_ay = sign_below(in_ay, zero);
    const vec sign_bx = sign_below(zero, in_bx), sign_by = sign_below(zero, in_by);
    const best_axis ax = {v_abs(in_ax) - (hax + fc * hbx + fs * hby), sign_ax * (0.8 * ca + 0.6 * sa),
                          sign_ax, none, none};
    const best_axis ay = {v_abs(in_ay) - (hay + fs * hbx + fc * hby), sign_ay * (0.6 * ca - 0.8 * sa),
                          sign_ay, none, all};
    const best_axis bx = {v_abs(in_bx) - (hbx + fc * hax + fs * hay), sign_bx * (0.8 * cb + 0.6 * sb),
                          sign_bx, all, none};
    const best_axis by = {v_abs(in_by) - (hby + fs * hax + fc * hay), sign_by * (0.6 * cb - 0.8 * sb),
                          sign_by, all, all};
    const best_axis best = better_axis(better_axis(better_axis(ax, ay, tie), bx, tie), by, tie);

    // The axes of that side.
    const mask flipped = best.flipped, across = best.across;
    const vec ref_c = v_pick(flipped, cb, ca), ref_s = v_pick(flipped, sb, sa), turn = v_pick(flipped, -s, s);
    const vec ref_x = v_pick(flipped, hbx, hax), ref_y = v_pick(flipped, hby, hay);
    const vec other_x = v_pick(flipped, hax, hbx), other_y = v_pick(flipped, hay, hby);
    const vec to_x = v_pick(flipped, -in_bx, in_ax), to_y = v_pick(flipped, -in_by, in_ay);
    const vec half_n = v_pick(across, ref_y, ref_x), half_t = v_pick(across, ref_x, ref_y);
    const vec n = best.sign * v_pick(across, to_y, to_x), t = best.sign * v_pick(across, -to_x, to_y);
    const vec p = best.sign * v_pick(across, turn, c), q = best.sign * v_pick(across, -c, turn);

    // The other's side runs from `from` to `to` along t; it shares `low` to `high` with the reference's.
    const other_side other = side_against(p, q);
    const vec half_out = v_pick(other.upright, other_x, other_y),
              half_along = v_pick(other.upright, other_y, other_x);
    const vec middle_n = n + other.n * half_out, middle_t = t + other.t * half_out;
    const vec along_n = -other.t * half_along, along_t = other.n * half_along; // other.n < 0
    const vec from = middle_t + along_t, to = middle_t - along_t, span = -2 * along_t;
    const vec gap_from = middle_n + along_n - half_n, gap_to = middle_n - along_n - half_n;
    const mask ordinary = BELOW(2e-9 * half_t, span);
    const vec rise = (gap_to - gap_from) / v_pick(ordinary, span, one);
    const mask before = BELOW(from, -half_t), behind = BELOW(half_t, to);
    const vec low = v_pick(before, -half_t, from), high = v_pick(behind, half_t, to);
    const vec gap_low = v_pick(before, gap_from + rise * (-half_t - from), gap_from);
    const vec gap_high = v_pick(behind, gap_from + rise * (half_t - from), gap_to);
    const mask at_low = ~BELOW(gap_high, gap_low), single = ~BELOW(2e-9 * half_t, high - low);
    const vec least = v_pick(at_low, gap_low, gap_high);

    // The best is the largest, but for what ties.
    const mask beside = ~BELOW(high + tie, low) & ~BELOW(best.apart + tie, least),
               overlap = BELOW(best.apart, -tie);
    const vec face = v_pick(ordinary & (overlap | beside), v_set(QDI_RECTS_FACE), v_set(QDI_RECTS_CORNERS));
    v_store(out->how + i, v_pick(BELOW(reach + radii, best.apart), v_set(QDI_RECTS_APART), face));
    const mask towards = BELOW(zero, best.sign);
    const vec side = v_pick(across, v_pick(towards, v_set(2), zero), v_pick(towards, one, v_set(3)));
    const vec feature_low = feature_of(side, v_next(other.number), flipped),
              feature_high = feature_of(v_next(side), other.number, flipped);

    const vec out_x = best.sign * v_pick(across, -ref_s, ref_c),
              out_y = best.sign * v_pick(across, ref_c, ref_s);
    const vec nx = v_pick(flipped, -out_x, out_x), ny = v_pick(flipped, -out_y, out_y);
    v_store(out->nx + i, nx);
    v_store(out->ny + i, ny);
    const vec x = v_pick(flipped, dx, zero), y = v_pick(flipped, dy, zero);
    const vec radius = half_n + v_pick(flipped, radius_b, radius_a);
    const vec along_0 = v_pick(single, 0.5 * (low + high), low),
              gap_0 = v_pick(single, least, gap_low) - radii;
    const vec gap_1 = gap_high - radii, far_0 = radius + 0.5 * gap_0, far_1 = radius + 0.5 * gap_1;
    const rect_point at_0 = {gap_0, x - out_y * along_0 + out_x * far_0, y + out_x * along_0 + out_y * far_0,
                             v_pick(single & ~at_low, feature_high, feature_low), ~BELOW(reach, gap_0)};
    const rect_point at_1 = {gap_1, x - out_y * high + out_x * far_1, y + out_x * high + out_y * far_1,
                             feature_high, ~BELOW(reach, gap_1) & ~single};
    store_points(in, out, i, nx, ny, at_0, at_1);
}

/// Rectangles that touch: fills the last vector up with copies of the first pair.
static inline void fill_last_vector(qdi_rect_pairs *pairs) {
    for (size_t i = pairs->count; i % WIDTH != 0; ++i)
        for (size_t k = 0; k < QDI_RECTS_INPUTS; ++k) pairs->in[k][i] = pairs->in[k][0];
}

/// Rectangles that touch: tests pairs of rectangles, a vector of pairs at a time.
static inline void meet_rects(qdi_rect_pairs *in, qdi_rect_meets *out) {
    fill_last_vector(in);
    for (size_t i = 0; i < in->count; i += WIDTH) collide_rect_pairs(in, out, i);
}
