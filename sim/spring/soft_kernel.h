// The source of qdi_soft_kernels, for one instruction set: no branch in any loop, and no operation whose
// result depends on how many are done at once. QDI_SOFT is the table's name.

#include "core/math/outward.h"
#include "sim/spring/soft.h"
#include "sim/world/grain.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

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

/// Springs: the fastest disk. Of numbers that are not negative the bits have the same order, and what is not
/// finite comes last.
static double fastest_disk(const double *restrict x, const double *restrict y, const double *restrict vx,
                           const double *restrict vy, qd_vec2 centre, double distance, size_t count) {
    int64_t good = 1, most = 0;
    for (size_t i = 0; i < count; ++i) {
        const double squared = vx[i] * vx[i] + vy[i] * vy[i];
        int64_t bits;
        memcpy(&bits, &squared, sizeof bits);
        bits &= INT64_MAX;
        most = bits > most ? bits : most;
        good &= (fabs(x[i] - centre.x) <= distance ? 1 : 0);
        good &= (fabs(y[i] - centre.y) <= distance ? 1 : 0);
    }
    double fastest;
    memcpy(&fastest, &most, sizeof fastest);
    return good && fastest <= DBL_MAX ? fastest : HUGE_VAL;
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

/// Springs: adds what accelerations give to velocities.
static void gain_rows(const double *restrict from, const double *restrict gain, double dt,
                      double *restrict to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = from[i] + gain[i] * dt;
}

/// Four numbers side by side, as a thin force has.
typedef double four __attribute__((vector_size(4 * sizeof(double))));
typedef int64_t four_bits __attribute__((vector_size(4 * sizeof(int64_t))));

/// Springs: sums of listed ends. Of the four numbers of a force x and y count with the sign of the end, the
/// push does not, and friction turns a body of some radius.
static size_t sum_ends(const qdi_soft_ends *ends, const double *restrict radius, double *restrict x,
                       double *restrict y, double *restrict spin, bool *restrict any, size_t count) {
    static const four lower = {-1, -1, 0, 0}, upper = {1, 1, 0, 0};
    static const four_bits last = {0, 0, 0, -1};
    const qdi_thin_force *forces = ends->forces;
    const uint32_t *shift = ends->shift, *at = ends->list;
    size_t some = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *first = at + 2, *second = first + at[0], *stop = second + at[1];
        const double lever = radius[i];
        const four_bits levers = (four_bits)(four){lever, lever, lever, lever} & last;
        const four by_lower = (four)((four_bits)lower | levers), by_upper = (four)((four_bits)upper | levers);
        four sum = {0}, force;
        for (const uint32_t *hit = first; hit != second; ++hit) {
            memcpy(&force, &forces[*hit + shift[*hit / QDI_CANDIDATE_GRAIN]], sizeof force);
            sum += force * by_lower;
        }
        for (const uint32_t *hit = second; hit != stop; ++hit) {
            memcpy(&force, &forces[*hit + shift[*hit / QDI_CANDIDATE_GRAIN]], sizeof force);
            sum += force * by_upper;
        }
        any[i] = first != stop;
        some += first != stop;
        x[i] = sum[0];
        y[i] = sum[1];
        spin[i] = sum[3];
        at = stop;
    }
    return some;
}

/// Springs: accelerations by forces along an axis, and half a kick.
static void kick_axis(const double *restrict force, const double *restrict mass, double half,
                      double *restrict to, double *restrict v, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = force[i] / mass[i];
        v[i] += to[i] * half;
    }
}

/// Springs: accelerations, half a kick, and whether it breaks a limit.
static bool kick_rows(const qdi_soft_kick *by, size_t count) {
    const double *vx = by->vx, *vy = by->vy, *turn = by->turn, *spin = by->spin, *inertia = by->inertia;
    double *to_spin = by->to_spin;
    kick_axis(by->x, by->mass, by->half, by->to_x, by->vx, count);
    kick_axis(by->y, by->mass, by->half, by->to_y, by->vy, count);
    if (turn) kick_axis(spin, inertia, by->half, to_spin, by->turn, count);
    for (size_t i = 0; i < count && !turn; ++i) to_spin[i] = spin[i] / inertia[i];
    const double speed_squared = by->speed_squared, most = by->most;
    int64_t good = 1;
    for (size_t i = 0; i < count; ++i) good &= (vx[i] * vx[i] + vy[i] * vy[i] <= speed_squared ? 1 : 0);
    for (size_t i = 0; i < count && turn; ++i) good &= (fabs(turn[i]) <= most ? 1 : 0);
    return good == 0;
}

const qdi_soft_kernels QDI_SOFT = {drift_axis, fastest_disk, box_disks, disks_left_boxes,
                                   turn_disks, gain_rows,    sum_ends,  kick_rows};
