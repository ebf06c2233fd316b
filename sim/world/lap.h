#pragma once

#include <quadrille/profile.h>

#include "core/parallel/parallel.h"

/// Adds the time since the last call to a phase. `profile` NULL: does nothing.
typedef struct qdi_lap {
    qd_profile *profile;
    const qd_team *team;
    uint64_t last;
    uint64_t busy[64];
    qdi_team_times times;
} qdi_lap;
void qdi_lap_start(qdi_lap *lap, qd_profile *profile, const qd_team *team);
void qdi_lap_end(qdi_lap *lap, qd_phase phase);
