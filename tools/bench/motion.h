#ifndef QD_TOOLS_BENCH_MOTION_H
#define QD_TOOLS_BENCH_MOTION_H

/// The motion that all methods share, so that they see the same boxes to the last bit.

/// One coordinate after a step of dt = 1 in a reflecting world [-half, half]: mirrored once, for no body goes further.
static inline double qdi_bench_move(double x, double *v, double half) {
    x += *v;
    double high = 2.0 * (x - half), low = 2.0 * (x + half); // both always: so it vectorizes
    double over = (x > half ? high : 0.0) + (x < -half ? low : 0.0);
    *v = over != 0.0 ? -*v : *v;
    return x - over;
}

#endif
