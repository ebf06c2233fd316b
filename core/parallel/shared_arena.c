// Shared while workers run: the pool itself, by whoever has set `busy`. In a steady state that is for a few
// instructions.
#include "core/parallel/shared_arena.h"

#include "core/base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 65536 };

/// The head of a block; pieces begin ALIGNMENT bytes after it.
typedef struct qdi_pool_block {
    struct qdi_pool_block *older;
    size_t bytes; // with the head
} qdi_pool_block;

void qdi_pool_enter(qdi_pool *pool) {
    while (__atomic_exchange_n(&pool->busy, 1, __ATOMIC_ACQUIRE) != 0) {
    }
}

void qdi_pool_leave(qdi_pool *pool) {
    __atomic_store_n(&pool->busy, 0, __ATOMIC_RELEASE);
}

size_t qdi_pool_bytes(const qdi_pool *pool) {
    size_t bytes = 0;
    for (const qdi_pool_block *block = pool->block; block; block = block->older) bytes += block->bytes;
    return bytes;
}

static bool block_add(qdi_pool *pool, const qd_allocator *allocator, size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT) return false;
    qdi_pool_block *block = qdi_allocate(allocator, bytes + ALIGNMENT, 1);
    if (!block) return false;
    *block = (qdi_pool_block){pool->block, bytes + ALIGNMENT};
    pool->block = block;
    pool->used = ALIGNMENT;
    return true;
}

qd_status qdi_pool_begin(qdi_pool *pool, const qd_allocator *allocator, size_t least) {
    const size_t held = qdi_pool_bytes(pool);
    pool->used = ALIGNMENT;
    pool->taken = 0;
    pool->busy = 0;
    const bool whole = !pool->block || !pool->block->older;
    if (whole && (least == 0 || (pool->block && pool->block->bytes >= least + ALIGNMENT))) return QD_OK;
    qdi_pool_release(pool, allocator);
    if (least > held) least += least / 4; // whoever needs a little more next time has it
    return block_add(pool, allocator, least > held ? least : held) ? QD_OK : QD_ERR_MEMORY;
}

static void *take(qdi_pool *pool, const qd_allocator *allocator, size_t bytes) {
    if (!pool->block || pool->block->bytes - pool->used < bytes) {
        // Each block is as large as those before together, so there are few.
        size_t more = qdi_pool_bytes(pool);
        if (more < FIRST_BLOCK) more = FIRST_BLOCK;
        if (!block_add(pool, allocator, more < bytes ? bytes : more)) return NULL;
    }
    void *piece = (char *)pool->block + pool->used;
    pool->used += bytes;
    pool->taken += bytes;
    return piece;
}

void *qdi_pool_take(qdi_pool *pool, const qd_allocator *allocator, size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
    qdi_pool_enter(pool);
    void *piece = take(pool, allocator, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    qdi_pool_leave(pool);
    return piece;
}

void qdi_pool_release(qdi_pool *pool, const qd_allocator *allocator) {
    while (pool->block) {
        qdi_pool_block *block = pool->block;
        pool->block = block->older;
        qdi_release(allocator, block, block->bytes, 1);
    }
    pool->used = ALIGNMENT;
}
