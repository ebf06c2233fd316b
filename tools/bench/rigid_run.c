#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tools/bench/bench_statistics.h"
#include "tools/bench/peers.h"
#include "tools/bench/rigid.h"

#include <string.h>

enum { USE_ORDER = 202 }; ///< of random numbers
/// Sets of times of each method: whole steps, then phases.
enum { SETS = 1 + QD_PHASE_EXPORT };

const qdi_rigid_method *qdi_rigid_method_at(size_t number) {
    static const qdi_rigid_method *const methods[] = {
        &qdi_rigid_impulse,       &qdi_rigid_impulse_off,
#ifdef QD_HAVE_BOX2D3
        &qdi_rigid_box2d,
#endif
#ifdef QD_HAVE_CHIPMUNK
        &qdi_rigid_chipmunk_hash, &qdi_rigid_chipmunk_tree,
#endif
    };
    return number < sizeof methods / sizeof methods[0] ? methods[number] : NULL;
}

typedef struct rigid_run {
    const qdi_rigid_plan *plan;
    qdi_rigid_row *rows;
    uint64_t *samples;      ///< by method, set, repeat, step
    qdi_rigid_body *bodies; ///< as a method left them
    bool stopped;
} rigid_run;

static uint64_t *samples_of(const rigid_run *run, size_t number, size_t set) {
    return run->samples + (number * SETS + set) * run->plan->repeats * run->plan->steps;
}

static qd_status step_all(rigid_run *run, size_t number, size_t repeat, void *state) {
    const qdi_rigid_plan *plan = run->plan;
    for (size_t k = 0; k < QDI_RIGID_DROPPED + plan->steps; ++k) {
        qd_profile profile;
        memset(&profile, 0, sizeof profile);
        uint64_t start = qdi_clock_ns();
        qd_status status = run->rows[number].method->step(state, &profile);
        uint64_t end = qdi_clock_ns();
        if (status != QD_OK) return status;
        if (plan->tick && !plan->tick(plan->context)) {
            run->stopped = true;
            return QD_OK;
        }
        if (k < QDI_RIGID_DROPPED) continue;
        size_t place = repeat * plan->steps + k - QDI_RIGID_DROPPED;
        samples_of(run, number, 0)[place] = end - start;
        for (size_t phase = 0; phase < QD_PHASE_EXPORT; ++phase)
            samples_of(run, number, 1 + phase)[place] = profile.wall_ns[phase];
        run->rows[number].has_phases = profile.steps > 0;
    }
    return QD_OK;
}

static qd_status run_method(rigid_run *run, size_t number, size_t repeat) {
    const qdi_rigid_plan *plan = run->plan;
    qdi_rigid_row *row = &run->rows[number];
    void *state = NULL;
    qd_status status = row->method->create(plan->setting, &plan->options, &state);
    if (status != QD_OK) return status;
    status = step_all(run, number, repeat, state);
    bool last = repeat + 1 == plan->repeats;
    if (status == QD_OK && !run->stopped && last) {
        memcpy(run->bodies, plan->setting->bodies, plan->setting->total * sizeof *run->bodies);
        row->method->read(state, run->bodies);
    }
    row->method->destroy(state);
    if (status == QD_OK && !run->stopped && last)
        status = qdi_rigid_look_at(plan->setting, run->bodies, &row->end);
    return status;
}

static void shuffle(const qdi_rigid_plan *plan, size_t repeat, size_t *order) {
    const size_t count = plan->method_count;
    qd_random random = qd_random_at(plan->seed, repeat, USE_ORDER);
    for (size_t i = 0; i < count; ++i) order[i] = i;
    for (size_t i = count; i > 1; --i) {
        size_t j = (size_t)(qd_random_uniform(&random) * (double)i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/// Figures of one set of times. Where the work changes from step to step, the mean of a repeat's steps is one
/// time.
static qdi_bench_statistics figures_of(const rigid_run *run, size_t number, size_t set) {
    const qdi_rigid_plan *plan = run->plan;
    uint64_t *times = samples_of(run, number, set);
    if (plan->setting->of->steps == 0) return qdi_bench_statistics_of(times, plan->repeats * plan->steps);
    for (size_t repeat = 0; repeat < plan->repeats; ++repeat) {
        uint64_t sum = 0;
        for (size_t k = 0; k < plan->steps; ++k) sum += times[repeat * plan->steps + k];
        times[repeat] = sum / plan->steps; // a place whose time is in a sum already
    }
    return qdi_bench_statistics_of(times, plan->repeats);
}

/// Times become figures.
static void evaluate(const rigid_run *run, size_t number) {
    qdi_rigid_row *row = &run->rows[number];
    double bodies = (double)run->plan->setting->count;
    qdi_bench_statistics whole = figures_of(run, number, 0);
    row->median = whole.median / bodies;
    row->min = whole.min / bodies;
    row->mean = whole.mean / bodies;
    row->spread = whole.spread;
    for (size_t phase = 0; phase < QD_PHASE_EXPORT; ++phase)
        row->phases[phase] = figures_of(run, number, 1 + phase).median / bodies;
}

qd_status qdi_rigid_run(const qdi_rigid_plan *plan, qdi_rigid_row *rows, bool *stopped, const char **failed) {
    const qd_allocator *allocator = qd_allocator_default();
    const size_t count = plan->method_count, bodies = plan->setting->total;
    const size_t samples = count * SETS * plan->repeats * plan->steps;
    *failed = "the bench";
    rigid_run run = {.plan = plan, .rows = rows};
    for (size_t i = 0; i < count; ++i) rows[i] = (qdi_rigid_row){.method = plan->methods[i]};
    run.samples = qdi_allocate(allocator, samples, sizeof *run.samples);
    run.bodies = qdi_allocate(allocator, bodies, sizeof *run.bodies);
    qd_status status = run.samples && run.bodies ? QD_OK : QD_ERR_MEMORY;
    for (size_t repeat = 0; status == QD_OK && !run.stopped && repeat < plan->repeats; ++repeat) {
        size_t order[QDI_RIGID_MOST_METHODS] = {0};
        shuffle(plan, repeat, order);
        for (size_t i = 0; status == QD_OK && !run.stopped && i < count; ++i) {
            *failed = rows[order[i]].method->name;
            status = run_method(&run, order[i], repeat);
        }
    }
    for (size_t i = 0; status == QD_OK && !run.stopped && i < count; ++i) evaluate(&run, i);
    *stopped = run.stopped;
    qdi_release(allocator, run.samples, samples, sizeof *run.samples);
    qdi_release(allocator, run.bodies, bodies, sizeof *run.bodies);
    return status;
}
