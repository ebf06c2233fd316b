#pragma once

#include "sim/world/reach.h"

/// The motion of disks that nothing but their velocity moves, as plain loops over arrays, which compilers
/// vectorize: for what every processor has, and (the same lines, so the same bits) for AVX2.

typedef struct qdi_disks {
    const double *x, *y, *vx, *vy, *radius;
    double *to_x, *to_y;
    qd_box *boxes;
    const qd_box *fat; ///< NULL: none
    qd_vec2 kick;      ///< taken from the velocity
    double dt;
    qd_vec2 centre;    ///< of the world: boxes are relative to it
    qd_vec2 low, high; ///< sides
    qd_vec2 inset;     ///< 1 where the disk's border must not pass the side, 0 where its centre must not
    qdi_reach reach;   ///< that boxes are fattened by
    double fast_squared;
    double distance, speed_squared; ///< limits
} qdi_disks;

/// What there is among some disks.
typedef struct qdi_disks_found {
    uint64_t fast; ///< how many move further than the root of fast_squared times their radius
    uint64_t bad;  ///< not 0: some break a limit
    uint64_t side; ///< not 0: some are at a side
    uint64_t out;  ///< not 0: some are not in their fat boxes, though an image may be
} qdi_disks_found;

/// Moves the disks [begin, end) as if there were no sides.
typedef qdi_disks_found (*qdi_disks_move)(const qdi_disks *disks, size_t begin, size_t end);

/// The one for an instruction set that is available; not AUTO.
qdi_disks_move qdi_disks_move_of(qd_simd simd);

qdi_disks_found qdi_disks_move_portable(const qdi_disks *disks, size_t begin, size_t end);
#ifdef __x86_64__
qdi_disks_found qdi_disks_move_avx2(const qdi_disks *disks, size_t begin, size_t end);
#endif
