#pragma once

#include "sim/rigid/solver.h"
#include "sim/rigid/solver_job.h"

/// Units of the contact solver: what one thread solves by itself, all sub-steps of it, while its contacts lie
/// in the cache. A unit is a few islands; those that are too large for that are unit 0 to begin with, and cut
/// into domains (solver_domains.h), which are the first units then. Which unit a contact belongs to decides
/// nothing: units share no body that they move, domains go by the order of colours where they do, and within
/// one the colours have their order.

/// Finds out which unit each body belongs to (`unit_of` of the scratch) and how many there are, where all
/// domains are one. `same`: the links are those of the call before.
QD_MUST_USE qd_status qdi_solver_find_units(qd_world *world, bool same);

/// How many units there are beside the first one: none where something moves that contacts do not.
size_t qdi_solver_units_apart(const qd_world *world);

/// True for units that were found for the present links, if those would be found again.
bool qdi_solver_units_hold(const qd_world *world, const qdi_solver_units *units);

/// Says what of `job->list`, which qdi_solver_list made for the units' domains, is where; where there are
/// other units, too, it is put in their order before. In the arena.
QD_MUST_USE qd_status qdi_solver_part(qdi_solver_job *job, qdi_solver_units *units);

/// Puts the rows of the movers in order of units, and says where those of each begin: its first mover is that
/// of `rows[first]`, which has number first + 1.
QD_MUST_USE qd_status qdi_solver_part_movers(qd_world *world, qdi_keys *rows, size_t count,
                                             qdi_solver_units *units);
