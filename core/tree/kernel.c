#include "core/tree/kernel.h"

const qdi_kernels *qdi_kernels_of(qd_simd simd) {
    if (simd == QD_SIMD_AUTO) simd = qd_simd_best();
#ifdef __x86_64__
    if (simd == QD_SIMD_SSE2) return &qdi_kernels_sse2;
    if (simd == QD_SIMD_AVX2) return &qdi_kernels_avx2;
    if (simd == QD_SIMD_AVX512) return &qdi_kernels_avx512;
#endif
#ifdef __AARCH64EL__
    if (simd == QD_SIMD_NEON) return &qdi_kernels_neon;
#endif
    return &qdi_kernels_portable;
}
