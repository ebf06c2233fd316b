#ifndef QD_TOOLS_BENCH_RIGID_OUTPUT_H
#define QD_TOOLS_BENCH_RIGID_OUTPUT_H

#include "tools/bench/output.h"
#include "tools/bench/rigid.h"

/// What the rigid bench measured, for people and for machines.
typedef struct qdi_rigid_report {
    const qdi_rigid_plan *plan;
    qdi_rigid_look start;
    const qdi_rigid_row *rows;
    size_t count;
} qdi_rigid_report;

/// The row that the others are compared with: the fastest of the peers, or the first where there is none.
const qdi_rigid_row *qdi_rigid_reference(const qdi_rigid_row *rows, size_t count);

void qdi_rigid_print(FILE *out, const qdi_rigid_report *report);

/// A heading and a line per row.
void qdi_rigid_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_rigid_report *report);

/// An object with an array of rows. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_rigid_write_json(qdi_json *json, const qdi_bench_origin *origin,
                                           const qdi_rigid_report *report);

#endif
