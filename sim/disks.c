#define QDI_DISKS qdi_disks_plain
#include "sim/disks_kernel.h"

const qdi_disk_kernels *qdi_disk_kernels_of(qd_simd simd) {
    if (simd == QD_SIMD_AUTO) simd = qd_simd_best();
#ifdef __x86_64__
    if (simd >= QD_SIMD_AVX2) return &qdi_disks_avx2;
#endif
    return &qdi_disks_plain;
}
