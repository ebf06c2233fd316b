#include "tools/bench/rigid_output.h"

#include "sim/base/number.h"

#include <math.h>

enum { OUTPUT_SCHEMA = 1 };

const qdi_rigid_row *qdi_rigid_reference(const qdi_rigid_row *rows, size_t count) {
    const qdi_rigid_row *best = NULL;
    for (size_t i = 0; i < count; ++i)
        if (rows[i].method->peer && (!best || rows[i].median < best->median)) best = &rows[i];
    return best ? best : rows;
}

static double times_as_fast(const qdi_rigid_report *report, const qdi_rigid_row *row) {
    return row->median > 0 ? qdi_rigid_reference(report->rows, report->count)->median / row->median : 0;
}

static void print_look(FILE *out, const qdi_rigid_setting *setting, const qdi_rigid_look *look) {
    fprintf(out, " %9zu %12.6g %9.4f", look->contacts, look->kinetic, look->deepest);
    if (setting->pyramid) fprintf(out, " %8.3f %7zu", look->top, look->fallen);
}

void qdi_rigid_print(FILE *out, const qdi_rigid_report *report) {
    const qdi_rigid_plan *plan = report->plan;
    const qdi_rigid_setting *setting = plan->setting;
    fprintf(out, "%s: %zu bodies, %d iterations; %zu steps, %zu times\n", setting->of->name, setting->count,
            setting->iterations, plan->steps, plan->repeats);
    fprintf(out,
            "nanoseconds per body and step%s; contacts, energy and overlap after the last step; x: times as "
            "fast as %s\n",
            setting->of->steps ? ", means over the steps of a time" : "",
            qdi_rigid_reference(report->rows, report->count)->method->name);
    if (setting->pyramid)
        fputs("top: height of the lowest top body; fallen: bodies further than their width from the start\n",
              out);
    fprintf(out, "%-14s %7s %9s %9s %9s %7s %7s %9s %12s %9s", "method", "threads", "median", "min", "mean",
            "spread", "x", "contacts", "kinetic", "deepest");
    if (setting->pyramid) fprintf(out, " %8s %7s", "top", "fallen");
    fputc('\n', out);
    fprintf(out, "%-14s %7s %9s %9s %9s %7s %7s", "(start)", "", "", "", "", "", "");
    print_look(out, setting, &report->start);
    fputc('\n', out);
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_rigid_row *row = &report->rows[i];
        fprintf(out, "%-14s %7d %9.2f %9.2f %9.2f %6.1f%% %7.2f", row->method->name, plan->options.threads,
                row->median, row->min, row->mean, 100.0 * row->spread, times_as_fast(report, row));
        print_look(out, setting, &row->end);
        fputc('\n', out);
    }
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_rigid_row *row = &report->rows[i];
        if (!row->has_phases) continue;
        fprintf(out, "%s by phase:", row->method->name);
        for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
            fprintf(out, "%s %s %.2f", phase ? "," : "", qd_phase_name((qd_phase)phase), row->phases[phase]);
        fputc('\n', out);
    }
}

/// A figure with three decimals, but with all that it has where it is a quantity of the bodies.
static double rounded(double value) {
    return floor(value * 1000.0 + .5) / 1000.0;
}

static void put_real(FILE *out, double value) {
    char digits[QDI_NUMBER_ROOM];
    qdi_number_write(value, digits);
    fprintf(out, ",%s", digits);
}

void qdi_rigid_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_rigid_report *report) {
    const qdi_rigid_plan *plan = report->plan;
    const qdi_rigid_setting *setting = plan->setting;
    fputs("method,rigid,bodies,threads,simd,iterations,steps,repeats,ns_per_body,min,median,mean,spread,"
          "contacts,kinetic,"
          "deepest,top,fallen,times_as_fast",
          out);
    for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
        fprintf(out, ",%s_ns", qd_phase_name((qd_phase)phase));
    fputs("," QDI_BENCH_LAST_NAMES, out);
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_rigid_row *row = &report->rows[i];
        fprintf(out, "%s,%s,%zu,%d,%s,%d,%zu,%zu", row->method->name, setting->of->name, setting->count,
                plan->options.threads, row->method->peer ? "none" : qd_simd_name(plan->options.simd),
                setting->iterations, plan->steps, plan->repeats);
        const double figures[] = {row->median, row->min, row->median, row->mean, row->spread};
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; ++k) put_real(out, rounded(figures[k]));
        fprintf(out, ",%zu", row->end.contacts);
        put_real(out, row->end.kinetic);
        put_real(out, row->end.deepest);
        if (setting->pyramid) {
            put_real(out, row->end.top);
            fprintf(out, ",%zu", row->end.fallen);
        } else {
            fputs(",,", out);
        }
        put_real(out, rounded(times_as_fast(report, row)));
        for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase) {
            if (row->has_phases)
                put_real(out, rounded(row->phases[phase]));
            else
                fputc(',', out);
        }
        qdi_bench_put_last(out, origin);
    }
}

static void put_look(qdi_json *json, const qdi_rigid_setting *setting, const qdi_rigid_look *look) {
    qdi_json_whole(json, "contacts", look->contacts);
    qdi_json_real(json, "kinetic", look->kinetic);
    qdi_json_real(json, "deepest", look->deepest);
    if (!setting->pyramid) return;
    qdi_json_real(json, "top", look->top);
    qdi_json_whole(json, "fallen", look->fallen);
}

static void put_row(qdi_json *json, const qdi_rigid_report *report, const qdi_rigid_row *row) {
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "method", row->method->name);
    qdi_json_text(json, "simd", row->method->peer ? "none" : qd_simd_name(report->plan->options.simd));
    qdi_json_real(json, "ns_per_body", rounded(row->median));
    qdi_json_real(json, "min", rounded(row->min));
    qdi_json_real(json, "median", rounded(row->median));
    qdi_json_real(json, "mean", rounded(row->mean));
    qdi_json_real(json, "spread", rounded(row->spread));
    put_look(json, report->plan->setting, &row->end);
    qdi_json_real(json, "times_as_fast", rounded(times_as_fast(report, row)));
    if (row->has_phases) {
        qdi_json_open(json, "phases", '{');
        for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
            qdi_json_real(json, qd_phase_name((qd_phase)phase), rounded(row->phases[phase]));
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, '}');
}

qd_status qdi_rigid_write_json(qdi_json *json, const qdi_bench_origin *origin,
                               const qdi_rigid_report *report) {
    const qdi_rigid_plan *plan = report->plan;
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", OUTPUT_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_text(json, "rigid", plan->setting->of->name);
    qdi_json_whole(json, "bodies", plan->setting->count);
    qdi_json_whole(json, "threads", (uint64_t)plan->options.threads);
    qdi_json_whole(json, "iterations", (uint64_t)plan->setting->iterations);
    qdi_json_whole(json, "steps", plan->steps);
    qdi_json_whole(json, "repeats", plan->repeats);
    qdi_bench_json_origin(json, origin);
    qdi_json_open(json, "start", '{');
    put_look(json, plan->setting, &report->start);
    qdi_json_close(json, '}');
    qdi_json_open(json, "rows", '[');
    for (size_t i = 0; i < report->count; ++i) put_row(json, report, &report->rows[i]);
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}
