#include "tools/bench/rigid_output.h"

const qdi_rigid_row *qdi_rigid_reference(const qdi_rigid_row *rows, size_t count) {
    const qdi_rigid_row *best = NULL;
    for (size_t i = 0; i < count; ++i)
        if (rows[i].method->peer && (!best || rows[i].ns.median < best->ns.median)) best = &rows[i];
    return best ? best : rows;
}

// How many times as fast as the reference a rigid method is.
static double rigid_times_as_fast(const qdi_rigid_report *report, const qdi_rigid_row *row) {
    return row->ns.median > 0 ? qdi_rigid_reference(report->rows, report->count)->ns.median / row->ns.median
                              : 0;
}

// Prints contacts, energy and overlap of a rigid method.
static void print_rigid_state(FILE *out, const qdi_rigid_setting *setting, const qdi_rigid_quality *look) {
    fprintf(out, " %9zu %12.6g %9.4f", look->contacts, look->kinetic, look->deepest);
    if (setting->pyramid) fprintf(out, " %8.3f %7zu", look->top, look->fallen);
}

// Prints the table of the bench of rigid contacts.
static void print_rigid(FILE *out, const void *measured) {
    const qdi_rigid_report *report = measured;
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
    print_rigid_state(out, setting, &report->start);
    fputc('\n', out);
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_rigid_row *row = &report->rows[i];
        fprintf(out, "%-14s %7d %9.2f %9.2f %9.2f %6.1f%% %7.2f", row->method->name, plan->options.threads,
                row->ns.median, row->ns.min, row->ns.mean, 100.0 * row->ns.spread,
                rigid_times_as_fast(report, row));
        print_rigid_state(out, setting, &row->end);
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

// The name of a phase of a rigid method.
static const char *rigid_phase_name(int phase) {
    return qd_phase_name((qd_phase)phase);
}

/// Bench of rigid piles: what a state is like; without a pyramid the last two columns stay empty.
static void put_look(qdi_bench_sheet *sheet, qdi_bench_scope scope, const qdi_rigid_setting *setting,
                     const qdi_rigid_quality *look) {
    qdi_bench_put_whole(sheet, scope, "contacts", look->contacts);
    qdi_bench_put_real(sheet, scope, "kinetic", look->kinetic);
    qdi_bench_put_real(sheet, scope, "deepest", look->deepest);
    if (setting->pyramid) {
        qdi_bench_put_real(sheet, scope, "top", look->top);
        qdi_bench_put_whole(sheet, scope, "fallen", look->fallen);
    } else {
        qdi_bench_put_known(sheet, scope, "top", false, 0);
        qdi_bench_put_known(sheet, scope, "fallen", false, 0);
    }
}

// Writes a row of the CSV or JSON of the bench of rigid contacts.
static void put_rigid_fields(qdi_bench_sheet *sheet, const void *measured, size_t number) {
    const qdi_rigid_report *report = measured;
    const qdi_rigid_plan *plan = report->plan;
    const qdi_rigid_setting *setting = plan->setting;
    const qdi_rigid_row *row = &report->rows[number];
    const char *simd = row->method->peer ? "none" : qd_simd_name(plan->options.simd);
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "method", row->method->name);
    qdi_bench_put_text(sheet, QDI_BENCH_SHARED, "rigid", setting->of->name);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "bodies", setting->count);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "threads", (uint64_t)plan->options.threads);
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "simd", simd);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "iterations", (uint64_t)setting->iterations);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "steps", plan->steps);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "repeats", plan->repeats);
    qdi_bench_put_statistics(sheet, &row->ns);
    put_look(sheet, QDI_BENCH_START, setting, &report->start);
    put_look(sheet, QDI_BENCH_OWN, setting, &row->end);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "times_as_fast", rigid_times_as_fast(report, row));
    qdi_bench_put_phases(sheet, QDI_BENCH_OWN, rigid_phase_name, row->phases, QD_PHASE_EXPORT,
                         row->has_phases);
}

// What the bench of rigid contacts hands to those who write and print.
qdi_bench_results qdi_rigid_results_of(const qdi_rigid_report *report) {
    return (qdi_bench_results){.report = report,
                               .count = report->count,
                               .fields = put_rigid_fields,
                               .print = print_rigid,
                               .start = true};
}
