#include <quadrille/profile.h>

#include "core/parallel/parallel.h"
#include "sim/world/lap.h"

const char *qd_phase_name(qd_phase phase) {
    static const char *const names[QD_PHASE_COUNT] = {"resolve",  "move",   "refresh",
                                                      "retrieve", "narrow", "export"};
    return (unsigned)phase < QD_PHASE_COUNT ? names[phase] : "unknown";
}

// Profile of a world's steps: threads of a team whose busy times the profile holds.
static int clocked_threads(const qd_team *team) {
    int threads = qd_team_threads(team);
    return threads < 64 ? threads : 64;
}

void qdi_lap_start(qdi_lap *lap, qd_profile *profile, const qd_team *team) {
    lap->profile = profile;
    lap->team = team;
    if (!profile) return;
    const uint64_t *busy = qdi_team_busy_ns(team);
    for (int k = 0; k < clocked_threads(team); ++k) lap->busy[k] = busy[k];
    lap->times = qdi_team_loop_times(team);
    lap->last = qdi_clock_ns();
}

void qdi_lap_end(qdi_lap *lap, qd_phase phase) {
    qd_profile *profile = lap->profile;
    if (!profile) return;
    uint64_t now = qdi_clock_ns();
    profile->wall_ns[phase] += now - lap->last;
    lap->last = now;
    const uint64_t *busy = qdi_team_busy_ns(lap->team);
    for (int k = 0; k < clocked_threads(lap->team); ++k) {
        profile->busy_ns[phase][k] += busy[k] - lap->busy[k];
        lap->busy[k] = busy[k];
    }
    qdi_team_times times = qdi_team_loop_times(lap->team);
    profile->loop_ns[phase] += times.loop_ns - lap->times.loop_ns;
    profile->alone_ns[phase] += times.alone_ns - lap->times.alone_ns;
    lap->times = times;
}
