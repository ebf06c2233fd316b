#define _DEFAULT_SOURCE // madvise
#include "core/os.h"

#ifdef __linux__
#    include <sys/mman.h>
#endif

void qdi_os_large_pages(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, bytes, MADV_HUGEPAGE); // refused: small pages do as well
#else
    (void)memory;
    (void)bytes;
#endif
}
