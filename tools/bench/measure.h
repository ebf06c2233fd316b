#pragma once

#include "tools/host/statistics.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What all benches do alike: methods that take turns.

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
