#include "sim/shape/separate.h"

#include "core/math/vec.h"
#include "sim/shape/collide.h"

#include <float.h>

/// A facing side whose shadow on the reference is shorter than this part of it counts as a point.
#define UPRIGHT 1e-9

// The corner of a core after a corner.
static int next_corner(const qdi_core *core, int i) {
    return i + 1 < core->count ? i + 1 : 0;
}

/// The best side so far. Of sides that tie, the one counts whose normal points most towards (0.8, 0.6).
typedef struct best_side {
    double apart;
    double key;
    int side;
    bool flipped;
} best_side;

// Keeps a side as the one that separates most, by distance and then by its direction.
static void offer_separating_side(best_side *best, double apart, qd_vec2 normal, int side, bool flipped,
                                  double tie) {
    if (apart < best->apart - tie) return;
    double key = 0.8 * normal.x + 0.6 * normal.y;
    if (apart > best->apart + tie || key > best->key) *best = (best_side){apart, key, side, flipped};
}

/// How far `other` is above a side of `ref`.
static double core_above_side(const qdi_core *ref, int side, const qdi_core *other) {
    qd_vec2 normal = ref->normal[side];
    double least = qdi_dot(normal, other->point[0]);
    for (int k = 1; k < other->count; ++k) {
        double along = qdi_dot(normal, other->point[k]);
        if (along < least) least = along;
    }
    return least - qdi_dot(normal, ref->point[side]);
}

// Tries all sides of a core as the separating one; false where one separates by more than `limit`.
static bool offer_separating_sides(const qdi_core *ref, const qdi_core *other, bool flipped, double limit,
                                   double tie, best_side *best) {
    for (int i = 0; i < ref->count; ++i) {
        double apart = core_above_side(ref, i, other);
        if (apart > limit) return false;
        offer_separating_side(best, apart, ref->normal[i], i, flipped, tie);
    }
    return true;
}

qdi_facing qdi_face(const qdi_core *ref, int side, const qdi_core *other) {
    qd_vec2 normal = ref->normal[side];
    int facing = 0;
    double least = qdi_dot(normal, other->normal[0]);
    for (int k = 1; k < other->count; ++k) {
        double along = qdi_dot(normal, other->normal[k]);
        if (along < least) {
            least = along;
            facing = k;
        }
    }
    // Sides run counter-clockwise, so the one that faces ours runs against it.
    qdi_facing f = {.origin = ref->point[side], .way = qdi_left(normal), .ref_low = side};
    f.ref_high = next_corner(ref, side);
    f.other_high = facing;
    f.other_low = next_corner(other, facing);
    qd_vec2 low = qdi_minus(other->point[f.other_low], f.origin);
    qd_vec2 high = qdi_minus(other->point[f.other_high], f.origin);
    double length = qdi_dot(qdi_minus(ref->point[f.ref_high], f.origin), f.way);
    double from = qdi_dot(low, f.way), to = qdi_dot(high, f.way), span = to - from;
    f.low = from;
    f.high = to;
    f.gap_low = qdi_dot(low, normal);
    f.gap_high = qdi_dot(high, normal);
    double rise = f.gap_high - f.gap_low;
    if (span <= UPRIGHT * length) { // upright: its lower end is what counts
        double at = rise < 0 ? to : from;
        f.low = at > 0 ? at : 0;
        f.high = at < length ? at : length;
        f.gap_low = f.gap_high = rise < 0 ? f.gap_high : f.gap_low;
        f.other_low = f.other_high = rise < 0 ? f.other_high : f.other_low;
        f.ref_low = f.ref_high = at < 0.5 * length ? f.ref_low : f.ref_high;
        return f;
    }
    if (to > length) {
        f.high = length;
        f.gap_high = f.gap_low + rise * ((length - from) / span);
    }
    if (from < 0) {
        f.low = 0;
        f.gap_low += rise * (-from / span);
    }
    return f;
}

// Finds the nearest two corners of two cores.
static void nearest_corners(const qdi_core *a, const qdi_core *b, qdi_separation *out) {
    double best = DBL_MAX;
    for (int i = 0; i < a->count; ++i) {
        for (int k = 0; k < b->count; ++k) {
            qd_vec2 d = qdi_minus(b->point[k], a->point[i]);
            double squared = qdi_dot(d, d);
            if (squared >= best) continue;
            best = squared;
            out->corner_a = i;
            out->corner_b = k;
        }
    }
    qd_vec2 d = qdi_minus(b->point[out->corner_b], a->point[out->corner_a]);
    out->corners = true;
    out->distance = sqrt(best);
    if (best > 0) out->normal = (qd_vec2){d.x / out->distance, d.y / out->distance};
}

/// Completes a separation whose most separating side is known.
static bool complete_separation(const qdi_core *a, const qdi_core *b, const best_side *best, double limit,
                                double tie, qdi_separation *out) {
    const qdi_core *ref = best->flipped ? b : a, *other = best->flipped ? a : b;
    qd_vec2 normal = ref->normal[best->side];
    out->distance = best->apart;
    out->normal = best->flipped ? (qd_vec2){-normal.x, -normal.y} : normal;
    out->corners = false;
    out->flipped = best->flipped;
    out->facing = qdi_face(ref, best->side, other);
    // Cores apart whose lowest corner is not above the side: two corners are nearest. So are two segments on
    // one line.
    const qdi_facing *f = &out->facing;
    if (best->apart < -tie) return true;
    double least = f->gap_low < f->gap_high ? f->gap_low : f->gap_high;
    if (f->low <= f->high + tie && least <= best->apart + tie) return true;
    nearest_corners(a, b, out);
    return out->distance <= limit;
}

/// Distances of two cores closer than this count as equal; rounding is far below it.
static double separation_tie(const qdi_core *a, const qdi_core *b) {
    qd_vec2 across_a = qdi_minus(a->point[a->count / 2], a->point[0]);
    qd_vec2 across_b = qdi_minus(b->point[b->count / 2], b->point[0]);
    qd_vec2 between = qdi_minus(b->point[0], a->point[0]);
    return QDI_TIE * (fabs(across_a.x) + fabs(across_a.y) + fabs(across_b.x) + fabs(across_b.y) +
                      fabs(between.x) + fabs(between.y));
}

bool qdi_separate(const qdi_core *a, const qdi_core *b, double limit, qdi_separation *separation) {
    double tie = separation_tie(a, b);
    best_side best = {-DBL_MAX, 0, 0, false};
    return offer_separating_sides(a, b, false, limit, tie, &best) &&
           offer_separating_sides(b, a, true, limit, tie, &best) &&
           complete_separation(a, b, &best, limit, tie, separation);
}
