// The motion with the vectors that every processor has, and the choice of those that this one has.
#include "tools/bench/bench_motion.h"

#include <quadrille/simd.h>

#define MOVE       move_any
#define MOVE_DISKS move_disks_any
static void move_any(double *restrict x, double *restrict v, size_t count, double half);
static void move_disks_any(double *x, double *y, double *vx, double *vy, const double *radius, qd_box *boxes,
                           size_t count, double half);

#include "tools/bench/motion_loops.h"

void qdi_bench_mirror(double *restrict x, double *restrict v, size_t count, double half) {
    for (size_t i = 0; i < count; ++i) {
        double high = 2.0 * (x[i] - half), low = 2.0 * (x[i] + half);
        double over = (x[i] > half ? high : 0.0) + (x[i] < -half ? low : 0.0);
        v[i] = over != 0.0 ? -v[i] : v[i];
        x[i] -= over;
    }
}

void qdi_bench_move(double *restrict x, double *restrict v, size_t count, double half) {
#ifdef __x86_64__
    if (qd_simd_available(QD_SIMD_AVX2)) {
        qdi_bench_move_avx2(x, v, count, half);
        return;
    }
#endif
    move_any(x, v, count, half);
}

void qdi_bench_move_disks(double *x, double *y, double *vx, double *vy, const double *radius, qd_box *boxes,
                          size_t count, double half) {
#ifdef __x86_64__
    if (qd_simd_available(QD_SIMD_AVX512)) {
        qdi_bench_move_disks_avx512(x, y, vx, vy, radius, boxes, count, half);
        return;
    }
    if (qd_simd_available(QD_SIMD_AVX2)) {
        qdi_bench_move_disks_avx2(x, y, vx, vy, radius, boxes, count, half);
        return;
    }
#endif
    move_disks_any(x, y, vx, vy, radius, boxes, count, half);
}
