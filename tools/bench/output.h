#ifndef QD_TOOLS_BENCH_OUTPUT_H
#define QD_TOOLS_BENCH_OUTPUT_H

#include "tools/bench/run.h"
#include "tools/host/json.h"

#include <stdio.h>

/// What was measured, for people and for machines. `count` rows; those of one number of bodies lie together.

/// Where and how the program was built and runs.
typedef struct qdi_bench_origin {
    const char *commit, *compiler, *flags, *cpu;
    const char *unreliable; ///< why the times are not reliable; "" or NULL where nothing speaks against them
} qdi_bench_origin;

/// What the build knows, with this processor's name and what qdi_others_end said.
qdi_bench_origin qdi_bench_origin_here(const char *cpu, const char *unreliable);

/// Commit, compiler, flags and processor as fields of a CSV line, each after a comma.
void qdi_bench_put_origin(FILE *out, const qdi_bench_origin *origin);

/// The last columns of a CSV file of the bench: their names, and a line's.
#define QDI_BENCH_LAST_NAMES "commit,compiler,flags,cpu,reliable\n"
void qdi_bench_put_last(FILE *out, const qdi_bench_origin *origin);

/// The same as members of an object.
void qdi_bench_json_origin(qdi_json *json, const qdi_bench_origin *origin);

/// One line under a table where the times are not reliable.
void qdi_bench_print_reliability(FILE *out, const qdi_bench_origin *origin);

/// "none" for a method without kernels.
const char *qdi_bench_row_simd(const qdi_bench_row *row);

/// A table for each number of bodies.
void qdi_bench_print_tables(FILE *out, const qdi_bench_row *rows, size_t count);

/// Methods against numbers of bodies: times, then memory.
void qdi_bench_print_sweep(FILE *out, const qdi_bench_row *rows, size_t count);

/// A heading and a line per row.
void qdi_bench_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_bench_row *rows, size_t count);

/// An object with an array of rows. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_bench_write_json(qdi_json *json, const qdi_bench_origin *origin,
                                           const qdi_bench_row *rows, size_t count);

/// A script for gnuplot, data included, that draws the rows as a PNG on gnuplot's stdout: bars for one number
/// of bodies, lines for several.
void qdi_bench_write_plot(FILE *out, const qdi_bench_row *rows, size_t count);

#endif
