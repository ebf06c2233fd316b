#pragma once

#include <quadrille/team.h>
#include <quadrille/world.h>

/// The threads of a world, for whoever reads it on the thread that steps it, between steps.
qd_team *qdi_world_team(const qd_world *world);

/// How many threads of the team steps have but for trials of others, see qd_world_adapt_threads.
int qdi_world_step_threads(const qd_world *world);

/// True where the tree does not have the bodies as they are: some were added, removed or placed since the
/// last detection, or it has lost them for want of memory.
bool qdi_world_is_behind(const qd_world *world);

/// What the last search for candidates cost, in the last step or detection.
typedef struct qdi_searched {
    uint64_t candidates; ///< pairs whose shapes were looked at
    uint64_t tests;      ///< boxes that were compared
} qdi_searched;

qdi_searched qdi_world_searched(const qd_world *world);
