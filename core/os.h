#ifndef QD_CORE_OS_H
#define QD_CORE_OS_H

#include <stddef.h>

/// What this floor asks of the operating system beyond ISO C and OpenMP.

/// Bytes of a large page; memory of several of them is worth asking for.
#define QDI_LARGE_PAGE ((size_t)2 << 20)

/// Says that memory, beginning at a multiple of QDI_LARGE_PAGE, is to lie in large pages where there are any. A hint: nothing else
/// changes, and a system that knows no such thing does nothing.
void qdi_os_large_pages(void *memory, size_t bytes);

#endif
