#include "tools/session.h"

#include "core/verbs.h"
#include "tools/bench/build.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/failure.h"
#include "tools/os.h"

#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

bool qdi_session_path(const qdi_session *session, const char *name, char *path, size_t bytes) {
    int length = snprintf(path, bytes, "%s/%s", session->directory, name);
    return length > 0 && (size_t)length < bytes;
}

int qdi_session_make_world(qdi_session *session) {
    qd_world_def def = qd_scene_world(session->scene);
    def.threads = session->threads.threads;
    def.simd = session->simd;
    qd_error error = {""};
    qd_status status = qd_world_create(&def, &session->world);
    if (status == QD_OK) status = qd_scene_populate(session->scene, session->world, &error);
    if (status == QD_OK) {
        status = qd_world_detect(session->world);
        if (status == QD_ERR_LIMIT) {
            char words[512];
            qdi_session_limit_words(session, words, sizeof words);
            qdi_complain("%s", words);
            return QDI_EXIT_SCENE;
        }
    }
    if (status == QD_OK) return QDI_EXIT_DONE;
    qd_error named; // what cannot be placed is the scene's fault, so say which scene
    snprintf(named.text, sizeof named.text, "%.200s: %.300s", session->label,
             qdi_failure_reason(status, &error));
    return qdi_fail(status, &named, QDI_EXIT_SCENE);
}

int qdi_session_make_writer(qdi_session *session, const qd_frame_row *rows, size_t count, double view_speed) {
    if (session->plan.frames_every == 0) return QDI_EXIT_DONE;
    char path[QDI_SESSION_PATH + 16];
    qd_error error = {""};
    qd_status status = qd_rundir_subdir(session->rundir, "frames", &error);
    if (status == QD_OK) {
        (void)qdi_session_path(session, "frames", path, sizeof path);
        qd_frame_writer_def def = qd_frame_writer_def_default();
        def.directory = path;
        def.view = qd_scene_view(session->scene);
        if (count > 0) def.view.speed = view_speed;
        def.provenance = (qd_provenance){qd_scene_name(session->scene), qd_scene_hash(session->scene),
                                         session->plan.seed};
        def.rows = rows;
        def.row_count = count;
        status = qd_frame_writer_create(&def, &session->writer, &error);
    }
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

static int make_store(qdi_session *session) {
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
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

/// Ends after a failure before the first step: there is nothing yet to go on from.
static int fail_at_start(qdi_session *session) {
    qdi_complain("%s", session->error.text);
    return session->failed == QDI_PART_STEP ? QDI_EXIT_FAILED : QDI_EXIT_OUTPUT;
}

int qdi_session_start(qdi_session *session) {
    int exit_code = make_store(session);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_make_writer(session, NULL, 0, 0);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    session->start_ns = qdi_clock_ns();
    qd_metrics metrics;
    qd_world_measure(session->world, &metrics);
    session->result.energy_first = metrics.kinetic + metrics.potential;
    session->moment_bytes = metrics.saved_bytes;
    if (!session->common.quiet) qdi_session_header(session);
    if (!qdi_session_record(session) || !qdi_session_checkpoint(session)) return fail_at_start(session);
    if (!session->common.quiet) qdi_session_forecast(session);
    return QDI_EXIT_DONE;
}

int qdi_session_begin(qdi_session *session, bool force) {
    qd_error error = {""};
    qd_status status = qd_rundir_create(session->directory, qd_scene_text(session->scene), force,
                                        &session->rundir, &error);
    if (status == QD_ERR_EXISTS) {
        qdi_complain("%s; `quadrille resume` or --resume goes on with it, --force replaces it, -o DIR writes "
                     "elsewhere",
                     qdi_failure_reason(status, &error));
        return QDI_EXIT_OUTPUT;
    }
    if (status == QD_OK) status = qd_rundir_write_scene_files(session->rundir, session->scene, &error);
    return status == QD_OK ? qdi_session_start(session) : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

int qdi_session_print_result(const qdi_session *session) {
    char path[QDI_SESSION_PATH + 16], part[4096];
    (void)qdi_session_path(session, "result.json", path, sizeof path);
    FILE *file = fopen(path, "rb");
    size_t got = 0;
    while (file && (got = fread(part, 1, sizeof part, file)) > 0) fwrite(part, 1, got, stdout);
    bool read = file && !ferror(file);
    if (file) (void)fclose(file);
    if (read) return QDI_EXIT_DONE;
    qdi_complain("cannot read %s", path);
    return QDI_EXIT_OUTPUT;
}

void qdi_session_close(qdi_session *session) {
    qd_frame_writer_destroy(session->writer);
    qd_status status = qd_store_close(session->store, NULL);
    (void)status; // what it could say was said, or nothing was put
    qd_rundir_close(session->rundir);
    qd_world_destroy(session->world);
    qd_scene_destroy(session->scene);
}
