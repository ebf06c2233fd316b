#include "core/base/block.h"

#include "core/base/memory.h"

#include <stdint.h>
#include <string.h>

// The size lies in a header as large as the alignment, in front of what the caller sees.
enum { HEADER = 64 };

// The size of a block of memory that a library allocated, from the header in front of it.
static size_t block_size(const void *block) {
    size_t bytes;
    memcpy(&bytes, (const unsigned char *)block - HEADER, sizeof bytes);
    return bytes;
}

void *qdi_block_allocate(const qd_allocator *allocator, size_t bytes) {
    if (bytes == 0 || bytes > SIZE_MAX - HEADER) return NULL;
    unsigned char *memory = qdi_allocate(allocator, bytes + HEADER, 1);
    if (!memory) return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    return memory + HEADER;
}

void qdi_block_release(const qd_allocator *allocator, void *block) {
    if (block) qdi_release(allocator, (unsigned char *)block - HEADER, block_size(block) + HEADER, 1);
}

void *qdi_block_resize(const qd_allocator *allocator, void *block, size_t bytes) {
    void *moved = qdi_block_allocate(allocator, bytes);
    if (!moved || !block) return moved;
    size_t before = block_size(block);
    memcpy(moved, block, before < bytes ? before : bytes);
    qdi_block_release(allocator, block);
    return moved;
}
