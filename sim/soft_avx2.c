#define QDI_SOFT qdi_soft_avx2
#include "sim/soft_kernel.h"
