#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>

#include <stddef.h>

/// An arena that the workers of a loop share: each takes pieces of it, and all pieces are freed at once. What
/// one worker needs depends on which is faster; what all need together does not, so one arena for all is
/// smaller than one each. The memory is one block; where that was too small, more are added, and the next
/// time there is one as large as all of them.
typedef struct qdi_shared_arena {
    struct qdi_shared_arena_block *block; // the last, which links to the others
    size_t used;                          // of it
    size_t taken;                         // in all, since the beginning
    int busy;
} qdi_shared_arena;

/// Threads' arena: frees all pieces and makes one block of at least `least` bytes. Errors: QD_ERR_MEMORY;
/// then the arena holds no memory.
QD_MUST_USE qd_status qdi_shared_arena_reset(qdi_shared_arena *arena, const qd_allocator *allocator,
                                             size_t least);

/// A piece, aligned to 64 bytes. Any worker may call; it waits for the others. NULL where there is no memory.
void *qdi_shared_arena_take(qdi_shared_arena *arena, const qd_allocator *allocator, size_t bytes);

/// Threads' arena: its memory, and other memory of the same allocator, of so many bytes (NULL: of none),
/// change places; no piece is in use. Of several blocks none is left.
void qdi_shared_arena_trade(qdi_shared_arena *arena, const qd_allocator *allocator, void **memory,
                            size_t *bytes);

/// A lock that excludes other workers from these and from taking a piece: for calls of the allocator
/// elsewhere.
void qdi_shared_arena_lock(qdi_shared_arena *arena);
void qdi_shared_arena_unlock(qdi_shared_arena *arena);

/// Threads' arena: memory held.
size_t qdi_shared_arena_bytes(const qdi_shared_arena *arena);

void qdi_shared_arena_release(qdi_shared_arena *arena, const qd_allocator *allocator);
