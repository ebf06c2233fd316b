#pragma once

#include "core/math/larger.h"
#include "sim/world/world_impl.h"

/// The trait of a body. Where none has one of its own, memory is spared the look at which.
static inline const qdi_trait *qdi_trait_of_row(const qd_world *world, uint32_t row) {
    return &world->traits.trait[world->traits.numbers.live > 0 ? world->trait[row] : 0];
}

/// The surface of a body.
static inline const qd_material *qdi_surface_of_row(const qd_world *world, uint32_t row) {
    return &qdi_trait_of_row(world, row)->surface;
}

/// Moving surface of a world's body: true where `says` holds of a trait that bodies have or have had, and
/// where there are too many to look.
static inline bool qdi_any_trait(const qd_world *world, bool (*says)(const qdi_trait *trait)) {
    const size_t count = world->traits.numbers.count + 1;
    bool any = count > 64;
    for (size_t k = 0; !any && k < count; ++k) any = says(&world->traits.trait[k]);
    return any;
}

/// Moving surface of a world's body: how fast the surfaces of two bodies slide, a's along the tangent as seen
/// from b's: the tangent is the normal from a to b turned by +90 degrees. row_b QDI_NO_ROW: a wall, whose
/// sliding is in its velocity.
static inline double qdi_slide_of(const qd_world *world, uint32_t row_a, uint32_t row_b) {
    const double slide = qdi_trait_of_row(world, row_a)->slide;
    return row_b == QDI_NO_ROW ? slide : slide + qdi_trait_of_row(world, row_b)->slide;
}

/// The friction of two surfaces together: the geometric mean, exactly theirs where they are equal.
static inline double qdi_mixed_friction(double a, double b) {
    if (a == b) return a;
    return a == 0 || b == 0 ? 0 : sqrt(a) * sqrt(b); // infinity times 0 is none
}

/// Moving surface of a world's body: what two surfaces are to each other: by the rule, but for what is said
/// of the pair of their materials.
static inline qd_material qdi_mixed_surface(const qd_world *world, const qd_material *p,
                                            const qd_material *q) {
    qd_material mixed = {qdi_larger(p->restitution, q->restitution),
                         qdi_mixed_friction(p->friction, q->friction),
                         qdi_larger(p->tangential, q->tangential), 0};
    const qd_material *pair = qdi_materials_pair_of(&world->traits.materials, p->of, q->of);
    if (!pair) return mixed;
    if (!isnan(pair->restitution)) mixed.restitution = pair->restitution;
    if (!isnan(pair->friction)) mixed.friction = pair->friction;
    if (!isnan(pair->tangential)) mixed.tangential = pair->tangential;
    return mixed;
}

/// Makes the surface of the walls of the world's def and materials anew.
void qdi_world_make_walls(qd_world *world);
