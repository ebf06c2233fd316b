// Compiled for AVX2 and called only where the processor has it; wider vectors would wait for memory.
#include "sim/step/disks_kernel.h"

#ifdef __x86_64__
// Moves disks, with AVX2.
qdi_disks_found qdi_disks_move_avx2(const qdi_disks *disks, size_t begin, size_t end) {
    return move_disks_kernel(disks, begin, end);
}
#endif
