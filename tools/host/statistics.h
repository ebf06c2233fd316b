#pragma once

#include <stddef.h>

/// What samples say: times of a bench, runs of a scaling test, values of a physical quantity.

/// What a set of times says.
typedef struct qdi_statistics {
    double min, median, mean;
    double spread; ///< interquartile range over median, 0 where the median is 0
} qdi_statistics;

/// Sorts `samples` and looks at them; 0 < count. Quantiles are interpolated between samples.
qdi_statistics qdi_statistics_of(double *samples, size_t count);

/// The same per one of `bodies`.
qdi_statistics qdi_statistics_per(double *samples, size_t count, size_t bodies);

/// Of a scaling test, as Hoefler and Belli ask for ("Scientific Benchmarking of Parallel Computing Systems",
/// SC15): nothing is taken to be normal. A median and where the true one is with a probability of `level`, by
/// order statistics alone.
typedef struct qdi_scale_interval {
    double median, low, high;
    double
        level; ///< .95 or more; less where there are fewer than six samples, and then it is their whole range
    double least;
} qdi_scale_interval;

/// Statistics: sorts `samples` and looks at them; 0 < count.
qdi_scale_interval qdi_scale_interval_of(double *samples, size_t count);

/// Statistics: the part of the work that behaves as if it ran on one thread, as Karp and Flatt define it
/// ("Measuring Parallel Processor Performance", 1990), from the times with two numbers of threads, one of
/// them not always 1. Below 0 where the gain is more than ideal. NaN where the numbers are equal or a time is
/// not above 0.
double qdi_scale_serial_fraction(double base_time, int base_threads, double time, int threads);

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

/// Statistics: largest distance between the distribution of `count` > 0 speeds and that of Maxwell in the
/// plane (Rayleigh's), 1 - exp(-v^2 / (2 kT)) (Kolmogorov and Smirnov). Sorts the speeds.
double qdi_rayleigh_distance(double *speeds, size_t count, double kT);
