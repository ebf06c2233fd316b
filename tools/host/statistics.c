#include "tools/host/statistics.h"

#include <math.h>
#include <quadrille/math.h>
#include <stdlib.h>

// Statistics: order of two samples.
static int compare_samples(const void *left, const void *right) {
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

// Statistics: sorts samples, the least first.
static void sort_samples(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, compare_samples);
}

// Statistics: a quantile of sorted samples, interpolated.
static double sorted_quantile(const double *sorted, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < count ? below + 1 : below;
    double weight = place - (double)below;
    return (1.0 - weight) * sorted[below] + weight * sorted[above];
}

// ---- times ----

qdi_statistics qdi_statistics_of(double *samples, size_t count) {
    sort_samples(samples, count);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += samples[i];
    qdi_statistics statistics = {
        .min = samples[0], .median = sorted_quantile(samples, count, .5), .mean = sum / (double)count};
    double range = sorted_quantile(samples, count, .75) - sorted_quantile(samples, count, .25);
    statistics.spread = statistics.median > 0 ? range / statistics.median : 0;
    return statistics;
}

qdi_statistics qdi_statistics_per(double *samples, size_t count, size_t bodies) {
    qdi_statistics statistics = qdi_statistics_of(samples, count);
    statistics.min /= (double)bodies;
    statistics.median /= (double)bodies;
    statistics.mean /= (double)bodies;
    return statistics;
}

// ---- intervals ----

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
    sort_samples(samples, count);
    qdi_scale_interval interval = {.least = samples[0], .median = sorted_quantile(samples, count, .5)};
    size_t out = left_out(count, &interval.level);
    interval.low = samples[out];
    interval.high = samples[count - 1 - out];
    return interval;
}

double qdi_scale_serial_fraction(double base_time, int base_threads, double time, int threads) {
    if (threads == base_threads || !(base_time > 0) || !(time > 0)) return (double)NAN;
    // time(p) = whole * (fraction + (1 - fraction) / p), for both numbers of threads.
    double gain = base_time / time, base = 1.0 / base_threads, here = 1.0 / threads;
    return (gain * here - base) / ((1 - base) - gain * (1 - here));
}

// ---- means and their errors ----

enum { FEWEST = 8 };

qdi_estimate qdi_estimate_of(const double *values, size_t count) {
    double n = (double)count, mean = 0, squares = 0;
    for (size_t i = 0; i < count; ++i) mean += values[i] / n;
    for (size_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
    return (qdi_estimate){mean, sqrt(count < 2 ? HUGE_VAL : squares / (n * (n - 1)))};
}

/// Statistics: the error where `join` successive blocks are taken as one.
static double joined_error(const double *values, size_t runs, size_t blocks, size_t join, double mean) {
    double squares = 0, n = (double)(runs * blocks / join);
    for (size_t first = 0; first < runs * blocks; first += join) {
        double sum = 0;
        for (size_t i = first; i < first + join; ++i) sum += values[i];
        double off = sum / (double)join - mean;
        squares += off * off;
    }
    return sqrt(squares / (n * (n - 1)));
}

qdi_estimate qdi_estimate_blocks(const double *values, size_t runs, size_t blocks) {
    qdi_estimate estimate = qdi_estimate_of(values, runs * blocks);
    for (size_t join = 2; join <= blocks && runs * blocks / join >= FEWEST; join *= 2) {
        double error = joined_error(values, runs, blocks, join, estimate.mean);
        if (error > estimate.error) estimate.error = error;
    }
    return estimate;
}

qdi_estimate qdi_estimate_at_zero(const double *x, const qdi_estimate *y, size_t count) {
    double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
    for (size_t i = 0; i < count; ++i) {
        double weight = 1 / (y[i].error * y[i].error);
        w += weight;
        wx += weight * x[i];
        wxx += weight * x[i] * x[i];
        wy += weight * y[i].mean;
        wxy += weight * x[i] * y[i].mean;
    }
    double determinant = w * wxx - wx * wx;
    return (qdi_estimate){(wxx * wy - wx * wxy) / determinant, sqrt(wxx / determinant)};
}

double qdi_rayleigh_distance(double *speeds, size_t count, double kT) {
    sort_samples(speeds, count);
    double largest = 0, n = (double)count;
    for (size_t i = 0; i < count; ++i) {
        double expected = 1 - qd_exp(-speeds[i] * speeds[i] / (2 * kT));
        double below = expected - (double)i / n, above = (double)(i + 1) / n - expected;
        if (below > largest) largest = below;
        if (above > largest) largest = above;
    }
    return largest;
}
