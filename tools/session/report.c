#include "tools/session/report.h"

#include "tools/host/console.h"

#include <inttypes.h>

/// Threads that the profile has a clock for.
enum { CLOCKED_THREADS = 64 };

// Prints the row of a phase in the report at the end of a run.
static void print_phase_row(FILE *out, const char *name, const qdi_result *result, uint64_t ns) {
    double seconds = (double)ns * 1e-9;
    double percent = result->wall_ns > 0 ? 100.0 * (double)ns / (double)result->wall_ns : 0;
    fprintf(out, "%-10s %10.3f %6.1f %14.2f\n", name, seconds, percent,
            qdi_result_ns_per_body_step(result, ns));
}

/// Report of a run: one row per phase, then what lies between them.
static void print_phases(FILE *out, const qdi_result *result) {
    uint64_t sum = 0;
    fprintf(out, "%-10s %10s %6s %14s\n", "phase", "seconds", "%", "ns/body-step");
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        print_phase_row(out, qd_phase_name((qd_phase)phase), result, result->profile.wall_ns[phase]);
        sum += result->profile.wall_ns[phase];
    }
    print_phase_row(out, "other", result, result->wall_ns > sum ? result->wall_ns - sum : 0);
    print_phase_row(out, "total", result, result->wall_ns);
}

// Prints busy times of threads in the report at the end of a run.
static void print_thread_row(FILE *out, const qdi_result *result) {
    int threads = result->threads < CLOCKED_THREADS ? result->threads : CLOCKED_THREADS;
    fprintf(out, "busy seconds of each thread, and the busiest thread's over the mean:\n");
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        uint64_t sum = 0, most = 0;
        for (int thread = 0; thread < threads; ++thread) {
            uint64_t busy = result->profile.busy_ns[phase][thread];
            sum += busy;
            if (busy > most) most = busy;
        }
        if (sum == 0) continue;
        fprintf(out, "%-10s", qd_phase_name((qd_phase)phase));
        for (int thread = 0; thread < threads; ++thread)
            fprintf(out, " %.3f", (double)result->profile.busy_ns[phase][thread] * 1e-9);
        fprintf(out, "  (%.2f)\n", (double)most * threads / (double)sum);
    }
}

// Prints what the tree did in the report at the end of a run.
static void print_tree_row(FILE *out, const qdi_result *result, const qd_world *world) {
    qd_tree_stats stats = qd_tree_statistics(qd_world_tree(world));
    const qd_world_totals *totals = &result->totals;
    fprintf(out,
            "tree: %" PRIu64 " nodes, %" PRIu64 " leaves, levels %d to %d, longest list %" PRIu64 ", %" PRIu64
            " bodies outside the root, %.1f bytes per body\n",
            stats.nodes, stats.leaves, stats.root_level, stats.deepest_level, stats.largest_list,
            stats.outside, stats.bodies > 0 ? (double)stats.bytes / (double)stats.bodies : 0);
    fprintf(out,
            "refresh: %" PRIu64 " bodies in place, %" PRIu64 " re-filed, %" PRIu64 " splits, %" PRIu64
            " merges\n",
            totals->refresh_in_place, totals->refresh_refiled, totals->splits, totals->merges);
}

// Prints which rule ended a run, and how long each of its stages was.
static void print_end(FILE *out, const qdi_result *result) {
    for (size_t k = 0; k < result->stage_count; ++k) {
        const qdi_result_stage *stage = &result->stages[k];
        fprintf(out, "stage %s: steps %" PRIu64 " to %" PRIu64 ", ended by %s\n", stage->name,
                stage->after + 1, stage->after + stage->steps, stage->ended_by);
    }
    if (result->ended_by > 0 && result->ended_stage)
        fprintf(out, "ended at step %" PRIu64 " with its last stage: %s\n", result->steps,
                result->ended_words);
    else if (result->ended_by > 0)
        fprintf(out, "ended at step %" PRIu64 " by run.until.%" PRIu64 ": %s\n", result->steps,
                result->ended_by - 1, result->ended_words);
    else if (result->has_rules)
        fprintf(out, "ended at step %" PRIu64 ", the last: no rule of %s held\n", result->steps,
                result->stage_count > 0 ? "the last stage" : "run.until");
}

// Prints how many bodies were stepped: in a run in which they come and go, how many on average.
static void print_bodies(FILE *out, const qdi_result *result) {
    const qd_profile *profile = &result->profile;
    if (profile->body_steps == profile->steps * result->bodies)
        fprintf(out, "%" PRIu64 " bodies", result->bodies);
    else
        fprintf(out, "%.4g bodies on average (%" PRIu64 " at the end)",
                (double)profile->body_steps / (double)profile->steps, result->bodies);
}

void qdi_report_print(FILE *out, const qdi_result *result, const qd_world *world, const char *directory,
                      bool verbose) {
    double seconds = (double)result->wall_ns * 1e-9;
    fprintf(out, "\n");
    print_phases(out, result);
    if (verbose) print_thread_row(out, result);
    fprintf(out, "\n%" PRIu64 " steps of ", result->steps);
    print_bodies(out, result);
    fprintf(out, " in %.3g s: %s steps/s, %s body-steps/s\n", seconds,
            qdi_words_count((double)result->steps / seconds).text,
            qdi_words_count((double)result->profile.body_steps / seconds).text);
    if (result->threads_used < result->threads)
        fprintf(out, "threads: %d of %d at the end, with which steps are faster than with more\n",
                result->threads_used, result->threads);
    print_end(out, result);
    fprintf(out,
            "contacts: %" PRIu64 " over all steps, %" PRIu64 " at the end; %" PRIu64 " began, %" PRIu64
            " ended\n",
            result->totals.contacts, result->contacts, result->totals.begins, result->totals.ends);
    fprintf(out, "energy: %.9g at the start, %.9g at the end; balance error %.3g %%\n", result->energy_first,
            result->energy_last, 100 * result->balance_error);
    if (verbose && result->ranks == 0) print_tree_row(out, result, world); // ranks do not know it
    if (verbose)
        fprintf(out, "memory: %s bytes at most\n", qdi_words_count((double)result->peak_memory).text);
    fprintf(out, "state hash: %016" PRIx64 "\n", result->state_hash);
    if (result->frames > 0 && result->frames_are_files)
        fprintf(out, "frames: %" PRIu64 " in %s/frames\n", result->frames, directory);
    fprintf(out, "result: %s/result.json\n", directory);
}
