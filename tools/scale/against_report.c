#include "tools/scale/against_report.h"

#include <inttypes.h>

enum { AGAINST_SCHEMA = 1 };

// The name of a phase in a test of two builds; the last is the whole step.
static const char *part_name(size_t phase) {
    return phase < QDI_SCALE_PHASES ? qd_phase_name((qd_phase)phase) : "step";
}

// ---- against.csv ----

void qdi_against_csv_head(FILE *out) {
    fputs("pair,repeat,bodies_asked,threads,build,commit,steps,dropped,bodies,scene_hash,hash,wall_ns", out);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        fprintf(out, ",%s_ns", qd_phase_name((qd_phase)phase));
    fputc('\n', out);
}

// Two builds: writes the line of one run.
static void put_run_line(FILE *out, const qdi_scale_plan *plan, size_t turn, bool there,
                         const qdi_against_run *run) {
    const qdi_scale_config *config = &plan->configs[plan->turns[turn].config];
    fprintf(out, "%zu,%zu,%" PRIu64 ",%d,%s,%s,%zu,%zu,%" PRIu64 ",%016" PRIx64 ",%016" PRIx64 ",%" PRIu64,
            turn + 1, plan->turns[turn].repeat + 1, config->bodies, config->threads, there ? "there" : "here",
            run->commit, plan->steps, plan->dropped, run->bodies, run->scene_hash, run->hash,
            run->ns[QDI_SCALE_PHASES]);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) fprintf(out, ",%" PRIu64, run->ns[phase]);
    fputc('\n', out);
}

void qdi_against_csv_pair(FILE *out, const qdi_scale_plan *plan, size_t turn, const qdi_against_pair *pair) {
    for (int k = 0; k < 2; ++k) {
        bool there = (k == 0) == pair->there_first;
        put_run_line(out, plan, turn, there, there ? &pair->there : &pair->here);
    }
}

// ---- against.json ----

// Two builds: writes how a phase, or the step, compares, as JSON.
static void put_against_part(qdi_json *json, const char *name, const qdi_against_part *part) {
    qdi_json_open(json, name, '{');
    qdi_json_text(json, "change", qdi_against_word(part->change));
    if (part->change != QDI_AGAINST_NONE) {
        qdi_json_real(json, "here_ns_per_step", part->here);
        qdi_json_real(json, "there_ns_per_step", part->there);
        qdi_json_real(json, "ratio", part->ratio.median);
        qdi_json_real(json, "low", part->ratio.low);
        qdi_json_real(json, "high", part->ratio.high);
        qdi_json_real(json, "level", part->ratio.level);
    }
    qdi_json_close(json, '}');
}

// Two builds: writes the comparison of a configuration as JSON.
static void put_against_result(qdi_json *json, const qdi_against_result *result) {
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "bodies_asked", result->config->bodies);
    qdi_json_whole(json, "bodies", result->bodies);
    qdi_json_whole(json, "threads", (uint64_t)result->config->threads);
    qdi_json_truth(json, "beyond", result->config->beyond);
    qdi_json_truth(json, "same_scene", result->same_scene);
    qdi_json_truth(json, "same_state", result->same_state);
    put_against_part(json, "step", &result->parts[QDI_SCALE_PHASES]);
    qdi_json_open(json, "phases", '{');
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        put_against_part(json, part_name(phase), &result->parts[phase]);
    qdi_json_close(json, '}');
    qdi_json_close(json, '}');
}

qd_status qdi_against_json(qdi_json *json, const qdi_against_report *report) {
    const qdi_against_job *job = report->job;
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", AGAINST_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_text(json, "scene", job->scene);
    qdi_scale_json_plan(json, job->plan);
    qdi_scale_json_origin(json, &report->origin);
    qdi_json_open(json, "against", '{');
    qdi_json_text(json, "program", job->program);
    qdi_json_text(json, "commit", report->pairs[0].there.commit);
    qdi_json_close(json, '}');
    qdi_json_truth(json, "reliable", !report->others.text[0]);
    if (report->others.text[0]) qdi_json_text(json, "unreliable", report->others.text);
    qdi_json_open(json, "comparisons", '[');
    for (size_t i = 0; i < job->plan->config_count; ++i) put_against_result(json, &report->results[i]);
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}

// ---- tables ----

// Two builds: prints one row: a phase, or the step, of a configuration.
static void print_against_row(FILE *out, const qdi_against_result *result, size_t phase,
                              const char *threads) {
    const qdi_against_part *part = &result->parts[phase];
    fprintf(out, "%7s %-9s", threads, part_name(phase));
    if (part->change == QDI_AGAINST_NONE)
        fprintf(out, "%10s %10s %7s %15s", "-", "-", "-", "-");
    else {
        char interval[32];
        snprintf(interval, sizeof interval, "%.3f-%.3f", part->ratio.low, part->ratio.high);
        fprintf(out, "%10.3f %10.3f %7.3f %15s", part->here / 1e6, part->there / 1e6, part->ratio.median,
                interval);
    }
    fprintf(out, "   %s\n", qdi_against_word(part->change));
}

// Two builds: prints the rows of a configuration, the step first.
static void print_against_result(FILE *out, const qdi_against_result *result) {
    char threads[16];
    snprintf(threads, sizeof threads, "%d%s", result->config->threads, result->config->beyond ? "*" : "");
    print_against_row(out, result, QDI_SCALE_PHASES, threads);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) print_against_row(out, result, phase, "");
}

// Two builds: prints the table of one number of bodies.
static void print_against_table(FILE *out, const qdi_against_report *report, uint64_t bodies) {
    const qdi_scale_plan *plan = report->job->plan;
    bool same_scene = true, same_state = true;
    fprintf(out, "%s: %" PRIu64 " bodies; %zu steps after %zu, %zu pairs of runs\n", report->job->scene,
            bodies, plan->steps, plan->dropped, plan->repeats);
    fprintf(out, "%7s %-9s%10s %10s %7s %15s\n", "threads", "part", "here ms", "there ms", "ratio",
            "interval");
    for (size_t i = 0; i < plan->config_count; ++i) {
        if (plan->configs[i].bodies != bodies) continue;
        print_against_result(out, &report->results[i]);
        same_scene = same_scene && report->results[i].same_scene;
        same_state = same_state && report->results[i].same_state;
    }
    if (!same_scene)
        fputs("The builds read this scene differently: they may not do the same work.\n", out);
    else if (!same_state)
        fputs("The builds end in different states: they do not do quite the same work.\n", out);
}

/// How many comparisons of a test of two builds say something, and what.
typedef struct change_counts {
    size_t of[QDI_AGAINST_NONE + 1], all;
    double by_chance; ///< how many would say faster or slower if the builds were the same
} change_counts;

// Two builds: counts what all comparisons say.
static change_counts count_changes(const qdi_against_report *report) {
    change_counts counts = {.all = 0};
    for (size_t i = 0; i < report->job->plan->config_count; ++i)
        for (size_t phase = 0; phase <= QDI_SCALE_PHASES; ++phase) {
            const qdi_against_part *part = &report->results[i].parts[phase];
            counts.of[part->change] += 1;
            if (part->change == QDI_AGAINST_NONE || part->change == QDI_AGAINST_TOO_FEW) continue;
            counts.all += 1;
            counts.by_chance += 1 - part->ratio.level;
        }
    return counts;
}

void qdi_against_print(FILE *out, const qdi_against_report *report) {
    const qdi_against_job *job = report->job;
    const qdi_scale_plan *plan = job->plan;
    fprintf(out, "here: this build (%s); there: %s (%s)\n", report->pairs[0].here.commit, job->program,
            report->pairs[0].there.commit[0] ? report->pairs[0].there.commit : "commit not known");
    for (size_t b = 0; b < plan->bodies_count; ++b) {
        fputc('\n', out);
        print_against_table(out, report, plan->bodies[b]);
    }
    change_counts counts = count_changes(report);
    if (counts.all == 0)
        fputs("\nWith fewer than 6 pairs nothing can be said of what became faster or slower; the intervals "
              "are the whole range.\n",
              out);
    else
        fprintf(
            out,
            "\nFaster in %zu and slower in %zu of %zu comparisons; of builds that are the same about %.1f "
            "would be, by chance. The true median ratio (here over there) is in each interval with a "
            "probability of %.3g %% or more.\n",
            counts.of[QDI_AGAINST_FASTER], counts.of[QDI_AGAINST_SLOWER], counts.all, counts.by_chance,
            100 * report->results[0].parts[QDI_SCALE_PHASES].ratio.level);
    if (report->others.text[0])
        fprintf(out, "The machine was not quiet: %s. That makes intervals wider, and times longer.\n",
                report->others.text);
    if (plan->threads[plan->thread_count - 1] > plan->available)
        fprintf(out, "*: more threads than can run at once here (%d)\n", plan->available);
}
