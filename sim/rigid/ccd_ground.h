#pragma once

#include "sim/rigid/ccd.h"

/// What a body that is stopped on its way is carried along with (rigid/ccd_ground.c). A carrier is the row of
/// a kinematic body, a wall that moves, or QDI_NO_ROW: nothing, the body stands.

/// The carrier that is a wall.
static inline uint32_t qdi_carrier_of_wall(int wall) {
    return QDI_NO_ROW - 1 - (uint32_t)wall;
}
/// True for a wall.
static inline bool qdi_carrier_is_wall(uint32_t carrier) {
    return QDI_NO_ROW - 1 - carrier < QDI_WALLS;
}
/// True for a kinematic body that moves in the step.
bool qdi_ccd_carries(const qd_world *world, uint32_t row);
/// A number by which carriers are in order, whatever their rows.
uint32_t qdi_ccd_name_of_carrier(const qdi_step *step, uint32_t carrier);
/// How far a carrier moves and turns what stands in a pose, from a time to the end of the step.
qdi_twist qdi_ccd_carry(const qdi_step *step, uint32_t carrier, double from, const qdi_pose *pose);
/// The mean velocity at which a stopped body is carried, from where it stands; zeros where nothing does. What
/// was stopped at once turns by itself.
qdi_twist qdi_ccd_carried(const qdi_step *step, uint32_t row, const qdi_pose *pose);
/// Finds the heaps of all bodies, once in a step. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_find_heaps(const qdi_step *step);
/// Finds the grounds of all bodies, in worlds where walls or kinematic bodies move. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_ccd_find_grounds(const qdi_step *step);
/// The ground of a body: what it moves along with when it is stopped at a time.
uint32_t qdi_ccd_ground_of(const qdi_step *step, uint32_t row, double stop);
