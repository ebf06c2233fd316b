#pragma once

#include "tools/verify/replay.h"

#include <quadrille/distribution.h>
#include <quadrille/store.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rows of distributions beside what is counted in a replay.

typedef struct qdi_distribution_check {
    const qdi_recorded *past;
    qd_store_distributions next; ///< the next stored ones, where `there`
    bool there;
    qd_distributions *here; ///< of the replay
} qdi_distribution_check;

/// Verified distributions: reads those of the first step >= `from` that has any. Errors: those of
/// qd_store_next_distributions, but QD_ERR_NOT_FOUND.
QD_MUST_USE qd_status qdi_distribution_check_next(qdi_distribution_check *check, uint64_t from,
                                                  qd_error *error);

/// Verified distributions: whether some row of the run is a mean: then qdi_distribution_check_moment is to be
/// called at every step.
bool qdi_distribution_check_samples(const qdi_recorded *past);

/// Verified distributions: adds the world's moment to the mean on its way, where it is one of its, and makes
/// the mean that ends there. Errors: those of qd_distributions_add.
QD_MUST_USE qd_status qdi_distribution_check_moment(qdi_distribution_check *check, const qd_world *world);

/// Verified distributions: compares the next stored ones, which are of the world's step. `words` gets the
/// first difference, "" where there is none. Errors: those of qd_distributions_add.
QD_MUST_USE qd_status qdi_distribution_check_step(qdi_distribution_check *check, const qd_world *world,
                                                  char *words, size_t bytes);

/// Verified distributions: frees what a check holds.
void qdi_distribution_check_end(qdi_distribution_check *check);
