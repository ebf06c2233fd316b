#pragma once

#include "tools/verify/replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where two runs part, see cmd_diff.c.

/// One of the two.
typedef struct qdi_diff_side {
    qdi_recorded past;
    qdi_replay replay;
    bool replayable; ///< from its last step that is equal its replay comes to the state that it has at the
                     ///< one that differs
    unsigned char *kept; ///< the state at the last equal step
    size_t kept_bytes;
} qdi_diff_side;

/// What is found.
typedef struct qdi_diff {
    qdi_diff_side side[2];
    int threads;        ///< of replays
    bool adapt_threads; ///< see qd_world_adapt_threads
    int form[2];        ///< of the hashes; where they differ nothing is compared
    uint64_t compared;  ///< steps of which both have a hash
    uint64_t damaged;   ///< rows of hashes that differ though later ones are equal, or that are none
    bool has_equal, differs;
    uint64_t equal_at;   ///< the last step with equal hashes
    uint64_t differs_at; ///< the first after it
    bool named;          ///< what is in `gap` is known
    uint64_t step;       ///< at which
    qdi_gap gap;
} qdi_diff;

/// Gets a row that cannot be right; `directory` NULL: of one of the two.
typedef bool (*qdi_diff_row)(void *context, const char *directory, uint64_t step, const char *words);

/// Compares the hashes of the steps that both have. Errors: those of reading the stores.
QD_MUST_USE qd_status qdi_diff_hashes(qdi_diff *diff, qdi_diff_row row, void *context, qd_error *error);

/// Finds the first step at which the states differ, or as near to it as can be known, and what they differ
/// in. Errors: those of reading the stores, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_diff_name(qdi_diff *diff, const qdi_common *common, bool list, qd_error *error);

/// Closes and frees.
void qdi_diff_end(qdi_diff *diff);
