#include "tools/bench/bench_spring.h"

double qdi_spring_ratio(const qdi_spring_report *report) {
    if (report->count < QDI_SPRING_METHODS || !(report->rows[QDI_SPRING_OURS].ns.median > 0)) return 0;
    return report->rows[QDI_SPRING_LAMMPS].ns.median / report->rows[QDI_SPRING_OURS].ns.median;
}

double qdi_spring_cpu_ratio(const qdi_spring_report *report) {
    if (report->count < QDI_SPRING_METHODS || !(report->rows[QDI_SPRING_OURS].cpu > 0)) return 0;
    return report->rows[QDI_SPRING_LAMMPS].cpu / report->rows[QDI_SPRING_OURS].cpu;
}

// Bench of springs: how many times as fast as LAMMPS our springs are.
static double spring_times_as_fast(const qdi_spring_report *report, size_t method) {
    return method == QDI_SPRING_OURS ? qdi_spring_ratio(report) : 1;
}

// Bench of springs: the same by the time of processors.
static double spring_cpu_times(const qdi_spring_report *report, size_t method) {
    return method == QDI_SPRING_OURS ? qdi_spring_cpu_ratio(report) : 1;
}

// The SIMD level of a method of the bench of springs.
static const char *spring_simd(const qdi_spring_report *report, size_t method) {
    return method == QDI_SPRING_OURS ? qd_simd_name(report->plan->simd) : "none";
}

// Prints the table of the bench of springs.
static void print_spring(FILE *out, const void *measured) {
    const qdi_spring_report *report = measured;
    const qdi_spring_plan *plan = report->plan;
    fprintf(out, "%s: %zu disks; %zu steps after %zu, %zu times\n", plan->of->name, plan->bodies, plan->steps,
            plan->warm, plan->repeats);
    fprintf(out,
            "nanoseconds per body and step, the mean of each time; x: times as fast as LAMMPS\n"
            "cpu: median time of all processors together, which others on this machine change little\n"
            "%-8s %7s %9s %9s %9s %7s %7s %9s %7s\n",
            "method", "threads", "median", "min", "mean", "spread", "x", "cpu", "cpu x");
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_spring_row *row = &report->rows[i];
        fprintf(out, "%-8s %7d %9.2f %9.2f %9.2f %6.1f%%", row->method, plan->threads, row->ns.median,
                row->ns.min, row->ns.mean, 100.0 * row->ns.spread);
        if (report->count == QDI_SPRING_METHODS)
            fprintf(out, " %7.2f %9.2f %7.2f\n", spring_times_as_fast(report, i), row->cpu,
                    spring_cpu_times(report, i));
        else
            fprintf(out, " %7s %9.2f %7s\n", "-", row->cpu, "-");
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

// The name of a phase in the bench of springs.
static const char *spring_phase_name(int phase) {
    return qd_phase_name((qd_phase)phase);
}

// Writes a row of the CSV or JSON of the bench of springs.
static void put_spring_fields(qdi_bench_sheet *sheet, const void *measured, size_t number) {
    const qdi_spring_report *report = measured;
    const qdi_spring_plan *plan = report->plan;
    const qdi_spring_row *row = &report->rows[number];
    bool both = report->count == QDI_SPRING_METHODS;
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "method", row->method);
    qdi_bench_put_text(sheet, QDI_BENCH_SHARED, "spring", plan->of->name);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "bodies", plan->bodies);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "threads", (uint64_t)plan->threads);
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "simd", spring_simd(report, number));
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "steps", plan->steps);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "repeats", plan->repeats);
    qdi_bench_put_statistics(sheet, &row->ns);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "contacts", report->contacts);
    qdi_bench_put_real(sheet, QDI_BENCH_SHARED, "collisions", report->collisions);
    qdi_bench_put_real(sheet, QDI_BENCH_SHARED, "kinetic", report->kinetic);
    qdi_bench_put_real(sheet, both ? QDI_BENCH_SHARED : QDI_BENCH_CSV, "difference", report->difference);
    if (both && sheet->json) qdi_bench_put_text(sheet, QDI_BENCH_SHARED, "lammps", report->version);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "times_as_fast", both, spring_times_as_fast(report, number));
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "cpu_ns", row->cpu);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "cpu_times_as_fast", both, spring_cpu_times(report, number));
    qdi_bench_put_phases(sheet, QDI_BENCH_JSON, spring_phase_name, report->phases, QD_PHASE_EXPORT,
                         number == QDI_SPRING_OURS);
}

qdi_bench_results qdi_spring_results_of(const qdi_spring_report *report) {
    return (qdi_bench_results){
        .report = report, .count = report->count, .fields = put_spring_fields, .print = print_spring};
}
