// The loops of disks.h; no include guard: each instruction set has its own copy. Conditions are added up as
// numbers as wide as what is compared, so that nothing branches and lanes fit.
#include "core/math/outward.h"
#include "core/tree/fat_box.h"
#include "sim/step/disks.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"

#include <math.h>

/// Moves disks by their velocities over the step.
static inline void move_centres(const qdi_disks *disks, size_t begin, size_t end) {
    const double *x = disks->x, *y = disks->y, *vx = disks->vx, *vy = disks->vy;
    double *to_x = disks->to_x, *to_y = disks->to_y;
    const qd_vec2 kick = disks->kick;
    const double dt = disks->dt;
    for (size_t r = begin; r < end; ++r) {
        to_x[r] = x[r] + (vx[r] - kick.x) * dt;
        to_y[r] = y[r] + (vy[r] - kick.y) * dt;
    }
}

/// Motion of disks: what can be told from the numbers of a disk; nothing is written, so that compilers need
/// not ask what overlaps what.
static inline qdi_disks_found look_at(const qdi_disks *disks, size_t begin, size_t end) {
    const double *x = disks->to_x, *y = disks->to_y, *vx = disks->vx, *vy = disks->vy,
                 *radius = disks->radius;
    const qdi_disks d = *disks;
    uint64_t fast = 0, bad = 0, side = 0;
    for (size_t r = begin; r < end; ++r) {
        double way_x = (vx[r] - d.kick.x) * d.dt, way_y = (vy[r] - d.kick.y) * d.dt;
        fast += way_x * way_x + way_y * way_y > d.fast_squared * (radius[r] * radius[r]);
        double inset_x = d.inset.x * radius[r], inset_y = d.inset.y * radius[r];
        side |= (uint64_t)(x[r] - inset_x < d.low.x) | (uint64_t)(x[r] + inset_x >= d.high.x) |
                (uint64_t)(y[r] - inset_y < d.low.y) | (uint64_t)(y[r] + inset_y >= d.high.y);
        double from_x = x[r] - d.centre.x, from_y = y[r] - d.centre.y;
        bad |= (uint64_t) !(fabs(from_x) <= d.distance) | (uint64_t) !(fabs(from_y) <= d.distance) |
               (uint64_t) !(vx[r] * vx[r] + vy[r] * vy[r] <= d.speed_squared); // true for NaN
    }
    return (qdi_disks_found){.fast = fast, .bad = bad, .side = side};
}

/// Motion of disks: makes the boxes of moved disks.
static inline void make_disk_boxes(const qdi_disks *disks, size_t begin, size_t end) {
    const double *x = disks->to_x, *y = disks->to_y, *radius = disks->radius;
    const qd_vec2 centre = disks->centre;
    const qdi_reach reach = disks->reach;
    qd_box *boxes = disks->boxes;
    for (size_t r = begin; r < end; ++r) {
        double from_x = x[r] - centre.x, from_y = y[r] - centre.y;
        double half = radius[r] + qdi_reach_of(&reach, radius[r], radius[r]);
        boxes[r].min_x = qdi_outward(from_x - half, -1.0F);
        boxes[r].min_y = qdi_outward(from_y - half, -1.0F);
        boxes[r].max_x = qdi_outward(from_x + half, 1.0F);
        boxes[r].max_y = qdi_outward(from_y + half, 1.0F);
    }
}

/// Motion of disks: whether a moved disk left its fat box.
static inline uint64_t find_left_disks(const qdi_disks *disks, size_t begin, size_t end) {
    const qd_box *fat = disks->fat, *boxes = disks->boxes;
    unsigned out = 0;
    for (size_t r = begin; r < end; ++r) out |= !qdi_margin_holds(fat[r], boxes[r]);
    return out;
}

/// Moves disks, then says whether they passed a wall, a limit or their fat boxes.
static inline qdi_disks_found move_disks_kernel(const qdi_disks *disks, size_t begin, size_t end) {
    move_centres(disks, begin, end);
    qdi_disks_found found = look_at(disks, begin, end);
    make_disk_boxes(disks, begin, end);
    if (disks->fat) found.out = find_left_disks(disks, begin, end);
    return found;
}
