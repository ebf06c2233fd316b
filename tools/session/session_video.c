// The video of a run. It is planned and its encoder tried before anything is written, cut at every
// checkpoint, and joined when the run is complete. What goes wrong with the encoder never ends the run: it is
// told at the end. Where the disk is full the run stops, as for everything else that finds no room.
//
// What video there is to be stands in the second line of scene.yaml, so that it is there as soon as the run
// is.

#include "core/base/memory.h"
#include "export/process/os.h"
#include "export/raster/palette.h"
#include "export/video/video_impl.h"
#include "sim/text/scene_text.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/output_place.h"
#include "tools/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Before the encoder's name and the path, in scene.yaml.
static const char mark[] = "# Video: ";
static const char failed_name[] = "video/failed.txt";

// The path of the video of a run.
static bool session_video_path(const qdi_session *session, char path[QDI_SESSION_PATH + 16]) {
    return qdi_session_path(session, "video", path, QDI_SESSION_PATH + 16);
}

/// True where the video is to lie in the run's own directory, which need not be there yet.
static bool lies_inside(const qdi_session *session) {
    size_t length = strlen(session->directory);
    while (length > 1 && session->directory[length - 1] == '/') --length;
    return strncmp(session->video_file, session->directory, length) == 0 &&
           session->video_file[length] == '/' && !strchr(session->video_file + length + 1, '/');
}

/// Session's video: whether frames of some stage have another palette than those of the first one.
static bool has_palettes(const qd_scene *scene) {
    const qd_view first = qd_scene_stage_view(scene, 0);
    const qdi_palette palette = qdi_palette_make(&first);
    for (size_t k = 1; k < qd_scene_stages(scene); ++k) {
        const qd_view view = qd_scene_stage_view(scene, k);
        const qdi_palette other = qdi_palette_make(&view);
        if (memcmp(palette.rgb, other.rgb, sizeof palette.rgb) != 0) return true;
    }
    return false;
}

/// Session's video: finds an encoder, and makes what frames can be added to.
static qd_status make_video(qdi_session *session, bool replace, qd_error *error) {
    char path[QDI_SESSION_PATH + 16];
    (void)session_video_path(session, path);
    const qd_view view = qd_scene_view(session->scene);
    qd_video_def def = qd_video_def_default();
    def.file = session->video_file;
    def.directory = path;
    def.width = view.width;
    def.height = view.height;
    def.settings = qd_scene_video(session->scene);
    def.provenance = (qd_provenance){qd_scene_name(session->scene), qd_scene_hash(session->scene),
                                     session->plan.seed};
    def.encoder = session->video_encoder[0] ? session->video_encoder : NULL;
    def.true_colour = has_palettes(session->scene);
    def.replace = replace;
    def.folder_comes = lies_inside(session);
    return qd_video_create(&def, &session->video, error);
}

int qdi_session_plan_video(qdi_session *session, bool force) {
    if (!session->video_file) return QDI_EXIT_DONE;
    // Without --force the video's maker refuses a file that is there.
    const int refused = qdi_output_check_file(session->video_file, &(qdi_output_rule){.force = true});
    if (refused != QDI_EXIT_DONE) return refused;
    qd_error error = {""};
    qd_status status = make_video(session, force, &error);
    if (status == QD_OK && qdi_text_is_line(qd_video_file(session->video))) return QDI_EXIT_DONE;
    if (status == QD_OK) {
        // A line of scene.yaml, which has to be read again.
        qdi_complain("%s: a run's video has a name in UTF-8 without control characters",
                     qd_video_file(session->video));
        return QDI_EXIT_USAGE;
    }
    int exit_code = status == QD_ERR_NOT_FOUND ? QDI_EXIT_FAILED
                    : status == QD_ERR_VALUE   ? QDI_EXIT_USAGE
                                               : QDI_EXIT_OUTPUT;
    return qdi_fail(status, &error, exit_code);
}

qd_status qdi_session_clear_video_place(const qdi_session *session, qd_error *error) {
    return session->video ? qdi_os_remove_file(qd_video_file(session->video), error) : QD_OK;
}

char *qdi_session_scene_text(const qdi_session *session, size_t *bytes) {
    const char *text = qd_scene_text(session->scene), *file = "", *encoder = session->video_encoder;
    bool video = session->video || (session->video_file && encoder[0]); // the latter: found in scene.yaml
    if (video) file = session->video ? qd_video_file(session->video) : session->video_file;
    if (session->video) encoder = qd_video_encoder(session->video);
    *bytes = strlen(text) + sizeof mark + 64 + strlen(file);
    char *whole = qdi_allocate(qd_allocator_default(), *bytes, 1);
    if (!whole) return NULL;
    if (video)
        snprintf(whole, *bytes, "%s%s %s\n%s", mark, encoder, file, text);
    else
        snprintf(whole, *bytes, "%s", text);
    return whole;
}

int qdi_session_find_video(qdi_session *session) {
    char path[QDI_SESSION_PATH + 16], line[QDI_SESSION_PATH + 128] = "";
    const char *asked = session->video_file;
    (void)qdi_session_path(session, "scene.yaml", path, sizeof path);
    FILE *file = NULL;
    if (qdi_os_open(path, QDI_OS_OWN, &file, NULL) != QD_OK)
        return QDI_EXIT_DONE; // whoever reads the scene says so
    bool there = fgets(line, sizeof line, file) != NULL;
    if (there) there = fgets(line, sizeof line, file) != NULL; // the second line
    (void)fclose(file);
    line[strcspn(line, "\n")] = '\0';
    const char *encoder = line + sizeof mark - 1, *name = NULL;
    if (there && strncmp(line, mark, sizeof mark - 1) == 0) name = strchr(encoder, ' ');
    if (!name || name - encoder >= (ptrdiff_t)sizeof session->video_encoder) {
        session->video_file = NULL;
        if (!asked) return QDI_EXIT_DONE;
        qdi_complain("%s was begun without --video; `quadrille video %s -o FILE` makes one of its frames",
                     session->directory, session->directory);
        return QDI_EXIT_USAGE;
    }
    snprintf(session->video_encoder, sizeof session->video_encoder, "%.*s", (int)(name - encoder), encoder);
    snprintf(session->video_found, sizeof session->video_found, "%s", name + 1);
    session->video_file = session->video_found;
    char whole[QDI_SESSION_PATH];
    if (!asked || (qdi_path_from_root(asked, whole, sizeof whole, NULL) == QD_OK &&
                   strcmp(whole, session->video_found) == 0))
        return QDI_EXIT_DONE;
    qdi_complain("%s was begun with --video %s; it goes on with that only", session->directory,
                 session->video_found);
    return QDI_EXIT_USAGE;
}

/// Session's video: what an earlier process has left about a video that failed.
static void read_failure(qdi_session *session) {
    char path[QDI_SESSION_PATH + 32];
    (void)qdi_session_path(session, failed_name, path, sizeof path);
    FILE *file = NULL;
    if (qdi_os_open(path, QDI_OS_OWN, &file, NULL) != QD_OK) return;
    char *text = session->video_error.text;
    if (!fgets(text, sizeof session->video_error.text, file)) text[0] = '\0';
    (void)fclose(file);
    text[strcspn(text, "\n")] = '\0';
    if (!text[0]) snprintf(text, sizeof session->video_error.text, "the video failed");
}

int qdi_session_prepare_video(qdi_session *session) {
    if (!session->video_file) return QDI_EXIT_DONE;
    read_failure(session);
    if (session->video_error.text[0]) return QDI_EXIT_DONE;
    qd_error error = {""};
    qd_status status = make_video(session, session->video_force, &error);
    if (status == QD_OK && session->video_force) status = qdi_session_clear_video_place(session, &error);
    if (status == QD_OK) return QDI_EXIT_DONE;
    if (status == QD_ERR_EXISTS) {
        qdi_complain("%s exists, and this run has not made it; `quadrille resume %.300s --force` replaces it",
                     session->video_file, session->directory);
        return QDI_EXIT_OUTPUT;
    }
    return qdi_fail(status, &error, status == QD_ERR_NOT_FOUND ? QDI_EXIT_FAILED : QDI_EXIT_OUTPUT);
}

uint64_t qdi_session_whole_video(const qdi_session *session, uint64_t frames, qd_error *error) {
    char path[QDI_SESSION_PATH + 16];
    if (!session->video || frames == 0) return frames;
    (void)session_video_path(session, path);
    uint64_t whole = qd_video_whole(path, frames);
    if (whole != frames && error)
        snprintf(error->text, sizeof error->text, "%.300s lacks frame %" PRIu64, path, whole);
    return whole;
}

qd_status qdi_session_rewind_video(qdi_session *session, uint64_t frames, qd_error *error) {
    char path[QDI_SESSION_PATH + 16];
    if (!session->video) return QD_OK;
    (void)session_video_path(session, path);
    qd_status status = qd_video_keep(path, frames, error);
    if (status == QD_OK) qd_video_begin_at(session->video, frames);
    return status;
}

/// Notes that there will be no video, where those who go on with the run find it, too.
static void give_up(qdi_session *session, const qd_error *error) {
    session->video_error = *error;
    qd_video_destroy(session->video);
    session->video = NULL;
    qd_status status = qd_rundir_subdir(session->rundir, "video", NULL);
    char line[sizeof error->text + 2];
    int length = snprintf(line, sizeof line, "%s\n", error->text);
    if (status == QD_OK) status = qd_rundir_write(session->rundir, failed_name, line, (size_t)length, NULL);
    (void)status; // then the next process tries again
    if (!session->common.quiet) qdi_warn("%s; the run goes on without a video", error->text);
}

/// True where the run can go on: all is well, or it is the encoder's fault.
static bool judge_video(qdi_session *session, qd_status status, const qd_error *error) {
    if (status == QD_OK) return true;
    if (status == QD_ERR_STATE || status == QD_ERR_VALUE || status == QD_ERR_EXISTS) {
        give_up(session, error);
        return true;
    }
    if (session->failed == QDI_PART_NONE) {
        session->failed = status == QD_ERR_MEMORY ? QDI_PART_STEP : QDI_PART_VIDEO;
        snprintf(session->error.text, sizeof session->error.text, "%s", qdi_failure_reason(status, error));
    }
    return false;
}

bool qdi_session_cut_video(qdi_session *session) {
    if (!session->video) return true;
    qd_error error = {""};
    // The writer gives frames to nobody while it is being told.
    qd_status status = qd_video_cut(session->video, &error);
    if (status == QD_ERR_STATE || status == QD_ERR_VALUE) qd_frame_writer_forget_video(session->writer);
    return judge_video(session, status, &error);
}

bool qdi_session_finish_video(qdi_session *session) {
    if (!session->video) return true;
    qd_error error = {""};
    if (!session->common.quiet) fprintf(stderr, "video    joining %s\n", qd_video_file(session->video));
    qd_status status = qd_video_finish(session->video, &session->result.video.frames, &error);
    if (!judge_video(session, status, &error)) return false;
    if (!session->video) return true;
    qdi_result_video *video = &session->result.video;
    video->file = qd_video_file(session->video);
    video->encoder = qd_video_encoder(session->video);
    video->fps = qd_video_fps(session->video);
    video->bytes = qdi_host_file_size(video->file);
    return true;
}

void qdi_session_clear_video(qdi_session *session) {
    if (!session->video_file || session->video_error.text[0]) return;
    char path[QDI_SESSION_PATH + 16];
    qd_error error = {""};
    (void)session_video_path(session, path);
    qd_status status = qd_video_clear(path, &error);
    if (status != QD_OK && !session->common.quiet) qdi_warn("%s", qdi_failure_reason(status, &error));
}

void qdi_session_clear_joined_video(qdi_session *session) {
    const char *asked = session->video_file;
    char path[QDI_SESSION_PATH + 16];
    session->video_file = NULL;
    (void)qdi_session_find_video(session);
    (void)session_video_path(session, path);
    if (session->video_file && qdi_video_is_joined(path, session->video_file, NULL))
        qdi_session_clear_video(session);
    session->video_file = asked;
}

int qdi_session_tell_video(const qdi_session *session) {
    const qdi_result_video *video = &session->result.video;
    if (session->video_error.text[0]) {
        char way[QDI_SESSION_PATH + 128] = "";
        snprintf(way, sizeof way, "; `quadrille video %.200s -o FILE` %s", session->directory,
                 session->plan.frames_files ? "makes it of the frames" : "joins what there is of it");
        qdi_complain("%.500s; the run itself is complete%s", session->video_error.text, way);
        return QDI_EXIT_FAILED;
    }
    if (video->file && !session->common.quiet)
        fprintf(stderr, "video: %s, %" PRIu64 " frames in %.4g s, %s\n", video->file, video->frames,
                (double)video->frames / video->fps, qdi_words_bytes((double)video->bytes).text);
    return QDI_EXIT_DONE;
}

void qdi_session_video_words(const qdi_session *session) {
    if (!session->video) return;
    double fps = qd_video_fps(session->video);
    const uint64_t frames = qdi_session_most_frames(session);
    fprintf(stderr, "video    %s: %s, %.6g frames a second, %.4g s\n", qd_video_file(session->video),
            qd_video_encoder(session->video), fps, (double)frames / fps);
}
