#pragma once

#include <quadrille/world.h>

#include "sim/world/scratch.h"

/// What became of the contacts of the present state that the scratch says do not go on in `following`: they
/// are kept there, with what they gave in the step in between: `given`, by place in the present state, or
/// where that is NULL, because no step lies in between or the contact model has none, nothing. Makes room for
/// the events. What speculative contacts gave that do not touch now becomes impacts. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_events(qd_world *world, const qdi_given *given);
/// The order of impacts: time, then (a, b). For qsort.
int qdi_impact_order(const void *p, const void *q);
