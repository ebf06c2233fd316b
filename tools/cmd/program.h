#pragma once

#include "core/parallel/ranks.h"

/// The program: does what its command line says, with its name in argv[0]. `processes`: what was started
/// together, of which this is rank 0, and the others are in qdi_fleet_serve; NULL: it is alone. Returns the
/// exit code.
int qdi_program(int argc, char **argv, qdi_ranks *processes);
