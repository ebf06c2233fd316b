#pragma once

#include "tools/host/options.h"
#include "tools/host/progress.h"
#include "tools/verify/course.h"

#include <quadrille/compare.h>
#include <quadrille/scene.h>
#include <quadrille/store.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stdint.h>

/// Runs of the past: what a run directory holds, read and stepped again. `verify` and `diff` share it.

/// A run directory, open to read.
typedef struct qdi_recorded {
    const char *directory;
    qd_scene *scene; ///< from its scene.yaml, with the body files beside it
    qd_scene_run plan;
    qd_store *store;
    qd_store_run run;
    qdi_course course;  ///< its stages
    bool complete;      ///< result.json is there
    bool going_on;      ///< another process works on it; it is not complete then
    uint64_t last_step; ///< of a complete run its last, else the last that is recorded
} qdi_recorded;

/// Opens a recorded run; what is wrong is said, and the result is the exit code. Zero it before, close it in
/// any case.
int qdi_recorded_open(qdi_recorded *past, const char *directory);
void qdi_recorded_close(qdi_recorded *past);

/// How far a run has come that is not complete: "out is going on: it is recorded up to step 340 of 600"; ""
/// of one that is.
void qdi_recorded_words(const qdi_recorded *past, char *text, size_t bytes);
/// Tells the user how far a recorded run has come, where it is not complete.
void qdi_recorded_say(const qdi_recorded *past, const qdi_common *common);

/// Says why something failed, and gives the exit code: of a scene, of memory, else of input and output.
int qdi_recorded_fail(qd_status status, const qd_error *error);

/// The state hash that the run has for a step. Errors: QD_ERR_NOT_FOUND where it has none, those of
/// qd_store_next_hash.
QD_MUST_USE qd_status qdi_recorded_hash(const qdi_recorded *past, uint64_t step, uint64_t *hash);

/// A world of such a run on its way once more. Zero it before, end it in any case.
typedef struct qdi_replay {
    const qdi_recorded *past;
    int threads;
    bool adapt_threads; ///< see qd_world_adapt_threads
    qd_world *world;
    qdi_progress *progress; ///< NULL: none is shown
    bool note_threads;      ///< of the steps, see qd_world_note_threads
    bool watch_stress;      ///< of the last step of each qdi_replay_go, see qd_world_watch_stress
    /// Called right before the last step of each qdi_replay_go, with `context`; NULL: nobody asks.
    qd_status (*watch)(void *context, const qd_world *world);
    /// Called when a stage begins, before what it changes and then after it; NULL: not. Errors end the
    /// replay.
    qd_status (*change)(void *context, const qd_world *world, bool after);
    void *context;
} qdi_replay;

/// The hash of the replay's state, in the form that the run's hashes have.
uint64_t qdi_replay_hash(const qdi_replay *replay);
/// Puts the world where the run began: step 0, with its contacts. Errors: those of qd_world_create and
/// qd_scene_populate, QD_ERR_LIMIT.
QD_MUST_USE qd_status qdi_replay_begin(qdi_replay *replay, qd_error *error);
/// Puts it where a stored world is. Errors: those of qd_world_load.
QD_MUST_USE qd_status qdi_replay_load(qdi_replay *replay, const unsigned char *data, size_t bytes,
                                      qd_error *error);
/// Puts it at the first snapshot of a step >= `from`; `step` is its step. Errors: those of
/// qd_store_next_snapshot and qdi_replay_load, with the step.
QD_MUST_USE qd_status qdi_replay_next_snapshot(qdi_replay *replay, uint64_t from, uint64_t *step,
                                               qd_error *error);
/// Puts it to the last sound checkpoint of a step <= `most`, or to the beginning.
QD_MUST_USE qd_status qdi_replay_begin_near(qdi_replay *replay, uint64_t most, qd_error *error);
/// Steps it until it is at `step`. Errors: those of qd_world_step and of `watch`; QD_ERR_LIMIT with body and
/// limit.
QD_MUST_USE qd_status qdi_replay_go(qdi_replay *replay, uint64_t step, qd_error *error);
void qdi_replay_end(qdi_replay *replay);

/// Progress as it is shown for a command with these flags.
qdi_progress qdi_replay_progress(const qdi_common *common, uint64_t steps);

/// What two worlds differ in, and which of the differences tells most: that of a body, if there is one.
typedef struct qdi_gap {
    qd_comparison all; ///< `fields` 0: nothing
    qd_difference_of of;
    uint64_t label;
    char subject[96], field[64], first[64], second[64];
} qdi_gap;

/// Compares; with `list` prints every difference on its own line. `sums`: also what the worlds have added up
/// of energies and impulses, whose last digits a world of an earlier version has from another order. Errors:
/// QD_ERR_ARGUMENT.
QD_MUST_USE qd_status qdi_gap_find(const qd_world *first, const qd_world *second, bool sums, bool list,
                                   qdi_gap *gap);
/// Whether a recorded run adds up in the way of this version, see table `forms` of run.db.
bool qdi_recorded_sums(const qdi_recorded *past);

/// "body 7: velocity.x is 1.5 in NAME, 1.25 in OTHER (3 fields of 2 bodies and 1 contact differ)".
void qdi_gap_words(const qdi_gap *gap, const char *name, const char *other, char *text, size_t bytes);
