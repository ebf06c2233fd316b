// For every processor; and the choice between the instruction sets.
#include "sim/step/disks_kernel.h"

// Moves disks on any processor.
qdi_disks_found qdi_disks_move_portable(const qdi_disks *disks, size_t begin, size_t end) {
    return move_disks_kernel(disks, begin, end);
}

qdi_disks_move qdi_disks_move_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_AVX2 || simd == QD_SIMD_AVX512) return qdi_disks_move_avx2;
#endif
    return qdi_disks_move_portable;
}
