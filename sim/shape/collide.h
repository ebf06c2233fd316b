#pragma once

#include "sim/shape/form.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/// Where two forms touch. All of it is plain arithmetic on the arguments: any thread, nothing allocated, the
/// same bits everywhere.

/// One point of contact.
typedef struct qdi_touch {
    qd_vec2 point;    ///< relative to a's position, midway between the two surfaces
    double gap;       ///< distance of the surfaces along the normal; < 0: they overlap
    uint32_t feature; ///< what touches: corner of a << 8 | corner of b; 0 where one of them is a disk
} qdi_touch;

typedef struct qdi_manifold {
    qd_vec2 normal; ///< unit vector, from a to b
    int count;
    qdi_touch at[2]; ///< the first `count` are set, in order of their features
} qdi_manifold;

/// Finds the points, at most two, where two forms are within `reach` (>= 0) of each other, and returns how
/// many (0: none; the manifold then holds nothing but the count).
///
/// Positions of both poses are in one frame of the caller's choice; in a world far from zero, take a's
/// position as the origin, so that no digits are lost. The smallest gap of the manifold is the signed
/// distance of the two forms: where they overlap, minus the shortest way that parts them. The second point is
/// where the two facing sides end, if it is within reach too.
///
/// - **Normal.** Where cores are apart: along the shortest line between them. Where cores overlap: the side
///   (of a or b) with the least depth. Sides whose depths differ by less than QDI_TIE of the forms' size and
///   distance are a tie, and then wins the side whose normal, out of its own form, points most towards (0.8,
///   0.6). So it does not matter which form is a.
/// - **Level centres.** Two disks in one place: normal (1, 0). A disk whose centre is in the middle of
///   another core: as qdi_form_probe has it. Other forms whose centres lie level along the winning side, so
///   that both ways out are equally long: one of the two, which may be another one when a and b are swapped.
/// - **Features** name the corners (numbered as in qdi_core) where the two facing sides end on the point's
///   side. They stay the same while the same sides face each other, whichever of the two is the reference.
/// - **Swapping** a and b negates the normal, gives the same points to rounding, and swaps the halves of the
///   features.
/// - **Edges of a polyline** (`ghost`) never push along the seam to a neighbour: on a flat or hollow seam
///   only along the edge's normal, on a corner only between the normals of its two edges; a single point on a
///   corner is reported by the edge that begins there alone. Two such edges do not touch each other.
int qdi_collide(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb, double reach,
                qdi_manifold *manifold);

/// Relative difference of depths that counts as a tie.
#define QDI_TIE 1e-13

/// Shapes that touch: true where two disks whose centres are `d` apart are within reach of each other: the
/// exact test, without a root. `sum` is radius + radius + reach.
static inline bool qdi_disks_meet(qd_vec2 d, double sum) {
    return d.x * d.x + d.y * d.y <= sum * sum;
}

/// Shapes that touch: qdi_collide for two disks; `d` is from a's centre to b's. The gap is at most 0 exactly
/// where qdi_disks_meet(d, radius_a + radius_b), whatever the reach.
static inline int qdi_collide_disks(double radius_a, double radius_b, qd_vec2 d, double reach,
                                    qdi_manifold *manifold) {
    double sum = radius_a + radius_b;
    manifold->count = 0;
    if (!qdi_disks_meet(d, sum + reach)) return 0;
    double distance = sqrt(d.x * d.x + d.y * d.y);
    qd_vec2 normal = {1, 0};
    if (distance > 0) normal = (qd_vec2){d.x / distance, d.y / distance};
    double gap = distance - sum; // the squares decide its sign: the root may have been rounded
    if (qdi_disks_meet(d, sum))
        gap = gap < 0 ? gap : 0;
    else
        gap = gap > 0 ? gap : DBL_MIN;
    double to_point = radius_a + 0.5 * gap;
    manifold->normal = normal;
    manifold->count = 1;
    manifold->at[0] = (qdi_touch){{normal.x * to_point, normal.y * to_point}, gap, 0};
    return 1;
}

/// A form against a half-plane wall: its corners within reach, at most two. `normal` is the unit vector from
/// the form straight into the wall, `distance` how far the wall's surface is from the form's position in that
/// direction. The manifold is as that of qdi_collide with the wall as b: points relative to the form's
/// position, features corner << 8 (0 for a disk). The first is the corner with the least gap, the second the
/// other end of the side that faces the wall, if within reach.
int qdi_collide_wall(const qdi_form *form, double c, double s, qd_vec2 normal, double distance, double reach,
                     qdi_manifold *manifold);
