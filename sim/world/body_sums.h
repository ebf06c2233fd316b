#ifndef QD_SIM_BODY_SUMS_H
#define QD_SIM_BODY_SUMS_H

#include "sim/world/tally.h"

/// What a block of bodies adds to the sums of a world (qd_world_sum).
enum { QDI_BODY_TALLIES = 3 };
typedef struct qdi_body_sums {
    qdi_tally_most most[QDI_BODY_TALLIES];
    qdi_tally tally[QDI_BODY_TALLIES];
    double fastest;
} qdi_body_sums;

#endif
