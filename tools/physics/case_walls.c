// Gases that something holds together: a thin one between walls, and one that gravity keeps on a floor.
//
// Between walls: centres move in the area (Lx - 1) (Ly - 1), whose area fraction is the one that counts. The
// pressure is what the walls feel; who hits a wall does so with a mean normal speed of sqrt(pi kT / 2).
//
// In gravity: the mean height of the centres above contact is kT / (m g), but for what disks take from each
// other: half the number eta0 = n0 pi / 4 of the floor more on average for each power, 1 + eta0 to first
// order, which is small. Above and below the median height the temperature is the same.
#include "tools/physics/physics.h"
#include "tools/physics/reference.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

static const double pi = 3.14159265358979323846;

enum { WALL_Z, WALL_SPEED };
enum { HEIGHT, EVEN };
enum { SEEDS = 4, SEEDS_LONG = 8, TWIN_SEEDS = 2 };

// How many seeds the gas between walls runs with.
static int wall_seeds(const qdi_plan *plan) {
    return plan->brief ? SEEDS : SEEDS_LONG;
}

/// Case of walls: adds what hits walls in the last step.
static void count_hits(const qd_world *gas, double *hits, double *speeds) {
    size_t count = 0;
    const qd_impact *impacts = qd_world_impacts(gas, &count);
    for (size_t i = 0; i < count; ++i) {
        if (!qd_id_is_wall(impacts[i].b)) continue;
        *hits += 1;
        *speeds += impacts[i].approach;
    }
}

// Measures the pressure of a gas on its walls.
static qd_status measure_walls(qdi_job *job, qd_world *gas) {
    double disks = qdi_gas_count(&job->gas), given = (disks - 1) / disks; // the temperature that it was given
    qd_vec2 size = qd_world_definition(gas).size;
    qd_status status = qdi_gas_run(gas, job->settle, job->gas.dt);
    qd_metrics before, now;
    qd_world_measure(gas, &before);
    for (int block = 0; status == QD_OK && block < QDI_BLOCKS; ++block) {
        double hits = 0, speeds = 0;
        for (double done = 0; status == QD_OK && done < job->time / QDI_BLOCKS; done += job->gas.dt) {
            status = qd_world_step(gas, job->gas.dt, NULL);
            if (status == QD_OK) count_hits(gas, &hits, &speeds);
        }
        qd_world_measure(gas, &now);
        double x = now.push_left - before.push_left + now.push_right - before.push_right;
        double y = now.push_bottom - before.push_bottom + now.push_top - before.push_top;
        double time = now.time - before.time;
        job->series[WALL_Z][block] = (x * (size.x - 1) + y * (size.y - 1)) / (4 * disks * given * time);
        job->series[WALL_SPEED][block] = speeds / hits / sqrt(given);
        before = now;
    }
    return status;
}

// Job of the validation: pressure on walls.
static qd_status run_walls(qdi_job *job, qd_error *error) {
    qd_world *gas = NULL;
    qd_status status = qdi_gas_create(&job->gas, &gas, error);
    if (status == QD_OK) status = measure_walls(job, gas);
    qd_world_destroy(gas);
    return status;
}

// Plans the jobs of the pressure on walls and its planted error.
static void plan_walls(const qdi_case *self, qdi_plan *plan) {
    qdi_job job = {.work = run_walls, .gas = qdi_gas_default(), .settle = 60};
    job.gas.columns = job.gas.rows = 16;
    job.gas.walls = true;
    job.gas.eta = self->value;
    job.gas.dt = 1;
    job.gas.continuous = true;
    job.time = 8000;
    qdi_plan_add(plan, &job, wall_seeds(plan));
    job.gas.speed = 1.035;
    job.time = 4000;
    qdi_plan_add(plan, &job, TWIN_SEEDS);
}

// Compares the pressure on walls with its reference.
static void judge_walls(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    size_t sound = (size_t)wall_seeds(plan);
    double Z = qdi_reference_state(self->value), speed = sqrt(0.5 * pi);
    qdi_row *row = qdi_rows_add(rows, "wall_pressure", qdi_plan_estimate(plan, 0, sound, WALL_Z), Z,
                                0.005 * Z);
    qdi_row_twin(row, "speeds times 1.035", qdi_plan_estimate(plan, sound, TWIN_SEEDS, WALL_Z));
    row = qdi_rows_add(rows, "wall_speed", qdi_plan_estimate(plan, 0, sound, WALL_SPEED), speed,
                       0.007 * speed);
    qdi_row_note(row, "mean normal speed of what hits a wall");
    qdi_row_twin(row, "speeds times 1.035", qdi_plan_estimate(plan, sound, TWIN_SEEDS, WALL_SPEED));
}

/// A column of air: `job->setting` is what gravity is meant to be.
enum { AIR = 400 };
static const double density = 0.01; ///< of disks at the floor

// Case of walls: fills a column of air under gravity.
static qd_status fill_air_column(const qdi_job *job, double height, double width, qd_world *air,
                                 qd_error *error) {
    qd_status status = QD_OK;
    qd_body_def disk = qd_body_def_default();
    disk.mass = 1;
    disk.inertia = HUGE_VAL;
    for (int i = 0; status == QD_OK && i < AIR; ++i) {
        qd_random random = qd_random_at(job->gas.seed, (uint64_t)i, 0);
        // Heights are spread as they should be, which fixes the energy; 163 has no divisor in common with
        // their number.
        disk.position.y = 0.5 - height * qd_log((i + 0.5) / AIR);
        disk.position.x = (163 * i % AIR + qd_random_uniform(&random) * 0.8) * width / AIR;
        qd_sincos(2 * pi * qd_random_uniform(&random), &disk.velocity.y, &disk.velocity.x);
        disk.velocity.x *= sqrt(2);
        disk.velocity.y *= sqrt(2);
        status = qd_world_add(air, &disk, NULL, error);
    }
    return status;
}

/// Sums over the moments of a block.
typedef struct air_sums {
    double heights, disks;
    double energy[2], count[2]; ///< below and above the median
} air_sums;

// Case of walls: adds up heights and speeds of a column of air.
static void sum_air(const qd_world *air, double median, double planted, air_sums *sums) {
    qd_body_view view = qd_world_view(air);
    for (size_t i = 0; i < view.count; ++i) {
        double height = view.y[i] - 0.5;
        int above = height > median;
        double energy = 0.5 * (view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i]);
        sums->heights += height;
        sums->disks += 1;
        sums->energy[above] += above ? (1 + planted) * (1 + planted) * energy : energy;
        sums->count[above] += 1;
    }
}

// Case of walls: measures a column of air under gravity.
static qd_status measure_air(qdi_job *job, qd_world *air, double height) {
    qd_status status = qdi_gas_run(air, job->settle, job->gas.dt);
    for (int block = 0; status == QD_OK && block < QDI_BLOCKS; ++block) {
        air_sums sums = {0};
        for (double done = 0; status == QD_OK && done < job->time / QDI_BLOCKS; done += 4 * job->gas.dt) {
            status = qdi_gas_run(air, 4 * job->gas.dt, job->gas.dt);
            if (status == QD_OK) sum_air(air, height * 0.69314718055994530942, job->planted, &sums);
        }
        double temperature = (sums.energy[0] + sums.energy[1]) / sums.disks;
        job->series[HEIGHT][block] = sums.heights / sums.disks / (temperature * height);
        job->series[EVEN][block] = sums.energy[1] / sums.count[1] / (sums.energy[0] / sums.count[0]);
    }
    return status;
}

// Job of the validation: the barometric formula.
static qd_status run_gravity(qdi_job *job, qd_error *error) {
    double height = 1 / job->setting; // kT / (m g)
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){AIR / (density * height), 40 * height}; // nobody comes near the ceiling
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    def.gravity.y = -job->setting * job->heavier;
    def.threshold = 0;
    def.continuous = QD_CONTINUOUS_ON;
    qd_world *air = NULL;
    qd_status status = qd_world_create(&def, &air);
    if (status == QD_OK) status = fill_air_column(job, height, def.size.x, air, error);
    if (status == QD_OK) status = measure_air(job, air, height);
    qd_world_destroy(air);
    return status;
}

// Plans the jobs of the barometric formula and its planted error.
static void plan_gravity(const qdi_case *self, qdi_plan *plan) {
    qdi_job job = {.work = run_gravity, .gas = qdi_gas_default(), .settle = 300, .setting = self->value};
    job.gas.dt = 0.25;
    job.heavier = 1;
    job.time = 4000;
    qdi_plan_add(plan, &job, wall_seeds(plan));
    job.time = 2000;
    job.heavier = 1.1;
    job.planted = 0.12;
    qdi_plan_add(plan, &job, TWIN_SEEDS);
}

// Case of walls: compares the column of air with the barometric formula.
static void judge_gravity(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    (void)self;
    size_t sound = (size_t)wall_seeds(plan);
    double reference = 1 + 0.25 * pi * density;
    qdi_row *row = qdi_rows_add(rows, "gravity_height", qdi_plan_estimate(plan, 0, sound, HEIGHT), reference,
                                0.02);
    qdi_row_note(row, "mean height of a thin gas over kT / (m g)");
    qdi_row_twin(row, "gravity times 1.1", qdi_plan_estimate(plan, sound, TWIN_SEEDS, HEIGHT));
    row = qdi_rows_add(rows, "gravity_even", qdi_plan_estimate(plan, 0, sound, EVEN), 1, 0.05);
    qdi_row_note(row, "temperature above the median height over that below");
    qdi_row_twin(row, "speeds above times 1.12", qdi_plan_estimate(plan, sound, TWIN_SEEDS, EVEN));
}

const qdi_case qdi_cases_walls[] = {
    {"wall", "a thin gas between walls", 0.02, plan_walls, judge_walls, false},
    {"gravity", "a thin gas in gravity", 0.1, plan_gravity, judge_gravity, false},
    {.name = NULL},
};
