#define QDI_SOFT qdi_soft_avx512
#include "sim/spring/soft_kernel.h"
