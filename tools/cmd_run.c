#include "core/memory.h"
#include "core/verbs.h"
#include "sim/os.h"
#include "tools/command.h"
#include "tools/console.h"
#include "tools/exit_codes.h"
#include "tools/os.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/result.h"
#include "tools/simd_choice.h"
#include "tools/threads_here.h"

#include <inttypes.h>
#include <quadrille/frame.h>
#include <quadrille/rundir.h>
#include <quadrille/scene.h>
#include <quadrille/world.h>
#include <stdlib.h>
#include <string.h>

/// Highest number of bodies that the tree can hold.
#define MOST_BODIES ((UINT64_C(1) << 28) - 1)
/// Highest whole number that a scene can say exactly.
#define MOST_STEPS (UINT64_C(1) << 53)

/// With fewer bodies than this for each thread, starting and joining them costs as much as their work.
enum { BODIES_PER_THREAD = 2000 };

/// Flags that stand for a key of the scene: --steps, --seed, --frames.
enum { KEY_FLAGS = 3, KEY_SET_SIZE = 64, PATH_SIZE = 4096 };

typedef struct run_settings {
    qdi_common common;
    const char *scene;
    const char *directory;
    const char *simd;
    qdi_option_number steps, threads, seed, bodies, frames;
    qdi_option_list sets;
    bool force, json;
} run_settings;

/// A run from its flags to its result. Whatever stage fails says why and gives the exit code.
typedef struct run {
    run_settings settings;
    qd_scene *scene;
    qd_scene_run plan;
    qdi_thread_choice threads;
    qd_simd simd;
    qd_world *world;
    qd_rundir *rundir;
    qd_frame_writer *writer; ///< NULL where no frames are due
    char directory[PATH_SIZE];
    uint64_t steps_done;
    uint64_t frames_pushed;
    qdi_result result;
} run;

/// The reason in `error`, or what the status says where nothing filled it in.
static const char *reason(qd_status status, const qd_error *error) {
    return error->text[0] ? error->text : qd_status_text(status);
}

/// Says why a stage failed and gives its exit code; no memory is no stage's fault.
static int fail(qd_status status, const qd_error *error, int exit_code) {
    qdi_complain("%s", reason(status, error));
    return status == QD_ERR_MEMORY || status == QD_ERR_INTERNAL ? QDI_EXIT_FAILED : exit_code;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/// Whether SCENE is meant as a file: it looks like one, or is one.
static bool names_a_file(const char *scene) {
    return strchr(scene, '/') || ends_with(scene, ".yaml") || ends_with(scene, ".yml") ||
           ends_with(scene, ".json") || qdi_os_is_file(scene);
}

static int read_scene(run *job) {
    run_settings *settings = &job->settings;
    const struct {
        const char *key;
        qdi_option_number number;
    } flags[KEY_FLAGS] = {
        {"run.steps", settings->steps}, {"run.seed", settings->seed}, {"frames.every", settings->frames}};
    char texts[KEY_FLAGS][KEY_SET_SIZE];
    for (size_t i = 0; i < KEY_FLAGS; ++i) {
        if (!flags[i].number.given) continue;
        snprintf(texts[i], sizeof texts[i], "%s=%" PRIu64, flags[i].key, flags[i].number.value);
        settings->sets.items[settings->sets.count++] = texts[i];
    }
    qd_scene_changes changes = {settings->sets.items, settings->sets.count,
                                settings->bodies.given ? settings->bodies.value : 0};
    qd_error error = {""};
    bool file = names_a_file(settings->scene);
    qd_status status = file ? qd_scene_read(settings->scene, &changes, &job->scene, &error)
                            : qd_scene_builtin(settings->scene, &changes, &job->scene, &error);
    if (status == QD_ERR_NOT_FOUND && !file) {
        qdi_complain("%s (`quadrille scenes` lists them; a file's name ends in .yaml)",
                     reason(status, &error));
        return QDI_EXIT_SCENE;
    }
    if (status != QD_OK)
        return fail(status, &error, status == QD_ERR_ARGUMENT ? QDI_EXIT_USAGE : QDI_EXIT_SCENE);
    job->plan = qd_scene_run_settings(job->scene);
    return QDI_EXIT_DONE;
}

static void choose_threads(run *job) {
    const run_settings *settings = &job->settings;
    job->threads = qdi_threads_here(settings->threads.given ? (int)settings->threads.value : 0,
                                    settings->common.quiet);
}

/// --simd, or the best that the processor has.
static int choose_simd(run *job) {
    qd_error error = {""};
    qd_status status = qdi_simd_choose(job->settings.simd, &job->simd, &error);
    return status == QD_OK ? QDI_EXIT_DONE : fail(status, &error, QDI_EXIT_USAGE);
}

/// -o, or ./NAME-<8 hex digits of the scene's hash>. A scene's name is letters, digits, `_` and `-`.
static void choose_directory(run *job) {
    if (job->settings.directory)
        snprintf(job->directory, sizeof job->directory, "%s", job->settings.directory);
    else
        snprintf(job->directory, sizeof job->directory, "%s-%08" PRIx64, qd_scene_name(job->scene),
                 qd_scene_hash(job->scene) >> 32);
}

/// A limit that was passed, in one line: which, by whom, and what it was like the step before.
static void complain_limit(const run *job) {
    qd_limit_report report = qd_world_limit_report(job->world);
    const char *why = report.reason[0] ? report.reason : qd_status_text(QD_ERR_LIMIT);
    if (!report.has_body) {
        qdi_complain("step %" PRIu64 ": %s", report.step, why);
        return;
    }
    const qd_body_state *body = &report.body;
    qdi_complain("step %" PRIu64 ": body %" PRIu64
                 ": %s; before the step it was at (%.9g, %.9g) with velocity "
                 "(%.9g, %.9g)",
                 report.step, report.label, why, body->position.x, body->position.y, body->velocity.x,
                 body->velocity.y);
}

/// The world at step 0, with its contacts.
static int make_world(run *job) {
    qd_world_def def = qd_scene_world(job->scene);
    def.threads = job->threads.threads;
    def.simd = job->simd;
    qd_error error = {""};
    qd_status status = qd_world_create(&def, &job->world);
    if (status == QD_OK) status = qd_scene_populate(job->scene, job->world, &error);
    if (status == QD_OK) {
        status = qd_world_detect(job->world);
        if (status == QD_ERR_LIMIT) {
            complain_limit(job);
            return QDI_EXIT_SCENE;
        }
    }
    if (status == QD_OK) return QDI_EXIT_DONE;
    qd_error named; // what cannot be placed is the scene's fault, so say which scene
    snprintf(named.text, sizeof named.text, "%.200s: %.300s", job->settings.scene, reason(status, &error));
    return fail(status, &named, QDI_EXIT_SCENE);
}

static int make_directory(run *job) {
    qd_error error = {""};
    if (job->settings.directory && strlen(job->settings.directory) >= sizeof job->directory) {
        qdi_complain("the name of the output directory is longer than %d characters", PATH_SIZE - 1);
        return QDI_EXIT_OUTPUT;
    }
    qd_status status = qd_rundir_create(job->directory, qd_scene_text(job->scene), job->settings.force,
                                        &job->rundir, &error);
    if (status == QD_ERR_EXISTS) {
        qdi_complain("%s; --force replaces it, -o DIR writes elsewhere", reason(status, &error));
        return QDI_EXIT_OUTPUT;
    }
    if (status == QD_OK) status = qd_rundir_write_scene_files(job->rundir, job->scene, &error);
    return status == QD_OK ? QDI_EXIT_DONE : fail(status, &error, QDI_EXIT_OUTPUT);
}

static int make_writer(run *job) {
    if (job->plan.frames_every == 0) return QDI_EXIT_DONE;
    char path[PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/frames", job->directory);
    qd_error error = {""};
    qd_status status = qd_rundir_subdir(job->rundir, "frames", &error);
    if (status == QD_OK) {
        qd_frame_writer_def def = qd_frame_writer_def_default();
        def.directory = path;
        def.view = qd_scene_view(job->scene);
        def.provenance = (qd_provenance){qd_scene_name(job->scene), qd_scene_hash(job->scene),
                                         job->plan.seed};
        status = qd_frame_writer_create(&def, &job->writer, &error);
    }
    return status == QD_OK ? QDI_EXIT_DONE : fail(status, &error, QDI_EXIT_OUTPUT);
}

/// True where threads that nobody asked for by name will wait for each other more than they work.
static bool too_few_bodies(const run *job) {
    size_t threads = (size_t)job->threads.threads;
    return !job->settings.threads.given && threads > 1 &&
           qd_world_count(job->world) < threads * BODIES_PER_THREAD;
}

/// What is about to happen, before it does.
static void print_header(const run *job) {
    const qd_scene_run *plan = &job->plan;
    fprintf(stderr, "quadrille %s\n", QD_VERSION);
    fprintf(stderr, "scene    %s: %zu bodies, %" PRIu64 " steps of %.6g, seed %" PRIu64 "\n",
            qd_scene_name(job->scene), qd_world_count(job->world), plan->steps, plan->dt, plan->seed);
    fprintf(stderr, "threads  %d (%s)%s\n", job->threads.threads, job->threads.reason,
            too_few_bodies(job) ? "; for so few bodies --threads 1 may be faster" : "");
    fprintf(stderr, "kernels  %s (%s)\n", qd_simd_name(job->simd),
            job->settings.simd ? "--simd" : "the processor's best");
    if (plan->frames_every > 0)
        fprintf(stderr, "frames   every %" PRIu64 " steps, %" PRIu64 " in all\n", plan->frames_every,
                plan->steps / plan->frames_every + 1);
    else
        fprintf(stderr, "frames   none\n");
    fprintf(stderr, "output   %s\n", job->directory);
    for (const char *note = qd_scene_notes(job->scene), *end; (end = strchr(note, '\n')); note = end + 1)
        fprintf(stderr, "note     %.*s\n", (int)(end - note), note);
    double contact_time = qd_world_contact_time(job->world);
    if (plan->dt > contact_time / 20)
        fprintf(stderr, "note     the step of %.6g is longer than a twentieth of the contact time, %.6g\n",
                plan->dt, contact_time);
}

static double energy(const qd_world *world) {
    qd_world_sums sums = qd_world_sum(world);
    return sums.kinetic + sums.potential;
}

/// Hands in the frame of this moment where one is due. The time counts as export.
static qd_status push_frame(run *job) {
    if (!job->writer || job->steps_done % job->plan.frames_every != 0) return QD_OK;
    uint64_t before = qdi_clock_ns();
    qd_status status = qd_frame_writer_push(job->writer, job->world);
    job->result.profile.wall_ns[QD_PHASE_EXPORT] += qdi_clock_ns() - before;
    job->frames_pushed += 1;
    return status;
}

/// Waits for the frames; the reason of one that failed comes out here.
static int finish_frames(run *job) {
    if (!job->writer) return QDI_EXIT_DONE;
    uint64_t before = qdi_clock_ns();
    qd_error error = {""};
    qd_status status = qd_frame_writer_finish(job->writer, &job->result.frames, &error);
    job->result.profile.wall_ns[QD_PHASE_EXPORT] += qdi_clock_ns() - before;
    return status == QD_OK ? QDI_EXIT_DONE : fail(status, &error, QDI_EXIT_OUTPUT);
}

static qdi_progress start_progress(const run *job) {
    const qdi_common *common = &job->settings.common;
    bool terminal = qdi_host_stderr_is_terminal();
    const char *no_colour = getenv("NO_COLOR");
    qdi_progress_style style = terminal ? QDI_PROGRESS_BAR : QDI_PROGRESS_LINES;
    if (common->quiet || common->no_progress) style = QDI_PROGRESS_NONE;
    return qdi_progress_start(style, !common->no_colour && !(no_colour && *no_colour), job->plan.steps);
}

/// Steps and frames until all are done, something fails or a signal comes. Leaves the status of what failed.
static qd_status go(run *job) {
    qdi_progress progress = start_progress(job);
    qd_status status = push_frame(job);
    while (status == QD_OK && job->steps_done < job->plan.steps && qdi_host_signal() == 0) {
        status = qd_world_step(job->world, job->plan.dt, &job->result.profile);
        if (status != QD_OK) break;
        job->steps_done += 1;
        status = push_frame(job);
        qdi_progress_step(&progress, job->steps_done);
    }
    qdi_progress_end(&progress);
    return status;
}

/// Runs the steps and waits for the frames. The frames of all steps done are written whatever happens.
static int simulate(run *job) {
    job->result.energy_first = energy(job->world);
    uint64_t start = qdi_clock_ns();
    qd_status status = go(job);
    int frames_exit = finish_frames(job);
    job->result.wall_ns = qdi_clock_ns() - start;
    if (frames_exit != QDI_EXIT_DONE) return frames_exit;
    if (status == QD_ERR_LIMIT) {
        complain_limit(job);
        return QDI_EXIT_INVARIANT;
    }
    if (status != QD_OK) return fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    if (job->steps_done < job->plan.steps) {
        int signal = qdi_host_signal();
        qdi_complain("stopped by %s after %" PRIu64 " of %" PRIu64 " steps; %s has %" PRIu64
                     " frames and no result.json",
                     qdi_host_signal_name(signal), job->steps_done, job->plan.steps, job->directory,
                     job->result.frames);
        return QDI_EXIT_SIGNAL + signal;
    }
    return QDI_EXIT_DONE;
}

static void fill_result(run *job) {
    qdi_result *result = &job->result;
    result->scene = qd_scene_name(job->scene);
    result->scene_hash = qd_scene_hash(job->scene);
    result->seed = job->plan.seed;
    result->bodies = qd_world_count(job->world);
    result->steps = job->steps_done;
    result->dt = job->plan.dt;
    result->threads = job->threads.threads;
    result->simd = qd_simd_name(job->simd);
    result->state_hash = qd_world_hash(job->world);
    result->totals = qd_world_total(job->world);
    result->energy_last = energy(job->world);
    result->peak_memory = qdi_host_peak_memory();
}

/// result.json comes last: where it is, the run is complete.
static int write_result(run *job) {
    fill_result(job);
    qdi_json json = {.allocator = qd_allocator_default()};
    qd_error error = {""};
    qd_status status = qdi_result_json(&job->result, &json);
    if (status == QD_OK) status = qd_rundir_write(job->rundir, "result.json", json.text, json.length, &error);
    if (status == QD_OK && job->settings.json) fputs(json.text, stdout);
    qdi_json_free(&json);
    if (status != QD_OK) return fail(status, &error, QDI_EXIT_OUTPUT);
    if (!job->settings.common.quiet)
        qdi_report_print(stderr, &job->result, job->world, job->directory, job->settings.common.verbose);
    return QDI_EXIT_DONE;
}

static int run_stages(run *job) {
    int exit_code = choose_simd(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = read_scene(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    choose_threads(job);
    choose_directory(job);
    exit_code = make_world(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    // Before this the default is right: nothing was made that would have to be finished.
    qdi_host_watch_signals();
    exit_code = make_directory(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = make_writer(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (!job->settings.common.quiet) print_header(job);
    exit_code = simulate(job);
    return exit_code == QDI_EXIT_DONE ? write_result(job) : exit_code;
}

static int run_main(int count, char *const *arguments) {
    run job;
    memset(&job, 0, sizeof job);
    const qd_allocator *allocator = qd_allocator_default();
    size_t room = (size_t)count + KEY_FLAGS;
    job.settings.sets.items = qdi_allocate(allocator, room, sizeof *job.settings.sets.items);
    int exit_code;
    if (!job.settings.sets.items) {
        exit_code = fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    } else if (qdi_command_start(&qdi_command_run, count, arguments, &job.settings, &exit_code)) {
        if (!job.settings.scene) job.settings.scene = "pool";
        exit_code = run_stages(&job);
    }
    qd_frame_writer_destroy(job.writer);
    qd_rundir_close(job.rundir);
    qd_world_destroy(job.world);
    qd_scene_destroy(job.scene);
    qdi_release(allocator, job.settings.sets.items, room, sizeof *job.settings.sets.items);
    return exit_code;
}

static const qdi_option run_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "DIR", 0, 0, offsetof(run_settings, directory),
     "run directory; default ./NAME-<8 digits of the scene's hash>"},
    {"--steps", 0, QDI_OPTION_NUMBER, "N", 0, MOST_STEPS, offsetof(run_settings, steps),
     "simulate N steps (the same as --set run.steps=N)"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(run_settings, threads),
     "work with N threads; results are the same for any N, the default is explained"},
    {"--simd", 0, QDI_OPTION_TEXT, "NAME", 0, 0, offsetof(run_settings, simd),
     "kernels: auto (default), portable, sse2, avx2, avx512; same results"},
    {"--seed", 0, QDI_OPTION_NUMBER, "N", 0, UINT64_MAX, offsetof(run_settings, seed),
     "seed of all random numbers (run.seed)"},
    {"--bodies", 0, QDI_OPTION_NUMBER, "N", 1, MOST_BODIES, offsetof(run_settings, bodies),
     "scale the scene to N bodies, and its world with them at constant density"},
    {"--frames", 0, QDI_OPTION_NUMBER, "E", 0, MOST_STEPS, offsetof(run_settings, frames),
     "a picture every E steps, 0 = none (frames.every)"},
    {"--set", 0, QDI_OPTION_LIST, "KEY=VALUE", 0, 0, offsetof(run_settings, sets),
     "change any key of the scene; may be given many times"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(run_settings, force),
     "replace an earlier run in the same directory"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(run_settings, json),
     "print the content of result.json on the standard output"},
};

static const qdi_syntax run_syntax = {"run", run_options, sizeof run_options / sizeof run_options[0], "SCENE",
                                      offsetof(run_settings, scene)};

const qdi_command qdi_command_run = {
    &run_syntax,
    "simulate a scene into a run directory",
    "  quadrille run                                     the scene pool, with pictures\n"
    "  quadrille run gas --bodies 100000 --frames 0      100,000 bodies, no pictures\n"
    "  quadrille run my.yaml -o out --set contact.restitution=0.9\n"
    "  quadrille run pool --steps 100 --json -q          result.json on the standard output, nothing else\n",
    "a built-in scene (`quadrille scenes` lists them) or a YAML file; default pool",
    run_main,
};
