#pragma once

#include "sim/contact/narrow_job.h"

/// Numbers the contacts of `following`, whose spots and their order are known, and lets those that were there
/// in the present state take over impulses and warm starts: of `outcomes` (by place in the present state),
/// or where that is NULL those that it has. Notes in the scratch which of the present ones go on.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_carry(qd_world *world, qdi_narrow_job *job, size_t count,
                                const qdi_outcome *outcomes);
