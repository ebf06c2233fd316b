#include "tools/scale/scale_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Scaling test's table: milliseconds from nanoseconds.
static double to_milliseconds(double ns) {
    return ns / 1e6;
}

/// "0.123", or "-" for NaN.
typedef struct cell {
    char text[24];
} cell;

// A number as a cell of the scaling test's table.
static cell format_cell(const char *format, double value) {
    cell made = {"-"};
    if (isfinite(value)) {
        if (strcmp(format, "%%") == 0)
            snprintf(made.text, sizeof made.text, "%.0f%%", 100 * value);
        else if (strcmp(format, "3") == 0)
            snprintf(made.text, sizeof made.text, "%.3f", value);
        else
            snprintf(made.text, sizeof made.text, "%.2f", value);
    }
    return made;
}

// Prints the row of one configuration in a series of a scaling test.
static void print_series_row(FILE *out, const qdi_scale_report *report, bool strong, uint64_t bodies,
                             size_t n) {
    const qdi_scale_result *result = qdi_scale_member(report, strong, bodies, n);
    qdi_scale_gain gain = qdi_scale_member_gain(report, strong, bodies, n, QDI_SCALE_PHASES);
    const qdi_scale_interval *time = &result->whole.time;
    char threads[16], interval[48], gains[48];
    snprintf(threads, sizeof threads, "%s%d%s", result->taken > QDI_OTHERS_PART ? "~" : "",
             result->config->threads, result->config->beyond ? "*" : "");
    snprintf(interval, sizeof interval, "%.3f-%.3f", to_milliseconds(time->low), to_milliseconds(time->high));
    snprintf(gains, sizeof gains, "%.2f-%.2f", gain.low, gain.high);
    fprintf(out, "%7s %9" PRIu64 " %9.3f %17s %9.3f %9.3f %8.2f %8.2f %11s %6.2f %6s %7s %6.2f %6s\n",
            threads, result->bodies, to_milliseconds(time->median), interval, to_milliseconds(time->least),
            to_milliseconds(result->calm),
            result->body_steps > 0 ? time->median * (double)report->plan->steps / result->body_steps : 0,
            gain.speedup, gains, gain.calm, format_cell("%%", gain.efficiency).text,
            format_cell("3", gain.serial_fraction).text, result->whole.imbalance,
            format_cell("%%", result->taken).text);
}

/// Scaling test's table: milliseconds of each phase, and what each gains.
static void print_phases(FILE *out, const qdi_scale_report *report, bool strong, uint64_t bodies) {
    const qdi_scale_plan *plan = report->plan;
    fprintf(out, "\n%-9s", "phase");
    for (size_t n = 0; n < plan->thread_count; ++n) {
        char heading[32];
        snprintf(heading, sizeof heading, "%d thread%s", plan->threads[n], plan->threads[n] > 1 ? "s" : "");
        fprintf(out, n ? "  | %-33s" : "  %-17s", heading);
    }
    fprintf(out, "\n%-9s", "");
    for (size_t n = 0; n < plan->thread_count; ++n)
        fputs(n ? "  |      ms speed-up  serial imbalance" : "       ms  of step", out);
    fputc('\n', out);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
        fprintf(out, "%-9s", qd_phase_name((qd_phase)phase));
        for (size_t n = 0; n < plan->thread_count; ++n) {
            const qdi_scale_result *result = qdi_scale_member(report, strong, bodies, n);
            const qdi_scale_part *part = &result->phases[phase];
            qdi_scale_gain gain = qdi_scale_member_gain(report, strong, bodies, n, phase);
            if (n == 0)
                fprintf(out, " %8.3f %8s", to_milliseconds(part->time.median),
                        format_cell("%%", part->time.median / result->whole.time.median).text);
            else
                fprintf(out, "  | %8.3f %8s %7s %9.2f", to_milliseconds(part->time.median),
                        format_cell("2", gain.speedup).text, format_cell("3", gain.serial_fraction).text,
                        part->imbalance);
        }
        fputc('\n', out);
    }
}

/// Scaling test's table: where the threads' time went: percent of threads x time.
static void print_shares(FILE *out, const qdi_scale_report *report, bool strong, uint64_t bodies) {
    fprintf(out, "\n%7s %9s %8s %8s %9s   of the threads' time; triad\n", "threads", "busy", "serial",
            "alone", "waiting");
    for (size_t n = 0; n < report->plan->thread_count; ++n) {
        const qdi_scale_result *result = qdi_scale_member(report, strong, bodies, n);
        const qdi_scale_share *share = &result->whole.share;
        double all = share->busy + share->serial + share->alone + share->waiting;
        fprintf(out, "%7d %8.1f%% %7.1f%% %7.1f%% %8.1f%%", result->config->threads, 100 * share->busy / all,
                100 * share->serial / all, 100 * share->alone / all, 100 * share->waiting / all);
        if (result->triad.median > 0)
            fprintf(out, "   %.1f GB/s, %.2f times", result->triad.median / 1e9,
                    result->triad.median / qdi_scale_member(report, strong, bodies, 0)->triad.median);
        fputc('\n', out);
    }
}

// Scaling test's table: prints what a phase, or the whole step, moves, and how much of the triad that is.
static void print_moved(FILE *out, const qdi_scale_result *result, const qdi_scale_part *part) {
    const double bandwidth = qdi_scale_bandwidth(part), triad = result->triad.median;
    fprintf(out, "  | %9.3f %8.2f %8s", (part->reads + part->writes) / 1e6, bandwidth / 1e9,
            format_cell("%%", triad > 0 ? bandwidth / triad : (double)NAN).text);
}

/// Scaling test's table: bytes that each phase moves, at least, beside what a triad moves.
static void print_traffic(FILE *out, const qdi_scale_report *report, bool strong, uint64_t bodies) {
    const qdi_scale_plan *plan = report->plan;
    fprintf(out, "\n%-9s", "moved");
    for (size_t n = 0; n < plan->thread_count; ++n) {
        char heading[32];
        snprintf(heading, sizeof heading, "%d thread%s", plan->threads[n], plan->threads[n] > 1 ? "s" : "");
        fprintf(out, "  | %-27s", heading);
    }
    fprintf(out, "\n%-9s", "");
    for (size_t n = 0; n < plan->thread_count; ++n) fputs("  |   MB/step     GB/s of triad", out);
    fputc('\n', out);
    for (size_t phase = 0; phase <= QDI_SCALE_PHASES; ++phase) {
        const bool whole = phase == QDI_SCALE_PHASES;
        fprintf(out, "%-9s", whole ? "step" : qd_phase_name((qd_phase)phase));
        for (size_t n = 0; n < plan->thread_count; ++n) {
            const qdi_scale_result *result = qdi_scale_member(report, strong, bodies, n);
            print_moved(out, result, whole ? &result->whole : &result->phases[phase]);
        }
        fputc('\n', out);
    }
}

/// Scaling test's table: what the processor counted, per body and step; nothing where it counted nothing.
static void print_counts(FILE *out, const qdi_scale_report *report, bool strong, uint64_t bodies) {
    bool any = false;
    for (size_t n = 0; n < report->plan->thread_count; ++n)
        for (int i = 0; i < QDI_COUNTERS; ++i)
            any = any || qdi_scale_member(report, strong, bodies, n)->counts.known[i];
    if (!any) return;
    fprintf(out, "\n%7s %9s %12s %9s %12s   counted per body and step, all threads together\n", "threads",
            "cycles", "instructions", "per cycle", "cache misses");
    for (size_t n = 0; n < report->plan->thread_count; ++n) {
        const qdi_scale_result *result = qdi_scale_member(report, strong, bodies, n);
        double each[QDI_COUNTERS];
        for (int i = 0; i < QDI_COUNTERS; ++i)
            each[i] = result->counts.known[i] && result->bodies > 0
                          ? result->counts.value[i] / (double)result->bodies
                          : (double)NAN;
        fprintf(out, "%7d %9s %12s %9s %12s\n", result->config->threads,
                format_cell("2", each[QDI_COUNTER_CYCLES]).text,
                format_cell("2", each[QDI_COUNTER_INSTRUCTIONS]).text,
                format_cell("2", each[QDI_COUNTER_INSTRUCTIONS] / each[QDI_COUNTER_CYCLES]).text,
                format_cell("3", each[QDI_COUNTER_CACHE_MISSES]).text);
    }
}

// Scaling test's table: prints the time of each thread in each phase.
static void print_thread_times(FILE *out, const qdi_scale_result *result) {
    fprintf(out, "\nmilliseconds per step of each of %d threads\n%-9s", result->config->threads, "phase");
    size_t threads = (size_t)result->config->threads;
    if (threads > QDI_SCALE_CLOCKED) threads = QDI_SCALE_CLOCKED;
    for (size_t k = 0; k < threads; ++k) fprintf(out, " %7zu", k);
    fputc('\n', out);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
        fprintf(out, "%-9s", qd_phase_name((qd_phase)phase));
        for (size_t k = 0; k < threads; ++k)
            fprintf(out, " %7.3f", to_milliseconds(result->phases[phase].busy[k]));
        fputc('\n', out);
    }
}

// Prints the table of one series of a scaling test.
static void print_scale_series(FILE *out, const qdi_scale_report *report, bool strong, uint64_t bodies,
                               bool every_thread) {
    const qdi_scale_plan *plan = report->plan;
    const qdi_scale_result *base = qdi_scale_member(report, strong, bodies, 0);
    if (strong)
        fprintf(out, "strong scaling of %s: %" PRIu64 " bodies", report->scene, bodies);
    else
        fprintf(out, "weak scaling of %s: %" PRIu64 " bodies for each thread", report->scene, bodies);
    if (plan->rank_threads > 0)
        fprintf(out, "; ranks of %d thread%s each", plan->rank_threads, plan->rank_threads > 1 ? "s" : "");
    fprintf(out, "; %zu steps after %zu, %zu times", plan->steps, plan->dropped, plan->repeats);
    fprintf(out, "; state %016" PRIx64 "%s\n", base->hash,
            qdi_scale_unreliable(report).text[0] ? "; NOT RELIABLE" : "");
    fprintf(out, "%7s %9s %9s %17s %9s %9s %8s %8s %11s %6s %6s %7s %6s %6s\n", "threads", "bodies",
            "ms/step", "interval", "least", "calm", "ns/body", "speed-up", "interval", "calm", "effic.",
            "serial", "imbal.", "taken");
    for (size_t n = 0; n < plan->thread_count; ++n) print_series_row(out, report, strong, bodies, n);
    print_phases(out, report, strong, bodies);
    print_shares(out, report, strong, bodies);
    if (plan->rank_threads == 0) print_traffic(out, report, strong, bodies);
    print_counts(out, report, strong, bodies);
    for (size_t n = 0; every_thread && n < plan->thread_count; ++n)
        print_thread_times(out, qdi_scale_member(report, strong, bodies, n));
    fputc('\n', out);
    const qdi_scale_result *largest = qdi_scale_largest(report, strong, bodies);
    char text[512];
    qdi_scale_conclude(report, strong, bodies, largest, text, sizeof text);
    if (text[0]) fprintf(out, "%s\n", text);
    if (!largest) return;
    qdi_scale_advice(largest, text, sizeof text);
    if (text[0]) fprintf(out, "%s\n", text);
}

void qdi_scale_print(FILE *out, const qdi_scale_report *report, bool every_thread) {
    const qdi_scale_plan *plan = report->plan;
    for (size_t b = 0; b < plan->bodies_count; ++b) {
        if (b > 0) fputc('\n', out);
        print_scale_series(out, report, true, plan->bodies[b], every_thread);
    }
    for (size_t b = 0; plan->weak && b < plan->bodies_count; ++b) {
        fputc('\n', out);
        print_scale_series(out, report, false, plan->bodies[b], every_thread);
    }
    fprintf(out, "\nintervals: the median is in them with a probability of %.3g %% or more",
            100 * report->results[0].whole.time.level);
    if (qdi_scale_unreliable(report).text[0])
        fprintf(out, "; ~: other programs had the processors for more than %.0f %% of the threads' time",
                100 * QDI_OTHERS_PART);
    if (plan->threads[plan->thread_count - 1] > plan->available)
        fprintf(out, "; *: more threads than can run at once here (%d)", plan->available);
    if (plan->threads[0] != 1)
        fprintf(out, "; everything is compared with %d threads, since 1 is not in the list",
                plan->threads[0]);
    fputc('\n', out);
}
