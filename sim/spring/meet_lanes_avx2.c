// Compiled for AVX2 and called only where the processor has it.
enum { WIDTH = 4 };
#define QDI_MEET_KERNEL qdi_meet_lanes_avx2
#include "sim/spring/meet_lanes_kernel.h"
