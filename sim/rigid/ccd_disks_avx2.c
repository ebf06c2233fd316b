// Compiled for AVX2 and called only where the processor has it.
#define WIDTH 4
#ifdef __AVX2__
#    define QDI_DISKS_BITS(lanes) __builtin_ia32_movmskpd256((vec)(lanes))
#endif
#include "sim/rigid/ccd_disks_kernel.h"

#ifdef __x86_64__
// Survey of disks, AVX2.
void qdi_ccd_disks_avx2(const qdi_ccd_disks *disks, size_t begin, size_t end, qdi_ways *ways) {
    survey_disks(disks, begin, end, ways);
}
#endif
