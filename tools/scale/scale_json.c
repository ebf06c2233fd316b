#include "tools/host/os.h"
#include "tools/scale/scale_report.h"

#include <math.h>
#include <string.h>

enum { SCALE_SCHEMA = 1 };

/// Scaling test's JSON: four decimals of a ratio and three of a nanosecond say enough.
static void put_ratio(qdi_json *json, const char *name, double value) {
    qdi_json_real(json, name, floor(value * 1e4 + .5) / 1e4);
}

// Writes nanoseconds of a scaling test as JSON.
static void put_scale_ns(qdi_json *json, const char *name, double value) {
    qdi_json_real(json, name, floor(value * 1e3 + .5) / 1e3);
}

/// Scaling test's JSON: variables that a runtime of threads or a scheduler reads.
static bool is_of_threads(const char *variable) {
    static const char *const begins[] = {"OMP_", "GOMP_", "KMP_", "SLURM_CPUS_PER_TASK="};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; ++i)
        if (strncmp(variable, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

// Writes the variables of the environment that matter to a scaling test as JSON.
static void put_scale_environment(qdi_json *json) {
    qdi_json_open(json, "environment", '{');
    const char *variable;
    for (size_t i = 0; (variable = qdi_host_variable(i)) != NULL; ++i) {
        char name[128];
        size_t length = strcspn(variable, "=");
        if (!is_of_threads(variable) || length >= sizeof name) continue;
        memcpy(name, variable, length);
        name[length] = '\0';
        qdi_json_text(json, name, variable[length] ? variable + length + 1 : "");
    }
    qdi_json_close(json, '}');
}

void qdi_scale_json_origin(qdi_json *json, const qdi_scale_origin *origin) {
    qdi_json_open(json, "machine", '{');
    qdi_json_text(json, "cpu", origin->cpu);
    qdi_json_text(json, "system", origin->system);
    qdi_json_whole(json, "cores", (uint64_t)origin->cores);
    if (origin->affinity > 0) qdi_json_whole(json, "affinity", (uint64_t)origin->affinity);
    if (origin->quota > 0) qdi_json_real(json, "quota", origin->quota);
    if (origin->governor[0]) qdi_json_text(json, "governor", origin->governor);
    if (origin->load_first >= 0) qdi_json_real(json, "load_first", origin->load_first);
    if (origin->load_last >= 0) qdi_json_real(json, "load_last", origin->load_last);
    put_scale_environment(json);
    qdi_json_close(json, '}');
    qdi_json_open(json, "build", '{');
    qdi_json_text(json, "commit", origin->commit);
    qdi_json_text(json, "compiler", origin->compiler);
    qdi_json_text(json, "flags", origin->flags);
    qdi_json_close(json, '}');
}

void qdi_scale_json_plan(qdi_json *json, const qdi_scale_plan *plan) {
    qdi_json_whole(json, "steps", plan->steps);
    qdi_json_whole(json, "dropped", plan->dropped);
    qdi_json_whole(json, "repeats", plan->repeats);
    qdi_json_whole(json, "order_seed", plan->seed);
    qdi_json_open(json, "threads", '[');
    for (size_t i = 0; i < plan->thread_count; ++i) qdi_json_whole(json, NULL, (uint64_t)plan->threads[i]);
    qdi_json_close(json, ']');
    if (plan->rank_threads > 0) qdi_json_whole(json, "threads_per_rank", (uint64_t)plan->rank_threads);
    qdi_json_open(json, "bodies", '[');
    for (size_t i = 0; i < plan->bodies_count; ++i) qdi_json_whole(json, NULL, plan->bodies[i]);
    qdi_json_close(json, ']');
    qdi_json_whole(json, "threads_at_once", (uint64_t)plan->available);
}

// Writes what the processor counted, as far as it is known, as JSON.
static void put_scale_counts(qdi_json *json, const char *name, const qdi_counts *counts) {
    bool any = false;
    for (int i = 0; i < QDI_COUNTERS; ++i) any = any || counts->known[i];
    if (!any) return;
    qdi_json_open(json, name, '{');
    for (int i = 0; i < QDI_COUNTERS; ++i)
        if (counts->known[i])
            qdi_json_whole(json, qdi_counter_name((qdi_counter)i), (uint64_t)(counts->value[i] + .5));
    qdi_json_close(json, '}');
}

// Writes one run of a scaling test as JSON.
static void put_scale_run(qdi_json *json, const qdi_scale_report *report, size_t turn) {
    const qdi_scale_plan *plan = report->plan;
    const qdi_scale_config *config = &plan->configs[plan->turns[turn].config];
    const qdi_scale_sample *sample = &report->samples[turn];
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "run", turn + 1);
    qdi_json_whole(json, "bodies_asked", config->bodies);
    qdi_json_whole(json, "threads", (uint64_t)config->threads);
    qdi_json_whole(json, "repeat", plan->turns[turn].repeat + 1);
    qdi_json_hash(json, "hash", sample->hash);
    qdi_json_whole(json, "wall_ns", sample->wall_ns);
    qdi_json_open(json, "phases_ns", '{');
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        qdi_json_whole(json, qd_phase_name((qd_phase)phase), sample->profile.wall_ns[phase]);
    qdi_json_close(json, '}');
    qdi_json_whole(json, "processor_ns", sample->processor_ns);
    qdi_json_whole(json, "preemptions", sample->preemptions);
    put_scale_counts(json, "counters", &sample->counts);
    qdi_json_whole(json, "triad_bytes_per_s", (uint64_t)sample->bandwidth);
    if (sample->load >= 0) qdi_json_real(json, "load", sample->load);
    qdi_json_close(json, '}');
}

// Writes what a phase moves, and beside the triad, as JSON.
static void put_scale_traffic(qdi_json *json, const qdi_scale_part *part, double triad) {
    qdi_json_whole(json, "bytes_read_per_step", (uint64_t)(part->reads + .5));
    qdi_json_whole(json, "bytes_written_per_step", (uint64_t)(part->writes + .5));
    if (!(part->time.median > 0)) return;
    qdi_json_whole(json, "bytes_per_s", (uint64_t)qdi_scale_bandwidth(part));
    if (triad > 0) put_ratio(json, "of_triad", qdi_scale_bandwidth(part) / triad);
}

// Writes the times of a phase in a scaling test as JSON.
static void put_scale_part(qdi_json *json, const qdi_scale_part *part, const qdi_scale_result *result) {
    const int threads = result->config->threads;
    qdi_json_open(json, "ns_per_step", '{');
    put_scale_ns(json, "median", part->time.median);
    put_scale_ns(json, "low", part->time.low);
    put_scale_ns(json, "high", part->time.high);
    put_ratio(json, "level", part->time.level);
    put_scale_ns(json, "min", part->time.least);
    qdi_json_close(json, '}');
    qdi_json_open(json, "thread_ns_per_step", '{');
    put_scale_ns(json, "busy", part->share.busy);
    put_scale_ns(json, "serial", part->share.serial);
    put_scale_ns(json, "alone", part->share.alone);
    put_scale_ns(json, "waiting", part->share.waiting);
    qdi_json_close(json, '}');
    put_ratio(json, "imbalance", part->imbalance);
    qdi_json_open(json, "busy_ns_per_step", '[');
    for (size_t k = 0; k < QDI_SCALE_CLOCKED && k < (size_t)threads; ++k)
        put_scale_ns(json, NULL, part->busy[k]);
    qdi_json_close(json, ']');
    if (result->config->ranks == 0) put_scale_traffic(json, part, result->triad.median);
}

// Writes the result of one configuration of a scaling test as JSON.
static void put_scale_result(qdi_json *json, const qdi_scale_report *report, const qdi_scale_result *result) {
    const qdi_scale_config *config = result->config;
    double steps = (double)report->plan->steps;
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "series", qdi_scale_series(config));
    qdi_json_whole(json, "bodies_asked", config->bodies);
    qdi_json_whole(json, "bodies", result->bodies);
    qdi_json_whole(json, "threads", (uint64_t)config->threads);
    if (config->ranks > 0) qdi_json_whole(json, "ranks", (uint64_t)config->ranks);
    const qdi_pin *pin = qdi_scale_pin_of(report, config);
    if (pin) qdi_pin_json(json, pin);
    qdi_json_truth(json, "beyond", config->beyond);
    qdi_json_whole(json, "runs", result->runs);
    qdi_json_hash(json, "hash", result->hash);
    qdi_json_hash(json, "scene_hash", report->scene_hashes[config - report->plan->configs]);
    if (result->body_steps > 0)
        put_scale_ns(json, "ns_per_body_step", result->whole.time.median * steps / result->body_steps);
    put_scale_ns(json, "calm_ns_per_step", result->calm);
    put_ratio(json, "taken", result->taken);
    qdi_json_whole(json, "triad_bytes_per_s", (uint64_t)result->triad.median);
    qdi_json_whole(json, "peak_bytes", (uint64_t)result->memory);
    put_scale_counts(json, "counters_per_step", &result->counts);
    qdi_json_open(json, "step", '{');
    put_scale_part(json, &result->whole, result);
    qdi_json_close(json, '}');
    qdi_json_open(json, "phases", '{');
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
        qdi_json_open(json, qd_phase_name((qd_phase)phase), '{');
        put_scale_part(json, &result->phases[phase], result);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, '}');
    qdi_json_close(json, '}');
}

// Writes speed-up and efficiency of a scaling test as JSON.
static void put_scale_gain(qdi_json *json, const qdi_scale_gain *gain, bool whole) {
    put_ratio(json, "speedup", gain->speedup);
    put_ratio(json, "low", gain->low);
    put_ratio(json, "high", gain->high);
    if (whole) put_ratio(json, "calm_speedup", gain->calm);
    put_ratio(json, "efficiency", gain->efficiency);
    if (isfinite(gain->serial_fraction)) put_ratio(json, "serial_fraction", gain->serial_fraction);
}

// Writes a strong or weak series of a scaling test as JSON.
static void put_scale_series(qdi_json *json, const qdi_scale_report *report, bool strong, uint64_t bodies) {
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "kind", strong ? "strong" : "weak");
    qdi_json_whole(json, strong ? "bodies" : "bodies_per_thread", bodies);
    qdi_json_open(json, "gains", '[');
    for (size_t n = 0; n < report->plan->thread_count; ++n) {
        qdi_scale_gain gain = qdi_scale_member_gain(report, strong, bodies, n, QDI_SCALE_PHASES);
        qdi_json_open(json, NULL, '{');
        qdi_json_whole(json, "threads", (uint64_t)report->plan->threads[n]);
        put_scale_gain(json, &gain, true);
        qdi_json_open(json, "phases", '{');
        for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
            gain = qdi_scale_member_gain(report, strong, bodies, n, phase);
            qdi_json_open(json, qd_phase_name((qd_phase)phase), '{');
            put_scale_gain(json, &gain, false);
            qdi_json_close(json, '}');
        }
        qdi_json_close(json, '}');
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
    const qdi_scale_result *largest = qdi_scale_largest(report, strong, bodies);
    char text[512];
    qdi_scale_conclude(report, strong, bodies, largest, text, sizeof text);
    if (text[0]) qdi_json_text(json, "verdict", text);
    if (largest) {
        qdi_scale_advice(largest, text, sizeof text);
        if (text[0]) qdi_json_text(json, "advice", text);
    }
    qdi_json_close(json, '}');
}

qd_status qdi_scale_json(qdi_json *json, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", SCALE_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_text(json, "scene", report->scene);
    qdi_json_text(json, "simd", report->simd);
    if (report->origin.started[0]) qdi_json_text(json, "started", report->origin.started);
    qdi_scale_json_plan(json, plan);
    qdi_scale_json_origin(json, &report->origin);
    qdi_json_truth(json, "hashes_equal", report->equal);
    qdi_others_reason unreliable = qdi_scale_unreliable(report);
    qdi_json_truth(json, "reliable", !unreliable.text[0]);
    if (unreliable.text[0]) qdi_json_text(json, "unreliable", unreliable.text);
    if (report->uncounted && report->uncounted[0]) qdi_json_text(json, "counters_absent", report->uncounted);
    qdi_json_open(json, "series", '[');
    for (size_t b = 0; b < plan->bodies_count; ++b) put_scale_series(json, report, true, plan->bodies[b]);
    for (size_t b = 0; plan->weak && b < plan->bodies_count; ++b)
        put_scale_series(json, report, false, plan->bodies[b]);
    qdi_json_close(json, ']');
    qdi_json_open(json, "configurations", '[');
    for (size_t i = 0; i < plan->config_count; ++i) put_scale_result(json, report, &report->results[i]);
    qdi_json_close(json, ']');
    qdi_json_open(json, "runs", '[');
    for (size_t turn = 0; turn < plan->turn_count; ++turn) put_scale_run(json, report, turn);
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}
