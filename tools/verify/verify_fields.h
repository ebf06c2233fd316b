#pragma once

#include "tools/verify/replay.h"

#include <quadrille/field.h>
#include <quadrille/store.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rows of fields beside what is measured of a replay.

typedef struct qdi_field_check {
    const qdi_recorded *past;
    qd_store_fields next; ///< the next stored ones, where `there`
    bool there;
    qd_field *field; ///< of the replay
    uint64_t seen;   ///< steps whose fields were looked at
} qdi_field_check;

/// Reads the fields of the first step >= `from` that has any. Errors: those of qd_store_next_fields, but
/// QD_ERR_NOT_FOUND.
QD_MUST_USE qd_status qdi_field_check_next(qdi_field_check *check, uint64_t from, qd_error *error);

/// Whether some row of the run is a mean: then qdi_field_check_sample is to be called at every step from 1
/// on, after steps whose stress was watched (qd_world_watch_stress).
bool qdi_field_check_samples(const qdi_recorded *past);

/// Adds the world's moment to the mean that is on its way, where it is one of its. Errors: those of
/// qd_field_measure.
QD_MUST_USE qd_status qdi_field_check_sample(qdi_field_check *check, const qd_world *world);

/// Compares the next stored fields, which are of the world's step, with those of the world, whose stress was
/// watched in the last step, or with the mean. `words` gets the first difference, "" where there is
/// none. Errors: those of qd_field_measure.
QD_MUST_USE qd_status qdi_field_check_step(qdi_field_check *check, const qd_world *world, char *words,
                                           size_t bytes);

void qdi_field_check_end(qdi_field_check *check);
