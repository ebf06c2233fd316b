#pragma once

#include <stdatomic.h>
#include <stdint.h>

/// The least or the largest number that any thread comes with, whatever the order they come in. Relaxed: it
/// is read once all of them are done.

/// Lowers a number to `value`, if that is less.
static inline void qdi_atomic_min_u32(_Atomic uint32_t *number, uint32_t value) {
    uint32_t seen = atomic_load_explicit(number, memory_order_relaxed);
    while (value < seen && !atomic_compare_exchange_weak_explicit(number, &seen, value, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
    }
}

/// Raises a number to `value`, if that is more.
static inline void qdi_atomic_max_u32(_Atomic uint32_t *number, uint32_t value) {
    uint32_t seen = atomic_load_explicit(number, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak_explicit(number, &seen, value, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
    }
}

/// The same for a wider one.
static inline void qdi_atomic_max_u64(_Atomic uint64_t *number, uint64_t value) {
    uint64_t seen = atomic_load_explicit(number, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak_explicit(number, &seen, value, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
    }
}
