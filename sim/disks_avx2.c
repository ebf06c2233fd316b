#define QDI_DISKS qdi_disks_avx2
#include "sim/disks_kernel.h"
