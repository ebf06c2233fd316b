#ifndef QD_SIM_SURFACE_H
#define QD_SIM_SURFACE_H

#include "sim/world/world_impl.h"

/// The surface of a body.
static inline const qd_material *qdi_surface_of_row(const qd_world *world, uint32_t row) {
    return &world->traits.trait[world->trait[row]].surface;
}

/// The friction of two surfaces together: the geometric mean, exactly theirs where they are equal.
static inline double qdi_mixed_friction(double a, double b) {
    if (a == b) return a;
    return a == 0 || b == 0 ? 0 : sqrt(a) * sqrt(b); // infinity times 0 is none
}

#endif
