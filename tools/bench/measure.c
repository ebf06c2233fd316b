#include "tools/bench/measure.h"

#include <quadrille/random.h>
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

qdi_bench_statistics qdi_bench_statistics_per(uint64_t *samples, size_t count, size_t bodies) {
    qdi_bench_statistics statistics = qdi_bench_statistics_of(samples, count);
    statistics.min /= (double)bodies;
    statistics.median /= (double)bodies;
    statistics.mean /= (double)bodies;
    return statistics;
}

/// The methods in the order of one repeat.
static void shuffle(const qdi_bench_turns *turns, size_t repeat, size_t order[QDI_BENCH_MOST_TURNS]) {
    qd_random random = qd_random_at(turns->seed, repeat, turns->use);
    for (size_t i = 0; i < turns->methods; ++i) order[i] = i;
    for (size_t i = turns->methods; i > 1; --i) {
        size_t j = (size_t)(qd_random_uniform(&random) * (double)i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

qd_status qdi_bench_take_turns(const qdi_bench_turns *turns, bool *stopped, size_t *last) {
    qd_status status = QD_OK;
    *stopped = false;
    *last = 0;
    for (size_t repeat = 0; status == QD_OK && !*stopped && repeat < turns->repeats; ++repeat) {
        size_t order[QDI_BENCH_MOST_TURNS] = {0};
        shuffle(turns, repeat, order);
        for (size_t i = 0; status == QD_OK && !*stopped && i < turns->methods; ++i) {
            *last = order[i];
            status = turns->run(turns->context, order[i], repeat, stopped);
        }
    }
    return status;
}
