#pragma once

#include "sim/rigid/solver.h"
#include "sim/rigid/solver_job.h"

/// Units of the contact solver: what one thread solves by itself, all sub-steps of it, while its contacts lie
/// in the cache. A unit is a few islands; those that are too large for that make up unit 0, which all threads
/// solve together, colour by colour. Which unit a contact belongs to decides nothing: units share no body
/// that they move, and within one the colours have their order.

/// Finds out which unit each body belongs to (`unit_of` of the scratch) and how many there are. `same`: the
/// links are those of the call before.
QD_MUST_USE qd_status qdi_solver_find_units(qd_world *world, bool same);

/// True for units that were found for the present links, if those would be found again.
bool qdi_solver_units_hold(const qd_world *world, const qdi_solver_units *units);

/// Puts the links of `job->list`, which is in order of colour as `job->solved` says, in order of units, and
/// says what is where. Where there is one unit the list stays as it is. In the arena.
QD_MUST_USE qd_status qdi_solver_part(qdi_solver_job *job, qdi_solver_units *units);

/// Puts the rows of the movers in order of units, and says where those of each begin: its first mover is that
/// of `rows[first]`, which has number first + 1.
QD_MUST_USE qd_status qdi_solver_part_movers(qd_world *world, qdi_keys *rows, size_t count,
                                             qdi_solver_units *units);
