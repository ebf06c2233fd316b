#ifndef QD_TOOLS_BENCH_STATISTICS_H
#define QD_TOOLS_BENCH_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/// What a set of times says.
typedef struct qdi_bench_statistics {
    double min, median, mean;
    double spread; ///< interquartile range over median, 0 where the median is 0
} qdi_bench_statistics;

/// Sorts `samples` and looks at them; 0 < count. Quantiles are interpolated between samples.
qdi_bench_statistics qdi_bench_statistics_of(uint64_t *samples, size_t count);

#endif
