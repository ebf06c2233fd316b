#include "tools/bench/output.h"

/// Bench's table: the row that the others are compared with: the grid's, or the first.
static const qdi_bench_row *reference(const qdi_bench_row *rows, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (rows[i].method == &qdi_bench_grid) return &rows[i];
    return rows;
}

// How many rows of the bench have the same number of bodies.
static size_t rows_of_size(const qdi_bench_row *rows, size_t count) {
    size_t size = 1;
    while (size < count && rows[size].bodies == rows[0].bodies) ++size;
    return size;
}

// Prints the bench's table for one number of bodies.
static void print_bench_table(FILE *out, const qdi_bench_row *rows, size_t count) {
    const qdi_bench_row *other = reference(rows, count);
    fprintf(out, "scene %s, speed %g: %zu bodies, %zu pairs, hash %016llx; %zu steps, %zu times\n",
            rows->scene->name, rows->speed, rows->bodies, rows->pairs, (unsigned long long)rows->hash,
            rows->steps, rows->repeats);
    fprintf(out, "nanoseconds per body and step; x: times as fast as %s\n", other->method->name);
    fprintf(out, "%-14s %7s %9s %9s %9s %7s %9s %9s %9s %8s %7s %7s\n", "method", "threads", "median", "min",
            "mean", "spread", "move", "structure", "pairs", "leavers", "B/body", "x");
    for (size_t i = 0; i < count; ++i) {
        const qdi_bench_row *row = &rows[i];
        char bytes[32] = "-", leavers[32] = "-";
        if (row->bytes_per_body > 0) snprintf(bytes, sizeof bytes, "%.0f", row->bytes_per_body);
        if (row->leavers >= 0) snprintf(leavers, sizeof leavers, "%.2f%%", row->leavers);
        fprintf(out, "%-14s %7d %9.2f %9.2f %9.2f %6.1f%% %9.2f %9.2f %9.2f %8s %7s %7.2f\n",
                row->method->name, row->threads, row->ns.median, row->ns.min, row->ns.mean,
                100.0 * row->ns.spread, row->phases[QDI_BENCH_MOVE], row->phases[QDI_BENCH_STRUCTURE],
                row->phases[QDI_BENCH_PAIRS], leavers, bytes,
                row->ns.median > 0 ? other->ns.median / row->ns.median : 0.0);
    }
}

// Prints the bench's tables, one for each number of bodies.
static void print_bench_tables(FILE *out, const qdi_bench_row *rows, size_t count) {
    for (size_t first = 0; first < count;) {
        size_t size = rows_of_size(rows + first, count - first);
        if (first > 0) fputc('\n', out);
        print_bench_table(out, rows + first, size);
        first += size;
    }
}

/// One line of the sweep: a method's figure for each number of bodies, or a dash where it was left out.
static void print_line(FILE *out, const qdi_bench_row *rows, size_t count, const qdi_bench_method *method,
                       bool bytes) {
    fprintf(out, "%-14s", method->name);
    for (size_t first = 0; first < count;) {
        size_t size = rows_of_size(rows + first, count - first);
        char text[32] = "-";
        for (size_t i = first; i < first + size; ++i) {
            if (rows[i].method != method) continue;
            if (!bytes)
                snprintf(text, sizeof text, "%.2f", rows[i].ns.median);
            else if (rows[i].bytes_per_body > 0)
                snprintf(text, sizeof text, "%.0f", rows[i].bytes_per_body);
        }
        fprintf(out, " %11s", text);
        first += size;
    }
    fputc('\n', out);
}

/// Methods against numbers of bodies: times, then memory.
static void print_sweep(FILE *out, const qdi_bench_row *rows, size_t count) {
    for (int bytes = 0; bytes < 2; ++bytes) {
        fprintf(out, "\n%s\n%-14s", bytes ? "bytes per body" : "nanoseconds per body and step (median)",
                "bodies");
        for (size_t first = 0; first < count; first += rows_of_size(rows + first, count - first))
            fprintf(out, " %11zu", rows[first].bodies);
        fputc('\n', out);
        for (size_t i = 0; i < count; ++i) {
            bool seen = false;
            for (size_t j = 0; j < i; ++j) seen = seen || rows[j].method == rows[i].method;
            if (!seen) print_line(out, rows, count, rows[i].method, bytes != 0);
        }
    }
}

// Prints all of the bench's tables.
static void print_bench_report(FILE *out, const void *report) {
    const qdi_bench_rows *rows = report;
    print_bench_tables(out, rows->rows, rows->count);
    if (rows->count > rows_of_size(rows->rows, rows->count)) print_sweep(out, rows->rows, rows->count);
}

// The name of a phase of a bench's step.
static const char *bench_phase_name(int phase) {
    static const char *const names[QDI_BENCH_PHASES] = {"move", "structure", "pairs"};
    return names[phase];
}

size_t qdi_bench_missed(const qdi_bench_rows *rows, size_t row) {
    const qdi_bench_row *of = &rows->rows[row];
    for (size_t i = 0; of->method->published && i < rows->count; ++i)
        if (rows->rows[i].bodies == of->bodies && !rows->rows[i].method->published)
            return rows->rows[i].pairs - of->pairs;
    return 0;
}

// Writes a row of the bench's CSV or JSON.
static void put_bench_fields(qdi_bench_sheet *sheet, const void *report, size_t number) {
    const qdi_bench_row *row = &((const qdi_bench_rows *)report)->rows[number];
    const char *simd = qdi_bench_has_kernels(row->method) ? qd_simd_name(row->simd) : "none";
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "method", row->method->name);
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "scene", row->scene->name);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "speed", row->speed);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "bodies", row->bodies);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "threads", (uint64_t)row->threads);
    qdi_bench_put_text(sheet, QDI_BENCH_OWN, "simd", simd);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "steps", row->steps);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "repeats", row->repeats);
    qdi_bench_put_statistics(sheet, &row->ns);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "pairs", row->pairs);
    qdi_bench_put_whole(sheet, QDI_BENCH_OWN, "missed", qdi_bench_missed(report, number));
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "tests", row->tests > 0, row->tests);
    qdi_bench_put_hash(sheet, QDI_BENCH_OWN, "hash", row->hash);
    qdi_bench_put_phases(sheet, QDI_BENCH_OWN, bench_phase_name, row->phases, QDI_BENCH_PHASES, true);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "leavers", row->leavers >= 0, row->leavers);
    qdi_bench_put_known(sheet, QDI_BENCH_OWN, "bytes_per_body", row->bytes_per_body > 0, row->bytes_per_body);
}

qdi_bench_results qdi_bench_results_of(const qdi_bench_rows *rows) {
    return (qdi_bench_results){.report = rows,
                               .count = rows->count,
                               .fields = put_bench_fields,
                               .print = print_bench_report,
                               .apart = true};
}
