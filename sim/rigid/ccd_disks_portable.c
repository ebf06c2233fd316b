// For every processor; and the choice between the instruction sets.
#define WIDTH 2
#ifdef __SSE2__
#    define QDI_DISKS_BITS(lanes) __builtin_ia32_movmskpd((vec)(lanes))
#endif
#include "sim/rigid/ccd_disks_kernel.h"

// Survey of disks, on any processor.
void qdi_ccd_disks_portable(const qdi_ccd_disks *disks, size_t begin, size_t end, qdi_ways *ways) {
    survey_disks(disks, begin, end, ways);
}

qdi_ccd_disks_survey qdi_ccd_disks_survey_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_AVX2 || simd == QD_SIMD_AVX512) return qdi_ccd_disks_avx2;
#endif
    return qdi_ccd_disks_portable;
}
