#pragma once

#include "sim/ranks/fleet.h"
#include "tools/host/json.h"
#include "tools/host/pin.h"

#include <quadrille/profile.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The video of a run; `file` NULL: there is none.
typedef struct qdi_result_video {
    const char *file, *encoder;
    double fps;
    uint64_t frames, bytes;
} qdi_result_video;

/// What came of a stage: of its own steps, or at its end.
typedef struct qdi_result_stage {
    const char *name;
    uint64_t after, steps; ///< the step after which it began, and how many it had
    double time;           ///< that these took
    char ended_by[32];     ///< "steps", "until.0", "run.until.0", "run.steps"
    uint64_t bodies;       ///< at its end
    uint64_t contacts, begins, impacts, emitted, removed;
    double kinetic, potential; ///< at its end
} qdi_result_stage;

/// What a finished run has to tell.
typedef struct qdi_result {
    const char *scene; ///< its name
    uint64_t scene_hash, seed, bodies, steps;
    uint64_t contacts; ///< at the end
    double dt;
    int threads;
    int threads_used;   ///< of these by steps in the end, but for trials: fewer where that is faster
    const qdi_pin *pin; ///< of the threads; NULL, or off: nothing is told of it
    const char *simd;   ///< name of the kernels
    uint64_t state_hash;
    qd_world_totals totals;
    bool has_rules;        ///< that could end the run before its last step
    uint64_t ended_by;     ///< number of the rule that did, from 1; 0: none
    char ended_words[128]; ///< what it says
    bool ended_stage;      ///< it is one of the last stage's
    qdi_result_stage *stages;
    size_t stage_count;
    double energy_first, energy_last; ///< of motion and position, at step 0 and at the end
    double balance_error;             ///< of qd_metrics, at the end
    uint64_t frames;
    bool frames_are_files;
    qdi_result_video video;
    uint64_t wall_ns; ///< from frame 0 to the last frame written
    qd_profile profile;
    size_t peak_memory; ///< bytes, 0 = not known
    int ranks;          ///< that stepped the world; 0: none
    qdi_fleet_counts rank[QDI_RANKS_MAX];
} qdi_result;

/// Nanoseconds of the clock per body and step; 0 where there were none.
double qdi_result_ns_per_body_step(const qdi_result *result, uint64_t ns);

/// Writes result.json's content into an empty `json`.
QD_MUST_USE qd_status qdi_result_json(const qdi_result *result, qdi_json *json);
