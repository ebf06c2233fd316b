#pragma once

#include <quadrille/world.h>

#include "sim/world/scratch.h"

/// What became of the contacts of the present state that the scratch says do not go on in `following`: they
/// are kept there, with what they gave in the step in between: `outcomes`, by place in the present state, or
/// where that is NULL, because no step lies in between or there is no contact model, what they have; with
/// springs nothing. Makes room for the events. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_events(qd_world *world, const qdi_outcome *outcomes);
