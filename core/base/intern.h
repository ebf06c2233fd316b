#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Interning: equal things that many bodies have share one number, which is valid as long as it is used. Only
/// numbers and hashes are kept here; the things lie in arrays of the owner, by number.
typedef struct qdi_intern {
    const qd_allocator *allocator;
    uint64_t *hash;   ///< of each number's thing
    uint32_t *uses;   ///< 0: the number is free
    uint32_t *next;   ///< number + 1 in the same bucket, or in the list of free ones; 0: the last
    uint32_t *bucket; ///< number + 1 of the first
    size_t count;     ///< numbers below this have been given out
    size_t live;      ///< numbers in use
    size_t room[3], bucket_count;
    uint32_t free; ///< number + 1
} qdi_intern;

/// True where the thing that has `number` equals the one that is interned.
typedef bool (*qdi_same)(const void *context, uint32_t number);

/// Takes the number of a thing, one use more: that of an equal one, or a free one (`fresh` is set then: the
/// owner puts the thing there). The lowest free number is not promised. Errors: QD_ERR_MEMORY, nothing
/// changed.
QD_MUST_USE qd_status qdi_intern_take(qdi_intern *intern, uint64_t hash, qdi_same same, const void *context,
                                      uint32_t *number, bool *fresh);

/// One use less; true where that was the last one and the number is free again.
bool qdi_intern_drop(qdi_intern *intern, uint32_t number);

void qdi_intern_release(qdi_intern *intern);
