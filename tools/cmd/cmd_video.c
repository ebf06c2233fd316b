#include "core/base/memory.h"
#include "sim/text/number.h"
#include "tools/cmd/command.h"
#include "tools/cmd/video_beside.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/output_place.h"
#include "tools/verify/step_choice.h"

#include <inttypes.h>
#include <quadrille/scene.h>
#include <quadrille/video.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

typedef struct video_settings {
    qdi_common common;
    qdi_option_list directories, titles;
    const char *file, *fps, *frames, *preset;
    qdi_option_number crf;
    bool force, beside, above, av1, transparent;
} video_settings;

/// What has to be given back however it ends.
typedef struct video_job {
    video_settings settings;
    const char *directory; ///< the first of them
    qd_scene *scene;       ///< of that, if it is a run directory, or NULL
    qdi_frame_list list;
    qdi_beside *beside; ///< where several directories are seen together, else NULL
    size_t pictures;    ///< of the video
    qd_video_settings how;
    uint64_t first, last;
    char file[PATH_SIZE], segments[PATH_SIZE + 16];
    qd_video *video;
} video_job;

// Refuses the value of a flag of `quadrille video`.
static int misuse(const char *flag, const char *value, const char *wanted) {
    qdi_complain("%s %.80s: must be %s", flag, value, wanted);
    return QDI_EXIT_USAGE;
}

/// How it is encoded: as the flags say, or the run's scene, or as usual.
static int read_how(video_job *job) {
    const video_settings *settings = &job->settings;
    job->how = job->scene ? qd_scene_video(job->scene) : qd_video_settings_default();
    if (settings->crf.given) job->how.crf = (int)settings->crf.value;
    if (settings->fps && (!qdi_number_read(settings->fps, strlen(settings->fps), &job->how.fps) ||
                          !(job->how.fps > 0 && job->how.fps <= QD_VIDEO_FPS_MAX)))
        return misuse("--fps", settings->fps, "a number above 0, at most 1000");
    if (!settings->preset) return QDI_EXIT_DONE;
    for (int i = 0; qd_video_preset_name((qd_video_preset)i); ++i) {
        if (strcmp(settings->preset, qd_video_preset_name((qd_video_preset)i)) != 0) continue;
        job->how.preset = (qd_video_preset)i;
        return QDI_EXIT_DONE;
    }
    return misuse("--preset", settings->preset, "one of x264's, ultrafast to veryslow");
}

/// -o, or DIR/NAME.mp4: the scene's name, or the directory's own, or how several are put together.
static int choose_file(video_job *job) {
    const char *directory = job->directory, *name = job->scene ? qd_scene_name(job->scene) : "video";
    if (job->settings.beside) name = "beside";
    if (job->settings.above) name = "above";
    int length = job->settings.file ? snprintf(job->file, sizeof job->file, "%s", job->settings.file)
                                    : snprintf(job->file, sizeof job->file, "%s/%s%s", directory, name,
                                               job->settings.transparent ? ".webm" : ".mp4");
    if (length <= 0 || length >= (int)sizeof job->file - 64) {
        qdi_complain("the video's path is too long");
        return QDI_EXIT_OUTPUT;
    }
    snprintf(job->segments, sizeof job->segments, "%s.segments", job->file);
    const char *refused = qd_video_refused(job->file, job->settings.av1, job->settings.transparent);
    if (refused) {
        qdi_complain("%s %.300s: %s", job->settings.av1 ? "--av1" : "--transparent", job->file, refused);
        return QDI_EXIT_USAGE;
    }
    // Without --force the video's maker refuses a file that is there, unless it has just been joined.
    return qdi_output_check_file(job->file, &(qdi_output_rule){.force = true});
}

// The exit code for a status of the video writer.
static int code_of(qd_status status) {
    switch (status) {
    case QD_ERR_NOT_FOUND: // no ffmpeg, or no encoder
    case QD_ERR_STATE:     // it failed
    case QD_ERR_MEMORY:
    case QD_ERR_INTERNAL: return QDI_EXIT_FAILED;
    default: return QDI_EXIT_OUTPUT;
    }
}

/// Command video: how large the pictures are.
static int measure(video_job *job, bool true_colour, int *width, int *height) {
    qd_error error = {""};
    if (job->beside) {
        int exit_code = qdi_beside_begin(job->beside, true_colour);
        *width = job->beside->montage.width;
        *height = job->beside->montage.height;
        return exit_code;
    }
    qd_status status = qd_video_file_size(qdi_frame_list_path(&job->list, 0).text, width, height, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

/// What the video says of its origin. Of several runs it names all scenes.
static qd_provenance origin(const video_job *job) {
    const char *names = job->beside && job->beside->names[0] ? job->beside->names : NULL;
    return (qd_provenance){names ? names : qd_scene_name(job->scene), qd_scene_hash(job->scene),
                           qd_scene_run_settings(job->scene).seed};
}

/// Finds an encoder for frames of the first one's size.
static int make_video(video_job *job, bool true_colour) {
    qd_error error = {""};
    qd_video_def def = qd_video_def_default();
    int exit_code = measure(job, true_colour, &def.width, &def.height);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    def.file = job->file;
    def.directory = job->segments;
    def.settings = job->how;
    def.replace = job->settings.force;
    def.true_colour = true_colour;
    def.av1 = job->settings.av1;
    def.transparent = job->settings.transparent;
    if (job->scene) def.provenance = origin(job);
    qd_status status = qd_video_create(&def, &job->video, &error);
    if (status == QD_OK) status = qd_video_keep(job->segments, 0, &error); // of one that was killed
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, code_of(status));
}

// Prints the notes of the video writer.
static void say_notes(const video_job *job) {
    for (const char *note = qd_video_note(job->video), *end; *note; note = *end ? end + 1 : end) {
        end = note + strcspn(note, "\n");
        fprintf(stderr, "note: %.*s\n", (int)(end - note), note);
    }
}

// Tells that a signal ended `quadrille video` before there was a video.
static int stopped(void) {
    qdi_complain("stopped by %s: no video was made", qdi_host_signal_name(qdi_host_signal()));
    return QDI_EXIT_SIGNAL + qdi_host_signal();
}

/// Command video: adds all frames and joins them. Where `again` is set, it stays so if it would do in true
/// colour, and nothing is said.
static int encode(video_job *job, bool *again) {
    qd_error error = {""};
    qd_status status = QD_OK;
    uint64_t frames = 0;
    bool frame_is_bad = false, may = *again;
    *again = false;
    for (size_t i = 0; status == QD_OK && i < job->pictures; ++i) {
        if (qdi_host_signal() != 0) return stopped();
        status = job->beside ? qdi_beside_add(job->beside, job->video, i, &error)
                             : qd_video_add_file(job->video, qdi_frame_list_path(&job->list, i).text, &error);
        frame_is_bad = status == QD_ERR_NOT_FOUND || status == QD_ERR_CORRUPT;
    }
    if (status == QD_OK) status = qd_video_finish(job->video, &frames, &error);
    // A signal to the terminal's programs ends the encoder, too: then its failure is none.
    if (status != QD_OK && qdi_host_signal() != 0) return stopped();
    *again = may && status == QD_ERR_VALUE;
    if (*again) return QDI_EXIT_OUTPUT;
    if (status != QD_OK) return qdi_fail(status, &error, frame_is_bad ? QDI_EXIT_OUTPUT : code_of(status));
    if (!job->settings.common.quiet)
        fprintf(stderr, "%s: %" PRIu64 " frame%s in %.4g s, %s, %s\n", job->file, frames,
                frames == 1 ? "" : "s", (double)frames / qd_video_fps(job->video),
                qd_video_encoder(job->video), qdi_words_bytes((double)qdi_host_file_size(job->file)).text);
    return QDI_EXIT_DONE;
}

/// Command video: frames with palettes of their own make no animated PNG as they are: then all of them become
/// true colour.
static int make_and_encode(video_job *job) {
    bool again = !job->settings.transparent; // true colour has no background that is known
    int exit_code = make_video(job, false);
    if (exit_code == QDI_EXIT_DONE) {
        if (!job->settings.common.quiet) say_notes(job);
        exit_code = encode(job, &again);
    } else {
        again = false;
    }
    if (again) {
        qd_video_destroy(job->video);
        job->video = NULL;
        again = false;
        exit_code = make_video(job, true);
        if (exit_code == QDI_EXIT_DONE) exit_code = encode(job, &again);
    }
    bool made = job->video != NULL;
    qd_video_destroy(job->video);
    job->video = NULL;
    qd_status status = made ? qd_video_clear(job->segments, NULL) : QD_OK;
    (void)status; // what is left is found and deleted by the next try
    return exit_code;
}

/// A run that kept no frames as files may still have segments of a video that could not be finished: they are
/// joined as they are. 0 frames: there are none.
static int join_segments(video_job *job, uint64_t *frames) {
    char path[PATH_SIZE + 16];
    qd_error error = {""};
    snprintf(path, sizeof path, "%s/video", job->directory);
    *frames = job->scene ? qd_video_whole(path, UINT64_MAX) : 0;
    if (*frames == 0) return QDI_EXIT_DONE;
    const qd_view view = qd_scene_view(job->scene);
    qd_video_def def = qd_video_def_default();
    def.file = job->file;
    def.directory = path;
    def.width = view.width;
    def.height = view.height;
    def.settings = job->how;
    def.replace = job->settings.force;
    def.provenance = origin(job);
    qd_status status = qd_video_create(&def, &job->video, &error);
    if (status == QD_OK) {
        qd_video_begin_at(job->video, *frames);
        status = qd_video_finish(job->video, NULL, &error);
    }
    qd_video_destroy(job->video);
    job->video = NULL;
    if (status != QD_OK) return qdi_fail(status, &error, code_of(status));
    if (!job->settings.common.quiet)
        fprintf(stderr, "%s: %" PRIu64 " frames, joined from %s\n", job->file, *frames, path);
    return QDI_EXIT_DONE;
}

/// Command video: whether flags and number of directories go together.
static int check_usage(const video_settings *settings) {
    const size_t count = settings->directories.count;
    const bool together = settings->beside || settings->above;
    const char *flag = settings->beside ? "--beside" : "--above";
    if (settings->file && !qd_video_is_known(settings->file))
        qdi_complain("-o %.300s: a video's name ends in %s", settings->file, qd_video_endings());
    else if (settings->beside && settings->above)
        qdi_complain("--beside and --above: one of them");
    else if (!together && count > 1)
        qdi_complain("video takes one DIR, or several with --beside or --above: '%.80s' and '%.80s' are two",
                     settings->directories.items[0], settings->directories.items[1]);
    else if (together && settings->transparent)
        qdi_complain("--transparent takes one DIR, not %s", flag);
    else if (!together && settings->titles.count > 0)
        qdi_complain("--title needs --beside or --above");
    else if (together && (count < 2 || count > QDI_MONTAGE_MOST))
        qdi_complain("%s takes 2 to %d DIRs, not %zu", flag, QDI_MONTAGE_MOST, count);
    else if (settings->titles.count > 0 && settings->titles.count != count)
        qdi_complain("--title is given once for each DIR: there are %zu of %zu", settings->titles.count,
                     count);
    else
        return QDI_EXIT_DONE;
    return QDI_EXIT_USAGE;
}

/// Finds the frames of one directory and makes the video of them, or of segments that are there instead.
static int make_of_one(video_job *job) {
    qd_error error = {""};
    qd_status status = qdi_frame_list_find(job->directory, job->first, job->last, &job->list, &error);
    if (status == QD_ERR_NOT_FOUND && !job->settings.frames) {
        uint64_t frames = 0;
        int exit_code = join_segments(job, &frames);
        if (frames > 0) return exit_code;
    }
    if (status == QD_OK) status = qdi_frame_list_check(&job->list, 0, job->list.count - 1, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    job->pictures = job->list.count;
    return make_and_encode(job);
}

/// Finds the frames of several directories and makes a video of them side by side.
static int make_of_several(video_job *job) {
    const video_settings *settings = &job->settings;
    job->beside = qdi_allocate(qd_allocator_default(), 1, sizeof *job->beside);
    if (!job->beside) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    *job->beside = (qdi_beside){.plan.above = settings->above};
    int exit_code = qdi_beside_open(job->beside, &settings->directories, &settings->titles, job->first,
                                    job->last, settings->common.quiet);
    job->pictures = job->beside->pictures;
    return exit_code == QDI_EXIT_DONE ? make_and_encode(job) : exit_code;
}

// `quadrille video`: makes a video of the frames of a run.
static int make(void *context) {
    video_job *job = context;
    job->directory = job->settings.directories.items[0];
    int exit_code = qdi_step_choice_read(job->settings.frames, &job->first, &job->last);
    if (exit_code == QDI_EXIT_DONE) exit_code = check_usage(&job->settings);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_beside_scene(job->directory, &job->scene);
    if (exit_code == QDI_EXIT_DONE) exit_code = read_how(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_file(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_host_watch_signals();
    return job->settings.directories.count > 1 ? make_of_several(job) : make_of_one(job);
}

// Frees what `quadrille video` worked with.
static void end(void *context) {
    video_job *job = context;
    if (job->beside) qdi_beside_end(job->beside);
    qdi_release(qd_allocator_default(), job->beside, 1, sizeof *job->beside);
    qdi_frame_list_free(&job->list);
    qd_scene_destroy(job->scene);
}

static const qdi_option video_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(video_settings, file),
     "the video: .mp4, .mov, .mkv, .webm, .gif, .png; default DIR/NAME.mp4"},
    {"--fps", 0, QDI_OPTION_TEXT, "N", 0, 0, offsetof(video_settings, fps),
     "frames in a second; default: the scene's video.fps"},
    {"--crf", 0, QDI_OPTION_NUMBER, "N", 0, QD_VIDEO_CRF_MAX, offsetof(video_settings, crf),
     "how much may be lost, 0 to 51; default: the scene's video.crf"},
    {"--preset", 0, QDI_OPTION_TEXT, "PRESET", 0, 0, offsetof(video_settings, preset),
     "ultrafast to veryslow, the slower the smaller; default: the scene's"},
    {"--frames", 0, QDI_OPTION_TEXT, "A:B", 0, 0, offsetof(video_settings, frames),
     "only frames A to B, both included; either may be left out"},
    {"--av1", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(video_settings, av1),
     "AV1: .mp4, .mkv or .webm, smaller and slower to make"},
    {"--transparent", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(video_settings, transparent),
     "no background: .webm, .mov, .png; default DIR/NAME.webm"},
    {"--beside", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(video_settings, beside),
     "several DIRs side by side in one picture, frames of one time together"},
    {"--above", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(video_settings, above),
     "the same, one above the other"},
    {"--title", 0, QDI_OPTION_LIST, "TEXT", 0, 0, offsetof(video_settings, titles),
     "caption of a DIR, once for each; default: what the scenes differ in"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(video_settings, force),
     "replace a file of that name"},
};

const qdi_command qdi_command_video = {
    &(const qdi_syntax){.command = "video",
                        .options = video_options,
                        .option_count = sizeof video_options / sizeof video_options[0],
                        .word = "DIR...",
                        .word_offset = offsetof(video_settings, directories),
                        .needed = true},
    "make a video of the frames of a run",
    "  quadrille video pool-1a2b3c4d                     pool-1a2b3c4d/pool.mp4\n"
    "  quadrille video out -o pool.gif --fps 25          an animated GIF\n"
    "  quadrille video out -o pool.png --frames 0:99     an animated PNG of the first 100 frames\n"
    "  quadrille video brute tree --beside -o both.mp4   two runs in one picture\n",
    "a run directory, or a directory of frames; several with --beside or --above",
    sizeof(video_job),
    make,
    end,
};
