#pragma once

#include <quadrille/metrics.h>
#include <quadrille/status.h>
#include <quadrille/world.h>

/// Equal disks of mass 1, diameter 1 and temperature 1 (k = 1), in a world that is only used through the
/// library's public functions. Disks start on a stretched triangular lattice with equal speeds in random
/// directions, so that the order of a liquid and Maxwell's speeds are what the simulation has to make by
/// itself.
typedef struct qdi_gas_def {
    int columns, rows; ///< of the lattice; rows are even
    double eta;        ///< area fraction that the disks are meant to have
    double dt;
    bool continuous;    ///< ways are followed: no bounce is late
    bool walls;         ///< on all four sides; `eta` is that in the area where centres can be
    double restitution; ///< 1: elastic
    uint64_t seed;
    double diameter; ///< that the disks really have; 1, or a planted error
    double speed;    ///< that all speeds are multiplied by; 1, or a planted error
} qdi_gas_def;

/// A gas of some thousand disks that nothing is wrong with.
qdi_gas_def qdi_gas_default(void);

/// Makes a gas in a world that is periodic, or has walls. Errors: those of qd_world_create and qd_world_add.
QD_MUST_USE qd_status qdi_gas_create(const qdi_gas_def *def, qd_world **gas, qd_error *error);

/// The number of disks.
static inline double qdi_gas_count(const qdi_gas_def *def) {
    return (double)def->columns * (double)def->rows;
}

/// Steps until `time` more has gone by, to the next step.
QD_MUST_USE qd_status qdi_gas_run(qd_world *gas, double time, double dt);

/// The same disks, at the same places, in a world of another def: a gas that was brought to equilibrium goes
/// on with another restitution. Velocities are settled (see below).
QD_MUST_USE qd_status qdi_gas_copy(const qd_world *from, const qd_world_def *def, double speed,
                                   qd_world **copy, qd_error *error);

/// Takes away the mean of `count` > 1 velocities and scales them to a temperature of `speed` squared, E /
/// (count - 1).
void qdi_gas_settle(double *vx, double *vy, size_t count, double speed);
