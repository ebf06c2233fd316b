// What rects.h describes, WIDTH pairs at a time. No include guard: each instruction set has its own copy.
// Vectors are the compiler's own (GNU C); every choice is one between two numbers that are both there.
#include "sim/shape/rects.h"

#include <string.h>

typedef double vec __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(WIDTH * sizeof(int64_t)))); // all bits of a lane, or none

/// Loads a vector of numbers.
static inline vec vec_load(const double *from) {
    vec value;
    memcpy(&value, from, sizeof value);
    return value;
}
/// Stores a vector of numbers.
static inline void vec_store(double *to, vec value) {
    memcpy(to, &value, sizeof value);
}
/// A vector of one number in every lane.
static inline vec vec_of(double value) {
    return value - (vec){0};
}
/// Of each lane the number of `a` where the mask is set, else of `b`.
static inline vec vec_pick(mask lanes, vec a, vec b) {
    return (vec)(((mask)a & lanes) | ((mask)b & ~lanes));
}
/// The absolute values of a vector.
static inline vec vec_abs(vec value) {
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
    return (best_axis){vec_pick(takes, other.apart, best.apart), vec_pick(takes, other.key, best.key),
                       vec_pick(takes, other.sign, best.sign),
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
    other_side best = {q, -p, vec_of(0), BELOW(vec_of(0), vec_of(0))};
    mask less = BELOW(p, best.n);
    best = (other_side){vec_pick(less, p, best.n), vec_pick(less, q, best.t),
                        vec_pick(less, vec_of(1), best.number), less};
    less = BELOW(-q, best.n);
    best = (other_side){vec_pick(less, -q, best.n), vec_pick(less, p, best.t),
                        vec_pick(less, vec_of(2), best.number), best.upright & ~less};
    less = BELOW(-p, best.n);
    return (other_side){vec_pick(less, -p, best.n), vec_pick(less, -q, best.t),
                        vec_pick(less, vec_of(3), best.number), best.upright | less};
}

/// Finds how WIDTH pairs of rects lie to each other, from pair `i` on.
static inline void collide_rect_pairs(const qdi_rect_pairs *in, qdi_rect_meets *out, size_t i) {
    const vec ca = vec_load(in->ca + i), sa = vec_load(in->sa + i), cb = vec_load(in->cb + i),
              sb = vec_load(in->sb + i);
    const vec dx = vec_load(in->dx + i), dy = vec_load(in->dy + i), zero = vec_of(0), one = vec_of(1);
    const vec hax = vec_load(in->ha_x + i), hay = vec_load(in->ha_y + i), hbx = vec_load(in->hb_x + i),
              hby = vec_load(in->hb_y + i);
    const vec radius_a = vec_load(in->radius_a + i), radius_b = vec_load(in->radius_b + i),
              radii = radius_a + radius_b;
    const vec c = ca * cb + sa * sb, s = ca * sb - sa * cb, fc = vec_abs(c), fs = vec_abs(s);
    const vec in_ax = ca * dx + sa * dy, in_ay = ca * dy - sa * dx;
    const vec in_bx = cb * dx + sb * dy, in_by = cb * dy - sb * dx;

    // Of two sides that are parallel only the one towards the other rect can be the best.
    const mask none = BELOW(zero, zero), all = ~none;
    const vec tie = 2 * QDI_TIE * (hax + hay + hbx + hby + vec_abs(dx) + vec_abs(dy));
    const vec sign_ax = vec_pick(BELOW(in_ax, zero), -one, one),
              sign_ay = vec_pick(BELOW(in_ay, zero), -one, one);
    const vec sign_bx = vec_pick(BELOW(zero, in_bx), -one, one),
              sign_by = vec_pick(BELOW(zero, in_by), -one, one);
    const best_axis ax = {vec_abs(in_ax) - (hax + fc * hbx + fs * hby), sign_ax * (0.8 * ca + 0.6 * sa),
                          sign_ax, none, none};
    const best_axis ay = {vec_abs(in_ay) - (hay + fs * hbx + fc * hby), sign_ay * (0.6 * ca - 0.8 * sa),
                          sign_ay, none, all};
    const best_axis bx = {vec_abs(in_bx) - (hbx + fc * hax + fs * hay), sign_bx * (0.8 * cb + 0.6 * sb),
                          sign_bx, all, none};
    const best_axis by = {vec_abs(in_by) - (hby + fs * hax + fc * hay), sign_by * (0.6 * cb - 0.8 * sb),
                          sign_by, all, all};
    const best_axis best = better_axis(better_axis(better_axis(ax, ay, tie), bx, tie), by, tie);

    // The axes of that side.
    const mask flipped = best.flipped, across = best.across;
    const vec ref_c = vec_pick(flipped, cb, ca), ref_s = vec_pick(flipped, sb, sa),
              turn = vec_pick(flipped, -s, s);
    const vec ref_x = vec_pick(flipped, hbx, hax), ref_y = vec_pick(flipped, hby, hay);
    const vec other_x = vec_pick(flipped, hax, hbx), other_y = vec_pick(flipped, hay, hby);
    const vec to_x = vec_pick(flipped, -in_bx, in_ax), to_y = vec_pick(flipped, -in_by, in_ay);
    const vec half_n = vec_pick(across, ref_y, ref_x), half_t = vec_pick(across, ref_x, ref_y);
    const vec n = best.sign * vec_pick(across, to_y, to_x), t = best.sign * vec_pick(across, -to_x, to_y);
    const vec p = best.sign * vec_pick(across, turn, c), q = best.sign * vec_pick(across, -c, turn);

    // The other's side runs from `from` to `to` along t; it shares `low` to `high` with the reference's.
    const other_side other = side_against(p, q);
    const vec half_out = vec_pick(other.upright, other_x, other_y),
              half_along = vec_pick(other.upright, other_y, other_x);
    const vec middle_n = n + other.n * half_out, middle_t = t + other.t * half_out;
    const vec along_n = -other.t * half_along, along_t = other.n * half_along; // other.n < 0
    const vec from = middle_t + along_t, to = middle_t - along_t, span = -2 * along_t;
    const vec gap_from = middle_n + along_n - half_n, gap_to = middle_n - along_n - half_n;
    const mask ordinary = BELOW(2e-9 * half_t, span);
    const vec rise = (gap_to - gap_from) / vec_pick(ordinary, span, one);
    const mask before = BELOW(from, -half_t), behind = BELOW(half_t, to);
    const vec low = vec_pick(before, -half_t, from), high = vec_pick(behind, half_t, to);
    const vec gap_low = vec_pick(before, gap_from + rise * (-half_t - from), gap_from);
    const vec gap_high = vec_pick(behind, gap_from + rise * (half_t - from), gap_to);
    const mask at_low = ~BELOW(gap_high, gap_low), single = ~BELOW(2e-9 * half_t, high - low);
    const vec least = vec_pick(at_low, gap_low, gap_high);

    // The best is the largest, but for what ties.
    const mask beside = ~BELOW(high + tie, low) & ~BELOW(best.apart + tie, least),
               overlap = BELOW(best.apart, -tie);
    const vec face = vec_pick(ordinary & (overlap | beside), vec_of(QDI_RECTS_FACE),
                              vec_of(QDI_RECTS_CORNERS));
    vec_store(out->how + i,
              vec_pick(BELOW(vec_load(in->reach + i) + radii, best.apart), vec_of(QDI_RECTS_APART), face));
    vec_store(out->single + i, vec_pick(single, one, zero));
    vec_store(out->low + i, vec_pick(at_low, one, zero));
    vec_store(out->flipped + i, vec_pick(flipped, one, zero));
    const mask towards = BELOW(zero, best.sign);
    vec_store(out->side + i,
              vec_pick(across, vec_pick(towards, vec_of(2), zero), vec_pick(towards, one, vec_of(3))));
    vec_store(out->other + i, other.number);

    const vec out_x = best.sign * vec_pick(across, -ref_s, ref_c),
              out_y = best.sign * vec_pick(across, ref_c, ref_s);
    vec_store(out->nx + i, vec_pick(flipped, -out_x, out_x));
    vec_store(out->ny + i, vec_pick(flipped, -out_y, out_y));
    const vec x = vec_pick(flipped, dx, zero), y = vec_pick(flipped, dy, zero);
    const vec radius = half_n + vec_pick(flipped, radius_b, radius_a);
    const vec along_0 = vec_pick(single, 0.5 * (low + high), low),
              gap_0 = vec_pick(single, least, gap_low) - radii;
    const vec gap_1 = gap_high - radii, far_0 = radius + 0.5 * gap_0, far_1 = radius + 0.5 * gap_1;
    vec_store(out->gap[0] + i, gap_0);
    vec_store(out->gap[1] + i, gap_1);
    vec_store(out->x[0] + i, x - out_y * along_0 + out_x * far_0);
    vec_store(out->y[0] + i, y + out_x * along_0 + out_y * far_0);
    vec_store(out->x[1] + i, x - out_y * high + out_x * far_1);
    vec_store(out->y[1] + i, y + out_x * high + out_y * far_1);
}

/// Fills the last vector up with copies of the first pair.
static inline void fill(qdi_rect_pairs *pairs) {
    double *const lanes[] = {pairs->ca,       pairs->sa,       pairs->cb,   pairs->sb,   pairs->dx,
                             pairs->dy,       pairs->ha_x,     pairs->ha_y, pairs->hb_x, pairs->hb_y,
                             pairs->radius_a, pairs->radius_b, pairs->reach};
    for (size_t i = pairs->count; i % WIDTH != 0; ++i)
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; ++k) lanes[k][i] = lanes[k][0];
}

static inline void meet_rects(qdi_rect_pairs *in, qdi_rect_meets *out) {
    fill(in);
    for (size_t i = 0; i < in->count; i += WIDTH) collide_rect_pairs(in, out, i);
}
