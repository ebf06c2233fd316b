#include "tools/scale/analysis.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Scaling test's analysis: how many of the threads are clocked one by one.
static size_t clocked_threads(int threads) {
    return (size_t)threads < QDI_SCALE_CLOCKED ? (size_t)threads : QDI_SCALE_CLOCKED;
}

/// Of one run: sums over `phase`, or over all for QDI_SCALE_PHASES. Nanoseconds.
typedef struct run_times {
    double wall, loop, alone, sum, most;
    double busy[QDI_SCALE_CLOCKED];
} run_times;

// Scaling test's analysis: adds the times of one phase to those of a run.
static void add_phase_times(const qd_profile *profile, size_t phase, size_t threads, run_times *times) {
    times->wall += (double)profile->wall_ns[phase];
    times->loop += (double)profile->loop_ns[phase];
    times->alone += (double)profile->alone_ns[phase];
    for (size_t k = 0; k < threads; ++k) times->busy[k] += (double)profile->busy_ns[phase][k];
}

// Times of a phase, or of all, in one run of a scaling test.
static run_times times_of_sample(const qdi_scale_sample *sample, size_t phase, int threads) {
    run_times times;
    memset(&times, 0, sizeof times);
    size_t count = clocked_threads(threads);
    for (size_t p = 0; p < QDI_SCALE_PHASES; ++p)
        if (p == phase || phase == QDI_SCALE_PHASES) add_phase_times(&sample->profile, p, count, &times);
    if (phase == QDI_SCALE_PHASES) times.wall = (double)sample->wall_ns;
    for (size_t k = 0; k < count; ++k) {
        times.sum += times.busy[k];
        times.most = fmax(times.most, times.busy[k]);
    }
    times.sum *= (double)threads / (double)count; // of those that nobody clocks we know nothing better
    return times;
}

/// The runs of a configuration, and room for as many numbers.
typedef struct runs {
    const qdi_scale_sample **of;
    const uint64_t **step_ns;
    double *numbers;
    size_t count, steps;
    int threads;
} runs;

// Medians and intervals of one phase over the runs of a scaling test.
static void sum_up_phase(const runs *all, size_t phase, qdi_scale_part *part) {
    size_t count = all->count;
    double steps = (double)all->steps, threads = all->threads, each = 1.0 / (steps * (double)count);
    for (size_t r = 0; r < count; ++r) {
        run_times times = times_of_sample(all->of[r], phase, all->threads);
        all->numbers[r] = times.wall / steps;
        part->share.busy += times.sum * each;
        part->share.serial += threads * (times.wall - times.loop) * each;
        part->share.alone += (threads - 1) * times.alone * each;
        part->share.waiting += (threads * (times.loop - times.alone) - (times.sum - times.alone)) * each;
    }
    part->time = qdi_scale_interval_of(all->numbers, count);
    size_t clocks = clocked_threads(all->threads);
    for (size_t k = 0; k < clocks; ++k) {
        for (size_t r = 0; r < count; ++r)
            all->numbers[r] = times_of_sample(all->of[r], phase, all->threads).busy[k] / steps;
        part->busy[k] = qdi_scale_interval_of(all->numbers, count).median;
    }
    for (size_t r = 0; r < count; ++r) {
        run_times times = times_of_sample(all->of[r], phase, all->threads);
        all->numbers[r] = times.sum > 0 ? times.most * threads / times.sum : 1;
    }
    part->imbalance = qdi_scale_interval_of(all->numbers, count).median;
    const qdi_traffic *traffic = &all->of[0]->traffic;
    for (size_t p = 0; p < QDI_SCALE_PHASES; ++p) {
        if (p != phase && phase != QDI_SCALE_PHASES) continue;
        part->reads += (double)traffic->reads[p] / steps;
        part->writes += (double)traffic->writes[p] / steps;
    }
}

double qdi_scale_bandwidth(const qdi_scale_part *part) {
    return part->time.median > 0 ? (part->reads + part->writes) * 1e9 / part->time.median : 0;
}

/// Scaling test's analysis: each step where it took least, in the mean over the steps.
static double calm_time(const runs *all) {
    double sum = 0;
    for (size_t k = 0; k < all->steps; ++k) {
        uint64_t least = UINT64_MAX;
        for (size_t r = 0; r < all->count; ++r)
            if (all->step_ns[r][k] < least) least = all->step_ns[r][k];
        sum += (double)least;
    }
    return sum / (double)all->steps;
}

/// Scaling test's analysis: the part of the time in which it worked, or was to, that a run had no processor.
/// Threads that spin while they wait make it less than it is; it is never more.
static double taken_time(const qdi_scale_sample *sample, int threads) {
    run_times times = times_of_sample(sample, QDI_SCALE_PHASES, threads);
    double wanted = times.sum + times.wall - times.loop;
    return wanted > 0 ? fmax(0, 1 - (double)sample->processor_ns / wanted) : 0;
}

/// Scaling test's analysis: what the processor counted per step.
static qdi_counts counts_per_step(const runs *all) {
    qdi_counts counts;
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        counts.known[i] = true;
        for (size_t r = 0; r < all->count; ++r) {
            counts.known[i] = counts.known[i] && all->of[r]->counts.known[i];
            all->numbers[r] = all->of[r]->counts.value[i] / (double)all->steps;
        }
        counts.value[i] = counts.known[i] ? qdi_scale_interval_of(all->numbers, all->count).median : 0;
    }
    return counts;
}

// Medians and intervals over the runs of one configuration of a scaling test.
static void sum_up_config(const runs *all, qdi_scale_result *result) {
    const qdi_scale_sample *first = all->of[0];
    result->runs = all->count;
    result->bodies = first->bodies;
    result->hash = first->hash;
    result->body_steps = (double)first->profile.body_steps;
    for (size_t r = 0; r < all->count; ++r) all->numbers[r] = all->of[r]->bandwidth;
    result->triad = qdi_scale_interval_of(all->numbers, all->count);
    for (size_t r = 0; r < all->count; ++r) all->numbers[r] = taken_time(all->of[r], all->threads);
    result->taken = qdi_scale_interval_of(all->numbers, all->count).median;
    for (size_t r = 0; r < all->count; ++r) result->memory = fmax(result->memory, (double)all->of[r]->memory);
    result->calm = calm_time(all);
    result->counts = counts_per_step(all);
    sum_up_phase(all, QDI_SCALE_PHASES, &result->whole);
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase)
        sum_up_phase(all, phase, &result->phases[phase]);
}

qd_status qdi_scale_sum_up(const qdi_scale_plan *plan, const qdi_scale_sample *samples,
                           const uint64_t *step_ns, size_t config, qdi_scale_result *result) {
    const qd_allocator *allocator = qd_allocator_default();
    memset(result, 0, sizeof *result);
    result->config = &plan->configs[config];
    size_t room = plan->turn_count;
    runs all = {.of = qdi_allocate(allocator, room, sizeof(const qdi_scale_sample *)),
                .step_ns = qdi_allocate(allocator, room, sizeof(const uint64_t *)),
                .numbers = qdi_allocate(allocator, room, sizeof *all.numbers),
                .steps = plan->steps,
                .threads = result->config->threads};
    bool good = all.of && all.step_ns && all.numbers;
    for (size_t turn = 0; good && turn < plan->turn_count; ++turn) {
        if (plan->turns[turn].config != config) continue;
        all.of[all.count] = &samples[turn];
        all.step_ns[all.count++] = step_ns + turn * plan->steps;
    }
    if (good) sum_up_config(&all, result);
    qdi_release(allocator, all.of, room, sizeof(const qdi_scale_sample *));
    qdi_release(allocator, all.step_ns, room, sizeof(const uint64_t *));
    qdi_release(allocator, all.numbers, room, sizeof *all.numbers);
    return good ? QD_OK : QD_ERR_MEMORY;
}

// ---- gains ----

// A phase of a scaling test's result, or the whole.
static const qdi_scale_part *result_part(const qdi_scale_result *result, size_t phase) {
    return phase < QDI_SCALE_PHASES ? &result->phases[phase] : &result->whole;
}

// Scaling test's analysis: a ratio; NaN where there is none.
static double ratio_or_nan(double a, double b) {
    return b > 0 ? a / b : (double)NAN;
}

qdi_scale_gain qdi_scale_strong_gain(const qdi_scale_result *base, const qdi_scale_result *result,
                                     size_t phase) {
    const qdi_scale_interval *from = &result_part(base, phase)->time, *to = &result_part(result, phase)->time;
    int few = base->config->threads, many = result->config->threads;
    qdi_scale_gain gain = {.speedup = ratio_or_nan(from->median, to->median),
                           .low = ratio_or_nan(from->low, to->high),
                           .high = ratio_or_nan(from->high, to->low),
                           .calm = ratio_or_nan(base->calm, result->calm)};
    gain.efficiency = gain.speedup * few / many;
    gain.serial_fraction = qdi_scale_serial_fraction(from->median, few, to->median, many);
    return gain;
}

qdi_scale_gain qdi_scale_weak_gain(const qdi_scale_result *base, const qdi_scale_result *result,
                                   size_t phase) {
    const qdi_scale_interval *from = &result_part(base, phase)->time, *to = &result_part(result, phase)->time;
    double work = ratio_or_nan(result->body_steps, base->body_steps);
    qdi_scale_gain gain = {.speedup = work * ratio_or_nan(from->median, to->median),
                           .low = work * ratio_or_nan(from->low, to->high),
                           .high = work * ratio_or_nan(from->high, to->low),
                           .calm = work * ratio_or_nan(base->calm, result->calm),
                           .serial_fraction = (double)NAN};
    gain.efficiency = gain.speedup * base->config->threads / result->config->threads;
    return gain;
}

// ---- hashes ----

bool qdi_scale_hashes_agree(const qdi_scale_plan *plan, const qdi_scale_sample *samples, qd_error *error) {
    for (size_t i = 0; i < plan->turn_count; ++i) {
        const qdi_scale_config *here = &plan->configs[plan->turns[i].config];
        for (size_t j = 0; j < i; ++j) {
            const qdi_scale_config *there = &plan->configs[plan->turns[j].config];
            if (there->bodies != here->bodies) continue;
            if (samples[j].hash == samples[i].hash) break; // and that one was held against those before it
            snprintf(error->text, sizeof error->text,
                     "%" PRIu64 " bodies end in different states: %016" PRIx64
                     " with %d threads (run %zu), %016" PRIx64 " with %d threads (run %zu)",
                     here->bodies, samples[j].hash, there->threads, j + 1, samples[i].hash, here->threads,
                     i + 1);
            return false;
        }
    }
    return true;
}
