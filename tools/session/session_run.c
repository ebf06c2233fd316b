// From the first step that this process makes to the end, and the four ways to end: complete, stopped by a
// signal, buried with a post-mortem, or broken off for want of room or memory.

#include "core/base/os.h"
#include "core/parallel/parallel.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/progress.h"
#include "tools/session/postmortem.h"
#include "tools/session/report.h"
#include "tools/session/session.h"

#include <inttypes.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <stdlib.h>

enum { HINT_SIZE = 512 };

// Starts the progress bar of a run, or its plain lines.
static qdi_progress start_run_progress(const qdi_session *session) {
    const qdi_common *common = &session->common;
    bool terminal = qdi_host_stderr_is_terminal();
    const char *no_colour = getenv("NO_COLOR");
    qdi_progress_style style = terminal ? QDI_PROGRESS_BAR : QDI_PROGRESS_LINES;
    bool told = !terminal && session->step_log.every > 0; // a log says how far it is
    if (common->quiet || common->no_progress || told) style = QDI_PROGRESS_NONE;
    return qdi_progress_start(style, !common->no_colour && !(no_colour && *no_colour), session->steps_done,
                              session->plan.steps);
}

/// --log, or with -v as many lines as can be read.
static void start_log(qdi_session *session) {
    const qdi_common *common = &session->common;
    session->step_log = (qdi_step_log){.shown_step = session->steps_done, .shown_ns = qdi_clock_ns()};
    if (common->quiet) return;
    if (session->log.given)
        session->step_log.every = session->log.value;
    else if (common->verbose)
        session->step_log.every = qdi_step_log_period(session->plan.steps);
}

/// The line of the present step, where one is due. Its time counts as export. False: failed.
static bool print_log(qdi_session *session, qdi_progress *progress) {
    if (!qdi_step_log_due(&session->step_log, session->steps_done, session->plan.steps)) return true;
    uint64_t before = qdi_clock_ns();
    qd_metrics metrics;
    const qd_status status = qdi_session_measure(session, &metrics);
    if (status != QD_OK) return qdi_session_note(session, QDI_PART_STEP, status);
    qdi_progress_end(progress);
    qdi_step_log_print(&session->step_log, &metrics);
    session->result.profile.wall_ns[QD_PHASE_EXPORT] += qdi_clock_ns() - before;
    return true;
}

/// Makes a checkpoint of the present step, unless there is one.
static bool keep_state(qdi_session *session) {
    bool kept = session->checkpointed && session->checkpoint_step == session->steps_done;
    return kept || qdi_session_checkpoint(session);
}

/// Begins the stage that is due. Where the step to come is not made, the state before what the stage changes
/// is what the run goes on with: so that is kept.
static bool begin_stage(qdi_session *session) {
    if (!qdi_course_due(&session->course, session->world)) return true;
    return keep_state(session) && qdi_session_enter_stage(session);
}

/// Steps and records until all are done, something fails or a signal comes.
static qd_status run_steps(qdi_session *session) {
    start_log(session);
    qdi_progress progress = start_run_progress(session);
    qd_status status = print_log(session, &progress) ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) status = qd_world_set_stop(session->world, qdi_host_asked_to_stop, NULL);
    if (status == QD_OK) status = qdi_session_launch(session);
    while (status == QD_OK && session->steps_done < session->plan.steps && qdi_host_signal() == 0) {
        if (!begin_stage(session) || !qdi_session_watch(session)) break;
        status = qdi_session_step(session);
        if (status != QD_OK) break;
        const qd_status noted = qdi_session_look(session);
        if (noted != QD_OK) (void)qdi_session_note(session, QDI_PART_STORE, noted);
        if (noted != QD_OK || !qdi_session_record(session)) break;
        if (!print_log(session, &progress)) break;
        if (session->steps_done < session->plan.steps && qdi_session_checkpoint_due(session) &&
            !qdi_session_checkpoint(session))
            break;
        qdi_progress_step(&progress, session->steps_done);
    }
    qdi_progress_end(&progress);
    status = qdi_session_land(session, status);
    return status == QD_ERR_STOPPED ? QD_OK : status; // the world is that of the last step
}

/// Session: ends the list of frames and the store. Notes what fails, in this order.
static bool put_away(qdi_session *session) {
    if (session->writer) {
        qd_error error = {""};
        qd_status status = qd_frame_writer_finish(session->writer, &session->result.frames, &error);
        if (status != QD_OK && session->failed == QDI_PART_NONE) {
            session->failed = QDI_PART_FRAMES;
            session->error = error;
        }
    }
    qd_error error = {""};
    qd_status status = qd_store_close(session->store, &error);
    session->store = NULL;
    if (status != QD_OK && session->failed == QDI_PART_NONE) {
        session->failed = QDI_PART_STORE;
        snprintf(session->error.text, sizeof session->error.text, "%s", qdi_failure_reason(status, &error));
    }
    return session->failed == QDI_PART_NONE;
}

/// Session: something could not be written, or there was no memory for it: what was committed stays.
static int end_broken(qdi_session *session) {
    (void)put_away(session);
    char hint[HINT_SIZE];
    qdi_session_hint(session, hint, sizeof hint);
    qdi_complain("%s%s", session->error.text, hint);
    return session->failed == QDI_PART_STEP ? QDI_EXIT_FAILED : QDI_EXIT_OUTPUT;
}

// Ends a run that a signal stopped: checkpoint, message, exit code.
static int end_stopped_run(qdi_session *session) {
    if (!keep_state(session) || !put_away(session)) return end_broken(session);
    char hint[HINT_SIZE];
    qdi_session_hint(session, hint, sizeof hint);
    qdi_complain("stopped by %s after %" PRIu64 " of %" PRIu64 " steps%s",
                 qdi_host_signal_name(qdi_host_signal()), session->steps_done, session->plan.steps, hint);
    return QDI_EXIT_STOPPED;
}

/// Draws the post-mortem's picture and says, for the end of a line, where it is or why it is not.
static void draw_postmortem(const qdi_session *session, const qd_limit_report *report, char *text,
                            size_t bytes) {
    char path[QDI_SESSION_PATH + 32];
    qd_view view = qd_scene_stage_view(session->scene, (size_t)qd_world_stage(session->world));
    if (session->writer) view.speed = qd_frame_writer_speed(session->writer);
    const qd_provenance provenance = {qd_scene_name(session->scene), qd_scene_hash(session->scene),
                                      session->plan.seed};
    qd_error error = {""};
    (void)qdi_session_path(session, "postmortem.png", path, sizeof path);
    if (qdi_fleet_is_apart(session->fleet)) {
        snprintf(text, bytes, "; no picture of it: no rank has the whole world");
        return;
    }
    qd_status status = qdi_postmortem_draw(session->world, report, &view, &provenance, path, &error);
    if (status == QD_OK)
        snprintf(text, bytes, "; see %.300s", path);
    else
        snprintf(text, bytes, "; no picture of it: %s", qdi_failure_reason(status, &error));
}

/// Session: there was no memory for a step. The world is as before it, but how fat its boxes are was
/// forgotten on the way: going on from the checkpoint before gives the counts, too, that nobody disturbed.
static int end_starved(qdi_session *session, qd_status status) {
    snprintf(session->error.text, sizeof session->error.text, "step %" PRIu64 ": %s", session->steps_done + 1,
             qd_status_text(status));
    session->failed = QDI_PART_STEP;
    return end_broken(session);
}

/// A limit was passed. The world is as before the step: that state becomes a checkpoint, the reason a row of
/// `failures`, and there is a picture of the place.
static int end_buried(qdi_session *session) {
    char words[HINT_SIZE], picture[HINT_SIZE] = "";
    qd_limit_report report = qd_world_limit_report(session->world);
    qdi_session_limit_words(session, words, sizeof words);
    if (keep_state(session)) {
        qd_status put = qd_store_put_failure(session->store, &report);
        if (put != QD_OK) (void)qdi_session_note(session, QDI_PART_STORE, put);
    }
    draw_postmortem(session, &report, picture, sizeof picture);
    char trouble[sizeof session->error.text + 32] = "";
    // A video up to there shows how it came to that.
    if (!put_away(session) || !qdi_session_finish_video(session))
        snprintf(trouble, sizeof trouble, "; and besides: %s", session->error.text);
    qdi_complain("%s%s%s", words, picture, trouble);
    return QDI_EXIT_INVARIANT;
}

// Fills the result of a run as result.json has it.
static qd_status fill_run_result(qdi_session *session) {
    qdi_result *result = &session->result;
    qd_metrics metrics;
    qd_status status = qdi_session_measure(session, &metrics);
    if (status == QD_OK) status = qdi_session_hash(session, &result->state_hash);
    if (status != QD_OK) return status;
    result->scene = qd_scene_name(session->scene);
    result->scene_hash = qd_scene_hash(session->scene);
    result->seed = session->plan.seed;
    result->bodies = qdi_session_bodies(session);
    result->contacts = (uint64_t)metrics.contacts;
    result->steps = session->steps_done;
    result->dt = session->plan.dt;
    result->threads = session->threads.threads;
    result->threads_used = session->ranks > 0 ? result->threads : qdi_world_step_threads(session->world);
    result->pin = &session->pin;
    result->simd = qd_simd_name(session->simd);
    result->totals = qd_world_total(session->world);
    result->energy_last = metrics.kinetic + metrics.potential;
    result->balance_error = metrics.balance_error;
    result->has_rules = session->until.count > 0 || session->stage_until.count > 0;
    result->ended_stage = session->until.ended == 0 && qdi_session_last_stage_is_over(session);
    const qdi_until *until = result->ended_stage ? &session->stage_until : &session->until;
    result->ended_by = until->ended;
    if (result->ended_by > 0)
        qdi_until_words(until, result->ended_by - 1, result->ended_words, sizeof result->ended_words);
    result->stages = session->result_stages;
    result->stage_count = qdi_session_stage_results(session, session->result_stages);
    result->frames_are_files = session->plan.frames_files;
    result->peak_memory = qdi_os_peak_memory();
    return QD_OK;
}

/// A run that made or lost much energy by its steps is complete, but hardly what was wanted.
static void warn_of_balance(const qdi_session *session) {
    const double error = session->result.balance_error;
    if (session->common.quiet || !(error > QD_BALANCE_ERROR_MOST)) return;
    qdi_warn(
        "the steps made or lost %.3g %% of the energy that the run turned over, more than %g %%: shorter "
        "steps (run.dt) make that less; see balance_error in docs/metrics.md",
        100 * error, 100 * QD_BALANCE_ERROR_MOST);
}

/// The last step is a checkpoint in any case: other runs begin there, and this one can get more steps.
/// result.json comes last: where it is, the run is complete.
static int end_complete(qdi_session *session) {
    if (!keep_state(session) || !put_away(session) || !qdi_session_finish_video(session))
        return end_broken(session);
    session->result.wall_ns = session->wall_before + (qdi_clock_ns() - session->start_ns);
    qdi_json json = {.allocator = qd_allocator_default()};
    qd_status status = fill_run_result(session);
    if (status == QD_OK) status = qdi_result_json(&session->result, &json);
    if (status == QD_OK)
        status = qd_rundir_write(session->rundir, "result.json", json.text, json.length, &session->error);
    if (status == QD_OK && session->json) fputs(json.text, stdout);
    qdi_json_free(&json);
    if (status != QD_OK) {
        char hint[HINT_SIZE];
        qdi_session_hint(session, hint, sizeof hint);
        qdi_complain("%s%s", qdi_failure_reason(status, &session->error), hint);
        return qdi_failure_code(status, QDI_EXIT_OUTPUT);
    }
    qdi_session_clear_video(session);
    if (!session->common.quiet)
        qdi_report_print(stderr, &session->result, session->world, session->directory,
                         session->common.verbose);
    warn_of_balance(session);
    return qdi_session_tell_video(session);
}

int qdi_session_run(qdi_session *session) {
    qd_status status = run_steps(session);
    if (status == QD_ERR_LIMIT) return end_buried(session);
    if (status != QD_OK) return end_starved(session, status);
    if (session->failed != QDI_PART_NONE) return end_broken(session);
    if (session->steps_done < session->plan.steps) return end_stopped_run(session);
    return end_complete(session);
}
