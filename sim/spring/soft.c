#define QDI_SOFT qdi_soft_plain
#include "sim/spring/soft_kernel.h"

// The kernels that move spring disks at this SIMD level.
const qdi_soft_kernels *qdi_soft_kernels_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_AVX512) return &qdi_soft_avx512;
    if (simd == QD_SIMD_AVX2) return &qdi_soft_avx2;
#endif
    return &qdi_soft_plain;
}
