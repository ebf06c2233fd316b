#pragma once

#include <quadrille/world.h>
#include <stdint.h>

#include "sim/world/tally.h"

/// Sums over the bodies that count of how far they have gone and how they lie.
typedef struct qdi_order_sums {
    uint64_t count;      ///< dynamic bodies that are no sensors
    double xx, yy;       ///< squares of displacements
    double fourth;       ///< fourth powers of these
    double psi6, re, im; ///< hexatic order: sizes, and its parts
} qdi_order_sums;

/// What a block of bodies adds to them (tally.h), once the largest displacements are known.
typedef struct qdi_order_block {
    uint64_t count;
    qdi_tally_most most;
    qdi_tally way, psi6;
} qdi_order_block;

/// Metrics of order: these sums of a world that follows its bodies, on its team. There is no hexatic order
/// where bodies were added, removed or placed since the last detection, or would meet neighbours through two
/// images.
qdi_order_sums qdi_sum_order(const qd_world *world);
