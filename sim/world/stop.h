#pragma once

#include <quadrille/world.h>

/// Stopping a world: true where the step on its way is to end. Once true it stays so until the step's end, so
/// what was left out after one question is not taken for done at the next. Any thread of the team.
bool qdi_stopping(qd_world *world);
