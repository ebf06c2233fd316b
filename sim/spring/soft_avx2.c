#define QDI_SOFT qdi_soft_avx2
#include "sim/spring/soft_kernel.h"
