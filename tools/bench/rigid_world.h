#pragma once

#include "tools/bench/rigid.h"

#include <quadrille/world.h>

/// Our own world as a method of the rigid bench, and as the judge of what all methods did.

/// Bench of rigid piles: the world of a state of qdi_rigid_impulse.
const qd_world *qdi_rigid_world_of(const void *state);
/// Bench of rigid piles: leaves all bodies of a state `part` of their velocities. `bodies` is room to work
/// in. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_rigid_world_slow(void *state, double part, qdi_rigid_body *bodies);
