#pragma once

#include "tools/scale/against.h"
#include "tools/scale/scale_report.h"

/// How a test of two builds is told.

typedef struct qdi_against_report {
    const qdi_against_job *job;
    qdi_scale_origin origin; ///< of this build
    qdi_others_reason others;
    const qdi_against_pair *pairs;     ///< by turn
    const qdi_against_result *results; ///< by configuration
} qdi_against_report;

/// A heading, then two lines for each pair, in the order in which its runs were made: against.csv.
void qdi_against_csv_head(FILE *out);
void qdi_against_csv_pair(FILE *out, const qdi_scale_plan *plan, size_t turn, const qdi_against_pair *pair);

/// All of it as one object. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_against_json(qdi_json *json, const qdi_against_report *report);

/// A table for each number of bodies, and what changed in a sentence.
void qdi_against_print(FILE *out, const qdi_against_report *report);
