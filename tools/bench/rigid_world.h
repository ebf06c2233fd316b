#ifndef QD_TOOLS_BENCH_RIGID_WORLD_H
#define QD_TOOLS_BENCH_RIGID_WORLD_H

#include "tools/bench/rigid.h"

#include <quadrille/world.h>

/// Our own world as a method of the rigid bench, and as the judge of what all methods did.

/// The world of a state of qdi_rigid_impulse.
const qd_world *qdi_rigid_world_of(const void *state);

#endif
