#pragma once

#include <quadrille/alloc.h>
#include <stddef.h>

/// Working memory of a phase: arrays are taken one after the other while it runs, and all given back together
/// when it ends. The memory is kept for the next phase. One thread.

enum { QDI_ARENA_CHUNKS = 40 };
/// Bytes that memory to be traded is a multiple of: a number of items of most sizes.
enum { QDI_ARENA_UNIT = 192 };

/// Zero but for `allocator` at first.
typedef struct qdi_arena {
    const qd_allocator *allocator;
    struct {
        unsigned char *memory;
        size_t room, used;
    } chunk[QDI_ARENA_CHUNKS];
    size_t count, at; ///< chunks, and the one in use
    size_t wanted;    ///< bytes of the next first chunk
} qdi_arena;

/// Room for `count` items of `size` bytes, aligned to 64, until the arena is emptied. NULL: no memory, or the
/// product overflows; not where it is zero.
void *qdi_arena_take(qdi_arena *arena, size_t count, size_t size);
/// Gives everything back. What did not fit one chunk is one chunk from the next use on.
void qdi_arena_empty(qdi_arena *arena);
/// Frees the memory.
void qdi_arena_release(qdi_arena *arena);

/// The memory of an arena of which nothing is taken, and an array of `*room` items of `size` bytes (NULL: of
/// none), change places, so that two phases that take turns need it once; both are of the arena's allocator.
/// Nothing happens where some is taken, or the memory is not a number of such items.
void qdi_arena_trade(qdi_arena *arena, void **array, size_t *room, size_t size);

/// A point to give back to: what is taken from here on.
typedef struct qdi_arena_mark {
    size_t at, used;
} qdi_arena_mark;
qdi_arena_mark qdi_arena_mark_of(const qdi_arena *arena);
void qdi_arena_give_back(qdi_arena *arena, qdi_arena_mark mark);
