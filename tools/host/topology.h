#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>

/// Which processors the machine has and what they share, by the library hwloc.

/// A processor as the system counts them: one of the threads that a core runs. Cores and nodes (of memory)
/// are counted through the machine.
typedef struct qdi_topology_processor {
    int number, core, node;
} qdi_topology_processor;

/// In the machine's order, so that neighbours share most: all of a core one after the other, then all of a
/// node.
typedef struct qdi_topology {
    qdi_topology_processor *processors;
    size_t count, room;
} qdi_topology;

/// True where this program was built with hwloc.
bool qdi_topology_known(void);

/// Reads those of the machine that are in `allowed`. `synthetic`: a machine that is made up, as hwloc
/// describes one ("numa:2 core:4 pu:2"); NULL: this one. The result is freed by qdi_topology_free, also after
/// an error. Errors: QD_ERR_ARGUMENT, where the program was built without hwloc; QD_ERR_IO, where hwloc reads
/// nothing (both with one line in `error`); QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_topology_read(const char *synthetic, const int *allowed, size_t allowed_count,
                                        qdi_topology *topology, qd_error *error);

/// Frees what was read; one with nothing in it is fine.
void qdi_topology_free(qdi_topology *topology);
