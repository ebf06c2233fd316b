// The hard-disk fluid in equilibrium: pressure, collisions and speeds, at area fractions from 0.1 to 0.6.
//
// Pressure is the virial's: over a time t, Z = P A / (N kT) = 1 + (sum of r_ab . J) / (2 t N kT), with kT = E
// / (N - 1), as momentum is kept. With ways followed, no bounce is late and the step plays no part. Looked at
// in steps only, a pair is found when it overlaps already, by half a step on average: the disks seem smaller
// in proportion to the step, so what several steps give is extrapolated to 0.
#include "core/base/memory.h"
#include "tools/physics/blind.h"
#include "tools/physics/physics.h"
#include "tools/physics/reference.h"

#include <math.h>
#include <stdio.h>

enum { STATE_Z, STATE_RATE, STATE_IDENTITY };
/// Jobs of a case, in this order: the gas, and with each planted error.
enum { SEEDS = 4, SEEDS_LONG = 8, TWIN_SEEDS = 2 };

static const double pi = 3.14159265358979323846;
/// Mean free times between two looks at the speeds, so that one tells little of the next.
static const double apart = 5;

/// How a density is measured.
typedef struct state_setting {
    double eta;
    double settle;      ///< time until nothing is left of the lattice
    double time;        ///< of 1024 disks in all, which gives Z to some 0.12 %
    double dt_followed; ///< step where ways are followed
    double dt;          ///< the shorter of the two where not; the other one is twice that
    double larger;      ///< planted diameter: makes four tolerances or more
} state_setting;

static const state_setting settings[] = {
    {0.1, 40, 700, 0.3, 0.02, 1.05},   {0.2, 30, 400, 0.15, 0.014, 1.03}, {0.3, 20, 380, 0.1, 0.01, 1.03},
    {0.4, 20, 220, 0.06, 0.007, 1.03}, {0.5, 15, 180, 0.05, 0.005, 1.03}, {0.6, 15, 140, 0.04, 0.003, 1.03},
};

// The setting of the hard-disk gas of this density.
static const state_setting *state_setting_of(double eta) {
    size_t i = 0;
    while (settings[i].eta < eta - 0.01) ++i;
    return &settings[i];
}

/// Adds the speeds of all disks to what the job has seen.
static void look_at_speeds(qdi_job *job, const qd_world *gas) {
    qd_body_view view = qd_world_view(gas);
    for (size_t i = 0; i < view.count; ++i) {
        job->speeds[job->speed_count++] = sqrt(view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i]);
    }
}

/// Case of state: one block: runs, with looks at the speeds on the way where they are asked for.
static qd_status run_block(qdi_job *job, qd_world *gas, qdi_blind *blind) {
    double time = job->time / QDI_BLOCKS;
    if (blind) return qdi_blind_run(blind, gas, time, job->gas.dt);
    if (job->looks == 0) return qdi_gas_run(gas, time, job->gas.dt);
    qd_status status = QD_OK;
    for (int i = 0; status == QD_OK && i < job->looks; ++i) {
        status = qdi_gas_run(gas, time / job->looks, job->gas.dt);
        if (status == QD_OK) look_at_speeds(job, gas);
    }
    return status;
}

// Measures pressure and speeds of a hard-disk gas.
static qd_status measure_state(qdi_job *job, qd_world *gas, qdi_blind *blind) {
    double disks = qdi_gas_count(&job->gas);
    if (job->looks > 0) {
        job->speed_room = (size_t)job->looks * QDI_BLOCKS * (size_t)disks;
        job->speeds = qdi_allocate(qd_allocator_default(), job->speed_room, sizeof *job->speeds);
        if (!job->speeds) return QD_ERR_MEMORY;
    }
    qd_status status = qdi_gas_run(gas, job->settle, job->gas.dt);
    qd_metrics before, now;
    qd_world_measure(gas, &before);
    for (int block = 0; status == QD_OK && block < QDI_BLOCKS; ++block) {
        status = run_block(job, gas, blind);
        qd_world_measure(gas, &now);
        double time = now.time - before.time;
        // The temperature that the gas was given, not the one that it has: whoever changes speeds is to be
        // noticed.
        double excess = (now.virial_impulse - before.virial_impulse) / (2 * disks * time);
        double rate = 2 * (double)(now.collisions - before.collisions) / (disks * time);
        job->series[STATE_Z][block] = 1 + excess;
        job->series[STATE_RATE][block] = rate;
        job->series[STATE_IDENTITY][block] = rate * sqrt(pi) / 4 / excess;
        before = now;
    }
    return status;
}

// Job of the validation: equation of state of hard disks.
static qd_status run_state(qdi_job *job, qd_error *error) {
    qd_world *gas = NULL;
    qd_status status = qdi_gas_create(&job->gas, &gas, error);
    qdi_blind *blind = NULL;
    if (status == QD_OK && job->planted > 0) status = qdi_blind_create(job->planted, job->gas.seed, &blind);
    if (status == QD_OK) status = measure_state(job, gas, blind);
    qdi_blind_destroy(blind);
    qd_world_destroy(gas);
    return status;
}

// How many seeds the gas at this density runs with.
static int state_seeds(const qdi_plan *plan) {
    return plan->brief ? SEEDS : SEEDS_LONG;
}

/// The gas of a density with nothing planted, measured for a time that the seeds share.
static qdi_job sound_job(const state_setting *setting, const qdi_plan *plan, double time) {
    qdi_job job = {.work = run_state, .gas = qdi_gas_default(), .settle = setting->settle};
    job.gas.eta = setting->eta;
    job.gas.dt = setting->dt_followed;
    job.gas.continuous = true;
    job.time = (plan->brief ? 1.4 : 4) * time / state_seeds(plan);
    return job;
}

// Plans the jobs of the equation of state and its planted errors.
static void plan_state(const qdi_case *self, qdi_plan *plan) {
    const state_setting *setting = state_setting_of(self->value);
    qdi_job job = sound_job(setting, plan, setting->time);
    bool speeds = fabs(self->value - 0.3) < 0.01;
    if (speeds) job.looks = (int)(job.time / QDI_BLOCKS * qdi_reference_rate(job.gas.eta) / apart);
    qdi_plan_add(plan, &job, state_seeds(plan));
    job.time = setting->time / 8;
    job.gas.diameter = setting->larger;
    job.looks = 0;
    qdi_plan_add(plan, &job, TWIN_SEEDS);
    job.gas.diameter = 1;
    job.planted = 1.0 / 11;
    qdi_plan_add(plan, &job, TWIN_SEEDS);
    job.planted = 0;
    job.gas.speed = 1.03;
    job.looks = speeds ? 3 : 0;
    qdi_plan_add(plan, &job, TWIN_SEEDS);
}

/// All speeds that some jobs saw: how far their distribution is from Rayleigh's, with the spread that chance
/// gives it.
static qdi_estimate speeds_of(const qdi_plan *plan, size_t first, size_t count, size_t *seen) {
    *seen = 0;
    for (size_t i = first; i < first + count; ++i) *seen += plan->jobs[i].speed_count;
    const qd_allocator *allocator = qd_allocator_default();
    double *all = *seen > 0 ? qdi_allocate(allocator, *seen, sizeof *all) : NULL;
    if (!all) return (qdi_estimate){(double)NAN, (double)NAN}; // with which no row passes
    size_t place = 0;
    for (size_t i = first; i < first + count; ++i) {
        const qdi_job *job = &plan->jobs[i];
        for (size_t k = 0; k < job->speed_count; ++k) all[place++] = job->speeds[k];
    }
    double distance = qdi_rayleigh_distance(all, *seen, 1);
    qdi_release(allocator, all, *seen, sizeof *all);
    return (qdi_estimate){distance, 0.26 / sqrt((double)*seen)};
}

// Compares the speeds of a gas with Maxwell's distribution.
static void judge_speeds(const qdi_plan *plan, size_t sound, qdi_rows *rows) {
    size_t seen = 0, twin_seen = 0;
    qdi_estimate distance = speeds_of(plan, 0, sound, &seen);
    qdi_estimate twin = speeds_of(plan, sound + 2 * TWIN_SEEDS, TWIN_SEEDS, &twin_seen);
    qdi_row *row = qdi_rows_add(rows, "speeds", distance, 0, 1.628 / sqrt((double)seen));
    qdi_row_twin(row, "speeds times 1.03", twin);
    qdi_row_note(row, "largest distance from Rayleigh's distribution, %zu speeds", seen);
}

// Compares the equation of state of hard disks with its references.
static void judge_state_equation(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const state_setting *setting = state_setting_of(self->value);
    size_t sound = (size_t)state_seeds(plan), twin = sound;
    char name[48];
    double Z = qdi_reference_state(setting->eta), rate = qdi_reference_rate(setting->eta);
    qdi_row *row = qdi_rows_add(rows, self->name, qdi_plan_estimate(plan, 0, sound, STATE_Z), Z, 0.005 * Z);
    if (row) row->error_allowed = 0.0015 * Z;
    snprintf(name, sizeof name, "diameter times %.2f", setting->larger);
    qdi_row_twin(row, name, qdi_plan_estimate(plan, twin, TWIN_SEEDS, STATE_Z));
    twin += TWIN_SEEDS;
    snprintf(name, sizeof name, "rate_%.1f", setting->eta);
    row = qdi_rows_add(rows, name, qdi_plan_estimate(plan, 0, sound, STATE_RATE), rate, 0.01 * rate);
    qdi_row_twin(row, "a collision in 11 ignored until the two have separated",
                 qdi_plan_estimate(plan, twin, TWIN_SEEDS, STATE_RATE));
    twin += TWIN_SEEDS;
    snprintf(name, sizeof name, "identity_%.1f", setting->eta);
    row = qdi_rows_add(rows, name, qdi_plan_estimate(plan, 0, sound, STATE_IDENTITY), 1, 0.0065);
    qdi_row_twin(row, "speeds times 1.03", qdi_plan_estimate(plan, twin, TWIN_SEEDS, STATE_IDENTITY));
    if (plan->jobs[0].looks > 0) judge_speeds(plan, sound, rows);
}

/// Case of state: best for the extrapolation is 1.4 times as long a time with the shorter step.
static void plan_stepped(const qdi_case *self, qdi_plan *plan) {
    const state_setting *setting = state_setting_of(self->value);
    for (int planted = 0; planted < 2; ++planted) {
        for (int twice = 0; twice < 2; ++twice) {
            qdi_job job = sound_job(setting, plan, (twice ? 2.7 : 3.8) * setting->time);
            job.gas.continuous = false;
            job.gas.dt = (twice ? 2 : 1) * setting->dt;
            if (planted) {
                job.gas.diameter = setting->larger;
                job.time *= plan->brief ? 0.25 : 0.125;
            }
            qdi_plan_add(plan, &job, planted ? TWIN_SEEDS : state_seeds(plan));
        }
    }
}

// Case of state: compares the equation of state at two lengths of a step.
static void judge_stepped(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const state_setting *setting = state_setting_of(self->value);
    size_t sound = (size_t)state_seeds(plan);
    double Z = qdi_reference_state(setting->eta), dt[2] = {setting->dt, 2 * setting->dt};
    qdi_estimate at[2] = {qdi_plan_estimate(plan, 0, sound, STATE_Z),
                          qdi_plan_estimate(plan, sound, sound, STATE_Z)};
    qdi_estimate off[2] = {qdi_plan_estimate(plan, 2 * sound, TWIN_SEEDS, STATE_Z),
                           qdi_plan_estimate(plan, 2 * sound + TWIN_SEEDS, TWIN_SEEDS, STATE_Z)};
    qdi_row *row = qdi_rows_add(rows, self->name, qdi_estimate_at_zero(dt, at, 2), Z, 0.005 * Z);
    if (!row) return;
    row->error_allowed = 0.0015 * Z;
    qdi_row_note(row, "to dt = 0 from %.5f +- %.5f at %g, %.5f +- %.5f at %g", at[0].mean, at[0].error, dt[0],
                 at[1].mean, at[1].error, dt[1]);
    char name[48];
    snprintf(name, sizeof name, "diameter times %.2f", setting->larger);
    qdi_row_twin(row, name, qdi_estimate_at_zero(dt, off, 2));
}

const qdi_case qdi_cases_state[] = {
    {"eos_0.1", "equation of state, collisions", 0.1, plan_state, judge_state_equation, false},
    {"eos_0.2", "equation of state, collisions", 0.2, plan_state, judge_state_equation, false},
    {"eos_0.3", "equation of state, collisions, speeds", 0.3, plan_state, judge_state_equation, false},
    {"eos_0.4", "equation of state, collisions", 0.4, plan_state, judge_state_equation, false},
    {"eos_0.5", "equation of state, collisions", 0.5, plan_state, judge_state_equation, false},
    {"eos_0.6", "equation of state, collisions", 0.6, plan_state, judge_state_equation, false},
    {"eos_stepped_0.1", "equation of state in steps, extrapolated to dt = 0", 0.1, plan_stepped,
     judge_stepped, true},
    {"eos_stepped_0.2", "equation of state in steps, extrapolated to dt = 0", 0.2, plan_stepped,
     judge_stepped, true},
    {"eos_stepped_0.3", "equation of state in steps, extrapolated to dt = 0", 0.3, plan_stepped,
     judge_stepped, false},
    {"eos_stepped_0.4", "equation of state in steps, extrapolated to dt = 0", 0.4, plan_stepped,
     judge_stepped, true},
    {"eos_stepped_0.5", "equation of state in steps, extrapolated to dt = 0", 0.5, plan_stepped,
     judge_stepped, true},
    {"eos_stepped_0.6", "equation of state in steps, extrapolated to dt = 0", 0.6, plan_stepped,
     judge_stepped, true},
    {.name = NULL},
};
