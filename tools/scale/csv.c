#include "sim/text/number.h"
#include "tools/bench/output.h"
#include "tools/scale/scale_report.h"

#include <inttypes.h>
#include <math.h>

// Writes a number of the scaling test's CSV, to three digits after the point.
static void put_csv_real(FILE *out, double value) {
    char digits[QDI_NUMBER_ROOM];
    qdi_number_write(floor(value * 1000 + .5) / 1000, digits);
    fprintf(out, ",%s", digits);
}

// Scaling test's CSV: the least of the times of threads.
static uint64_t least_value(const uint64_t *values, size_t count) {
    uint64_t least = values[0];
    for (size_t i = 1; i < count; ++i)
        if (values[i] < least) least = values[i];
    return least;
}

void qdi_scale_csv_head(FILE *out) {
    fputs("run,series,scene,scene_hash,bodies_asked,bodies,threads,ranks,beyond,repeat,steps,dropped,hash,"
          "wall_ns,"
          "ns_per_step,ns_per_body_step,least_step_ns",
          out);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        fprintf(out, ",%s_ns", qd_phase_name((qd_phase)phase));
    fputs(",loop_ns,alone_ns,busy_mean_ns,busy_max_ns,processor_ns,preemptions,triad_bytes_per_s,load,"
          "peak_bytes",
          out);
    for (int i = 0; i < QDI_COUNTERS; ++i) fprintf(out, ",%s", qdi_counter_name((qdi_counter)i));
    fputs(",simd,commit,compiler,flags,cpu\n", out);
}

/// Scaling test's CSV: what all threads did in all phases.
static void put_busy(FILE *out, const qdi_scale_sample *sample, int threads) {
    const qd_profile *profile = &sample->profile;
    size_t clocked = (size_t)threads < QDI_SCALE_CLOCKED ? (size_t)threads : QDI_SCALE_CLOCKED;
    uint64_t loop = 0, alone = 0;
    double sum = 0, most = 0;
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
        loop += profile->loop_ns[phase];
        alone += profile->alone_ns[phase];
    }
    for (size_t k = 0; k < clocked; ++k) {
        double busy = 0;
        for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) busy += (double)profile->busy_ns[phase][k];
        sum += busy;
        most = fmax(most, busy);
    }
    fprintf(out, ",%" PRIu64 ",%" PRIu64, loop, alone);
    put_csv_real(out, sum / (double)clocked);
    put_csv_real(out, most);
}

void qdi_scale_csv_run(FILE *out, const qdi_scale_report *report, size_t turn) {
    const qdi_scale_plan *plan = report->plan;
    const qdi_scale_turn *which = &plan->turns[turn];
    const qdi_scale_config *config = &plan->configs[which->config];
    const qdi_scale_sample *sample = &report->samples[turn];
    double wall = (double)sample->wall_ns, body_steps = (double)sample->profile.body_steps;
    fprintf(out,
            "%zu,%s,%s,%016" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%d,%d,%d,%zu,%zu,%zu,%016" PRIx64 ",%" PRIu64,
            turn + 1, qdi_scale_series(config), report->scene, report->scene_hashes[which->config],
            config->bodies, sample->bodies, config->threads, config->ranks, (int)config->beyond,
            which->repeat + 1, plan->steps, plan->dropped, sample->hash, sample->wall_ns);
    put_csv_real(out, wall / (double)plan->steps);
    put_csv_real(out, body_steps > 0 ? wall / body_steps : 0);
    fprintf(out, ",%" PRIu64, least_value(report->step_ns + turn * plan->steps, plan->steps));
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        fprintf(out, ",%" PRIu64, sample->profile.wall_ns[phase]);
    put_busy(out, sample, config->threads);
    fprintf(out, ",%" PRIu64 ",%" PRIu64, sample->processor_ns, sample->preemptions);
    put_csv_real(out, sample->bandwidth);
    if (sample->load >= 0)
        put_csv_real(out, sample->load);
    else
        fputc(',', out);
    fprintf(out, ",%" PRIu64, sample->memory);
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        fputc(',', out); // nothing where it is not known
        if (sample->counts.known[i]) fprintf(out, "%.0f", sample->counts.value[i]);
    }
    fprintf(out, ",%s", report->simd);
    const qdi_bench_origin origin = {
        report->origin.commit, report->origin.compiler, report->origin.flags, report->origin.cpu, NULL, NULL};
    qdi_bench_put_origin(out, &origin);
    fputc('\n', out);
}

void qdi_scale_csv_phases(FILE *out, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    fputs("run,bodies_asked,threads,repeat,phase,thread,busy_ns,wall_ns,loop_ns,alone_ns\n", out);
    for (size_t turn = 0; turn < plan->turn_count; ++turn) {
        const qdi_scale_config *config = &plan->configs[plan->turns[turn].config];
        const qd_profile *profile = &report->samples[turn].profile;
        for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
            for (size_t k = 0; k < QDI_SCALE_CLOCKED && k < (size_t)config->threads; ++k)
                fprintf(out,
                        "%zu,%" PRIu64 ",%d,%zu,%s,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                        turn + 1, config->bodies, config->threads, plan->turns[turn].repeat + 1,
                        qd_phase_name((qd_phase)phase), k, profile->busy_ns[phase][k],
                        profile->wall_ns[phase], profile->loop_ns[phase], profile->alone_ns[phase]);
    }
}

void qdi_scale_csv_steps(FILE *out, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    fputs("run,bodies_asked,threads,repeat,step,wall_ns\n", out);
    for (size_t turn = 0; turn < plan->turn_count; ++turn) {
        const qdi_scale_config *config = &plan->configs[plan->turns[turn].config];
        for (size_t k = 0; k < plan->steps; ++k)
            fprintf(out, "%zu,%" PRIu64 ",%d,%zu,%zu,%" PRIu64 "\n", turn + 1, config->bodies,
                    config->threads, plan->turns[turn].repeat + 1, plan->dropped + k + 1,
                    report->step_ns[turn * plan->steps + k]);
    }
}
