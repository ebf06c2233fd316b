#pragma once

#include "core/parallel/ranks.h"

/// Ranks that are processes, perhaps of several machines, started together by `mpirun` or the like. Only the
/// thread that began them makes their calls. What goes wrong with MPI itself, and the death of a process, end
/// all of them.

/// Begins MPI; `*ranks` are all the processes. Nothing longer than `piece` bytes is sent at once; 0: 1 GiB,
/// of the 2 GiB that MPI can. Errors, the same on all: QD_ERR_VALUE (more than QDI_RANKS_MAX), QD_ERR_MEMORY,
/// QD_ERR_STATE (MPI that bears no threads beside it); MPI has ended then.
QD_MUST_USE qd_status qdi_ranks_mpi_begin(int *argc, char ***argv, size_t piece, qdi_ranks **ranks);
/// Ends MPI, with all others. NULL is fine.
void qdi_ranks_mpi_end(qdi_ranks *ranks);
