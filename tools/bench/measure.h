#ifndef QD_TOOLS_BENCH_MEASURE_H
#define QD_TOOLS_BENCH_MEASURE_H

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What all benches do alike: methods that take turns, and what a set of times says.

/// What a set of times says.
typedef struct qdi_bench_statistics {
    double min, median, mean;
    double spread; ///< interquartile range over median, 0 where the median is 0
} qdi_bench_statistics;

/// Sorts `samples` and looks at them; 0 < count. Quantiles are interpolated between samples.
qdi_bench_statistics qdi_bench_statistics_of(uint64_t *samples, size_t count);

/// The same per one of `bodies`.
qdi_bench_statistics qdi_bench_statistics_per(uint64_t *samples, size_t count, size_t bodies);

/// Methods that take turns: every repeat runs all of them, in a random order of its own.
typedef struct qdi_bench_turns {
    size_t methods, repeats;
    uint64_t seed; ///< of the order
    uint32_t use;  ///< of its random numbers
    /// Runs a method once. It may set `*stopped`; then nothing more is run.
    qd_status (*run)(void *context, size_t method, size_t repeat, bool *stopped);
    void *context;
} qdi_bench_turns;

/// Most methods that can take turns.
enum { QDI_BENCH_MOST_TURNS = 64 };

/// Errors: what `run` answers; `*last` is the method that ran last.
QD_MUST_USE qd_status qdi_bench_take_turns(const qdi_bench_turns *turns, bool *stopped, size_t *last);

#endif
