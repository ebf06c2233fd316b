#include "tools/scale/scale_report.h"

#include <inttypes.h>

/// Colours that the colour-blind can tell apart (Okabe and Ito), for lines and for phases.
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#8C6D1F"};
enum { COLOURS = sizeof colours / sizeof colours[0], WIDTH = 1000, HEIGHT = 680 };

const char *qdi_scale_picture_name(qdi_scale_picture picture) {
    static const char *const names[QDI_SCALE_PICTURES] = {"time", "speedup", "efficiency", "phases", "weak"};
    return names[picture];
}

bool qdi_scale_picture_there(const qdi_scale_report *report, qdi_scale_picture picture) {
    if (picture == QDI_SCALE_STACK || picture == QDI_SCALE_TIME) return true;
    return report->plan->thread_count > 1 && (picture != QDI_SCALE_WEAK || report->plan->weak);
}

/// Blocks $s0, $s1, ... one for each number of bodies: threads, ms and its interval, speed-up and its
/// interval, efficiency and its interval.
static void put_data(FILE *out, const qdi_scale_report *report, bool strong) {
    const qdi_scale_plan *plan = report->plan;
    for (size_t b = 0; b < plan->bodies_count; ++b) {
        fprintf(out, "$s%zu << END\n", b);
        for (size_t n = 0; n < plan->thread_count; ++n) {
            const qdi_scale_result *result = qdi_scale_member(report, strong, plan->bodies[b], n);
            const qdi_scale_interval *time = &result->whole.time;
            qdi_scale_gain gain = qdi_scale_member_gain(report, strong, plan->bodies[b], n, QDI_SCALE_PHASES);
            double each = (double)plan->threads[0] / plan->threads[n];
            fprintf(out, "%d %.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g\n", plan->threads[n],
                    time->median / 1e6, time->low / 1e6, time->high / 1e6, gain.speedup, gain.low, gain.high,
                    100 * gain.efficiency, 100 * gain.low * each, 100 * gain.high * each);
        }
        fputs("END\n", out);
    }
}

// Begins a plot of a scaling test.
static void put_plot_head(FILE *out, const qdi_scale_report *report, int width, const char *what) {
    const qdi_scale_plan *plan = report->plan;
    fprintf(out, "set terminal pngcairo size %d,%d font ',13' background '#ffffff'\n", width, HEIGHT);
    fprintf(out, "set title \"%s of %s%s\\n{/*0.75 median of %zu runs of %zu steps; quadrille %s, ", what,
            report->scene, qdi_scale_unreliable(report).text[0] ? " (not reliable)" : "", plan->repeats,
            plan->steps, QD_VERSION);
    for (const char *c = report->origin.cpu; *c; ++c) // what gnuplot would read as markup
        if (*c != '"' && *c != '\\' && *c != '_' && *c != '^' && *c != '{' && *c != '}' && *c != '@')
            fputc(*c, out);
    fputs("}\"\nset border 3 linecolor '#404040'\nset tics nomirror\nset grid linecolor '#d8d8d8'\n"
          "set key outside bottom center horizontal height 1.5\nset bmargin 6.5\n",
          out);
}

/// Scaling test's plot: the axis of threads, with a tic for each number that was measured, and what is beyond
/// the machine in grey.
static void put_threads(FILE *out, const qdi_scale_plan *plan, bool ratio_axis) {
    int first = plan->threads[0], last = plan->threads[plan->thread_count - 1];
    if (ratio_axis) fputs("set logscale x 2\n", out);
    fputs("set xlabel 'threads'\nset xtics (", out);
    for (size_t n = 0; n < plan->thread_count; ++n) fprintf(out, "%s%d", n ? "," : "", plan->threads[n]);
    fprintf(out, ")\nset xrange [%g:%g]\n", ratio_axis ? first * .9 : first - .2,
            ratio_axis ? last * 1.1 : last + .2);
    if (last <= plan->available) return;
    double edge = plan->available < first ? first * .9 : plan->available;
    fprintf(out,
            "set object 1 rectangle from first %g, graph 0 to graph 1, graph 1 back "
            "fillcolor rgb '#ececec' fillstyle solid noborder\n",
            edge);
    fputs("set label 1 'more threads than can run at once' at graph 0.98, graph 0.97 right textcolor rgb "
          "'#606060'\n",
          out);
}

/// Scaling test's plot: a line and its band for each number of bodies, of column `column` with its interval
/// in the next two.
static void put_lines(FILE *out, const qdi_scale_plan *plan, int column, const char *unit) {
    for (size_t b = 0; b < plan->bodies_count; ++b)
        fprintf(out,
                ", $s%zu using 1:%d:%d with filledcurves fillcolor rgb '%s' fillstyle transparent solid 0.18 "
                "notitle",
                b, column + 1, column + 2, colours[b % COLOURS]);
    for (size_t b = 0; b < plan->bodies_count; ++b)
        fprintf(out,
                ", $s%zu using 1:%d with linespoints linewidth 2.5 pointtype 7 pointsize 1.2 linecolor rgb "
                "'%s' title '%" PRIu64 " bodies%s'",
                b, column, colours[b % COLOURS], plan->bodies[b], unit);
    fputc('\n', out);
}

// Whether the threads of a scaling test span so much that its axis is logarithmic.
static bool spans_wide_range(const qdi_scale_plan *plan) {
    return plan->threads[plan->thread_count - 1] >= 8 * plan->threads[0];
}

// Plots time per step against threads.
static void plot_scale_time(FILE *out, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    put_plot_head(out, report, WIDTH, "Time per step");
    put_data(out, report, true);
    put_threads(out, plan, true);
    fputs("set logscale y\nset ylabel 'milliseconds per step'\nset format y '%g'\n"
          "set mytics 10\nset grid ytics mytics\nplot NaN notitle",
          out);
    for (size_t b = 0; b < plan->bodies_count; ++b)
        fprintf(out,
                ", $s%zu every ::0::0 using 1:2:(%d):(-$2*(1-%.6g)) with vectors nohead dashtype 2 "
                "linewidth 1.5 linecolor rgb '#606060' %s",
                b, plan->threads[plan->thread_count - 1] - plan->threads[0],
                (double)plan->threads[0] / plan->threads[plan->thread_count - 1],
                b == 0 ? "title 'ideal'" : "notitle");
    put_lines(out, plan, 2, "");
}

// Plots speed-up against threads, with the ideal line.
static void plot_scale_speedup(FILE *out, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    bool wide = spans_wide_range(plan);
    int first = plan->threads[0];
    put_plot_head(out, report, WIDTH, "Speed-up");
    put_data(out, report, true);
    put_threads(out, plan, wide);
    if (wide) fputs("set logscale y 2\n", out);
    fprintf(out, "set ylabel 'times as fast as %d thread%s'\n", first, first > 1 ? "s" : "");
    fprintf(out, "plot x/%d. with lines dashtype 2 linewidth 1.5 linecolor rgb '#606060' title 'ideal'",
            first);
    put_lines(out, plan, 5, "");
}

// Plots speed-up over the ideal one against threads.
static void plot_scale_efficiency(FILE *out, const qdi_scale_report *report) {
    put_plot_head(out, report, WIDTH, "Efficiency");
    put_data(out, report, true);
    put_threads(out, report->plan, spans_wide_range(report->plan));
    fputs("set ylabel 'speed-up over ideal, per cent'\nset yrange [0:*<120]\n"
          "plot 100 with lines dashtype 2 linewidth 1.5 linecolor rgb '#606060' title 'ideal'",
          out);
    put_lines(out, report->plan, 8, "");
}

// Plots the weak series of a scaling test.
static void plot_weak_scaling(FILE *out, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    put_plot_head(out, report, WIDTH, "Weak scaling");
    put_data(out, report, false);
    put_threads(out, plan, spans_wide_range(plan));
    fputs("set ylabel 'milliseconds per step'\nset yrange [0:*]\nplot NaN notitle", out);
    for (size_t b = 0; b < plan->bodies_count; ++b) {
        const qdi_scale_result *base = qdi_scale_member(report, false, plan->bodies[b], 0);
        fprintf(out, ", %.6g with lines dashtype 2 linewidth 1.5 linecolor rgb '#606060' %s",
                base->whole.time.median / 1e6, b == 0 ? "title 'ideal'" : "notitle");
    }
    put_lines(out, plan, 2, " per thread");
}

/// Scaling test's plot: of the largest number of bodies: the phases of a step, and beside them where the
/// threads' time goes.
static void plot_stack(FILE *out, const qdi_scale_report *report) {
    const qdi_scale_plan *plan = report->plan;
    uint64_t bodies = plan->bodies[plan->bodies_count - 1];
    put_plot_head(out, report, 2 * WIDTH * 7 / 10, "Phases");
    fputs("$phases << END\n", out);
    for (size_t n = 0; n < plan->thread_count; ++n) {
        const qdi_scale_result *result = qdi_scale_member(report, true, bodies, n);
        const qdi_scale_share *share = &result->whole.share;
        double all = (share->busy + share->serial + share->alone + share->waiting) / 100;
        fprintf(out, "%d%s", plan->threads[n], result->config->beyond ? "*" : "");
        for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
            fprintf(out, " %.6g", result->phases[phase].time.median / 1e6);
        fprintf(out, " %.6g %.6g %.6g %.6g\n", share->busy / all, share->serial / all, share->alone / all,
                share->waiting / all);
    }
    fprintf(out,
            "END\nset multiplot layout 1,2\nset style data histograms\nset style histogram rowstacked\n"
            "set style fill solid 0.9 border lc rgb '#ffffff'\nset boxwidth 0.7\nset xlabel 'threads'\n"
            "set yrange [0:*]\nset ylabel 'milliseconds per step, %" PRIu64 " bodies'\nplot ",
            bodies);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        fprintf(out, "%s$phases using %zu%s linecolor rgb '%s' title '%s'", phase ? ", " : "", phase + 2,
                phase ? "" : ":xtic(1)", colours[phase % COLOURS], qd_phase_name((qd_phase)phase));
    static const char *const shares[] = {"busy", "serial", "alone", "waiting"};
    static const char *const shades[] = {"#009E73", "#D55E00", "#E69F00", "#b0b0b0"};
    fputs("\nset title \"Where the threads' time goes\\n{/*0.75 mean of the same runs}\"\nset yrange "
          "[0:100]\nset ylabel \"per cent of the threads' time\"\nplot ",
          out);
    for (size_t i = 0; i < 4; ++i)
        fprintf(out, "%s$phases using %zu%s linecolor rgb '%s' title '%s'", i ? ", " : "",
                i + 2 + QDI_SCALE_PHASES, i ? "" : ":xtic(1)", shades[i], shares[i]);
    fputs("\nunset multiplot\n", out);
}

void qdi_scale_plot(FILE *out, const qdi_scale_report *report, qdi_scale_picture picture) {
    switch (picture) {
    case QDI_SCALE_TIME: plot_scale_time(out, report); break;
    case QDI_SCALE_SPEEDUP: plot_scale_speedup(out, report); break;
    case QDI_SCALE_EFFICIENCY: plot_scale_efficiency(out, report); break;
    case QDI_SCALE_STACK: plot_stack(out, report); break;
    case QDI_SCALE_WEAK: plot_weak_scaling(out, report); break;
    case QDI_SCALE_PICTURES: break;
    }
}
