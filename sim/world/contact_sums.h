#pragma once

#include <quadrille/world.h>

#include "core/parallel/parallel.h"
#include "sim/world/tally.h"

#include <stddef.h>
#include <stdint.h>

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

/// What is measured of contacts, in the two passes of an exact sum (tally.h). Of a part (part.h) it is that
/// of its own contacts; what all parts have found in one pass, put together, is what the whole world finds in
/// it. Ends, overlap and energy are those of contacts that are not with a sensor.
typedef struct qdi_contact_sizes {
    uint64_t contacts;   ///< that touch
    uint64_t terms;      ///< contacts that were looked at, with springs the speculative ones too
    uint64_t ends;       ///< dynamic bodies, each once per contact
    double deepest;      ///< overlap
    qdi_tally_most most; ///< energy of springs
} qdi_contact_sizes;

/// What a block of contacts adds to it, and the energy of its springs.
typedef struct qdi_contact_block {
    qdi_contact_sizes sizes;
    qdi_tally tally;
} qdi_contact_block;

/// Sums over present contacts: the first pass, on the world's team; and puts in what another part has found.
qdi_contact_sizes qdi_see_contacts(const qd_world *world);
void qdi_contact_sizes_merge(qdi_contact_sizes *all, const qdi_contact_sizes *other);
/// Sums over present contacts: the second pass, once the sizes of all terms are known. The energy is in the
/// first lane.
qdi_tally qdi_add_contacts(const qd_world *world, const qdi_contact_sizes *sizes);

/// The pressure of qd_metrics.
double qdi_pressure(const qd_world *world);
/// Energy of springs in the present contacts.
double qdi_contact_energy(const qd_world *world);
