#pragma once

#include "sim/ranks/fleet.h"
#include "tools/host/options.h"
#include "tools/host/pin.h"
#include "tools/host/threads.h"
#include "tools/session/result.h"
#include "tools/session/step_log.h"
#include "tools/session/until.h"
#include "tools/verify/course.h"

#include <quadrille/frame.h>
#include <quadrille/rundir.h>
#include <quadrille/scene.h>
#include <quadrille/store.h>
#include <quadrille/video.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A run while this process works on it: `run` begins one, `resume` goes on with one. Both end the same way,
/// and leave the same files as a run that nobody disturbed.
///
/// Calls that return an exit code have said why where it is not 0.

enum { QDI_SESSION_PATH = 4096 };

/// What a failure came from.
typedef enum qdi_session_part {
    QDI_PART_NONE,
    QDI_PART_STEP, ///< the world
    QDI_PART_FRAMES,
    QDI_PART_VIDEO,
    QDI_PART_STORE,
} qdi_session_part;

/// How far the steps were at the last frame.
typedef struct qdi_session_pace {
    uint64_t ns, steps, body_steps;
} qdi_session_pace;

typedef struct qdi_session {
    // What the command decides, before anything else.
    qdi_common common;
    qdi_thread_choice threads;
    qdi_pin pin; ///< of those threads
    qd_simd simd;
    bool simd_asked;   ///< by --simd; else a run that is gone on with keeps those that it was begun with
    bool simd_kept;    ///< that was done, and they are not the best that there are
    const char *label; ///< the scene, as the user named it
    char directory[QDI_SESSION_PATH];
    qd_scene *scene; ///< the session's to free
    bool json;
    qdi_option_number log;  ///< --log
    int ranks;              ///< processes or --ranks; 0: the world is stepped by itself
    qdi_realm_rule realm;   ///< how ranks share the places
    bool only_steps;        ///< nothing is made of the world, whatever the scene says
    const char *video_file; ///< --video, or what the run was begun with; NULL: no video

    // The session's own.
    qd_scene_run plan;     ///< where a rule has ended the run, its last step is that one
    qdi_until until;       ///< rules that end the run
    qdi_course course;     ///< stages so far
    qdi_until stage_until; ///< rules that end the present one
    qd_world *world;
    qdi_fleet *fleet; ///< that steps the world while the run is on its way; NULL without ranks
    qd_rundir *rundir;
    qd_store *store;
    int hash_form;                   ///< of the store: the result has its hash when it is closed
    qd_field *field;                 ///< NULL until one is due
    qd_distributions *distributions; ///< NULL until they are due
    qd_frame_writer *writer;         ///< NULL where no frames are due
    qd_video *video;                 ///< NULL where none is made, or no longer
    qd_error video_error;            ///< why there will be none; "": all is well
    char video_encoder[32];          ///< that the run was begun with; "": not yet
    bool video_force; ///< what lies at the video's path when the run is gone on with may be replaced
    char video_found[QDI_SESSION_PATH]; ///< the file that the run was begun with
    uint64_t steps_done;
    uint64_t frames;                ///< handed in
    bool checkpointed;              ///< there is a checkpoint to go on from
    uint64_t checkpoint_step;       ///< of the last one
    uint64_t checkpoint_ns;         ///< when it was made, by the clock
    uint64_t start_ns, wall_before; ///< when this process began to step, and what those before it took
    qdi_session_pace pace;
    uint64_t recorded_ns[QD_PHASE_COUNT]; ///< of the profile, when metrics were recorded last
    uint64_t moment_bytes;                ///< of a saved world
    qdi_step_log step_log;
    qdi_session_part failed;
    bool stuck;     ///< what failed fails again whenever the run is gone on with
    qd_error error; ///< of the part that failed
    qdi_result result;
    qdi_result_stage result_stages[QD_STAGES_MAX];
} qdi_session;

/// Takes fewer threads where the scene is known to have too few bodies for those that the machine has, or
/// ranks share them.
void qdi_session_fit_threads(qdi_session *session);

/// Lets steps of a world of this session use fewer threads where that is faster; not where a number was asked
/// for, nor with ranks.
QD_MUST_USE qd_status qdi_session_adapt_threads(const qdi_session *session, qd_world *world);

/// Makes the world at step 0, with its contacts, from the scene. Nothing is written yet.
int qdi_session_make_world(qdi_session *session);

/// Makes the run directory, the store and the writer of frames, and writes all that belongs to step 0, so
/// that the run can be gone on with from here.
int qdi_session_begin(qdi_session *session, bool force);

/// Opens the directory of an earlier run. `wanted`, if not NULL, is the hash that its scene must have.
/// `there` gets false (and nothing is said, and 0 returned) where there is no run; `complete` whether nothing
/// is left to do.
int qdi_session_open(qdi_session *session, const uint64_t *wanted, bool *there, bool *complete);

/// After qdi_session_open: the run gets `steps` steps instead of those that its scene says; as many is fine,
/// fewer are refused with exit code 2. `complete` is as qdi_session_open said, and gets false where there is
/// something left to do.
int qdi_session_extend(qdi_session *session, uint64_t steps, bool *complete);

/// After qdi_session_open: goes back to the last sound checkpoint; where there never was one, begins from
/// step 0.
int qdi_session_restore(qdi_session *session);

/// Steps until all are done, something fails or a signal comes; then leaves the directory in order: complete,
/// with result.json and a report, or so that it can be gone on with.
int qdi_session_run(qdi_session *session);

/// Prints the result.json of a complete run on the standard output.
int qdi_session_print_result(const qdi_session *session);

/// Frees everything and unlocks the directory.
void qdi_session_close(qdi_session *session);

// ---- between the session's files ----

/// What an earlier writer of frames left to the next.
typedef struct qdi_session_frames {
    const qd_frame_row *rows; ///< the frames that are there
    size_t count;
    double view_speed;
    const unsigned char *past; ///< see qd_frame_writer_past
    size_t past_bytes;
} qdi_session_frames;

/// Makes the frames' folder and writer, behind the frames that there are. `before` NULL: none.
int qdi_session_make_writer(qdi_session *session, const qdi_session_frames *before);

/// Makes everything that a run from step 0 needs in a directory that is open and has its scene, and writes
/// step 0.
int qdi_session_start(qdi_session *session);

/// "DIRECTORY/name"; false where that is too long.
bool qdi_session_path(const qdi_session *session, const char *name, char *path, size_t bytes);

/// At step 0: notes the first stage, where there are stages. Errors: the store's.
QD_MUST_USE qd_status qdi_session_first_stage(qdi_session *session);
/// Takes rules and plan of the stage that the world is in. Errors: those of qdi_until_begin.
QD_MUST_USE qd_status qdi_session_take_stage(qdi_session *session, qd_error *error);
/// Before a step: begins the stage that is due, of which there is one (qdi_course_due). False: failed.
bool qdi_session_enter_stage(qdi_session *session);
/// Whether the last stage has come to its end.
bool qdi_session_last_stage_is_over(const qdi_session *session);
/// After a step, before it is recorded: sees whether it is the last one of the run or of its stage. Errors:
/// the store's.
QD_MUST_USE qd_status qdi_session_look(qdi_session *session);

/// What came of each stage of a run that has ended; returns how many of them had a step.
size_t qdi_session_stage_results(const qdi_session *session, qdi_result_stage stages[QD_STAGES_MAX]);
/// Their names, for a line: "fill, settle, empty".
void qdi_session_stage_names(const qdi_session *session, char *text, size_t bytes);

/// How many ranks there are to be: as many as processes were started, else those of --ranks. Refuses, with
/// exit code 2, where these are other numbers.
int qdi_session_choose_ranks(qdi_session *session, qdi_option_number asked);
/// Refuses, with exit code 2, what a run with ranks cannot have; the world is there.
int qdi_session_check_ranks(const qdi_session *session);
/// Whether the run's bodies can be made by its ranks, each some of them, so that no process ever has the
/// whole world (a fleet that is apart); makes that fleet, of the world without bodies. Errors: those of
/// qdi_fleet_make_apart; QD_ERR_INVALID: try it with the whole world, which says why.
bool qdi_session_can_be_apart(const qdi_session *session);
QD_MUST_USE qd_status qdi_session_make_apart(qdi_session *session);
/// Writes a checkpoint of such a fleet, with these bytes of the session. The session's error has the reason
/// where the store fails.
QD_MUST_USE qd_status qdi_session_save_apart(qdi_session *session, const void *state, size_t bytes);
/// Bodies of the run's world, and the shortest contact of its springs, whoever has them.
uint64_t qdi_session_bodies(const qdi_session *session);
double qdi_session_contact_time(const qdi_session *session);
/// Before the first step of this process: makes the ranks, where there are some. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_session_launch(qdi_session *session);
/// Makes a step. With ranks the world is brought up to it only where something is made of it. Errors: as
/// qd_world_step.
QD_MUST_USE qd_status qdi_session_step(qdi_session *session);
/// Brings the world up to the last step. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_session_gather(const qdi_session *session);
/// Measures the world after the last step; hashes its state, in the form of the store. With ranks the world
/// is not brought up to it for that. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_session_measure(const qdi_session *session, qd_metrics *metrics);
QD_MUST_USE qd_status qdi_session_hash(const qdi_session *session, uint64_t *hash);
/// After the last step, which had this status: ends the ranks, the world is that of the last step; ranks that
/// are apart go on until the session is closed. Returns the status, or QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_session_land(qdi_session *session, qd_status status);

/// Before a step: what is due after it may ask for the moment before. False: failed.
bool qdi_session_watch(qdi_session *session);
/// Makes the field that is measured, where there is none yet. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_session_make_field(qdi_session *session);
/// The same of distributions.
QD_MUST_USE qd_status qdi_session_make_distributions(qdi_session *session);

/// All that is due at the present step but the checkpoint. The time counts as export. False: failed.
bool qdi_session_record(qdi_session *session);

/// True where a checkpoint is due at the present step or moment.
bool qdi_session_checkpoint_due(const qdi_session *session);

/// Waits for all frames, and commits their rows and a checkpoint of the present step. False: failed.
bool qdi_session_checkpoint(qdi_session *session);

/// Waits for all frames and commits their rows. False: failed.
bool qdi_session_flush(qdi_session *session);

/// Finds an encoder for --video and looks whether the file could be written. To be called while nothing of
/// the run is there; `force`: the file may be.
int qdi_session_plan_video(qdi_session *session, bool force);
/// Deletes what lies where the video is to be: it is to be replaced, and whoever goes on with the run finds
/// nothing foreign there.
QD_MUST_USE qd_status qdi_session_clear_video_place(const qdi_session *session, qd_error *error);
/// What scene.yaml is to hold: the scene, and before it which video there is to be. NULL: no memory. `*bytes`
/// is its size.
char *qdi_session_scene_text(const qdi_session *session, size_t *bytes);
/// Reads from scene.yaml which video the run was begun with; another one by --video is refused.
int qdi_session_find_video(qdi_session *session);
/// After that: finds its encoder again, unless the video has failed.
int qdi_session_prepare_video(qdi_session *session);
/// How many of the first `frames` frames the video's segments hold; the reason where these are not all.
uint64_t qdi_session_whole_video(const qdi_session *session, uint64_t frames, qd_error *error);
/// Deletes what of the video comes after so many frames.
QD_MUST_USE qd_status qdi_session_rewind_video(qdi_session *session, uint64_t frames, qd_error *error);
/// Ends the video's present segment. The writer is flushed. False: failed, and the run with it.
bool qdi_session_cut_video(qdi_session *session);
/// Joins the video and notes in the result what came out. False: failed, and the run with it.
bool qdi_session_finish_video(qdi_session *session);
/// Deletes what the video was made of.
void qdi_session_clear_video(qdi_session *session);
/// Of a complete run: the same, where the process that joined them was killed before it could.
void qdi_session_clear_joined_video(qdi_session *session);
/// At the end of a complete run: what became of the video.
int qdi_session_tell_video(const qdi_session *session);
/// How many frames the run has, or at most, where a rule may end it or a stage sooner.
uint64_t qdi_session_most_frames(const qdi_session *session);
/// A line about the video to come.
void qdi_session_video_words(const qdi_session *session);

/// Notes what failed, once. Returns false.
bool qdi_session_note(qdi_session *session, qdi_session_part part, qd_status status);

/// What is about to happen, before it does.
void qdi_session_header(const qdi_session *session);
/// What it is going to need of the disk; warns where that is not there.
void qdi_session_forecast(const qdi_session *session);
/// A limit that was passed, in words: which, by whom, and what it was like the step before.
void qdi_session_limit_words(const qdi_session *session, char *text, size_t bytes);
/// How to go on, in words, or up to where the run is kept if that is no use; "" where there is nothing to go
/// on from.
void qdi_session_hint(const qdi_session *session, char *text, size_t bytes);
