#ifndef QD_SIM_RIGID_CCD_STOP_H
#define QD_SIM_RIGID_CCD_STOP_H

#include "sim/rigid/ccd.h"

#include <string.h>

/// When somebody is stopped in a step (rigid/ccd_stop.c), for the rounds of that (rigid/ccd_clamp.c).

/// Stops of ccd: a positive time, so that it can be compared by its bits.
static inline uint64_t qdi_time_bits(double time) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

/// Visitors (qdi_ccd_visitor): lower the times in `stops` at which two, or a body at a wall, are stopped, and
/// note whom a kinematic body may have to carry.
void qdi_ccd_stop_pair(const qdi_step *step, uint32_t a, uint32_t b, qd_image image, int worker);
void qdi_ccd_stop_at_wall(const qdi_step *step, uint32_t row, int wall, int worker);

#endif
