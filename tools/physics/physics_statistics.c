#include "tools/physics/physics_statistics.h"

#include <math.h>
#include <quadrille/math.h>
#include <stdlib.h>

enum { BLOCKS_MAX = 64, FEWEST = 8 };

qdi_estimate qdi_estimate_of(const double *values, size_t count) {
    double n = (double)count, mean = 0, squares = 0;
    for (size_t i = 0; i < count; ++i) mean += values[i] / n;
    for (size_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
    return (qdi_estimate){mean, sqrt(count < 2 ? HUGE_VAL : squares / (n * (n - 1)))};
}

/// The error where `join` successive blocks are taken as one.
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

qdi_estimate qdi_estimate_ratio(qdi_estimate first, qdi_estimate second) {
    double a = first.error / first.mean, b = second.error / second.mean, ratio = first.mean / second.mean;
    return (qdi_estimate){ratio, fabs(ratio) * sqrt(a * a + b * b)};
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double qdi_rayleigh_distance(double *speeds, size_t count, double kT) {
    qsort(speeds, count, sizeof *speeds, compare);
    double largest = 0, n = (double)count;
    for (size_t i = 0; i < count; ++i) {
        double expected = 1 - qd_exp(-speeds[i] * speeds[i] / (2 * kT));
        double below = expected - (double)i / n, above = (double)(i + 1) / n - expected;
        if (below > largest) largest = below;
        if (above > largest) largest = above;
    }
    return largest;
}
