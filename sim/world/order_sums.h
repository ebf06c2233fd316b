#ifndef QD_SIM_ORDER_SUMS_H
#define QD_SIM_ORDER_SUMS_H

#include <quadrille/world.h>
#include <stdint.h>

/// Sums over the bodies that count of how far they have gone and how they lie.
typedef struct qdi_order_sums {
    uint64_t count;      ///< dynamic bodies that are no sensors
    double xx, yy;       ///< squares of displacements
    double fourth;       ///< fourth powers of these
    double psi6, re, im; ///< hexatic order: sizes, and its parts
} qdi_order_sums;

/// Metrics of order: these sums of a world that follows its bodies, on its team. There is no hexatic order
/// where bodies were added, removed or placed since the last detection, or would meet neighbours through two
/// images.
qdi_order_sums qdi_sum_order(const qd_world *world);

#endif
