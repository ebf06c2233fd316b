#ifndef QD_SIM_PORTION_H
#define QD_SIM_PORTION_H

#include <quadrille/world.h>
#include <stddef.h>

/// Contacts from `first` on, for const passes over all of them that have as many slots as there are blocks of indices.
typedef struct qdi_portion {
    const qd_world *world;
    size_t first;
} qdi_portion;

#endif
