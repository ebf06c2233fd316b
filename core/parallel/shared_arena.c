// Shared while workers run: the arena itself; the worker that has set `busy` may touch it. In a steady state
// that is for a few instructions.
#include "core/parallel/shared_arena.h"

#include "core/base/arena.h"
#include "core/base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 65536 };

/// The head of a block; pieces begin ALIGNMENT bytes after it.
typedef struct qdi_shared_arena_block {
    struct qdi_shared_arena_block *older;
    size_t bytes; // with the head
} qdi_shared_arena_block;

void qdi_shared_arena_lock(qdi_shared_arena *arena) {
    while (__atomic_exchange_n(&arena->busy, 1, __ATOMIC_ACQUIRE) != 0) {
    }
}

void qdi_shared_arena_unlock(qdi_shared_arena *arena) {
    __atomic_store_n(&arena->busy, 0, __ATOMIC_RELEASE);
}

size_t qdi_shared_arena_bytes(const qdi_shared_arena *arena) {
    size_t bytes = 0;
    for (const qdi_shared_arena_block *block = arena->block; block; block = block->older)
        bytes += block->bytes;
    return bytes;
}

// Threads' arena: adds a block of memory to the arena.
static bool arena_add_block(qdi_shared_arena *arena, const qd_allocator *allocator, size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT - QDI_ARENA_UNIT) return false;
    bytes = (bytes + ALIGNMENT + QDI_ARENA_UNIT - 1) / QDI_ARENA_UNIT * QDI_ARENA_UNIT;
    qdi_shared_arena_block *block = qdi_allocate(allocator, bytes, 1);
    if (!block) return false;
    *block = (qdi_shared_arena_block){arena->block, bytes};
    arena->block = block;
    arena->used = ALIGNMENT;
    return true;
}

qd_status qdi_shared_arena_reset(qdi_shared_arena *arena, const qd_allocator *allocator, size_t least) {
    const size_t held = qdi_shared_arena_bytes(arena);
    arena->used = ALIGNMENT;
    arena->taken = 0;
    arena->busy = 0;
    const bool whole = !arena->block || !arena->block->older;
    if (whole && (least == 0 || (arena->block && arena->block->bytes >= least + ALIGNMENT))) return QD_OK;
    qdi_shared_arena_release(arena, allocator);
    if (least > held) least += least / 4; // some reserve, should a little more be needed next time
    return arena_add_block(arena, allocator, least > held ? least : held) ? QD_OK : QD_ERR_MEMORY;
}

void qdi_shared_arena_trade(qdi_shared_arena *arena, const qd_allocator *allocator, void **memory,
                            size_t *bytes) {
    if (arena->block && arena->block->older) qdi_shared_arena_release(arena, allocator);
    qdi_shared_arena_block *mine = arena->block, *other = *bytes > ALIGNMENT ? *memory : NULL;
    if (*memory && !other) return; // too small for anything
    const size_t other_bytes = *bytes;
    *bytes = mine ? mine->bytes : 0;
    *memory = mine;
    if (other) *other = (qdi_shared_arena_block){NULL, other_bytes};
    arena->block = other;
    arena->used = ALIGNMENT;
}

// Threads' arena: cuts a piece off the arena, whose lock is held.
static void *arena_cut_piece(qdi_shared_arena *arena, const qd_allocator *allocator, size_t bytes) {
    if (!arena->block || arena->block->bytes - arena->used < bytes) {
        // Each block is as large as those before together, so there are few.
        size_t more = qdi_shared_arena_bytes(arena);
        if (more < FIRST_BLOCK) more = FIRST_BLOCK;
        if (!arena_add_block(arena, allocator, more < bytes ? bytes : more)) return NULL;
    }
    void *piece = (char *)arena->block + arena->used;
    arena->used += bytes;
    arena->taken += bytes;
    return piece;
}

void *qdi_shared_arena_take(qdi_shared_arena *arena, const qd_allocator *allocator, size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
    qdi_shared_arena_lock(arena);
    void *piece = arena_cut_piece(arena, allocator, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    qdi_shared_arena_unlock(arena);
    return piece;
}

// Threads' arena: releases the blocks of a shared arena; it is empty then.
void qdi_shared_arena_release(qdi_shared_arena *arena, const qd_allocator *allocator) {
    while (arena->block) {
        qdi_shared_arena_block *block = arena->block;
        arena->block = block->older;
        qdi_release(allocator, block, block->bytes, 1);
    }
    arena->used = ALIGNMENT;
}
