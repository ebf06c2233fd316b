#pragma once

#include <quadrille/simd.h>

#include "sim/rigid/ccd.h"

/// Who is followed of disks that go straight (rigid/ccd_survey.c): most are not, and it takes little to see
/// that of many side by side: for what every processor has, and (the same lines, so the same bits) for AVX2.

typedef struct qdi_ccd_disks {
    const double *x, *y, *to_x, *to_y, *radius;
    double part;    ///< of its radius: who moves further is followed; no less than QDI_DRIVING_PART
    bool pressed;   ///< `flags` say who is followed in any case
    uint8_t *flags; ///< become QDI_FOLLOWED or 0
    uint32_t *rows; ///< get those that are followed, from `begin` on
} qdi_ccd_disks;

/// Surveys the disks [begin, end), and tells in `ways` what they do.
typedef void (*qdi_ccd_disks_survey)(const qdi_ccd_disks *disks, size_t begin, size_t end, qdi_ways *ways);

/// The one for an instruction set that is available; not AUTO.
qdi_ccd_disks_survey qdi_ccd_disks_survey_of(qd_simd simd);

void qdi_ccd_disks_portable(const qdi_ccd_disks *disks, size_t begin, size_t end, qdi_ways *ways);
#ifdef __x86_64__
void qdi_ccd_disks_avx2(const qdi_ccd_disks *disks, size_t begin, size_t end, qdi_ways *ways);
#endif
