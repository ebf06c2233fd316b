// Pictures of a run of the past. Two sources: the snapshots that the run kept, or the run stepped again from
// its checkpoints, which gives the same states. This thread hands one world after the other to the frame
// writer, whose threads draw and encode them; snapshots are loaded by threads of their own, some ahead.
#include "export/picture/view_check.h"
#include "sim/files/os.h"
#include "sim/rundir/frame_files.h"
#include "sim/text/number.h"
#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/json.h"
#include "tools/host/os.h"
#include "tools/host/output_place.h"
#include "tools/host/threads_here.h"
#include "tools/verify/step_choice.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/frame.h>
#include <quadrille/video.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, MOST_JOBS = 64 };

/// Bytes of snapshots that are loaded at a time unless --jobs says how many are: in memory a world takes some
/// four times as much.
static const uint64_t most_loaded = (uint64_t)512 << 20;

typedef struct render_settings {
    qdi_common common;
    const char *directory, *output, *frames, *video;
    qdi_option_number threads, jobs, every;
    qdi_option_list sets;
    bool force, json;
} render_settings;

typedef struct render_job {
    render_settings settings;
    qdi_recorded past;
    qd_scene *scene;   ///< whose view it is
    qd_view view;      ///< of the present stage
    uint64_t stage;    ///< whose view the writer has
    uint64_t scale_of; ///< the stage from which on its colours stand for the same
    double fps;        ///< of a video
    char output[PATH_SIZE];
    qdi_step_choice moments;
    qd_frame_writer *writer;
    qdi_progress progress;
    uint64_t lead; ///< moments before the first frame that its trails and fading colours go back to
    uint64_t frames, first_step, last_step; ///< that were handed in
} render_job;

// ---- what to do ----

// Command render: whether a change is one of the view, or of a stage's view.
static bool is_of_view(const char *set) {
    const char *key = set;
    if (strncmp(set, "stages.", 7) == 0) {
        const char *dot = strchr(set + 7, '.');
        key = dot ? dot + 1 : "";
    }
    return strncmp(key, "view.", 5) == 0;
}

/// The scene's view with the changes that were asked for. They must be of the view: all else was decided by
/// the run.
static int choose_view(render_job *job) {
    const render_settings *settings = &job->settings;
    for (size_t i = 0; i < settings->sets.count; ++i) {
        if (is_of_view(settings->sets.items[i])) continue;
        qdi_complain("--set %.80s: only keys of the view can be changed once a run is over",
                     settings->sets.items[i]);
        return QDI_EXIT_USAGE;
    }
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/scene.yaml", settings->directory);
    qd_scene_changes changes = {settings->sets.items, settings->sets.count, 0};
    qd_error error = {""};
    qd_status status = qd_scene_read(path, &changes, &job->scene, &error);
    if (status != QD_OK)
        return qdi_fail(status, &error, status == QD_ERR_ARGUMENT ? QDI_EXIT_USAGE : QDI_EXIT_SCENE);
    job->view = qd_scene_stage_view(job->scene, 0);
    job->fps = qd_scene_video(job->scene).fps;
    return QDI_EXIT_DONE;
}

// Command render: the directory that `quadrille render` writes frames to.
static int choose_output(render_job *job) {
    const render_settings *settings = &job->settings;
    const char *base = settings->output ? settings->output : settings->directory;
    int length = snprintf(job->output, sizeof job->output, "%s%s", base, settings->output ? "" : "/render");
    if (length > 0 && (size_t)length < sizeof job->output)
        return settings->output ? qdi_output_check_directory(job->output, "render") : QDI_EXIT_DONE;
    qdi_complain("the name of the output directory is longer than %d characters", PATH_SIZE - 1);
    return QDI_EXIT_OUTPUT;
}

// ---- drawing ----

// Command render: makes the writer of the frames that are rendered anew.
static int make_writer(render_job *job) {
    qd_error error = {""};
    qd_status status = qdi_frame_files_prepare(job->output, job->settings.force, &error);
    if (status == QD_ERR_EXISTS) {
        qdi_complain("%s; --force replaces them, -o DIR writes elsewhere", error.text);
        return QDI_EXIT_OUTPUT;
    }
    if (status == QD_OK) {
        qd_frame_writer_def def = qd_frame_writer_def_default();
        def.directory = job->output;
        def.view = job->view;
        def.workers = job->moments.jobs;
        def.provenance = (qd_provenance){job->past.run.scene, job->past.run.scene_hash, job->past.run.seed};
        status = qd_frame_writer_create(&def, &job->writer, &error);
    }
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

/// Command render: begins so many moments earlier that the first frame has its trails, and what fades.
static void plan_lead(render_job *job) {
    uint64_t most = 0;
    const uint64_t first = job->moments.first;
    const size_t stages = qd_scene_stages(job->scene);
    for (size_t k = 0; k == 0 || k < stages; ++k) {
        const qd_view view = qd_scene_stage_view(job->scene, k);
        const uint64_t trails = (uint64_t)view.trails;
        const uint64_t fade = view.colour == QD_VIEW_REFILED ? (uint64_t)view.fade : 0;
        if (trails > most) most = trails;
        if (fade > most) most = fade;
    }
    job->lead = first < most ? first : most;
    job->moments.first -= job->lead;
}

// Command render: gives the writer the view of a world's stage, by way of all stages before it.
static qd_status take_stage_view(render_job *job, const qd_world *world, qd_error *error) {
    qd_status status = QD_OK;
    while (status == QD_OK && job->stage < qd_world_stage(world)) {
        const qd_view before = job->view;
        job->view = qd_scene_stage_view(job->scene, (size_t)++job->stage);
        if (!qdi_view_same_scale(&before, &job->view)) job->scale_of = job->stage;
        status = qd_frame_writer_set_view(job->writer, &job->view, error);
    }
    return status;
}

/// Command render: the moments before the first frame that is drawn.
static qd_status draw_nothing_yet(render_job *job, bool *writing, qd_error *error) {
    qd_status status = QD_OK;
    for (uint64_t i = 0; i < job->lead && status == QD_OK && qdi_host_signal() == 0; ++i) {
        status = qdi_step_choice_next(&job->moments, error);
        if (status != QD_OK) break;
        status = take_stage_view(job, job->moments.replay.world, error);
        if (status == QD_OK) status = qd_frame_writer_remember(job->writer, job->moments.replay.world);
        *writing = status != QD_OK;
    }
    return status;
}

/// Command render: where the first frame that is drawn is of a later stage whose colours have a scale of
/// their own, the first moment of that scale fixes it, drawn or not: some frames of a run look as all of them
/// do.
static qd_status prime_scale(render_job *job, qd_error *error) {
    if (job->frames > 0 || !isnan(qd_frame_writer_speed(job->writer))) return QD_OK;
    const qdi_recorded *past = &job->past;
    const uint64_t from = past->course.row[job->scale_of].step + 1;
    qdi_replay replay = {.past = past,
                         .threads = job->moments.replay.threads,
                         .adapt_threads = job->moments.replay.adapt_threads};
    qd_status status;
    if (job->settings.every.given) {
        const uint64_t every = job->settings.every.value, step = (from + every - 1) / every * every;
        status = qdi_replay_begin_near(&replay, step, error);
        if (status == QD_OK) status = qdi_replay_go(&replay, step, error);
    } else {
        uint64_t step;
        status = qdi_replay_next_snapshot(&replay, from, &step, error);
    }
    if (status == QD_OK) status = qd_frame_writer_prime(job->writer, replay.world);
    qdi_replay_end(&replay);
    return status;
}

/// Command render: draws until the last frame that is wanted, the last that there is, or a signal.
/// QD_ERR_NOT_FOUND: there is no such frame.
static qd_status draw(render_job *job, bool *writing, qd_error *error) {
    qd_status status = draw_nothing_yet(job, writing, error);
    if (status == QD_OK) status = qdi_step_choice_next(&job->moments, error);
    while (status == QD_OK) {
        const qd_world *world = job->moments.replay.world;
        status = take_stage_view(job, world, error);
        if (status == QD_OK) status = prime_scale(job, error);
        if (status == QD_OK) status = qd_frame_writer_push(job->writer, world);
        *writing = status != QD_OK;
        if (status != QD_OK) break;
        job->last_step = qd_world_steps(world);
        if (job->frames++ == 0) job->first_step = job->last_step;
        qdi_progress_step(&job->progress, job->last_step);
        if (qdi_host_signal() != 0) return QD_OK;
        status = qdi_step_choice_next(&job->moments, error);
    }
    if (status == QD_ERR_STOPPED) return QD_OK; // by a signal
    return status == QD_ERR_NOT_FOUND && job->frames > 0 ? QD_OK : status;
}

// Command render: prints what was rendered as JSON.
static qd_status print_json(const render_job *job) {
    qdi_json json = {.allocator = qd_allocator_default()};
    qdi_json_open(&json, NULL, '{');
    qdi_json_text(&json, "directory", job->output);
    qdi_json_whole(&json, "frames", job->frames);
    qdi_json_whole(&json, "first_step", job->first_step);
    qdi_json_whole(&json, "last_step", job->last_step);
    qdi_json_hash(&json, "scene_hash", job->past.run.scene_hash);
    qdi_json_close(&json, '}');
    return qdi_json_print(&json);
}

// Command render: prints what was rendered.
static int report(const render_job *job) {
    const qdi_common *common = &job->settings.common;
    int signal = qdi_host_signal();
    if (signal != 0) {
        qdi_complain("stopped by %s after %" PRIu64 " frames in %s", qdi_host_signal_name(signal),
                     job->frames, job->output);
        return QDI_EXIT_SIGNAL + signal;
    }
    if (job->settings.json) {
        qd_status status = print_json(job);
        return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    }
    if (!common->quiet)
        fprintf(stderr, "%s: %" PRIu64 " frame%s, step %" PRIu64 " to %" PRIu64 "\n", job->output,
                job->frames, job->frames == 1 ? "" : "s", job->first_step, job->last_step);
    return QDI_EXIT_DONE;
}

/// --video: what `quadrille video` makes of the frames, as fast as the run's scene says.
static int make_video(const render_job *job) {
    char fps[QDI_NUMBER_ROOM], output[PATH_SIZE], frames[PATH_SIZE];
    (void)qdi_number_write(job->fps, fps);
    (void)snprintf(output, sizeof output, "%s", job->settings.video);
    (void)snprintf(frames, sizeof frames, "%s", job->output);
    char *arguments[] = {"-o", output, "--fps", fps, "--", frames, NULL};
    int count = 0;
    char *line[8];
    if (job->settings.force) line[count++] = "--force";
    if (job->settings.common.quiet) line[count++] = "-q";
    for (size_t i = 0; arguments[i]; ++i) line[count++] = arguments[i];
    return qdi_command_run_with(&qdi_command_video, count, line, NULL);
}

/// Command render: takes back a directory in which nothing was drawn.
static void leave_nothing(const render_job *job) {
    qd_status status = qdi_frame_files_keep(job->output, 0, NULL);
    if (status == QD_OK) status = qdi_os_remove_directory_if_empty(job->output, NULL);
    (void)status; // an empty list is no harm
}

/// Command render: before the step to a frame: it may ask what the tree was like. The writer's failure comes
/// with the next frame, or the end.
static qd_status watch(void *context, const qd_world *world) {
    render_job *job = context;
    qd_status status = take_stage_view(job, world, NULL);
    return status == QD_OK ? qd_frame_writer_watch(job->writer, world) : status;
}

// Command render: has what frames show of a step noted, where the run is simulated again; warns where it is
// not.
static void watch_steps(render_job *job) {
    bool threads = false, stress = false;
    for (size_t k = 0; k == 0 || k < qd_scene_stages(job->scene); ++k) {
        const qd_view view = qd_scene_stage_view(job->scene, k);
        threads = threads || view.colour == QD_VIEW_THREAD;
        stress = stress || view.field == QD_VIEW_FIELD_PRESSURE;
    }
    if (job->settings.every.given) {
        job->moments.replay.progress = &job->progress;
        job->moments.replay.note_threads = threads;
        job->moments.replay.watch_stress = stress;
        job->moments.replay.watch = watch;
        job->moments.replay.context = job;
    } else if (threads && !job->settings.common.quiet) {
        qdi_warn("view.colour: thread: a snapshot does not tell which thread moved its bodies; --every does");
    } else if (stress && !job->settings.common.quiet) {
        qdi_warn("view.field: pressure: a snapshot does not tell what impulses its step gave; --every does");
    }
}

// Command render: draws the frames of all chosen moments of a run.
static int draw_all(render_job *job) {
    qd_error error = {""};
    qd_status status = qdi_step_choice_begin(&job->moments, &error);
    if (status == QD_ERR_NOT_FOUND) {
        qdi_complain("%s", error.text);
        return QDI_EXIT_SCENE;
    }
    if (status != QD_OK) return qdi_recorded_fail(status, &error);
    int exit_code = make_writer(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    job->progress = qdi_replay_progress(&job->settings.common, job->past.plan.steps);
    watch_steps(job);
    bool writing = true;
    plan_lead(job);
    status = take_stage_view(job, job->moments.replay.world, &error);
    if (status == QD_OK) status = qd_frame_writer_prime(job->writer, job->moments.replay.world);
    if (status == QD_OK) status = draw(job, &writing, &error);
    qdi_progress_end(&job->progress);
    qd_error reason = {""};
    qd_status finished = qd_frame_writer_finish(job->writer, NULL, &reason);
    if (finished != QD_OK) return qdi_fail(finished, &reason, QDI_EXIT_OUTPUT);
    if (status == QD_ERR_NOT_FOUND) {
        qdi_complain("--frames: %s has no frame %" PRIu64, job->past.directory,
                     job->moments.first + job->lead);
        leave_nothing(job);
        return QDI_EXIT_USAGE;
    }
    if (status != QD_OK)
        return writing ? qdi_fail(status, &error, QDI_EXIT_OUTPUT) : qdi_recorded_fail(status, &error);
    exit_code = report(job);
    return exit_code == QDI_EXIT_DONE && job->settings.video ? make_video(job) : exit_code;
}

/// Command render: how many frames are made at a time: as many as there are threads, unless the worlds of so
/// many snapshots would take much memory.
static int choose_jobs(render_job *job) {
    const render_settings *settings = &job->settings;
    int jobs = settings->jobs.given ? (int)settings->jobs.value : job->moments.replay.threads;
    uint64_t largest = 0;
    qd_error error = {""};
    if (!settings->jobs.given && !settings->every.given) {
        qd_status status = qd_store_largest_snapshot(job->past.store, &largest, &error);
        if (status != QD_OK) return qdi_recorded_fail(status, &error);
    }
    while (jobs > 1 && largest > most_loaded / (uint64_t)jobs) --jobs;
    job->moments.jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS;
    return QDI_EXIT_DONE;
}

// Command render: `quadrille render`: draws the frames of a run anew.
static int render(void *context) {
    render_job *job = context;
    const render_settings *settings = &job->settings;
    if (settings->video && (!qd_video_is_known(settings->video) || strlen(settings->video) >= PATH_SIZE)) {
        qdi_complain("--video %.300s: a video's name ends in %s", settings->video, qd_video_endings());
        return QDI_EXIT_USAGE;
    }
    int exit_code = QDI_EXIT_DONE;
    if (settings->video)
        exit_code = qdi_output_check_file(settings->video, &(qdi_output_rule){.force = settings->force});
    if (exit_code == QDI_EXIT_DONE)
        exit_code = qdi_step_choice_read(settings->frames, &job->moments.first, &job->moments.last);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_output(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_recorded_open(&job->past, settings->directory);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_view(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_recorded_say(&job->past, &settings->common);
    qdi_host_watch_signals();
    qdi_host_keep_memory(); // worlds and pictures come and go
    job->moments.every = settings->every;
    const qdi_thread_choice choice = qdi_threads_here(
        settings->threads.given ? (int)settings->threads.value : 0, settings->common.quiet);
    job->moments.replay = (qdi_replay){
        .past = &job->past, .threads = choice.threads, .adapt_threads = choice.adapts};
    exit_code = choose_jobs(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = draw_all(job);
    qd_frame_writer_destroy(job->writer);
    qdi_step_choice_end(&job->moments);
    return exit_code;
}

// Command render: closes the run that was rendered.
static void end(void *context) {
    render_job *job = context;
    qdi_recorded_close(&job->past);
    qd_scene_destroy(job->scene);
}

static const qdi_option render_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "DIR2", 0, 0, offsetof(render_settings, output),
     "directory of the frames; default DIR/render"},
    {"--frames", 0, QDI_OPTION_TEXT, "A:B", 0, 0, offsetof(render_settings, frames),
     "only frames A to B, both included, from 0 on; either may be left out"},
    {"--video", 0, QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(render_settings, video),
     "and a video of the frames: .mp4, .mov, .mkv, .webm, .gif, .png"},
    {"--every", 0, QDI_OPTION_NUMBER, "E", 1, QDI_MOST_STEPS, offsetof(render_settings, every),
     "simulate the run again and draw every E steps, not its snapshots"},
    {"--set", 0, QDI_OPTION_LIST, "view.KEY=VALUE", 0, 0, offsetof(render_settings, sets),
     "change a key of the view; may be given many times"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(render_settings, threads),
     "work with N threads; pictures are the same for any N"},
    {"--jobs", 0, QDI_OPTION_NUMBER, "N", 1, MOST_JOBS, offsetof(render_settings, jobs),
     "make N frames at a time; default: as many as threads"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(render_settings, force),
     "replace earlier frames in the same directory"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(render_settings, json),
     "print what was drawn as JSON on the standard output"},
};

const qdi_command qdi_command_render = {
    &(const qdi_syntax){.command = "render",
                        .options = render_options,
                        .option_count = sizeof render_options / sizeof render_options[0],
                        .word = "DIR",
                        .word_offset = offsetof(render_settings, directory),
                        .needed = true},
    "draw a run again, seen in another way",
    "  quadrille render out --set view.colour=speed      every snapshot that it kept, into out/render\n"
    "  quadrille render out --every 5 -o close           without snapshots: simulated again\n"
    "  quadrille render out --frames 10:20 --set view.size=[3840,2160]\n",
    "a run directory; nothing that the run wrote is changed",
    sizeof(render_job),
    render,
    end,
};
