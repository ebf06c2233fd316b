// The freely cooling granular gas: Haff's law, T = T0 / (1 + t / tc)^2, and what a collision takes away.
//
// A gas comes to equilibrium with restitution 1 first; then its disks go on, from the same places and with
// velocities scaled to temperature 1, with another restitution. tc = 4 / (nu (1 - e^2)), where nu is the rate
// of collisions at first; the speeds of a cooling gas are not quite Maxwell's, which a factor close to 1
// corrects. The gas is small and thin enough to stay even all through.
//
// In terms of the collisions c that a disk has had, T = T0 exp(-(1 - e^2) c / 2), whatever the density: what
// is measured is -2 log(T / T0) / c, the part of kT that a collision takes: 1 - e^2, with a like correction.
#include "tools/physics/physics.h"
#include "tools/physics/reference.h"

#include <quadrille/math.h>
#include <stdio.h>

enum { COOLING_T, COOLING_LOSS, SEEDS = 8, SEEDS_LONG = 32, TWIN_SEEDS = 4 };

/// Time in units of tc when the temperature is compared: a ninth of that at first is left.
static const double moment = 2;
static const double eta = 0.01;

// The time scale of Haff's law for a gas of this restitution.
static double cooling_time(double e) {
    return 4 / (qdi_reference_rate(eta) * (1 - e * e) * qdi_reference_cooling(e));
}

// Lets a gas cool by inelastic collisions, and measures its energy.
static qd_status measure_cooling(qdi_job *job, qd_world *gas) {
    double disks = qdi_gas_count(&job->gas);
    qd_metrics before, now;
    qd_world_measure(gas, &before);
    qd_status status = qdi_gas_run(gas, job->time, job->time / 500);
    qd_world_measure(gas, &now);
    double temperature = now.temperature * disks / (disks - 1);
    double collisions = 2 * (double)(now.collisions - before.collisions) / (disks - 1);
    qdi_job_keep(job, COOLING_T, temperature);
    qdi_job_keep(job, COOLING_LOSS, -2 * qd_log(temperature) / collisions);
    return status;
}

// Job of the validation: Haff's law of a cooling gas.
static qd_status run_cooling(qdi_job *job, qd_error *error) {
    qd_world *gas = NULL, *cooling = NULL;
    qd_status status = qdi_gas_create(&job->gas, &gas, error);
    if (status == QD_OK) status = qdi_gas_run(gas, job->settle, job->gas.dt);
    if (status == QD_OK) {
        qd_world_def def = qd_world_definition(gas);
        def.restitution = job->setting;
        status = qdi_gas_copy(gas, &def, 1, &cooling, error);
    }
    if (status == QD_OK) status = measure_cooling(job, cooling);
    qd_world_destroy(gas);
    qd_world_destroy(cooling);
    return status;
}

// Plans the jobs of the cooling gas and its planted error.
static void plan_cooling(const qdi_case *self, qdi_plan *plan) {
    const double free_time = 1 / qdi_reference_rate(eta);
    qdi_job job = {
        .work = run_cooling, .gas = qdi_gas_default(), .settle = 6 * free_time, .setting = self->value};
    job.gas.columns = job.gas.rows = 46;
    job.gas.eta = eta;
    job.gas.dt = 0.15 * free_time;
    job.gas.continuous = true;
    job.time = moment * cooling_time(self->value);
    qdi_plan_add(plan, &job, plan->brief ? SEEDS : SEEDS_LONG);
    job.setting = self->value - 0.01;
    qdi_plan_add(plan, &job, TWIN_SEEDS);
}

// Compares the cooling gas with its reference.
static void judge_cooling(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    size_t sound = plan->count - TWIN_SEEDS;
    char name[48];
    double left = 1 / ((1 + moment) * (1 + moment));
    qdi_row *row = qdi_rows_add(rows, self->name, qdi_plan_estimate_runs(plan, 0, sound, COOLING_T), left,
                                0.02 * left);
    qdi_row_note(row, "temperature after %g tc", moment);
    qdi_row_twin(row, "restitution less 0.01", qdi_plan_estimate_runs(plan, sound, TWIN_SEEDS, COOLING_T));
    double loss = (1 - self->value * self->value) * qdi_reference_loss(self->value);
    snprintf(name, sizeof name, "loss_%g", self->value);
    row = qdi_rows_add(rows, name, qdi_plan_estimate_runs(plan, 0, sound, COOLING_LOSS), loss, 0.02 * loss);
    qdi_row_note(row, "-2 log(T / T0) per collision of a disk, at any density");
    qdi_row_twin(row, "restitution less 0.01", qdi_plan_estimate_runs(plan, sound, TWIN_SEEDS, COOLING_LOSS));
}

const qdi_case qdi_cases_cooling[] = {
    {"haff_0.95", "cooling gas, restitution 0.95", 0.95, plan_cooling, judge_cooling, false},
    {"haff_0.9", "cooling gas, restitution 0.9", 0.9, plan_cooling, judge_cooling, false},
    {.name = NULL},
};
