#pragma once

#include "tools/host/counters.h"
#include "tools/host/pin.h"
#include "tools/scale/plan.h"
#include "tools/scale/traffic.h"

#include <quadrille/profile.h>
#include <quadrille/scene.h>
#include <quadrille/simd.h>
#include <stddef.h>
#include <stdint.h>

/// What one run of a scaling test found.

/// Threads whose time a profile keeps one by one.
#define QDI_SCALE_CLOCKED (sizeof(((qd_profile *)0)->busy_ns[0]) / sizeof(uint64_t))

/// The phases that a scaling test has: all but the last, which writes pictures.
#define QDI_SCALE_PHASES ((size_t)QD_PHASE_EXPORT)

typedef struct qdi_scale_sample {
    uint64_t bodies; ///< at the end
    uint64_t hash;   ///< of the state, then
    uint64_t wall_ns;
    qd_profile profile;    ///< of the steps that count
    uint64_t processor_ns; ///< that all threads got for them
    uint64_t preemptions;  ///< how often one of them had to leave a processor to somebody else
    qdi_traffic traffic;   ///< of the steps that count
    qdi_counts counts;     ///< of the processor, for these steps, of all threads
    double bandwidth;      ///< of a triad on as many threads, in bytes per second; 0: not measured
    double load;           ///< of the machine in the minute before; < 0: not known
    uint64_t memory;       ///< the most that was in use, in bytes; 0: not known
} qdi_scale_sample;

/// One run to be made.
typedef struct qdi_scale_job {
    qd_scene *scene;    ///< only looked at
    const char *label;  ///< the scene, as the user named it
    int threads;        ///< in all
    int ranks;          ///< that share them; 0: none
    const qdi_pin *pin; ///< of these; NULL: they are not bound
    qd_simd simd;
    size_t steps, dropped;
} qdi_scale_job;

/// Makes the run in a process of its own and puts what it found into `sample`, and the time of each step that
/// counts into `step_ns`. Returns an exit code, and has said why where it is not 0; a signal to end is no
/// reason, but 128 and its number.
int qdi_scale_measure(const qdi_scale_job *job, qdi_scale_sample *sample, uint64_t *step_ns);
