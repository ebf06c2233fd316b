#pragma once

#include "core/math/math_impl.h"

/// Taylor's series of sine and cosine, for |r| <= pi/4: what math_sincos.c brings every angle to, and what
/// loops over small angles begin with.

/// Sine and cosine: r - r^3/3! + r^5/5! - ... to r^17
static inline double qdi_sine_of(qdi_double2 r) {
    const double z = r.hi * r.hi;
    const double far = 1.0 / 39916800 -
                       z * (1.0 / 6227020800 - z * (1.0 / 1307674368000 - z / 355687428096000));
    const double near = 1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 - z * far));
    return r.hi + (r.lo * (1.0 - 0.5 * z) - r.hi * z * (1.0 / 6 - z * near));
}

/// Sine and cosine: 1 - r^2/2! + r^4/4! - ... to r^18. The square is split into a part that is exact and a
/// small rest.
static inline double qdi_cosine_of(qdi_double2 r) {
    const double z = r.hi * r.hi;
    const double a = qdi_upper_half(r.hi);
    const double square = 0.5 * a * a;
    const double square_rest = 0.5 * (r.hi - a) * (r.hi + a) + r.hi * r.lo;
    const double far = 1.0 / 479001600 -
                       z * (1.0 / 87178291200 - z * (1.0 / 20922789888000 - z / 6402373705728000));
    const double near = 1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 - z * (1.0 / 3628800 - z * far)));
    const double main = 1.0 - square;
    return main + (((1.0 - main) - square) + (z * z * near - square_rest));
}
