// For every processor; and the choice between the instruction sets.
enum { WIDTH = 2 };
#define QDI_MEET_KERNEL qdi_meet_lanes_portable
#include "sim/spring/meet_lanes_kernel.h"

// The kernel of springs that meet at this SIMD level.
qdi_meet_kernel qdi_meet_kernel_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd >= QD_SIMD_AVX2) return qdi_meet_lanes_avx2;
#endif
    return qdi_meet_lanes_portable;
}
