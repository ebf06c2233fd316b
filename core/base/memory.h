#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// Memory for `count` items of `size` bytes, aligned to 64; NULL for zero bytes, where the product overflows,
/// or where the allocator has none.
void *qdi_allocate(const qd_allocator *allocator, size_t count, size_t size);

/// Frees memory of qdi_allocate, with the same count and size; NULL is fine.
void qdi_release(const qd_allocator *allocator, void *memory, size_t count, size_t size);

/// Memory: a growing array's storage: `array` is the address of the array's pointer (of any type), which has
/// room for
/// `*room` items of `size` bytes. Makes room for `need` items, at least half as much again when it must grow,
/// and keeps the first `used` items. Unchanged on QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_reserve(const qd_allocator *allocator, void *array, size_t *room, size_t used,
                                  size_t need, size_t size);

/// Zeroes memory of qdi_allocate, of so many bytes in all. Where it is large and of the C heap, pages to
/// which nobody writes take no memory from then on: so an item that is zero anyway should not be written
/// (qdi_put_rare).
void qdi_clear(const qd_allocator *allocator, void *memory, size_t bytes);

/// Whether two items are the same, byte for byte: 0 is another number than -0 then.
static inline bool qdi_same_bytes(const void *p, const void *q, size_t size) {
    return memcmp(p, q, size) == 0;
}

/// Writes an item, unless it is the same already.
static inline void qdi_put_rare(void *to, const void *item, size_t size) {
    if (!qdi_same_bytes(to, item, size)) memcpy(to, item, size);
}

/// `allocator`, or the C heap for NULL.
const qd_allocator *qdi_allocator_or_default(const qd_allocator *allocator);
