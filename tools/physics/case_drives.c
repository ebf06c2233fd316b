// What drives worlds: a medium with a temperature, compression to where disks jam, and walls that carry
// grains.
//
// Medium: free disks, gamma the drag and m = kT = 1. m v^2 / 2 is kT on average, velocities forget themselves
// as exp(-gamma t), and so the mean squared way is 4 kT / gamma^2 (gamma t - 1 + exp(-gamma t)) (Ornstein and
// Fuerth).
//
// Jamming: frictionless disks, half of them 1.4 times as large as the others, are compressed well past the
// point where they jam, come to rest, and the world grows again until next to no pressure is left: at 0.840
// of the area where worlds are large, 0.835 to 0.850 going by how they were compressed (Meer and others,
// arXiv:2404.02316).
//
// Silo: what is poured in on top of a column of grains is carried by the walls. Without friction all of it is
// felt by the floor.
#include "tools/physics/physics.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

static const double pi = 3.14159265358979323846;

// ---- a medium ----

enum { FREE_KT, FREE_WAY, FREE_MEMORY, FREE = 1024, FREE_SEEDS = 8, FREE_TWINS = 2 };
/// Part of the drag and factor of the temperature, planted.
static const double less_drag = 0.75, more_heat = 1.1;
static const double way_after = 10; ///< time; and memory after 1

// Case of drives: measures free disks under the Langevin thermostat.
static qd_status measure_free(qdi_job *job, qd_world *world, int block) {
    static const double dt = 0.1;
    double x[FREE], y[FREE], vx[FREE], vy[FREE], way = 0, memory = 0, energy = 0;
    qd_body_view view = qd_world_view(world);
    for (uint32_t i = 0; i < FREE; ++i) {
        uint32_t row = view.row_of_index[i];
        x[i] = view.x[row], y[i] = view.y[row], vx[i] = view.vx[row], vy[i] = view.vy[row];
    }
    qd_status status = QD_OK;
    int steps = (int)(way_after / dt + 0.5);
    for (int k = 1; status == QD_OK && k <= steps; ++k) {
        status = qd_world_step(world, dt, NULL);
        energy += qd_world_sum(world).translation / FREE / steps;
        view = qd_world_view(world);
        for (uint32_t i = 0; i < FREE && (k == 10 || k == steps); ++i) {
            uint32_t row = view.row_of_index[i];
            double dx = view.x[row] - x[i], dy = view.y[row] - y[i];
            if (k == 10) memory += (vx[i] * view.vx[row] + vy[i] * view.vy[row]) / (2 * FREE);
            if (k == steps) way += (dx * dx + dy * dy) / FREE;
        }
    }
    job->series[FREE_KT][block] = energy;
    job->series[FREE_WAY][block] = way / (4 * (way_after - 1 + qd_exp(-way_after)));
    job->series[FREE_MEMORY][block] = memory;
    return status;
}

// Job of the validation: free disks under the Langevin thermostat.
static qd_status run_free(qdi_job *job, qd_error *error) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    def.contact = QD_CONTACT_NONE;
    def.drag.linear = job->planted > 0 ? less_drag : 1;
    def.drag.temperature = job->planted > 0 ? more_heat : 1;
    def.seed = job->gas.seed;
    qd_world *world = NULL;
    qd_status status = qd_world_create(&def, &world);
    qd_body_def disk = qd_body_def_default();
    disk.mass = 1;
    for (int i = 0; status == QD_OK && i < FREE; ++i) {
        disk.position = (qd_vec2){3.0 * (i % 32), 3.0 * (double)(i / 32)};
        status = qd_world_add(world, &disk, NULL, error);
    }
    if (status == QD_OK) status = qdi_gas_run(world, 10, 0.1); // they start at rest
    for (int block = 0; status == QD_OK && block < QDI_BLOCKS; ++block)
        status = measure_free(job, world, block);
    qd_world_destroy(world);
    return status;
}

// Plans the jobs of the Langevin thermostat and its planted error.
static void plan_free(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_twins(plan, run_free, self->value, FREE_SEEDS, 1, FREE_TWINS);
}

// Compares the Langevin thermostat with its references.
static void judge_free(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    (void)self;
    static const char *const names[] = {"langevin_temperature", "langevin_way", "langevin_memory"};
    static const char *const notes[] = {"energy of free disks over kT",
                                        "mean squared way after 10 / gamma over Fuerth's",
                                        "of velocities, after 1 / gamma"};
    const double references[] = {1, 1, 0.36787944117144232160};
    for (int k = 0; k < 3; ++k) {
        qdi_row *row = qdi_rows_add(rows, names[k], qdi_plan_estimate(plan, 0, FREE_SEEDS, k), references[k],
                                    0.02);
        qdi_row_note(row, "%s", notes[k]);
        qdi_row_twin(row, k == 0 ? "temperature times 1.1" : "drag times 0.75, temperature times 1.1",
                     qdi_plan_estimate(plan, FREE_SEEDS, FREE_TWINS, k));
    }
}

// ---- jamming ----

enum { SIDE = 20, JAM_SEEDS = 8, JAM_SEEDS_LONG = 16, JAM_TWINS = 2 };

/// A mixed gas, half of whose disks are large; `larger`: times all radii.
static qd_status make_mixture(uint64_t seed, double larger, qd_world **gas, qd_error *error) {
    qd_world_def def = qd_world_def_default();
    def.size.x = def.size.y = SIDE * sqrt(0.5 * 0.25 * pi * (1 + 1.96) / 0.5); // they cover half of it
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.threshold = 0;
    def.continuous = QD_CONTINUOUS_OFF;
    qd_status status = qd_world_create(&def, gas);
    int large = SIDE * SIDE / 2;
    for (int i = 0; status == QD_OK && i < SIDE * SIDE; ++i) {
        qd_random random = qd_random_at(seed, (uint64_t)i, 0);
        bool is_large = qd_random_uniform(&random) * (SIDE * SIDE - i) < large;
        large -= is_large;
        qd_body_def disk = qd_body_def_default();
        disk.shape.radius = (is_large ? 0.7 : 0.5) * larger;
        disk.mass = is_large ? 1.96 : 1;
        disk.inertia = HUGE_VAL;
        disk.position = (qd_vec2){(i % SIDE + 0.5) * def.size.x / SIDE, (i / SIDE + 0.5) * def.size.y / SIDE};
        disk.velocity = (qd_vec2){qd_random_normal(&random), qd_random_normal(&random)};
        status = qd_world_add(*gas, &disk, NULL, error);
    }
    return status;
}

/// Case of drives: the same disks on springs, as good as at rest, in a world of the same size that changes.
/// NULL is made of NULL.
static qd_status press_packing(const qd_world *from, double rate, double fraction, double pressure,
                               qd_world **world, qd_error *error) {
    qd_world_def def = qd_world_definition(from);
    qd_vec2 low, high;
    qd_world_sides(from, &low, &high);
    def.origin = low;
    def.size = (qd_vec2){high.x - low.x, high.y - low.y};
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 1000;
    def.restitution = 0.3;
    def.drag.linear = 2;
    def.compression = (qd_compression){{rate, rate}, fraction, pressure};
    return qdi_gas_copy(from, &def, 1e-6, world, error);
}

static const double over = 0.87; ///< area fraction that they are pressed to

// Job of the validation: the density at which disks jam.
static qd_status run_jamming(qdi_job *job, qd_error *error) {
    const double dt = 0.004, larger = 1 + job->planted;
    qd_world *gas = NULL, *packing = NULL, *loosened = NULL;
    qd_status status = make_mixture(job->gas.seed, larger, &gas, error);
    if (status == QD_OK) status = qdi_gas_run(gas, 15, 0.02);
    if (status == QD_OK) status = press_packing(gas, 0.04, over, HUGE_VAL, &packing, error);
    if (status == QD_OK) status = qdi_gas_run(packing, 13, dt);
    if (status == QD_OK) status = press_packing(packing, -0.003, HUGE_VAL, 0.05, &loosened, error);
    if (status == QD_OK) status = qdi_gas_run(loosened, 10, dt);
    if (status == QD_OK) {
        qd_metrics metrics;
        qd_world_measure(loosened, &metrics);
        qdi_job_keep(job, 0, metrics.fraction / (larger * larger));
    }
    qd_world_destroy(gas);
    qd_world_destroy(packing);
    qd_world_destroy(loosened);
    return status;
}

// Plans the jobs of jamming and its planted error.
static void plan_jamming(const qdi_case *self, qdi_plan *plan) {
    qdi_plan_twins(plan, run_jamming, self->value, plan->brief ? JAM_SEEDS : JAM_SEEDS_LONG, 0.02, JAM_TWINS);
}

// Compares the jamming density with its reference.
static void judge_jamming(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    size_t sound = plan->count - JAM_TWINS;
    qdi_row *row = qdi_rows_add(rows, self->name, qdi_plan_estimate_runs(plan, 0, sound, 0), 0.84, 0.005);
    qdi_row_note(row, "area fraction where disks of two sizes lose their pressure");
    qdi_row_twin(row, "radii times 1.02", qdi_plan_estimate_runs(plan, sound, JAM_TWINS, 0));
}

// ---- a silo ----

enum {
    SILO_ADDED,
    SILO_FLOOR,
    SILO_SEEDS = 4,
    SILO_SEEDS_LONG = 8,
    FIRST_FILL = 330,
    SECOND_FILL = 530,
    PER_ROW = 6
};
static const double silo_width = 6, silo_step = 0.0045, silo_settle = 20;

/// Case of drives: rows of grains, from a height on, as loose as they fall.
static qd_status pour_grains(qdi_job *job, qd_world *silo, int first, int end, double height,
                             qd_error *error) {
    qd_status status = QD_OK;
    for (int i = first; status == QD_OK && i < end; ++i) {
        qd_random random = qd_random_at(job->gas.seed, (uint64_t)i, 0);
        qd_body_def grain = qd_body_def_default();
        grain.shape.radius = 0.4 + 0.2 * qd_random_uniform(&random);
        grain.position.x = (i % PER_ROW + 0.4 + 0.2 * qd_random_uniform(&random)) * silo_width / PER_ROW;
        grain.position.y = height + 1.25 * ((double)((i - first) / PER_ROW) + 0.5);
        status = qd_world_add(silo, &grain, NULL, error);
    }
    return status;
}

/// Case of drives: lets them settle; then what the floor carries, and what they weigh.
static qd_status weigh_silo(qd_world *silo, double settle, double *load, double *weight) {
    const double time = 4;
    qd_metrics before, after;
    qd_status status = qdi_gas_run(silo, settle, silo_step);
    qd_world_measure(silo, &before);
    if (status == QD_OK) status = qdi_gas_run(silo, time, silo_step);
    qd_world_measure(silo, &after);
    *load = (after.push_bottom - before.push_bottom) / (after.time - before.time);
    *weight = qd_world_sum(silo).mass; // gravity is 1
    return status;
}

// Case of drives: height of the filling of a silo.
static double silo_top(const qd_world *silo) {
    qd_body_view view = qd_world_view(silo);
    double top = 0;
    for (size_t r = 0; r < view.count; ++r)
        if (view.y[r] + view.radius[r] > top) top = view.y[r] + view.radius[r];
    return top;
}

// Job of the validation: the weight on the floor of a silo.
static qd_status run_silo(qdi_job *job, qd_error *error) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){silo_width, 200};
    def.gravity.y = -1;
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 400;
    def.restitution = 0.2;
    def.friction = job->planted > 0 ? 0 : job->setting;
    def.drag.linear = 0.3; // falls softly, and comes to rest; what is at rest does not feel it
    const double settle = job->planted > 0 ? 2.5 * silo_settle
                                           : silo_settle; // smooth grains go on sliding for long
    qd_world *silo = NULL;
    double load[2] = {0, 0}, weight[2] = {0, 0};
    qd_status status = qd_world_create(&def, &silo);
    if (status == QD_OK) status = pour_grains(job, silo, 0, FIRST_FILL, 0, error);
    if (status == QD_OK) status = weigh_silo(silo, settle, &load[0], &weight[0]);
    if (status == QD_OK) status = pour_grains(job, silo, FIRST_FILL, SECOND_FILL, silo_top(silo), error);
    if (status == QD_OK) status = weigh_silo(silo, settle, &load[1], &weight[1]);
    qdi_job_keep(job, SILO_ADDED, (load[1] - load[0]) / (weight[1] - weight[0]));
    qdi_job_keep(job, SILO_FLOOR, load[1] / weight[1]);
    qd_world_destroy(silo);
    return status;
}

// Plans the jobs of the silo and its planted error.
static void plan_silo(const qdi_case *self, qdi_plan *plan) {
    const int seeds = plan->brief ? SILO_SEEDS : SILO_SEEDS_LONG;
    qdi_plan_twins(plan, run_silo, self->value, seeds, 1, seeds / 2);
}

// Case of drives: compares the silo with Janssen's law.
static void judge_silo(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    (void)self;
    size_t twins = plan->count / 3, sound = plan->count - twins;
    qdi_row *row = qdi_rows_add(rows, "janssen", qdi_plan_estimate_runs(plan, 0, sound, SILO_ADDED), 0, 0.15);
    qdi_row_note(row, "of what is added, part that the floor feels; it feels %.2f of all",
                 qdi_plan_estimate_runs(plan, 0, sound, SILO_FLOOR).mean);
    qdi_row_twin(row, "no friction", qdi_plan_estimate_runs(plan, sound, twins, SILO_ADDED));
    row = qdi_rows_add(rows, "janssen_smooth", qdi_plan_estimate_runs(plan, sound, twins, SILO_FLOOR), 1,
                       0.01);
    qdi_row_note(row, "without friction, part of the weight that the floor feels");
    qdi_row_twin(row, "friction 0.5", qdi_plan_estimate_runs(plan, 0, sound, SILO_FLOOR));
}

const qdi_case qdi_cases_drives[] = {
    {"langevin", "free disks in a medium with a temperature", 0, plan_free, judge_free, false},
    {"jamming", "frictionless disks of two sizes jam", 0, plan_jamming, judge_jamming, false},
    {"janssen", "walls of a silo carry what is in it", 0.5, plan_silo, judge_silo, false},
    {.name = NULL},
};
