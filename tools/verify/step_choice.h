#pragma once

#include "tools/host/options.h"
#include "tools/verify/ahead.h"
#include "tools/verify/replay.h"

#include <quadrille/status.h>
#include <stdint.h>

/// Moments of a run of the past, one after the other: its snapshots, or every E-th step of the run simulated
/// again. They are numbered from 0. `render` draws them, `export` writes them down.

/// Which of them. The flags `--frames A:B` and `--every E` of a command say it.
typedef struct qdi_step_choice {
    qdi_replay
        replay; ///< its world is the present moment; `past`, `threads` and `progress` are the caller's to set
    qdi_option_number every; ///< not given: snapshots
    int jobs; ///< snapshots that are loaded at a time, by threads of their own; below 2: by the caller's
    qdi_ahead *ahead;     ///< (inner)
    uint64_t first, last; ///< numbers of the moments that are wanted, both included
    uint64_t step_from;   ///< (inner) of the next snapshot
    uint64_t given;       ///< how many of those that are wanted there were so far
} qdi_step_choice;

/// Chosen steps of a recorded run: reads --frames: "A:B", "A:", ":B" or "A" (NULL: all); what is wrong is
/// said, and the result is the exit code.
int qdi_step_choice_read(const char *frames, uint64_t *first, uint64_t *last);

/// Chosen steps of a recorded run: the world at step 0, or at the first snapshot. Errors: QD_ERR_NOT_FOUND
/// where there is none, with the way out in `error`; those of qdi_replay_begin and qd_store_next_snapshot.
QD_MUST_USE qd_status qdi_step_choice_begin(qdi_step_choice *moments, qd_error *error);

/// Chosen steps of a recorded run: goes on to the first moment that is wanted, and then to each after it.
/// Errors: QD_ERR_NOT_FOUND after the last, with no reason (and `given` 0 where there was none at all); those
/// of qdi_replay_go and qd_store_next_snapshot.
QD_MUST_USE qd_status qdi_step_choice_next(qdi_step_choice *moments, qd_error *error);

/// Chosen steps of a recorded run: ends its threads and its world; in any case.
void qdi_step_choice_end(qdi_step_choice *moments);
