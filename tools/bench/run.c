#include "tools/bench/run.h"

#include "core/base/memory.h"
#include "tools/bench/measure.h"

#include <inttypes.h>
#include <quadrille/hash.h>
#include <stdio.h>
#include <string.h>

/// Sets of times of each method: whole steps, then phases.
enum { SETS = 1 + QDI_BENCH_PHASES };

enum { USE_ORDER = 100 }; ///< of random numbers; the scenes have the small ones

typedef struct bench_run {
    const qdi_bench_plan *plan;
    qdi_bench_row *rows;
    const qdi_bench_bodies *bodies;
    double *samples;                      ///< by method, set, step of all repeats
    size_t taken[QDI_BENCH_MOST_METHODS]; ///< steps that were measured
} bench_run;

// The samples of a pair-finding method.
static double *bench_samples(const bench_run *run, size_t method, size_t set) {
    return run->samples + (method * SETS + set) * run->plan->repeats * run->plan->steps;
}

uint64_t qdi_bench_pairs_hash(const qdi_bench_step *step) {
    uint64_t sum = 0;
    const unsigned char *pair = step->pairs;
    for (size_t i = 0; i < step->pair_count; ++i, pair += step->pair_stride) {
        uint32_t ends[2];
        memcpy(ends, pair, sizeof ends);
        bool ordered = ends[0] < ends[1];
        sum += qd_hash_mix(ends[!ordered], ends[ordered]);
    }
    return sum;
}

/// Bench: writes down what a step found. `last`: of the repeat.
static void note_found(const bench_run *run, const qdi_bench_step *step, bool first, bool last,
                       qdi_bench_row *found) {
    found->bytes_per_body = (double)step->bytes / (double)run->plan->bodies;
    if (run->plan->patience_ns && !first) return;
    found->all_pairs += step->pair_count;
    found->pairs = step->pair_count;
    if (first || last) found->hash = qd_hash_mix(found->hash, qdi_bench_pairs_hash(step));
}

/// Bench: writes down what a step took, and returns it.
static uint64_t note_times(bench_run *run, size_t method, const qdi_bench_step *step, bool counts) {
    uint64_t whole = 0;
    for (size_t phase = 0; phase < QDI_BENCH_PHASES; ++phase) whole += step->ns[phase];
    if (!counts) return whole;
    size_t place = run->taken[method]++;
    bench_samples(run, method, 0)[place] = (double)whole;
    for (size_t phase = 0; phase < QDI_BENCH_PHASES; ++phase)
        bench_samples(run, method, 1 + phase)[place] = (double)step->ns[phase];
    return whole;
}

/// What the steps of a repeat add up to.
typedef struct run_sums {
    uint64_t refiled, tests, spent_ns;
    size_t counted;
    bool refiled_known, late;
} run_sums;

/// Bench: step number `k` of a repeat.
static qd_status run_step(bench_run *run, size_t method, void *state, size_t k, run_sums *sums,
                          qdi_bench_row *found) {
    const qdi_bench_plan *plan = run->plan;
    qdi_bench_step step;
    memset(&step, 0, sizeof step);
    qd_status status = plan->methods[method]->step(state, &step);
    if (status != QD_OK) return status;
    const bool counts = k >= QDI_BENCH_DROPPED || sums->late;
    note_found(run, &step, k == 0, k + 1 == QDI_BENCH_DROPPED + plan->steps, found);
    sums->spent_ns += note_times(run, method, &step, counts);
    sums->late = plan->patience_ns && sums->spent_ns > plan->patience_ns;
    if (!counts) return QD_OK;
    sums->counted += 1;
    sums->tests += step.tests;
    sums->refiled += step.refiled;
    sums->refiled_known = sums->refiled_known && step.refiled_known;
    return QD_OK;
}

/// Runs one method once, and writes its times and what it found.
static qd_status run_once(bench_run *run, size_t method, void *state, qdi_bench_row *found, bool *stopped) {
    const qdi_bench_plan *plan = run->plan;
    run_sums sums = {.refiled_known = true};
    for (size_t k = 0; k < QDI_BENCH_DROPPED + plan->steps; ++k) {
        // Where patience is at an end, only the progress goes on.
        const bool over = sums.late && sums.counted > 0;
        qd_status status = over ? QD_OK : run_step(run, method, state, k, &sums, found);
        if (status != QD_OK) return status;
        if (plan->tick && !plan->tick(plan->context)) {
            *stopped = true;
            return QD_OK;
        }
    }
    found->steps = sums.counted;
    const double chances = (double)sums.counted * (double)plan->bodies;
    found->tests = (double)sums.tests / chances;
    found->leavers = sums.refiled_known ? 100.0 * (double)sums.refiled / chances : -1.0;
    return QD_OK;
}

// Measures a pair-finding method once.
static qd_status run_bench_method(void *context, size_t method, size_t repeat, bool *stopped) {
    bench_run *run = context;
    const qdi_bench_plan *plan = run->plan;
    const qdi_bench_method *tested = plan->methods[method];
    qdi_bench_row found;
    memset(&found, 0, sizeof found);
    found.method = tested;
    found.scene = plan->scene;
    found.speed = plan->speed;
    found.bodies = plan->bodies;
    found.threads = tested->parallel ? plan->threads : 1;
    found.simd = plan->simd;
    found.steps = plan->steps;
    found.repeats = plan->repeats;
    found.steady = true;
    const qdi_bench_options options = {plan->threads, (int)plan->simd, plan->margin, 0, plan->pin};
    void *state = NULL;
    qd_status status = tested->create(run->bodies, &options, &state);
    if (status != QD_OK) return status;
    status = run_once(run, method, state, &found, stopped);
    tested->destroy(state);
    if (status != QD_OK || *stopped) return status;
    qdi_bench_row *row = &run->rows[method];
    if (repeat == 0)
        *row = found;
    else if (row->pairs != found.pairs || row->all_pairs != found.all_pairs || row->hash != found.hash)
        row->steady = false;
    return QD_OK;
}

/// Bench: times become figures.
static void evaluate(const bench_run *run) {
    const qdi_bench_plan *plan = run->plan;
    for (size_t method = 0; method < plan->method_count; ++method) {
        qdi_bench_row *row = &run->rows[method];
        const size_t count = run->taken[method];
        row->ns = qdi_statistics_per(bench_samples(run, method, 0), count, plan->bodies);
        for (size_t phase = 0; phase < QDI_BENCH_PHASES; ++phase)
            row->phases[phase] =
                qdi_statistics_per(bench_samples(run, method, 1 + phase), count, plan->bodies).median;
    }
}

qd_status qdi_bench_run(const qdi_bench_plan *plan, qdi_bench_row *rows, bool *stopped, const char **failed) {
    const qd_allocator *allocator = qd_allocator_default();
    *failed = "the bodies";
    *stopped = false;
    qdi_bench_setting setting;
    qd_status status = qdi_bench_setting_make(plan->scene, plan->speed, plan->bodies, plan->seed, allocator,
                                              &setting);
    if (status != QD_OK) return status;
    bench_run run = {.plan = plan, .rows = rows, .bodies = &setting.bodies};
    size_t samples = plan->method_count * SETS * plan->repeats;
    run.samples = qdi_allocate(allocator, samples, plan->steps * sizeof *run.samples);
    const qdi_bench_turns turns = {plan->method_count, plan->repeats,    plan->seed,
                                   USE_ORDER,          run_bench_method, &run};
    size_t last = 0;
    if (run.samples) {
        status = qdi_bench_take_turns(&turns, stopped, &last);
        *failed = plan->methods[last]->name;
    } else {
        status = QD_ERR_MEMORY;
    }
    if (status == QD_OK && !*stopped) evaluate(&run);
    qdi_release(allocator, run.samples, samples, plan->steps * sizeof *run.samples);
    qdi_bench_setting_free(&setting);
    return status;
}

bool qdi_bench_rows_agree(const qdi_bench_row *rows, size_t count, qd_error *error) {
    const qdi_bench_row *first = rows; // of this number of bodies
    for (const qdi_bench_row *row = rows; row < rows + count; ++row) {
        if (row->bodies != first->bodies || first->method->published) first = row;
        if (!row->steady) {
            snprintf(error->text, sizeof error->text,
                     "%s with %zu bodies does not find the same pairs in each repeat", row->method->name,
                     row->bodies);
            return false;
        }
        if (row->method->published) continue;
        if (row->pairs == first->pairs && row->all_pairs == first->all_pairs && row->hash == first->hash)
            continue;
        snprintf(error->text, sizeof error->text,
                 "%s and %s with %zu bodies do not find the same pairs: %zu and %zu in the last step, hash "
                 "%016" PRIx64 " and %016" PRIx64,
                 first->method->name, row->method->name, row->bodies, first->pairs, row->pairs, first->hash,
                 row->hash);
        return false;
    }
    return true;
}
