// The source of qdi_soft_kernels, for one instruction set: no branch in any loop, and no operation whose
// result depends on how many are done at once. QDI_SOFT is the table's name.

#include "core/math/outward.h"
#include "sim/spring/soft.h"

#include <math.h>
#include <stdint.h>

/// Springs: moves disks along one axis; true if one passed a wall.
static bool drift_axis(const double *restrict from, const double *restrict v, double kick, double dt,
                       double low, double high, double *restrict to, size_t count) {
    int64_t past = 0;
    for (size_t i = 0; i < count; ++i) {
        const double end = from[i] + (v[i] - kick) * dt;
        to[i] = end;
        past |= (end < low ? 1 : 0) | (end >= high ? 1 : 0);
    }
    return past != 0;
}

/// Springs: whether all disks are within limits of distance and speed.
static bool disks_within_limits(const double *restrict x, const double *restrict y, const double *restrict vx,
                                const double *restrict vy, qd_vec2 centre, double distance,
                                double speed_squared, size_t count) {
    int64_t good = 1;
    for (size_t i = 0; i < count; ++i) {
        good &= (fabs(x[i] - centre.x) <= distance ? 1 : 0);
        good &= (fabs(y[i] - centre.y) <= distance ? 1 : 0);
        good &= (vx[i] * vx[i] + vy[i] * vy[i] <= speed_squared ? 1 : 0);
    }
    return good == 0;
}

/// Springs: makes the boxes of disks.
static void box_disks(const double *restrict x, const double *restrict y, const double *restrict radius,
                      qd_vec2 centre, qd_box *restrict boxes, size_t count) {
    for (size_t i = 0; i < count; ++i)
        boxes[i] = qdi_outward_disk(x[i] - centre.x, y[i] - centre.y, radius[i]);
}

/// Springs: whether a disk left its fat box.
static bool disks_left_boxes(const double *restrict x, const double *restrict y,
                             const double *restrict radius, qd_vec2 centre, const qd_box *restrict fat,
                             size_t count) {
    int32_t inside = 1;
    for (size_t i = 0; i < count; ++i) {
        const qd_box own = qdi_outward_disk(x[i] - centre.x, y[i] - centre.y, radius[i]);
        inside &= (fat[i].min_x <= own.min_x ? 1 : 0) & (fat[i].min_y <= own.min_y ? 1 : 0);
        inside &= (own.max_x <= fat[i].max_x ? 1 : 0) & (own.max_y <= fat[i].max_y ? 1 : 0);
    }
    return inside == 0;
}

/// Springs: the length of (c, s) stays at 1 by one step of Newton's.
static bool turn_disks(const double *restrict c, const double *restrict s, const double *restrict spin,
                       double dt, double *restrict to_c, double *restrict to_s, size_t count) {
    int64_t small = 1;
    for (size_t i = 0; i < count; ++i) {
        const double angle = spin[i] * dt, z = angle * angle;
        const double sine = angle - angle * z * (1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040)));
        const double cosine = 1 - z * (0.5 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320))));
        const double x = c[i] * cosine - s[i] * sine, y = s[i] * cosine + c[i] * sine;
        const double longer = 1.5 - 0.5 * (x * x + y * y);
        to_c[i] = x * longer;
        to_s[i] = y * longer;
        small &= (fabs(angle) <= QDI_SMALL_ANGLE ? 1 : 0);
    }
    return small == 0;
}

const qdi_soft_kernels QDI_SOFT = {drift_axis, disks_within_limits, box_disks, disks_left_boxes, turn_disks};
