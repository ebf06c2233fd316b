// Compiled for AVX2 and called only where the processor has it.
#ifdef __x86_64__
#    include "tools/bench/bench_motion.h"

#    define MOVE       qdi_bench_move_avx2
#    define MOVE_DISKS qdi_bench_move_disks_avx2

#    include "tools/bench/motion_loops.h"
#endif
