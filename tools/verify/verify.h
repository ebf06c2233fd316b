#pragma once

#include "tools/verify/findings.h"
#include "tools/verify/replay.h"

#include <stdbool.h>
#include <stdint.h>

/// What `quadrille verify` looks at.

/// What there was to look at.
typedef struct qdi_verified {
    uint64_t hashes, metrics, fields, distributions, snapshots, checkpoints, frames, events, failures;
} qdi_verified;

/// What result.json says; `there` is false where a run is not complete.
typedef struct qdi_verify_result {
    bool there;
    uint64_t steps, state_hash;
} qdi_verify_result;

/// Reads result.json. One that is no good is a finding.
qdi_verify_result qdi_verify_read_result(const qdi_recorded *past, qdi_findings *findings);

/// Compares the table `frames`, manifest.csv and the files in frames/. Errors: those of reading the store,
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_verify_frames(const qdi_recorded *past, bool complete, qdi_findings *findings,
                                        qdi_verified *verified, qd_error *error);

/// Steps the run again with `threads` and compares every hash, row of metrics, step of fields and
/// distributions, snapshot,
/// checkpoint, event, failure and the result on the way. With `list` prints every field that differs. Errors:
/// those of reading the store and of the replay, but QD_ERR_LIMIT, which is a finding.
QD_MUST_USE qd_status qdi_verify_replay(const qdi_recorded *past, int threads,
                                        const qdi_verify_result *result, bool list, const qdi_common *common,
                                        qdi_findings *findings, qdi_verified *verified, qd_error *error);
