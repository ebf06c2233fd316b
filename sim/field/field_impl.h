#pragma once

#include <quadrille/field.h>

#include "sim/field/cell_sums.h"
#include "sim/world/branches.h"
#include "sim/world/world_impl.h"

#include <stdatomic.h>

/// What the files of the fields share: field.c measures bodies, field_stress.c contacts.

struct qd_field {
    const qd_allocator *allocator;
    qd_field_grid grid;
    uint64_t step;
    double time;
    size_t cells;
    qdi_cell_sums parts; ///< of bodies, then of contacts
    qdi_cell_most *most; ///< per range of them
    size_t most_room;
    qdi_branch *branches; ///< of springs, whose forces are those of the present state
    size_t branch_room;
    double *sums, *stress; ///< QDI_CELL_LANES a cell
    _Atomic uint32_t *ends;
    double *values; ///< quantity by quantity
    double *added;  ///< sums of these over `moments`, see field_mean.c; NULL until there are any
    uint64_t moments;
};

/// A measurement on its way.
typedef struct qdi_field_job {
    qd_field *field;
    const qd_world *world;
    const qdi_branch *branches;
    size_t count;
    double part;   ///< 1 / dt where the branches have impulses, 1 where they have forces
    bool stressed; ///< the contact stress is known
} qdi_field_job;

/// The number of the cell that a place is in, or that of all cells where it is in none.
uint64_t qdi_field_cell(const qd_field *field, const qd_world *world, double x, double y);

/// Fills the field's `stress` with sums of r_ab F by cell, and says in the job whether there are any.
QD_MUST_USE qd_status qdi_field_stress(qdi_field_job *job);
