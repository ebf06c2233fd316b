// One run is one process: a copy of this one, which has never had threads, so that every run starts with the
// same memory and with no threads of another's left over, may die without harm to the others, and its time on
// the processors is its own.

#include "tools/scale/sample.h"

#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/parallel/parallel.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/scale/triad.h"
#include "tools/session/session.h"

#include <string.h>

/// What the process of a run is given and says.
typedef struct measuring {
    const qdi_scale_job *job;
    qdi_scale_sample *sample;
    uint64_t *step_ns;
} measuring;

// Tells why a step failed in a scaling test.
static int report_step_failure(const qdi_session *session, qd_status status) {
    if (status != QD_ERR_LIMIT) return qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    char words[512];
    qdi_session_limit_words(session, words, sizeof words);
    qdi_complain("%s", words);
    return QDI_EXIT_INVARIANT;
}

// Does the measured steps of one run of a scaling test.
static int run_measured_steps(qdi_session *session, const measuring *run, const qdi_counters *counters) {
    const qdi_scale_job *job = run->job;
    qdi_scale_sample *sample = run->sample;
    double dt = qd_scene_run_settings(job->scene).dt;
    qdi_host_usage before = {0, 0};
    qdi_counts first = {{false}, {0}};
    if (qd_world_set_stop(session->world, qdi_host_asked_to_stop, NULL) != QD_OK) return QDI_EXIT_FAILED;
    for (size_t k = 0; k < job->dropped + job->steps; ++k) {
        if (qdi_host_signal() != 0) return QDI_EXIT_SIGNAL + qdi_host_signal();
        if (k == job->dropped) {
            before = qdi_host_usage_now();
            first = qdi_counters_now(counters);
        }
        qd_profile *profile = k < job->dropped ? NULL : &sample->profile;
        const qdi_work work = qdi_world_work(session->world); // with ranks nobody knows it
        uint64_t start = qdi_clock_ns();
        qd_status status = session->fleet ? qdi_fleet_step(session->fleet, dt, profile)
                                          : qd_world_step(session->world, dt, profile);
        uint64_t took = qdi_clock_ns() - start;
        if (status == QD_ERR_STOPPED) return QDI_EXIT_SIGNAL + qdi_host_signal();
        if (status != QD_OK) return report_step_failure(session, status);
        if (!profile) continue;
        run->step_ns[k - job->dropped] = took;
        sample->wall_ns += took;
        const qdi_work worked = qdi_world_work(session->world);
        qdi_traffic_add(&sample->traffic, &work, &worked);
    }
    const qdi_counts last = qdi_counters_now(counters);
    sample->counts = qdi_counts_between(&first, &last);
    qdi_host_usage after = qdi_host_usage_now();
    sample->processor_ns = after.processor_ns - before.processor_ns;
    sample->preemptions = after.preemptions - before.preemptions;
    return QDI_EXIT_DONE;
}

// Does the steps of one run, and asks what came of them.
static int run_all_steps(qdi_session *session, const measuring *run, const qdi_counters *counters) {
    qdi_scale_sample *sample = run->sample;
    qd_status status = qdi_session_launch(session);
    if (status != QD_OK) return qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
    const int exit_code = run_measured_steps(session, run, counters);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    sample->bodies = qdi_session_bodies(session);
    sample->memory = qdi_os_peak_memory();
    if (session->fleet) status = qdi_fleet_profile(session->fleet, &sample->profile);
    if (status == QD_OK) status = qdi_session_hash(session, &sample->hash);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &(qd_error){""}, QDI_EXIT_FAILED);
}

// Does one run of a scaling test.
static int measure_run(const measuring *run) {
    const qdi_scale_job *job = run->job;
    qdi_scale_sample *sample = run->sample;
    memset(sample, 0, sizeof *sample);
    sample->load = qdi_host_load();
    qdi_session session;
    memset(&session, 0, sizeof session);
    session.scene = job->scene;
    session.label = job->label;
    session.threads.threads = job->ranks > 0 ? job->threads / job->ranks : job->threads;
    session.ranks = job->ranks;
    session.only_steps = true;
    session.hash_form = QD_HASH_FORM;
    if (job->pin) session.pin = *job->pin;
    session.simd = job->simd;
    qdi_counters counters;
    char why[128];
    qdi_counters_start(&counters, why, sizeof why); // before there are threads, whose events count too
    int exit_code = qdi_session_make_world(&session);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_check_ranks(&session);
    if (exit_code == QDI_EXIT_DONE) exit_code = run_all_steps(&session, run, &counters);
    qdi_counters_stop(&counters);
    qdi_fleet_destroy(session.fleet);
    qd_world_destroy(session.world);
    if (exit_code == QDI_EXIT_DONE) sample->bandwidth = qdi_scale_triad(job->threads, job->pin);
    return exit_code;
}

/// Scaling test's sample: in the process of the run.
static int work_in_child(void *context, FILE *reply) {
    const measuring *run = context;
    int exit_code = measure_run(run);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    fwrite(run->sample, sizeof *run->sample, 1, reply);
    fwrite(run->step_ns, sizeof *run->step_ns, run->job->steps, reply);
    return QDI_EXIT_DONE;
}

int qdi_scale_measure(const qdi_scale_job *job, qdi_scale_sample *sample, uint64_t *step_ns) {
    measuring run = {job, sample, step_ns};
    size_t step_bytes = job->steps * sizeof *step_ns, got = 0;
    unsigned char *reply = qdi_allocate(qd_allocator_default(), sizeof *sample + step_bytes, 1);
    if (!reply) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    int code = qdi_host_child_run(work_in_child, &run, reply, sizeof *sample + step_bytes, &got);
    if (code == 0 && got == sizeof *sample + step_bytes) {
        memcpy(sample, reply, sizeof *sample);
        memcpy(step_ns, reply + sizeof *sample, step_bytes);
    } else if (qdi_host_signal() != 0) {
        code = QDI_EXIT_SIGNAL + qdi_host_signal();
    } else if (code <= 0) {
        if (code == -1000)
            qdi_complain("no process can be started for a run");
        else if (code < 0)
            qdi_complain("the process of a run with %d threads was killed by signal %d", job->threads, -code);
        else
            qdi_complain("the process of a run with %d threads ended too early", job->threads);
        code = QDI_EXIT_FAILED;
    }
    qdi_release(qd_allocator_default(), reply, sizeof *sample + step_bytes, 1);
    return code;
}
