// The loops of motion.h, for whoever defines MOVE and MOVE_DISKS, their names, before including this. No
// include guard: each instruction set has its own copy, made by the compiler of the same lines, so all give
// the same bits.
#include "core/math/outward.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/// So few that they are still in the nearest cache when their boxes are made.
enum { PIECE = 256 };

// Bench's motion: few bodies reach a wall, so whether any did is asked once, by the signs of how far they are
// inside; and where none did, velocities are not written.
void MOVE(double *restrict x, double *restrict v, size_t count, double half) {
    uint64_t signs = 0;
    for (size_t i = 0; i < count; ++i) {
        double moved = x[i] + v[i], inside = half - fabs(moved);
        uint64_t bits;
        memcpy(&bits, &inside, sizeof bits);
        x[i] = moved;
        signs |= bits;
    }
    if (signs >> 63) qdi_bench_mirror(x, v, count, half);
}

/// Makes the boxes of disks of the bench.
static void make_bench_boxes(const double *restrict x, const double *restrict y,
                             const double *restrict radius, qd_box *restrict boxes, size_t count) {
    for (size_t i = 0; i < count; ++i) boxes[i] = qdi_outward_disk(x[i], y[i], radius[i]);
}

void MOVE_DISKS(double *x, double *y, double *vx, double *vy, const double *radius, qd_box *boxes,
                size_t count, double half) {
    for (size_t at = 0; at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;
        MOVE(x + at, vx + at, piece, half);
        MOVE(y + at, vy + at, piece, half);
        make_bench_boxes(x + at, y + at, radius + at, boxes + at, piece);
    }
}
