#include "tools/scale/scale_report.h"

#include "tools/host/build.h"
#include "tools/host/cgroup.h"
#include "tools/host/os.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void qdi_scale_origin_look(qdi_scale_origin *origin) {
    memset(origin, 0, sizeof *origin);
    origin->commit = qdi_build_commit;
    origin->compiler = qdi_build_compiler;
    origin->flags = qdi_build_flags;
    qdi_host_processor(origin->cpu, sizeof origin->cpu);
    qdi_host_system(origin->system, sizeof origin->system);
    qdi_host_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", origin->governor,
                        sizeof origin->governor);
    qdi_host_date(origin->started, sizeof origin->started);
    origin->cores = qdi_host_cores();
    origin->affinity = qdi_host_affinity();
    origin->quota = qdi_cgroup_quota("");
    origin->load_first = origin->load_last = qdi_host_load();
}

const qdi_scale_result *qdi_scale_result_of(const qdi_scale_report *report, uint64_t bodies, int threads) {
    const qdi_scale_config *config = qdi_scale_find(report->plan, bodies, threads);
    return config ? &report->results[config - report->plan->configs] : NULL;
}

const qdi_pin *qdi_scale_pin_of(const qdi_scale_report *report, const qdi_scale_config *config) {
    for (size_t i = 0; report->pins && i < report->plan->thread_count; ++i)
        if (report->plan->threads[i] == config->threads && report->pins[i].threads > 0)
            return &report->pins[i];
    return NULL;
}

const qdi_scale_result *qdi_scale_member(const qdi_scale_report *report, bool strong, uint64_t bodies,
                                         size_t n) {
    const qdi_scale_plan *plan = report->plan;
    if (n >= plan->thread_count) return NULL;
    uint64_t all = strong ? bodies : bodies * (uint64_t)plan->threads[n];
    const qdi_scale_result *result = qdi_scale_result_of(report, all, plan->threads[n]);
    return result && (strong ? result->config->strong : result->config->weak) ? result : NULL;
}

qdi_scale_gain qdi_scale_member_gain(const qdi_scale_report *report, bool strong, uint64_t bodies, size_t n,
                                     size_t phase) {
    const qdi_scale_result *base = qdi_scale_member(report, strong, bodies, 0),
                           *result = qdi_scale_member(report, strong, bodies, n);
    qdi_scale_gain gain = strong ? qdi_scale_strong_gain(base, result, phase)
                                 : qdi_scale_weak_gain(base, result, phase);
    if (result == base) gain.low = gain.high = gain.speedup; // whatever it is, it is as fast as itself
    return gain;
}

const qdi_scale_result *qdi_scale_largest(const qdi_scale_report *report, bool strong, uint64_t bodies) {
    const qdi_scale_result *largest = NULL;
    for (size_t n = 1; n < report->plan->thread_count; ++n) {
        const qdi_scale_result *result = qdi_scale_member(report, strong, bodies, n);
        if (result && !result->config->beyond) largest = result;
    }
    return largest;
}

qdi_others_reason qdi_scale_unreliable(const qdi_scale_report *report) {
    double taken = 0;
    for (size_t i = 0; i < report->plan->config_count; ++i)
        if (!report->results[i].config->beyond) taken = fmax(taken, report->results[i].taken);
    if (!(taken > QDI_OTHERS_PART)) return report->others;
    qdi_others_reason reason;
    (void)snprintf(reason.text, sizeof reason.text,
                   "other programs had the processors for up to %.0f %% of the threads' time", 100 * taken);
    return reason;
}

void qdi_scale_conclude(const qdi_scale_report *report, bool strong, uint64_t bodies,
                        const qdi_scale_result *largest, char *text, size_t bytes) {
    qdi_others_reason unreliable = qdi_scale_unreliable(report);
    if (unreliable.text[0])
        (void)snprintf(text, bytes,
                       "Not reliable: %s. What limits cannot be told; look at the calm columns, or measure "
                       "again on a quiet machine.",
                       unreliable.text);
    else if (!largest)
        text[0] = '\0';
    else
        qdi_scale_verdict(qdi_scale_member(report, strong, bodies, 0), largest, strong, text, bytes);
}
