#include "core/base/memory.h"
#include "sim/files/os.h"
#include "tools/cmd/command.h"
#include "tools/cmd/scene_choice.h"
#include "tools/host/cgroup.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/pin.h"
#include "tools/host/simd_choice.h"
#include "tools/host/threads.h"
#include "tools/scale/against.h"
#include "tools/scale/scale_report.h"

#include <inttypes.h>
#include <quadrille/scene.h>
#include <string.h>

enum { MOST_STEPS = 1000000, MOST_REPEATS = 1000, STEPS = 50, DROPPED = 5, REPEATS = 7, PATH_SIZE = 4096 };

typedef struct scale_settings {
    qdi_common common;
    const char *scene, *directory, *threads, *ranks, *bodies, *simd, *against, *pin;
    qdi_option_number steps, warmup, repeats, order_seed;
    qdi_option_list sets;
    bool weak, force, dry_run, json;
} scale_settings;

/// A scaling test from its flags to its files. Whatever stage fails says why and gives the exit code.
typedef struct scale {
    scale_settings settings;
    qdi_scale_plan plan;
    qd_scene **scenes; ///< by configuration
    uint64_t *scene_hashes;
    qdi_scale_sample *samples;
    uint64_t *step_ns;
    qdi_scale_result *results;
    qd_simd simd;
    qdi_pin_policy pin_policy;
    qdi_pin *pins; ///< by number of threads, as the plan has them
    qdi_scale_report report;
    char uncounted[128]; ///< why there are no counters
} scale;

// ---- what is asked for ----

/// Command scale: threads that can run at once, whatever the environment wants.
static int threads_at_once(void) {
    const qdi_thread_facts facts = {
        .cores = qdi_host_cores(), .affinity = qdi_host_affinity(), .quota = qdi_cgroup_quota("")};
    return qdi_threads_choose(&facts).threads;
}

// Command scale: reads how many threads, or how many ranks of how many threads, there are to be.
static bool read_workers(scale *job, qd_error *error) {
    const scale_settings *settings = &job->settings;
    qdi_scale_plan *plan = &job->plan;
    if (settings->threads && !qdi_scale_read_threads(settings->threads, plan, error)) return false;
    if (!settings->ranks && !settings->threads) qdi_scale_default_threads(plan);
    if (!settings->ranks) return true;
    if (settings->threads && plan->thread_count != 1) {
        snprintf(error->text, sizeof error->text,
                 "--threads %.100s: with --ranks all ranks have the same number of threads",
                 settings->threads);
        return false;
    }
    return qdi_scale_read_ranks(settings->ranks, settings->threads ? plan->threads[0] : 1, plan, error);
}

// Command scale: reads the flags of a scaling test.
static int read_scale_flags(scale *job) {
    const scale_settings *settings = &job->settings;
    qdi_scale_plan *plan = &job->plan;
    qd_error error = {""};
    if (!settings->directory && !settings->dry_run) {
        qdi_complain("scale needs -o DIR, where its files go");
        return QDI_EXIT_USAGE;
    }
    if (settings->against && settings->weak) {
        qdi_complain("--against compares two builds on the same bodies, and does not go with --weak");
        return QDI_EXIT_USAGE;
    }
    if (settings->ranks && (settings->against || settings->pin)) {
        qdi_complain("--ranks does not go with %s", settings->pin ? "--pin" : "--against");
        return QDI_EXIT_USAGE;
    }
    plan->available = threads_at_once();
    plan->steps = settings->steps.given ? (size_t)settings->steps.value : STEPS;
    plan->dropped = settings->warmup.given ? (size_t)settings->warmup.value : DROPPED;
    plan->repeats = settings->repeats.given ? (size_t)settings->repeats.value : REPEATS;
    plan->seed = settings->order_seed.given ? settings->order_seed.value : 1;
    plan->weak = settings->weak;
    const bool good = read_workers(job, &error) &&
                      (!settings->bodies || qdi_scale_read_bodies(settings->bodies, plan, &error)) &&
                      qdi_simd_choose(settings->simd, &job->simd, &error) == QD_OK &&
                      qdi_pin_read(settings->pin, &job->pin_policy, &error) == QD_OK;
    if (good) return QDI_EXIT_DONE;
    qdi_complain("%s", error.text);
    return QDI_EXIT_USAGE;
}

/// The scene with so many bodies, 0 being as it is.
static int read_scene(const scale *job, uint64_t bodies, qd_scene **scene) {
    const scale_settings *settings = &job->settings;
    const qd_scene_changes changes = {settings->sets.items, settings->sets.count, bodies};
    return qdi_scene_choose(settings->scene, &changes, scene);
}

/// Without --bodies: as many as the scene has.
static int take_scenes_bodies(scale *job) {
    if (job->plan.bodies_count > 0) return QDI_EXIT_DONE;
    qd_scene *scene = NULL;
    int exit_code = read_scene(job, 0, &scene);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    job->plan.bodies[0] = qd_scene_bodies(scene);
    job->plan.bodies_count = 1;
    const bool stages = qd_scene_stages(scene) > 0;
    qd_scene_destroy(scene);
    if (!stages) return QDI_EXIT_DONE;
    qdi_complain("%s: the scene has stages: a scaling test measures one state, not several",
                 job->settings.scene);
    return QDI_EXIT_SCENE;
}

// Reads the scene of a scaling test, once for each number of bodies.
static int read_scale_scenes(scale *job) {
    const qd_allocator *allocator = qd_allocator_default();
    const qdi_scale_plan *plan = &job->plan;
    size_t count = plan->config_count;
    job->scenes = qdi_allocate(allocator, count, sizeof(qd_scene *));
    job->scene_hashes = qdi_allocate(allocator, count, sizeof *job->scene_hashes);
    if (!job->scenes || !job->scene_hashes) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    memset(job->scenes, 0, count * sizeof(qd_scene *));
    for (size_t i = 0; i < count; ++i) {
        bool own = !job->settings.bodies && plan->configs[i].bodies == plan->bodies[0];
        int exit_code = read_scene(job, own ? 0 : plan->configs[i].bodies, &job->scenes[i]);
        if (exit_code != QDI_EXIT_DONE) return exit_code;
        job->scene_hashes[i] = qd_scene_hash(job->scenes[i]);
    }
    return QDI_EXIT_DONE;
}

// Command scale: makes the plan of a scaling test from its flags.
static int make_scale_plan(scale *job) {
    int exit_code = take_scenes_bodies(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qd_error error = {""};
    qd_status status = qdi_scale_plan_make(&job->plan, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_USAGE);
    return read_scale_scenes(job);
}

// Prints the runs of a scaling test, for --dry-run.
static int print_scale_plan(const scale *job) {
    const qdi_scale_plan *plan = &job->plan;
    printf("run,series,bodies,threads,ranks,beyond,repeat,steps,dropped\n");
    for (size_t turn = 0; turn < plan->turn_count; ++turn) {
        const qdi_scale_config *config = &plan->configs[plan->turns[turn].config];
        printf("%zu,%s,%" PRIu64 ",%d,%d,%d,%zu,%zu,%zu\n", turn + 1, qdi_scale_series(config),
               config->bodies, config->threads, config->ranks, (int)config->beyond,
               plan->turns[turn].repeat + 1, plan->steps, plan->dropped);
    }
    return QDI_EXIT_DONE;
}

/// Command scale: where the threads of each configuration are to be.
static int choose_scale_pins(scale *job) {
    const qdi_scale_plan *plan = &job->plan;
    qd_error error = {""};
    job->pins = qdi_allocate(qd_allocator_default(), plan->thread_count, sizeof *job->pins);
    qd_status status = job->pins ? QD_OK : QD_ERR_MEMORY;
    for (size_t i = 0; status == QD_OK && i < plan->thread_count; ++i)
        status = qdi_pin_here(job->pin_policy, plan->threads[i], job->settings.common.quiet, &job->pins[i],
                              &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_USAGE);
}

// ---- the directory ----

// Command scale: the path of a file in the directory of a scaling test.
static bool scale_path(const scale *job, const char *name, char path[PATH_SIZE]) {
    int length = snprintf(path, PATH_SIZE, "%s/%s", job->settings.directory, name);
    return length > 0 && length < PATH_SIZE;
}

/// Makes it. One that has an earlier test is refused, or with --force rid of its files, so that what is there
/// afterwards is of one test.
static int prepare_directory(const scale *job) {
    static const char *const names[] = {"scale.json", "scale.csv",   "phases.csv",  "steps.csv",
                                        "time.png",   "weak.png",    "speedup.png", "efficiency.png",
                                        "phases.png", "report.html", "against.csv", "against.json"};
    qd_error error = {""};
    const char *directory = job->settings.directory;
    qd_status status = qdi_os_make_directories(directory, &error);
    if (status == QD_ERR_EXISTS && qdi_os_is_directory(directory)) status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < sizeof names / sizeof names[0]; ++i) {
        char path[PATH_SIZE];
        if (!scale_path(job, names[i], path)) {
            qdi_complain("the name of the output directory is too long");
            return QDI_EXIT_OUTPUT;
        }
        if (!qdi_os_exists(path)) continue;
        if (!job->settings.force) {
            qdi_complain("%.500s has an earlier test's %s; --force replaces it", directory, names[i]);
            return QDI_EXIT_OUTPUT;
        }
        status = qdi_os_remove_file(path, &error);
    }
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

// ---- the runs ----

// Prints the head of a scaling test: machine, scene, runs.
static void say_scale_start(const scale *job) {
    const qdi_scale_plan *plan = &job->plan;
    const qdi_scale_origin *origin = &job->report.origin;
    if (job->settings.common.quiet) return;
    fprintf(stderr, "quadrille %s\nscene    %s\nruns     %zu of %zu steps after %zu that are dropped\n",
            QD_VERSION, job->report.scene, plan->turn_count, plan->steps, plan->dropped);
    fprintf(stderr, "machine  %s, %d core%s", origin->cpu, origin->cores, origin->cores == 1 ? "" : "s");
    if (origin->affinity > 0 && origin->affinity < origin->cores)
        fprintf(stderr, ", %d allowed", origin->affinity);
    if (origin->quota > 0) fprintf(stderr, ", quota %.4g", origin->quota);
    if (origin->governor[0]) fprintf(stderr, ", governor %s", origin->governor);
    if (origin->load_first >= 0) fprintf(stderr, ", load %.2f", origin->load_first);
    fputc('\n', stderr);
    for (size_t i = 0; i < plan->thread_count && job->pin_policy != QDI_PIN_OFF; ++i) {
        char words[256];
        qdi_pin_words(&job->pins[i], words, sizeof words);
        fprintf(stderr, "pin      %s\n", words);
    }
    if (job->uncounted[0]) fprintf(stderr, "note     no counters of the processor: %s\n", job->uncounted);
    fprintf(stderr, "output   %s\n", job->settings.directory);
    int most = plan->threads[plan->thread_count - 1];
    if (most > plan->available)
        qdi_warn("%d threads are more than can run at once here (%d); what is beyond that is marked", most,
                 plan->available);
    if (origin->load_first > .5)
        qdi_warn("the machine is at work already (load %.2f): with all its cores in use the figures will be "
                 "worse than they could be",
                 origin->load_first);
}

// Command scale: does the runs of a scaling test in the order of its plan.
static int measure_scale(scale *job) {
    const qdi_scale_plan *plan = &job->plan;
    const qdi_common *common = &job->settings.common;
    char path[PATH_SIZE];
    (void)scale_path(job, "scale.csv", path);
    FILE *csv = NULL;
    qd_error error = {""};
    if (qdi_file_create_stream(path, &csv, &error) != QD_OK)
        return qdi_fail(QD_ERR_IO, &error, QDI_EXIT_OUTPUT);
    if (csv) qdi_scale_csv_head(csv);
    int exit_code = csv ? QDI_EXIT_DONE : QDI_EXIT_OUTPUT;
    size_t turn = 0;
    for (; exit_code == QDI_EXIT_DONE && turn < plan->turn_count; ++turn) {
        const qdi_scale_config *config = &plan->configs[plan->turns[turn].config];
        const qdi_scale_job run = {.scene = job->scenes[plan->turns[turn].config],
                                   .label = job->settings.scene,
                                   .threads = config->threads,
                                   .ranks = config->ranks,
                                   .pin = qdi_scale_pin_of(&job->report, config),
                                   .simd = job->simd,
                                   .steps = plan->steps,
                                   .dropped = plan->dropped};
        exit_code = qdi_scale_measure(&run, &job->samples[turn], job->step_ns + turn * plan->steps);
        if (exit_code != QDI_EXIT_DONE) break;
        qdi_scale_csv_run(csv, &job->report, turn);
        if (fflush(csv) != 0) exit_code = QDI_EXIT_OUTPUT;
        if (!common->quiet && !common->no_progress)
            fprintf(stderr, "run %zu of %zu: %" PRIu64 " bodies, %d thread%s: %.3f ms per step\n", turn + 1,
                    plan->turn_count, job->samples[turn].bodies, config->threads,
                    config->threads == 1 ? "" : "s",
                    (double)job->samples[turn].wall_ns / (double)plan->steps / 1e6);
    }
    if (csv && fclose(csv) != 0 && exit_code == QDI_EXIT_DONE) exit_code = QDI_EXIT_OUTPUT;
    if (exit_code == QDI_EXIT_OUTPUT) qdi_complain("%.500s cannot be written", path);
    if (exit_code >= QDI_EXIT_SIGNAL)
        qdi_complain("stopped by %s after %zu of %zu runs; they are in %.500s",
                     qdi_host_signal_name(qdi_host_signal()), turn, plan->turn_count, path);
    return exit_code;
}

// ---- what comes of them ----

// Command scale: writes one of the tables of a scaling test to a file.
static int write_scale_table(const scale *job, const char *name,
                             void (*write)(FILE *out, const qdi_scale_report *report)) {
    char path[PATH_SIZE];
    (void)scale_path(job, name, path);
    FILE *file = NULL;
    qd_error error = {""};
    if (qdi_file_create_stream(path, &file, &error) != QD_OK)
        return qdi_fail(QD_ERR_IO, &error, QDI_EXIT_OUTPUT);
    write(file, &job->report);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good) qdi_complain("%.500s cannot be written", path);
    return good ? QDI_EXIT_DONE : QDI_EXIT_OUTPUT;
}

// Command scale: draws the plots of a scaling test with gnuplot.
static int draw_scale_plots(const scale *job) {
    if (!qdi_host_has_program("gnuplot")) {
        if (!job->settings.common.quiet)
            fprintf(stderr, "note     no plots: they need the program gnuplot (on Debian: apt-get install "
                            "gnuplot-nox)\n");
        return QDI_EXIT_DONE;
    }
    char gnuplot[] = "gnuplot";
    qdi_host_program program;
    for (qdi_scale_picture picture = 0; picture < QDI_SCALE_PICTURES; ++picture) {
        if (!qdi_scale_picture_there(&job->report, picture)) continue;
        char name[32], path[PATH_SIZE];
        snprintf(name, sizeof name, "%s.png", qdi_scale_picture_name(picture));
        (void)scale_path(job, name, path);
        bool good = qdi_host_program_open((char *[]){gnuplot, NULL}, NULL, path, &program);
        if (good) qdi_scale_plot(program.in, &job->report, picture);
        if (good && qdi_host_program_close(&program)) continue;
        qdi_complain("gnuplot could not draw %.500s", path);
        return QDI_EXIT_OUTPUT;
    }
    return QDI_EXIT_DONE;
}

/// Command scale: scale.json comes last: where it is, all is.
static int write_json(const scale *job, const qdi_json *json) {
    char path[PATH_SIZE], temporary[PATH_SIZE];
    qd_error error = {""};
    (void)scale_path(job, "scale.json", path);
    if (!scale_path(job, ".scale.json.part", temporary)) return QDI_EXIT_OUTPUT;
    qd_status status = qdi_os_write_file(temporary, path, json->text, json->length, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

// Command scale: sums up a scaling test and writes its files.
static int write_scale_results(scale *job) {
    qdi_scale_report *report = &job->report;
    for (size_t i = 0; i < job->plan.config_count; ++i) {
        qd_status status = qdi_scale_sum_up(&job->plan, job->samples, job->step_ns, i, &job->results[i]);
        if (status != QD_OK) return qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    }
    report->origin.load_last = qdi_host_load();
    qdi_json json = {.allocator = qd_allocator_default()};
    int exit_code = write_scale_table(job, "phases.csv", qdi_scale_csv_phases);
    if (exit_code == QDI_EXIT_DONE) exit_code = write_scale_table(job, "steps.csv", qdi_scale_csv_steps);
    if (exit_code == QDI_EXIT_DONE) exit_code = draw_scale_plots(job);
    if (exit_code == QDI_EXIT_DONE && qdi_scale_json(&json, report) != QD_OK)
        exit_code = qdi_fail(json.status, &(qd_error){""}, QDI_EXIT_FAILED);
    if (exit_code == QDI_EXIT_DONE) exit_code = write_json(job, &json);
    if (exit_code == QDI_EXIT_DONE && job->settings.json)
        fputs(json.text, stdout);
    else if (exit_code == QDI_EXIT_DONE)
        qdi_scale_print(stdout, report, job->settings.common.verbose);
    qdi_json_free(&json);
    return exit_code;
}

// Command scale: prepares, measures and writes a scaling test.
static int do_scale(scale *job) {
    const qd_allocator *allocator = qd_allocator_default();
    const qdi_scale_plan *plan = &job->plan;
    qd_error error = {""};
    int exit_code = choose_scale_pins(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = prepare_directory(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    job->samples = qdi_allocate(allocator, plan->turn_count, sizeof *job->samples);
    job->step_ns = qdi_allocate(allocator, plan->turn_count * plan->steps, sizeof *job->step_ns);
    job->results = qdi_allocate(allocator, plan->config_count, sizeof *job->results);
    if (!job->samples || !job->step_ns || !job->results)
        return qdi_fail(QD_ERR_MEMORY, &error, QDI_EXIT_FAILED);
    job->report = (qdi_scale_report){.plan = plan,
                                     .scene = qd_scene_name(job->scenes[0]),
                                     .simd = qd_simd_name(job->simd),
                                     .pins = job->pins,
                                     .samples = job->samples,
                                     .step_ns = job->step_ns,
                                     .results = job->results,
                                     .scene_hashes = job->scene_hashes};
    qdi_scale_origin_look(&job->report.origin);
    qdi_counters counters; // only tried out: each run has its own
    qdi_counters_start(&counters, job->uncounted, sizeof job->uncounted);
    qdi_counters_stop(&counters);
    job->report.uncounted = job->uncounted;
    qdi_host_watch_signals();
    say_scale_start(job);
    const qdi_others_start others = qdi_others_begin();
    exit_code = measure_scale(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    int most = plan->threads[plan->thread_count - 1];
    job->report.others = qdi_others_end(&others, most < plan->available ? most : plan->available);
    job->report.equal = qdi_scale_hashes_agree(plan, job->samples, &error);
    exit_code = write_scale_results(job);
    if (exit_code != QDI_EXIT_DONE || job->report.equal) return exit_code;
    qdi_complain("%s", error.text);
    return QDI_EXIT_INVARIANT;
}

// Command scale: holds this build against another.
static int do_against(const scale *job) {
    const scale_settings *settings = &job->settings;
    int exit_code = prepare_directory(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    return qdi_against_measure(&(qdi_against_job){.plan = &job->plan,
                                                  .program = settings->against,
                                                  .scene = settings->scene,
                                                  .sets = settings->sets.items,
                                                  .set_count = settings->sets.count,
                                                  .simd = settings->simd,
                                                  .pin = settings->pin,
                                                  .directory = settings->directory,
                                                  .bodies_given = settings->bodies != NULL,
                                                  .quiet = settings->common.quiet,
                                                  .no_progress = settings->common.no_progress,
                                                  .json = settings->json});
}

// Command scale: frees what a scaling test worked with.
static void scale_end(void *context) {
    scale *job = context;
    const qd_allocator *allocator = qd_allocator_default();
    const qdi_scale_plan *plan = &job->plan;
    for (size_t i = 0; job->scenes && i < plan->config_count; ++i) qd_scene_destroy(job->scenes[i]);
    qdi_release(allocator, job->scenes, plan->config_count, sizeof(qd_scene *));
    qdi_release(allocator, job->scene_hashes, plan->config_count, sizeof *job->scene_hashes);
    qdi_release(allocator, job->samples, plan->turn_count, sizeof *job->samples);
    qdi_release(allocator, job->step_ns, plan->turn_count * plan->steps, sizeof *job->step_ns);
    qdi_release(allocator, job->results, plan->config_count, sizeof *job->results);
    qdi_release(allocator, job->pins, plan->thread_count, sizeof *job->pins);
    qdi_scale_plan_free(&job->plan);
}

// `quadrille scale`: a scaling test, or its plan.
static int scale_command(void *context) {
    scale *job = context;
    int exit_code = read_scale_flags(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = make_scale_plan(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (job->settings.dry_run) return print_scale_plan(job);
    return job->settings.against ? do_against(job) : do_scale(job);
}

static const qdi_option scale_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "DIR", 0, 0, offsetof(scale_settings, directory),
     "where scale.csv, scale.json and the plots go; needed"},
    {"--threads", 0, QDI_OPTION_TEXT, "LIST", 0, 0, offsetof(scale_settings, threads),
     "as 1,2,4-8; default 1, 2, 4, ... and as many as can run at once"},
    {"--ranks", 0, QDI_OPTION_TEXT, "LIST", 0, 0, offsetof(scale_settings, ranks),
     "numbers of ranks, as 1,2,4, of --threads threads each, 1 where it is not given"},
    {"--bodies", 0, QDI_OPTION_TEXT, "LIST", 0, 0, offsetof(scale_settings, bodies),
     "numbers of bodies, as 1e4,1e5, at constant density; default the scene's"},
    {"--steps", 0, QDI_OPTION_NUMBER, "N", 1, MOST_STEPS, offsetof(scale_settings, steps),
     "steps to measure in each run; default 50"},
    {"--warmup", 0, QDI_OPTION_NUMBER, "N", 0, MOST_STEPS, offsetof(scale_settings, warmup),
     "steps before them that do not count; default 5"},
    {"--weak", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(scale_settings, weak),
     "measure weak scaling too: as many bodies for each thread"},
    {"--repeats", 0, QDI_OPTION_NUMBER, "R", 1, MOST_REPEATS, offsetof(scale_settings, repeats),
     "run everything R times, in random order; default 7 (95 % intervals need 6)"},
    {"--pin", 0, QDI_OPTION_TEXT, "HOW", 0, 0, offsetof(scale_settings, pin),
     "bind threads to cores: close, spread (over nodes) or off (default)"},
    {"--order-seed", 0, QDI_OPTION_NUMBER, "N", 0, UINT64_MAX, offsetof(scale_settings, order_seed),
     "seed of that order; default 1"},
    {"--against", 0, QDI_OPTION_TEXT, "PROGRAM", 0, 0, offsetof(scale_settings, against),
     "another build, measured in turn with this one: what became faster or slower"},
    {"--simd", 0, QDI_OPTION_TEXT, "NAME", 0, 0, offsetof(scale_settings, simd),
     "kernels: auto (default), portable, sse2, avx2, avx512, neon; same results"},
    {"--set", 0, QDI_OPTION_LIST, "KEY=VALUE", 0, 0, offsetof(scale_settings, sets),
     "change any key of the scene; may be given many times"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(scale_settings, force),
     "replace an earlier test in the same directory"},
    {"--dry-run", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(scale_settings, dry_run),
     "print the runs in their order, and make none of them"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(scale_settings, json),
     "print the content of scale.json on the standard output instead of tables"},
};

const qdi_command qdi_command_scale = {
    &(const qdi_syntax){.command = "scale",
                        .options = scale_options,
                        .option_count = sizeof scale_options / sizeof scale_options[0],
                        .word = "SCENE",
                        .word_offset = offsetof(scale_settings, scene),
                        .needed = true},
    "measure how a scene gains from more threads",
    "  quadrille scale gas -o out                        1, 2, 4, ... threads, strong scaling\n"
    "  quadrille scale gas --threads 1,2,4-8 --bodies 1e4,2e5 --weak -o out\n"
    "  quadrille scale hopper --warmup 300 --set contact.friction=0.5 -o out\n"
    "  quadrille scale grains --ranks 1,2,4 --weak -o out   ranks instead of threads\n"
    "  quadrille scale gas --against ../old/quadrille -o out     this build and another, in pairs of runs\n"
    "  quadrille scale gas --threads 1-16 --dry-run      what would be run, in which order\n",
    "a built-in scene (`quadrille scenes` lists them) or a YAML file",
    sizeof(scale),
    scale_command,
    scale_end,
};
