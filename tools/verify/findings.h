#pragma once

#include "tools/host/json.h"
#include "tools/host/progress.h"
#include "tools/verify/replay.h"

#include <quadrille/alloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What is wrong with a run, one by one: a line on stdout, or an object in an array of JSON. What was found
/// once is not told again.

/// For what has no step.
#define QDI_NO_STEP UINT64_MAX

/// One of them.
typedef struct qdi_finding {
    const char *table;  ///< "hashes", "snapshots", "checkpoints", "frames", "result.json", "state", ...
    uint64_t step;      ///< of frames: the number. QDI_NO_STEP: of none
    const char *words;  ///< one line, without table and step
    const qdi_gap *gap; ///< where two states were compared, else NULL
} qdi_finding;

/// Which row of which table was told.
typedef struct qdi_told {
    char table[16];
    uint64_t step;
} qdi_told;

typedef struct qdi_findings {
    const qd_allocator *allocator;
    qdi_json *json;         ///< NULL: lines. An array is open in it
    qdi_progress *progress; ///< taken off the screen before a line; NULL: none
    const char *directory;
    qdi_told *told;
    size_t count, room;
    char first[640];  ///< the first one, with its table
    qd_status status; ///< QD_ERR_MEMORY sticks
} qdi_findings;

/// True where this row has been told already.
bool qdi_findings_has(const qdi_findings *findings, const char *table, uint64_t step);

/// Tells one, if it is new.
void qdi_findings_add(qdi_findings *findings, const qdi_finding *finding);

void qdi_findings_free(qdi_findings *findings);
