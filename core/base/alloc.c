#include <quadrille/alloc.h>

#include "core/base/memory.h"
#include "core/base/os.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Bytes from which on memory is the system's own. Arrays over all bodies are walked in many streams at once,
/// and a few small pages of each do not stay in the processor's table of pages.
#define LARGE (2 * QDI_LARGE_PAGE)

// Allocates memory for the default allocator.
static void *heap_allocate(void *context, size_t bytes) {
    (void)context;
    if (bytes >= LARGE) return qdi_os_map(bytes);
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

// Frees memory of the default allocator.
static void heap_release(void *context, void *memory, size_t bytes) {
    (void)context;
    if (bytes >= LARGE && memory)
        qdi_os_unmap(memory, bytes);
    else
        free(memory);
}

const qd_allocator *qd_allocator_default(void) {
    static const qd_allocator heap = {heap_allocate, heap_release, NULL};
    return &heap;
}

const qd_allocator *qdi_allocator_or_default(const qd_allocator *allocator) {
    return allocator ? allocator : qd_allocator_default();
}

void *qdi_allocate(const qd_allocator *allocator, size_t count, size_t size) {
    if (count == 0 || size == 0 || count > SIZE_MAX / size) return NULL;
    return allocator->allocate(allocator->context, count * size);
}

void qdi_release(const qd_allocator *allocator, void *memory, size_t count, size_t size) {
    if (memory) allocator->release(allocator->context, memory, count * size);
}

void qdi_clear(const qd_allocator *allocator, void *memory, size_t bytes) {
    if (bytes >= LARGE && allocator->allocate == heap_allocate)
        qdi_os_clear(memory, bytes);
    else if (bytes > 0)
        memset(memory, 0, bytes);
}

qd_status qdi_reserve(const qd_allocator *allocator, void *array, size_t *room, size_t used, size_t need,
                      size_t size) {
    if (need <= *room) return QD_OK;
    size_t grown = *room + *room / 2;
    if (grown < need) grown = need;
    if (grown < 16) grown = 16;
    void *moved = qdi_allocate(allocator, grown, size);
    if (!moved) return QD_ERR_MEMORY;
    void *old = NULL;
    memcpy(&old, array, sizeof old); // pointers to objects of all types look alike on every platform we know
    if (used > 0) memcpy(moved, old, used * size);
    qdi_release(allocator, old, *room, size);
    memcpy(array, &moved, sizeof moved);
    *room = grown;
    return QD_OK;
}
