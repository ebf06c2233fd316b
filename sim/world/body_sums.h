#pragma once

#include <quadrille/world.h>

#include "sim/world/tally.h"

#include <stdint.h>

/// Energies and momenta of bodies, in the two passes of an exact sum (tally.h): how large the terms are, and
/// their sums. Of a part (part.h) they are those of its own bodies; what all parts have found in one pass,
/// put together, is what the whole world finds in it.

/// Exact sums side by side that hold all of them.
enum { QDI_BODY_TALLIES = 3 };

/// What the first pass finds.
typedef struct qdi_body_sizes {
    qdi_tally_most most[QDI_BODY_TALLIES];
    double fastest;
    uint64_t bodies, dynamic;
} qdi_body_sizes;

/// What the second one finds.
typedef struct qdi_body_tallies {
    qdi_tally tally[QDI_BODY_TALLIES];
} qdi_body_tallies;

/// What a block of bodies adds to them.
typedef struct qdi_body_sums {
    qdi_body_sizes sizes;
    qdi_body_tallies tallies;
} qdi_body_sums;

/// Sums of a world: the first pass, on its team; and puts in what another part has found.
qdi_body_sizes qdi_see_bodies(const qd_world *world);
void qdi_body_sizes_merge(qdi_body_sizes *all, const qdi_body_sizes *other);

/// Sums of a world: the second pass, once the sizes of all terms are known; and puts in what another part has
/// found.
qdi_body_tallies qdi_add_bodies(const qd_world *world, const qdi_body_sizes *sizes);
void qdi_body_tallies_merge(qdi_body_tallies *all, const qdi_body_tallies *other);

/// Sums of a world: what both have found.
qd_world_sums qdi_body_sums_of(const qdi_body_sizes *sizes, const qdi_body_tallies *tallies);
