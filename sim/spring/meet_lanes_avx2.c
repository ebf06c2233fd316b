#define QDI_MEET_KERNEL qdi_meet_lanes_avx2
#include "sim/spring/meet_lanes_kernel.h"
