// Compiled for AVX2 and called only where the processor has it.
enum { WIDTH = 4 };
#ifdef __AVX2__
#    define QDI_MEET_ANY(lanes) (__builtin_ia32_movmskpd256((vec)(lanes)) != 0)
#endif
#define QDI_MEET_KERNEL qdi_meet_lanes_avx2
#include "sim/spring/meet_lanes_kernel.h"
