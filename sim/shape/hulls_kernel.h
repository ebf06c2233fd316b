// What hulls.h describes, WIDTH pairs at a time: qdi_separate, qdi_face and qdi_manifold_of, line by line,
// with choices for branches. Brings rects_kernel.h with it, and has no include guard as that.
#include "sim/shape/hulls.h"
#include "sim/shape/rects_kernel.h"

#include <float.h>

/// A hull in each lane, turned and moved to its place. Corners that it does not have are its first once more:
/// so they are never the lowest.
typedef struct lane_hulls {
    vec x[QDI_HULLS_CORNERS], y[QDI_HULLS_CORNERS], nx[QDI_HULLS_CORNERS], ny[QDI_HULLS_CORNERS];
    vec count;
    int most; ///< corners of one of them
} lane_hulls;

/// A corner of a hull in each lane, and the normal of its side, as the hull has them.
typedef struct lane_corner {
    vec x, y, nx, ny;
} lane_corner;

/// Polygons that touch: corner k of a hull that all lanes have.
static inline lane_corner same_corner(const qdi_hull *hull, int k) {
    const qd_vec2 point = hull->point[k], normal = hull->normal[k];
    return (lane_corner){v_set(point.x), v_set(point.y), v_set(normal.x), v_set(normal.y)};
}

/// Polygons that touch: corner k of WIDTH hulls, or their first.
static inline lane_corner each_corner(const qdi_hull *const *hulls, int k) {
    lane_corner made = {v_set(0), v_set(0), v_set(0), v_set(0)};
    for (int l = 0; l < WIDTH; ++l) {
        const int corner = k < hulls[l]->count ? k : 0;
        made.x[l] = hulls[l]->point[corner].x;
        made.y[l] = hulls[l]->point[corner].y;
        made.nx[l] = hulls[l]->normal[corner].x;
        made.ny[l] = hulls[l]->normal[corner].y;
    }
    return made;
}

/// Polygons that touch: the corners and normals of WIDTH hulls, as qdi_core_make has them.
static inline void take_hulls(const qdi_hull *const *hulls, vec c, vec s, vec at_x, vec at_y,
                              lane_hulls *out) {
    double count[WIDTH];
    bool same = true;
    out->most = 0;
    for (int l = 0; l < WIDTH; ++l) {
        same = same && hulls[l] == hulls[0];
        count[l] = hulls[l]->count;
        if (hulls[l]->count > out->most) out->most = hulls[l]->count;
    }
    out->count = v_load(count);
    for (int k = 0; k < out->most; ++k) {
        const lane_corner p = same ? same_corner(hulls[0], k) : each_corner(hulls, k);
        out->x[k] = at_x + (c * p.x - s * p.y);
        out->y[k] = at_y + (s * p.x + c * p.y);
        out->nx[k] = c * p.nx - s * p.ny;
        out->ny[k] = s * p.nx + c * p.ny;
    }
}

/// Polygons that touch: the number at the lane's own place of a table, in each lane.
static inline vec take_each(const vec *table, const int place[WIDTH]) {
    vec number = v_set(0);
    for (int l = 0; l < WIDTH; ++l) number[l] = table[place[l]][l];
    return number;
}

/// Polygons that touch: whole numbers of the lanes.
static inline void put_places(vec numbers, int place[WIDTH]) {
    for (int l = 0; l < WIDTH; ++l) place[l] = (int)numbers[l];
}

/// The best side so far: see offer_separating_side. `far`: some side is further off than the limit.
typedef struct best_hull_side {
    vec apart, key, side;
    mask flipped, far;
} best_hull_side;

/// Polygons that touch: tries all sides of a hull as the separating one.
static inline void offer_hull_sides(const lane_hulls *ref, const lane_hulls *other, bool flipped, vec limit,
                                    vec tie, best_hull_side *best) {
    for (int i = 0; i < ref->most; ++i) {
        const vec nx = ref->nx[i], ny = ref->ny[i];
        vec least = nx * other->x[0] + ny * other->y[0];
        for (int k = 1; k < other->most; ++k) {
            const vec along = nx * other->x[k] + ny * other->y[k];
            least = v_pick(BELOW(along, least), along, least);
        }
        const vec apart = least - (nx * ref->x[i] + ny * ref->y[i]), key = 0.8 * nx + 0.6 * ny;
        const mask there = BELOW(v_set(i), ref->count);
        const mask takes = there & ~BELOW(apart, best->apart - tie) &
                           (BELOW(best->apart + tie, apart) | BELOW(best->key, key));
        best->far |= there & BELOW(limit, apart);
        best->apart = v_pick(takes, apart, best->apart);
        best->key = v_pick(takes, key, best->key);
        best->side = v_pick(takes, v_set(i), best->side);
        best->flipped = flipped ? best->flipped | takes : best->flipped & ~takes;
    }
}

/// Polygons that touch: separation_tie.
static inline vec hull_tie(const lane_hulls *a, const lane_hulls *b) {
    int half_a[WIDTH], half_b[WIDTH];
    put_places(0.5 * a->count, half_a);
    put_places(0.5 * b->count, half_b);
    const vec ax = take_each(a->x, half_a) - a->x[0], ay = take_each(a->y, half_a) - a->y[0];
    const vec bx = take_each(b->x, half_b) - b->x[0], by = take_each(b->y, half_b) - b->y[0];
    return QDI_TIE * (v_abs(ax) + v_abs(ay) + v_abs(bx) + v_abs(by) + v_abs(b->x[0] - a->x[0]) +
                      v_abs(b->y[0] - a->y[0]));
}

/// Polygons that touch: the corner after each of the lanes' corners.
static inline vec next_of(vec corner, vec count) {
    return v_pick(BELOW(corner + 1, count), corner + 1, v_set(0));
}

/// Polygons that touch: a corner in each lane: of b's hull where `flipped`, else of a's.
static inline void corner_of(const lane_hulls *a, const lane_hulls *b, mask flipped, vec corner, vec *x,
                             vec *y) {
    int place[WIDTH];
    put_places(corner, place);
    *x = v_pick(flipped, take_each(b->x, place), take_each(a->x, place));
    *y = v_pick(flipped, take_each(b->y, place), take_each(a->y, place));
}

/// Polygons that touch: the side of the other hull whose normal points most against the reference's.
static inline vec facing_side(const lane_hulls *a, const lane_hulls *b, mask flipped, vec nx, vec ny) {
    const int most = a->most > b->most ? a->most : b->most;
    vec facing = v_set(0), least = v_set(0);
    for (int k = 0; k < most; ++k) {
        const int k_a = k < a->most ? k : 0, k_b = k < b->most ? k : 0;
        const vec along = nx * v_pick(flipped, a->nx[k_a], b->nx[k_b]) +
                          ny * v_pick(flipped, a->ny[k_a], b->ny[k_b]);
        const mask less = k > 0 ? BELOW(along, least) : ~BELOW(v_set(0), v_set(0));
        least = v_pick(less, along, least);
        facing = v_pick(less, v_set(k), facing);
    }
    return facing;
}

/// Polygons that touch: finds how WIDTH pairs of hulls lie to each other, from pair `i` on.
static inline void collide_hull_pairs(const qdi_hull_pairs *hulls, qdi_rect_meets *out, size_t i) {
    const qdi_rect_pairs *in = &hulls->pairs;
    const vec zero = v_set(0), one = v_set(1);
    const vec radius_a = v_in(in, RADIUS_A, i), radius_b = v_in(in, RADIUS_B, i), reach = v_in(in, REACH, i);
    lane_hulls a, b;
    take_hulls(hulls->a + i, v_in(in, CA, i), v_in(in, SA, i), zero, zero, &a);
    take_hulls(hulls->b + i, v_in(in, CB, i), v_in(in, SB, i), v_in(in, DX, i), v_in(in, DY, i), &b);
    const vec limit = reach + radius_a + radius_b, tie = hull_tie(&a, &b);
    const mask none = BELOW(zero, zero);
    best_hull_side best = {v_set(-DBL_MAX), zero, zero, none, none};
    offer_hull_sides(&a, &b, false, limit, tie, &best);
    offer_hull_sides(&b, &a, true, limit, tie, &best);

    // The two sides that face each other: qdi_face.
    const mask flipped = best.flipped;
    const vec count_ref = v_pick(flipped, b.count, a.count), count_other = v_pick(flipped, a.count, b.count);
    int side[WIDTH];
    put_places(best.side, side);
    const vec nx = v_pick(flipped, take_each(b.nx, side), take_each(a.nx, side)),
              ny = v_pick(flipped, take_each(b.ny, side), take_each(a.ny, side));
    const vec way_x = -ny, way_y = nx;
    const vec ref_low = best.side, ref_high = next_of(best.side, count_ref);
    const vec other_high = facing_side(&a, &b, flipped, nx, ny), other_low = next_of(other_high, count_other);
    vec x, y, end_x, end_y, low_x, low_y, high_x, high_y;
    corner_of(&a, &b, flipped, ref_low, &x, &y);
    corner_of(&a, &b, flipped, ref_high, &end_x, &end_y);
    corner_of(&b, &a, flipped, other_low, &low_x, &low_y);
    corner_of(&b, &a, flipped, other_high, &high_x, &high_y);
    low_x -= x, low_y -= y, high_x -= x, high_y -= y;
    const vec length = (end_x - x) * way_x + (end_y - y) * way_y;
    const vec from = low_x * way_x + low_y * way_y, to = high_x * way_x + high_y * way_y, span = to - from;
    const vec gap_from = low_x * nx + low_y * ny, gap_to = high_x * nx + high_y * ny,
              rise = gap_to - gap_from;
    const mask ordinary = BELOW(1e-9 * length, span), behind = BELOW(length, to), before = BELOW(from, zero);
    const vec divisor = v_pick(ordinary, span, one);
    const vec low = v_pick(before, zero, from), high = v_pick(behind, length, to);
    const vec gap_low = v_pick(before, gap_from + rise * (-from / divisor), gap_from),
              gap_high = v_pick(behind, gap_from + rise * ((length - from) / divisor), gap_to);

    // Whether that is all, as complete_separation says, and what there is of points: qdi_manifold_of_facing.
    const mask at_low = ~BELOW(gap_high, gap_low);
    const vec least = v_pick(BELOW(gap_low, gap_high), gap_low, gap_high);
    const mask beside = ~BELOW(high + tie, low) & ~BELOW(best.apart + tie, least);
    const vec face = v_pick(ordinary & (BELOW(best.apart, -tie) | beside), v_set(QDI_RECTS_FACE),
                            v_set(QDI_RECTS_CORNERS));
    v_store(out->how + i, v_pick(best.far, v_set(QDI_RECTS_APART), face));
    const mask two = BELOW(1e-9 * v_abs(high) + 1e-9 * v_abs(low), high - low);
    const vec radius_ref = v_pick(flipped, radius_b, radius_a),
              radius_other = v_pick(flipped, radius_a, radius_b);
    const vec along_0 = v_pick(two, low, 0.5 * (low + high)),
              gap_0 = v_pick(two, gap_low, least) - radius_ref - radius_other;
    const vec gap_1 = gap_high - radius_ref - radius_other;
    const vec far_0 = radius_ref + 0.5 * gap_0, far_1 = radius_ref + 0.5 * gap_1;
    const vec feature_low = feature_of(ref_low, other_low, flipped),
              feature_high = feature_of(ref_high, other_high, flipped);
    const rect_point at_0 = {gap_0, (x + way_x * along_0) + nx * far_0, (y + way_y * along_0) + ny * far_0,
                             v_pick(two | at_low, feature_low, feature_high), ~BELOW(reach, gap_0)};
    const rect_point at_1 = {gap_1, (x + way_x * high) + nx * far_1, (y + way_y * high) + ny * far_1,
                             feature_high, ~BELOW(reach, gap_1) & two};
    const vec out_x = v_pick(flipped, -nx, nx), out_y = v_pick(flipped, -ny, ny);
    v_store(out->nx + i, out_x);
    v_store(out->ny + i, out_y);
    store_points(in, out, i, out_x, out_y, at_0, at_1);
}

/// Polygons that touch: tests pairs of hulls, a vector of pairs at a time; the last one is filled up with
/// copies of the first pair.
static inline void meet_hulls(qdi_hull_pairs *hulls, qdi_rect_meets *out) {
    const size_t count = hulls->pairs.count;
    fill_last_vector(&hulls->pairs);
    for (size_t i = count; i % WIDTH != 0; ++i) hulls->a[i] = hulls->a[0], hulls->b[i] = hulls->b[0];
    for (size_t i = 0; i < count; i += WIDTH) collide_hull_pairs(hulls, out, i);
}
