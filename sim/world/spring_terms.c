// What springs are made of: checks, and the closed forms between stiffness, damping, contact time and
// restitution.

#include "sim/world/spring_terms.h"

#include "core/base/arithmetic.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_state.h"
#include "sim/world/population.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

static const double pi = 3.14159265358979323846;

qd_spring qd_spring_default(void) {
    const double none = (double)NAN;
    return (qd_spring){none, none, none, none, none, false};
}

double qdi_spring_loss(double restitution) {
    if (restitution >= 1) return 0;
    return -qd_log(restitution < QD_SPRING_LEAST_RESTITUTION ? QD_SPRING_LEAST_RESTITUTION : restitution);
}

qd_spring_terms qdi_spring_terms(const qd_spring *spring, double loss, double mass) {
    qd_spring_terms terms = {spring->kn, spring->kt, spring->gamman, spring->gammat};
    if (isnan(spring->kn)) {
        double time = spring->contact_time;
        if (isnan(terms.gamman)) terms.gamman = 2 * loss / time;
        double half = 0.5 * terms.gamman, turn = pi / time;
        terms.kn = mass * (turn * turn + half * half);
    } else if (isnan(terms.gamman)) {
        terms.gamman = loss == 0 ? 0 : 2 * sqrt(terms.kn / mass) * loss / sqrt(pi * pi + loss * loss);
    }
    if (isnan(terms.kt)) terms.kt = terms.kn * 2 / 7;
    if (isnan(terms.gammat)) terms.gammat = 0.5 * terms.gamman;
    return terms;
}

// The coefficients of a spring contact between bodies of this reduced mass.
static qd_spring_terms terms_of_mass(const qd_spring *spring, double restitution, double mass) {
    return qdi_spring_terms(spring, qdi_spring_loss(restitution), mass);
}

qd_spring_terms qd_spring_terms_of(const qd_spring *spring, double restitution, double mass) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_spring_terms result = terms_of_mass(spring, restitution, mass);
    QDI_SETTLE(result);
    return result;
}

// How long two bodies on a spring touch in a collision.
static double contact_time(const qd_spring_terms *terms, double mass) {
    double plain = terms->kn / mass, squared = plain - 0.25 * terms->gamman * terms->gamman;
    return pi / sqrt(squared > 0 ? squared : plain);
}

double qd_spring_contact_time(const qd_spring_terms *terms, double mass) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = contact_time(terms, mass);
    QDI_SETTLE(result);
    return result;
}

// Whether a coefficient of a spring is left out, or a number that will do.
static bool valid_or_unset(double value, bool above) {
    return isnan(value) || qdi_is_sane_positive(value, above);
}

qd_status qdi_spring_check(const qd_world_def *def, qd_error *error) {
    const qd_spring *spring = &def->spring;
    if (!valid_or_unset(spring->kn, true))
        return qdi_reason(error, QD_ERR_VALUE, "contact.spring.kn must be above 0, and at most 1e30");
    if (!valid_or_unset(spring->contact_time, true))
        return qdi_reason(error, QD_ERR_VALUE,
                          "contact.spring.contact_time must be above 0, and at most 1e30");
    if (!valid_or_unset(spring->gamman, false) || !valid_or_unset(spring->gammat, false))
        return qdi_reason(error, QD_ERR_VALUE,
                          "contact.spring.gamman and gammat must not be below 0, and at most 1e30");
    if (!valid_or_unset(spring->kt, false))
        return qdi_reason(error, QD_ERR_VALUE, "contact.spring.kt must not be below 0, and at most 1e30");
    if (def->contact != QD_CONTACT_SPRING) return QD_OK;
    if (isnan(spring->kn) == isnan(spring->contact_time))
        return qdi_reason(
            error, QD_ERR_VALUE,
            "the contact model spring needs either contact.spring.kn or contact.spring.contact_time");
    return QD_OK;
}

/// Mass of the lightest body that an emitter makes.
static double lightest_made(const qd_emitter_def *def) {
    const qd_body_def *body = &def->body;
    if (body->kind != QD_BODY_DYNAMIC) return HUGE_VAL;
    if (!isnan(body->mass)) return body->mass;
    return body->density * qd_shape_area(&body->shape) * def->scale_low * def->scale_low;
}

// The shortest collision time of bodies that the world has or may get.
static double shortest_contact(const qd_world *world) {
    if (world->def.contact != QD_CONTACT_SPRING) return HUGE_VAL;
    const qdi_population *population = world->population;
    double lightest = HUGE_VAL; // of dynamic bodies: the others' mass is infinite
    for (size_t i = 0; population && i < population->emitter_count; ++i) {
        double made = lightest_made(&population->emitters[i].def);
        if (made < lightest) lightest = made;
    }
    for (size_t r = 0; r < world->count; ++r)
        if (world->mass[r] < lightest) lightest = world->mass[r];
    if (lightest == HUGE_VAL) return HUGE_VAL;
    const qd_spring_terms terms = qd_spring_terms_of(&world->def.spring, world->def.restitution,
                                                     0.5 * lightest);
    return qd_spring_contact_time(&terms, 0.5 * lightest);
}

double qd_world_contact_time(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = shortest_contact(world);
    QDI_SETTLE(result);
    return result;
}

bool qdi_spring_stiffness(const qd_world *world, const qd_contact *contact, double *normal,
                          double *tangential) {
    bool wall = qd_id_is_wall(contact->b);
    uint32_t a = qdi_body_row(world, contact->a), b = wall ? QDI_NO_ROW : qdi_body_row(world, contact->b);
    if (contact->sensor || a == QDI_NO_ROW || (!wall && b == QDI_NO_ROW)) return false;
    const qdi_spring_law law = qdi_spring_law_of(world, qdi_spring_loss(world->def.restitution), a, b);
    *normal = 0.5 * law.terms.kn;
    *tangential = 0.5 * law.terms.kt;
    return true;
}

// Sum of squared tangential stretches of a spring contact.
static double squared_shear(const qdi_warm_start *shear) {
    double sum = 0;
    for (int k = 0; k < 2; ++k)
        sum += shear->normal[k] * shear->normal[k] + shear->tangent[k] * shear->tangent[k];
    return sum;
}

double qdi_spring_shear_energy(const qd_world *world, size_t i) {
    double normal, tangential, squared = squared_shear(&world->present.warm_starts[i]);
    return squared > 0 && qdi_spring_stiffness(world, &world->present.contacts[i], &normal, &tangential)
               ? tangential * squared
               : 0;
}

double qdi_spring_energy(const qd_world *world, const qdi_contact_state *state, size_t i) {
    const qd_contact *contact = &state->contacts[i];
    double normal, tangential;
    if (!qdi_spring_stiffness(world, contact, &normal, &tangential)) return 0;
    double energy = tangential * squared_shear(&state->warm_starts[i]);
    for (int k = 0; k < contact->count; ++k) {
        double depth = contact->touch[k].depth;
        if (depth > 0) energy += normal * depth * depth;
    }
    return energy;
}
