#ifndef QD_TOOLS_BENCH_MOTION_H
#define QD_TOOLS_BENCH_MOTION_H

#include <quadrille/box.h>

/// The motion that all methods share, so that they see the same boxes to the last bit.

/// One coordinate after a step of dt = 1 in a reflecting world [-half, half]: mirrored once, for no body goes further.
static inline double qdi_bench_move(double x, double *v, double half) {
    x += *v;
    double high = 2.0 * (x - half), low = 2.0 * (x + half); // both always: so it vectorizes
    double over = (x > half ? high : 0.0) + (x < -half ? low : 0.0);
    *v = over != 0.0 ? -*v : *v;
    return x - over;
}

/// The box of a disk: rounded outward by at least one unit in the last place, in plain float arithmetic that vectorizes.
static inline qd_box qdi_bench_box(double x, double y, double radius) {
    const float ulp = 1.1920928955078125e-7F, least = 1.17549435e-38F;
    float min_x = (float)(x - radius), max_x = (float)(x + radius);
    float min_y = (float)(y - radius), max_y = (float)(y + radius);
    min_x -= (min_x < 0.0F ? -min_x : min_x) * ulp + least;
    min_y -= (min_y < 0.0F ? -min_y : min_y) * ulp + least;
    max_x += (max_x < 0.0F ? -max_x : max_x) * ulp + least;
    max_y += (max_y < 0.0F ? -max_y : max_y) * ulp + least;
    qd_box box = {min_x, min_y, max_x, max_y};
    return box;
}

#endif
