// What rects.h describes, WIDTH pairs at a time. No include guard: each instruction set has its own copy.
// Vectors are the compiler's own (GNU C); every choice is one between two numbers that are both there.
#include "sim/shape/rects.h"

#include <string.h>

typedef double vec __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(WIDTH * sizeof(int64_t)))); // all bits of a lane, or none

/// Rectangles that touch: loads a vector of numbers.
static inline vec v_load(const double *from) {
    vec value;
    memcpy(&value, from, sizeof value);
    return value;
}
/// Rectangles that touch: stores a vector of numbers.
static inline void v_store(double *to, vec value) {
    memcpy(to, &value, sizeof value);
}
/// Rectangles that touch: a vector of one number in every lane.
static inline vec v_set(double value) {
    return value - (vec){0};
}
/// Rectangles that touch: of each lane the number of `a` where the mask is set, else of `b`.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return (vec)(((mask)a & lanes) | ((mask)b & ~lanes));
}
/// Rectangles that touch: the absolute values of a vector.
static inline vec v_abs(vec value) {
    return (vec)((mask)value & INT64_MAX);
}
#define BELOW(a, b) ((mask)((a) < (b)))

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

/// Rectangles that touch: puts one of the two points of contact of WIDTH pairs.
static inline void store_point(qdi_rect_meets *out, int k, size_t i, vec gap, vec x, vec y) {
    v_store(out->gap[k] + i, gap);
    v_store(out->x[k] + i, x);
    v_store(out->y[k] + i, y);
}

/// Rectangles that touch: finds how WIDTH pairs of rects lie to each other, from pair `i` on.
static inline void collide_rect_pairs(const qdi_rect_pairs *in, qdi_rect_meets *out, size_t i) {
    const vec ca = v_load(in->ca + i), sa = v_load(in->sa + i), cb = v_load(in->cb + i),
              sb = v_load(in->sb + i);
    const vec dx = v_load(in->dx + i), dy = v_load(in->dy + i), zero = v_set(0), one = v_set(1);
    const vec hax = v_load(in->ha_x + i), hay = v_load(in->ha_y + i), hbx = v_load(in->hb_x + i),
              hby = v_load(in->hb_y + i);
    const vec radius_a = v_load(in->radius_a + i), radius_b = v_load(in->radius_b + i),
              radii = radius_a + radius_b;
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
    v_store(out->how + i,
            v_pick(BELOW(v_load(in->reach + i) + radii, best.apart), v_set(QDI_RECTS_APART), face));
    v_store(out->single + i, v_pick(single, one, zero));
    v_store(out->low + i, v_pick(at_low, one, zero));
    v_store(out->flipped + i, v_pick(flipped, one, zero));
    const mask towards = BELOW(zero, best.sign);
    v_store(out->side + i, v_pick(across, v_pick(towards, v_set(2), zero), v_pick(towards, one, v_set(3))));
    v_store(out->other + i, other.number);

    const vec out_x = best.sign * v_pick(across, -ref_s, ref_c),
              out_y = best.sign * v_pick(across, ref_c, ref_s);
    v_store(out->nx + i, v_pick(flipped, -out_x, out_x));
    v_store(out->ny + i, v_pick(flipped, -out_y, out_y));
    const vec x = v_pick(flipped, dx, zero), y = v_pick(flipped, dy, zero);
    const vec radius = half_n + v_pick(flipped, radius_b, radius_a);
    const vec along_0 = v_pick(single, 0.5 * (low + high), low),
              gap_0 = v_pick(single, least, gap_low) - radii;
    const vec gap_1 = gap_high - radii, far_0 = radius + 0.5 * gap_0, far_1 = radius + 0.5 * gap_1;
    store_point(out, 0, i, gap_0, x - out_y * along_0 + out_x * far_0, y + out_x * along_0 + out_y * far_0);
    store_point(out, 1, i, gap_1, x - out_y * high + out_x * far_1, y + out_x * high + out_y * far_1);
}

/// Rectangles that touch: fills the last vector up with copies of the first pair.
static inline void fill_last_vector(qdi_rect_pairs *pairs) {
    double *const lanes[] = {pairs->ca,       pairs->sa,       pairs->cb,   pairs->sb,   pairs->dx,
                             pairs->dy,       pairs->ha_x,     pairs->ha_y, pairs->hb_x, pairs->hb_y,
                             pairs->radius_a, pairs->radius_b, pairs->reach};
    for (size_t i = pairs->count; i % WIDTH != 0; ++i)
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; ++k) lanes[k][i] = lanes[k][0];
}

/// Rectangles that touch: tests pairs of rectangles, a vector of pairs at a time.
static inline void meet_rects(qdi_rect_pairs *in, qdi_rect_meets *out) {
    fill_last_vector(in);
    for (size_t i = 0; i < in->count; i += WIDTH) collide_rect_pairs(in, out, i);
}
