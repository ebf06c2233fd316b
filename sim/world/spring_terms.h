#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

/// What springs are made of: terms of two bodies in contact, and the energy that a contact holds.

/// True in a world of springs.
static inline bool qdi_springs(const qd_world *world) {
    return world->def.contact == QD_CONTACT_SPRING;
}

/// World's spring terms: why springs are refused, or QD_OK.
QD_MUST_USE qd_status qdi_spring_check(const qd_world_def *def, qd_error *error);
/// - log of a restitution, or of the least one that counts; and the terms with it instead of that.
double qdi_spring_loss(double restitution);
qd_spring_terms qdi_spring_terms(const qd_spring *spring, double loss, double mass);

/// World's spring terms: what of a spring with the law hooke is the same for all masses: qdi_spring_terms is
/// made of it, and so are those of pairs that are worked on side by side. NaN: the mass decides.
typedef struct qdi_spring_rule {
    double kn, kt, gamman, gammat;
    double stiffness;  ///< kn for each unit of mass
    double loss, root; ///< gamman is 2 sqrt(kn / mass) loss / root
} qdi_spring_rule;
qdi_spring_rule qdi_spring_rule_of(const qd_spring *spring, double loss);

/// World's spring terms: the same with the law hertz, for a contact of width `a`.
qd_spring_terms qdi_spring_terms_hertz(const qd_spring *spring, double loss, double mass, double a);

/// World's spring terms: true for springs whose contacts keep more than the shear, or reach beyond it: of
/// disks, with one touch each.
static inline bool qdi_spring_grains(const qd_spring *spring) {
    return spring->law == QD_SPRING_HERTZ || spring->rolling > 0 ||
           (spring->adhesion > 0 && spring->range > 0);
}

/// What two bodies are to each other's springs.
typedef struct qdi_spring_law {
    double mass, friction; ///< mass: the reduced one
    bool free;             ///< both are dynamic
    qd_spring_terms terms;
    double loss, radius; ///< of their restitution; the reduced radius, where grains are
} qdi_spring_law;

/// The law of rows a and b (QDI_NO_ROW: a wall).
static inline qdi_spring_law qdi_spring_law_of(const qd_world *world, uint32_t a, uint32_t b) {
    const bool wall = b == QDI_NO_ROW;
    const qd_material *p = qdi_surface_of_row(world, a);
    const qd_material *q = wall ? &world->walls : qdi_surface_of_row(world, b);
    const double mass_a = world->mass[a], mass_b = wall ? HUGE_VAL : world->mass[b];
    const qd_material mixed = qdi_mixed_surface(world, p, q);
    qdi_spring_law law = {.free = mass_a < HUGE_VAL && mass_b < HUGE_VAL,
                          .mass = mass_a == HUGE_VAL   ? mass_b
                                  : mass_b == HUGE_VAL ? mass_a
                                                       : mass_a * mass_b / (mass_a + mass_b),
                          .friction = mixed.friction};
    law.loss = mixed.restitution == world->def.restitution ? world->loss : qdi_spring_loss(mixed.restitution);
    law.terms = qdi_spring_terms(&world->def.spring, law.loss, law.mass);
    return law;
}

/// World's spring terms: the reduced radius of two surfaces: a disk's is its own, all else is flat.
static inline double qdi_spring_radius(const qd_world *world, uint32_t a, uint32_t b) {
    const double radius_a = world->shape[a] ? HUGE_VAL : world->radius[a];
    const double radius_b = b == QDI_NO_ROW || world->shape[b] ? HUGE_VAL : world->radius[b];
    return radius_a == HUGE_VAL   ? radius_b
           : radius_b == HUGE_VAL ? radius_a
                                  : radius_a * radius_b / (radius_a + radius_b);
}

/// World's spring terms: makes the law of grains of that of springs, at an overlap > 0; returns the contact's
/// width, 1 with hooke.
static inline double qdi_spring_law_at(const qd_world *world, uint32_t a, uint32_t b, double depth,
                                       qdi_spring_law *law) {
    law->radius = qdi_spring_radius(world, a, b);
    if (world->def.spring.law != QD_SPRING_HERTZ) return 1;
    const double width = sqrt(law->radius * depth);
    law->terms = qdi_spring_terms_hertz(&world->def.spring, law->loss, law->mass, width);
    return width;
}

/// World's spring terms: stiffness of the rolling spring of a contact with these terms.
static inline double qdi_rolling_stiffness(const qd_spring *spring, const qd_spring_terms *terms) {
    return isnan(spring->kr) ? terms->kt : spring->kr;
}
/// World's spring terms: damping rate of the same.
static inline double qdi_rolling_damping(const qd_spring *spring, const qd_spring_terms *terms) {
    return isnan(spring->gammar) ? terms->gammat : spring->gammar;
}
/// The force along the normal by which the springs of a contact push, dashpots aside; 0 where it has none, or
/// one of its bodies is gone.
double qdi_spring_force(const qd_world *world, const qd_contact *contact);
/// Energy kept in contact i of a state, whose contacts are made; and the part of it that is kept in the shear
/// of a contact.
double qdi_spring_energy(const qd_world *world, const qdi_contact_state *state, size_t i);
double qdi_spring_shear_energy(const qd_world *world, const qd_contact *contact, const qdi_warm_start *shear);
