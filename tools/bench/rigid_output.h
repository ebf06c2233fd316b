#pragma once

#include "tools/bench/output.h"
#include "tools/bench/rigid.h"

/// What the rigid bench measured, for people and for machines.
typedef struct qdi_rigid_report {
    const qdi_rigid_plan *plan;
    qdi_rigid_quality start;
    const qdi_rigid_row *rows;
    size_t count;
} qdi_rigid_report;

/// Bench of rigid piles: the row that the others are compared with: the fastest of the peers, or the first
/// where there is none.
const qdi_rigid_row *qdi_rigid_reference(const qdi_rigid_row *rows, size_t count);

qdi_bench_results qdi_rigid_results_of(const qdi_rigid_report *report);
