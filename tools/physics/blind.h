#pragma once

#include "tools/physics/gas.h"

/// An error that is planted: a gas in which some collisions are ignored until the two have separated. The
/// product has no such switch, so pairs that would meet in the coming step are made strangers for as long as
/// that takes: both disks are taken out and put back, at their places and with their velocities, as the only
/// members of a group that does not touch.
typedef struct qdi_blind qdi_blind;

/// `part`: of the collisions, which ones follows from the seed. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_blind_create(double part, uint64_t seed, qdi_blind **blind);
void qdi_blind_destroy(qdi_blind *blind);

/// qdi_gas_run with it, of equal disks of mass 1 in a periodic world.
QD_MUST_USE qd_status qdi_blind_run(qdi_blind *blind, qd_world *gas, double time, double dt);
