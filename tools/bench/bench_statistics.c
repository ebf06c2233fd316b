#include "tools/bench/bench_statistics.h"

#include <stdlib.h>

static int compare(const void *left, const void *right) {
    uint64_t a, b;
    a = *(const uint64_t *)left;
    b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static double quantile(const uint64_t *sorted, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;
    double weight = place - (double)below;
    return (1.0 - weight) * (double)sorted[below] + weight * (double)sorted[above];
}

qdi_bench_statistics qdi_bench_statistics_of(uint64_t *samples, size_t count) {
    qsort(samples, count, sizeof *samples, compare);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += (double)samples[i];
    qdi_bench_statistics statistics = {
        .min = (double)samples[0], .median = quantile(samples, count, .5), .mean = sum / (double)count};
    double range = quantile(samples, count, .75) - quantile(samples, count, .25);
    statistics.spread = statistics.median > 0 ? range / statistics.median : 0;
    return statistics;
}
