#include "tools/session/session.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/files/os.h"
#include "sim/world/world_team.h"
#include "tools/host/build.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/threads_here.h"

#include <quadrille/metrics.h>
#include <stdio.h>

bool qdi_session_path(const qdi_session *session, const char *name, char *path, size_t bytes) {
    int length = snprintf(path, bytes, "%s/%s", session->directory, name);
    return length > 0 && (size_t)length < bytes;
}

void qdi_session_fit_threads(qdi_session *session) {
    qdi_thread_choice *choice = &session->threads;
    if (!qd_scene_grows(session->scene)) qdi_threads_fit(choice, qd_scene_bodies(session->scene));
    if (session->ranks == 0 || !choice->adapts) return;
    choice->threads = choice->threads > session->ranks ? choice->threads / session->ranks : 1; // of each rank
}

qd_status qdi_session_adapt_threads(const qdi_session *session, qd_world *world) {
    return qd_world_adapt_threads(world, session->threads.adapts && session->ranks == 0);
}

// Makes the world's bodies and finds their contacts; `apart`: ranks do, each some of them.
static qd_status make_bodies(qdi_session *session, bool apart, qd_error *error) {
    qd_world_def def = qd_scene_world(session->scene);
    def.threads = session->threads.threads;
    def.simd = session->simd;
    qd_status status = qd_world_create(&def, &session->world);
    if (status == QD_OK) status = qdi_pin_team(&session->pin, qdi_world_team(session->world));
    if (apart) return status == QD_OK ? qdi_session_make_apart(session) : status;
    if (status == QD_OK) status = qdi_session_adapt_threads(session, session->world);
    if (status == QD_OK) status = qd_scene_populate(session->scene, session->world, error);
    return status == QD_OK ? qd_world_detect(session->world) : status;
}

int qdi_session_make_world(qdi_session *session) {
    qd_error error = {""};
    const bool apart = qdi_session_can_be_apart(session);
    qd_status status = make_bodies(session, apart, &error);
    if (apart && status == QD_ERR_INVALID) { // what makes all bodies can say why
        qd_world_destroy(session->world);
        session->world = NULL;
        status = make_bodies(session, false, &error);
    }
    if (status == QD_ERR_LIMIT) {
        char words[512];
        qdi_session_limit_words(session, words, sizeof words);
        qdi_complain("%s", words);
        return QDI_EXIT_SCENE;
    }
    if (status == QD_OK)
        status = qdi_until_begin(&session->until, session->scene, QDI_UNTIL_RUN, 0, 0, session->world,
                                 &error);
    if (status == QD_OK) status = qdi_session_take_stage(session, &error);
    if (status == QD_OK) return QDI_EXIT_DONE;
    qd_error named; // what cannot be placed is the scene's fault, so say which scene
    snprintf(named.text, sizeof named.text, "%.200s: %.300s", session->label,
             qdi_failure_reason(status, &error));
    return qdi_fail(status, &named, QDI_EXIT_SCENE);
}

int qdi_session_make_writer(qdi_session *session, const qdi_session_frames *before) {
    if (!qdi_course_has_frames(session->scene)) return QDI_EXIT_DONE;
    char path[QDI_SESSION_PATH + 16];
    qd_error error = {""};
    bool files = session->plan.frames_files;
    qd_status status = files ? qd_rundir_subdir(session->rundir, "frames", &error) : QD_OK;
    if (status == QD_OK) {
        (void)qdi_session_path(session, "frames", path, sizeof path);
        qd_frame_writer_def def = qd_frame_writer_def_default();
        def.directory = files ? path : NULL;
        def.video = session->video;
        def.view = qd_scene_stage_view(session->scene, (size_t)qd_world_stage(session->world));
        def.workers = qdi_threads_for_frames(session->threads.threads);
        def.provenance = (qd_provenance){qd_scene_name(session->scene), qd_scene_hash(session->scene),
                                         session->plan.seed};
        if (before && before->count > 0) {
            def.speed = before->view_speed;
            def.rows = before->rows;
            def.row_count = before->count;
            def.past = before->past;
            def.past_bytes = before->past_bytes;
        }
        if (def.view.colour == QD_VIEW_THREAD) status = qd_world_note_threads(session->world, true);
        if (status == QD_OK) status = qd_frame_writer_create(&def, &session->writer, &error);
    }
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

// Makes run.db of a run.
static int make_session_store(qdi_session *session) {
    char path[QDI_SESSION_PATH + 16], processor[128];
    (void)qdi_session_path(session, "run.db", path, sizeof path);
    qdi_host_processor(processor, sizeof processor);
    qd_store_def def = qd_store_def_default();
    def.scene = session->scene;
    def.bodies = qd_world_count(session->world);
    def.threads = session->threads.threads;
    def.simd = session->simd;
    def.source = qdi_build_commit;
    def.compiler = qdi_build_compiler;
    def.flags = qdi_build_flags;
    def.cpu = processor;
    qd_error error = {""};
    qd_status status = qd_store_create(path, &def, &session->store, &error);
    session->hash_form = qd_store_hash_form(session->store);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

/// Session: ends after a failure before the first step: there is nothing yet to go on from.
static int fail_at_start(qdi_session *session) {
    qdi_complain("%s", session->error.text);
    return session->failed == QDI_PART_STEP ? QDI_EXIT_FAILED : QDI_EXIT_OUTPUT;
}

int qdi_session_start(qdi_session *session) {
    int exit_code = make_session_store(session);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_make_writer(session, NULL);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    session->start_ns = qdi_clock_ns();
    qd_metrics metrics;
    qd_status status = qdi_session_measure(session, &metrics);
    if (status != QD_OK) {
        (void)qdi_session_note(session, QDI_PART_STEP, status);
        return fail_at_start(session);
    }
    session->result.energy_first = metrics.kinetic + metrics.potential;
    session->moment_bytes = metrics.saved_bytes;
    if (!session->common.quiet) qdi_session_header(session);
    status = qdi_session_first_stage(session);
    if (status != QD_OK) (void)qdi_session_note(session, QDI_PART_STORE, status);
    if (status != QD_OK || !qdi_session_record(session) || !qdi_session_checkpoint(session))
        return fail_at_start(session);
    if (!session->common.quiet) qdi_session_forecast(session);
    return QDI_EXIT_DONE;
}

int qdi_session_begin(qdi_session *session, bool force) {
    qd_error error = {""};
    size_t bytes = 0;
    char *text = qdi_session_scene_text(session, &bytes);
    qd_status status = text ? qd_rundir_create(session->directory, text, force, &session->rundir, &error)
                            : QD_ERR_MEMORY;
    qdi_release(qd_allocator_default(), text, bytes, 1);
    if (status == QD_ERR_EXISTS) {
        qdi_complain("%s; `quadrille resume` or --resume goes on with it, --force replaces it, -o DIR writes "
                     "elsewhere",
                     qdi_failure_reason(status, &error));
        return QDI_EXIT_OUTPUT;
    }
    if (status == QD_OK && force) status = qdi_session_clear_video_place(session, &error);
    if (status == QD_OK) status = qd_rundir_write_scene_files(session->rundir, session->scene, &error);
    return status == QD_OK ? qdi_session_start(session) : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

int qdi_session_print_result(const qdi_session *session) {
    char path[QDI_SESSION_PATH + 16], part[4096];
    (void)qdi_session_path(session, "result.json", path, sizeof path);
    FILE *file = NULL;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, NULL);
    size_t got = 0;
    while (status == QD_OK && (got = fread(part, 1, sizeof part, file)) > 0) fwrite(part, 1, got, stdout);
    bool read = file && !ferror(file);
    if (file) (void)fclose(file);
    if (read) return QDI_EXIT_DONE;
    qdi_complain("cannot read %s", path);
    return QDI_EXIT_OUTPUT;
}

void qdi_session_close(qdi_session *session) {
    qd_frame_writer_destroy(session->writer);
    qd_video_destroy(session->video);
    qd_status status = qd_store_close(session->store, NULL);
    (void)status; // what it could say was said, or nothing was put
    qd_rundir_close(session->rundir);
    qd_field_destroy(session->field);
    qd_distributions_destroy(session->distributions);
    qdi_fleet_destroy(session->fleet);
    qd_world_destroy(session->world);
    qd_scene_destroy(session->scene);
}
