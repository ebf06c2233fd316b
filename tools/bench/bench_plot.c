#include "tools/bench/output.h"

/// Bench's plot: a text in gnuplot's single quotes, those in it doubled.
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; ++text) {
        if (*text == '\'') fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

// Whether a row is the first of its method in the bench's plot.
static bool is_first_of_method(const qdi_bench_row *rows, size_t i) {
    for (size_t j = 0; j < i; ++j)
        if (rows[j].method == rows[i].method) return false;
    return true;
}

/// A block of data per method, named d0, d1, ...
static size_t put_data(FILE *out, const qdi_bench_row *rows, size_t count) {
    size_t methods = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!is_first_of_method(rows, i)) continue;
        fprintf(out, "$d%zu << END\n", methods++);
        for (size_t j = i; j < count; ++j)
            if (rows[j].method == rows[i].method)
                fprintf(out, "%zu %.6g %.6g\n", rows[j].bodies, rows[j].ns.median, rows[j].bytes_per_body);
        fputs("END\n", out);
    }
    return methods;
}

/// One line per method, of the data's column `column`.
static void put_lines(FILE *out, const qdi_bench_row *rows, size_t count, int column) {
    size_t method = 0;
    fputs("plot ", out);
    for (size_t i = 0; i < count; ++i) {
        if (!is_first_of_method(rows, i)) continue;
        fprintf(out, "%s$d%zu using 1:($%d > 0 ? $%d : NaN) with linespoints linewidth 2 title ",
                method ? ", " : "", method, column, column);
        put_quoted(out, rows[i].method->name);
        method += 1;
    }
    fputc('\n', out);
}

// Plots the bench's times against the number of bodies.
static void plot_sizes(FILE *out, const qdi_bench_row *rows, size_t count) {
    put_data(out, rows, count);
    fputs("set multiplot layout 1,2\nset logscale xy\nset xlabel 'bodies'\nset key below\n"
          "set format x '10^{%L}'\nset ylabel 'ns per body and step'\n",
          out);
    put_lines(out, rows, count, 2);
    fputs("set ylabel 'bytes per body'\n", out);
    put_lines(out, rows, count, 3);
    fputs("unset multiplot\n", out);
}

// Plots the bench's times at one number of bodies as bars.
static void plot_bars(FILE *out, const qdi_bench_row *rows, size_t count) {
    fputs("$d << END\n", out);
    for (size_t i = 0; i < count; ++i)
        fprintf(out, "%s %.6g %.6g %.6g\n", rows[i].method->name, rows[i].phases[QDI_BENCH_MOVE],
                rows[i].phases[QDI_BENCH_STRUCTURE], rows[i].phases[QDI_BENCH_PAIRS]);
    fputs("END\nset style data histograms\nset style histogram rowstacked\nset style fill solid\n"
          "set boxwidth 0.7\nset ylabel 'ns per body and step'\nset yrange [0:*]\nset key below\n"
          "plot $d using 2:xtic(1) title 'move', '' using 3 title 'structure', '' using 4 title 'pairs'\n",
          out);
}

void qdi_bench_write_plot(FILE *out, const qdi_bench_row *rows, size_t count) {
    bool sweep = false;
    for (size_t i = 1; i < count; ++i) sweep = sweep || rows[i].bodies != rows[0].bodies;
    fputs("set terminal pngcairo size 1280,640\nset grid\n", out);
    fprintf(out, "set title 'scene %s, threads: %d'\n", rows->scene->name, rows->threads);
    if (sweep)
        plot_sizes(out, rows, count);
    else
        plot_bars(out, rows, count);
}
