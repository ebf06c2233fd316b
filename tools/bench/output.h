#pragma once

#include "tools/bench/run.h"
#include "tools/host/json.h"

#include <stdio.h>

/// What was measured, for people and for machines.

/// Where and how the program was built and runs.
typedef struct qdi_bench_origin {
    const char *commit, *compiler, *flags, *cpu;
    const char *unreliable; ///< why the times are not reliable; "" or NULL where nothing speaks against them
    const char *pin;        ///< which processors our threads are bound to, for people; NULL: they are not
} qdi_bench_origin;

/// What the build knows, with this processor's name and what qdi_others_end said.
qdi_bench_origin qdi_bench_origin_here(const char *cpu, const char *unreliable);

/// Commit, compiler, flags and processor as fields of a CSV line, each after a comma.
void qdi_bench_put_origin(FILE *out, const qdi_bench_origin *origin);

/// Which fields of a row are written, and where a field belongs. A field is told once, and goes to the CSV
/// file, where each line has all of them, and to JSON, where those that all rows share come before the rows.
typedef enum qdi_bench_scope {
    QDI_BENCH_SHARED = 1, ///< the same in all rows
    QDI_BENCH_OWN = 2,    ///< of a row
    QDI_BENCH_CSV = 4,    ///< only in the CSV file
    QDI_BENCH_JSON = 8,   ///< only in JSON, of a row
    QDI_BENCH_START = 16  ///< only in JSON, of the object `start`
} qdi_bench_scope;

/// Where fields go.
typedef struct qdi_bench_sheet {
    FILE *csv;       ///< or NULL
    qdi_json *json;  ///< or NULL
    bool names;      ///< the heading of the CSV file
    bool begun;      ///< the line has a field
    unsigned scopes; ///< that are written
} qdi_bench_sheet;

void qdi_bench_put_text(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, const char *value);
void qdi_bench_put_whole(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, uint64_t value);
void qdi_bench_put_hash(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, uint64_t value);
/// With all digits that it has, and with three decimals.
void qdi_bench_put_real(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, double value);
void qdi_bench_put_short(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, double value);
/// The same where `known`; else nothing, or an empty field.
void qdi_bench_put_known(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, bool known,
                         double value);
/// Median, minimum and so on, of a row.
void qdi_bench_put_statistics(qdi_bench_sheet *sheet, const qdi_statistics *ns);
/// Times of phases: an object `phases`, or columns NAME_ns. `name_of`: of a phase.
void qdi_bench_put_phases(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *(*name_of)(int phase),
                          const double *ns, int count, bool known);

/// What a bench has measured.
typedef struct qdi_bench_results {
    const void *report;
    size_t count; ///< rows
    /// Tells all fields of a row, in the order of the CSV file.
    void (*fields)(qdi_bench_sheet *sheet, const void *report, size_t row);
    void (*print)(FILE *out, const void *report); ///< tables for people
    bool start;                                   ///< there are fields of QDI_BENCH_START
    bool apart; ///< rows share nothing: in JSON each tells where it was measured
} qdi_bench_results;

/// A heading and a line per row.
void qdi_bench_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_bench_results *results);

/// An object with an array of rows. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_bench_write_json(qdi_json *json, const qdi_bench_origin *origin,
                                           const qdi_bench_results *results);

/// One line under a table where the times are not reliable.
void qdi_bench_print_reliability(FILE *out, const qdi_bench_origin *origin);

/// The rows of the bench of pairs; those of one number of bodies lie together.
typedef struct qdi_bench_rows {
    const qdi_bench_row *rows;
    size_t count;
} qdi_bench_rows;

/// How many pairs row number `row` has less than the others of so many bodies, which all agree unless they
/// are `published`.
size_t qdi_bench_missed(const qdi_bench_rows *rows, size_t row);

/// What they are written as.
qdi_bench_results qdi_bench_results_of(const qdi_bench_rows *rows);

/// A script for gnuplot, data included, that draws the rows as a PNG on gnuplot's stdout: bars for one number
/// of bodies, lines for several.
void qdi_bench_write_plot(FILE *out, const qdi_bench_row *rows, size_t count);
