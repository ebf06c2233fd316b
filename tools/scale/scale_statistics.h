#ifndef QD_TOOLS_SCALE_STATISTICS_H
#define QD_TOOLS_SCALE_STATISTICS_H

#include <stddef.h>

/// Statistics of a scaling test, as Hoefler and Belli ask for them ("Scientific Benchmarking of Parallel
/// Computing Systems", SC15): nothing is taken to be normal.

/// A median and where the true one is with a probability of `level`, by order statistics alone.
typedef struct qdi_scale_interval {
    double median, low, high;
    double
        level; ///< .95 or more; less where there are fewer than six samples, and then it is their whole range
    double least;
} qdi_scale_interval;

/// Sorts `samples` and looks at them; 0 < count.
qdi_scale_interval qdi_scale_interval_of(double *samples, size_t count);

/// The part of the work that behaves as if it ran on one thread, as Karp and Flatt define it ("Measuring
/// Parallel Processor Performance", 1990), from the times with two numbers of threads, one of them not
/// always 1. Below 0 where the gain is more than ideal. NaN where the numbers are equal or a time is not
/// above 0.
double qdi_scale_serial_fraction(double base_time, int base_threads, double time, int threads);

#endif
