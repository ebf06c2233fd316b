// The moments of a run of the past in the formats of other programs: its snapshots, or the run stepped again
// from its checkpoints, which gives the same states.

#include "sim/files/os.h"
#include "sim/rundir/export_files.h"
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
#include <quadrille/trajectory.h>
#include <stdio.h>

enum { PATH_SIZE = 4096 };

typedef struct export_settings {
    qdi_common common;
    const char *directory, *format, *output, *frames;
    qdi_option_number threads, every;
    bool force, json;
} export_settings;

typedef struct export_job {
    export_settings settings;
    qdi_recorded past;
    char output[PATH_SIZE];
    char parent[PATH_SIZE]; ///< of a default output: a directory that may have to be made; else ""
    qd_trajectory_format format;
    qdi_step_choice moments;
    int threads;
    qd_trajectory *trajectory;
    qdi_progress progress;
    qd_trajectory_totals totals;
    uint64_t first_step, last_step; ///< that were written
    bool writing;                   ///< what failed was the writing, not the reading
} export_job;

// ---- what to do ----

// Command export: the format that `quadrille export` writes.
static int choose_export_format(export_job *job) {
    const char *name = job->settings.format;
    if (name && qd_trajectory_format_named(name, &job->format)) return QDI_EXIT_DONE;
    if (name)
        qdi_complain("--format: there is no format '%.80s' (there are: lammps, extxyz, vtp, csv)", name);
    else
        qdi_complain("export needs --format FORMAT, one of lammps, extxyz, vtp, csv");
    return QDI_EXIT_USAGE;
}

// Command export: the directory or file that `quadrille export` writes.
static int choose_export_output(export_job *job) {
    const export_settings *settings = &job->settings;
    int parent = 0, length;
    if (settings->output) {
        length = snprintf(job->output, sizeof job->output, "%s", settings->output);
    } else {
        parent = snprintf(job->parent, sizeof job->parent, "%s/export", settings->directory);
        length = snprintf(job->output, sizeof job->output, "%s/export/%s", settings->directory,
                          settings->format);
    }
    if (parent < PATH_SIZE && length > 0 && length < PATH_SIZE)
        return settings->output ? qdi_output_check_directory(job->output, "export") : QDI_EXIT_DONE;
    qdi_complain("the name of the output directory is longer than %d characters", PATH_SIZE - 1);
    return QDI_EXIT_OUTPUT;
}

/// Command export: makes the directory, and the trajectory in it.
static int make_trajectory(export_job *job) {
    qd_error error = {""};
    qd_status status = job->parent[0] ? qdi_os_make_directory(job->parent, &error) : QD_OK;
    if (status == QD_ERR_EXISTS) status = QD_OK; // if it is no directory, the next call says so
    if (status == QD_OK) status = qdi_export_files_prepare(job->output, job->settings.force, &error);
    if (status == QD_ERR_EXISTS) {
        qdi_complain("%s; --force replaces them, -o DIR writes elsewhere", error.text);
        return QDI_EXIT_OUTPUT;
    }
    if (status == QD_OK) {
        qd_trajectory_def def = qd_trajectory_def_default();
        def.directory = job->output;
        def.format = job->format;
        def.provenance = (qd_provenance){job->past.run.scene, job->past.run.scene_hash, job->past.run.seed};
        def.threads = job->threads;
        status = qd_trajectory_create(&def, &job->trajectory, &error);
    }
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

/// Command export: takes back directories that have stayed empty.
static void leave_nothing(const export_job *job) {
    qd_status status = qdi_os_remove_directory_if_empty(job->output, NULL);
    if (status == QD_OK && job->parent[0]) status = qdi_os_remove_directory_if_empty(job->parent, NULL);
    (void)status; // an empty directory is no harm
}

// ---- writing ----

/// Command export: writes until the last moment that is wanted, the last that there is, or a signal.
/// QD_ERR_NOT_FOUND: there is none.
static qd_status write_moments(export_job *job, qd_error *error) {
    qd_status status = qdi_step_choice_next(&job->moments, error);
    while (status == QD_OK) {
        const qd_world *world = job->moments.replay.world;
        status = qd_trajectory_add(job->trajectory, world, error);
        job->writing = status != QD_OK;
        if (status != QD_OK) break;
        job->last_step = qd_world_steps(world);
        if (job->moments.given == 1) job->first_step = job->last_step;
        qdi_progress_step(&job->progress, job->last_step);
        if (qdi_host_signal() != 0) return QD_OK;
        status = qdi_step_choice_next(&job->moments, error);
    }
    if (status == QD_ERR_STOPPED) return QD_OK; // by a signal
    return status == QD_ERR_NOT_FOUND && job->moments.given > 0 ? QD_OK : status;
}

/// Rows of the run store on their way to a table.
typedef struct row_copy {
    export_job *job;
    qd_status status;
    qd_error *error;
} row_copy;

// Command export: copies an event of run.db to the exported files.
static bool export_event(void *context, const qd_store_event *event) {
    row_copy *copy = context;
    copy->status = qd_trajectory_add_event(copy->job->trajectory, event, copy->error);
    copy->job->writing = copy->status != QD_OK;
    return copy->status == QD_OK && qdi_host_signal() == 0;
}

// Command export: copies the fields of the steps from `from` to `to` to the exported files.
static qd_status write_fields(export_job *job, uint64_t from, uint64_t to, qd_error *error) {
    qd_status status = QD_OK;
    while (status == QD_OK && qdi_host_signal() == 0) {
        qd_store_fields fields;
        status = qd_store_next_fields(job->past.store, from, &fields, error);
        if (status != QD_OK) break;
        from = fields.step + 1;
        const bool wanted = fields.step <= to;
        if (wanted) status = qd_trajectory_add_fields(job->trajectory, &fields, error);
        job->writing = status != QD_OK;
        qd_store_fields_free(job->past.store, &fields);
        if (!wanted) break;
    }
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

// Command export: copies the distributions of the steps from `from` to `to` to the exported files.
static qd_status write_distributions(export_job *job, uint64_t from, uint64_t to, qd_error *error) {
    qd_status status = QD_OK;
    while (status == QD_OK && qdi_host_signal() == 0) {
        qd_store_distributions found;
        status = qd_store_next_distributions(job->past.store, from, &found, error);
        if (status != QD_OK) break;
        from = found.step + 1;
        const bool wanted = found.step <= to;
        if (wanted) status = qd_trajectory_add_distributions(job->trajectory, &found, error);
        job->writing = status != QD_OK;
        qd_store_distributions_free(job->past.store, &found);
        if (!wanted) break;
    }
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

/// Command export: events, metrics, fields and distributions: of all steps, or from the first moment that was
/// chosen to the last.
static qd_status write_rows(export_job *job, qd_error *error) {
    bool chosen = job->settings.frames != NULL;
    uint64_t from = chosen ? job->first_step : 0, to = chosen ? job->last_step : UINT64_MAX;
    row_copy copy = {job, QD_OK, error};
    qd_status status = qd_store_visit_events(job->past.store, from, to, export_event, &copy, error);
    if (copy.status != QD_OK) status = copy.status;
    uint64_t next = from;
    while (status == QD_OK && qdi_host_signal() == 0) {
        qd_metrics metrics;
        status = qd_store_next_metrics(job->past.store, next, &metrics, error);
        if (status != QD_OK || metrics.step > to) break;
        status = qd_trajectory_add_metrics(job->trajectory, &metrics, error);
        job->writing = status != QD_OK;
        next = metrics.step + 1;
    }
    if (status == QD_ERR_NOT_FOUND) status = QD_OK;
    if (status == QD_OK) status = write_distributions(job, from, to, error);
    return status == QD_OK ? write_fields(job, from, to, error) : status;
}

// ---- telling ----

// Command export: prints what was exported as JSON.
static qd_status print_export_json(const export_job *job) {
    qdi_json json = {.allocator = qd_allocator_default()};
    qdi_json_open(&json, NULL, '{');
    qdi_json_text(&json, "directory", job->output);
    qdi_json_text(&json, "format", job->settings.format);
    qdi_json_whole(&json, "frames", job->totals.states);
    if (job->totals.states > 0) {
        qdi_json_whole(&json, "first_step", job->first_step);
        qdi_json_whole(&json, "last_step", job->last_step);
    }
    qdi_json_whole(&json, "files", job->totals.files);
    qdi_json_whole(&json, "bytes", job->totals.bytes);
    qdi_json_hash(&json, "scene_hash", job->past.run.scene_hash);
    qdi_json_close(&json, '}');
    return qdi_json_print(&json);
}

// Command export: prints what was exported.
static int report_export(const export_job *job) {
    const qd_trajectory_totals *totals = &job->totals;
    if (job->settings.json) {
        qd_status status = print_export_json(job);
        return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    }
    if (job->settings.common.quiet) return QDI_EXIT_DONE;
    fprintf(stderr, "%s: %" PRIu64 " frame%s", job->output, totals->states, totals->states == 1 ? "" : "s");
    if (totals->states > 0)
        fprintf(stderr, ", step %" PRIu64 " to %" PRIu64, job->first_step, job->last_step);
    fprintf(stderr, "; %" PRIu64 " file%s, %s\n", totals->files, totals->files == 1 ? "" : "s",
            qdi_words_bytes((double)totals->bytes).text);
    return QDI_EXIT_DONE;
}

/// Command export: why it ended before all was written.
static int explain_export_end(const export_job *job, qd_status status, const qd_error *error) {
    if (status == QD_ERR_NOT_FOUND) {
        qdi_complain("--frames: %s has no frame %" PRIu64, job->past.directory, job->moments.first);
        return QDI_EXIT_USAGE;
    }
    if (status != QD_OK)
        return job->writing ? qdi_fail(status, error, QDI_EXIT_OUTPUT) : qdi_recorded_fail(status, error);
    int signal = qdi_host_signal();
    qdi_complain("stopped by %s: nothing was exported", qdi_host_signal_name(signal));
    return QDI_EXIT_SIGNAL + signal;
}

// ---- all of it ----

/// Command export: goes to where the moments begin. Tables have events and metrics to tell even where there
/// are no moments.
static int begin_export(export_job *job, bool *moments) {
    qd_error error = {""};
    qd_status status = qdi_step_choice_begin(&job->moments, &error);
    *moments = status == QD_OK;
    if (status == QD_ERR_NOT_FOUND && job->format == QD_TRAJECTORY_CSV && !job->settings.frames) {
        qdi_warn("%s; here are its events and metrics only", error.text);
        return QDI_EXIT_DONE;
    }
    if (status == QD_ERR_NOT_FOUND) {
        qdi_complain("%s", error.text);
        return QDI_EXIT_SCENE;
    }
    return status == QD_OK ? QDI_EXIT_DONE : qdi_recorded_fail(status, &error);
}

// Command export: exports the chosen moments of a run.
static int export_moments(export_job *job) {
    bool moments = false;
    qd_error error = {""};
    int exit_code = begin_export(job, &moments);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    exit_code = make_trajectory(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    job->progress = qdi_replay_progress(&job->settings.common, job->past.plan.steps);
    if (job->settings.every.given) job->moments.replay.progress = &job->progress;
    qd_status status = moments ? write_moments(job, &error) : QD_OK;
    if (status == QD_OK && job->format == QD_TRAJECTORY_CSV) status = write_rows(job, &error);
    if (status == QD_OK && job->format == QD_TRAJECTORY_VTP) {
        const bool chosen = job->settings.frames != NULL;
        status = write_fields(job, chosen ? job->first_step : 0, chosen ? job->last_step : UINT64_MAX,
                              &error);
    }
    qdi_progress_end(&job->progress);
    if (status != QD_OK || qdi_host_signal() != 0) return explain_export_end(job, status, &error);
    job->writing = true;
    status = qd_trajectory_finish(job->trajectory, &job->totals, &error);
    return status == QD_OK ? report_export(job) : explain_export_end(job, status, &error);
}

// `quadrille export`: writes a run's states for other programs.
static int export_command(void *context) {
    export_job *job = context;
    const export_settings *settings = &job->settings;
    int exit_code = choose_export_format(job);
    if (exit_code == QDI_EXIT_DONE)
        exit_code = qdi_step_choice_read(settings->frames, &job->moments.first, &job->moments.last);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_export_output(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_recorded_open(&job->past, settings->directory);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_recorded_say(&job->past, &settings->common);
    qdi_host_watch_signals();
    const qdi_thread_choice choice = qdi_threads_here(
        settings->threads.given ? (int)settings->threads.value : 0, settings->common.quiet);
    job->threads = choice.threads;
    job->moments.every = settings->every;
    job->moments.replay = (qdi_replay){
        .past = &job->past, .threads = choice.threads, .adapt_threads = choice.adapts};
    exit_code = export_moments(job);
    qd_trajectory_destroy(job->trajectory);
    if (exit_code != QDI_EXIT_DONE) leave_nothing(job);
    qdi_step_choice_end(&job->moments);
    return exit_code;
}

// Command export: closes the run that was exported.
static void export_end(void *context) {
    export_job *job = context;
    qdi_recorded_close(&job->past);
}

static const qdi_option export_options[] = {
    {"--format", 0, QDI_OPTION_TEXT, "FORMAT", 0, 0, offsetof(export_settings, format),
     "lammps (dump text), extxyz (extended XYZ), vtp (VTK XML, for ParaView) or csv"},
    {"-o", 'o', QDI_OPTION_TEXT, "DIR2", 0, 0, offsetof(export_settings, output),
     "directory of the files; default DIR/export/FORMAT"},
    {"--frames", 0, QDI_OPTION_TEXT, "A:B", 0, 0, offsetof(export_settings, frames),
     "only moments A to B, both included, counted from 0; either may be left out"},
    {"--every", 0, QDI_OPTION_NUMBER, "E", 1, QDI_MOST_STEPS, offsetof(export_settings, every),
     "simulate the run again and take every E-th step, not the snapshots that it kept"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(export_settings, threads),
     "work with N threads; files are the same for any N"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(export_settings, force),
     "replace earlier files in the same directory"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(export_settings, json),
     "print what was written as JSON on the standard output"},
};

const qdi_command qdi_command_export = {
    &(const qdi_syntax){.command = "export",
                        .options = export_options,
                        .option_count = sizeof export_options / sizeof export_options[0],
                        .word = "DIR",
                        .word_offset = offsetof(export_settings, directory),
                        .needed = true},
    "write the states of a run in the formats of other programs",
    "  quadrille export out --format vtp               every snapshot that was kept, in out/export/vtp\n"
    "  quadrille export out --format lammps --every 5  without snapshots: simulated again\n"
    "  quadrille export out --format csv --frames 10:20 -o tables\n",
    "a run directory; nothing that the run wrote is changed",
    sizeof(export_job),
    export_command,
    export_end,
};
