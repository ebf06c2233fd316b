#pragma once

#include "sim/store/event_rows.h"
#include "tools/verify/replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rows of events and failures beside those of a replay.

typedef struct qdi_event_check {
    const qdi_recorded *past;
    qdi_event_names names;
    qd_store_event *rows; ///< of the replay's step
    size_t count, room;
    uint64_t seen; ///< stored rows that were looked at
} qdi_event_check;

/// Whether the run has rows of events at all.
bool qdi_event_check_is_due(const qdi_recorded *past);

/// When a stage begins, before and after what it changes: takes what contacts ended and began by it. `check`
/// is a qdi_event_check. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_event_check_change(void *check, const qd_world *world, bool after);

/// Compares the stored rows of the world's step with those that the world gives. To be called at every step
/// from 0 on, since a world keeps them for one step only. `words` gets the first difference, "" where there
/// is none. Errors: those of reading, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_event_check_step(qdi_event_check *check, const qd_world *world, char *words,
                                           size_t bytes, qd_error *error);

void qdi_event_check_end(qdi_event_check *check);

/// Compares a stored failure with what the replay says. `words` as above.
void qdi_failure_compare(const qd_limit_report *stored, const qd_limit_report *here, char *words,
                         size_t bytes);
