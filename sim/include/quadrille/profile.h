#ifndef QUADRILLE_PROFILE_H
#define QUADRILLE_PROFILE_H

#include <quadrille/api.h>
#include <quadrille/team.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// The parts of a step, in their order.
typedef enum qd_phase {
    QD_PHASE_RESOLVE,  ///< forces to velocities, then the contact model with the contacts of the present
                       ///< positions
    QD_PHASE_MOVE,     ///< drift, boundaries, new boxes, who comes and goes
    QD_PHASE_REFRESH,  ///< the tree brought up to date
    QD_PHASE_RETRIEVE, ///< candidates of every body
    QD_PHASE_NARROW,   ///< exact contact tests, events
    QD_PHASE_EXPORT,   ///< frames and records; filled by whoever writes them
    QD_PHASE_COUNT
} qd_phase;

/// Nanoseconds per phase, summed over steps. Zero it, then hand it to every step.
typedef struct qd_profile {
    uint64_t steps;
    uint64_t body_steps;              ///< bodies summed over steps
    uint64_t wall_ns[QD_PHASE_COUNT]; ///< by the clock
    uint64_t busy_ns[QD_PHASE_COUNT]
                    [64]; ///< of each of the first 64 threads inside the phase's parallel parts
    uint64_t
        loop_ns[QD_PHASE_COUNT]; ///< part of wall_ns: in parallel parts, waiting for the slowest included
    /// part of loop_ns: in those that were too short for a second thread, or in steps that had only one
    uint64_t alone_ns[QD_PHASE_COUNT];
} qd_profile;

/// "resolve", "move", ...
QD_API const char *qd_phase_name(qd_phase phase);

QD_END_DECLS

#endif
