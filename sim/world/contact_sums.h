#ifndef QD_SIM_CONTACT_SUMS_H
#define QD_SIM_CONTACT_SUMS_H

#include <quadrille/world.h>

#include "core/parallel/parallel.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/tally.h"

#include <stddef.h>

/// Contacts from `first` on, for const passes over all of them that have as many slots as there are blocks of
/// indices.
typedef struct qdi_contact_range {
    const qd_world *world;
    size_t first;
} qdi_contact_range;

/// Contacts by ranges of as many blocks as there are slots: `pass` over one, from `*first` on, which moves
/// on. The number of its blocks; 0: there are no more.
size_t qdi_next_contacts(qdi_range_function pass, qdi_contact_range *range, void *job, size_t *first,
                         size_t count);

/// What a block of contacts shows, and the energy of its springs as an exact sum.
typedef struct qdi_contact_block {
    qdi_contact_sums sums;
    qdi_tally_most most;
    qdi_tally tally;
} qdi_contact_block;

/// Ends of the present contacts at dynamic bodies, the deepest overlap, and the energy of springs. On the
/// world's team.
qdi_contact_sums qdi_sum_contacts(const qd_world *world);

/// The pressure of qd_metrics.
double qdi_pressure(const qd_world *world);
/// Energy of springs in the present contacts.
double qdi_contact_energy(const qd_world *world);

#endif
