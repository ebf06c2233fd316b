#pragma once

#include "tests/support/worlds.h"

#include <stdbool.h>

/// Worlds that nobody designed: surfaces, solver, steps and bodies drawn from all that there is, for the
/// tests of what holds in any of them; and what their energy does.

/// Any power of ten between two.
double qd_test_power(qd_random *random, double low, double high);
bool qd_test_chance(qd_random *random, double part);

/// A def of a world 12 units wide and high, whose steps are `dt` long: for gravity 10 to a power of
/// `shortest` to `longest`.
typedef struct qd_test_wild {
    double dt, scale; ///< the unit of lengths, .01 to 100
    bool overlapping; ///< bodies may be put into each other
} qd_test_wild;
qd_world_def qd_test_wild_def(qd_random *random, double shortest, double longest, qd_test_wild *wild);

/// A disk, rect, capsule or polygon, about as large as a disk of radius `r`.
qd_shape qd_test_wild_shape(qd_random *random, double r);

/// What a world without a drive gains: energy above that of its start, but for what parts overlapping bodies
/// and so lifts them; and all that it turned over, which is what bodies lost and what their kinetic and
/// potential energy changed by.
typedef struct qd_test_gauge {
    double start, low, kinetic, potential, highest, turned, most, rounding, lost;
    bool overlapping;
} qd_test_gauge;
void qd_test_gauge_begin(qd_test_gauge *gauge, const qd_world *world, bool overlapping);
/// After each step; `m` may be NULL, or gets the metrics.
void qd_test_gauge_step(qd_test_gauge *gauge, const qd_world *world, qd_metrics *m);
/// The largest gain, as a part of what was turned over.
double qd_test_gauge_gain(const qd_test_gauge *gauge);
