#pragma once

#include "tools/bench/output.h"

/// The ladder: methods in the order in which their ideas are learnt, from brute force to the tree of this
/// library, each with what it costs in comparisons and in time, and with the pairs that it misses. What it
/// measures is what the bench of pairs does; only what is asked for by default, and how it is shown, differs.

extern const char qdi_ladder_methods[]; ///< as --methods takes them
extern const char qdi_ladder_bodies[];  ///< as --sweep-bodies does
extern const char qdi_ladder_speed[];   ///< as --speed does

enum {
    QDI_LADDER_STEPS = 200,
    QDI_LADDER_REPEATS = 3,
    QDI_LADDER_MOST_BODIES = 100000,   ///< that any method is run with
    QDI_LADDER_PATIENCE_NS = 500000000 ///< see qdi_bench_plan.patience_ns
};

/// What the rows are written as: the columns of qdi_bench_results_of, and a table of its own.
qdi_bench_results qdi_ladder_results_of(const qdi_bench_rows *rows);

/// A script for gnuplot, data included, that draws tests and times of the rows as a PNG on gnuplot's stdout.
void qdi_ladder_write_plot(FILE *out, const qdi_bench_row *rows, size_t count);
