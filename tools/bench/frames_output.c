#include "tools/bench/frames.h"

// Prints the table of the bench of frames.
static void print_frames(FILE *out, const void *measured) {
    const qdi_frames_report *report = measured;
    const qdi_frames_plan *plan = &report->plan;
    fprintf(out, "frames of %dx%d pixels, scene %s; %zu of each\n", plan->width, plan->height,
            plan->scene->name, plan->frames);
    fputs("milliseconds, medians; copying holds up the simulation, the rest is another thread's;\n"
          "cpu: mean time of all processors together, which others on this machine do not change\n",
          out);
    fprintf(out, "%-10s %-7s %6s %8s %8s %8s %8s %8s %7s %8s %10s\n", "bodies", "style", "trails", "copy",
            "draw", "encode", "whole", "least", "spread", "cpu", "bytes");
    for (size_t i = 0; i < report->count; ++i) {
        const qdi_frames_row *row = &report->rows[i];
        fprintf(out, "%-10zu %-7s", row->bodies, qdi_frames_style_name(row->style));
        if (row->trails > 0)
            fprintf(out, " %6zu", row->trails);
        else
            fprintf(out, " %6s", "-");
        if (row->style == QDI_FRAMES_LAMMPS)
            fprintf(out, " %8s %8s %8s %8.2f %8s %7s", "-", "-", "-", row->whole, "-", "-");
        else
            fprintf(out, " %8.2f %8.2f %8.2f %8.2f %8.2f %6.1f%%", row->copy, row->draw, row->encode,
                    row->whole, row->least, 100.0 * row->spread);
        fprintf(out, " %8.2f %10zu\n", row->cpu, row->bytes);
    }
}

// Writes a row of the CSV or JSON of the bench of frames.
static void put_frames_fields(qdi_bench_sheet *sheet, const void *measured, size_t number) {
    const qdi_frames_report *report = measured;
    const qdi_frames_plan *plan = &report->plan;
    const qdi_frames_row *row = &report->rows[number];
    bool ours = row->style != QDI_FRAMES_LAMMPS;
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "style", qdi_frames_style_name(row->style));
    qdi_bench_put_text(sheet, QDI_BENCH_SHARED, "scene", plan->scene->name);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "bodies", row->bodies);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "trails", row->trails);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "width", (uint64_t)plan->width);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "height", (uint64_t)plan->height);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "threads", (uint64_t)plan->threads);
    qdi_bench_put_whole(sheet, QDI_BENCH_SHARED, "frames", plan->frames);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "copy_ms", ours, row->copy);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "draw_ms", ours, row->draw);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "encode_ms", ours, row->encode);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "whole_ms", row->whole);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "least_ms", ours, row->least);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "cpu_ms", row->cpu);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "bytes", row->bytes);
    if (ours)
        qdi_bench_put_hash(sheet, QDI_BENCH_OWN, "pixels", row->pixels);
    else
        qdi_bench_put_known(sheet, QDI_BENCH_OWN, "pixels", false, 0);
}

// What the bench of frames hands to those who write and print.
qdi_bench_results qdi_frames_results_of(const qdi_frames_report *report) {
    return (qdi_bench_results){
        .report = report, .count = report->count, .fields = put_frames_fields, .print = print_frames};
}
