#ifndef QD_SIM_SPRING_TERMS_H
#define QD_SIM_SPRING_TERMS_H

#include "sim/world/contact_state.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

/// What springs are made of: terms of two bodies in contact, and the energy that a contact holds.

/// True in a world of springs.
static inline bool qdi_springs(const qd_world *world) {
    return world->def.contact == QD_CONTACT_SPRING;
}

/// Why springs are refused, or QD_OK.
QD_MUST_USE qd_status qdi_spring_check(const qd_world_def *def, qd_error *error);
/// - log of a restitution, or of the least one that counts; and the terms with it instead of that.
double qdi_spring_loss(double restitution);
qd_spring_terms qdi_spring_terms(const qd_spring *spring, double loss, double mass);

/// What two bodies are to each other's springs.
typedef struct qdi_spring_law {
    double mass, friction; ///< mass: the reduced one
    bool free;             ///< both are dynamic
    qd_spring_terms terms;
} qdi_spring_law;

/// The law of rows a and b (QDI_NO_ROW: a wall); `loss` is that of the world's restitution, which most have.
static inline qdi_spring_law qdi_spring_law_of(const qd_world *world, double loss, uint32_t a, uint32_t b) {
    const bool wall = b == QDI_NO_ROW;
    const qd_material *p = qdi_surface_of_row(world, a);
    const qd_material *q = wall ? &world->walls : qdi_surface_of_row(world, b);
    const double mass_a = world->mass[a], mass_b = wall ? HUGE_VAL : world->mass[b];
    const double restitution = p->restitution > q->restitution ? p->restitution : q->restitution;
    qdi_spring_law law = {.free = mass_a < HUGE_VAL && mass_b < HUGE_VAL,
                          .mass = mass_a == HUGE_VAL   ? mass_b
                                  : mass_b == HUGE_VAL ? mass_a
                                                       : mass_a * mass_b / (mass_a + mass_b),
                          .friction = qdi_mixed_friction(p->friction, q->friction)};
    if (restitution != world->def.restitution) loss = qdi_spring_loss(restitution);
    law.terms = qdi_spring_terms(&world->def.spring, loss, law.mass);
    return law;
}

/// Half the stiffnesses of a contact; false where it has no springs, or one of its bodies is gone.
bool qdi_spring_stiffness(const qd_world *world, const qd_contact *contact, double *normal,
                          double *tangential);
/// Energy kept in contact i of a state, and the part of it that is kept in its shear, of the present one.
double qdi_spring_energy(const qd_world *world, const qdi_contact_state *state, size_t i);
double qdi_spring_shear_energy(const qd_world *world, size_t i);

#endif
