#pragma once

#include <quadrille/alloc.h>
#include <stddef.h>

/// Memory for libraries that call an allocate and a free function but pass no size when they free. A
/// block remembers its own size. Aligned to 64; NULL for zero bytes or where the allocator has none.
void *qdi_block_allocate(const qd_allocator *allocator, size_t bytes);

/// NULL is fine.
void qdi_block_release(const qd_allocator *allocator, void *block);

/// As realloc: the block moved to `bytes` bytes, or NULL with the old one untouched.
void *qdi_block_resize(const qd_allocator *allocator, void *block, size_t bytes);
