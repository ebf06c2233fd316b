// A gas of disks on springs without dashpots and friction: velocity Verlet keeps its energy, that in the
// contacts counted, but for a part that swings with the contacts and falls with the square of the step. What
// must not be there is a drift.
#include "tools/physics/physics.h"

#include <math.h>

enum { OFF, DRIFT, COLLISIONS };
enum { STEPS_LONG = 100000, STEPS = 10000, LOOKS = 200 };
static const double contact_time = 0.02;

// Energy of a gas on springs, and its collisions per disk.
static double gas_energy(const qd_world *gas, double *collisions) {
    qd_metrics now;
    qd_world_measure(gas, &now);
    *collisions = 2 * (double)now.begins / (double)now.bodies;
    return now.kinetic + now.contact_energy;
}

/// Elastic case: looks at the energy LOOKS times, and finds how far it is off at most, and the line through
/// all looks.
static qd_status measure_elastic(qdi_job *job, qd_world *gas) {
    double first = gas_energy(gas, &job->series[COLLISIONS][0]), worst = 0, sum = 0;
    qd_status status = QD_OK;
    for (int look = 1; status == QD_OK && look <= LOOKS; ++look) {
        for (int k = 0; status == QD_OK && k < (int)job->time / LOOKS; ++k)
            status = qd_world_step(gas, job->gas.dt, NULL);
        double off = gas_energy(gas, &job->series[COLLISIONS][0]) / first - 1;
        worst = fmax(worst, fabs(off));
        sum += off * (look - 0.5 * (LOOKS + 1));
    }
    const double looks = LOOKS;
    job->series[OFF][0] = worst;
    job->series[DRIFT][0] = fabs(12 * sum / (looks * looks)); // over the whole time
    return status;
}

/// The gas of the rigid disks, which do not overlap, on springs instead.
static qd_status run_elastic(qdi_job *job, qd_error *error) {
    qd_world *rigid = NULL, *gas = NULL;
    qd_status status = qdi_gas_create(&job->gas, &rigid, error);
    if (status == QD_OK) {
        qd_world_def def = qd_world_definition(rigid);
        def.contact = QD_CONTACT_SPRING;
        def.spring.contact_time = contact_time;
        def.restitution = 1 - job->planted;
        status = qdi_gas_copy(rigid, &def, 1, &gas, error);
    }
    if (status == QD_OK) status = measure_elastic(job, gas);
    qd_world_destroy(gas);
    qd_world_destroy(rigid);
    return status;
}

// Plans the jobs of elastic springs and their planted error.
static void plan_elastic(const qdi_case *self, qdi_plan *plan) {
    (void)self;
    qdi_job job = {.work = run_elastic, .gas = qdi_gas_default()};
    job.gas.columns = 50;
    job.gas.rows = 40;
    job.gas.dt = contact_time / 50;
    job.time = plan->brief ? STEPS : STEPS_LONG;
    qdi_plan_add(plan, &job, 1);
    job.planted = 0.001;
    job.time = STEPS;
    qdi_plan_add(plan, &job, 1);
}

// Compares one quantity of elastic springs with its reference.
static void judge_elastic_row(const qdi_plan *plan, qdi_rows *rows, const char *name, int series,
                              const char *about) {
    const qdi_job *jobs = plan->jobs;
    qdi_row *row = qdi_rows_add(rows, name, qdi_exactly(jobs[0].series[series][0]), 0, 1e-4);
    qdi_row_twin(row, "restitution 0.999", qdi_exactly(jobs[1].series[series][0]));
    qdi_row_note(row, "%s, %.0f steps, %.1f collisions of each", about, jobs[0].time,
                 jobs[0].series[COLLISIONS][0]);
}

// Compares energy and drift of elastic springs with their references.
static void judge_elastic(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    (void)self;
    judge_elastic_row(plan, rows, "elastic_energy", OFF,
                      "2000 disks on springs: how far the energy is off at most");
    judge_elastic_row(plan, rows, "elastic_drift", DRIFT, "the drift of it in that time");
}

const qdi_case qdi_cases_elastic[] = {
    {"elastic", "the energy of an elastic gas of disks on springs", 0, plan_elastic, judge_elastic, false},
    {.name = NULL},
};
