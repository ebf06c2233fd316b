#include "core/base/arithmetic.h"
#include "core/math/outward.h"

#include <quadrille/box.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Floats in the order of their values are whole numbers in order: positive ones by their bits, negative ones
// by the negated bits of their magnitude. So the next float is one more.

// Box: a float above a double of the range of floats: the one after the least that is not below it. No
// branch, as which side of it the nearest float lies on is a matter of chance.
static inline float next_after(double value) {
    const float nearest = (float)value;
    int32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    const int32_t sign = bits >> 31; // -1 or 0
    const int32_t rank = ((bits & INT32_MAX) ^ sign) - sign + 1 + ((double)nearest < value ? 1 : 0);
    const int32_t below = rank >> 31;
    const int32_t above = ((rank ^ below) - below) | (below & INT32_MIN);
    float result;
    memcpy(&result, &above, sizeof result);
    return result;
}

// Box: true where next_after is right.
static inline bool in_range(double value) {
    return value >= -(double)FLT_MAX && value < (double)FLT_MAX;
}

// Box: a float above a double.
static inline float float_safely_above(double value) {
    if (in_range(value)) return next_after(value);
    if (value != value) return NAN;
    return value < 0 ? -FLT_MAX : INFINITY;
}

float qd_float_above(double value) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    float result = float_safely_above(value);
    QDI_SETTLE(result);
    return result;
}

// Box: a float below a double: the one before the largest that is not above it.
static inline float float_safely_below(double value) {
    return -float_safely_above(-value);
}

float qd_float_below(double value) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    float result = float_safely_below(value);
    QDI_SETTLE(result);
    return result;
}

// The float box around a disk, rounded outward.
static inline qd_box box_around_disk(double x, double y, double radius) {
    return (qd_box){float_safely_below(x - radius), float_safely_below(y - radius),
                    float_safely_above(x + radius), float_safely_above(y + radius)};
}

qd_box qd_box_of_disk(double x, double y, double radius) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_box result = box_around_disk(x, y, radius);
    QDI_SETTLE(result);
    return result;
}

void qd_boxes_of_disks(const double *restrict x, const double *restrict y, const double *restrict radius,
                       size_t count, qd_box *restrict boxes) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    for (size_t i = 0; i < count; ++i) boxes[i] = qdi_outward_disk(x[i], y[i], radius[i]);
}
