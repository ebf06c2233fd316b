#pragma once

#include <quadrille/world.h>

#include "sim/world/feature.h"

/// The contact model that has no contacts: forces alone change velocities.
extern const qdi_feature qdi_no_contact_feature;
/// Velocities of `next` as those of `now`.
void qdi_forces_begin(qd_world *world);
/// Adds to the velocities of `next` what forces give in `dt`; where more than gravity acts, notes the
/// flights.
QD_MUST_USE qd_status qdi_forces_kick(qd_world *world, double dt);
/// After the move: gives to bodies that met nothing what the forces at their new places differ from those at
/// the old ones. Puts the lowest index that breaks a limit into `lowest_bad`, per range of QDI_BODY_GRAIN,
/// where it is lower.
void qdi_forces_finish(qd_world *world, double dt, uint32_t *lowest_bad);
/// True where bodies have the same velocities after a step: nothing pushes them, and no side turns them
/// round.
bool qdi_forces_none(const qd_world *world);
/// True where forces depend on the place.
bool qdi_forces_vary(const qd_world *world);
/// True where a medium or a callback takes or gives energy.
bool qdi_forces_settle(const qd_world *world);
/// Why attraction or drag are refused, or QD_OK.
QD_MUST_USE qd_status qdi_forces_check(const qd_world_def *def, qd_error *error);
/// Acceleration by the attraction at a place, and its potential energy per mass.
qd_vec2 qdi_attraction_at(const qd_attraction *pull, const qdi_axis axis[2], double x, double y);
double qdi_attraction_energy(const qd_attraction *pull, const qdi_axis axis[2], double x, double y);
