#include "core/base/arena.h"

#include "core/base/memory.h"

#include <stdint.h>

enum { ALIGNMENT = 64, LEAST = 4096 };

/// Arena: bytes of an array, so that the next one is aligned as well; 0: there is no such number.
static size_t bytes_of(size_t count, size_t size) {
    if (size > 0 && count > (SIZE_MAX / 4) / size) return 0;
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return bytes > 0 ? bytes : ALIGNMENT;
}

// Bytes of all chunks of an arena together.
static size_t arena_room(const qdi_arena *arena) {
    size_t sum = 0;
    for (size_t k = 0; k < arena->count; ++k) sum += arena->chunk[k].room;
    return sum;
}

/// Arena: goes to the next chunk with room for so much, which may be a new one.
static bool move_on_to(qdi_arena *arena, size_t bytes) {
    for (size_t k = arena->at + 1; k < arena->count; ++k) {
        if (arena->chunk[k].room < bytes) continue;
        arena->at = k;
        arena->chunk[k].used = 0;
        return true;
    }
    if (arena->count == QDI_ARENA_CHUNKS) return false;
    size_t room = arena->count > 0 ? arena_room(arena) : arena->wanted;
    room = room < bytes ? bytes : room;
    room = ((room < LEAST ? LEAST : room) + QDI_ARENA_UNIT - 1) / QDI_ARENA_UNIT * QDI_ARENA_UNIT;
    unsigned char *memory = qdi_allocate(arena->allocator, room, 1);
    if (!memory) return false;
    arena->at = arena->count++;
    arena->chunk[arena->at].memory = memory;
    arena->chunk[arena->at].room = room;
    arena->chunk[arena->at].used = 0;
    return true;
}

void *qdi_arena_take(qdi_arena *arena, size_t count, size_t size) {
    const size_t bytes = bytes_of(count, size);
    if (bytes == 0) return NULL;
    bool fits = arena->count > 0 && arena->chunk[arena->at].room - arena->chunk[arena->at].used >= bytes;
    if (!fits && !move_on_to(arena, bytes)) return NULL;
    void *taken = arena->chunk[arena->at].memory + arena->chunk[arena->at].used;
    arena->chunk[arena->at].used += bytes;
    return taken;
}

void qdi_arena_release(qdi_arena *arena) {
    for (size_t k = 0; k < arena->count; ++k)
        qdi_release(arena->allocator, arena->chunk[k].memory, arena->chunk[k].room, 1);
    arena->count = arena->at = 0;
}

void qdi_arena_empty(qdi_arena *arena) {
    if (arena->count > 1) {
        arena->wanted = arena_room(arena);
        qdi_arena_release(arena);
    }
    if (arena->count > 0) arena->chunk[0].used = 0;
}

void qdi_arena_trade(qdi_arena *arena, void **array, size_t *room, size_t size) {
    qdi_arena_mark taken = qdi_arena_mark_of(arena);
    if (taken.at > 0 || taken.used > 0) return;
    qdi_arena_empty(arena); // of several chunks none is left
    unsigned char *memory = arena->count > 0 ? arena->chunk[0].memory : NULL;
    const size_t bytes = arena->count > 0 ? arena->chunk[0].room : 0;
    if (bytes % size != 0) return;
    arena->count = *array ? 1 : 0;
    arena->chunk[0].memory = *array;
    arena->chunk[0].room = *room * size;
    *array = memory;
    *room = bytes / size;
}

qdi_arena_mark qdi_arena_mark_of(const qdi_arena *arena) {
    return (qdi_arena_mark){arena->at, arena->count > 0 ? arena->chunk[arena->at].used : 0};
}

void qdi_arena_give_back(qdi_arena *arena, qdi_arena_mark mark) {
    arena->at = mark.at;
    if (arena->count > 0) arena->chunk[mark.at].used = mark.used;
}
