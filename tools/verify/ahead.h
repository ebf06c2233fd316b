#pragma once

#include "tools/verify/replay.h"

#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stdint.h>

/// Snapshots of a run of the past, loaded by threads of their own while the caller works on those before, and
/// given out one after the other, in order. One more than there are threads are loaded or wait at a time.
typedef struct qdi_ahead qdi_ahead;

/// What is loaded, and how.
typedef struct qdi_ahead_plan {
    const qdi_recorded *past; ///< must stay
    uint64_t from;            ///< the first is that of the first step >= `from` that has one
    uint64_t more;            ///< so many after that one, at most
    int jobs;                 ///< that are loaded at a time, >= 1
    int threads;              ///< of each world
} qdi_ahead_plan;

/// Starts loading. Errors: QD_ERR_MEMORY, those of qd_store_open.
QD_MUST_USE qd_status qdi_ahead_start(const qdi_ahead_plan *plan, qdi_ahead **ahead, qd_error *error);

/// The next world, which is the caller's to destroy. Errors: QD_ERR_NOT_FOUND after the last, with no reason;
/// those of qdi_replay_next_snapshot, after which nothing comes any more.
QD_MUST_USE qd_status qdi_ahead_next(qdi_ahead *ahead, qd_world **world, qd_error *error);

/// Lets the threads finish what they are at, ends them and frees; NULL is fine.
void qdi_ahead_end(qdi_ahead *ahead);
