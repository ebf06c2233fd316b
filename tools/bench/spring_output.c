#include "tools/bench/bench_spring.h"

#include "sim/base/number.h"

#include <math.h>

enum { OUTPUT_SCHEMA = 1 };

double qdi_spring_ratio(const qdi_spring_report *report) {
    if (report->count < QDI_SPRING_METHODS || !(report->rows[QDI_SPRING_OURS].median > 0)) return 0;
    return report->rows[QDI_SPRING_LAMMPS].median / report->rows[QDI_SPRING_OURS].median;
}

static double times_as_fast(const qdi_spring_report *report, size_t method) {
    return method == QDI_SPRING_OURS ? qdi_spring_ratio(report) : 1;
}

static const char *simd_of(const qdi_spring_report *report, size_t method) {
    return method == QDI_SPRING_OURS ? qd_simd_name(report->plan->simd) : "none";
}

void qdi_spring_print(FILE *out, const qdi_spring_report *report) {
    const qdi_spring_plan *plan = report->plan;
    fprintf(out, "%s: %zu disks; %zu steps after %zu, %zu times\n", plan->of->name, plan->bodies, plan->steps,
            plan->warm, plan->repeats);
    fprintf(out,
            "nanoseconds per body and step, the mean of each time; x: times as fast as LAMMPS\n"
            "%-8s %7s %9s %9s %9s %7s %7s\n",
            "method", "threads", "median", "min", "mean", "spread", "x");
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_spring_row *row = &report->rows[i];
        fprintf(out, "%-8s %7d %9.2f %9.2f %9.2f %6.1f%% %7.2f\n", row->method, plan->threads, row->median,
                row->min, row->mean, 100.0 * row->spread, times_as_fast(report, i));
    }
    fprintf(out, "spring by phase:");
    for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
        fprintf(out, "%s %s %.2f", phase ? "," : "", qd_phase_name((qd_phase)phase), report->phases[phase]);
    fprintf(out, "\nin the end: %zu contacts, %.2f collisions of each, energy of motion %.6g\n",
            report->contacts, report->collisions, report->kinetic);
    if (report->count == QDI_SPRING_METHODS)
        fprintf(out, "largest difference between the two then: %.2g\n%s\n", report->difference,
                report->version);
    else
        fprintf(out, "without LAMMPS: its program lmp%s was not found\n",
                plan->threads > 1 ? ", or mpirun," : "");
}

static void put_real(FILE *out, double value) {
    char digits[QDI_NUMBER_ROOM];
    qdi_number_write(value, digits);
    fprintf(out, ",%s", digits);
}

static double rounded(double value) {
    return floor(value * 1000.0 + .5) / 1000.0;
}

void qdi_spring_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_spring_report *report) {
    const qdi_spring_plan *plan = report->plan;
    fputs("method,spring,bodies,threads,simd,steps,repeats,ns_per_body,min,median,mean,spread,contacts,"
          "collisions,kinetic,difference,times_as_fast," QDI_BENCH_LAST_NAMES,
          out);
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_spring_row *row = &report->rows[i];
        fprintf(out, "%s,%s,%zu,%d,%s,%zu,%zu", row->method, plan->of->name, plan->bodies, plan->threads,
                simd_of(report, i), plan->steps, plan->repeats);
        const double figures[] = {row->median, row->min, row->median, row->mean, row->spread};
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; ++k) put_real(out, rounded(figures[k]));
        fprintf(out, ",%zu", report->contacts);
        put_real(out, report->collisions);
        put_real(out, report->kinetic);
        put_real(out, report->difference);
        put_real(out, rounded(times_as_fast(report, i)));
        qdi_bench_put_last(out, origin);
    }
}

static void put_row(qdi_json *json, const qdi_spring_report *report, size_t method) {
    const qdi_spring_row *row = &report->rows[method];
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "method", row->method);
    qdi_json_text(json, "simd", simd_of(report, method));
    qdi_json_real(json, "ns_per_body", rounded(row->median));
    qdi_json_real(json, "min", rounded(row->min));
    qdi_json_real(json, "median", rounded(row->median));
    qdi_json_real(json, "mean", rounded(row->mean));
    qdi_json_real(json, "spread", rounded(row->spread));
    qdi_json_real(json, "times_as_fast", rounded(times_as_fast(report, method)));
    if (method == QDI_SPRING_OURS) {
        qdi_json_open(json, "phases", '{');
        for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
            qdi_json_real(json, qd_phase_name((qd_phase)phase), rounded(report->phases[phase]));
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, '}');
}

qd_status qdi_spring_write_json(qdi_json *json, const qdi_bench_origin *origin,
                                const qdi_spring_report *report) {
    const qdi_spring_plan *plan = report->plan;
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", OUTPUT_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_text(json, "spring", plan->of->name);
    qdi_json_whole(json, "bodies", plan->bodies);
    qdi_json_whole(json, "threads", (uint64_t)plan->threads);
    qdi_json_whole(json, "steps", plan->steps);
    qdi_json_whole(json, "repeats", plan->repeats);
    qdi_json_whole(json, "contacts", report->contacts);
    qdi_json_real(json, "collisions", report->collisions);
    qdi_json_real(json, "kinetic", report->kinetic);
    if (report->count == QDI_SPRING_METHODS) {
        qdi_json_real(json, "difference", report->difference);
        qdi_json_text(json, "lammps", report->version);
    }
    qdi_bench_json_origin(json, origin);
    qdi_json_open(json, "rows", '[');
    for (size_t i = 0; i < report->count; ++i) put_row(json, report, i);
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}
