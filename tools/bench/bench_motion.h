#pragma once

#include <quadrille/box.h>
#include <stddef.h>

/// The motion that all methods share, so that they see the same boxes to the last bit.

/// One coordinate of `count` bodies after a step of dt = 1 in a reflecting world [-half, half]: mirrored
/// once, for no body goes further. The arrays do not overlap.
void qdi_bench_move(double *x, double *v, size_t count, double half);

/// Both coordinates, and the boxes of the disks.
void qdi_bench_move_disks(double *x, double *y, double *vx, double *vy, const double *radius, qd_box *boxes,
                          size_t count, double half);

/// What qdi_bench_move does where a body has passed a side: mirrors those that have.
void qdi_bench_mirror(double *x, double *v, size_t count, double half);

#ifdef __x86_64__
/// The same as above with AVX2, and with AVX-512.
void qdi_bench_move_avx2(double *x, double *v, size_t count, double half);
void qdi_bench_move_disks_avx2(double *x, double *y, double *vx, double *vy, const double *radius,
                               qd_box *boxes, size_t count, double half);
void qdi_bench_move_disks_avx512(double *x, double *y, double *vx, double *vy, const double *radius,
                                 qd_box *boxes, size_t count, double half);
#endif
