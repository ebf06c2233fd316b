#ifndef QD_SIM_WORLD_TEAM_H
#define QD_SIM_WORLD_TEAM_H

#include <quadrille/team.h>
#include <quadrille/world.h>

/// The threads of a world, for whoever reads it on the thread that steps it, between steps.
qd_team *qdi_world_team(const qd_world *world);

#endif
