#include "sim/files/os.h"
#include "tools/bench/bench_spring.h"
#include "tools/bench/choice.h"
#include "tools/bench/ladder.h"
#include "tools/bench/output.h"
#include "tools/bench/rigid_output.h"
#include "tools/bench/run.h"
#include "tools/cmd/command.h"
#include "tools/cmd/job.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/output_place.h"
#include "tools/host/progress.h"
#include "tools/host/simd_choice.h"
#include "tools/host/threads_here.h"
#include "tools/lammps/lammps.h"

#include <quadrille/team.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000, MOST_REPEATS = 1000, REPEATS = 5 };
enum { SPRING_WARM = 1000, SPRING_STEPS = 500 }; ///< by default

/// Command bench: whether a method can be run with this many bodies.
static bool method_fits(const qdi_bench_job *job, const qdi_bench_method *method, size_t bodies) {
    return method->most_bodies == 0 || bodies <= method->most_bodies ||
           (job->settings.ladder && bodies <= QDI_LADDER_MOST_BODIES);
}

/// Command bench: of all methods that can be run.
static uint64_t total_steps(const qdi_bench_job *job) {
    uint64_t runs = 0;
    for (size_t s = 0; s < job->size_count; ++s)
        for (size_t m = 0; m < job->method_count; ++m)
            runs += method_fits(job, job->methods[m], job->sizes[s]);
    return runs * job->plan.repeats * (job->plan.steps + QDI_BENCH_DROPPED);
}

/// What --ladder asks for where nothing else is said.
static void ask_for_ladder(qdi_bench_job *job) {
    qdi_bench_settings *settings = &job->settings;
    if (!settings->methods) settings->methods = qdi_ladder_methods;
    if (!settings->bodies && !settings->sweep) settings->sweep = qdi_ladder_bodies;
    if (!settings->speed) settings->speed = qdi_ladder_speed;
    if (!settings->steps.given)
        settings->steps = (qdi_option_number){.given = true, .value = QDI_LADDER_STEPS};
    if (!settings->repeats.given)
        settings->repeats = (qdi_option_number){.given = true, .value = QDI_LADDER_REPEATS};
    if (!settings->threads.given) settings->threads = (qdi_option_number){.given = true, .value = 1};
    job->plan.patience_ns = QDI_LADDER_PATIENCE_NS;
}

// Reads the flags of a bench of pair-finding methods.
static int read_pairs_flags(qdi_bench_job *job) {
    const qdi_bench_settings *settings = &job->settings;
    qdi_bench_plan *plan = &job->plan;
    qd_error error = {""};
    if (settings->ladder) ask_for_ladder(job);
    const char *bodies = settings->bodies ? settings->bodies : "1e5";
    bool good = qdi_bench_choose_scene(settings->scene ? settings->scene : "uniform", &plan->scene, &error) &&
                qdi_bench_choose_methods(settings->methods ? settings->methods : "grid,quadtree",
                                         job->methods, &job->method_count, &error) &&
                qdi_bench_choose_margin(settings->margin ? settings->margin : "0", &plan->margin, &error) &&
                qdi_simd_choose(settings->simd, &plan->simd, &error) == QD_OK &&
                qdi_bench_choose_speed(settings->speed ? settings->speed : "1", &plan->speed, &error);
    if (good && settings->bodies && settings->sweep) {
        snprintf(error.text, sizeof error.text, "--bodies and --sweep-bodies cannot both be given");
        good = false;
    }
    if (good && settings->sweep)
        good = qdi_bench_choose_bodies("--sweep-bodies", settings->sweep, job->sizes, QDI_BENCH_MOST_SIZES,
                                       &job->size_count, &error);
    else if (good)
        good = qdi_bench_choose_bodies("--bodies", bodies, job->sizes, 1, &job->size_count, &error);
    if (!good) {
        qdi_complain("%s", error.text);
        return QDI_EXIT_USAGE;
    }
    plan->seed = QDI_BENCH_SEED;
    plan->steps = settings->steps.given ? (size_t)settings->steps.value : QDI_BENCH_STEPS;
    plan->repeats = settings->repeats.given ? (size_t)settings->repeats.value : REPEATS;
    if (total_steps(job) > 0) return QDI_EXIT_DONE;
    qdi_complain("none of these methods can be run with so many bodies");
    return QDI_EXIT_USAGE;
}

// Command bench: checks the place of a file that it writes.
static int check_bench_place(const qdi_bench_job *job, const char *path) {
    const qdi_output_rule rule = {.force = job->settings.force, .streams = true};
    return qdi_output_check_file(path, &rule);
}

/// Finds out what would fail at the end before the time is spent: a file that is there or cannot be written,
/// a program that is missing. What --force replaces stays there until then.
int qdi_bench_check_outputs(const qdi_bench_job *job) {
    if (job->settings.plot && !qdi_host_has_program("gnuplot")) {
        qdi_complain("--plot needs the program gnuplot (on Debian: apt-get install gnuplot-nox)");
        return QDI_EXIT_FAILED;
    }
    const char *const paths[] = {job->settings.csv, job->settings.plot};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        if (!paths[i]) continue;
        int exit_code = check_bench_place(job, paths[i]);
        if (exit_code == QDI_EXIT_DONE && qdi_os_look(paths[i]) != QDI_OS_FOUND_STREAM)
            exit_code = qdi_output_check_folder(paths[i]);
        if (exit_code != QDI_EXIT_DONE) return exit_code;
    }
    return QDI_EXIT_DONE;
}

bool qdi_bench_job_tick(void *context) {
    qdi_bench_job *job = context;
    job->steps_done += 1;
    qdi_progress_step(&job->progress, job->steps_done);
    return qdi_host_signal() == 0;
}

int qdi_bench_start(qdi_bench_job *job, uint64_t steps) {
    const qdi_bench_settings *settings = &job->settings;
    const qdi_common *common = &settings->common;
    qdi_thread_choice choice = qdi_threads_here(settings->threads.given ? (int)settings->threads.value : 0,
                                                common->quiet);
    job->plan.threads = choice.threads;
    qd_error error = {""};
    qd_status status = qdi_pin_here(job->pin.policy, choice.threads, common->quiet, &job->pin, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_USAGE);
    if (job->pin.threads > 0) job->plan.pin = &job->pin;
    qdi_pin_words(&job->pin, job->pin_words, sizeof job->pin_words);
    job->plan.tick = qdi_bench_job_tick;
    job->plan.context = job;
    job->others = qdi_others_begin();
    qdi_host_watch_signals();
    if (!common->quiet)
        fprintf(stderr, "quadrille %s\nthreads  %d (%s)\nsimd     %s\n", QD_VERSION, choice.threads,
                choice.reason, qd_simd_name(job->plan.simd));
    if (!common->quiet && job->plan.pin) fprintf(stderr, "pin      %s\n", job->pin_words);
    const char *no_colour = getenv("NO_COLOR");
    qdi_progress_style style = qdi_host_stderr_is_terminal() ? QDI_PROGRESS_BAR : QDI_PROGRESS_LINES;
    if (common->quiet || common->no_progress) style = QDI_PROGRESS_NONE;
    job->progress = qdi_progress_start(style, !common->no_colour && !(no_colour && *no_colour), 0, steps);
    return QDI_EXIT_DONE;
}

/// Command bench: chooses the methods that can be run with this many bodies and names the others.
static void choose_fitting(qdi_bench_job *job, size_t bodies) {
    char left_out[300] = "";
    job->plan.bodies = bodies;
    job->plan.method_count = 0;
    for (size_t m = 0; m < job->method_count; ++m) {
        const qdi_bench_method *method = job->methods[m];
        if (method_fits(job, method, bodies)) {
            job->plan.methods[job->plan.method_count++] = method;
            continue;
        }
        size_t used = strlen(left_out);
        snprintf(left_out + used, sizeof left_out - used, "%s%s (at most %zu)", used ? ", " : "",
                 method->name, method->most_bodies);
    }
    if (!left_out[0] || job->settings.common.quiet) return;
    qdi_progress_end(&job->progress);
    qdi_warn("left out with %zu bodies, because it would take for ever: %s", bodies, left_out);
}

int qdi_bench_tell_stopped(qdi_bench_job *job) {
    qdi_progress_end(&job->progress);
    qdi_complain("stopped by %s; nothing was written", qdi_host_signal_name(qdi_host_signal()));
    return QDI_EXIT_SIGNAL + qdi_host_signal();
}

/// Command bench: says what has failed, and how; the exit code.
static int tell_failed(qdi_bench_job *job, const char *failed, size_t bodies, qd_status status) {
    qdi_progress_end(&job->progress);
    qdi_complain("%s with %zu bodies: %s", failed, bodies, qd_status_text(status));
    return QDI_EXIT_FAILED;
}

// Writes the CSV file of a bench of pair-finding methods.
static int write_bench_csv(const qdi_bench_job *job, const qdi_bench_origin *origin,
                           const qdi_bench_results *results) {
    const char *path = job->settings.csv;
    if (!path) return QDI_EXIT_DONE;
    const int exit_code = check_bench_place(job, path); // again: time has passed
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    FILE *file = NULL;
    qd_error error = {""};
    qd_status status = qdi_output_open(path, &file, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    qdi_bench_write_csv(file, origin, results);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good) qdi_complain("%.500s cannot be written", path);
    return good ? QDI_EXIT_DONE : QDI_EXIT_OUTPUT;
}

// Draws the plot of a bench with gnuplot.
static int write_bench_plot(const qdi_bench_job *job) {
    const char *path = job->settings.plot;
    if (!path) return QDI_EXIT_DONE;
    const int exit_code = check_bench_place(job, path); // again: time has passed
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    char gnuplot[] = "gnuplot";
    qdi_host_program program;
    bool good = qdi_host_program_open((char *[]){gnuplot, NULL}, NULL, path, &program);
    if (good) {
        (job->settings.ladder ? qdi_ladder_write_plot : qdi_bench_write_plot)(program.in, job->rows,
                                                                              job->row_count);
        good = qdi_host_program_close(&program);
    }
    if (!good) qdi_complain("gnuplot could not draw %.500s", path);
    return good ? QDI_EXIT_DONE : QDI_EXIT_OUTPUT;
}

// Prints the table of a bench, or its JSON.
static int print_bench(const qdi_bench_job *job, const qdi_bench_origin *origin,
                       const qdi_bench_results *results) {
    qd_status status = QD_OK;
    if (job->settings.json) {
        qdi_json json = {.allocator = qd_allocator_default()};
        status = qdi_bench_write_json(&json, origin, results);
        const qd_status printed = qdi_json_print(&json);
        if (status == QD_OK) status = printed;
    } else {
        results->print(stdout, results->report);
        qdi_bench_print_reliability(stdout, origin);
    }
    if (status != QD_OK) {
        qdi_complain("%s", qd_status_text(status));
        return QDI_EXIT_FAILED;
    }
    if (fflush(stdout) == 0) return QDI_EXIT_DONE;
    qdi_complain("the standard output cannot be written");
    return QDI_EXIT_OUTPUT;
}

int qdi_bench_write_all(qdi_bench_job *job, qdi_bench_results results) {
    char processor[200];
    qdi_progress_end(&job->progress);
    qdi_host_processor(processor, sizeof processor);
    qdi_others_reason unreliable = qdi_others_end(&job->others, job->plan.threads);
    qdi_bench_origin origin = qdi_bench_origin_here(processor, unreliable.text);
    origin.pin = job->plan.pin ? job->pin_words : NULL;
    int exit_code = write_bench_csv(job, &origin, &results);
    if (exit_code == QDI_EXIT_DONE) exit_code = write_bench_plot(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = print_bench(job, &origin, &results);
    return exit_code;
}

// ---- pairs ----

// Command bench: measures the pair-finding methods at each number of bodies.
static int measure_pairs(qdi_bench_job *job) {
    for (size_t s = 0; s < job->size_count; ++s) {
        choose_fitting(job, job->sizes[s]);
        if (job->plan.method_count == 0) continue;
        bool stopped = false;
        const char *failed = "";
        qd_status status = qdi_bench_run(&job->plan, job->rows + job->row_count, &stopped, &failed);
        if (status != QD_OK) return tell_failed(job, failed, job->sizes[s], status);
        if (stopped) return qdi_bench_tell_stopped(job);
        job->row_count += job->plan.method_count;
    }
    return QDI_EXIT_DONE;
}

// `quadrille bench` of pair-finding methods.
static int bench_pairs(qdi_bench_job *job) {
    int exit_code = read_pairs_flags(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_bench_check_outputs(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    exit_code = qdi_bench_start(job, total_steps(job));
    if (exit_code == QDI_EXIT_DONE) exit_code = measure_pairs(job);
    const qdi_bench_rows rows = {job->rows, job->row_count};
    if (exit_code == QDI_EXIT_DONE)
        exit_code = qdi_bench_write_all(job, job->settings.ladder ? qdi_ladder_results_of(&rows)
                                                                  : qdi_bench_results_of(&rows));
    qd_error error = {""};
    if (exit_code == QDI_EXIT_DONE && !qdi_bench_rows_agree(job->rows, job->row_count, &error)) {
        qdi_complain("%s", error.text);
        exit_code = QDI_EXIT_INVARIANT;
    }
    return exit_code;
}

// ---- whole steps ----

/// Command bench: kernels and number of bodies; `usual`: where nobody says how many.
static bool choose_bodies(qdi_bench_job *job, size_t usual) {
    const qdi_bench_settings *settings = &job->settings;
    qd_error error = {""};
    job->sizes[0] = usual;
    bool good = qdi_simd_choose(settings->simd, &job->plan.simd, &error) == QD_OK;
    if (good && settings->bodies)
        good = qdi_bench_choose_bodies("--bodies", settings->bodies, job->sizes, 1, &job->size_count, &error);
    if (!good) qdi_complain("%s", error.text);
    return good;
}

// ---- rigid bodies ----

// The case of `bench --rigid` that has this name.
static const qdi_rigid_case *choose_rigid_case(const char *name) {
    char names[200] = "";
    const qdi_rigid_case *of;
    for (size_t i = 0; (of = qdi_rigid_case_at(i)) != NULL; ++i) {
        if (strcmp(of->name, name) == 0) return of;
        qdi_bench_add_word(names, sizeof names, of->name);
    }
    qdi_complain("--rigid: there is no '%.60s'; there are: %s", name, names);
    return NULL;
}

// Refuses a rigid method of the bench that is not known or does not do this case.
static void complain_of_rigid_method(const char *name, const qdi_rigid_case *of) {
    char names[200] = "";
    const qdi_rigid_method *method;
    for (size_t i = 0; (method = qdi_rigid_method_at(i)) != NULL; ++i) {
        if (method->boxed && !of->walls) continue;
        qdi_bench_add_word(names, sizeof names, method->name);
    }
    qdi_complain("--methods with --rigid %s: '%.60s' is not of those that this build has, each once: %s",
                 of->name, name, names);
}

/// The methods of --methods, or all, of those that can do the case.
static bool choose_rigid_methods(qdi_bench_job *job, const qdi_rigid_case *of) {
    const char *names = job->settings.methods ? job->settings.methods : "all";
    const qdi_rigid_method *method;
    for (const char *name = names;; ++name) {
        size_t length = strcspn(name, ","), before = job->rigid_count;
        bool all = length == 3 && memcmp(name, "all", 3) == 0;
        for (size_t i = 0; (method = qdi_rigid_method_at(i)) != NULL; ++i) {
            bool same = strlen(method->name) == length && memcmp(method->name, name, length) == 0;
            bool can = of->walls || !method->boxed;
            if ((same || all) && can && job->rigid_count < QDI_RIGID_MOST_METHODS)
                job->rigid[job->rigid_count++] = method;
        }
        if (job->rigid_count == before) {
            complain_of_rigid_method(name, of);
            return false;
        }
        name += length;
        if (*name == '\0') return true;
    }
}

/// What --rigid gives, or NULL with the reason said.
static const qdi_rigid_case *read_rigid_flags(qdi_bench_job *job) {
    const qdi_bench_settings *settings = &job->settings;
    if (settings->scene || settings->margin || settings->speed || settings->sweep || settings->plot ||
        settings->ladder) {
        qdi_complain(
            "--rigid does not go with --scene, --margin, --speed, --sweep-bodies, --plot or --ladder");
        return NULL;
    }
    const qdi_rigid_case *of = choose_rigid_case(settings->rigid);
    if (!of || !choose_rigid_methods(job, of)) return NULL;
    return choose_bodies(job, of->bodies) ? of : NULL;
}

/// Command bench: the bodies are there: measures, and writes what came out.
static int measure_rigid(qdi_bench_job *job, const qdi_rigid_setting *setting) {
    qdi_rigid_plan plan = {.setting = setting,
                           .options = {job->plan.threads, job->plan.simd, job->plan.pin},
                           .steps = job->plan.steps,
                           .repeats = job->plan.repeats,
                           .seed = QDI_BENCH_SEED,
                           .tick = qdi_bench_job_tick,
                           .method_count = job->rigid_count,
                           .context = job};
    memcpy(plan.methods, job->rigid, sizeof plan.methods);
    qdi_rigid_row rows[QDI_RIGID_MOST_METHODS];
    qdi_rigid_report report = {.plan = &plan, .rows = rows, .count = job->rigid_count};
    bool stopped = false;
    const char *failed = "the bodies";
    qd_status status = qdi_rigid_quality_of(setting, setting->bodies, &report.start);
    if (status == QD_OK) status = qdi_rigid_run(&plan, rows, &stopped, &failed);
    if (status != QD_OK) return tell_failed(job, failed, setting->count, status);
    return stopped ? qdi_bench_tell_stopped(job) : qdi_bench_write_all(job, qdi_rigid_results_of(&report));
}

// Whether a bench goes on: no signal has come.
static bool bench_goes_on(void *context) {
    (void)context;
    return qdi_host_signal() == 0;
}

/// Command bench: without a peer ours are measured alone.
static void warn_of_missing_peer(const qdi_bench_job *job) {
    bool peer = false;
    for (size_t i = 0; i < job->rigid_count; ++i) peer = peer || job->rigid[i]->peer;
    if (peer || job->settings.methods || job->settings.common.quiet) return;
    qdi_warn(
        "nobody to compare with: Box2D 3.2 was not found when this program was built (see docs/bench.md)");
}

// `quadrille bench --rigid`: methods that solve rigid contacts.
static int bench_rigid(qdi_bench_job *job) {
    const qdi_rigid_case *of = read_rigid_flags(job);
    if (!of) return QDI_EXIT_USAGE;
    int exit_code = qdi_bench_check_outputs(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    size_t steps = of->steps ? of->steps - QDI_RIGID_DROPPED : QDI_BENCH_STEPS;
    job->plan.steps = job->settings.steps.given ? (size_t)job->settings.steps.value : steps;
    job->plan.repeats = job->settings.repeats.given ? (size_t)job->settings.repeats.value : REPEATS;
    warn_of_missing_peer(job);
    exit_code = qdi_bench_start(job,
                                job->rigid_count * job->plan.repeats * (job->plan.steps + QDI_RIGID_DROPPED));
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_rigid_setting setting;
    qd_status status = qdi_rigid_setting_make(of, job->sizes[0], job->plan.threads, bench_goes_on, NULL,
                                              &setting);
    if (status != QD_OK) {
        qdi_progress_end(&job->progress);
        qdi_complain("the bodies: %s", qd_status_text(status));
        return QDI_EXIT_FAILED;
    }
    exit_code = measure_rigid(job, &setting);
    qdi_rigid_setting_free(&setting);
    return exit_code;
}

// ---- disks on springs ----

/// What --spring gives, or NULL with the reason said.
static const qdi_spring_case *read_spring_flags(qdi_bench_job *job) {
    const qdi_bench_settings *settings = &job->settings;
    if (settings->scene || settings->margin || settings->speed || settings->sweep || settings->plot ||
        settings->methods || settings->rigid || settings->ladder) {
        qdi_complain("--spring does not go with --scene, --margin, --speed, --sweep-bodies, --plot, "
                     "--methods, --rigid "
                     "or --ladder");
        return NULL;
    }
    const qdi_spring_case *of = NULL;
    for (size_t i = 0; (of = qdi_spring_case_at(i)) != NULL; ++i)
        if (strcmp(of->name, settings->spring) == 0) break;
    if (!of) {
        qdi_complain("--spring: there is no '%.60s'; there are: gas, smooth, dense, heap", settings->spring);
        return NULL;
    }
    return choose_bodies(job, of->bodies) ? of : NULL;
}

// Measures a case of `bench --spring`.
static int measure_spring(qdi_bench_job *job, const qdi_spring_plan *plan) {
    qdi_spring_report report;
    qd_error error;
    bool stopped = false;
    qd_status status = qdi_spring_run(plan, &report, &stopped, &error);
    if (qdi_host_signal() != 0) return qdi_bench_tell_stopped(job);
    if (status != QD_OK) {
        qdi_progress_end(&job->progress);
        qdi_complain("%s%s%s", qd_status_text(status), error.text[0] ? ": " : "", error.text);
        return QDI_EXIT_FAILED;
    }
    int exit_code = qdi_bench_write_all(job, qdi_spring_results_of(&report));
    if (exit_code == QDI_EXIT_DONE && !(report.difference <= QDI_SPRING_AGREE)) {
        qdi_complain("after the last step the two differ by %.2g, more than %.0g", report.difference,
                     QDI_SPRING_AGREE);
        exit_code = QDI_EXIT_INVARIANT;
    }
    return exit_code;
}

// `quadrille bench --spring`: spring contacts, beside those of other programs.
static int bench_spring(qdi_bench_job *job) {
    const qdi_bench_settings *settings = &job->settings;
    const qdi_spring_case *of = read_spring_flags(job);
    if (!of) return QDI_EXIT_USAGE;
    int exit_code = qdi_bench_check_outputs(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_spring_plan plan = {.of = of,
                            .bodies = job->sizes[0],
                            .warm = SPRING_WARM,
                            .steps = settings->steps.given ? (size_t)settings->steps.value : SPRING_STEPS,
                            .repeats = settings->repeats.given ? (size_t)settings->repeats.value : REPEATS,
                            .simd = job->plan.simd,
                            .seed = QDI_BENCH_SEED,
                            .tick = qdi_bench_job_tick,
                            .context = job};
    exit_code = qdi_bench_start(job, plan.repeats * (plan.warm + plan.steps + 1));
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    plan.threads = job->plan.threads;
    plan.pin = job->plan.pin;
    plan.peer = qdi_lammps_found(plan.threads);
    return measure_spring(job, &plan);
}

// `quadrille bench`: chooses the bench by its flags.
static int bench_command(void *context) {
    qdi_bench_job *job = context;
    const qdi_bench_settings *settings = &job->settings;
    qd_error error = {""};
    if (qdi_pin_read(settings->pin, &job->pin.policy, &error) != QD_OK)
        return qdi_fail(QD_ERR_ARGUMENT, &error, QDI_EXIT_USAGE);
    return settings->frames                     ? qdi_bench_frames(job)
           : settings->size || settings->lammps ? qdi_bench_refuse_frames_flags()
           : settings->spring                   ? bench_spring(job)
           : settings->rigid                    ? bench_rigid(job)
                                                : bench_pairs(job);
}

static const qdi_option bench_options[] = {
    {"--scene", 0, QDI_OPTION_TEXT, "S", 0, 0, offsetof(qdi_bench_settings, scene),
     "uniform (default), sizes, clusters, sparse or dense"},
    {"--speed", 0, QDI_OPTION_TEXT, "X", 0, 0, offsetof(qdi_bench_settings, speed),
     "bodies X times as fast as the scene says; default 1"},
    {"--bodies", 0, QDI_OPTION_TEXT, "N", 0, 0, offsetof(qdi_bench_settings, bodies),
     "how many; default 1e5"},
    {"--steps", 0, QDI_OPTION_NUMBER, "N", 1, MOST_STEPS, offsetof(qdi_bench_settings, steps),
     "steps to measure in each repeat, after 3 that are dropped; default 20"},
    {"--methods", 0, QDI_OPTION_TEXT, "LIST", 0, 0, offsetof(qdi_bench_settings, methods),
     "names with commas between, or all; default grid,quadtree"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(qdi_bench_settings, threads),
     "work with N threads; the default is explained"},
    {"--pin", 0, QDI_OPTION_TEXT, "HOW", 0, 0, offsetof(qdi_bench_settings, pin),
     "bind our threads to cores: close, spread (over nodes) or off (default)"},
    {"--repeats", 0, QDI_OPTION_NUMBER, "R", 1, MOST_REPEATS, offsetof(qdi_bench_settings, repeats),
     "run every method R times, in random order; default 5"},
    {"--simd", 0, QDI_OPTION_TEXT, "NAME", 0, 0, offsetof(qdi_bench_settings, simd),
     "the tree's kernels: auto (default), portable, sse2, avx2, avx512 or neon"},
    {"--margin", 0, QDI_OPTION_TEXT, "M", 0, 0, offsetof(qdi_bench_settings, margin),
     "fatten the boxes of quadtree: a length in diameters, or auto; default 0"},
    {"--ladder", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_bench_settings, ladder),
     "methods from brute force to ours, in the order of their ideas; docs/tree.md"},
    {"--rigid", 0, QDI_OPTION_TEXT, "CASE", 0, 0, offsetof(qdi_bench_settings, rigid),
     "whole steps of rigid bodies instead: gas, pile, large_pyramid, smash..."},
    {"--spring", 0, QDI_OPTION_TEXT, "CASE", 0, 0, offsetof(qdi_bench_settings, spring),
     "whole steps of 1e5 disks on springs beside LAMMPS: gas, smooth, dense or heap"},
    {"--frames", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_bench_settings, frames),
     "frames instead, move by move: --steps of each style"},
    {"--size", 0, QDI_OPTION_TEXT, "WxH", 0, 0, offsetof(qdi_bench_settings, size),
     "pixels of those frames; default 1920x1080"},
    {"--lammps", 0, QDI_OPTION_TEXT, "DIR", 0, 0, offsetof(qdi_bench_settings, lammps),
     "and LAMMPS's dump image on the same disks, in folder DIR"},
    {"--sweep-bodies", 0, QDI_OPTION_TEXT, "LIST", 0, 0, offsetof(qdi_bench_settings, sweep),
     "several numbers of bodies, as 1e3,1e4,1e5"},
    {"--csv", 0, QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(qdi_bench_settings, csv),
     "write a line per method and number of bodies"},
    {"--plot", 0, QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(qdi_bench_settings, plot),
     "draw a PNG, with the program gnuplot"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_bench_settings, force),
     "replace the files of --csv and --plot"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_bench_settings, json),
     "print JSON on the standard output instead of tables"},
};

const qdi_command qdi_command_bench = {
    &(const qdi_syntax){.command = "bench",
                        .options = bench_options,
                        .option_count = sizeof bench_options / sizeof bench_options[0]},
    "measure ways to find all pairs beside each other",
    "  quadrille bench                                   the quadtree beside a uniform grid\n"
    "  quadrille bench --scene sizes --bodies 1e4 --methods all\n"
    "  quadrille bench --sweep-bodies 1e3,1e4,1e5,1e6 --threads 1 --csv growth.csv\n"
    "  quadrille bench --ladder                          each idea of the tree, and its worth\n"
    "  quadrille bench --rigid pile --threads 1          our solver beside others, where found\n"
    "  quadrille bench --rigid large_pyramid --threads 2 --repeats 3\n"
    "  quadrille bench --spring gas --threads 1          grains beside LAMMPS, where it is found\n"
    "  quadrille bench --frames --sweep-bodies 1e5,1e6 --threads 1\n",
    NULL,
    sizeof(qdi_bench_job),
    bench_command,
    NULL,
};
