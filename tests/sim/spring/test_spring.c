#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>
#include <string.h>

// Springs between few bodies, against closed forms and against the formulas of LAMMPS, written down again
// here.

static const double pi = 3.14159265358979323846;

static qd_world_def spring_def(double kn) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.spring.kn = kn;
    return def;
}

// ---- the terms ----

QD_TEST(terms_follow_from_each_other) {
    for (double e = 0.05; e <= 1; e += 0.05)
        for (double mass = 0.1; mass < 20; mass *= 3) {
            qd_spring by_time = qd_spring_default(), by_stiffness = by_time;
            by_time.contact_time = 0.03;
            qd_spring_terms p = qd_spring_terms_of(&by_time, e, mass);
            ck_assert_double_eq_tol(qd_spring_contact_time(&p, mass), 0.03, 1e-15);
            ck_assert_double_eq_tol(exp(-0.5 * p.gamman * 0.03), e, 1e-14);
            ck_assert_double_eq(p.kt, p.kn * 2 / 7);
            ck_assert_double_eq(p.gammat, 0.5 * p.gamman);
            by_stiffness.kn = p.kn;
            qd_spring_terms q = qd_spring_terms_of(&by_stiffness, e, mass);
            ck_assert_double_eq_tol(q.gamman, p.gamman, 1e-12 * (1 + p.gamman));
        }
}

QD_TEST(what_is_given_is_taken) {
    qd_spring spring = {.contact_time = (double)NAN, .kn = 7, .gamman = 3, .kt = 0, .gammat = 2};
    qd_spring_terms terms = qd_spring_terms_of(&spring, 0.5, 4);
    ck_assert_double_eq(terms.kn, 7);
    ck_assert_double_eq(terms.gamman, 3);
    ck_assert_double_eq(terms.kt, 0);
    ck_assert_double_eq(terms.gammat, 2);
    // With both time and damping given, the stiffness fits the time.
    spring.kn = (double)NAN;
    spring.contact_time = 0.1;
    terms = qd_spring_terms_of(&spring, 0.5, 4);
    ck_assert_double_eq_tol(qd_spring_contact_time(&terms, 4), 0.1, 1e-15);
    // Overdamped: nothing bounces; the time is that without damping, or what the damping needs.
    terms = (qd_spring_terms){1, 0, 4, 0};
    ck_assert_double_eq_tol(qd_spring_contact_time(&terms, 1), pi, 1e-15);
    terms.gamman = 100;
    ck_assert_double_eq_tol(qd_spring_contact_time(&terms, 1), 20.0 / 100, 1e-15);
}

QD_TEST(bad_springs_are_refused) {
    const double none = (double)NAN;
    const double bad[][11] = {
        // contact_time, kn, gamman, kt, gammat; law, rolling, kr, gammar; adhesion, range
        {none, none, none, none, none},
        {0.1, 1, none, none, none},
        {none, 0, none, none, none},
        {none, -1, none, none, none},
        {0, none, none, none, none},
        {HUGE_VAL, none, none, none, none},
        {none, 1, -1, none, none},
        {none, 1, none, -1, none},
        {none, 1, none, none, -1},
        {none, HUGE_VAL, none, none, none},
        {none, 1, HUGE_VAL, none, none},
        {0.1, none, none, none, none, QD_SPRING_HERTZ},
        {none, 1, none, none, none, 2},
        {none, 1, none, none, none, 0, -1},
        {none, 1, none, none, none, 0, none},
        {none, 1, none, none, none, 0, 0, -1},
        {none, 1, none, none, none, 0, 0, 0, -1},
        {none, 1, none, none, none, 0, 0, 0, 0, -1},
        {none, 1, none, none, none, 0, 0, 0, 0, 1, HUGE_VAL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const double *n = bad[i];
        const qd_spring wrong = {n[0], n[1], n[2], n[3], n[4], false, (qd_spring_law)(int)n[5],
                                 n[6], n[7], n[8], n[9], n[10]};
        qd_world_def def = spring_def(1);
        def.spring = wrong;
        qd_world *world = NULL;
        ck_assert_msg(qd_world_create(&def, &world) == QD_ERR_VALUE, "%zu", i);
    }
    qd_world_def def = qd_world_def_default(); // who has no springs needs none
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert(isinf(qd_world_contact_time(world)));
}

QD_TEST(world_tells_its_shortest_contact_time) {
    qd_world_def def = spring_def(50);
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert(isinf(qd_world_contact_time(world)));
    qd_test_disk(world, 1, 1, 0, 0, 0.5, 3);
    qd_test_disk(world, 5, 1, 0, 0, 0.5, 2);
    ck_assert_double_eq_tol(qd_world_contact_time(world), pi * sqrt(1 / 50.0), 1e-14);
    // Who is still to come counts.
    qd_emitter_def emitter = qd_emitter_def_default();
    emitter.body.mass = 1;
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    ck_assert_double_eq_tol(qd_world_contact_time(world), pi * sqrt(0.5 / 50), 1e-14);
    emitter.body.mass = (double)NAN;
    emitter.body.density = 2;
    emitter.scale_low = 0.1; // of a disk of radius 1/2
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    ck_assert_double_eq_tol(qd_world_contact_time(world), pi * sqrt(0.25 * 0.01 * pi / 50), 1e-14);
    emitter.body.kind = QD_BODY_KINEMATIC;
    emitter.scale_low = 0.01;
    ck_assert_int_eq(qd_world_add_emitter(world, &emitter, NULL), QD_OK);
    ck_assert_double_eq_tol(qd_world_contact_time(world), pi * sqrt(0.25 * 0.01 * pi / 50), 1e-14);
}

// ---- two bodies, head-on ----

typedef struct collision {
    double time, restitution;
} collision;

static collision collide(qd_world_def def, double dt, double mass_a, double mass_b) {
    qd_own(qd_world) world = qd_test_world(&def);
    qd_id a = qd_test_disk(world, 50, 50, 1, 0, 0.5, mass_a),
          b = qd_test_disk(world, 51, 50, -1, 0, 0.5, mass_b);
    collision result = {0, 0};
    size_t contacts = 1;
    while (contacts > 0) {
        qd_test_step(world, dt, 1);
        result.time += dt;
        (void)qd_world_contacts(world, &contacts);
        ck_assert_double_lt(result.time, 100);
    }
    qd_body_state p = qd_test_body(world, a), q = qd_test_body(world, b);
    result.restitution = (q.velocity.x - p.velocity.x) / 2;
    double momentum = mass_a * p.velocity.x + mass_b * q.velocity.x;
    ck_assert_double_eq_tol(momentum, mass_a - mass_b, 1e-12);
    ck_assert_double_eq(p.velocity.y, 0);
    return result;
}

QD_TEST(collisions_last_and_bounce_as_they_should) {
    for (int way = 0; way < 2; ++way)
        for (double e = 0.2; e < 1.01; e += 0.2) {
            double masses[2] = {1, way ? 2.5 : 1}, mass = masses[0] * masses[1] / (masses[0] + masses[1]);
            qd_world_def def = spring_def(200);
            def.restitution = e > 0.99 ? 1 : e;
            if (way == 1) {
                def.spring.kn = (double)NAN;
                def.spring.contact_time = 0.08;
            }
            qd_spring_terms terms = qd_spring_terms_of(&def.spring, def.restitution, mass);
            double tc = qd_spring_contact_time(&terms, mass);
            // The error falls with the step: it is of the order of what the dashpot does in one.
            double steps[3] = {50, 500, 5000};
            for (int k = 0; k < 3; ++k) {
                double dt = tc / steps[k];
                collision found = collide(def, dt, masses[0], masses[1]);
                ck_assert_msg(fabs(found.time - tc) <= 2 * dt, "e %g: %g, not %g", e, found.time, tc);
                ck_assert_msg(fabs(found.restitution - def.restitution) <= 3 / steps[k], "e %g dt %g: %g", e,
                              dt, found.restitution);
            }
        }
}

// Without damping the energy, that in the spring counted, comes back, with an error of order dt^2 in between.
QD_TEST(elastic_collision_keeps_its_energy) {
    for (double parts = 50; parts < 1000; parts *= 2) {
        qd_world_def def = spring_def(1000);
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_disk(world, 50, 50, 2, 0.3, 0.5, 1);
        qd_test_disk(world, 51.1, 50.2, -1, 0, 0.5, 2);
        qd_metrics m = qd_test_measure(world);
        double first = m.kinetic, worst = 0;
        for (int k = 0; k < 4 * parts; ++k) {
            qd_test_step(world, qd_world_contact_time(world) / parts, 1);
            qd_world_measure(world, &m);
            worst = fmax(worst, fabs(m.kinetic + m.contact_energy - first));
        }
        ck_assert_uint_eq(m.contacts, 0);
        ck_assert_double_lt(worst / first, 10 / (parts * parts));
        ck_assert_double_lt(fabs(m.kinetic - first) / first, 10 / (parts * parts));
        ck_assert_double_eq(m.lost, 0);
        ck_assert_double_eq_tol(m.imbalance, m.kinetic - first, 1e-12);
    }
}

// The dashpot may pull; with limit_damping nothing does.
QD_TEST(damping_pulls_unless_limited) {
    for (int limited = 0; limited < 2; ++limited) {
        qd_world_def def = spring_def(200);
        def.restitution = 0.3;
        def.spring.limit_damping = limited;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_disk(world, 50, 50, 1, 0, 0.5, 1);
        qd_test_disk(world, 51, 50, -1, 0, 0.5, 1);
        double least = 0;
        size_t count = 1;
        while (count > 0) {
            qd_test_step(world, 1e-3, 1);
            const qd_contact *contact = qd_world_contacts(world, &count);
            if (count > 0) least = fmin(least, contact->touch[0].impulse);
        }
        if (limited)
            ck_assert_double_eq(least, 0);
        else
            ck_assert_double_lt(least, -1e-4);
    }
}

// ---- friction ----

/// A disk on the floor, as deep in it as its weight wants.
static qd_world *on_the_floor(double friction, double inertia, double speed, qd_id *id) {
    qd_world_def def = spring_def(1e4);
    def.boundary_y = QD_BOUNDARY_REFLECT;
    def.gravity = (qd_vec2){0, -10};
    def.friction = friction;
    def.spring.gamman = 20;
    def.size = (qd_vec2){1000, 10};
    qd_world *world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.mass = 2;
    body.inertia = inertia;
    body.position = (qd_vec2){50, 0.5 - 2 * 10 / 1e4};
    body.velocity = (qd_vec2){speed, 0};
    *id = qd_test_add(world, &body);
    return world;
}

QD_TEST(sliding_is_slowed_by_coulombs_law) {
    qd_id id;
    qd_own(qd_world) world = on_the_floor(0.3, HUGE_VAL, 5, &id);
    qd_test_step(world, 1e-3, 1000);
    qd_body_state state = qd_test_body(world, id);
    // The first steps only stretch the spring.
    ck_assert_double_eq_tol(state.velocity.x, 5 - 0.3 * 10, 0.02);
    ck_assert_double_eq_tol(state.velocity.y, 0, 1e-9);
    qd_test_step(world, 1e-3, 1000); // it sticks, swings and comes to rest
    qd_test_step(world, 1e-3, 4000);
    state = qd_test_body(world, id);
    ck_assert_double_eq_tol(state.velocity.x, 0, 1e-6);
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_eq_tol(m.lost_walls_friction, 0.5 * 2 * 25, 0.05);
    ck_assert_double_eq_tol(m.drift, 0, 0.05);
}

QD_TEST(sliding_disk_comes_to_roll) {
    qd_id id;
    qd_own(qd_world) world = on_the_floor(0.3, 0.5 * 2 * 0.25, 3, &id);
    qd_test_step(world, 1e-3, 3000);
    qd_body_state state = qd_test_body(world, id);
    ck_assert_double_eq_tol(state.velocity.x, 2, 0.01);
    ck_assert_double_eq_tol(state.spin * 0.5, -state.velocity.x, 0.01);
}

// Two equal disks, one of which spins, brush past each other: what turns one turns the other, by the same.
QD_TEST(rubbing_gives_spin_to_both) {
    qd_world_def def = spring_def(1000);
    def.friction = 0.4;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){50, 50};
    body.spin = 6;
    qd_id a = qd_test_add(world, &body);
    body.position = (qd_vec2){51, 50};
    body.velocity = (qd_vec2){-1, 0};
    body.spin = 0;
    qd_id b = qd_test_add(world, &body);
    qd_test_step(world, 2e-4, 2000);
    qd_body_state p = qd_test_body(world, a), q = qd_test_body(world, b);
    ck_assert_double_gt(q.spin, 0.1 - 6); // LAMMPS's sign: both lose
    ck_assert_double_eq_tol(p.spin - 6, q.spin, 1e-9);
    ck_assert_double_lt(q.spin, -0.1);
    ck_assert_double_eq_tol(p.velocity.x + q.velocity.x, -1, 1e-12);
    ck_assert_double_eq_tol(p.velocity.y + q.velocity.y, 0, 1e-12);
    ck_assert_double_gt(fabs(p.velocity.y), 0.01);
}

// Who has the lower index does not matter.
QD_TEST(order_of_the_two_does_not_matter) {
    qd_vec2 ends[2][2];
    for (int swap = 0; swap < 2; ++swap) {
        qd_world_def def = spring_def(500);
        def.friction = 0.5;
        def.restitution = 0.7;
        qd_own(qd_world) world = qd_test_world(&def);
        qd_id id[2];
        for (int k = 0; k < 2; ++k) {
            qd_body_def body = qd_body_def_default();
            int who = k ^ swap;
            body.position = (qd_vec2){50 + 0.9 * who, 50 + 0.2 * who};
            body.velocity = (qd_vec2){1 - 2 * who, 0.5 * who};
            body.spin = 3 - who;
            body.mass = 1 + who;
            id[who] = qd_test_add(world, &body);
        }
        qd_test_step(world, 1e-3, 300);
        for (int k = 0; k < 2; ++k) ends[swap][k] = qd_test_body(world, id[k]).position;
    }
    for (int k = 0; k < 2; ++k) {
        ck_assert_double_eq_tol(ends[0][k].x, ends[1][k].x, 1e-13);
        ck_assert_double_eq_tol(ends[0][k].y, ends[1][k].y, 1e-13);
    }
}

// ---- the formulas of pair_style gran/hooke/history and fix nve/sphere, for all pairs ----

enum { MOST = 3 };
typedef struct grains {
    int count;
    double kn, kt, gamman, gammat, mu, dt;
    double x[MOST][3], v[MOST][3], omega[MOST][3], f[MOST][3], torque[MOST][3];
    double radius[MOST], mass[MOST], inertia[MOST];
    double shear[MOST][MOST][3];
} grains;

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void pair_force(grains *g, int i, int j, bool setup) {
    double del[3], vr[3], vt[3], wr[3], spun[3], *shear = g->shear[i][j];
    for (int k = 0; k < 3; ++k) del[k] = g->x[i][k] - g->x[j][k];
    double rsq = dot(del, del), sum = g->radius[i] + g->radius[j];
    if (rsq >= sum * sum) {
        shear[0] = shear[1] = shear[2] = 0;
        return;
    }
    double r = sqrt(rsq);
    for (int k = 0; k < 3; ++k) vr[k] = g->v[i][k] - g->v[j][k];
    double vnnr = dot(vr, del);
    for (int k = 0; k < 3; ++k) {
        vt[k] = vr[k] - del[k] * vnnr / rsq;
        wr[k] = (g->radius[i] * g->omega[i][k] + g->radius[j] * g->omega[j][k]) / r;
    }
    double meff = g->mass[i] * g->mass[j] / (g->mass[i] + g->mass[j]);
    double ccel = g->kn * (sum - r) / r - meff * g->gamman * vnnr / rsq;
    cross(del, wr, spun);
    double vtr[3], fs[3];
    for (int k = 0; k < 3; ++k) vtr[k] = vt[k] + spun[k];
    if (!setup)
        for (int k = 0; k < 3; ++k) shear[k] += vtr[k] * g->dt;
    double magnitude = sqrt(dot(shear, shear)), along = dot(shear, del) / rsq;
    if (!setup)
        for (int k = 0; k < 3; ++k) shear[k] -= along * del[k];
    for (int k = 0; k < 3; ++k) fs[k] = -(g->kt * shear[k] + meff * g->gammat * vtr[k]);
    double force = sqrt(dot(fs, fs)), limit = g->mu * fabs(ccel * r);
    if (force > limit)
        for (int k = 0; k < 3; ++k) {
            double damping = meff * g->gammat * vtr[k] / g->kt;
            if (magnitude != 0) shear[k] = limit / force * (shear[k] + damping) - damping;
            fs[k] = magnitude != 0 ? fs[k] * limit / force : 0;
        }
    double turn[3];
    cross(del, fs, turn);
    for (int k = 0; k < 3; ++k) {
        g->f[i][k] += del[k] * ccel + fs[k];
        g->f[j][k] -= del[k] * ccel + fs[k];
        g->torque[i][k] -= g->radius[i] * turn[k] / r;
        g->torque[j][k] -= g->radius[j] * turn[k] / r;
    }
}

static void forces(grains *g, bool setup) {
    memset(g->f, 0, sizeof g->f);
    memset(g->torque, 0, sizeof g->torque);
    for (int i = 0; i < g->count; ++i)
        for (int j = i + 1; j < g->count; ++j) pair_force(g, i, j, setup);
}

static void half_kick(grains *g) {
    for (int i = 0; i < g->count; ++i)
        for (int k = 0; k < 3; ++k) {
            g->v[i][k] += 0.5 * g->dt * g->f[i][k] / g->mass[i];
            g->omega[i][k] += 0.5 * g->dt * g->torque[i][k] / g->inertia[i];
        }
}

static void grains_step(grains *g) {
    half_kick(g);
    for (int i = 0; i < g->count; ++i)
        for (int k = 0; k < 3; ++k) g->x[i][k] += g->dt * g->v[i][k];
    forces(g, false);
    half_kick(g);
}

/// Grains at random, and the same in a world.
static qd_world *same(grains *g, qd_random *random, qd_id *ids) {
    memset(g, 0, sizeof *g);
    g->count = 2 + (int)(qd_random_bits(random) % 2);
    g->kn = qd_test_between(random, 500, 5000);
    g->kt = qd_test_between(random, 100, 2000);
    g->gamman = qd_test_between(random, 0, 30);
    g->gammat = qd_test_between(random, 0, 20);
    g->mu = qd_test_between(random, 0, 1);
    g->dt = 5e-4;
    qd_world_def def = spring_def(g->kn);
    def.spring.kt = g->kt;
    def.spring.gamman = g->gamman;
    def.spring.gammat = g->gammat;
    def.friction = g->mu;
    qd_world *world = qd_test_world(&def);
    for (int i = 0; i < g->count; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape.radius = g->radius[i] = qd_test_between(random, 0.4, 0.7);
        body.mass = g->mass[i] = qd_test_between(random, 0.5, 2);
        body.inertia = g->inertia[i] = 0.5 * g->mass[i] * g->radius[i] * g->radius[i];
        double angle = 2 * pi * i / g->count + qd_test_between(random, 0, 1), c = cos(angle), s = sin(angle);
        double away = 0.5 * (g->count == 2 ? 1 : 1.2) * qd_test_between(random, 0.9, 1.4);
        body.position = (qd_vec2){50 + away * c, 50 + away * s};
        body.velocity = (qd_vec2){-c + qd_test_between(random, -1, 1), -s + qd_test_between(random, -1, 1)};
        body.spin = qd_test_between(random, -5, 5);
        g->x[i][0] = body.position.x;
        g->x[i][1] = body.position.y;
        g->v[i][0] = body.velocity.x;
        g->v[i][1] = body.velocity.y;
        g->omega[i][2] = body.spin;
        ids[i] = qd_test_add(world, &body);
    }
    return world;
}

static void check_same(const grains *g, const qd_world *world, const qd_id *ids, double tolerance,
                       uint64_t seed) {
    for (int i = 0; i < g->count; ++i) {
        qd_body_state state = qd_test_body(world, ids[i]);
        const double expected[5] = {g->x[i][0], g->x[i][1], g->v[i][0], g->v[i][1], g->omega[i][2]};
        const double found[5] = {state.position.x, state.position.y, state.velocity.x, state.velocity.y,
                                 state.spin};
        for (int k = 0; k < 5; ++k)
            ck_assert_msg(fabs(found[k] - expected[k]) <= tolerance * fmax(1, fabs(expected[k])),
                          "seed %llu, grain %d, number %d: %.17g, not %.17g", (unsigned long long)seed, i, k,
                          found[k], expected[k]);
    }
}

QD_TEST(grains_move_as_the_formulas_say) {
    uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : qd_test_effort(100);
    size_t touched = 0;
    for (uint64_t seed = first; seed <= last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 77);
        grains g;
        qd_id ids[MOST];
        qd_own(qd_world) world = same(&g, &random, ids);
        forces(&g, true);
        for (int k = 0; k < 1000; ++k) {
            grains_step(&g);
            qd_test_step(world, g.dt, 1);
            if (k == 0) check_same(&g, world, ids, 1e-12, seed);
            size_t count;
            (void)qd_world_contacts(world, &count);
            touched += count;
        }
        check_same(&g, world, ids, 1e-9, seed);
    }
    ck_assert_uint_gt(touched, 50 * (last - first + 1));
}

QD_TEST_MAIN("spring", 120, NULL, NULL)
