// `quadrille bench --frames`.
#include "export/picture/trails.h"
#include "tools/bench/frames.h"
#include "tools/cmd/job.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/os.h"

#include <stdlib.h>

/// Command's frames: WIDTHxHEIGHT.
static bool read_size(const char *text, int *width, int *height) {
    char *end = NULL;
    long wide = strtol(text, &end, 10);
    if (*end != 'x') return false;
    long high = strtol(end + 1, &end, 10);
    if (*end || wide < 16 || wide > 16384 || high < 16 || high > 16384) return false;
    *width = (int)wide;
    *height = (int)high;
    return true;
}

// Reads the flags of `bench --frames`.
static bool read_frames_flags(qdi_bench_job *job, qdi_frames_plan *plan) {
    const qdi_bench_settings *settings = &job->settings;
    qd_error error = {""};
    if (settings->margin || settings->speed || settings->plot || settings->methods || settings->rigid ||
        settings->spring || settings->simd || settings->ladder || settings->repeats.given) {
        qdi_complain("--frames does not go with --ladder, --margin, --speed, --plot, --methods, --rigid, "
                     "--spring, --simd or "
                     "--repeats");
        return false;
    }
    if (settings->bodies && settings->sweep) {
        qdi_complain("--bodies and --sweep-bodies cannot both be given");
        return false;
    }
    if (!read_size(settings->size ? settings->size : "1920x1080", &plan->width, &plan->height)) {
        qdi_complain("--size: '%.60s' is not WIDTHxHEIGHT, each from 16 to 16384", settings->size);
        return false;
    }
    const char *sizes = settings->sweep ? settings->sweep : (settings->bodies ? settings->bodies : "1e5");
    bool good = qdi_bench_choose_scene(settings->scene ? settings->scene : "uniform", &plan->scene, &error) &&
                qdi_bench_choose_bodies(settings->sweep ? "--sweep-bodies" : "--bodies", sizes, job->sizes,
                                        settings->sweep ? QDI_BENCH_MOST_SIZES : 1, &job->size_count, &error);
    if (!good) qdi_complain("%s", error.text);
    return good;
}

/// Command's frames: how many are drawn of all numbers of bodies.
static size_t count_frames(const qdi_bench_job *job, const qdi_frames_plan *plan) {
    size_t styles = 0;
    for (size_t i = 0; i < job->size_count; ++i) styles += (size_t)qdi_frames_style_count(job->sizes[i]);
    return styles * (plan->frames + 1);
}

// Says that so many bodies are drawn without trails, if they are.
static void warn_of_missing_trails(const qdi_bench_job *job, size_t bodies) {
    if (qdi_frames_trails(bodies) > 0 || job->settings.common.quiet) return;
    qdi_warn("trails left out with %zu bodies, because a run keeps at most %zu places of them", bodies,
             QDI_TRAIL_PLACES_MAX);
}

int qdi_bench_frames(qdi_bench_job *job) {
    qdi_frames_row rows[QDI_BENCH_MOST_SIZES * (QDI_FRAMES_STYLES + 1)];
    qdi_frames_report report = {.rows = rows};
    qdi_frames_plan *plan = &report.plan;
    if (!read_frames_flags(job, plan)) return QDI_EXIT_USAGE;
    int exit_code = qdi_bench_check_outputs(job);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    plan->lammps = job->settings.lammps;
    if (plan->lammps && !qdi_host_has_program("lmp")) {
        qdi_complain("--lammps needs the program lmp (on Debian: apt-get install lammps)");
        return QDI_EXIT_FAILED;
    }
    plan->frames = job->settings.steps.given ? (size_t)job->settings.steps.value : QDI_BENCH_STEPS;
    for (size_t i = 0; i < job->size_count; ++i) warn_of_missing_trails(job, job->sizes[i]);
    exit_code = qdi_bench_start(job, count_frames(job, plan));
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    plan->threads = job->plan.threads;
    plan->pin = job->plan.pin;
    plan->seed = QDI_BENCH_SEED;
    plan->tick = qdi_bench_job_tick;
    plan->context = job;
    for (size_t i = 0; i < job->size_count; ++i) {
        bool stopped = false;
        plan->bodies = job->sizes[i];
        qd_status status = qdi_frames_run(plan, rows + report.count, &stopped);
        if (status != QD_OK) {
            qdi_progress_end(&job->progress);
            qdi_complain("frames of %zu bodies: %s", plan->bodies, qd_status_text(status));
            return QDI_EXIT_FAILED;
        }
        if (stopped) return qdi_bench_tell_stopped(job);
        report.count += (size_t)qdi_frames_style_count(plan->bodies);
        if (!plan->lammps) continue;
        qd_error error = {""};
        status = qdi_frames_lammps(plan, &rows[report.count], &error);
        if (status != QD_OK) {
            qdi_progress_end(&job->progress);
            qdi_complain("%s", error.text);
            return QDI_EXIT_FAILED;
        }
        report.count += 1;
    }
    return qdi_bench_write_all(job, qdi_frames_results_of(&report));
}

int qdi_bench_refuse_frames_flags(void) {
    qdi_complain("--size and --lammps go with --frames only");
    return QDI_EXIT_USAGE;
}
