#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/world_impl.h"

/// Lets the `count` contacts of `following`, whose spots and their order are known, take over impulses and
/// warm starts from those that were there in the present state, which has parts: of `outcomes` (by place in
/// it), which are traded with the state's own where all have their places still; where nothing is known of
/// these, those that the present state has. Counts contacts, and notes in the scratch which of the present
/// ones go on. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_carry(qd_world *world, size_t count, const qdi_outcomes *outcomes);
