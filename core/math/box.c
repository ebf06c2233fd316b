#include "core/base/arithmetic.h"

#include <quadrille/box.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// Box: floats in the order of their values are whole numbers in order: positive ones by their bits, negative
// ones by the negated bits of their magnitude. So the next float is one more.
static float next_above(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int32_t rank = (bits >= 0 ? bits : -(bits & INT32_MAX)) + 1;
    const uint32_t above = rank >= 0 ? (uint32_t)rank : (uint32_t)-rank | UINT32_C(0x80000000);
    memcpy(&value, &above, sizeof value);
    return value;
}

// Box: a float above a double: the one after the least that is not below it.
static float float_safely_above(double value) {
    if (value != value) return NAN;
    if (value < -(double)FLT_MAX) return -FLT_MAX;
    if (value >= (double)FLT_MAX) return INFINITY;
    const float nearest = (float)value;
    const float up = (double)nearest < value ? next_above(nearest) : nearest;
    return up <= FLT_MAX ? next_above(up) : up;
}

float qd_float_above(double value) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    float result = float_safely_above(value);
    QDI_SETTLE(result);
    return result;
}

// Box: a float below a double: the one before the largest that is not above it.
static float float_safely_below(double value) {
    return -float_safely_above(-value);
}

float qd_float_below(double value) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    float result = float_safely_below(value);
    QDI_SETTLE(result);
    return result;
}

// The float box around a disk, rounded outward.
static qd_box box_around_disk(double x, double y, double radius) {
    return (qd_box){float_safely_below(x - radius), float_safely_below(y - radius),
                    float_safely_above(x + radius), float_safely_above(y + radius)};
}

qd_box qd_box_of_disk(double x, double y, double radius) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_box result = box_around_disk(x, y, radius);
    QDI_SETTLE(result);
    return result;
}
