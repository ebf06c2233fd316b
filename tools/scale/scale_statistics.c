#include "tools/scale/scale_statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/// How many samples can be left out at each end so that the true median is still between the others with a
/// probability of .95, and that probability. It is outside at one end with the probability that at most so
/// many of `count` fair coins show heads.
static size_t left_out(size_t count, double *level) {
    double one = 1;
    for (size_t i = 0; i < count; ++i) one /= 2;
    double at_most = one;
    *level = 1 - 2 * at_most;
    size_t out = 0;
    while (2 * (out + 1) < count) {
        one *= (double)(count - out) / (double)(out + 1);
        if (1 - 2 * (at_most + one) < .95) break;
        at_most += one;
        out += 1;
        *level = 1 - 2 * at_most;
    }
    return out;
}

qdi_scale_interval qdi_scale_interval_of(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, compare);
    qdi_scale_interval interval = {.least = samples[0]};
    size_t out = left_out(count, &interval.level);
    interval.low = samples[out];
    interval.high = samples[count - 1 - out];
    interval.median = count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
    return interval;
}

double qdi_scale_serial_fraction(double base_time, int base_threads, double time, int threads) {
    if (threads == base_threads || !(base_time > 0) || !(time > 0)) return (double)NAN;
    // time(p) = whole * (fraction + (1 - fraction) / p), for both numbers of threads.
    double gain = base_time / time, base = 1.0 / base_threads, here = 1.0 / threads;
    return (gain * here - base) / ((1 - base) - gain * (1 - here));
}
