#pragma once

#include "tools/bench/measure.h"
#include "tools/bench/method.h"
#include "tools/bench/scenes.h"

#include <quadrille/simd.h>

/// Measures methods beside each other.

enum { QDI_BENCH_MOST_METHODS = 32, QDI_BENCH_DROPPED = 3 };

/// Called after every step; returns false to stop.
typedef bool (*qdi_bench_tick)(void *context);

/// What to measure. Every repeat runs all methods, in a random order of its own, from the same bodies.
typedef struct qdi_bench_plan {
    const qdi_bench_scene *scene;
    double speed; ///< times as fast as the scene says
    size_t bodies;
    uint64_t seed;
    const qdi_bench_method *methods[QDI_BENCH_MOST_METHODS];
    size_t method_count;
    int threads;
    const struct qdi_pin *pin; ///< see qdi_bench_options
    qd_simd simd;
    double margin; ///< see qdi_bench_options
    size_t steps;  ///< that count, in each repeat; QDI_BENCH_DROPPED come before them and are dropped
    size_t repeats;
    uint64_t
        patience_ns; ///< a repeat ends early, at the soonest after two steps, when it took longer; 0: never
    qdi_bench_tick tick; ///< may be NULL
    void *context;
} qdi_bench_plan;

/// What one method did. Times are nanoseconds per body per step, over the steps of all repeats.
typedef struct qdi_bench_row {
    const qdi_bench_method *method;
    const qdi_bench_scene *scene;
    double speed;
    size_t bodies;
    int threads;
    qd_simd simd; ///< of a method that has kernels
    size_t steps; ///< that count, of the first repeat
    size_t repeats;
    qdi_statistics ns;
    double phases[QDI_BENCH_PHASES]; ///< medians
    size_t pairs;  ///< of the last step; with patience of the first, for repeats then differ in how many they
                   ///< have
    uint64_t hash; ///< of the pairs of the first step and the last, whatever their order; with patience of
                   ///< the first
    uint64_t all_pairs;    ///< of all steps of a repeat; with patience of the first
    double tests;          ///< of two boxes, per body and step; 0 where not known
    double bytes_per_body; ///< 0 where not known
    double leavers; ///< share of bodies that change their place in a step, per cent, on average; below 0
                    ///< where not known
    bool steady;    ///< every repeat found the same
} qdi_bench_row;

/// Measures; `rows` gets plan->method_count items in the order of plan->methods. `*stopped` is set where tick
/// said so, and then rows mean nothing. Errors: QD_ERR_MEMORY, and whatever a method answers, with its name
/// in `*failed`.
QD_MUST_USE qd_status qdi_bench_run(const qdi_bench_plan *plan, qdi_bench_row *rows, bool *stopped,
                                    const char **failed);

/// Sum over the pairs of a hash of each, the smaller index first.
uint64_t qdi_bench_pairs_hash(const qdi_bench_step *step);

/// True where all rows of the same number of bodies found the same pairs, in all repeats, but for those of
/// methods that are `published`; otherwise one line in `error` names two methods that did not.
bool qdi_bench_rows_agree(const qdi_bench_row *rows, size_t count, qd_error *error);
