#include "tools/bench/ladder.h"

const char qdi_ladder_methods[] =
    "brute,published-a,lineage-a,lineage-b,lineage-c,lineage-e,rebuild,each,quadtree,margin";
const char qdi_ladder_bodies[] = "2e3,1e5";
// The fastest of the bodies go a twentieth of their diameter in a step, as in a game of 60 frames per second.
const char qdi_ladder_speed[] = "0.1";

/// Bench's ladder: tests, or a dash where they are not known.
static void print_row(FILE *out, const qdi_bench_row *row, const qdi_bench_row *first, size_t missed) {
    char tests[32] = "-";
    if (row->tests > 0) snprintf(tests, sizeof tests, row->tests < 1000 ? "%.1f" : "%.0f", row->tests);
    fprintf(out, "%-14s %11s %9zu %9zu %11.1f %9.1f  %s\n", row->method->name, tests, row->pairs, missed,
            row->ns.mean, row->ns.mean > 0 ? first->ns.mean / row->ns.mean : 0.0, row->method->about);
}

// Prints the table of the bench's ladder of ideas.
static void print_ladder(FILE *out, const void *report) {
    const qdi_bench_rows *rows = report;
    const qdi_bench_row *first = NULL;
    for (size_t i = 0; i < rows->count; ++i) {
        const qdi_bench_row *row = &rows->rows[i];
        if (!first || row->bodies != first->bodies) {
            if (first) fputc('\n', out);
            first = row;
            fprintf(out, "scene %s, speed %g: %zu bodies; per body and step, mean; x: times as fast as %s\n",
                    row->scene->name, row->speed, row->bodies, row->method->name);
            fprintf(out, "%-14s %11s %9s %9s %11s %9s\n", "method", "tests", "pairs", "missed", "ns", "x");
        }
        print_row(out, row, first, qdi_bench_missed(rows, i));
    }
}

qdi_bench_results qdi_ladder_results_of(const qdi_bench_rows *rows) {
    qdi_bench_results results = qdi_bench_results_of(rows);
    results.print = print_ladder;
    return results;
}

/// Writes gnuplot's bars of one column of the ladder's table, a block for each number of bodies.
static void put_bars(FILE *out, const qdi_bench_row *rows, size_t count, int column, const char *label) {
    size_t block = 0;
    fprintf(out, "set ylabel '%s'\nplot ", label);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0 && rows[i].bodies == rows[i - 1].bodies) continue;
        fprintf(out, "%s$d%zu using ($%d > 0 ? $%d : NaN):xtic(1) title '%zu bodies'", block ? ", " : "",
                block, column, column, rows[i].bodies);
        block += 1;
    }
    fputc('\n', out);
}

void qdi_ladder_write_plot(FILE *out, const qdi_bench_row *rows, size_t count) {
    size_t blocks = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || rows[i].bodies != rows[i - 1].bodies) fprintf(out, "$d%zu << END\n", blocks++);
        fprintf(out, "%s %.6g %.6g\n", rows[i].method->name, rows[i].tests, rows[i].ns.mean);
        if (i + 1 == count || rows[i].bodies != rows[i + 1].bodies) fputs("END\n", out);
    }
    fputs("set terminal pngcairo size 1280,560\nset grid ytics\nset style data histograms\nset style fill "
          "solid\n"
          "set logscale y\nset format y '10^{%L}'\nset xtics rotate by -40\nset key top right\nset multiplot "
          "layout 1,2\n",
          out);
    put_bars(out, rows, count, 2, "tests of two boxes per body and step");
    put_bars(out, rows, count, 3, "ns per body and step");
    fputs("unset multiplot\n", out);
}
