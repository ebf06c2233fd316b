// What springs are made of: checks, and the closed forms between stiffness, damping, contact time and
// restitution.

#include "sim/world/spring_terms.h"

#include "core/base/arithmetic.h"
#include "core/math/larger.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_state.h"
#include "sim/world/population.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

static const double pi = 3.14159265358979323846;

qd_spring qd_spring_default(void) {
    const double none = (double)NAN;
    return (qd_spring){.contact_time = none,
                       .kn = none,
                       .gamman = none,
                       .kt = none,
                       .gammat = none,
                       .kr = none,
                       .gammar = none};
}

double qdi_spring_loss(double restitution) {
    if (restitution >= 1) return 0;
    return -qd_log(restitution < QD_SPRING_LEAST_RESTITUTION ? QD_SPRING_LEAST_RESTITUTION : restitution);
}

qdi_spring_rule qdi_spring_rule_of(const qd_spring *spring, double loss) {
    qdi_spring_rule rule = {.kn = spring->kn,
                            .kt = spring->kt,
                            .gamman = spring->gamman,
                            .gammat = spring->gammat,
                            .loss = loss,
                            .root = sqrt(pi * pi + loss * loss)};
    if (isnan(spring->kn)) {
        double time = spring->contact_time;
        if (isnan(rule.gamman)) rule.gamman = 2 * loss / time;
        double half = 0.5 * rule.gamman, turn = pi / time;
        rule.stiffness = turn * turn + half * half;
    } else if (isnan(rule.gamman) && loss == 0) {
        rule.gamman = 0;
    }
    return rule;
}

qd_spring_terms qdi_spring_terms(const qd_spring *spring, double loss, double mass) {
    const qdi_spring_rule rule = qdi_spring_rule_of(spring, loss);
    qd_spring_terms terms = {rule.kn, rule.kt, rule.gamman, rule.gammat};
    if (isnan(terms.kn)) terms.kn = mass * rule.stiffness;
    if (isnan(terms.gamman)) terms.gamman = 2 * sqrt(terms.kn / mass) * rule.loss / rule.root;
    if (isnan(terms.kt)) terms.kt = terms.kn * 2 / 7;
    if (isnan(terms.gammat)) terms.gammat = 0.5 * terms.gamman;
    return terms;
}

qd_spring_terms qdi_spring_terms_hertz(const qd_spring *spring, double loss, double mass, double a) {
    qd_spring_terms terms = {spring->kn * a, spring->kt * a, spring->gamman * a, spring->gammat * a};
    if (isnan(terms.gamman))
        terms.gamman = loss == 0 ? 0 : sqrt(5 * terms.kn / mass) * loss / sqrt(pi * pi + loss * loss);
    if (isnan(terms.kt)) terms.kt = terms.kn * 2 / 7;
    if (isnan(terms.gammat)) terms.gammat = 0.5 * terms.gamman;
    return terms;
}

// World's spring terms: the coefficients of a spring contact between bodies of this reduced mass.
static qd_spring_terms terms_of_mass(const qd_spring *spring, double restitution, double mass) {
    const double loss = qdi_spring_loss(restitution);
    return spring->law == QD_SPRING_HERTZ ? qdi_spring_terms_hertz(spring, loss, mass, 1)
                                          : qdi_spring_terms(spring, loss, mass);
}

qd_spring_terms qd_spring_terms_of(const qd_spring *spring, double restitution, double mass) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_spring_terms result = terms_of_mass(spring, restitution, mass);
    QDI_SETTLE(result);
    return result;
}

/// Where damping lets nothing bounce: so many times the time in which it stops what meets. A step may be a
/// twentieth of a contact time; one that is longer than the time of the damping makes this speed bodies up.
static const double stopping_times = 20;

// World's spring terms: how long two bodies on a spring touch in a collision.
static double contact_time(const qd_spring_terms *terms, double mass) {
    double plain = terms->kn / mass, squared = plain - 0.25 * terms->gamman * terms->gamman;
    if (squared > 0) return pi / sqrt(squared);
    return qdi_smaller(pi / sqrt(plain), stopping_times / terms->gamman);
}

double qd_spring_contact_time(const qd_spring_terms *terms, double mass) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = contact_time(terms, mass);
    QDI_SETTLE(result);
    return result;
}

// World's spring terms: how long two bodies touch by the law of Hertz: (5/4)^(2/5) times 2 sqrt(pi)
// Gamma(2/5) / (5/2 Gamma(9/10)), which is 2.943, is the factor.
static double hertz_time(double kn, double radius, double mass, double speed) {
    const double time = 3.218065459719043;
    return speed > 0 ? time * qd_pow(mass * mass / (kn * kn * radius * speed), 0.2) : HUGE_VAL;
}

double qd_spring_hertz_time(double kn, double radius, double mass, double speed) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = hertz_time(kn, radius, mass, speed);
    QDI_SETTLE(result);
    return result;
}

// World's spring terms: whether a coefficient of a spring is left out, or a number that will do.
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
    if (!(spring->rolling >= 0) || !valid_or_unset(spring->kr, false) ||
        !valid_or_unset(spring->gammar, false))
        return qdi_reason(
            error, QD_ERR_VALUE,
            "contact.spring.rolling: friction, kr and gammar must not be below 0, and the latter "
            "at most 1e30");
    if (!qdi_is_sane_positive(spring->adhesion, false) || !qdi_is_sane_positive(spring->range, false))
        return qdi_reason(error, QD_ERR_VALUE,
                          "contact.spring.adhesion: force and range must not be below 0, and at most 1e30");
    if ((unsigned)spring->law > QD_SPRING_HERTZ)
        return qdi_reason(error, QD_ERR_VALUE, "contact.spring.law: unknown");
    if (def->contact != QD_CONTACT_SPRING) return QD_OK;
    const qd_vec2 rate = def->compression.rate;
    if (spring->adhesion > 0 && spring->range > 0 &&
        ((rate.x != 0 && def->boundary_x == QD_BOUNDARY_PERIODIC) ||
         (rate.y != 0 && def->boundary_y == QD_BOUNDARY_PERIODIC)))
        return qdi_reason(error, QD_ERR_VALUE,
                          "a periodic world with a range of adhesion cannot be compressed");
    if (spring->law == QD_SPRING_HERTZ && isnan(spring->kn))
        return qdi_reason(error, QD_ERR_VALUE,
                          "the law hertz needs contact.spring.kn: how long two bodies touch depends on their "
                          "speed");
    if (isnan(spring->kn) == isnan(spring->contact_time))
        return qdi_reason(
            error, QD_ERR_VALUE,
            "the contact model spring needs either contact.spring.kn or contact.spring.contact_time");
    return QD_OK;
}

/// The shortest collision of bodies that the world has or may get: of the lightest, or, with the law of
/// Hertz, of the smallest m^2 / R.
typedef struct lightest {
    double mass, hertz;
} lightest;

// World's spring terms: takes a body into account.
static void weigh(lightest *all, double mass, double radius) {
    if (mass < all->mass) all->mass = mass;
    if (mass * mass / radius < all->hertz) all->hertz = mass * mass / radius;
}

/// The lightest body that an emitter makes.
static void weigh_made(lightest *all, const qd_emitter_def *def) {
    const qd_body_def *body = &def->body;
    if (body->kind != QD_BODY_DYNAMIC) return;
    double mass = body->mass, radius = qd_shape_reach(&body->shape) * def->scale_low;
    if (isnan(mass)) mass = body->density * qd_shape_area(&body->shape) * def->scale_low * def->scale_low;
    weigh(all, mass, radius);
}

/// How fast bodies may meet: as the fastest that there are or that emitters make, from either side, and as
/// gravity makes them over the world's size.
static double meeting_speed(const qd_world *world) {
    const qd_world_def *def = &world->def;
    const qdi_population *population = world->population;
    double most = 0;
    for (size_t r = 0; r < world->count; ++r) {
        double vx = world->now.vx[r], vy = world->now.vy[r];
        if (vx * vx + vy * vy > most) most = vx * vx + vy * vy;
    }
    for (size_t i = 0; population && i < population->emitter_count; ++i) {
        const qd_vec2 v = population->emitters[i].def.body.velocity;
        if (v.x * v.x + v.y * v.y > most) most = v.x * v.x + v.y * v.y;
    }
    return sqrt(4 * most + 2 * (fabs(def->gravity.x) * def->size.x + fabs(def->gravity.y) * def->size.y));
}

// The shortest collision time of bodies that the world has or may get.
static double shortest_contact(const qd_world *world) {
    const qd_spring *spring = &world->def.spring;
    if (world->def.contact != QD_CONTACT_SPRING) return HUGE_VAL;
    const qdi_population *population = world->population;
    lightest all = {HUGE_VAL, HUGE_VAL}; // of dynamic bodies: the others' mass is infinite
    for (size_t i = 0; population && i < population->emitter_count; ++i)
        weigh_made(&all, &population->emitters[i].def);
    for (size_t r = 0; r < world->count; ++r) weigh(&all, world->mass[r], world->radius[r]);
    if (all.mass == HUGE_VAL) return HUGE_VAL;
    if (spring->law == QD_SPRING_HERTZ) // (m/2)^2 / (R/2)
        return hertz_time(spring->kn, 1, sqrt(0.5 * all.hertz), meeting_speed(world));
    const qd_spring_terms terms = qd_spring_terms_of(spring, world->def.restitution, 0.5 * all.mass);
    return qd_spring_contact_time(&terms, 0.5 * all.mass);
}

double qd_world_contact_time(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = shortest_contact(world);
    QDI_SETTLE(result);
    return result;
}

/// World's spring terms: the law of contact i of a state, at its overlap where grains are; false where it has
/// no springs, or one of its bodies is gone.
static bool law_of_contact(const qd_world *world, const qd_contact *contact, qdi_spring_law *law) {
    bool wall = qd_id_is_wall(contact->b);
    uint32_t a = qdi_body_row(world, contact->a), b = wall ? QDI_NO_ROW : qdi_body_row(world, contact->b);
    if (contact->sensor || a == QDI_NO_ROW || (!wall && b == QDI_NO_ROW)) return false;
    *law = qdi_spring_law_of(world, a, b);
    if (qdi_spring_grains(&world->def.spring) && contact->touch[0].depth > 0)
        (void)qdi_spring_law_at(world, a, b, contact->touch[0].depth, law);
    return true;
}

double qdi_spring_force(const qd_world *world, const qd_contact *contact) {
    const qd_spring *spring = &world->def.spring;
    qdi_spring_law law;
    double force = 0;
    if (!law_of_contact(world, contact, &law)) return 0;
    for (int k = 0; k < contact->count; ++k) {
        const double depth = contact->touch[k].depth;
        if (depth > 0) force += law.terms.kn * depth;
        if (spring->adhesion > 0 && depth > -spring->range) force -= spring->adhesion;
    }
    return force;
}

// Energy of the tangential springs of a contact, and of the one that resists rolling.
static double shear_energy(const qd_spring *spring, const qdi_spring_law *law, const qdi_warm_start *shear) {
    const double *x = shear->normal, *y = shear->tangent;
    if (qdi_spring_grains(spring)) // the second places are those of rolling and width
        return 0.5 * law->terms.kt * (x[0] * x[0] + y[0] * y[0]) +
               0.5 * qdi_rolling_stiffness(spring, &law->terms) * x[1] * x[1];
    double sum = 0;
    for (int k = 0; k < 2; ++k) sum += x[k] * x[k] + y[k] * y[k];
    return 0.5 * law->terms.kt * sum;
}

double qdi_spring_shear_energy(const qd_world *world, const qd_contact *contact,
                               const qdi_warm_start *shear) {
    qdi_spring_law law;
    bool any = shear->normal[0] != 0 || shear->normal[1] != 0 || shear->tangent[0] != 0 ||
               shear->tangent[1] != 0;
    return any && law_of_contact(world, contact, &law) ? shear_energy(&world->def.spring, &law, shear) : 0;
}

double qdi_spring_energy(const qd_world *world, const qdi_contact_state *state, size_t i) {
    const qd_contact *contact = &state->contacts[i];
    const qd_spring *spring = &world->def.spring;
    qdi_spring_law law;
    if (!law_of_contact(world, contact, &law)) return 0;
    const double normal = (spring->law == QD_SPRING_HERTZ ? 0.4 : 0.5) * law.terms.kn;
    double energy = shear_energy(spring, &law, &state->warm_starts[qdi_place_of(state, i)]);
    for (int k = 0; k < contact->count; ++k) {
        double depth = contact->touch[k].depth;
        if (depth > 0) energy += normal * depth * depth;
        if (depth > -spring->range && spring->adhesion > 0)
            energy -= spring->adhesion * (depth + spring->range);
    }
    return energy;
}
