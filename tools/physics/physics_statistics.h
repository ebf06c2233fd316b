#ifndef QD_TOOLS_PHYSICS_STATISTICS_H
#define QD_TOOLS_PHYSICS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/// A mean and its standard error.
typedef struct qdi_estimate {
    double mean, error;
} qdi_estimate;

/// Of independent values: their mean, and their standard deviation over the root of their number. The error
/// of fewer than two values is infinite.
qdi_estimate qdi_estimate_of(const double *values, size_t count);

/// Of `runs` independent runs with `blocks` successive averages in each, one run after the other. Blocks that
/// are too short hang together, which makes the error look small; so blocks are joined two by two until a run
/// is one block, and the largest error counts (but that of fewer than eight values). Changes nothing.
/// `blocks` is a power of two, at most 64.
qdi_estimate qdi_estimate_blocks(const double *values, size_t runs, size_t blocks);

/// What measurements at two or more abscissae come to at 0: the straight line of least squares, each weighted
/// by its error. The points differ in x.
qdi_estimate qdi_estimate_at_zero(const double *x, const qdi_estimate *y, size_t count);

/// first / second, whose errors have nothing to do with each other.
qdi_estimate qdi_estimate_ratio(qdi_estimate first, qdi_estimate second);

/// Largest distance between the distribution of `count` > 0 speeds and that of Maxwell in the plane
/// (Rayleigh's), 1 - exp(-v^2 / (2 kT)) (Kolmogorov and Smirnov). Sorts the speeds.
double qdi_rayleigh_distance(double *speeds, size_t count, double kT);

#endif
