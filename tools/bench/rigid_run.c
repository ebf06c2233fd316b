#include "core/base/memory.h"
#include "core/parallel/parallel.h"
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
    double *samples;        ///< by method, set, repeat, step
    qdi_rigid_body *bodies; ///< as a method left them
} rigid_run;

// The samples of a rigid method.
static double *rigid_samples(const rigid_run *run, size_t number, size_t set) {
    return run->samples + (number * SETS + set) * run->plan->repeats * run->plan->steps;
}

// Does the steps of a rigid method and measures them.
static qd_status step_rigid_method(const rigid_run *run, size_t number, size_t repeat, void *state,
                                   bool *stopped) {
    const qdi_rigid_plan *plan = run->plan;
    for (size_t k = 0; k < QDI_RIGID_DROPPED + plan->steps; ++k) {
        qd_profile profile;
        memset(&profile, 0, sizeof profile);
        uint64_t start = qdi_clock_ns();
        qd_status status = run->rows[number].method->step(state, &profile);
        uint64_t end = qdi_clock_ns();
        if (status != QD_OK) return status;
        if (plan->tick && !plan->tick(plan->context)) {
            *stopped = true;
            return QD_OK;
        }
        if (k < QDI_RIGID_DROPPED) continue;
        size_t place = repeat * plan->steps + k - QDI_RIGID_DROPPED;
        rigid_samples(run, number, 0)[place] = (double)(end - start);
        for (size_t phase = 0; phase < QD_PHASE_EXPORT; ++phase)
            rigid_samples(run, number, 1 + phase)[place] = (double)profile.wall_ns[phase];
        run->rows[number].has_phases = profile.steps > 0;
    }
    return QD_OK;
}

// Measures a rigid method once.
static qd_status run_rigid_method(void *context, size_t number, size_t repeat, bool *stopped) {
    const rigid_run *run = context;
    const qdi_rigid_plan *plan = run->plan;
    qdi_rigid_row *row = &run->rows[number];
    void *state = NULL;
    qd_status status = row->method->create(plan->setting, &plan->options, &state);
    if (status != QD_OK) return status;
    status = step_rigid_method(run, number, repeat, state, stopped);
    bool last = repeat + 1 == plan->repeats;
    if (status == QD_OK && !*stopped && last) {
        memcpy(run->bodies, plan->setting->bodies, plan->setting->total * sizeof *run->bodies);
        row->method->read(state, run->bodies);
    }
    row->method->destroy(state);
    if (status == QD_OK && !*stopped && last)
        status = qdi_rigid_quality_of(plan->setting, run->bodies, &row->end);
    return status;
}

/// Bench of rigid piles: figures of one set of times. Where the work changes from step to step, the mean of a
/// repeat's steps is one time.
static qdi_statistics figures_of(const rigid_run *run, size_t number, size_t set) {
    const qdi_rigid_plan *plan = run->plan;
    double *times = rigid_samples(run, number, set);
    if (plan->setting->of->steps == 0)
        return qdi_statistics_per(times, plan->repeats * plan->steps, plan->setting->count);
    for (size_t repeat = 0; repeat < plan->repeats; ++repeat) {
        double sum = 0;
        size_t k = 0;
        do sum += times[repeat * plan->steps + k];
        while (++k < plan->steps);
        times[repeat] = sum / (double)k; // a place whose time is in a sum already
    }
    return qdi_statistics_per(times, plan->repeats, plan->setting->count);
}

/// Bench of rigid piles: times become figures.
static void evaluate(const rigid_run *run, size_t number) {
    qdi_rigid_row *row = &run->rows[number];
    row->ns = figures_of(run, number, 0);
    for (size_t phase = 0; phase < QD_PHASE_EXPORT; ++phase)
        row->phases[phase] = figures_of(run, number, 1 + phase).median;
}

qd_status qdi_rigid_run(const qdi_rigid_plan *plan, qdi_rigid_row *rows, bool *stopped, const char **failed) {
    const qd_allocator *allocator = qd_allocator_default();
    const size_t count = plan->method_count, bodies = plan->setting->total;
    const size_t samples = count * SETS * plan->repeats * plan->steps;
    *failed = "the bench";
    *stopped = false;
    rigid_run run = {.plan = plan, .rows = rows};
    for (size_t i = 0; i < count; ++i) rows[i] = (qdi_rigid_row){.method = plan->methods[i]};
    run.samples = qdi_allocate(allocator, samples, sizeof *run.samples);
    run.bodies = qdi_allocate(allocator, bodies, sizeof *run.bodies);
    const qdi_bench_turns turns = {count, plan->repeats, plan->seed, USE_ORDER, run_rigid_method, &run};
    size_t last = 0;
    qd_status status = run.samples && run.bodies ? qdi_bench_take_turns(&turns, stopped, &last)
                                                 : QD_ERR_MEMORY;
    if (run.samples && run.bodies) *failed = rows[last].method->name;
    for (size_t i = 0; status == QD_OK && !*stopped && i < count; ++i) evaluate(&run, i);
    qdi_release(allocator, run.samples, samples, sizeof *run.samples);
    qdi_release(allocator, run.bodies, bodies, sizeof *run.bodies);
    return status;
}
