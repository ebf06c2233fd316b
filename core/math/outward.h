#pragma once

#include <quadrille/box.h>

/// Box: a number of float32 above a value (`side` 1) or below it (-1) by at least one unit in the last place.
/// Unlike qd_float_above it is plain arithmetic that vectorizes, and not the nearest such number; how far
/// outward a box is rounded changes no result.
static inline float qdi_outward(double value, float side) {
    const float ulp = 1.1920928955078125e-7F, least = 1.17549435e-38F;
    const float nearest = (float)value;
    return nearest + side * ((nearest < 0.0F ? -nearest : nearest) * ulp + least);
}

/// The box of a disk, rounded outward that way.
static inline qd_box qdi_outward_disk(double x, double y, double radius) {
    const qd_box box = {qdi_outward(x - radius, -1.0F), qdi_outward(y - radius, -1.0F),
                        qdi_outward(x + radius, 1.0F), qdi_outward(y + radius, 1.0F)};
    return box;
}
