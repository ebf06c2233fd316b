#pragma once

#include "tools/bench/choice.h"
#include "tools/bench/output.h"
#include "tools/bench/rigid_output.h"
#include "tools/bench/run.h"
#include "tools/host/options.h"
#include "tools/host/others.h"
#include "tools/host/pin.h"
#include "tools/host/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the parts of `quadrille bench` share: pairs, rigid bodies, springs, frames.

/// Most sizes of a list; steps to measure where nothing else is said, and the seed of all scenes.
enum { QDI_BENCH_MOST_SIZES = 32, QDI_BENCH_STEPS = 20, QDI_BENCH_SEED = 1 };

typedef struct qdi_bench_settings {
    qdi_common common;
    const char *scene, *speed, *bodies, *methods, *simd, *margin, *sweep, *csv, *plot, *rigid, *spring, *size,
        *lammps, *pin;
    qdi_option_number steps, threads, repeats;
    bool json, frames, ladder, force;
} qdi_bench_settings;

/// A bench from its flags to its output. Whatever stage fails says why and gives the exit code.
typedef struct qdi_bench_job {
    qdi_bench_settings settings;
    qdi_bench_plan plan;
    qdi_pin pin;                        ///< of its threads
    char pin_words[256];                ///< for people
    size_t sizes[QDI_BENCH_MOST_SIZES]; ///< numbers of bodies
    size_t size_count;
    const qdi_bench_method *methods[QDI_BENCH_MOST_METHODS]; ///< asked for
    size_t method_count;
    const qdi_rigid_method *rigid[QDI_RIGID_MOST_METHODS]; ///< asked for with --rigid
    size_t rigid_count;
    qdi_bench_row rows[QDI_BENCH_MOST_SIZES * QDI_BENCH_MOST_METHODS];
    size_t row_count;
    qdi_others_start others;
    qdi_progress progress;
    uint64_t steps_done;
} qdi_bench_job;

/// Finds out what would fail at the end before the time is spent. Returns an exit code; where it is not 0,
/// why was said.
int qdi_bench_check_outputs(const qdi_bench_job *job);

/// Chooses threads and their processors, and shows progress from now on, `steps` in all. Returns an exit
/// code; where it is not 0, why was said.
int qdi_bench_start(qdi_bench_job *job, uint64_t steps);

/// One step more is done; false: a signal has come. `context` is the job.
bool qdi_bench_job_tick(void *context);

/// Writes what was measured: the CSV file, the plot and the standard output. Returns an exit code.
int qdi_bench_write_all(qdi_bench_job *job, qdi_bench_results results);

/// Says that a signal has come; the exit code.
int qdi_bench_tell_stopped(qdi_bench_job *job);

/// `--frames`, and what is to be said where --size or --lammps came without it. They return exit codes.
int qdi_bench_frames(qdi_bench_job *job);
int qdi_bench_refuse_frames_flags(void);
