#include "tools/physics/gas.h"

#include "core/base/memory.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

static const double pi = 3.14159265358979323846;

qdi_gas_def qdi_gas_default(void) {
    return (qdi_gas_def){.columns = 32,
                         .rows = 32,
                         .eta = 0.3,
                         .dt = 0.01,
                         .restitution = 1,
                         .seed = 1,
                         .diameter = 1,
                         .speed = 1};
}

void qdi_gas_settle(double *vx, double *vy, size_t count, double speed) {
    double mean_x = 0, mean_y = 0, energy = 0;
    for (size_t i = 0; i < count; ++i) {
        mean_x += vx[i] / (double)count;
        mean_y += vy[i] / (double)count;
    }
    for (size_t i = 0; i < count; ++i) {
        vx[i] -= mean_x;
        vy[i] -= mean_y;
        energy += 0.5 * (vx[i] * vx[i] + vy[i] * vy[i]);
    }
    double scale = speed * sqrt((double)(count - 1) / energy);
    for (size_t i = 0; i < count; ++i) {
        vx[i] *= scale;
        vy[i] *= scale;
    }
}

// Adds the disks of a gas on a lattice.
static qd_status add_gas_disks(const qdi_gas_def *def, qd_vec2 size, const double *vx, const double *vy,
                               qd_world *gas, qd_error *error) {
    qd_body_def disk = qd_body_def_default();
    disk.shape.radius = 0.5 * def->diameter;
    disk.mass = 1;
    disk.inertia = HUGE_VAL; // it does not turn
    qd_status status = QD_OK;
    for (int row = 0; status == QD_OK && row < def->rows; ++row) {
        for (int column = 0; status == QD_OK && column < def->columns; ++column) {
            size_t i = (size_t)row * (size_t)def->columns + (size_t)column;
            disk.position.x = (column + 0.25 + 0.5 * (row % 2)) * size.x / def->columns;
            disk.position.y = (row + 0.5) * size.y / def->rows;
            disk.velocity = (qd_vec2){vx[i], vy[i]};
            status = qd_world_add(gas, &disk, NULL, error);
        }
    }
    return status;
}

// Fills a gas with disks at random velocities.
static qd_status populate_gas(const qdi_gas_def *def, qd_vec2 size, qd_world *gas, qd_error *error) {
    size_t count = (size_t)def->columns * (size_t)def->rows;
    const qd_allocator *allocator = qd_allocator_default();
    double *vx = qdi_allocate(allocator, count, sizeof *vx), *vy = qdi_allocate(allocator, count, sizeof *vy);
    qd_status status = vx && vy ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) {
        for (size_t i = 0; i < count; ++i) {
            qd_random random = qd_random_at(def->seed, i, 0);
            qd_sincos(2 * pi * qd_random_uniform(&random), &vy[i], &vx[i]);
        }
        qdi_gas_settle(vx, vy, count, def->speed);
        status = add_gas_disks(def, size, vx, vy, gas, error);
    }
    qdi_release(allocator, vx, count, sizeof *vx);
    qdi_release(allocator, vy, count, sizeof *vy);
    return status;
}

qd_status qdi_gas_create(const qdi_gas_def *def, qd_world **gas, qd_error *error) {
    *gas = NULL;
    double area = qdi_gas_count(def) * 0.25 * pi / def->eta;
    double tall = def->rows * sqrt(3) /
                  (2 * def->columns); // height over width where neighbours are equally far
    qd_world_def world = qd_world_def_default();
    world.size.x = sqrt(area / tall);
    world.size.y = area / world.size.x;
    if (def->walls)
        world.size = (qd_vec2){world.size.x + 1, world.size.y + 1};
    else
        world.boundary_x = world.boundary_y = QD_BOUNDARY_PERIODIC;
    world.restitution = def->restitution;
    world.threshold = 0;
    world.continuous = def->continuous ? QD_CONTINUOUS_ON : QD_CONTINUOUS_OFF;
    qd_status status = qd_world_create(&world, gas);
    if (status == QD_OK) status = populate_gas(def, world.size, *gas, error);
    if (status == QD_OK) return QD_OK;
    qd_world_destroy(*gas);
    *gas = NULL;
    return status;
}

qd_status qdi_gas_run(qd_world *gas, double time, double dt) {
    qd_status status = QD_OK;
    for (double done = 0; status == QD_OK && done < time - 1e-9 * dt; done += dt) {
        status = qd_world_step(gas, dt, NULL);
    }
    return status;
}

// Copies a gas with other velocities.
static qd_status copy_gas_disks(const qd_world *from, const double *vx, const double *vy, qd_world *copy,
                                qd_error *error) {
    qd_body_view view = qd_world_view(from);
    qd_status status = QD_OK;
    qd_body_def disk = qd_body_def_default();
    disk.inertia = HUGE_VAL;
    for (size_t index = 0; status == QD_OK && index < view.index_count; ++index) {
        uint32_t row = view.row_of_index[index];
        disk.shape.radius = view.radius[row];
        disk.mass = view.mass[row];
        disk.position = (qd_vec2){view.x[row], view.y[row]};
        disk.velocity = (qd_vec2){vx[row], vy[row]};
        status = qd_world_add(copy, &disk, NULL, error);
    }
    return status;
}

qd_status qdi_gas_copy(const qd_world *from, const qd_world_def *def, double speed, qd_world **copy,
                       qd_error *error) {
    qd_body_view view = qd_world_view(from);
    const qd_allocator *allocator = qd_allocator_default();
    double *vx = qdi_allocate(allocator, view.count, sizeof *vx);
    double *vy = qdi_allocate(allocator, view.count, sizeof *vy);
    *copy = NULL;
    qd_status status = vx && vy ? qd_world_create(def, copy) : QD_ERR_MEMORY;
    if (status == QD_OK) {
        for (size_t row = 0; row < view.count; ++row) {
            vx[row] = view.vx[row];
            vy[row] = view.vy[row];
        }
        qdi_gas_settle(vx, vy, view.count, speed);
        status = copy_gas_disks(from, vx, vy, *copy, error);
    }
    qdi_release(allocator, vx, view.count, sizeof *vx);
    qdi_release(allocator, vy, view.count, sizeof *vy);
    if (status == QD_OK) return QD_OK;
    qd_world_destroy(*copy);
    *copy = NULL;
    return status;
}
