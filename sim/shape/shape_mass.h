#pragma once

#include "sim/shape/form.h"

/// Moments of a core of two or more corners rounded by `radius`, at density 1.
typedef struct qdi_area_moments {
    double area;
    qd_vec2 first; ///< integral of the position
    double second; ///< integral of the squared distance from the origin
} qdi_area_moments;

qdi_area_moments qdi_core_moments(const qdi_core *core, double radius);
