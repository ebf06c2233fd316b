#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a scaling test measures, and in which order.

enum { QDI_SCALE_MOST_THREADS = 32, QDI_SCALE_MOST_BODIES = 16 }; ///< numbers in the two lists

/// One number of bodies with one number of threads.
typedef struct qdi_scale_config {
    uint64_t bodies; ///< as asked for
    int threads;     ///< in all
    int ranks;       ///< that share them; 0: none
    bool strong;     ///< belongs to the strong series of its number of bodies
    bool weak;       ///< belongs to a weak series; in none of both, it only checks what the weak ones compute
    bool beyond;     ///< more threads than can run at once here
    size_t repeats;
} qdi_scale_config;

/// One run of a configuration.
typedef struct qdi_scale_turn {
    size_t config, repeat;
} qdi_scale_turn;

typedef struct qdi_scale_plan {
    int threads[QDI_SCALE_MOST_THREADS]; ///< ascending, each once
    size_t thread_count;
    int rank_threads;                       ///< of each rank; 0: there are none
    uint64_t bodies[QDI_SCALE_MOST_BODIES]; ///< ascending, each once
    size_t bodies_count;
    bool weak;
    size_t steps, dropped, repeats;
    uint64_t seed; ///< of the order
    int available; ///< threads that can run at once here

    qdi_scale_config configs[3 * QDI_SCALE_MOST_THREADS * QDI_SCALE_MOST_BODIES];
    size_t config_count;
    qdi_scale_turn *turns; ///< in their order; freed by qdi_scale_plan_free
    size_t turn_count;
} qdi_scale_plan;

/// Reads "1,2,4-8" into the plan: numbers from 1 to QD_TEAM_MAX, ranges, in any order. False: one line in
/// `error`.
bool qdi_scale_read_threads(const char *text, qdi_scale_plan *plan, qd_error *error);

/// Reads "1,2,4-8" as numbers of ranks, of `rank_threads` threads each: the plan's threads are then those of
/// all of them. False: one line in `error`.
bool qdi_scale_read_ranks(const char *text, int rank_threads, qdi_scale_plan *plan, qd_error *error);

/// Without a list: 1, 2, 4, ... and as many as can run at once.
void qdi_scale_default_threads(qdi_scale_plan *plan);

/// Reads "1e5,200000" into the plan. False: one line in `error`.
bool qdi_scale_read_bodies(const char *text, qdi_scale_plan *plan, qd_error *error);

/// From the lists, `weak`, `repeats`, `seed` and `available` makes configurations and turns. Strong: every
/// number of bodies with every number of threads. Weak: each number of bodies for each thread; where nobody
/// else works on as many bodies with the fewest threads, that is done once, so that there is a hash to
/// compare with. Every repeat has all configurations, in a random order of its own. Errors: QD_ERR_MEMORY;
/// QD_ERR_VALUE, with the reason: more bodies than there can be.
QD_MUST_USE qd_status qdi_scale_plan_make(qdi_scale_plan *plan, qd_error *error);

/// Frees the turns; a plan that has none is fine.
void qdi_scale_plan_free(qdi_scale_plan *plan);

/// The configuration of so many bodies and threads, or NULL.
const qdi_scale_config *qdi_scale_find(const qdi_scale_plan *plan, uint64_t bodies, int threads);

/// "strong", "weak", "strong+weak" or "check".
const char *qdi_scale_series(const qdi_scale_config *config);
