#include "tests/support/wild.h"

#include <math.h>
#include <quadrille/math.h>

double qd_test_power(qd_random *random, double low, double high) {
    return qd_pow(10, qd_test_between(random, low, high));
}

bool qd_test_chance(qd_random *random, double part) {
    return qd_random_uniform(random) < part;
}

qd_world_def qd_test_wild_def(qd_random *random, double shortest, double longest, qd_test_wild *wild) {
    qd_world_def def = qd_world_def_default();
    wild->scale = qd_test_power(random, -2, 2);
    wild->dt = qd_test_power(random, shortest, longest) * sqrt(wild->scale);
    wild->overlapping = qd_test_chance(random, .3);
    def.size = (qd_vec2){12 * wild->scale, 12 * wild->scale};
    def.boundary_x = qd_test_chance(random, .25) ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.gravity.y = qd_test_chance(random, .8) ? -10 : 0;
    def.restitution = qd_test_chance(random, .25)  ? 0
                      : qd_test_chance(random, .2) ? 1
                                                   : qd_test_between(random, 0, 1);
    def.friction = qd_test_chance(random, .3)    ? 0
                   : qd_test_chance(random, .15) ? 10
                                                 : qd_test_between(random, 0, 1);
    def.tangential = qd_test_chance(random, .2) ? qd_test_between(random, 0, 1) : 0;
    def.substeps = (int)qd_test_power(random, 0, 2);
    def.iterations = (int)qd_test_power(random, 0, 1.5);
    const double mode = qd_random_uniform(random);
    def.continuous = mode < .4 ? QD_CONTINUOUS_OFF : mode < .7 ? QD_CONTINUOUS_AUTO : QD_CONTINUOUS_ON;
    return def;
}

qd_shape qd_test_wild_shape(qd_random *random, double r) {
    qd_vec2 corner[8];
    qd_shape shape = qd_shape_disk(r);
    switch ((int)qd_test_between(random, 0, 4)) {
    case 0: break;
    case 1:
        shape = qd_shape_rect(r * qd_test_between(random, .2, 1.9), r * qd_test_between(random, .2, 1.9));
        break;
    case 2: shape = qd_shape_capsule(r * qd_test_between(random, .1, 1.5), .5 * r); break;
    default: {
        size_t corners = 3 + (size_t)qd_test_between(random, 0, 5);
        for (size_t k = 0; k < corners; ++k) {
            double angle = 6.283185307179586 * (double)k / (double)corners;
            corner[k] = (qd_vec2){r * qd_cos(angle), r * qd_sin(angle)};
        }
        ck_assert_int_eq(qd_shape_polygon(corner, corners, &shape, NULL, NULL), QD_OK);
    }
    }
    return shape;
}

void qd_test_gauge_begin(qd_test_gauge *gauge, const qd_world *world, bool overlapping) {
    const qd_metrics m = qd_test_measure(world);
    *gauge = (qd_test_gauge){.start = m.kinetic,
                             .low = m.potential,
                             .kinetic = m.kinetic,
                             .potential = m.potential,
                             .highest = m.potential,
                             .rounding = 1e-10 *
                                         (m.kinetic + fabs(m.potential)), // of levers of a thousand sizes
                             .overlapping = overlapping};
}

void qd_test_gauge_step(qd_test_gauge *gauge, const qd_world *world, qd_metrics *metrics) {
    const qd_metrics m = qd_test_measure(world);
    gauge->turned += fabs(m.kinetic - gauge->kinetic) + fabs(m.potential - gauge->potential);
    gauge->kinetic = m.kinetic;
    gauge->potential = m.potential;
    gauge->lost = m.lost;
    if (gauge->overlapping && m.potential > gauge->highest) gauge->highest = m.potential;
    const double lifted = gauge->overlapping ? gauge->low + m.drift : gauge->low;
    const double gain = m.kinetic + m.potential - gauge->start -
                        (gauge->highest > lifted ? gauge->highest : lifted);
    if (gain > gauge->rounding && gain > gauge->most) gauge->most = gain;
    if (metrics) *metrics = m;
}

double qd_test_gauge_gain(const qd_test_gauge *gauge) {
    return gauge->most > 0 ? gauge->most / (gauge->turned + fabs(gauge->lost)) : 0;
}
