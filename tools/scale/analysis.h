#pragma once

#include "tools/host/statistics.h"
#include "tools/scale/sample.h"

/// What the samples of a scaling test say.

/// Where the threads' time goes in a step, in nanoseconds of all threads together: they add up to threads x
/// time. These are means over the runs, so that they do.
typedef struct qdi_scale_share {
    double busy;    ///< inside parallel parts
    double serial;  ///< outside of them: one works, and the others' time is lost with its own
    double alone;   ///< lost while one works in a parallel part that is too short for a second
    double waiting; ///< lost in parallel parts: starting, and waiting for the slowest
} qdi_scale_share;

/// A step, or one of its phases, in one configuration. Nanoseconds per step.
typedef struct qdi_scale_part {
    qdi_scale_interval time;
    qdi_scale_share share;
    double busy[QDI_SCALE_CLOCKED]; ///< of each thread: median
    double imbalance;               ///< busiest thread over the mean: median over runs
    double reads, writes;           ///< bytes per step, see traffic.h: all runs have the same
} qdi_scale_part;

typedef struct qdi_scale_result {
    const qdi_scale_config *config;
    size_t runs;
    uint64_t bodies, hash;    ///< of the first run
    double body_steps;        ///< bodies x steps of one run
    qdi_scale_interval triad; ///< bytes per second; all 0 where it was not measured
    double calm;              ///< ns per step, each step where it took least in all runs
    double taken;             ///< part of the threads' time that they had no processor: median over runs
    double memory;            ///< bytes, the most
    qdi_counts counts;        ///< of the processor, per step: medians; known where they are of all runs
    qdi_scale_part whole;
    qdi_scale_part phases[QDI_SCALE_PHASES];
} qdi_scale_result;

/// How one configuration compares with another.
typedef struct qdi_scale_gain {
    double speedup, low, high; ///< of medians; with the worst and best of both intervals
    double calm;               ///< of the calm times
    double efficiency;
    double serial_fraction; ///< NaN where it has no meaning
} qdi_scale_gain;

/// Sums up the runs of configuration `config`: `samples` and `step_ns` (as many as the plan has steps, for
/// each turn) by turn. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_scale_sum_up(const qdi_scale_plan *plan, const qdi_scale_sample *samples,
                                       const uint64_t *step_ns, size_t config, qdi_scale_result *result);

/// The same work with more threads: `phase` of the step, or the whole for QDI_SCALE_PHASES.
qdi_scale_gain qdi_scale_strong_gain(const qdi_scale_result *base, const qdi_scale_result *result,
                                     size_t phase);

/// As many times the work as there are times the threads: the speed-up is of the work done per time, ideal
/// where the time stays the same.
qdi_scale_gain qdi_scale_weak_gain(const qdi_scale_result *base, const qdi_scale_result *result,
                                   size_t phase);

/// Bytes per second that a part of the step reads and writes, by its median time; 0 where it takes none.
double qdi_scale_bandwidth(const qdi_scale_part *part);

/// True where all runs of the same number of bodies ended in the same state. Else `error` says in one line
/// which did not.
bool qdi_scale_hashes_agree(const qdi_scale_plan *plan, const qdi_scale_sample *samples, qd_error *error);

/// In a sentence or two: what limits the gain from `base` to `result`, and why. `strong`: both do the same
/// work.
void qdi_scale_verdict(const qdi_scale_result *base, const qdi_scale_result *result, bool strong, char *text,
                       size_t bytes);

/// What to do about too few bodies for so many threads; "" where there is nothing to say.
void qdi_scale_advice(const qdi_scale_result *result, char *text, size_t bytes);
