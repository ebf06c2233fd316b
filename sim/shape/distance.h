#pragma once

#include "sim/shape/form.h"

/// What the nearest points lie on.
typedef enum qdi_nearest_on {
    QDI_ON_CORNERS, ///< two corners (or centres of disks)
    QDI_ON_SIDE_A,  ///< a side of a; the normal is that side's
    QDI_ON_SIDE_B,  ///< a side of b; the normal is against that side's
} qdi_nearest_on;

/// The nearest points of two forms' surfaces.
typedef struct qdi_nearest {
    double distance;    ///< < 0: the forms overlap; minus the shortest way that parts them
    qd_vec2 normal;     ///< unit vector from a to b; at + normal * distance = the point on b
    qd_vec2 on_a, on_b; ///< in the frame of the poses
    qdi_nearest_on on;
} qdi_nearest;

/// Signed distance of two forms with the nearest points, exact to rounding for any two (neighbours in a
/// polyline are ignored): the smallest gap that qdi_collide would find. Ties as there. Any thread.
qdi_nearest qdi_distance(const qdi_form *a, const qdi_pose *pa, const qdi_form *b, const qdi_pose *pb);
