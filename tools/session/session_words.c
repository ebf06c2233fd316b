#include "tools/host/console.h"
#include "tools/host/forecast.h"
#include "tools/host/os.h"
#include "tools/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Prints the notes of a run, a line each.
static void print_notes(const char *notes) {
    for (const char *note = notes, *end; *note; note = *end ? end + 1 : end) {
        end = strchr(note, '\n');
        if (!end) end = note + strlen(note);
        fprintf(stderr, "note     %.*s\n", (int)(end - note), note);
    }
}

// Words of a session: whether a body with this label is in the world.
static bool is_there(const qd_world *world, uint64_t label) {
    const qd_body_view bodies = qd_world_view(world);
    for (size_t row = 0; row < bodies.count; ++row)
        if (bodies.label[row] == label) return true;
    return false;
}

// Words of a session: warns of a key that names a body which is not there.
static void warn_of_nobody(const qdi_session *session, const char *key, uint64_t label) {
    if (label != QD_VIEW_NOBODY && label != QD_VIEW_MASS && !is_there(session->world, label))
        qdi_warn("%s: there is no body %" PRIu64 ", and nothing makes one", key, label);
}

/// What makes a run pointless that is otherwise fine. Emitters may still make the bodies.
static void warn_of_what_is_missing(const qdi_session *session) {
    qd_emitter_counts counts;
    if (session->steps_done > 0 || qd_world_emitter(session->world, 0, &counts) == QD_OK) return;
    if (qdi_session_bodies(session) == 0)
        qdi_warn("the scene has no bodies, and nothing makes any: see `bodies` in docs/scene.md");
    const qd_view view = qd_scene_view(session->scene);
    warn_of_nobody(session, "view.camera.follow", view.camera.follow);
    warn_of_nobody(session, "view.retrieve", view.retrieve);
    warn_of_nobody(session, "view.query.follow", view.query.follow);
}

/// Bodies above which a search without a tree takes seconds rather than instants.
enum { MANY_FOR_BRUTE = 10000 };

/// Words of a session: warns of brute force with many bodies.
static void warn_of_brute_force(const qdi_session *session) {
    const uint64_t count = qdi_session_bodies(session);
    if (qd_world_definition(session->world).retrieve != QD_RETRIEVE_BRUTE || count <= MANY_FOR_BRUTE) return;
    qdi_warn(
        "stepper.retrieve: brute: each search for pairs compares %.2g boxes with one another; `join` finds "
        "the same pairs",
        0.5 * (double)count * (double)(count - 1));
}

// Whether the run may end before its last step.
static bool is_open_ended(const qdi_session *session) {
    bool open = session->until.count > 0;
    qd_scene_stage stage;
    for (size_t k = 0; qd_scene_stage_at(session->scene, k, &stage); ++k) open = open || stage.rules > 0;
    return open;
}

uint64_t qdi_session_most_frames(const qdi_session *session) {
    const qdi_course course = qdi_course_longest(&session->course, session->scene);
    return qdi_course_frames(&course, session->scene, session->plan.steps);
}

// Says how often there is a frame, stage by stage where that changes.
static void frames_words(const qdi_session *session) {
    const qd_scene *scene = session->scene;
    qd_scene_stage stage;
    uint64_t before = qd_scene_run_settings(scene).frames_every;
    if (!qdi_course_has_frames(scene)) {
        fprintf(stderr, "frames   none\n");
        return;
    }
    fprintf(stderr, "frames   every %" PRIu64 " steps, ", before);
    for (size_t k = 1; qd_scene_stage_at(scene, k, &stage); ++k) {
        const uint64_t every = qd_scene_stage_run(scene, k).frames_every;
        if (every != before) fprintf(stderr, "from stage %s on every %" PRIu64 ", ", stage.name, every);
        before = every;
    }
    fprintf(stderr, "%s%" PRIu64 " in all%s\n", is_open_ended(session) ? "at most " : "",
            qdi_session_most_frames(session), session->plan.frames_files ? "" : "; no files");
}

void qdi_session_header(const qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    fprintf(stderr, "quadrille %s\n", QD_VERSION);
    fprintf(stderr, "scene    %s: %" PRIu64 " bodies, %s%" PRIu64 " steps of %.6g, seed %" PRIu64 "\n",
            qd_scene_name(session->scene), qdi_session_bodies(session),
            is_open_ended(session) ? "at most " : "", plan->steps, plan->dt, plan->seed);
    for (size_t i = 0; i < session->until.count; ++i) {
        char words[128];
        qdi_until_words(&session->until, i, words, sizeof words);
        fprintf(stderr, "until    %s\n", words);
    }
    char stages[256];
    qdi_session_stage_names(session, stages, sizeof stages);
    if (stages[0]) fprintf(stderr, "stages   %s\n", stages);
    if (session->ranks > 0) fprintf(stderr, "ranks    %d, each with the threads below\n", session->ranks);
    fprintf(stderr, "threads  %d (%s)\n", session->threads.threads, session->threads.reason);
    if (session->pin.threads > 0) {
        char processors[256];
        qdi_pin_words(&session->pin, processors, sizeof processors);
        fprintf(stderr, "pin      %s\n", processors);
    }
    fprintf(stderr, "kernels  %s (%s)\n", qd_simd_name(session->simd),
            session->simd_asked  ? "--simd"
            : session->simd_kept ? "as the run was begun"
                                 : "the processor's best");
    frames_words(session);
    qdi_session_video_words(session);
    fprintf(stderr, "output   %s\n", session->directory);
    qd_scene_stage now;
    if (session->steps_done > 0 && qd_scene_stage_at(session->scene, session->course.count - 1, &now))
        fprintf(stderr, "resume   from the checkpoint of step %" PRIu64 ", stage %s\n", session->steps_done,
                now.name);
    else if (session->steps_done > 0)
        fprintf(stderr, "resume   from the checkpoint of step %" PRIu64 "\n", session->steps_done);
    print_notes(qd_scene_notes(session->scene));
    if (session->video) print_notes(qd_video_note(session->video));
    print_notes(qd_store_note(session->store));
    warn_of_what_is_missing(session);
    warn_of_brute_force(session);
    double contact_time = qdi_session_contact_time(session);
    if (plan->dt > contact_time / 20)
        qdi_warn("run.dt, %.6g, is longer than a twentieth of the contact time of springs, %.6g: bodies that "
                 "meet gain or lose energy by that; take %.6g or less",
                 plan->dt, contact_time, contact_time / 20);
}

/// Words of a session: how many of the steps to come are multiples of `every`.
static uint64_t left(const qdi_session *session, uint64_t every) {
    return every > 0 ? session->plan.steps / every - session->steps_done / every : 0;
}

/// Words of a session: the same of frames, at most.
static uint64_t left_frames(const qdi_session *session) {
    const uint64_t most = qdi_session_most_frames(session);
    return most > session->frames ? most - session->frames : 0;
}

/// As many rows of the usual size as a sample of fields takes.
static uint64_t field_rows(const qdi_session *session) {
    const int *cells = session->plan.field_cells;
    return (uint64_t)cells[0] * (uint64_t)cells[1] * QD_FIELD_QUANTITIES * sizeof(double) / 160;
}

/// Words of a session: size of the last frame that is in place.
static uint64_t frame_bytes(const qdi_session *session) {
    if (session->frames == 0) return 0;
    char name[48], path[QDI_SESSION_PATH + 64];
    snprintf(name, sizeof name, "frames/frame_%06" PRIu64 ".png", session->frames - 1);
    return qdi_session_path(session, name, path, sizeof path) ? qdi_host_file_size(path) : 0;
}

void qdi_session_forecast(const qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    const qdi_forecast forecast = {
        .frames = left_frames(session),
        .frame_bytes = frame_bytes(session),
        .snapshots = left(session, plan->record_snapshots),
        .snapshot_bytes = session->moment_bytes / 2,
        // As many as are kept, and one more before an old one goes; else the first and the last.
        .checkpoints = plan->checkpoint_every > 0 || plan->checkpoint_seconds > 0 ? plan->checkpoint_keep + 1
                                                                                  : 2,
        .checkpoint_bytes = session->moment_bytes,
        .rows = 4 * left(session, plan->record_metrics) +
                left(session, plan->record_fields) * field_rows(session) +
                left(session, plan->record_hashes) + left_frames(session),
        .events = plan->record_events != QD_RECORD_EVENTS_NONE,
        .free = qdi_host_disk_free(session->directory),
    };
    char words[256];
    qdi_forecast_words(&forecast, words, sizeof words);
    fprintf(stderr, "disk     %s\n", words);
    if (!qdi_forecast_fits(&forecast))
        qdi_warn("the run is going to need about %s, and %s are free; when the disk is full it stops, and "
                 "`quadrille resume` goes on when there is room",
                 qdi_words_bytes((double)qdi_forecast_total(&forecast)).text,
                 qdi_words_bytes((double)forecast.free).text);
}

void qdi_session_limit_words(const qdi_session *session, char *text, size_t bytes) {
    qd_limit_report report = qd_world_limit_report(session->world);
    const char *why = report.reason[0] ? report.reason : qd_status_text(QD_ERR_LIMIT);
    if (!report.has_body) {
        snprintf(text, bytes, "step %" PRIu64 ": %s", report.step, why);
        return;
    }
    const qd_body_state *body = &report.body;
    snprintf(text, bytes,
             "step %" PRIu64 ": body %" PRIu64 ": %s; before the step it was at (%.9g, %.9g) with velocity "
             "(%.9g, %.9g)",
             report.step, report.label, why, body->position.x, body->position.y, body->velocity.x,
             body->velocity.y);
}

void qdi_session_hint(const qdi_session *session, char *text, size_t bytes) {
    text[0] = '\0';
    if (session->checkpointed && session->stuck)
        snprintf(text, bytes, "; the run is kept up to step %" PRIu64, session->checkpoint_step);
    else if (session->checkpointed)
        snprintf(text, bytes, "; `quadrille resume %.300s` goes on from step %" PRIu64, session->directory,
                 session->checkpoint_step);
}
